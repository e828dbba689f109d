// The field of an implicit muscle (muscle_spindle.h) in lanes: each lane is a query point q; the loop is over segments.
//
// Points come in groups of 16 that are often close to each other. For all q in a ball around the group, with centre c
// and radius r, (q - p_i) . T_i is within r of (c - p_i) . T_i. That excludes the segments that hold no foot point of
// the group. The remaining window covers the needs of each point alone, so its result does not depend on the other
// points.
//
// With t and its gradient on the segment from p along e, between planes with tangents T and U,
//
//     t = a / (a + b),     grad t = (b T + a U) / (a + b)^2,     n = (q - C) / d,     d = |q - C|,
//
// the gradient for circular sections is
//
//     grad f = n - (n . e + R'(t)) grad t,
//
// and for an ellipse with the unit normal N = M / |M|, M = N_i + t E, c = n . N, r = (u^2 c^2 + v^2 (1 - c^2))^-1/2:
//
//     grad c = [(N - c n) - ((N - c n) . e) grad t] / d + (n . E - c N . E) / |M| grad t
//     grad f = n - (n . e + r R'(t)) grad t + R r^3 (u^2 - v^2) c grad c.
#include "base/simd/lane_gather.h"
#include "base/simd/lane_math.h"
#include "kinds/implicit_muscle/muscle_spindle.h"

enum { L = SN_LANES };

// A foot point: in segment `index` at t = a / (a + b). `inner` is 0 if it is an end of the axis, else 1.
typedef struct {
    vreal index, a, b, inner;
} foot;

SN_INLINE v3 splat(const sn_real *from) {
    return (v3){v_set(from[0]), v_set(from[1]), v_set(from[2])};
}

// Candidate segments, low <= i < high, and whether the two ends are candidates.
typedef struct {
    int low, high;
    bool first, last;
} window;

// The window of `count` points, at most 16, from index `at` on.
static window find_window(const sn_muscle_spindle *m, int at, int count, const sn_real *const q[3]) {
    const int last = m->points - 1;
    const size_t row = sn_muscle_padded_count(m->points);
    sn_real middle[3], far2 = 0, large = 0;
    for (int k = 0; k < 3; k++) {
        vreal low = v_load(q[k] + at), high = low;
        for (int i = L; i < count; i += L) {
            vreal x = v_load(q[k] + at + i);
            low = v_min(low, x), high = v_max(high, x);
        }
        sn_real min = v_lane(low, 0), max = v_lane(high, 0);
        for (int lane = 1; lane < L; lane++)
            min = sn_min(min, v_lane(low, lane)), max = sn_max(max, v_lane(high, lane));
        middle[k] = K(0.5) * (min + max);
        const sn_real half = max - middle[k];
        far2 += half * half, large += sn_abs(middle[k]);
    }
    // Includes rounding errors.
    const sn_real reach = sn_sqrt(far2) * K(1.001) + 64 * SN_REAL_EPSILON * (large + m->length);
    sn_real side[SN_MUSCLE_MAX_POINTS + SN_MUSCLE_ROW] __attribute__((aligned(64)));
    const sn_real *x = m->planes;
    int i = 0;
    do {
        vreal px = v_load(x + i), py = v_load(x + row + i), pz = v_load(x + 2 * row + i);
        vreal tx = v_load(x + 3 * row + i), ty = v_load(x + 4 * row + i), tz = v_load(x + 5 * row + i);
        v_store(side + i, (middle[0] - px) * tx + (middle[1] - py) * ty + (middle[2] - pz) * tz);
        i += L;
    } while (i <= last);
    window w = {last, 0, side[0] < reach, !(side[last] < -reach)};
    for (i = 0; i < last; i++)
        if (!(side[i] < -reach) && !(side[i + 1] > reach)) {
            if (w.low > i) w.low = i;
            w.high = i + 1;
        }
    if (!(reach < INFINITY)) w = (window){0, last, true, true};
    return w;
}

SN_INLINE foot find_foot(const sn_muscle_spindle *m, window w, v3 q) {
    const int last = m->points - 1;
    const sn_real *scan = m->scan;
    const vreal zero = v_set(0), one = v_set(1), far = v_set(sizeof(sn_real) == 4 ? K(3e38) : (sn_real)1e300);
    vreal best = far;
    foot f = {zero, zero, one, zero}; // the first end
    if (w.first) {
        v3 from = v3_sub(q, splat(scan));
        best = v_select(v_less(v3_dot(from, splat(scan + 3)), zero), v3_dot(from, from), far);
    }
    scan += w.low * SN_MUSCLE_SCAN_STRIDE;
    v3 from = v3_sub(q, splat(scan));
    vreal before = v3_dot(from, splat(scan + 3));
    for (int i = w.low; i < w.high; ++i, scan += SN_MUSCLE_SCAN_STRIDE) {
        const sn_real *next = scan + SN_MUSCLE_SCAN_STRIDE;
        v3 to = v3_sub(q, splat(next));
        vreal after = v3_dot(to, splat(next + 3));
        vmask mine = ~v_less(before, zero) & v_less(after, zero);
        if (v_any(mine)) { // rare: a point is between the planes of one segment or a few
            v3 e = splat(scan + 6);
            vreal t = v_max(v_min(v3_dot(from, e) * scan[9], one), zero);
            v3 away = v3_sub(from, v3_mul(t, e));
            vreal distance2 = v3_dot(away, away);
            mine = mine & v_less(distance2, best);
            best = v_select(mine, distance2, best);
            f.index = v_select(mine, v_set((sn_real)i), f.index);
            f.a = v_select(mine, before, f.a);
            f.b = v_select(mine, -after, f.b);
            f.inner = v_select(mine, one, f.inner);
        }
        from = to, before = after;
    }
    if (!w.last) return f;
    scan = m->scan + last * SN_MUSCLE_SCAN_STRIDE;
    from = v3_sub(q, splat(scan));
    vmask past = ~v_less(v3_dot(from, splat(scan + 3)), zero) & v_less(v3_dot(from, from), best);
    f.index = v_select(past, v_set((sn_real)(last - 1)), f.index);
    f.a = v_select(past, one, f.a);
    f.b = v_select(past, zero, f.b);
    f.inner = v_select(past, zero, f.inner);
    return f;
}

SN_INLINE void evaluate(const sn_muscle_spindle *m, window w, bool elliptic, int at, const sn_real *const q3[3],
                        sn_real *f_out, sn_real *const gradient[3], sn_real *where) {
    v3 q = {v_load(q3[0] + at), v_load(q3[1] + at), v_load(q3[2] + at)};
    foot f = find_foot(m, w, q);
    int32_t index[SN_LANES];
    for (int lane = 0; lane < L; lane++) index[lane] = (int32_t)v_lane(f.index, lane);
    vreal rows[SN_MUSCLE_SEGMENT_STRIDE / 4][4];
    SN_UNROLL for (int k = 0; k < SN_MUSCLE_SEGMENT_STRIDE / 4; k++) {
        if (k >= 4 && !elliptic) break;
        gather_quads(m->segments + 4 * k, SN_MUSCLE_SEGMENT_STRIDE, index, rows[k]);
    }
    v3 p = {rows[0][0], rows[0][1], rows[0][2]}, e = {rows[1][0], rows[1][1], rows[1][2]};
    v3 tangent = {rows[2][0], rows[2][1], rows[2][2]}, next = {rows[3][0], rows[3][1], rows[3][2]};
    const vreal tiny = v_set(K(1e-12));
    vreal sum = f.a + f.b, t = f.a / v_max(sum, tiny);
    t = v_min(t, v_set(1));
    // Near the intersection of the planes (the centre of a bend) the gradient of t is unbounded: limit it.
    vreal safe = v_max(sum, K(0.05) * v_sqrt(v3_dot(e, e)));
    safe = v_max(safe, tiny);
    v3 along = v3_mul(f.inner / (safe * safe), v3_add(v3_mul(f.b, tangent), v3_mul(f.a, next)));
    v3 away = v3_sub(q, v3_add(p, v3_mul(t, e)));
    vreal d = v_max(v_sqrt(v3_dot(away, away)), v_set(K(1e-6)));
    v3 n = v3_mul(K(1) / d, away);
    vreal radius = ((rows[3][3] * t + rows[2][3]) * t + rows[1][3]) * t + rows[0][3];
    vreal slope = (K(3) * rows[3][3] * t + K(2) * rows[2][3]) * t + rows[1][3];
    v3 g;
    if (elliptic) {
        v3 start = {rows[4][0], rows[4][1], rows[4][2]}, change = {rows[5][0], rows[5][1], rows[5][2]};
        v3 normal = v3_add(start, v3_mul(t, change));
        vreal over = K(1) / v_max(v_sqrt(v3_dot(normal, normal)), v_set(K(1e-6)));
        normal = v3_mul(over, normal);
        const sn_real u2 = m->thin * m->thin, v2 = m->thick * m->thick;
        vreal c = v3_dot(n, normal), r2 = K(1) / (u2 * (c * c) + v2 * (K(1) - c * c)), r = v_sqrt(r2);
        v3 aside = v3_sub(normal, v3_mul(c, n));
        // On the axis the direction n is undefined: limit its derivative there.
        vreal inverse_d = K(1) / v_max(d, K(0.02) * radius);
        vreal by_t = (v3_dot(n, change) - c * v3_dot(normal, change)) * over - v3_dot(aside, e) * inverse_d;
        v3 grad_c = v3_add(v3_mul(inverse_d, aside), v3_mul(by_t, along));
        g = v3_sub(n, v3_mul(v3_dot(n, e) + r * slope, along));
        g = v3_add(g, v3_mul(radius * (r * r2) * (u2 - v2) * c, grad_c));
        v_store(f_out + at, d - radius * r);
    } else {
        g = v3_sub(n, v3_mul(v3_dot(n, e) + slope, along));
        v_store(f_out + at, d - radius);
    }
    v_store(gradient[0] + at, g.x);
    v_store(gradient[1] + at, g.y);
    v_store(gradient[2] + at, g.z);
    if (where) v_store(where + at, f.index + t);
}

sn_muscle_field_fn SN_LANE_NAME(sn_muscle_field);
void SN_LANE_NAME(sn_muscle_field)(const sn_muscle_spindle *m, int count, const sn_real *const q[3], sn_real *f,
                                   sn_real *const gradient[3], sn_real *where) {
    for (int first = 0; first < count; first += SN_MUSCLE_ROW) {
        const int end = count - first < SN_MUSCLE_ROW ? count : first + SN_MUSCLE_ROW;
        const window w = find_window(m, first, end - first, q);
        if (m->thick > 1)
            for (int at = first; at < end; at += L) evaluate(m, w, true, at, q, f, gradient, where);
        else
            for (int at = first; at < end; at += L) evaluate(m, w, false, at, q, f, gradient, where);
    }
}
