// The tree of boxes of a mesh, with the corners of its triangles in the tree's order.
#ifndef SN_MESH_TRIANGLE_TREE_H
#define SN_MESH_TRIANGLE_TREE_H

#include "mesh/box_tree.h"
#include "mesh/mesh.h"

typedef struct {
    box_tree boxes; // numbers are those of the mesh's triangles
    float (*corner)[3][3];
} triangle_tree;

// Triangles that name a vertex beyond the mesh, or one that is not finite, are left out. False: no memory.
bool triangle_tree_make(triangle_tree *tree, const sn_mesh *mesh);
void triangle_tree_free(triangle_tree *tree);

#endif
