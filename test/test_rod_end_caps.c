// End caps of rods: half balls at the ends count in mass, volume and inertia, if asked for.
#include "sinew/sinew.h"
#include "test.h"
#include <math.h>

#define R(x) ((sn_real)(x))
#define PI   3.14159265358979323846

static sn_world *world_of(sn_rod_def *def, sn_body *rod) {
    sn_world_def settings = sn_world_def_default();
    settings.gravity = (sn_vec3){0, 0, 0};
    sn_world *world = NULL;
    CHECK_INT(sn_world_create(&settings, &world), SN_OK);
    CHECK_INT(sn_rod_create(world, def, rod), SN_OK);
    return world;
}

static sn_rod_def short_rod(sn_vec3 points[2], double length, double radius) {
    points[0] = (sn_vec3){0, 0, 0}, points[1] = (sn_vec3){R(length), 0, 0};
    sn_rod_def def = sn_rod_def_default();
    def.points = points, def.point_count = 2, def.radius = R(radius);
    def.material.damping = 0;
    def.end_caps = true;
    return def;
}

TEST(rod_without_length_weighs_like_a_ball) {
    sn_vec3 points[2];
    sn_body rod;
    sn_rod_def def = short_rod(points, 1e-4, 0.1);
    sn_world *world = world_of(&def, &rod);
    const double ball = 4.0 / 3 * PI * 1e-3;
    CHECK_NEAR(sn_body_mass(world, rod) / (ball * (double)def.material.density), 1, 0.01);
    CHECK_NEAR(sn_body_volume(world, rod) / ball, 1, 0.01);
    CHECK_NEAR(sn_body_rest_volume(world, rod) / ball, 1, 0.01);
    sn_world_destroy(world);
}

TEST(rod_without_length_has_the_rotational_energy_of_a_ball) {
    const sn_vec3 spins[2][2] = {{{0, 0, 0}, {3, 0, 0}}, {{0, 0, 0}, {0, 3, 0}}}; // along it, across it
    for (int k = 0; k < 2; k++) {
        sn_vec3 points[2];
        sn_body rod;
        sn_rod_def def = short_rod(points, 1e-4, 0.1);
        sn_world *world = world_of(&def, &rod);
        const double mass = sn_body_mass(world, rod);
        CHECK_INT(sn_rod_set_spins(world, rod, spins[k], 2), SN_OK);
        CHECK_NEAR(sn_body_energy(world, rod).kinetic / (0.5 * 0.4 * mass * 0.01 * 9), 1, 0.01);
        sn_world_destroy(world);
    }
}

TEST(caps_are_at_every_free_end_of_a_tree_and_only_if_asked_for) {
    const sn_vec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {2, 1, 0}, {2, -1, 0}};
    const int parents[4] = {-1, 0, 1, 1};
    sn_rod_def def = sn_rod_def_default();
    def.points = points, def.point_count = 4, def.parents = parents, def.radius = R(0.1);
    sn_body rod;
    double mass[2], volume[2];
    for (int caps = 0; caps < 2; caps++) {
        def.end_caps = caps;
        sn_world *world = world_of(&def, &rod);
        mass[caps] = sn_body_mass(world, rod), volume[caps] = sn_body_volume(world, rod);
        sn_world_destroy(world);
    }
    CHECK(!sn_rod_def_default().end_caps);
    CHECK_NEAR(volume[0], PI * 0.01 * (1 + 2 * sqrt(2.0)), 1e-6);
    CHECK_NEAR(volume[1] - volume[0], 3 * 2.0 / 3 * PI * 1e-3, 1e-6);
    CHECK_NEAR((mass[1] - mass[0]) / (double)def.material.density, 3 * 2.0 / 3 * PI * 1e-3, 1e-5);
}

TEST(loops_have_no_caps) {
    sn_vec3 points[6];
    for (int i = 0; i < 6; i++) points[i] = (sn_vec3){R(cos(PI / 3 * i)), R(sin(PI / 3 * i)), 0};
    sn_rod_def def = sn_rod_def_default();
    def.points = points, def.point_count = 6, def.radius = R(0.1), def.closed = true;
    sn_body rod;
    double mass[2];
    for (int caps = 0; caps < 2; caps++) {
        def.end_caps = caps;
        sn_world *world = world_of(&def, &rod);
        mass[caps] = sn_body_mass(world, rod);
        sn_world_destroy(world);
    }
    CHECK(mass[0] == mass[1]);
}

TEST(spinning_ball_of_a_short_rod_keeps_its_energy_and_a_save_its_caps) {
    sn_vec3 points[2];
    const sn_vec3 spins[2] = {{0, 0, 0}, {3, 2, 1}};
    sn_body rod;
    sn_rod_def def = short_rod(points, 0.1, 0.1);
    sn_world *world = world_of(&def, &rod);
    CHECK_INT(sn_rod_set_spins(world, rod, spins, 2), SN_OK);
    const double before = sn_body_energy(world, rod).kinetic;
    for (int i = 0; i < 60; i++) CHECK_INT(sn_world_step(world, R(1.0 / 240), 1), SN_OK);
    const sn_energy after = sn_body_energy(world, rod);
    CHECK(after.kinetic + after.elastic <= before * 1.001);
    char bytes[16384];
    const size_t size = sn_world_save(world, bytes, sizeof bytes);
    sn_world_def settings = sn_world_def_default();
    sn_world *copy = NULL;
    CHECK(size > 0 && size <= sizeof bytes);
    CHECK_INT(sn_world_restore(&settings, bytes, size, &copy), SN_OK);
    CHECK(sn_body_mass(copy, rod) == sn_body_mass(world, rod));
    sn_world_destroy(copy);
    sn_world_destroy(world);
}
