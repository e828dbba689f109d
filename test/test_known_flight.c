// Free flight: what no force acts on keeps its momentum, and what falls falls as implicit Euler does.
#include "known.h"

enum { FLIERS = 17 };

#ifdef SN_DOUBLE
#define MOMENTUM 1e-12
#else
#define MOMENTUM 1e-5
#endif

// A soft rod, curved and of varying radius, whose points are thrown in all directions.
static sn_body thrown(sn_world *world) {
    sn_vec3 points[FLIERS], velocity[FLIERS];
    sn_real radii[FLIERS];
    for (int i = 0; i < FLIERS; i++) {
        double t = (double)i / (FLIERS - 1);
        points[i] = vec(t, 0.3 * sin(4 * t), 0.2 * cos(3 * t));
        velocity[i] = vec(1 + sin(5 * t), 2 * cos(7 * t), -1 + sin(9 * t + 1));
        radii[i] = (sn_real)(0.03 + 0.01 * cos(8 * t));
    }
    sn_rod_def def = sn_rod_def_default();
    def.points = points;
    def.point_count = FLIERS;
    def.radii = radii;
    def.material = sn_material_make(1e5, (sn_real)0.45, 1000);
    def.material.damping = 0;
    sn_body rod = add_rod(world, &def);
    sn_rod_set_velocities(world, rod, velocity, FLIERS);
    return rod;
}

// Row 21: linear momentum is kept to rounding by every solver, however few its iterations. A velocity is a difference
// of positions over the step, so its rounding is that of the positions; the flight stays within a metre of the origin.
static void check_linear(sn_solver solver, int iterations) {
    sn_world *world = world_with(0);
    thrown(world);
    sn_world_set_solver(world, solver, iterations);
    sn_momentum start = sn_world_momentum(world);
    double size =
        sqrt(start.linear[0] * start.linear[0] + start.linear[1] * start.linear[1] + start.linear[2] * start.linear[2]);
    steps(world, 1.0 / 60, 30);
    sn_momentum end = sn_world_momentum(world);
    for (int k = 0; k < 3; k++) CHECK_NEAR(end.linear[k], start.linear[k], MOMENTUM * size);
    sn_world_destroy(world);
}

TEST(linear_momentum_is_kept_by_the_direct_solver) {
    check_linear(SN_SOLVER_DIRECT, 1);
    check_linear(SN_SOLVER_DIRECT, 4);
}

TEST(linear_momentum_is_kept_by_xpbd) {
    check_linear(SN_SOLVER_XPBD, 1);
    check_linear(SN_SOLVER_XPBD, 3);
}

TEST(linear_momentum_is_kept_by_jacobi) {
    check_linear(SN_SOLVER_JACOBI, 1);
    check_linear(SN_SOLVER_JACOBI, 4);
}

// Row 22: after n steps of h everything has come down by g h^2 n (n + 1) / 2.
TEST(a_dropped_rod_falls_as_implicit_euler_does) {
    enum { STEPS = 60 };
    const double h = 1.0 / 60;
    for (int solver = SN_SOLVER_DIRECT; solver <= SN_SOLVER_JACOBI; solver++) {
        sn_vec3 points[FLIERS], at[FLIERS];
        for (int i = 0; i < FLIERS; i++) points[i] = vec(0.05 * i, 0.1 * sin(0.4 * i), 0.1 * cos(0.3 * i));
        sn_world *world = world_with(-9.81);
        sn_rod_def def = sn_rod_def_default();
        def.points = points;
        def.point_count = FLIERS;
        def.material = sn_material_make(1e6, (sn_real)0.45, 1000);
        def.material.damping = 0;
        sn_body rod = add_rod(world, &def);
        sn_world_set_solver(world, (sn_solver)solver, 2);
        steps(world, h, STEPS);
        sn_body_get_points(world, rod, at, FLIERS);
        double fall = 9.81 * h * h * STEPS * (STEPS + 1) / 2;
        for (int i = 0; i < FLIERS; i++) {
            CHECK_NEAR(points[i].y - at[i].y, fall, MOMENTUM * fall);
            CHECK_NEAR(at[i].x, points[i].x, MOMENTUM);
            CHECK_NEAR(at[i].z, points[i].z, MOMENTUM);
        }
        sn_world_destroy(world);
    }
}
