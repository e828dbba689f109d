// The local step of materials other than the projective one, in lanes (tet_lanes.h): the stress P = dW/dF.
//
// Four materials share one formula in Green's strain E and J = det F (elastic_materials.h). Its stress is
//
//     P = F ((strain + sum n power_n (tr E)^(n-1) + cross tr E) 1 - cross E) + (volume (J - 1) - strain) cof F.
//
// The energy near rest is of second order, but its first term is a difference of two almost equal terms of first order.
// With J^2 = det(1 + 2E) it equals
//
//     tr E - (J - 1) = ((J - 1) tr E - 4 I2(E) - 8 det E) / (J + 1),
//
// which only has products of small numbers. Flat and inverted tetrahedra, where the divisor may vanish, use the
// difference.
//
// The corotational material uses the closest rotation R, found as in tet_kernel.c:
//
//     W = mu |F - R|^2 + lambda/2 (R : F - 3)^2,      P = 2 mu (F - R) + lambda (R : F - 3) R.
#include "kinds/elastic/elastic_project.h"
#include "kinds/elastic/tet_lanes.h"

enum { POLAR_STEPS = sizeof(sn_real) == 4 ? 4 : 6 }; // Newton iterations for R

// Tolerance of |Q|^2 - 3 before the last step.
#define NEAR_ROTATION (sizeof(sn_real) == 4 ? K(4e-4) : K(2e-8))
// The range of det F in which lanes find R.
#define MIN_DET K(0.2)
#define MAX_DET K(2.5)

// ---- materials: stress of F per volume; return the energy density if requested, else 0

SN_INLINE vreal series_stress(const sn_elastic_material_constants *material, const vreal f[9], vreal p[9],
                              bool energy) {
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
        slope = slope * trace + (sn_real)(n + 2) * material->power[n];
        if (energy) sum = sum * trace + material->power[n];
    }
    const vreal along = material->strain + (slope + material->cross) * trace,
                press = material->volume * more - material->strain;
    const vreal s[9] = {along - material->cross * e[0], -material->cross * e[3],        -material->cross * e[5],
                        -material->cross * e[3],        along - material->cross * e[1], -material->cross * e[4],
                        -material->cross * e[5],        -material->cross * e[4],        along - material->cross * e[2]};
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
    const vreal strain_part = v_select(plain, (more * trace - K(4) * minor - K(8) * det) / under, trace - more);
    return material->strain * strain_part + material->cross * minor + sum * trace * trace +
           K(0.5) * material->volume * more * more;
}

// Computes the lanes in `hard` one by one.
__attribute__((noinline)) static void project_lanes(vmask hard, const vreal f[9], vreal r[9]) {
    for (int lane = 0; lane < SN_LANES; lane++) {
        if (!v_mask_lane(hard, lane)) continue;
        double from[9], closest[9], unit[9];
        for (int k = 0; k < 9; k++) from[k] = (double)v_lane(f[k], lane);
        sn_elastic_project(from, closest, unit);
        for (int k = 0; k < 9; k++) set_lane(&r[k], lane, (sn_real)closest[k]);
    }
}

SN_INLINE vreal corotational_stress(const sn_elastic_material_constants *material, const vreal f[9], vreal p[9],
                                    bool energy) {
    vreal c[9], r[9], far = v_set(0);
    cofactors(f, c);
    const vreal det = f[0] * c[0] + f[1] * c[1] + f[2] * c[2];
    const vreal inverse = K(0.5) / det;
    for (int k = 0; k < 9; k++) r[k] = K(0.5) * f[k] + inverse * c[k];
    SN_UNROLL
    for (int step = 1; step < POLAR_STEPS; step++) {
        if (step == POLAR_STEPS - 1) far = inner(r, r) - K(3);
        polar_step(r);
    }
    const vmask hard = ~(v_less(v_set(MIN_DET), det) & v_less(det, v_set(MAX_DET)) & v_less(far, v_set(NEAR_ROTATION)));
    if (v_any(hard)) project_lanes(hard, f, r);
    vreal strain_part[9];
    for (int k = 0; k < 9; k++) strain_part[k] = f[k] - r[k];
    const vreal trace = inner(r, strain_part); // R : F - 3, as R : R is 3
    for (int k = 0; k < 9; k++) p[k] = K(2) * material->mu * strain_part[k] + material->lambda * trace * r[k];
    return energy ? material->mu * inner(strain_part, strain_part) + K(0.5) * material->lambda * trace * trace
                  : v_set(0);
}

// ---- tetrahedra

SN_INLINE vreal stress_part(const sn_elastic_local *in, const sn_real *x, sn_real *force, int row, int part,
                            bool series, bool energy) {
    int32_t index[4][SN_LANES];
    vreal g[9], f[9], p[9];
    const vreal volume = tet_read(in->space, x, row, part, g, f, index);
    const vreal work =
        series ? series_stress(in->material, f, p, energy) : corotational_stress(in->material, f, p, energy);
    for (int k = 0; k < 9; k++) p[k] = volume * p[k];
    tet_add(p, g, index, force);
    return volume * work;
}

SN_INLINE void stress_chunk(const sn_elastic_local *in, int chunk, bool series, bool energy) {
    sn_real *x, *force;
    chunk_open(in, chunk, &x, &force);
    vreal work[TET_PARTS];
    for (int part = 0; part < TET_PARTS; part++) work[part] = v_set(0);
    for (int row = chunk * SN_ELASTIC_CHUNK, end = chunk_end(in->space, chunk); row < end; row++)
        for (int part = 0; part < TET_PARTS; part++) work[part] += stress_part(in, x, force, row, part, series, energy);
    if (energy) chunk_energy(in, chunk, work);
}

void SN_LANE_NAME(sn_elastic_local_material)(const sn_elastic_local *in, int chunk);
void SN_LANE_NAME(sn_elastic_local_material)(const sn_elastic_local *in, int chunk) {
    if (in->material->series) {
        if (in->energy)
            stress_chunk(in, chunk, true, true);
        else
            stress_chunk(in, chunk, true, false);
    } else {
        stress_chunk(in, chunk, false, in->energy != NULL);
    }
}
