// Mass-spring bodies under explicit integrators: orders, stability, energy, momentum, and the same bits everywhere.
// compilers: all
#include "base/hash.h"
#include "kinds/spring/spring_body.h"
#include "kinds/spring/spring_implicit.h"
#include "kinds/spring/spring_integrators.h"
#include "kinds/spring/spring_topology.h"
#include "test.h"
#include <math.h>

#define WIDE (sizeof(sn_real) == 8)

static sn_memory memory;

static sn_spring_body *make(const sn_spring_def *def) {
    const char *what = NULL;
    int which = 0;
    sn_spring_body *body = NULL;
    CHECK_INT(sn_spring_body_create(&memory, def, &body, &what, &which), SN_OK);
    CHECK(what == NULL);
    return body;
}

// A mass of 1 kg on a spring of no rest length at the origin, drawn out to (1, 0, 0).
static sn_spring_body *oscillator(double frequency, double damping) {
    sn_memory_init(&memory, &(sn_allocator){0});
    const sn_vec3 points[2] = {{0, 0, 0}, {1, 0, 0}};
    const sn_real masses[2] = {0, 1};
    const sn_spring spring = {0, 1, (sn_real)(frequency * frequency), (sn_real)damping, 0};
    return make(
        &(sn_spring_def){.points = points, .masses = masses, .count = 2, .springs = &spring, .spring_count = 1});
}

enum { IMPLICIT = SN_SPRING_IMPLICIT_EULER };

static void step(sn_spring_body *body, int integrator, double h) {
    const sn_spring_solver solver = {
        .tolerance = WIDE ? (sn_real)1e-12 : (sn_real)1e-6, .iterations = 100, .exact = true};
    if (integrator == IMPLICIT)
        sn_spring_implicit_step(body, (sn_real)h, &solver, NULL);
    else
        sn_spring_step(body, (sn_spring_integrator)integrator, (sn_real)h, NULL);
}

static double energy(const sn_spring_body *body) {
    const sn_spring_totals account = sn_spring_measure(body, body->gravity);
    return account.kinetic + account.elastic;
}

static double energy_ratio(int integrator) {
    sn_spring_body *body = oscillator(1, 0);
    const double start = energy(body);
    for (int i = 0; i < 1000; i++) step(body, integrator, 0.1);
    const double ratio = energy(body) / start;
    sn_spring_body_destroy(body);
    return ratio;
}

TEST(energy_after_a_thousand_steps_is_the_known_one) {
    const double to = WIDE ? 1e-7 : 2e-4;
    CHECK_NEAR(energy_ratio(SN_SPRING_EXPLICIT_EULER) / 20959.156, 1, WIDE ? 1e-7 : 1e-3);
    CHECK_NEAR(energy_ratio(SN_SPRING_RUNGE_KUTTA_2), 1.0253148, to);
    CHECK_NEAR(energy_ratio(SN_SPRING_RUNGE_KUTTA_4), 0.99998613, to);
    CHECK_NEAR(energy_ratio(IMPLICIT) / 4.7712e-5, 1, WIDE ? 2e-5 : 1e-3);
    CHECK_NEAR(energy_ratio(SN_SPRING_SYMPLECTIC_EULER), 1, 0.06); // swings by w h / 2 and stays
    CHECK_NEAR(energy_ratio(SN_SPRING_VERLET), 1, 0.003);          // by (w h)^2 / 4
}

// The error at t = 1 of x = cos 2 t.
static double error_with(int integrator, int steps) {
    sn_spring_body *body = oscillator(2, 0);
    for (int i = 0; i < steps; i++) step(body, integrator, 1.0 / steps);
    const double error = fabs((double)sn_spring_point(body, 1).x - cos(2));
    sn_spring_body_destroy(body);
    return error;
}

static double order_of(int integrator, int steps) {
    return log2(error_with(integrator, steps) / error_with(integrator, 2 * steps));
}

TEST(orders_of_convergence) {
    CHECK_NEAR(order_of(SN_SPRING_EXPLICIT_EULER, 1024), 1, 0.05);
    CHECK_NEAR(order_of(SN_SPRING_SYMPLECTIC_EULER, 1024), 1, 0.05);
    CHECK_NEAR(order_of(SN_SPRING_RUNGE_KUTTA_2, 64), 2, 0.1);
    CHECK_NEAR(order_of(SN_SPRING_RUNGE_KUTTA_4, WIDE ? 64 : 8), 4, WIDE ? 0.1 : 0.4);
    CHECK_NEAR(order_of(SN_SPRING_VERLET, 64), 2, 0.1);
    CHECK_NEAR(order_of(IMPLICIT, 1024), 1, 0.05);
}

// Steps between h and 2 h up to t = 1: growing, or in no order.
static double varied_error(int integrator, int steps, bool growing) {
    sn_spring_body *body = oscillator(2, 0);
    double length[256], whole = 0;
    for (int i = 0; i < steps; i++)
        whole += length[i] = growing ? 1 + (double)i / steps : 1 + fmod(0.618034 * (i * i % 89), 1);
    for (int i = 0; i < steps; i++) step(body, integrator, length[i] / whole);
    const double error = fabs((double)sn_spring_point(body, 1).x - cos(2));
    sn_spring_body_destroy(body);
    return error;
}

TEST(corrected_verlet_keeps_its_order_when_the_step_varies) {
    for (int growing = 0; growing < 2; growing++) {
        const double coarse = varied_error(SN_SPRING_VERLET_CORRECTED, 32, growing);
        const double fine = varied_error(SN_SPRING_VERLET_CORRECTED, 128, growing);
        CHECK_NEAR(log2(coarse / fine) / 2, 2, 0.3);
        CHECK(fine < 2e-4);
    }
    CHECK(varied_error(SN_SPRING_VERLET, 128, true) > 0.1); // plain Verlet takes a longer step for a higher speed
}

TEST(verlet_runs_at_its_own_frequency) {
    // x_n = cos(n t) with sin(t / 2) = w h / 2, exactly.
    sn_spring_body *body = oscillator(1, 0);
    const double h = 0.5, turn = 2 * asin(0.25);
    for (int i = 1; i <= 200; i++) {
        step(body, SN_SPRING_VERLET, h);
        CHECK_NEAR(sn_spring_point(body, 1).x, cos(i * turn), WIDE ? 1e-12 : 2e-4);
    }
    sn_spring_body_destroy(body);
}

static double farthest(int integrator, double frequency_times_step) {
    sn_spring_body *body = oscillator(1, 0);
    double most = 0;
    for (int i = 0; i < 400; i++) {
        step(body, integrator, frequency_times_step);
        most = fmax(most, fabs((double)sn_spring_point(body, 1).x));
    }
    sn_spring_body_destroy(body);
    return most;
}

TEST(stability_limits) {
    CHECK(farthest(SN_SPRING_VERLET, 1.98) < 20);
    CHECK(farthest(SN_SPRING_VERLET, 2.02) > 1e6);
    CHECK(farthest(SN_SPRING_SYMPLECTIC_EULER, 1.98) < 20);
    CHECK(farthest(SN_SPRING_SYMPLECTIC_EULER, 2.02) > 1e6);
    CHECK(farthest(SN_SPRING_RUNGE_KUTTA_4, 2.82) < 20);
    CHECK(farthest(SN_SPRING_RUNGE_KUTTA_4, 2.87) > 1e3);
    CHECK(farthest(SN_SPRING_EXPLICIT_EULER, 0.5) > 1e6); // at any step, given time
    CHECK(farthest(IMPLICIT, 100) <= 1.0001);
}

TEST(a_damper_removes_the_known_part) {
    // x'' = -w^2 x - c x': amplitude exp(-c t / 2).
    sn_spring_body *body = oscillator(10, 1);
    const double start = energy(body);
    for (int i = 0; i < 1000; i++) step(body, SN_SPRING_RUNGE_KUTTA_4, 2e-3);
    CHECK_NEAR(log(energy(body) / start), -2, 0.05); // c t, and a ripple of c / 2 w
    sn_spring_body_destroy(body);
}

// A cloud of free points, each joined to the next few; tetrahedra of neighbours that keep their volume.
enum { CLOUD = 61 };
static uint32_t seed;
static double random_unit(void) {
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / 16777216.0 - 0.5;
}
static sn_spring_body *cloud(int lanes) {
    sn_memory_init(&memory, &(sn_allocator){0});
    sn_vec3 points[CLOUD], velocities[CLOUD];
    sn_real masses[CLOUD];
    sn_spring springs[4 * CLOUD];
    int tets[CLOUD][4], tet_count = 0, spring_count = 0;
    seed = 7;
    for (int i = 0; i < CLOUD; i++) {
        points[i] = (sn_vec3){(sn_real)random_unit(), (sn_real)random_unit(), (sn_real)random_unit()};
        velocities[i] = (sn_vec3){(sn_real)random_unit(), (sn_real)random_unit(), (sn_real)random_unit()};
        masses[i] = (sn_real)(1 + random_unit());
    }
    for (int i = 0; i < CLOUD; i++)
        for (int k = 1; k <= 4; k++)
            if (i + k < CLOUD)
                springs[spring_count++] =
                    (sn_spring){i, i + k, (sn_real)(50 + 40 * random_unit()), (sn_real)(1 + random_unit()),
                                (sn_real)(0.5 + 0.4 * random_unit())};
    for (int i = 0; i + 3 < CLOUD; i += 2) {
        const sn_vec3 u = sn_sub(points[i + 1], points[i]), v = sn_sub(points[i + 2], points[i]);
        const double volume = (double)sn_dot(sn_cross(u, v), sn_sub(points[i + 3], points[i])) / 6;
        if (fabs(volume) < 0.005) continue;
        const int order[4] = {i, i + 1, i + (volume > 0 ? 2 : 3), i + (volume > 0 ? 3 : 2)};
        memcpy(tets[tet_count++], order, sizeof order);
    }
    CHECK(tet_count > 5);
    return make(&(sn_spring_def){.points = points,
                                 .velocities = velocities,
                                 .masses = masses,
                                 .count = CLOUD,
                                 .springs = springs,
                                 .spring_count = spring_count,
                                 .tets = (const int(*)[4])tets,
                                 .tet_count = tet_count,
                                 .bulk = 100,
                                 .lanes = lanes});
}

TEST(momentum_is_kept) {
    for (int integrator = 0; integrator <= SN_SPRING_VERLET_CORRECTED; integrator++) {
        sn_spring_body *body = cloud(0);
        const sn_spring_totals before = sn_spring_measure(body, body->gravity);
        for (int i = 0; i < 200; i++) step(body, integrator, 1e-3);
        const sn_spring_totals after = sn_spring_measure(body, body->gravity);
        const double to = WIDE ? 1e-12 : 1e-4;
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(after.momentum[k], before.momentum[k], to);
            if (integrator == SN_SPRING_RUNGE_KUTTA_4) CHECK_NEAR(after.spin[k], before.spin[k], WIDE ? 1e-8 : 1e-4);
        }
        sn_spring_body_destroy(body);
    }
}

TEST(energy_is_kept_by_runge_kutta_without_dampers) {
    sn_spring_body *body = cloud(0);
    for (int i = 0; i < body->spring_count; i++)
        sn_spring_set(body, i, body->springs[i].stiffness, 0, body->springs[i].rest);
    const double before = energy(body);
    for (int i = 0; i < 400; i++) step(body, SN_SPRING_RUNGE_KUTTA_4, 2e-3);
    CHECK_NEAR(energy(body) / before, 1, WIDE ? 1e-5 : 1e-4); // forces are the slopes of the energy
    sn_spring_body_destroy(body);
}

TEST(relative_law_makes_halves_as_stiff_as_the_whole) {
    sn_memory_init(&memory, &(sn_allocator){0});
    // One spring of length 2 and two of length 1 in a row, drawn by 10 %: the same force at the ends.
    const sn_vec3 points[5] = {{0, 0, 0}, {(sn_real)2.2, 0, 0}, {0, 1, 0}, {(sn_real)1.1, 1, 0}, {(sn_real)2.2, 1, 0}};
    const sn_real masses[5] = {1, 1, 1, 1, 1};
    const sn_spring springs[3] = {{0, 1, 30, 0, 2}, {2, 3, 30, 0, 1}, {3, 4, 30, 0, 1}};
    sn_spring_def def = {.points = points, .masses = masses, .count = 5, .springs = springs, .spring_count = 3};
    def.law = SN_SPRING_RELATIVE;
    sn_spring_body *body = make(&def);
    sn_spring_forces(body, body->x, body->v, body->force, NULL);
    CHECK_NEAR(body->force[0], 3, 1e-5);
    CHECK_NEAR(body->force[4 * 2], 3, 1e-5);
    CHECK_NEAR(body->force[4 * 4], -3, 1e-5);
    sn_spring_body_destroy(body);
    def.law = SN_SPRING_ABSOLUTE;
    body = make(&def);
    sn_spring_forces(body, body->x, body->v, body->force, NULL);
    CHECK_NEAR(body->force[0], 6, 1e-5);
    CHECK_NEAR(body->force[4 * 2], 3, 1e-5);
    sn_spring_body_destroy(body);
}

static uint64_t state_hash(const sn_spring_body *body) {
    uint64_t hash = sn_hash_reals(1, body->x, 4 * (size_t)body->count);
    return sn_hash_reals(hash, body->v, 4 * (size_t)body->count);
}

// A cloth of several chunks with weight on it.
static sn_spring_body *cloth(int lanes) {
    sn_memory_init(&memory, &(sn_allocator){0});
    sn_spring_net net;
    sn_spring_net_init(&net, &memory.hook);
    const sn_spring_cloth plan = {.across = {1, 0, 0},
                                  .down = {0, 0, 1},
                                  .columns = 37,
                                  .rows = 41,
                                  .mass = (sn_real)0.1,
                                  .structural = {100, (sn_real)0.01},
                                  .shear = {50, (sn_real)0.01},
                                  .bend = {5, 0}};
    CHECK_INT(sn_spring_net_cloth(&net, &plan), 0);
    net.masses[0] = net.masses[36] = 0;
    sn_spring_def def = sn_spring_net_def(&net);
    def.lanes = lanes;
    sn_spring_body *body = make(&def);
    body->gravity.y = (sn_real)-9.81;
    body->drag = (sn_real)0.1;
    sn_spring_net_free(&net);
    return body;
}

TEST(step_below_the_bound_is_stable) {
    sn_spring_body *body = cloth(0);
    body->drag = 0;
    body->gravity = (sn_vec3){0, 0, 0};
    seed = 11;
    for (int i = 0; i < body->spring_count; i++)
        sn_spring_set(body, i, body->springs[i].stiffness, 0, body->springs[i].rest);
    for (int i = 0; i < body->count; i++)
        sn_spring_put(body, i, sn_spring_point(body, i),
                      (sn_vec3){(sn_real)(0.1 * random_unit()), (sn_real)(0.1 * random_unit()), 0});
    const double start = energy(body), limit = 2 / sqrt(sn_spring_frequency2(body));
    for (int i = 0; i < 300; i++) step(body, SN_SPRING_VERLET, 0.9 * limit);
    CHECK(energy(body) < 3 * start);
    for (int i = 0; i < 300; i++) step(body, SN_SPRING_VERLET, 2 * limit); // the bound is not far off
    CHECK(!(energy(body) < 100 * start));
    sn_spring_body_destroy(body);
}

static uint64_t run_of(int lanes, int workers) {
    sn_spring_body *body = cloth(lanes);
    sn_pool *pool = NULL;
    CHECK_INT(sn_pool_create(&memory, NULL, workers, &pool), SN_OK);
    const sn_spring_solver solver = sn_spring_solver_default();
    for (int i = 0; i < 10; i++) sn_spring_implicit_step(body, (sn_real)(1.0 / 60), &solver, pool);
    for (int i = 0; i < 20; i++) sn_spring_step(body, SN_SPRING_VERLET, (sn_real)1e-4, pool);
    CHECK(sn_spring_is_finite(body));
    const uint64_t hash = state_hash(body);
    sn_pool_destroy(&memory, pool);
    sn_spring_body_destroy(body);
    CHECK_INT(memory.used_bytes, 0);
    return hash;
}

TEST(same_bits_for_any_width_and_number_of_workers) {
    const uint64_t hash = run_of(0, 1);
    CHECK(run_of(0, 2) == hash);
    CHECK(run_of(0, 3) == hash);
    static const int widths[] = {1, 4, 8, 16};
    for (int i = 0; i < 4; i++) {
        sn_spring_body *body = NULL;
        const sn_vec3 point = {0, 0, 0};
        const sn_real mass = 1;
        const sn_spring_def def = {.points = &point, .masses = &mass, .count = 1, .lanes = widths[i]};
        if (sn_spring_body_create(&memory, &def, &body, NULL, NULL) != SN_OK) continue; // not here
        sn_spring_body_destroy(body);
        CHECK(run_of(widths[i], 2) == hash);
    }
}

TEST(a_step_allocates_nothing) {
    sn_spring_body *body = cloth(0);
    const uint64_t before = memory.allocations;
    for (int integrator = 0; integrator <= SN_SPRING_VERLET_CORRECTED; integrator++) step(body, integrator, 1e-4);
    CHECK_INT(memory.allocations, before);
    sn_spring_body_destroy(body);
}

TEST(held_points_go_with_their_velocity) {
    for (int integrator = 0; integrator <= SN_SPRING_VERLET_CORRECTED; integrator++) {
        sn_spring_body *body = oscillator(1, 0);
        sn_spring_put(body, 0, (sn_vec3){0, 0, 0}, (sn_vec3){0, 2, 0});
        for (int i = 0; i < 100; i++) step(body, integrator, 0.01);
        CHECK_NEAR(sn_spring_point(body, 0).y, 2, 1e-5);
        CHECK_NEAR(sn_spring_velocity(body, 0).y, 2, 0);
        CHECK(sn_spring_point(body, 1).y > (sn_real)0.1); // drawn along
        sn_spring_body_destroy(body);
    }
}

static const char *complaint(sn_spring_def def, int *which) {
    sn_spring_body *body = NULL;
    const char *what = NULL;
    sn_memory_init(&memory, &(sn_allocator){0});
    CHECK_INT(sn_spring_body_create(&memory, &def, &body, &what, which), SN_ERR_RANGE);
    CHECK(body == NULL && memory.used_bytes == 0);
    return what ? what : "";
}

TEST(bad_definitions_are_refused_by_number) {
    const sn_vec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const sn_real masses[4] = {1, 1, 1, 1}, negative[4] = {1, 1, -1, 1};
    const int inside_out[1][4] = {{0, 2, 1, 3}};
    sn_spring springs[2] = {{0, 1, 1, 0, 1}, {1, 2, 1, 0, 1}};
    const sn_spring_def good = {.points = points, .masses = masses, .count = 4, .springs = springs, .spring_count = 2};
    sn_spring_def def = good;
    int which = -1;
    def.masses = negative;
    CHECK_STRING(complaint(def, &which), "a mass must be 0 (held) or more");
    CHECK_INT(which, 2);
    springs[1].b = 4;
    CHECK_STRING(complaint(good, &which), "a spring's end is no point");
    CHECK_INT(which, 1);
    springs[1].b = 1;
    CHECK_STRING(complaint(good, &which), "a spring joins a point to itself");
    springs[1] = (sn_spring){1, 2, (sn_real)NAN, 0, 1};
    CHECK_STRING(complaint(good, &which), "a spring's stiffness must be 0 or more");
    springs[1] = (sn_spring){1, 2, 1, 0, 0};
    def = good, def.law = SN_SPRING_RELATIVE;
    CHECK_STRING(complaint(def, &which), "with the relative law a spring's rest length must be more than 0");
    def = good, def.tets = inside_out, def.tet_count = 1;
    CHECK_STRING(complaint(def, &which), "a tetrahedron has no volume, or is inside out");
    def = good, def.lanes = 3;
    CHECK_STRING(complaint(def, &which), "this build or machine has no lanes of that width");
}
