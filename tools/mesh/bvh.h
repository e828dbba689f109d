// A bounding volume hierarchy over anything that has boxes, such as triangles or tetrahedra. Winding numbers, closest
// points, rays and embeddings use it.
#ifndef SN_MESH_BVH_H
#define SN_MESH_BVH_H

#include "mesh/mesh.h"

typedef struct {
    float low[3], high[3];
} bvh_box;

bvh_box bvh_box_empty(void);
void bvh_box_grow(bvh_box *box, const float p[3]); // enlarges the box to contain p

// An inner node has the children 'first' and 'first' + 1, both behind their parent in the list. A leaf has 'count'
// items starting at 'first' in 'index'.
typedef struct {
    bvh_box bound;
    int first, count; // count 0: inner node
} bvh_node;

enum {
    BVH_MAX_DEPTH = 72, // enough for the stack of a traversal
    BVH_LEAF_SIZE = 4,  // max items of a leaf
};

typedef struct {
    bvh_node *node;
    int node_count; // 0: no items
    int *index;     // the items' indices in leaf order
    int count;
} bvh;

// Bounds must be finite. 'indices' are the items' indices; null: 0, 1, 2, ... False: out of memory.
bool bvh_build(bvh *tree, const bvh_box *bounds, const int *indices, int count);
void bvh_free(bvh *tree);

// The BVH of a mesh's triangles, with their corners in leaf order.
typedef struct {
    bvh bvh; // its indices are the mesh's triangles
    float (*corner)[3][3];
} mesh_bvh;

// Leaves out triangles with a vertex index out of range or a vertex that is not finite. False: out of memory.
bool mesh_bvh_build(mesh_bvh *tree, const sn_mesh *mesh);
void mesh_bvh_free(mesh_bvh *tree);

#endif
