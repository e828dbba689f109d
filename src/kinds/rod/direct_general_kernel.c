// The direct solver with eq. 15, on trees and loops (see direct_kernel.c for the maths).
//
// Two things widen a block's neighbourhood. Scale bending at the parent's point joins the scales of child, parent and
// grandparent. In a loop the root's segment ends at a block far down the tree; so the root's 7 unknowns are kept as a border
// that all blocks on the cycle meet, and are solved last. The local system of block i is dense over
//
//     0..6  own c s theta     7..13  parent's     14  scale of the grandparent     15..21  border: the root's
//
// One coupling would leave this pattern: in a loop, scale bending at the root's point joins the scales of its children and of
// parent[0]. There the matrix gets a diagonal that dominates the coupling, and the right side stays exact: iterations
// converge to the same state.
#include "kinds/rod/direct_dense.h"

// What is left on a block by lower ones: its own 7, its parent's scale, the border.
enum { FRONT = 15, FRONT_ROWS = FRONT * FRONT + FRONT };
static const unsigned char front_place[FRONT] = {0, 1, 2, 3, 4, 5, 6, PARENT + 3, 15, 16, 17, 18, 19, 20, 21};
// Where each of the remaining unknowns 7..21 stands in the parent's front.
static const unsigned char after_place[FRONT] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};

// Eq. 15 at the parent's point of block i; places of the three scales.
static vreal add_scale_bend(const sn_packet *packet, const sn_real *x, int i, const int place[3], local_system *sys) {
    const sn_topology *t = packet->topology;
    int p = t->parent[i], g = t->parent[p];
    vreal up = param(packet, i, P_SB_CHILD), down = param(packet, i, P_SB_PARENT), k = param(packet, i, P_SCALEBEND);
    vreal bend = measure_scale_bend(packet, i, v_load(ROW(x, X_ROWS, i, X_S)), v_load(ROW(x, X_ROWS, p, X_S)),
                                    v_load(ROW(x, X_ROWS, g, X_S)));
    const vreal weight[3] = {up, -(up + down), down};
    for (int a = 0; a < 3; a++) {
        for (int b = a; b < 3; b++) put(sys, place[a], place[b], k * weight[a] * weight[b]);
        sys->b[place[a]] -= k * bend * weight[a];
    }
    return K(0.5) * k * bend * bend;
}

// The same at the root of a loop, for one of its three scales: exact right side, dominating diagonal.
static vreal add_root_scale_bend(const sn_packet *packet, const sn_real *x, int i, int which, int place,
                                 local_system *sys) {
    int g = packet->topology->parent[0];
    vreal up = param(packet, i, P_SB_CHILD), down = param(packet, i, P_SB_PARENT), k = param(packet, i, P_SCALEBEND);
    vreal bend = measure_scale_bend(packet, i, v_load(ROW(x, X_ROWS, i, X_S)), v_load(ROW(x, X_ROWS, 0, X_S)),
                                    v_load(ROW(x, X_ROWS, g, X_S)));
    const vreal weight[3] = {up, -(up + down), down}, size[3] = {up, up + down, down};
    put(sys, place, place, k * size[which] * (K(2) * (up + down)));
    sys->b[place] -= k * bend * weight[which];
    return which == 0 ? K(0.5) * k * bend * bend : v_set(0);
}

// Tips to root; the root's step is left in root_step.
static vreal descend(const sn_packet *packet, const newton_start *start, sn_real *factors, sn_real *fronts,
                     vreal root_step[7]) {
    const sn_topology *t = packet->topology;
    const sn_real *x = start->from;
    for (size_t k = 0; k < (size_t)t->blocks * FRONT_ROWS; k++) v_store(fronts + k * SN_LANES, v_set(0));
    vreal energy = v_set(0);
    local_system sys;
    for (int i = t->blocks - 1; i > 0; --i) {
        int p = t->parent[i], g = t->parent[p];
        clear_system(&sys);
        const sn_real *front = fronts + (size_t)i * FRONT_ROWS * SN_LANES;
        for (int k = 0; k < FRONT; k++) {
            for (int m = k; m < FRONT; m++)
                put(&sys, front_place[k], front_place[m], v_load(front + (k * FRONT + m) * SN_LANES));
            sys.b[front_place[k]] += v_load(front + (FRONT * FRONT + k) * SN_LANES);
        }
        block_state child = load_state(x, i), parent = load_state(x, p);
        energy += add_terms(packet, start, i, child, parent, 0, PARENT, &sys);
        if (t->scale_bend && g >= 0) {
            if (p != 0)
                energy += add_scale_bend(packet, x, i, (const int[3]){3, PARENT + 3, GRAND}, &sys);
            else { // at the root of a loop
                energy += add_root_scale_bend(packet, x, i, 0, 3, &sys);
                add_root_scale_bend(packet, x, i, 1, PARENT + 3, &sys);
            }
        }
        if (t->loop && i == t->parent[0]) {
            block_state root = load_state(x, 0);
            energy += add_terms(packet, start, 0, root, child, BORDER, 0, &sys);
            if (t->scale_bend) {
                energy += add_scale_bend(packet, x, 0, (const int[3]){BORDER + 3, 3, PARENT + 3}, &sys);
                for (int c = 1; c < t->blocks; c++)
                    if (t->parent[c] == 0) add_root_scale_bend(packet, x, c, 2, 3, &sys);
            }
        }
        vreal diagonal[4] = {sys.a[0][0], sys.a[1][1], sys.a[2][2], sys.a[3][3]};
        energy += add_inertia(packet, start, i, child, K(0.5) * (child.s + parent.s), diagonal, sys.b);
        for (int k = 0; k < 4; k++) sys.a[k][k] = diagonal[k];

        bool on_cycle = t->loop && t->on_cycle[i];
        eliminate_own(&sys, on_cycle ? ALL : BORDER, factors + (size_t)i * FACTOR_ROWS * SN_LANES);

        // Hand the rest to the parent. Where the parent is the root, the border is the parent itself.
        sn_real *up = fronts + (size_t)p * FRONT_ROWS * SN_LANES;
        for (int k = 0; k < FRONT; k++) {
            for (int m = k; m < FRONT; m++) {
                int r = after_place[k], c = after_place[m];
                vreal v = sys.a[PARENT + k][PARENT + m];
                if (p == 0 && m > 7) {
                    c -= 8;
                    if (k > 7) r -= 8;
                    if (r > c) { // an entry below the diagonal: its mirror
                        int swap = r;
                        r = c, c = swap;
                    } else if (r == c && k != m)
                        v = v + v; // parent-border coupling of one unknown with itself counts twice
                }
                sn_real *row = up + (r * FRONT + c) * SN_LANES;
                v_store(row, v_load(row) + v);
            }
            int r = after_place[k];
            if (p == 0 && k > 7) r -= 8;
            sn_real *row = up + (FRONT * FRONT + r) * SN_LANES;
            v_store(row, v_load(row) + sys.b[PARENT + k]);
        }
    }
    // The root: own unknowns only.
    vreal a[7][7], b[7];
    for (int k = 0; k < 7; k++) {
        for (int m = k; m < 7; m++) a[k][m] = v_load(fronts + (k * FRONT + m) * SN_LANES);
        b[k] = v_load(fronts + (FRONT * FRONT + k) * SN_LANES);
    }
    block_state root = load_state(x, 0);
    vreal mean_s = t->loop ? K(0.5) * (root.s + v_load(ROW(x, X_ROWS, t->parent[0], X_S))) : root.s;
    vreal diagonal[4] = {a[0][0], a[1][1], a[2][2], a[3][3]};
    energy += add_inertia(packet, start, 0, root, mean_s, diagonal, b);
    for (int k = 0; k < 4; k++) a[k][k] = diagonal[k];
    if (!t->loop)
        for (int k = 4; k < 7; k++) a[k][k] += param(packet, 0, P_INERTIA_T) * start->inv_h2;
    for (int k = 0; k < 7; k++) {
        vreal inverse = invert_pivot(a[k][k], a[k][k]);
        for (int m = k + 1; m < 7; m++) {
            vreal l = a[k][m] * inverse;
            for (int n = m; n < 7; n++) a[m][n] -= l * a[k][n];
            b[m] -= l * b[k];
            a[k][m] = l; // row k is not needed any more; n = m was its last use
        }
        b[k] *= inverse;
    }
    for (int k = 6; k >= 0; --k) {
        for (int m = k + 1; m < 7; m++) b[k] -= a[k][m] * b[m];
        root_step[k] = b[k];
    }
    return energy;
}

// Root to tips: every block's step, in place of its right side; then the new state.
static void ascend(const sn_packet *packet, const newton_start *start, sn_real *to, sn_real *factors,
                   const vreal root_step[7]) {
    const sn_topology *t = packet->topology;
    step_rows steps = {factors + (size_t)7 * ALL * SN_LANES, FACTOR_ROWS};
    store_step(&steps, 0, root_step);
    store_state(to, 0, move(packet, 0, load_state(start->from, 0), root_step, v_set(1), packet->xh));
    for (int i = 1; i < t->blocks; i++) {
        int p = t->parent[i], g = t->parent[p];
        vreal x[ALL];
        load_step(&steps, i, x);
        load_step(&steps, p, x + PARENT);
        x[GRAND] = v_set(0);
        if (g >= 0) {
            vreal grand[7];
            load_step(&steps, g, grand);
            if (p != 0) x[GRAND] = grand[3];
        }
        for (int k = 0; k < 7; k++) x[BORDER + k] = root_step[k];
        int end = t->loop && t->on_cycle[i] ? ALL : BORDER;
        const sn_real *factor = factors + (size_t)i * FACTOR_ROWS * SN_LANES;
        for (int k = 6; k >= 0; --k)
            for (int m = k + 1; m < end; m++) x[k] -= v_load(factor + (k * ALL + m) * SN_LANES) * x[m];
        store_step(&steps, i, x);
        store_state(to, i, move(packet, i, load_state(start->from, i), x, v_set(1), packet->xh));
    }
}

static void iterate(const sn_packet *packet, const newton_start *start, sn_real *scratch, vreal *before, vreal *after) {
    sn_real *fronts = scratch + (size_t)packet->topology->blocks * FACTOR_ROWS * SN_LANES;
    vreal root_step[7];
    *before = descend(packet, start, scratch, fronts, root_step);
    ascend(packet, start, packet->xt, scratch, root_step);
    *after = whole_energy(packet, start, packet->xt);
}

sn_verdict SN_LANE_NAME(sn_rod_direct_general)(sn_packet *packet, const sn_substep *step, sn_real *scratch);
sn_verdict SN_LANE_NAME(sn_rod_direct_general)(sn_packet *packet, const sn_substep *step, sn_real *scratch) {
    step_rows steps = {scratch + (size_t)7 * ALL * SN_LANES, FACTOR_ROWS};
    return newton(packet, step, scratch, &steps, iterate, false);
}

size_t SN_LANE_NAME(sn_rod_direct_general_scratch)(const sn_topology *topology);
size_t SN_LANE_NAME(sn_rod_direct_general_scratch)(const sn_topology *topology) {
    return (size_t)topology->blocks * (FACTOR_ROWS + FRONT_ROWS) * SN_LANES;
}
