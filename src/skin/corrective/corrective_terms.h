// The rotation of a joint since the bind pose, in its own frame,
//
//     q = conj(rest) conj(R_parent) R_joint,       w(q) >= 0,       v = the vector part of q
//
// and the monomials of v up to degree 3. They vanish at v = 0, so the bind pose is exact. |v| is the sine of half the angle:
// it is at most 1, and a polynomial is not asked for more than it was fitted to.
#ifndef SN_SKIN_CORRECTIVE_CORRECTIVE_TERMS_H
#define SN_SKIN_CORRECTIVE_CORRECTIVE_TERMS_H

#include "base/math/vec.h"
#include "sinew/corrective.h"
#include <string.h>

// The vector v of a shape in a pose.
static inline void sn_corrective_rotation(const sn_corrective_target *s, const sn_transform *poses, float v[3]) {
    const sn_quat rest = {(sn_real)s->rest[0], (sn_real)s->rest[1], (sn_real)s->rest[2], (sn_real)s->rest[3]};
    const sn_quat local = sn_q_mul(sn_q_conj(poses[s->parent].rotation), poses[s->joint].rotation);
    const sn_quat q = sn_q_normalize(sn_q_mul(sn_q_conj(rest), local));
    const float sign = q.w < 0 ? -1 : 1;
    v[0] = sign * (float)q.x, v[1] = sign * (float)q.y, v[2] = sign * (float)q.z;
    const float length = (float)sn_sqrt((sn_real)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    for (int k = 0; k < 3 && length > s->reach; k++) v[k] *= s->reach / length;
}

static inline void sn_corrective_terms(const float v[3], float out[SN_CORRECTIVE_TERMS]) {
    const float x = v[0], y = v[1], z = v[2];
    const float all[SN_CORRECTIVE_TERMS] = {x,         y,         z,         x * x,     y * y,     z * z,     x * y,
                                            x * z,     y * z,     x * x * x, y * y * y, z * z * z, x * x * y, x * x * z,
                                            x * y * y, y * y * z, x * z * z, y * z * z, x * y * z};
    memcpy(out, all, sizeof all);
}

#endif
