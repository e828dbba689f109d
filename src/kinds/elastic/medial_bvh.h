// A tree of boxes over the primitives of one elastic body, or over whole bodies: built once from the boxes at rest,
// refitted when they have moved. A body that is far from every other costs one box; one that touches with a toe costs
// the way down to the toe.
#ifndef SN_KINDS_ELASTIC_MEDIAL_BVH_H
#define SN_KINDS_ELASTIC_MEDIAL_BVH_H

#include "base/memory.h"
#include "geometry/slab.h"

// Children are neighbours: the first is the next node, the second is named.
typedef struct {
    int32_t item;  // of a leaf; else -1
    int32_t other; // the second child
} sn_medial_node;

// What does not move: who is whose child.
typedef struct {
    sn_medial_node *nodes; // 2 item_count - 1, parents before their children
    int node_count, item_count;
} sn_medial_tree;

// SN_ERR_MEMORY: *out is empty. An empty tree is fine.
sn_status sn_medial_tree_build(sn_memory *memory, const sn_bounds *boxes, int count, sn_medial_tree *out);
void sn_medial_tree_free(sn_memory *memory, sn_medial_tree *tree);

static inline sn_bounds sn_bounds_join(const sn_bounds *a, const sn_bounds *b) {
    return (sn_bounds){
        .lo = {sn_min(a->lo.x, b->lo.x), sn_min(a->lo.y, b->lo.y), sn_min(a->lo.z, b->lo.z)},
        .hi = {sn_max(a->hi.x, b->hi.x), sn_max(a->hi.y, b->hi.y), sn_max(a->hi.z, b->hi.z)},
    };
}

// The boxes of all nodes from those of the items.
void sn_medial_tree_fit(const sn_medial_tree *tree, const sn_bounds *boxes, sn_bounds *node_boxes);

// Called with an item of a and one of b whose boxes overlap.
typedef void sn_medial_visit_fn(void *user, int a, int b);

// Every pair of items whose boxes overlap (touching counts), in an order that depends on trees and boxes alone. Returns
// how many pairs of boxes were compared.
int64_t sn_medial_tree_pairs(const sn_medial_tree *a, const sn_bounds *boxes_a, const sn_medial_tree *b,
                             const sn_bounds *boxes_b, sn_medial_visit_fn *visit, void *user);

// The same within one tree: every pair once, never an item with itself.
int64_t sn_medial_tree_self_pairs(const sn_medial_tree *tree, const sn_bounds *boxes, sn_medial_visit_fn *visit,
                                  void *user);

// --- trees of slabs ---

// A slab around all items of each node, from theirs; a leaf has its item's own.
void sn_medial_tree_cover(const sn_medial_tree *tree, const sn_slab *items, sn_slab *node_slabs);

// Adds to each node's path the most that one of its items has moved or grown.
void sn_medial_tree_move(const sn_medial_tree *tree, const sn_slab *before, const sn_slab *now, sn_real *path);

// What was found out about a pair of nodes, to be remembered: the gap, if they are apart at least so much, or if they are
// items; and how long their paths were then. As long as these have not grown by as much, the pair is still apart, or
// still overlaps, and is not tested.
typedef struct {
    sn_real gap; // or SN_MEDIAL_OPEN: not apart, and what was found about the pairs below follows
    sn_real path;
} sn_medial_note;

#define SN_MEDIAL_OPEN ((sn_real)-HUGE_VALF)

typedef struct {
    const sn_medial_tree *tree;
    const sn_slab *slabs; // of nodes
    const sn_real *path;  // of nodes
} sn_medial_side;

// A search for every pair of items whose slabs overlap.
typedef struct {
    sn_medial_side a, b; // the same twice: within one tree, every pair once, never an item with itself
    bool (*skip)(void *user, int a, int b);               // pairs of items never to be tested; may be null
    void (*visit)(void *user, int a, int b);              // pairs that overlap, in an order that trees alone decide
    void (*keep)(void *user, const sn_medial_note *note); // notes for the next time, in their order
    void *user;
    const sn_medial_note *last; // those of the last time, between the same trees; null: none
} sn_medial_search;

// Returns how many pairs of slabs were tested, those of items included: there is no other test.
int64_t sn_medial_tree_search(const sn_medial_search *search);

#endif
