// links: tools
// A heap of octopuses, as in the scene octopus-drop but small: what contact promises of it.
// compilers: all
#include "sinew/sinew.h"
#include "test.h"
#include "zoo/octopus.h"
#include <math.h>

enum { POINTS = 38 };

static sn_world *world_for(int count, int workers, int lanes) {
    sn_world_def def = sn_world_def_default();
    def.gravity = (sn_vec3){0, -10, 0};
    def.worker_count = workers, def.lanes = lanes;
    sn_world *world = NULL;
    CHECK_INT(sn_world_create(&def, &world), SN_OK);
    sn_rigid_def ground = sn_rigid_def_default();
    sn_body shape;
    CHECK_INT(sn_rigid_create(world, &ground, &shape), SN_OK);
    zoo_octopus octopus = zoo_octopus_default();
    double at[POINTS][3], radii[POINTS];
    int parents[POINTS];
    CHECK_INT(zoo_octopus_points(&octopus), POINTS);
    zoo_octopus_fill(&octopus, at, radii, parents);
    for (int k = 0; k < count; k++) {
        sn_vec3 points[POINTS];
        sn_real r[POINTS];
        const double turn = 0.9 * k, x0 = 0.7 * (k % 3 - 1), y0 = 0.5 + 4.6 * k, z0 = 0.6 * (k % 2);
        for (int i = 0; i < POINTS; i++) { // each turned about z
            double x = at[i][0], y = at[i][1] - 0.8;
            points[i] = (sn_vec3){(sn_real)(x0 + cos(turn) * x - sin(turn) * y),
                                  (sn_real)(y0 + 2 + sin(turn) * x + cos(turn) * y), (sn_real)(z0 + at[i][2])};
            r[i] = (sn_real)radii[i];
        }
        sn_rod_def rod = sn_rod_def_default();
        rod.points = points, rod.radii = r, rod.parents = parents, rod.point_count = POINTS;
        rod.material = sn_material_make((sn_real)1e6, (sn_real)0.495, 1000);
        rod.material.damping = (sn_real)1.5;
        rod.self_collide = true;
        sn_body id;
        CHECK_INT(sn_rod_create(world, &rod, &id), SN_OK);
    }
    return world;
}

static double energy_of(const sn_world *world) {
    sn_energy e = sn_world_energy(world);
    return e.kinetic + e.elastic + e.potential;
}

TEST(a_heap_does_not_overlap_and_keeps_its_volume) {
    enum { COUNT = 6 };
    sn_world *world = world_for(COUNT, 1, 0);
    double before = energy_of(world), start = before, deepest = 0, least = 1, most = 1, rise = 0;
    for (int i = 0; i < 240; i++) {
        CHECK_INT(sn_world_step(world, (sn_real)(1.0 / 60), 3), SN_OK);
        double now = energy_of(world);
        rise = fmax(rise, now - before);
        before = now;
        deepest = fmax(deepest, sn_world_penetration(world));
        for (int k = 0; k < COUNT; k++) {
            sn_body rod = sn_world_kind_at(world, SN_KIND_ROD, k);
            double volume = sn_body_volume(world, rod) / sn_body_rest_volume(world, rod);
            least = fmin(least, volume), most = fmax(most, volume);
        }
    }
    CHECK(deepest < 0.1); // of the smaller radius, in impact
    CHECK(sn_world_penetration(world) < 0.02);
    CHECK(least > 0.98 && most < 1.02);
    CHECK(rise < 1e-4 * start); // rounding, no more
    sn_world_destroy(world);
}

TEST(a_heap_comes_to_sleep) {
    sn_world *world = world_for(3, 1, 0);
    for (int i = 0; i < 900 && sn_world_profile(world).asleep < 3; i++) sn_world_step(world, (sn_real)(1.0 / 60), 3);
    sn_world_step(world, (sn_real)(1.0 / 60), 3);
    CHECK_INT(sn_world_profile(world).asleep, 3);
    sn_vec3 v[POINTS];
    sn_body_get_velocities(world, sn_world_kind_at(world, SN_KIND_ROD, 0), v, POINTS);
    for (int i = 0; i < POINTS; i++) CHECK(v[i].x == 0 && v[i].y == 0 && v[i].z == 0);
    CHECK(sn_world_penetration(world) < 0.02);
    sn_world_destroy(world);
}

// Enough contacts for several groups, so that workers and lanes really share them.
TEST(a_heap_is_the_same_for_any_workers_and_lanes) {
    uint64_t hash = 0;
    for (int k = 0; k < 3; k++) {
        sn_world *world = world_for(12, k == 1 ? 2 : 1, k == 2 ? 1 : 0);
        for (int i = 0; i < 60; i++) sn_world_step(world, (sn_real)(1.0 / 60), 2);
        if (k == 0) hash = sn_world_hash(world);
        CHECK(sn_world_hash(world) == hash);
        sn_world_destroy(world);
    }
}

// Ninety in one place is the scene octopus-explosion; six here.
TEST(overlapping_bodies_separate) {
    sn_world *world = world_for(0, 1, 0);
    zoo_octopus octopus = zoo_octopus_default();
    double at[POINTS][3], radii[POINTS];
    int parents[POINTS];
    zoo_octopus_fill(&octopus, at, radii, parents);
    for (int k = 0; k < 6; k++) {
        sn_vec3 points[POINTS];
        sn_real r[POINTS];
        for (int i = 0; i < POINTS; i++) {
            points[i] = (sn_vec3){(sn_real)(at[i][0] + 0.05 * k), (sn_real)(at[i][1] + 1 + 0.1 * k), (sn_real)at[i][2]};
            r[i] = (sn_real)radii[i];
        }
        sn_rod_def rod = sn_rod_def_default();
        rod.points = points, rod.radii = r, rod.parents = parents, rod.point_count = POINTS;
        rod.material = sn_material_make((sn_real)6e5, (sn_real)0.48, 1000);
        rod.material.damping = 1;
        rod.self_collide = true;
        sn_body id;
        CHECK_INT(sn_rod_create(world, &rod, &id), SN_OK);
    }
    CHECK(sn_world_penetration(world) > 1);
    for (int i = 0; i < 300; i++) CHECK_INT(sn_world_step(world, (sn_real)(1.0 / 60), 4), SN_OK);
    CHECK(sn_world_penetration(world) < 0.05);
    sn_world_destroy(world);
}
