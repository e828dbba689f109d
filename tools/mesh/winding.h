// The winding number of a point: how often the surface goes around it. It is 1 inside of a closed surface that faces
// outward, 0 outside, 2 where two solids overlap, -1 inside of an inverted surface. Holes, cracks, flipped triangles
// and intersections only blur it, so 'more than a half' is a robust test for being inside of any mesh.
#ifndef SN_MESH_WINDING_H
#define SN_MESH_WINDING_H

#include "mesh/mesh.h"

typedef struct sn_winding sn_winding;

// Copies what it needs; the mesh may be changed or freed afterwards. Triangles without area have no effect; those with
// a vertex index out of range are left out. Null: out of memory.
sn_winding *sn_winding_make(const sn_mesh *mesh);

// Exact near the surface; elsewhere, where groups of triangles are approximated, within 0.01. May run on any number of
// threads at once.
double sn_winding_evaluate(const sn_winding *winding, const double point[3]);

void sn_winding_free(sn_winding *winding); // accepts null

#endif
