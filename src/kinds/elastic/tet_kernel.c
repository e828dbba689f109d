// The local step, in lanes: each lane is a tetrahedron. With F = (x1 - x0, x2 - x0, x3 - x0) Dm^-1 and its projections
// R and D (elastic_project.h), the gradient of its energy by corner k > 0 is
//
//     V (2 mu (F - R) + 3 lambda (F - D)) grad_k,       grad_k: row k of Dm^-1,
//
// since the projections do not change the distance to first order; the gradients of all corners add up to zero.
//
// R: Newton's iteration for the orthogonal factor, Q <- (Q + Q^-T) / 2, from F. A singular value s becomes
//    (s + 1/s) / 2 >= 1, so after the first step |Q|^2 - 3 bounds how far all three are from 1. Stretches between 1/2
//    and 2 take four steps.
// D: F's closest point on the tangent plane of det = 1 at the last point: D <- F + s C with C the cofactors of the last
//    D, s = (1 - det D - C : (F - D)) / |C|^2. Starts at F.
//
// Neither starts from the previous step, so the state of a body is q and its rate only. Lanes that are strongly
// compressed, stretched or inverted, or have not converged after a few more steps, are solved one by one
// (elastic_project.c). No lane iterates longer because of another: its result does not depend on its neighbours.
#include "kinds/elastic/elastic_project.h"
#include "kinds/elastic/tet_lanes.h"

enum {
    POLAR_STEPS = sizeof(sn_real) == 4 ? 4 : 6, // Newton iterations for R
    TANGENTS = sizeof(sn_real) == 4 ? 3 : 6,    // steps for D of all lanes, at most POLAR_STEPS
    MORE = sizeof(sn_real) == 4 ? 8 : 40,       // further steps of lanes that have not converged
};

// Tolerances of |Q|^2 - 3 before the last step, and of the change of s in the last one.
#define NEAR_ROTATION (sizeof(sn_real) == 4 ? K(4e-4) : K(2e-8))
#define NEAR_VOLUME   (sizeof(sn_real) == 4 ? K(3e-4) : K(1e-13))
// The range of det F in which lanes iterate.
#define MIN_DET K(0.2)
#define MAX_DET K(2.5)

SN_INLINE bool lane_of(vmask m, int lane) {
    return v_mask_lane(m, lane);
}

// Computes the lanes in `hard` one by one.
__attribute__((noinline)) static void one_by_one(vmask hard, const vreal f[9], vreal r[9], vreal d[9]) {
    for (int lane = 0; lane < SN_LANES; lane++) {
        if (!lane_of(hard, lane)) continue;
        double from[9], closest[9], unit[9];
        for (int k = 0; k < 9; k++) from[k] = (double)v_lane(f[k], lane);
        sn_elastic_project(from, closest, unit);
        for (int k = 0; k < 9; k++) set_lane(&r[k], lane, (sn_real)closest[k]), set_lane(&d[k], lane, (sn_real)unit[k]);
    }
}

// A step towards D. c and s: of the previous step, then of this one.
SN_INLINE vreal tangent(const vreal d[9], vreal c[9], vreal s) {
    vreal now[9];
    cofactors(d, now);
    // F - D = -s c of the previous step
    const vreal det = d[0] * now[0] + d[1] * now[1] + d[2] * now[2];
    const vreal step = (K(1) - det + s * inner(now, c)) / inner(now, now);
    for (int k = 0; k < 9; k++) c[k] = now[k];
    return step;
}

// Iterates D for lanes that have not converged; returns those that still have not.
SN_INLINE vmask settle(vmask open, const vreal f[9], vreal d[9], vreal c[9], vreal s) {
    for (int step = 0; step < MORE && v_any(open); step++) {
        vreal last[9];
        for (int k = 0; k < 9; k++) last[k] = c[k];
        const vreal next = tangent(d, c, s), change = next - s;
        for (int k = 0; k < 9; k++) {
            c[k] = v_select(open, c[k], last[k]);
            d[k] = v_select(open, f[k] + next * c[k], d[k]);
        }
        s = v_select(open, next, s);
        open = open & ~v_less(v_abs(change), v_set(NEAR_VOLUME));
    }
    return open;
}

// R and D from F, its cofactors and its determinant; returns the lanes that have not converged. Interleaves the steps
// of R and D, because each alone is a chain of dependent operations.
SN_INLINE vmask project(const vreal f[9], const vreal cofactor[9], vreal det, bool bulk, vreal r[9], vreal d[9]) {
    const vreal inverse = K(0.5) / det;
    vreal c[9], s = v_set(0), change = v_set(0), far = v_set(0);
    for (int k = 0; k < 9; k++) r[k] = K(0.5) * f[k] + inverse * cofactor[k];
    if (bulk) {
        s = change = (K(1) - det) / inner(cofactor, cofactor);
        for (int k = 0; k < 9; k++) c[k] = cofactor[k], d[k] = f[k] + s * c[k];
    }
    SN_UNROLL
    for (int step = 1; step < POLAR_STEPS; step++) {
        if (step == POLAR_STEPS - 1) far = inner(r, r) - K(3);
        polar_step(r);
        if (!bulk || step >= TANGENTS) continue;
        const vreal next = tangent(d, c, s);
        change = next - s, s = next;
        for (int k = 0; k < 9; k++) d[k] = f[k] + s * c[k];
    }
    vmask hard = ~v_less(far, v_set(NEAR_ROTATION));
    if (!bulk) return hard;
    const vmask open = ~v_less(v_abs(change), v_set(NEAR_VOLUME));
    return hard | settle(open, f, d, c, s);
}

SN_INLINE vreal local_part(const sn_elastic_local *in, const sn_real *x, sn_real *force, int row, int part, bool bulk,
                           bool energy) {
    int32_t index[4][SN_LANES];
    vreal g[9], f[9], c[9], r[9], d[9];
    const vreal volume = tet_read(in->space, x, row, part, g, f, index);
    for (int k = 0; k < 9; k++) d[k] = v_set(0);
    cofactors(f, c);
    const vreal det = f[0] * c[0] + f[1] * c[1] + f[2] * c[2];
    vmask hard = ~(v_less(v_set(MIN_DET), det) & v_less(det, v_set(MAX_DET)));
    hard = hard | project(f, c, det, bulk, r, d);
    if (v_any(hard)) one_by_one(hard, f, r, d);

    const vreal shear = volume * in->shear, press = volume * in->bulk;
    vreal work = v_set(0);
    if (energy) {
        for (int k = 0; k < 9; k++) c[k] = f[k] - r[k];
        work = K(0.5) * shear * inner(c, c);
        if (bulk) {
            for (int k = 0; k < 9; k++) c[k] = f[k] - d[k];
            work += K(0.5) * press * inner(c, c);
        }
    }
    for (int k = 0; k < 9; k++) {
        r[k] = shear * (f[k] - r[k]);
        if (bulk) r[k] += press * (f[k] - d[k]);
    }
    tet_add(r, g, index, force);
    return work;
}

SN_INLINE void local_chunk(const sn_elastic_local *in, int chunk, bool bulk, bool energy) {
    sn_real *x, *force;
    chunk_open(in, chunk, &x, &force);
    vreal work[TET_PARTS];
    for (int part = 0; part < TET_PARTS; part++) work[part] = v_set(0);
    for (int row = chunk * SN_ELASTIC_CHUNK, end = chunk_end(in->space, chunk); row < end; row++)
        for (int part = 0; part < TET_PARTS; part++) work[part] += local_part(in, x, force, row, part, bulk, energy);
    if (energy) chunk_energy(in, chunk, work);
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
