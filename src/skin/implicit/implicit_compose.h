// Composes the fields of bones into the equation of a vertex, in lanes.
//
// Where bones rotate against each other without folding (hips, shoulders, a spine) the own value of a vertex is that of
// all its bones, mixed by its skin weights:
//
//     v = sum w_b f_b,     over its own bone o and those that are joined to it in any direction, or overlap it at rest.
//
// Weights are smooth over the skin, so F is too, and no seam is visible between the parts of two bones, nor the end of
// a field where a limb has rotated away. The fields f_x of other nearby bones are composed into v, one after the other,
// and into a target T, which starts as the vertex's own level iso:
//
//     v <- (1 - c) Blend(v, f_x) + c v,        T <- (1 - c) T + c smax(T, f_x + 0.015; 0.04),        F = v - T
//
// The first only over hinges (elbows, knees, fingers).
// Blend is the arc operator, opened by the angle a between the gradients according to the kind of joint. c = S((0.95 -
// cos a)/0.35) is the opposition of the two, that is, the amount of contact: there the vertex does not move to a common
// surface but stays on its side of the surface where both fields are equal. F keeps its sign through the contact, so
// vertices that went too far come back. Bones that are separated at rest and not joined are only in contact: c = 1. A
// bone with a weight above a quarter is not in contact: c fades out with its weight.
//
// Where a limb leaves a trunk the fields are already opposed at rest, which is the shape and not a fold: the value at
// rest, c0, is subtracted, c <- (c - c0) / (1 - c0).
//
// Near the ends of a fold gradients are nearly parallel, c is small, and vertices could slide along the common surface
// to the other bone's side. So there is also an inequality for steps along the surface: over hinges f_o - f_x must not
// become less than 0, or than its value at rest.
//
// The level iso is not that at rest but the value of v where skinning places the vertex, plus what its muscles added to
// v at rest. So without contact and without muscles F is 0 there: the vertex stays. T depends on the level, so at rest F
// is not 0 in contact; its value there, F0, is the right side of the equation. Fields that a vertex is inside of at rest,
// other than over hinges, are the shape and not a fold either: c fades out from f_x = 0.05 to 0.35 at rest. Derivatives of c and of the opening are neglected.
#ifndef SN_SKIN_IMPLICIT_IMPLICIT_COMPOSE_H
#define SN_SKIN_IMPLICIT_IMPLICIT_COMPOSE_H

#include "skin/implicit/implicit_field.h"

// The arc operator with its closed form (implicit_operators.c).
SN_INLINE vreal arc(vreal f1, vreal f2, vreal t, vreal *by1, vreal *by2) {
    const vreal zero = v_set(0), one = v_set(1), half = v_set(K(0.5)), end = v_set(K(0.7));
    vreal max = v_max(f1, f2), min = v_min(f1, f2);
    vreal upper_b = (K(0.7) - K(0.5) * t) * K(5), upper_a = K(0.5) * t - K(0.5) * upper_b;
    vreal corner = v_select(v_less(half, max), v_select(v_less(end, max), max, upper_a + upper_b * max), t * max);
    vmask plain = ~v_less(corner, min);
    vreal h = K(0.5) * t, r = K(0.5) - h;
    vmask low = ~v_less(half, max) & (~v_less(h, min) | ~v_less(r * r, (f1 - h) * (f1 - h) + (f2 - h) * (f2 - h)));
    vreal a = v_select(low, zero, upper_a), b = v_select(low, t, upper_b), x = f1 - a, y = f2 - a;
    vreal A = b * b + K(2) * b - K(1), B = a * (K(1) - b) - b * (x + y), Q = x * x + y * y - a * a;
    vreal under = -B + v_sqrt(v_max(zero, B * B - A * Q));
    vreal g = Q / v_max(under, v_set(K(1e-12))), k = a + b * g;
    x = f1 - k, y = f2 - k;
    vreal inverse = K(1) / v_sqrt(v_max(x * x + y * y, v_set(K(1e-24))));
    vreal c = x * inverse, s = y * inverse, sigma = K(1) + b * (c + s - K(1));
    vmask first = ~v_less(f1, f2);
    *by1 = v_select(plain, v_select(first, one, zero), c / sigma);
    *by2 = v_select(plain, v_select(first, zero, one), s / sigma);
    return v_select(plain, max, g);
}

// t of the arc operator by the cosine between gradients (sn_opening).
SN_INLINE vreal opening(int kind, vreal cosine) {
    if (kind != SN_FOLD_ELBOW && kind != SN_FOLD_FINGER) return v_set(1);
    vreal y;
    if (kind == SN_FOLD_ELBOW)
        y = v_select(v_less(cosine, v_set(K(0.7))), K(1) - K(0.57) * smooth_step((cosine - K(0.2)) * K(2)),
                     K(0.43) + K(0.57) * smooth_step((cosine - K(0.7)) * K(2)));
    else
        y = v_select(v_less(cosine, v_set(K(0.2))), K(1) - K(0.7) * smooth_step((cosine + K(1)) * K(1 / 1.2)),
                     K(0.3) + K(0.7) * smooth_step((cosine - K(0.2)) * K(1 / 0.55)));
    return v_min(y * (K(0.785398) + y * y * (K(0.1438055) + K(0.0707965) * y * y)), v_set(1));
}

// The cosine between two gradients, 1 where one has no direction.
SN_INLINE vreal cosine_between(v3 a, v3 b) {
    vreal size2 = v3_dot(a, a) * v3_dot(b, b);
    vmask fine = v_less(v_set(K(1e-24)), size2);
    return v_select(fine, v3_dot(a, b) / v_sqrt(v_select(fine, size2, v_set(1))), v_set(1));
}

// The evaluation of a row: F without its value at rest, its gradient, the amount of contact.
typedef struct {
    field_row residual;
    sn_real contact[SN_IMPLICIT_ROW] __attribute__((aligned(64)));
    sn_real fold[SN_IMPLICIT_ROW] __attribute__((aligned(64))); // the largest c of neighbours in the skeleton
    field_row side; // the minimum f_o - f_x of neighbours in the skeleton; 1 without any
    sn_real value[SN_IMPLICIT_ROW] __attribute__((aligned(64))); // v
    sn_real wall[SN_IMPLICIT_ROW] __attribute__((aligned(64)));  // the largest f_x + 0.015 that T may reach
} evaluated_row;

// The weights of a bone's field in a row's own value: 16 numbers, null: 0.
SN_INLINE const sn_real *mix_of(const sn_implicit_rig *rig, int row, int bone) {
    for (int i = rig->first_mix[row]; i < rig->first_mix[row + 1]; i++)
        if (rig->mix_bone[i] == bone) return rig->mix + (size_t)i * ROW;
    return NULL;
}

// How much of the contact of a row with a bone counts: 16 numbers, null: all.
SN_INLINE const sn_real *separation_of(const sn_implicit_rig *rig, int row, int bone) {
    for (int i = rig->first_inside[row]; i < rig->first_inside[row + 1]; i++)
        if (rig->inside_bone[i] == bone) return rig->separation + (size_t)i * ROW;
    return NULL;
}

// Evaluates a row with bit sets of nearby bones and muscles; `trim` removes those that are not near. `level`: of the 16
// vertices; without it, v - level is evaluated. contact false: c = 0, only the blend.
SN_INLINE void evaluate(const sn_implicit_frame *frame, int row, uint64_t *near_bones, uint64_t *near_muscles,
                        bool trim, const sn_real *const q[3], const sn_real *level, const sn_real *fold, bool contact,
                        evaluated_row *out) {
    const sn_implicit_rig *rig = frame->rig;
    const int owner = rig->owner[row];
    field_row own, other;
    sn_real target[SN_IMPLICIT_ROW] __attribute__((aligned(64)));
    sn_real lean_x[SN_IMPLICIT_ROW] __attribute__((aligned(64))); // the gradient of the target
    sn_real lean_y[SN_IMPLICIT_ROW] __attribute__((aligned(64)));
    sn_real lean_z[SN_IMPLICIT_ROW] __attribute__((aligned(64)));
    bone_field(frame, near_muscles, trim, owner, q, &own);
    for (int part = 0; part < ROW; part += L) {
        vreal share = v_load(rig->own + (size_t)row * ROW + (size_t)part);
        set_row(&out->residual, part, share * v_load(own.f + part), v3_mul(share, row_slope(&own, part)));
        set_row(&out->side, part, v_set(1), (v3){v_set(0), v_set(0), v_set(0)});
    }
    for (int i = 0; i < ROW; i++)
        target[i] = level[i], lean_x[i] = lean_y[i] = lean_z[i] = 0, out->contact[i] = out->fold[i] = out->wall[i] = 0;
    // First the mixed fields, then those blended with the mix.
    for (int at = 0; at < 2 * rig->words; at++)
        for (uint64_t bits = near_bones[at % rig->words]; bits; bits &= bits - 1) {
            const int word = at % rig->words, x = word * 64 + __builtin_ctzll(bits);
            if (x == owner) continue;
            const int interaction = rig->interaction[owner * rig->bones + x];
            const bool hinge = interaction != SN_INTERACT_CONTACT && interaction != SN_INTERACT_UNION;
            if (hinge != (at >= rig->words) || (interaction == SN_INTERACT_CONTACT && !contact)) continue;
            if (!bone_field(frame, near_muscles, trim, x, q, &other) && trim) {
                near_bones[word] &= ~(bits & -bits);
                continue;
            }
            const sn_real *mix = interaction == SN_INTERACT_UNION ? mix_of(rig, row, x) : NULL;
            const sn_real *separated = hinge ? NULL : separation_of(rig, row, x);
            for (int part = 0; part < ROW; part += L) {
                vreal fx = v_load(other.f + part), v = v_load(out->residual.f + part);
                v3 gx = row_slope(&other, part), gv = row_slope(&out->residual, part);
                vmask there = v_less(v_set(0), fx);
                if (!v_any(there)) continue;
                vreal c = v_set(1);
                if (interaction != SN_INTERACT_CONTACT) {
                    v3 go = row_slope(&own, part), gs = row_slope(&out->side, part);
                    c = smooth_step((K(0.95) - cosine_between(go, gx)) * K(1 / 0.35));
                    vreal strong = smooth_step((fx - K(0.15)) * K(4));
                    v_store(out->fold + part, v_max(v_load(out->fold + part), v_select(there, c * strong, v_set(0))));
                    vreal folded = v_load(fold + part);
                    c = contact ? v_max(v_set(0), c - folded) / (K(1) - folded) : v_set(0);
                    if (mix) {
                        vreal share = v_load(mix + part);
                        set_row(&out->residual, part, v + share * fx, v3_add(gv, v3_mul(share, gx)));
                        c = c * (K(1) - smooth_step(share * K(4)));
                    }
                    if (hinge) {
                        vreal s = v_load(own.f + part) - fx, min = v_load(out->side.f + part);
                        vmask nearer = there & v_less(s, min);
                        set_row(&out->side, part, v_select(nearer, s, min), v3_select(nearer, v3_sub(go, gx), gs));
                        vreal by1, by2, b = arc(v, fx, opening(interaction, cosine_between(gv, gx)), &by1, &by2);
                        by1 = by1 + c * (K(1) - by1), by2 = by2 - c * by2, b = b + c * (v - b);
                        v3 mixed = v3_add(v3_mul(by1, gv), v3_mul(by2, gx));
                        set_row(&out->residual, part, v_select(there, b, v), v3_select(there, mixed, gv));
                    }
                }
                if (separated) c = c * v_load(separated + part);
                if (contact) {
                    const sn_real width = K(0.04);
                    vreal t = v_load(target + part), wall = fx + K(0.015), separation = t - wall;
                    vreal e = v_max(v_set(0), K(1) - v_abs(separation) * (1 / width));
                    vreal by = v_select(v_less(t, wall), K(1) - K(0.5) * e, K(0.5) * e);
                    vreal reached = v_max(t, wall) + (width / 4) * e * e;
                    by = v_select(there, c * by, v_set(0));
                    v_store(target + part, v_select(there, t + c * (reached - t), t));
                    vreal keep = K(1) - by;
                    v_store(lean_x + part, keep * v_load(lean_x + part) + by * gx.x);
                    v_store(lean_y + part, keep * v_load(lean_y + part) + by * gx.y);
                    v_store(lean_z + part, keep * v_load(lean_z + part) + by * gx.z);
                    v_store(out->contact + part, v_max(v_load(out->contact + part), by));
                    wall = v_select(there & v_less(v_set(K(0.001)), c), wall, v_set(0));
                    v_store(out->wall + part, v_max(v_load(out->wall + part), wall));
                }
            }
        }
    for (int part = 0; part < ROW; part += L) {
        v3 g = row_slope(&out->residual, part);
        g = (v3){g.x - v_load(lean_x + part), g.y - v_load(lean_y + part), g.z - v_load(lean_z + part)};
        v_store(out->value + part, v_load(out->residual.f + part));
        set_row(&out->residual, part, v_load(out->residual.f + part) - v_load(target + part), g);
    }
}

#endif
