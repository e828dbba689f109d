// A sparse symmetric matrix in compressed sparse row format, for products, squares, components and minimisation.
#ifndef SN_FIELDS_CSR_MATRIX_H
#define SN_FIELDS_CSR_MATRIX_H

#include "fields/sparse.h"

typedef struct {
    int size;
    size_t *start; // size + 1: row offsets into the lists below
    int *column;   // ascending within a row, unique
    double *value;
} sn_csr_matrix;

// Builds both triangles from the lower one. Entries above the diagonal are ignored; duplicates are summed. False: out
// of memory, and the result is empty.
bool sn_csr_matrix_build(int size, const sn_sparse_entry *entries, size_t count, sn_csr_matrix *out);
void sn_csr_matrix_free(sn_csr_matrix *rows);

// y = A x.
void sn_csr_matrix_multiply(const sn_csr_matrix *rows, const double *x, double *y);

// The lower triangle of A D A with the diagonal matrix D: a list, to be freed. Null: out of memory.
sn_sparse_entry *sn_csr_matrix_square(const sn_csr_matrix *rows, const double *diagonal, size_t *count);

// Connected components: component[i] of each row. Returns their number; -1: out of memory.
int sn_csr_matrix_components(const sn_csr_matrix *rows, int *component);

// Minimises x.A x with some values fixed, for several columns at once: where fixed[i], x[i + size * c] is given, the
// other values are computed. A must be positive semidefinite, and definite on the free rows. False: out of memory, or
// not definite (sets *singular).
bool sn_csr_matrix_minimise(const sn_csr_matrix *rows, const bool *fixed, double *x, int columns, bool *singular);

#endif
