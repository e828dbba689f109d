// The broad phase: finds all pairs of overlapping spheres in time linear in spheres and pairs, for any mixture of sizes
// and any distance from the origin.
#ifndef SN_GEOMETRY_GRID_H
#define SN_GEOMETRY_GRID_H

#include "base/tasks.h"
#include "geometry/primitives.h"

// Called for every overlapping pair that passed the other filters, a < b; from several threads at once.
typedef bool sn_grid_keep_fn(void *user, int a, int b);

typedef struct {
    const sn_sphere *spheres; // with margins. One with a negative or non-finite radius is in no pair
    int count;
    const int32_t *body;    // null, or each sphere's body: no pairs within a body,
    bool same_body;         // unless this is set
    const uint32_t *groups; // null, or bits: a pair needs groups[a] & masks[b] and groups[b] & masks[a]
    const uint32_t *masks;  // required with groups
    sn_grid_keep_fn *keep;  // null: all
    void *user;
    int64_t max_pairs; // 0: no limit
} sn_grid_items;

// What a call leaves for the next; initialise to zero.
typedef struct {
    int chunks; // how many were needed
} sn_grid;

// Finds the pairs with |centre_a - centre_b|^2 <= (radius_a + radius_b)^2, a < b. Their order depends only on the
// spheres; pairs close in space are close in the list. All memory, including the pairs, comes from the arena and is
// valid until its reset; a call of the same size as the last allocates nothing. SN_ERR_MEMORY: no pairs. SN_ERR_PAIRS: there are
// more than 'max_pairs', and *pair_count is their number, at most INT_MAX. 'lanes' is as
// in sn_pill_pairs_for and does not change the result; SN_ERR_RANGE: this build does not have that width.
sn_status sn_grid_pairs(sn_grid *grid, const sn_grid_items *items, int lanes, sn_pool *pool, sn_arena *arena,
                        sn_pair **pairs, int *pair_count);

#endif
