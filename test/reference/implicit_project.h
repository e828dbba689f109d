// Implicit skins without history, to compare tracking with.
#ifndef SN_REFERENCE_IMPLICIT_PROJECT_H
#define SN_REFERENCE_IMPLICIT_PROJECT_H

#include "skin/implicit/implicit_skin.h"

// The method of 2013: starts from skinning, without history, for comparison and for films whose frames are computed in
// any order. Stops where gradients change direction; deep folds fail.
sn_status implicit_project(sn_implicit_state *state, const sn_transform *poses, const sn_skin_muscle_table *muscles,
                           sn_implicit_start start, sn_pool *pool, sn_vec3 *out);

#endif
