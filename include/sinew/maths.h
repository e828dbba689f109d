// Helpers for poses and signals that your own code puts into a world. They give the same bits with every compiler, option and
// machine, which sinf and a * b + c in your own files do not; see docs/building.md.
#ifndef SINEW_MATHS_H
#define SINEW_MATHS_H

#include "types.h"

// Sine and cosine of an angle, rad; the angle of a point, rad, -pi to pi; the exponential. To the last bit or two.
SN_API void sn_sincos(sn_real x, sn_real *sine, sn_real *cosine);
SN_API sn_real sn_atan2(sn_real y, sn_real x);
SN_API sn_real sn_exp(sn_real x);

// From a to b: a at t = 0, b at t = 1, on a straight line.
SN_API sn_vec3 sn_vec3_lerp(sn_vec3 a, sn_vec3 b, sn_real t);

// The rotation by an angle (rad) about an axis of any length but 0; the shortest from a direction to another.
SN_API sn_quat sn_quat_about(sn_vec3 axis, sn_real angle);
SN_API sn_quat sn_quat_between(sn_vec3 from, sn_vec3 to);

// First b, then a. The product of unit quaternions is scaled to unit length again.
SN_API sn_quat sn_quat_multiply(sn_quat a, sn_quat b);

// The reverse rotation; a vector rotated.
SN_API sn_quat sn_quat_inverse(sn_quat q);
SN_API sn_vec3 sn_quat_rotate(sn_quat q, sn_vec3 v);

// From a to b the shorter way, at a constant rate.
SN_API sn_quat sn_quat_slerp(sn_quat a, sn_quat b, sn_real t);

// First b, then a; the reverse; a point moved.
SN_API sn_transform sn_transform_multiply(sn_transform a, sn_transform b);
SN_API sn_transform sn_transform_inverse(sn_transform t);
SN_API sn_vec3 sn_transform_apply(sn_transform t, sn_vec3 point);

#endif
