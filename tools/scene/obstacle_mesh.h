// Shapes of scenes as meshes, to draw and export them.
#ifndef SN_SCENE_OBSTACLE_MESH_H
#define SN_SCENE_OBSTACLE_MESH_H

#include "mesh/mesh.h"
#include "scene/scene.h"

// The mesh of a shape that is no plane, at a place. False: no memory.
bool obstacle_mesh(sn_mesh *out, const rigid_spec *spec, sn_vec3 position, sn_quat rotation);

#endif
