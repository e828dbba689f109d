// The BVH of a mesh's triangles, with their corners in leaf order.
#ifndef SN_MESH_MESH_BVH_H
#define SN_MESH_MESH_BVH_H

#include "mesh/bvh.h"
#include "mesh/mesh.h"

typedef struct {
    bvh bvh; // its indices are the mesh's triangles
    float (*corner)[3][3];
} mesh_bvh;

// Leaves out triangles with a vertex index out of range or a vertex that is not finite. False: out of memory.
bool mesh_bvh_build(mesh_bvh *tree, const sn_mesh *mesh);
void mesh_bvh_free(mesh_bvh *tree);

#endif
