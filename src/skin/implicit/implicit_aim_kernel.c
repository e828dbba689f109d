// Skins a row, in lanes: where the rig itself places its vertices.
//
// Dual quaternion skinning (Kavan et al. 2007): the motions (r_j, d_j) of the bones since rest are summed with the
// vertex's weights, each with the sign closer to the first, and the sum (r, d) is scaled to |r| = 1; then
// x' = r x r* + 2 d r*. Or linear.
#include "skin/implicit/implicit_quads.h"

enum { L = SN_LANES, ROW = SN_IMPLICIT_ROW, INFLUENCES = SN_IMPLICIT_INFLUENCES };

typedef struct {
    vq rotation, dual;
} motion;

// The translation of a motion: 2 d r*.
SN_INLINE v3 shift(motion m) {
    vq t = vq_mul(m.dual, vq_conj(m.rotation));
    return (v3){K(2) * t.x, K(2) * t.y, K(2) * t.z};
}

SN_INLINE motion motion_of(const sn_real *duals, const int32_t *bone) {
    vreal a[4], b[4];
    gather_quads(duals, 8, bone, a);
    gather_quads(duals + 4, 8, bone, b);
    return (motion){{a[0], a[1], a[2], a[3]}, {b[0], b[1], b[2], b[3]}};
}

SN_INLINE vq vq_add_scaled(vq a, vreal k, vq b) {
    return (vq){a.x + k * b.x, a.y + k * b.y, a.z + k * b.z, a.w + k * b.w};
}

// Blends the motions of a part of a row.
SN_INLINE motion blend(const sn_implicit_rig *rig, const sn_real *duals, int row, int part) {
    const int32_t *bone = rig->influence + (size_t)row * INFLUENCES * ROW + part;
    const sn_real *weight = rig->weight + (size_t)row * INFLUENCES * ROW + part;
    const motion first = motion_of(duals, bone);
    vreal w0 = v_load(weight);
    motion sum = {vq_scale(w0, first.rotation), vq_scale(w0, first.dual)};
    for (int i = 1; i < INFLUENCES; i++) {
        vreal w = v_load(weight + i * ROW);
        if (!v_any(v_less(v_set(0), w))) continue; // adds 0 times a finite number
        const motion m = motion_of(duals, bone + i * ROW);
        w = v_negate_if(v_less(vq_dot(first.rotation, m.rotation), v_set(0)), w);
        sum.rotation = vq_add_scaled(sum.rotation, w, m.rotation);
        sum.dual = vq_add_scaled(sum.dual, w, m.dual);
    }
    vreal size = v_sqrt(v_max(vq_dot(sum.rotation, sum.rotation), v_set(K(1e-12))));
    return (motion){vq_scale(K(1) / size, sum.rotation), vq_scale(K(1) / size, sum.dual)};
}

// The positions of a part of a row by skinning from rest.
SN_INLINE v3 skinned(const sn_implicit_frame *frame, int row, int part, v3 rest, sn_implicit_start start) {
    const sn_implicit_state *state = frame->state;
    const sn_implicit_rig *rig = frame->rig;
    v3 p = {v_set(0), v_set(0), v_set(0)};
    if (start == SN_START_DUAL) {
        const motion m = blend(rig, state->dual_rest, row, part);
        return v3_add(vq_rotate(m.rotation, rest), shift(m));
    }
    for (int i = 0; i < INFLUENCES; i++) {
        const size_t at = (size_t)row * INFLUENCES * ROW + (size_t)(i * ROW + part);
        const motion one = motion_of(state->dual_rest, rig->influence + at);
        v3 to = v3_add(vq_rotate(one.rotation, rest), shift(one));
        p = v3_add(p, v3_mul(v_load(rig->weight + at), to));
    }
    return p;
}

void SN_LANE_NAME(sn_implicit_aim)(const sn_implicit_frame *frame, int row);
void SN_LANE_NAME(sn_implicit_aim)(const sn_implicit_frame *frame, int row) {
    sn_implicit_state *state = frame->state;
    const sn_implicit_rig *rig = frame->rig;
    const sn_real *m = state->frame + (rig->owner[row] < 0 ? 0 : rig->owner[row]) * 12;
    for (int part = 0; part < ROW; part += L) {
        int32_t slot[SN_LANES];
        slots_of(row, part, slot);
        vreal none, contact;
        const motion move = blend(rig, state->dual_rest, row, part);
        const v3 p = v3_add(vq_rotate(move.rotation, quads_at(rig->rest, slot, &none)), shift(move));
        put_quads(state->aim, slot, p, v_set(0));
        put_quads(state->rotation, slot, (v3){move.rotation.x, move.rotation.y, move.rotation.z}, move.rotation.w);
        put_quads(state->normal, slot, vq_rotate(move.rotation, quads_at(rig->normal, slot, &none)), v_set(0));
        const v3 d = quads_at(state->offset, slot, &contact);
        const v3 away = {m[0] * d.x + m[1] * d.y + m[2] * d.z, m[3] * d.x + m[4] * d.y + m[5] * d.z,
                         m[6] * d.x + m[7] * d.y + m[8] * d.z};
        put_quads(state->point, slot, v3_add(p, away), contact);
    }
}

void SN_LANE_NAME(sn_implicit_reset)(const sn_implicit_frame *frame, int row, sn_implicit_start start);
void SN_LANE_NAME(sn_implicit_reset)(const sn_implicit_frame *frame, int row, sn_implicit_start start) {
    sn_implicit_state *state = frame->state;
    for (int part = 0; part < ROW; part += L) {
        int32_t slot[SN_LANES];
        slots_of(row, part, slot);
        vreal none;
        const v3 p = skinned(frame, row, part, quads_at(frame->rig->rest, slot, &none), start);
        put_quads(state->aim, slot, p, v_set(0));
        put_quads(state->point, slot, p, v_set(0));
    }
}
