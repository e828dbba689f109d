// The tree of boxes of a mesh, with the corners of its triangles in the tree's order.
#ifndef SN_MESH_MESH_BVH_H
#define SN_MESH_MESH_BVH_H

#include "mesh/bvh.h"
#include "mesh/mesh.h"

typedef struct {
    bvh bvh; // numbers are those of the mesh's triangles
    float (*corner)[3][3];
} mesh_bvh;

// Triangles that name a vertex beyond the mesh, or one that is not finite, are left out. False: no memory.
bool mesh_bvh_build(mesh_bvh *tree, const sn_mesh *mesh);
void mesh_bvh_free(mesh_bvh *tree);

#endif
