// The cotangent Laplacian of a surface and its mass matrix, for any triangles.
#ifndef SN_FIELDS_LAPLACIAN_H
#define SN_FIELDS_LAPLACIAN_H

#include "fields/sparse.h"
#include "mesh/mesh.h"

typedef struct {
    int count;    // of nodes: vertices at the same position share one, so that texture seams do not cut the surface
    int *node;    // of each vertex
    int *vertex;  // one vertex of each node
    double *mass; // area of each node, positive
    sn_sparse_entry *entries; // Laplacian: positive semidefinite, lower triangle with the diagonal
    size_t entry_count;
} sn_laplacian;

// Accepts any triangles; those without area have almost no effect. Positions must be finite. False: out of memory, and
// the result is empty.
bool sn_laplacian_make(const sn_mesh *mesh, sn_laplacian *out);
void sn_laplacian_free(sn_laplacian *laplacian);

#endif
