// Rest curvature, twist and length of rods that change while they run.
#include "base/math/vec.h"
#include "known.h"
#include <stdlib.h>

#define R(x) ((sn_real)(x))

enum { POINTS = 33 };

static sn_body add_line(sn_world *world, bool clamped, sn_vec3 *points) {
    line(points, POINTS, vec(0, 0, 0), vec(1, 0, 0));
    sn_rod_def def = sn_rod_def_default();
    def.points = points, def.point_count = POINTS, def.radius = R(0.01), def.material = stuff(1e8, 1000);
    def.clamp_first = clamped;
    return add_rod(world, &def);
}

// The rest curvature of a circle of the rod's length closes it, without any stress.
TEST(a_rod_curls_into_a_circle) {
    sn_world *world = world_with(0);
    sn_vec3 points[POINTS], curvature;
    sn_quat frames[POINTS];
    const sn_body rod = add_line(world, true, points);
    sn_rod_get_frames(world, rod, frames, POINTS);
    for (int i = 0; i < 600; i++) {
        const double part = fmin(1, i / 400.0);
        for (int k = 1; k < POINTS; k++) {
            const sn_vec3 bend = sn_q_rotate(sn_q_conj(frames[k]), vec(0, 0, 2 * PI * part));
            CHECK_INT(sn_rod_set_rest_curvature(world, rod, k, bend), SN_OK);
        }
        CHECK_INT(sn_world_step(world, R(1.0 / 60), 1), SN_OK);
    }
    for (int i = 0; i < 600; i++) sn_world_step(world, R(1.0 / 60), 1);
    sn_body_get_points(world, rod, points, POINTS);
    CHECK_NEAR(points[POINTS - 1].x, 0, 0.01);
    CHECK_NEAR(points[POINTS - 1].y, 0, 0.01);
    CHECK_NEAR(points[POINTS / 2].y, 1 / PI, 0.01);
    CHECK(sn_body_energy(world, rod).elastic < 1e-5);
    CHECK_INT(sn_rod_get_rest_curvature(world, rod, 3, &curvature), SN_OK);
    CHECK_NEAR(sn_length(curvature), 2 * PI, 1e-4);
    sn_world_destroy(world);
}

TEST(a_rod_twists_by_its_rest_twist) {
    sn_world *world = world_with(0);
    sn_vec3 points[POINTS];
    sn_quat before[POINTS], after[POINTS];
    const sn_body rod = add_line(world, true, points);
    sn_rod_get_frames(world, rod, before, POINTS);
    for (int k = 1; k < POINTS; k++) CHECK_INT(sn_rod_set_rest_curvature(world, rod, k, vec(0, 0, 1)), SN_OK);
    for (int i = 0; i < 600; i++) sn_world_step(world, R(1.0 / 60), 1);
    sn_rod_get_frames(world, rod, after, POINTS);
    // From the clamp to the middle of the last segment.
    const double length = 1 - 0.5 / (POINTS - 1);
    const sn_vec3 x = sn_q_axis_x(before[POINTS - 1]), y = sn_q_axis_y(before[POINTS - 1]),
                  now = sn_q_axis_x(after[POINTS - 1]);
    CHECK_NEAR(atan2((double)sn_dot(now, y), (double)sn_dot(now, x)), length, 0.01);
    sn_world_destroy(world);
}

TEST(rest_curvature_is_saved_and_bounded) {
    sn_world *world = world_with(-9.81), *copy = NULL;
    sn_vec3 points[POINTS], curvature;
    const sn_body rod = add_line(world, true, points);
    CHECK_INT(sn_rod_set_rest_curvature(world, rod, 0, vec(1, 0, 0)), SN_ERR_RANGE); // the root has no segment
    CHECK_INT(sn_rod_set_rest_curvature(world, rod, 5, vec(100, 0, 0)), SN_ERR_RANGE);
    CHECK_INT(sn_rod_set_rest_curvature(world, rod, 5, vec(NAN, 0, 0)), SN_ERR_RANGE);
    CHECK_INT(sn_rod_set_rest_curvature(world, rod, 5, vec(20, 3, -4)), SN_OK);
    steps(world, 1.0 / 60, 10);
    const size_t size = sn_world_save(world, NULL, 0);
    void *bytes = malloc(size);
    CHECK(sn_world_save(world, bytes, size) == size);
    sn_world_def def = sn_world_def_default();
    REQUIRE(sn_world_restore(&def, bytes, size, &copy) == SN_OK);
    CHECK_INT(sn_rod_get_rest_curvature(copy, rod, 5, &curvature), SN_OK);
    CHECK_NEAR(curvature.y, 3, 0);
    steps(world, 1.0 / 60, 20), steps(copy, 1.0 / 60, 20);
    CHECK(sn_world_hash(copy) == sn_world_hash(world));
    free(bytes);
    sn_world_destroy(copy), sn_world_destroy(world);
}
