// The field of one bone, in lanes.
//
// A Hermite radial basis function with phi(x) = x^3: with e = p - c_k and l = |e|
//
//     d(p)      = sum l (alpha l^2 + 3 beta . e)
//     grad d(p) = sum (3 alpha l + 3 beta . e / l) e + 3 l beta
//
// is 0 with the gradient of the skin's normal at every sample c_k. It is mapped to a field of compact support by
//
//     x = d / r,   f = 1/2 - 15x/16 + 10x^3/16 - 3x^5/16,   df/dd = -(15/16r)(1 - x^2)^2,
//
// 1 below x = -1 and 0 above 1, smooth to the second derivative. Outside of the bone's box f = 0: d is not a distance
// and need not grow far away. In the box d is interpolated on a grid (implicit_grid.h).
//
// Muscles have their own distances. Mapped with the same r, so that slopes are comparable, they are united by one table
// and combined with the bone by another (implicit_operators.h).
#ifndef SN_SKIN_IMPLICIT_IMPLICIT_FIELD_H
#define SN_SKIN_IMPLICIT_IMPLICIT_FIELD_H

#include "base/simd/lane_gather.h"
#include "base/simd/lane_math.h"
#include "skin/implicit/implicit_internal.h"

enum { L = SN_LANES, ROW = SN_IMPLICIT_ROW };

// A value and its gradient at 16 points.
typedef struct {
    sn_real f[SN_IMPLICIT_ROW], x[SN_IMPLICIT_ROW], y[SN_IMPLICIT_ROW], z[SN_IMPLICIT_ROW];
} __attribute__((aligned(64))) field_row;

SN_INLINE v3 row_slope(const field_row *r, int part) {
    return (v3){v_load(r->x + part), v_load(r->y + part), v_load(r->z + part)};
}
SN_INLINE void set_row(field_row *r, int part, vreal f, v3 slope) {
    v_store(r->f + part, f);
    v_store(r->x + part, slope.x);
    v_store(r->y + part, slope.y);
    v_store(r->z + part, slope.z);
}

SN_INLINE vreal v_clamp(vreal x, sn_real low, sn_real high) {
    return v_min(v_max(x, v_set(low)), v_set(high));
}

// x^3 (6x^2 - 15x + 10) on [0, 1].
SN_INLINE vreal smooth_step(vreal x) {
    x = v_clamp(x, 0, 1);
    return x * x * x * (x * (K(6) * x - K(15)) + K(10));
}

// f of d, and df/dd.
SN_INLINE vreal compact(vreal d, sn_real reach, vreal *by) {
    vreal x = v_clamp(d * (K(1) / reach), K(-1), K(1)), x2 = x * x, rest = K(1) - x2;
    *by = K(-15.0 / 16) / reach * (rest * rest);
    return K(0.5) - x * (K(15.0 / 16) - x2 * (K(10.0 / 16) - x2 * K(3.0 / 16)));
}

SN_INLINE vreal hermite(const sn_real *centre, int count, v3 p, v3 *slope) {
    vreal d = v_set(0);
    v3 g = {v_set(0), v_set(0), v_set(0)};
    for (const sn_real *c = centre, *end = c + (ptrdiff_t)count * SN_CENTRE_SIZE; c < end; c += SN_CENTRE_SIZE) {
        v3 e = {p.x - c[0], p.y - c[1], p.z - c[2]};
        vreal l2 = v_max(v3_dot(e, e), v_set(K(1e-24))), l = v_sqrt(l2);
        vreal along = c[4] * e.x + c[5] * e.y + c[6] * e.z;
        d += l * (c[3] * l2 + along);
        vreal k = c[7] * l + along / l;
        g = (v3){g.x + k * e.x + l * c[4], g.y + k * e.y + l * c[5], g.z + k * e.z + l * c[6]};
    }
    *slope = g;
    return d;
}

// Integers in lanes.
#if SN_LANES == 1
typedef int32_t vwhole;
SN_INLINE vwhole v_whole(vreal x) {
    return (int32_t)x;
}
SN_INLINE vreal v_number(vwhole i) {
    return (sn_real)i;
}
SN_INLINE void v_put(int32_t *to, vwhole i) {
    *to = i;
}
#else
typedef int32_t vwhole __attribute__((vector_size(sizeof(int32_t) * SN_LANES)));
SN_INLINE vwhole v_whole(vreal x) {
    return __builtin_convertvector(x, vwhole);
}
SN_INLINE vreal v_number(vwhole i) {
    return __builtin_convertvector(i, vreal);
}
SN_INLINE void v_put(int32_t *to, vwhole i) {
    __builtin_memcpy(to, &i, sizeof i);
}
#endif

// Splits x into its integer part, clamped to 0 .. max (NaN: 0), and the remainder.
SN_INLINE vwhole split_whole(vreal *x, int max) {
    vwhole i = v_whole(v_clamp(*x, 0, (sn_real)max));
    *x -= v_number(i);
    return i;
}

// d on a grid (implicit_grid.h), at points in its box.
SN_INLINE vreal on_grid(const sn_implicit_grid *grid, v3 p, v3 *slope) {
    const int nx = grid->size[0], ny = grid->size[1];
    vreal x = (p.x - grid->low[0]) * grid->per, y = (p.y - grid->low[1]) * grid->per,
          z = (p.z - grid->low[2]) * grid->per;
    const vwhole ix = split_whole(&x, nx - 2), iy = split_whole(&y, ny - 2), iz = split_whole(&z, grid->size[2] - 2);
    int32_t at[SN_LANES];
    v_put(at, (iz * ny + iy) * nx + ix);
    vreal d = v_set(0);
    v3 g = {d, d, d};
    const sn_real half = K(0.5) * grid->step;
    SN_UNROLL for (int corner = 0; corner < 8; corner++) {
        const int cx = corner & 1, cy = corner >> 1 & 1, cz = corner >> 2;
        vreal n[4];
        gather_quads(grid->node + 4 * ((ptrdiff_t)(cz * ny + cy) * nx + cx), 4, at, n);
        vreal ux = cx ? x - K(1) : x, uy = cy ? y - K(1) : y, uz = cz ? z - K(1) : z; // from the node, in steps
        vreal w = (cx ? x : K(1) - x) * (cy ? y : K(1) - y) * (cz ? z : K(1) - z);
        d += w * (n[0] + half * (n[1] * ux + n[2] * uy + n[3] * uz));
        g = (v3){g.x + w * n[1], g.y + w * n[2], g.z + w * n[3]};
    }
    *slope = g;
    return d;
}

// Interpolates the table of an operator: value, derivatives.
SN_INLINE vreal look_up(const sn_real *table, vreal f1, vreal f2, vreal *by1, vreal *by2) {
    vreal u = v_clamp(f1, 0, 1) * K(SN_TABLE_SIDE - 1), v = v_clamp(f2, 0, 1) * K(SN_TABLE_SIDE - 1);
    const vwhole iu = split_whole(&u, SN_TABLE_SIDE - 2), iv = split_whole(&v, SN_TABLE_SIDE - 2);
    int32_t at[SN_LANES];
    v_put(at, iv * SN_TABLE_SIDE + iu);
    vreal a[4], b[4], c[4], d[4], out[3];
    gather_quads(table, 4, at, a);
    gather_quads(table + 4, 4, at, b);
    gather_quads(table + 4 * SN_TABLE_SIDE, 4, at, c);
    gather_quads(table + 4 * SN_TABLE_SIDE + 4, 4, at, d);
    for (int k = 0; k < 3; k++) {
        vreal low = a[k] + u * (b[k] - a[k]), high = c[k] + u * (d[k] - c[k]);
        out[k] = low + v * (high - low);
    }
    *by1 = out[1], *by2 = out[2];
    return out[0];
}

// Fields farther than this from all vertices of a row are skipped for the rest of the frame, because vertices hardly
// move within it.
#define NEAR_FACTOR K(1.3) // of the reach
// Beyond half of the reach a muscle's field is below 0.1, and its bone's above three times that wherever there is skin:
// it has no effect there.
#define MUSCLE_ENDS     K(0.5)
#define MUSCLE_IN_REACH K(0.6)

// If a union is C, a field below k(C) adds nothing to it (implicit_operators.c). Muscles that stay below it within a
// frame are skipped for the rest of the frame: most points are on one or two muscles.
typedef struct {
    int count, muscle[8];
    sn_real f[8][SN_IMPLICIT_ROW] __attribute__((aligned(64)));
} crowd;

SN_INLINE void thin_out(const crowd *c, const field_row *all, uint64_t *near) {
    const sn_real slack = K(0.05);
    for (int k = 0; k < c->count; k++) {
        bool counts = false;
        for (int part = 0; part < ROW; part += L) {
            vreal level = v_clamp(v_load(all->f + part) - slack, 0, K(0.5));
            vreal corner = level * (K(0.1) + K(1.8) * level);
            counts = counts || v_any(v_less(corner, v_load(c->f[k] + part) + slack));
        }
        if (!counts) near[c->muscle[k] / 64] &= ~((uint64_t)1 << (c->muscle[k] % 64));
    }
}

// The union of muscles at a row of points; false: none is near. near: bit set of muscles to test, null: all; `trim`
// removes those that are not near.
SN_INLINE bool muscles_at(const sn_implicit_frame *frame, uint64_t *near, bool trim, int bone, sn_real reach,
                          const sn_real *const q[3], field_row *all) {
    const sn_skin_muscle_table *muscles = frame->muscles;
    bool any = false;
    if (!muscles || !muscles->count) return false;
    crowd here;
    here.count = 0;
    for (int part = 0; part < ROW; part += L) v_store(all->f + part, v_set(0));
    for (int word = 0; word < (muscles->count + 63) / 64; word++)
        for (uint64_t bits = near ? near[word] : ~(uint64_t)0; bits; bits &= bits - 1) {
            const int m = word * 64 + __builtin_ctzll(bits);
            if (m >= muscles->count) break;
            if (muscles->bones[m] != bone) continue;
            field_row one;
            muscles->field(muscles->user, m, near ? MUSCLE_IN_REACH * reach : INFINITY, q, one.f,
                           (sn_real *[3]){one.x, one.y, one.z});
            if (near) {
                sn_real min = one.f[0];
                for (int i = 1; i < ROW; i++) min = sn_min(min, one.f[i]);
                if (trim && !(min < MUSCLE_IN_REACH * reach)) near[word] &= ~(bits & -bits);
                if (!(min < MUSCLE_ENDS * reach)) continue; // no effect
            }
            for (int part = 0; part < ROW; part += L) {
                vreal by, f = compact(v_load(one.f + part), reach, &by);
                v3 slope = v3_mul(by, row_slope(&one, part));
                if (here.count < 8) v_store(here.f[here.count] + part, f);
                if (any) {
                    vreal before = v_load(all->f + part), by1, by2;
                    v3 slope_before = row_slope(all, part);
                    vmask alone = ~v_less(v_set(0), f), first = ~v_less(v_set(0), before);
                    vreal g = look_up(frame->rig->tables, before, f, &by1, &by2);
                    v3 mixed = v3_add(v3_mul(by1, slope_before), v3_mul(by2, slope));
                    f = v_select(alone, before, v_select(first, f, g));
                    slope = v3_select(alone, slope_before, v3_select(first, slope, mixed));
                }
                set_row(all, part, f, slope);
            }
            if (here.count < 8) here.muscle[here.count++] = m;
            any = true;
        }
    if (trim && near && here.count > 1) thin_out(&here, all, near);
    return any;
}

// f of a bone with its muscles at a row of points of the world. Returns whether its field is near any of them.
SN_INLINE bool bone_field(const sn_implicit_frame *frame, uint64_t *near, bool trim, int bone,
                          const sn_real *const q[3], field_row *out) {
    const sn_implicit_rig *rig = frame->rig;
    const sn_implicit_bone *b = &rig->bone[bone];
    const sn_real *m = frame->state->frame + bone * 12;
    field_row muscle;
    const bool fleshy = muscles_at(frame, near, trim, bone, b->reach, q, &muscle);
    bool reached = fleshy;
    for (int part = 0; part < ROW; part += L) {
        v3 p = {v_load(q[0] + part) - m[9], v_load(q[1] + part) - m[10], v_load(q[2] + part) - m[11]};
        p = (v3){m[0] * p.x + m[3] * p.y + m[6] * p.z, m[1] * p.x + m[4] * p.y + m[7] * p.z,
                 m[2] * p.x + m[5] * p.y + m[8] * p.z};
        vmask inside = v_less(v_set(b->low.x), p.x) & v_less(p.x, v_set(b->high.x)) & v_less(v_set(b->low.y), p.y) &
                       v_less(p.y, v_set(b->high.y)) & v_less(v_set(b->low.z), p.z) & v_less(p.z, v_set(b->high.z));
        vreal f = v_set(0);
        v3 g = {f, f, f};
        if (v_any(inside)) {
            v3 slope;
            vreal by, d = on_grid(&rig->grid[bone], p, &slope), value = compact(d, b->reach, &by);
            reached = reached || v_any(inside & v_less(d, v_set(NEAR_FACTOR * b->reach)));
            by = v_select(inside, by, v_set(0));
            f = v_select(inside, value, v_set(0));
            g = v3_mul(by, slope);
            g = (v3){m[0] * g.x + m[1] * g.y + m[2] * g.z, m[3] * g.x + m[4] * g.y + m[5] * g.z,
                     m[6] * g.x + m[7] * g.y + m[8] * g.z};
            g = v3_select(inside, g, (v3){v_set(0), v_set(0), v_set(0)});
        }
        if (fleshy) {
            vreal by1, by2, flesh = v_load(muscle.f + part);
            vmask some = v_less(v_set(0), flesh);
            if (v_any(some)) {
                vreal mixed = look_up(rig->tables + SN_TABLE_SIZE, f, flesh, &by1, &by2);
                v3 slope = v3_add(v3_mul(by1, g), v3_mul(by2, row_slope(&muscle, part)));
                f = v_select(some, mixed, f);
                g = v3_select(some, slope, g);
            }
        }
        set_row(out, part, f, g);
    }
    return reached;
}

#endif
