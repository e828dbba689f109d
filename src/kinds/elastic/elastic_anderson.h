// Anderson acceleration of the iterations (Peng et al. 2018 for projective dynamics).
//
// An iteration maps q to g(q) = q + f(q), f = -A^-1 grad E. With the differences of the last m iterations,
//
//     q' = g_k - sum_j t_j (g_{k-j+1} - g_{k-j}),     t: minimises |f_k - sum_j t_j (f_{k-j+1} - f_{k-j})|
//
// in the norm of A, which only needs products with A f = -grad E. This norm scales translations, linear and quadratic
// columns consistently, and weighs stiff motions more than soft ones.
//
// If E has not decreased, q' is rejected: the last g replaces it and the history is cleared. For the projective
// material g is always an improvement. For other materials it may not be: then half of the step to g is tried, a
// quarter, and so on.
#ifndef SN_KINDS_ELASTIC_ELASTIC_ANDERSON_H
#define SN_KINDS_ELASTIC_ELASTIC_ANDERSON_H

#include "kinds/elastic/elastic_body.h"

// Numbers in the history of `window` iterations: three differences each; the last f, g and A f; the current A f.
static inline size_t sn_anderson_history_size(int window, int columns) {
    return window > 0 ? (3 * (size_t)window + 4) * 3 * (size_t)columns : 0;
}

// Before the solve: records A f = -grad E from body->right.
void sn_anderson_record_gradient(sn_elastic_body *body);

// After the solve: moves q by body->change, or further. `energy`: E at q.
void sn_anderson_step(sn_elastic_body *body, double energy);

// If E (`energy` at q) has not decreased since q was last moved: moves q part of the way back and returns true.
bool sn_anderson_backtrack(sn_elastic_body *body, double energy);

// Solves the symmetric system m t = t by Cholesky, n up to SN_ANDERSON_SOLVE_MAX. Directions whose pivot is below
// `tiny` times their diagonal get 0. m has `width` numbers per row and is overwritten.
enum { SN_ANDERSON_SOLVE_MAX = 16 };
void sn_anderson_solve(int width, double *m, double *t, int n, double tiny);

// Moves q back to the last point where E was evaluated.
void sn_anderson_revert(sn_elastic_body *body);

#endif
