// Gathers records into lanes and scatters them back: four numbers (a quad) of one record per lane become four rows.
// Quads are loaded and stored whole; a 4 x 4 transpose in each group of four lanes converts them.
//
//     record i0: x y z w                row[0]: x(i0) x(i1) x(i2) ...
//     record i1: x y z w       <->      row[1]: y(i0) y(i1) ...
//     ...                               ...
#ifndef SN_BASE_SIMD_LANE_GATHER_H
#define SN_BASE_SIMD_LANE_GATHER_H

#include "base/simd/simd.h"

// Lane l reads the quad at base + index[l] * stride, counted in numbers.
#if SN_LANES == 1
SN_INLINE void gather_quads(const sn_real *base, int stride, const int32_t *index, vreal row[4]) {
    const sn_real *from = base + (ptrdiff_t)index[0] * stride;
    for (int k = 0; k < 4; k++) row[k] = from[k];
}
SN_INLINE void scatter_quads(sn_real *base, int stride, const int32_t *index, int count, const vreal row[4]) {
    (void)count;
    sn_real *to = base + (ptrdiff_t)index[0] * stride;
    for (int k = 0; k < 4; k++) to[k] = row[k];
}
#else
typedef sn_real quad __attribute__((vector_size(4 * sizeof(sn_real))));
#define SHUFFLE __builtin_shufflevector

SN_INLINE quad load_quad(const sn_real *from) {
    quad q;
    __builtin_memcpy(&q, from, sizeof q);
    return q;
}

// The same selection in every group of four lanes: i, j of x and i, j of y, interleaved or one after the other.
#if SN_LANES == 4
#define WEAVE(x, y, i, j) SHUFFLE(x, y, i, i + 4, j, j + 4)
#define STACK(x, y, i, j) SHUFFLE(x, y, i, j, i + 4, j + 4)
#elif SN_LANES == 8
#define WEAVE(x, y, i, j) SHUFFLE(x, y, i, i + 8, j, j + 8, i + 4, i + 12, j + 4, j + 12)
#define STACK(x, y, i, j) SHUFFLE(x, y, i, j, i + 8, j + 8, i + 4, j + 4, i + 12, j + 12)
#elif SN_LANES == 16
#define WEAVE(x, y, i, j)                                                                                              \
    SHUFFLE(x, y, i, i + 16, j, j + 16, i + 4, i + 20, j + 4, j + 20, i + 8, i + 24, j + 8, j + 24, i + 12, i + 28,    \
            j + 12, j + 28)
#define STACK(x, y, i, j)                                                                                              \
    SHUFFLE(x, y, i, j, i + 16, j + 16, i + 4, j + 4, i + 20, j + 20, i + 8, j + 8, i + 24, j + 24, i + 12, j + 12,    \
            i + 28, j + 28)
#endif

// The quads of lanes i, i + 4, i + 8, ... side by side.
SN_INLINE vreal load_quads(const sn_real *base, int stride, const int32_t *index, int i) {
    quad q0 = load_quad(base + (ptrdiff_t)index[i] * stride);
#if SN_LANES == 4
    return q0;
#else
    typedef sn_real pair_of_quads __attribute__((vector_size(8 * sizeof(sn_real))));
    pair_of_quads low = SHUFFLE(q0, load_quad(base + (ptrdiff_t)index[i + 4] * stride), 0, 1, 2, 3, 4, 5, 6, 7);
#if SN_LANES == 8
    return low;
#else
    pair_of_quads high = SHUFFLE(load_quad(base + (ptrdiff_t)index[i + 8] * stride),
                                 load_quad(base + (ptrdiff_t)index[i + 12] * stride), 0, 1, 2, 3, 4, 5, 6, 7);
    return SHUFFLE(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#endif
#endif
}

SN_INLINE void transpose_quads(vreal row[4]) {
    vreal low01 = WEAVE(row[0], row[1], 0, 1), low23 = WEAVE(row[2], row[3], 0, 1);
    vreal high01 = WEAVE(row[0], row[1], 2, 3), high23 = WEAVE(row[2], row[3], 2, 3);
    row[0] = STACK(low01, low23, 0, 1);
    row[1] = STACK(low01, low23, 2, 3);
    row[2] = STACK(high01, high23, 0, 1);
    row[3] = STACK(high01, high23, 2, 3);
}

SN_INLINE void gather_quads(const sn_real *base, int stride, const int32_t *index, vreal row[4]) {
    for (int i = 0; i < 4; i++) row[i] = load_quads(base, stride, index, i);
    transpose_quads(row);
}

// Writes the quads of the first 'count' lanes; no two of them may have the same index.
SN_INLINE void scatter_quads(sn_real *base, int stride, const int32_t *index, int count, const vreal row[4]) {
    vreal quads[4] = {row[0], row[1], row[2], row[3]};
    transpose_quads(quads);
    SN_UNROLL
    for (int lane = 0; lane < SN_LANES; lane++) {
        if (lane < count)
            __builtin_memcpy(base + (ptrdiff_t)index[lane] * stride,
                             (const char *)&quads[lane % 4] + (size_t)(lane / 4) * 4 * sizeof(sn_real),
                             4 * sizeof(sn_real));
    }
}
#endif

// Adds the quads of the first 'count' lanes to those at index[k], lane by lane and then k by k: lanes may have the same index,
// and the order of the sums does not depend on the width. 'rows' is used up.
SN_INLINE void add_quads(sn_real *base, int nodes, const int32_t *const index[], int count, vreal rows[][4]) {
#if SN_LANES == 1
    (void)count;
    for (int k = 0; k < nodes; k++)
        for (int m = 0; m < 4; m++) base[4 * (ptrdiff_t)index[k][0] + m] += rows[k][m];
#else
    for (int k = 0; k < nodes; k++) transpose_quads(rows[k]);
    for (int lane = 0; lane < count; lane++)
        for (int k = 0; k < nodes; k++) {
            sn_real *to = base + 4 * (ptrdiff_t)index[k][lane];
            quad more;
            __builtin_memcpy(&more, (const char *)&rows[k][lane % 4] + (size_t)(lane / 4) * sizeof more, sizeof more);
            more = load_quad(to) + more;
            __builtin_memcpy(to, &more, sizeof more);
        }
#endif
}

// Reads one number of each lane's record.
SN_INLINE vreal gather_reals(const sn_real *base, const int32_t *index) {
#if SN_LANES == 1
    return base[index[0]];
#else
    vreal r = v_set(base[index[0]]);
    SN_UNROLL
    for (int lane = 0; lane < SN_LANES; lane++) r[lane] = base[index[lane]];
    return r;
#endif
}

SN_INLINE void scatter_reals(sn_real *base, const int32_t *index, int count, vreal from) {
    for (int lane = 0; lane < count; lane++) base[index[lane]] = v_lane(from, lane);
}

#endif
