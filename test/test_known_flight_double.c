// The same in double precision, and angular momentum.
#include "test_known_flight.c"

// How much angular momentum is lost in a quarter of a second, as a part of what there was.
static double angular_drift(sn_solver solver, int iterations, int count) {
    sn_world *world = world_with(0);
    thrown(world);
    sn_world_set_solver(world, solver, iterations);
    sn_momentum start = sn_world_momentum(world);
    steps(world, 0.25 / count, count);
    sn_momentum end = sn_world_momentum(world);
    sn_world_destroy(world);
    double lost = 0, size = 0;
    for (int k = 0; k < 3; k++) {
        lost += (end.angular[k] - start.angular[k]) * (end.angular[k] - start.angular[k]);
        size += start.angular[k] * start.angular[k];
    }
    return sqrt(lost / size);
}

// Row 21: implicit Euler loses angular momentum, in proportion to the step.
TEST(angular_momentum_is_kept_in_the_limit_of_small_steps) {
    static const struct {
        sn_solver solver;
        int iterations;
    } way[3] = {{SN_SOLVER_DIRECT, 2}, {SN_SOLVER_XPBD, 4}, {SN_SOLVER_JACOBI, 4}};
    for (int k = 0; k < 3; k++) {
        double coarse = angular_drift(way[k].solver, way[k].iterations, 1000);
        double fine = angular_drift(way[k].solver, way[k].iterations, 2000);
        CHECK(coarse < 0.01);
        CHECK_NEAR(coarse / fine, 2, 0.2);
    }
}
