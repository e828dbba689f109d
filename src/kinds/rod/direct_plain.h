// The elimination of one block that meets only its parent: the heart of the direct solver (direct_kernel.c tells the maths).
#ifndef SN_KINDS_ROD_DIRECT_PLAIN_H
#define SN_KINDS_ROD_DIRECT_PLAIN_H

#include "kinds/rod/direct_lanes.h"

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
    block_terms t = linearize(packet, start, i, child, parent, volume_bend);
    vreal a[7][14], p[7][7], b[14];

    SN_UNROLL for (int k = 0; k < 7; k++) {
        SN_UNROLL for (int m = k; m < 7; m++) a[k][m] = front->a[k][m];
        b[k] = front->side[k];
    }
    const v3 *cs = &t.cs, *jts = &t.joint_ts, *jx = &t.joint_x;
    const vreal cs_[3] = {cs->x, cs->y, cs->z}, jts_[3] = {jts->x, jts->y, jts->z};
    SN_UNROLL for (int k = 0; k < 3; k++) {
        SN_UNROLL for (int m = k; m < 3; m++) {
            a[k][m] += t.cc[k][m];
            a[4 + k][4 + m] += t.tt[k][m] + t.joint_t[k][m];
            p[k][m] = t.cc[k][m];
            p[4 + k][4 + m] = t.joint_t[k][m];
        }
        SN_UNROLL for (int m = 0; m < 3; m++) {
            a[k][4 + m] += t.ct[k][m];
            a[k][7 + m] = -t.cc[k < m ? k : m][k < m ? m : k];
            a[4 + k][7 + m] = -t.ct[m][k];
            a[4 + k][11 + m] = -t.joint_t[k < m ? k : m][k < m ? m : k];
            p[k][4 + m] = v_set(0);
        }
        a[k][3] += cs_[k];
        a[k][10] = cs_[k];
        a[3][7 + k] = -cs_[k];
        a[4 + k][10] = jts_[k];
        p[k][3] = -cs_[k];
        p[3][4 + k] = -jts_[k];
    }
    a[4][12] += jx->z, a[4][13] -= jx->y, a[5][11] -= jx->z, a[5][13] += jx->x, a[6][11] += jx->y, a[6][12] -= jx->x;
    a[3][3] += t.ss + t.sg;
    a[3][10] = t.ss - t.sg;
    p[3][3] = t.ss + t.sg + t.joint_ss;
    b[0] -= t.gc.x, b[1] -= t.gc.y, b[2] -= t.gc.z, b[3] -= t.gs;
    b[4] -= t.gt.x + t.joint_g.x, b[5] -= t.gt.y + t.joint_g.y, b[6] -= t.gt.z + t.joint_g.z;
    b[7] = t.gc.x, b[8] = t.gc.y, b[9] = t.gc.z, b[10] = -t.gsp - t.joint_gs;
    b[11] = t.joint_g.x, b[12] = t.joint_g.y, b[13] = t.joint_g.z;
    vreal diagonal[4] = {a[0][0], a[1][1], a[2][2], a[3][3]};
    vreal energy = t.energy + add_inertia(packet, start, i, child, K(0.5) * (child.s + parent.s), diagonal, b);
    SN_UNROLL for (int k = 0; k < 4; k++) a[k][k] = diagonal[k];
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
            b[m] -= l * b[k];
        }
        v_store(factor + (PLAIN_L + k) * SN_LANES, b[k] * inverse);
    }
    SN_UNROLL for (int k = 0; k < 7; k++) {
        SN_UNROLL for (int m = k; m < 7; m++) front->a[k][m] = p[k][m];
        front->side[k] = b[7 + k];
    }
    return energy;
}

// Solves the root's dense 7x7 system; its solution replaces front->side.
SN_INLINE void solve_root(schur *front) {
    for (int k = 0; k < 7; k++) {
        vreal inverse = invert_pivot(front->a[k][k], front->a[k][k]);
        for (int m = k + 1; m < 7; m++) {
            vreal l = front->a[k][m] * inverse;
            for (int n = m; n < 7; n++) front->a[m][n] -= l * front->a[k][n];
            front->side[m] -= l * front->side[k];
        }
        front->side[k] *= inverse;
        for (int m = k + 1; m < 7; m++) front->a[k][m] *= inverse;
    }
    for (int k = 6; k >= 0; --k)
        for (int m = k + 1; m < 7; m++) front->side[k] -= front->a[k][m] * front->side[m];
}

// Adds inertia to the root's front. The root of a tree has no segment; its frame is the ghost that a clamp holds, or idle.
SN_INLINE vreal add_root(const sn_packet *packet, const newton_start *start, block_state root, vreal mean_s,
                         schur *front) {
    vreal diagonal[4] = {front->a[0][0], front->a[1][1], front->a[2][2], front->a[3][3]};
    vreal energy = add_inertia(packet, start, 0, root, mean_s, diagonal, front->side);
    for (int k = 0; k < 4; k++) front->a[k][k] = diagonal[k];
    vreal ghost = param(packet, 0, P_INERTIA_T) * start->inv_h2;
    for (int k = 4; k < 7; k++) front->a[k][k] += ghost;
    return energy;
}

SN_INLINE void clear(schur *front) {
    for (int k = 0; k < 7; k++) {
        for (int m = k; m < 7; m++) front->a[k][m] = v_set(0);
        front->side[k] = v_set(0);
    }
}

// front += what was stored away, or the other way round.
SN_INLINE void load_schur(schur *front, const sn_real *store) {
    for (int k = 0; k < 7; k++) {
        for (int m = k; m < 7; m++) front->a[k][m] += v_load(store + UPPER7(k, m) * SN_LANES);
        front->side[k] += v_load(store + (SCHUR_TRIANGLE + k) * SN_LANES);
    }
}
SN_INLINE void add_to_store(sn_real *store, const schur *front) {
    for (int k = 0; k < 7; k++) {
        for (int m = k; m < 7; m++) {
            sn_real *row = store + UPPER7(k, m) * SN_LANES;
            v_store(row, v_load(row) + front->a[k][m]);
        }
        sn_real *row = store + (SCHUR_TRIANGLE + k) * SN_LANES;
        v_store(row, v_load(row) + front->side[k]);
    }
}

// Finds block i's step from its parent's in x[7..13], into x[0..6].
SN_INLINE void substitute(const sn_real *factor, vreal x[14]) {
    int row = PLAIN_L;
    SN_UNROLL for (int k = 6; k >= 0; --k) {
        const int end = k < 4 ? 11 : 14;
        vreal sum = v_load(factor + (PLAIN_L + k) * SN_LANES);
        SN_UNROLL for (int m = end - 1; m > k; --m) sum -= v_load(factor + (--row) * SN_LANES) * x[m];
        x[k] = sum;
    }
}

#endif
