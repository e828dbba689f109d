// The local step of other laws than the projective one, in lanes: each lane is a tetrahedron. With F = (x1 - x0, x2 - x0,
// x3 - x0) Dm^-1 and the stress P = dW/dF the gradient of its energy by corner k > 0 is V P grad_k, grad_k: row k of
// Dm^-1; corner 0 has what makes the sum zero.
//
// Four laws are one formula in Green's strain E and J = det F (materials.h). Its stress is
//
//     P = F ((strain + sum n power_n (tr E)^(n-1) + cross tr E) 1 - cross E) + (volume (J - 1) - strain) cof F.
//
// The energy near rest is of second order, and its first term a difference of two of first order that are alike. As
// J^2 = det(1 + 2E) it is also
//
//     tr E - (J - 1) = ((J - 1) tr E - 4 I2(E) - 8 det E) / (J + 1),
//
// products of small numbers only. Flat and inverted tetrahedra, for which it could divide by nothing, take the difference.
//
// The corotational law has the nearest rotation R, found as in tet_kernel.c:
//
//     W = mu |F - R|^2 + lambda/2 (R : F - 3)^2,      P = 2 mu (F - R) + lambda (R : F - 3) R.
#include "base/lane_gather.h"
#include "base/lane_math.h"
#include "elastic/kernels.h"
#include "elastic/project.h"

enum {
    L = SN_LANES,
    ROW = SN_ELASTIC_ROW,
    PARTS = ROW / L,
    TURNS = sizeof(sn_real) == 4 ? 4 : 6, // of Newton's iteration for R
};

// Of |Q|^2 - 3 before the last step.
#define NEAR_ROTATION (sizeof(sn_real) == 4 ? K(4e-4) : K(2e-8))
// det F for which R is not found in lanes.
#define LEAST_VOLUME K(0.2)
#define MOST_VOLUME  K(2.5)

SN_INLINE void cofactors(const vreal m[9], vreal c[9]) {
    c[0] = m[4] * m[8] - m[5] * m[7], c[1] = m[5] * m[6] - m[3] * m[8], c[2] = m[3] * m[7] - m[4] * m[6];
    c[3] = m[2] * m[7] - m[1] * m[8], c[4] = m[0] * m[8] - m[2] * m[6], c[5] = m[1] * m[6] - m[0] * m[7];
    c[6] = m[1] * m[5] - m[2] * m[4], c[7] = m[2] * m[3] - m[0] * m[5], c[8] = m[0] * m[4] - m[1] * m[3];
}

SN_INLINE vreal inner(const vreal a[9], const vreal b[9]) {
    vreal sum = a[0] * b[0];
    SN_UNROLL
    for (int k = 1; k < 9; ++k) sum += a[k] * b[k];
    return sum;
}

// ---- the laws: stress from F, over volume; returns the energy, which is 0 unless it is wanted

SN_INLINE vreal series_law(const sn_elastic_law_numbers *law, const vreal f[9], vreal p[9], bool energy) {
    vreal c[9], e[6]; // xx, yy, zz, xy, yz, zx
    cofactors(f, c);
    const vreal j = f[0] * c[0] + f[1] * c[1] + f[2] * c[2], more = j - K(1);
    SN_UNROLL
    for (int k = 0; k < 3; ++k) {
        const int m = (k + 1) % 3;
        e[k] = K(0.5) * (f[k] * f[k] + f[3 + k] * f[3 + k] + f[6 + k] * f[6 + k] - K(1));
        e[3 + k] = K(0.5) * (f[k] * f[m] + f[3 + k] * f[3 + m] + f[6 + k] * f[6 + m]);
    }
    const vreal trace = e[0] + e[1] + e[2];
    vreal slope = v_set(0), sum = v_set(0);
    SN_UNROLL
    for (int n = 3; n >= 0; --n) {
        slope = slope * trace + (sn_real)(n + 2) * law->power[n];
        if (energy) sum = sum * trace + law->power[n];
    }
    const vreal along = law->strain + (slope + law->cross) * trace, press = law->volume * more - law->strain;
    const vreal s[9] = {along - law->cross * e[0], -law->cross * e[3],        -law->cross * e[5],
                        -law->cross * e[3],        along - law->cross * e[1], -law->cross * e[4],
                        -law->cross * e[5],        -law->cross * e[4],        along - law->cross * e[2]};
    SN_UNROLL
    for (int k = 0; k < 9; ++k) {
        const int r = k - k % 3, m = k % 3;
        p[k] = (f[r] * s[m] + f[r + 1] * s[3 + m] + f[r + 2] * s[6 + m]) + press * c[k];
    }
    if (!energy) return v_set(0);
    const vreal minor = e[0] * e[1] + e[1] * e[2] + e[2] * e[0] - e[3] * e[3] - e[4] * e[4] - e[5] * e[5];
    const vreal det =
        e[0] * (e[1] * e[2] - e[4] * e[4]) - e[3] * (e[3] * e[2] - e[4] * e[5]) + e[5] * (e[3] * e[4] - e[1] * e[5]);
    const vmask plain = v_less(v_set(K(0.1)), j);
    const vreal under = v_select(plain, j + K(1), v_set(1));
    const vreal apart = v_select(plain, (more * trace - K(4) * minor - K(8) * det) / under, trace - more);
    return law->strain * apart + law->cross * minor + sum * trace * trace + K(0.5) * law->volume * more * more;
}

SN_INLINE void set_lane(vreal *v, int lane, sn_real x) {
#if SN_LANES == 1
    (void)lane, *v = x;
#else
    (*v)[lane] = x;
#endif
}

// Lanes in 'hard' one by one.
__attribute__((noinline)) static void turn_one_by_one(vmask hard, const vreal f[9], vreal r[9]) {
    for (int lane = 0; lane < L; ++lane) {
        if (!v_mask_lane(hard, lane)) continue;
        double from[9], turn[9], unit[9];
        for (int k = 0; k < 9; ++k) from[k] = (double)v_lane(f[k], lane);
        sn_elastic_project(from, turn, unit);
        for (int k = 0; k < 9; ++k) set_lane(&r[k], lane, (sn_real)turn[k]);
    }
}

SN_INLINE vreal corotational_law(const sn_elastic_law_numbers *law, const vreal f[9], vreal p[9], bool energy) {
    vreal c[9], r[9], far = v_set(0);
    cofactors(f, c);
    const vreal det = f[0] * c[0] + f[1] * c[1] + f[2] * c[2];
    vreal inverse = K(0.5) / det;
    for (int k = 0; k < 9; ++k) r[k] = K(0.5) * f[k] + inverse * c[k];
    SN_UNROLL
    for (int turn = 1; turn < TURNS; ++turn) {
        if (turn == TURNS - 1) far = inner(r, r) - K(3);
        cofactors(r, c);
        inverse = K(0.5) / (r[0] * c[0] + r[1] * c[1] + r[2] * c[2]);
        for (int k = 0; k < 9; ++k) r[k] = K(0.5) * r[k] + inverse * c[k];
    }
    const vmask hard =
        ~(v_less(v_set(LEAST_VOLUME), det) & v_less(det, v_set(MOST_VOLUME)) & v_less(far, v_set(NEAR_ROTATION)));
    if (v_any(hard)) turn_one_by_one(hard, f, r);
    vreal apart[9];
    for (int k = 0; k < 9; ++k) apart[k] = f[k] - r[k];
    const vreal trace = inner(r, apart); // R : F - 3, as R : R is 3
    for (int k = 0; k < 9; ++k) p[k] = K(2) * law->mu * apart[k] + law->lambda * trace * r[k];
    return energy ? law->mu * inner(apart, apart) + K(0.5) * law->lambda * trace * trace : v_set(0);
}

// ---- tetrahedra

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

SN_INLINE vreal law_part(const sn_elastic_local *in, const sn_real *x, sn_real *force, int row, int part, bool series,
                         bool energy) {
    const sn_elastic_space *space = in->space;
    const uint16_t *corner = space->tet_corner + ((size_t)row * 4 * ROW + (size_t)(part * L));
    const sn_real *shape = space->tet_shape + ((size_t)row * SN_ELASTIC_SHAPE * ROW + (size_t)(part * L));
    int32_t index[4][SN_LANES];
    const v3 o = corner_of(x, corner, index[0]);
    vreal g[9], f[9], p[9];
    for (int k = 0; k < 9; ++k) g[k] = v_load(shape + k * ROW), f[k] = v_set(0);
    SN_UNROLL
    for (int k = 0; k < 3; ++k) {
        const v3 e = v3_sub(corner_of(x, corner + (k + 1) * ROW, index[k + 1]), o);
        for (int m = 0; m < 3; ++m) {
            f[m] += e.x * g[3 * k + m], f[3 + m] += e.y * g[3 * k + m], f[6 + m] += e.z * g[3 * k + m];
        }
    }
    const vreal volume = v_load(shape + 9 * ROW);
    const vreal work = series ? series_law(in->law, f, p, energy) : corotational_law(in->law, f, p, energy);
    v3 at[4] = {{v_set(0), v_set(0), v_set(0)}};
    SN_UNROLL
    for (int k = 0; k < 3; ++k) {
        const v3 gradient = v3_mul(volume, (v3){g[3 * k], g[3 * k + 1], g[3 * k + 2]});
        at[k + 1] = (v3){v3_dot((v3){p[0], p[1], p[2]}, gradient), v3_dot((v3){p[3], p[4], p[5]}, gradient),
                         v3_dot((v3){p[6], p[7], p[8]}, gradient)};
        at[0] = v3_sub(at[0], at[k + 1]);
    }
    add_corners(force, index, at);
    return volume * work;
}

SN_INLINE void law_chunk(const sn_elastic_local *in, int chunk, bool series, bool energy) {
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
        for (int part = 0; part < PARTS; ++part) work[part] += law_part(in, x, force, row, part, series, energy);
    if (!energy) return;
    in->energy[chunk] = 0;
    for (int i = 0; i < ROW; ++i) in->energy[chunk] += (double)v_lane(work[i / L], i % L);
}

void SN_LANE_NAME(sn_elastic_local_law)(const sn_elastic_local *in, int chunk);
void SN_LANE_NAME(sn_elastic_local_law)(const sn_elastic_local *in, int chunk) {
    if (in->law->series) {
        if (in->energy)
            law_chunk(in, chunk, true, true);
        else
            law_chunk(in, chunk, true, false);
    } else {
        law_chunk(in, chunk, false, in->energy != NULL);
    }
}
