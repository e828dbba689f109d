// Comparisons for qsort and bsearch, and edges as sortable keys.
#ifndef SN_MESH_SORT_H
#define SN_MESH_SORT_H

#include <stdint.h>

static inline int compare_int(const void *a, const void *b) {
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static inline int compare_double(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline int compare_uint64(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// The undirected edge between two vertices: the lower index in the upper half, so that keys sort by it first.
static inline uint64_t edge_key(int a, int b) {
    return a < b ? (uint64_t)a << 32 | (uint32_t)b : (uint64_t)b << 32 | (uint32_t)a;
}

#endif
