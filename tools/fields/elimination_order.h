// In which order the rows of a sparse matrix are eliminated, so that its Cholesky factor has few entries.
#ifndef SN_FIELDS_ELIMINATION_ORDER_H
#define SN_FIELDS_ELIMINATION_ORDER_H

#include <stdbool.h>

// The matrix is the lower triangle by columns: the rows of column j are row[start[j]] to row[start[j + 1]], without
// duplicates. Writes the k-th row to be eliminated to order[k], and the number of entries in the factor's column k,
// with the diagonal, to count[k]. The order is a postorder of its elimination tree, and depends on the matrix alone.
// False: out of memory.
bool sn_elimination_order(int size, const int *start, const int *row, int *order, int *count);

#endif
