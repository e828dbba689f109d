// Sparse Cholesky: the matrix is gathered from its entries, ordered (elimination_order.c) and factored
// (multifrontal.c). The result is deterministic and computed on one thread.
#include "fields/sparse.h"
#include "fields/elimination_order.h"
#include "fields/multifrontal.h"
#include <stdlib.h>

struct sn_sparse_factor {
    sn_multifrontal *multifrontal;
};

typedef struct {
    int *start, *row; // by columns
    double *value;
} triangle;

// The lower triangle, duplicates summed in their order. False: out of memory.
static bool gather(int size, const sn_sparse_entry *entries, size_t count, triangle *t) {
    const size_t n = (size_t)size;
    int *first = calloc(n + 2, sizeof *first), *listed = malloc((count + 1) * sizeof *listed);
    int *slot = malloc((n + 1) * sizeof *slot);
    t->start = malloc((n + 1) * sizeof *t->start);
    t->row = malloc((count + 1) * sizeof *t->row);
    t->value = malloc((count + 1) * sizeof *t->value);
    const bool good = first && listed && slot && t->start && t->row && t->value;
    for (size_t e = 0; e < count && good; e++) first[entries[e].column + 2] += entries[e].row >= entries[e].column;
    for (int j = 0; j < size && good; j++) first[j + 2] += first[j + 1], slot[j] = -1;
    for (size_t e = 0; e < count && good; e++)
        if (entries[e].row >= entries[e].column) listed[first[entries[e].column + 1]++] = (int)e;
    int used = 0;
    for (int j = 0; j < size && good; j++) {
        t->start[j] = used;
        for (int k = first[j]; k < first[j + 1]; k++) {
            const sn_sparse_entry *e = &entries[listed[k]];
            if (slot[e->row] < t->start[j]) {
                slot[e->row] = used;
                t->row[used] = e->row, t->value[used++] = e->value;
            } else {
                t->value[slot[e->row]] += e->value;
            }
        }
    }
    if (good) t->start[size] = used;
    free(first), free(listed), free(slot);
    return good;
}

sn_sparse_factor *sn_sparse_factorize(int size, const sn_sparse_entry *entries, size_t count, bool *singular) {
    const size_t n = (size_t)size + 1;
    bool not_definite = false;
    triangle t = {0};
    sn_sparse_factor *f = calloc(1, sizeof *f);
    int *order = malloc(n * sizeof *order), *columns = malloc(n * sizeof *columns);
    if (f && order && columns && gather(size, entries, count, &t) &&
        sn_elimination_order(size, t.start, t.row, order, columns))
        f->multifrontal = sn_multifrontal_factorize(size, t.start, t.row, t.value, order, columns, &not_definite);
    free(t.start), free(t.row), free(t.value), free(order), free(columns);
    if (singular) *singular = not_definite;
    if (f && f->multifrontal) return f;
    free(f);
    return NULL;
}

bool sn_sparse_solve(sn_sparse_factor *f, double *sides, int columns) {
    return sn_multifrontal_solve(f->multifrontal, sides, columns);
}

void sn_sparse_free(sn_sparse_factor *f) {
    if (!f) return;
    sn_multifrontal_free(f->multifrontal);
    free(f);
}
