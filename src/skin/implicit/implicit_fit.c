// With phi(x) = x^3, e = p - c_k and l = |e|:
//
//     d(p) = sum l (alpha_k l^2 + 3 beta_k . e)
//
// d(c_i) = 0 and grad d(c_i) = n_i are 4 equations for each sample, and 4 unknowns: the block of row i and column k is
// [l^3, 3 l e^T; 3 l e, 3 (e e^T / l + l I)], and 0 for i = k. Solved by dense elimination with pivoting, in
// coordinates in which the samples have size 1: d(p) = s D(p / s) has alpha = alpha' / s^2 and beta = beta' / s.
#include "skin/implicit/implicit_fit.h"
#include <math.h>
#include <string.h>

static void fill_block(double *at, size_t stride, const double e[3]) {
    const double l = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    if (!(l > 0)) return;
    at[0] = l * l * l;
    for (size_t r = 0; r < 3; r++) {
        at[r + 1] = at[(r + 1) * stride] = 3 * l * e[r];
        for (size_t c = 0; c < 3; c++) at[(r + 1) * stride + c + 1] = 3 * (e[r] * e[c] / l + (r == c ? l : 0));
    }
}

// Solves a x = b in place, n rows; x replaces b. False: singular.
static bool solve(double *a, double *b, size_t n) {
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[pivot * n + k])) pivot = i;
        if (!(fabs(a[pivot * n + k]) > 1e-13)) return false;
        if (pivot != k) {
            for (size_t j = k; j < n; j++) {
                const double swap = a[k * n + j];
                a[k * n + j] = a[pivot * n + j], a[pivot * n + j] = swap;
            }
            const double swap = b[k];
            b[k] = b[pivot], b[pivot] = swap;
        }
        for (size_t i = k + 1; i < n; i++) {
            const double factor = a[i * n + k] / a[k * n + k];
            if (factor == 0) continue;
            for (size_t j = k + 1; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        double sum = b[k];
        for (size_t j = k + 1; j < n; j++) sum -= a[k * n + j] * b[j];
        b[k] = sum / a[k * n + k];
        if (!isfinite(b[k])) return false;
    }
    return true;
}

bool sn_hermite_fit(sn_memory *memory, const double (*points)[3], const double (*normals)[3], int count,
                    sn_hermite *out) {
    *out = (sn_hermite){.memory = memory};
    if (count < 4 || count > SN_HERMITE_MAX) return false;
    const size_t n = (size_t)count, size = 4 * n;
    double low[3], high[3];
    for (int k = 0; k < 3; k++) low[k] = high[k] = points[0][k];
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) low[k] = fmin(low[k], points[i][k]), high[k] = fmax(high[k], points[i][k]);
    const double scale = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
    if (!(scale > 0 && isfinite(scale))) return false;

    double *a = sn_alloc(memory, size * size, sizeof *a), *b = sn_alloc(memory, size, sizeof *b);
    out->centre = sn_alloc(memory, n, sizeof *out->centre);
    out->alpha = sn_alloc(memory, n, sizeof *out->alpha);
    out->beta = sn_alloc(memory, n, sizeof *out->beta);
    bool good = a && b && out->centre && out->alpha && out->beta;
    for (size_t i = 0; good && i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            double e[3];
            for (int c = 0; c < 3; c++) e[c] = (points[i][c] - points[k][c]) / scale;
            fill_block(a + 4 * i * size + 4 * k, size, e);
        }
        memcpy(b + 4 * i + 1, normals[i], 3 * sizeof *b);
    }
    good = good && solve(a, b, size);
    for (size_t i = 0; good && i < n; i++) {
        memcpy(out->centre[i], points[i], sizeof out->centre[i]);
        out->alpha[i] = b[4 * i] / (scale * scale);
        for (int c = 0; c < 3; c++) out->beta[i][c] = b[4 * i + 1 + (size_t)c] / scale;
    }
    sn_free(memory, a, size * size, sizeof *a);
    sn_free(memory, b, size, sizeof *b);
    out->count = count;
    if (!good) sn_hermite_free(out);
    return good;
}

void sn_hermite_free(sn_hermite *h) {
    const size_t n = (size_t)h->count;
    sn_free(h->memory, h->centre, n, sizeof *h->centre);
    sn_free(h->memory, h->alpha, n, sizeof *h->alpha);
    sn_free(h->memory, h->beta, n, sizeof *h->beta);
    *h = (sn_hermite){0};
}

double sn_hermite_at(const sn_hermite *h, const double p[3], double gradient[3]) {
    double d = 0, g[3] = {0, 0, 0};
    for (int i = 0; i < h->count; i++) {
        const double e[3] = {p[0] - h->centre[i][0], p[1] - h->centre[i][1], p[2] - h->centre[i][2]};
        const double *beta = h->beta[i], l = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
        if (!(l > 0)) continue;
        const double along = beta[0] * e[0] + beta[1] * e[1] + beta[2] * e[2];
        d += l * (h->alpha[i] * l * l + 3 * along);
        for (int k = 0; k < 3; k++) g[k] += 3 * (h->alpha[i] * l + along / l) * e[k] + 3 * l * beta[k];
    }
    if (gradient) memcpy(gradient, g, sizeof g);
    return d;
}
