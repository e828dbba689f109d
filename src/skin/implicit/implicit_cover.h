// Keeps implicit muscles under an implicit skin.
#ifndef SN_SKIN_IMPLICIT_IMPLICIT_COVER_H
#define SN_SKIN_IMPLICIT_IMPLICIT_COVER_H

#include "kinds/implicit_muscle/muscle_system.h"
#include "skin/implicit/implicit_skin.h"

typedef struct sn_implicit_cover sn_implicit_cover;

// From now on no point of a muscle's axis comes farther out of the fields of its bones than it is at rest.
// rest: a system of the same muscles in the poses that the skin was made in. shown: the bone of the rig that each
// muscle is shown by, -1: none; rig_bone: of each bone of the system, its number in the rig. The rig must live as long
// as the cover, and the cover until the last step of the system.
sn_status sn_implicit_cover_create(sn_memory *memory, const sn_implicit_rig *rig, const sn_muscle_system *rest,
                                   const int *shown, const int *rig_bone, sn_muscle_system *system,
                                   sn_implicit_cover **out);
void sn_implicit_cover_destroy(sn_implicit_cover *cover); // null is fine

#endif
