// The vertices around each vertex of a surface, and how edges weigh: cotangents for stiffness, mean value coordinates
// for where a vertex is in its ring.
#ifndef SN_BAKE_IMPLICIT_RINGS_H
#define SN_BAKE_IMPLICIT_RINGS_H

#include <stdbool.h>

typedef struct {
    int *first;          // count + 1: those of i are first[i] <= k < first[i + 1], in rising order
    int *other;          // vertices
    double *cotangent;   // half the sum of the cotangents of the angles across the edge, 1e-3 to 100
    double *mean_value;  // add up to 1 over a ring; all 0 at borders and where the ring has no inside
    double (*normal)[3]; // of each vertex, weighted by angles; unit, or 0
} sn_rings;

// Triangles may have no area, and edges any number of triangles. False: no memory; out is then empty.
bool sn_rings_make(const double (*points)[3], int count, const int (*triangles)[3], int triangle_count, sn_rings *out);
void sn_rings_free(sn_rings *rings);

#endif
