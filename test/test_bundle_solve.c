// A bundle is one body in the common solve: its stiffness is that of a beam of its fibres and of nothing else, and what is done to
// it comes back.
#include "sinew/sinew.h"
#include "test.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RODS = 8, MAX_POINTS = 33 };
static const double pi = 3.14159265358979;

typedef struct {
    sn_world *world;
    sn_body rods[MAX_RODS];
    sn_bundle bundle;
    int rod_count, points;
    double radius, around, young;
} beam;

// Rods of 1 m along x, evenly on a circle, with their first two points and the segment between them held.
static beam make_beam(int rods, double poisson, int iterations) {
    beam b = {.rod_count = rods, .points = 17, .radius = 0.01, .around = 0.03, .young = 1e6};
    sn_world_def world = sn_world_def_default();
    world.gravity = (sn_vec3){0, 0, 0};
    world.iterations = iterations;
    CHECK_INT(sn_world_create(&world, &b.world), SN_OK);
    for (int i = 0; i < rods; i++) {
        sn_vec3 p[MAX_POINTS];
        const double angle = 2 * pi * (i + 0.25) / rods;
        for (int k = 0; k < b.points; k++)
            p[k] = (sn_vec3){(sn_real)(k / (b.points - 1.0)), (sn_real)(b.around * cos(angle)),
                             (sn_real)(b.around * sin(angle))};
        sn_rod_def def = sn_rod_def_default();
        def.points = p, def.point_count = b.points, def.radius = (sn_real)b.radius;
        def.material = sn_material_make((sn_real)b.young, (sn_real)poisson, 1000);
        def.material.damping = 8;
        CHECK_INT(sn_rod_create(b.world, &def, &b.rods[i]), SN_OK);
        CHECK_INT(sn_rod_hold(b.world, b.rods[i], 0, SN_HOLD_CENTRE), SN_OK);
        CHECK_INT(sn_rod_hold(b.world, b.rods[i], 1, SN_HOLD_CENTRE | SN_HOLD_FRAME), SN_OK);
    }
    sn_bundle_def def = sn_bundle_def_default();
    def.rods = b.rods, def.rod_count = rods;
    CHECK_INT(sn_bundle_create(b.world, &def, &b.bundle), SN_OK);
    return b;
}

static void settle(beam *b, double seconds, int substeps) {
    for (int i = 0; i < (int)(seconds * 60); i++)
        CHECK_INT(sn_world_step(b->world, (sn_real)(1.0 / 60), substeps), SN_OK);
}

static sn_section tip_of(const beam *b) {
    sn_section s[MAX_POINTS];
    sn_bundle_get_sections(b->world, b->bundle, s, MAX_POINTS);
    return s[b->points - 1];
}

// The droop of the free end under a force across it, of a beam with rigid sections. Each fibre bends by itself besides.
static double theory(const beam *b, const sn_material *m, double force) {
    const double area = pi * b->radius * b->radius, n = b->rod_count, length = (b->points - 2) / (b->points - 1.0);
    const double across = n * area * 0.5 * b->around * b->around, own = n * area * b->radius * b->radius / 4;
    const double stiffness = (double)m->young * across + (double)m->young * own;
    return force * length * length * length / (3 * stiffness) + force * length / (n * area * (double)m->transverse);
}

TEST(a_bundle_of_rods_bends_like_a_beam_of_them) {
    static const int counts[] = {3, 4, 8};
    for (int i = 0; i < 6; i++) {
        const double poisson = i < 3 ? 0 : 0.495;
        beam b = make_beam(counts[i % 3], poisson, 2);
        const sn_material m = sn_material_make((sn_real)b.young, (sn_real)poisson, 1000);
        const double force = 0.02 * counts[i % 3];
        for (int k = 0; k < b.rod_count; k++)
            sn_rod_set_force(b.world, b.rods[k], b.points - 1, (sn_vec3){0, (sn_real)(-force / b.rod_count), 0});
        settle(&b, 6, 1);
        CHECK_NEAR(-(double)tip_of(&b).centre.y / theory(&b, &m, force), 1, 0.02);
        sn_world_destroy(b.world);
    }
}

TEST(droop_does_not_depend_on_iterations_or_substeps) {
    static const int iterations[] = {1, 4, 32, 1, 1, 1}, substeps[] = {1, 1, 1, 2, 4, 16};
    double droop[6];
    for (int run = 0; run < 6; run++) {
        beam b = make_beam(6, 0.49, iterations[run]);
        sn_world_set_gravity(b.world, (sn_vec3){0, -5, 0});
        settle(&b, 5, substeps[run]);
        droop[run] = -(double)tip_of(&b).centre.y;
        sn_world_destroy(b.world);
    }
    CHECK(droop[0] > 0.005);
    for (int run = 1; run < 6; run++) CHECK_NEAR(droop[run] / droop[0], 1, 0.002);
}

// ---- activation

TEST(a_half_active_spindle_swells_smoothly_and_keeps_its_volume_everywhere) {
    enum { RODS = 7, POINTS = 16 };
    sn_world_def world_def = sn_world_def_default();
    world_def.gravity = (sn_vec3){0, 0, 0};
    sn_world *world;
    CHECK_INT(sn_world_create(&world_def, &world), SN_OK);
    sn_body rods[RODS];
    for (int i = 0; i < RODS; i++) {
        sn_vec3 p[POINTS];
        sn_real radii[POINTS];
        for (int k = 0; k < POINTS; k++) {
            const double u = k / (POINTS - 1.0), belly = 0.4 + 0.6 * sin(pi * u), angle = pi * i / 3;
            const double out = i == RODS - 1 ? 0 : 0.02 * belly;
            p[k] = (sn_vec3){(sn_real)(0.3 * u), (sn_real)(out * cos(angle)), (sn_real)(out * sin(angle))};
            radii[k] = (sn_real)(0.01 * belly);
        }
        sn_rod_def def = sn_rod_def_default();
        def.points = p, def.point_count = POINTS, def.radii = radii;
        def.material = sn_material_preset(SN_PRESET_MUSCLE);
        CHECK_INT(sn_rod_create(world, &def, &rods[i]), SN_OK);
    }
    sn_bundle_def def = sn_bundle_def_default();
    def.rods = rods, def.rod_count = RODS;
    def.to = (sn_real)0.5;
    sn_bundle bundle;
    CHECK_INT(sn_bundle_create(world, &def, &bundle), SN_OK);
    CHECK_INT(sn_bundle_set_activation(world, bundle, (sn_real)0.5), SN_OK);
    for (int i = 0; i < 240; i++) CHECK_INT(sn_world_step(world, (sn_real)(1.0 / 60), 0), SN_OK);
    sn_section s[POINTS];
    sn_bundle_get_sections(world, bundle, s, POINTS);
    for (int k = 1; k + 1 < POINTS; k++) CHECK_NEAR(s[k + 1].scale - 2 * s[k].scale + s[k - 1].scale, 0, 0.02);
    CHECK(s[3].scale > 1.06 && s[12].scale < 1.02); // it did contract, on one side
    sn_vec3 now[RODS][POINTS];
    sn_real radii[RODS][POINTS];
    for (int i = 0; i < RODS; i++) {
        CHECK_INT(sn_body_get_points(world, rods[i], now[i], POINTS), POINTS);
        CHECK_INT(sn_rod_get_radii(world, rods[i], radii[i], POINTS), POINTS);
    }
    for (int third = 0; third < 3; third++) {
        double volume = 0, rest = 0;
        for (int k = 5 * third + 1; k <= 5 * third + 5; k++)
            for (int i = 0; i < RODS; i++) {
                const double u0 = (k - 1) / (POINTS - 1.0), u1 = k / (POINTS - 1.0);
                const double b0 = 0.4 + 0.6 * sin(pi * u0), b1 = 0.4 + 0.6 * sin(pi * u1);
                const double across = i == RODS - 1 ? 0 : 0.02 * (b1 - b0), r0 = 0.005 * (b0 + b1);
                const double r = 0.5 * (double)(radii[i][k] + radii[i][k - 1]);
                const double d[3] = {(double)(now[i][k].x - now[i][k - 1].x), (double)(now[i][k].y - now[i][k - 1].y),
                                     (double)(now[i][k].z - now[i][k - 1].z)};
                rest += r0 * r0 * hypot(0.3 / (POINTS - 1.0), across);
                volume += r * r * sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            }
        CHECK_NEAR(volume / rest, 1, 0.01);
    }
    sn_world_destroy(world);
}

// ---- joints

TEST(a_joint_on_one_rod_carries_the_whole_bundle) {
    static const int held[] = {1, 2};
    for (int run = 0; run < 2; run++) {
        beam b = make_beam(6, 0.45, 1);
        for (int i = 0; i < b.rod_count; i++)
            for (int k = 0; k < 2; k++) sn_rod_hold(b.world, b.rods[i], k, SN_HOLD_NONE);
        sn_world_set_gravity(b.world, (sn_vec3){0, -10, 0});
        sn_joint joints[2];
        for (int k = 0; k < held[run]; k++) { // one rod at one end; two rods at both ends
            sn_joint_def def = sn_joint_def_default();
            sn_vec3 p[MAX_POINTS];
            const int rod = k ? 3 : 0, point = k ? b.points - 1 : 0;
            sn_body_get_points(b.world, b.rods[rod], p, MAX_POINTS);
            def.body_a = b.rods[rod], def.segment_a = k ? point : 1, def.along_a = (sn_real)k;
            def.position = p[point];
            CHECK_INT(sn_joint_create(b.world, &def, &joints[k]), SN_OK);
        }
        double weight = 0, force = 0;
        for (int i = 0; i < b.rod_count; i++) weight += 10 * sn_body_mass(b.world, b.rods[i]);
        settle(&b, run ? 5 : 12, 0);
        for (int k = 0; k < held[run]; k++) force += (double)sn_joint_force(b.world, joints[k]);
        if (run == 0) CHECK_NEAR(force / weight, 1, 0.01); // with two they also pull at each other
        CHECK(run == 0 || force / weight > 0.99);
        sn_world_destroy(b.world);
    }
}

// ---- sleep

TEST(a_bundle_sleeps_when_it_is_still_and_wakes_as_one) {
    beam b = make_beam(4, 0.45, 1);
    sn_world_set_gravity(b.world, (sn_vec3){0, -10, 0});
    settle(&b, 8, 0);
    for (int i = 0; i < 4; i++) CHECK(sn_body_asleep(b.world, b.rods[i]));
    sn_vec3 before[MAX_POINTS], after[MAX_POINTS];
    sn_body_get_points(b.world, b.rods[1], before, b.points);
    settle(&b, 0.5, 0);
    sn_body_get_points(b.world, b.rods[1], after, b.points);
    CHECK(memcmp(before, after, (size_t)b.points * sizeof *before) == 0);
    sn_rod_set_force(b.world, b.rods[2], b.points - 1, (sn_vec3){0, (sn_real)-0.1, 0});
    settle(&b, 0.1, 0);
    for (int i = 0; i < 4; i++) CHECK(!sn_body_asleep(b.world, b.rods[i]));
    sn_world_destroy(b.world);
}

// ---- odd bundles

TEST(bundles_of_one_and_of_two_rods_bend_like_their_rods) {
    // In the plane across which two rods lie side by side, each bends by itself; so does one.
    double droop[3];
    for (int run = 0; run < 3; run++) {
        const int count = run == 2 ? 2 : 1;
        sn_world_def world_def = sn_world_def_default();
        sn_world *world;
        CHECK_INT(sn_world_create(&world_def, &world), SN_OK);
        sn_body rods[2];
        for (int i = 0; i < count; i++) {
            sn_rod_def def = sn_rod_def_default();
            sn_vec3 p[13];
            for (int k = 0; k < 13; k++) p[k] = (sn_vec3){(sn_real)(k / 24.0), 0, (sn_real)(0.05 * i)};
            def.points = p, def.point_count = 13, def.radius = (sn_real)0.02, def.clamp_first = true;
            def.material = sn_material_make((sn_real)1e6, (sn_real)0.45, 1000);
            def.material.damping = 5;
            CHECK_INT(sn_rod_create(world, &def, &rods[i]), SN_OK);
        }
        sn_bundle_def def = sn_bundle_def_default();
        sn_bundle bundle;
        def.rods = rods, def.rod_count = count;
        if (run > 0) CHECK_INT(sn_bundle_create(world, &def, &bundle), SN_OK);
        for (int i = 0; i < 300; i++) CHECK_INT(sn_world_step(world, (sn_real)(1.0 / 60), 0), SN_OK);
        sn_vec3 p[13];
        sn_body_get_points(world, rods[0], p, 13);
        droop[run] = -(double)p[12].y;
        sn_world_destroy(world);
    }
    CHECK(droop[0] > 0.01);
    for (int run = 1; run < 3; run++) CHECK_NEAR(droop[run] / droop[0], 1, 0.02);
}

// ---- work

// A row of rods, held at both ends; one end is rotated about the normal of the row and back.
TEST(a_sheet_that_is_bent_in_its_plane_is_the_same_for_any_substeps) {
    enum { RODS = 6, POINTS = 11, STEPS = 360 };
    double elastic[3], rise[3];
    for (int run = 0; run < 3; run++) {
        sn_world_def world_def = sn_world_def_default();
        world_def.gravity = (sn_vec3){0, 0, 0};
        sn_world *world;
        CHECK_INT(sn_world_create(&world_def, &world), SN_OK);
        CHECK_INT(sn_world_set_energy_check(world, true), SN_OK);
        sn_body rods[RODS];
        for (int i = 0; i < RODS; i++) {
            sn_vec3 p[POINTS];
            for (int k = 0; k < POINTS; k++) p[k] = (sn_vec3){(sn_real)(0.03 * k), (sn_real)(0.02 * (i - 2.5)), 0};
            sn_rod_def def = sn_rod_def_default();
            def.points = p, def.point_count = POINTS, def.radius = (sn_real)0.01;
            def.material = sn_material_preset(SN_PRESET_MUSCLE);
            CHECK_INT(sn_rod_create(world, &def, &rods[i]), SN_OK);
            sn_rod_hold(world, rods[i], 0, SN_HOLD_CENTRE);
            sn_rod_hold(world, rods[i], POINTS - 1, SN_HOLD_CENTRE);
        }
        sn_bundle_def def = sn_bundle_def_default();
        def.rods = rods, def.rod_count = RODS;
        sn_bundle bundle;
        CHECK_INT(sn_bundle_create(world, &def, &bundle), SN_OK);
        for (int s = 0; s <= STEPS; s++) {
            const double angle = 0.35 * (1 - cos(2 * pi * s / STEPS));
            for (int i = 0; i < RODS; i++) {
                const double y = 0.02 * (i - 2.5);
                const sn_vec3 to = {(sn_real)(0.3 - y * sin(angle)), (sn_real)(y * cos(angle)), 0};
                sn_rod_move_centre(world, rods[i], POINTS - 1, to);
            }
            CHECK_INT(sn_world_step(world, (sn_real)(1.0 / 60), run == 0 ? 1 : run == 1 ? 4 : 16), SN_OK);
            if (s == STEPS / 2) elastic[run] = sn_world_energy(world).elastic;
        }
        rise[run] = sn_world_energy_balance(world).rise;
        CHECK(sn_world_energy(world).elastic < 1e-4 * elastic[run]);
        sn_world_destroy(world);
    }
    CHECK(elastic[0] > 0.1);
    for (int run = 0; run < 3; run++) {
        CHECK_NEAR(elastic[run] / elastic[2], 1, 0.002);
        CHECK(rise[run] < 1e-4 * elastic[run]);
    }
}

TEST(rods_with_other_parents_of_their_points_make_no_bundle) {
    sn_world_def world_def = sn_world_def_default();
    sn_world *world;
    CHECK_INT(sn_world_create(&world_def, &world), SN_OK);
    static const int parents[] = {-1, 0, 1, 1};
    sn_body rods[2];
    for (int i = 0; i < 2; i++) {
        const sn_vec3 p[4] = {{0, 0, (sn_real)i}, {1, 0, (sn_real)i}, {2, 0, (sn_real)i}, {2, 1, (sn_real)i}};
        sn_rod_def def = sn_rod_def_default();
        def.points = p, def.point_count = 4, def.parents = i ? parents : NULL;
        CHECK_INT(sn_rod_create(world, &def, &rods[i]), SN_OK);
    }
    sn_bundle_def def = sn_bundle_def_default();
    sn_bundle bundle;
    def.rods = rods, def.rod_count = 2;
    CHECK_INT(sn_bundle_create(world, &def, &bundle), SN_ERR_DEF);
    sn_world_destroy(world);
}

TEST(branched_bundles_hold_their_shape) {
    sn_world_def world_def = sn_world_def_default();
    world_def.gravity = (sn_vec3){0, -2, 0};
    sn_world *world;
    CHECK_INT(sn_world_create(&world_def, &world), SN_OK);
    CHECK_INT(sn_world_set_energy_check(world, true), SN_OK);
    static const int parents[] = {-1, 0, 1, 1, 3};
    sn_body rods[4];
    for (int i = 0; i < 4; i++) {
        const sn_real y = (sn_real)(0.05 * (i / 2)), z = (sn_real)(0.05 * (i % 2));
        const sn_vec3 p[5] = {{0, y, z}, {0.2f, y, z}, {0.4f, y, z}, {0.3f, 0.15f + y, z}, {0.3f, 0.35f + y, z}};
        sn_rod_def def = sn_rod_def_default();
        def.points = p, def.point_count = 5, def.parents = parents, def.radius = (sn_real)0.02;
        def.material = sn_material_make((sn_real)2e5, (sn_real)0.45, 1000);
        def.material.damping = 3;
        CHECK_INT(sn_rod_create(world, &def, &rods[i]), SN_OK);
        CHECK_INT(sn_rod_hold(world, rods[i], 0, SN_HOLD_CENTRE), SN_OK);
    }
    sn_bundle_def def = sn_bundle_def_default();
    sn_bundle bundle;
    def.rods = rods, def.rod_count = 4;
    CHECK_INT(sn_bundle_create(world, &def, &bundle), SN_OK);
    for (int i = 0; i < 300; i++) CHECK_INT(sn_world_step(world, (sn_real)(1.0 / 60), 0), SN_OK);
    sn_vec3 a[5], b[5];
    sn_body_get_points(world, rods[0], a, 5);
    sn_body_get_points(world, rods[3], b, 5);
    for (int k = 0; k < 5; k++)
        CHECK_NEAR(hypot((double)(a[k].y - b[k].y), hypot((double)(a[k].x - b[k].x), (double)(a[k].z - b[k].z))),
                   0.05 * sqrt(2), 1e-3);
    CHECK(a[2].y < -0.01 && a[2].y > -0.2);
    sn_world_destroy(world);
}
