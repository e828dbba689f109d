// Small vectors and quaternions, by value. Quaternions are (x, y, z, w), Hamilton convention, active rotations.
#ifndef SN_BASE_MATH_VEC_H
#define SN_BASE_MATH_VEC_H

#include "base/math/real.h"

static inline sn_vec3 sn_v3(sn_real x, sn_real y, sn_real z) {
    return (sn_vec3){x, y, z};
}
static inline sn_vec3 sn_add(sn_vec3 a, sn_vec3 b) {
    return (sn_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline sn_vec3 sn_sub(sn_vec3 a, sn_vec3 b) {
    return (sn_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline sn_vec3 sn_mul(sn_real k, sn_vec3 a) {
    return (sn_vec3){k * a.x, k * a.y, k * a.z};
}
static inline sn_vec3 sn_mul_add(sn_vec3 a, sn_real k, sn_vec3 b) {
    return sn_add(a, sn_mul(k, b));
} // a + k b
static inline sn_real sn_dot(sn_vec3 a, sn_vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline sn_vec3 sn_cross(sn_vec3 a, sn_vec3 b) {
    return (sn_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline sn_real sn_length2(sn_vec3 a) {
    return sn_dot(a, a);
}
static inline sn_real sn_length(sn_vec3 a) {
    return sn_sqrt(sn_dot(a, a));
}
static inline sn_vec3 sn_lerp(sn_vec3 a, sn_vec3 b, sn_real t) {
    return sn_mul_add(a, t, sn_sub(b, a));
}
static inline bool sn_finite3(sn_vec3 a) {
    return sn_finite(a.x) && sn_finite(a.y) && sn_finite(a.z);
}

// Whether a position is usable: finite, with finite cubes, as volumes need them (in float, below 7e12).
static inline bool sn_valid3(sn_vec3 a) {
    return sn_finite(a.x * a.x * a.x) && sn_finite(a.y * a.y * a.y) && sn_finite(a.z * a.z * a.z);
}

// a / |a|, or 'fallback' if a is too short.
static inline sn_vec3 sn_normalize(sn_vec3 a, sn_vec3 fallback) {
    sn_real length = sn_length(a);
    return length > 0 ? sn_mul(1 / length, a) : fallback;
}

// A unit vector perpendicular to the unit vector a.
static inline sn_vec3 sn_perpendicular(sn_vec3 a) {
    sn_vec3 axis = sn_abs(a.x) < (sn_real)0.6 ? sn_v3(1, 0, 0) : sn_v3(0, 1, 0);
    return sn_normalize(sn_cross(a, axis), sn_v3(0, 0, 1));
}

static inline sn_quat sn_q_identity(void) {
    return (sn_quat){0, 0, 0, 1};
}
static inline sn_quat sn_q_conj(sn_quat q) {
    return (sn_quat){-q.x, -q.y, -q.z, q.w};
}
static inline sn_quat sn_q_mul(sn_quat a, sn_quat b) {
    return (sn_quat){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    };
}
static inline sn_real sn_q_dot(sn_quat a, sn_quat b) {
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
static inline sn_quat sn_q_normalize(sn_quat q) {
    sn_real length = sn_sqrt(sn_q_dot(q, q));
    if (!(length > 0)) return sn_q_identity();
    sn_real k = 1 / length;
    return (sn_quat){k * q.x, k * q.y, k * q.z, k * q.w};
}
static inline sn_vec3 sn_q_rotate(sn_quat q, sn_vec3 v) {
    sn_vec3 axis = {q.x, q.y, q.z};
    sn_vec3 t = sn_mul(2, sn_cross(axis, v));
    return sn_add(sn_mul_add(v, q.w, t), sn_cross(axis, t));
}
static inline sn_vec3 sn_q_axis_x(sn_quat q) {
    return sn_q_rotate(q, sn_v3(1, 0, 0));
}
static inline sn_vec3 sn_q_axis_y(sn_quat q) {
    return sn_q_rotate(q, sn_v3(0, 1, 0));
}
static inline sn_vec3 sn_q_axis_z(sn_quat q) {
    return sn_q_rotate(q, sn_v3(0, 0, 1));
}
static inline bool sn_q_finite(sn_quat q) {
    return sn_finite(q.x) && sn_finite(q.y) && sn_finite(q.z) && sn_finite(q.w);
}

// Two unit vectors across a unit vector and each other.
static inline void sn_tangents(sn_vec3 n, sn_vec3 *t1, sn_vec3 *t2) {
    const sn_vec3 side = sn_abs(n.x) < (sn_real)0.6 ? sn_v3(1, 0, 0) : sn_v3(0, 1, 0);
    *t1 = sn_normalize(sn_cross(n, side), sn_v3(0, 0, 1));
    *t2 = sn_cross(n, *t1);
}

// The shortest rotation from the unit vector a to the unit vector b.
static inline sn_quat sn_q_between(sn_vec3 a, sn_vec3 b) {
    sn_real c = sn_dot(a, b);
    if (c < (sn_real)-0.999999) { // opposite: rotate by pi about any perpendicular axis
        sn_vec3 axis = sn_perpendicular(a);
        return (sn_quat){axis.x, axis.y, axis.z, 0};
    }
    sn_vec3 axis = sn_cross(a, b);
    return sn_q_normalize((sn_quat){axis.x, axis.y, axis.z, 1 + c});
}

// Rotates a frame the shortest way so that its third axis is 'along'.
static inline sn_quat sn_q_align_z(sn_quat frame, sn_vec3 along) {
    return sn_q_normalize(sn_q_mul(sn_q_between(sn_q_axis_z(frame), along), frame));
}

// Extends a box by a sphere.
static inline void sn_box3_add(sn_box3 *box, sn_vec3 c, sn_real r) {
    box->min = sn_v3(sn_min(box->min.x, c.x - r), sn_min(box->min.y, c.y - r), sn_min(box->min.z, c.z - r));
    box->max = sn_v3(sn_max(box->max.x, c.x + r), sn_max(box->max.y, c.y + r), sn_max(box->max.z, c.z + r));
}

// Applies a rigid transform, and its inverse.
static inline sn_vec3 sn_transform_point(const sn_transform *t, sn_vec3 local) {
    return sn_add(t->position, sn_q_rotate(t->rotation, local));
}

static inline sn_vec3 sn_transform_inverse_point(const sn_transform *t, sn_vec3 world) {
    return sn_q_rotate(sn_q_conj(t->rotation), sn_sub(world, t->position));
}

#endif
