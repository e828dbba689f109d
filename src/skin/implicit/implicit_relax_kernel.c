// Steps along the surface, in lanes, as a mix of two.
//
// As rigid as possible (Sorkine and Alexa 2007), in contact, where skinning folds the surface: with edges e_ij of the
// rest shape and weights w_ij, the rotation of a vertex is the one closest to A = sum w_ij (p_j - p_i) e_ij^T, found by
// a few iterations (Mueller et al. 2016) from that of skinning: with columns r_k of the rotation and a_k of A,
// q <- exp(sum r_k x a_k / |sum r_k . a_k|) q. A vertex moves half way to
//
//     sum w_ij (p_j - (R_i + R_j) e_ij / 2) / sum w_ij
//
// As skinned, elsewhere: with d the displacement of a vertex from where skinning places it, it moves half way to the
// mean of its neighbours' displacements. So edges stay as skinning made them, and vertices far from any correction stay
// in place.
//
// Both are projected onto the level set. The amount of contact spreads by an edge with every step. All vertices move at
// once (Jacobi).
#include "skin/implicit/implicit_quads.h"

enum { L = SN_LANES, ROW = SN_IMPLICIT_ROW, STEPS = 2 };

#define SPREAD K(0.85)

SN_INLINE v3 edge_at(const sn_implicit_rig *rig, int entry, int part) {
    const sn_real *e = rig->edge + (size_t)entry * 3 * ROW + part;
    return (v3){v_load(e), v_load(e + ROW), v_load(e + 2 * ROW)};
}

void SN_LANE_NAME(sn_implicit_rotations)(const sn_implicit_frame *frame, int row);
void SN_LANE_NAME(sn_implicit_rotations)(const sn_implicit_frame *frame, int row) {
    const sn_implicit_rig *rig = frame->rig;
    sn_implicit_state *state = frame->state;
    for (int part = 0; part < ROW; part += L) {
        int32_t slot[SN_LANES];
        slots_of(row, part, slot);
        vreal none;
        const v3 p = quads_at(state->point, slot, &none), zero = {v_set(0), v_set(0), v_set(0)};
        v3 a[3] = {zero, zero, zero};
        for (int entry = rig->first_entry[row]; entry < rig->first_entry[row + 1]; entry++) {
            const size_t at = (size_t)entry * ROW + (size_t)part;
            v3 d = v3_sub(quads_at(state->point, rig->other + at, &none), p), e = edge_at(rig, entry, part);
            d = v3_mul(v_load(rig->stiff + at), d);
            a[0] = v3_add(a[0], v3_mul(e.x, d)), a[1] = v3_add(a[1], v3_mul(e.y, d));
            a[2] = v3_add(a[2], v3_mul(e.z, d));
        }
        vq q = rotations_at(state->rotation, slot);
        for (int i = 0; i < STEPS; i++) {
            const v3 r[3] = {vq_rotate(q, (v3){v_set(1), v_set(0), v_set(0)}),
                             vq_rotate(q, (v3){v_set(0), v_set(1), v_set(0)}),
                             vq_rotate(q, (v3){v_set(0), v_set(0), v_set(1)})};
            vreal along = v3_dot(r[0], a[0]) + v3_dot(r[1], a[1]) + v3_dot(r[2], a[2]);
            v3 axis = v3_add(v3_add(v3_cross(r[0], a[0]), v3_cross(r[1], a[1])), v3_cross(r[2], a[2]));
            vreal size = v_max(v_abs(along), v_set(K(1e-20)));
            axis = v3_mul(K(1) / size, axis);
            axis = v3_select(v_finite(v3_dot(axis, axis)), axis, zero);
            q = vq_normalize(vq_mul(vq_exp(axis), q));
        }
        put_quads(state->rotation_next, slot, (v3){q.x, q.y, q.z}, q.w);
    }
}

// The tangential part of `move`.
SN_INLINE v3 along_surface(v3 move, v3 slope) {
    vreal size2 = v3_dot(slope, slope);
    vmask steep = v_less(v_set(K(1e-6)), size2);
    return v3_sub(move,
                  v3_mul(v_select(steep, v3_dot(move, slope) / v_select(steep, size2, v_set(1)), v_set(0)), slope));
}

void SN_LANE_NAME(sn_implicit_relax)(const sn_implicit_frame *frame, int row);
void SN_LANE_NAME(sn_implicit_relax)(const sn_implicit_frame *frame, int row) {
    const sn_implicit_rig *rig = frame->rig;
    sn_implicit_state *state = frame->state;
    for (int part = 0; part < ROW; part += L) {
        int32_t slot[SN_LANES];
        slots_of(row, part, slot);
        vreal contact, none, theirs;
        const v3 p = quads_at(state->point, slot, &contact), slope = quads_at(state->slope, slot, &none);
        const v3 own = v3_sub(p, quads_at(state->aim, slot, &none)), zero = {v_set(0), v_set(0), v_set(0)};
        const vq q = rotations_at(state->rotation, slot);
        v3 rigid = zero, edges = zero, skinned = zero;
        vreal spread = contact;
        for (int entry = rig->first_entry[row]; entry < rig->first_entry[row + 1]; entry++) {
            const size_t at = (size_t)entry * ROW + (size_t)part;
            const v3 x = quads_at(state->point, rig->other + at, &theirs);
            const v3 d = v3_sub(x, quads_at(state->aim, rig->other + at, &none));
            vreal w = v_load(rig->stiff + at);
            v3 e = v3_mul(K(0.5) * w, edge_at(rig, entry, part));
            edges = v3_add(edges, e);
            rigid = v3_add(
                rigid, v3_sub(v3_mul(w, v3_sub(x, p)), vq_rotate(rotations_at(state->rotation, rig->other + at), e)));
            skinned = v3_add(skinned, v3_mul(w, v3_sub(d, own)));
            spread = v_max(spread, SPREAD * theirs);
        }
        rigid = v3_sub(rigid, vq_rotate(q, edges));
        vreal w = v_load(rig->stiff_sum + (size_t)row * ROW + (size_t)part);
        vmask some = v_less(v_set(0), w);
        v3 sum = v3_add(v3_mul(spread, rigid), v3_mul(K(1) - spread, skinned));
        v3 move = v3_mul(v_select(some, K(0.5) / v_select(some, w, v_set(1)), v_set(0)), sum);
        put_quads(state->next, slot, v3_add(p, along_surface(move, slope)), spread);
    }
}

// 2013: towards the vertex's mean value coordinates in its ring at rest, along the surface.
void SN_LANE_NAME(sn_implicit_even)(const sn_implicit_frame *frame, int row);
void SN_LANE_NAME(sn_implicit_even)(const sn_implicit_frame *frame, int row) {
    const sn_implicit_rig *rig = frame->rig;
    sn_implicit_state *state = frame->state;
    for (int part = 0; part < ROW; part += L) {
        int32_t slot[SN_LANES];
        slots_of(row, part, slot);
        vreal contact, miss, none;
        const v3 p = quads_at(state->point, slot, &contact), slope = quads_at(state->slope, slot, &miss);
        v3 move = {v_set(0), v_set(0), v_set(0)};
        for (int entry = rig->first_entry[row]; entry < rig->first_entry[row + 1]; entry++) {
            const size_t at = (size_t)entry * ROW + (size_t)part;
            v3 d = v3_sub(quads_at(state->point, rig->other + at, &none), p);
            move = v3_add(move, v3_mul(v_load(rig->ring + at), d));
        }
        vreal x = miss - K(1), x2 = x * x, share = v_max(v_set(0), K(1) - x2 * x2);
        share = v_select(v_less(miss, v_set(0)), v_set(0), share);
        put_quads(state->next, slot, v3_add(p, v3_mul(share, along_surface(move, slope))), contact);
    }
}
