// Chooses the blends for a lane width.
#include "rod/layout.h"
#include "skin/skin.h"

#define DECLARE(w)                                                                                                     \
    sn_blend_fn sn_skin_linear_w##w;                                                                                   \
    sn_blend_fn sn_skin_dual_w##w;                                                                                     \
    static void choose_w##w(sn_blend_fn *out[2]) {                                                                     \
        out[SN_BLEND_LINEAR] = sn_skin_linear_w##w;                                                                    \
        out[SN_BLEND_DUAL] = sn_skin_dual_w##w;                                                                        \
    }

#if !defined(SN_ONLY_LANES) || SN_ONLY_LANES == 1
DECLARE(1)
#endif
#if !defined(SN_ONLY_LANES) || SN_ONLY_LANES == 4
DECLARE(4)
#endif
#if !defined(SN_ONLY_LANES) || SN_ONLY_LANES == 8
DECLARE(8)
#endif
#if !defined(SN_ONLY_LANES) || SN_ONLY_LANES == 16
DECLARE(16)
#endif

bool sn_skin_kernels(int lanes, sn_blend_fn *out[2]) {
    if (!sn_rod_kernels_for(lanes)) return false; // these ask the same of the build and the machine
#if !defined(SN_ONLY_LANES) || SN_ONLY_LANES == 1
    if (lanes == 1) choose_w1(out);
#endif
#if !defined(SN_ONLY_LANES) || SN_ONLY_LANES == 4
    if (lanes == 4) choose_w4(out);
#endif
#if !defined(SN_ONLY_LANES) || SN_ONLY_LANES == 8
    if (lanes == 8) choose_w8(out);
#endif
#if !defined(SN_ONLY_LANES) || SN_ONLY_LANES == 16
    if (lanes == 16) choose_w16(out);
#endif
    return true;
}
