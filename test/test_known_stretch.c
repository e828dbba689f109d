// A stretched rod thins as its volume asks: known answers for one uniform rod of 64 segments with the direct solver,
// one iteration a step of 1/60 s. kz = 1e5, K = kx + ky = 6.667e4, r = 0.02.
#include "known.h"

#define RADIUS 0.02
#define AREA   (PI * RADIUS * RADIUS)
#define KZ     1e5
#define K      6.667e4

// A rod of length 1 along x, held at point 0.
static bench straight(double volume) {
    sn_vec3 points[SEGMENTS + 1];
    line(points, SEGMENTS + 1, vec(0, 0, 0), vec(1, 0, 0));
    bench b = {world_with(0), {0}, SEGMENTS + 1};
    sn_rod_def def = sn_rod_def_default();
    def.points = points;
    def.point_count = SEGMENTS + 1;
    def.radius = (sn_real)RADIUS;
    def.material = stuff(KZ, 1000);
    def.material.shear = (sn_real)(0.5 * K);
    def.material.volume = (sn_real)volume;
    def.material.damping = 20;
    b.rod = add_rod(b.world, &def);
    sn_rod_hold(b.world, b.rod, 0, SN_HOLD_CENTRE);
    return b;
}

// Draws the far end to 'stretch' within four seconds, and waits for another two.
static bench stretched(double stretch, double volume, int iterations) {
    bench b = straight(volume);
    sn_world_set_solver(b.world, SN_SOLVER_DIRECT, iterations);
    sn_rod_hold(b.world, b.rod, SEGMENTS, SN_HOLD_CENTRE);
    for (int k = 1; k <= 240; k++) {
        sn_rod_move_centre(b.world, b.rod, SEGMENTS, vec(1 + (stretch - 1) * k / 240, 0, 0));
        steps(b.world, 1.0 / 60, 1);
    }
    steps(b.world, 1.0 / 60, 120);
    return b;
}

// Draws with a force that grows within a second, and waits for another four.
static bench drawn(double force, double volume) {
    bench b = straight(volume);
    for (int k = 1; k <= 60; k++) {
        sn_rod_set_force(b.world, b.rod, SEGMENTS, vec(force * k / 60, 0, 0));
        steps(b.world, 1.0 / 60, 1);
    }
    steps(b.world, 1.0 / 60, 240);
    return b;
}

// The scale that minimises the energy of a rod stretched by 'stretch': 2K(s-1) + 4 kv stretch s (stretch s^2 - 1) = 0.
static double thinned(double stretch, double volume) {
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        double s = 0.5 * (low + high);
        if (2 * K * (s - 1) + 4 * volume * stretch * s * (stretch * s * s - 1) < 0)
            low = s;
        else
            high = s;
    }
    return low;
}

// Row 10: s = stretch^-1/2 and F = pi r^2 [kz (stretch - 1) + K/2 (stretch^-1.5 - stretch^-2)] for an incompressible
// rod; 67.02 N at 1.5. Here kv = 1000 K. To 1e-3.
TEST(an_incompressible_rod_is_stretched_by_the_known_force) {
    static const double stretch[3] = {1.2, 1.5, 2};
    for (int k = 0; k < 3; k++) {
        double t = stretch[k], force = AREA * (KZ * (t - 1) + 0.5 * K * (pow(t, -1.5) - pow(t, -2)));
        if (k == 1) CHECK_NEAR(force, 67.02, 0.01);
        bench b = drawn(force, 1000 * K);
        double found = (double)tip_of(b.world, b.rod).x, s = scale_of(b.world, b.rod, SEGMENTS / 2);
        CHECK_NEAR(found, t, 1e-3 * (t - 1));
        CHECK_NEAR(s, 1 / sqrt(t), 1e-3 * s);
        sn_world_destroy(b.world);
    }
}

// Row 11: with kv = 10 K, stretched to 2: s = 0.71070, V/V0 = 1.01018. To 1e-5, at every point.
TEST(a_stretched_rod_thins_as_its_finite_volume_stiffness_asks) {
    bench b = stretched(2, 10 * K, 1);
    CHECK_NEAR(thinned(2, 10 * K), 0.71070, 5e-6);
    for (int i = 0; i <= SEGMENTS; i++) CHECK_NEAR(scale_of(b.world, b.rod, i), thinned(2, 10 * K), 1e-5);
    double ratio = sn_body_volume(b.world, b.rod) / sn_body_rest_volume(b.world, b.rod);
    CHECK_NEAR(ratio, 1.01018, 1e-5);
    sn_world_destroy(b.world);
}

// Stretched to 2, a rod with kv = 1000 K and more keeps its volume within 0.2 %. The stiffest gets three iterations.
TEST(a_rod_of_stiff_volume_keeps_it_when_stretched_to_twice_its_length) {
    static const double stiff[3] = {1e3, 1e4, 1e5};
    for (int k = 0; k < 3; k++) {
        bench b = stretched(2, stiff[k] * K, k < 2 ? 1 : 3);
        CHECK_NEAR(sn_body_volume(b.world, b.rod) / sn_body_rest_volume(b.world, b.rod), 1, 2e-3);
        sn_world_destroy(b.world);
    }
}

// A rod that is much softer in shear than in stretch is drawn out all the same: its frames stay along it. (If stretch
// were measured along the frames, tilting them would pay as soon as kz (stretch - 1) > k_transverse stretch.)
TEST(frames_stay_along_a_rod_that_is_soft_in_shear) {
    sn_vec3 points[SEGMENTS + 1];
    sn_quat frame[SEGMENTS + 1];
    line(points, SEGMENTS + 1, vec(0, 0, 0), vec(1, 0.001, 0));
    sn_world *world = world_with(0);
    sn_rod_def def = sn_rod_def_default();
    def.points = points;
    def.point_count = SEGMENTS + 1;
    def.radius = (sn_real)RADIUS;
    def.material = sn_material_make((sn_real)KZ, (sn_real)0.45, 1000);
    def.material.transverse = (sn_real)(0.1 * KZ);
    sn_body rod = add_rod(world, &def);
    sn_rod_hold(world, rod, 0, SN_HOLD_CENTRE);
    sn_rod_hold(world, rod, SEGMENTS, SN_HOLD_CENTRE);
    for (int k = 1; k <= 120; k++) {
        sn_rod_move_centre(world, rod, SEGMENTS, vec(1 + k / 120.0, 0.001, 0));
        steps(world, 1.0 / 60, 1);
    }
    steps(world, 1.0 / 60, 60);
    sn_rod_get_frames(world, rod, frame, SEGMENTS + 1);
    for (int i = 1; i <= SEGMENTS; i++) {
        double along = 2 * ((double)frame[i].x * (double)frame[i].z + (double)frame[i].w * (double)frame[i].y);
        CHECK_NEAR(along, 1, 1e-4); // the frame's third axis, along x
    }
    CHECK_NEAR(sn_rod_length(world, rod), 2, 1e-4);
    sn_world_destroy(world);
}

// A jerk of 1 m/s at one end, more than a segment's length a step, with volumes up to 1e5 times as stiff as the
// section: one iteration a step gets through it, and the rod ends at its known scale.
TEST(a_jerk_at_the_end_of_a_rod_of_stiff_volume_dies_out) {
    static const double stiff[3] = {1e3, 1e4, 1e5};
    for (int k = 0; k < 3; k++) {
        bench b = straight(stiff[k] * K);
        sn_rod_hold(b.world, b.rod, SEGMENTS, SN_HOLD_CENTRE);
        for (int n = 1; n <= 60; n++) {
            sn_rod_move_centre(b.world, b.rod, SEGMENTS, vec(1 + n / 60.0, 0, 0));
            steps(b.world, 1.0 / 60, 1);
        }
        steps(b.world, 1.0 / 60, 120);
        CHECK_NEAR(scale_of(b.world, b.rod, SEGMENTS / 2), thinned(2, stiff[k] * K), 1e-4);
        CHECK_NEAR(sn_rod_length(b.world, b.rod), 2, 1e-3);
        sn_world_destroy(b.world);
    }
}
