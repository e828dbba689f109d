// Replaces the library's skinning kernels: the graphics card blends skins (web/src/follow.ts), so the engine only needs
// their joints.
#include "skin/linear/skin.h"

sn_blend_fn sn_skin_linear_w4, sn_skin_dual_w4;

void sn_skin_linear_w4(const sn_skin *skin, const sn_real *ready, int first, int last, const sn_skin_output *out) {
    (void)skin, (void)ready, (void)first, (void)last, (void)out;
}

void sn_skin_dual_w4(const sn_skin *skin, const sn_real *ready, int first, int last, const sn_skin_output *out) {
    sn_skin_linear_w4(skin, ready, first, last, out);
}
