// Selects the field kernel for a lane width.
#include "base/simd/lanes.h"
#include "kinds/implicit_muscle/muscle_spindle.h"

#define DECLARE(w) sn_muscle_field_fn sn_muscle_field_w##w;

SN_EACH_WIDTH(DECLARE)

sn_muscle_field_fn *sn_muscle_field_for(int lanes) {
    if (lanes == 0) lanes = sn_best_lanes_here();
#define CHOOSE(w)                                                                                                      \
    if (lanes == w) return sn_muscle_field_w##w;
    if (sn_lanes_here(lanes)) {
        SN_EACH_WIDTH(CHOOSE)
    }
    return NULL;
}

sn_real sn_muscle_field(const sn_muscle_spindle *muscle, sn_vec3 q, sn_vec3 *gradient, sn_real *where) {
    sn_real rows[8][SN_MUSCLE_ROW] __attribute__((aligned(64)));
    for (int i = 0; i < SN_MUSCLE_ROW; i++) rows[0][i] = q.x, rows[1][i] = q.y, rows[2][i] = q.z;
    const sn_real *const at[3] = {rows[0], rows[1], rows[2]};
    sn_real *const g[3] = {rows[3], rows[4], rows[5]};
    sn_muscle_field_fn *plain = sn_muscle_field_for(1), *field = plain ? plain : sn_muscle_field_for(0);
    if (!field) return 0; // unreachable: every build has one
    field(muscle, plain ? 1 : SN_MUSCLE_ROW, at, rows[6], g, rows[7]);
    if (gradient) *gradient = sn_v3(rows[3][0], rows[4][0], rows[5][0]);
    if (where) *where = rows[7][0];
    return rows[6][0];
}
