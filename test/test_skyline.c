// The envelope factorisation against a dense solve.
#include "base/math/skyline.h"
#include "test.h"
#include <math.h>

enum { MOST = 60 };

static unsigned seed = 1;
static double noise(void) { // -1 to 1
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / 8388608.0 - 1;
}

// A positive matrix B B^T + 1, with B in the envelope of 'first'.
static void positive(int n, const int *first, double a[MOST][MOST]) {
    static double b[MOST][MOST];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) b[i][j] = j >= first[i] && j <= i ? noise() : 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            a[i][j] = i == j;
            for (int k = 0; k < n; k++) a[i][j] += b[i][k] * b[j][k];
        }
}

// x := a^-1 x by Gauss and Jordan with pivots.
static void dense_solve(int n, double a[MOST][MOST], double *x) {
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k; i < n; i++)
            if (fabs(a[i][k]) > fabs(a[best][k])) best = i;
        for (int j = 0; j < n; j++) {
            const double t = a[k][j];
            a[k][j] = a[best][j], a[best][j] = t;
        }
        const double t = x[k], pivot = a[k][k];
        x[k] = x[best], x[best] = t;
        for (int i = 0; i < n; i++) {
            if (i == k) continue;
            const double f = a[i][k] / pivot;
            for (int j = k; j < n; j++) a[i][j] -= f * a[k][j];
            x[i] -= f * x[k];
        }
    }
    for (int k = 0; k < n; k++) x[k] /= a[k][k];
}

// The lower triangle within the envelope, row after row.
static sn_skyline skyline_of(int n, const int *first, size_t *start, double *store, double a[MOST][MOST]) {
    const sn_skyline m = {n, first, start, store};
    size_t at = 0;
    for (int i = 0; i < n; i++) {
        start[i] = at;
        for (int j = first[i]; j <= i; j++) store[at++] = a[i][j];
    }
    return m;
}

TEST(an_envelope_is_solved_as_a_dense_matrix) {
    static double a[MOST][MOST], store[MOST * MOST];
    size_t start[MOST];
    for (int round = 0; round < 40; round++) {
        const int n = 1 + round * (MOST - 1) / 39;
        int first[MOST];
        for (int i = 0; i < n; i++) first[i] = i - (int)((0.5 + 0.5 * noise()) * (round % 4 == 0 ? i : i < 6 ? i : 6));
        positive(n, first, a);
        const sn_skyline m = skyline_of(n, first, start, store, a);
        double x[MOST], y[MOST];
        for (int i = 0; i < n; i++) x[i] = y[i] = noise();
        sn_skyline_factor(&m);
        sn_skyline_solve(&m, x);
        dense_solve(n, a, y);
        for (int i = 0; i < n; i++) CHECK_NEAR(x[i], y[i], 1e-10);
    }
}

// A row that another implies has no pivot: the others are solved as if it were not there.
TEST(a_row_that_is_implied_is_left_out) {
    const int first[3] = {0, 0, 0};
    size_t start[3];
    static double a[MOST][MOST], store[6];
    const double full[3][3] = {{4, 2, 1}, {2, 1, 0.5}, {1, 0.5, 3}}; // row 1 is half of row 0
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) a[i][j] = full[i][j];
    const sn_skyline m = skyline_of(3, first, start, store, a);
    double x[3] = {1, 0.5, 2};
    sn_skyline_factor(&m);
    sn_skyline_solve(&m, x);
    CHECK(x[1] == 0);
    CHECK_NEAR(4 * x[0] + x[2], 1, 1e-12);
    CHECK_NEAR(x[0] + 3 * x[2], 2, 1e-12);
}
