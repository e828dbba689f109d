// Inertia: the prediction before the solve and the velocities after it.
//
//     c^ = c + h c' + h^2 (g + f/m)        s^ = s + h s' + h^2 y/m_s        R^ = exp(h w) R      (eqs. 21-23)
//
// The load of torque t is not in R^, as eq. 23 has it: the inertia I of a thin segment is so small that h^2 I^-1 t goes around
// many times. It is a force in the solver's gradient, E -= t . theta (add_inertia, inertia_energy).
//
// A frame keeps its angular momentum s^2 I w, not w itself: as the cross-section swells and the axis turns, w changes.
//
// Centres carry what rounding left of them (rod_layout.h), so that short substeps lose no digits of their way.
//
// After the solve: c' = (c - c0)/h, s' = (s - s0)/h, w = log(q q0*)/h with the full logarithm, each times exp(-damping h);
// and the sum of m c' is put right to that of the predictions and of the blows that contacts and bundles gave.
#include "kinds/rod/rod_lanes.h"

// The turn of the coming step that keeps the angular momentum of the last one's: the axis goes from w to w + turn x w, the mean
// scale from s0 to s1. 'across' and 'along' are the inertias: a round section has twice as much along the axis.
SN_INLINE v3 keep_spinning(v3 rotation, v3 w, vreal across, vreal along, vreal s0, vreal s1) {
    v3 ahead = v3_add(w, v3_cross(rotation, w));
    ahead = v3_mul(K(1) / v_sqrt(v3_dot(ahead, ahead)), ahead);
    v3 l = v3_add(rotation, v3_mul((along / across - K(1)) * v3_dot(rotation, w), w));
    l = v3_sub(l, v3_mul((K(1) - across / along) * v3_dot(l, ahead), ahead));
    return v3_mul(s0 * s0 / (s1 * s1), l);
}

// Twice the energy h^2 E of staying where the substep starts, of a block that inertia would move by dc, ds and a turn.
SN_INLINE vreal inertia_of(const sn_packet *packet, int i, block_state x, vreal mean_s, v3 dc, vreal ds, v3 rotation) {
    vreal mass = param(packet, i, P_MASS), mass_s = param(packet, i, P_MASS_S);
    vreal across = param(packet, i, P_INERTIA_T), spin = spin_inertia(packet, i, x.q, rotation);
    vreal held = v_set(SN_IS_HELD);
    return v_select(v_less(mass, held), mass * v3_dot(dc, dc), v_set(0)) +
           v_select(v_less(mass_s, held), mass_s * ds * ds, v_set(0)) +
           v_select(v_less(across, held), mean_s * mean_s * spin, v_set(0));
}

// A block's elastic energy at the start of the substep; notes the axial force there too.
SN_INLINE vreal elastic_at_start(const sn_packet *packet, int i, block_state child, block_state parent) {
    const sn_topology *t = packet->topology;
    segment_strain e = measure_segment(packet, i, child, parent);
    v_store(packet->force + (size_t)i * SN_LANES, axial_force(packet, i, e.stretch, e.volume, e.s * e.s));
    vreal energy = t->volume_bend ? elastic_energy(packet, i, child, parent, true)
                                  : elastic_energy(packet, i, child, parent, false);
    int g = t->parent[t->parent[i]];
    if (!t->scale_bend || g < 0) return energy;
    vreal bend = measure_scale_bend(packet, i, child.s, parent.s, v_load(ROW(packet->x0, X_ROWS, g, X_S)));
    return energy + K(0.5) * param(packet, i, P_SCALEBEND) * bend * bend;
}

void SN_LANE_NAME(sn_rod_predict)(sn_packet *packet, const sn_substep *step);
void SN_LANE_NAME(sn_rod_predict)(sn_packet *packet, const sn_substep *step) {
    sn_real *swap = packet->x0;
    packet->x0 = packet->x;
    packet->x = swap;
    const bool measured = packet->measured;
    packet->measured = packet->driven = packet->coupled.limited = false;
    if (measured) {
        sn_real *force = packet->force;
        packet->force = packet->final_force;
        packet->final_force = force;
    }
    const sn_topology *t = packet->topology;
    vreal h = v_set(step->h), h2 = v_set(step->h * step->h);
    vreal energy = v_set(0), elastic = v_set(0), whole = v_set(0);
    block_state before = load_state(packet->x0, 0);
    v3 displacement = {v_set(0), v_set(0), v_set(0)};
    v3 fall = {h2 * step->gravity[0], h2 * step->gravity[1], h2 * step->gravity[2]};
    for (int i = 0; i < t->blocks; i++) {
        block_state x = load_state(packet->x0, i);
        const int up = t->parent[i] < 0 ? i : t->parent[i];
        block_state parent = up == i - 1 ? before : load_state(packet->x0, up);
        before = x;
        if (!measured && t->parent[i] >= 0) elastic += elastic_at_start(packet, i, x, parent);
        vmask hold_c = v_less(v_set(SN_IS_HELD), param(packet, i, P_MASS));
        vmask hold_s = v_less(v_set(SN_IS_HELD), param(packet, i, P_MASS_S));
        vmask hold_q = v_less(v_set(SN_IS_HELD), param(packet, i, P_INERTIA_T));
        v3 coast = v3_mul(h, load3(packet->v, V_ROWS, i, V_CX)), dc = v3_add(coast, fall);
        vreal ds = h * v_load(ROW(packet->v, V_ROWS, i, V_S));
        v3 rotation = v3_mul(h, load3(packet->v, V_ROWS, i, V_WX));
        vreal mean_s = K(0.5) * (x.s + parent.s), mass = param(packet, i, P_MASS);
        vreal next_s = mean_s + K(0.5) * (ds + h * v_load(ROW(packet->v, V_ROWS, up, V_S)));
        rotation = keep_spinning(rotation, vq_axis_z(x.q), param(packet, i, P_INERTIA_T), param(packet, i, P_INERTIA_W),
                                 mean_s, v_max(next_s, v_set(SN_MIN_SCALE)));
        // The solver starts where the rod coasts to without any force: of a rod at rest that is its equilibrium, so
        // a single iteration a step stays exact there.
        const v3 none = {v_set(0), v_set(0), v_set(0)};
        block_state y = x;
        move_centre(&y, v3_select(hold_c, none, coast));
        y.s = v_select(hold_s, x.s, v_max(x.s + ds, v_set(SN_MIN_SCALE)));
        y.q = vq_select(hold_q, x.q, vq_tidy(vq_mul(vq_exp(rotation), x.q)));
        store_state(packet->x, i, y);
        if (packet->loaded) {
            vreal swell = h2 / param(packet, i, P_MASS_S) * v_load(ROW(packet->load, V_ROWS, i, V_S));
            dc = v3_add(dc, v3_mul(h2 / mass, load3(packet->load, V_ROWS, i, V_CX)));
            y.s = v_select(hold_s, x.s, y.s + swell); // may be below 0: a force is no weaker for being strong
            ds += swell;
        }
        y.c = x.c, y.low = x.low;
        move_centre(&y, v3_select(hold_c, none, dc));
        store_state(packet->xh, i, y);
        energy += inertia_of(packet, i, x, mean_s, dc, ds, rotation);
        displacement = v3_add(displacement, v3_mul(mass, dc));
        whole += mass;
    }
    store3(packet->mass_displacement, 3, 0, 0, displacement);
    // What a rod without held points is carried along by its mean motion costs nothing; but rounding stays.
    vreal mean_motion =
        v_select(v_less(whole, v_set(SN_IS_HELD)), K(0.99998) / whole, v_set(0)) * v3_dot(displacement, displacement);
    v_store(packet->start_energy,
            K(0.5) * (energy - mean_motion) / h2 + (measured ? v_load(packet->elastic) : elastic));
}

// The solve rounds: in single precision a rod would lose or find some millionths of its momentum in each substep. What
// one without held points must have is known, and what is missing goes to all alike.
SN_INLINE void keep_momentum(sn_packet *packet, v3 missing, vreal whole) {
    vmask known = v_less(v_abs(missing.x) + v_abs(missing.y) + v_abs(missing.z), v_set(SN_IS_HELD)); // and finite
    vreal share = v_select(v_less(whole, v_set(SN_IS_HELD)), K(1) / whole, v_set(0));
    missing = v3_select(known, v3_mul(share, missing), (v3){v_set(0), v_set(0), v_set(0)});
    for (int i = 0; i < packet->topology->blocks; i++)
        store3(packet->v, V_ROWS, i, V_CX, v3_add(load3(packet->v, V_ROWS, i, V_CX), missing));
}

// Of islands that made energy (sn_solve_limit): velocities are scaled about their mean.
SN_INLINE void limit_motion(sn_packet *packet, vreal fade) {
    const sn_rod_coupled *c = &packet->coupled;
    _Alignas(64) sn_real rows[4][SN_LANES];
    for (int k = 0; k < SN_LANES; k++) {
        rows[3][k] = c->part[k];
        for (int m = 0; m < 3; m++) rows[m][k] = c->mean[m][k];
    }
    vreal part = v_load(rows[3]);
    vmask limited = v_less(part, v_set(1));
    v3 mean = v3_mul(fade, (v3){v_load(rows[0]), v_load(rows[1]), v_load(rows[2])});
    for (int i = 0; i < packet->topology->blocks; i++) {
        v3 now = load3(packet->v, V_ROWS, i, V_CX);
        v3 then = v3_add(mean, v3_mul(part, v3_sub(now, mean)));
        for (int k = V_S; k < V_ROWS; k++) {
            vreal row = v_load(ROW(packet->v, V_ROWS, i, k));
            v_store(ROW(packet->v, V_ROWS, i, k), v_select(limited, part * row, row));
        }
        store3(packet->v, V_ROWS, i, V_CX, v3_select(limited, then, now));
    }
}

// What rounding left of a centre is more than a thousandth of where it is: it came from so far away that its place is lost, and
// would not be taken for a state when it is restored (rod_save.c).
SN_INLINE vmask has_lost_its_place(block_state x) {
    const vreal part = v_set((sn_real)1e-3), one = v_set(1);
    return v_less(part * (one + v_abs(x.c.x)), v_abs(x.low.x)) | v_less(part * (one + v_abs(x.c.y)), v_abs(x.low.y)) |
           v_less(part * (one + v_abs(x.c.z)), v_abs(x.low.z));
}

sn_verdict SN_LANE_NAME(sn_rod_finish)(sn_packet *packet, const sn_substep *step);
sn_verdict SN_LANE_NAME(sn_rod_finish)(sn_packet *packet, const sn_substep *step) {
    const sn_topology *t = packet->topology;
    sn_verdict verdict = {0, 0};
    vreal rate = v_load(packet->fade) * (1 / step->h);
    v3 momentum = {v_set(0), v_set(0), v_set(0)};
    vreal whole = v_set(0);
    vreal nought = v_set(0); // stays 0 as long as every number is finite, and the cubes that volumes are made of
    for (int i = 0; i < t->blocks; i++) {
        block_state x = load_state(packet->x, i), x0 = load_state(packet->x0, i);
        v3 v = v3_mul(rate, displacement_between(x, x0));
        vreal mass = param(packet, i, P_MASS);
        momentum = v3_add(momentum, v3_mul(mass, v));
        whole += mass;
        vreal vs = rate * (x.s - x0.s);
        v3 spin = v3_mul(rate, vq_log(vq_mul(x.q, vq_conj(x0.q))));
        store3(packet->v, V_ROWS, i, V_CX, v);
        v_store(ROW(packet->v, V_ROWS, i, V_S), vs);
        store3(packet->v, V_ROWS, i, V_WX, spin);
        vreal unit = K(1) / vq_dot(x.q, x.q); // a turn too wild for its square normalizes to 0, not to NaN
        vreal sum = v.x + v.y + v.z + vs + spin.x + spin.y + spin.z + unit;
        sum += x.c.x * x.c.x * x.c.x + x.c.y * x.c.y * x.c.y + x.c.z * x.c.z * x.c.z + x.s * x.s * x.s;
        nought += v_select(has_lost_its_place(x), v_set(INFINITY), sum - sum);
    }
    vmask fine = v_finite(nought);
    keep_momentum(packet, v3_sub(v3_mul(rate, load3(packet->mass_displacement, 3, 0, 0)), momentum), whole);
    if (packet->coupled.limited) limit_motion(packet, v_load(packet->fade));
    packet->coupled.limited = false;
    if (!v_any(~fine)) return verdict;
    packet->measured = false;
    for (int i = 0; i < t->blocks; i++) {
        for (int r = 0; r < X_ROWS; r++)
            v_store(ROW(packet->x, X_ROWS, i, r),
                    v_select(fine, v_load(ROW(packet->x, X_ROWS, i, r)), v_load(ROW(packet->x0, X_ROWS, i, r))));
        for (int r = 0; r < V_ROWS; r++)
            v_store(ROW(packet->v, V_ROWS, i, r), v_select(fine, v_load(ROW(packet->v, V_ROWS, i, r)), v_set(0)));
    }
    for (int lane = 0; lane < SN_LANES; lane++)
        if (!v_mask_lane(fine, lane)) verdict.diverged |= 1u << lane;
    return verdict;
}
