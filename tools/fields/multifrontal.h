// The Cholesky factor of a large sparse matrix in dense blocks; see sparse_blocks.c. sparse.h is the door to it.
#ifndef SN_FIELDS_MULTIFRONTAL_H
#define SN_FIELDS_MULTIFRONTAL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct sn_multifrontal sn_multifrontal;

// The lower triangle by columns: rows of column j are row[start[j]] to row[start[j + 1]], in any order, each once.
// order[k] is the row that comes k-th, count[k] how many numbers the factor's column k has, its diagonal included. The
// order must be a postorder of its elimination tree. Null: no memory, or not positive definite (*singular says so).
sn_multifrontal *sn_multifrontal_factorize(int size, const int *start, const int *row, const double *value,
                                           const int *order, const int *count, bool *singular);

// Solves for 'columns' right sides, one after the other, which the solutions replace. False: no memory.
bool sn_multifrontal_solve(const sn_multifrontal *factor, double *sides, int columns);

// Null is fine.
void sn_multifrontal_free(sn_multifrontal *factor);

#endif
