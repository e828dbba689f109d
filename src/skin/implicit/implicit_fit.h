// Hermite radial basis functions: a smooth d(p) that is 0 at samples of a surface, with their normals as gradients
// there.
#ifndef SN_SKIN_IMPLICIT_IMPLICIT_FIT_H
#define SN_SKIN_IMPLICIT_IMPLICIT_FIT_H

#include "base/memory.h"

typedef struct {
    sn_memory *memory;
    int count;
    double (*centre)[3], *alpha, (*beta)[3];
} sn_hermite;

enum { SN_HERMITE_MAX = 1000 };

// Fits it; normals have unit length and point outwards. False: coincident samples, fewer than 4 or more than
// SN_HERMITE_MAX, or out of memory; out is then empty.
bool sn_hermite_fit(sn_memory *memory, const double (*points)[3], const double (*normals)[3], int count,
                    sn_hermite *out);
void sn_hermite_free(sn_hermite *h);

// d and its gradient (may be null).
double sn_hermite_at(const sn_hermite *h, const double p[3], double gradient[3]);

#endif
