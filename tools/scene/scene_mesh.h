// Surfaces from mesh files of a scene.
#ifndef SN_SCENE_SCENE_MESH_H
#define SN_SCENE_SCENE_MESH_H

#include "mesh/mesh.h"
#include "scene/scene.h"

// Reads the mesh of the key "file" of the object at `path`: merged, at rest, and repaired (mesh_repair.h). False: an
// error was listed, and `out` is empty.
bool scene_mesh_read(sn_scene *scene, const char *file, const json_path *path, sn_mesh *out);

#endif
