// Medial meshes: seconds from a surface of about 62,000 triangles to a mesh of 100 spheres that encloses it, in total.
#include "bench.h"
#include "medial/medial.h"
#include "zoo/surfaces.h"
#include <stdio.h>

void bench_medial(bench *b) {
    static const char name[] = "medial.62k";
    enum { TIMES = 3 };
    if (!bench_wanted(b, name)) return;
    sn_mesh surface;
    tool_error error = {.text = "out of memory"};
    double times[TIMES];
    int count = 0;
    bool good = zoo_surface(ZOO_CREATURE, b->quick ? 6000 : 62000, &surface);
    for (; good && count < (b->quick ? 1 : TIMES); count++) {
        const medial_options options = medial_options_default();
        sn_medial_mesh mesh;
        medial_report report;
        double before = bench_clock();
        good = sn_medial_make(&surface, &options, &mesh, &report, &error);
        times[count] = bench_clock() - before;
        sn_medial_mesh_free(&mesh);
    }
    if (good) {
        bench_add(b, name, bench_median(times, count), "s", "lower");
    } else {
        fprintf(stderr, "sinew bench: %s: %s\n", name, error.text);
        b->failed = true;
    }
    sn_mesh_free(&surface);
}
