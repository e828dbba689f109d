// Exact signs of determinants, whatever the rounding: on which side of a plane, inside or outside of a sphere.
//
// Coordinates must be zero or between 1e-40 and 1e40 in magnitude, or any float: then nothing overflows or underflows.
#ifndef SN_MESH_EXACT_PREDICATES_H
#define SN_MESH_EXACT_PREDICATES_H

// The sign, -1, 0 or 1, of the volume of the tetrahedron a b c d. It is 1 for (0,0,0), (1,0,0), (0,1,0), (0,0,1): seen
// from d, a b c are counter-clockwise.
int exact_orient3d(const double a[3], const double b[3], const double c[3], const double d[3]);

// 1: e is inside of the sphere through a, b, c, d; 0: on it; -1: outside. The tetrahedron a b c d must have orientation
// 1 (with -1 the result is negated). If d is coplanar with a, b, c, e the result is 0; if only e is coplanar with a, b,
// c the result is about their circle, whatever d is.
int exact_insphere(const double a[3], const double b[3], const double c[3], const double d[3], const double e[3]);

#endif
