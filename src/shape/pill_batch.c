// Chooses the pill kernel of a lane width.
#include "shape/pill_batch.h"

sn_pill_pairs_fn sn_pill_pairs_w1, sn_pill_pairs_w4, sn_pill_pairs_w8, sn_pill_pairs_w16;

#ifdef SN_ONLY_LANES
#define HAS(lanes) (SN_ONLY_LANES == lanes)
#else
#define HAS(lanes) 1
#endif

sn_pill_pairs_fn *sn_pill_pairs_for(int lanes) {
    switch (lanes) {
#if HAS(1)
    case 1:
        return sn_pill_pairs_w1;
#endif
#if HAS(4)
    case 4:
        return sn_pill_pairs_w4;
#endif
#if HAS(8)
    case 8:
        return sn_pill_pairs_w8;
#endif
#if HAS(16)
    case 16:
        return sn_pill_pairs_w16;
#endif
    default:
        return NULL;
    }
}
