// The cotangent Laplacian of a surface and its mass matrix: smooth functions on meshes, whatever their triangles.
#ifndef SN_FIELDS_LAPLACIAN_H
#define SN_FIELDS_LAPLACIAN_H

#include "fields/sparse.h"
#include "mesh/mesh.h"

typedef struct {
    int count;    // of places: vertices at the same position are one, so that texture seams do not cut the surface
    int *node;    // of each vertex
    int *vertex;  // one of each place
    double *mass; // area of each place, more than 0
    sn_sparse_entry *entries; // of the Laplacian, positive semidefinite, lower triangle with the diagonal
    size_t entry_count;
} sn_laplacian;

// Works for any triangles: those without area count hardly, vertices without triangles stand alone. Positions must be
// finite. False: no memory; the result is then empty.
bool sn_laplacian_make(const sn_mesh *mesh, sn_laplacian *out);
void sn_laplacian_free(sn_laplacian *laplacian);

#endif
