// Tetrahedra in lanes, shared by the kernels of the local step. F = (x1 - x0, x2 - x0, x3 - x0) Dm^-1. From the stress
// P times the volume, the gradient of the energy by corner k > 0 is P grad_k, grad_k: row k of Dm^-1; the gradients of
// all corners add up to zero.
#ifndef SN_KINDS_ELASTIC_TET_LANES_H
#define SN_KINDS_ELASTIC_TET_LANES_H

#include "base/simd/lane_gather.h"
#include "base/simd/lane_math.h"
#include "kinds/elastic/elastic_kernels.h"

enum { TET_ROW = SN_ELASTIC_ROW, TET_PARTS = TET_ROW / SN_LANES };

SN_INLINE void cofactors(const vreal m[9], vreal c[9]) {
    c[0] = m[4] * m[8] - m[5] * m[7], c[1] = m[5] * m[6] - m[3] * m[8], c[2] = m[3] * m[7] - m[4] * m[6];
    c[3] = m[2] * m[7] - m[1] * m[8], c[4] = m[0] * m[8] - m[2] * m[6], c[5] = m[1] * m[6] - m[0] * m[7];
    c[6] = m[1] * m[5] - m[2] * m[4], c[7] = m[2] * m[3] - m[0] * m[5], c[8] = m[0] * m[4] - m[1] * m[3];
}

// By rows: shorter dependency chains than nine additions in sequence.
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

// A Newton step towards the closest rotation of a matrix (polar decomposition).
SN_INLINE void polar_step(vreal r[9]) {
    vreal c[9];
    cofactors(r, c);
    const vreal inverse = K(0.5) / (r[0] * c[0] + r[1] * c[1] + r[2] * c[2]);
    for (int k = 0; k < 9; k++) r[k] = K(0.5) * r[k] + inverse * c[k];
}

// Positions of corners in lanes.
SN_INLINE v3 corner_of(const sn_real *x, const uint16_t *corner, int32_t index[SN_LANES]) {
    vreal row[4];
    for (int lane = 0; lane < SN_LANES; lane++) index[lane] = corner[lane];
    gather_quads(x, 4, index, row);
    return (v3){row[0], row[1], row[2]};
}

// Adds the corners' vectors to their vertices, one tetrahedron after another.
#if SN_LANES == 1
SN_INLINE void add_corners(sn_real *to, int32_t index[4][SN_LANES], const v3 f[4]) {
    for (int k = 0; k < 4; k++) {
        sn_real *quad = to + 4 * (ptrdiff_t)index[k][0];
        quad[0] += f[k].x, quad[1] += f[k].y, quad[2] += f[k].z;
    }
}
#else
SN_INLINE void add_corners(sn_real *to, int32_t index[4][SN_LANES], const v3 f[4]) {
    vreal row[4][4];
    for (int k = 0; k < 4; k++) {
        row[k][0] = f[k].x, row[k][1] = f[k].y, row[k][2] = f[k].z, row[k][3] = v_set(0);
        transpose_quads(row[k]);
    }
    SN_UNROLL
    for (int lane = 0; lane < SN_LANES; lane++)
        for (int k = 0; k < 4; k++) {
            quad sum, more;
            sn_real *at = to + 4 * (ptrdiff_t)index[k][lane];
            __builtin_memcpy(&sum, at, sizeof sum);
            __builtin_memcpy(&more, (const char *)&row[k][lane % 4] + (size_t)(lane / 4) * sizeof more, sizeof more);
            sum += more;
            __builtin_memcpy(at, &sum, sizeof sum);
        }
}
#endif

// Computes F of a part of a row; g: the gradients, index: the corners. Returns the volume.
SN_INLINE vreal tet_read(const sn_elastic_space *space, const sn_real *x, int row, int part, vreal g[9], vreal f[9],
                         int32_t index[4][SN_LANES]) {
    const uint16_t *corner = space->tet_corner + ((size_t)row * 4 * TET_ROW + (size_t)(part * SN_LANES));
    const sn_real *edges =
        space->tet_gradient + ((size_t)row * SN_ELASTIC_GRADIENT * TET_ROW + (size_t)(part * SN_LANES));
    const v3 o = corner_of(x, corner, index[0]);
    for (int k = 0; k < 9; k++) g[k] = v_load(edges + k * TET_ROW), f[k] = v_set(0);
    SN_UNROLL
    for (int k = 0; k < 3; k++) {
        const v3 e = v3_sub(corner_of(x, corner + (k + 1) * TET_ROW, index[k + 1]), o);
        for (int m = 0; m < 3; m++) {
            f[m] += e.x * g[3 * k + m], f[3 + m] += e.y * g[3 * k + m], f[6 + m] += e.z * g[3 * k + m];
        }
    }
    return v_load(edges + 9 * TET_ROW);
}

// p: stress times volume.
SN_INLINE void tet_add(const vreal p[9], const vreal g[9], int32_t index[4][SN_LANES], sn_real *force) {
    v3 at[4] = {{v_set(0), v_set(0), v_set(0)}};
    SN_UNROLL
    for (int k = 0; k < 3; k++) {
        const v3 gradient = {g[3 * k], g[3 * k + 1], g[3 * k + 2]};
        at[k + 1] = (v3){v3_dot((v3){p[0], p[1], p[2]}, gradient), v3_dot((v3){p[3], p[4], p[5]}, gradient),
                         v3_dot((v3){p[6], p[7], p[8]}, gradient)};
        at[0] = v3_sub(at[0], at[k + 1]);
    }
    add_corners(force, index, at);
}

// Copies the vertices of a chunk and clears its forces.
SN_INLINE void chunk_open(const sn_elastic_local *in, int chunk, sn_real **x, sn_real **force) {
    const sn_elastic_space *space = in->space;
    const int first = space->local_first[chunk], end = space->local_first[chunk + 1];
    *x = in->local_x + 4 * (size_t)first, *force = in->force + 4 * (size_t)first;
    for (int i = first; i < end; i++)
        for (int k = 0; k < 4; k++) in->local_x[4 * i + k] = in->x[4 * (size_t)space->local[i] + (size_t)k];
    for (int i = 0; i < 4 * (end - first); i++) (*force)[i] = 0;
}

// One past the last row of a chunk.
SN_INLINE int chunk_end(const sn_elastic_space *space, int chunk) {
    const int end = (chunk + 1) * SN_ELASTIC_CHUNK;
    return end < space->tet_row_count ? end : space->tet_row_count;
}

SN_INLINE void chunk_energy(const sn_elastic_local *in, int chunk, const vreal work[TET_PARTS]) {
    in->energy[chunk] = 0;
    for (int i = 0; i < TET_ROW; i++) in->energy[chunk] += (double)v_lane(work[i / SN_LANES], i % SN_LANES);
}

#endif
