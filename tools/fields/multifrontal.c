// Multifrontal Cholesky factorization. Consecutive columns of the factor with the same rows below them form a
// supernode. Supernodes form a tree: a supernode's parent contains its first row below. From the leaves up, each
// supernode assembles a dense matrix (its front) from A's columns and its children's update matrices,
//
//     F = | F11      |   F11 = L11 L11^T,  L21 = F21 L11^-T,  update matrix for the parent: F22 - L21 L21^T
//         | F21  F22 |
//
// and nearly all of the time goes into that last product. It is done in panels, with blocks of four columns by eight
// rows in registers. The order of summation depends on the matrix alone.
//
// A supernode is merged with its parent when that adds few zeros: larger supernodes are worth more than the zeros cost.
#include "fields/multifrontal.h"
#include "mesh/sort.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int first, columns; // columns of the factor
    int rows;           // columns + rows below
    int parent;         // -1: none
    int *row;           // the rows below, ascending
    double *value;      // rows * columns, column-major
} supernode;

struct sn_multifrontal {
    int size, count;
    int *order;
    supernode *supernodes;
};

enum { PANEL = 48 };

typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

// ---- the product

// f[i, j] -= sum over k of f[i, k] f[j, k], for columns j from 'from' to 'to', rows i >= j, k from p to q. The stride
// is a multiple of 8; values above the diagonal are arbitrary.
static inline __attribute__((always_inline)) void subtract_product(double *f, size_t stride, size_t p, size_t q,
                                                                   size_t from, size_t to) {
    size_t j = from;
    for (; j + 4 <= to; j += 4)
        for (size_t i = j & ~(size_t)7; i < stride; i += 8) {
            four sum[4][2];
            for (size_t c = 0; c < 4; c++) {
                sum[c][0] = *(const four *)(f + (j + c) * stride + i);
                sum[c][1] = *(const four *)(f + (j + c) * stride + i + 4);
            }
            for (size_t k = p; k < q; k++) {
                const double *column = f + k * stride;
                const four a = *(const four *)(column + i), b = *(const four *)(column + i + 4);
                for (size_t c = 0; c < 4; c++) {
                    const double w = column[j + c];
                    sum[c][0] -= a * w;
                    sum[c][1] -= b * w;
                }
            }
            for (size_t c = 0; c < 4; c++) {
                *(four *)(f + (j + c) * stride + i) = sum[c][0];
                *(four *)(f + (j + c) * stride + i + 4) = sum[c][1];
            }
        }
    for (; j < to; j++)
        for (size_t k = p; k < q; k++) {
            const double w = f[k * stride + j];
            for (size_t i = j; i < stride; i++) f[j * stride + i] -= w * f[k * stride + i];
        }
}

static void subtract_plain(double *f, size_t stride, size_t p, size_t q, size_t from, size_t to) {
    subtract_product(f, stride, p, q, from, to);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void subtract_wide(double *f, size_t stride, size_t p, size_t q, size_t from,
                                                          size_t to) {
    subtract_product(f, stride, p, q, from, to);
}
#endif

typedef void subtract_fn(double *f, size_t stride, size_t p, size_t q, size_t from, size_t to);

static subtract_fn *choose_subtract(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return subtract_wide; // the same operations: the same result
#endif
    return subtract_plain;
}

// Factors the first 'columns' columns of a front and subtracts their product from the rest. False: not positive
// definite.
static bool factor_front(double *f, size_t stride, size_t rows, size_t columns, const double *min_pivot,
                         subtract_fn *subtract) {
    for (size_t p = 0; p < columns; p += PANEL) {
        const size_t q = p + PANEL < columns ? p + PANEL : columns;
        for (size_t k = p; k < q; k++) {
            double *column = f + k * stride;
            if (!(column[k] > min_pivot[k])) return false;
            const double root = sqrt(column[k]), inverse = 1 / root;
            column[k] = root;
            for (size_t i = k + 1; i < stride; i++) column[i] *= inverse;
            for (size_t j = k + 1; j < q; j++) {
                const double w = column[j];
                double *other = f + j * stride;
                for (size_t i = j; i < stride; i++) other[i] -= w * column[i];
            }
        }
        subtract(f, stride, p, q, q, rows);
    }
    return true;
}

// ---- supernodes

typedef struct {
    const int *start, *row;
    const double *value;
    int *position;                  // of each row of A in the elimination order
    int *parent;                    // elimination tree
    int *column_start, *column_row; // permuted A: rows below the diagonal of each column
    double *column_value, *diagonal;
} permuted;

static void permuted_free(permuted *o) {
    free(o->position), free(o->parent), free(o->column_start), free(o->column_row), free(o->column_value),
        free(o->diagonal);
}

// Permutes A: lower triangle, by columns.
static bool reorder(permuted *o, int size, const int *order) {
    const size_t n = (size_t)size, entries = (size_t)o->start[size];
    o->position = malloc((n + 1) * sizeof *o->position);
    o->parent = malloc((n + 1) * sizeof *o->parent);
    o->column_start = calloc(n + 2, sizeof *o->column_start);
    o->column_row = malloc((entries + 1) * sizeof *o->column_row);
    o->column_value = malloc((entries + 1) * sizeof *o->column_value);
    o->diagonal = calloc(n + 1, sizeof *o->diagonal);
    if (!o->position || !o->parent || !o->column_start || !o->column_row || !o->column_value || !o->diagonal)
        return false;
    for (int k = 0; k < size; k++) o->position[order[k]] = k;
    for (int pass = 0; pass < 2; pass++) { // count, then fill
        for (int j = 0; j < size; j++)
            for (int e = o->start[j]; e < o->start[j + 1]; e++) {
                const int a = o->position[o->row[e]], b = o->position[j], low = a < b ? a : b, high = a < b ? b : a;
                if (low == high) {
                    o->diagonal[low] = o->value[e];
                } else if (pass == 0) {
                    o->column_start[low + 2]++;
                } else {
                    const int at = o->column_start[low + 1]++;
                    o->column_row[at] = high, o->column_value[at] = o->value[e];
                }
            }
        for (int k = 1; k <= size && pass == 0; k++) o->column_start[k + 1] += o->column_start[k];
    }
    return true;
}

typedef struct {
    int first, columns, rows;
    double zeros;
} supernode_run;

static bool should_merge(const supernode_run *child, const supernode_run *parent, supernode_run *out) {
    const double columns = child->columns + parent->columns, rows = child->columns + parent->rows;
    const double zeros = child->zeros + parent->zeros + (double)child->columns * (rows - child->rows);
    const double all = columns * rows - 0.5 * columns * (columns - 1);
    *out = (supernode_run){child->first, child->columns + parent->columns, child->columns + parent->rows, zeros};
    return zeros <= (columns <= 8 ? 0.5 : columns <= 32 ? 0.15 : 0.05) * all;
}

// Merges consecutive columns into supernodes.
static bool find_supernodes(sn_multifrontal *s, const permuted *o, const int *count) {
    const int size = s->size;
    supernode_run *runs = malloc(((size_t)size + 1) * sizeof *runs);
    if (!runs) return false;
    for (int j = 0; j < size; j++) {
        supernode_run now = {j, 1, count[j], 0};
        while (s->count > 0) {
            supernode_run merged;
            const supernode_run *last = &runs[s->count - 1];
            const int end = last->first + last->columns - 1;
            if (o->parent[end] != j || !should_merge(last, &now, &merged)) break;
            now = merged;
            --s->count;
        }
        runs[s->count++] = now;
    }
    s->supernodes = calloc((size_t)s->count + 1, sizeof *s->supernodes);
    for (int b = 0; b < s->count && s->supernodes; b++)
        s->supernodes[b] = (supernode){.first = runs[b].first, .columns = runs[b].columns, .parent = -1};
    free(runs);
    return s->supernodes != NULL;
}

// The elimination tree (Liu), with path compression.
static bool find_parents(const permuted *o, int size) {
    int *ancestor = malloc(((size_t)size + 1) * sizeof *ancestor);
    // by rows: for each row i, the columns k < i with an entry
    int *start = calloc((size_t)size + 2, sizeof *start), *column = NULL;
    bool good = ancestor && start && (column = malloc(((size_t)o->column_start[size] + 1) * sizeof *column));
    for (int e = 0; e < o->column_start[size] && good; e++) ++start[o->column_row[e] + 2];
    for (int i = 1; i <= size && good; i++) start[i + 1] += start[i];
    for (int k = 0; k < size && good; k++)
        for (int e = o->column_start[k]; e < o->column_start[k + 1]; e++) column[start[o->column_row[e] + 1]++] = k;
    for (int i = 0; i < size && good; i++) {
        o->parent[i] = ancestor[i] = -1;
        for (int e = start[i]; e < start[i + 1]; e++)
            for (int k = column[e], next; k >= 0 && k < i; k = next) {
                next = ancestor[k];
                ancestor[k] = i;
                if (next < 0) o->parent[k] = i;
            }
    }
    free(ancestor), free(start), free(column);
    return good;
}

// The rows below each supernode: those of A's columns and of its children.
static bool find_rows(sn_multifrontal *s, const permuted *o) {
    int *seen = malloc(((size_t)s->size + 1) * sizeof *seen),
        *supernodes = malloc(((size_t)s->size + 1) * sizeof *supernodes);
    int *supernode_of = malloc(((size_t)s->size + 1) * sizeof *supernode_of);
    int *child = malloc(((size_t)s->count + 1) * sizeof *child),
        *sibling = malloc(((size_t)s->count + 1) * sizeof *sibling);
    bool good = seen && supernodes && supernode_of && child && sibling;
    for (int i = 0; i < s->size && good; i++) seen[i] = -1;
    for (int b = 0; b < s->count && good; b++) {
        child[b] = sibling[b] = -1;
        for (int k = 0; k < s->supernodes[b].columns; k++) supernode_of[s->supernodes[b].first + k] = b;
    }
    for (int b = 0; b < s->count && good; b++) {
        supernode *now = &s->supernodes[b];
        const int end = now->first + now->columns;
        int count = 0;
        for (int e = o->column_start[now->first]; e < o->column_start[end]; e++) {
            const int r = o->column_row[e];
            if (r >= end && seen[r] != b) seen[r] = b, supernodes[count++] = r;
        }
        for (int c = child[b]; c >= 0; c = sibling[c])
            for (int i = 0; i < s->supernodes[c].rows - s->supernodes[c].columns; i++) {
                const int r = s->supernodes[c].row[i];
                if (r >= end && seen[r] != b) seen[r] = b, supernodes[count++] = r;
            }
        qsort(supernodes, (size_t)count, sizeof *supernodes, compare_int);
        now->rows = now->columns + count;
        now->row = malloc(((size_t)count + 1) * sizeof *now->row);
        good = now->row != NULL;
        if (!good) break;
        memcpy(now->row, supernodes, (size_t)count * sizeof *supernodes);
        if (count == 0) continue;
        now->parent = supernode_of[supernodes[0]];
        sibling[b] = child[now->parent];
        child[now->parent] = b;
    }
    free(seen), free(supernodes), free(supernode_of), free(child), free(sibling);
    return good;
}

// ---- factoring

// A supernode's update matrix for its parent: the lower triangle, by columns. 'next': sibling.
typedef struct {
    double *value;
    int next;
} update_matrix;

// Assembles A's columns and the children's update matrices into a zeroed front. 'at': the position of a row in the
// front.
static void assemble(const sn_multifrontal *s, const permuted *o, int b, update_matrix *updates, int *child, int *at,
                     double *f, size_t stride) {
    const supernode *now = &s->supernodes[b];
    for (int k = 0; k < now->columns; k++) at[now->first + k] = k;
    for (int i = 0; i < now->rows - now->columns; i++) at[now->row[i]] = now->columns + i;
    for (int k = 0; k < now->columns; k++) {
        const int j = now->first + k;
        f[(size_t)k * stride + (size_t)k] = o->diagonal[j];
        for (int e = o->column_start[j]; e < o->column_start[j + 1]; e++)
            f[(size_t)k * stride + (size_t)at[o->column_row[e]]] += o->column_value[e];
    }
    for (int c = child[b]; c >= 0; c = updates[c].next) {
        const supernode *from = &s->supernodes[c];
        const int rows = from->rows - from->columns;
        const double *value = updates[c].value;
        for (int j = 0; j < rows; j++) {
            double *column = f + (size_t)at[from->row[j]] * stride;
            for (int i = j; i < rows; i++) column[at[from->row[i]]] += *value++;
        }
        free(updates[c].value);
        updates[c].value = NULL;
    }
}

static bool factor_supernode(sn_multifrontal *s, const permuted *o, int b, update_matrix *updates, int *child, int *at,
                             double *min_pivot, subtract_fn *subtract, bool *singular) {
    supernode *now = &s->supernodes[b];
    const size_t rows = (size_t)now->rows, columns = (size_t)now->columns, stride = (rows + 7) & ~(size_t)7;
    const size_t below = rows - columns;
    double *f = calloc(stride * rows + 8, sizeof *f);
    now->value = malloc((rows * columns + 1) * sizeof *now->value);
    updates[b].value = malloc((below * (below + 1) / 2 + 1) * sizeof *updates[b].value);
    if (!f || !now->value || !updates[b].value) {
        free(f);
        return false;
    }
    assemble(s, o, b, updates, child, at, f, stride);
    for (size_t k = 0; k < columns; k++) min_pivot[k] = 1e-15 * fabs(o->diagonal[now->first + (int)k]);
    if (!factor_front(f, stride, rows, columns, min_pivot, subtract)) {
        free(f);
        *singular = true;
        return false;
    }
    for (size_t k = 0; k < columns; k++) memcpy(now->value + k * rows, f + k * stride, rows * sizeof *f);
    double *value = updates[b].value;
    for (size_t j = columns; j < rows; j++) {
        memcpy(value, f + j * stride + j, (rows - j) * sizeof *f);
        value += rows - j;
    }
    free(f);
    if (now->parent >= 0) {
        updates[b].next = child[now->parent];
        child[now->parent] = b;
    }
    return true;
}

static bool factor(sn_multifrontal *s, const permuted *o, bool *singular) {
    update_matrix *updates = calloc((size_t)s->count + 1, sizeof *updates);
    int *child = malloc(((size_t)s->count + 1) * sizeof *child), *at = malloc(((size_t)s->size + 1) * sizeof *at);
    double *min_pivot = malloc(((size_t)s->size + 1) * sizeof *min_pivot);
    bool good = updates && child && at && min_pivot;
    subtract_fn *subtract = choose_subtract();
    for (int b = 0; b < s->count && good; b++) child[b] = -1;
    for (int b = 0; b < s->count && good; b++)
        good = factor_supernode(s, o, b, updates, child, at, min_pivot, subtract, singular);
    for (int b = 0; b < s->count && updates; b++) free(updates[b].value);
    free(updates), free(child), free(at), free(min_pivot);
    return good;
}

sn_multifrontal *sn_multifrontal_factorize(int size, const int *start, const int *row, const double *value,
                                           const int *order, const int *count, bool *singular) {
    permuted o = {.start = start, .row = row, .value = value};
    sn_multifrontal *s = calloc(1, sizeof *s);
    *singular = false;
    bool good = s && (s->order = malloc(((size_t)size + 1) * sizeof *s->order));
    if (good) {
        s->size = size;
        memcpy(s->order, order, (size_t)size * sizeof *order);
        good = reorder(&o, size, order) && find_parents(&o, size) && find_supernodes(s, &o, count) &&
               find_rows(s, &o) && factor(s, &o, singular);
    }
    permuted_free(&o);
    if (good) return s;
    sn_multifrontal_free(s);
    return NULL;
}

void sn_multifrontal_free(sn_multifrontal *s) {
    if (!s) return;
    for (int b = 0; b < s->count && s->supernodes; b++) free(s->supernodes[b].row), free(s->supernodes[b].value);
    free(s->supernodes), free(s->order);
    free(s);
}

// ---- solving

// One right-hand side. Solves L y = x from the first supernode on, then L^T x = y backwards.
static void solve_one(const sn_multifrontal *s, double *x) {
    for (int b = 0; b < s->count; b++) {
        const supernode *now = &s->supernodes[b];
        double *own = x + now->first;
        for (int k = 0; k < now->columns; k++) {
            const double *column = now->value + (size_t)k * (size_t)now->rows;
            const double solved = own[k] / column[k];
            own[k] = solved;
            for (int i = k + 1; i < now->columns; i++) own[i] -= column[i] * solved;
            for (int i = now->columns; i < now->rows; i++) x[now->row[i - now->columns]] -= column[i] * solved;
        }
    }
    for (int b = s->count - 1; b >= 0; --b) {
        const supernode *now = &s->supernodes[b];
        double *own = x + now->first;
        for (int k = now->columns - 1; k >= 0; --k) {
            const double *column = now->value + (size_t)k * (size_t)now->rows;
            double sum = own[k];
            for (int i = now->columns; i < now->rows; i++) sum -= column[i] * x[now->row[i - now->columns]];
            for (int i = k + 1; i < now->columns; i++) sum -= column[i] * own[i];
            own[k] = sum / column[k];
        }
    }
}

// Eight right-hand sides at once, those of a row in two vectors.
enum { SOLVE_WIDTH = 8 };

typedef struct {
    four low, high;
} eight;

static inline __attribute__((always_inline)) void subtract_scaled(eight *from, double scale, const eight *what) {
    from->low -= scale * what->low;
    from->high -= scale * what->high;
}

// Subtracts the supernode's columns, times what they are solved to, from four rows below it.
static inline __attribute__((always_inline)) void subtract_columns(const supernode *now, const eight *own, int i,
                                                                   eight *x) {
    const int *row = now->row + (i - now->columns);
    eight sum[4];
    for (int r = 0; r < 4; r++) sum[r] = x[row[r]];
    for (int k = 0; k < now->columns; k++) {
        const double *at = now->value + (size_t)k * (size_t)now->rows + i;
        for (int r = 0; r < 4; r++) subtract_scaled(&sum[r], at[r], &own[k]);
    }
    for (int r = 0; r < 4; r++) x[row[r]] = sum[r];
}

// Subtracts the rows below, times what they are solved to, from four columns.
static inline __attribute__((always_inline)) void subtract_rows(const supernode *now, const eight *x, int k,
                                                                eight *own) {
    const size_t rows = (size_t)now->rows;
    eight sum[4];
    for (int c = 0; c < 4; c++) sum[c] = own[k + c];
    for (int i = now->columns; i < now->rows; i++) {
        const double *at = now->value + (size_t)k * rows + i;
        for (int c = 0; c < 4; c++) subtract_scaled(&sum[c], at[(size_t)c * rows], &x[now->row[i - now->columns]]);
    }
    for (int c = 0; c < 4; c++) own[k + c] = sum[c];
}

static inline __attribute__((always_inline)) void solve_forward(const supernode *now, eight *x) {
    eight *own = x + now->first;
    for (int k = 0; k < now->columns; k++) {
        const double *column = now->value + (size_t)k * (size_t)now->rows;
        own[k].low /= column[k], own[k].high /= column[k];
        for (int i = k + 1; i < now->columns; i++) subtract_scaled(&own[i], column[i], &own[k]);
    }
    int i = now->columns;
    for (; i + 4 <= now->rows; i += 4) subtract_columns(now, own, i, x);
    for (; i < now->rows; i++)
        for (int k = 0; k < now->columns; k++)
            subtract_scaled(&x[now->row[i - now->columns]], now->value[(size_t)k * (size_t)now->rows + (size_t)i],
                            &own[k]);
}

static inline __attribute__((always_inline)) void solve_backward(const supernode *now, eight *x) {
    eight *own = x + now->first;
    int k = 0;
    for (; k + 4 <= now->columns; k += 4) subtract_rows(now, x, k, own);
    for (; k < now->columns; k++)
        for (int i = now->columns; i < now->rows; i++)
            subtract_scaled(&own[k], now->value[(size_t)k * (size_t)now->rows + (size_t)i],
                            &x[now->row[i - now->columns]]);
    for (k = now->columns - 1; k >= 0; --k) {
        const double *column = now->value + (size_t)k * (size_t)now->rows;
        for (int i = k + 1; i < now->columns; i++) subtract_scaled(&own[k], column[i], &own[i]);
        own[k].low /= column[k], own[k].high /= column[k];
    }
}

static inline __attribute__((always_inline)) void solve_eight(const sn_multifrontal *s, eight *x) {
    for (int b = 0; b < s->count; b++) solve_forward(&s->supernodes[b], x);
    for (int b = s->count - 1; b >= 0; --b) solve_backward(&s->supernodes[b], x);
}

static void solve_eight_plain(const sn_multifrontal *s, eight *x) {
    solve_eight(s, x);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void solve_eight_wide(const sn_multifrontal *s, eight *x) {
    solve_eight(s, x);
}
#endif

static void solve_block(const sn_multifrontal *s, eight *x) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) { // the same operations: the same result
        solve_eight_wide(s, x);
        return;
    }
#endif
    solve_eight_plain(s, x);
}

bool sn_multifrontal_solve(const sn_multifrontal *s, double *sides, int columns) {
    const size_t size = (size_t)s->size;
    double *x = calloc(SOLVE_WIDTH * size + 1, sizeof *x);
    if (!x) return false;
    for (int first = 0; first < columns;) {
        const int left = columns - first, used = left < SOLVE_WIDTH ? left : SOLVE_WIDTH;
        const size_t width = used == 1 ? 1 : SOLVE_WIDTH; // what is not used is solved too: faster than one by one
        double *sides_block = sides + (size_t)first * size;
        for (size_t i = 0; i < size; i++)
            for (int c = 0; c < used; c++)
                x[i * width + (size_t)c] = sides_block[(size_t)c * size + (size_t)s->order[i]];
        if (used == 1)
            solve_one(s, x);
        else
            solve_block(s, (eight *)x);
        for (size_t i = 0; i < size; i++)
            for (int c = 0; c < used; c++)
                sides_block[(size_t)c * size + (size_t)s->order[i]] = x[i * width + (size_t)c];
        first += used;
    }
    free(x);
    return true;
}
