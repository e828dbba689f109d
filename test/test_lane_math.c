// Rotations in lanes against libm: exponential and logarithm for small, ordinary and large turns, and the vectors of
// vec.h.
// compilers: all
#ifndef SN_LANES
#define SN_LANES 1
#endif
#include "base/math/vec.h"
#include "base/simd/lane_math.h"
#include "mixed_world.h"

#ifdef SN_DOUBLE
static const double precise = 4e-15;
#else
static const double precise = 4e-7;
#endif
static const double pi = 3.14159265358979323846;

// Unit directions, among them the axes.
static void direction(uint64_t *seed, int k, double d[3]) {
    if (k < 3) {
        for (int i = 0; i < 3; i++) d[i] = i == k;
        return;
    }
    double length = 0;
    while (length < 0.1 || length > 1) {
        sn_vec3 v = random_vec(seed, 1);
        d[0] = (double)v.x, d[1] = (double)v.y, d[2] = (double)v.z;
        length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    }
    for (int i = 0; i < 3; i++) d[i] /= length;
}

static const double angles[] = {0,   1e-30, 1e-12, 1e-7, 1e-5, 1e-4, 1e-3, 0.01, 0.05, 0.1, 0.3, 0.7, 1,
                                1.5, 1.8,   2,     2.5,  3,    3.1,  3.14, 3.5,  4.5,  5,   6,   6.28};
enum { ANGLES = sizeof angles / sizeof *angles };

// v in every lane, but other lanes hold other numbers: a lane must not see its neighbours.
static vreal in_lane(double x, int lane, double others) {
    sn_real all[SN_LANES] __attribute__((aligned(64)));
    for (int i = 0; i < SN_LANES; i++) all[i] = R(i == lane ? x : others);
    return v_load(all);
}

static v3 vector_in_lane(const double x[3], int lane) {
    return (v3){in_lane(x[0], lane, 1e20), in_lane(x[1], lane, -3), in_lane(x[2], lane, 0)};
}

TEST(exp_agrees_with_libm) {
    uint64_t seed = 1;
    for (int k = 0; k < 50 * ANGLES; k++) {
        double angle = angles[k % ANGLES], d[3], p[3];
        int lane = k % SN_LANES;
        direction(&seed, k / ANGLES, d);
        for (int i = 0; i < 3; i++) p[i] = (double)R(angle * d[i]);
        double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
        double scale = length > 0 ? sin(length / 2) / length : 0.5;
        vq q = vq_exp(vector_in_lane(p, lane));
        CHECK_NEAR(v_lane(q.x, lane), scale * p[0], precise * (1 + length));
        CHECK_NEAR(v_lane(q.y, lane), scale * p[1], precise * (1 + length));
        CHECK_NEAR(v_lane(q.z, lane), scale * p[2], precise * (1 + length));
        CHECK_NEAR(v_lane(q.w, lane), cos(length / 2), precise * (1 + length));
        // small turns keep their relative precision
        if (length < 0.1)
            for (int i = 0; i < 3; i++) {
                vreal part = i == 0 ? q.x : i == 1 ? q.y : q.z;
                CHECK_NEAR(v_lane(part, lane), scale * p[i], precise * fabs(scale * p[i]));
            }
    }
}

TEST(exp_of_too_long_a_vector_is_a_rotation) {
    const double sizes[] = {6.2, 6.3, 7, 10, 100, 1e6, 1e15, 1e18};
    for (int k = 0; k < 8; k++) {
        double p[3] = {0.6 * sizes[k], 0, -0.8 * sizes[k]};
        for (int lane = 0; lane < SN_LANES; lane++) {
            vq q = vq_exp(vector_in_lane(p, lane));
            CHECK_NEAR(v_lane(vq_dot(q, q), lane), 1, 20 * precise);
        }
    }
}

TEST(log_agrees_with_libm) {
    uint64_t seed = 2;
    for (int k = 0; k < 50 * ANGLES; k++) {
        double angle = angles[k % ANGLES], d[3];
        int lane = k % SN_LANES;
        direction(&seed, k / ANGLES, d);
        double v[4] = {sin(angle / 2) * d[0], sin(angle / 2) * d[1], sin(angle / 2) * d[2], cos(angle / 2)};
        for (int i = 0; i < 4; i++) v[i] = (double)R(v[i]);
        // the true logarithm of the rounded quaternion, the short way
        double side = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), sign = v[3] < 0 ? -1 : 1;
        double turn = side > 0 ? 2 * atan2(side, sign * v[3]) / side : 2;
        vq q = {in_lane(v[0], lane, 0.6), in_lane(v[1], lane, 0), in_lane(v[2], lane, 0), in_lane(v[3], lane, 0.8)};
        v3 p = vq_log(q);
        const vreal *parts[3] = {&p.x, &p.y, &p.z};
        for (int i = 0; i < 3; i++) {
            double exact = sign * turn * v[i];
            if (fabs(pi - turn * side) < 1e-3 && fabs(v[3]) < 1e-3) { // at half a turn both signs are right
                CHECK_NEAR(fabs((double)v_lane(*parts[i], lane)), fabs(exact), 1e-3);
                continue;
            }
            CHECK_NEAR(v_lane(*parts[i], lane), exact, 8 * precise * fabs(exact) + 1e-37);
        }
    }
}

TEST(log_undoes_exp) {
    uint64_t seed = 3;
    for (int k = 0; k < 50 * ANGLES; k++) {
        double angle = angles[k % ANGLES], d[3], p[3];
        int lane = k % SN_LANES;
        if (angle > 3.1) continue;
        direction(&seed, k / ANGLES, d);
        for (int i = 0; i < 3; i++) p[i] = (double)R(angle * d[i]);
        v3 back = vq_log(vq_exp(vector_in_lane(p, lane)));
        CHECK_NEAR(v_lane(back.x, lane), p[0], 20 * precise * angle + 1e-37);
        CHECK_NEAR(v_lane(back.y, lane), p[1], 20 * precise * angle + 1e-37);
        CHECK_NEAR(v_lane(back.z, lane), p[2], 20 * precise * angle + 1e-37);
    }
}

TEST(the_opposite_quaternion_is_the_same_rotation) {
    const double v[4] = {0.1, -0.2, 0.3, 0.9};
    for (int lane = 0; lane < SN_LANES; lane++) {
        vq q = {in_lane(v[0], lane, 0), in_lane(v[1], lane, 0), in_lane(v[2], lane, 0), in_lane(v[3], lane, 1)};
        q = vq_normalize(q);
        vq o = {-q.x, -q.y, -q.z, -q.w};
        v3 a = vq_log(q), b = vq_log(o);
        CHECK(v_lane(a.x, lane) == v_lane(b.x, lane) && v_lane(a.y, lane) == v_lane(b.y, lane) &&
              v_lane(a.z, lane) == v_lane(b.z, lane));
    }
}

TEST(a_nudge_is_a_small_rotation_from_the_left) {
    const double t[3] = {1e-3, 2e-3, -1e-3};
    for (int lane = 0; lane < SN_LANES; lane++) {
        vq q = {v_set(R(0.5)), v_set(R(0.5)), v_set(R(-0.5)), v_set(R(0.5))};
        vq a = vq_nudge(vector_in_lane(t, lane), q), b = vq_mul(vq_exp(vector_in_lane(t, lane)), q);
        CHECK_NEAR(v_lane(a.x, lane), v_lane(b.x, lane), 1e-8 + precise);
        CHECK_NEAR(v_lane(a.w, lane), v_lane(b.w, lane), 1e-8 + precise);
        CHECK_NEAR(v_lane(vq_dot(a, a), lane), 1, precise);
    }
}

TEST(lanes_select_compare_and_find_what_is_not_a_number) {
    for (int lane = 0; lane < SN_LANES; lane++) {
        vreal a = in_lane(1, lane, 5), b = in_lane(2, lane, 4);
        vmask less = v_less(a, b);
        CHECK(v_mask_lane(less, lane) && v_any(less));
        for (int i = 0; i < SN_LANES; i++) {
            CHECK(v_mask_lane(less, i) == (i == lane));
            CHECK(v_lane(v_select(less, a, b), i) == (i == lane ? 1 : 4));
            CHECK(v_lane(v_min(a, b), i) == (i == lane ? 1 : 4));
            CHECK(v_lane(v_max(a, b), i) == (i == lane ? 2 : 5));
            CHECK(v_lane(v_negate_if(less, a), i) == (i == lane ? -1 : 5));
            CHECK(v_lane(v_abs(-a), i) == v_lane(a, i));
            CHECK(v_lane(v_sqrt(a * a), i) == v_lane(a, i));
        }
        const double strange[] = {NAN, INFINITY, -INFINITY};
        for (int k = 0; k < 3; k++) {
            vmask fine = v_finite(in_lane(strange[k], lane, 7));
            for (int i = 0; i < SN_LANES; i++) CHECK(v_mask_lane(fine, i) == (i != lane));
        }
        CHECK(!v_any(~v_finite(in_lane(3e38, lane, -3e38))));
    }
}

TEST(small_vectors_obey_their_laws) {
    uint64_t seed = 4;
    for (int k = 0; k < 200; k++) {
        sn_vec3 a = random_vec(&seed, 1), b = random_vec(&seed, 1), c = sn_cross(a, b);
        sn_quat p = sn_q_normalize((sn_quat){a.x, a.y, a.z, b.x}), q = sn_q_normalize((sn_quat){b.x, b.y, b.z, a.y});
        CHECK_NEAR(sn_dot(a, c), 0, 4 * precise);
        CHECK_NEAR(sn_dot(b, c), 0, 4 * precise);
        CHECK_NEAR(sn_length2(c) + sn_dot(a, b) * sn_dot(a, b), sn_length2(a) * sn_length2(b), 40 * precise);
        sn_vec3 one = sn_q_rotate(p, sn_q_rotate(q, a)), two = sn_q_rotate(sn_q_mul(p, q), a);
        CHECK_NEAR(distance(one, two), 0, 20 * precise);
        CHECK_NEAR(sn_length(one), sn_length(a), 20 * precise);
        CHECK_NEAR(distance(sn_q_rotate(sn_q_conj(p), sn_q_rotate(p, b)), b), 0, 20 * precise);
        CHECK_NEAR(distance(sn_cross(sn_q_axis_x(p), sn_q_axis_y(p)), sn_q_axis_z(p)), 0, 20 * precise);
        sn_vec3 u = sn_normalize(a, sn_v3(0, 0, 1)), v = sn_normalize(b, sn_v3(0, 0, 1));
        CHECK_NEAR(distance(sn_q_rotate(sn_q_between(u, v), u), v), 0, 40 * precise);
        CHECK_NEAR(sn_q_dot(sn_q_between(u, v), sn_q_between(u, v)), 1, 10 * precise);
        sn_vec3 turned = sn_q_rotate(sn_q_between(u, sn_mul(-1, u)), u);
        CHECK_NEAR(distance(turned, sn_mul(-1, u)), 0, 40 * precise);
        CHECK_NEAR(sn_dot(sn_perpendicular(u), u), 0, 4 * precise);
        CHECK_NEAR(sn_length(sn_perpendicular(u)), 1, 4 * precise);
        CHECK_NEAR(distance(sn_lerp(a, b, R(0.5)), sn_mul(R(0.5), sn_add(a, b))), 0, 4 * precise);
    }
    CHECK_NEAR(distance(sn_normalize(sn_v3(0, 0, 0), sn_v3(0, 1, 0)), sn_v3(0, 1, 0)), 0, 0);
    CHECK_NEAR(sn_q_normalize((sn_quat){0, 0, 0, 0}).w, 1, 0);
    CHECK(!sn_finite3(sn_v3(0, R(NAN), 0)) && !sn_finite3(sn_v3(R(INFINITY), 0, 0)) && sn_finite3(sn_v3(1, 2, 3)));
    CHECK(!sn_q_finite((sn_quat){0, 0, 0, R(NAN)}) && sn_q_finite(sn_q_identity()));
}
