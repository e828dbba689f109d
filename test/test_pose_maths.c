// Helpers for poses that users compute (sinew/maths.h): what they are, and that their bits are the same everywhere.
// compilers: all
#include "sinew/sinew.h"
#include "test.h"
#include <math.h>
#include <string.h>

static double apart(sn_vec3 a, sn_vec3 b) {
    return hypot(hypot((double)(a.x - b.x), (double)(a.y - b.y)), (double)(a.z - b.z));
}

TEST(rotations_are_those_of_their_angles) {
    const sn_vec3 x = {1, 0, 0}, up = {0, 3, 0};
    const sn_quat quarter = sn_quat_about(up, (sn_real)1.57079632679);
    CHECK(apart(sn_quat_rotate(quarter, x), (sn_vec3){0, 0, -1}) < 1e-6);
    CHECK(apart(sn_quat_rotate(sn_quat_inverse(quarter), (sn_vec3){0, 0, -1}), x) < 1e-6);
    const sn_quat half = sn_quat_multiply(quarter, quarter);
    CHECK(apart(sn_quat_rotate(half, x), (sn_vec3){-1, 0, 0}) < 1e-6);
    CHECK(apart(sn_quat_rotate(sn_quat_between(x, (sn_vec3){0, 5, 5}), x),
                (sn_vec3){0, (sn_real)0.70710678, (sn_real)0.70710678}) < 1e-6);
    // A third of the quarter is 30 degrees, also the other way around the sphere, and near the ends of the range.
    const sn_quat none = {0, 0, 0, 1}, minus = {-quarter.x, -quarter.y, -quarter.z, -quarter.w};
    const sn_vec3 third = {(sn_real)0.8660254, 0, (sn_real)-0.5};
    CHECK(apart(sn_quat_rotate(sn_quat_slerp(none, quarter, (sn_real)(1.0 / 3)), x), third) < 1e-6);
    CHECK(apart(sn_quat_rotate(sn_quat_slerp(none, minus, (sn_real)(1.0 / 3)), x), third) < 1e-6);
    const sn_quat little = sn_quat_about(up, (sn_real)0.02);
    CHECK(apart(sn_quat_rotate(sn_quat_slerp(none, little, (sn_real)0.5), x),
                sn_quat_rotate(sn_quat_about(up, (sn_real)0.01), x)) < 1e-6);
    const sn_quat back = sn_quat_about((sn_vec3){0, 0, 0}, 1);
    CHECK(fabs((double)back.w) == 1 && back.x == 0);
}

TEST(transforms_undo_each_other) {
    const sn_transform t = {.position = {1, 2, 3}, .rotation = sn_quat_about((sn_vec3){1, 1, 0}, (sn_real)0.7)};
    const sn_transform u = {.position = {-1, 0, 2}, .rotation = sn_quat_about((sn_vec3){0, 1, 2}, (sn_real)-2)};
    const sn_vec3 p = {(sn_real)0.3, -1, 2};
    CHECK(apart(sn_transform_apply(sn_transform_multiply(t, u), p), sn_transform_apply(t, sn_transform_apply(u, p))) <
          2e-6);
    CHECK(apart(sn_transform_apply(sn_transform_inverse(t), sn_transform_apply(t, p)), p) < 2e-6);
    CHECK(apart(sn_vec3_lerp(p, t.position, (sn_real)0.25), (sn_vec3){(sn_real)0.475, (sn_real)-0.25, (sn_real)2.25}) <
          1e-6);
}

TEST(their_bits_are_the_same_everywhere) {
    uint64_t hash = 0;
    sn_transform t = {.rotation = {0, 0, 0, 1}};
    for (int i = 0; i < 5000; i++) {
        const sn_real a = (sn_real)i / 64;
        sn_real sine, cosine;
        sn_sincos(a, &sine, &cosine);
        const sn_quat q = sn_quat_about((sn_vec3){sine, cosine, sn_exp(-a)}, sn_atan2(cosine, a - 20));
        const sn_transform step = {.position = {sine, cosine, 1}, .rotation = sn_quat_slerp(t.rotation, q, sine)};
        t = sn_transform_multiply(step, sn_transform_inverse(t));
        const sn_vec3 p = sn_transform_apply(t, (sn_vec3){a, 1, sine});
        const float numbers[4] = {(float)p.x, (float)p.y, (float)p.z, (float)t.rotation.w};
        for (int k = 0; k < 4; k++) {
            uint32_t bits;
            memcpy(&bits, &numbers[k], sizeof bits);
            hash = (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
        }
    }
    CHECK_INT((long long)(hash >> 1), 2351449665464443913);
}
