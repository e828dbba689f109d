// Shapes of scene files: what is bumped into, standing still or on a course.
#ifndef SN_SCENE_SCENE_RIGID_H
#define SN_SCENE_SCENE_RIGID_H

#include "scene/scene.h"

sn_surface scene_surface(const surface_spec *spec);

// Errors of the key "surface" of the object at 'path'.
void scene_surface_check(const surface_spec *surface, error_list *errors, const json_path *path);

// Lists errors that the tables cannot see; without any, spreads copies: scene->spec.rigid_bodies then has one entry for
// each.
void scene_rigid_check(sn_scene *scene);

// The first shape of the entry with a name, and how many copies it has; -1: no entry has it.
int scene_find_rigid(const sn_scene *scene, const char *name, int *copies);

// Says that no shape has this name, and which one may be meant.
void scene_no_rigid(sn_scene *scene, const char *name, const json_path *at);

// Whether shape 'number' moves by itself, and where it is at time t. Copies must have been spread.
bool scene_rigid_moves(const sn_scene *scene, int number);
void scene_rigid_pose(const sn_scene *scene, int number, double t, sn_vec3 *position, sn_quat *rotation);

sn_status scene_rigid_build(sn_scene *scene, sn_world *world);

// Leads what moves to where it is at time t.
sn_status scene_rigid_drive(sn_scene *scene, sn_world *world, double t);

#endif
