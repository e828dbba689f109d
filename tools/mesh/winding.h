// Inside or outside: the winding number of a point, which is how often the surface goes around it. 1 inside of a closed
// surface that faces outward, 0 outside, 2 where two solids overlap, -1 inside of one that is inside out. Holes,
// cracks, flipped triangles and pieces that cross blur it a little instead of turning it over, so 'more than a half' is
// the best answer there is to whether a point is inside of whatever somebody called a mesh.
#ifndef SN_MESH_WINDING_H
#define SN_MESH_WINDING_H

#include "mesh/mesh.h"

typedef struct sn_winding sn_winding;

// Takes what it needs of the mesh, which may change or go afterwards. Triangles without area count nothing, those that
// name no vertex are left out. Null: no memory.
sn_winding *sn_winding_make(const sn_mesh *mesh);

// Within 0.01 away from the surface, where groups of triangles count as one, and exact near it. Any number of threads
// may ask at once.
double sn_winding_evaluate(const sn_winding *winding, const double point[3]);

// Null is fine.
void sn_winding_free(sn_winding *winding);

#endif
