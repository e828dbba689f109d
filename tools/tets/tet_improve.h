// Improvement of tetrahedra by moving vertices.
#ifndef SN_TETS_TET_IMPROVE_H
#define SN_TETS_TET_IMPROVE_H

#include "mesh/mesh_query.h"
#include "tets/tet_mesh.h"

// Moves the vertices of tetrahedra whose quality is below 'wanted' (see sn_tet_quality), or whose dihedral angles are
// equally bad, so that the worst tetrahedron around each vertex gets better, never worse. Boundary vertices slide along
// the surface 'query'; those that are not on it, over holes, move freely. Returns the number of moved vertices; -1: out
// of memory, and nothing has moved.
int sn_tet_improve(sn_tet_mesh *mesh, const sn_mesh_query *query, double wanted, int rounds);

#endif
