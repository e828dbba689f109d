// Numbers sorted by their place on a curve.
#ifndef SN_MESH_CURVE_ORDER_H
#define SN_MESH_CURVE_ORDER_H

#include <stdint.h>
#include <stdlib.h>

typedef struct {
    uint64_t key; // how far along the curve
    int index;
} curve_entry;

static inline int curve_compare(const void *a, const void *b) {
    const curve_entry *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

// Those with the same key by their numbers.
static inline void curve_sort(curve_entry *entries, int count) {
    qsort(entries, (size_t)count, sizeof *entries, curve_compare);
}

#endif
