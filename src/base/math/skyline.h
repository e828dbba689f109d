// L D L^T of a symmetric matrix whose rows start somewhere left of the diagonal and are full from there on (an envelope). Fill
// stays within the envelope, so a good order of the unknowns makes it small.
//
//     row i:   columns first[i] .. i, at a[start[i]] ...
#ifndef SN_BASE_MATH_SKYLINE_H
#define SN_BASE_MATH_SKYLINE_H

#include <stddef.h>

typedef struct {
    int count;
    const int *first;
    const size_t *start;
    double *a;
} sn_skyline;

static inline double *sn_skyline_at(const sn_skyline *m, int i, int j) {
    return &m->a[m->start[i] + (size_t)(j - m->first[i])];
}

// In place: L below the diagonal, 1/D on it. A pivot below a tiny part of its diagonal counts as infinite: what it stands for is
// implied by the rows before.
void sn_skyline_factor(const sn_skyline *matrix);
// The same, of a positive matrix: pivots are kept above this part of their diagonal, which is noise.
void sn_skyline_factor_positive(const sn_skyline *matrix, double noise);
void sn_skyline_solve(const sn_skyline *matrix, double *x);

#endif
