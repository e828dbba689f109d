// Smoothing in self-contact, in lanes. Vertices in contact, and those with an edge shorter than 0.35 of its rest
// length, are marked with b = 1; b diffuses to neighbours, and then p <- (1 - b) p + b (mean of the neighbours). Only a
// copy is smoothed: the vertices themselves stay on their levels for the next frame.
#include "skin/implicit/implicit_quads.h"

enum { L = SN_LANES, ROW = SN_IMPLICIT_ROW };

void SN_LANE_NAME(sn_implicit_mark)(const sn_implicit_frame *frame, int row);
void SN_LANE_NAME(sn_implicit_mark)(const sn_implicit_frame *frame, int row) {
    const sn_implicit_rig *rig = frame->rig;
    sn_implicit_state *state = frame->state;
    bool any = false;
    for (int part = 0; part < ROW; part += L) {
        int32_t slot[SN_LANES];
        slots_of(row, part, slot);
        vreal contact, none;
        const v3 p = quads_at(state->point, slot, &contact);
        vmask marked = v_less(v_set(K(0.01)), contact);
        for (int entry = rig->first_entry[row]; entry < rig->first_entry[row + 1]; entry++) {
            const size_t at = (size_t)entry * ROW + (size_t)part;
            const sn_real *e = rig->edge + (size_t)entry * 3 * ROW + part;
            const v3 rest = {v_load(e), v_load(e + ROW), v_load(e + 2 * ROW)};
            v3 d = v3_sub(quads_at(state->point, rig->other + at, &none), p);
            marked |= v_less(v3_dot(d, d), K(0.35 * 0.35) * v3_dot(rest, rest));
        }
        any = any || v_any(marked);
        put_quads(state->output, slot, p, v_select(marked, v_set(1), v_set(0)));
        put_quads(state->output_next, slot, p, v_set(0));
    }
    state->smooth[row] = any;
}

SN_INLINE void spread(const sn_implicit_frame *frame, int row, bool places) {
    const sn_implicit_rig *rig = frame->rig;
    sn_implicit_state *state = frame->state;
    for (int part = 0; part < ROW; part += L) {
        int32_t slot[SN_LANES];
        slots_of(row, part, slot);
        vreal share, share_sum = v_set(0), none;
        const v3 p = quads_at(state->output, slot, &share);
        v3 sum = {v_set(0), v_set(0), v_set(0)};
        for (int entry = rig->first_entry[row]; entry < rig->first_entry[row + 1]; entry++) {
            const size_t at = (size_t)entry * ROW + (size_t)part;
            vreal w = v_load(rig->stiff + at);
            v3 d = v3_sub(quads_at(state->output, rig->other + at, &none), p);
            vmask some = v_less(v_set(0), w); // padding entries point to the vertex itself
            share_sum += v_select(some, none, v_set(0));
            sum = v3_add(sum, d);
        }
        vreal uniform = v_load(rig->uniform + (size_t)row * ROW + (size_t)part);
        if (places)
            put_quads(state->output_next, slot, v3_add(p, v3_mul(share * uniform, sum)), share);
        else
            put_quads(state->output_next, slot, p, K(0.5) * (share + share_sum * uniform));
    }
}

void SN_LANE_NAME(sn_implicit_diffuse)(const sn_implicit_frame *frame, int row);
void SN_LANE_NAME(sn_implicit_diffuse)(const sn_implicit_frame *frame, int row) {
    spread(frame, row, false);
}

void SN_LANE_NAME(sn_implicit_smoothen)(const sn_implicit_frame *frame, int row);
void SN_LANE_NAME(sn_implicit_smoothen)(const sn_implicit_frame *frame, int row) {
    spread(frame, row, true);
}
