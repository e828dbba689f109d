// Joints of scene files.
#ifndef SN_SCENE_SCENE_JOINTS_H
#define SN_SCENE_SCENE_JOINTS_H

#include "scene/scene.h"

// Lists errors that the tables cannot see, after bodies and rigid bodies were checked.
void scene_joints_check(sn_scene *scene);

// Creates them, after bodies and rigid bodies.
sn_status scene_joints_build(sn_scene *scene, sn_world *world);

// Moves and releases them for the step from t to t + dt.
sn_status scene_joints_drive(sn_scene *scene, sn_world *world, double t, double dt);

#endif
