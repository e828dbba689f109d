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
// Gauss-Newton is exact but for the curvature of W. Of that, two parts that keep the matrix positive are added:
// - tension stiffens against sideways motion. With the axial force n, strain rate r = dd + d x t (dd: change of d, t: turn),
//   the term 2n (t x w).r + n (w.d) |t_across|^2 is exact for unsheared segments, and positive together with the shear's
//   k |r|^2 as long as n <= k w.d: n is clamped to [0, k w.d].
// - a segment over its volume resists swelling more: 2 kv V (w.d) on the mean scale, where V > 0.
//
// Loops and eq. 15 (scale bending) take the general path below: the block also meets the scale of its grandparent, and the
// root's unknowns ride along as a border of 7 that is eliminated last.
#include "rod/direct_lanes.h"

// Numbers stored a block by the plain path: for each pivot its row of L, then its right side (which becomes the step).
enum { PLAIN_L = 10 + 9 + 8 + 7 + 9 + 8 + 7, PLAIN_ROWS = PLAIN_L + 7 };
// A Schur complement on the parent: upper triangle of 7x7, and the right side.
enum { SCHUR_TRIANGLE = 28, SCHUR_ROWS = SCHUR_TRIANGLE + 7 };

// Where entry (i, j), i <= j, of a 7x7 upper triangle is stored.
#define UPPER7(i, j) ((i)*7 - (i) * ((i)-1) / 2 + (j) - (i))

// The front: what lower blocks have left on block i; upper triangle and right side.
typedef struct {
    vreal a[7][7];
    vreal side[7];
} schur;

// Assembles block i over its front and eliminates it; 'front' becomes the Schur complement on the parent.
SN_INLINE vreal eliminate(const sn_packet *packet, const newton_start *start, int i, block_state child,
                          block_state parent, schur *front, sn_real *factor, const bool volume_bend) {
    block_terms t = linearize(packet, i, child, parent, start->inv_h2, volume_bend);
    vreal a[7][14], p[7][7], b[14];

    SN_UNROLL for (int k = 0; k < 7; ++k) {
        SN_UNROLL for (int m = k; m < 7; ++m) a[k][m] = front->a[k][m];
        b[k] = front->side[k];
    }
    const v3 *cs = &t.cs, *ts = &t.ts, *jts = &t.joint_ts;
    const vreal cs_[3] = {cs->x, cs->y, cs->z}, ts_[3] = {ts->x, ts->y, ts->z}, jts_[3] = {jts->x, jts->y, jts->z};
    SN_UNROLL for (int k = 0; k < 3; ++k) {
        SN_UNROLL for (int m = k; m < 3; ++m) {
            a[k][m] += t.cc[k][m];
            a[4 + k][4 + m] += t.tt[k][m] + t.joint_t[k][m];
            p[k][m] = t.cc[k][m];
            p[4 + k][4 + m] = t.joint_t[k][m];
        }
        SN_UNROLL for (int m = 0; m < 3; ++m) {
            a[k][4 + m] += t.ct[k][m];
            a[k][7 + m] = -t.cc[k < m ? k : m][k < m ? m : k];
            a[4 + k][7 + m] = -t.ct[m][k];
            a[4 + k][11 + m] = -t.joint_t[k < m ? k : m][k < m ? m : k];
            p[k][4 + m] = v_set(0);
        }
        a[k][3] += cs_[k];
        a[k][10] = cs_[k];
        a[3][4 + k] += ts_[k];
        a[3][7 + k] = -cs_[k];
        a[4 + k][10] = ts_[k] + jts_[k];
        p[k][3] = -cs_[k];
        p[3][4 + k] = -jts_[k];
    }
    a[3][3] += t.ss + t.sg;
    a[3][10] = t.ss - t.sg;
    p[3][3] = t.ss + t.sg + t.joint_ss;
    b[0] -= t.gc.x, b[1] -= t.gc.y, b[2] -= t.gc.z, b[3] -= t.gs;
    b[4] -= t.gt.x + t.joint_g.x, b[5] -= t.gt.y + t.joint_g.y, b[6] -= t.gt.z + t.joint_g.z;
    b[7] = t.gc.x, b[8] = t.gc.y, b[9] = t.gc.z, b[10] = -t.gsp - t.joint_gs;
    b[11] = t.joint_g.x, b[12] = t.joint_g.y, b[13] = t.joint_g.z;
    vreal diagonal[4] = {a[0][0], a[1][1], a[2][2], a[3][3]};
    vreal energy = t.energy + add_inertia(packet, start, i, child, K(0.5) * (child.s + parent.s), diagonal, b);
    SN_UNROLL for (int k = 0; k < 4; ++k) a[k][k] = diagonal[k];
    vreal whole[7];
    SN_UNROLL for (int k = 0; k < 7; ++k) whole[k] = a[k][k];

    int row = 0;
    SN_UNROLL for (int k = 0; k < 7; ++k) {
        const int end = k < 4 ? 11 : 14; // c and s do not meet the parent's theta
        vreal inverse = invert_pivot(a[k][k], whole[k]);
        SN_UNROLL for (int m = k + 1; m < end; ++m) {
            vreal l = a[k][m] * inverse;
            v_store(factor + (row++) * SN_LANES, l);
            SN_UNROLL for (int n = m; n < end; ++n) {
                if (m < 7)
                    a[m][n] -= l * a[k][n];
                else
                    p[m - 7][n - 7] -= l * a[k][n];
            }
            b[m] -= l * b[k];
        }
        v_store(factor + (PLAIN_L + k) * SN_LANES, b[k] * inverse);
    }
    SN_UNROLL for (int k = 0; k < 7; ++k) {
        SN_UNROLL for (int m = k; m < 7; ++m) front->a[k][m] = p[k][m];
        front->side[k] = b[7 + k];
    }
    return energy;
}

// Solves the root's dense 7x7 system; its solution replaces front->side.
SN_INLINE void solve_root(schur *front) {
    for (int k = 0; k < 7; ++k) {
        vreal inverse = invert_pivot(front->a[k][k], front->a[k][k]);
        for (int m = k + 1; m < 7; ++m) {
            vreal l = front->a[k][m] * inverse;
            for (int n = m; n < 7; ++n) front->a[m][n] -= l * front->a[k][n];
            front->side[m] -= l * front->side[k];
        }
        front->side[k] *= inverse;
        for (int m = k + 1; m < 7; ++m) front->a[k][m] *= inverse;
    }
    for (int k = 6; k >= 0; --k)
        for (int m = k + 1; m < 7; ++m) front->side[k] -= front->a[k][m] * front->side[m];
}

// Adds inertia to the root's front. The root of a tree has no segment; its frame is the ghost that a clamp holds, or idle.
SN_INLINE vreal add_root(const sn_packet *packet, const newton_start *start, block_state root, vreal mean_s,
                         schur *front) {
    vreal diagonal[4] = {front->a[0][0], front->a[1][1], front->a[2][2], front->a[3][3]};
    vreal energy = add_inertia(packet, start, 0, root, mean_s, diagonal, front->side);
    for (int k = 0; k < 4; ++k) front->a[k][k] = diagonal[k];
    vreal ghost = param(packet, 0, P_INERTIA_T) * start->inv_h2;
    for (int k = 4; k < 7; ++k) front->a[k][k] += ghost;
    return energy;
}

SN_INLINE void clear(schur *front) {
    for (int k = 0; k < 7; ++k) {
        for (int m = k; m < 7; ++m) front->a[k][m] = v_set(0);
        front->side[k] = v_set(0);
    }
}

// front += what was stored away, or the other way round.
SN_INLINE void load_schur(schur *front, const sn_real *store) {
    for (int k = 0; k < 7; ++k) {
        for (int m = k; m < 7; ++m) front->a[k][m] += v_load(store + UPPER7(k, m) * SN_LANES);
        front->side[k] += v_load(store + (SCHUR_TRIANGLE + k) * SN_LANES);
    }
}
SN_INLINE void add_to_store(sn_real *store, const schur *front) {
    for (int k = 0; k < 7; ++k) {
        for (int m = k; m < 7; ++m) {
            sn_real *row = store + UPPER7(k, m) * SN_LANES;
            v_store(row, v_load(row) + front->a[k][m]);
        }
        sn_real *row = store + (SCHUR_TRIANGLE + k) * SN_LANES;
        v_store(row, v_load(row) + front->side[k]);
    }
}

// Tips to root: fills the factors, returns the energy at start->from. The root's step is left in 'front'.
SN_INLINE vreal descend(const sn_packet *packet, const newton_start *start, sn_real *factors, sn_real *stores,
                        schur *front, const bool volume_bend) {
    const sn_topology *t = packet->topology;
    for (size_t k = 0; k < (size_t)t->stores * SCHUR_ROWS; ++k) v_store(stores + k * SN_LANES, v_set(0));
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
    SN_UNROLL for (int k = 0; k < 7; ++k) x[k] = front->side[k];
    store_step(&steps, 0, x);
    block_state parent = move(packet, 0, load_state(start->from, 0), x, v_set(1), packet->xh);
    store_state(to, 0, parent);
    vreal energy = inertia_energy(packet, 0, parent, load_state(packet->xh, 0), parent.s, start->inv_h2);
    for (int i = 1; i < t->blocks; ++i) {
        int p = t->parent[i];
        if (p == i - 1) {
            SN_UNROLL for (int k = 0; k < 7; ++k) x[7 + k] = x[k];
        } else {
            load_step(&steps, p, x + 7);
            parent = load_state(to, p);
        }
        const sn_real *factor = factors + (size_t)i * PLAIN_ROWS * SN_LANES;
        int row = PLAIN_L;
        SN_UNROLL for (int k = 6; k >= 0; --k) {
            const int end = k < 4 ? 11 : 14;
            vreal sum = v_load(factor + (PLAIN_L + k) * SN_LANES);
            SN_UNROLL for (int m = end - 1; m > k; --m) sum -= v_load(factor + (--row) * SN_LANES) * x[m];
            x[k] = sum;
        }
        store_step(&steps, i, x);
        block_state child = move(packet, i, load_state(start->from, i), x, v_set(1), packet->xh);
        store_state(to, i, child);
        energy += block_energy(packet, start, i, child, parent, volume_bend);
        parent = child;
    }
    return energy;
}

SN_INLINE sn_verdict solve(sn_packet *packet, const sn_substep *step, sn_real *scratch, const bool volume_bend) {
    const sn_topology *t = packet->topology;
    sn_real *stores = scratch + (size_t)t->blocks * PLAIN_ROWS * SN_LANES;
    step_rows steps = {scratch + (size_t)PLAIN_L * SN_LANES, PLAIN_ROWS};
    sn_verdict verdict = {0, 0};
    for (int k = 0; k < step->iterations; ++k) {
        newton_start start = begin_iteration(packet, step, k);
        sn_real *to = packet->xt;
        schur front;
        vreal before = descend(packet, &start, scratch, stores, &front, volume_bend);
        vreal after = ascend(packet, &start, to, scratch, &front, volume_bend);
        verdict.searched |= shorten_where_worse(packet, &start, &steps, to, before, after);
        end_iteration(packet);
    }
    return verdict;
}

sn_verdict SN_LANE_NAME(sn_rod_direct_plain)(sn_packet *packet, const sn_substep *step, sn_real *scratch);
sn_verdict SN_LANE_NAME(sn_rod_direct_plain)(sn_packet *packet, const sn_substep *step, sn_real *scratch) {
    return solve(packet, step, scratch, false);
}

sn_verdict SN_LANE_NAME(sn_rod_direct_volume_bend)(sn_packet *packet, const sn_substep *step, sn_real *scratch);
sn_verdict SN_LANE_NAME(sn_rod_direct_volume_bend)(sn_packet *packet, const sn_substep *step, sn_real *scratch) {
    return solve(packet, step, scratch, true);
}

size_t SN_LANE_NAME(sn_rod_direct_plain_scratch)(const sn_topology *topology);
size_t SN_LANE_NAME(sn_rod_direct_plain_scratch)(const sn_topology *topology) {
    return ((size_t)topology->blocks * PLAIN_ROWS + (size_t)topology->stores * SCHUR_ROWS) * SN_LANES;
}
