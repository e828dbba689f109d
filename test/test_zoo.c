// links: tools
// Models of the zoo: closed, outward, of the documented form, around the rods that move them.
#include "formats/obj_write.h"
#include "mesh/mesh_repair.h"
#include "mesh_check.h"
#include "test.h"
#include "zoo/damage.h"
#include "zoo/octopus.h"
#include "zoo/surfaces.h"
#include "zoo/tube.h"
#include <stdio.h>

static void check_closed(const sn_mesh *mesh, int euler) {
    mesh_facts facts = mesh_check(mesh);
    CHECK_INT(facts.open, 0);
    CHECK_INT(facts.pinched, 0);
    CHECK_INT(facts.unused, 0);
    CHECK_INT(facts.euler, euler);
    CHECK(sn_mesh_volume(mesh) > 0);
    CHECK(facts.worst > 0.05);
    CHECK(mesh->normal && mesh->uv);
    for (int v = 0; v < mesh->vertex_count; v++)
        for (int k = 0; k < 2; k++)
            if (!(mesh->uv[v][k] >= 0 && mesh->uv[v][k] <= 1)) CHECK(!"texture coordinates are from 0 to 1");
}

// Smallest and largest distance of vertices from a union of pills, sampled along their axes.
static void distances(const sn_mesh *mesh, double (*points)[3], const double *radii, const int *parents, int count,
                      double *smallest, double *largest) {
    *smallest = 1e30, *largest = -1e30;
    for (int v = 0; v < mesh->vertex_count; v++) {
        double nearest = 1e30;
        for (int i = 0; i < count; i++)
            for (int k = 0; k <= 16 && parents[i] >= 0; k++) {
                double d2 = 0, t = k / 16.0;
                const double *a = points[i], *b = points[parents[i]];
                for (int j = 0; j < 3; j++) {
                    const double d = a[j] + t * (b[j] - a[j]) - (double)mesh->position[v][j];
                    d2 += d * d;
                }
                nearest = fmin(nearest, sqrt(d2) - radii[i] - t * (radii[parents[i]] - radii[i]));
            }
        *smallest = fmin(*smallest, nearest), *largest = fmax(*largest, nearest);
    }
}

TEST(the_octopus_is_one_closed_surface) {
    zoo_octopus octopus = zoo_octopus_default();
    sn_mesh mesh;
    REQUIRE(zoo_octopus_skin(&octopus, &mesh));
    check_closed(&mesh, 2); // a ball with arms
    CHECK(mesh.vertex_count > 5800 && mesh.vertex_count < 6800);
    mesh_facts facts = mesh_check(&mesh);
    CHECK(facts.mean > 0.8);
    CHECK(facts.smallest > 0.5); // no folds
    double points[38][3], radii[38], smallest, largest;
    int parents[38];
    zoo_octopus_fill(&octopus, points, radii, parents);
    distances(&mesh, points, radii, parents, 38, &smallest, &largest);
    CHECK(smallest > -0.01); // outside the pills, up to the sampling error of their axes
    CHECK(largest < 0.2);    // and close to them
    sn_mesh_free(&mesh);
}

TEST(octopuses_of_other_make_are_closed_too) {
    const zoo_octopus makes[] = {{0.3, 3, 2}, {1, 12, 3}};
    for (int i = 0; i < 2; i++) {
        sn_mesh mesh;
        REQUIRE(zoo_octopus_skin(&makes[i], &mesh));
        mesh_facts facts = mesh_check(&mesh);
        CHECK_INT(facts.open + facts.pinched + facts.unused, 0);
        CHECK_INT(facts.euler, 2);
        CHECK(sn_mesh_volume(&mesh) > 0);
        sn_mesh_free(&mesh);
    }
}

TEST(arms_are_round) {
    zoo_octopus octopus = zoo_octopus_default();
    sn_mesh mesh;
    REQUIRE(zoo_octopus_skin(&octopus, &mesh));
    // Around the last segment of the first arm, vertices are at the pill's distance in all directions.
    double points[38][3], radii[38];
    int parents[38], sectors[12] = {0};
    zoo_octopus_fill(&octopus, points, radii, parents);
    double axis[3], length = 0;
    for (int k = 0; k < 3; k++) axis[k] = points[9][k] - points[8][k], length += axis[k] * axis[k];
    length = sqrt(length);
    const double side[3] = {-axis[2] / length, 0, axis[0] / length}; // horizontal
    for (int v = 0; v < mesh.vertex_count; v++) {
        double along = 0, rho2 = 0, across = 0, d[3];
        for (int k = 0; k < 3; k++) {
            d[k] = (double)mesh.position[v][k] - points[8][k];
            along += d[k] * axis[k] / (length * length);
        }
        if (along < 0.4 || along > 0.8) continue;
        for (int k = 0; k < 3; k++) d[k] -= along * axis[k], rho2 += d[k] * d[k], across += d[k] * side[k];
        if (rho2 > 0.2 * 0.2) continue;
        const double expected = radii[8] + along * (radii[9] - radii[8]) + 0.01;
        CHECK_NEAR(sqrt(rho2), expected, 0.006);
        ++sectors[(int)((atan2(d[1], across) / 6.28318530717958 + 0.5) * 11.999)];
    }
    for (int i = 0; i < 12; i++) CHECK(sectors[i] > 0);
    sn_mesh_free(&mesh);
}

TEST(tubes_are_closed_and_have_their_volume) {
    const double pi = 3.14159265358979323846;
    zoo_tube cylinder = zoo_tube_default(ZOO_CYLINDER), muscle = zoo_tube_default(ZOO_MUSCLE),
             band = zoo_tube_default(ZOO_BAND);
    cylinder.around = muscle.around = band.around = 128;
    cylinder.along = muscle.along = 128, band.along = 512;
    sn_mesh mesh;
    REQUIRE(zoo_tube_skin(&cylinder, &mesh));
    mesh_facts facts = mesh_check(&mesh);
    CHECK_INT(facts.open + facts.pinched + facts.unused, 0);
    CHECK_INT(facts.euler, 2);
    const double a = cylinder.first, b = cylinder.last;
    CHECK_NEAR(sn_mesh_volume(&mesh) / (pi / 3 * (a * a + a * b + b * b) * cylinder.length), 1, 1e-3);
    sn_mesh_free(&mesh);

    REQUIRE(zoo_tube_skin(&muscle, &mesh));
    facts = mesh_check(&mesh);
    CHECK_INT(facts.open + facts.pinched + facts.unused, 0);
    CHECK_INT(facts.euler, 2);
    // the integral of (e + d (1 - cos)/2)^2, and the ball of its two ends
    const double e = muscle.first, d = muscle.middle - muscle.first;
    const double belly = pi * muscle.length * (e * e + e * d + 0.375 * d * d), ends = 4 * pi / 3 * e * e * e;
    CHECK_NEAR(sn_mesh_volume(&mesh) / (belly + ends), 1, 2e-3);
    sn_mesh_free(&mesh);

    REQUIRE(zoo_tube_skin(&band, &mesh));
    facts = mesh_check(&mesh);
    CHECK_INT(facts.open + facts.pinched + facts.unused, 0);
    CHECK_INT(facts.euler, 0); // a ring
    CHECK_NEAR(sn_mesh_volume(&mesh) / (pi * band.first * band.first * band.length), 1, 1e-3);
    sn_mesh_free(&mesh);
}

TEST(tubes_by_default_are_good_meshes) {
    for (int kind = ZOO_CYLINDER; kind <= ZOO_BAND; kind++) {
        zoo_tube tube = zoo_tube_default((zoo_tube_kind)kind);
        sn_mesh mesh;
        REQUIRE(zoo_tube_skin(&tube, &mesh));
        check_closed(&mesh, kind == ZOO_BAND ? 0 : 2);
        double points[1001][3], radii[1001], smallest, largest;
        int parents[1001], count = zoo_tube_points(&tube);
        for (int i = 0; i < count; i++) parents[i] = i ? i - 1 : kind == ZOO_BAND ? count - 1 : -1;
        zoo_tube_fill(&tube, points, radii);
        distances(&mesh, points, radii, parents, count, &smallest, &largest);
        CHECK(fabs(largest) < 0.02 * tube.middle); // on the pills; flat ends are inside the last ball
        sn_mesh_free(&mesh);
    }
}

TEST(impossible_tubes_are_refused) {
    zoo_tube tube = zoo_tube_default(ZOO_BAND);
    sn_mesh mesh;
    tube.along = 2;
    CHECK(!zoo_tube_skin(&tube, &mesh));
    CHECK(mesh.position == NULL);
    tube = zoo_tube_default(ZOO_MUSCLE);
    tube.first = 0;
    CHECK(!zoo_tube_skin(&tube, &mesh));
}

static void check_surface(zoo_surface_kind kind, int wanted) {
    sn_mesh mesh, repaired;
    mesh_repair_report report;
    const mesh_repair_options options = mesh_repair_options_default();
    REQUIRE(zoo_surface(kind, wanted, &mesh));
    mesh_facts facts = mesh_check(&mesh);
    CHECK_INT(facts.open + facts.pinched + facts.unused, 0);
    CHECK_INT(facts.euler, kind == ZOO_TORUS ? 0 : 2);
    CHECK(facts.worst > (kind == ZOO_PUFFER ? 0.05 : 0.1));
    if (wanted == zoo_surface_default_triangles(kind)) CHECK(facts.smallest > 0); // no folds
    CHECK(sn_mesh_volume(&mesh) > 0);
    if (wanted >= 1000) CHECK_NEAR(mesh.triangle_count / (double)wanted, 1, 0.1);
    CHECK_STRING(mesh.name, zoo_surface_name(kind));
    float low[3], high[3];
    sn_mesh_box(&mesh, low, high);
    CHECK_NEAR(low[1], 0, 1e-6); // on the ground
    // Repair finds nothing to do, and one component.
    REQUIRE(mesh_repair(&mesh, &options, &repaired, NULL, &report));
    CHECK_INT(report.components, 1);
    CHECK_INT(report.welded + report.flipped + report.filled + report.duplicate + report.degenerate, 0);
    CHECK(report.closed);
    sn_mesh_free(&repaired), sn_mesh_free(&mesh);
}

TEST(surfaces_are_closed_and_of_one_piece) {
    for (int kind = 0; kind < ZOO_SURFACE_KINDS; kind++)
        check_surface((zoo_surface_kind)kind, zoo_surface_default_triangles((zoo_surface_kind)kind));
}

TEST(coarse_surfaces_are_closed_and_of_one_piece) {
    for (int kind = 0; kind < ZOO_SURFACE_KINDS; kind++)
        check_surface((zoo_surface_kind)kind, zoo_surface_min_triangles((zoo_surface_kind)kind));
}

TEST(the_creature_comes_in_62k_triangles) { // once
    sn_mesh mesh;
    REQUIRE(zoo_surface(ZOO_CREATURE, 62000, &mesh));
    CHECK_NEAR(mesh.triangle_count, 62000, 3100);
    mesh_facts facts = mesh_check(&mesh);
    CHECK_INT(facts.open + facts.pinched, 0);
    CHECK(facts.worst > 0.3 && facts.smallest > 0.5);
    sn_mesh_free(&mesh);
}

TEST(a_torus_is_exact) {
    sn_mesh mesh;
    const double pi = 3.14159265358979323846;
    REQUIRE(zoo_surface(ZOO_TORUS, 20000, &mesh));
    float low[3], high[3];
    sn_mesh_box(&mesh, low, high);
    for (int v = 0; v < mesh.vertex_count; v++) {
        const double x = mesh.position[v][0], z = mesh.position[v][2],
                     y = (double)mesh.position[v][1] - 0.5 * ((double)low[1] + high[1]);
        CHECK_NEAR(hypot(hypot(x, z) - 0.35, y), 0.15, 1e-4);
    }
    CHECK_NEAR(sn_mesh_volume(&mesh) / (2 * pi * pi * 0.35 * 0.15 * 0.15), 1, 0.005);
    sn_mesh_free(&mesh);
}

TEST(a_puffer_ball_has_642_strings) {
    sn_mesh mesh;
    REQUIRE(zoo_surface(ZOO_PUFFER, 0, &mesh));
    // Tips: vertices farther out than all their neighbours.
    char *lower = calloc((size_t)mesh.vertex_count, 1);
    double *far = malloc((size_t)mesh.vertex_count * sizeof *far);
    float low[3], high[3];
    sn_mesh_box(&mesh, low, high);
    for (int v = 0; v < mesh.vertex_count; v++)
        far[v] = hypot(hypot((double)mesh.position[v][0], (double)mesh.position[v][2]),
                       (double)mesh.position[v][1] - 0.5 * ((double)low[1] + high[1]));
    for (int i = 0; i < 3 * mesh.triangle_count; i++) {
        const int a = mesh.triangle[i / 3][i % 3], b = mesh.triangle[i / 3][(i + 1) % 3];
        if (far[a] < far[b] + 1e-5) lower[a] = 1;
        if (far[b] < far[a] + 1e-5) lower[b] = 1;
    }
    int tips = 0;
    for (int v = 0; v < mesh.vertex_count; v++) tips += !lower[v] && far[v] > 0.8;
    CHECK_INT(tips, 642);
    free(lower), free(far);
    sn_mesh_free(&mesh);
}

TEST(surfaces_of_impossible_size_are_refused) {
    sn_mesh mesh;
    CHECK(!zoo_surface(ZOO_CREATURE, 100, &mesh));
    CHECK(mesh.position == NULL);
    CHECK(!zoo_surface(ZOO_TORUS, ZOO_SURFACE_MAX_TRIANGLES + 1, &mesh));
}

static mesh_repair_report damaged(const sn_mesh *whole, zoo_damage_kind kind) {
    sn_mesh mesh = {0}, repaired = {0};
    mesh_repair_report report = {0};
    const mesh_repair_options options = mesh_repair_options_default();
    CHECK(sn_mesh_alloc(&mesh, whole->vertex_count, whole->triangle_count, 0));
    memcpy(mesh.position, whole->position, (size_t)whole->vertex_count * sizeof *whole->position);
    memcpy(mesh.triangle, whole->triangle, (size_t)whole->triangle_count * sizeof *whole->triangle);
    CHECK(zoo_damage(&mesh, kind, 7));
    CHECK(mesh_repair(&mesh, &options, &repaired, NULL, &report));
    sn_mesh_free(&mesh), sn_mesh_free(&repaired);
    return report;
}

TEST(damage_is_of_its_kind) {
    sn_mesh whole;
    REQUIRE(zoo_surface(ZOO_CREATURE, 5000, &whole));
    mesh_repair_report report = damaged(&whole, ZOO_HOLES);
    CHECK(report.holes > 0 && report.non_manifold_edges == 0);
    report = damaged(&whole, ZOO_FLIPPED);
    CHECK(report.closed && report.flipped > 500 && report.flipped < 2000);
    report = damaged(&whole, ZOO_CROSSING);
    CHECK(report.closed && report.components == 4);
    report = damaged(&whole, ZOO_ISLANDS);
    CHECK(report.closed && report.components == 41);
    report = damaged(&whole, ZOO_SLIVERS);
    CHECK(report.closed && report.triangles > 5500 && report.components == 1);
    report = damaged(&whole, ZOO_DUPLICATES);
    CHECK(report.closed && report.duplicate > 200 && report.welded > 10000);
    report = damaged(&whole, ZOO_CROWDED);
    CHECK(report.non_manifold_edges > 20);
    report = damaged(&whole, ZOO_EVERYTHING);
    CHECK(report.holes > 0 && report.non_manifold_edges > 0 && report.components > 40 && report.flipped > 0);
    sn_mesh_free(&whole);
}

TEST(obj_has_what_the_mesh_has) {
    sn_mesh mesh;
    REQUIRE(sn_mesh_alloc(&mesh, 3, 1, MESH_UV));
    mesh.position[1][0] = 0.1f, mesh.position[2][1] = 1, mesh.uv[2][1] = 0.5f;
    mesh.triangle[0][1] = 1, mesh.triangle[0][2] = 2;
    strcpy(mesh.name, "a b");
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    CHECK(sn_obj_write(out, &mesh));
    fclose(out);
    CHECK_STRING(text, "o a_b\nv 0 0 0\nv 0.100000001 0 0\nv 0 1 0\nvt 0 1\nvt 0 1\nvt 0 0.5\nf 1/1 2/2 3/3\n");
    free(text);
    sn_mesh_free(&mesh);
}
