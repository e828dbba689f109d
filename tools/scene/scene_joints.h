// Joints of scene files.
#ifndef SN_SCENE_SCENE_JOINTS_H
#define SN_SCENE_SCENE_JOINTS_H

#include "scene/scene.h"

// Lists errors that the tables cannot see, after bodies and shapes were checked.
void scene_joints_check(sn_scene *scene);

// Makes them, after bodies and shapes.
sn_status scene_joints_build(sn_scene *scene, sn_world *world);

// Leads and lets go what the file says, for the step from t to t + dt.
sn_status scene_joints_drive(sn_scene *scene, sn_world *world, double t, double dt);

#endif
