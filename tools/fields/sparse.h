// Sparse symmetric positive definite systems: factor once, solve for many right-hand sides. Ours: no library is used.
#ifndef SN_FIELDS_SPARSE_H
#define SN_FIELDS_SPARSE_H

#include <stdbool.h>
#include <stddef.h>

// An entry of a matrix. Duplicates are summed.
typedef struct {
    int row, column;
    double value;
} sn_sparse_entry;

typedef struct sn_sparse_factor sn_sparse_factor;

// Factors a symmetric matrix of 'size' rows; only entries with row >= column are read. Null: out of memory, or the
// matrix is not positive definite (sets *singular, if not null).
sn_sparse_factor *sn_sparse_factorize(int size, const sn_sparse_entry *entries, size_t count, bool *singular);

// Solves for 'columns' right-hand sides, one after the other in 'sides'; the solutions replace them. False: out of
// memory.
bool sn_sparse_solve(sn_sparse_factor *factor, double *sides, int columns);

// Accepts null.
void sn_sparse_free(sn_sparse_factor *factor);

#endif
