// Sparse symmetric positive definite systems: factor once, solve for many right sides. The one place that knows which
// library does it.
#ifndef SN_FIELDS_SPARSE_H
#define SN_FIELDS_SPARSE_H

#include <stdbool.h>
#include <stddef.h>

// One number of a matrix. Several for the same place add up.
typedef struct {
    int row, column;
    double value;
} sn_sparse_entry;

typedef struct sn_sparse_factor sn_sparse_factor;

// Factors the matrix of 'size' rows; entries above and below the diagonal are the same, only those with row >= column
// are read. Null: no memory, or the matrix is not positive definite (*singular then says so, if not null).
sn_sparse_factor *sn_sparse_factorize(int size, const sn_sparse_entry *entries, size_t count, bool *singular);

// Solves for 'columns' right sides, one after the other in 'sides', which the solutions replace. False: no memory.
bool sn_sparse_solve(sn_sparse_factor *factor, double *sides, int columns);

// Null is fine.
void sn_sparse_free(sn_sparse_factor *factor);

#endif
