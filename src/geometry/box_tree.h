// A tree over boxes: a bounding volume hierarchy.
#ifndef SN_GEOMETRY_BOX_TREE_H
#define SN_GEOMETRY_BOX_TREE_H

#include "geometry/primitives.h"

// No tree is deeper.
enum { SN_BOX_TREE_DEPTH = 72 };

// The first child of a node follows it; the second is stored.
typedef struct {
    sn_bounds bounds;
    int32_t first; // a leaf: its first item; else the second child
    int32_t count; // items of a leaf; 0: not a leaf
} sn_box_node;

typedef struct {
    sn_bounds bounds;
    sn_vec3 centre; // written by the builder
    int32_t source; // yours
} sn_box_item;

// Puts the items into the order of the leaves. Returns the number of nodes, at most 2 count.
int sn_box_tree_build(sn_box_item *items, int count, sn_box_node *nodes);

// Fits the nodes to other bounds of the same items, in the order of the leaves.
void sn_box_tree_refit(sn_box_node *nodes, int node_count, const sn_bounds *bounds);

#endif
