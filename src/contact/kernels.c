// Chooses the contact kernels of a lane width.
#include "contact/block.h"

#define DECLARE(w)                                                                                                     \
    void sn_contact_prepare_w##w(sn_contact_block *blocks, int count, const sn_proxies *proxies, sn_real calm);        \
    void sn_contact_start_w##w(sn_contact_block *blocks, int count, const sn_displacements *d);                        \
    void sn_contact_sweep_w##w(sn_contact_block *blocks, int count, const sn_displacements *d, sn_real beta);          \
    void sn_contact_shift_w##w(sn_contact_block *blocks, int count, const sn_displacements *d,                         \
                               const sn_take_back *how);                                                               \
    void sn_contact_shifted_w##w(sn_contact_block *blocks, int count, const sn_displacements *d);                      \
    sn_real sn_contact_norm_w##w(const sn_contact_block *blocks, int count);                                           \
    static const sn_contact_kernels kernels_w##w = {                                                                   \
        w,                                                                                                             \
        sn_contact_prepare_w##w,                                                                                       \
        sn_contact_start_w##w,                                                                                         \
        sn_contact_sweep_w##w,                                                                                         \
        sn_contact_shift_w##w,                                                                                         \
        sn_contact_shifted_w##w,                                                                                       \
        sn_contact_norm_w##w,                                                                                          \
    };

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

const sn_contact_kernels *sn_contact_kernels_for(int lanes) {
    switch (lanes) {
#if !defined(SN_ONLY_LANES) || SN_ONLY_LANES == 1
    case 1:
        return &kernels_w1;
#endif
#if !defined(SN_ONLY_LANES) || SN_ONLY_LANES == 4
    case 4:
        return &kernels_w4;
#endif
#if !defined(SN_ONLY_LANES) || SN_ONLY_LANES == 8
    case 8:
        return &kernels_w8;
#endif
#if !defined(SN_ONLY_LANES) || SN_ONLY_LANES == 16
    case 16:
        return &kernels_w16;
#endif
    default:
        return NULL;
    }
}
