// Many pairs of pills at once, SN_LANES of them side by side. Each answer is bitwise that of sn_pill_pill, for every
// width.
#ifndef SN_GEOMETRY_PILL_BATCH_H
#define SN_GEOMETRY_PILL_BATCH_H

#include "geometry/pill.h"

// Where the answers go: one array for each quantity, as long as there are pairs; no alignment needed. See sn_contact_point.
typedef struct {
    sn_real *alpha, *beta, *distance;
    sn_real *normal_x, *normal_y, *normal_z;
} sn_pill_rows;

// Pair i is pills[pairs[i].a] against pills[pairs[i].b], for 0 <= i < count.
typedef void sn_pill_pairs_fn(const sn_pill *pills, const sn_pair *pairs, int count, const sn_pill_rows *out);

// The function for a lane width, 1, 4, 8 or 16; null if this build has none of that width. The caller knows what the
// machine can run: 8 lanes need AVX2 and 16 AVX-512 where the library was built for x86.
sn_pill_pairs_fn *sn_pill_pairs_for(int lanes);

#endif
