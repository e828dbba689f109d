// Chooses the kernels of a lane width.
#include "elastic/kernels.h"

#define DECLARE(w)                                                                                                     \
    void sn_elastic_lift_w##w(const sn_elastic_space *space, const sn_real *q, int stride, const sn_real *base,        \
                              sn_real *to, int begin, int end);                                                        \
    void sn_elastic_local_w##w(const sn_elastic_local *local, int chunk);                                              \
    void sn_elastic_gather_w##w(const sn_elastic_gather *gather, int patch);                                           \
    void sn_elastic_down_w##w(const sn_real *s, int rows, int width, const sn_real *from, sn_real *to, int stride);    \
    void sn_elastic_up_w##w(const sn_real *s, int rows, int width, const sn_real *from, sn_real *to, int stride);      \
    static const sn_elastic_kernels kernels_w##w = {w,                                                                 \
                                                    sn_elastic_lift_w##w,                                              \
                                                    sn_elastic_local_w##w,                                             \
                                                    sn_elastic_gather_w##w,                                            \
                                                    sn_elastic_down_w##w,                                              \
                                                    sn_elastic_up_w##w};

#ifdef SN_ONLY_LANES
#define HAS(lanes) (SN_ONLY_LANES == lanes)
#else
#define HAS(lanes) 1
#endif

#if HAS(1)
DECLARE(1)
#endif
#if HAS(4)
DECLARE(4)
#endif
#if HAS(8)
DECLARE(8)
#endif
#if HAS(16)
DECLARE(16)
#endif

static bool machine_has(int lanes) {
#if defined(__x86_64__)
    if (lanes == 8) return __builtin_cpu_supports("avx2");
    if (lanes == 16) return __builtin_cpu_supports("avx512f");
#endif
    return lanes == 1 || lanes == 4 || lanes == 8 || lanes == 16;
}

const sn_elastic_kernels *sn_elastic_kernels_for(int lanes) {
    if (lanes == 0) { // half as many double lanes fill a register
        static const int wide_first[] = {16, 8, 4, 1};
        for (int i = sizeof(sn_real) == 8 ? 1 : 0; i < 4; ++i)
            if (sn_elastic_kernels_for(wide_first[i])) return sn_elastic_kernels_for(wide_first[i]);
        return NULL;
    }
    if (!machine_has(lanes)) return NULL;
#if HAS(1)
    if (lanes == 1) return &kernels_w1;
#endif
#if HAS(4)
    if (lanes == 4) return &kernels_w4;
#endif
#if HAS(8)
    if (lanes == 8) return &kernels_w8;
#endif
#if HAS(16)
    if (lanes == 16) return &kernels_w16;
#endif
    return NULL;
}
