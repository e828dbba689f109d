// The elimination of one block that meets more than its parent: a dense system over
//
//     0..6  own c s theta     7..13  parent's     14  scale of the grandparent     15..21  border: the root's
//
// for blocks on the cycle of a loop, and for eq. 15.
#ifndef SN_KINDS_ROD_DIRECT_DENSE_H
#define SN_KINDS_ROD_DIRECT_DENSE_H

#include "kinds/rod/direct_lanes.h"

enum { PARENT = 7, GRAND = 14, BORDER = 15, ALL = 22 };
enum { FACTOR_ROWS = 7 * ALL + 7 };

typedef struct {
    vreal a[ALL][ALL]; // upper triangle
    vreal b[ALL];
} local_system;

SN_INLINE void put(local_system *sys, int i, int j, vreal v) {
    if (i <= j)
        sys->a[i][j] += v;
    else
        sys->a[j][i] += v;
}

// Adds the terms of the segment and joint of 'child' whose unknowns start at place c, the parent's at place p.
static vreal add_terms(const sn_packet *packet, const newton_start *start, int i, block_state child, block_state parent,
                       int c, int p, local_system *sys) {
    block_terms t = linearize(packet, start, i, child, parent, true);
    const vreal cs[3] = {t.cs.x, t.cs.y, t.cs.z};
    const vreal jts[3] = {t.joint_ts.x, t.joint_ts.y, t.joint_ts.z}, gc[3] = {t.gc.x, t.gc.y, t.gc.z};
    const vreal gt[3] = {t.gt.x, t.gt.y, t.gt.z}, gj[3] = {t.joint_g.x, t.joint_g.y, t.joint_g.z};
    for (int k = 0; k < 3; k++) {
        for (int m = 0; m < 3; m++) {
            vreal cc = t.cc[k < m ? k : m][k < m ? m : k], jt = t.joint_t[k < m ? k : m][k < m ? m : k];
            if (k <= m) {
                put(sys, c + k, c + m, cc);
                put(sys, p + k, p + m, cc);
                put(sys, c + 4 + k, c + 4 + m, t.tt[k][m] + jt);
                put(sys, p + 4 + k, p + 4 + m, jt);
            }
            put(sys, c + k, p + m, -cc);
            put(sys, c + k, c + 4 + m, t.ct[k][m]);
            put(sys, p + k, c + 4 + m, -t.ct[k][m]);
            put(sys, c + 4 + k, p + 4 + m, -jt);
        }
        put(sys, c + k, c + 3, cs[k]);
        put(sys, c + k, p + 3, cs[k]);
        put(sys, p + k, c + 3, -cs[k]);
        put(sys, p + k, p + 3, -cs[k]);
        put(sys, c + 4 + k, p + 3, jts[k]);
        put(sys, p + 4 + k, p + 3, -jts[k]);
        sys->b[c + k] -= gc[k];
        sys->b[p + k] += gc[k];
        sys->b[c + 4 + k] -= gt[k] + gj[k];
        sys->b[p + 4 + k] += gj[k];
    }
    put(sys, c + 4, p + 5, t.joint_x.z), put(sys, c + 4, p + 6, -t.joint_x.y);
    put(sys, c + 5, p + 4, -t.joint_x.z), put(sys, c + 5, p + 6, t.joint_x.x);
    put(sys, c + 6, p + 4, t.joint_x.y), put(sys, c + 6, p + 5, -t.joint_x.x);
    put(sys, c + 3, c + 3, t.ss + t.sg);
    put(sys, c + 3, p + 3, t.ss - t.sg);
    put(sys, p + 3, p + 3, t.ss + t.sg + t.joint_ss);
    sys->b[c + 3] -= t.gs;
    sys->b[p + 3] -= t.gsp + t.joint_gs;
    return t.energy;
}

SN_INLINE void clear_system(local_system *sys) {
    for (int k = 0; k < ALL; k++) {
        for (int m = k; m < ALL; m++) sys->a[k][m] = v_set(0);
        sys->b[k] = v_set(0);
    }
}

static void eliminate_own(local_system *sys, int end, sn_real *factor) {
    vreal whole[7];
    for (int k = 0; k < 7; k++) whole[k] = sys->a[k][k];
    for (int k = 0; k < 7; k++) {
        vreal inverse = invert_pivot(sys->a[k][k], whole[k]);
        for (int m = k + 1; m < end; m++) {
            vreal l = sys->a[k][m] * inverse;
            v_store(factor + (k * ALL + m) * SN_LANES, l);
            for (int n = m; n < end; n++) sys->a[m][n] -= l * sys->a[k][n];
            sys->b[m] -= l * sys->b[k];
        }
        v_store(factor + (7 * ALL + k) * SN_LANES, sys->b[k] * inverse);
    }
}

#endif
