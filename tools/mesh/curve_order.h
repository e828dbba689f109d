// Numbers sorted by their place on a curve.
#ifndef SN_MESH_CURVE_ORDER_H
#define SN_MESH_CURVE_ORDER_H

#include <stdint.h>
#include <stdlib.h>

typedef struct {
    uint64_t key; // how far along the curve
    int number;
} curve_place;

static inline int curve_compare(const void *a, const void *b) {
    const curve_place *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

// Those with the same key by their numbers.
static inline void curve_sort(curve_place *places, int count) {
    qsort(places, (size_t)count, sizeof *places, curve_compare);
}

#endif
