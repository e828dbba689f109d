// Faster iterations by what the last few have shown (Anderson's acceleration; Peng et al. 2018 for projective
// dynamics).
//
// An iteration takes q to g(q) = q + f(q), f = -A^-1 grad E. With the differences of the last m of them,
//
//     q' = g_k - sum_j t_j (g_{k-j+1} - g_{k-j}),     t: least |f_k - sum_j t_j (f_{k-j+1} - f_{k-j})|
//
// In the norm of A, for which only products with A f = -grad E are needed: it weighs translations, linear and quadratic
// columns by what they mean, and a stiff motion more than a soft one.
//
// If E has not become less, q' was no good: the last g takes its place, and the past is forgotten. Of the projective law g
// surely was better; of others it may not have been, and then half of the way to it is tried, a quarter, and so on.
#ifndef SN_KINDS_ELASTIC_ELASTIC_ACCELERATE_H
#define SN_KINDS_ELASTIC_ELASTIC_ACCELERATE_H

#include "kinds/elastic/elastic_body.h"

// Numbers for a memory of 'most' iterations: three differences of each, the last f, g and A f, and A f now.
static inline size_t sn_elastic_past_size(int most, int columns) {
    return most > 0 ? (3 * (size_t)most + 4) * 3 * (size_t)columns : 0;
}

// Before the solve: remembers A f = -grad E from body->right.
void sn_elastic_remember(sn_elastic_body *body);

// After it: moves q, by body->change or better. 'energy': E at q.
void sn_elastic_accelerate(sn_elastic_body *body, double energy);

// Whether E, which is 'energy' at q, has not become less since q was last moved: then q is moved back some way.
bool sn_elastic_step_back(sn_elastic_body *body, double energy);

// Solves the small symmetric system m t = t, at most SN_ELASTIC_LEAST_MOST wide, by Cholesky; directions that add less than
// 'tiny' of themselves get 0. m has 'width' numbers a row and is used up.
enum { SN_ELASTIC_LEAST_MOST = 16 };
void sn_elastic_least(int width, double *m, double *t, int n, double tiny);

// Moves q to where E was known last.
void sn_elastic_give_up(sn_elastic_body *body);

#endif
