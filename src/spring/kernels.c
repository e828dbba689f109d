// Chooses the kernels for a lane width.
#include "spring/kernels.h"

#define DECLARE(w)                                                                                                     \
    void sn_spring_forces_w##w(sn_spring_span span, const sn_real *x, const sn_real *v, sn_real *force);               \
    void sn_spring_tangent_w##w(sn_spring_span span, sn_real h, sn_real damper, bool safe, const sn_real *wish,        \
                                sn_real *right);                                                                       \
    void sn_spring_invert_w##w(sn_spring_span span);                                                                   \
    double sn_spring_multiply_w##w(sn_spring_span span, sn_real h, const sn_real *from, sn_real *to);                  \
    void sn_spring_residual_w##w(sn_spring_span span, const sn_real *right, sn_real *r, sn_real *q, double out[2]);    \
    double sn_spring_update_w##w(sn_spring_span span, sn_real a, const sn_real *p, sn_real *u, sn_real *r,             \
                                 sn_real *q);                                                                          \
    void sn_spring_direction_w##w(sn_spring_span span, sn_real b, const sn_real *q, const int32_t *of,                 \
                                  const sn_real *motion, sn_real *p);                                                  \
    static const sn_spring_kernels kernels_w##w = {w,                                                                  \
                                                   sn_spring_forces_w##w,                                              \
                                                   sn_spring_tangent_w##w,                                             \
                                                   sn_spring_invert_w##w,                                              \
                                                   sn_spring_multiply_w##w,                                            \
                                                   sn_spring_residual_w##w,                                            \
                                                   sn_spring_update_w##w,                                              \
                                                   sn_spring_direction_w##w};

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

const sn_spring_kernels *sn_spring_kernels_for(int lanes) {
    if (lanes == 0) { // half as many double lanes fill a register
        static const int wide_first[] = {16, 8, 4, 1};
        for (int i = sizeof(sn_real) == 8 ? 1 : 0; i < 4; ++i)
            if (sn_spring_kernels_for(wide_first[i])) return sn_spring_kernels_for(wide_first[i]);
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
