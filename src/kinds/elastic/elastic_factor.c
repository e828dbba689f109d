// The Cholesky factor of the global step's matrix, panel by panel, in double; see reduced.h.
//
// A panel is a matrix of w + r rows, stored by columns. After the updates from all earlier panels, a panel is factored
// and subtracts its product with itself from the panels of its rows below (a right-looking supernodal factorisation).
//
// The regularisation, for coupled handles i and j with the midpoint m of their centres and their distance d, is
//
//     small k_ij / 27 * sum over the 27 points p of the grid m + d {-1, 0, 1}^3 of |T_i(p - c_i) - T_j(p - c_j)|^2
//
// k_ij is the smaller one of the diagonals of their translations.
#include "kinds/elastic/subspace.h"
#include <math.h>
#include <string.h>

// The rounding error of the factor times the remaining condition number stays below 1.
#define REGULARISATION (sizeof(sn_real) == 4 ? 1e-5 : 1e-12)
#define DROP_TOLERANCE 1e-15

typedef struct {
    const sn_reduced *r;
    double *values; // of all panels
    size_t *at;     // offset of each panel
    double *was;    // by row of A: its diagonal before factoring
    bool *dropped;  // by row of A: dropped
    int *owner;     // by row of A: its panel
    int *position;  // by row of A: its position in the current panel
    double *sum;    // by row below
} work;

static int width_of(const sn_reduced *r, int p) {
    return r->panel_first[p + 1] - r->panel_first[p];
}
static int below_of(const sn_reduced *r, int p) {
    return r->panel_below_first[p + 1] - r->panel_below_first[p];
}

// Finds the positions of the rows of A in a panel.
static void find_positions(work *w, int p) {
    const sn_reduced *r = w->r;
    const int width = width_of(r, p), below = below_of(r, p);
    for (int i = 0; i < width; i++) w->position[r->panel_first[p] + i] = i;
    for (int i = 0; i < below; i++) w->position[r->below[r->panel_below_first[p] + i]] = width + i;
}

static double entry(const sn_reduced *r, const sn_reduced_coefficients *c, size_t at) {
    return c->mass * r->mass[at] + c->stiff * (r->stiff[at] + c->ghost * r->ghost[at]);
}

// An entry of A in the panel whose positions were found last, row >= column.
static double *entry_at(const work *w, int row, int column) {
    const int p = w->owner[column];
    const size_t rows = (size_t)(width_of(w->r, p) + below_of(w->r, p));
    return w->values + w->at[p] + (size_t)(column - w->r->panel_first[p]) * rows + (size_t)w->position[row];
}

// Adds the block of the regularisation with the rows of handle i (0) or j (1) and the columns of i or j.
static void add_regularisation(const work *w, int i, int j, double k, int rows, int columns) {
    const sn_reduced *r = w->r;
    const int first[2] = {r->row_first[i], r->row_first[j]};
    const int count[2] = {r->row_first[i + 1] - first[0], r->row_first[j + 1] - first[1]};
    const double *ci = r->centre[i], *cj = r->centre[j];
    double distance = 0;
    for (int m = 0; m < 3; m++) distance += (ci[m] - cj[m]) * (ci[m] - cj[m]);
    distance = sqrt(distance);
    double block[SN_ELASTIC_QUADRATIC][SN_ELASTIC_QUADRATIC] = {{0}};
    for (int point = 0; point < 27; point++) {
        double value[2][SN_ELASTIC_QUADRATIC], d[3], e[3];
        for (int m = 0, rest = point; m < 3; ++m, rest /= 3)
            d[m] = 0.5 * (cj[m] - ci[m]) + distance * (rest % 3 - 1), e[m] = d[m] + ci[m] - cj[m];
        sn_elastic_monomials(d, count[0], value[0]);
        sn_elastic_monomials(e, count[1], value[1]);
        for (int n = 0; n < count[1]; n++) value[1][n] = -value[1][n];
        for (int y = 0; y < count[rows]; y++)
            for (int x = 0; x < count[columns]; x++) block[y][x] += value[rows][y] * value[columns][x];
    }
    for (int y = 0; y < count[rows]; y++)
        for (int x = 0; x < count[columns]; x++)
            if (first[rows] + y >= first[columns] + x)
                *entry_at(w, first[rows] + y, first[columns] + x) += k * block[y][x];
}

// Adds a block of A to the panel of its columns.
static void add_block(const work *w, const sn_reduced_coefficients *c, int i, int j, int pair) {
    const sn_reduced *r = w->r;
    const int height = r->row_first[i + 1] - r->row_first[i], wide = r->row_first[j + 1] - r->row_first[j];
    for (int y = 0; y < height; y++)
        for (int x = 0; x < wide; x++) {
            const int row = r->row_first[i] + y, column = r->row_first[j] + x;
            if (row >= column) // not the upper part of a diagonal block
                *entry_at(w, row, column) += entry(r, c, r->pair_at[pair] + (size_t)(y * wide + x));
        }
}

// Fills the panels with the blocks of A and the regularisation. Blocks are stored by row, panels by column.
static void fill(work *w, const sn_reduced_coefficients *c) {
    const sn_reduced *r = w->r;
    for (int p = 0; p < r->panel_count; p++) {
        find_positions(w, p);
        for (int i = 0; i < r->handle_count; i++) {
            if (r->row_first[i] < r->panel_first[p]) continue;
            const double ki = entry(r, c, r->pair_at[r->pair_first[i + 1] - 1]); // the diagonal block comes last
            for (int k = r->pair_first[i]; k < r->pair_first[i + 1]; k++) {
                const int j = r->pair_other[k];
                const bool column_here = w->owner[r->row_first[j]] == p, row_here = w->owner[r->row_first[i]] == p;
                if (column_here) add_block(w, c, i, j, k);
                if (i == j || (!column_here && !row_here)) continue;
                const double kj = entry(r, c, r->pair_at[r->pair_first[j + 1] - 1]);
                const double weight = REGULARISATION / 27 * (ki < kj ? ki : kj);
                if (column_here) add_regularisation(w, i, j, weight, 0, 1), add_regularisation(w, i, j, weight, 1, 1);
                if (row_here) add_regularisation(w, i, j, weight, 0, 0);
            }
        }
        for (int i = r->panel_first[p]; i < r->panel_first[p + 1]; i++) w->was[i] = *entry_at(w, i, i);
    }
}

static void cholesky(work *w, int p) {
    const int width = width_of(w->r, p), rows = width + below_of(w->r, p), first = w->r->panel_first[p];
    double *panel = w->values + w->at[p];
    for (int c = 0; c < width; c++) {
        double *column = panel + (size_t)c * (size_t)rows;
        for (int k = 0; k < c; k++) {
            const double *before = panel + (size_t)k * (size_t)rows, factor = before[c];
            if (factor == 0) continue;
            for (int i = c; i < rows; i++) column[i] -= factor * before[i];
        }
        const int row = first + c;
        w->dropped[row] = !(column[c] > DROP_TOLERANCE * w->was[row]);
        if (w->dropped[row]) {
            memset(column, 0, (size_t)rows * sizeof *column);
            column[c] = 1;
            continue;
        }
        const double pivot = sqrt(column[c]), inverse = 1 / pivot;
        column[c] = pivot;
        for (int i = c + 1; i < rows; i++) column[i] *= inverse;
    }
}

// Subtracts B B^T from the panels of the rows below.
static void update(work *w, int p) {
    const sn_reduced *r = w->r;
    const int width = width_of(r, p), below = below_of(r, p), rows = width + below;
    const int *row = r->below + r->panel_below_first[p];
    const double *panel = w->values + w->at[p];
    int target = -1;
    double *to = NULL;
    size_t height = 0;
    for (int k = 0; k < below; k++) {
        if (w->owner[row[k]] != target) {
            target = w->owner[row[k]];
            find_positions(w, target);
            to = w->values + w->at[target], height = (size_t)(width_of(r, target) + below_of(r, target));
        }
        memset(w->sum + k, 0, (size_t)(below - k) * sizeof *w->sum);
        for (int c = 0; c < width; c++) {
            const double *column = panel + (size_t)c * (size_t)rows + (size_t)width, factor = column[k];
            if (factor == 0) continue;
            for (int i = k; i < below; i++) w->sum[i] += factor * column[i];
        }
        double *column = to + (size_t)(row[k] - r->panel_first[target]) * height;
        for (int i = k; i < below; i++) column[w->position[row[i]]] -= w->sum[i];
    }
}

// Computes S of a factored panel: L^-1 column by column, then -B L^-1. Dropped rows and columns become zero.
static void invert(const work *w, int p, double *column, sn_real *s) {
    const sn_reduced *r = w->r;
    const int width = width_of(r, p), below = below_of(r, p), rows = width + below, first = r->panel_first[p];
    const int filled = (rows + 15) / 16 * 16;
    const double *panel = w->values + w->at[p];
    for (int c = 0; c < width; c++) {
        memset(column, 0, (size_t)rows * sizeof *column);
        column[c] = w->dropped[first + c] ? 0 : 1;
        for (int k = c; k < width; k++) { // forward substitution with the unit vector
            const double *from = panel + (size_t)k * (size_t)rows;
            column[k] = w->dropped[first + k] ? 0 : column[k] / from[k];
            if (column[k] == 0) continue;
            for (int i = k + 1; i < rows; i++) column[i] -= column[k] * from[i];
        }
        for (int i = 0; i < filled; i++)
            s[((size_t)(i / 16) * (size_t)width + (size_t)c) * 16 + (size_t)(i % 16)] =
                i < rows ? (sn_real)column[i] : 0;
    }
}

static void free_work(sn_memory *memory, work *w, size_t size) {
    const size_t n = (size_t)w->r->columns;
    sn_free(memory, w->values, size, sizeof *w->values);
    sn_free(memory, w->at, (size_t)w->r->panel_count, sizeof *w->at);
    sn_free(memory, w->was, n, sizeof *w->was);
    sn_free(memory, w->sum, n, sizeof *w->sum);
    sn_free(memory, w->owner, n, sizeof *w->owner);
    sn_free(memory, w->position, n, sizeof *w->position);
}

static sn_status factorize(sn_memory *memory, const sn_reduced *r, sn_reduced_factor *to) {
    const size_t n = (size_t)r->columns;
    work w = {.r = r, .dropped = to->dropped};
    size_t size = 0;
    w.at = sn_alloc(memory, (size_t)r->panel_count, sizeof *w.at);
    for (int p = 0; w.at && p < r->panel_count; p++) {
        w.at[p] = size;
        size += (size_t)width_of(r, p) * (size_t)(width_of(r, p) + below_of(r, p));
    }
    w.values = sn_alloc(memory, size, sizeof *w.values);
    w.was = sn_alloc(memory, n, sizeof *w.was), w.sum = sn_alloc(memory, n, sizeof *w.sum);
    w.owner = sn_alloc(memory, n, sizeof *w.owner), w.position = sn_alloc(memory, n, sizeof *w.position);
    const bool good = w.at && w.values && w.was && w.sum && w.owner && w.position;
    if (good) {
        for (int p = 0; p < r->panel_count; p++)
            for (int i = r->panel_first[p]; i < r->panel_first[p + 1]; i++) w.owner[i] = p;
        fill(&w, &to->coefficients);
        for (int p = 0; p < r->panel_count; p++) {
            cholesky(&w, p);
            update(&w, p);
            invert(&w, p, w.sum, to->s + r->panel_at[p]);
        }
        for (int i = 0; i < r->columns; i++) to->dropped_count += w.dropped[i];
    }
    free_work(memory, &w, size);
    return good ? SN_OK : SN_ERR_MEMORY;
}

sn_status sn_reduced_factor_create(sn_memory *memory, const sn_reduced *r, const sn_reduced_coefficients *c,
                                   sn_reduced_factor **out) {
    sn_reduced_factor *factor = sn_alloc(memory, 1, sizeof *factor);
    sn_status status = SN_ERR_MEMORY;
    *out = NULL;
    if (factor) {
        factor->coefficients = *c;
        factor->s = sn_alloc(memory, r->size, sizeof *factor->s);
        factor->dropped = sn_alloc(memory, (size_t)r->columns, sizeof *factor->dropped);
        if (factor->s && factor->dropped) status = factorize(memory, r, factor);
    }
    if (status == SN_OK)
        *out = factor;
    else
        sn_reduced_factor_free(memory, r, factor);
    return status;
}

void sn_reduced_factor_free(sn_memory *memory, const sn_reduced *r, sn_reduced_factor *factor) {
    if (!factor) return;
    sn_free(memory, factor->s, r->size, sizeof *factor->s);
    sn_free(memory, factor->dropped, (size_t)r->columns, sizeof *factor->dropped);
    sn_free(memory, factor, 1, sizeof *factor);
}
