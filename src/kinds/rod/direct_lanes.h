// What both paths of the direct solver share: a block's linearized terms, inertia, pivots, the move along the step, and the
// Newton iteration with its line search around them. The maths is told in direct_kernel.c.
#ifndef SN_KINDS_ROD_DIRECT_LANES_H
#define SN_KINDS_ROD_DIRECT_LANES_H

#include "kinds/rod/rod_lanes.h"

// Gradient and Gauss-Newton matrix of a block's segment and joint, and inertia. 'p' marks the parent's unknowns.
typedef struct {
    v3 gc;               // dE/dc_i = -dE/dc_p
    v3 gt;               // dE/dtheta_i of the segment
    vreal gs, gsp;       // dE/ds_i, dE/ds_p of the segment
    vreal cc[3][3];      // (c_i, c_i), upper triangle; (c_i, c_p) is minus that
    vreal ct[3][3];      // (c_i, theta_i)
    vreal tt[3][3];      // (theta_i, theta_i), upper triangle
    v3 cs;               // (c_i, s) for either scale
    vreal ss, sg;        // (s, s) common part; +sg on the diagonal, -sg off it
    v3 joint_g;          // dE/dtheta_i = -dE/dtheta_p of the joint
    vreal joint_gs;      // dE/ds_p of the joint
    vreal joint_t[3][3]; // (theta_i, theta_i), upper triangle
    v3 joint_x;          // (theta_i, theta_p) besides minus joint_t: -[joint_x]x, of the twisting moment
    v3 joint_ts;         // (theta_i, s_p)
    vreal joint_ss;      // (s_p, s_p)
    vreal energy;
} block_terms;

// Where the step starts from.
typedef struct {
    const sn_real *from; // state to linearize at
    bool coasting; // the first iteration, no loads: 'from' differs from the prediction only by the fall of the centres
    sn_real inv_h2;
} newton_start;

SN_INLINE block_terms linearize(const sn_packet *packet, const newton_start *start, int i, block_state child,
                                block_state parent, const bool volume_bend) {
    block_terms o;
    vreal inv_l = param(packet, i, P_INV_L), rest = param(packet, i, P_REST);
    vreal k_along = param(packet, i, P_STRETCH), k_across = param(packet, i, P_SHEAR);
    vreal k_section = param(packet, i, P_SECTION), k_gradient = param(packet, i, P_GRADIENT);
    vreal k_volume = param(packet, i, P_VOLUME);

    // The segment.
    segment_strain e = measure_segment(packet, i, child, parent);
    v3 w = e.w, a = e.along;
    vreal s2 = e.s * e.s, stretch = e.stretch - rest, section = e.s - K(1), gradient = child.s - parent.s;
    vreal pressure = k_volume * e.volume; // pressure times area
    vreal axial = k_along * stretch + pressure * s2;
    vreal stiff = k_along + k_volume * s2 * s2; // along a
    vreal slack = v3_dot(e.shear, w);           // w.d - |d|
    vreal lever = k_across * e.stretch;
    o.gc = v3_mul(inv_l, v3_add(v3_mul(k_across, e.shear), v3_mul(axial - k_across * slack, a)));
    o.gt = v3_mul(-lever, v3_cross(w, e.shear));
    vreal g_section = K(0.5) * k_section * section + pressure * e.s * e.stretch;
    o.gs = g_section + k_gradient * gradient;
    o.gsp = g_section - k_gradient * gradient;

    // (c, c): k_across (1 - w a^T)^T (1 - w a^T) + stiff a a^T + tension (1 - a a^T).
    vreal tension = v_max(v_set(0), v_load(packet->force + (size_t)i * SN_LANES)) * e.inverse;
    vreal inv_l2 = inv_l * inv_l, base = inv_l2 * (k_across + tension);
    v3 kw = v3_mul(inv_l2 * k_across, w), ka = v3_sub(v3_mul(inv_l2 * (k_across + stiff - tension), a), kw);
    o.cc[0][0] = base + ka.x * a.x - kw.x * a.x, o.cc[0][1] = ka.x * a.y - kw.y * a.x;
    o.cc[0][2] = ka.x * a.z - kw.z * a.x, o.cc[1][1] = base + ka.y * a.y - kw.y * a.y;
    o.cc[1][2] = ka.y * a.z - kw.z * a.y, o.cc[2][2] = base + ka.z * a.z - kw.z * a.z;

    // (c, theta): k_across |d| [w]x;  (theta, theta): k_across |d|^2 (1 - w w^T), and inertia.
    v3 lw = v3_mul(inv_l * lever, w);
    o.ct[0][0] = v_set(0), o.ct[0][1] = -lw.z, o.ct[0][2] = lw.y;
    o.ct[1][0] = lw.z, o.ct[1][1] = v_set(0), o.ct[1][2] = -lw.x;
    o.ct[2][0] = -lw.y, o.ct[2][1] = lw.x, o.ct[2][2] = v_set(0);
    vreal swell = s2 * start->inv_h2, across = swell * param(packet, i, P_INERTIA_T);
    vreal across_w = swell * param(packet, i, P_INERTIA_W) - across, rotation = lever * e.stretch;
    vreal xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z, off = across_w - rotation;
    o.tt[0][0] = across + rotation * (yy + zz) + across_w * xx, o.tt[0][1] = off * w.x * w.y,
    o.tt[0][2] = off * w.x * w.z;
    o.tt[1][1] = across + rotation * (xx + zz) + across_w * yy, o.tt[1][2] = off * w.y * w.z;
    o.tt[2][2] = across + rotation * (xx + yy) + across_w * zz;

    vreal rate = e.s * e.stretch, couple = k_volume * s2 * rate; // dV/ds = s |d| for each of the two scales
    o.cs = v3_mul(inv_l * couple, a);
    o.ss = k_volume * rate * rate + K(0.25) * k_section + K(0.5) * v_max(v_set(0), pressure * e.stretch);
    o.sg = k_gradient;

    // The joint.
    vreal k_bend = param(packet, i, P_BEND), k_twist = param(packet, i, P_TWIST);
    vreal s = parent.s, sp2 = s * s;
    joint_strain b = measure_joint(packet, i, child.q, parent.q, s);
    vreal j[3][3];
    joint_jacobian(b.z, child.q, j);
    vreal mu = k_bend * b.bend.x, mv = k_bend * b.bend.y, mw3 = k_twist * b.bend.z; // moments
    vreal fu = s * mu, fv = s * mv, fw = s * mw3;
    vreal hu = k_bend * sp2, hv = hu, hw = k_twist * sp2;           // on b
    vreal cu = s * k_bend * b.slope.x, cv = s * k_bend * b.slope.y; // on (b, s)
    vreal cw = s * k_twist * b.slope.z;
    vreal bend_ss = k_bend * (b.slope.x * b.slope.x + b.slope.y * b.slope.y) + k_twist * b.slope.z * b.slope.z;
    vreal bend_gs = mu * b.slope.x + mv * b.slope.y + mw3 * b.slope.z;
    vreal bend_energy = mu * b.bend.x + mv * b.bend.y + mw3 * b.bend.z;
    if (volume_bend) { // eqs. 19, 20: rows s^3 (b + k) - k for u and v
        vreal k_vb = param(packet, i, P_VOLBEND), s3 = sp2 * s, ds3 = K(3) * sp2;
        vreal u = s3 * b.slope.x - b.kappa.x, v = s3 * b.slope.y - b.kappa.y;
        fu += k_vb * u * s3, fv += k_vb * v * s3;
        hu += k_vb * s3 * s3, hv += k_vb * s3 * s3;
        cu += k_vb * s3 * ds3 * b.slope.x, cv += k_vb * s3 * ds3 * b.slope.y;
        bend_ss += k_vb * ds3 * ds3 * (b.slope.x * b.slope.x + b.slope.y * b.slope.y);
        bend_gs += k_vb * ds3 * (u * b.slope.x + v * b.slope.y);
        bend_energy += k_vb * (u * u + v * v);
    }
    // A twisting moment m (fw is twice that) turns with the frames: m/2 w.(theta_i x theta_p), and what keeps it positive.
    vreal moment = v_select(v_less(v_set(0), k_bend), K(0.25) * fw, v_set(0));
    o.joint_x = v3_mul(moment, w);
    vreal firm = K(4) * moment * moment / v_max(hu, v_set(K(1e-30)));
    o.tt[0][0] += firm * (yy + zz), o.tt[0][1] -= firm * w.x * w.y, o.tt[0][2] -= firm * w.x * w.z;
    o.tt[1][1] += firm * (xx + zz), o.tt[1][2] -= firm * w.y * w.z, o.tt[2][2] += firm * (xx + yy);
    // j is twice the Jacobian: halves and quarters put that right.
    fu = K(0.5) * fu, fv = K(0.5) * fv, fw = K(0.5) * fw;
    hu = K(0.25) * hu, hv = K(0.25) * hv, hw = K(0.25) * hw;
    cu = K(0.5) * cu, cv = K(0.5) * cv, cw = K(0.5) * cw;
    o.joint_g = (v3){j[0][0] * fu + j[1][0] * fv + j[2][0] * fw, j[0][1] * fu + j[1][1] * fv + j[2][1] * fw,
                     j[0][2] * fu + j[1][2] * fv + j[2][2] * fw};
    o.joint_ts = (v3){j[0][0] * cu + j[1][0] * cv + j[2][0] * cw, j[0][1] * cu + j[1][1] * cv + j[2][1] * cw,
                      j[0][2] * cu + j[1][2] * cv + j[2][2] * cw};
    for (int k = 0; k < 3; k++) {
        vreal a0 = hu * j[0][k], a1 = hv * j[1][k], a2 = hw * j[2][k];
        for (int m = k; m < 3; m++) o.joint_t[k][m] = a0 * j[0][m] + a1 * j[1][m] + a2 * j[2][m];
    }
    o.joint_gs = bend_gs;
    o.joint_ss = bend_ss;

    o.energy =
        K(0.5) * (k_along * stretch * stretch + k_across * v3_dot(e.shear, e.shear) + k_section * section * section +
                  k_gradient * gradient * gradient + pressure * e.volume + bend_energy);
    return o;
}

// Adds inertia and the load of torque to block i's diagonal and right side; returns their energy. rows: a[k] is row k, its diagonal
// at a[k][k].
SN_INLINE vreal add_inertia(const sn_packet *packet, const newton_start *start, int i, block_state x, vreal mean_s,
                            vreal diagonal[4], vreal side[7]) {
    vreal m = param(packet, i, P_MASS) * start->inv_h2, ms = param(packet, i, P_MASS_S) * start->inv_h2;
    diagonal[0] += m, diagonal[1] += m, diagonal[2] += m, diagonal[3] += ms;
    block_state goal = load_state(packet->xh, i);
    v3 dc = displacement_between(x, goal);
    side[0] -= m * dc.x, side[1] -= m * dc.y, side[2] -= m * dc.z;
    // The rest would add nothing, not even in the last bit: a rod's motion must not depend on loads in other lanes.
    if (start->coasting) return K(0.5) * start->inv_h2 * (param(packet, i, P_MASS) * v3_dot(dc, dc));
    side[3] -= ms * (x.s - goal.s);
    v3 dt = rotation_between(x.q, goal.q), w = vq_axis_z(x.q);
    vreal swell = mean_s * mean_s * start->inv_h2;
    vreal across = swell * param(packet, i, P_INERTIA_T), along = swell * param(packet, i, P_INERTIA_W);
    vreal tilt = (along - across) * v3_dot(w, dt);
    side[4] -= across * dt.x + tilt * w.x, side[5] -= across * dt.y + tilt * w.y;
    side[6] -= across * dt.z + tilt * w.z;
    if (packet->loaded) {
        v3 torque = load3(packet->load, V_ROWS, i, V_WX);
        side[4] += torque.x, side[5] += torque.y, side[6] += torque.z;
    }
    return inertia_energy(packet, i, x, goal, mean_s, start->inv_h2);
}

// A pivot's reciprocal. Rounding can eat a pivot that should be small and positive; it is kept above the noise.
SN_INLINE vreal invert_pivot(vreal pivot, vreal diagonal) {
    return K(1) / v_max(pivot, K(4) * K(SN_REAL_EPSILON) * diagonal);
}

// y, but with what is held where it is led.
SN_INLINE block_state keep_held(const sn_packet *packet, int i, block_state y, const sn_real *goal) {
    vmask hold_c = v_less(v_set(SN_IS_HELD), param(packet, i, P_MASS));
    vmask hold_s = v_less(v_set(SN_IS_HELD), param(packet, i, P_MASS_S));
    vmask hold_q = v_less(v_set(SN_IS_HELD), param(packet, i, P_INERTIA_T));
    block_state g = load_state(goal, i);
    y.c = v3_select(hold_c, g.c, y.c);
    y.low = v3_select(hold_c, g.low, y.low);
    y.s = v_select(hold_s, g.s, y.s);
    y.q = vq_select(hold_q, g.q, y.q);
    return y;
}

// x moved by 'share' of the step; held things stay at the prediction exactly.
SN_INLINE block_state move(const sn_packet *packet, int i, block_state x, const vreal step[7], vreal share,
                           const sn_real *goal) {
    block_state y = x;
    move_centre(&y, (v3){share * step[0], share * step[1], share * step[2]});
    y.s = v_max(x.s + share * step[3], v_set(SN_MIN_SCALE));
    y.q = vq_nudge((v3){share * step[4], share * step[5], share * step[6]}, x.q);
    return keep_held(packet, i, y, goal);
}

// Energy of block i at its new state, the parent's being known.
SN_INLINE vreal block_energy(const sn_packet *packet, const newton_start *start, int i, block_state child,
                             block_state parent, const bool volume_bend) {
    vreal s = K(0.5) * (child.s + parent.s);
    return elastic_energy(packet, i, child, parent, volume_bend) +
           inertia_energy(packet, i, child, load_state(packet->xh, i), s, start->inv_h2);
}

// One iteration: solves for the step at start->from, whose energy is returned, and leaves the step of block i in the 7
// rows at step_rows(i).
typedef struct {
    sn_real *rows;
    int stride;
} step_rows;

SN_INLINE void load_step(const step_rows *steps, int i, vreal step[7]) {
    for (int k = 0; k < 7; k++)
        step[k] = v_load(steps->rows + ((size_t)i * (size_t)steps->stride + (size_t)k) * SN_LANES);
}
SN_INLINE void store_step(const step_rows *steps, int i, const vreal step[7]) {
    for (int k = 0; k < 7; k++)
        v_store(steps->rows + ((size_t)i * (size_t)steps->stride + (size_t)k) * SN_LANES, step[k]);
}

// The energy is noise below this part of it.
#define SN_ENERGY_NOISE    K(1e-3)
#define SN_MAX_SHORTENINGS 6

// An iteration goes from x to xt, which end_iteration swaps.
SN_INLINE newton_start begin_iteration(const sn_packet *packet, const sn_substep *step, int iteration) {
    bool coasting = iteration == 0 && !step->resumed && !packet->loaded && !packet->driven;
    return (newton_start){packet->x, coasting, 1 / (step->h * step->h)};
}
SN_INLINE void end_iteration(sn_packet *packet) {
    sn_real *x = packet->x;
    packet->x = packet->xt;
    packet->xt = x;
}

// Energy of the whole packet at state 'x', of every kind of term.
static vreal whole_energy(const sn_packet *packet, const newton_start *start, const sn_real *x) {
    const sn_topology *t = packet->topology;
    vreal energy = v_set(0);
    for (int i = 0; i < t->blocks; i++) {
        block_state child = load_state(x, i);
        int p = t->parent[i];
        if (p < 0) {
            energy += inertia_energy(packet, i, child, load_state(packet->xh, i), child.s, start->inv_h2);
            continue;
        }
        block_state parent = load_state(x, p);
        energy += block_energy(packet, start, i, child, parent, t->volume_bend);
        int g = t->parent[p];
        if (!t->scale_bend || g < 0) continue;
        vreal bend = measure_scale_bend(packet, i, child.s, parent.s, v_load(ROW(x, X_ROWS, g, X_S)));
        energy += K(0.5) * param(packet, i, P_SCALEBEND) * bend * bend;
    }
    return energy;
}

// Halves the step of every lane whose energy rose, until it does not; in the end it takes none. Lanes that are fine are
// computed again with the same share, hence to the same bits; but their energy, which is summed in another order here, is
// not looked at again, or they would depend on their neighbours. Returns a bit for every lane that was shortened.
static __attribute__((noinline)) uint32_t shorten(const sn_packet *packet, const newton_start *start,
                                                  const step_rows *steps, sn_real *to, vreal limit, vmask worse,
                                                  vreal *after) {
    uint32_t searched = 0;
    for (int lane = 0; lane < SN_LANES; lane++)
        if (v_mask_lane(worse, lane)) searched |= 1u << lane;
    vreal share = v_set(1);
    for (int k = 0; k <= SN_MAX_SHORTENINGS && v_any(worse); k++) {
        share = v_select(worse, k < SN_MAX_SHORTENINGS ? K(0.5) * share : v_set(0), share);
        for (int i = 0; i < packet->topology->blocks; i++) {
            vreal step[7];
            load_step(steps, i, step);
            store_state(to, i, move(packet, i, load_state(start->from, i), step, share, packet->xh));
        }
        *after = v_select(worse, whole_energy(packet, start, to), *after);
        worse = worse & ~v_less(*after, limit);
    }
    return searched;
}
SN_INLINE uint32_t shorten_where_worse(const sn_packet *packet, const newton_start *start, const step_rows *steps,
                                       sn_real *to, vreal before, vreal *after) {
    vreal limit = before + SN_ENERGY_NOISE * v_abs(before) + K(1e-30); // a torque's work makes it negative
    vmask worse = ~v_less(*after, limit);                              // also where 'after' is not a number
    return v_any(worse) ? shorten(packet, start, steps, to, limit, worse, after) : 0;
}

// Tension stiffens a segment sideways. But the axial force at the state that the matrix is made for is no good for that: coasting,
// and each linearized step, leave the length wrong to the second order, and a stiff rod makes of that a force a thousand
// times too large, which would lock it sideways. So the force is an unknown of its own, as in Newton's iteration with
// multipliers: at first that of the start of the substep (see sn_rod_predict), then the one that the last linearized step came
// to. Notes that one, after a step from 'from' to 'to', for some lanes. Not once contacts have come between: then lanes are
// solved or left alone together with others.
static void note_forces(sn_packet *packet, const sn_real *from, const sn_real *to, vmask lanes) {
    const sn_topology *t = packet->topology;
    for (int i = 0; i < t->blocks; i++) {
        int p = t->parent[i];
        if (p < 0) continue;
        segment_strain o = measure_segment(packet, i, load_state(from, i), load_state(from, p));
        segment_strain e = measure_segment(packet, i, load_state(to, i), load_state(to, p));
        vreal s2 = o.s * o.s, stretch = v3_dot(o.along, e.d);
        vreal volume = s2 * stretch - K(1) + K(2) * o.s * o.stretch * (e.s - o.s);
        sn_real *at = packet->force + (size_t)i * SN_LANES;
        v_store(at, v_select(lanes, axial_force(packet, i, stretch, volume, s2), v_load(at)));
    }
}

// Lanes that are not restless go back to the state before the last iteration.
static __attribute__((noinline)) void leave_alone(sn_packet *packet, vmask restless) {
    for (size_t k = 0; k < (size_t)packet->topology->blocks * X_ROWS; k++) {
        sn_real *x = packet->x + k * SN_LANES;
        v_store(x, v_select(restless, v_load(x), v_load(packet->xt + k * SN_LANES)));
    }
}

// One linearization, elimination and step from start->from to packet->xt; the energies before and after it.
typedef void iterate_fn(const sn_packet *packet, const newton_start *start, sn_real *scratch, vreal *before,
                        vreal *after);

// The iterations asked for. Implicit Euler cannot gain energy: its minimum lies below E at the old state. A lane that is above
// that, and still on its way down, has not come near its minimum (few iterations, a fast or very stiff rod): only for
// such lanes a few more iterations are made, or the rod would be fed with energy until it explodes.
#define SN_MAX_EXTRA 12

// A lane that is above all the same is caught in a valley of its own (it has coasted through itself, say). It begins anew where
// implicit Euler must end below: with its shape of the start of the substep, carried along by its mean motion unless a
// point of it is held.
static __attribute__((noinline)) uint32_t begin_anew(sn_packet *packet, const sn_substep *step, sn_real *scratch,
                                                     const step_rows *steps, iterate_fn *iterate, vmask where) {
    const int blocks = packet->topology->blocks;
    vreal mass = v_set(0), before, after;
    v3 displacement = {v_set(0), v_set(0), v_set(0)};
    for (int i = 0; i < blocks; i++) {
        vreal m = param(packet, i, P_MASS);
        displacement =
            v3_add(displacement, v3_mul(m, displacement_between(load_state(packet->xh, i), load_state(packet->x0, i))));
        mass += m;
    }
    displacement = v3_mul(v_select(v_less(mass, v_set(SN_IS_HELD)), K(1) / mass, v_set(0)), displacement);
    for (int i = 0; i < blocks; i++) {
        block_state x = load_state(packet->x, i), y = load_state(packet->x0, i);
        move_centre(&y, displacement);
        y = keep_held(packet, i, y, packet->xh);
        store_state(packet->x, i,
                    (block_state){v3_select(where, y.c, x.c), v_select(where, y.s, x.s), vq_select(where, y.q, x.q),
                                  v3_select(where, y.low, x.low)});
    }
    note_forces(packet, packet->x0, packet->x0, where); // the force there
    newton_start start = {packet->x, false, 1 / (step->h * step->h)};
    iterate(packet, &start, scratch, &before, &after);
    uint32_t searched = shorten_where_worse(packet, &start, steps, packet->xt, before, &after);
    end_iteration(packet);
    leave_alone(packet, where);
    for (int lane = 0; lane < SN_LANES; lane++)
        if (v_mask_lane(where, lane)) searched |= 1u << lane;
    return searched;
}

// 'measures': iterate leaves the elastic energy and axial forces of its result in the packet.
SN_INLINE sn_verdict newton(sn_packet *packet, const sn_substep *step, sn_real *scratch, const step_rows *steps,
                            iterate_fn *iterate, const bool measures) {
    sn_verdict verdict = {0, 0};
    vreal before = v_set(0), after = v_set(0),
          allowed = v_load(packet->start_energy) * (K(1) + SN_ENERGY_NOISE) + K(1e-30);
    vmask all = ~v_less(v_set(0), v_set(0)), restless = all;
    bool noted = true; // forces are noted only if another iteration wants them
    packet->measured = false;
    bool plain = false; // the last iteration was of all lanes
    for (int k = 0; k < step->iterations + SN_MAX_EXTRA; k++) {
        const bool extra = k >= step->iterations;
        if (extra) {
            restless = restless & v_less(allowed, after) & v_less(K(0.01) * after, before - after);
            if (step->resumed || !v_any(restless)) break;
            if (!noted) note_forces(packet, packet->xt, packet->x, restless); // of lanes that go on: others keep theirs
        }
        newton_start start = begin_iteration(packet, step, k);
        vreal was_before = before, was_after = after;
        iterate(packet, &start, scratch, &before, &after);
        verdict.searched |= shorten_where_worse(packet, &start, steps, packet->xt, before, &after);
        end_iteration(packet);
        plain = !extra;
        noted = !step->resumed && !extra && (k + 1 < step->iterations || !step->last);
        if (noted) note_forces(packet, packet->xt, packet->x, all);
        if (!extra) continue;
        leave_alone(packet, restless);
        before = v_select(restless, before, was_before), after = v_select(restless, after, was_after);
    }
    vmask above = ~v_less(after, allowed);
    const bool anew = !step->resumed && v_any(above);
    if (anew) verdict.searched |= begin_anew(packet, step, scratch, steps, iterate, above);
    packet->measured = measures && plain && !anew && verdict.searched == 0;
    return verdict;
}

#endif
