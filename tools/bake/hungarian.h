// Matching: who goes with whom at the least cost.
#ifndef SN_BAKE_HUNGARIAN_H
#define SN_BAKE_HUNGARIAN_H

#include <stdbool.h>

// cost[count * row + column]: what it costs that the row goes with the column. match[row] becomes the column of each
// row, every column used once, so that the sum is least; of equal ones always the same. Costs are finite. Takes
// count^3 steps. False: no memory.
bool sn_hungarian(const double *cost, int count, int *match);

#endif
