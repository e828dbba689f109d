// What islands make of energy they give back (world/common_solve.c): a ball of iron's weight falls on a springboard and rolls along
// its bend, where a step of implicit Euler makes energy of the order of force x curvature x motion^2.
//
//                 O
//     |=========_____
//     |              ----
#include "sinew/sinew.h"
#include "test.h"
#include <math.h>

#define R(x) ((sn_real)(x))

enum { POINTS = 33 };

static sn_body make_board(sn_world *world) {
    sn_vec3 points[POINTS];
    for (int i = 0; i < POINTS; i++) points[i] = (sn_vec3){R(2.0 * i / (POINTS - 1)), 1, 0};
    sn_rod_def def = sn_rod_def_default();
    def.points = points, def.point_count = POINTS, def.radius = R(0.03), def.clamp_first = true;
    def.material = sn_material_make(R(1e9), R(0.3), 700);
    sn_body board = {0};
    CHECK_INT(sn_rod_create(world, &def, &board), SN_OK);
    return board;
}

static sn_body make_ball(sn_world *world, sn_real friction) {
    sn_rigid_def def = sn_rigid_def_default();
    def.geometry = SN_GEOMETRY_SPHERE, def.radii[0] = R(0.15), def.position = (sn_vec3){R(1.8), 2, 0};
    def.dynamic = true, def.mass = 10;
    def.surface.friction_static = def.surface.friction_dynamic = friction;
    sn_body ball = {0};
    CHECK_INT(sn_rigid_create(world, &def, &ball), SN_OK);
    return ball;
}

TEST(a_ball_on_a_springboard_makes_no_energy) {
    for (int k = 0; k < 2; k++) {
        sn_world_def def = sn_world_def_default();
        sn_world *world = NULL;
        REQUIRE(sn_world_create(&def, &world) == SN_OK);
        make_board(world);
        const sn_body ball = make_ball(world, k ? R(0.5) : 0);
        sn_world_set_energy_check(world, true);
        for (int i = 0; i < 120; i++) CHECK_INT(sn_world_step(world, R(1.0 / 60), 0), SN_OK);
        const sn_energy_balance balance = sn_world_energy_balance(world);
        CHECK(balance.climb < 3e-4 * balance.scale);
        sn_vec3 position;
        sn_quat rotation;
        CHECK_INT(sn_rigid_get_pose(world, ball, &position, &rotation), SN_OK);
        CHECK(position.x > R(1.9)); // it rolled off
        sn_world_destroy(world);
    }
}

// Two rods that collide in free flight: what is taken from them leaves their momentum alone.
TEST(what_islands_give_back_is_not_momentum) {
    sn_world_def def = sn_world_def_default();
    def.gravity = (sn_vec3){0, 0, 0};
    sn_world *world = NULL;
    REQUIRE(sn_world_create(&def, &world) == SN_OK);
    for (int k = 0; k < 2; k++) {
        sn_vec3 points[9], velocities[9];
        for (int i = 0; i < 9; i++) {
            points[i] = k ? (sn_vec3){R(0.1 * i), R(0.1), R(0.4)} : (sn_vec3){R(0.4), 0, R(0.1 * i)};
            velocities[i] = (sn_vec3){R(0.5 * k), k ? -3 : 0, 0};
        }
        sn_rod_def rod = sn_rod_def_default();
        rod.points = points, rod.point_count = 9, rod.radius = R(0.03), rod.material.damping = 0;
        sn_body body;
        REQUIRE(sn_rod_create(world, &rod, &body) == SN_OK);
        CHECK_INT(sn_rod_set_velocities(world, body, velocities, 9), SN_OK);
    }
    sn_world_set_energy_check(world, true);
    const sn_momentum before = sn_world_momentum(world);
    for (int i = 0; i < 30; i++) CHECK_INT(sn_world_step(world, R(1.0 / 60), 4), SN_OK);
    const sn_momentum after = sn_world_momentum(world);
    for (int k = 0; k < 3; k++) CHECK_NEAR(after.linear[k], before.linear[k], 2e-5 * fabs(before.linear[1]));
    const sn_energy_balance balance = sn_world_energy_balance(world);
    CHECK(balance.climb < 1e-4 * balance.scale);
    sn_world_destroy(world);
}
