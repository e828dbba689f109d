// Chooses the contact kernels of a lane width.
#include "base/simd/lanes.h"
#include "couplings/contact/contact_block.h"

#define DECLARE(w)                                                                                                     \
    void sn_contact_prepare_w##w(sn_contact_block *blocks, int count, const sn_proxies *proxies);                      \
    void sn_contact_linearise_w##w(sn_contact_block *blocks, int count, const sn_node_vector *force);                  \
    void sn_contact_rates_w##w(sn_contact_block *blocks, int count, const sn_node_vector *step);                       \
    void sn_contact_slope_w##w(sn_contact_block *blocks, int count, const sn_real *alpha);                             \
    void sn_contact_advance_w##w(sn_contact_block *blocks, int count, const sn_node_vector *step,                      \
                                 const sn_node_vector *force, const sn_real *alpha);                                   \
    void sn_contact_energy_w##w(sn_contact_block *blocks, int count, const sn_real *share);                            \
    static const sn_contact_kernels kernels_w##w = {                                                                   \
        w,                                                                                                             \
        sn_contact_prepare_w##w,                                                                                       \
        sn_contact_linearise_w##w,                                                                                     \
        sn_contact_rates_w##w,                                                                                         \
        sn_contact_slope_w##w,                                                                                         \
        sn_contact_advance_w##w,                                                                                       \
        sn_contact_energy_w##w,                                                                                        \
    };

SN_EACH_WIDTH(DECLARE)

SN_CHOOSE_KERNELS(sn_contact_kernels, sn_contact_kernels_for)
