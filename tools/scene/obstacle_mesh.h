// Meshes of rigid bodies, to draw and export them.
#ifndef SN_SCENE_OBSTACLE_MESH_H
#define SN_SCENE_OBSTACLE_MESH_H

#include "mesh/mesh.h"
#include "scene/scene.h"

// The mesh of a rigid body that is not a plane, at a pose. False: out of memory.
bool obstacle_mesh(sn_mesh *out, const rigid_spec *spec, sn_vec3 position, sn_quat rotation);

#endif
