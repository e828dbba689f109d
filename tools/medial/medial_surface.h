// Medial meshes as triangles, for display.
#ifndef SN_MEDIAL_MEDIAL_SURFACE_H
#define SN_MEDIAL_MEDIAL_SURFACE_H

#include "medial/medial_mesh.h"

// All spheres; the sides of all cones; both sides of all slabs. With normals. A primitive with one end inside of
// another has no triangles. False: out of memory, and the mesh is empty.
bool medial_surface_spheres(const sn_medial_mesh *mesh, sn_mesh *out);
bool medial_surface_cones(const sn_medial_mesh *mesh, sn_mesh *out);
bool medial_surface_slabs(const sn_medial_mesh *mesh, sn_mesh *out);

#endif
