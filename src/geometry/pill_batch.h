// Many pairs of pills at once, SN_LANES at a time. Results are bitwise those of sn_pill_pill for every width.
#ifndef SN_GEOMETRY_PILL_BATCH_H
#define SN_GEOMETRY_PILL_BATCH_H

#include "geometry/pill.h"

// The results: one array per quantity, one entry per pair; no alignment needed. See sn_contact_point.
typedef struct {
    sn_real *alpha, *beta, *distance;
    sn_real *normal_x, *normal_y, *normal_z;
} sn_pill_rows;

// Pair i is pills[pairs[i].a] against pills[pairs[i].b], for 0 <= i < count.
typedef void sn_pill_pairs_fn(const sn_pill *pills, const sn_pair *pairs, int count, const sn_pill_rows *out);

// The function for a lane width, 1, 4, 8 or 16; null if this build does not have it. The caller checks what the machine
// can run: on x86, 8 lanes need AVX2 and 16 AVX-512.
sn_pill_pairs_fn *sn_pill_pairs_for(int lanes);

#endif
