// Muscles of scene files, besides their row in scene_kinds.h.
#ifndef SN_SCENE_SCENE_MUSCLE_H
#define SN_SCENE_SCENE_MUSCLE_H

#include "formats/muscle_rig.h"
#include "scene/scene_kinds.h"

extern const field_table scene_muscle_table;

// The fields of a muscle; null for other kinds.
const muscle_spec *scene_muscle_of(const scene_body *body);

// The rods and the skin of one copy.
const muscle_rig *scene_muscle_rig(const scene_body *body);

// Whether it is drawn as one body around its rods; and the mesh, before it is placed, with cross-sections as joints.
// False: out of memory.
bool scene_muscle_has_skin(const scene_body *body);
bool scene_muscle_skin(const scene_body *body, sn_mesh *out);

#endif
