// Cholesky for band and full matrices, and the inverse of a symmetric 3x3. The maths is in band.h.
#include "base/band.h"

bool sn_band_factor(sn_real *a, int n, int width) {
    for (int i = 0; i < n; ++i) {
        int first = i > width ? i - width : 0;
        for (int j = first; j <= i; ++j) {
            sn_real sum = a[sn_band_at(width, i, j)];
            for (int k = first; k < j; ++k) { // row j may begin further left, but row i is zero there
                sum -= a[sn_band_at(width, i, k)] * a[sn_band_at(width, j, k)];
            }
            if (j < i) {
                a[sn_band_at(width, i, j)] = sum / a[sn_band_at(width, j, j)];
            } else {
                if (!(sum > 0) || !sn_finite(sum)) return false;
                a[sn_band_at(width, i, i)] = sn_sqrt(sum);
            }
        }
    }
    return true;
}

void sn_band_solve(const sn_real *l, int n, int width, sn_real *b) {
    for (int i = 0; i < n; ++i) {
        for (int k = i > width ? i - width : 0; k < i; ++k) b[i] -= l[sn_band_at(width, i, k)] * b[k];
        b[i] /= l[sn_band_at(width, i, i)];
    }
    for (int i = n - 1; i >= 0; --i) {
        int last = i + width < n - 1 ? i + width : n - 1;
        for (int k = i + 1; k <= last; ++k) b[i] -= l[sn_band_at(width, k, i)] * b[k];
        b[i] /= l[sn_band_at(width, i, i)];
    }
}

bool sn_dense_factor(sn_real *a, int n) {
    for (int i = 0; i < n; ++i) {
        sn_real *row = a + (size_t)i * (size_t)n;
        for (int j = 0; j <= i; ++j) {
            const sn_real *above = a + (size_t)j * (size_t)n;
            sn_real sum = row[j];
            for (int k = 0; k < j; ++k) sum -= row[k] * above[k];
            if (j < i) {
                row[j] = sum / above[j];
            } else {
                if (!(sum > 0) || !sn_finite(sum)) return false;
                row[i] = sn_sqrt(sum);
            }
        }
    }
    return true;
}

void sn_dense_solve(const sn_real *l, int n, sn_real *b) {
    for (int i = 0; i < n; ++i) {
        const sn_real *row = l + (size_t)i * (size_t)n;
        for (int k = 0; k < i; ++k) b[i] -= row[k] * b[k];
        b[i] /= row[i];
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; ++k) b[i] -= l[(size_t)k * (size_t)n + (size_t)i] * b[k];
        b[i] /= l[(size_t)i * (size_t)n + (size_t)i];
    }
}

bool sn_sym3_inverse(const sn_sym3 *m, sn_sym3 *inverse) {
    sn_real xx = m->yy * m->zz - m->yz * m->yz;
    sn_real xy = m->xz * m->yz - m->xy * m->zz;
    sn_real xz = m->xy * m->yz - m->xz * m->yy;
    sn_real determinant = m->xx * xx + m->xy * xy + m->xz * xz;
    sn_real k = 1 / determinant;
    if (!sn_finite(determinant) || !sn_finite(k)) return false;
    *inverse = (sn_sym3){
        .xx = k * xx,
        .xy = k * xy,
        .xz = k * xz,
        .yy = k * (m->xx * m->zz - m->xz * m->xz),
        .yz = k * (m->xy * m->xz - m->xx * m->yz),
        .zz = k * (m->xx * m->yy - m->xy * m->xy),
    };
    return true;
}
