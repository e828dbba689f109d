// Chooses the kernels for a lane width, and among the paths of the direct solver the one that a topology needs.
#include "base/simd/lanes.h"
#include "kinds/rod/rod_layout.h"

#define DECLARE(w)                                                                                                     \
    void sn_rod_predict_w##w(sn_packet *packet, const sn_substep *step);                                               \
    void sn_rod_update_nodes_w##w(const sn_packet *packet, const sn_real *x, const int32_t *first,                     \
                                  const sn_proxies *proxies, bool frames);                                             \
    void sn_rod_couple_w##w(sn_packet *packet, const sn_substep *step, sn_rod_coupled *c, const sn_solve *solve,       \
                            sn_couple_op op);                                                                          \
    size_t sn_rod_couple_rows_w##w(const sn_topology *topology);                                                       \
    sn_verdict sn_rod_finish_w##w(sn_packet *packet, const sn_substep *step);                                          \
    sn_verdict sn_rod_direct_plain_w##w(sn_packet *packet, const sn_substep *step, sn_real *scratch);                  \
    sn_verdict sn_rod_direct_general_w##w(sn_packet *packet, const sn_substep *step, sn_real *scratch);                \
    sn_verdict sn_rod_direct_loop_w##w(sn_packet *packet, const sn_substep *step, sn_real *scratch);                   \
    size_t sn_rod_direct_loop_scratch_w##w(const sn_topology *topology);                                               \
    sn_verdict sn_rod_xpbd_w##w(sn_packet *packet, const sn_substep *step, sn_real *scratch);                          \
    sn_verdict sn_rod_jacobi_w##w(sn_packet *packet, const sn_substep *step, sn_real *scratch);                        \
    size_t sn_rod_direct_plain_scratch_w##w(const sn_topology *topology);                                              \
    size_t sn_rod_direct_general_scratch_w##w(const sn_topology *topology);                                            \
    size_t sn_rod_xpbd_scratch_w##w(const sn_topology *topology);                                                      \
    static sn_verdict direct_w##w(sn_packet *packet, const sn_substep *step, sn_real *scratch) {                       \
        const sn_topology *t = packet->topology;                                                                       \
        if (t->scale_bend) return sn_rod_direct_general_w##w(packet, step, scratch);                                   \
        if (t->loop) return sn_rod_direct_loop_w##w(packet, step, scratch);                                            \
        return sn_rod_direct_plain_w##w(packet, step, scratch);                                                        \
    }                                                                                                                  \
    static size_t direct_scratch_w##w(const sn_topology *t) {                                                          \
        if (t->loop && !t->scale_bend) return sn_rod_direct_loop_scratch_w##w(t);                                      \
        return t->scale_bend ? sn_rod_direct_general_scratch_w##w(t) : sn_rod_direct_plain_scratch_w##w(t);            \
    }                                                                                                                  \
    static const sn_rod_kernels kernels_w##w = {w,                                                                     \
                                                sn_rod_predict_w##w,                                                   \
                                                direct_w##w,                                                           \
                                                sn_rod_xpbd_w##w,                                                      \
                                                sn_rod_jacobi_w##w,                                                    \
                                                direct_scratch_w##w,                                                   \
                                                sn_rod_xpbd_scratch_w##w,                                              \
                                                sn_rod_finish_w##w,                                                    \
                                                sn_rod_update_nodes_w##w,                                              \
                                                sn_rod_couple_w##w,                                                    \
                                                sn_rod_couple_rows_w##w};

SN_EACH_WIDTH(DECLARE)

SN_CHOOSE_KERNELS(sn_rod_kernels, sn_rod_kernels_for)
