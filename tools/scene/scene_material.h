// Materials of scene files: named ones, and the engine's presets under their own names.
#ifndef SN_SCENE_SCENE_MATERIAL_H
#define SN_SCENE_SCENE_MATERIAL_H

#include "scene/scene.h"

// Lists errors of all materials that the tables cannot see.
void scene_materials_check(sn_scene *scene);

// Whether a name (null: the default) is that of a material; if not, an error is listed at `path`.
bool scene_material_check(sn_scene *scene, const char *name, const json_path *path);

// The material of a name; rubber for null and for unknown names.
sn_material scene_material(const sn_scene *scene, const char *name);

#endif
