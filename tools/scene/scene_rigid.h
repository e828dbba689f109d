// Rigid bodies of scene files: static obstacles, and those with a pose track.
#ifndef SN_SCENE_SCENE_RIGID_H
#define SN_SCENE_SCENE_RIGID_H

#include "scene/scene.h"

sn_surface scene_surface(const surface_spec *spec);

// Lists errors of the key "surface" of the object at `path`.
void scene_surface_check(const surface_spec *surface, error_list *errors, const json_path *path);

// Lists errors that the tables cannot see. Without errors, scene->spec.rigid_bodies then has one entry for each copy.
void scene_rigid_check(sn_scene *scene);

// The first copy of the entry with a name, and its number of copies; -1: no such name.
int scene_find_rigid(const sn_scene *scene, const char *name, int *copies);

// Lists the error that no rigid body has this name, with a suggestion.
void scene_no_rigid(sn_scene *scene, const char *name, const json_path *at);

// Whether rigid body `number` moves, and its pose at time t.
bool scene_rigid_moves(const sn_scene *scene, int number);
void scene_rigid_pose(const sn_scene *scene, int number, double t, sn_vec3 *position, sn_quat *rotation);

sn_status scene_rigid_build(sn_scene *scene, sn_world *world);

// Moves rigid bodies with a pose track to their pose at time t.
sn_status scene_rigid_drive(sn_scene *scene, sn_world *world, double t);

#endif
