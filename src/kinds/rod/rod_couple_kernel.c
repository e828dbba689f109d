// Rods in the common solve (base/solve.h), in lanes: gradient, factor, solves with it, and vectors.
//
// The matrix is that of the direct solver (direct_kernel.c) plus, for every contact on a segment, its stiffness k j j^T with j over
// centre and scale of both ends and the frame's rotation about the axis. Both lie in the tree's pattern, so the factor is
// as cheap as without contacts. Unlike there, the factor is kept, for several right sides.
//
//     L D L^T:   block i     own 0..6 | parent 7..13 | border 14..20 (the root's, for blocks on the cycle of a loop)
//     rows       a block: 58 of L and 7 of 1/D; on the cycle 7 x 21 of L and 7 of 1/D behind all of these
//
// Eq. 15 (scale bending) joins the scales of three blocks. Here its matrix is the diagonal that dominates it, its gradient is
// exact: iterations come to the same state.
#include "kinds/rod/direct_plain.h"

enum { PAIR = 14, CYCLE = 21 };
enum { L_ROWS = PLAIN_L, BLOCK_ROWS = L_ROWS + 7, CYCLE_ROWS = 7 * CYCLE + 7, ROOT_ROWS = 28 };
enum { OWN_AND_PARENT = 11 }; // own 7, and centre and scale of the parent: what contacts may touch
#define VECTOR(name, i) ((name) + (size_t)(i)*7 * SN_LANES)

SN_INLINE void load7(const sn_real *rows, int i, vreal out[7]) {
    SN_UNROLL for (int k = 0; k < 7; k++) out[k] = v_load(VECTOR(rows, i) + k * SN_LANES);
}
SN_INLINE void store7(sn_real *rows, int i, const vreal in[7]) {
    SN_UNROLL for (int k = 0; k < 7; k++) v_store(VECTOR(rows, i) + k * SN_LANES, in[k]);
}

SN_INLINE sn_real *block_factor(const sn_rod_coupled *c, int i) {
    return c->factor + (size_t)i * BLOCK_ROWS * SN_LANES;
}
static sn_real *cycle_factor(const sn_topology *t, const sn_rod_coupled *c, int i) {
    int before = 0;
    for (int k = 0; k < i; k++) before += t->on_cycle[k];
    return c->factor + ((size_t)t->blocks * BLOCK_ROWS + (size_t)before * CYCLE_ROWS) * SN_LANES;
}
static sn_real *root_factor(const sn_topology *t, const sn_rod_coupled *c) {
    int on_cycle = 0;
    for (int k = 0; t->loop && k < t->blocks; k++) on_cycle += t->on_cycle[k];
    return c->factor + ((size_t)t->blocks * BLOCK_ROWS + (size_t)on_cycle * CYCLE_ROWS) * SN_LANES;
}
static sn_real *store_rows(const sn_topology *t, const sn_rod_coupled *c) {
    return root_factor(t, c) + ROOT_ROWS * SN_LANES;
}

size_t SN_LANE_NAME(sn_rod_couple_rows)(const sn_topology *t);
size_t SN_LANE_NAME(sn_rod_couple_rows)(const sn_topology *t) {
    int on_cycle = 0;
    for (int k = 0; t->loop && k < t->blocks; k++) on_cycle += t->on_cycle[k];
    return (size_t)t->blocks * BLOCK_ROWS + (size_t)on_cycle * CYCLE_ROWS + ROOT_ROWS + (size_t)t->stores * SCHUR_ROWS;
}

// ---- stiffness of couplings on the segment of block i: upper triangle over own 0..6 and the parent's c s as 7..10

typedef struct {
    bool any;
    _Alignas(64) sn_real a[OWN_AND_PARENT][OWN_AND_PARENT][SN_LANES];
} coupling_block;

SN_INLINE void add_coupling_rows(const sn_rod_coupled *c, const sn_solve *solve, const sn_real *x, int i,
                                 coupling_block *block) {
    block->any = false;
    for (int lane = 0; lane < SN_LANES; lane++) {
        if (c->first[lane] < 0) continue;
        const int slot = c->first[lane] + i, from = solve->row_first[slot], to = solve->row_first[slot + 1];
        if (from == to) continue;
        if (!block->any) {
            block->any = true;
            for (int k = 0; k < OWN_AND_PARENT; k++)
                for (int m = k; m < OWN_AND_PARENT; m++)
                    for (int n = 0; n < SN_LANES; n++) block->a[k][m][n] = 0;
        }
        const sn_real *q = ROW(x, X_ROWS, i, X_QX) + lane;
        const sn_real qx = q[0], qy = q[SN_LANES], qz = q[2 * SN_LANES], qw = q[3 * SN_LANES];
        const sn_real w[3] = {2 * (qx * qz + qw * qy), 2 * (qy * qz - qw * qx), 1 - 2 * (qx * qx + qy * qy)};
        for (int r = from; r < to; r++) {
            const sn_stiffness_row *row = &solve->rows[r];
            const sn_real j[OWN_AND_PARENT] = {row->b[0],        row->b[1],        row->b[2],        row->b[3],
                                               row->spin * w[0], row->spin * w[1], row->spin * w[2], row->a[0],
                                               row->a[1],        row->a[2],        row->a[3]};
            for (int k = 0; k < OWN_AND_PARENT; k++) {
                const sn_real kj = row->k * j[k];
                for (int m = k; m < OWN_AND_PARENT; m++) block->a[k][m][lane] += kj * j[m];
            }
        }
    }
}

// ---- factor

SN_INLINE void add_gradient(const block_terms *t, vreal own[7], vreal above[7]) {
    own[0] -= t->gc.x, own[1] -= t->gc.y, own[2] -= t->gc.z, own[3] -= t->gs;
    own[4] -= t->gt.x + t->joint_g.x, own[5] -= t->gt.y + t->joint_g.y, own[6] -= t->gt.z + t->joint_g.z;
    above[0] += t->gc.x, above[1] += t->gc.y, above[2] += t->gc.z, above[3] -= t->gsp + t->joint_gs;
    above[4] += t->joint_g.x, above[5] += t->joint_g.y, above[6] += t->joint_g.z;
}

// A block's system over own and parent: a[k][m] of own rows, p[k][m] of the parent's. Adds the segment and joint; the gradient goes
// to r, of which 'own' is the block's and 'above' the parent's.
SN_INLINE void assemble(const block_terms *t, vreal a[7][PAIR], vreal p[7][7], vreal own[7], vreal above[7]) {
    const vreal cs[3] = {t->cs.x, t->cs.y, t->cs.z}, jts[3] = {t->joint_ts.x, t->joint_ts.y, t->joint_ts.z};
    SN_UNROLL for (int k = 0; k < 3; k++) {
        SN_UNROLL for (int m = k; m < 3; m++) {
            a[k][m] += t->cc[k][m];
            a[4 + k][4 + m] += t->tt[k][m] + t->joint_t[k][m];
            p[k][m] = t->cc[k][m];
            p[4 + k][4 + m] = t->joint_t[k][m];
        }
        SN_UNROLL for (int m = 0; m < 3; m++) {
            a[k][4 + m] += t->ct[k][m];
            a[k][7 + m] = -t->cc[k < m ? k : m][k < m ? m : k];
            a[4 + k][7 + m] = -t->ct[m][k];
            a[4 + k][11 + m] = -t->joint_t[k < m ? k : m][k < m ? m : k];
            p[k][4 + m] = v_set(0);
            a[k][11 + m] = v_set(0);
        }
        a[k][3] += cs[k];
        a[k][10] = cs[k];
        a[3][7 + k] = -cs[k];
        a[3][11 + k] = v_set(0);
        a[4 + k][10] = jts[k];
        p[k][3] = -cs[k];
        p[3][4 + k] = -jts[k];
    }
    const v3 *jx = &t->joint_x;
    a[4][12] += jx->z, a[4][13] -= jx->y, a[5][11] -= jx->z, a[5][13] += jx->x, a[6][11] += jx->y, a[6][12] -= jx->x;
    a[3][3] += t->ss + t->sg;
    a[3][10] = t->ss - t->sg;
    p[3][3] = t->ss + t->sg + t->joint_ss;
    add_gradient(t, own, above);
}

SN_INLINE void add_coupling_block(const coupling_block *block, vreal a[7][PAIR], vreal p[7][7]) {
    if (!block->any) return;
    for (int k = 0; k < 7; k++)
        for (int m = k; m < OWN_AND_PARENT; m++) a[k][m] += v_load(block->a[k][m]);
    for (int k = 7; k < OWN_AND_PARENT; k++)
        for (int m = k; m < OWN_AND_PARENT; m++) p[k - 7][m - 7] += v_load(block->a[k][m]);
}

// Eq. 15 at the parent's point: gradient into r, a dominating diagonal into the extra rows (one a block) of c->extra.
static void add_scale_bend(const sn_packet *packet, const sn_rod_coupled *c, const sn_real *x) {
    const sn_topology *t = packet->topology;
    for (int i = 0; i < t->blocks; i++) v_store(c->extra + (size_t)i * SN_LANES, v_set(0));
    if (!t->scale_bend) return;
    for (int i = 0; i < t->blocks; i++) {
        const int p = t->parent[i], g = p < 0 ? -1 : t->parent[p];
        if (g < 0) continue;
        const int who[3] = {i, p, g};
        vreal up = param(packet, i, P_SB_CHILD), down = param(packet, i, P_SB_PARENT);
        vreal k = param(packet, i, P_SCALEBEND);
        vreal bend = measure_scale_bend(packet, i, v_load(ROW(x, X_ROWS, i, X_S)), v_load(ROW(x, X_ROWS, p, X_S)),
                                        v_load(ROW(x, X_ROWS, g, X_S)));
        const vreal weight[3] = {up, -(up + down), down}, size[3] = {up, up + down, down};
        for (int n = 0; n < 3; n++) {
            sn_real *r = VECTOR(c->r, who[n]) + 3 * SN_LANES, *extra = c->extra + (size_t)who[n] * SN_LANES;
            v_store(r, v_load(r) - k * bend * weight[n]);
            v_store(extra, v_load(extra) + k * size[n] * (K(2) * (up + down)));
        }
    }
}

// Node forces of coupled lanes, as a right side: five numbers a node become seven.
SN_INLINE void gather_force(const sn_rod_coupled *c, const sn_solve *solve, const sn_real *x, int i, vreal out[7]) {
    _Alignas(64) sn_real f[5][SN_LANES];
    for (int lane = 0; lane < SN_LANES; lane++) {
        const int slot = c->first[lane] + i;
        const bool there = c->first[lane] >= 0;
        for (int k = 0; k < 4; k++) f[k][lane] = there ? solve->force[4 * (size_t)slot + (size_t)k] : 0;
        f[4][lane] = there ? solve->force_spin[slot] : 0;
    }
    v3 w = vq_axis_z(load4(x, X_ROWS, i, X_QX));
    vreal spin = v_load(f[4]);
    SN_UNROLL for (int k = 0; k < 4; k++) out[k] = v_load(f[k]);
    out[4] = spin * w.x, out[5] = spin * w.y, out[6] = spin * w.z;
}

SN_INLINE void scatter_step(const sn_rod_coupled *c, const sn_solve *solve, const sn_real *x, int i,
                            const vreal in[7]) {
    v3 w = vq_axis_z(load4(x, X_ROWS, i, X_QX));
    _Alignas(64) sn_real f[5][SN_LANES];
    SN_UNROLL for (int k = 0; k < 4; k++) v_store(f[k], in[k]);
    v_store(f[4], in[4] * w.x + in[5] * w.y + in[6] * w.z);
    for (int lane = 0; lane < SN_LANES; lane++) {
        if (c->first[lane] < 0 || (c->assembled >> lane & 1)) continue;
        const size_t slot = (size_t)(c->first[lane] + i);
        for (size_t k = 0; k < 4; k++) solve->step[4 * slot + k] = f[k][lane];
        solve->step_spin[slot] = f[4][lane];
    }
}

typedef struct {
    vreal a[7][7];
} front7;

SN_INLINE void clear_front(front7 *f) {
    for (int k = 0; k < 7; k++)
        for (int m = k; m < 7; m++) f->a[k][m] = v_set(0);
}

// LDL^T of the own rows; what is left of the parent's is the next front.
SN_INLINE void eliminate_block(vreal a[7][PAIR], vreal p[7][7], sn_real *factor) {
    vreal whole[7];
    SN_UNROLL for (int k = 0; k < 7; k++) whole[k] = a[k][k];
    int row = 0;
    SN_UNROLL for (int k = 0; k < 7; k++) {
        const int end = k < 4 ? 11 : 14; // c and s do not meet the parent's theta
        vreal inverse = invert_pivot(a[k][k], whole[k]);
        SN_UNROLL for (int m = k + 1; m < end; m++) {
            vreal l = a[k][m] * inverse;
            v_store(factor + (row++) * SN_LANES, l);
            SN_UNROLL for (int n = m; n < end; n++) {
                if (m < 7)
                    a[m][n] -= l * a[k][n];
                else
                    p[m - 7][n - 7] -= l * a[k][n];
            }
        }
        v_store(factor + (L_ROWS + k) * SN_LANES, inverse);
    }
}

// The border of a loop: what blocks on the cycle leave on the root besides the parent's front.
typedef struct {
    vreal cross[7][7], own[7][7];
} loop_border;

// A block on the cycle: dense over own, parent and border.
static void eliminate_cycle(const sn_topology *t, const sn_rod_coupled *c, int i, vreal a[7][PAIR], vreal p[7][7],
                            const vreal closing[7][7], loop_border *border) {
    vreal s[CYCLE][CYCLE];
    for (int k = 0; k < CYCLE; k++)
        for (int m = k; m < CYCLE; m++) s[k][m] = v_set(0);
    for (int k = 0; k < 7; k++) {
        for (int m = k; m < PAIR; m++) s[k][m] = a[k][m];
        for (int m = k; m < 7; m++) s[7 + k][7 + m] = p[k][m], s[14 + k][14 + m] = border->own[k][m];
        for (int m = 0; m < 7; m++) s[k][14 + m] = border->cross[k][m] + (closing ? closing[k][m] : v_set(0));
    }
    sn_real *factor = cycle_factor(t, c, i);
    vreal whole[7];
    for (int k = 0; k < 7; k++) whole[k] = s[k][k];
    for (int k = 0; k < 7; k++) {
        vreal inverse = invert_pivot(s[k][k], whole[k]);
        for (int m = k + 1; m < CYCLE; m++) {
            vreal l = s[k][m] * inverse;
            v_store(factor + (k * CYCLE + m) * SN_LANES, l);
            for (int n = m; n < CYCLE; n++) s[m][n] -= l * s[k][n];
        }
        v_store(factor + (7 * CYCLE + k) * SN_LANES, inverse);
    }
    for (int k = 0; k < 7; k++) {
        for (int m = k; m < 7; m++) p[k][m] = s[7 + k][7 + m], border->own[k][m] = s[14 + k][14 + m];
        for (int m = 0; m < 7; m++) border->cross[k][m] = s[7 + k][14 + m];
    }
}

// The segment that closes a loop, from block parent[0] to the root: own rows of the root go to the border, those of its parent to
// the block's own, those between to 'closing' (row: the block's, column: the root's).
static void add_closing_segment(const sn_packet *packet, const newton_start *start, const sn_rod_coupled *c,
                                const sn_solve *solve, coupling_block *block, vreal a[7][PAIR], vreal closing[7][7],
                                loop_border *border) {
    const sn_topology *t = packet->topology;
    const int from = t->parent[0];
    block_state root = load_state(start->from, 0), child = load_state(start->from, from);
    block_terms terms = linearize(packet, start, 0, root, child, true);
    vreal own[7][PAIR], above[7][7], r_own[7], r_above[7];
    for (int k = 0; k < 7; k++)
        for (int m = 0; m < PAIR; m++) own[k][m] = v_set(0);
    load7(c->r, 0, r_own);
    load7(c->r, from, r_above);
    assemble(&terms, own, above, r_own, r_above);
    store7(c->r, 0, r_own);
    store7(c->r, from, r_above);
    add_coupling_rows(c, solve, start->from, 0, block);
    add_coupling_block(block, own, above);
    for (int k = 0; k < 7; k++) {
        for (int m = k; m < 7; m++) {
            border->own[k][m] += own[k][m];
            a[k][m] += above[k][m];
        }
        for (int m = 0; m < 7; m++) closing[m][k] = own[k][7 + m];
    }
}

// whole: the root's diagonal before its children were eliminated, which its pivots' noise is a part of.
static void factor_root(front7 *front, const vreal whole[7], sn_real *factor) {
    int row = 0;
    for (int k = 0; k < 7; k++) {
        vreal inverse = invert_pivot(front->a[k][k], whole[k]);
        for (int m = k + 1; m < 7; m++) {
            vreal l = front->a[k][m] * inverse;
            v_store(factor + (row++) * SN_LANES, l);
            for (int n = m; n < 7; n++) front->a[m][n] -= l * front->a[k][n];
        }
        v_store(factor + (21 + k) * SN_LANES, inverse);
    }
}

// Gradient and inertia into r, before segments are added.
static void begin_residual(const sn_packet *packet, const newton_start *start, const sn_rod_coupled *c,
                           const sn_solve *solve) {
    const sn_topology *t = packet->topology;
    for (int i = 0; i < t->blocks; i++) {
        vreal r[7];
        gather_force(c, solve, start->from, i, r);
        store7(c->r, i, r);
    }
}

SN_INLINE void add_inertia_rows(const sn_packet *packet, const newton_start *start, const sn_rod_coupled *c, int i,
                                block_state x, vreal mean_s, vreal diagonal[4]) {
    vreal r[7];
    load7(c->r, i, r);
    add_inertia(packet, start, i, x, mean_s, diagonal, r);
    diagonal[3] += v_load(c->extra + (size_t)i * SN_LANES);
    store7(c->r, i, r);
}

SN_INLINE void linearise_rods(const sn_packet *packet, const sn_substep *step, const sn_rod_coupled *c,
                              const sn_solve *solve, const bool volume_bend) {
    const sn_topology *t = packet->topology;
    const newton_start start = {c->x, false, 1 / (step->h * step->h)};
    sn_real *stores = store_rows(t, c);
    for (size_t k = 0; k < (size_t)t->stores * SCHUR_ROWS; k++) v_store(stores + k * SN_LANES, v_set(0));
    begin_residual(packet, &start, c, solve);
    add_scale_bend(packet, c, c->x);
    coupling_block block;
    front7 front;
    vreal root_whole[7];
    for (int k = 0; k < 7; k++) root_whole[k] = v_set(0);
    clear_front(&front);
    loop_border border;
    for (int k = 0; k < 7; k++)
        for (int m = 0; m < 7; m++) border.cross[k][m] = border.own[k][m] = v_set(0);
    for (int i = t->blocks - 1; i > 0; --i) {
        const int p = t->parent[i];
        block_state child = load_state(c->x, i), parent = load_state(c->x, p);
        if (t->store[i] >= 0) {
            const sn_real *store = stores + (size_t)t->store[i] * SCHUR_ROWS * SN_LANES;
            for (int k = 0; k < 7; k++)
                for (int m = k; m < 7; m++) front.a[k][m] += v_load(store + UPPER7(k, m) * SN_LANES);
        }
        vreal a[7][PAIR], above[7][7], r_own[7], r_above[7], closing[7][7];
        SN_UNROLL for (int k = 0; k < 7; k++) SN_UNROLL for (int m = k; m < 7; m++) a[k][m] = front.a[k][m];
        block_terms terms = linearize(packet, &start, i, child, parent, volume_bend);
        load7(c->r, i, r_own);
        load7(c->r, p, r_above);
        assemble(&terms, a, above, r_own, r_above);
        store7(c->r, i, r_own);
        store7(c->r, p, r_above);
        vreal diagonal[4] = {a[0][0], a[1][1], a[2][2], a[3][3]};
        add_inertia_rows(packet, &start, c, i, child, K(0.5) * (child.s + parent.s), diagonal);
        SN_UNROLL for (int k = 0; k < 4; k++) a[k][k] = diagonal[k];
        add_coupling_rows(c, solve, c->x, i, &block);
        add_coupling_block(&block, a, above);
        const bool closes = t->loop && i == t->parent[0];
        if (closes) add_closing_segment(packet, &start, c, solve, &block, a, closing, &border);
        for (int k = 0; k < 7 && p == 0; k++) root_whole[k] += above[k][k];
        if (t->loop && t->on_cycle[i])
            eliminate_cycle(t, c, i, a, above, closes ? closing : NULL, &border);
        else
            eliminate_block(a, above, block_factor(c, i));
        for (int k = 0; k < 7; k++)
            for (int m = k; m < 7; m++) front.a[k][m] = above[k][m];
        if (p == i - 1) continue;
        sn_real *store = stores + (size_t)t->store[p] * SCHUR_ROWS * SN_LANES;
        for (int k = 0; k < 7; k++)
            for (int m = k; m < 7; m++) {
                sn_real *row = store + UPPER7(k, m) * SN_LANES;
                v_store(row, v_load(row) + front.a[k][m]);
            }
        clear_front(&front);
    }
    if (t->store[0] >= 0) {
        const sn_real *store = stores + (size_t)t->store[0] * SCHUR_ROWS * SN_LANES;
        for (int k = 0; k < 7; k++)
            for (int m = k; m < 7; m++) front.a[k][m] += v_load(store + UPPER7(k, m) * SN_LANES);
    }
    block_state root = load_state(c->x, 0);
    vreal mean_s = t->loop ? K(0.5) * (root.s + v_load(ROW(c->x, X_ROWS, t->parent[0], X_S))) : root.s;
    if (t->loop)
        for (int k = 0; k < 7; k++)
            for (int m = k; m < 7; m++) front.a[k][m] += border.own[k][m] + border.cross[k][m] + border.cross[m][k];
    vreal diagonal[4] = {front.a[0][0], front.a[1][1], front.a[2][2], front.a[3][3]};
    add_inertia_rows(packet, &start, c, 0, root, mean_s, diagonal);
    for (int k = 0; k < 4; k++) front.a[k][k] = diagonal[k];
    if (!t->loop)
        for (int k = 4; k < 7; k++) front.a[k][k] += param(packet, 0, P_INERTIA_T) * start.inv_h2;
    for (int k = 0; k < 7; k++) root_whole[k] = v_max(root_whole[k], front.a[k][k]);
    factor_root(&front, root_whole, root_factor(t, c));
}

// ---- matrices of assembled rods

static void store_terms(const block_terms *t, sn_real *to) {
    const v3 *vectors[] = {&t->cs, &t->joint_x, &t->joint_ts};
    const int vector_rows[] = {H_CS, H_JOINT_X, H_JOINT_TS};
    for (int k = 0, at = 0; k < 3; k++)
        for (int m = k; m < 3; m++, at++) {
            v_store(to + (H_CC + at) * SN_LANES, t->cc[k][m]);
            v_store(to + (H_TT + at) * SN_LANES, t->tt[k][m]);
            v_store(to + (H_JOINT_T + at) * SN_LANES, t->joint_t[k][m]);
        }
    for (int k = 0; k < 9; k++) v_store(to + (H_CT + k) * SN_LANES, t->ct[k / 3][k % 3]);
    for (int k = 0; k < 3; k++) {
        v_store(to + vector_rows[k] * SN_LANES, vectors[k]->x);
        v_store(to + (vector_rows[k] + 1) * SN_LANES, vectors[k]->y);
        v_store(to + (vector_rows[k] + 2) * SN_LANES, vectors[k]->z);
    }
    v_store(to + H_SS * SN_LANES, t->ss);
    v_store(to + H_SG * SN_LANES, t->sg);
    v_store(to + H_JOINT_SS * SN_LANES, t->joint_ss);
}

// Gradients into r, and what blocks' matrices are made of.
static void write_terms(const sn_packet *packet, const sn_substep *step, const sn_rod_coupled *c,
                        const sn_solve *solve) {
    const sn_topology *t = packet->topology;
    const newton_start start = {c->x, false, 1 / (step->h * step->h)};
    begin_residual(packet, &start, c, solve);
    add_scale_bend(packet, c, c->x);
    for (int i = t->blocks - 1; i >= 0; --i) {
        const int p = t->parent[i];
        sn_real *to = c->terms + (size_t)i * H_ROWS * SN_LANES;
        block_state child = load_state(c->x, i), parent = p < 0 ? child : load_state(c->x, p);
        vreal diagonal[4] = {v_set(0), v_set(0), v_set(0), v_set(0)}, own[7], above[7];
        if (p < 0) {
            for (int k = 0; k < H_ROWS; k++) v_store(to + k * SN_LANES, v_set(0));
        } else {
            block_terms terms = t->volume_bend ? linearize(packet, &start, i, child, parent, true)
                                               : linearize(packet, &start, i, child, parent, false);
            load7(c->r, i, own);
            load7(c->r, p, above);
            add_gradient(&terms, own, above);
            store7(c->r, i, own);
            store7(c->r, p, above);
            store_terms(&terms, to);
        }
        add_inertia_rows(packet, &start, c, i, child, K(0.5) * (child.s + parent.s), diagonal);
        v_store(to + H_EXTRA * SN_LANES, v_load(c->extra + (size_t)i * SN_LANES));
    }
}

// ---- solves

// v := M^-1 v.
static void solve_factor(const sn_topology *t, const sn_rod_coupled *c, sn_real *v) {
    for (int i = t->blocks - 1; i > 0; --i) {
        vreal y[CYCLE];
        load7(v, i, y);
        load7(v, t->parent[i], y + 7);
        if (t->loop && t->on_cycle[i]) {
            const sn_real *factor = cycle_factor(t, c, i);
            if (t->parent[i] == 0)
                for (int k = 0; k < 7; k++) y[14 + k] = v_set(0);
            else
                load7(v, 0, y + 14);
            for (int k = 0; k < 7; k++) {
                for (int m = k + 1; m < CYCLE; m++) y[m] -= v_load(factor + (k * CYCLE + m) * SN_LANES) * y[k];
            }
            for (int k = 0; k < 7; k++) y[k] = y[k] * v_load(factor + (7 * CYCLE + k) * SN_LANES);
            if (t->parent[i] == 0)
                for (int k = 0; k < 7; k++) y[7 + k] += y[14 + k];
            else
                store7(v, 0, y + 14);
        } else {
            const sn_real *factor = block_factor(c, i);
            int row = 0;
            SN_UNROLL for (int k = 0; k < 7; k++) {
                const int end = k < 4 ? 11 : 14;
                SN_UNROLL for (int m = k + 1; m < end; m++) y[m] -= v_load(factor + (row++) * SN_LANES) * y[k];
            }
            SN_UNROLL for (int k = 0; k < 7; k++) y[k] = y[k] * v_load(factor + (L_ROWS + k) * SN_LANES);
        }
        store7(v, i, y);
        store7(v, t->parent[i], y + 7);
    }
    const sn_real *root = root_factor(t, c);
    vreal y[7];
    load7(v, 0, y);
    for (int k = 0, row = 0; k < 7; k++)
        for (int m = k + 1; m < 7; m++) y[m] -= v_load(root + (row++) * SN_LANES) * y[k];
    for (int k = 0; k < 7; k++) y[k] = y[k] * v_load(root + (21 + k) * SN_LANES);
    for (int k = 6, row = 21; k >= 0; --k)
        for (int m = 6; m > k; --m) y[k] -= v_load(root + (--row) * SN_LANES) * y[m];
    store7(v, 0, y);
    for (int i = 1; i < t->blocks; i++) {
        vreal x[CYCLE];
        load7(v, i, x);
        load7(v, t->parent[i], x + 7);
        if (t->loop && t->on_cycle[i]) {
            const sn_real *factor = cycle_factor(t, c, i);
            load7(v, 0, x + 14);
            for (int k = 6; k >= 0; --k)
                for (int m = CYCLE - 1; m > k; --m) x[k] -= v_load(factor + (k * CYCLE + m) * SN_LANES) * x[m];
        } else {
            const sn_real *factor = block_factor(c, i);
            int row = L_ROWS;
            SN_UNROLL for (int k = 6; k >= 0; --k) {
                const int end = k < 4 ? 11 : 14;
                SN_UNROLL for (int m = end - 1; m > k; --m) x[k] -= v_load(factor + (--row) * SN_LANES) * x[m];
            }
        }
        store7(v, i, x);
    }
}

// ---- vectors

// A scalar of each lane's island, 0 where a lane is not coupled or has converged.
SN_INLINE vreal lane_scalars(const sn_rod_coupled *c, const sn_solve *solve, const sn_real *by_island) {
    _Alignas(64) sn_real s[SN_LANES];
    for (int lane = 0; lane < SN_LANES; lane++) {
        const int body = c->body[lane];
        s[lane] = body >= 0 && solve->iterating[solve->island[body]] ? by_island[solve->island[body]] : 0;
    }
    return v_load(s);
}
SN_INLINE void put_scalars(const sn_rod_coupled *c, vreal v, sn_real *by_body) {
    _Alignas(64) sn_real s[SN_LANES];
    v_store(s, v);
    for (int lane = 0; lane < SN_LANES; lane++)
        if (c->body[lane] >= 0) by_body[c->body[lane]] = s[lane];
}
// The same, of lanes that are not assembled.
SN_INLINE void put_products(const sn_rod_coupled *c, vreal v, sn_real *by_body) {
    _Alignas(64) sn_real s[SN_LANES];
    v_store(s, v);
    for (int lane = 0; lane < SN_LANES; lane++)
        if (c->body[lane] >= 0 && !(c->assembled >> lane & 1)) by_body[c->body[lane]] = s[lane];
}
SN_INLINE vmask assembled_lanes(const sn_rod_coupled *c) {
    _Alignas(64) sn_real s[SN_LANES];
    for (int lane = 0; lane < SN_LANES; lane++) s[lane] = c->assembled >> lane & 1;
    return v_less(v_set(0), v_load(s));
}
SN_INLINE vreal dot7(const vreal a[7], const vreal b[7]) {
    vreal sum = a[0] * b[0];
    SN_UNROLL for (int k = 1; k < 7; k++) sum += a[k] * b[k];
    return sum;
}

static void precondition(const sn_topology *t, const sn_rod_coupled *c, const sn_solve *solve, bool with_force) {
    for (int i = 0; i < t->blocks; i++) {
        vreal r[7], f[7];
        load7(c->r, i, r);
        if (with_force) {
            gather_force(c, solve, c->x, i, f);
            SN_UNROLL for (int k = 0; k < 7; k++) r[k] += f[k];
        }
        store7(c->z, i, r);
    }
    solve_factor(t, c, c->z);
    for (int i = 0; i < t->blocks; i++) {
        vreal z[7];
        load7(c->z, i, z);
        scatter_step(c, solve, c->x, i, z);
    }
}

static void force_response(const sn_topology *t, const sn_rod_coupled *c, const sn_solve *solve, sn_real *to) {
    for (int i = 0; i < t->blocks; i++) {
        vreal f[7];
        gather_force(c, solve, c->x, i, f);
        store7(to, i, f);
    }
    solve_factor(t, c, to);
    for (int i = 0; i < t->blocks; i++) {
        vreal z[7];
        load7(to, i, z);
        scatter_step(c, solve, c->x, i, z);
    }
}

static void products(const sn_topology *t, const sn_rod_coupled *c, const sn_solve *solve) {
    vreal rz = v_set(0), old = v_set(0);
    for (int i = 0; i < t->blocks; i++) {
        vreal r[7], z[7], o[7];
        load7(c->r, i, r);
        load7(c->z, i, z);
        load7(c->r_old, i, o);
        rz += dot7(r, z);
        old += dot7(o, z);
    }
    put_products(c, rz, solve->rz);
    put_products(c, old, solve->rz_old);
}

static void direction(const sn_topology *t, const sn_rod_coupled *c, const sn_solve *solve) {
    vreal beta = lane_scalars(c, solve, solve->beta), pmp = v_set(0), pr = v_set(0);
    for (int i = 0; i < t->blocks; i++) {
        vreal r[7], z[7], p[7], mp[7];
        load7(c->r, i, r);
        load7(c->z, i, z);
        load7(c->p, i, p);
        load7(c->mp, i, mp);
        SN_UNROLL for (int k = 0; k < 7; k++) p[k] = z[k] + beta * p[k], mp[k] = r[k] + beta * mp[k];
        pmp += dot7(p, mp);
        pr += dot7(p, r);
        store7(c->p, i, p);
        store7(c->mp, i, mp);
        scatter_step(c, solve, c->x, i, p);
    }
    put_products(c, pmp, solve->pmp);
    put_products(c, pr, solve->pr);
}

static void advance(const sn_topology *t, sn_rod_coupled *c, const sn_solve *solve) {
    vreal alpha = lane_scalars(c, solve, solve->alpha);
    for (int i = 0; i < t->blocks; i++) {
        vreal r[7], p[7], mp[7], d[7], f[7];
        load7(c->r, i, r);
        load7(c->p, i, p);
        load7(c->mp, i, mp);
        load7(c->d, i, d);
        gather_force(c, solve, c->x, i, f);
        store7(c->r_old, i, r);
        SN_UNROLL for (int k = 0; k < 7; k++) {
            d[k] += alpha * p[k];
            r[k] += f[k] - alpha * mp[k];
        }
        store7(c->d, i, d);
        store7(c->r, i, r);
    }
}

// What rounding may make of an energy: strains e are known to some last digits d, so that the sum of k e^2/2 is off by no more than
// the sum of k e d, which is less than 2 sqrt(E N) + N with N the sum of k d^2/2.
static vreal energy_noise(const sn_packet *packet, vreal energy) {
    static const int terms[] = {P_STRETCH, P_SHEAR, P_SECTION, P_VOLUME, P_BEND, P_TWIST};
    vreal sum = v_set(0);
    for (int i = 0; i < packet->topology->blocks; i++)
        for (size_t k = 0; k < sizeof terms / sizeof *terms; k++) sum += param(packet, i, terms[k]);
    vreal noise = K(2) * K(SN_REAL_EPSILON) * K(SN_REAL_EPSILON) * sum; // d: twice the last digit of 1
    return K(2) * v_sqrt(v_abs(energy) * noise) + noise;
}

static void move_rods(const sn_packet *packet, const sn_substep *step, sn_rod_coupled *c, const sn_solve *solve) {
    const sn_topology *t = packet->topology;
    vreal share = lane_scalars(c, solve, solve->share), far = v_set(0);
    const newton_start start = {c->x, false, 1 / (step->h * step->h)};
    const vmask moved = assembled_lanes(c); // already
    for (int i = 0; i < t->blocks; i++) {
        vreal d[7];
        load7(c->d, i, d);
        block_state x = load_state(c->x, i), there = keep_held(packet, i, load_state(c->xn, i), packet->xh);
        block_state y = move(packet, i, x, d, share, packet->xh);
        y = (block_state){v3_select(moved, there.c, y.c), v_select(moved, there.s, y.s), vq_select(moved, there.q, y.q),
                          v3_select(moved, there.low, y.low)};
        store_state(c->xn, i, y);
        v3 dc = v3_sub(y.c, x.c);
        far = v_max(far, v3_dot(dc, dc) * v_load(c->inv_radius2 + (size_t)i * SN_LANES));
        SN_UNROLL for (int k = 0; k < 7; k++) d[k] *= share;
        scatter_step(c, solve, c->x, i, d);
    }
    vreal energy = whole_energy(packet, &start, c->xn);
    put_scalars(c, energy, solve->energy);
    put_scalars(c, energy_noise(packet, energy), solve->noise);
    put_scalars(c, v_sqrt(far), solve->displacement);
}

static void accept(sn_packet *packet, sn_rod_coupled *c, const sn_solve *solve) {
    const sn_topology *t = packet->topology;
    vreal iterating = lane_scalars(c, solve, solve->share);
    vmask moved = v_less(v_set(0), iterating);
    note_forces(packet, c->x, c->xn, moved);
    for (size_t k = 0; k < (size_t)t->blocks * X_ROWS; k++) {
        sn_real *x = c->x + k * SN_LANES;
        v_store(x, v_select(moved, v_load(c->xn + k * SN_LANES), v_load(x)));
    }
}

// Where the substep starts, but with what is held where it is driven. Assembled rods are in xn.
SN_INLINE block_state start_state(const sn_packet *packet, const sn_rod_coupled *c, vmask assembled, int i) {
    block_state a = load_state(packet->x0, i), b = load_state(c->xn, i);
    a = (block_state){v3_select(assembled, b.c, a.c), v_select(assembled, b.s, a.s), vq_select(assembled, b.q, a.q),
                      v3_select(assembled, b.low, a.low)};
    return keep_held(packet, i, a, packet->xh);
}

// E where the substep starts: what is held does not count, it goes where it is driven.
static void start_energy(const sn_packet *packet, const sn_substep *step, const sn_rod_coupled *c,
                         const sn_solve *solve) {
    const sn_topology *t = packet->topology;
    const vreal held = v_set(SN_IS_HELD), zero = v_set(0);
    const vmask assembled = assembled_lanes(c);
    vreal elastic = zero, inertia = zero;
    for (int i = 0; i < t->blocks; i++) {
        const int p = t->parent[i];
        block_state goal = load_state(packet->xh, i), x = start_state(packet, c, assembled, i), parent = x;
        if (p >= 0) {
            parent = start_state(packet, c, assembled, p);
            elastic += elastic_energy(packet, i, x, parent, true);
        }
        v3 dc = displacement_between(x, goal), dt = rotation_between(x.q, goal.q);
        vreal ds = x.s - goal.s, mass = param(packet, i, P_MASS), mass_s = param(packet, i, P_MASS_S);
        vreal across = param(packet, i, P_INERTIA_T), mean = K(0.5) * (x.s + parent.s);
        inertia += v_select(v_less(mass, held), mass * v3_dot(dc, dc), zero);
        inertia += v_select(v_less(mass_s, held), mass_s * ds * ds, zero);
        inertia += v_select(v_less(across, held), param(packet, i, P_INERTIA_W) * mean * mean * v3_dot(dt, dt), zero);
    }
    put_scalars(c, elastic + K(0.5) * (1 / (step->h * step->h)) * inertia, solve->energy);
}

// What couplings moved a rod by: the way of its centre of mass, less what it would have gone by itself.
static void measure_received(const sn_packet *packet, const sn_rod_coupled *c, const sn_solve *solve) {
    const sn_topology *t = packet->topology;
    v3 displacement = {v_set(0), v_set(0), v_set(0)};
    vreal whole = v_set(0);
    for (int i = 0; i < t->blocks; i++) {
        vreal mass = param(packet, i, P_MASS);
        displacement =
            v3_add(displacement, v3_mul(mass, displacement_between(load_state(c->x, i), load_state(packet->x0, i))));
        whole += mass;
    }
    _Alignas(64) sn_real to[3][SN_LANES], mass[SN_LANES];
    v_store(to[0], displacement.x), v_store(to[1], displacement.y), v_store(to[2], displacement.z),
        v_store(mass, whole);
    for (int lane = 0; lane < SN_LANES; lane++) {
        if (c->body[lane] < 0) continue;
        double *out = solve->received + 4 * (size_t)c->body[lane];
        const double moved = solve->failed[solve->island[c->body[lane]]] ? 0 : 1;
        for (int k = 0; k < 3; k++)
            out[k] = moved * (double)to[k][lane] - (double)packet->mass_displacement[k * SN_LANES + lane];
        out[3] = mass[lane] < SN_IS_HELD ? (double)mass[lane] : INFINITY;
    }
}

SN_INLINE vreal spin_of(const sn_packet *packet, int i, vq q, vreal mean_s, v3 rotation) {
    vreal free = K(0.5) * mean_s * mean_s * spin_inertia(packet, i, q, rotation);
    return v_select(v_less(param(packet, i, P_INERTIA_T), v_set(SN_IS_HELD)), free, v_set(0));
}

// Of rods that are solved by themselves. With u the displacement and v the velocity at the start, kinetic energy and that of weights and
// loads change by what of E is inertia, and by M v . (u/h - v/2) besides: that is the gain. Frames have no such closed form.
static void measure_motion(const sn_packet *packet, const sn_substep *step, const sn_rod_coupled *c,
                           const sn_solve *solve) {
    const sn_topology *t = packet->topology;
    const vmask assembled = assembled_lanes(c);
    const vreal zero = v_set(0), rate = v_set(1 / step->h), rate2 = rate * rate;
    vreal gain = zero, kinetic = zero, mass = zero;
    v3 momentum = {zero, zero, zero};
    for (int i = 0; i < t->blocks; i++) {
        const int p = t->parent[i] < 0 ? i : t->parent[i];
        block_state x = load_state(c->x, i), x0 = start_state(packet, c, assembled, i);
        block_state goal = load_state(packet->xh, i);
        vreal mean = K(0.5) * (x.s + v_load(ROW(c->x, X_ROWS, p, X_S)));
        vreal mean0 = K(0.5) * (x0.s + start_state(packet, c, assembled, p).s);
        vreal m = param(packet, i, P_MASS), ms = param(packet, i, P_MASS_S);
        m = v_select(v_less(m, v_set(SN_IS_HELD)), m, zero), ms = v_select(v_less(ms, v_set(SN_IS_HELD)), ms, zero);
        v3 v = v3_mul(rate, displacement_between(x, load_state(packet->x0, i))), v0 = load3(packet->v, V_ROWS, i, V_CX);
        vreal vs = rate * (x.s - x0.s), vs0 = v_load(ROW(packet->v, V_ROWS, i, V_S));
        gain += m * (v3_dot(v, v0) - K(0.5) * v3_dot(v0, v0)) + ms * (vs * vs0 - K(0.5) * vs0 * vs0);
        v3 turned = rotation_between(x.q, goal.q), turned0 = rotation_between(x0.q, goal.q);
        vreal spins = rate2 * spin_of(packet, i, x.q, mean, vq_log(vq_mul(x.q, vq_conj(x0.q))));
        vreal inertia0 = K(0.5) * param(packet, i, P_INERTIA_W) * mean0 * mean0 * v3_dot(turned0, turned0);
        inertia0 = v_select(v_less(param(packet, i, P_INERTIA_T), v_set(SN_IS_HELD)), inertia0, zero);
        gain += spins - spin_of(packet, i, x0.q, mean0, load3(packet->v, V_ROWS, i, V_WX));
        gain += rate2 * (inertia0 - spin_of(packet, i, x.q, mean, turned));
        kinetic += K(0.5) * (m * v3_dot(v, v) + ms * vs * vs) + spins;
        momentum = v3_add(momentum, v3_mul(m, v));
        mass += m;
    }
    _Alignas(64) sn_real to[6][SN_LANES];
    v_store(to[0], gain), v_store(to[1], kinetic), v_store(to[2], mass);
    v_store(to[3], momentum.x), v_store(to[4], momentum.y), v_store(to[5], momentum.z);
    for (int lane = 0; lane < SN_LANES; lane++) {
        if (c->body[lane] < 0 || v_mask_lane(assembled, lane)) continue;
        sn_solve_motion *out = &solve->motion[c->body[lane]];
        *out =
            (sn_solve_motion){.gain = (double)to[0][lane], .kinetic = (double)to[1][lane], .mass = (double)to[2][lane]};
        for (int k = 0; k < 3; k++) out->momentum[k] = (double)to[3 + k][lane];
    }
}

// What the lane's velocities are limited to.
static void note_limit(sn_rod_coupled *c, const sn_solve *solve, int lane) {
    const sn_solve_limit *limit = &solve->limit[solve->island[c->body[lane]]];
    if (!(limit->part < 1)) return;
    for (int k = 0; k < SN_LANES && !c->limited; k++) c->part[k] = 1, c->mean[0][k] = c->mean[1][k] = c->mean[2][k] = 0;
    c->limited = true;
    c->part[lane] = (sn_real)limit->part;
    for (int k = 0; k < 3; k++) c->mean[k][lane] = (sn_real)limit->mean[k];
}

// Coupled lanes are done; the others keep what the rods' own solver came to. Momentum is put right (rod_motion_kernel.c) to what
// couplings gave and the balance of the island.
static void end_coupled(sn_packet *packet, sn_rod_coupled *c, const sn_solve *solve) {
    const sn_topology *t = packet->topology;
    packet->measured = false;
    c->limited = false;
    const vmask assembled = assembled_lanes(c);
    for (int i = 0; i < t->blocks; i++) store_state(c->xn, i, start_state(packet, c, assembled, i));
    for (int lane = 0; lane < SN_LANES; lane++) {
        if (c->first[lane] < 0) continue;
        note_limit(c, solve, lane);
        const sn_real *from = solve->failed[solve->island[c->body[lane]]] ? c->xn : c->x;
        for (size_t k = 0; k < (size_t)t->blocks * X_ROWS; k++)
            packet->x[k * SN_LANES + (size_t)lane] = from[k * SN_LANES + (size_t)lane];
        const int island = solve->island[c->body[lane]];
        const double *received = solve->received + 4 * (size_t)c->body[lane];
        for (int k = 0; k < 3; k++) {
            sn_real *to = &packet->mass_displacement[k * SN_LANES + lane];
            *to = solve->is_free[island] ? (sn_real)((double)*to + received[k] +
                                                     received[3] * solve->balance[3 * (size_t)island + (size_t)k])
                                         : (sn_real)1e30;
        }
    }
}

// Bodies in contact start from where they are: contacts hold there. Those in joints start from where they are predicted.
static void begin_coupled(const sn_packet *packet, const sn_rod_coupled *c, const sn_solve *solve) {
    const size_t blocks = (size_t)packet->topology->blocks;
    for (size_t k = 0; k < blocks * X_ROWS * SN_LANES; k++) c->x[k] = packet->x[k];
    for (int lane = 0; lane < SN_LANES; lane++) {
        if (c->first[lane] < 0 || solve->joined[c->body[lane]]) continue;
        for (int i = 0; i < (int)blocks; i++)
            for (int k = 0; k < X_ROWS; k++) ROW(c->x, X_ROWS, i, k)[lane] = ROW(packet->x0, X_ROWS, i, k)[lane];
    }
    for (int i = 0; i < (int)blocks; i++) store_state(c->x, i, keep_held(packet, i, load_state(c->x, i), packet->xh));
    for (size_t k = 0; k < blocks * 7 * SN_LANES; k++) c->p[k] = c->mp[k] = c->r_old[k] = 0;
    for (size_t k = 0; k < blocks * SN_LANES; k++) c->force[k] = packet->force[k];
}

// The rods' own solver may have run for other lanes of the packet: what it left in coupled lanes is taken back.
static void restore_forces(const sn_packet *packet, const sn_rod_coupled *c) {
    for (int i = 0; i < packet->topology->blocks; i++)
        for (int lane = 0; lane < SN_LANES; lane++)
            if (c->first[lane] >= 0) packet->force[i * SN_LANES + lane] = c->force[i * SN_LANES + lane];
}

void SN_LANE_NAME(sn_rod_couple)(sn_packet *packet, const sn_substep *step, sn_rod_coupled *c, const sn_solve *solve,
                                 sn_couple_op op);
void SN_LANE_NAME(sn_rod_couple)(sn_packet *packet, const sn_substep *step, sn_rod_coupled *c, const sn_solve *solve,
                                 sn_couple_op op) {
    const sn_topology *t = packet->topology;
    const newton_start start = {c->x, false, 1 / (step->h * step->h)};
    switch (op) {
    case SN_COUPLE_BEGIN:
        begin_coupled(packet, c, solve);
        break;
    case SN_COUPLE_LINEARISE:
        if (c->assembled) write_terms(packet, step, c, solve);
        if (c->alone && t->volume_bend) linearise_rods(packet, step, c, solve, true);
        if (c->alone && !t->volume_bend) linearise_rods(packet, step, c, solve, false);
        for (size_t k = 0; k < (size_t)t->blocks * 7 * SN_LANES; k++) c->d[k] = 0;
        break;
    case SN_COUPLE_PRECONDITION:
        precondition(t, c, solve, false);
        break;
    case SN_COUPLE_CORRECT:
        precondition(t, c, solve, true);
        break;
    case SN_COUPLE_COLUMN:
        force_response(t, c, solve, c->z);
        break;
    case SN_COUPLE_PRODUCTS:
        products(t, c, solve);
        break;
    case SN_COUPLE_SHIFT:
        force_response(t, c, solve, c->p);
        for (size_t k = 0; k < (size_t)t->blocks * 7 * SN_LANES; k++) c->mp[k] = 0;
        break;
    case SN_COUPLE_DIRECTION:
        direction(t, c, solve);
        break;
    case SN_COUPLE_ADVANCE:
        advance(t, c, solve);
        break;
    case SN_COUPLE_MOVE:
        move_rods(packet, step, c, solve);
        break;
    case SN_COUPLE_ENERGY:
        restore_forces(packet, c);
        put_scalars(c, whole_energy(packet, &start, c->x), solve->energy);
        break;
    case SN_COUPLE_START_ENERGY:
        start_energy(packet, step, c, solve);
        break;
    case SN_COUPLE_ACCEPT:
        accept(packet, c, solve);
        break;
    case SN_COUPLE_MOMENTUM:
        measure_received(packet, c, solve);
        break;
    case SN_COUPLE_KINETIC:
        measure_motion(packet, step, c, solve);
        break;
    case SN_COUPLE_END:
        end_coupled(packet, c, solve);
        break;
    }
}
