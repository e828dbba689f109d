// Muscles of scene files: what is done with all of them, besides what every kind of body has (scene_kinds.h).
#ifndef SN_SCENE_SCENE_MUSCLE_H
#define SN_SCENE_SCENE_MUSCLE_H

#include "formats/muscle_rig.h"
#include "scene/scene_kinds.h"

extern const field_table scene_muscle_table;

// Whether a body is a muscle, and its entry then; else null.
const muscle_spec *scene_muscle_of(const scene_body *body);

// The rods and the skin of one copy.
const muscle_rig *scene_muscle_rig(const scene_body *body);

// Whether it is shown as one body around its rods, and the mesh of that, before it is placed; its joints are the
// cross-sections. False: no memory.
bool scene_muscle_has_skin(const scene_body *body);
bool scene_muscle_skin(const scene_body *body, sn_mesh *out);

#endif
