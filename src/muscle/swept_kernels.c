// Chooses the field's loop for a lane width.
#include "muscle/swept.h"
#include "rod/layout.h"

#define DECLARE(w) sn_swept_field_fn sn_swept_field_w##w;

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

sn_swept_field_fn *sn_swept_field_for(int lanes) {
    if (lanes == 0) { // half as many double lanes fill a register
        static const int wide_first[] = {16, 8, 4, 1};
        for (int i = sizeof(sn_real) == 8 ? 1 : 0; i < 4; ++i)
            if (sn_swept_field_for(wide_first[i])) return sn_swept_field_for(wide_first[i]);
        return NULL;
    }
    if (!sn_rod_kernels_for(lanes)) return NULL; // these ask the same of the build and the machine
#if HAS(1)
    if (lanes == 1) return sn_swept_field_w1;
#endif
#if HAS(4)
    if (lanes == 4) return sn_swept_field_w4;
#endif
#if HAS(8)
    if (lanes == 8) return sn_swept_field_w8;
#endif
#if HAS(16)
    if (lanes == 16) return sn_swept_field_w16;
#endif
    return NULL;
}

sn_real sn_swept_field(const sn_swept *muscle, sn_vec3 q, sn_vec3 *gradient, sn_real *where) {
    sn_real rows[8][SN_SWEPT_ROW] __attribute__((aligned(64)));
    for (int i = 0; i < SN_SWEPT_ROW; ++i) rows[0][i] = q.x, rows[1][i] = q.y, rows[2][i] = q.z;
    const sn_real *const at[3] = {rows[0], rows[1], rows[2]};
    sn_real *const g[3] = {rows[3], rows[4], rows[5]};
    sn_swept_field_fn *plain = sn_swept_field_for(1), *field = plain ? plain : sn_swept_field_for(0);
    if (!field) return 0; // no build is without
    field(muscle, plain ? 1 : SN_SWEPT_ROW, at, rows[6], g, rows[7]);
    if (gradient) *gradient = sn_v3(rows[3][0], rows[4][0], rows[5][0]);
    if (where) *where = rows[7][0];
    return rows[6][0];
}
