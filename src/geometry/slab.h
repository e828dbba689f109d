// Slabs: the nearest and the deepest pair of two, in closed form.
//
// Any finite slab is allowed: without area, without length, without radius, with a ball that contains the others. The
// work is done in double on differences of the centres, so that float answers are as good far from the origin as at it.
#ifndef SN_GEOMETRY_SLAB_H
#define SN_GEOMETRY_SLAB_H

#include "geometry/primitives.h"

// A slab: the hull of three spheres, radii linear over the triangle of centres. A pill is a slab with c[2] = c[1], a
// sphere one with all three alike. Radii are at least 0.
typedef struct {
    sn_vec3 c[3];
    sn_real r[3];
} sn_slab;

// Where two come nearest: f = |x_a - x_b| - r_a - r_b is least over both simplexes.
typedef struct {
    sn_real a[3], b[3]; // barycentric, >= 0, sum 1
    sn_vec3 normal;     // unit, from b to a; where centres coincide: the direction of the shallowest way out
    sn_real gap;        // f there; negative: depth
} sn_slab_pair;

void sn_slab_slab(const sn_slab *a, const sn_slab *b, sn_slab_pair *out);
void sn_slab_pill(const sn_slab *a, const sn_pill *b, sn_slab_pair *out); // b[2] = 0

// Whether the gap is at most 'margin': the same answer as of the functions above up to rounding, sooner.
bool sn_slab_within(const sn_slab *a, const sn_slab *b, sn_real margin);

// A lower bound of the gap: positive if they are apart and then often less than it, else 0 or less.
sn_real sn_slab_separation(const sn_slab *a, const sn_slab *b);

// Signed distance of a point to the slab's surface. weight, if not null: of the sphere it is measured from.
sn_real sn_slab_distance(const sn_slab *slab, sn_vec3 point, sn_real weight[3]);

// The box along the world's axes, rounded outwards.
sn_bounds sn_slab_bounds(const sn_slab *slab);

#endif
