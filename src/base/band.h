// Small linear algebra, for reference solvers and tests: clear rather than fast.
//
// A symmetric positive definite matrix is A = L L^T with L lower triangular (Cholesky). Row by row:
//
//     L_ij = (A_ij - sum_{k<j} L_ik L_jk) / L_jj      for j < i
//     L_ii = sqrt(A_ii - sum_{k<i} L_ik^2)
//
// A x = b then is L y = b from the top down, and L^T x = y from the bottom up. A number under the root that is not
// positive means that A is not positive definite. When A is zero further than w from the diagonal, so is L, and both sums
// begin at i - w.
#ifndef SN_BASE_BAND_H
#define SN_BASE_BAND_H

#include "base/real.h"

// Where element (row, column), row - width <= column <= row, lies in a symmetric band matrix of half-bandwidth 'width':
// row after row, width + 1 numbers each, the diagonal last. The places left of column 0 are not used.
static inline size_t sn_band_at(int width, int row, int column) {
    return (size_t)row * (size_t)(width + 1) + (size_t)(column - row + width);
}

// A becomes L, in place. False, with A spoiled, when A is not positive definite.
bool sn_band_factor(sn_real *a, int n, int width);

// b becomes the solution of A x = b, given L.
void sn_band_solve(const sn_real *l, int n, int width, sn_real *b);

// The same for a full matrix, n rows of n; only the lower triangle is read and written.
bool sn_dense_factor(sn_real *a, int n);
void sn_dense_solve(const sn_real *l, int n, sn_real *b);

// A symmetric 3x3 matrix: xx, xy, xz, yy, yz, zz.
typedef struct {
    sn_real xx, xy, xz, yy, yz, zz;
} sn_sym3;

// The inverse by cofactors. False when the determinant is zero, not finite, or too small to divide by.
bool sn_sym3_inverse(const sn_sym3 *m, sn_sym3 *inverse);

#endif
