// A bounding volume hierarchy over the primitives of one elastic body, or over whole bodies: built once from the boxes
// at rest, refitted when they have moved.
#ifndef SN_MEDIAL_MEDIAL_BVH_H
#define SN_MEDIAL_MEDIAL_BVH_H

#include "base/memory.h"
#include "geometry/slab.h"

// The first child is the next node.
typedef struct {
    int32_t item;  // of a leaf; else -1
    int32_t other; // the second child
} sn_medial_node;

// The topology, which is constant.
typedef struct {
    sn_medial_node *nodes; // 2 item_count - 1, parents before their children
    int node_count, item_count;
} sn_medial_bvh;

// SN_ERR_MEMORY: *out is empty. An empty BVH is fine.
sn_status sn_medial_bvh_build(sn_memory *memory, const sn_bounds *boxes, int count, sn_medial_bvh *out);
void sn_medial_bvh_free(sn_memory *memory, sn_medial_bvh *bvh);

static inline sn_bounds sn_bounds_join(const sn_bounds *a, const sn_bounds *b) {
    return (sn_bounds){
        .lo = {sn_min(a->lo.x, b->lo.x), sn_min(a->lo.y, b->lo.y), sn_min(a->lo.z, b->lo.z)},
        .hi = {sn_max(a->hi.x, b->hi.x), sn_max(a->hi.y, b->hi.y), sn_max(a->hi.z, b->hi.z)},
    };
}

// Computes the boxes of all nodes from those of the items.
void sn_medial_bvh_refit(const sn_medial_bvh *bvh, const sn_bounds *boxes, sn_bounds *node_boxes);

// Called with an item of a and one of b whose boxes overlap.
typedef void sn_medial_visit_fn(void *user, int a, int b);

// Visits every pair of items whose closed boxes overlap, in an order that depends on BVHs and boxes only. Returns the
// number of pairs of boxes tested.
int64_t sn_medial_bvh_find_pairs(const sn_medial_bvh *a, const sn_bounds *boxes_a, const sn_medial_bvh *b,
                                 const sn_bounds *boxes_b, sn_medial_visit_fn *visit, void *user);

// The same within one BVH: every pair once, never an item with itself.
int64_t sn_medial_bvh_find_self_pairs(const sn_medial_bvh *bvh, const sn_bounds *boxes, sn_medial_visit_fn *visit,
                                      void *user);

// ---- hierarchies of slabs

// Computes a slab around all items of each node; a leaf has its item's own.
void sn_medial_bvh_fit_slabs(const sn_medial_bvh *bvh, const sn_slab *items, sn_slab *node_slabs);

// Adds to each node's path the maximum motion and growth of its items.
void sn_medial_bvh_add_motion(const sn_medial_bvh *bvh, const sn_slab *before, const sn_slab *now, sn_real *path);

// The result of a pair of nodes, cached for the next search: their gap if they are separated or both are leaves, and
// the sum of their paths then. Until the paths have grown by the gap, the pair is still separated (or still overlaps)
// and is not tested.
typedef struct {
    sn_real gap; // or SN_MEDIAL_OVERLAP: the nodes overlap, and the results of their children follow
    sn_real path;
} sn_medial_cached_gap;

#define SN_MEDIAL_OVERLAP ((sn_real)-HUGE_VALF)

typedef struct {
    const sn_medial_bvh *bvh;
    const sn_slab *slabs; // of nodes
    const sn_real *path;  // of nodes
} sn_medial_side;

// A search for every pair of items whose slabs overlap.
typedef struct {
    sn_medial_side a, b; // the same twice: within one BVH, every pair once, never an item with itself
    bool (*skip)(void *user, int a, int b);                    // pairs of items to exclude; may be null
    void (*visit)(void *user, int a, int b);                   // overlapping pairs, in an order given by the BVHs
    void (*save)(void *user, const sn_medial_cached_gap *gap); // gaps for the next search, in order
    void *user;
    const sn_medial_cached_gap *last; // gaps of the last search between the same BVHs; null: none
} sn_medial_search;

// Returns the number of pairs of slabs tested, including those of items.
int64_t sn_medial_bvh_search(const sn_medial_search *search);

#endif
