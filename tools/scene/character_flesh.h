// Fits pills to the skin around the bones of any rig, so that a character from a file collides like one that has bones and
// flesh of its own.
#ifndef SN_SCENE_CHARACTER_FLESH_H
#define SN_SCENE_CHARACTER_FLESH_H

#include "bake/implicit_rig.h"

// Pills of all bones that have skin, in the bones' frames: their radii are those of a bone inside, and with the flesh they
// reach to the skin. The caller frees them. False: out of memory.
bool character_flesh_fit(const sn_mesh *mesh, const sn_rig_bone *bones, int bone_count, sn_implicit_muscle_bone **out,
                         int *count);

#endif
