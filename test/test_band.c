// Small linear algebra: solutions against the matrix they came from, and matrices that must be refused.
#include "base/band.h"
#include "test.h"
#include <stdlib.h>

static sn_real random_number(uint32_t *state) { // uniform in [-1, 1], the same each time
    *state = *state * 1664525u + 1013904223u;
    return (sn_real)((int32_t)*state / 2147483648.0);
}

// A positive definite matrix with zeros further than 'width' from the diagonal: larger on the diagonal than beside it.
static void make_matrix(sn_real *full, int n, int width, uint32_t *seed) {
    for (int i = 0; i < n * n; ++i) full[i] = 0;
    for (int i = 0; i < n; ++i) {
        for (int j = i > width ? i - width : 0; j < i; ++j) full[i * n + j] = full[j * n + i] = random_number(seed);
        full[i * n + i] = (sn_real)(2 * width + 1) + random_number(seed);
    }
}

static void multiply(const sn_real *full, int n, const sn_real *x, sn_real *b) {
    for (int i = 0; i < n; ++i) {
        b[i] = 0;
        for (int j = 0; j < n; ++j) b[i] += full[i * n + j] * x[j];
    }
}

enum { N_MAX = 64 };
static sn_real full[N_MAX * N_MAX], band[N_MAX * N_MAX], x[N_MAX], b[N_MAX];

TEST(band_and_dense_solve) {
    uint32_t seed = 7;
    for (int n = 1; n <= N_MAX; n += 3) {
        for (int width = 0; width < n && width < 12; ++width) {
            make_matrix(full, n, width, &seed);
            for (int i = 0; i < n; ++i) x[i] = random_number(&seed);

            multiply(full, n, x, b);
            for (int i = 0; i < n; ++i) {
                for (int j = i > width ? i - width : 0; j <= i; ++j) band[sn_band_at(width, i, j)] = full[i * n + j];
            }
            REQUIRE(sn_band_factor(band, n, width));
            sn_band_solve(band, n, width, b);
            for (int i = 0; i < n; ++i) CHECK_NEAR(b[i], x[i], 50 * SN_REAL_EPSILON);

            multiply(full, n, x, b);
            for (int i = 0; i < n; ++i) {
                for (int j = i + 1; j < n; ++j) full[i * n + j] = (sn_real)NAN; // the upper triangle must not be read
            }
            REQUIRE(sn_dense_factor(full, n));
            sn_dense_solve(full, n, b);
            for (int i = 0; i < n; ++i) CHECK_NEAR(b[i], x[i], 50 * SN_REAL_EPSILON);
        }
    }
}

TEST(factor_refuses_what_is_not_positive_definite) {
    sn_real indefinite[4] = {1, 0, 2, 1}; // eigenvalues 3 and -1
    CHECK(!sn_dense_factor(indefinite, 2));
    sn_real singular[4] = {1, 0, 1, 1};
    CHECK(!sn_dense_factor(singular, 2));
    sn_real not_a_number[1] = {(sn_real)NAN};
    CHECK(!sn_dense_factor(not_a_number, 1));
    sn_real indefinite_band[4] = {0, 1, 2, 1};
    CHECK(!sn_band_factor(indefinite_band, 2, 1));
    sn_real negative[1] = {-1};
    CHECK(!sn_band_factor(negative, 1, 0));
    sn_real infinite[1] = {(sn_real)INFINITY};
    CHECK(!sn_band_factor(infinite, 1, 0));
}

TEST(inverse_of_3x3) {
    uint32_t seed = 3;
    for (int i = 0; i < 1000; ++i) {
        sn_sym3 m = {3 + random_number(&seed), random_number(&seed), random_number(&seed),
                     3 + random_number(&seed), random_number(&seed), 3 + random_number(&seed)};
        sn_sym3 w;
        REQUIRE(sn_sym3_inverse(&m, &w));
        sn_real tolerance = 20 * SN_REAL_EPSILON;
        CHECK_NEAR(m.xx * w.xx + m.xy * w.xy + m.xz * w.xz, 1, tolerance);
        CHECK_NEAR(m.xx * w.xy + m.xy * w.yy + m.xz * w.yz, 0, tolerance);
        CHECK_NEAR(m.xx * w.xz + m.xy * w.yz + m.xz * w.zz, 0, tolerance);
        CHECK_NEAR(m.xy * w.xy + m.yy * w.yy + m.yz * w.yz, 1, tolerance);
        CHECK_NEAR(m.xy * w.xz + m.yy * w.yz + m.yz * w.zz, 0, tolerance);
        CHECK_NEAR(m.xz * w.xz + m.yz * w.yz + m.zz * w.zz, 1, tolerance);
    }
    sn_sym3 unused, flat = {1, 1, 0, 1, 0, 1};
    CHECK(!sn_sym3_inverse(&flat, &unused));
}
