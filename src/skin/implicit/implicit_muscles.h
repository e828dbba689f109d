// Implicit muscles (kinds/implicit_muscle/muscle_system.h) as input of an implicit skin.
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

#endif
