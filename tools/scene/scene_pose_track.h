// Pose tracks: the motion of rigid bodies, and of points of space that joints hold.
#ifndef SN_SCENE_SCENE_POSE_TRACK_H
#define SN_SCENE_SCENE_POSE_TRACK_H

#include "scene/scene.h"

// Lists errors that the tables cannot see; 'path' is the object with the key "motion".
void pose_track_check(sn_scene *scene, const pose_track_spec *track, const json_path *path);

// Whether there is one.
bool pose_track_given(const pose_track_spec *track);

// The pose at time t of something that started at `position` without rotation.
void pose_track_at(const pose_track_spec *track, double t, const double position[3], double out[3], sn_quat *rotation);

#endif
