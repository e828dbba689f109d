// The same in double precision, and the solvers against the energy.
#include "test_rod_energy.c"

// ---- the solvers against the energy

// dU/dx for one unknown of a block (0-2 centre, 3 scale, 4-6 frame), by differences of the fourth order.
static double slope_of(const sn_rod_body *body, const state *at, int block, int unknown) {
    static const double shift[4] = {-2, -1, 1, 2}, weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    const double d = unknown < 3 ? 1e-5 : 1e-4;
    double sum = 0;
    for (int n = 0; n < 4; n++) {
        state moved = *at;
        double t[3] = {0, 0, 0};
        if (unknown < 4)
            moved.x[block][unknown == 3 ? X_S : X_CX + unknown] += shift[n] * d;
        else {
            t[unknown - 4] = shift[n] * d;
            turn(moved.x[block] + X_QX, t);
        }
        sum += weight[n] * energy_of(body, &moved);
    }
    return sum / d;
}

// The largest part of a force that a step leaves over. A step x ends where M (x - xh) / h^2 = -dU/dx; for a frame the
// left side is s^2 I(R) 2 Im(q qh*) / h^2.
static void residual(const sn_world *world, sn_body rod, double h, double worst[3], double size[3]) {
    const sn_rod_body *body = body_of(world, rod);
    const sn_packet *packet = sn_rod_packet_of(sn_rods(world), body);
    state x = packet_state(world, body, packet->x), goal = packet_state(world, body, packet->xh);
    for (int k = 0; k < 3; k++) worst[k] = size[k] = 0;
    for (int i = 0; i < body->blocks; i++) {
        sn_real p[P_ROWS];
        sn_rod_block_params(body, i, p);
        const double *q = x.x[i] + X_QX, *g = goal.x[i] + X_QX;
        double inertia[7], m[3][3], t[3], mean = x.x[i][X_S];
        if (body->parent[i] >= 0) mean = 0.5 * (mean + x.x[body->parent[i]][X_S]);
        matrix_of(q, m);
        t[0] = 2 * (-q[3] * g[0] + q[0] * g[3] - q[1] * g[2] + q[2] * g[1]);
        t[1] = 2 * (-q[3] * g[1] + q[0] * g[2] + q[1] * g[3] - q[2] * g[0]);
        t[2] = 2 * (-q[3] * g[2] - q[0] * g[1] + q[1] * g[0] + q[2] * g[3]);
        double along = t[0] * m[0][2] + t[1] * m[1][2] + t[2] * m[2][2];
        for (int k = 0; k < 3; k++) {
            inertia[k] = p[P_MASS] * (x.x[i][k] - goal.x[i][k]) / (h * h);
            inertia[4 + k] =
                mean * mean / (h * h) * (p[P_INERTIA_T] * t[k] + (p[P_INERTIA_W] - p[P_INERTIA_T]) * along * m[k][2]);
        }
        for (int k = 0; k < 3; k++) // the load of torque, which is not in the prediction
            inertia[4 + k] -= *sn_rod_at(sn_rods(world), body, packet->load, V_ROWS, i, V_WX + k);
        inertia[3] = p[P_MASS_S] * (x.x[i][X_S] - goal.x[i][X_S]) / (h * h);
        for (int u = 0; u < 7; u++) {
            int kind = u < 3 ? 0 : u == 3 ? 1 : 2;
            sn_real mass = u < 3 ? p[P_MASS] : u == 3 ? p[P_MASS_S] : p[P_INERTIA_T];
            if (mass > SN_IS_HELD || (u > 3 && body->parent[i] < 0)) continue;
            double force = slope_of(body, &x, i, u);
            worst[kind] = fmax(worst[kind], fabs(inertia[u] + force));
            size[kind] = fmax(size[kind], fabs(force));
        }
    }
}

// Runs a body until it is well out of shape, with every kind of load, then solves one step to the end and looks at what
// is left.
static void check_stationary(shape kind, bool scale_bend, bool volume_in_bend, bool clamp_last) {
    const double h = 1.0 / 100;
    sn_material m = soft(scale_bend, volume_in_bend);
    sn_world *world = world_with(-9.81);
    sn_body rod = make(world, kind, &m, clamp_last);
    int last = sn_body_point_count(world, rod) - 1;
    sn_rod_set_force(world, rod, last / 2, vec(0.3, 0.5, -0.4));
    sn_rod_set_torque(world, rod, last / 3, vec(0.01, -0.02, 0.01));
    sn_rod_set_radial_force(world, rod, last - 2, 0.02);
    sn_rod_set_segment(world, rod, 4, 1.5, 0.8);
    sn_world_set_solver(world, SN_SOLVER_DIRECT, 3);
    steps(world, h, 20);
    sn_world_set_solver(world, SN_SOLVER_DIRECT, 400);
    steps(world, h, 1);
    double worst[3], size[3];
    residual(world, rod, h, worst, size);
    for (int k = 0; k < 3; k++) CHECK_NEAR(worst[k], 0, 1e-7 * size[k]);
    sn_world_destroy(world);
}

TEST(a_solved_step_of_a_chain_is_stationary) {
    for (int n = 0; n < 8; n++) check_stationary(CHAIN, n & 1, n & 2, n & 4);
}

TEST(a_solved_step_of_a_tree_is_stationary) {
    for (int n = 0; n < 8; n++) check_stationary(TREE, n & 1, n & 2, n & 4);
}

TEST(a_solved_step_of_a_loop_is_stationary) {
    for (int n = 0; n < 4; n++) check_stationary(LOOP, n & 1, n & 2, false);
}

TEST(a_solved_step_of_a_loop_with_branches_is_stationary) {
    for (int n = 0; n < 4; n++) check_stationary(LOOP_WITH_BRANCHES, n & 1, n & 2, false);
}

// The largest distance between the points of two rods.
static double apart(const sn_world *a, sn_body body_a, const sn_world *b, sn_body body_b) {
    sn_vec3 p[MOST_POINTS], q[MOST_POINTS];
    int n = sn_body_get_points(a, body_a, p, MOST_POINTS);
    CHECK_INT(sn_body_get_points(b, body_b, q, MOST_POINTS), n);
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, sqrt(sn_length2(sn_sub(p[i], q[i]))));
    return most;
}

// The path for loops and scale bending solves the same equations as the plain one: a trace of scale bending chooses it.
TEST(both_paths_of_the_direct_solver_agree) {
    for (int kind = CHAIN; kind <= TREE; kind++) {
        sn_material plain = soft(false, false), general = plain;
        general.scale_bend = 1e-9;
        sn_world *a = world_with(-9.81), *b = world_with(-9.81);
        sn_body body_a = make(a, (shape)kind, &plain, true), body_b = make(b, (shape)kind, &general, true);
        sn_world_set_solver(a, SN_SOLVER_DIRECT, 2);
        sn_world_set_solver(b, SN_SOLVER_DIRECT, 2);
        steps(a, 1.0 / 60, 50);
        steps(b, 1.0 / 60, 50);
        CHECK(sn_length2(sn_sub(point_of(a, body_a, 8), point_of(b, body_b, 8))) < 1e-18);
        CHECK_NEAR(apart(a, body_a, b, body_b), 0, 1e-9);
        sn_world_destroy(a);
        sn_world_destroy(b);
    }
}

// A copy of a world that solves with other iterations.
static sn_world *copy_with(const sn_world *world, sn_solver solver, int iterations) {
    static unsigned char bytes[1 << 18];
    size_t size = sn_world_save(world, bytes, sizeof bytes);
    sn_world_def def = sn_world_def_default();
    sn_world *copy = NULL;
    CHECK(size <= sizeof bytes);
    CHECK_INT(sn_world_restore(&def, bytes, size, &copy), SN_OK);
    CHECK_INT(sn_world_set_solver(copy, solver, iterations), SN_OK);
    return copy;
}

// The falling reference rod (64 segments, E = 1e8, kv = 10 E, h = 1/60, tip at up to 3 m/s): how far a step is from the
// converged one after 1, 2 and 3 iterations, as a part of its length. The first step from rest comes to 1e-5, 1e-8,
// 1e-12; in full swing the worst are 7e-4, 1.4e-6, 4e-9. Each iteration gains far more than a decimal.
TEST(newton_converges_fast_on_a_stiff_cantilever) {
    sn_vec3 points[SEGMENTS + 1];
    line(points, SEGMENTS + 1, vec(0, 0, 0), vec(1, 0, 0));
    sn_world *world = world_with(-9.81);
    sn_rod_def def = sn_rod_def_default();
    def.points = points;
    def.point_count = SEGMENTS + 1;
    def.clamp_first = true;
    def.material = stuff(1e8, 1000);
    def.material.volume = 1e9;
    sn_body rod = add_rod(world, &def);
    double worst[3] = {0, 0, 0}, first[3] = {0, 0, 0}, sum = 0;
    for (int k = 0; k < 20; k++) {
        sn_world *exact = copy_with(world, SN_SOLVER_DIRECT, 20);
        steps(exact, 1.0 / 60, 1);
        for (int n = 0; n < 3; n++) {
            sn_world *other = copy_with(world, SN_SOLVER_DIRECT, n + 1);
            steps(other, 1.0 / 60, 1);
            double error = apart(exact, rod, other, rod);
            worst[n] = fmax(worst[n], error);
            if (k == 0) first[n] = error;
            if (n == 0) sum += error;
            sn_world_destroy(other);
        }
        sn_world_destroy(exact);
        steps(world, 1.0 / 60, 2);
    }
    CHECK(first[0] < 1.2e-4 && first[1] < 1.8e-6 && first[2] < 1e-8);
    CHECK(sum / 20 < 2.4e-4);
    CHECK(worst[0] < 1e-3);
    CHECK(worst[1] < 0.1 * worst[0] && worst[1] < 1e-5);
    CHECK(worst[2] < 0.1 * worst[1] && worst[2] < 1e-7);
    sn_world_destroy(world);
}

// XPBD and Jacobi with many iterations come to the same step as the direct solver, for a soft rod.
TEST(iterative_solvers_converge_to_the_direct_solution) {
    enum { N = 9 };
    sn_vec3 points[N];
    line(points, N, vec(0, 0, 0), vec(0.8, 0, 0.1));
    sn_world *world = world_with(-9.81);
    sn_rod_def def = sn_rod_def_default();
    def.points = points;
    def.point_count = N;
    def.radius = 0.05;
    def.clamp_first = true;
    def.material = sn_material_make(3e4, (sn_real)0.3, 1000);
    sn_body rod = add_rod(world, &def);
    for (int k = 0; k < 5; k++) {
        steps(world, 1.0 / 100, 4);
        sn_world *direct = copy_with(world, SN_SOLVER_DIRECT, 20), *xpbd = copy_with(world, SN_SOLVER_XPBD, 1000);
        sn_world *jacobi = copy_with(world, SN_SOLVER_JACOBI, 1000);
        steps(direct, 1.0 / 100, 1);
        steps(xpbd, 1.0 / 100, 1);
        steps(jacobi, 1.0 / 100, 1);
        CHECK_NEAR(apart(direct, rod, xpbd, rod), 0, 1e-4);
        CHECK_NEAR(apart(direct, rod, jacobi, rod), 0, 1e-4);
        sn_world_destroy(direct);
        sn_world_destroy(xpbd);
        sn_world_destroy(jacobi);
    }
    sn_world_destroy(world);
}
