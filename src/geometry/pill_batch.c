// Chooses the pill kernel for a lane width.
#include "geometry/pill_batch.h"
#include "base/simd/lanes.h"

sn_pill_pairs_fn sn_pill_pairs_w1, sn_pill_pairs_w4, sn_pill_pairs_w8, sn_pill_pairs_w16;

sn_pill_pairs_fn *sn_pill_pairs_for(int lanes) {
#define CHOOSE(w)                                                                                                      \
    if (lanes == w) return sn_pill_pairs_w##w;
    SN_EACH_WIDTH(CHOOSE)
    return NULL;
}
