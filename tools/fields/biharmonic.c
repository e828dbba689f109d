// Each weight w minimises 1/2 (M^-1 L w).M (M^-1 L w) = 1/2 w.(L M^-1 L) w, the integral of its Laplacian squared, with
// its values at held vertices given. There are no other conditions, so one factorization serves all handles, and since
// a constant has no Laplacian the weights add up to 1 by themselves, unless vertices are anchored at 0.
#include "fields/biharmonic.h"
#include "fields/sparse_rows.h"
#include "fields/tet_laplacian.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sn_biharmonic_options sn_biharmonic_exact(void) {
    return (sn_biharmonic_options){false, 0, false};
}

sn_biharmonic_options sn_biharmonic_lean(void) {
    return (sn_biharmonic_options){true, 0.01, true};
}

static bool check_holds(const sn_tet_mesh *mesh, const sn_weight_holds *holds, bool *held, char why[256]) {
    for (int i = 0; i < holds->count; i++) {
        const int v = holds->vertex[i], h = holds->handle[i];
        if (v < 0 || v >= mesh->vertex_count)
            snprintf(why, 256, "handle %d holds vertex %d, and there are %d vertices", h, v, mesh->vertex_count);
        else if (h < -1 || h >= holds->handle_count)
            snprintf(why, 256, "vertex %d is held by handle %d, and there are %d handles", v, h, holds->handle_count);
        else if (held[v])
            snprintf(why, 256, "vertex %d is held twice", v);
        else {
            held[v] = true;
            continue;
        }
        return false;
    }
    return true;
}

// Pieces of which nothing is held would float. Vertices that belong to nothing are held at 0.
static bool check_parts(const sn_sparse_rows *rows, bool *held, char why[256]) {
    int *part = malloc(((size_t)rows->size + 1) * sizeof *part);
    bool *has = calloc((size_t)rows->size + 1, sizeof *has);
    bool good = part && has && sn_sparse_rows_parts(rows, part) >= 0;
    if (!good) snprintf(why, 256, "out of memory");
    for (int r = 0; r < rows->size && good; r++) {
        if (rows->start[r] == rows->start[r + 1]) held[r] = true;
        if (held[r]) has[part[r]] = true;
    }
    for (int r = 0; r < rows->size && good; r++) {
        if (has[part[r]]) continue;
        snprintf(why, 256, "no handle holds the piece of the mesh that vertex %d is on", r);
        good = false;
    }
    free(part), free(has);
    return good;
}

// What is wanted of the weights besides interpolating.
static void tidy(const sn_biharmonic_options *options, int vertices, int handles, double *weight) {
    const size_t stride = (size_t)vertices;
    for (size_t v = 0; v < stride; v++) {
        double before = 0, after = 0;
        for (size_t h = 0; h < (size_t)handles; h++) {
            double *w = &weight[h * stride + v];
            before += *w;
            if (options->clamp) *w = *w < 0 ? 0 : *w > 1 ? 1 : *w;
            if (*w<options->prune && * w> - options->prune) *w = 0;
            after += *w;
        }
        // With anchors the sum may be anything from 0 to 1; beyond that it is overshoot.
        before = options->clamp ? (before < 0 ? 0 : before > 1 ? 1 : before) : before;
        if (!options->normalise || !(after > 1e-12)) continue;
        for (size_t h = 0; h < (size_t)handles; h++) weight[h * stride + v] *= before / after;
    }
}

static bool make_rows(const sn_tet_mesh *mesh, sn_sparse_rows *flat, sn_sparse_rows *bent) {
    sn_tet_laplacian laplacian;
    size_t count = 0;
    if (!sn_tet_laplacian_make(mesh, &laplacian)) return false;
    bool good = sn_sparse_rows_make(laplacian.count, laplacian.entries, laplacian.entry_count, flat);
    free(laplacian.entries);
    laplacian.entries = NULL;
    for (int v = 0; v < laplacian.count; v++) laplacian.mass[v] = 1 / laplacian.mass[v];
    sn_sparse_entry *square = good ? sn_sparse_rows_square(flat, laplacian.mass, &count) : NULL;
    good = square && sn_sparse_rows_make(laplacian.count, square, count, bent);
    free(square);
    sn_tet_laplacian_free(&laplacian);
    return good;
}

bool sn_biharmonic_weights(const sn_tet_mesh *mesh, const sn_weight_holds *holds, const sn_biharmonic_options *options,
                           double *weight, char why[256]) {
    const size_t stride = (size_t)mesh->vertex_count;
    sn_sparse_rows flat = {0}, bent = {0};
    bool *held = calloc(stride + 1, sizeof *held), singular = false, good = held != NULL;
    if (!good) snprintf(why, 256, "out of memory");
    good = good && check_holds(mesh, holds, held, why);
    if (good && !make_rows(mesh, &flat, &bent)) {
        snprintf(why, 256, "out of memory");
        good = false;
    }
    good = good && check_parts(&flat, held, why);
    if (good) {
        memset(weight, 0, stride * (size_t)holds->handle_count * sizeof *weight);
        for (int i = 0; i < holds->count; i++)
            if (holds->handle[i] >= 0) weight[(size_t)holds->handle[i] * stride + (size_t)holds->vertex[i]] = 1;
        good = sn_sparse_rows_minimise(&bent, held, weight, holds->handle_count, &singular);
        if (!good)
            snprintf(why, 256, "%s",
                     singular ? "the mesh has tetrahedra too flat to compute with; make it anew with 'sinew tet'"
                              : "out of memory");
    }
    if (good) tidy(options, mesh->vertex_count, holds->handle_count, weight);
    sn_sparse_rows_free(&flat), sn_sparse_rows_free(&bent);
    free(held);
    return good;
}
