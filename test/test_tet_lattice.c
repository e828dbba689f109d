// Tetrahedra from lattices: they conform, are of good shape and hold the volume, for smooth and sharp shapes, turned
// any way, fine and coarse; damaged surfaces give a usable mesh; threads change nothing; refusals say what to do.
// links: tools
#include "mesh/mesh_repair.h"
#include "mesh_bytes.h"
#include "mesh_check.h"
#include "test.h"
#include "tets/tet_improve.h"
#include "tets/tet_lattice.h"
#include "tets/tet_spacing.h"
#include "zoo/damage.h"
#include "zoo/surfaces.h"

static bool fill(const sn_mesh *mesh, double spacing, int threads, sn_tet_mesh *out, sn_tet_lattice_report *report,
                 tool_error *error) {
    sn_mesh_query *query = sn_mesh_query_build(mesh);
    sn_winding *winding = sn_winding_make(mesh);
    const sn_tet_lattice_options options = {.spacing = spacing, .threads = threads};
    const bool good = query && winding && sn_tet_lattice(mesh, query, winding, &options, out, report, error);
    sn_mesh_query_free(query);
    sn_winding_free(winding);
    return good;
}

// What holds for every clean surface.
static void check_good(const sn_mesh *mesh, double spacing, double volume_error) {
    sn_tet_mesh tets;
    sn_tet_lattice_report report;
    tool_error error;
    REQUIRE(fill(mesh, spacing, 2, &tets, &report, &error));
    const sn_tet_report r = sn_tet_mesh_measure(&tets);
    if (!CHECK(sn_tet_mesh_is_conforming(&tets, &error))) printf("%s\n", error.text);
    CHECK_INT(r.inverted, 0);
    CHECK(r.min_quality >= 0.15);
    CHECK(r.min_angle >= 10);
    CHECK(r.max_angle <= 160);
    CHECK_NEAR(r.volume / sn_mesh_volume(mesh), 1, volume_error);
    sn_tet_mesh_free(&tets);
}

static void turn(sn_mesh *mesh, double angle) {
    for (int v = 0; v < mesh->vertex_count; v++)
        for (int k = 0; k < 2; k++) { // about z, then about x
            float *p = mesh->position[v] + k;
            const double x = p[0], y = p[1];
            p[0] = (float)(cos(angle) * x - sin(angle) * y), p[1] = (float)(sin(angle) * x + cos(angle) * y);
        }
}

TEST(a_ball_is_filled_well) {
    sn_mesh ball = shape_ball(40, 60);
    check_good(&ball, 0.15, 0.01);
    check_good(&ball, 0.07, 0.003);
    sn_mesh_free(&ball);
}

TEST(a_cube_is_filled_well_however_it_lies) {
    for (int i = 0; i < 4; i++) {
        sn_mesh cube = shape_cube(-1, 2);
        if (i) turn(&cube, 0.3 * i);
        check_good(&cube, 0.13, 0.02);
        sn_mesh_free(&cube);
    }
    // Of just the lattice's size, so that its faces are where the lattice is.
    sn_mesh cube = shape_cube(0, 1);
    check_good(&cube, 0.125, 0.02);
    check_good(&cube, 0.25, 0.06);
    sn_mesh_free(&cube);
}

TEST(the_zoo_is_filled_well) {
    for (int kind = 0; kind < ZOO_SURFACE_KINDS; kind++) {
        if (kind == ZOO_PUFFER) continue; // its strings want a very fine lattice
        sn_mesh mesh;
        static sn_tet_thickness found;
        REQUIRE(zoo_surface((zoo_surface_kind)kind, zoo_surface_min_triangles((zoo_surface_kind)kind), &mesh));
        sn_mesh_query *query = sn_mesh_query_build(&mesh);
        sn_winding *winding = sn_winding_make(&mesh);
        REQUIRE(query && winding);
        sn_tet_thickness_measure(&mesh, query, winding, &found);
        check_good(&mesh, sn_tet_spacing(&found, 8000, 16000, NULL), 0.05);
        sn_mesh_query_free(query);
        sn_winding_free(winding);
        sn_mesh_free(&mesh);
    }
}

TEST(damaged_surfaces_give_a_usable_mesh) {
    sn_mesh whole;
    REQUIRE(zoo_surface(ZOO_CREATURE, zoo_surface_min_triangles(ZOO_CREATURE), &whole));
    const double volume = sn_mesh_volume(&whole);
    for (int kind = 0; kind < ZOO_DAMAGE_KINDS; kind++) {
        sn_mesh mesh, repaired;
        sn_tet_mesh tets;
        sn_tet_lattice_report report;
        mesh_repair_report repair;
        tool_error error;
        const mesh_repair_options options = mesh_repair_options_default();
        REQUIRE(sn_mesh_alloc(&mesh, whole.vertex_count, whole.triangle_count, 0));
        memcpy(mesh.position, whole.position, (size_t)whole.vertex_count * sizeof *mesh.position);
        memcpy(mesh.triangle, whole.triangle, (size_t)whole.triangle_count * sizeof *mesh.triangle);
        REQUIRE(zoo_damage(&mesh, (zoo_damage_kind)kind, 1));
        REQUIRE(mesh_repair(&mesh, &options, &repaired, NULL, &repair));
        REQUIRE(fill(&repaired, 0.07, 2, &tets, &report, &error));
        const sn_tet_report r = sn_tet_mesh_measure(&tets);
        CHECK(sn_tet_mesh_is_conforming(&tets, &error));
        CHECK_INT(r.inverted, 0);
        CHECK(r.min_quality > 0.05);
        CHECK(r.volume > 0.8 * volume && r.volume < 1.5 * volume);
        sn_tet_mesh_free(&tets);
        sn_mesh_free(&mesh);
        sn_mesh_free(&repaired);
    }
    sn_mesh_free(&whole);
}

TEST(a_heap_of_triangles_is_survived) {
    // It winds around points everywhere, also beyond its box.
    sn_mesh heap;
    unsigned seed = 5;
    REQUIRE(sn_mesh_alloc(&heap, 150, 250, 0));
    for (int i = 0; i < 450; i++) {
        seed = seed * 1664525u + 1013904223u;
        heap.position[i / 3][i % 3] = (float)(seed >> 8) / (1 << 24);
    }
    for (int i = 0; i < 750; i++) {
        seed = seed * 1664525u + 1013904223u;
        heap.triangle[i / 3][i % 3] = (int)((seed >> 8) % 150);
    }
    for (int flip = 0; flip < 2; flip++) {
        sn_tet_mesh tets;
        sn_tet_lattice_report report;
        tool_error error;
        for (int t = 0; t < 250; t++) { // the other way round
            const int swapped = heap.triangle[t][0];
            heap.triangle[t][0] = heap.triangle[t][1], heap.triangle[t][1] = swapped;
        }
        REQUIRE(fill(&heap, 0.08, 2, &tets, &report, &error));
        CHECK(sn_tet_mesh_is_conforming(&tets, &error));
        CHECK_INT(sn_tet_mesh_measure(&tets).inverted, 0);
        sn_tet_mesh_free(&tets);
    }
    sn_mesh_free(&heap);
}

TEST(solids_that_overlap_are_one) {
    sn_mesh two;
    sn_mesh a = shape_cube(0, 1);
    REQUIRE(sn_mesh_alloc(&two, 16, 24, 0));
    for (int v = 0; v < 16; v++)
        for (int k = 0; k < 3; k++) two.position[v][k] = a.position[v % 8][k] + (v >= 8 ? 0.5f : 0);
    for (int t = 0; t < 24; t++)
        for (int k = 0; k < 3; k++) two.triangle[t][k] = a.triangle[t % 12][k] + (t >= 12 ? 8 : 0);
    sn_tet_mesh tets;
    sn_tet_lattice_report report;
    tool_error error;
    REQUIRE(fill(&two, 0.1, 1, &tets, &report, &error));
    CHECK_NEAR(sn_tet_mesh_measure(&tets).volume, 2 - 0.125, 0.04);
    CHECK_NEAR(report.overlap, 0.125, 0.02);
    CHECK(sn_tet_mesh_is_conforming(&tets, &error));
    sn_tet_mesh_free(&tets);
    sn_mesh_free(&two);
    sn_mesh_free(&a);
}

TEST(threads_change_nothing) {
    sn_mesh mesh;
    sn_tet_mesh one, four;
    sn_tet_lattice_report report;
    tool_error error;
    REQUIRE(zoo_surface(ZOO_TORUS, 3000, &mesh));
    REQUIRE(fill(&mesh, 0.04, 1, &one, &report, &error));
    REQUIRE(fill(&mesh, 0.04, 4, &four, &report, &error));
    REQUIRE(one.tet_count == four.tet_count && one.vertex_count == four.vertex_count);
    CHECK(memcmp(one.tet, four.tet, (size_t)one.tet_count * sizeof *one.tet) == 0);
    CHECK(memcmp(one.position, four.position, (size_t)one.vertex_count * sizeof *one.position) == 0);
    // Far fewer questions than points: the rest is known from the distance.
    CHECK(report.evaluated < 0.8 * report.lattice_points);
    sn_tet_mesh_free(&one);
    sn_tet_mesh_free(&four);
    sn_mesh_free(&mesh);
}

TEST(the_boundary_lies_on_the_surface) {
    sn_mesh ball = shape_ball(60, 80), surface;
    sn_tet_mesh tets;
    sn_tet_lattice_report report;
    tool_error error;
    REQUIRE(fill(&ball, 0.15, 1, &tets, &report, &error));
    REQUIRE(sn_tet_mesh_boundary(&tets, &surface, NULL, NULL));
    sn_mesh_query *query = sn_mesh_query_build(&ball);
    REQUIRE(query);
    double farthest = 0;
    for (int v = 0; v < surface.vertex_count; v++) {
        const double p[3] = {surface.position[v][0], surface.position[v][1], surface.position[v][2]};
        sn_mesh_hit hit;
        if (CHECK(sn_mesh_query_closest_point(query, p, INFINITY, &hit))) farthest = fmax(farthest, hit.distance);
    }
    CHECK(farthest < 1e-6);
    CHECK_INT(mesh_check(&surface).open, 0);
    sn_mesh_query_free(query);
    sn_tet_mesh_free(&tets);
    sn_mesh_free(&surface);
    sn_mesh_free(&ball);
}

TEST(errors_name_the_remedy) {
    sn_mesh ball = shape_ball(10, 12);
    sn_tet_mesh tets;
    sn_tet_lattice_report report;
    tool_error error;
    CHECK(!fill(&ball, 1e-4, 1, &tets, &report, &error));
    CHECK(strstr(error.text, "give a larger spacing"));
    CHECK(!fill(&ball, 1e-30, 1, &tets, &report, &error));
    CHECK(strstr(error.text, "give a larger spacing"));
    CHECK(!fill(&ball, 50, 1, &tets, &report, &error));
    CHECK(strstr(error.text, "use a smaller spacing"));
    CHECK(!fill(&ball, -1, 1, &tets, &report, &error));
    CHECK(strstr(error.text, "positive"));
    CHECK(!fill(&ball, NAN, 1, &tets, &report, &error));
    ball.triangle_count = 3; // a few triangles enclose nothing
    CHECK(!fill(&ball, 0.2, 1, &tets, &report, &error));
    CHECK(strstr(error.text, "close"));
    sn_mesh empty = {0};
    CHECK(!fill(&empty, 0.2, 1, &tets, &report, &error));
    sn_mesh_free(&ball);
}

TEST(the_spacing_follows_the_thickness) {
    // A plate of 1 x 1 x 0.05: most of its surface is over 0.05.
    sn_mesh plate = shape_cube(0, 1);
    static sn_tet_thickness found;
    sn_tet_spacing_reason reason;
    for (int v = 0; v < 8; v++) plate.position[v][2] *= 0.05f;
    sn_mesh_query *query = sn_mesh_query_build(&plate);
    sn_winding *winding = sn_winding_make(&plate);
    REQUIRE(query && winding);
    sn_tet_thickness_measure(&plate, query, winding, &found);
    CHECK_NEAR(found.volume, 0.05, 1e-6);
    CHECK_NEAR(sn_tet_spacing(&found, 1000, 1e6, &reason), 0.025, 1e-4);
    CHECK_INT(reason, TET_SPACING_THIN);
    CHECK_NEAR(sn_tet_spacing(&found, 1e6, 1e7, &reason), cbrt(12 * 0.05 / 1e6), 1e-6);
    CHECK_INT(reason, TET_SPACING_FEW);
    CHECK_NEAR(sn_tet_spacing(&found, 100, 1000, &reason), cbrt(12 * 0.05 / 1000), 1e-6);
    CHECK_INT(reason, TET_SPACING_MANY);
    CHECK_NEAR(sn_tet_thickness_share(&found, 0.06), 1 / 1.1, 0.02);
    sn_mesh_query_free(query);
    sn_winding_free(winding);
    // Without its lid the volume is still about known.
    plate.triangle_count -= 2;
    query = sn_mesh_query_build(&plate), winding = sn_winding_make(&plate);
    REQUIRE(query && winding);
    sn_tet_thickness_measure(&plate, query, winding, &found);
    CHECK(found.volume > 0.03 && found.volume < 0.07);
    sn_mesh_query_free(query);
    sn_winding_free(winding);
    sn_mesh_free(&plate);
}

TEST(improving_never_makes_worse) {
    sn_mesh ball = shape_ball(30, 40);
    sn_tet_mesh tets;
    sn_tet_lattice_report report;
    tool_error error;
    REQUIRE(fill(&ball, 0.3, 1, &tets, &report, &error));
    // Shake the vertices within, then mend without touching the boundary.
    for (int v = 0; v < tets.vertex_count; v++) {
        double *p = tets.position[v], r = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
        if (r > 0.8) continue;
        for (int k = 0; k < 3; k++) p[k] += 0.05 * sin(12.9 * v + 78.2 * k);
    }
    const sn_tet_report before = sn_tet_mesh_measure(&tets);
    sn_mesh_query *query = sn_mesh_query_build(&ball);
    REQUIRE(query && sn_tet_improve(&tets, query, 0.3, 6) > 0);
    const sn_tet_report after = sn_tet_mesh_measure(&tets);
    CHECK(after.min_quality > before.min_quality);
    CHECK(after.min_quality > 0.2);
    CHECK_INT(after.inverted, 0);
    sn_mesh_query_free(query);
    sn_tet_mesh_free(&tets);
    sn_mesh_free(&ball);
}
