// Steps to the level, in lanes: p <- p - F grad F / |grad F|^2 with F of implicit_compose.h, limited to a fraction of
// the limb's radius. Vertices where F has almost no gradient (outside of every field) keep their skinned positions.
#include "skin/implicit/implicit_compose.h"
#include "skin/implicit/implicit_quads.h"

// Rows in which no F is larger than this converge in one step, since the error is quadratic in F, and so are steps
// along the surface. They are not evaluated again in the frame. In contact F is curved within a twentieth, so the limit
// is lower.
#define CONVERGED            K(0.02)
#define CONVERGED_IN_CONTACT K(0.004)

// Rounding error of F in floats: correcting it would make vertices jitter.
#define NOISE K(1e-4)

// Positions of a row with their fourth numbers.
typedef struct {
    sn_real x[SN_IMPLICIT_ROW], y[SN_IMPLICIT_ROW], z[SN_IMPLICIT_ROW], w[SN_IMPLICIT_ROW];
} __attribute__((aligned(64))) quad_row;

SN_INLINE void load_row(const sn_real *quads, int row, quad_row *out) {
    for (int part = 0; part < ROW; part += L) {
        int32_t index[SN_LANES];
        vreal r[4];
        slots_of(row, part, index);
        gather_quads(quads, 4, index, r);
        v_store(out->x + part, r[0]), v_store(out->y + part, r[1]);
        v_store(out->z + part, r[2]), v_store(out->w + part, r[3]);
    }
}

SN_INLINE void store_row(sn_real *quads, int row, const quad_row *from) {
    for (int part = 0; part < ROW; part += L) {
        int32_t index[SN_LANES];
        slots_of(row, part, index);
        const vreal r[4] = {v_load(from->x + part), v_load(from->y + part), v_load(from->z + part),
                            v_load(from->w + part)};
        scatter_quads(quads, 4, index, L, r);
    }
}

static void evaluate_at(const sn_implicit_frame *frame, int row, const quad_row *p, const sn_real *level,
                        const sn_real *fold, bool contact, bool trim, evaluated_row *out) {
    const sn_implicit_state *state = frame->state;
    uint64_t *muscles = state->near_muscles ? state->near_muscles + (size_t)row * (size_t)state->muscle_words : NULL;
    evaluate(frame, row, state->near_bones + (size_t)row * (size_t)frame->rig->words, muscles, trim,
             (const sn_real *const[3]){p->x, p->y, p->z}, level, fold, contact, out);
}

// The step of a part of a row, 0 where F has no gradient.
SN_INLINE v3 step_of(vreal F, v3 g, const sn_implicit_bone *bone) {
    vreal size2 = v3_dot(g, g), min = v_set(K(0.05) / bone->reach);
    vmask steep = v_less(min * min, size2) & v_finite(F) & v_finite(size2);
    v3 step = v3_mul(-F / v_select(steep, size2, v_set(1)), g);
    vreal length2 = v3_dot(step, step), max = v_set(K(0.15) * bone->radius);
    vmask far = v_less(max * max, length2);
    step = v3_mul(v_select(far, max / v_sqrt(v_select(far, length2, v_set(1))), v_set(1)), step);
    return v3_select(steep, step, (v3){v_set(0), v_set(0), v_set(0)});
}

// The step along the surface that returns a part of a row to its side.
SN_INLINE v3 step_aside(const evaluated_row *at, int part, vreal rest, const sn_implicit_bone *bone) {
    vreal s = v_load(at->side.f + part) - rest;
    vmask over = v_less(s, v_set(0));
    const v3 zero = {v_set(0), v_set(0), v_set(0)};
    if (!v_any(over)) return zero;
    v3 g = row_slope(&at->residual, part), gs = row_slope(&at->side, part);
    vreal size2 = v3_dot(g, g);
    vmask steep = v_less(v_set(K(1e-6)), size2);
    gs = v3_sub(gs, v3_mul(v_select(steep, v3_dot(gs, g) / v_select(steep, size2, v_set(1)), v_set(0)), g));
    v3 step = step_of(s, gs, bone);
    return v3_select(over, step, zero);
}

SN_INLINE v3 row_point(const quad_row *r, int part) {
    return (v3){v_load(r->x + part), v_load(r->y + part), v_load(r->z + part)};
}
SN_INLINE void set_row_point(quad_row *r, int part, v3 p) {
    v_store(r->x + part, p.x), v_store(r->y + part, p.y), v_store(r->z + part, p.z);
}

// Stores the gradient for steps along the surface, and the amount of contact, at least `keep` of the last.
static void keep_slope(const sn_implicit_frame *frame, int row, const evaluated_row *at, sn_real keep, quad_row *p) {
    quad_row slope;
    for (int i = 0; i < ROW; i++) {
        slope.x[i] = at->residual.x[i], slope.y[i] = at->residual.y[i], slope.z[i] = at->residual.z[i];
        const sn_real more = at->contact[i] - frame->rig->contact[row * ROW + i];
        slope.w[i] = sn_max(more, 0), p->w[i] = sn_max(slope.w[i], keep * p->w[i]);
    }
    store_row(frame->state->slope, row, &slope);
}

// Stores the levels of this frame: the value where skinning places the vertices, without muscles, and what the muscles
// added at rest. Rows where nothing can move them are done.
void SN_LANE_NAME(sn_implicit_refer)(const sn_implicit_frame *frame, int row);
void SN_LANE_NAME(sn_implicit_refer)(const sn_implicit_frame *frame, int row) {
    sn_implicit_state *state = frame->state;
    const sn_implicit_rig *rig = frame->rig;
    const size_t slot = (size_t)row * ROW;
    sn_implicit_frame bare = *frame;
    bare.muscles = NULL;
    quad_row p;
    evaluated_row at;
    load_row(state->point, row, &p);
    evaluate_at(&bare, row, &p, rig->level + slot, rig->fold + slot, true, true, &at);
    bool close = false, fleshy = false;
    for (int i = 0; i < ROW; i++) {
        state->level[slot + (size_t)i] = at.value[i] + rig->flesh[slot + (size_t)i];
        close = close || at.wall[i] > at.value[i] - K(0.02);
    }
    for (int word = 0; word < state->muscle_words; word++)
        fleshy = fleshy || state->near_muscles[(size_t)row * (size_t)state->muscle_words + (size_t)word];
    for (int i = 0; i < ROW; i++) at.contact[i] = 0;
    keep_slope(frame, row, &at, 0, &p);
    store_row(state->point, row, &p);
    state->close[row] = close, state->busy[row] = close || fleshy;
    state->converged[row] = !state->busy[row];
    state->row_evaluations[row] += 1;
}

void SN_LANE_NAME(sn_implicit_approach)(const sn_implicit_frame *frame, int row, bool first);
void SN_LANE_NAME(sn_implicit_approach)(const sn_implicit_frame *frame, int row, bool first) {
    sn_implicit_state *state = frame->state;
    const sn_implicit_rig *rig = frame->rig;
    const sn_implicit_bone *bone = &rig->bone[rig->owner[row]];
    const size_t slot = (size_t)row * ROW;
    quad_row p;
    evaluated_row at;
    if (state->converged[row]) return;
    load_row(state->point, row, &p);
    bool converged = true;
    evaluate_at(frame, row, &p, state->level + slot, rig->fold + slot, true, first, &at);
    for (int part = 0; part < ROW; part += L) {
        v3 x = row_point(&p, part), g = row_slope(&at.residual, part);
        vreal F = v_load(at.residual.f + part) - v_load(rig->residual + slot + part);
        v3 move = step_of(F - v_clamp(F, -NOISE, NOISE), g, bone);
        vmask contacts = v_less(v_set(0), v_load(at.contact + part));
        vmask aside = contacts & v_less(v_load(at.side.f + part), v_load(rig->side + slot + part));
        vreal small = v_select(contacts, v_set(CONVERGED_IN_CONTACT), v_set(CONVERGED));
        converged = converged && !v_any(aside | ~v_less(v_abs(F), small));
        const v3 back = step_aside(&at, part, v_load(rig->side + slot + part), bone);
        move = v3_select(contacts, v3_add(move, back), move);
        set_row_point(&p, part, v3_add(x, move));
    }
    keep_slope(frame, row, &at, 1, &p);
    store_row(state->point, row, &p);
    state->row_evaluations[row] += 1;
    state->converged[row] = converged;
}

// Whether a converged row has hardly moved.
static bool is_still_converged(const sn_implicit_frame *frame, int row, const quad_row *p, sn_real radius) {
    quad_row aim;
    if (!frame->state->converged[row]) return false;
    load_row(frame->state->aim, row, &aim);
    const vreal max = v_set(K(0.03) * radius);
    bool still = true;
    for (int part = 0; part < ROW; part += L) {
        v3 d = v3_sub(row_point(p, part), row_point(&aim, part));
        still = still && !v_any(~v_less(v3_dot(d, d), max * max));
    }
    return still;
}

// Muscles may push the skin out by half of the limb's radius, and leave it in by a tenth, because there is more under it
// than muscles: larger displacements outside of contact approach these limits. In contact there are none.
void SN_LANE_NAME(sn_implicit_limit)(const sn_implicit_frame *frame, int row);
void SN_LANE_NAME(sn_implicit_limit)(const sn_implicit_frame *frame, int row) {
    const sn_implicit_state *state = frame->state;
    const sn_real radius = frame->rig->bone[frame->rig->owner[row]].radius;
    quad_row p, aim, normal;
    load_row(state->point, row, &p);
    load_row(state->aim, row, &aim);
    load_row(state->normal, row, &normal);
    for (int part = 0; part < ROW; part += L) {
        const v3 from = row_point(&aim, part), d = v3_sub(row_point(&p, part), from);
        const vmask inward = v_less(v3_dot(d, row_point(&normal, part)), v_set(0));
        const vreal half = v_select(inward, v_set(K(0.05) * radius), v_set(K(0.25) * radius));
        const vreal length2 = v3_dot(d, d);
        const vmask far = v_less(half * half, length2) & v_less(v_load(p.w + part), v_set(K(0.01)));
        if (!v_any(far)) continue;
        const vreal length = v_sqrt(v_select(far, length2, v_set(1))), x = length - half;
        const vreal less = half + half * x / (half + x);
        set_row_point(&p, part, v3_select(far, v3_add(from, v3_mul(less / length, d)), row_point(&p, part)));
    }
    store_row(state->point, row, &p);
}

void SN_LANE_NAME(sn_implicit_settle)(const sn_implicit_frame *frame, int row, bool relaxed);
void SN_LANE_NAME(sn_implicit_settle)(const sn_implicit_frame *frame, int row, bool relaxed) {
    sn_implicit_state *state = frame->state;
    const sn_implicit_rig *rig = frame->rig;
    state->max_error[row] = 0, state->row_missed[row] = 0, state->row_contacts[row] = 0;
    if (rig->owner[row] < 0) return;
    const sn_implicit_bone *bone = &rig->bone[rig->owner[row]];
    const size_t slot = (size_t)row * ROW;
    const vreal tolerance = v_set(frame->options->tolerance);
    quad_row p;
    evaluated_row at;
    sn_real error[SN_IMPLICIT_ROW] __attribute__((aligned(64)));
    load_row(state->point, row, &p);
    if (state->converged[row] && (!relaxed || is_still_converged(frame, row, &p, bone->radius))) {
        quad_row slope;
        load_row(state->slope, row, &slope);
        for (int i = 0; i < ROW; i++) p.w[i] = slope.w[i];
        store_row(state->point, row, &p);
        for (int i = 0; i < rig->filled[row]; i++) state->row_contacts[row] += p.w[i] > K(0.01);
        return;
    }
    for (int i = 0;; i++) {
        bool more = false;
        evaluate_at(frame, row, &p, state->level + slot, rig->fold + slot, true, false, &at);
        state->row_evaluations[row] += 1;
        for (int part = 0; part < ROW; part += L) {
            vreal F = v_load(at.residual.f + part) - v_load(rig->residual + slot + part);
            v3 g = row_slope(&at.residual, part);
            vmask far = v_less(tolerance, v_abs(F));
            v_store(error + part, v_abs(F));
            if (!v_any(far) || i >= frame->options->newton) continue;
            v3 step = step_of(F, g, bone), x = row_point(&p, part);
            // Some oscillate across a crease: shorten their steps.
            if (i >= 4) step = v3_mul(v_set(K(0.5)), step);
            more = more || v_any(far & v_less(v_set(0), v3_dot(step, step)));
            set_row_point(&p, part, v3_select(far, v3_add(x, step), x));
        }
        if (!more) break;
    }
    keep_slope(frame, row, &at, 0, &p);
    store_row(state->point, row, &p);
    for (int i = 0; i < rig->filled[row]; i++) {
        state->max_error[row] = sn_max(state->max_error[row], error[i]);
        if (!(error[i] <= frame->options->tolerance)) state->row_missed[row] += 1;
        if (at.contact[i] > K(0.01)) state->row_contacts[row] += 1;
    }
}

void SN_LANE_NAME(sn_implicit_bind)(const sn_implicit_frame *frame, sn_implicit_rig *rig, int row);
void SN_LANE_NAME(sn_implicit_bind)(const sn_implicit_frame *frame, sn_implicit_rig *rig, int row) {
    const size_t slot = (size_t)row * ROW;
    sn_real *level = rig->level + slot, *fold = rig->fold + slot;
    sn_implicit_frame bare = *frame;
    bare.muscles = NULL;
    quad_row p;
    evaluated_row at;
    if (rig->owner[row] < 0) return;
    load_row(frame->state->point, row, &p);
    for (int i = 0; i < ROW; i++) level[i] = fold[i] = 0;
    evaluate_at(frame, row, &p, level, fold, false, false, &at);
    for (int i = 0; i < ROW; i++) level[i] = at.residual.f[i], fold[i] = sn_min(at.fold[i], K(0.999));
    evaluate_at(frame, row, &p, level, fold, true, false, &at);
    for (int i = 0; i < ROW; i++) {
        const sn_vec3 in = sn_v3(at.residual.x[i], at.residual.y[i], at.residual.z[i]);
        const sn_vec3 out = sn_normalize(sn_mul(-1, in), sn_v3(0, 0, 0));
        sn_real *to = rig->normal + (slot + (size_t)i) * 4;
        to[0] = out.x, to[1] = out.y, to[2] = out.z;
        rig->residual[slot + (size_t)i] = at.residual.f[i];
    }
    for (int i = 0; i < ROW; i++)
        rig->side[slot + (size_t)i] = sn_min(at.side.f[i], 0), rig->contact[slot + (size_t)i] = at.contact[i];
    evaluate_at(&bare, row, &p, level, fold, true, false, &at);
    for (int i = 0; i < ROW; i++) rig->flesh[slot + (size_t)i] = level[i] - at.value[i];
}

// 2013: p <- p + 0.35 (iso - f) grad f / |grad f|^2 until convergence, a vanishing gradient, or a change of its
// direction by more than 55 degrees in one step, as happens in contact. slope.w: the distance in f, -1 for those
// that have stopped; point.w: 1 for those that stopped at a change of direction.
void SN_LANE_NAME(sn_implicit_march)(const sn_implicit_frame *frame, int row, bool first);
void SN_LANE_NAME(sn_implicit_march)(const sn_implicit_frame *frame, int row, bool first) {
    sn_implicit_state *state = frame->state;
    const sn_implicit_rig *rig = frame->rig;
    if (rig->owner[row] < 0) return;
    const sn_implicit_bone *bone = &rig->bone[rig->owner[row]];
    const size_t slot = (size_t)row * ROW;
    quad_row p, before;
    evaluated_row at;
    load_row(state->point, row, &p);
    load_row(state->slope, row, &before);
    evaluate_at(frame, row, &p, rig->level + slot, rig->fold + slot, false, false, &at);
    for (int part = 0; part < ROW; part += L) {
        vreal F = v_load(at.residual.f + part), size = v_abs(F), one = v_set(1);
        v3 g = row_slope(&at.residual, part), old = row_point(&before, part);
        vmask going = first ? v_less(v_set(0), one) : v_less(v_set(K(-0.5)), v_load(before.w + part));
        vmask turned = first ? v_less(one, one) : going & v_less(cosine_between(g, old), v_set(K(0.5736)));
        v3 step = v3_mul(v_set(K(0.35)), step_of(F, g, bone)), x = row_point(&p, part);
        vmask still = v_less(size, v_set(frame->options->tolerance)) | ~v_less(v_set(0), v3_dot(step, step));
        vmask go = going & ~turned & ~still;
        set_row_point(&p, part, v3_select(go, v3_add(x, step), x));
        v_store(p.w + part, v_select(turned, one, first ? v_set(0) : v_load(p.w + part)));
        set_row_point(&before, part, v3_select(go | (going & still), g, old));
        v_store(before.w + part, v_select(go, size, v_set(-1)));
    }
    store_row(state->slope, row, &before);
    store_row(state->point, row, &p);
}

void SN_LANE_NAME(sn_implicit_field)(const sn_implicit_frame *frame, int bone, const sn_real *const q[3], sn_real *f,
                                     sn_real *const gradient[3]);
void SN_LANE_NAME(sn_implicit_field)(const sn_implicit_frame *frame, int bone, const sn_real *const q[3], sn_real *f,
                                     sn_real *const gradient[3]) {
    field_row out;
    bone_field(frame, NULL, false, bone, q, &out);
    for (int i = 0; i < ROW; i++)
        f[i] = out.f[i], gradient[0][i] = out.x[i], gradient[1][i] = out.y[i], gradient[2][i] = out.z[i];
}

void SN_LANE_NAME(sn_implicit_distance)(const sn_implicit_rig *rig, int bone, const sn_real *const q[3], sn_real *d,
                                        sn_real *const gradient[3]);
void SN_LANE_NAME(sn_implicit_distance)(const sn_implicit_rig *rig, int bone, const sn_real *const q[3], sn_real *d,
                                        sn_real *const gradient[3]) {
    const sn_implicit_bone *b = &rig->bone[bone];
    for (int part = 0; part < ROW; part += L) {
        v3 slope, p = {v_load(q[0] + part), v_load(q[1] + part), v_load(q[2] + part)};
        v_store(d + part, hermite(rig->centres + (size_t)b->first_centre * SN_CENTRE_SIZE, b->centre_count, p, &slope));
        v_store(gradient[0] + part, slope.x), v_store(gradient[1] + part, slope.y);
        v_store(gradient[2] + part, slope.z);
    }
}

void SN_LANE_NAME(sn_implicit_depth)(const sn_implicit_rig *rig, int bone, const sn_real *const q[3], sn_real *d,
                                     sn_real *const gradient[3]);
void SN_LANE_NAME(sn_implicit_depth)(const sn_implicit_rig *rig, int bone, const sn_real *const q[3], sn_real *d,
                                     sn_real *const gradient[3]) {
    const sn_implicit_bone *b = &rig->bone[bone];
    for (int part = 0; part < ROW; part += L) {
        v3 slope, p = {v_load(q[0] + part), v_load(q[1] + part), v_load(q[2] + part)};
        v3 in = {v_clamp(p.x, b->low.x, b->high.x), v_clamp(p.y, b->low.y, b->high.y),
                 v_clamp(p.z, b->low.z, b->high.z)};
        v3 out = v3_sub(p, in);
        vreal size2 = v3_dot(out, out), value = on_grid(&rig->grid[bone], in, &slope);
        vmask beyond = v_less(v_set(0), size2);
        vreal far = v_sqrt(size2);
        v3 away = v3_mul(K(1) / v_select(beyond, far, v_set(1)), out);
        v_store(d + part, value + far);
        v_store(gradient[0] + part, v_select(beyond, away.x, slope.x));
        v_store(gradient[1] + part, v_select(beyond, away.y, slope.y));
        v_store(gradient[2] + part, v_select(beyond, away.z, slope.z));
    }
}

void SN_LANE_NAME(sn_implicit_arc)(const sn_real *f1, const sn_real *f2, const sn_real *t, sn_real *const out[3]);
void SN_LANE_NAME(sn_implicit_arc)(const sn_real *f1, const sn_real *f2, const sn_real *t, sn_real *const out[3]) {
    for (int part = 0; part < ROW; part += L) {
        vreal by1, by2, g = arc(v_load(f1 + part), v_load(f2 + part), v_load(t + part), &by1, &by2);
        v_store(out[0] + part, g), v_store(out[1] + part, by1), v_store(out[2] + part, by2);
    }
}

void SN_LANE_NAME(sn_implicit_opening)(int kind, const sn_real *cosine, sn_real *t);
void SN_LANE_NAME(sn_implicit_opening)(int kind, const sn_real *cosine, sn_real *t) {
    for (int part = 0; part < ROW; part += L) v_store(t + part, opening(kind, v_load(cosine + part)));
}

void SN_LANE_NAME(sn_implicit_table)(const sn_real *table, const sn_real *f1, const sn_real *f2, sn_real *const out[3]);
void SN_LANE_NAME(sn_implicit_table)(const sn_real *table, const sn_real *f1, const sn_real *f2,
                                     sn_real *const out[3]) {
    for (int part = 0; part < ROW; part += L) {
        vreal by1, by2, g = look_up(table, v_load(f1 + part), v_load(f2 + part), &by1, &by2);
        v_store(out[0] + part, g), v_store(out[1] + part, by1), v_store(out[2] + part, by2);
    }
}
