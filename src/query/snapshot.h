// The insides of a snapshot: for each body its elements with a tree over them, and a tree over the bodies.
//
// Elements are in the order of their tree's leaves. Those of a mesh are in its own frame, so that its tree is built once; all others
// are in the world's.
#ifndef SN_QUERY_SNAPSHOT_H
#define SN_QUERY_SNAPSHOT_H

#include "base/memory.h"
#include "geometry/box_tree.h"
#include "query/probe.h"
#include "sinew/query.h"

typedef struct {
    sn_query_primitive primitive;
    int32_t number;  // in the body
    int32_t source;  // node at the end of a pill, from the body's first; ~ the slab, from the body's first
    int32_t segment; // or -1
    int32_t node[3]; // corners, from the body's first
} sn_query_element;

typedef struct {
    sn_body body;
    int row, slot; // what they are sorted by
    uint32_t group;
    bool asleep;
    bool moves;    // it is neither static nor kinematic
    bool points;   // its nodes are points of the API
    bool is_local; // elements are in the frame of 'pose'
    sn_transform pose;
    sn_bounds bounds; // in the world
    int count, capacity;
    sn_query_element *elements;
    sn_bounds *element_bounds;
    sn_box_node *nodes; // 2 * capacity
    int node_count;
} sn_query_body;

struct sn_snapshot {
    sn_memory memory;
    sn_query_body **bodies;
    int count, capacity;
    sn_query_body **next; // while it is updated
    int next_count, next_capacity;
    sn_box_item *items; // bodies of finite size, in the order of the tree
    int item_count, item_capacity;
    sn_box_node *nodes;
    int node_count, node_capacity;
    int32_t *planes; // bodies without an end
    int plane_count, plane_capacity;
};

#endif
