// The output, in lanes: smoothed in self-contact, and where that and the fields do harm, taken back to where skinning
// places the vertices, at displacements d.
//
// Vertices in contact are marked with b = 1, and those with an edge that became shorter than 0.35 of its rest length;
// b diffuses to neighbours, and then p <- (1 - b) p + b (mean of the neighbours). Displacements by muscles are smoothed
// too, d <- d + (1 - b) (mean of the neighbours' - d) / 2, as far as they differ by more than 0.6 of an edge. Then, several times, every vertex of
// an edge that is stretched, squeezed or turned more than by skinning gets s = 0.4, which grows by a quarter with every
// edge farther away, and d <- s d. The vertices themselves stay on their levels: only a copy changes.
#include "skin/implicit/implicit_quads.h"

enum { L = SN_LANES, ROW = SN_IMPLICIT_ROW };

SN_INLINE vreal rest_length2(const sn_implicit_rig *rig, int entry, int part) {
    const sn_real *e = rig->edge + (size_t)entry * 3 * ROW + part;
    const v3 rest = {v_load(e), v_load(e + ROW), v_load(e + 2 * ROW)};
    return v3_dot(rest, rest);
}

void SN_LANE_NAME(sn_implicit_mark)(const sn_implicit_frame *frame, int row);
void SN_LANE_NAME(sn_implicit_mark)(const sn_implicit_frame *frame, int row) {
    const sn_implicit_rig *rig = frame->rig;
    sn_implicit_state *state = frame->state;
    const sn_real radius = rig->owner[row] < 0 ? 0 : rig->bone[rig->owner[row]].radius;
    bool any = false, steep = false;
    for (int part = 0; part < ROW; part += L) {
        int32_t slot[SN_LANES];
        slots_of(row, part, slot);
        vreal contact, none;
        const v3 aim = quads_at(state->aim, slot, &none);
        v3 p = quads_at(state->point, slot, &contact);
        vmask marked = v_less(v_set(K(0.01)), contact);
        for (int entry = rig->first_entry[row]; entry < rig->first_entry[row + 1]; entry++) {
            const size_t at = (size_t)entry * ROW + (size_t)part;
            v3 d = v3_sub(quads_at(state->point, rig->other + at, &none), p);
            v3 plain = v3_sub(quads_at(state->aim, rig->other + at, &none), aim);
            vreal size2 = v3_dot(d, d), limit = K(0.35 * 0.35) * rest_length2(rig, entry, part);
            marked |= v_less(size2, limit) & v_less(size2, K(0.9) * v3_dot(plain, plain));
            const v3 step = v3_sub(d, plain);
            steep = steep || v_any(v_less(K(0.36) * rest_length2(rig, entry, part), v3_dot(step, step)));
        }
        any = any || v_any(marked);
        vreal edge = v_sqrt(K(1.15) * v_load(rig->area + (size_t)row * ROW + (size_t)part));
        vreal fine = K(1.0) * (radius / v_max(edge, v_set(K(1e-12))) - K(1));
        fine = v_min(v_max(fine, v_set(0)), v_set(1));
        // Meshes whose edges are as long as the limb is thick stay as skinned.
        p = v3_select(v_less(fine, v_set(1)) & marked, v3_add(aim, v3_mul(fine, v3_sub(p, aim))), p);
        put_quads(state->output, slot, p, v_select(marked, fine, v_set(0)));
        put_quads(state->output_next, slot, p, v_set(0));
    }
    state->smooth[row] = any || (state->busy[row] && steep);
}

SN_INLINE void spread(const sn_implicit_frame *frame, int row, bool places) {
    const sn_implicit_rig *rig = frame->rig;
    sn_implicit_state *state = frame->state;
    for (int part = 0; part < ROW; part += L) {
        int32_t slot[SN_LANES];
        slots_of(row, part, slot);
        vreal share, none, share_sum = v_set(0);
        const v3 p = quads_at(state->output, slot, &share), aim = quads_at(state->aim, slot, &none);
        v3 sum = {v_set(0), v_set(0), v_set(0)}, skinned = sum;
        for (int entry = rig->first_entry[row]; entry < rig->first_entry[row + 1]; entry++) {
            const size_t at = (size_t)entry * ROW + (size_t)part;
            vreal w = v_load(rig->stiff + at);
            vreal theirs;
            v3 d = v3_sub(quads_at(state->output, rig->other + at, &theirs), p);
            vmask some = v_less(v_set(0), w); // padding entries point to the vertex itself
            share_sum += v_select(some, theirs, v_set(0));
            sum = v3_add(sum, d);
            if (!places) continue;
            const v3 step = v3_sub(d, v3_sub(quads_at(state->aim, rig->other + at, &none), aim));
            vreal steep = v3_dot(step, step) / v_max(rest_length2(rig, entry, part), v_set(K(1e-20)));
            steep = v_min(v_max((steep - K(0.36)) * K(1 / 0.64), v_set(0)), v_set(1));
            skinned = v3_add(skinned, v3_mul(steep, step));
        }
        vreal uniform = v_load(rig->uniform + (size_t)row * ROW + (size_t)part);
        if (places)
            put_quads(
                state->output_next, slot,
                v3_add(p, v3_add(v3_mul(share * uniform, sum), v3_mul(K(0.5) * (K(1) - share) * uniform, skinned))),
                share);
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

// Writes the share of each displacement that may stay, from one edge, to the fourth number.
void SN_LANE_NAME(sn_implicit_doubt)(const sn_implicit_frame *frame, int row);
void SN_LANE_NAME(sn_implicit_doubt)(const sn_implicit_frame *frame, int row) {
    const sn_implicit_rig *rig = frame->rig;
    sn_implicit_state *state = frame->state;
    bool any = false;
    for (int part = 0; part < ROW; part += L) {
        int32_t slot[SN_LANES];
        slots_of(row, part, slot);
        vreal none;
        const v3 p = quads_at(state->output, slot, &none), aim = quads_at(state->aim, slot, &none);
        vmask bad = v_less(v_set(1), v_set(0));
        for (int entry = rig->first_entry[row]; entry < rig->first_entry[row + 1]; entry++) {
            const size_t at = (size_t)entry * ROW + (size_t)part;
            const v3 d = v3_sub(quads_at(state->output, rig->other + at, &none), p);
            const v3 plain = v3_sub(quads_at(state->aim, rig->other + at, &none), aim);
            vreal size2 = v3_dot(d, d), was2 = v3_dot(plain, plain), rest2 = rest_length2(rig, entry, part);
            bad |= v_less(K(2.4 * 2.4) * rest2, size2) & v_less(K(1.02) * was2, size2);
            bad |= v_less(size2, K(0.31 * 0.31) * rest2) & v_less(size2, K(0.98) * was2);
        }
        any = any || v_any(bad);
        put_quads(state->output, slot, p, v_select(bad, v_set(K(0.4)), v_set(1)));
    }
    state->doubtful[row] = any;
}

SN_INLINE v3 shrunk(v3 p, v3 aim, vreal share) {
    return v3_select(v_less(share, v_set(1)), v3_add(aim, v3_mul(share, v3_sub(p, aim))), p);
}

// From `output` to `output_next`: the shares of neighbours, and at the last pass also the displacements.
void SN_LANE_NAME(sn_implicit_revert)(const sn_implicit_frame *frame, int row, bool last);
void SN_LANE_NAME(sn_implicit_revert)(const sn_implicit_frame *frame, int row, bool last) {
    const sn_implicit_rig *rig = frame->rig;
    sn_implicit_state *state = frame->state;
    for (int part = 0; part < ROW; part += L) {
        int32_t slot[SN_LANES];
        slots_of(row, part, slot);
        vreal share, theirs, none;
        v3 p = quads_at(state->output, slot, &share);
        for (int entry = rig->first_entry[row]; entry < rig->first_entry[row + 1]; entry++) {
            quads_at(state->output, rig->other + (size_t)entry * ROW + (size_t)part, &theirs);
            share = v_min(share, theirs + K(0.25));
        }
        if (last) p = shrunk(p, quads_at(state->aim, slot, &none), share);
        put_quads(state->output_next, slot, p, share);
    }
}
