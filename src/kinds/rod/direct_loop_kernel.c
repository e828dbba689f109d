// The direct solver for loops with branches (see direct_kernel.c for the maths).
//
// The root's segment ends at a block far down the tree, parent[0]. So the root's 7 unknowns are kept as a border that the
// blocks on the cycle meet, and are solved last. Blocks off the cycle (the arms of an octopus) go the plain way.
//
//     root <- ... <- block <- ... <- parent[0]          each block on this path: own 7, parent's 7, border 7
//       |_______________________________|               what it leaves: 7x7 on the parent, 7x7 parent-border, 7x7 border
//
#include "kinds/rod/direct_dense.h"
#include "kinds/rod/direct_plain.h"

// What the path below a block has left besides the block's own front.
typedef struct {
    vreal cross[7][7]; // own with border
    vreal own[7][7];   // border with border, upper triangle
    vreal side[7];     // of the border
} border_front;

static void clear_border(border_front *border) {
    for (int k = 0; k < 7; k++) {
        for (int m = 0; m < 7; m++) border->cross[k][m] = border->own[k][m] = v_set(0);
        border->side[k] = v_set(0);
    }
}

// Eliminates a block on the cycle; front and border become what it leaves to its parent.
static vreal eliminate_on_cycle(const sn_packet *packet, const newton_start *start, int i, block_state child,
                                block_state parent, schur *front, border_front *border, sn_real *factor) {
    const sn_topology *t = packet->topology;
    local_system sys;
    clear_system(&sys);
    for (int k = 0; k < 7; k++) {
        for (int m = k; m < 7; m++) {
            sys.a[k][m] = front->a[k][m];
            sys.a[BORDER + k][BORDER + m] = border->own[k][m];
        }
        for (int m = 0; m < 7; m++) sys.a[k][BORDER + m] = border->cross[k][m];
        sys.b[k] = front->side[k];
        sys.b[BORDER + k] = border->side[k];
    }
    vreal energy = add_terms(packet, start, i, child, parent, 0, PARENT, &sys);
    if (i == t->parent[0]) energy += add_terms(packet, start, 0, load_state(start->from, 0), child, BORDER, 0, &sys);
    vreal diagonal[4] = {sys.a[0][0], sys.a[1][1], sys.a[2][2], sys.a[3][3]};
    energy += add_inertia(packet, start, i, child, K(0.5) * (child.s + parent.s), diagonal, sys.b);
    for (int k = 0; k < 4; k++) sys.a[k][k] = diagonal[k];
    eliminate_own(&sys, ALL, factor);
    for (int k = 0; k < 7; k++) {
        for (int m = k; m < 7; m++) {
            front->a[k][m] = sys.a[PARENT + k][PARENT + m];
            border->own[k][m] = sys.a[BORDER + k][BORDER + m];
        }
        for (int m = 0; m < 7; m++) border->cross[k][m] = sys.a[PARENT + k][BORDER + m];
        front->side[k] = sys.b[PARENT + k];
        border->side[k] = sys.b[BORDER + k];
    }
    return energy;
}

// At the root the parent's unknowns and the border are the same: adds the border to the root's front.
static void close_loop(schur *front, const border_front *border) {
    for (int k = 0; k < 7; k++) {
        for (int m = k; m < 7; m++) front->a[k][m] += border->own[k][m] + border->cross[k][m] + border->cross[m][k];
        front->side[k] += border->side[k];
    }
}

// Where the factors of a block are: on the cycle dense ones behind all plain ones.
static sn_real *dense_factor(sn_real *factors, const sn_topology *t, int i) {
    int before = 0;
    for (int k = 0; k < i; k++) before += t->on_cycle[k];
    return factors + ((size_t)t->blocks * PLAIN_ROWS + (size_t)before * FACTOR_ROWS) * SN_LANES;
}

static vreal descend(const sn_packet *packet, const newton_start *start, sn_real *factors, sn_real *stores,
                     schur *front, const bool volume_bend) {
    const sn_topology *t = packet->topology;
    for (size_t k = 0; k < (size_t)t->stores * SCHUR_ROWS; k++) v_store(stores + k * SN_LANES, v_set(0));
    clear(front);
    border_front border;
    clear_border(&border);
    vreal energy = v_set(0);
    for (int i = t->blocks - 1; i > 0; --i) {
        int p = t->parent[i];
        block_state child = load_state(start->from, i), parent = load_state(start->from, p);
        if (t->store[i] >= 0) load_schur(front, stores + (size_t)t->store[i] * SCHUR_ROWS * SN_LANES);
        if (t->on_cycle[i])
            energy += eliminate_on_cycle(packet, start, i, child, parent, front, &border, dense_factor(factors, t, i));
        else
            energy += eliminate(packet, start, i, child, parent, front, factors + (size_t)i * PLAIN_ROWS * SN_LANES,
                                volume_bend);
        if (p == i - 1) continue;
        add_to_store(stores + (size_t)t->store[p] * SCHUR_ROWS * SN_LANES, front);
        clear(front);
    }
    if (t->store[0] >= 0) load_schur(front, stores + (size_t)t->store[0] * SCHUR_ROWS * SN_LANES);
    close_loop(front, &border);
    block_state root = load_state(start->from, 0);
    vreal mean_s = K(0.5) * (root.s + v_load(ROW(start->from, X_ROWS, t->parent[0], X_S)));
    vreal diagonal[4] = {front->a[0][0], front->a[1][1], front->a[2][2], front->a[3][3]};
    energy += add_inertia(packet, start, 0, root, mean_s, diagonal, front->side);
    for (int k = 0; k < 4; k++) front->a[k][k] = diagonal[k];
    solve_root(front);
    return energy;
}

static void ascend(const sn_packet *packet, const newton_start *start, sn_real *to, sn_real *factors,
                   const schur *front) {
    const sn_topology *t = packet->topology;
    step_rows steps = {factors + (size_t)PLAIN_L * SN_LANES, PLAIN_ROWS};
    store_step(&steps, 0, front->side);
    store_state(to, 0, move(packet, 0, load_state(start->from, 0), front->side, v_set(1), packet->xh));
    for (int i = 1; i < t->blocks; i++) {
        vreal x[ALL];
        load_step(&steps, t->parent[i], x + PARENT);
        if (t->on_cycle[i]) {
            const sn_real *factor = dense_factor(factors, t, i);
            for (int k = 0; k < 7; k++) {
                x[k] = v_load(factor + (7 * ALL + k) * SN_LANES);
                x[BORDER + k] = front->side[k];
            }
            x[GRAND] = v_set(0);
            for (int k = 6; k >= 0; --k)
                for (int m = k + 1; m < ALL; m++) x[k] -= v_load(factor + (k * ALL + m) * SN_LANES) * x[m];
        } else
            substitute(factors + (size_t)i * PLAIN_ROWS * SN_LANES, x);
        store_step(&steps, i, x);
        store_state(to, i, move(packet, i, load_state(start->from, i), x, v_set(1), packet->xh));
    }
}

static void iterate(const sn_packet *packet, const newton_start *start, sn_real *scratch, vreal *before, vreal *after) {
    const sn_topology *t = packet->topology;
    int on_cycle = 0;
    for (int i = 0; i < t->blocks; i++) on_cycle += t->on_cycle[i];
    sn_real *stores = scratch + ((size_t)t->blocks * PLAIN_ROWS + (size_t)on_cycle * FACTOR_ROWS) * SN_LANES;
    schur front;
    *before = descend(packet, start, scratch, stores, &front, t->volume_bend);
    ascend(packet, start, packet->xt, scratch, &front);
    *after = whole_energy(packet, start, packet->xt);
}

sn_verdict SN_LANE_NAME(sn_rod_direct_loop)(sn_packet *packet, const sn_substep *step, sn_real *scratch);
sn_verdict SN_LANE_NAME(sn_rod_direct_loop)(sn_packet *packet, const sn_substep *step, sn_real *scratch) {
    step_rows steps = {scratch + (size_t)PLAIN_L * SN_LANES, PLAIN_ROWS};
    return newton(packet, step, scratch, &steps, iterate, false);
}

size_t SN_LANE_NAME(sn_rod_direct_loop_scratch)(const sn_topology *topology);
size_t SN_LANE_NAME(sn_rod_direct_loop_scratch)(const sn_topology *topology) {
    return (size_t)topology->blocks * (PLAIN_ROWS + FACTOR_ROWS + SCHUR_ROWS) * SN_LANES;
}
