// Implicit muscles (kinds/implicit_muscle/muscle_system.h) under an implicit skin: as its input, and kept inside it.
#ifndef SN_SKIN_IMPLICIT_IMPLICIT_MUSCLES_H
#define SN_SKIN_IMPLICIT_IMPLICIT_MUSCLES_H

#include "kinds/implicit_muscle/muscle_system.h"
#include "skin/implicit/implicit_skin.h"

typedef struct sn_skin_muscles sn_skin_muscles;

// bones: for each muscle the bone of the skin's rig whose part of the skin covers most of it, -1: none.
sn_status sn_skin_muscles_create(sn_memory *memory, const sn_muscle_system *system, const int *bones,
                                 sn_skin_muscles **out);
void sn_skin_muscles_destroy(sn_skin_muscles *muscles); // null is fine

// The muscles in their current state; poses: of all bones of the skin's rig. Call it once a frame, after the muscles'
// step. The result is valid until the next call.
const sn_skin_muscle_table *sn_skin_muscles_update(sn_skin_muscles *muscles, const sn_transform *poses, int bone_count);

// ---- the cover (implicit_cover.c)

typedef struct sn_implicit_cover sn_implicit_cover;

// Keeps the points of a muscle's axis from moving farther out of the fields of its bones than they are at rest. rest: a
// system of the same muscles in the poses of the skin at rest. shown: the rig's bone of each muscle, -1: none;
// rig_bone: the index in the rig of each bone of the system. The rig must outlive the cover, and the cover the last
// step of the system.
sn_status sn_implicit_cover_create(sn_memory *memory, const sn_implicit_rig *rig, const sn_muscle_system *rest,
                                   const int *shown, const int *rig_bone, sn_muscle_system *system,
                                   sn_implicit_cover **out);
void sn_implicit_cover_destroy(sn_implicit_cover *cover); // null is fine

#endif
