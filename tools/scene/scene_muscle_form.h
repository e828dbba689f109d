// Muscles that a scene describes by a few numbers: spindles and fans, with a skin.
#ifndef SN_SCENE_SCENE_MUSCLE_FORM_H
#define SN_SCENE_SCENE_MUSCLE_FORM_H

#include "formats/muscle_rig.h"
#include "scene/scene_spec.h"

// All return false if out of memory; the rig is then empty. Their arguments must have been checked. `skin` also makes
// the skin, which only pictures need.
bool muscle_form_fusiform(const fusiform_spec *spec, bool skin, muscle_rig *out);
bool muscle_form_fan(const fan_spec *spec, bool skin, muscle_rig *out);
bool muscle_form_rods(const fields_list *fibres, muscle_rig *out); // without a skin

#endif
