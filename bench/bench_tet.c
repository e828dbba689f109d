// Tetrahedra: seconds from a surface of about 62,000 triangles in memory to tetrahedra, in total: BVH, spacing,
// lattice, smoothing. Two threads; about 350,000 tetrahedra, so that figures are comparable.
#include "bench.h"
#include "tets/tet_lattice.h"
#include "tets/tet_spacing.h"
#include "zoo/surfaces.h"
#include <stdio.h>
#include <stdlib.h>

static bool fill(const sn_mesh *surface, double tets, double *seconds) {
    const double start = bench_clock();
    sn_mesh_query *query = sn_mesh_query_build(surface);
    sn_winding *winding = sn_winding_make(surface);
    sn_tet_thickness *found = malloc(sizeof *found);
    sn_tet_mesh mesh = {0};
    tool_error error = {.text = "out of memory"};
    bool good = query && winding && found;
    if (good) {
        sn_tet_thickness_measure(surface, query, winding, found);
        const sn_tet_lattice_options options = {.spacing = sn_tet_spacing(found, tets, tets, NULL), .threads = 2};
        good = sn_tet_lattice(surface, query, winding, &options, &mesh, NULL, &error);
    }
    *seconds = bench_clock() - start;
    if (!good) fprintf(stderr, "sinew bench: tet.62k: %s\n", error.text);
    sn_mesh_query_free(query);
    sn_winding_free(winding);
    free(found);
    sn_tet_mesh_free(&mesh);
    return good;
}

void bench_tet(bench *b) {
    enum { ROUNDS = 5 };
    double seconds[ROUNDS];
    sn_mesh surface = {0};
    if (!bench_wanted(b, "tet.62k")) return;
    bool good = zoo_surface(ZOO_CREATURE, b->quick ? 0 : 62000, &surface);
    int count = 0;
    for (; count < (b->quick ? 1 : ROUNDS) && good; count++)
        good = fill(&surface, b->quick ? 5000 : 350000, &seconds[count]);
    if (good) bench_add(b, "tet.62k", bench_median(seconds, count), "s", "lower");
    b->failed = b->failed || !good;
    sn_mesh_free(&surface);
}
