// Better tetrahedra by moving vertices.
#ifndef SN_TETS_TET_IMPROVE_H
#define SN_TETS_TET_IMPROVE_H

#include "mesh/mesh_query.h"
#include "tets/tet_mesh.h"

// Moves the vertices of tetrahedra whose quality is below 'wanted' (see sn_tet_quality), or whose dihedral angles are
// as bad, so that the worst around each gets better; never worse. Vertices of the boundary slide along the surface
// 'near'; those that are not on it, over holes, are as free as those within. Returns how many vertices moved; -1: no
// memory, and nothing moved.
int sn_tet_improve(sn_tet_mesh *mesh, const sn_mesh_query *query, double wanted, int rounds);

#endif
