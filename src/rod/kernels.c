// Chooses the kernels for a lane width, and among the paths of the direct solver the one that a topology needs.
#include "rod/layout.h"

#define DECLARE(w)                                                                                                     \
    void sn_rod_predict_w##w(sn_packet *packet, const sn_substep *step);                                               \
    void sn_rod_show_w##w(const sn_packet *packet, const int32_t *first, const sn_proxies *proxies, bool frames);      \
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
                                                sn_rod_show_w##w};

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

static bool machine_has(int lanes) {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
    if (lanes == 8) return __builtin_cpu_supports("avx2");
    if (lanes == 16) return __builtin_cpu_supports("avx512f");
#endif
    return lanes == 1 || lanes == 4 || lanes == 8 || lanes == 16;
}

const sn_rod_kernels *sn_rod_kernels_for(int lanes) {
    if (!machine_has(lanes)) return NULL;
#if !defined(SN_ONLY_LANES) || SN_ONLY_LANES == 1
    if (lanes == 1) return &kernels_w1;
#endif
#if !defined(SN_ONLY_LANES) || SN_ONLY_LANES == 4
    if (lanes == 4) return &kernels_w4;
#endif
#if !defined(SN_ONLY_LANES) || SN_ONLY_LANES == 8
    if (lanes == 8) return &kernels_w8;
#endif
#if !defined(SN_ONLY_LANES) || SN_ONLY_LANES == 16
    if (lanes == 16) return &kernels_w16;
#endif
    return NULL;
}

int sn_best_lanes_here(void) {
    // 16 double lanes take two AVX-512 registers, 8 two AVX2 ones: half the width then.
    static const int wide_first[] = {16, 8, 4, 1};
    for (int i = sizeof(sn_real) == 8 ? 1 : 0; i < 4; ++i)
        if (sn_rod_kernels_for(wide_first[i])) return wide_first[i];
    return 1;
}
