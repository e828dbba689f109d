// Bodies that are joined to a third, or hang from space, at one place do not press on each other there, and do elsewhere.
//
//          \ | /
//      -----\|/-----      spokes of a web: each is joined to the first at its middle, none to another
//           /|\           .
#include "sinew/sinew.h"
#include "test.h"
#include <math.h>

#define R(x) ((sn_real)(x))

enum { SPOKES = 7, POINTS = 9 };
static const double radius = 0.02, length = 0.5;

static sn_world *make_world(void) {
    sn_world_def def = sn_world_def_default();
    sn_world *world = NULL;
    def.gravity = (sn_vec3){0, 0, 0};
    CHECK_INT(sn_world_create(&def, &world), SN_OK);
    return world;
}

// From a point of the z axis, outward.
static sn_body make_spoke(sn_world *world, double angle, double z) {
    sn_vec3 points[POINTS];
    for (int i = 0; i < POINTS; i++) {
        const double r = length * i / (POINTS - 1);
        points[i] = (sn_vec3){R(r * cos(angle)), R(r * sin(angle)), R(z)};
    }
    sn_rod_def def = sn_rod_def_default();
    def.points = points, def.point_count = POINTS, def.radius = R(radius);
    sn_body rod = {0};
    CHECK_INT(sn_rod_create(world, &def, &rod), SN_OK);
    return rod;
}

static void hold(sn_world *world, sn_body rod, const sn_body *to) {
    sn_joint_def def = sn_joint_def_default();
    def.body_a = rod, def.segment_a = 1, def.along_a = 0;
    if (to) def.body_b = *to, def.segment_b = 1, def.along_b = 0;
    sn_joint joint;
    CHECK_INT(sn_joint_create(world, &def, &joint), SN_OK);
}

static double moving_energy(sn_world *world) {
    for (int i = 0; i < 60; i++) CHECK_INT(sn_world_step(world, R(1.0 / 60), 0), SN_OK);
    const sn_energy e = sn_world_energy(world);
    return e.kinetic + e.elastic;
}

TEST(spokes_joined_at_one_place_of_the_first_stay_at_rest) {
    sn_world *world = make_world();
    sn_body first = make_spoke(world, 0, 0);
    for (int i = 1; i < SPOKES; i++) hold(world, make_spoke(world, 2 * 3.14159265 * i / SPOKES, 0), &first);
    CHECK(moving_energy(world) < 1e-9);
    sn_world_destroy(world);
}

TEST(ropes_that_hang_from_one_place_stay_at_rest) {
    sn_world *world = make_world();
    for (int i = 0; i < SPOKES; i++) hold(world, make_spoke(world, 2 * 3.14159265 * i / SPOKES, 0), NULL);
    CHECK(moving_energy(world) < 1e-9);
    sn_world_destroy(world);
}

TEST(ropes_from_one_place_still_touch_at_their_ends) {
    sn_world *world = make_world();
    sn_body low = make_spoke(world, 0, 0), high = make_spoke(world, 0.5, 0);
    hold(world, low, NULL), hold(world, high, NULL);
    sn_vec3 points[POINTS], velocities[POINTS];
    CHECK_INT(sn_body_get_points(world, high, points, POINTS), POINTS);
    for (int i = 0; i < POINTS; i++) // it closes like a blade of a pair of scissors, at 3 rad/s
        velocities[i] = (sn_vec3){3 * points[i].y, -3 * points[i].x, 0};
    CHECK_INT(sn_rod_set_velocities(world, high, velocities, POINTS), SN_OK);
    for (int i = 0; i < 60; i++) CHECK_INT(sn_world_step(world, R(1.0 / 60), 0), SN_OK);
    sn_vec3 a[POINTS], b[POINTS];
    CHECK_INT(sn_body_get_points(world, low, a, POINTS), POINTS);
    CHECK_INT(sn_body_get_points(world, high, b, POINTS), POINTS);
    const sn_vec3 x = a[POINTS - 1], y = b[POINTS - 1];
    const double apart = sqrt(pow((double)(x.x - y.x), 2) + pow((double)(x.y - y.y), 2) + pow((double)(x.z - y.z), 2));
    CHECK(apart > 1.9 * radius);
    CHECK((double)(x.x * y.y - x.y * y.x) > 0); // still on its side
    sn_world_destroy(world);
}
