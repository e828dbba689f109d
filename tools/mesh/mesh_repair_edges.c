// Edge adjacency by sorting: half-edges with the same two ends are neighbours in the sorted list.
#include "mesh/mesh_repair_internal.h"
#include <stdlib.h>

typedef struct {
    int low, high, half;
} sorted_edge;

static int compare_edges(const void *one, const void *two) {
    const sorted_edge *a = one, *b = two;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return a->half < b->half ? -1 : a->half > b->half;
}

int *find_half_edge_twins(const sn_mesh *mesh, int *non_manifold) {
    const int count = 3 * mesh->triangle_count;
    const size_t capacity = (size_t)(count > 0 ? count : 1);
    sorted_edge *edge = malloc(capacity * sizeof *edge);
    int *twin = malloc(capacity * sizeof *twin);
    *non_manifold = 0;
    if (!edge || !twin) {
        free(edge), free(twin);
        return NULL;
    }
    for (int h = 0; h < count; h++) {
        const int a = mesh_edge_start(mesh, h), b = mesh_edge_end(mesh, h);
        edge[h] = (sorted_edge){a < b ? a : b, a < b ? b : a, h};
    }
    qsort(edge, (size_t)count, sizeof *edge, compare_edges);
    for (int i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && edge[end].low == edge[i].low && edge[end].high == edge[i].high; end++) {
        }
        if (end - i == 2) {
            twin[edge[i].half] = edge[i + 1].half;
            twin[edge[i + 1].half] = edge[i].half;
            continue;
        }
        *non_manifold += end - i > 2;
        for (int k = i; k < end; k++) twin[edge[k].half] = end - i == 1 ? EDGE_BOUNDARY : EDGE_NON_MANIFOLD;
    }
    free(edge);
    return twin;
}

// The boundary half-edge after h: rotates around h's end until the boundary. -1: stopped at a non-manifold edge, or at
// triangles with different orientation.
static int boundary_next(const sn_mesh *mesh, const int *twin, int h) {
    const int pivot = mesh_edge_end(mesh, h);
    h = half_edge_next(h);
    while (twin[h] >= 0) {
        if (mesh_edge_end(mesh, twin[h]) != pivot) return -1;
        h = half_edge_next(twin[h]);
    }
    return twin[h] == EDGE_BOUNDARY ? h : -1;
}

bool boundary_loops_find(const sn_mesh *mesh, const int *twin, boundary_loops *out) {
    const int count = 3 * mesh->triangle_count;
    int boundary_count = 0;
    for (int h = 0; h < count; h++) boundary_count += twin[h] == EDGE_BOUNDARY;
    *out = (boundary_loops){malloc(((size_t)boundary_count + 1) * sizeof(int)),
                            malloc(((size_t)boundary_count + 1) * sizeof(int)), 0};
    char *seen = calloc((size_t)count + 1, 1);
    if (!out->edge || !out->start || !seen) {
        boundary_loops_free(out);
        free(seen);
        return false;
    }
    int used = 0;
    for (int first = 0; first < count; first++) {
        if (twin[first] != EDGE_BOUNDARY || seen[first]) continue;
        out->start[out->loops++] = used;
        for (int h = first; h >= 0 && !seen[h]; h = boundary_next(mesh, twin, h)) {
            seen[h] = 1;
            out->edge[used++] = h;
        }
    }
    out->start[out->loops] = used;
    free(seen);
    return true;
}

void boundary_loops_free(boundary_loops *loops) {
    free(loops->edge);
    free(loops->start);
    *loops = (boundary_loops){0};
}
