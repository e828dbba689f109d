// From the fields of bones to what a vertex solves, in lanes.
//
// Where bones turn against each other without folding (hips, shoulders, a spine) the own value of a vertex is that of
// all bones that it hangs on, mixed as its skin weights say:
//
//     v = sum w_b f_b,     over its own bone o and those that are joined to it in any direction, or overlap it at rest.
//
// Weights are smooth over the skin, so F is, and no seam shows where the parts of two bones meet; nor does the stump of
// a field where a limb has turned away. Beside that it sees the fields f_x of bones nearby. One after the other they
// are folded into v and a target T, which starts as the vertex's own level iso:
//
//     v <- (1 - c) Blend(v, f_x) + c v,        T <- (1 - c) T + c smax(T, f_x + 0.015; 0.04),        F = v - T
//
// The first only over hinges (elbows, knees, fingers).
// Blend is the arc operator, opened by the angle a between the gradients as the kind of joint asks. c = S((0.95 - cos
// a)/0.35) says how much the two are opposite each other, that is, touch: there the vertex does not go to a common
// surface but stays on its side of the place where both fields are the same. F goes through the contact with its sign,
// so vertices that went too far come back. Bones that are apart at rest and far from each other in the skeleton only
// touch: c = 1. A bone that is mixed in by more than a quarter does not touch: c fades out with its weight.
//
// Where a limb leaves a trunk the fields of both are opposite each other at rest already, and that is no fold but the
// shape: what c was at rest, c0, is taken off, c <- (c - c0) / (1 - c0).
//
// Beside the ends of a fold gradients are nearly parallel, c is small and nothing keeps vertices from sliding along the
// common surface to the other bone's side. So there is a second condition, an inequality, for steps along the surface:
// f_o - f_x over hinges must not become less than 0, or than what it was at rest.
//
// T depends on the vertex's own level, so at rest F is not 0 where parts touch; what it is there, F0, is what is solved
// for. Derivatives of c and of the opening are left out.
#ifndef SN_SKIN_IMPLICIT_IMPLICIT_COMPOSE_H
#define SN_SKIN_IMPLICIT_IMPLICIT_COMPOSE_H

#include "skin/implicit/implicit_field.h"

// The arc operator with its closed form (implicit_operators.c).
SN_INLINE vreal arc(vreal f1, vreal f2, vreal t, vreal *by1, vreal *by2) {
    const vreal nought = v_set(0), one = v_set(1), half = v_set(K(0.5)), end = v_set(K(0.7));
    vreal most = v_max(f1, f2), least = v_min(f1, f2);
    vreal upper_b = (K(0.7) - K(0.5) * t) * K(5), upper_a = K(0.5) * t - K(0.5) * upper_b;
    vreal corner = v_select(v_less(half, most), v_select(v_less(end, most), most, upper_a + upper_b * most), t * most);
    vmask plain = ~v_less(corner, least);
    vreal h = K(0.5) * t, r = K(0.5) - h;
    vmask low = ~v_less(half, most) & (~v_less(h, least) | ~v_less(r * r, (f1 - h) * (f1 - h) + (f2 - h) * (f2 - h)));
    vreal a = v_select(low, nought, upper_a), b = v_select(low, t, upper_b), x = f1 - a, y = f2 - a;
    vreal A = b * b + K(2) * b - K(1), B = a * (K(1) - b) - b * (x + y), Q = x * x + y * y - a * a;
    vreal under = -B + v_sqrt(v_max(nought, B * B - A * Q));
    vreal g = Q / v_max(under, v_set(K(1e-12))), k = a + b * g;
    x = f1 - k, y = f2 - k;
    vreal inverse = K(1) / v_sqrt(v_max(x * x + y * y, v_set(K(1e-24))));
    vreal c = x * inverse, s = y * inverse, sigma = K(1) + b * (c + s - K(1));
    vmask first = ~v_less(f1, f2);
    *by1 = v_select(plain, v_select(first, one, nought), c / sigma);
    *by2 = v_select(plain, v_select(first, nought, one), s / sigma);
    return v_select(plain, most, g);
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

// How a row's points stand: F without its value at rest, its gradient, how much each touches another part.
typedef struct {
    field_row residual;
    sn_real touch[SN_IMPLICIT_ROW] __attribute__((aligned(64)));
    sn_real fold[SN_IMPLICIT_ROW] __attribute__((aligned(64))); // the largest c of neighbours in the skeleton
    field_row side; // the least f_o - f_x of neighbours in the skeleton; 1 where there are none
} stand_row;

// How much of a bone's field is in a row's own value: 16 numbers, null: nothing.
SN_INLINE const sn_real *mix_of(const sn_implicit_rig *rig, int row, int bone) {
    for (int i = rig->first_mix[row]; i < rig->first_mix[row + 1]; i++)
        if (rig->mix_bone[i] == bone) return rig->mix + (size_t)i * ROW;
    return NULL;
}

// Bits of the bones and muscles to look at, from which 'trim' takes those that are not near; levels of the 16 vertices.
// contact false: c = 0, only the blend. What is left of 'level' out is v - level.
SN_INLINE void stand(const sn_implicit_frame *frame, int row, uint64_t *near_bones, uint64_t *near_muscles, bool trim,
                     const sn_real *const q[3], const sn_real *level, const sn_real *fold, bool contact,
                     stand_row *out) {
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
        target[i] = level[i], lean_x[i] = lean_y[i] = lean_z[i] = 0, out->touch[i] = out->fold[i] = 0;
    // First what is mixed, then what is blended with all of that.
    for (int at = 0; at < 2 * rig->words; at++)
        for (uint64_t bits = near_bones[at % rig->words]; bits; bits &= bits - 1) {
            const int word = at % rig->words, x = word * 64 + __builtin_ctzll(bits);
            if (x == owner) continue;
            const int meeting = rig->meeting[owner * rig->bones + x];
            const bool hinge = meeting != SN_MEET_TOUCH && meeting != SN_MEET_UNION;
            if (hinge != (at >= rig->words) || (meeting == SN_MEET_TOUCH && !contact)) continue;
            if (!bone_field(frame, near_muscles, trim, x, q, &other) && trim) {
                near_bones[word] &= ~(bits & -bits);
                continue;
            }
            const sn_real *mix = meeting == SN_MEET_UNION ? mix_of(rig, row, x) : NULL;
            for (int part = 0; part < ROW; part += L) {
                vreal fx = v_load(other.f + part), v = v_load(out->residual.f + part);
                v3 gx = row_slope(&other, part), gv = row_slope(&out->residual, part);
                vmask there = v_less(v_set(0), fx);
                if (!v_any(there)) continue;
                vreal c = v_set(1);
                if (meeting != SN_MEET_TOUCH) {
                    v3 go = row_slope(&own, part), gs = row_slope(&out->side, part);
                    c = smooth_step((K(0.95) - cosine_between(go, gx)) * K(1 / 0.35));
                    vreal strong = smooth_step((fx - K(0.15)) * K(4));
                    v_store(out->fold + part, v_max(v_load(out->fold + part), v_select(there, c * strong, v_set(0))));
                    vreal shape = v_load(fold + part);
                    c = contact ? v_max(v_set(0), c - shape) / (K(1) - shape) : v_set(0);
                    if (mix) {
                        vreal share = v_load(mix + part);
                        set_row(&out->residual, part, v + share * fx, v3_add(gv, v3_mul(share, gx)));
                        c = c * (K(1) - smooth_step(share * K(4)));
                    }
                    if (hinge) {
                        vreal s = v_load(own.f + part) - fx, least = v_load(out->side.f + part);
                        vmask nearer = there & v_less(s, least);
                        set_row(&out->side, part, v_select(nearer, s, least), v3_select(nearer, v3_sub(go, gx), gs));
                        vreal by1, by2, b = arc(v, fx, opening(meeting, cosine_between(gv, gx)), &by1, &by2);
                        by1 = by1 + c * (K(1) - by1), by2 = by2 - c * by2, b = b + c * (v - b);
                        v3 mixed = v3_add(v3_mul(by1, gv), v3_mul(by2, gx));
                        set_row(&out->residual, part, v_select(there, b, v), v3_select(there, mixed, gv));
                    }
                }
                if (contact) {
                    const sn_real width = K(0.04);
                    vreal t = v_load(target + part), wall = fx + K(0.015), apart = t - wall;
                    vreal e = v_max(v_set(0), K(1) - v_abs(apart) * (1 / width));
                    vreal by = v_select(v_less(t, wall), K(1) - K(0.5) * e, K(0.5) * e);
                    vreal reached = v_max(t, wall) + (width / 4) * e * e;
                    by = v_select(there, c * by, v_set(0));
                    v_store(target + part, v_select(there, t + c * (reached - t), t));
                    vreal keep = K(1) - by;
                    v_store(lean_x + part, keep * v_load(lean_x + part) + by * gx.x);
                    v_store(lean_y + part, keep * v_load(lean_y + part) + by * gx.y);
                    v_store(lean_z + part, keep * v_load(lean_z + part) + by * gx.z);
                    v_store(out->touch + part, v_max(v_load(out->touch + part), by));
                }
            }
        }
    for (int part = 0; part < ROW; part += L) {
        v3 g = row_slope(&out->residual, part);
        g = (v3){g.x - v_load(lean_x + part), g.y - v_load(lean_y + part), g.z - v_load(lean_z + part)};
        set_row(&out->residual, part, v_load(out->residual.f + part) - v_load(target + part), g);
    }
}

#endif
