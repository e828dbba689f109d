// Chooses the contact kernels of a lane width.
#include "base/simd/lanes.h"
#include "couplings/contact/contact_block.h"

#define DECLARE(w)                                                                                                     \
    void sn_contact_prepare_w##w(sn_contact_block *blocks, int count, const sn_proxies *proxies, sn_real max_opening); \
    void sn_contact_start_w##w(sn_contact_block *blocks, int count, const sn_displacements *d);                        \
    void sn_contact_sweep_w##w(sn_contact_block *blocks, int count, const sn_displacements *d, sn_real beta);          \
    void sn_contact_shift_w##w(sn_contact_block *blocks, int count, const sn_displacements *d,                         \
                               const sn_overlap_correction *how);                                                      \
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

SN_EACH_WIDTH(DECLARE)

SN_CHOOSE_KERNELS(sn_contact_kernels, sn_contact_kernels_for)
