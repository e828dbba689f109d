// Vertices of an implicit skin in lanes: positions with a fourth number, and rotations, are stored as quads x, y, z, w.
#ifndef SN_SKIN_IMPLICIT_IMPLICIT_QUADS_H
#define SN_SKIN_IMPLICIT_IMPLICIT_QUADS_H

#include "base/simd/lane_gather.h"
#include "base/simd/lane_math.h"
#include "skin/implicit/implicit_internal.h"

// The vertices of a part of a row.
SN_INLINE void slots_of(int row, int part, int32_t slot[SN_LANES]) {
    for (int lane = 0; lane < SN_LANES; lane++) slot[lane] = row * SN_IMPLICIT_ROW + part + lane;
}

SN_INLINE v3 quads_at(const sn_real *quads, const int32_t *index, vreal *w) {
    vreal r[4];
    gather_quads(quads, 4, index, r);
    *w = r[3];
    return (v3){r[0], r[1], r[2]};
}

SN_INLINE vq rotations_at(const sn_real *quads, const int32_t *index) {
    vreal r[4];
    gather_quads(quads, 4, index, r);
    return (vq){r[0], r[1], r[2], r[3]};
}

SN_INLINE void put_quads(sn_real *quads, const int32_t *index, v3 v, vreal w) {
    const vreal r[4] = {v.x, v.y, v.z, w};
    scatter_quads(quads, 4, index, SN_LANES, r);
}

#endif
