// The Cholesky factor of a large sparse matrix; used through sparse.h.
#ifndef SN_FIELDS_MULTIFRONTAL_H
#define SN_FIELDS_MULTIFRONTAL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct sn_multifrontal sn_multifrontal;

// The matrix is the lower triangle by columns: the rows of column j are row[start[j]] to row[start[j + 1]], in any
// order, without duplicates. order[k] is the k-th row to be eliminated, count[k] the number of entries in the factor's
// column k with the diagonal. The order must be a postorder of its elimination tree. Null: out of memory, or not
// positive definite (sets *singular).
sn_multifrontal *sn_multifrontal_factorize(int size, const int *start, const int *row, const double *value,
                                           const int *order, const int *count, bool *singular);

// Solves for 'columns' right-hand sides, one after the other; the solutions replace them. False: out of memory.
bool sn_multifrontal_solve(const sn_multifrontal *factor, double *sides, int columns);

// Accepts null.
void sn_multifrontal_free(sn_multifrontal *factor);

#endif
