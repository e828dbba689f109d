// A sparse symmetric matrix by rows, for what a factorization does not do: products, squares, and who is joined to
// whom.
#ifndef SN_FIELDS_SPARSE_ROWS_H
#define SN_FIELDS_SPARSE_ROWS_H

#include "fields/sparse.h"

typedef struct {
    int size;
    size_t *start; // size + 1: where rows begin in the two lists
    int *column;   // rising within a row, each once
    double *value;
} sn_sparse_rows;

// Both triangles of the matrix whose lower one is given; entries above the diagonal are not read, several for the same
// place add up. False: no memory; the result is then empty.
bool sn_sparse_rows_make(int size, const sn_sparse_entry *entries, size_t count, sn_sparse_rows *out);
void sn_sparse_rows_free(sn_sparse_rows *rows);

// y = A x.
void sn_sparse_rows_multiply(const sn_sparse_rows *rows, const double *x, double *y);

// The lower triangle of A D A, with D the diagonal given: a list, to be freed. Null: no memory.
sn_sparse_entry *sn_sparse_rows_square(const sn_sparse_rows *rows, const double *diagonal, size_t *count);

// Numbers the pieces that hang together: part[i] for each row. Returns how many; -1: no memory.
int sn_sparse_rows_parts(const sn_sparse_rows *rows, int *part);

// The x that makes x.A x least while some of its numbers are given, for several columns at once: where fixed[i], x[i +
// size * c] is taken as it is, the others are found. A must be positive semidefinite, and definite on what is not
// fixed. False: no memory, or it is not definite (*singular then says so).
bool sn_sparse_rows_minimise(const sn_sparse_rows *rows, const bool *fixed, double *x, int columns, bool *singular);

#endif
