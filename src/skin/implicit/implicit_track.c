// A frame: corrects what skinning makes of the new poses.
//
//     aim        vertices are where skinning from rest places them
//     refer      their levels: the values of the fields there. Most rows have neither contact nor muscles: they are done
//     approach   one step to the level; and
//     relax      a step along it, towards the displacements of the neighbours; both several times in contact
//     settle     steps to the level until it is reached
//     smooth     a copy, in contact; and what does harm is taken back
//
// The result depends on the poses and the muscles alone, not on earlier frames. Rows whose bones and muscles have not
// moved relative to each other, like those around them, keep their displacements.
#include "base/float_mode.h"
#include "skin/implicit/implicit_internal.h"
#include <string.h>

enum { ROW = SN_IMPLICIT_ROW, INFLUENCES = SN_IMPLICIT_INFLUENCES };

// ---- poses

// b in the frame of a.
static sn_transform relative(const sn_transform *a, const sn_transform *b) {
    const sn_quat back = sn_q_conj(a->rotation);
    return (sn_transform){sn_q_rotate(back, sn_sub(b->position, a->position)), sn_q_mul(back, b->rotation)};
}

// ---- motion

static void find_changes(sn_implicit_state *state) {
    const sn_implicit_rig *rig = state->rig;
    for (int o = 0; o < rig->bones; o++)
        for (int x = 0; x < rig->bones; x++) {
            const int at = o * rig->bones + x;
            const sn_transform is = relative(&state->now[o], &state->now[x]), *was = &state->pair[at];
            const sn_quat d = sn_q_mul(sn_q_conj(was->rotation), is.rotation);
            const sn_vec3 size = sn_sub(rig->bone[x].high, rig->bone[x].low);
            const sn_real swing = 2 * sn_length(size) * sn_sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
            const sn_real moved = swing + sn_length(sn_sub(is.position, was->position));
            state->changed[at] = !(moved <= (sn_real)1e-4 * rig->bone[o].radius && sn_abs(d.w) > (sn_real)0.5);
            if (state->changed[at]) state->pair[at] = is;
        }
}

static bool row_changed(const sn_implicit_frame *frame, int row) {
    const sn_implicit_state *state = frame->state;
    const sn_implicit_rig *rig = frame->rig;
    if (!frame->options->skip || !state->settled[row]) return true;
    const unsigned char *changed = state->changed + rig->owner[row] * rig->bones;
    const uint64_t *near = state->near_bones + (size_t)row * (size_t)rig->words;
    for (int b = 0; b < rig->bones; b++)
        if (changed[b] && (near[b / 64] >> (b % 64) & 1)) return true;
    const size_t first = (size_t)row * INFLUENCES * ROW;
    for (size_t i = first; i < first + INFLUENCES * ROW; i++)
        if (rig->weight[i] > 0 && changed[rig->influence[i]]) return true;
    if (!frame->muscles) return false;
    for (int m = 0; m < frame->muscles->count; m++) {
        const uint64_t word = state->near_muscles[(size_t)row * (size_t)state->muscle_words + (size_t)(m / 64)];
        if ((word >> (m % 64) & 1) && (!frame->muscles->moved || frame->muscles->moved[m])) return true;
    }
    return false;
}

static bool any_near(const sn_implicit_rig *rig, const unsigned char *rows, int row) {
    for (int i = rig->first_neighbour[row]; i < rig->first_neighbour[row + 1]; i++)
        if (rows[rig->neighbour[i]]) return true;
    return rows[row] != 0;
}

// ---- the stages

static void copy_row(sn_real *to, const sn_real *from, int row) {
    memcpy(to + (size_t)row * ROW * 4, from + (size_t)row * ROW * 4, ROW * 4 * sizeof(sn_real));
}

static void aim_row(void *context, int row, int worker) {
    const sn_implicit_frame *frame = context;
    sn_implicit_state *state = frame->state;
    (void)worker;
    state->row_evaluations[row] = 0;
    frame->rig->kernels->aim(frame, row);
    state->busy[row] = state->close[row] = state->changed_row[row] = 0;
    if (frame->rig->owner[row] < 0) return;    // no field
    const bool left = row_changed(frame, row); // what was near may have moved away
    sn_implicit_find_near(frame, row);
    state->changed_row[row] = left || row_changed(frame, row);
}

static void refer_row(void *context, int row, int worker) {
    const sn_implicit_frame *frame = context;
    sn_implicit_state *state = frame->state;
    (void)worker;
    state->active[row] = frame->rig->owner[row] >= 0 && any_near(frame->rig, state->changed_row, row);
    if (!state->active[row]) return;
    copy_row(state->point, state->aim, row);
    frame->rig->kernels->refer(frame, row);
}

static void approach_row_first(void *context, int row, int worker) {
    const sn_implicit_frame *frame = context;
    (void)worker;
    if (frame->state->active[row] && frame->state->busy[row]) frame->rig->kernels->approach(frame, row, true);
}

static void approach_row(void *context, int row, int worker) {
    const sn_implicit_frame *frame = context;
    (void)worker;
    if (frame->state->active[row] && frame->state->close[row]) frame->rig->kernels->approach(frame, row, false);
}

static void rotate_row(void *context, int row, int worker) {
    const sn_implicit_frame *frame = context;
    (void)worker;
    if (frame->state->active[row] && any_near(frame->rig, frame->state->close, row))
        frame->rig->kernels->rotations(frame, row);
    else
        copy_row(frame->state->rotation_next, frame->state->rotation, row);
}

static void relax_row(void *context, int row, int worker) {
    const sn_implicit_frame *frame = context;
    (void)worker;
    if (frame->state->active[row] && any_near(frame->rig, frame->state->close, row))
        frame->rig->kernels->relax(frame, row);
    else
        copy_row(frame->state->next, frame->state->point, row);
}

// What the numbers of a field are good for, over the limb's radius.
#define NOISE ((sn_real)1e-4)

// Stores the displacements in the frame of the row's bone, each shorter by the noise of the fields: what is in contact in the
// bind pose stays exactly where it is.
static void keep_offsets(sn_implicit_state *state, int row) {
    const sn_real *m = state->frame + state->rig->owner[row] * 12;
    const sn_real noise = NOISE * state->rig->bone[state->rig->owner[row]].radius;
    for (int slot = row * ROW; slot < (row + 1) * ROW; slot++) {
        const sn_real *aim = state->aim + (size_t)slot * 4;
        sn_real *p = state->point + (size_t)slot * 4, *to = state->offset + (size_t)slot * 4;
        sn_real d[3] = {p[0] - aim[0], p[1] - aim[1], p[2] - aim[2]};
        const sn_real length = sn_sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        const sn_real part = length > noise ? 1 - noise / length : 0;
        for (int k = 0; k < 3; k++) d[k] *= part, p[k] = aim[k] + d[k];
        for (int k = 0; k < 3; k++) to[k] = m[k] * d[0] + m[3 + k] * d[1] + m[6 + k] * d[2];
        to[3] = p[3];
    }
}

static void settle_row(void *context, int row, int worker) {
    const sn_implicit_frame *frame = context;
    sn_implicit_state *state = frame->state;
    (void)worker;
    if (state->active[row]) {
        frame->rig->kernels->settle(frame, row, any_near(frame->rig, state->close, row));
        keep_offsets(state, row);
        state->settled[row] = 1;
    }
    if (frame->muscles && frame->rig->owner[row] >= 0) frame->rig->kernels->limit(frame, row);
}

static void swap(sn_real **a, sn_real **b) {
    sn_real *c = *a;
    *a = *b, *b = c;
}

static void correct(const sn_implicit_frame *frame, sn_pool *pool) {
    sn_implicit_state *state = frame->state;
    const sn_implicit_rig *rig = frame->rig;
    for (int b = 0; b < rig->bones; b++) sn_implicit_dual(&rig->bone[b].rest, &state->now[b], state->dual_rest + b * 8);
    sn_implicit_set_frames(state);
    find_changes(state);
    sn_implicit_for_rows(frame, pool, aim_row);
    sn_implicit_for_rows(frame, pool, refer_row);
    for (int i = 0; i < frame->options->relaxations; i++) {
        sn_implicit_for_rows(frame, pool, i == 0 ? approach_row_first : approach_row);
        sn_implicit_for_rows(frame, pool, rotate_row);
        swap(&state->rotation, &state->rotation_next);
        sn_implicit_for_rows(frame, pool, relax_row);
        swap(&state->point, &state->next);
    }
    sn_implicit_for_rows(frame, pool, settle_row);
}

static bool muscles_fine(const sn_skin_muscle_table *muscles) {
    if (!muscles) return true;
    if (muscles->count < 0 || (muscles->count > 0 && (!muscles->bones || !muscles->bounds || !muscles->field)))
        return false;
    for (int m = 0; m < muscles->count; m++) {
        const sn_implicit_capsule *c = &muscles->bounds[m];
        if (!sn_finite3(c->a) || !sn_finite3(c->b) || !(c->radius >= 0 && sn_finite(c->radius))) return false;
    }
    return true;
}

sn_status sn_implicit_track(sn_implicit_state *state, const sn_transform *poses, const sn_skin_muscle_table *muscles,
                            const sn_implicit_options *options, sn_pool *pool, sn_vec3 *out,
                            sn_implicit_report *report) {
    const sn_implicit_rig *rig = state->rig;
    const sn_implicit_options defaults = sn_implicit_options_default();
    const sn_implicit_frame frame = {rig, state, muscles, options ? options : &defaults};
    if (!sn_implicit_poses_are_valid(rig, poses) || !muscles_fine(muscles)) return SN_ERR_RANGE;
    const sn_status reserved = sn_implicit_reserve_muscles(state, muscles ? muscles->count : 0);
    if (reserved != SN_OK) return reserved;

    const sn_float_mode mode = sn_float_mode_enter();
    for (int b = 0; b < rig->bones; b++)
        state->now[b] = (sn_transform){poses[b].position, sn_q_normalize(poses[b].rotation)};
    correct(&frame, pool);
    sn_implicit_smooth(&frame, pool);
    if (out) sn_implicit_write(state, state->output, out);
    if (report) {
        *report = (sn_implicit_report){.rows = rig->rows};
        for (int row = 0; row < rig->rows; row++) {
            report->tracked += state->active[row];
            report->evaluations += state->row_evaluations[row];
            report->missed += state->row_missed[row];
            report->contacts += state->row_contacts[row];
            report->worst_miss = sn_max(report->worst_miss, state->max_error[row]);
        }
    }
    sn_float_mode_leave(mode);
    return SN_OK;
}
