// Swept muscles (muscle/swept_system.h) as an implicit skin sees them.
#ifndef SN_SKIN_IMPLICIT_IMPLICIT_MUSCLES_H
#define SN_SKIN_IMPLICIT_IMPLICIT_MUSCLES_H

#include "kinds/implicit_muscle/muscle_system.h"
#include "skin/implicit/implicit_skin.h"

typedef struct sn_implicit_swept sn_implicit_swept;

// bones: the bone of the skin's rig that each muscle is shown by, -1: none. It is that whose part of the skin the
// muscle mostly lies under.
sn_status sn_implicit_swept_create(sn_memory *memory, const sn_swept_system *system, const int *bones,
                                   sn_implicit_swept **out);
void sn_implicit_swept_destroy(sn_implicit_swept *swept); // null is fine

// The muscles as they are now; poses: of all bones of the skin's rig. Call it once a frame, after the muscles' step;
// what it returns is good until the next.
const sn_implicit_muscles *sn_implicit_swept_now(sn_implicit_swept *swept, const sn_transform *poses, int bone_count);

#endif
