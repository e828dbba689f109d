// Moves vertices with the bones, in lanes.
//
// Dual quaternion skinning (Kavan et al. 2007): the motions (r_j, d_j) of the bones are summed with the vertex's
// weights, each with the sign closer to the first, and the sum (r, d) is scaled to |r| = 1; then x' = r x r* + 2 d r*.
// Motions are those since the last frame, or since rest.
//
// Also computes the position by skinning from rest and the amount of pull towards it. The pull only acts where the
// bones are within 30 degrees of their relative rotation at rest, because in folds skinning from rest intersects the
// other side.
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

// Blends the motions of a part of a row. `straight`: the minimum |cosine| of half the angle between the rotations of
// the first influence and of those joined to it by a hinge.
SN_INLINE motion blend(const sn_implicit_rig *rig, const sn_real *duals, int row, int part, vreal *straight) {
    const int32_t *bone = rig->influence + (size_t)row * INFLUENCES * ROW + part;
    const sn_real *weight = rig->weight + (size_t)row * INFLUENCES * ROW + part;
    const sn_real *bends = rig->bends + (size_t)row * INFLUENCES * ROW + part;
    const motion first = motion_of(duals, bone);
    vreal w0 = v_load(weight);
    motion sum = {vq_scale(w0, first.rotation), vq_scale(w0, first.dual)};
    *straight = v_set(1);
    for (int i = 1; i < INFLUENCES; i++) {
        vreal w = v_load(weight + i * ROW);
        if (!v_any(v_less(v_set(0), w))) continue; // adds 0 times a finite number
        const motion m = motion_of(duals, bone + i * ROW);
        vreal dot = vq_dot(first.rotation, m.rotation);
        *straight = v_min(*straight, v_select(v_less(v_set(K(0.02)), v_load(bends + i * ROW)), v_abs(dot), v_set(1)));
        w = v_negate_if(v_less(dot, v_set(0)), w);
        sum.rotation = vq_add_scaled(sum.rotation, w, m.rotation);
        sum.dual = vq_add_scaled(sum.dual, w, m.dual);
    }
    vreal size = v_sqrt(v_max(vq_dot(sum.rotation, sum.rotation), v_set(K(1e-12))));
    return (motion){vq_scale(K(1) / size, sum.rotation), vq_scale(K(1) / size, sum.dual)};
}

void SN_LANE_NAME(sn_implicit_carry)(const sn_implicit_frame *frame, int row);
void SN_LANE_NAME(sn_implicit_carry)(const sn_implicit_frame *frame, int row) {
    sn_implicit_state *state = frame->state;
    const sn_implicit_rig *rig = frame->rig;
    for (int part = 0; part < ROW; part += L) {
        int32_t slot[SN_LANES];
        slots_of(row, part, slot);
        vreal contact, straight, rotation[4];
        v3 p = quads_at(state->point, slot, &contact);
        motion m = blend(rig, state->dual_step, row, part, &straight);
        p = v3_add(vq_rotate(m.rotation, p), shift(m));
        put_quads(state->point, slot, p, contact);
        put_quads(state->output, slot, p, contact);
        gather_quads(state->rotation, 4, slot, rotation);
        vq q = vq_normalize(vq_mul(m.rotation, (vq){rotation[0], rotation[1], rotation[2], rotation[3]}));
        put_quads(state->rotation, slot, (v3){q.x, q.y, q.z}, q.w);
    }
}

void SN_LANE_NAME(sn_implicit_aim)(const sn_implicit_frame *frame, int row);
void SN_LANE_NAME(sn_implicit_aim)(const sn_implicit_frame *frame, int row) {
    sn_implicit_state *state = frame->state;
    const sn_implicit_rig *rig = frame->rig;
    for (int part = 0; part < ROW; part += L) {
        int32_t slot[SN_LANES];
        slots_of(row, part, slot);
        vreal straight, none;
        v3 rest = quads_at(rig->rest, slot, &none);
        const motion m = blend(rig, state->dual_rest, row, part, &straight);
        // cos of half of 35 and of 25 degrees
        vreal fade = (straight - K(0.953717)) * K(1 / (0.976296 - 0.953717));
        fade = v_min(v_max(fade, v_set(0)), v_set(1));
        put_quads(state->output_next, slot, v3_add(vq_rotate(m.rotation, rest), shift(m)), fade * frame->options->pull);
    }
}

void SN_LANE_NAME(sn_implicit_reset)(const sn_implicit_frame *frame, int row, sn_implicit_start start);
void SN_LANE_NAME(sn_implicit_reset)(const sn_implicit_frame *frame, int row, sn_implicit_start start) {
    sn_implicit_state *state = frame->state;
    const sn_implicit_rig *rig = frame->rig;
    for (int part = 0; part < ROW; part += L) {
        int32_t slot[SN_LANES];
        slots_of(row, part, slot);
        vreal straight, none;
        v3 rest = quads_at(rig->rest, slot, &none), p = {v_set(0), v_set(0), v_set(0)};
        motion m = blend(rig, state->dual_rest, row, part, &straight);
        if (start == SN_START_DUAL)
            p = v3_add(vq_rotate(m.rotation, rest), shift(m));
        else
            for (int i = 0; i < INFLUENCES; i++) {
                const size_t at = (size_t)row * INFLUENCES * ROW + (size_t)(i * ROW + part);
                const motion one = motion_of(state->dual_rest, rig->influence + at);
                v3 to = v3_add(vq_rotate(one.rotation, rest), shift(one));
                p = v3_add(p, v3_mul(v_load(rig->weight + at), to));
            }
        put_quads(state->point, slot, p, v_set(0));
        put_quads(state->rotation, slot, (v3){m.rotation.x, m.rotation.y, m.rotation.z}, m.rotation.w);
    }
}
