// Meshes of simple solids: trees of pills as tubes with round ends, balls, boxes and pills.
#ifndef SN_VIEW_PILL_MESH_H
#define SN_VIEW_PILL_MESH_H

#include "mesh/mesh.h"
#include "sinew/types.h"

// Pills between points: a tube of rings around each line (a loop, or from a tip to its branching point), skinned to the
// points. Branches start inside the line that they branch from. A point that is its own parent is a ball. All of these return false if out of memory, and the mesh
// is then empty.
bool pill_mesh_rod(sn_mesh *out, const sn_vec3 *points, const sn_real *radii, const int *parents, int count);

// A pill between two points with normals and no skin; a ball when the points are the same.
bool pill_mesh_pill(sn_mesh *out, sn_vec3 from, sn_vec3 to, sn_real from_radius, sn_real to_radius);

// A box with half edges `half` about its centre.
bool pill_mesh_box(sn_mesh *out, sn_vec3 centre, sn_quat rotation, sn_vec3 half);

#endif
