// See skyline.h. Sums run in four chains side by side, always the same, so that results do not depend on the compiler.
#include "base/math/skyline.h"

#define NO_PIVOT 1e-12

static double dot(const double *x, const double *y, int count) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int i = 0;
    for (; i + 4 <= count; i += 4)
        s0 += x[i] * y[i], s1 += x[i + 1] * y[i + 1], s2 += x[i + 2] * y[i + 2], s3 += x[i + 3] * y[i + 3];
    for (; i < count; i++) s0 += x[i] * y[i];
    return (s0 + s1) + (s2 + s3);
}

// A negative 'noise': small pivots are infinite.
static void factor(const sn_skyline *m, double noise) {
    for (int i = 0; i < m->count; i++) {
        double *row = m->a + m->start[i];
        const int fi = m->first[i];
        for (int j = fi; j < i; j++) { // row holds L D until the row is complete
            const int fj = m->first[j], from = fi > fj ? fi : fj;
            row[j - fi] -= dot(row + (from - fi), m->a + m->start[j] + (from - fj), j - from);
        }
        const double whole = row[i - fi];
        double pivot = whole;
        for (int j = fi; j < i; j++) {
            const double l = row[j - fi] * *sn_skyline_at(m, j, j);
            pivot -= row[j - fi] * l;
            row[j - fi] = l;
        }
        if (noise >= 0 && !(pivot > noise * whole)) pivot = noise * whole;
        row[i - fi] = pivot > NO_PIVOT * whole ? 1 / pivot : 0;
    }
}

void sn_skyline_factor(const sn_skyline *m) {
    factor(m, -1);
}

void sn_skyline_factor_positive(const sn_skyline *m, double noise) {
    factor(m, noise);
}

void sn_skyline_solve(const sn_skyline *m, double *x) {
    for (int i = 0; i < m->count; i++) x[i] -= dot(m->a + m->start[i], x + m->first[i], i - m->first[i]);
    for (int i = 0; i < m->count; i++) x[i] *= *sn_skyline_at(m, i, i);
    for (int i = m->count - 1; i > 0; --i)
        for (int j = m->first[i]; j < i; j++) x[j] -= *sn_skyline_at(m, i, j) * x[i];
}
