// links: tools
// Medial meshes of shapes whose medial axis is known: the axis of a torus is its circle, that of a capsule a segment,
// that of a box a rectangle with slanted sheets to its edges. And what holds of any: it encloses, it is connected, more
// spheres are never worse.
#include "medial/medial.h"
#include "medial_bodies.h"
#include "test.h"
#include <math.h>
#include <stdlib.h>

static sn_medial_mesh made;
static medial_report report;

static bool make(const sn_mesh *mesh, int spheres, bool open) {
    medial_options options = medial_options_default();
    tool_error error = {.text = ""};
    options.spheres = spheres;
    options.open = open;
    const bool good = sn_medial_make(mesh, &options, &made, &report, &error);
    if (!good) CHECK_STRING(error.text, "");
    return good;
}

// The largest signed distance of a vertex to the mesh.
static double farthest_outside(const sn_mesh *mesh) {
    sn_medial_field *field = sn_medial_field_make(&made);
    double most = -INFINITY;
    for (int v = 0; v < mesh->vertex_count && field; v++) {
        const double p[3] = {(double)mesh->position[v][0], (double)mesh->position[v][1], (double)mesh->position[v][2]};
        most = fmax(most, sn_medial_field_evaluate(field, p, NULL));
    }
    sn_medial_field_free(field);
    return most;
}

// Every edge of a slab is a cone, no cone is there twice, numbers are in range.
static void check_form(void) {
    int missing = 0, wrong = 0;
    for (int e = 0; e < made.cone_count; e++) {
        const int *c = made.cone[e];
        wrong += c[0] < 0 || c[0] >= c[1] || c[1] >= made.sphere_count;
        for (int g = 0; g < e; g++) wrong += made.cone[g][0] == c[0] && made.cone[g][1] == c[1];
    }
    for (int f = 0; f < made.slab_count; f++)
        for (int k = 0; k < 3; k++) {
            const int a = made.slab[f][k], b = made.slab[f][(k + 1) % 3], low = a < b ? a : b, high = a < b ? b : a;
            bool found = false;
            for (int e = 0; e < made.cone_count; e++)
                found = found || (made.cone[e][0] == low && made.cone[e][1] == high);
            missing += !found;
        }
    for (int i = 0; i < made.sphere_count; i++) wrong += !(made.radius[i] >= 0) || !isfinite(made.centre[i][0]);
    CHECK_INT(missing, 0);
    CHECK_INT(wrong, 0);
}

TEST(the_axis_of_a_torus_is_its_circle) {
    sn_mesh mesh = body_torus(1, 0.3, 96, 32);
    REQUIRE(make(&mesh, 24, true));
    CHECK_INT(made.sphere_count, 24);
    CHECK_INT(made.cone_count, 24); // one ring: the handle is there
    CHECK_INT(made.slab_count, 0);
    CHECK_INT(report.bodies, 1);
    int degree[64] = {0};
    for (int e = 0; e < made.cone_count; e++) ++degree[made.cone[e][0]], ++degree[made.cone[e][1]];
    for (int i = 0; i < made.sphere_count; i++) {
        const double *c = made.centre[i], away = hypot(hypot(c[0], c[1]) - 1, c[2]);
        CHECK(away < 0.02);
        CHECK_NEAR(made.radius[i], 0.3, 0.02);
        CHECK_INT(degree[i], 2);
    }
    check_form();
    sn_medial_mesh_free(&made);
    REQUIRE(make(&mesh, 3, false)); // as few as a handle needs, and fewer than that
    CHECK_INT(made.cone_count, 3);
    CHECK(farthest_outside(&mesh) <= 0);
    sn_medial_mesh_free(&made);
    REQUIRE(make(&mesh, 1, false));
    CHECK_INT(made.sphere_count, 3);
    sn_medial_mesh_free(&made);
    sn_mesh_free(&mesh);
}

TEST(the_axis_of_a_capsule_is_its_segment) {
    sn_mesh mesh = body_capsule(1, 0.25, 40, 24);
    REQUIRE(make(&mesh, 4, true));
    CHECK_INT(report.bodies, 1);
    double low = 1, high = -1;
    for (int i = 0; i < made.sphere_count; i++) {
        const double *c = made.centre[i];
        CHECK(hypot(c[1], c[2]) < 0.01);
        CHECK(fabs(c[0]) < 0.52);
        CHECK_NEAR(made.radius[i], 0.25, 0.01);
        low = fmin(low, c[0]), high = fmax(high, c[0]);
    }
    CHECK_NEAR(low, -0.5, 0.02);
    CHECK_NEAR(high, 0.5, 0.02);
    check_form();
    sn_medial_mesh_free(&made);
    sn_mesh_free(&mesh);
}

// How far a point is inside of the box, and how much farther the second nearest of its walls is than the nearest: 0 on
// the medial axis.
static double box_walls(const double half[3], const double p[3], double *second) {
    double wall[6], least = INFINITY;
    *second = INFINITY;
    for (int k = 0; k < 3; k++) wall[2 * k] = half[k] - p[k], wall[2 * k + 1] = half[k] + p[k];
    for (int i = 0; i < 6; i++) {
        if (wall[i] < least)
            *second = least, least = wall[i];
        else if (wall[i] < *second)
            *second = wall[i];
    }
    *second -= least;
    return least;
}

TEST(the_axis_of_a_box_has_its_sheets) { // once
    const double half[3] = {1, 0.6, 0.3};
    sn_mesh mesh = body_box(half, 0.06);
    REQUIRE(make(&mesh, 60, true));
    CHECK_INT(report.bodies, 1);
    CHECK(made.slab_count > 20);
    double off = 0, second;
    for (int i = 0; i < made.sphere_count; i++) {
        const double inside = box_walls(half, made.centre[i], &second);
        CHECK_NEAR(made.radius[i], inside, 0.04);
        off += second / made.sphere_count;
    }
    CHECK(off < 0.03);
    // The rectangle in the middle, |x| <= 0.7 and |y| <= 0.3, is of slabs of radius 0.3, and along the slanted sheets the
    // spheres touch both walls: every point of the axis is well inside of the mesh, and as deep as its radius says.
    sn_medial_field *field = sn_medial_field_make(&made);
    REQUIRE(field);
    for (int i = -7; i <= 7; i++)
        for (int j = -3; j <= 3; j++) {
            const double p[3] = {0.1 * i, 0.1 * j, 0};
            CHECK_NEAR(sn_medial_field_evaluate(field, p, NULL), -0.3, 0.03);
        }
    for (int i = 1; i < 9; i++) { // from the rectangle's corner to the box's, and from its side to an edge
        const double t = 0.3 * i / 10.0, corner[3] = {0.7 + t, 0.3 + t, t}, edge[3] = {0.2, 0.3 + t, t};
        CHECK_NEAR(sn_medial_field_evaluate(field, corner, NULL), -(0.3 - t), 0.05);
        CHECK_NEAR(sn_medial_field_evaluate(field, edge, NULL), -(0.3 - t), 0.04);
    }
    sn_medial_field_free(field);
    check_form();
    sn_medial_mesh_free(&made);
    sn_mesh_free(&mesh);
}

TEST(the_mesh_encloses_every_vertex) {
    sn_mesh bodies[3] = {body_torus(1, 0.3, 60, 24), body_capsule(1, 0.25, 30, 16), body_tripod(4000)};
    for (int b = 0; b < 3; b++) {
        for (int v = 0; v < bodies[b].vertex_count; v++) // far from the origin, and large
            for (int k = 0; k < 3; k++) bodies[b].position[v][k] = 40 * bodies[b].position[v][k] + 1000;
        REQUIRE(make(&bodies[b], 20, false));
        CHECK(farthest_outside(&bodies[b]) <= 0);
        CHECK_INT(report.bodies, 1);
        CHECK(made.sphere_count <= 20);
        CHECK(medial_two_sided_error(&report) < 0.02);
        check_form();
        sn_medial_mesh_free(&made);
        sn_mesh_free(&bodies[b]);
    }
}

TEST(more_spheres_are_never_worse) { // once
    sn_mesh mesh = body_tripod(2500);
    double before = INFINITY;
    for (int spheres = 6; spheres <= 48; spheres *= 2) {
        REQUIRE(make(&mesh, spheres, false));
        CHECK(made.sphere_count <= spheres);
        CHECK(medial_two_sided_error(&report) <= before);
        before = medial_two_sided_error(&report);
        sn_medial_mesh_free(&made);
    }
    CHECK(before < 0.006);
    sn_mesh_free(&mesh);
}

TEST(an_error_is_kept_with_few_spheres) { // once
    sn_mesh mesh = body_capsule(1, 0.25, 24, 12);
    medial_options options = {.error = 0.01};
    tool_error error = {.text = ""};
    REQUIRE(sn_medial_make(&mesh, &options, &made, &report, &error));
    CHECK(medial_two_sided_error(&report) <= 0.01);
    CHECK(made.sphere_count < 10);
    CHECK(farthest_outside(&mesh) <= 0);
    sn_medial_mesh_free(&made);
    options.error = 1e-9; // not with any number
    CHECK(!sn_medial_make(&mesh, &options, &made, &report, &error));
    CHECK(strstr(error.text, "ask for a larger error") != NULL);
    CHECK_INT(made.sphere_count, 0);
    sn_mesh_free(&mesh);
}

// Two bodies in one file stay two; a box of twelve triangles and one with a hole go through the lattice.
TEST(bodies_stay_separate_and_rough_meshes_are_refined) { // once
    sn_mesh a = body_capsule(1, 0.25, 30, 16), b = body_torus(1, 0.3, 60, 24), both = body_join(&a, &b, 3);
    REQUIRE(make(&both, 30, false));
    CHECK_INT(report.bodies, 2);
    CHECK(farthest_outside(&both) <= 0);
    sn_medial_mesh_free(&made);
    sn_mesh_free(&a), sn_mesh_free(&b), sn_mesh_free(&both);

    const double half[3] = {1, 0.6, 0.3};
    sn_mesh box = body_box(half, 3);
    CHECK_INT(box.triangle_count, 12);
    REQUIRE(make(&box, 40, false));
    CHECK(report.lattice);
    CHECK_INT(report.bodies, 1);
    CHECK(farthest_outside(&box) <= 0);
    CHECK(medial_two_sided_error(&report) < 0.02);
    sn_medial_mesh_free(&made);
    sn_mesh_free(&box);

    sn_mesh open = body_capsule(1, 0.25, 40, 24);
    open.triangle_count -= 60; // a hole at one end
    REQUIRE(make(&open, 10, false));
    CHECK(report.lattice);
    CHECK_INT(report.bodies, 1);
    CHECK(medial_two_sided_error(&report) < 0.03);
    sn_medial_mesh_free(&made);
    sn_mesh_free(&open);
}

TEST(the_same_surface_gives_the_same_mesh) {
    sn_mesh mesh = body_tripod(4000);
    REQUIRE(make(&mesh, 20, false));
    sn_medial_mesh first = made;
    REQUIRE(make(&mesh, 20, false));
    CHECK_INT(first.sphere_count, made.sphere_count);
    CHECK_INT(first.cone_count, made.cone_count);
    CHECK(memcmp(first.centre, made.centre, (size_t)made.sphere_count * sizeof *made.centre) == 0);
    CHECK(memcmp(first.radius, made.radius, (size_t)made.sphere_count * sizeof *made.radius) == 0);
    sn_medial_mesh_free(&first);
    sn_medial_mesh_free(&made);
    sn_mesh_free(&mesh);
}

TEST(what_has_no_inside_is_refused_with_a_sentence) {
    tool_error error = {.text = ""};
    medial_options options = medial_options_default();
    sn_mesh empty = {0};
    CHECK(!sn_medial_make(&empty, &options, &made, &report, &error));
    CHECK(strstr(error.text, "no triangles") != NULL);
    sn_mesh mesh = body_box((const double[3]){1, 1, 1}, 0.5);
    for (int v = 0; v < mesh.vertex_count; v++) mesh.position[v][2] = 0;
    CHECK(!sn_medial_make(&mesh, &options, &made, &report, &error));
    CHECK(strlen(error.text) > 10);
    sn_mesh_free(&mesh);
    mesh = body_capsule(1, 0.25, 30, 16);
    mesh.position[7][1] = NAN;
    CHECK(!sn_medial_make(&mesh, &options, &made, &report, &error));
    CHECK(strstr(error.text, "not finite") != NULL);
    CHECK(made.centre == NULL && made.sphere_count == 0);
    sn_mesh_free(&mesh);
}

// Whatever is done to a mesh, there is an answer: a mesh that is well formed, or a sentence.
TEST(damaged_meshes_do_no_harm) {
    random_stream stream = random_start(77, 1);
    int made_some = 0;
    for (int n = 0; n < ROUNDS(24); n++) {
        sn_mesh mesh = n % 3 == 0   ? body_capsule(1, 0.25, 12, 8)
                       : n % 3 == 1 ? body_torus(1, 0.3, 24, 10)
                                    : body_box((const double[3]){1, 0.6, 0.3}, 0.4);
        const int harm = 1 + (int)(random_unit(&stream) * 30);
        for (int i = 0; i < harm; i++) {
            const int v = (int)(random_unit(&stream) * mesh.vertex_count), k = (int)(random_unit(&stream) * 3);
            const int t = (int)(random_unit(&stream) * mesh.triangle_count);
            switch ((n / 3 + i / 4) % 6) {
            case 0:
                mesh.position[v][k] = (float)(2 * random_unit(&stream) - 1);
                break;
            case 1:
                mesh.triangle[t][k] = v;
                break;
            case 2:
                mesh.position[v][k] *= 3;
                break;
            case 3:
                memcpy(mesh.position[v], mesh.position[0], sizeof *mesh.position);
                break;
            case 4:
                mesh.triangle[t][0] = mesh.triangle[t][1];
                break;
            default:
                mesh.triangle_count -= mesh.triangle_count > 8;
                break;
            }
        }
        medial_options options = {.spheres = 12, .cell = 0.06};
        options.source = (medial_source)(n % 2);
        tool_error error = {.text = ""};
        if (sn_medial_make(&mesh, &options, &made, &report, &error)) {
            check_form();
            CHECK(farthest_outside(&mesh) <= 1e-4 * report.largest_side || mesh.vertex_count != report.repair.vertices);
            made_some++;
            sn_medial_mesh_free(&made);
        } else {
            CHECK(strlen(error.text) > 10 && strlen(error.text) < 255);
        }
        sn_mesh_free(&mesh);
    }
    CHECK(made_some > ROUNDS(24) / 3);
}
