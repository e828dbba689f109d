// A Jacobi rotation of a symmetric n x n matrix: rotates rows and columns p and q so that a[p][q] becomes zero. The
// tangent t of the angle is the smaller root of t^2 + 2 theta t - 1 = 0. The columns of v rotate along: after some
// sweeps over all p < q they are the eigenvectors, and the diagonal of a has the eigenvalues.
#ifndef SN_BASE_MATH_JACOBI_H
#define SN_BASE_MATH_JACOBI_H

#include <math.h>

static inline void sn_jacobi_rotate(int n, double *a, double *v, int p, int q) {
    const double at = a[n * p + q];
    if (at == 0) return;
    const double theta = (a[n * q + q] - a[n * p + p]) / (2 * at);
    const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < n; k++) {
        const double x = a[n * k + p], y = a[n * k + q];
        a[n * k + p] = c * x - s * y, a[n * k + q] = s * x + c * y;
    }
    for (int k = 0; k < n; k++) {
        const double x = a[n * p + k], y = a[n * q + k];
        a[n * p + k] = c * x - s * y, a[n * q + k] = s * x + c * y;
    }
    for (int k = 0; k < n; k++) {
        const double x = v[n * k + p], y = v[n * k + q];
        v[n * k + p] = c * x - s * y, v[n * k + q] = s * x + c * y;
    }
}

#endif
