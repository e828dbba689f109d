// Rigid bodies of scene files: static obstacles, and those with a pose track.
#ifndef SN_SCENE_SCENE_RIGID_H
#define SN_SCENE_SCENE_RIGID_H

#include "scene/scene.h"
#include "scene/scene_kinds.h"

sn_surface scene_surface(const surface_spec *spec);

// Lists errors of the key "surface" of the object at `path`.
void scene_surface_check(const surface_spec *surface, error_list *errors, const json_path *path);

// The first copy of the entry with a name, and its number of copies; -1: no such name.
int scene_find_rigid(const sn_scene *scene, const char *name, int *copies);

// Lists the error that no rigid body has this name, with a suggestion.
void scene_no_rigid(sn_scene *scene, const char *name, const json_path *at);

// The row of the table of lists (scene_kinds.h). After `check` without errors, scene->spec.rigid_bodies has one entry for each
// copy; `drive` moves those with a pose track.
extern const scene_list scene_rigid_list;

#endif
