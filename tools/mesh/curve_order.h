// Indices sorted by their position on a space-filling curve.
#ifndef SN_MESH_CURVE_ORDER_H
#define SN_MESH_CURVE_ORDER_H

#include <stdint.h>
#include <stdlib.h>

typedef struct {
    uint64_t key; // position along the curve
    int index;
} curve_entry;

static inline int curve_compare(const void *a, const void *b) {
    const curve_entry *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

// Entries with equal keys are sorted by index.
static inline void curve_sort(curve_entry *entries, int count) {
    qsort(entries, (size_t)count, sizeof *entries, curve_compare);
}

#endif
