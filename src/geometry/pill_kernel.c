// The deepest pair of two pills in SIMD lanes: deepest_pair of pill.c, operation by operation, with selects for its
// branches. pill.c explains the mathematics.
#include "base/simd/lane_gather.h"
#include "base/simd/lane_math.h"
#include "geometry/pill_batch.h"

#define PARALLEL2  (64 * SN_REAL_EPSILON * SN_REAL_EPSILON)
#define CROSSING2  (4096 * SN_REAL_EPSILON * SN_REAL_EPSILON)
#define UNDERFLOW2 K(1e-36)

sn_pill_pairs_fn SN_LANE_NAME(sn_pill_pairs);

typedef struct {
    v3 a, b;
    vreal ra, rb;
} vpill;

typedef struct {
    v3 u;
    vreal dr, length2, inverse, slope;
    vmask cone;
    vreal larger_end;
} vaxis;

typedef struct {
    vreal alpha, beta, distance;
    v3 normal;
} vpair;

// x where m, else 0.
SN_INLINE vreal v_where(vmask m, vreal x) {
    return v_select(m, x, v_set(0));
}
SN_INLINE vreal v_clamp01(vreal x) {
    vreal zero = v_set(0), one = v_set(1);
    return v_select(v_less(x, zero), zero, v_select(v_less(one, x), one, x));
}
// 1 where x > 0, else 0.
SN_INLINE vreal v_step(vreal x) {
    return v_where(v_less(v_set(0), x), v_set(1));
}

SN_INLINE vaxis axis_of(v3 u, vreal dr) {
    vreal length2 = v3_dot(u, u);
    vmask long_enough = v_less(v_set(SN_NO_LENGTH2), length2);
    vreal cone2 = length2 - dr * dr;
    vmask cone = long_enough & v_less(v_set(0), cone2);
    vreal one = v_set(1);
    return (vaxis){
        .u = u,
        .dr = dr,
        .length2 = length2,
        .inverse = v_where(long_enough, one / v_select(long_enough, length2, one)),
        .slope = v_where(cone, dr / v_sqrt(v_select(cone, length2 * cone2, one))),
        .cone = cone,
        .larger_end = v_step(dr),
    };
}

SN_INLINE vreal project(const vaxis *p, v3 x) {
    vreal foot = v3_dot(x, p->u) * p->inverse;
    v3 off = v3_sub(x, v3_mul(foot, p->u));
    vreal t = foot + v_sqrt(v3_dot(off, off)) * p->slope;
    return v_select(p->cone, v_clamp01(t), p->larger_end);
}

SN_INLINE v3 beside(v3 u) {
    vreal length2 = v3_dot(u, u), zero = v_set(0);
    v3 with_x = {zero, u.z, -u.y}, with_y = {-u.z, zero, u.x};
    v3 side = v3_select(v_less(u.x * u.x, K(0.36) * length2), with_x, with_y);
    return v3_select(v_less(v_set(UNDERFLOW2), v3_dot(side, side)), side, (v3){zero, v_set(1), zero});
}

SN_INLINE vpair deepest_pair(const vpill *a, const vpill *b) {
    vreal zero = v_set(0), one = v_set(1);
    vaxis pa = axis_of(v3_sub(a->b, a->a), a->rb - a->ra);
    vaxis pb = axis_of(v3_sub(b->b, b->a), b->rb - b->ra);
    v3 u = pa.u, v = pb.u, d0 = v3_sub(a->a, b->a);

    vreal k = v3_dot(u, v) * pa.inverse;
    v3 w = v3_sub(v, v3_mul(k, u));
    vreal rest = v3_dot(u, w) * pa.inverse;
    w = v3_sub(w, v3_mul(rest, u));
    k = k + rest;
    vreal ww = v3_dot(w, w);
    vmask spread = v_less(PARALLEL2 * pb.length2, ww) & v_less(zero, ww);
    vreal inverse_ww = v_where(spread, one / v_select(spread, ww, one));

    vreal q = -(pb.dr + k * pa.dr);
    vreal nu = pa.dr * pa.inverse, nw = q * inverse_ww;
    vreal n2 = pa.dr * nu + q * nw;
    vreal du = v3_dot(d0, u) * pa.inverse, dw = v3_dot(d0, w) * inverse_ww;
    v3 height = v3_sub(v3_sub(d0, v3_mul(du, u)), v3_mul(dw, w));
    vreal up2 = one - n2;
    vmask has_up = v_less(zero, up2);
    vmask bottom = spread & has_up;
    vreal reach = v_where(bottom, v_sqrt(v3_dot(height, height) / v_select(bottom, up2, one)));
    vreal beta_bottom = dw - reach * nw;
    vreal alpha_bottom = reach * nu - du + beta_bottom * k;
    vreal beta_fall = v_select(spread, -q, v_select(v_less(zero, q), -one, one));
    vreal alpha_fall = nu * ww + k * beta_fall;
    vreal alpha_wish = v_select(bottom, alpha_bottom, v_step(alpha_fall));
    vreal beta_wish = v_select(bottom, beta_bottom, v_step(beta_fall));

    vreal alpha1 = v_select(pa.cone, v_clamp01(alpha_wish), pa.larger_end);
    v3 from_b = v3_add(d0, v3_mul(alpha1, u));
    vreal beta1 = project(&pb, from_b);
    v3 d1 = v3_sub(from_b, v3_mul(beta1, v));
    vreal dd1 = v3_dot(d1, d1), reach1 = v_sqrt(dd1);
    vreal distance1 = reach1 - (a->ra + alpha1 * pa.dr) - (b->ra + beta1 * pb.dr);

    vreal beta2 = v_select(pb.cone, v_clamp01(beta_wish), pb.larger_end);
    v3 from_a = v3_sub(v3_mul(beta2, v), d0);
    vreal alpha2 = project(&pa, from_a);
    v3 d2 = v3_sub(v3_mul(alpha2, u), from_a);
    vreal dd2 = v3_dot(d2, d2), reach2 = v_sqrt(dd2);
    vreal distance2 = reach2 - (a->ra + alpha2 * pa.dr) - (b->ra + beta2 * pb.dr);

    vmask second = v_less(distance2, distance1);
    vpair best = {
        .alpha = v_select(second, alpha2, alpha1),
        .beta = v_select(second, beta2, beta1),
        .distance = v_select(second, distance2, distance1),
        .normal = v3_select(second, d2, d1),
    };
    vreal dd = v_select(second, dd2, dd1), length = v_select(second, reach2, reach1);

    vreal size2 = pa.length2 + pb.length2 + v3_dot(d0, d0);
    vmask crossing = ~(v_less(CROSSING2 * size2, dd) & v_less(v_set(UNDERFLOW2), dd));
    if (v_any(crossing)) { // rare; lanes that do not cross keep their values
        v3 m = v3_cross(u, w);
        vmask plane = spread & v_less(v_set(UNDERFLOW2), v3_dot(m, m));
        m = v3_select(plane, m, beside(v3_select(v_less(pa.length2, pb.length2), v, u)));
        vreal out = v_sqrt(v_select(has_up, up2, one) / v3_dot(m, m));
        out = v_negate_if(v_less(v3_dot(d0, m), zero), out);
        v3 inside = v3_add(v3_mul(nu, u), v3_mul(nw, w));
        v3 up = v3_mul(out, m);
        v3 normal = v3_select(has_up, v3_add(inside, up), up);
        best.normal = v3_select(crossing, normal, best.normal);
        length = v_select(crossing, v_sqrt(v3_dot(normal, normal)), length);
    }
    best.normal = v3_mul(one / length, best.normal);
    return best;
}

// Loads pills, eight numbers each, as one row of lanes per number.
_Static_assert(sizeof(sn_pill) == 8 * sizeof(sn_real), "a pill is two quads of numbers");

SN_INLINE vpill gather(const sn_pill *pills, const int32_t *index) {
    vreal row[8];
    gather_quads(&pills->a.x, 8, index, row);
    gather_quads(&pills->a.x + 4, 8, index, row + 4);
    return (vpill){{row[0], row[1], row[2]}, {row[3], row[4], row[5]}, row[6], row[7]};
}

SN_INLINE void write(sn_real *to, vreal from, int count) {
    if (count == SN_LANES) {
        __builtin_memcpy(to, &from, sizeof from);
    } else {
        for (int lane = 0; lane < count; lane++) to[lane] = v_lane(from, lane);
    }
}

void SN_LANE_NAME(sn_pill_pairs)(const sn_pill *pills, const sn_pair *pairs, int count, const sn_pill_rows *out) {
    for (int start = 0; start < count; start += SN_LANES) {
        int here = count - start < SN_LANES ? count - start : SN_LANES;
        int32_t index_a[SN_LANES], index_b[SN_LANES];
        for (int lane = 0; lane < SN_LANES; lane++) {
            const sn_pair *pair = &pairs[start + (lane < here ? lane : 0)]; // unused lanes repeat the first
            index_a[lane] = pair->a;
            index_b[lane] = pair->b;
        }
        vpill a = gather(pills, index_a), b = gather(pills, index_b);
        vpair contact = deepest_pair(&a, &b);
        write(out->alpha + start, contact.alpha, here);
        write(out->beta + start, contact.beta, here);
        write(out->distance + start, contact.distance, here);
        write(out->normal_x + start, contact.normal.x, here);
        write(out->normal_y + start, contact.normal.y, here);
        write(out->normal_z + start, contact.normal.z, here);
    }
}
