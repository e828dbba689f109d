// The local step of other laws than the projective one, in lanes (tet_lanes.h): the stress P = dW/dF.
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
#include "kinds/elastic/elastic_project.h"
#include "kinds/elastic/tet_lanes.h"

enum { TURNS = sizeof(sn_real) == 4 ? 4 : 6 }; // of Newton's iteration for R

// Of |Q|^2 - 3 before the last step.
#define NEAR_ROTATION (sizeof(sn_real) == 4 ? K(4e-4) : K(2e-8))
// det F for which R is not found in lanes.
#define LEAST_VOLUME K(0.2)
#define MOST_VOLUME  K(2.5)

// ---- the laws: stress from F, over volume; returns the energy, which is 0 unless it is wanted

SN_INLINE vreal series_law(const sn_elastic_law_numbers *law, const vreal f[9], vreal p[9], bool energy) {
    vreal c[9], e[6]; // xx, yy, zz, xy, yz, zx
    cofactors(f, c);
    const vreal j = f[0] * c[0] + f[1] * c[1] + f[2] * c[2], more = j - K(1);
    SN_UNROLL
    for (int k = 0; k < 3; k++) {
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
    for (int k = 0; k < 9; k++) {
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

// Lanes in 'hard' one by one.
__attribute__((noinline)) static void turn_one_by_one(vmask hard, const vreal f[9], vreal r[9]) {
    for (int lane = 0; lane < SN_LANES; lane++) {
        if (!v_mask_lane(hard, lane)) continue;
        double from[9], nearest[9], unit[9];
        for (int k = 0; k < 9; k++) from[k] = (double)v_lane(f[k], lane);
        sn_elastic_project(from, nearest, unit);
        for (int k = 0; k < 9; k++) set_lane(&r[k], lane, (sn_real)nearest[k]);
    }
}

SN_INLINE vreal corotational_law(const sn_elastic_law_numbers *law, const vreal f[9], vreal p[9], bool energy) {
    vreal c[9], r[9], far = v_set(0);
    cofactors(f, c);
    const vreal det = f[0] * c[0] + f[1] * c[1] + f[2] * c[2];
    const vreal inverse = K(0.5) / det;
    for (int k = 0; k < 9; k++) r[k] = K(0.5) * f[k] + inverse * c[k];
    SN_UNROLL
    for (int step = 1; step < TURNS; step++) {
        if (step == TURNS - 1) far = inner(r, r) - K(3);
        turn(r);
    }
    const vmask hard =
        ~(v_less(v_set(LEAST_VOLUME), det) & v_less(det, v_set(MOST_VOLUME)) & v_less(far, v_set(NEAR_ROTATION)));
    if (v_any(hard)) turn_one_by_one(hard, f, r);
    vreal apart[9];
    for (int k = 0; k < 9; k++) apart[k] = f[k] - r[k];
    const vreal trace = inner(r, apart); // R : F - 3, as R : R is 3
    for (int k = 0; k < 9; k++) p[k] = K(2) * law->mu * apart[k] + law->lambda * trace * r[k];
    return energy ? law->mu * inner(apart, apart) + K(0.5) * law->lambda * trace * trace : v_set(0);
}

// ---- tetrahedra

SN_INLINE vreal law_part(const sn_elastic_local *in, const sn_real *x, sn_real *force, int row, int part, bool series,
                         bool energy) {
    int32_t index[4][SN_LANES];
    vreal g[9], f[9], p[9];
    const vreal volume = tet_read(in->space, x, row, part, g, f, index);
    const vreal work = series ? series_law(in->law, f, p, energy) : corotational_law(in->law, f, p, energy);
    for (int k = 0; k < 9; k++) p[k] = volume * p[k];
    tet_add(p, g, index, force);
    return volume * work;
}

SN_INLINE void law_chunk(const sn_elastic_local *in, int chunk, bool series, bool energy) {
    sn_real *x, *force;
    chunk_open(in, chunk, &x, &force);
    vreal work[TET_PARTS];
    for (int part = 0; part < TET_PARTS; part++) work[part] = v_set(0);
    for (int row = chunk * SN_ELASTIC_CHUNK, end = chunk_end(in->space, chunk); row < end; row++)
        for (int part = 0; part < TET_PARTS; part++) work[part] += law_part(in, x, force, row, part, series, energy);
    if (energy) chunk_energy(in, chunk, work);
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
