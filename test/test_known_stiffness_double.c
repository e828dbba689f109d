// The same in double precision, and orders of convergence.
#include "test_known_stiffness.c"

// A clamped rod along x under its weight, wL^3/EI = 5.
static sn_body cantilever(sn_world *world, int segments, double damping) {
    sn_vec3 points[MOST_POINTS];
    line(points, segments + 1, vec(0, 0, 0), vec(1, 0, 0));
    sn_rod_def def = sn_rod_def_default();
    def.points = points;
    def.point_count = segments + 1;
    def.radius = 1e-3;
    def.clamp_first = true;
    def.material = stuff(4 * 1000 * 9.81 / (5 * 1e-6), 1000);
    def.material.damping = damping;
    return add_rod(world, &def);
}

// The error of the tip at rest, against the elastica.
static double error_with(int segments) {
    sn_world *world = world_with(-9.81);
    sn_body rod = cantilever(world, segments, 5);
    steps(world, 0.05, 400);
    elastica_tip exact = elastica(5, 0);
    sn_vec3 tip = tip_of(world, rod);
    sn_world_destroy(world);
    return hypot(tip.x - exact.x, -tip.y - exact.y);
}

TEST(error_falls_with_the_square_of_the_segment_length) {
    double coarse = error_with(8), middle = error_with(16), fine = error_with(32);
    CHECK_NEAR(log2(coarse / middle), 2, 0.1);
    CHECK_NEAR(log2(middle / fine), 2, 0.1);
}

// Where the tip of the falling rod is after 0.4 s, with every step solved to the end.
static sn_vec3 tip_after(int count) {
    sn_world *world = world_with(-9.81);
    sn_body rod = cantilever(world, 8, 0);
    sn_world_set_solver(world, SN_SOLVER_DIRECT, 5);
    steps(world, 0.4 / count, count);
    sn_vec3 tip = tip_of(world, rod);
    sn_world_destroy(world);
    return tip;
}

TEST(error_falls_with_the_first_power_of_the_step) {
    sn_vec3 a = tip_after(400), b = tip_after(800), c = tip_after(1600);
    double coarse = hypot(a.x - b.x, a.y - b.y), fine = hypot(b.x - c.x, b.y - c.y);
    CHECK(coarse > 1e-6);
    CHECK_NEAR(log2(coarse / fine), 1, 0.05);
}
