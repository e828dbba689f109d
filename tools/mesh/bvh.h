// A tree of boxes over things that have boxes, such as triangles and tetrahedra: what the winding number, closest
// points, rays and embeddings stand on.
#ifndef SN_MESH_BVH_H
#define SN_MESH_BVH_H

#include <stdbool.h>

typedef struct {
    float low[3], high[3];
} bvh_box;

bvh_box bvh_box_empty(void);
void bvh_box_grow(bvh_box *box, const float p[3]); // so that it holds p

// Children of an inner node are 'first' and 'first' + 1, both larger than their parent; a leaf has 'count' things from
// 'first' on, in the order of 'number'.
typedef struct {
    bvh_box bound;
    int first, count; // count 0: an inner node
} bvh_node;

enum {
    BVH_MAX_DEPTH = 72, // more than any path from the root: a stack of this many nodes is enough
    BVH_LEAF_SIZE = 4,  // things of a leaf, at most
};

typedef struct {
    bvh_node *node;
    int node_count; // 0: a tree of nothing
    int *index;     // of each thing, in the tree's order
    int count;
} bvh;

// Bounds must be finite. 'numbers' are what the things are called; null: 0, 1, 2, ... False: no memory.
bool bvh_build(bvh *tree, const bvh_box *bounds, const int *indices, int count);
void bvh_free(bvh *tree);

#endif
