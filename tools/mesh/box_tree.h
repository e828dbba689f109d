// A tree of boxes over things that have boxes, such as triangles and tetrahedra: what the winding number, closest
// points, rays and embeddings stand on.
#ifndef SN_MESH_BOX_TREE_H
#define SN_MESH_BOX_TREE_H

#include <stdbool.h>

typedef struct {
    float low[3], high[3];
} tree_box;

tree_box tree_box_empty(void);
void tree_box_grow(tree_box *box, const float p[3]); // so that it holds p

// Children of an inner node are 'first' and 'first' + 1, both larger than their parent; a leaf has 'count' things from
// 'first' on, in the order of 'number'.
typedef struct {
    tree_box bound;
    int first, count; // count 0: an inner node
} tree_node;

enum {
    TREE_DEPTH = 72, // more than any path from the root: a stack of this many nodes is enough
    TREE_LEAF = 4,   // things of a leaf, at most
};

typedef struct {
    tree_node *node;
    int node_count; // 0: a tree of nothing
    int *number;    // of each thing, in the tree's order
    int count;
} box_tree;

// Bounds must be finite. 'numbers' are what the things are called; null: 0, 1, 2, ... False: no memory.
bool box_tree_make(box_tree *tree, const tree_box *bounds, const int *numbers, int count);
void box_tree_free(box_tree *tree);

#endif
