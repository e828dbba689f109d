// Skeletons of scene files: pills that follow the joints of an animated glTF file.
#ifndef SN_SCENE_SCENE_SKELETON_H
#define SN_SCENE_SCENE_SKELETON_H

#include "scene/scene.h"

// A pill on a joint.
typedef struct scene_bone scene_bone;

// Reads the files, finds clips and joints, fits pills; errors are listed.
void scene_skeletons_check(sn_scene *scene);
void scene_skeletons_free(sn_scene *scene);

// The number of pills, and their rigid bodies; `out` has that capacity.
int scene_skeletons_count(const sn_scene *scene);
void scene_skeletons_fill(const sn_scene *scene, rigid_spec *out);

// Whether a bone moves, and the pose of its joint at time t.
bool scene_bone_moves(const scene_bone *bone);
void scene_bone_place(const scene_bone *bone, double t, sn_vec3 *position, sn_quat *rotation);

#endif
