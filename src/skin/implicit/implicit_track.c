// A frame: moves vertices from their current positions to those of the new poses.
//
//     carry      vertices move with the blended motion of their bones since the last frame
//     approach   one step to the level, and where joints are nearly straight a small pull along the surface towards
//                skinning from rest, which removes the drift over many frames
//     relax      rotations of the surface, then an as-rigid-as-possible step along it; approach and relax twice
//     settle     steps to the level until it is reached
//     smooth     a copy, in contact
//
// Rows whose bones do not move relative to each other, and that did not move in their last update, are only carried.
// Rotations of more than 12 degrees at a joint are split into substeps, since all of this assumes small ones.
#include "base/float_mode.h"
#include "base/math/trig.h"
#include "skin/implicit/implicit_internal.h"
#include <string.h>

enum { ROW = SN_IMPLICIT_ROW, INFLUENCES = SN_IMPLICIT_INFLUENCES, MAX_PARTS = 30 };

// ---- poses

// b in the frame of a.
static sn_transform relative(const sn_transform *a, const sn_transform *b) {
    const sn_quat back = sn_q_conj(a->rotation);
    return (sn_transform){sn_q_rotate(back, sn_sub(b->position, a->position)), sn_q_mul(back, b->rotation)};
}

static sn_transform composed(const sn_transform *a, const sn_transform *b) {
    return (sn_transform){sn_add(a->position, sn_q_rotate(a->rotation, b->position)),
                          sn_q_normalize(sn_q_mul(a->rotation, b->rotation))};
}

// The angle of the rotation from a to b, 0 to pi.
static sn_real angle_between(sn_quat a, sn_quat b) {
    const sn_quat d = sn_q_mul(sn_q_conj(a), b);
    return 2 * sn_atan2(sn_sqrt(d.x * d.x + d.y * d.y + d.z * d.z), sn_abs(d.w));
}

static sn_transform between(const sn_transform *a, const sn_transform *b, sn_real t) {
    const sn_real angle = angle_between(a->rotation, b->rotation) / 2;
    const sn_real sign = sn_q_dot(a->rotation, b->rotation) < 0 ? (sn_real)-1 : (sn_real)1;
    sn_real from = 1 - t, to = t, s, s_from, s_to, cosine;
    if (angle > (sn_real)1e-3) {
        sn_sincos(angle, &s, &cosine);
        sn_sincos((1 - t) * angle, &s_from, &cosine);
        sn_sincos(t * angle, &s_to, &cosine);
        from = s_from / s, to = s_to / s;
    }
    to *= sign;
    const sn_quat p = a->rotation, q = b->rotation;
    const sn_quat rotation = {from * p.x + to * q.x, from * p.y + to * q.y, from * p.z + to * q.z,
                              from * p.w + to * q.w};
    return (sn_transform){sn_lerp(a->position, b->position, t), sn_q_normalize(rotation)};
}

static int parts_of(const sn_implicit_state *state) {
    sn_real max = 0;
    for (int b = 0; b < state->rig->bones; b++) {
        const int parent = state->rig->bone[b].parent;
        if (parent < 0) continue;
        const sn_transform was = relative(&state->pose[parent], &state->pose[b]);
        const sn_transform is = relative(&state->goal[parent], &state->goal[b]);
        max = sn_max(max, angle_between(was.rotation, is.rotation));
    }
    const int parts = 1 + (int)(max * (180 / SN_PI) / 12);
    return parts < MAX_PARTS ? parts : MAX_PARTS;
}

// Sets state->now between state->pose and state->goal, with joints rotating uniformly.
static void go_part(sn_implicit_state *state, const sn_transform *from, sn_real t) {
    for (int b = 0; b < state->rig->bones; b++) {
        const int parent = state->rig->bone[b].parent;
        if (t >= 1)
            state->now[b] = state->goal[b];
        else if (parent < 0)
            state->now[b] = between(&from[b], &state->goal[b], t);
        else {
            const sn_transform was = relative(&from[parent], &from[b]);
            const sn_transform is = relative(&state->goal[parent], &state->goal[b]);
            const sn_transform now = between(&was, &is, t);
            state->now[b] = composed(&state->now[parent], &now);
        }
    }
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

static bool row_active(const sn_implicit_frame *frame, int row) {
    const sn_implicit_state *state = frame->state;
    const sn_implicit_rig *rig = frame->rig;
    if (!frame->options->skip || !state->settled[row]) return true;
    for (int i = rig->first_neighbour[row]; i < rig->first_neighbour[row + 1]; i++)
        if (!state->settled[rig->neighbour[i]]) return true;
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

// ---- the stages

static void carry_row(void *context, int row, int worker) {
    const sn_implicit_frame *frame = context;
    sn_implicit_state *state = frame->state;
    (void)worker;
    state->row_evaluations[row] = 0;
    if (frame->rig->owner[row] < 0) { // no field to follow
        frame->rig->kernels->reset(frame, row, SN_START_DUAL);
        state->active[row] = 0, state->settled[row] = 1;
        return;
    }
    frame->rig->kernels->carry(frame, row);
    sn_implicit_find_near(frame, row);
    state->active[row] = row_active(frame, row);
    if (state->active[row]) frame->rig->kernels->aim(frame, row);
}

static void approach_row(void *context, int row, int worker) {
    const sn_implicit_frame *frame = context;
    (void)worker;
    if (frame->state->active[row]) frame->rig->kernels->approach(frame, row, false);
}

static void approach_row_pulled(void *context, int row, int worker) {
    const sn_implicit_frame *frame = context;
    (void)worker;
    if (frame->state->active[row]) frame->rig->kernels->approach(frame, row, true);
}

static void copy_row(sn_real *to, const sn_real *from, int row) {
    memcpy(to + (size_t)row * ROW * 4, from + (size_t)row * ROW * 4, ROW * 4 * sizeof(sn_real));
}

static void rotate_row(void *context, int row, int worker) {
    const sn_implicit_frame *frame = context;
    (void)worker;
    if (frame->state->active[row])
        frame->rig->kernels->rotations(frame, row);
    else
        copy_row(frame->state->rotation_next, frame->state->rotation, row);
}

static void relax_row(void *context, int row, int worker) {
    const sn_implicit_frame *frame = context;
    (void)worker;
    if (frame->state->active[row])
        frame->rig->kernels->relax(frame, row);
    else
        copy_row(frame->state->next, frame->state->point, row);
}

// A row has settled if none of its vertices moved farther from its carried position than this fraction of the limb's
// radius.
static void settle_row(void *context, int row, int worker) {
    const sn_implicit_frame *frame = context;
    sn_implicit_state *state = frame->state;
    const sn_implicit_rig *rig = frame->rig;
    (void)worker;
    if (!state->active[row]) return;
    rig->kernels->settle(frame, row);
    const sn_real small = (sn_real)2e-4 * rig->bone[rig->owner[row]].radius;
    bool still = true;
    for (int slot = row * ROW; slot < (row + 1) * ROW; slot++) {
        const sn_real *a = state->point + (size_t)slot * 4, *b = state->output + (size_t)slot * 4;
        const sn_real x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
        still = still && x * x + y * y + z * z <= small * small;
    }
    state->settled[row] = still;
}

static void swap(sn_real **a, sn_real **b) {
    sn_real *c = *a;
    *a = *b, *b = c;
}

static void part_of_frame(const sn_implicit_frame *frame, sn_pool *pool) {
    sn_implicit_state *state = frame->state;
    const sn_implicit_rig *rig = frame->rig;
    for (int b = 0; b < rig->bones; b++) {
        sn_implicit_dual(&state->pose[b], &state->now[b], state->dual_step + b * 8);
        sn_implicit_dual(&rig->bone[b].rest, &state->now[b], state->dual_rest + b * 8);
    }
    sn_implicit_set_frames(state);
    find_changes(state);
    sn_implicit_for_rows(frame, pool, carry_row);
    for (int i = 0; i < frame->options->relaxations; i++) {
        sn_implicit_for_rows(frame, pool, i == 0 ? approach_row_pulled : approach_row);
        sn_implicit_for_rows(frame, pool, rotate_row);
        swap(&state->rotation, &state->rotation_next);
        sn_implicit_for_rows(frame, pool, relax_row);
        swap(&state->point, &state->next);
    }
    sn_implicit_for_rows(frame, pool, settle_row);
    memcpy(state->pose, state->now, (size_t)rig->bones * sizeof *state->pose);
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
        state->goal[b] = (sn_transform){poses[b].position, sn_q_normalize(poses[b].rotation)};
    // Each substep starts at the end of the last: 1 / n of the motion, then 1 / (n - 1) of the remainder, ...
    for (int parts = parts_of(state); parts > 0; --parts) {
        state->in_substep = parts > 1;
        go_part(state, state->pose, 1 / (sn_real)parts);
        part_of_frame(&frame, pool);
    }
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
