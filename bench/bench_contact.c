// Contact: what heaps of octopuses cost, and how fast pairs are found and contacts solved.
//
//     octopus.N.t2             octopus-drop with N octopuses: ms a step, the median of its seconds 2 to 4, when they
//                              lie in a heap that still moves
//     contact.octopus.N.tT     the same for more sizes, from layers that touch from the first steps on
//     contact.pairs.tT         pairs that the broad phase hands on, a second of its own time
//     contact.solve.tT         contacts times sweeps, a second of the solver's own time
#include "bench.h"
#include "scene/scene.h"
#include <stdio.h>
#include <string.h>

enum { SUBSTEPS = 3, SWEEPS = 8 };
static const double step = 1.0 / 60;

typedef struct {
    int count, across, deep, layers; // count = across * deep * layers
} heap;

enum { LAYERS = 4 };
static const heap heaps[] = {{10, 5, 1, 2}, {100, 5, 5, 4}, {1000, 25, 10, 4}, {4000, 40, 25, 4}};

// How each layer of scenes/octopus-drop.json lies.
static const struct {
    double axis[3], degrees, position[3];
} layers[LAYERS] = {{{1, 0, 0}, 35, {0, 2.2, 0}},
                    {{0, 0, 1}, 120, {1.5, 6.6, 1.1}},
                    {{1, 0, 1}, 75, {-1.1, 11, 1.4}},
                    {{0.3, 1, 0.2}, 160, {0.9, 15.4, -1.2}}};

// The settings of that scene. A tight heap starts with its layers nearer to the ground and each other, so that it lies
// soon.
static sn_scene *heap_scene(const heap *h, bool tight) {
    char text[4096];
    int size = snprintf(text, sizeof text,
                        "{\"gravity\": [0, -10, 0], \"substeps\": %d, \"contact_sweeps\": %d, \"seed\": 1,"
                        "\"materials\": {\"flesh\": {\"young\": 1e6, \"poisson\": 0.495, \"density\": 1000,"
                        "\"damping\": 1.5}}, \"rigid_bodies\": [{\"plane\": true}], \"bodies\": [",
                        SUBSTEPS, SWEEPS);
    for (int i = 0; i < h->layers; i++) {
        const double *axis = layers[i].axis, *at = layers[i].position;
        size += snprintf(text + size, sizeof text - (size_t)size,
                         "%s{\"kind\": \"rod\", \"octopus\": {}, \"material\": \"flesh\", \"self_collide\": true,"
                         "\"position\": [%g, %g, %g], \"rotation\": {\"axis\": [%g, %g, %g], \"degrees\": %g},"
                         "\"repeat\": {\"count\": [%d, 1, %d], \"spacing\": [4.6, 0, 4.6], \"centred\": true}}",
                         i ? ", " : "", at[0], tight ? 1.8 + 2.6 * i : at[1], at[2], axis[0], axis[1], axis[2],
                         layers[i].degrees, h->across, h->deep);
    }
    size += snprintf(text + size, sizeof text - (size_t)size, "]}");
    return scene_parse("octopuses", text, (size_t)size, NULL);
}

static void fail(bench *b, const char *name, const char *error) {
    fprintf(stderr, "sinew bench: %s: %s\n", name, error);
    b->failed = true;
}

typedef struct {
    double step_ms;               // median
    double pairs_ms, solve_ms;    // of the stages, in all measured steps
    double pairs, contact_sweeps; // in all measured steps
} cost;

static int stage_number(const char *name) {
    int k = 0;
    while (sn_profile_stage_name(k) && strcmp(sn_profile_stage_name(k), name) != 0) k++;
    return sn_profile_stage_name(k) ? k : 0;
}

// Runs 'before' steps, then measures 'count'; stops measuring early (not before five) when 'most' seconds are over.
static bool run(bench *b, const char *name, const heap *h, bool tight, int threads, int before, int count, double most,
                cost *out) {
    enum { MOST_STEPS = 240 };
    double times[MOST_STEPS];
    sn_scene *scene = heap_scene(h, tight);
    sn_world_def def = sn_world_def_default();
    sn_world *world = NULL;
    def.worker_count = threads;
    sn_status status = scene ? scene_build(scene, &def, &world) : SN_ERR_MEMORY;
    if (b->quick) before = 1, count = 2;
    for (int i = 0; i < before && status == SN_OK; i++) status = sn_world_step(world, (sn_real)step, SUBSTEPS);
    *out = (cost){0};
    const int pairs = stage_number("pairs"), solve = stage_number("contact");
    double start = bench_clock();
    int done = 0;
    for (; done < count && done < MOST_STEPS && status == SN_OK; done++) {
        if (done >= 5 && bench_clock() - start > most) break;
        double from = bench_clock();
        status = sn_world_step(world, (sn_real)step, SUBSTEPS);
        times[done] = 1000 * (bench_clock() - from);
        sn_profile profile = sn_world_profile(world);
        out->pairs_ms += profile.stage_ms[pairs];
        out->solve_ms += profile.stage_ms[solve];
        out->pairs += profile.pairs;
        out->contact_sweeps += (double)profile.contacts * SUBSTEPS * SWEEPS;
    }
    out->step_ms = bench_median(times, done);
    sn_world_destroy(world);
    scene_free(scene);
    if (status != SN_OK) fail(b, name, sn_status_name(status));
    return status == SN_OK;
}

static void measure_drop(bench *b, const heap *h) {
    char name[48];
    cost c;
    snprintf(name, sizeof name, "octopus.%d.t2", h->count);
    if (bench_wanted(b, name) && run(b, name, h, false, 2, 120, 120, 15, &c)) {
        bench_add(b, name, c.step_ms, "ms/step", "lower");
    }
}

static void measure_size(bench *b, const heap *h) {
    char name[48];
    cost c;
    snprintf(name, sizeof name, "contact.octopus.%d.t%d", h->count, b->threads);
    if (bench_wanted(b, name) && run(b, name, h, true, b->threads, h->count < 4000 ? 20 : 8, 60, 3, &c)) {
        bench_add(b, name, c.step_ms, "ms/step", "lower");
    }
}

static void measure_rates(bench *b, int threads) {
    char pairs[48], solve[48];
    cost c;
    snprintf(pairs, sizeof pairs, "contact.pairs.t%d", threads);
    snprintf(solve, sizeof solve, "contact.solve.t%d", threads);
    if (!bench_wanted(b, pairs) && !bench_wanted(b, solve)) return;
    if (!run(b, solve, &heaps[1], true, threads, 20, 60, 3, &c)) return;
    if (bench_wanted(b, pairs) && c.pairs_ms > 0) bench_add(b, pairs, 1000 * c.pairs / c.pairs_ms, "pairs/s", "higher");
    if (bench_wanted(b, solve) && c.solve_ms > 0) {
        bench_add(b, solve, 1000 * c.contact_sweeps / c.solve_ms, "contacts/s", "higher");
    }
}

void bench_contact(bench *b) {
    measure_drop(b, &heaps[1]);
    measure_drop(b, &heaps[2]);
    for (int threads = 1; threads <= b->threads; threads += b->threads > 1 ? b->threads - 1 : 1) {
        measure_rates(b, threads);
    }
    for (size_t i = 0; i < sizeof heaps / sizeof *heaps; i++) measure_size(b, &heaps[i]);
}
