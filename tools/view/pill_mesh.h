// Meshes of simple solids: rods as tubes with round ends, balls, boxes and pills.
#ifndef SN_VIEW_PILL_MESH_H
#define SN_VIEW_PILL_MESH_H

#include "mesh/mesh.h"
#include "sinew/types.h"

// A rod: a tube of rings around each of its lines (a loop, or from a tip to where it hangs), skinned to its points.
// Branches start inside what they hang on. All of these return false without memory, and then the mesh is empty.
bool pill_mesh_rod(sn_mesh *out, const sn_vec3 *points, const sn_real *radii, const int *parents, int count);

// A pill between two points with normals and no skin; a ball when the points are the same.
bool pill_mesh_pill(sn_mesh *out, sn_vec3 from, sn_vec3 to, sn_real from_radius, sn_real to_radius);

// A box of half edges about its middle.
bool pill_mesh_box(sn_mesh *out, sn_vec3 middle, sn_quat turn, sn_vec3 half);

#endif
