// A sparse symmetric matrix by rows, for what a factorization does not do: products, squares, and who is joined to
// whom.
#ifndef SN_FIELDS_CSR_MATRIX_H
#define SN_FIELDS_CSR_MATRIX_H

#include "fields/sparse.h"

typedef struct {
    int size;
    size_t *start; // size + 1: where rows begin in the two lists
    int *column;   // rising within a row, each once
    double *value;
} sn_csr_matrix;

// Both triangles of the matrix whose lower one is given; entries above the diagonal are not read, several for the same
// place add up. False: no memory; the result is then empty.
bool sn_csr_matrix_build(int size, const sn_sparse_entry *entries, size_t count, sn_csr_matrix *out);
void sn_csr_matrix_free(sn_csr_matrix *rows);

// y = A x.
void sn_csr_matrix_multiply(const sn_csr_matrix *rows, const double *x, double *y);

// The lower triangle of A D A, with D the diagonal given: a list, to be freed. Null: no memory.
sn_sparse_entry *sn_csr_matrix_square(const sn_csr_matrix *rows, const double *diagonal, size_t *count);

// Numbers the pieces that hang together: part[i] for each row. Returns how many; -1: no memory.
int sn_csr_matrix_components(const sn_csr_matrix *rows, int *component);

// The x that makes x.A x least while some of its numbers are given, for several columns at once: where fixed[i], x[i +
// size * c] is taken as it is, the others are found. A must be positive semidefinite, and definite on what is not
// fixed. False: no memory, or it is not definite (*singular then says so).
bool sn_csr_matrix_minimise(const sn_csr_matrix *rows, const bool *fixed, double *x, int columns, bool *singular);

#endif
