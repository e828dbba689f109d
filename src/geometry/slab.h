// Slabs: the nearest or deepest pair of points of two, in closed form.
//
// Any finite slab is allowed: without area, without length, without radius, with a ball that contains the others. The
// work is done in double on differences of the centres, so that float results are as accurate far from the origin as at
// it.
#ifndef SN_GEOMETRY_SLAB_H
#define SN_GEOMETRY_SLAB_H

#include "geometry/primitives.h"

// A slab: the hull of three spheres, radii linear over the triangle of centres. A pill is a slab with c[2] = c[1], a
// sphere one with three equal corners. Radii are at least 0.
typedef struct {
    sn_vec3 c[3];
    sn_real r[3];
} sn_slab;

// The nearest points of two: f = |x_a - x_b| - r_a - r_b is minimal over both simplexes.
typedef struct {
    sn_real a[3], b[3]; // barycentric, >= 0, sum 1
    sn_vec3 normal;     // unit, from b to a; where centres coincide: the shortest way out
    sn_real gap;        // f there; negative: depth
} sn_slab_pair;

void sn_slab_slab(const sn_slab *a, const sn_slab *b, sn_slab_pair *out);
void sn_slab_pill(const sn_slab *a, const sn_pill *b, sn_slab_pair *out); // b[2] = 0

// Whether the gap is at most 'margin': the same result as the functions above up to rounding, but faster.
bool sn_slab_within(const sn_slab *a, const sn_slab *b, sn_real margin);

// A lower bound of the gap: positive only if they are apart, and then often smaller than the gap.
sn_real sn_slab_separation(const sn_slab *a, const sn_slab *b);

// Signed distance of a point to the slab's surface. weight (may be null): of the sphere it is measured from.
sn_real sn_slab_distance(const sn_slab *slab, sn_vec3 point, sn_real weight[3]);

// The world-aligned box, rounded outwards.
sn_bounds sn_slab_bounds(const sn_slab *slab);

#endif
