// Muscles: seconds from a surface of about 3,000 triangles in memory to rods, in total: repair, tetrahedra, field,
// slices, rods, skin. Two threads; the long head of the biceps, whose tendons are thin.
#include "bake/viperize.h"
#include "bench.h"
#include "zoo/muscles.h"
#include <stdio.h>

static bool run(const sn_mesh *surface, double *seconds) {
    const double start = bench_clock();
    sn_viper_options options = sn_viper_options_default();
    sn_viper viper;
    sn_viper_report report;
    tool_error error;
    options.threads = 2;
    const bool good = sn_viperize(surface, &options, &viper, &report, &error);
    *seconds = bench_clock() - start;
    if (!good) fprintf(stderr, "sinew bench: viperize.muscle: %s\n", error.text);
    sn_viper_free(&viper);
    return good;
}

void bench_viperize(bench *b) {
    enum { ROUNDS = 5 };
    double seconds[ROUNDS];
    sn_mesh surface = {0};
    if (!bench_wanted(b, "viperize.muscle")) return;
    bool good = zoo_muscle(ZOO_BICEPS_LONG, 0, &surface);
    int count = 0;
    for (; count < (b->quick ? 1 : ROUNDS) && good; count++) good = run(&surface, &seconds[count]);
    if (good) bench_add(b, "viperize.muscle", bench_median(seconds, count), "s", "lower");
    b->failed = b->failed || !good;
    sn_mesh_free(&surface);
}
