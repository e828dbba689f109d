// Row 24: stiffness belongs to the body, not to the solver. A hanging rod gets longer by mg/k with any step and any
// number of iterations; errors fall with the second power of the segments' length and the first of the step.
#include "known.h"

// A rod of length 1 along -y held at its top. Its mass is lumped half and half to the ends of each segment, so that its
// tip comes down by rho g L^2 / 2E exactly, for any number of segments: the rod's half weight over its stiffness EA/L.
static sn_body hanging(sn_world *world, int segments, double young, double density) {
    sn_vec3 points[MOST_POINTS];
    line(points, segments + 1, vec(0, 0, 0), vec(0, -1, 0));
    sn_rod_def def = sn_rod_def_default();
    def.points = points;
    def.point_count = segments + 1;
    def.radius = (sn_real)0.05;
    def.material = stuff(young, density);
    def.material.damping = 10;
    sn_body rod = add_rod(world, &def);
    sn_rod_hold(world, rod, 0, SN_HOLD_CENTRE);
    return rod;
}

#ifdef SN_DOUBLE
#define EXACT 1e-9
#else
#define EXACT 1e-5
#endif

TEST(sag_is_weight_over_stiffness_for_every_step_and_iteration_count_of_the_direct_solver) {
    static const int rate[4] = {30, 240, 30, 120}, iterations[4] = {1, 1, 10, 3};
    for (int k = 0; k < 4; k++) {
        sn_world *world = world_with(-9.81);
        sn_body rod = hanging(world, SEGMENTS, 1e6, 1000);
        sn_world_set_solver(world, SN_SOLVER_DIRECT, iterations[k]);
        steps(world, 1.0 / rate[k], 3 * rate[k]);
        CHECK_NEAR(-1 - (double)tip_of(world, rod).y, 1000 * 9.81 / 2e6, EXACT);
        sn_world_destroy(world);
    }
}

// XPBD forgets its multipliers at each step: it needs enough iterations to build them up. For a short soft rod that is
// 50.
TEST(sag_is_weight_over_stiffness_for_every_step_and_enough_iterations_of_xpbd) {
    static const int rate[4] = {60, 60, 120, 240}, iterations[4] = {50, 200, 50, 50};
    for (int k = 0; k < 4; k++) {
        sn_world *world = world_with(-9.81);
        sn_body rod = hanging(world, 4, 1e5, 1000);
        sn_world_set_solver(world, SN_SOLVER_XPBD, iterations[k]);
        steps(world, 1.0 / rate[k], 2 * rate[k]);
        double sag = 1000 * 9.81 / 2e5;
        CHECK_NEAR(-1 - (double)tip_of(world, rod).y, sag, 1e-3 * sag);
        sn_world_destroy(world);
    }
}
