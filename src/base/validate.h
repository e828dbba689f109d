// Checks of numbers from definitions and files. For positions use sn_valid3 (vec.h).
#ifndef SN_BASE_VALIDATE_H
#define SN_BASE_VALIDATE_H

#include "base/math/vec.h"

// Whether v has a finite length: its square must be finite too.
static inline bool sn_has_length(sn_vec3 v) {
    return sn_finite(sn_length2(v));
}

// Whether q is a unit quaternion up to rounding. (Those that users give may be 1 % off.)
static inline bool sn_q_is_unit(sn_quat q) {
    const sn_real square = sn_q_dot(q, q);
    return square > (sn_real)0.995 && square < (sn_real)1.005;
}

#endif
