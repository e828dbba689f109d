// links: tools
// Sparse systems: solutions solve, small and large, one right side and many, and what has none is said.
#include "fields/csr_matrix.h"
#include "fields/sparse.h"
#include "test.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static double uneven(uint64_t i) { // -0.5 to 0.5, the same each time
    i = (i + 1) * UINT64_C(0x9E3779B97F4A7C15);
    i = (i ^ (i >> 31)) * UINT64_C(0xBF58476D1CE4E5B9);
    return (double)((i ^ (i >> 29)) >> 11) * 0x1p-53 - 0.5;
}

// A grid of nx * ny * nz points, each joined to its neighbours by springs of uneven strength, and a little to the
// ground.
static sn_sparse_entry *grid(int nx, int ny, int nz, double ground, size_t *count) {
    const int n = nx * ny * nz, step[3] = {1, nx, nx * ny}, size[3] = {nx, ny, nz};
    sn_sparse_entry *entries = malloc((10 * (size_t)n + 1) * sizeof *entries);
    if (!entries) abort();
    *count = 0;
    for (int i = 0; i < n; i++) {
        entries[(*count)++] = (sn_sparse_entry){i, i, ground};
        for (int k = 0; k < 3; k++) {
            if (i / step[k] % size[k] == size[k] - 1) continue;
            const int j = i + step[k];
            const double spring = 1 + uneven(3 * (uint64_t)i + (uint64_t)k);
            entries[(*count)++] = (sn_sparse_entry){i, i, spring};
            entries[(*count)++] = (sn_sparse_entry){j, j, spring};
            entries[(*count)++] = (sn_sparse_entry){j, i, -spring};
        }
    }
    return entries;
}

static void check_solves(int nx, int ny, int nz, int columns) {
    const int n = nx * ny * nz;
    size_t count;
    bool singular = true;
    sn_sparse_entry *entries = grid(nx, ny, nz, 0.01, &count);
    sn_sparse_factor *factor = sn_sparse_factorize(n, entries, count, &singular);
    sn_csr_matrix rows;
    REQUIRE(factor && !singular);
    REQUIRE(sn_csr_matrix_build(n, entries, count, &rows));
    const size_t all = (size_t)n * (size_t)columns;
    double *x = malloc(all * sizeof *x), *y = malloc((size_t)n * sizeof *y), worst = 0;
    for (size_t i = 0; i < all; i++) x[i] = uneven(i);
    REQUIRE(sn_sparse_solve(factor, x, columns));
    for (int c = 0; c < columns; c++) {
        sn_csr_matrix_multiply(&rows, x + (size_t)c * (size_t)n, y);
        for (int i = 0; i < n; i++) worst = fmax(worst, fabs(y[i] - uneven((size_t)c * (size_t)n + (size_t)i)));
    }
    CHECK(worst < 1e-11);
    free(x), free(y), free(entries);
    sn_csr_matrix_free(&rows);
    sn_sparse_free(factor);
}

TEST(small_systems_are_solved) {
    check_solves(1, 1, 1, 1);
    check_solves(7, 5, 3, 4);
    check_solves(30, 30, 1, 2);
}

TEST(large_systems_are_solved) {
    check_solves(21, 21, 20, 1);  // a body
    check_solves(100, 90, 1, 19); // a surface
    check_solves(9000, 1, 1, 9);  // a chain
}

TEST(large_systems_in_pieces_are_solved) {
    // Ten thousand springs of their own, and one row that is joined to all of another thousand.
    enum { N = 11000 };
    sn_sparse_entry *entries = malloc(2 * N * sizeof *entries);
    double *x = malloc(N * sizeof *x);
    size_t count = 0;
    REQUIRE(entries && x);
    for (int i = 0; i < N; i++) entries[count++] = (sn_sparse_entry){i, i, 2.0 + (i == N - 1 ? 1000 : 0)};
    for (int i = 0; i < 1000; i++) entries[count++] = (sn_sparse_entry){N - 1, 7 * i, -1};
    bool singular;
    sn_sparse_factor *factor = sn_sparse_factorize(N, entries, count, &singular);
    REQUIRE(factor != NULL);
    for (int i = 0; i < N; i++) x[i] = 1;
    REQUIRE(sn_sparse_solve(factor, x, 1));
    // x_i = (1 + y) / 2 for those joined, 1002 y = 1 + sum x_i
    const double y = (1 + 500) / (1002.0 - 500);
    CHECK_NEAR(x[N - 1], y, 1e-12);
    CHECK_NEAR(x[7], 0.5 * (1 + y), 1e-12);
    CHECK_NEAR(x[8], 0.5, 1e-12);
    sn_sparse_free(factor);
    free(entries), free(x);
}

TEST(the_same_matrix_gives_the_same_solution) {
    size_t count;
    enum { N = 21 * 21 * 21 };
    sn_sparse_entry *entries = grid(21, 21, 21, 0.1, &count);
    double *x[2];
    for (int round = 0; round < 2; round++) {
        sn_sparse_factor *factor = sn_sparse_factorize(N, entries, count, NULL);
        REQUIRE(factor != NULL);
        x[round] = malloc(N * sizeof **x);
        for (int i = 0; i < N; i++) x[round][i] = uneven((uint64_t)i);
        REQUIRE(sn_sparse_solve(factor, x[round], 1));
        sn_sparse_free(factor);
    }
    CHECK(memcmp(x[0], x[1], N * sizeof **x) == 0);
    free(x[0]), free(x[1]), free(entries);
}

TEST(what_is_not_positive_definite_is_said) {
    const int sides[2] = {5, 21};
    for (int i = 0; i < 2; i++) {
        const int s = sides[i], n = s * s * s;
        size_t count;
        bool singular = false;
        sn_sparse_entry *entries = grid(s, s, s, 0.01, &count);
        entries[count++] = (sn_sparse_entry){n / 2, n / 2, -100};
        CHECK(!sn_sparse_factorize(n, entries, count, &singular));
        CHECK(singular);
        free(entries);
    }
}
