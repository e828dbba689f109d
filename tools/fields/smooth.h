// Smoothing over a length: what is finer goes, what is coarser stays, whatever the mesh's resolution.
#ifndef SN_FIELDS_SMOOTH_H
#define SN_FIELDS_SMOOTH_H

#include "tets/tet_mesh.h"

// Smooths fields in a body or on a surface: 'columns' of them one after the other in 'field', a value for each vertex.
// Their integrals stay. False: no memory, and the fields are as they were.
bool sn_smooth_tets(const sn_tet_mesh *mesh, double length, double *field, int columns);
bool sn_smooth_surface(const sn_mesh *mesh, double length, double *field, int columns);

// Smooths a surface's own shape. A closed surface keeps its volume. Normals, if there are any, are made anew. False: no
// memory, and the mesh is as it was.
bool sn_smooth_positions(sn_mesh *mesh, double length);

#endif
