// The state of an implicit skin between frames, and the quantities that every frame derives from the bones' poses.
#include "skin/implicit/implicit_internal.h"
#include <string.h>

enum { ROW = SN_IMPLICIT_ROW };

sn_implicit_options sn_implicit_options_default(void) {
    return (sn_implicit_options){
        .skip = true, .relaxations = 4, .newton = 12, .tolerance = (sn_real)1e-3, .smoothings = 4};
}

static void put_at_rest(sn_implicit_state *state) {
    const sn_implicit_rig *rig = state->rig;
    for (int b = 0; b < rig->bones; b++) state->now[b] = rig->bone[b].rest;
    memcpy(state->point, rig->rest, (size_t)rig->slots * 4 * sizeof(sn_real));
    memcpy(state->output, rig->rest, (size_t)rig->slots * 4 * sizeof(sn_real));
    memcpy(state->aim, rig->rest, (size_t)rig->slots * 4 * sizeof(sn_real));
}

sn_status sn_implicit_state_create(sn_memory *memory, const sn_implicit_rig *rig, sn_implicit_state **out) {
    sn_implicit_state *state = sn_alloc(memory, 1, sizeof *state);
    if (!state) return SN_ERR_MEMORY;
    const size_t bones = (size_t)rig->bones, rows = (size_t)rig->rows, numbers = (size_t)rig->slots * 4;
    sn_blocks *b = &state->blocks;
    b->memory = memory;
    state->rig = rig;
    state->now = sn_blocks_alloc(b, bones, sizeof *state->now);
    state->pair = sn_blocks_alloc(b, bones * bones, sizeof *state->pair);
    state->changed = sn_blocks_alloc(b, bones * bones, 1);
    state->frame = sn_blocks_alloc(b, bones * 12, sizeof(sn_real));
    state->ball = sn_blocks_alloc(b, bones * 4, sizeof(sn_real));
    state->dual_rest = sn_blocks_alloc(b, bones * 8, sizeof(sn_real));
    state->near_bones = sn_blocks_alloc(b, rows * (size_t)rig->words, sizeof(uint64_t));
    state->point = sn_blocks_alloc(b, numbers, sizeof(sn_real));
    state->next = sn_blocks_alloc(b, numbers, sizeof(sn_real));
    state->slope = sn_blocks_alloc(b, numbers, sizeof(sn_real));
    state->rotation = sn_blocks_alloc(b, numbers, sizeof(sn_real));
    state->rotation_next = sn_blocks_alloc(b, numbers, sizeof(sn_real));
    state->aim = sn_blocks_alloc(b, numbers, sizeof(sn_real));
    state->normal = sn_blocks_alloc(b, numbers, sizeof(sn_real));
    state->offset = sn_blocks_alloc(b, numbers, sizeof(sn_real));
    state->level = sn_blocks_alloc(b, numbers / 4, sizeof(sn_real));
    state->output = sn_blocks_alloc(b, numbers, sizeof(sn_real));
    state->output_next = sn_blocks_alloc(b, numbers, sizeof(sn_real));
    state->changed_row = sn_blocks_alloc(b, rows, 1);
    state->active = sn_blocks_alloc(b, rows, 1);
    state->busy = sn_blocks_alloc(b, rows, 1);
    state->close = sn_blocks_alloc(b, rows, 1);
    state->doubtful = sn_blocks_alloc(b, rows, 1);
    state->converged = sn_blocks_alloc(b, rows, 1);
    state->settled = sn_blocks_alloc(b, rows, 1);
    state->smooth = sn_blocks_alloc(b, rows, 1);
    state->smooth_next = sn_blocks_alloc(b, rows, 1);
    state->max_error = sn_blocks_alloc(b, rows, sizeof(sn_real));
    state->row_missed = sn_blocks_alloc(b, rows, sizeof(int));
    state->row_contacts = sn_blocks_alloc(b, rows, sizeof(int));
    state->row_evaluations = sn_blocks_alloc(b, rows, sizeof(int));
    if (b->failed) {
        sn_implicit_state_destroy(state);
        return SN_ERR_MEMORY;
    }
    put_at_rest(state);
    *out = state;
    return SN_OK;
}

void sn_implicit_state_destroy(sn_implicit_state *state) {
    if (!state) return;
    sn_memory *memory = state->blocks.memory;
    sn_free(memory, state->near_muscles, (size_t)state->muscle_capacity, sizeof(uint64_t));
    sn_blocks_free(&state->blocks);
    sn_free(memory, state, 1, sizeof *state);
}

sn_status sn_implicit_reserve_muscles(sn_implicit_state *state, int count) {
    const int words = (count + 63) / 64;
    if (count < 0 || count > 65536) return SN_ERR_RANGE;
    if (!sn_reserve(state->blocks.memory, (void **)&state->near_muscles, &state->muscle_capacity,
                    words * state->rig->rows, sizeof(uint64_t)))
        return SN_ERR_MEMORY;
    state->muscle_words = words;
    return SN_OK;
}

static bool is_rotation(sn_quat q) {
    const sn_real size2 = sn_q_dot(q, q);
    return size2 > (sn_real)0.98 && size2 < (sn_real)1.02;
}

bool sn_implicit_poses_are_valid(const sn_implicit_rig *rig, const sn_transform *poses) {
    for (int b = 0; b < rig->bones; b++)
        if (!sn_valid3(poses[b].position) || !is_rotation(poses[b].rotation)) return false;
    return true;
}

static void put_matrix(sn_quat q, sn_vec3 p, sn_real *out) {
    const sn_vec3 x = sn_q_axis_x(q), y = sn_q_axis_y(q), z = sn_q_axis_z(q);
    const sn_real m[12] = {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z, p.x, p.y, p.z};
    memcpy(out, m, sizeof m);
}

void sn_implicit_set_frames(sn_implicit_state *state) {
    for (int b = 0; b < state->rig->bones; b++) {
        const sn_transform *now = &state->now[b];
        put_matrix(now->rotation, now->position, state->frame + b * 12);
        const sn_vec3 low = state->rig->bone[b].low, high = state->rig->bone[b].high;
        const sn_vec3 middle = sn_add(now->position, sn_q_rotate(now->rotation, sn_lerp(low, high, (sn_real)0.5)));
        sn_real *ball = state->ball + b * 4;
        ball[0] = middle.x, ball[1] = middle.y, ball[2] = middle.z;
        ball[3] = (sn_real)0.501 * sn_length(sn_sub(high, low));
    }
}

void sn_implicit_dual(const sn_transform *from, const sn_transform *to, sn_real out[8]) {
    const sn_quat r = sn_q_normalize(sn_q_mul(to->rotation, sn_q_conj(from->rotation)));
    const sn_vec3 t = sn_sub(to->position, sn_q_rotate(r, from->position));
    const sn_quat d = sn_q_mul((sn_quat){t.x / 2, t.y / 2, t.z / 2, 0}, r);
    out[0] = r.x, out[1] = r.y, out[2] = r.z, out[3] = r.w;
    out[4] = d.x, out[5] = d.y, out[6] = d.z, out[7] = d.w;
}

// ---- bones and muscles near a row

static sn_real outside(sn_real x, sn_real low, sn_real high) {
    return x < low ? low - x : (x > high ? x - high : 0);
}

static sn_real distance_to_segment(sn_vec3 p, sn_vec3 a, sn_vec3 b) {
    const sn_vec3 d = sn_sub(b, a), e = sn_sub(p, a);
    const sn_real l2 = sn_length2(d), t = l2 > 0 ? sn_clamp(sn_dot(d, e) / l2, 0, 1) : 0;
    return sn_length(sn_sub(e, sn_mul(t, d)));
}

static bool muscle_near(const sn_skin_muscle_table *muscles, int m, sn_vec3 p, sn_real reach) {
    const sn_implicit_capsule *c = &muscles->bounds[m], *part = muscles->parts + (ptrdiff_t)m * SN_IMPLICIT_PARTS;
    if (!(distance_to_segment(p, c->a, c->b) <= c->radius + reach)) return false;
    for (int k = 0; muscles->parts && k < SN_IMPLICIT_PARTS; k++)
        if (distance_to_segment(p, part[k].a, part[k].b) <= part[k].radius + reach) return true;
    return !muscles->parts;
}

// d of a bone at a point in its frame and box, by linear interpolation: precise enough for culling.
static sn_real roughly(const sn_implicit_grid *grid, sn_vec3 p) {
    const sn_real place[3] = {p.x, p.y, p.z};
    const size_t step[3] = {4, 4 * (size_t)grid->size[0], 4 * (size_t)grid->size[0] * (size_t)grid->size[1]};
    const sn_real *node = grid->node;
    sn_real t[3];
    for (int k = 0; k < 3; k++) {
        const sn_real x = sn_clamp((place[k] - grid->low[k]) * grid->per, 0, (sn_real)(grid->size[k] - 2));
        const int whole = x > 0 ? (int)x : 0; // also for NaN
        node += (size_t)whole * step[k];
        t[k] = x - (sn_real)whole;
    }
    sn_real d = 0;
    for (int corner = 0; corner < 8; corner++) {
        sn_real w = 1;
        const sn_real *at = node;
        for (int k = 0; k < 3; k++) w *= corner >> k & 1 ? t[k] : 1 - t[k], at += corner >> k & 1 ? step[k] : 0;
        d += w * at[0];
    }
    return d;
}

// Whether the field of a bone may affect a row in a ball around p, in the bone's frame. Mixing needs it up to its
// reach. Blends start where it is a sixth, contact where it is close to the vertices' own levels; its muscles are not
// far outside of the skin that d describes. The slope of d is at most 1.6.
static bool counts(const sn_implicit_rig *rig, int row, int bone, sn_vec3 p, sn_real radius) {
    const int owner = rig->owner[row], interaction = rig->interaction[owner * rig->bones + bone];
    sn_real limit = (sn_real)0.45;
    if (bone == owner) return true;
    if (interaction == SN_FOLD_ELBOW || interaction == SN_FOLD_FINGER) limit = (sn_real)0.8;
    for (int i = rig->first_mix[row]; i < rig->first_mix[row + 1]; i++)
        if (rig->mix_bone[i] == bone) limit = 1;
    const sn_vec3 low = rig->bone[bone].low, high = rig->bone[bone].high;
    const sn_vec3 in = {sn_clamp(p.x, low.x, high.x), sn_clamp(p.y, low.y, high.y), sn_clamp(p.z, low.z, high.z)};
    const sn_real away = sn_length(sn_sub(p, in));
    return roughly(&rig->grid[bone], in) + away - (sn_real)1.6 * radius < limit * rig->bone[bone].reach;
}

void sn_implicit_find_near(const sn_implicit_frame *frame, int row) {
    sn_implicit_state *state = frame->state;
    const sn_implicit_rig *rig = frame->rig;
    const int owner = rig->owner[row];
    uint64_t *bones = state->near_bones + (size_t)row * (size_t)rig->words;
    for (int i = 0; i < rig->words; i++) bones[i] = 0;
    if (owner < 0) return;
    // A ball around the row where skinning places it, with a margin for its motion.
    sn_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (int k = 0; k < ROW; k++) {
        const sn_real *p = state->aim + ((size_t)row * ROW + (size_t)k) * 4;
        low = sn_v3(sn_min(low.x, p[0]), sn_min(low.y, p[1]), sn_min(low.z, p[2]));
        high = sn_v3(sn_max(high.x, p[0]), sn_max(high.y, p[1]), sn_max(high.z, p[2]));
    }
    const sn_vec3 centre = sn_lerp(low, high, (sn_real)0.5);
    const sn_real radius = sn_length(sn_sub(high, centre)) + (sn_real)0.2 * rig->bone[owner].radius;
    for (int b = 0; b < rig->bones; b++) {
        const sn_implicit_bone *bone = &rig->bone[b];
        if (bone->centre_count == 0) continue;
        const sn_real *ball = state->ball + b * 4, far = ball[3] + radius;
        if (sn_length2(sn_sub(centre, sn_v3(ball[0], ball[1], ball[2]))) > far * far) continue;
        const sn_vec3 p = sn_q_rotate(sn_q_conj(state->now[b].rotation), sn_sub(centre, state->now[b].position));
        const sn_vec3 away = {outside(p.x, bone->low.x, bone->high.x), outside(p.y, bone->low.y, bone->high.y),
                              outside(p.z, bone->low.z, bone->high.z)};
        if (sn_length2(away) <= radius * radius && counts(rig, row, b, p, radius))
            bones[b / 64] |= (uint64_t)1 << (b % 64);
    }
    if (!frame->muscles || frame->muscles->count == 0) return;
    uint64_t *muscles = state->near_muscles + (size_t)row * (size_t)state->muscle_words;
    for (int i = 0; i < state->muscle_words; i++) muscles[i] = 0;
    for (int m = 0; m < frame->muscles->count; m++) {
        const int b = frame->muscles->bones[m];
        if (b < 0 || b >= rig->bones || !(bones[b / 64] >> (b % 64) & 1)) continue;
        if (muscle_near(frame->muscles, m, centre, (sn_real)0.5 * rig->bone[b].reach + radius))
            muscles[m / 64] |= (uint64_t)1 << (m % 64);
    }
}

// ---- positions

void sn_implicit_write(const sn_implicit_state *state, const sn_real *quads, sn_vec3 *out) {
    const sn_implicit_rig *rig = state->rig;
    for (int row = 0; row < rig->rows; row++)
        for (int k = 0; k < rig->filled[row]; k++) {
            const int slot = row * ROW + k;
            const sn_real *p = quads + (size_t)slot * 4;
            out[rig->vertex[slot]] = sn_v3(p[0], p[1], p[2]);
        }
}

void sn_implicit_get_points(const sn_implicit_state *state, sn_vec3 *out) {
    sn_implicit_write(state, state->point, out);
}

void sn_implicit_get_output(const sn_implicit_state *state, sn_vec3 *out) {
    sn_implicit_write(state, state->output, out);
}

// Whether the next numbers of a stream are a valid state. Checked before reading any of them, so that a skin does not
// change if they are not.
static bool numbers_fine(const sn_implicit_rig *rig, sn_stream stream) {
    for (int b = 0; b < rig->bones && !stream.bad; b++) {
        sn_transform pose = {{0, 0, 0}, {0, 0, 0, 1}};
        sn_visit_reals(&stream, &pose.position.x, 3);
        sn_visit_reals(&stream, &pose.rotation.x, 4);
        sn_stream_check(&stream, sn_valid3(pose.position) && is_rotation(pose.rotation));
    }
    for (int slot = 0; slot < 2 * rig->slots && !stream.bad; slot++) { // points, output
        sn_real n[4] = {0, 0, 0, 0};
        sn_visit_reals(&stream, n, 4);
        sn_stream_check(&stream, sn_valid3(sn_v3(n[0], n[1], n[2])));
    }
    return !stream.bad;
}

void sn_implicit_state_visit(sn_implicit_state *state, sn_stream *stream) {
    const sn_implicit_rig *rig = state->rig;
    int counts[2] = {rig->bones, rig->slots};
    for (int i = 0; i < 2; i++) {
        const int own = counts[i];
        sn_visit_int(stream, &counts[i]);
        if (!sn_stream_check(stream, counts[i] == own)) return;
    }
    const size_t numbers = (size_t)rig->slots * 4;
    if (stream->mode == SN_STREAM_READ && !sn_stream_check(stream, numbers_fine(rig, *stream))) return;
    for (int b = 0; b < rig->bones; b++) {
        sn_visit_reals(stream, &state->now[b].position.x, 3);
        sn_visit_reals(stream, &state->now[b].rotation.x, 4);
    }
    sn_visit_reals(stream, state->point, numbers);
    sn_visit_reals(stream, state->output, numbers);
    if (stream->mode != SN_STREAM_READ) return;
    for (int row = 0; row < rig->rows; row++) state->settled[row] = 0; // update skipped rows again
}

sn_status sn_implicit_reset(sn_implicit_state *state, const sn_transform *poses, sn_implicit_start start) {
    const sn_implicit_rig *rig = state->rig;
    if (!sn_implicit_poses_are_valid(rig, poses)) return SN_ERR_RANGE;
    const sn_implicit_frame frame = {rig, state, NULL, NULL};
    for (int b = 0; b < rig->bones; b++) {
        state->now[b] = (sn_transform){poses[b].position, sn_q_normalize(poses[b].rotation)};
        sn_implicit_dual(&rig->bone[b].rest, &state->now[b], state->dual_rest + b * 8);
    }
    sn_implicit_set_frames(state);
    for (int row = 0; row < rig->rows; row++) {
        rig->kernels->reset(&frame, row, start);
        state->settled[row] = 0;
    }
    memcpy(state->output, state->point, (size_t)rig->slots * 4 * sizeof(sn_real));
    return SN_OK;
}

// ---- distances

void sn_implicit_distances(const void *context, int count, const sn_real *const q[3], sn_real *distance,
                           sn_real *const gradient[3]) {
    const sn_implicit_distance *from = context;
    const sn_quat rotation = from->pose.rotation, back = sn_q_conj(rotation);
    sn_real rows[3][SN_IMPLICIT_ROW] __attribute__((aligned(64)));
    for (int first = 0; first < count; first += ROW) {
        for (int i = 0; i < ROW; i++) {
            const sn_vec3 x = {q[0][first + i], q[1][first + i], q[2][first + i]};
            const sn_vec3 p = sn_q_rotate(back, sn_sub(x, from->pose.position));
            rows[0][i] = p.x, rows[1][i] = p.y, rows[2][i] = p.z;
        }
        sn_real *const out[3] = {gradient[0] + first, gradient[1] + first, gradient[2] + first};
        from->rig->kernels->distance(from->rig, from->bone, (const sn_real *const[3]){rows[0], rows[1], rows[2]},
                                     distance + first, out);
        for (int i = 0; i < ROW; i++) {
            const sn_vec3 g = sn_q_rotate(rotation, sn_v3(out[0][i], out[1][i], out[2][i]));
            out[0][i] = g.x, out[1][i] = g.y, out[2][i] = g.z;
        }
    }
}
