// Biharmonic weights by one sparse solve. Each weight w minimises 1/2 (M^-1 L w).M (M^-1 L w) = 1/2 w.(L M^-1 L) w, the
// integral of its squared Laplacian, with fixed values at constrained vertices. There are no inequality constraints, so
// one factorization serves all handles, and since the Laplacian of a constant is zero the weights add up to 1 by
// themselves, unless vertices are anchored at 0.
#include "fields/biharmonic.h"
#include "fields/csr_matrix.h"
#include "fields/tet_laplacian.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sn_biharmonic_options sn_biharmonic_options_exact(void) {
    return (sn_biharmonic_options){false, 0, false};
}

sn_biharmonic_options sn_biharmonic_options_pruned(void) {
    return (sn_biharmonic_options){true, 0.01, true};
}

static bool check_constraints(const sn_tet_mesh *mesh, const sn_weight_constraints *constraints, bool *fixed,
                              tool_error *error) {
    for (int i = 0; i < constraints->count; i++) {
        const int v = constraints->vertex[i], h = constraints->handle[i];
        if (v < 0 || v >= mesh->vertex_count)
            return tool_error_set(error, "handle %d holds vertex %d, and there are %d vertices", h, v,
                                  mesh->vertex_count);
        if (h < -1 || h >= constraints->handle_count)
            return tool_error_set(error, "vertex %d is held by handle %d, and there are %d handles", v, h,
                                  constraints->handle_count);
        if (fixed[v]) return tool_error_set(error, "vertex %d is held twice", v);
        fixed[v] = true;
    }
    return true;
}

// A component without a fixed vertex would make the matrix singular. Isolated vertices are fixed at 0.
static bool check_components(const sn_csr_matrix *rows, bool *fixed, tool_error *error) {
    int *component = malloc(((size_t)rows->size + 1) * sizeof *component);
    bool *has_fixed = calloc((size_t)rows->size + 1, sizeof *has_fixed);
    bool good = component && has_fixed && sn_csr_matrix_components(rows, component) >= 0;
    if (!good) tool_error_out_of_memory(error);
    for (int r = 0; r < rows->size && good; r++) {
        if (rows->start[r] == rows->start[r + 1]) fixed[r] = true;
        if (fixed[r]) has_fixed[component[r]] = true;
    }
    for (int r = 0; r < rows->size && good; r++) {
        if (has_fixed[component[r]]) continue;
        good = tool_error_set(error, "no handle holds the piece of the mesh that vertex %d is on", r);
    }
    free(component), free(has_fixed);
    return good;
}

// Clamps, prunes and normalises.
static void postprocess(const sn_biharmonic_options *options, int vertices, int handles, double *weight) {
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
        // With anchors the sum may be anything from 0 to 1; outside of that it is overshoot.
        before = options->clamp ? (before < 0 ? 0 : before > 1 ? 1 : before) : before;
        if (!options->normalise || !(after > 1e-12)) continue;
        for (size_t h = 0; h < (size_t)handles; h++) weight[h * stride + v] *= before / after;
    }
}

static bool build_matrices(const sn_tet_mesh *mesh, sn_csr_matrix *laplacian, sn_csr_matrix *bilaplacian) {
    sn_tet_laplacian tets;
    size_t count = 0;
    if (!sn_tet_laplacian_make(mesh, &tets)) return false;
    bool good = sn_csr_matrix_build(tets.count, tets.entries, tets.entry_count, laplacian);
    free(tets.entries);
    tets.entries = NULL;
    for (int v = 0; v < tets.count; v++) tets.mass[v] = 1 / tets.mass[v];
    sn_sparse_entry *square = good ? sn_csr_matrix_square(laplacian, tets.mass, &count) : NULL;
    good = square && sn_csr_matrix_build(tets.count, square, count, bilaplacian);
    free(square);
    sn_tet_laplacian_free(&tets);
    return good;
}

bool sn_biharmonic_weights(const sn_tet_mesh *mesh, const sn_weight_constraints *constraints,
                           const sn_biharmonic_options *options, double *weight, tool_error *error) {
    const size_t stride = (size_t)mesh->vertex_count;
    sn_csr_matrix laplacian = {0}, bilaplacian = {0};
    bool *fixed = calloc(stride + 1, sizeof *fixed), singular = false, good = fixed != NULL;
    if (!good) tool_error_out_of_memory(error);
    good = good && check_constraints(mesh, constraints, fixed, error);
    if (good && !build_matrices(mesh, &laplacian, &bilaplacian)) good = tool_error_out_of_memory(error);
    good = good && check_components(&laplacian, fixed, error);
    if (good) {
        memset(weight, 0, stride * (size_t)constraints->handle_count * sizeof *weight);
        for (int i = 0; i < constraints->count; i++)
            if (constraints->handle[i] >= 0)
                weight[(size_t)constraints->handle[i] * stride + (size_t)constraints->vertex[i]] = 1;
        good = sn_csr_matrix_minimise(&bilaplacian, fixed, weight, constraints->handle_count, &singular);
        if (!good) tool_error_out_of_memory(error);
        if (singular)
            tool_error_set(error, "the mesh has tetrahedra too flat to compute with; make it anew with 'sinew tet'");
    }
    if (good) postprocess(options, mesh->vertex_count, constraints->handle_count, weight);
    sn_csr_matrix_free(&laplacian), sn_csr_matrix_free(&bilaplacian);
    free(fixed);
    return good;
}
