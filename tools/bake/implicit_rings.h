// One-ring neighbourhoods of a surface with edge weights: cotangents for stiffness, mean value coordinates for the
// position of a vertex within its ring.
#ifndef SN_BAKE_IMPLICIT_RINGS_H
#define SN_BAKE_IMPLICIT_RINGS_H

#include <stdbool.h>

typedef struct {
    int *first;          // count + 1: neighbours of i are first[i] <= k < first[i + 1], in ascending order
    int *other;          // neighbour vertices
    double *cotangent;   // half the sum of the cotangents of the angles opposite the edge, clamped to [1e-3, 100]
    double *mean_value;  // sum to 1 over a ring; all 0 at borders and for folded rings
    double (*normal)[3]; // of each vertex, weighted by angles; unit length, or 0
} sn_rings;

// Triangles may be degenerate and edges may have any number of triangles. False: no memory; 'out' is empty.
bool sn_rings_make(const double (*points)[3], int count, const int (*triangles)[3], int triangle_count, sn_rings *out);
void sn_rings_free(sn_rings *rings);

#endif
