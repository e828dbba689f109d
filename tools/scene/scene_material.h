// Materials of scene files: named ones, and the engine's presets under their own names.
#ifndef SN_SCENE_SCENE_MATERIAL_H
#define SN_SCENE_SCENE_MATERIAL_H

#include "scene/scene.h"

// Errors that the tables cannot see, of all materials.
void scene_materials_check(sn_scene *scene);

// Whether a name (null: the default) means a material; if not, an error is listed at 'path'.
bool scene_material_check(sn_scene *scene, const char *name, const json_path *path);

// The material a name means; rubber for null and for unknown names.
sn_material scene_material(const sn_scene *scene, const char *name);

#endif
