// The moving parts of a scene, bound to the bodies of a world.
#ifndef SN_SCENE_SCENE_DRIVE_H
#define SN_SCENE_SCENE_DRIVE_H

#include "scene/scene_kinds.h"

// Binds tracks to bodies. SN_ERR_DEF: a motion moves something that is not held, which is listed as an error.
sn_status scene_driver_make(sn_scene *scene, sn_world *world);
void scene_driver_free(sn_scene *scene);

// --- calls into the world ---

// Applies a call to the world, and stores it if scene->keep_calls.
sn_status scene_drive_call(sn_scene *scene, sn_world *world, const scene_call *call);
void call_put_vector(scene_call *call, int at, sn_vec3 v);
void call_put_rotation(scene_call *call, int at, sn_quat q);

// --- for the tracks of kinds ---

// Adds a target to a track that is being bound. False: out of memory.
bool scene_add_target(sn_scene *scene, scene_track *track, const scene_target *target);

// The targets of all tracks.
scene_target *scene_targets(const sn_scene *scene, int *count);

// Values of a track as a vector and as a rotation; and the position to which a motion moves a target.
sn_vec3 track_vector(const double value[3]);
sn_quat track_rotation(const double value[3]);
sn_vec3 track_position(const scene_track *track, const scene_target *target, const double value[3]);

// Calls on a target.
scene_call scene_call_on(call_type type, const scene_target *target);
sn_status scene_call_scalar(sn_scene *scene, sn_world *world, call_type type, const scene_target *target, double value);
sn_status scene_call_vector(sn_scene *scene, sn_world *world, call_type type, const scene_target *target, sn_vec3 v);
sn_status scene_call_rotation(sn_scene *scene, sn_world *world, call_type type, const scene_target *target, sn_quat q);

#endif
