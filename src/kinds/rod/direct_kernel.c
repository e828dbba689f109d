// The direct solver: a Gauss-Newton step on the variational implicit Euler energy (eq. 77)
//
//     E(x) = 1/(2h^2) |x - xh|_M^2 + 1/2 |W(x)|_K^2
//
// with an exact elimination along the rod. The unknowns of block i (c, s, theta: 7) meet only those of its parent p, so the
// matrix is a tree of 7x7 blocks. One pass from the tips to the root assembles block i, eliminates it and leaves a 7x7 Schur
// complement on p, which stays in registers and L1 when p is next (a chain) and is stored away otherwise (a branch). A
// second pass from the root to the tips finds the step, applies it and measures the energy; only if a lane's energy rose is
// its step shortened.
//
// Within a block the order is c s | theta. c and s of block i do not meet theta of p, so the first four pivots touch 7 other
// unknowns and the last three touch 7: 273 multiply-adds for the elimination, 58 numbers stored for the second pass.
//
// Gauss-Newton is exact but for the curvature of W. Of that, three parts that keep the matrix positive are added:
// - tension stiffens against sideways motion: n/|d| (1 - a a^T), with a the direction of the segment and n > 0 the axial
//   force that it is coming to (note_forces).
// - a twisting moment m stiffens one sense of winding and weakens the other: m/2 w.(theta_i x theta_p), and m^2 l/(4 EI) across w, the
//   least that leaves no sense negative. Without it one iteration a step shakes a twisted rod long before it buckles.
// - a segment over its volume resists swelling more: 2 kv V |d| on the mean scale, where V > 0.
//
// Loops and eq. 15 (scale bending) take the general path below: the block also meets the scale of its grandparent, and the
// root's unknowns ride along as a border of 7 that is eliminated last.
#include "kinds/rod/direct_plain.h"

// Tips to root: fills the factors, returns the energy at start->from. The root's step is left in 'front'.
SN_INLINE vreal descend(const sn_packet *packet, const newton_start *start, sn_real *factors, sn_real *stores,
                        schur *front, const bool volume_bend) {
    const sn_topology *t = packet->topology;
    for (size_t k = 0; k < (size_t)t->stores * SCHUR_ROWS; k++) v_store(stores + k * SN_LANES, v_set(0));
    clear(front);
    vreal energy = v_set(0);
    block_state child = load_state(start->from, t->blocks - 1), parent = child;
    for (int i = t->blocks - 1; i > 0; --i) {
        int p = t->parent[i];
        parent = load_state(start->from, p);
        if (t->store[i] >= 0) load_schur(front, stores + (size_t)t->store[i] * SCHUR_ROWS * SN_LANES);
        sn_real *factor = factors + (size_t)i * PLAIN_ROWS * SN_LANES;
        energy += eliminate(packet, start, i, child, parent, front, factor, volume_bend);
        child = parent;
        if (p != i - 1) {
            add_to_store(stores + (size_t)t->store[p] * SCHUR_ROWS * SN_LANES, front);
            clear(front);
            child = load_state(start->from, i - 1);
        }
    }
    if (t->store[0] >= 0) load_schur(front, stores + (size_t)t->store[0] * SCHUR_ROWS * SN_LANES);
    energy += add_root(packet, start, child, child.s, front);
    solve_root(front);
    return energy;
}

// Root to tips: finds every block's step, applies it, returns the new energy.
SN_INLINE vreal ascend(const sn_packet *packet, const newton_start *start, sn_real *to, sn_real *factors,
                       const schur *front, const bool volume_bend) {
    const sn_topology *t = packet->topology;
    step_rows steps = {factors + (size_t)PLAIN_L * SN_LANES, PLAIN_ROWS};
    vreal x[14]; // own 7, then the parent's
    SN_UNROLL for (int k = 0; k < 7; k++) x[k] = front->side[k];
    store_step(&steps, 0, x);
    block_state parent = move(packet, 0, load_state(start->from, 0), x, v_set(1), packet->xh);
    store_state(to, 0, parent);
    vreal energy = inertia_energy(packet, 0, parent, load_state(packet->xh, 0), parent.s, start->inv_h2),
          elastic = v_set(0);
    for (int i = 1; i < t->blocks; i++) {
        int p = t->parent[i];
        if (p == i - 1) {
            SN_UNROLL for (int k = 0; k < 7; k++) x[7 + k] = x[k];
        } else {
            load_step(&steps, p, x + 7);
            parent = load_state(to, p);
        }
        const sn_real *factor = factors + (size_t)i * PLAIN_ROWS * SN_LANES;
        substitute(factor, x);
        store_step(&steps, i, x);
        block_state child = move(packet, i, load_state(start->from, i), x, v_set(1), packet->xh);
        store_state(to, i, child);
        elastic += elastic_energy(packet, i, child, parent, volume_bend);
        vreal mean_s = K(0.5) * (child.s + parent.s);
        energy += inertia_energy(packet, i, child, load_state(packet->xh, i), mean_s, start->inv_h2);
        segment_strain e = measure_segment(packet, i, child, parent);
        v_store(packet->final_force + (size_t)i * SN_LANES, axial_force(packet, i, e.stretch, e.volume, e.s * e.s));
        parent = child;
    }
    v_store(packet->elastic, elastic);
    return energy + elastic;
}

SN_INLINE void iterate(const sn_packet *packet, const newton_start *start, sn_real *scratch, vreal *before,
                       vreal *after, const bool volume_bend) {
    sn_real *stores = scratch + (size_t)packet->topology->blocks * PLAIN_ROWS * SN_LANES;
    schur front;
    *before = descend(packet, start, scratch, stores, &front, volume_bend);
    *after = ascend(packet, start, packet->xt, scratch, &front, volume_bend);
}

static void iterate_plain(const sn_packet *packet, const newton_start *start, sn_real *scratch, vreal *before,
                          vreal *after) {
    iterate(packet, start, scratch, before, after, false);
}

static void iterate_volume_bend(const sn_packet *packet, const newton_start *start, sn_real *scratch, vreal *before,
                                vreal *after) {
    iterate(packet, start, scratch, before, after, true);
}

sn_verdict SN_LANE_NAME(sn_rod_direct_plain)(sn_packet *packet, const sn_substep *step, sn_real *scratch);
sn_verdict SN_LANE_NAME(sn_rod_direct_plain)(sn_packet *packet, const sn_substep *step, sn_real *scratch) {
    step_rows steps = {scratch + (size_t)PLAIN_L * SN_LANES, PLAIN_ROWS};
    return newton(packet, step, scratch, &steps, packet->topology->volume_bend ? iterate_volume_bend : iterate_plain,
                  true);
}

size_t SN_LANE_NAME(sn_rod_direct_plain_scratch)(const sn_topology *topology);
size_t SN_LANE_NAME(sn_rod_direct_plain_scratch)(const sn_topology *topology) {
    return ((size_t)topology->blocks * PLAIN_ROWS + (size_t)topology->stores * SCHUR_ROWS) * SN_LANES;
}
