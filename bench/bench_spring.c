// Cloth: what a step of a mass-spring body costs, implicit and explicit.
//
// One cloth in several resolutions: 1 m^2 of 0.2 kg that was level and hangs from two corners; structural, shear and bend
// springs of 1000 N/m, undamped; h = 1/60 s. It touches nothing: contact has benches of its own. Implicit steps are the
// mean over the second half of the first two seconds, in which it swings through.
//
// A finer cloth is also a stiffer problem, whose solver needs more iterations (k h^2/m grows with the number of masses).
// How the work itself scales is told at a fixed number of iterations, and by the cost of one.
#include "bench.h"
#include "sinew/sinew.h"
#include <stdio.h>

static const sn_real step = (sn_real)(1.0 / 60);

typedef struct {
    const char *name; // of the size
    int side;         // masses along a side
} cloth_size;

static const cloth_size sizes[] = {{"1k", 32}, {"10k", 100}, {"100k", 316}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void say_failure(bench *b, const char *name, sn_status status) {
    fprintf(stderr, "sinew bench: %s: %s\n", name, sn_status_name(status));
    b->failed = true;
}

static double masses_of(const cloth_size *size) {
    return (double)size->side * size->side;
}

typedef struct {
    sn_world *world;
    sn_body cloth;
    int springs;
} cloth_world;

// 'iterations' 0: as many as the usual tolerance takes.
static sn_status make_cloth(const cloth_size *size, sn_spring_integrator integrator, int iterations, int threads,
                            cloth_world *out) {
    sn_spring_cloth cloth = sn_spring_cloth_default();
    cloth.columns = cloth.rows = size->side;
    cloth.across = (sn_vec3){1, 0, 0};
    cloth.down = (sn_vec3){0, 0, 1};
    cloth.mass = (sn_real)0.2;
    cloth.structural = cloth.shear = cloth.bend = (sn_spring_params){1000, 0};
    sn_spring_net net = {0};
    sn_world_def world_def = sn_world_def_default();
    world_def.worker_count = threads;
    sn_status status = sn_world_create(&world_def, &out->world);
    if (status == SN_OK) status = sn_world_set_sleeping(out->world, false);
    if (status == SN_OK) status = sn_springs_make_cloth(&cloth, NULL, &net);
    if (status == SN_OK) {
        net.masses[0] = net.masses[size->side - 1] = 0; // held
        sn_springs_def def = sn_springs_def_of(&net);
        def.integrator = integrator;
        def.collide = false;
        if (iterations) def.iterations = iterations, def.tolerance = (sn_real)1e-12;
        out->springs = net.spring_count;
        status = sn_springs_create(out->world, &def, &out->cloth);
    }
    sn_spring_net_free(&net);
    return status;
}

// --- implicit ---

// Mean ms per step over the second half of 'steps' steps, and the solver's mean iterations in them.
static sn_status time_swing(const cloth_world *w, int steps, double *ms, double *iterations) {
    sn_status status = SN_OK;
    double start = bench_clock(), count = 0;
    for (int i = 0; i < steps && status == SN_OK; i++) {
        if (i == steps / 2) start = bench_clock(), count = 0;
        status = sn_world_step(w->world, step, 1);
        count += sn_springs_last_solve(w->world, w->cloth).iterations;
    }
    const int measured = steps - steps / 2;
    *ms = 1000 * (bench_clock() - start) / measured;
    *iterations = count / measured;
    return status;
}

static void measure_implicit(bench *b, const cloth_size *size, int threads) {
    char name[48], iterations_name[48];
    snprintf(name, sizeof name, "cloth.%s.t%d", size->name, threads);
    snprintf(iterations_name, sizeof iterations_name, "cloth.%s.iterations", size->name);
    if (!bench_wanted(b, name)) return;
    cloth_world w = {0};
    double ms = 0, iterations = 0;
    sn_status status = make_cloth(size, SN_SPRING_IMPLICIT_EULER, 0, threads, &w);
    if (status == SN_OK) status = time_swing(&w, b->quick ? 4 : size->side > 200 ? 60 : 120, &ms, &iterations);
    sn_world_destroy(w.world);
    if (status != SN_OK) {
        say_failure(b, name, status);
        return;
    }
    bench_add(b, name, ms, "ms/step", "lower");
    if (threads == 2) bench_add(b, iterations_name, iterations, "iterations/step", "lower");
}

// Best ms of single steps at a fixed number of iterations: disturbances only ever slow down.
static double best_step(bench *b, const char *name, const cloth_size *size, sn_spring_integrator integrator,
                        int iterations, int threads, sn_real h) {
    cloth_world w = {0};
    double best = 1e30, start = bench_clock();
    const double enough = b->quick ? 0.001 : 0.4;
    sn_status status = make_cloth(size, integrator, iterations, threads, &w);
    for (int i = 0; status == SN_OK && (i < 4 || bench_clock() - start < enough); i++) {
        const double before = bench_clock();
        status = sn_world_step(w.world, h, 1);
        const double ms = 1000 * (bench_clock() - before);
        if (i > 0 && ms < best) best = ms;
    }
    sn_world_destroy(w.world);
    if (status != SN_OK) say_failure(b, name, status);
    return best;
}

// ns per mass of a step with 50 iterations, and of one iteration alone: the slope from 10 to 50.
static void measure_scaling(bench *b, const cloth_size *size, int threads) {
    char step_name[48], iteration_name[48];
    snprintf(step_name, sizeof step_name, "cloth.%s.fixed.t%d", size->name, threads);
    snprintf(iteration_name, sizeof iteration_name, "cloth.%s.iteration.t%d", size->name, threads);
    if (!bench_wanted(b, step_name) && !bench_wanted(b, iteration_name)) return;
    const double many = best_step(b, step_name, size, SN_SPRING_IMPLICIT_EULER, 50, threads, step);
    const double few = best_step(b, iteration_name, size, SN_SPRING_IMPLICIT_EULER, 10, threads, step);
    const double masses = masses_of(size);
    if (bench_wanted(b, step_name)) bench_add(b, step_name, 1e6 * many / masses, "ns/mass/step of 50", "lower");
    if (bench_wanted(b, iteration_name))
        bench_add(b, iteration_name, 1e6 * (many - few) / (40 * masses), "ns/mass/iteration", "lower");
}

// --- explicit ---

// What a step of symplectic Euler must move at least: each spring lies at both its ends (16 bytes: the other point,
// stiffness, rest, damping); of each point positions, velocities and forces are read and written, loads and masses read.
static double bytes_moved(const cloth_world *w, const cloth_size *size) {
    const double real = sizeof(sn_real);
    return 2.0 * w->springs * (sizeof(int32_t) + 3 * real) + masses_of(size) * (7 * 4 + 2) * real;
}

static void measure_explicit(bench *b, const cloth_size *size, int threads) {
    char name[48], rate_name[48];
    if (size->side == 100) {
        snprintf(name, sizeof name, "cloth.explicit.t%d", threads);
        snprintf(rate_name, sizeof rate_name, "cloth.explicit.rate.t%d", threads);
    } else {
        snprintf(name, sizeof name, "cloth.explicit.%s.t%d", size->name, threads);
        snprintf(rate_name, sizeof rate_name, "cloth.explicit.%s.rate.t%d", size->name, threads);
    }
    if (!bench_wanted(b, name) && !bench_wanted(b, rate_name)) return;
    cloth_world w = {0};
    const sn_status status = make_cloth(size, SN_SPRING_SYMPLECTIC_EULER, 0, threads, &w);
    sn_world_destroy(w.world);
    if (status != SN_OK) {
        say_failure(b, name, status);
        return;
    }
    // A step so short that it is stable at any size.
    const double ms = best_step(b, name, size, SN_SPRING_SYMPLECTIC_EULER, 0, threads, (sn_real)1e-5);
    if (bench_wanted(b, name)) bench_add(b, name, ms, "ms/step", "lower");
    if (bench_wanted(b, rate_name)) bench_add(b, rate_name, 1e-6 * bytes_moved(&w, size) / ms, "GB/s", "higher");
}

// One and two threads, whatever is asked for: these are the names that figures are followed by over time.
void bench_spring(bench *b) {
    for (int i = 0; i < SIZES; i++) {
        for (int threads = 1; threads <= 2; threads++) {
            measure_implicit(b, &sizes[i], threads);
            measure_scaling(b, &sizes[i], threads);
            measure_explicit(b, &sizes[i], threads);
        }
    }
}
