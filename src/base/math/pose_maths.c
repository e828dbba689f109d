// The helpers of sinew/maths.h for poses. Spherical interpolation from a to b, an angle of w apart:
//
//     (sin((1 - t) w) a + sin(t w) b) / sin w,        nearly the straight line where w is small
#include "base/math/trig.h"
#include "base/math/vec.h"

sn_vec3 sn_vec3_lerp(sn_vec3 a, sn_vec3 b, sn_real t) {
    return sn_lerp(a, b, t);
}

sn_quat sn_quat_about(sn_vec3 axis, sn_real angle) {
    const sn_vec3 unit = sn_normalize(axis, sn_v3(0, 0, 0));
    sn_real sine, cosine;
    sn_sincos(angle / 2, &sine, &cosine);
    return sn_q_normalize((sn_quat){sine * unit.x, sine * unit.y, sine * unit.z, cosine});
}

sn_quat sn_quat_between(sn_vec3 from, sn_vec3 to) {
    const sn_vec3 a = sn_normalize(from, sn_v3(0, 0, 0));
    return sn_q_between(a, sn_normalize(to, a));
}

sn_quat sn_quat_multiply(sn_quat a, sn_quat b) {
    return sn_q_normalize(sn_q_mul(a, b));
}

sn_quat sn_quat_inverse(sn_quat q) {
    return sn_q_conj(q);
}

sn_vec3 sn_quat_rotate(sn_quat q, sn_vec3 v) {
    return sn_q_rotate(q, v);
}

sn_quat sn_quat_slerp(sn_quat a, sn_quat b, sn_real t) {
    sn_real c = sn_q_dot(a, b), sign = 1;
    if (c < 0) c = -c, sign = -1;
    sn_real from = 1 - t, to = t;
    if (c < (sn_real)0.9999) {
        sn_real sine, sine_from, sine_to, unused;
        sine = sn_sqrt(1 - c * c);
        const sn_real angle = sn_atan2(sine, c);
        sn_sincos((1 - t) * angle, &sine_from, &unused);
        sn_sincos(t * angle, &sine_to, &unused);
        from = sine_from / sine, to = sine_to / sine;
    }
    to *= sign;
    return sn_q_normalize(
        (sn_quat){from * a.x + to * b.x, from * a.y + to * b.y, from * a.z + to * b.z, from * a.w + to * b.w});
}

sn_transform sn_transform_multiply(sn_transform a, sn_transform b) {
    return (sn_transform){.position = sn_transform_point(&a, b.position),
                          .rotation = sn_quat_multiply(a.rotation, b.rotation)};
}

sn_transform sn_transform_inverse(sn_transform t) {
    const sn_quat back = sn_q_conj(t.rotation);
    return (sn_transform){.position = sn_q_rotate(back, sn_mul(-1, t.position)), .rotation = back};
}

sn_vec3 sn_transform_apply(sn_transform t, sn_vec3 point) {
    return sn_transform_point(&t, point);
}
