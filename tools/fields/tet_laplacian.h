// The Laplacian of a tetrahedral mesh and its mass matrix.
#ifndef SN_FIELDS_TET_LAPLACIAN_H
#define SN_FIELDS_TET_LAPLACIAN_H

#include "fields/sparse.h"
#include "tets/tet_mesh.h"

typedef struct {
    int count;                // of vertices
    double *mass;             // a fourth of the volume of each vertex's tetrahedra; positive
    sn_sparse_entry *entries; // positive semidefinite, lower triangle with the diagonal
    size_t entry_count;
} sn_tet_laplacian;

// Accepts any tetrahedra with finite corners: inverted ones count with their absolute volume, flat ones have almost no
// effect. False: out of memory, and the result is empty.
bool sn_tet_laplacian_make(const sn_tet_mesh *mesh, sn_tet_laplacian *out);
void sn_tet_laplacian_free(sn_tet_laplacian *laplacian);

#endif
