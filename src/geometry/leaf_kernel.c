// The spheres of two leaves against each other, SN_LANES at a time. See leaf_pairs.c.
#include "geometry/lane_bits.h"
#include "geometry/leaf_pairs.h"

sn_leaf_hits_fn SN_LANE_NAME(sn_leaf_hits);

// One bit for each sphere of a leaf that overlaps a ball.
SN_INLINE uint32_t overlapping(const sn_leaf_rows *rows, const sn_leaf *leaf, sn_real x, sn_real y, sn_real z,
                               sn_real radius) {
    uint32_t bits = 0;
    for (int at = 0; at < SN_LEAF; at += SN_LANES) {
        if (SN_LANES < SN_LEAF && at >= leaf->count) break;
        const int i = leaf->first + at;
        vreal dx = v_load_any(rows->x + i) - x, dy = v_load_any(rows->y + i) - y, dz = v_load_any(rows->z + i) - z;
        vreal sum = v_load_any(rows->radius + i) + radius;
        bits |= (ALL_BITS & ~v_bits(v_less(sum * sum, dx * dx + dy * dy + dz * dz))) << at;
    }
    return bits & leaf->valid;
}

void SN_LANE_NAME(sn_leaf_hits)(const sn_leaf_rows *rows, const sn_leaf *a, const sn_leaf *b, const sn_sphere *bound,
                                uint16_t hits[SN_LEAF]) {
    for (int i = 0; i < SN_LEAF; i++) hits[i] = 0;
    uint32_t near = overlapping(rows, a, bound->centre.x, bound->centre.y, bound->centre.z, bound->radius);
    for (; near; near &= near - 1) {
        const int i = __builtin_ctz(near), at = a->first + i;
        hits[i] = (uint16_t)overlapping(rows, b, rows->x[at], rows->y[at], rows->z[at], rows->radius[at]);
    }
}
