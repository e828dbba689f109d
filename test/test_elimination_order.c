// links: tools
// Elimination orders: a permutation in postorder with true counts, little fill, and separators that separate.
#include "fields/elimination_order.h"
#include "fields/vertex_separator.h"
#include "test.h"
#include <stdlib.h>

typedef struct {
    int size, used, capacity;
    int *start, *row;
} pattern;

static pattern pattern_create(int size, int capacity) {
    pattern p = {.size = size, .capacity = capacity};
    p.start = malloc(((size_t)size + 1) * sizeof *p.start);
    p.row = malloc(((size_t)capacity + 1) * sizeof *p.row);
    if (!p.start || !p.row) abort();
    return p;
}

static void pattern_free(pattern *p) {
    free(p->start), free(p->row);
}

static void pattern_add(pattern *p, int row) {
    if (p->used == p->capacity) abort();
    p->row[p->used++] = row;
}

// A grid of points, joined to their neighbours along the axes.
static pattern grid(int nx, int ny, int nz) {
    const int n = nx * ny * nz;
    pattern p = pattern_create(n, 4 * n);
    for (int i = 0; i < n; i++) {
        p.start[i] = p.used;
        pattern_add(&p, i);
        if (i % nx < nx - 1) pattern_add(&p, i + 1);
        if (i / nx % ny < ny - 1) pattern_add(&p, i + nx);
        if (i / (nx * ny) < nz - 1) pattern_add(&p, i + nx * ny);
    }
    p.start[n] = p.used;
    return p;
}

// The entries of the factor, by eliminating a dense table of which entries are there; checks the counts and that
// parents follow their last child.
static double eliminate(const pattern *p, const int *order, const int *count) {
    const int n = p->size;
    unsigned char *full = calloc((size_t)n * (size_t)n, 1);
    int *position = malloc((size_t)n * sizeof *position), *parent = malloc((size_t)n * sizeof *parent);
    double all = 0;
    if (!full || !position || !parent) abort();
    for (int i = 0; i < n; i++) position[i] = -1;
    for (int k = 0; k < n; k++) {
        if (order[k] < 0 || order[k] >= n || position[order[k]] >= 0) abort();
        position[order[k]] = k;
    }
    for (int j = 0; j < n; j++)
        for (int e = p->start[j]; e < p->start[j + 1]; e++) {
            const int a = position[j], b = position[p->row[e]];
            full[(a < b ? a : b) * n + (a < b ? b : a)] = 1; // column, row
        }
    for (int k = 0; k < n; k++) {
        int entries = 1;
        parent[k] = -1;
        for (int i = n - 1; i > k; --i)
            if (full[k * n + i]) parent[k] = i, entries++;
        for (int i = k + 1; i < n && parent[k] >= 0; i++)
            if (full[k * n + i] && i != parent[k]) full[parent[k] * n + i] = 1;
        CHECK(entries == count[k]);
        all += entries;
    }
    for (int k = 0; k + 1 < n; k++) // what follows a column is its parent, or the first leaf of another branch
        if (parent[k] != k + 1)
            for (int j = 0; j <= k; j++) CHECK(parent[j] != k + 1);
    free(full), free(position), free(parent);
    return all;
}

static double fill_of(const pattern *p) {
    int *order = malloc((size_t)p->size * sizeof *order), *count = malloc((size_t)p->size * sizeof *count);
    if (!order || !count || !sn_elimination_order(p->size, p->start, p->row, order, count)) abort();
    const double all = eliminate(p, order, count);
    free(order), free(count);
    return all;
}

TEST(orders_are_permutations_with_true_counts) {
    const int sides[5][3] = {{1, 1, 1}, {300, 1, 1}, {17, 13, 1}, {9, 8, 7}, {30, 31, 1}};
    for (int i = 0; i < 5; i++) {
        pattern p = grid(sides[i][0], sides[i][1], sides[i][2]);
        fill_of(&p);
        pattern_free(&p);
    }
}

TEST(a_chain_fills_nothing_and_a_sheet_little) {
    pattern chain = grid(1000, 1, 1), sheet = grid(40, 40, 1);
    // Cut in two again and again, a chain gets at most one entry more for each point.
    CHECK(fill_of(&chain) <= 3 * 1000);
    // Row by row a sheet of 40 by 40 has 40 * 1600 entries; 31 n log2(n) / 8 is what nested dissection promises.
    CHECK(fill_of(&sheet) < 0.4 * 40 * 1600);
    pattern_free(&chain), pattern_free(&sheet);
}

TEST(what_cannot_be_cut_is_ordered) {
    enum { N = 400 };
    pattern clique = pattern_create(N, N * N), star = pattern_create(N, 2 * N), loose = pattern_create(N, N);
    for (int j = 0; j < N; j++) {
        clique.start[j] = clique.used, star.start[j] = star.used, loose.start[j] = loose.used;
        for (int i = j; i < N; i++) pattern_add(&clique, i);
        pattern_add(&star, j), pattern_add(&loose, j);
        if (j < N - 1) pattern_add(&star, N - 1);
    }
    clique.start[N] = clique.used, star.start[N] = star.used, loose.start[N] = loose.used;
    CHECK(fill_of(&clique) == N * (N + 1) / 2);
    CHECK(fill_of(&star) == 2 * N - 1);
    CHECK(fill_of(&loose) == N);
    pattern_free(&clique), pattern_free(&star), pattern_free(&loose);
}

TEST(separators_separate_and_are_small) {
    enum { SIDE = 60, N = SIDE * SIDE };
    static int start[N + 1], neighbour[4 * N];
    static unsigned char side[N];
    int used = 0, count[3] = {0};
    for (int i = 0; i < N; i++) {
        start[i] = used;
        if (i % SIDE > 0) neighbour[used++] = i - 1;
        if (i % SIDE < SIDE - 1) neighbour[used++] = i + 1;
        if (i >= SIDE) neighbour[used++] = i - SIDE;
        if (i < N - SIDE) neighbour[used++] = i + SIDE;
    }
    start[N] = used;
    const sn_graph graph = {.count = N, .start = start, .neighbour = neighbour};
    REQUIRE(sn_vertex_separator(&graph, side));
    for (int i = 0; i < N; i++) {
        count[side[i]]++;
        for (int e = start[i]; e < start[i + 1] && side[i] != SN_SEPARATOR; e++)
            CHECK(side[neighbour[e]] == side[i] || side[neighbour[e]] == SN_SEPARATOR);
    }
    CHECK(count[SN_SIDE_A] <= 0.6 * N && count[SN_SIDE_B] <= 0.6 * N);
    CHECK(count[SN_SEPARATOR] <= 1.3 * SIDE);
}
