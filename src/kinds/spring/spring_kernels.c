// Chooses the kernels for a lane width.
#include "kinds/spring/spring_kernels.h"
#include "base/simd/lanes.h"

#define DECLARE(w)                                                                                                     \
    void sn_spring_forces_w##w(sn_spring_span span, const sn_real *x, const sn_real *v, sn_real *force);               \
    void sn_spring_tangent_w##w(sn_spring_span span, sn_real h, sn_real damper, bool safe, const sn_real *target,      \
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

SN_EACH_WIDTH(DECLARE)

SN_CHOOSE_KERNELS(sn_spring_kernels, sn_spring_kernels_for)
