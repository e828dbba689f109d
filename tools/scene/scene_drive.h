// The moving parts of a scene, bound to the bodies of a world.
#ifndef SN_SCENE_SCENE_DRIVE_H
#define SN_SCENE_SCENE_DRIVE_H

#include "scene/scene.h"

// Binds tracks to bodies. SN_ERR_DEF: something that is to be moved is not held, which is listed as an error.
sn_status scene_driver_make(sn_scene *scene, sn_world *world);
void scene_driver_free(sn_scene *scene);

// Makes a call into the world, and keeps it if the scene is to keep calls.
sn_status scene_drive_call(sn_scene *scene, sn_world *world, const scene_call *call);
void call_put_vector(scene_call *call, int at, sn_vec3 v);
void call_put_rotation(scene_call *call, int at, sn_quat q);

#endif
