// A harmonic field f minimises 1/2 f.L f with fixed values; see tet_laplacian.h and laplacian.h for L.
#include "fields/harmonic.h"
#include "base/union_find.h"
#include "fields/csr_matrix.h"
#include "fields/laplacian.h"
#include "fields/tet_laplacian.h"
#include <stdio.h>
#include <stdlib.h>

static bool check_given(const sn_dirichlet_values *given, int vertices, tool_error *error) {
    for (int i = 0; i < given->count; i++)
        if (given->vertex[i] < 0 || given->vertex[i] >= vertices)
            return tool_error_set(error, "the field is given at vertex %d, and there are %d vertices", given->vertex[i],
                                  vertices);
    return true;
}

// Isolated rows are fixed at 0. A component without a fixed value has no solution.
static bool check_components(const sn_csr_matrix *rows, bool *fixed, tool_error *error) {
    int *component = malloc(((size_t)rows->size + 1) * sizeof *component);
    if (!component) return tool_error_out_of_memory(error);
    const int components = sn_csr_matrix_components(rows, component);
    int *given = calloc((size_t)(components > 0 ? components : 1), sizeof *given);
    int *members = calloc((size_t)(components > 0 ? components : 1), sizeof *members);
    bool good = components >= 0 && given && members;
    if (!good) tool_error_out_of_memory(error);
    for (int r = 0; r < rows->size && good; r++) {
        if (rows->start[r + 1] == rows->start[r]) fixed[r] = true;
        ++members[component[r]];
        given[component[r]] += fixed[r];
    }
    for (int r = 0; r < rows->size && good; r++) {
        if (given[component[r]]) continue;
        tool_error_set(
            error,
            "the mesh is in %d pieces, and on the one of vertex %d (%d vertices) the field is given nowhere; give "
            "it there, or keep the largest piece only",
            components, r, members[component[r]]);
        good = false;
    }
    free(component), free(given), free(members);
    return good;
}

static bool solve(int size, const sn_sparse_entry *entries, size_t count, bool *fixed, double *x, tool_error *error) {
    sn_csr_matrix rows;
    bool singular = false;
    if (!sn_csr_matrix_build(size, entries, count, &rows)) return tool_error_out_of_memory(error);
    bool good = check_components(&rows, fixed, error);
    if (good && !sn_csr_matrix_minimise(&rows, fixed, x, 1, &singular)) {
        good = tool_error_out_of_memory(error);
        if (singular) tool_error_set(error, "the mesh has elements too flat to compute with; repair it first");
    }
    sn_csr_matrix_free(&rows);
    return good;
}

bool sn_harmonic_tets(const sn_tet_mesh *mesh, const sn_dirichlet_values *given, double *out, tool_error *error) {
    sn_tet_laplacian laplacian;
    if (!check_given(given, mesh->vertex_count, error)) return false;
    bool *fixed = calloc((size_t)mesh->vertex_count + 1, sizeof *fixed);
    if (!fixed || !sn_tet_laplacian_make(mesh, &laplacian)) {
        free(fixed);
        return tool_error_out_of_memory(error);
    }
    for (int v = 0; v < mesh->vertex_count; v++) out[v] = 0;
    for (int i = 0; i < given->count; i++) fixed[given->vertex[i]] = true, out[given->vertex[i]] = given->value[i];
    const bool good = solve(laplacian.count, laplacian.entries, laplacian.entry_count, fixed, out, error);
    sn_tet_laplacian_free(&laplacian);
    free(fixed);
    return good;
}

bool sn_harmonic_surface(const sn_mesh *mesh, const sn_dirichlet_values *given, double *out, tool_error *error) {
    sn_laplacian laplacian;
    if (!check_given(given, mesh->vertex_count, error)) return false;
    if (!sn_laplacian_make(mesh, &laplacian)) return tool_error_out_of_memory(error);
    bool *fixed = calloc((size_t)laplacian.count + 1, sizeof *fixed), good = false;
    double *x = calloc((size_t)laplacian.count + 1, sizeof *x);
    if (fixed && x) {
        for (int i = 0; i < given->count; i++) {
            const int node = laplacian.node[given->vertex[i]];
            fixed[node] = true, x[node] = given->value[i];
        }
        good = solve(laplacian.count, laplacian.entries, laplacian.entry_count, fixed, x, error);
        for (int v = 0; v < mesh->vertex_count && good; v++) out[v] = x[laplacian.node[v]];
    } else
        tool_error_out_of_memory(error);
    free(fixed), free(x);
    sn_laplacian_free(&laplacian);
    return good;
}

// Checks that every component with tetrahedra has vertices of both sets.
static bool check_source_and_sink(const sn_tet_mesh *mesh, const double *value, const bool *is_given,
                                  tool_error *error) {
    int *component = malloc(((size_t)mesh->vertex_count + 1) * sizeof *component);
    char *has = NULL;
    bool good = component != NULL;
    for (int v = 0; v < mesh->vertex_count && good; v++) component[v] = v;
    for (int t = 0; t < mesh->tet_count && good; t++)
        for (int k = 1; k < 4; k++) sn_union(component, mesh->tet[t][0], mesh->tet[t][k]);
    good = good && (has = calloc((size_t)mesh->vertex_count + 1, 1)) != NULL;
    if (!good) tool_error_out_of_memory(error);
    for (int v = 0; v < mesh->vertex_count && good; v++) {
        const int root = component[v] = sn_find_root(component, v);
        if (is_given[v]) has[root] |= value[v] > 0.5 ? 2 : 1;
    }
    for (int t = 0; t < mesh->tet_count && good; t++) {
        const int v = mesh->tet[t][0];
        if (has[component[v]] == 3) continue;
        const char *missing = has[component[v]] == 1   ? "no sink"
                              : has[component[v]] == 2 ? "no source"
                                                       : "no source and no sink";
        tool_error_set(
            error,
            "the piece of the mesh at (%.4g, %.4g, %.4g) has %s, so the field would not change there; name one, or "
            "keep the largest piece only",
            mesh->position[v][0], mesh->position[v][1], mesh->position[v][2], missing);
        good = false;
    }
    free(component), free(has);
    return good;
}

bool sn_harmonic_between(const sn_tet_mesh *mesh, const int *source, int source_count, const int *sink, int sink_count,
                         double *out, tool_error *error) {
    const int count = source_count + sink_count;
    int *vertex = malloc(((size_t)count + 1) * sizeof *vertex);
    double *value = malloc(((size_t)count + 1) * sizeof *value);
    bool *is_given = calloc((size_t)mesh->vertex_count + 1, sizeof *is_given), good = vertex && value && is_given;
    if (!good) tool_error_out_of_memory(error);
    for (int i = 0; i < count && good; i++) {
        vertex[i] = i < source_count ? source[i] : sink[i - source_count];
        value[i] = i < source_count ? 0 : 1;
    }
    const sn_dirichlet_values given = {vertex, value, count};
    good = good && check_given(&given, mesh->vertex_count, error);
    for (int i = 0; i < count && good; i++) {
        if (i >= source_count && is_given[vertex[i]] && out[vertex[i]] < 0.5)
            good = tool_error_set(error, "vertex %d is in the source and in the sink", vertex[i]);
        is_given[vertex[i]] = true, out[vertex[i]] = value[i];
    }
    good = good && check_source_and_sink(mesh, out, is_given, error) && sn_harmonic_tets(mesh, &given, out, error);
    for (int v = 0; v < mesh->vertex_count && good; v++) out[v] = out[v] < 0 ? 0 : out[v] > 1 ? 1 : out[v];
    free(vertex), free(value), free(is_given);
    return good;
}
