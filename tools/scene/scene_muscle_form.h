// Muscles that scenes describe by a few numbers: spindles and fans, with a skin.
#ifndef SN_SCENE_SCENE_MUSCLE_FORM_H
#define SN_SCENE_SCENE_MUSCLE_FORM_H

#include "formats/muscle_rig.h"
#include "scene/scene_spec.h"

// All of these return false without memory, and then the rig is empty. What they are given was checked. The skin, which
// only pictures need, is made if it is wanted.
bool muscle_form_fusiform(const fusiform_spec *spec, bool skin, muscle_rig *out);
bool muscle_form_fan(const fan_spec *spec, bool skin, muscle_rig *out);
bool muscle_form_rods(const fields_list *fibres, muscle_rig *out); // has none

#endif
