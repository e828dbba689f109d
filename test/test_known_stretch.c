// A stretched rod thins as its volume asks: known answers for one uniform rod of 64 segments with the direct solver, one iteration a
// step of 1/60 s. kz = 1e5, K = kx + ky = 6.667e4, r = 0.02.
#include "known.h"

#define RADIUS 0.02
#define AREA   (PI * RADIUS * RADIUS)
#define KZ     1e5
#define K      6.667e4

// A rod of length 1 along x, held at point 0.
static bench straight(double volume) {
    sn_vec3 points[SEGMENTS + 1];
    line(points, SEGMENTS + 1, vec(0, 0, 0), vec(1, 0, 0));
    bench b = {world_with(0), {0, 0}, SEGMENTS + 1};
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
    for (int k = 1; k <= 240; ++k) {
        sn_rod_move_centre(b.world, b.rod, SEGMENTS, vec(1 + (stretch - 1) * k / 240, 0, 0));
        steps(b.world, 1.0 / 60, 1);
    }
    steps(b.world, 1.0 / 60, 120);
    return b;
}

// Draws with a force that grows within a second, and waits for another four.
static bench drawn(double force, double volume) {
    bench b = straight(volume);
    for (int k = 1; k <= 60; ++k) {
        sn_rod_set_force(b.world, b.rod, SEGMENTS, vec(force * k / 60, 0, 0));
        steps(b.world, 1.0 / 60, 1);
    }
    steps(b.world, 1.0 / 60, 240);
    return b;
}

// The scale that minimises the energy of a rod stretched by 'stretch': 2K(s-1) + 4 kv stretch s (stretch s^2 - 1) = 0.
static double thinned(double stretch, double volume) {
    double low = 0, high = 1;
    for (int i = 0; i < 60; ++i) {
        double s = 0.5 * (low + high);
        if (2 * K * (s - 1) + 4 * volume * stretch * s * (stretch * s * s - 1) < 0)
            low = s;
        else
            high = s;
    }
    return low;
}

// Row 10: s = stretch^-1/2 and F = pi r^2 [kz (stretch - 1) + K/2 (stretch^-1.5 - stretch^-2)] for an incompressible rod; 67.02 N at
// 1.5. Here kv = 1000 K. To 1e-3.
TEST(an_incompressible_rod_is_stretched_by_the_known_force) {
    static const double stretch[3] = {1.2, 1.5, 2};
    for (int k = 0; k < 3; ++k) {
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
    for (int i = 0; i <= SEGMENTS; ++i) CHECK_NEAR(scale_of(b.world, b.rod, i), thinned(2, 10 * K), 1e-5);
    double ratio = sn_rod_volume(b.world, b.rod) / sn_rod_rest_volume(b.world, b.rod);
    CHECK_NEAR(ratio, 1.01018, 1e-5);
    sn_world_destroy(b.world);
}

// Stretched to 2, a rod with kv = 1000 K and more keeps its volume within 0.2 %. The stiffest gets three iterations.
TEST(a_rod_of_stiff_volume_keeps_it_when_stretched_to_twice_its_length) {
    static const double stiff[3] = {1e3, 1e4, 1e5};
    for (int k = 0; k < 3; ++k) {
        bench b = stretched(2, stiff[k] * K, k < 2 ? 1 : 3);
        CHECK_NEAR(sn_rod_volume(b.world, b.rod) / sn_rod_rest_volume(b.world, b.rod), 1, 2e-3);
        sn_world_destroy(b.world);
    }
}

#ifdef SN_DOUBLE
// Row 12: for small strains E_eff = kz + K kv / (K + 4 kv) and Poisson's ratio is 2 kv / (K + 4 kv). To 1e-5.
TEST(small_strains_have_the_effective_young_and_poisson) {
    static const double ratio[4] = {0, 0.25, 2, 100};
    for (int k = 0; k < 4; ++k) {
        double kv = ratio[k] * K, young = KZ + K * kv / (K + 4 * kv), poisson = 2 * kv / (K + 4 * kv), strain = 1e-6;
        bench b = drawn(strain * young * AREA, kv);
        double found = tip_of(b.world, b.rod).x - 1, thinner = 1 - scale_of(b.world, b.rod, SEGMENTS / 2);
        CHECK_NEAR(found, strain, 1e-5 * strain);
        CHECK_NEAR(thinner / found, poisson, 1e-5);
        sn_world_destroy(b.world);
    }
}
#endif
