// Ordinary rods in a heap: 24 of 1e4 to 1e8 Pa, 2 to 5 cm thick, 0.3 to 0.8 m long, one above the other in any direction over a
// floor. Twenty seeds.
#include "coupling_cases.h"
#include "coupling_run.h"
#include <stdio.h>

enum { SEEDS = 20, RODS = 24 };

static void title(int i, char *out, size_t capacity) {
    snprintf(out, capacity, "%02d", i);
}

static void run_heap(int i, const coupling_settings *settings, coupling_result *out) {
    coupling_run run;
    uint64_t state = (uint64_t)i * 7919 + 12345;
    double fall = 0;
    coupling_begin(&run, settings, out);
    coupling_random(&state);
    coupling_floor(&run, 0);
    for (int k = 0; k < RODS; k++) {
        double young = pow(10, 4 + 4 * coupling_random(&state)), radius = 0.02 + 0.03 * coupling_random(&state),
               half = 0.15 + 0.25 * coupling_random(&state), angle = 6.2832 * coupling_random(&state);
        double x = 0.6 * (coupling_random(&state) - 0.5), z = 0.6 * (coupling_random(&state) - 0.5), y = 0.2 + 0.25 * k;
        sn_vec3 from = vec(x - half * cos(angle), y, z - half * sin(angle)),
                to = vec(x + half * cos(angle), y, z + half * sin(angle));
        sn_body rod = coupling_line(&run, from, to, 8, radius, coupling_material(young, 1000));
        fall += sn_body_mass(run.world, rod) * 9.81 * y;
    }
    run.scale = fall;
    run.bars = (coupling_bars){.energy = 1e-3, .volume = 0.03, .impact = 0.1, .rest = 0.01};
    coupling_simulate(&run);
    coupling_end(&run);
}

const coupling_family coupling_heaps = {"heap", SEEDS, title, run_heap};
