// Smoothing over a length: removes finer detail and preserves coarser, whatever the mesh's resolution.
#ifndef SN_FIELDS_SMOOTH_H
#define SN_FIELDS_SMOOTH_H

#include "tets/tet_mesh.h"

// Smooths fields in a body or on a surface: 'columns' of them one after the other in 'field', a value for each vertex.
// Preserves their integrals. False: out of memory, and the fields are unchanged.
bool sn_smooth_tets(const sn_tet_mesh *mesh, double length, double *field, int columns);
bool sn_smooth_surface(const sn_mesh *mesh, double length, double *field, int columns);

// Smooths the vertex positions of a surface. A closed surface keeps its volume. Normals, if there are any, are
// recomputed. False: out of memory, and the mesh is unchanged.
bool sn_smooth_positions(sn_mesh *mesh, double length);

#endif
