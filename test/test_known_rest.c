// Rods at rest: known answers of beam theory with 64 segments, the direct solver and one iteration a step of 1/60 s.
// Damping brings the rods to rest; where they rest does not depend on it.
#include "known.h"

#define GRAVITY 9.81
#define STEP    (1.0 / 60)

// A clamped rod of length 1 m and radius 0.01 m along x.
static sn_body cantilever(sn_world *world, double young, int segments, double damping) {
    sn_vec3 points[MOST_POINTS];
    line(points, segments + 1, vec(0, 0, 0), vec(1, 0, 0));
    sn_rod_def def = sn_rod_def_default();
    def.points = points;
    def.point_count = segments + 1;
    def.radius = (sn_real)0.01;
    def.clamp_first = true;
    def.material = stuff(young, 1000);
    def.material.damping = (sn_real)damping;
    return add_rod(world, &def);
}

// Young's modulus for which the weight number wL^3/EI = 4 rho g L^3 / (E r^2) of that rod is 'weight'.
static double young_for(double weight) {
    return 4 * 1000 * GRAVITY / (weight * 1e-4);
}

// Row 1: wL^3/EI = 0.1: y/L = 0.012498 (0.1/8 to first order), to 5e-4 of it.
TEST(small_sag_of_a_cantilever_is_an_eighth_of_its_weight_number) {
    sn_world *world = world_with(-GRAVITY);
    sn_body rod = cantilever(world, young_for(0.1), SEGMENTS, 5);
    steps(world, STEP, 600);
    double sag = -(double)tip_of(world, rod).y;
    CHECK_NEAR(sag, 0.012498, 5e-4 * 0.012498);
    CHECK_NEAR(elastica(0.1, 0).y, 0.012498, 5e-7);
    sn_world_destroy(world);
}

// Row 2: the tip of the heavy elastica.
TEST(large_sag_of_a_cantilever_is_the_heavy_elastica) {
    static const double weight[3] = {1, 5, 15}, x[3] = {.99125, .84666, .52957}, y[3] = {.12347, .49591, .78604};
    sn_world *world = world_with(-GRAVITY);
    sn_body rod[3];
    for (int k = 0; k < 3; k++) rod[k] = cantilever(world, young_for(weight[k]), SEGMENTS, 5);
    steps(world, STEP, 600);
    for (int k = 0; k < 3; k++) {
        sn_vec3 tip = tip_of(world, rod[k]);
        CHECK_NEAR(tip.x, x[k], 1e-3);
        CHECK_NEAR(-tip.y, y[k], 1e-3);
        CHECK_NEAR(elastica(weight[k], 0).x, x[k], 1e-5);
        CHECK_NEAR(elastica(weight[k], 0).y, y[k], 1e-5);
    }
    sn_world_destroy(world);
}

// Row 3: the tip of the elastica with a dead load P at its end, for PL^2/EI = 1 and 5.
TEST(tip_load_bends_a_cantilever_to_the_elastica) {
    static const double load[2] = {1, 5}, x[2] = {.94357, .61237}, y[2] = {.30172, .71379};
    sn_world *world = world_with(0);
    sn_body rod[2];
    for (int k = 0; k < 2; k++) {
        rod[k] = cantilever(world, 1e8, SEGMENTS, 10);
        double ei = 0.25 * PI * 1e-8 * 1e8;
        CHECK_INT(sn_rod_set_force(world, rod[k], SEGMENTS, vec(0, -load[k] * ei, 0)), SN_OK);
    }
    steps(world, STEP, 600);
    for (int k = 0; k < 2; k++) {
        sn_vec3 tip = tip_of(world, rod[k]);
        CHECK_NEAR(tip.x, x[k], 1e-3);
        CHECK_NEAR(-tip.y, y[k], 1e-3);
        CHECK_NEAR(elastica(0, load[k]).x, x[k], 1e-5);
        CHECK_NEAR(elastica(0, load[k]).y, y[k], 1e-5);
    }
    sn_world_destroy(world);
}

// The reference rod (E = 1e8, weight number 3.924) after thirty seconds without any damping but that of implicit Euler,
// one iteration a step of 1/60 s: within 1e-3 L of the elastica.
TEST(the_reference_rod_sags_to_the_elastica_with_one_iteration_a_step) {
    sn_world *world = world_with(-GRAVITY);
    sn_body rod = cantilever(world, 1e8, SEGMENTS, 0);
    steps(world, STEP, 1800);
    sn_vec3 tip = tip_of(world, rod);
    elastica_tip exact = elastica(3.924, 0);
    CHECK_NEAR(exact.y, 0.41920, 1e-5);
    CHECK_NEAR(tip.x, exact.x, 1e-3);
    CHECK_NEAR(-tip.y, exact.y, 1e-3);
    CHECK_NEAR(tip.z, 0, 1e-3);
    CHECK_NEAR(sn_rod_length(world, rod), 1, 1e-3);
    sn_world_destroy(world);
}

// Stiffness is a property of the rod, not of the solver: tip and length of the reference rod at rest change by less
// than 2 % over h = 1/30 ... 1/240 and 1 ... 10 iterations.
TEST(sag_of_a_cantilever_does_not_depend_on_step_or_iterations) { // once
    static const int rate[7] = {30, 30, 60, 60, 120, 240, 240}, iterations[7] = {1, 10, 1, 3, 1, 1, 10};
    double first_tip = 0, first_length = 0;
    for (int k = 0; k < 7; k++) {
        sn_world *world = world_with(-GRAVITY);
        sn_body rod = cantilever(world, 1e8, SEGMENTS, 8);
        sn_world_set_solver(world, SN_SOLVER_DIRECT, iterations[k]);
        steps(world, 1.0 / rate[k], 3 * rate[k]);
        double tip = (double)tip_of(world, rod).y, length = sn_rod_length(world, rod);
        if (k == 0) first_tip = tip, first_length = length;
        CHECK_NEAR(tip, first_tip, 0.02 * fabs(first_tip));
        CHECK_NEAR(length, first_length, 0.02 * first_length);
        sn_world_destroy(world);
    }
}

// Row 13: a thread of length 1 hung by its ends: the catenary's sag for spans of 0.5 and 0.8, to 1e-3. It starts as a
// V. It is so thin that its bending stiffness does not show: EI/wL^3 = 3e-5.
TEST(a_thread_hangs_as_a_catenary) {
    static const double span[2] = {.5, .8}, sag[2] = {.398194, .265438};
    sn_world *world = world_with(-GRAVITY);
    sn_body rod[2];
    for (int k = 0; k < 2; k++) {
        sn_vec3 points[SEGMENTS + 1], straight[SEGMENTS + 1];
        double half = 0.5 * span[k], depth = sqrt(0.25 - half * half);
        line(points, SEGMENTS / 2 + 1, vec(0, 0, 0), vec(half, -depth, 0));
        line(points + SEGMENTS / 2, SEGMENTS / 2 + 1, vec(half, -depth, 0), vec(span[k], 0, 0));
        line(straight, SEGMENTS + 1, vec(0, 0, 0), vec(1, 0, 0));
        sn_rod_def def = sn_rod_def_default();
        def.points = points;
        def.rest_points = straight;
        def.point_count = SEGMENTS + 1;
        def.radius = (sn_real)2e-4;
        def.material = stuff(3e7, 1000);
        def.material.damping = 5;
        rod[k] = add_rod(world, &def);
        sn_rod_hold(world, rod[k], 0, SN_HOLD_CENTRE);
        sn_rod_hold(world, rod[k], SEGMENTS, SN_HOLD_CENTRE);
    }
    steps(world, STEP, 600);
    for (int k = 0; k < 2; k++) {
        CHECK_NEAR(-point_of(world, rod[k], SEGMENTS / 2).y, sag[k], 1e-3);
        CHECK_NEAR(point_of(world, rod[k], SEGMENTS / 2).x, 0.5 * span[k], 1e-3);
    }
    sn_world_destroy(world);
}
