// A bundle is one body in the common solve: its stiffness is that of a beam of its fibres and of nothing else, and what is done to
// it comes back.
#include "sinew/sinew.h"
#include "test.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
