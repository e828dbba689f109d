// Selects the kernels of a lane width.
#include "kinds/elastic/elastic_kernels.h"
#include "base/simd/lanes.h"

#define DECLARE(w)                                                                                                     \
    void sn_elastic_lift_w##w(const sn_elastic_space *space, const sn_real *q, int stride, const sn_real *base,        \
                              sn_real *to, int begin, int end);                                                        \
    void sn_elastic_local_w##w(const sn_elastic_local *local, int chunk);                                              \
    void sn_elastic_local_material_w##w(const sn_elastic_local *local, int chunk);                                     \
    void sn_elastic_gather_w##w(const sn_elastic_gather *gather, int patch);                                           \
    void sn_elastic_down_w##w(const sn_real *s, int rows, int width, const sn_real *from, sn_real *to, int stride);    \
    void sn_elastic_up_w##w(const sn_real *s, int rows, int width, const sn_real *from, sn_real *to, int stride);      \
    static const sn_elastic_kernels kernels_w##w = {w,                                                                 \
                                                    sn_elastic_lift_w##w,                                              \
                                                    sn_elastic_local_w##w,                                             \
                                                    sn_elastic_local_material_w##w,                                    \
                                                    sn_elastic_gather_w##w,                                            \
                                                    sn_elastic_down_w##w,                                              \
                                                    sn_elastic_up_w##w};

SN_EACH_WIDTH(DECLARE)

SN_CHOOSE_KERNELS(sn_elastic_kernels, sn_elastic_kernels_for)
