// Keeps implicit muscles under an implicit skin.
#ifndef SN_SKIN_IMPLICIT_IMPLICIT_COVER_H
#define SN_SKIN_IMPLICIT_IMPLICIT_COVER_H

#include "kinds/implicit_muscle/muscle_system.h"
#include "skin/implicit/implicit_skin.h"

typedef struct sn_implicit_cover sn_implicit_cover;

// Keeps the points of a muscle's axis from moving farther out of the fields of its bones than they are at rest.
// rest: a system of the same muscles in the poses of the skin at rest. shown: the rig's bone of each muscle, -1: none;
// rig_bone: the index in the rig of each bone of the system. The rig must outlive the cover, and the cover the last step
// of the system.
sn_status sn_implicit_cover_create(sn_memory *memory, const sn_implicit_rig *rig, const sn_muscle_system *rest,
                                   const int *shown, const int *rig_bone, sn_muscle_system *system,
                                   sn_implicit_cover **out);
void sn_implicit_cover_destroy(sn_implicit_cover *cover); // null is fine

#endif
