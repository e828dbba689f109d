// Rods: what a step costs, and how near to the converged step it comes.
//
// Costs are those of whole steps, prediction and velocities included, divided by segments and solver iterations. Rods are
// clamped at one end and swing under gravity, each a little different, and do not touch each other.
#include "bench.h"
#include "sinew/sinew.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const sn_real step = (sn_real)(1.0 / 60);

enum { MOST_SEGMENTS = 64 };

// Length 1 m, radius 1 cm.
static sn_status add_rod(sn_world *world, int segments, int number, sn_material material, sn_body *out) {
    sn_vec3 points[MOST_SEGMENTS + 1];
    for (int i = 0; i <= segments; i++) {
        points[i] = (sn_vec3){(sn_real)i / (sn_real)segments, 0, (sn_real)0.1 * (sn_real)number};
    }
    sn_rod_def def = sn_rod_def_default();
    def.points = points;
    def.point_count = segments + 1;
    def.radius = (sn_real)0.01;
    def.material = material;
    def.clamp_first = true;
    def.collide = false; // contact has benches of its own
    def.velocity = (sn_vec3){0, (sn_real)0.01 * (sn_real)(number % 7), (sn_real)0.01 * (sn_real)(number % 5)};
    return sn_rod_create(world, &def, out);
}

static void say_failure(bench *b, const char *name, sn_status status) {
    fprintf(stderr, "sinew bench: %s: %s\n", name, sn_status_name(status));
    b->failed = true;
}

static sn_status make_world(sn_solver solver, int iterations, int threads, int segments, int rods, sn_world **out) {
    sn_world_def def = sn_world_def_default();
    def.solver = solver;
    def.iterations = iterations;
    def.worker_count = threads;
    sn_status status = sn_world_create(&def, out);
    sn_material material = sn_material_make((sn_real)1e7, (sn_real)0.45, 1000);
    for (int i = 0; i < rods && status == SN_OK; i++) {
        sn_body rod;
        status = add_rod(*out, segments, i, material, &rod);
    }
    return status;
}

// Milliseconds per step: the median over batches, after a warm-up.
static double time_steps(bench *b, const char *name, sn_world *world) {
    enum { MOST_BATCHES = 400 };
    double batches[MOST_BATCHES];
    double enough = b->quick ? 0.001 : 0.5, start = bench_clock();
    sn_status status = SN_OK;
    int warm = 0, count = 0;
    for (; status == SN_OK && (warm < 2 || bench_clock() - start < enough / 5); warm++) {
        status = sn_world_step(world, step, 1);
    }
    double one = (bench_clock() - start) / warm;
    int per_batch = (int)(0.005 / one) + 1;
    for (start = bench_clock(); status == SN_OK && count < MOST_BATCHES; count++) {
        if (count >= 3 && bench_clock() - start >= enough) break;
        double batch_start = bench_clock();
        for (int i = 0; i < per_batch && status == SN_OK; i++) status = sn_world_step(world, step, 1);
        batches[count] = (bench_clock() - batch_start) / per_batch;
    }
    if (status != SN_OK) say_failure(b, name, status);
    return 1000 * bench_median(batches, count);
}

// One figure: 'segments' per rod, 'total' of them in all.
typedef struct {
    const char *name;
    sn_solver solver;
    int iterations, segments, total, threads;
    bool per_step; // ms per step, else ns per segment and iteration
} rod_case;

static void measure(bench *b, const rod_case *c) {
    if (!bench_wanted(b, c->name)) return;
    sn_world *world = NULL;
    int rods = (c->total + c->segments - 1) / c->segments;
    sn_status status = make_world(c->solver, c->iterations, c->threads, c->segments, rods, &world);
    if (status == SN_OK) {
        double ms = time_steps(b, c->name, world);
        double per_segment = 1e6 * ms / ((double)rods * c->segments * c->iterations);
        bench_add(b, c->name, c->per_step ? ms : per_segment, c->per_step ? "ms/step" : "ns/segment/iteration",
                  "lower");
    } else {
        say_failure(b, c->name, status);
    }
    sn_world_destroy(world);
}

// XPBD and Jacobi are used with many iterations, so what a step costs besides them is spread over ten.
static int usual_iterations(sn_solver solver) {
    return solver == SN_SOLVER_DIRECT ? 1 : 10;
}

static const char *const solver_names[] = {"direct", "xpbd", "jacobi"};

static void measure_sizes(bench *b) {
    static const struct {
        const char *name;
        int total;
    } sizes[] = {{"1k", 1024}, {"10k", 10240}, {"100k", 102400}};
    for (int solver = 0; solver < 3; solver++) {
        for (int segments = 32; segments <= 64; segments *= 2) {
            for (int size = 0; size < 3; size++) {
                for (int threads = 1; threads <= b->threads; threads += b->threads > 1 ? b->threads - 1 : 1) {
                    char name[48];
                    snprintf(name, sizeof name, "rods.%s.%dx%s.t%d", solver_names[solver], segments, sizes[size].name,
                             threads);
                    measure(b, &(rod_case){name, (sn_solver)solver, usual_iterations((sn_solver)solver), segments,
                                           sizes[size].total, threads, false});
                }
            }
        }
    }
}

// --- error ---

// The state of a stiff rod that has fallen from horizontal for 0.2 s, saved. Null after saying why.
static void *fallen_rod(bench *b, size_t *size) {
    sn_world_def def = sn_world_def_default();
    sn_world *world = NULL;
    sn_body rod;
    sn_material material = sn_material_make((sn_real)1e8, 0, 1000);
    material.volume = 10 * material.young;
    def.iterations = 20;
    sn_status status = sn_world_create(&def, &world);
    if (status == SN_OK) status = add_rod(world, 64, 0, material, &rod);
    for (int i = 0; i < 12 && status == SN_OK; i++) status = sn_world_step(world, step, 1);
    void *bytes = NULL;
    if (status == SN_OK) {
        *size = sn_world_save(world, NULL, 0);
        bytes = malloc(*size);
        if (bytes) sn_world_save(world, bytes, *size);
        if (!bytes) status = SN_ERR_MEMORY;
    }
    if (status != SN_OK) say_failure(b, "rods.*.error", status);
    sn_world_destroy(world);
    return bytes;
}

// One step from the saved state.
static sn_status step_from(const void *bytes, size_t size, sn_solver solver, int iterations,
                           sn_vec3 out[MOST_SEGMENTS + 1]) {
    sn_world_def def = sn_world_def_default();
    sn_world *world = NULL;
    sn_status status = sn_world_restore(&def, bytes, size, &world);
    if (status == SN_OK) status = sn_world_set_solver(world, solver, iterations);
    if (status == SN_OK) status = sn_world_step(world, step, 1);
    if (status == SN_OK) sn_body_get_points(world, sn_world_kind_at(world, SN_KIND_ROD, 0), out, MOST_SEGMENTS + 1);
    sn_world_destroy(world);
    return status;
}

static double farthest(const sn_vec3 *a, const sn_vec3 *b) {
    double most = 0;
    for (int i = 0; i <= MOST_SEGMENTS; i++) {
        double x = (double)a[i].x - (double)b[i].x, y = (double)a[i].y - (double)b[i].y;
        double z = (double)a[i].z - (double)b[i].z, distance = sqrt(x * x + y * y + z * z);
        most = distance > most ? distance : most;
    }
    return most;
}

// Distance to the converged step over the length (1 m): 64 segments, E = 1e8 Pa, volume 10 E, h = 1/60 s.
static void measure_errors(bench *b) {
    static const struct {
        const char *name;
        sn_solver solver;
        int iterations;
    } cases[] = {
        {"rods.direct.error.1", SN_SOLVER_DIRECT, 1},     {"rods.direct.error.2", SN_SOLVER_DIRECT, 2},
        {"rods.direct.error.3", SN_SOLVER_DIRECT, 3},     {"rods.xpbd.error.100", SN_SOLVER_XPBD, 100},
        {"rods.jacobi.error.100", SN_SOLVER_JACOBI, 100},
    };
    bool any = false;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) any = any || bench_wanted(b, cases[i].name);
    if (!any) return;
    size_t size = 0;
    void *bytes = fallen_rod(b, &size);
    if (!bytes) return;
    sn_vec3 converged[MOST_SEGMENTS + 1], points[MOST_SEGMENTS + 1];
    sn_status status = step_from(bytes, size, SN_SOLVER_DIRECT, 20, converged);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!bench_wanted(b, cases[i].name)) continue;
        if (status == SN_OK) status = step_from(bytes, size, cases[i].solver, cases[i].iterations, points);
        if (status == SN_OK) bench_add(b, cases[i].name, farthest(points, converged), "L", "lower");
    }
    if (status != SN_OK) say_failure(b, "rods.*.error", status);
    free(bytes);
}

void bench_rods(bench *b) {
    static const rod_case kept[] = {
        // names that figures are followed by over time
        {"rods.direct.t1", SN_SOLVER_DIRECT, 1, 64, 10240, 1, false},
        {"rods.direct.t2", SN_SOLVER_DIRECT, 1, 64, 10240, 2, false},
        {"rods.xpbd.t1", SN_SOLVER_XPBD, 10, 64, 10240, 1, false},
        {"rods.100k.t2", SN_SOLVER_DIRECT, 1, 64, 100000, 2, true},
    };
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) measure(b, &kept[i]);
    measure_sizes(b);
    measure_errors(b);
}
