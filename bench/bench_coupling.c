// Bodies tied together: what holds at the default settings (bench/coupling/). A line for each case, with its figures, their bars, and
// ok or MISS; results are coupling.CASE.FIGURE.
#include "bench.h"
#include "coupling/coupling.h"
#include "system/system.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The scenes beside the program, installed or in its tree, as 'sinew view' finds them.
static void find_scenes(char *out, size_t capacity) {
    static const char *const places[] = {"../share/sinew/scenes", "../../scenes", "scenes"};
    char program[1024];
    system_program_folder(program, sizeof program);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(out, capacity, "%s%s", program, places[i]);
        if (system_is_folder(out)) return;
    }
}

// Adds a case's figures without a line for each.
static void add_figures(bench *b, const coupling_result *result) {
    bool announce = b->announce;
    b->announce = false;
    for (int i = 0; i < result->count; i++) {
        const coupling_figure *f = &result->figures[i];
        char name[sizeof b->results[0].name];
        if (snprintf(name, sizeof name, "coupling.%s.%s", result->name, f->name) >= (int)sizeof name) continue;
        double value = isfinite(f->value) ? f->value : 1e300; // JSON has no infinity
        bench_add(b, name, value, f->unit, f->kind == BAR_AT_LEAST ? "higher" : "lower");
    }
    b->announce = announce;
}

void bench_coupling(bench *b) {
    char scenes[1100];
    find_scenes(scenes, sizeof scenes);
    coupling_settings settings = {.scenes = scenes, .data = getenv("SINEW_MUSCLES"), .steps = b->quick ? 2 : 0};
    int counts[3] = {0}; // held, missed, skipped
    for (int f = 0; f < coupling_family_count(); f++) {
        const coupling_family *family = coupling_family_at(f);
        for (int i = 0; i < family->count; i++) {
            char name[COUPLING_NAME], full[COUPLING_NAME + 16];
            coupling_name(family, i, name, sizeof name);
            snprintf(full, sizeof full, "coupling.%s", name);
            if (!bench_wanted(b, full)) continue;
            coupling_result result;
            coupling_measure(family, i, &settings, &result);
            if (b->announce) coupling_print(&result);
            add_figures(b, &result);
            counts[result.skipped ? 2 : coupling_holds(&result) ? 0 : 1]++;
        }
    }
    if (b->announce && counts[0] + counts[1] + counts[2] > 0) {
        printf("coupling: %d ok, %d missed, %d skipped\n\n", counts[0], counts[1], counts[2]);
    }
}
