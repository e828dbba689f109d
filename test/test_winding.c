// The winding number: known answers on closed, nested, overlapping, turned and open surfaces, and the tree against the
// plain sum.
// links: tools
#include "mesh/winding.h"
#include "mesh_bytes.h"
#include "test.h"

#define PI 3.14159265358979323846

// The definition: solid angles of all triangles.
static double plain_sum(const sn_mesh *mesh, const double point[3]) {
    double sum = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        double p[3][3], l[3];
        for (int c = 0; c < 3; c++) {
            for (int k = 0; k < 3; k++) p[c][k] = mesh->position[mesh->triangle[t][c]][k] - point[k];
            l[c] = sqrt(p[c][0] * p[c][0] + p[c][1] * p[c][1] + p[c][2] * p[c][2]);
        }
#define DOT(a, b) (p[a][0] * p[b][0] + p[a][1] * p[b][1] + p[a][2] * p[b][2])
        const double n = p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
                         p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
                         p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
        sum += 2 * atan2(n, l[0] * l[1] * l[2] + DOT(0, 1) * l[2] + DOT(1, 2) * l[0] + DOT(2, 0) * l[1]);
    }
    return sum / (4 * PI);
}

// Two meshes as one, the second moved, scaled and perhaps turned inside out.
static sn_mesh join(sn_mesh a, sn_mesh b, float scale, float along, bool inside_out) {
    sn_mesh out;
    if (!sn_mesh_alloc(&out, a.vertex_count + b.vertex_count, a.triangle_count + b.triangle_count, 0)) abort();
    memcpy(out.position, a.position, (size_t)a.vertex_count * sizeof *out.position);
    memcpy(out.triangle, a.triangle, (size_t)a.triangle_count * sizeof *out.triangle);
    for (int v = 0; v < b.vertex_count; v++)
        for (int k = 0; k < 3; k++)
            out.position[a.vertex_count + v][k] = scale * b.position[v][k] + (k == 0 ? along : 0);
    for (int t = 0; t < b.triangle_count; t++)
        for (int k = 0; k < 3; k++)
            out.triangle[a.triangle_count + t][k] = a.vertex_count + b.triangle[t][inside_out ? 2 - k : k];
    sn_mesh_free(&a);
    sn_mesh_free(&b);
    return out;
}

static double at(const sn_winding *w, double x, double y, double z) {
    const double p[3] = {x, y, z};
    return sn_winding_evaluate(w, p);
}

TEST(a_cube_has_1_inside_and_0_outside) {
    sn_mesh cube = shape_cube(0, 1);
    sn_winding *w = sn_winding_make(&cube);
    REQUIRE(w);
    CHECK_NEAR(at(w, 0.5, 0.5, 0.5), 1, 1e-12);
    CHECK_NEAR(at(w, 0.01, 0.99, 0.02), 1, 1e-12);
    CHECK_NEAR(at(w, 1.01, 0.5, 0.5), 0, 1e-12);
    CHECK_NEAR(at(w, -30, 20, 10), 0, 1e-3);
    // On the surface half of the world is inside: of an edge a fourth, of a corner an eighth.
    CHECK_NEAR(at(w, 1, 0.3, 0.6), 0.5, 1e-12);
    CHECK_NEAR(at(w, 1, 1, 0.4), 0.25, 1e-12);
    sn_winding_free(w);
    sn_mesh_free(&cube);
}

TEST(the_tree_agrees_with_the_sum) {
    sn_mesh ball = shape_ball(40, 60);
    sn_winding *w = sn_winding_make(&ball);
    REQUIRE(w);
    double worst = 0, worst_near = 0;
    for (int i = 0; i < 400; i++) {
        const double r = i % 2 ? 2.5 * i / 400 : 0.98 + 1e-4 * i, a = 2.4 * i, b = 1.3 * i;
        const double p[3] = {r * cos(a) * cos(b), r * sin(a) * cos(b), r * sin(b)};
        const double off = fabs(sn_winding_evaluate(w, p) - plain_sum(&ball, p));
        if (i % 2 == 0) worst_near = fmax(worst_near, off);
        worst = fmax(worst, off);
    }
    CHECK(worst < 0.01);
    CHECK(worst_near < 0.01);
    CHECK(worst > 1e-9); // else the groups were never used
    sn_winding_free(w);
    sn_mesh_free(&ball);
}

TEST(nested_and_overlapping_solids_add_up) {
    sn_mesh both = join(shape_ball(16, 24), shape_ball(16, 24), 0.5f, 0, false);
    sn_winding *w = sn_winding_make(&both);
    REQUIRE(w);
    CHECK_NEAR(at(w, 0, 0.1, 0), 2, 0.01);
    CHECK_NEAR(at(w, 0.7, 0, 0), 1, 0.01);
    CHECK_NEAR(at(w, 1.2, 0, 0), 0, 0.01);
    sn_winding_free(w);
    sn_mesh_free(&both);
    both = join(shape_ball(16, 24), shape_ball(16, 24), 0.5f, 0, true); // a cavity
    w = sn_winding_make(&both);
    REQUIRE(w);
    CHECK_NEAR(at(w, 0, 0.1, 0), 0, 0.01);
    CHECK_NEAR(at(w, 0.7, 0, 0), 1, 0.01);
    sn_winding_free(w);
    sn_mesh_free(&both);
    both = join(shape_ball(16, 24), shape_ball(16, 24), 1, 1, false); // crossing
    w = sn_winding_make(&both);
    REQUIRE(w);
    CHECK_NEAR(at(w, 0.5, 0.1, 0), 2, 0.01);
    CHECK_NEAR(at(w, -0.5, 0.1, 0), 1, 0.01);
    CHECK_NEAR(at(w, 1.5, 0.1, 0), 1, 0.01);
    CHECK_NEAR(at(w, 0.5, 0.95, 0), 0, 0.01);
    sn_winding_free(w);
    sn_mesh_free(&both);
}

TEST(a_hole_blurs_and_does_not_flip) {
    sn_mesh ball = shape_ball(24, 32);
    int kept = 0;
    for (int t = 0; t < ball.triangle_count; t++) { // a cap of a fortieth of the surface is missing
        if (ball.position[ball.triangle[t][0]][2] > 0.95f) continue;
        memmove(ball.triangle[kept++], ball.triangle[t], sizeof *ball.triangle);
    }
    ball.triangle_count = kept;
    sn_winding *w = sn_winding_make(&ball);
    REQUIRE(w);
    CHECK(at(w, 0, 0, 0) > 0.95);
    CHECK(at(w, 0.3, 0.2, -0.8) > 0.95);
    CHECK(at(w, 0, 0, 0.6) > 0.5);
    CHECK(at(w, 0, 0, 1.4) < 0.5);
    CHECK(fabs(at(w, 1.2, 0, 0)) < 0.05);
    sn_winding_free(w);
    sn_mesh_free(&ball);
}

TEST(nothing_and_rubbish_are_survived) {
    sn_mesh empty = {0};
    sn_winding *w = sn_winding_make(&empty);
    REQUIRE(w);
    CHECK(at(w, 0, 0, 0) == 0);
    sn_winding_free(w);
    sn_mesh cube = shape_cube(0, 1);
    const int beyond[3] = {0, 1, 99}, flat[3] = {1, 1, 2};
    memcpy(cube.triangle[0], beyond, sizeof beyond);
    memcpy(cube.triangle[1], flat, sizeof flat);
    cube.position[7][1] = NAN;
    w = sn_winding_make(&cube);
    REQUIRE(w);
    CHECK(isfinite(at(w, 0.3, 0.3, 0.3)));
    CHECK(isfinite(at(w, 0, 0, 0)));
    sn_winding_free(w);
    sn_winding_free(NULL);
    sn_mesh_free(&cube);
}
