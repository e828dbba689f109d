// Runs cases of bench/coupling/ and checks every figure against its bar: whatever a newcomer builds of bodies tied together holds at
// the default settings.
#ifndef SN_TEST_NEWCOMER_H
#define SN_TEST_NEWCOMER_H

#include "coupling/coupling.h"
#include "test.h"
#include <stdio.h>

// Processor time is no matter here: only energy ends a case early.
static inline void check_newcomer(const char *name) {
    const coupling_settings settings = {.scenes = SN_SCENES, .budget = 1e9};
    coupling_result result;
    char text[160];
    bool found = coupling_measure_named(name, &settings, &result);
    sn_test_check(found, __FILE__, __LINE__, name);
    if (!found || result.skipped) return;
    for (int i = 0; i < result.count; i++) {
        const coupling_figure *f = &result.figures[i];
        snprintf(text, sizeof text, "%s: %s %.4g, %s %.4g", name, f->name, f->value,
                 f->kind == BAR_AT_MOST ? "at most" : "at least", f->bar);
        sn_test_check(coupling_figure_holds(f), __FILE__, __LINE__, text);
    }
}

#endif
