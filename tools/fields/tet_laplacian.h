// The Laplacian of a mesh of tetrahedra and its mass matrix: smooth functions in a body.
#ifndef SN_FIELDS_TET_LAPLACIAN_H
#define SN_FIELDS_TET_LAPLACIAN_H

#include "fields/sparse.h"
#include "tets/tet_mesh.h"

typedef struct {
    int count;                // of vertices
    double *mass;             // a fourth of the volume of each vertex's tetrahedra; more than 0
    sn_sparse_entry *entries; // positive semidefinite, lower triangle with the diagonal
    size_t entry_count;
} sn_tet_laplacian;

// Works for any tetrahedra with finite corners: those turned inside out count with their volume, and those without
// count hardly. False: no memory; the result is then empty.
bool sn_tet_laplacian_make(const sn_tet_mesh *mesh, sn_tet_laplacian *out);
void sn_tet_laplacian_free(sn_tet_laplacian *laplacian);

#endif
