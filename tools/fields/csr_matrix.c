// Sparse matrices by rows. They are built by counting: the length of each row, its offset, then its entries; each row
// is sorted and its duplicates are summed. Minimising with fixed values is a reduced system: with f the free and c the
// fixed rows
//     A_ff x_f = -A_fc x_c,
// plus one step of iterative refinement, which recovers the digits that the factorization of an ill-conditioned matrix
// loses.
#include "fields/csr_matrix.h"
#include "mesh/array.h"
#include <stdlib.h>
#include <string.h>

void sn_csr_matrix_free(sn_csr_matrix *rows) {
    free(rows->start);
    free(rows->column);
    free(rows->value);
    *rows = (sn_csr_matrix){0};
}

// Rows are short: insertion sort, with shell steps for long ones.
static void sort_row(int *column, double *value, size_t count) {
    for (size_t gap = count > 64 ? count / 3 : 1; gap > 0; gap = gap > 1 ? (gap + 1) / 3 : 0)
        for (size_t i = gap; i < count; i++) {
            const int c = column[i];
            const double v = value[i];
            size_t j = i;
            for (; j >= gap && column[j - gap] > c; j -= gap) column[j] = column[j - gap], value[j] = value[j - gap];
            column[j] = c, value[j] = v;
        }
}

bool sn_csr_matrix_build(int size, const sn_sparse_entry *entries, size_t count, sn_csr_matrix *out) {
    const size_t rows = (size_t)size;
    *out = (sn_csr_matrix){.size = size};
    out->start = calloc(rows + 2, sizeof *out->start);
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        if (entries[i].row < entries[i].column || !out->start) continue;
        total += entries[i].row == entries[i].column ? 1 : 2;
        ++out->start[entries[i].row + 2];
        if (entries[i].row != entries[i].column) ++out->start[entries[i].column + 2];
    }
    out->column = malloc((total + 1) * sizeof *out->column);
    out->value = malloc((total + 1) * sizeof *out->value);
    if (!out->start || !out->column || !out->value) {
        sn_csr_matrix_free(out);
        return false;
    }
    for (size_t r = 1; r <= rows; r++) out->start[r + 1] += out->start[r];
    for (size_t i = 0; i < count; i++) { // start[r + 1] advances to the end of row r
        const sn_sparse_entry *e = &entries[i];
        if (e->row < e->column) continue;
        size_t at = out->start[e->row + 1]++;
        out->column[at] = e->column, out->value[at] = e->value;
        if (e->row == e->column) continue;
        at = out->start[e->column + 1]++;
        out->column[at] = e->row, out->value[at] = e->value;
    }
    size_t used = 0, begin = 0;
    for (size_t r = 0; r < rows; r++) {
        const size_t end = out->start[r + 1], first = used;
        sort_row(out->column + begin, out->value + begin, end - begin);
        out->start[r] = used;
        for (size_t i = begin; i < end; i++) {
            if (used > first && out->column[used - 1] == out->column[i]) {
                out->value[used - 1] += out->value[i];
                continue;
            }
            out->column[used] = out->column[i], out->value[used++] = out->value[i];
        }
        begin = end;
    }
    out->start[rows] = used;
    return true;
}

void sn_csr_matrix_multiply(const sn_csr_matrix *rows, const double *x, double *y) {
    for (int r = 0; r < rows->size; r++) {
        double sum = 0;
        for (size_t i = rows->start[r]; i < rows->start[r + 1]; i++) sum += rows->value[i] * x[rows->column[i]];
        y[r] = sum;
    }
}

sn_sparse_entry *sn_csr_matrix_square(const sn_csr_matrix *rows, const double *diagonal, size_t *count) {
    const size_t size = (size_t)rows->size;
    double *sum = calloc(size + 1, sizeof *sum);
    int *found = malloc((size + 1) * sizeof *found), *seen = malloc((size + 1) * sizeof *seen);
    sn_sparse_entry *out = NULL;
    size_t capacity = 0;
    *count = 0;
    bool good = sum && found && seen;
    for (size_t i = 0; i < size && good; i++) seen[i] = -1;
    for (int r = 0; r < rows->size && good; r++) {
        int width = 0;
        for (size_t i = rows->start[r]; i < rows->start[r + 1]; i++) {
            const int k = rows->column[i];
            const double scaled = rows->value[i] * diagonal[k];
            for (size_t j = rows->start[k]; j < rows->start[k + 1]; j++) {
                const int c = rows->column[j];
                if (c > r) break;
                if (seen[c] != r) seen[c] = r, sum[c] = 0, found[width++] = c;
                sum[c] += scaled * rows->value[j];
            }
        }
        if (*count + (size_t)width > capacity) {
            capacity = capacity + capacity / 2 + (size_t)width + 1024;
            good = array_resize(&out, capacity, sizeof *out);
        }
        for (int i = 0; i < width && good; i++) out[(*count)++] = (sn_sparse_entry){r, found[i], sum[found[i]]};
    }
    free(sum), free(found), free(seen);
    if (good && !out) out = malloc(sizeof *out); // an empty matrix
    if (good) return out;
    free(out);
    return NULL;
}

int sn_csr_matrix_components(const sn_csr_matrix *rows, int *component) {
    int *stack = malloc(((size_t)rows->size + 1) * sizeof *stack), components = 0;
    if (!stack) return -1;
    for (int r = 0; r < rows->size; r++) component[r] = -1;
    for (int first = 0; first < rows->size; first++) {
        if (component[first] >= 0) continue;
        int depth = 0;
        stack[depth++] = first;
        component[first] = components;
        while (depth > 0) {
            const int r = stack[--depth];
            for (size_t i = rows->start[r]; i < rows->start[r + 1]; i++) {
                const int c = rows->column[i];
                if (component[c] >= 0) continue;
                component[c] = components;
                stack[depth++] = c;
            }
        }
        components++;
    }
    free(stack);
    return components;
}

typedef struct {
    const sn_csr_matrix *rows;
    int *free_index; // of each row among the free rows, -1: fixed
    int free_count;
    double *sides; // free_count values for each column
} reduced_system;

// sides = -(A x) on the free rows: the right-hand side if the free values of x are 0, else the residual.
static void fill_sides(const reduced_system *s, const double *x, int columns) {
    const sn_csr_matrix *rows = s->rows;
    for (int c = 0; c < columns; c++) {
        const double *from = x + (size_t)c * (size_t)rows->size;
        double *to = s->sides + (size_t)c * (size_t)s->free_count;
        for (int r = 0; r < rows->size; r++) {
            if (s->free_index[r] < 0) continue;
            double sum = 0;
            for (size_t i = rows->start[r]; i < rows->start[r + 1]; i++) sum += rows->value[i] * from[rows->column[i]];
            to[s->free_index[r]] = -sum;
        }
    }
}

static sn_sparse_factor *factor_free(const reduced_system *s, bool *singular) {
    const sn_csr_matrix *rows = s->rows;
    size_t count = 0;
    sn_sparse_entry *entries = malloc((rows->start[rows->size] + 1) * sizeof *entries);
    if (!entries) return NULL;
    for (int r = 0; r < rows->size; r++)
        for (size_t i = rows->start[r]; i < rows->start[r + 1] && rows->column[i] <= r; i++)
            if (s->free_index[r] >= 0 && s->free_index[rows->column[i]] >= 0)
                entries[count++] = (sn_sparse_entry){s->free_index[r], s->free_index[rows->column[i]], rows->value[i]};
    sn_sparse_factor *factor = sn_sparse_factorize(s->free_count, entries, count, singular);
    free(entries);
    return factor;
}

enum { COLUMNS_PER_SOLVE = 16 };

bool sn_csr_matrix_minimise(const sn_csr_matrix *rows, const bool *fixed, double *x, int columns, bool *singular) {
    const size_t size = (size_t)rows->size;
    reduced_system s = {rows, malloc((size + 1) * sizeof(int)), 0,
                        malloc((COLUMNS_PER_SOLVE * size + 1) * sizeof(double))};
    bool good = s.free_index && s.sides;
    *singular = false;
    for (int r = 0; r < rows->size && good; r++) s.free_index[r] = fixed[r] ? -1 : s.free_count++;
    sn_sparse_factor *factor = NULL;
    if (good && s.free_count > 0) good = (factor = factor_free(&s, singular)) != NULL;
    for (int first = 0; first < columns && good && s.free_count > 0; first += COLUMNS_PER_SOLVE) {
        const int width_now = columns - first < COLUMNS_PER_SOLVE ? columns - first : COLUMNS_PER_SOLVE;
        double *block = x + (size_t)first * size;
        for (int c = 0; c < width_now; c++)
            for (size_t r = 0; r < size; r++)
                if (!fixed[r]) block[(size_t)c * size + r] = 0;
        for (int pass = 0; pass < 2 && good; pass++) { // the second pass refines
            fill_sides(&s, block, width_now);
            good = sn_sparse_solve(factor, s.sides, width_now);
            for (int c = 0; c < width_now && good; c++)
                for (size_t r = 0; r < size; r++)
                    if (!fixed[r])
                        block[(size_t)c * size + r] +=
                            s.sides[(size_t)c * (size_t)s.free_count + (size_t)s.free_index[r]];
        }
    }
    sn_sparse_free(factor);
    free(s.free_index), free(s.sides);
    return good;
}
