// Pairs of overlapping spheres, in two levels: the grid (grid.h) finds runs of spheres that overlap, and within a pair of runs
// every sphere of one is tested against all of the other at once. See leaf_pairs.c.
#ifndef SN_GEOMETRY_LEAF_PAIRS_H
#define SN_GEOMETRY_LEAF_PAIRS_H

#include "geometry/grid.h"

typedef struct {
    const sn_sphere *spheres; // with margins. One with a negative or non-finite radius is in no pair
    int count;
    const int64_t *owner; // a run has one owner
    // Whether spheres of the owners of a and b may make pairs, a <= b; null: all. From several threads at once, as is 'keep'.
    sn_grid_keep_fn *keep_owners;
    sn_grid_keep_fn *keep; // then, whether a and b are a pair, a < b; null: all
    void *user;
    int64_t max_pairs; // 0: no limit
} sn_leaf_items;

// Finds the pairs with |centre_a - centre_b|^2 <= (radius_a + radius_b)^2, a < b. Everything else is as of sn_grid_pairs.
sn_status sn_leaf_pairs(sn_grid *grid, const sn_leaf_items *items, int lanes, sn_pool *pool, sn_arena *arena,
                        sn_pair **pairs, int *pair_count);

// ---- for the kernel

enum { SN_LEAF = 16 }; // spheres of a leaf, at most

typedef struct {
    int32_t first, count; // items
    uint32_t valid;       // bits of those that may be in pairs
} sn_leaf;

typedef struct {
    sn_real *x, *y, *z, *radius; // by item, and SN_LEAF more
} sn_leaf_rows;

// hits[i]: bits of the spheres of b that the i-th of a overlaps; 'bound' is around b.
typedef void sn_leaf_hits_fn(const sn_leaf_rows *rows, const sn_leaf *a, const sn_leaf *b, const sn_sphere *bound,
                             uint16_t hits[SN_LEAF]);
sn_leaf_hits_fn sn_leaf_hits_w1, sn_leaf_hits_w4, sn_leaf_hits_w8, sn_leaf_hits_w16;

#endif
