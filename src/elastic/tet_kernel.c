// The local step, in lanes: each lane is a tetrahedron. With F = (x1 - x0, x2 - x0, x3 - x0) Dm^-1 and its projections
// R and D (project.h), the gradient of its energy by corner k > 0 is
//
//     V (2 mu (F - R) + 3 lambda (F - D)) grad_k,       grad_k: row k of Dm^-1,
//
// since the projections do not change the distance to first order; corner 0 has what makes the sum zero.
//
// R: Newton's iteration for the orthogonal factor, Q <- (Q + Q^-T) / 2, from F. A singular value s goes to (s + 1/s) /
// 2,
//    at least 1, so that |Q|^2 - 3 tells after the first step how far all three are from 1. Stretches between a half
//    and 2 take four steps.
// D: the tangent plane of det = 1 at the last point, and F's nearest point on it: D <- F + s C with C the cofactors of
// the last D,
//    s = (1 - det D - C : (F - D)) / |C|^2. It starts at F itself.
//
// Neither needs a start from the step before, so the state of a body is q and its rate alone. Lanes that are squeezed,
// blown up or inside out, or have not settled after a few more steps, are done one by one by project.c. No lane is
// iterated on because of another: its result does not depend on its neighbours.
#include "base/lane_gather.h"
#include "base/lane_math.h"
#include "elastic/kernels.h"
#include "elastic/project.h"

enum {
    L = SN_LANES,
    ROW = SN_ELASTIC_ROW,
    PARTS = ROW / L,
    TURNS = sizeof(sn_real) == 4 ? 4 : 6,    // of Newton's iteration for R
    TANGENTS = sizeof(sn_real) == 4 ? 3 : 6, // steps for D that all lanes make, no more than turns
    MORE = sizeof(sn_real) == 4 ? 8 : 40,    // and those that have not settled
};

// Of |Q|^2 - 3 before the last step, and of the change of s in the last one.
#define NEAR_ROTATION (sizeof(sn_real) == 4 ? K(4e-4) : K(2e-8))
#define NEAR_VOLUME   (sizeof(sn_real) == 4 ? K(3e-4) : K(1e-13))
// det F that lanes do not try.
#define LEAST_VOLUME K(0.2)
#define MOST_VOLUME  K(2.5)

SN_INLINE void cofactors(const vreal m[9], vreal c[9]) {
    c[0] = m[4] * m[8] - m[5] * m[7], c[1] = m[5] * m[6] - m[3] * m[8], c[2] = m[3] * m[7] - m[4] * m[6];
    c[3] = m[2] * m[7] - m[1] * m[8], c[4] = m[0] * m[8] - m[2] * m[6], c[5] = m[1] * m[6] - m[0] * m[7];
    c[6] = m[1] * m[5] - m[2] * m[4], c[7] = m[2] * m[3] - m[0] * m[5], c[8] = m[0] * m[4] - m[1] * m[3];
}

// By rows, so that nine additions do not wait for each other.
SN_INLINE vreal inner(const vreal a[9], const vreal b[9]) {
    const vreal x = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    const vreal y = a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
    const vreal z = a[6] * b[6] + a[7] * b[7] + a[8] * b[8];
    return (x + y) + z;
}

SN_INLINE void set_lane(vreal *v, int lane, sn_real x) {
#if SN_LANES == 1
    (void)lane, *v = x;
#else
    (*v)[lane] = x;
#endif
}

SN_INLINE bool lane_of(vmask m, int lane) {
    return v_mask_lane(m, lane);
}

// Lanes in 'hard' one by one.
__attribute__((noinline)) static void one_by_one(vmask hard, const vreal f[9], vreal r[9], vreal d[9]) {
    for (int lane = 0; lane < L; ++lane) {
        if (!lane_of(hard, lane)) continue;
        double from[9], turn[9], unit[9];
        for (int k = 0; k < 9; ++k) from[k] = (double)v_lane(f[k], lane);
        sn_elastic_project(from, turn, unit);
        for (int k = 0; k < 9; ++k) set_lane(&r[k], lane, (sn_real)turn[k]), set_lane(&d[k], lane, (sn_real)unit[k]);
    }
}

// A step of Newton's iteration towards R.
SN_INLINE void turn(vreal r[9]) {
    vreal c[9];
    cofactors(r, c);
    const vreal inverse = K(0.5) / (r[0] * c[0] + r[1] * c[1] + r[2] * c[2]);
    for (int k = 0; k < 9; ++k) r[k] = K(0.5) * r[k] + inverse * c[k];
}

// A step towards D. c and s: of the step before, then of this one.
SN_INLINE vreal tangent(const vreal d[9], vreal c[9], vreal s) {
    vreal now[9];
    cofactors(d, now);
    // F - D = -s c of the step before
    const vreal det = d[0] * now[0] + d[1] * now[1] + d[2] * now[2];
    const vreal step = (K(1) - det + s * inner(now, c)) / inner(now, now);
    for (int k = 0; k < 9; ++k) c[k] = now[k];
    return step;
}

// D for lanes that have not settled, a few steps more; those that still have not.
SN_INLINE vmask settle(vmask open, const vreal f[9], vreal d[9], vreal c[9], vreal s) {
    for (int step = 0; step < MORE && v_any(open); ++step) {
        vreal last[9];
        for (int k = 0; k < 9; ++k) last[k] = c[k];
        const vreal next = tangent(d, c, s), change = next - s;
        for (int k = 0; k < 9; ++k) {
            c[k] = v_select(open, c[k], last[k]);
            d[k] = v_select(open, f[k] + next * c[k], d[k]);
        }
        s = v_select(open, next, s);
        open = open & ~v_less(v_abs(change), v_set(NEAR_VOLUME));
    }
    return open;
}

// R and D from F, its cofactors and its determinant; the lanes that have not come near. A step towards one is a chain
// in which each operation waits for the last, so the other's goes beside it.
SN_INLINE vmask project(const vreal f[9], const vreal cofactor[9], vreal det, bool bulk, vreal r[9], vreal d[9]) {
    const vreal inverse = K(0.5) / det;
    vreal c[9], s = v_set(0), change = v_set(0), far = v_set(0);
    for (int k = 0; k < 9; ++k) r[k] = K(0.5) * f[k] + inverse * cofactor[k];
    if (bulk) {
        s = change = (K(1) - det) / inner(cofactor, cofactor);
        for (int k = 0; k < 9; ++k) c[k] = cofactor[k], d[k] = f[k] + s * c[k];
    }
    SN_UNROLL
    for (int step = 1; step < TURNS; ++step) {
        if (step == TURNS - 1) far = inner(r, r) - K(3);
        turn(r);
        if (!bulk || step >= TANGENTS) continue;
        const vreal next = tangent(d, c, s);
        change = next - s, s = next;
        for (int k = 0; k < 9; ++k) d[k] = f[k] + s * c[k];
    }
    vmask hard = ~v_less(far, v_set(NEAR_ROTATION));
    if (!bulk) return hard;
    const vmask open = ~v_less(v_abs(change), v_set(NEAR_VOLUME));
    return hard | settle(open, f, d, c, s);
}

// The places of corners in lanes.
SN_INLINE v3 corner_of(const sn_real *x, const uint16_t *corner, int32_t index[SN_LANES]) {
    vreal row[4];
    for (int lane = 0; lane < L; ++lane) index[lane] = corner[lane];
    gather_quads(x, 4, index, row);
    return (v3){row[0], row[1], row[2]};
}

// Adds the corners' vectors to their vertices, tetrahedron after tetrahedron.
#if SN_LANES == 1
SN_INLINE void add_corners(sn_real *to, int32_t index[4][SN_LANES], const v3 f[4]) {
    for (int k = 0; k < 4; ++k) {
        sn_real *quad = to + 4 * (ptrdiff_t)index[k][0];
        quad[0] += f[k].x, quad[1] += f[k].y, quad[2] += f[k].z;
    }
}
#else
SN_INLINE void add_corners(sn_real *to, int32_t index[4][SN_LANES], const v3 f[4]) {
    vreal row[4][4];
    for (int k = 0; k < 4; ++k) {
        row[k][0] = f[k].x, row[k][1] = f[k].y, row[k][2] = f[k].z, row[k][3] = v_set(0);
        transpose_quads(row[k]);
    }
    SN_UNROLL
    for (int lane = 0; lane < L; ++lane)
        for (int k = 0; k < 4; ++k) {
            quad sum, more;
            sn_real *at = to + 4 * (ptrdiff_t)index[k][lane];
            __builtin_memcpy(&sum, at, sizeof sum);
            __builtin_memcpy(&more, (const char *)&row[k][lane % 4] + (size_t)(lane / 4) * sizeof more, sizeof more);
            sum += more;
            __builtin_memcpy(at, &sum, sizeof sum);
        }
}
#endif

SN_INLINE vreal local_part(const sn_elastic_local *in, const sn_real *x, sn_real *force, int row, int part, bool bulk,
                           bool energy) {
    const sn_elastic_space *space = in->space;
    const uint16_t *corner = space->tet_corner + ((size_t)row * 4 * ROW + (size_t)(part * L));
    const sn_real *shape = space->tet_shape + ((size_t)row * SN_ELASTIC_SHAPE * ROW + (size_t)(part * L));
    int32_t index[4][SN_LANES];
    const v3 o = corner_of(x, corner, index[0]);
    vreal g[9], f[9], c[9], r[9], d[9];
    for (int k = 0; k < 9; ++k) g[k] = v_load(shape + k * ROW), f[k] = d[k] = v_set(0);
    SN_UNROLL
    for (int k = 0; k < 3; ++k) {
        const v3 e = v3_sub(corner_of(x, corner + (k + 1) * ROW, index[k + 1]), o);
        for (int m = 0; m < 3; ++m) {
            f[m] += e.x * g[3 * k + m], f[3 + m] += e.y * g[3 * k + m], f[6 + m] += e.z * g[3 * k + m];
        }
    }
    cofactors(f, c);
    const vreal det = f[0] * c[0] + f[1] * c[1] + f[2] * c[2];
    vmask hard = ~(v_less(v_set(LEAST_VOLUME), det) & v_less(det, v_set(MOST_VOLUME)));
    hard = hard | project(f, c, det, bulk, r, d);
    if (v_any(hard)) one_by_one(hard, f, r, d);

    const vreal volume = v_load(shape + 9 * ROW), shear = volume * in->shear, press = volume * in->bulk;
    vreal work = v_set(0);
    if (energy) {
        for (int k = 0; k < 9; ++k) c[k] = f[k] - r[k];
        work = K(0.5) * shear * inner(c, c);
        if (bulk) {
            for (int k = 0; k < 9; ++k) c[k] = f[k] - d[k];
            work += K(0.5) * press * inner(c, c);
        }
    }
    for (int k = 0; k < 9; ++k) {
        r[k] = shear * (f[k] - r[k]);
        if (bulk) r[k] += press * (f[k] - d[k]);
    }
    v3 at[4] = {{v_set(0), v_set(0), v_set(0)}};
    SN_UNROLL
    for (int k = 0; k < 3; ++k) {
        const v3 gradient = {g[3 * k], g[3 * k + 1], g[3 * k + 2]};
        at[k + 1] = (v3){v3_dot((v3){r[0], r[1], r[2]}, gradient), v3_dot((v3){r[3], r[4], r[5]}, gradient),
                         v3_dot((v3){r[6], r[7], r[8]}, gradient)};
        at[0] = v3_sub(at[0], at[k + 1]);
    }
    add_corners(force, index, at);
    return work;
}

SN_INLINE void local_chunk(const sn_elastic_local *in, int chunk, bool bulk, bool energy) {
    const sn_elastic_space *space = in->space;
    const int first = space->local_first[chunk], end = space->local_first[chunk + 1];
    sn_real *x = in->local_x + 4 * (size_t)first, *force = in->force + 4 * (size_t)first;
    for (int i = first; i < end; ++i)
        for (int k = 0; k < 4; ++k) in->local_x[4 * i + k] = in->x[4 * (size_t)space->local[i] + (size_t)k];
    for (int i = 0; i < 4 * (end - first); ++i) force[i] = 0;
    vreal work[PARTS];
    for (int part = 0; part < PARTS; ++part) work[part] = v_set(0);
    const int begin = chunk * SN_ELASTIC_CHUNK;
    const int rows = begin + SN_ELASTIC_CHUNK < space->tet_row_count ? begin + SN_ELASTIC_CHUNK : space->tet_row_count;
    for (int row = begin; row < rows; ++row)
        for (int part = 0; part < PARTS; ++part) work[part] += local_part(in, x, force, row, part, bulk, energy);
    if (!energy) return;
    in->energy[chunk] = 0;
    for (int i = 0; i < ROW; ++i) in->energy[chunk] += (double)v_lane(work[i / L], i % L);
}

void SN_LANE_NAME(sn_elastic_local)(const sn_elastic_local *in, int chunk);
void SN_LANE_NAME(sn_elastic_local)(const sn_elastic_local *in, int chunk) {
    if (in->bulk > 0) {
        if (in->energy)
            local_chunk(in, chunk, true, true);
        else
            local_chunk(in, chunk, true, false);
    } else {
        local_chunk(in, chunk, false, in->energy != NULL);
    }
}
