// Selects the kernels for a lane width.
#include "base/simd/lanes.h"
#include "skin/implicit/implicit_internal.h"

#define DECLARE(w)                                                                                                     \
    void sn_implicit_aim_w##w(const sn_implicit_frame *frame, int row);                                                \
    void sn_implicit_refer_w##w(const sn_implicit_frame *frame, int row);                                              \
    void sn_implicit_reset_w##w(const sn_implicit_frame *frame, int row, sn_implicit_start start);                     \
    void sn_implicit_approach_w##w(const sn_implicit_frame *frame, int row, bool first);                               \
    void sn_implicit_limit_w##w(const sn_implicit_frame *frame, int row);                                              \
    void sn_implicit_settle_w##w(const sn_implicit_frame *frame, int row, bool relaxed);                               \
    void sn_implicit_bind_w##w(const sn_implicit_frame *frame, sn_implicit_rig *rig, int row);                         \
    void sn_implicit_rotations_w##w(const sn_implicit_frame *frame, int row);                                          \
    void sn_implicit_relax_w##w(const sn_implicit_frame *frame, int row);                                              \
    void sn_implicit_mark_w##w(const sn_implicit_frame *frame, int row);                                               \
    void sn_implicit_diffuse_w##w(const sn_implicit_frame *frame, int row);                                            \
    void sn_implicit_smoothen_w##w(const sn_implicit_frame *frame, int row);                                           \
    void sn_implicit_doubt_w##w(const sn_implicit_frame *frame, int row);                                              \
    void sn_implicit_revert_w##w(const sn_implicit_frame *frame, int row, bool last);                                  \
    void sn_implicit_march_w##w(const sn_implicit_frame *frame, int row, bool first);                                  \
    void sn_implicit_even_w##w(const sn_implicit_frame *frame, int row);                                               \
    void sn_implicit_field_w##w(const sn_implicit_frame *frame, int bone, const sn_real *const q[3], sn_real *f,       \
                                sn_real *const gradient[3]);                                                           \
    void sn_implicit_distance_w##w(const sn_implicit_rig *rig, int bone, const sn_real *const q[3], sn_real *d,        \
                                   sn_real *const gradient[3]);                                                        \
    void sn_implicit_depth_w##w(const sn_implicit_rig *rig, int bone, const sn_real *const q[3], sn_real *d,           \
                                sn_real *const gradient[3]);                                                           \
    void sn_implicit_arc_w##w(const sn_real *f1, const sn_real *f2, const sn_real *t, sn_real *const out[3]);          \
    void sn_implicit_opening_w##w(int kind, const sn_real *cosine, sn_real *t);                                        \
    void sn_implicit_table_w##w(const sn_real *table, const sn_real *f1, const sn_real *f2, sn_real *const out[3]);    \
    static const sn_implicit_kernels kernels_w##w = {w,                                                                \
                                                     sn_implicit_aim_w##w,                                             \
                                                     sn_implicit_refer_w##w,                                           \
                                                     sn_implicit_reset_w##w,                                           \
                                                     sn_implicit_approach_w##w,                                        \
                                                     sn_implicit_settle_w##w,                                          \
                                                     sn_implicit_limit_w##w,                                           \
                                                     sn_implicit_bind_w##w,                                            \
                                                     sn_implicit_rotations_w##w,                                       \
                                                     sn_implicit_relax_w##w,                                           \
                                                     sn_implicit_mark_w##w,                                            \
                                                     sn_implicit_diffuse_w##w,                                         \
                                                     sn_implicit_smoothen_w##w,                                        \
                                                     sn_implicit_doubt_w##w,                                           \
                                                     sn_implicit_revert_w##w,                                          \
                                                     sn_implicit_march_w##w,                                           \
                                                     sn_implicit_even_w##w,                                            \
                                                     sn_implicit_field_w##w,                                           \
                                                     sn_implicit_distance_w##w,                                        \
                                                     sn_implicit_depth_w##w,                                           \
                                                     sn_implicit_arc_w##w,                                             \
                                                     sn_implicit_opening_w##w,                                         \
                                                     sn_implicit_table_w##w};

SN_EACH_WIDTH(DECLARE)

SN_CHOOSE_KERNELS(sn_implicit_kernels, sn_implicit_kernels_for)
