// The broad phase: all pairs of spheres that overlap, in time linear in spheres and pairs, for any mixture of sizes
// and any distance from the origin.
#ifndef SN_GEOMETRY_GRID_H
#define SN_GEOMETRY_GRID_H

#include "base/tasks.h"
#include "geometry/primitives.h"

// Asked for every overlapping pair that passed the other filters, a < b; from several threads at once.
typedef bool sn_grid_keep_fn(void *user, int a, int b);

typedef struct {
    const sn_sphere *spheres; // margins included. One with a negative radius, or not finite, is in no pair
    int count;
    const int32_t *body;    // null, or each sphere's body: no pairs within a body,
    bool same_body;         // unless this is set
    const uint32_t *groups; // null, or bits: a pair needs groups[a] & masks[b] and groups[b] & masks[a]
    const uint32_t *masks;  // given together with groups
    sn_grid_keep_fn *keep;  // null: all
    void *user;
} sn_grid_items;

// What one call remembers for the next; starts as all zero.
typedef struct {
    int chunks; // how many were needed
} sn_grid;

// Finds the pairs with |centre_a - centre_b|^2 <= (radius_a + radius_b)^2, a < b. Their order depends on the spheres
// alone: neighbours in space are near each other in the list. Everything, the pairs too, comes from the arena, so it
// lasts until the arena's reset, and a call like the last one allocates nothing. SN_ERR_MEMORY: no pairs.
// 'lanes' is as in sn_pill_pairs_for, and the answer does not depend on it; SN_ERR_RANGE: not in this build.
sn_status sn_grid_pairs(sn_grid *grid, const sn_grid_items *items, int lanes, sn_pool *pool, sn_arena *arena,
                        sn_pair **pairs, int *pair_count);

#endif
