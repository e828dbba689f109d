// Selects the blend kernels for a lane width.
#include "base/simd/lanes.h"
#include "skin/linear/skin.h"

#define DECLARE(w)                                                                                                     \
    sn_blend_fn sn_skin_linear_w##w;                                                                                   \
    sn_blend_fn sn_skin_dual_w##w;                                                                                     \
    static void choose_w##w(sn_blend_fn *out[2]) {                                                                     \
        out[SN_BLEND_LINEAR] = sn_skin_linear_w##w;                                                                    \
        out[SN_BLEND_DUAL] = sn_skin_dual_w##w;                                                                        \
    }

SN_EACH_WIDTH(DECLARE)

bool sn_skin_kernels(int lanes, sn_blend_fn *out[2]) {
    if (!sn_lanes_here(lanes)) return false;
#define CHOOSE(w)                                                                                                      \
    if (lanes == w) choose_w##w(out);
    SN_EACH_WIDTH(CHOOSE)
    return true;
}
