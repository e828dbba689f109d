// Colours of the bodies of a scene, linear.
#ifndef SN_CAPTURE_SCENE_COLOURS_H
#define SN_CAPTURE_SCENE_COLOURS_H

#include "scene/scene.h"

// The colour of the body at `index` of a view, which belongs to an entry of the scene (-1: none).
void colour_of_body(const sn_scene *scene, int entry, int index, float out[3]);

// Colours of muscles, and of rigid bodies and bones.
void colour_of_muscle(int index, float out[3]);
void colour_of_rigid(bool bone, float out[3]);

#endif
