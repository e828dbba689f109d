// Vectors and rotations in lanes.
//
// The exponential and logarithm of rotations avoid quotients that become 0/0 for small angles:
//   exp: the quaternion of p/4 (half angle |p|/8) by the series of sin and cos, squared twice.
//   log: with the half angle f (0 <= f <= pi/2) of q = (v, w): c = cos(f/2) = sqrt((1+w)/2), tan(f/4) = |v| / (2c(1+c)) <= 0.42,
//        so p = 2f v/|v| = v * 4 A / (c (1+c)), A = atan(t)/t by its series in t^2.
#ifndef SN_BASE_SIMD_LANE_MATH_H
#define SN_BASE_SIMD_LANE_MATH_H

#include "base/simd/simd.h"

typedef struct {
    vreal x, y, z;
} v3;

typedef struct {
    vreal x, y, z, w;
} vq;

SN_INLINE v3 v3_add(v3 a, v3 b) {
    return (v3){a.x + b.x, a.y + b.y, a.z + b.z};
}
SN_INLINE v3 v3_sub(v3 a, v3 b) {
    return (v3){a.x - b.x, a.y - b.y, a.z - b.z};
}
SN_INLINE v3 v3_mul(vreal k, v3 a) {
    return (v3){k * a.x, k * a.y, k * a.z};
}
SN_INLINE vreal v3_dot(v3 a, v3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
SN_INLINE v3 v3_cross(v3 a, v3 b) {
    return (v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
SN_INLINE v3 v3_select(vmask m, v3 a, v3 b) {
    return (v3){v_select(m, a.x, b.x), v_select(m, a.y, b.y), v_select(m, a.z, b.z)};
}

SN_INLINE vq vq_mul(vq a, vq b) {
    return (vq){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    };
}
SN_INLINE vq vq_conj(vq q) {
    return (vq){-q.x, -q.y, -q.z, q.w};
}
SN_INLINE vq vq_scale(vreal k, vq q) {
    return (vq){k * q.x, k * q.y, k * q.z, k * q.w};
}
SN_INLINE vreal vq_dot(vq a, vq b) {
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
SN_INLINE vq vq_normalize(vq q) {
    return vq_scale(K(1) / v_sqrt(vq_dot(q, q)), q);
}
// The same for a q that is unit up to rounding, as products of unit quaternions are: one Newton step for 1/|q|.
SN_INLINE vq vq_tidy(vq q) {
    return vq_scale(K(1.5) - K(0.5) * vq_dot(q, q), q);
}
SN_INLINE vq vq_select(vmask m, vq a, vq b) {
    return (vq){v_select(m, a.x, b.x), v_select(m, a.y, b.y), v_select(m, a.z, b.z), v_select(m, a.w, b.w)};
}

// The third material axis of the frame q.
SN_INLINE v3 vq_axis_z(vq q) {
    return (v3){K(2) * (q.x * q.z + q.w * q.y), K(2) * (q.y * q.z - q.w * q.x), K(1) - K(2) * (q.x * q.x + q.y * q.y)};
}

// Rotates q by a small world rotation vector t: normalize([t/2, 1] q).
SN_INLINE vq vq_nudge(v3 t, vq q) {
    vq rotation = {K(0.5) * t.x, K(0.5) * t.y, K(0.5) * t.z, v_set(1)};
    return vq_normalize(vq_mul(rotation, q));
}

// Terms of the series for full precision: sin and cos up to a half angle of pi/4, atan(t)/t up to t = 0.42.
#ifdef SN_DOUBLE
#define SN_SINE_TERMS 8
#define SN_ATAN_TERMS 20
#else
#define SN_SINE_TERMS 4
#define SN_ATAN_TERMS 9
#endif

// The rotation by the vector p (radians about its direction). |p| is clamped to 2 pi. Not normalized: its length is 1
// up to rounding.
SN_INLINE vq vq_exp(v3 p) {
    vreal length2 = v3_dot(p, p), limit = v_set(K(39.478417)); // (2 pi)^2
    vmask too_long = v_less(limit, length2);
    if (v_any(too_long))
        p = v3_mul(v_select(too_long, v_sqrt(limit / v_select(too_long, length2, limit)), v_set(1)), p);
    p = v3_mul(v_set(K(0.125)), p); // half the angle of a quarter of the rotation
    vreal x2 = v3_dot(p, p), sinc = v_set(1), cosine = v_set(1);
    SN_UNROLL for (int k = SN_SINE_TERMS; k > 0; --k) {
        sinc = K(1) - x2 * sinc * K(1.0 / ((2 * k) * (2 * k + 1)));
        cosine = K(1) - x2 * cosine * K(1.0 / ((2 * k - 1) * (2 * k)));
    }
    vq q = {sinc * p.x, sinc * p.y, sinc * p.z, cosine};
    SN_UNROLL for (int twice = 0; twice < 2; twice++) {
        vreal w2 = K(2) * q.w;
        q = (vq){w2 * q.x, w2 * q.y, w2 * q.z, w2 * q.w - K(1)};
    }
    return q;
}

// The rotation vector of the unit quaternion q, at most pi long.
SN_INLINE v3 vq_log(vq q) {
    vmask far = v_less(q.w, v_set(0));
    q = (vq){v_negate_if(far, q.x), v_negate_if(far, q.y), v_negate_if(far, q.z), v_negate_if(far, q.w)};
    vreal c = v_sqrt(K(0.5) * (K(1) + q.w));
    vreal k = K(1) / (c * (K(1) + c));
    vreal t2 = K(0.25) * (q.x * q.x + q.y * q.y + q.z * q.z) * k * k;
    vreal series = v_set(K(1.0 / (2 * SN_ATAN_TERMS + 1)));
    SN_UNROLL for (int n = SN_ATAN_TERMS - 1; n >= 0; --n) series = K(1.0 / (2 * n + 1)) - t2 * series;
    vreal factor = K(4) * series * k;
    return (v3){factor * q.x, factor * q.y, factor * q.z};
}

// Rotates v by the unit quaternion q.
SN_INLINE v3 vq_rotate(vq q, v3 v) {
    v3 axis = {q.x, q.y, q.z}, t = v3_mul(v_set(2), v3_cross(axis, v));
    return v3_add(v3_add(v, v3_mul(q.w, t)), v3_cross(axis, t));
}

#endif
