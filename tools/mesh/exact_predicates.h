// Signs of determinants that are always right, whatever rounding does: which side of a plane, inside which sphere.
//
// Coordinates are zero or between 1e-40 and 1e40 in magnitude, or anything that a float can hold: then nothing that is
// computed here overflows or vanishes.
#ifndef SN_MESH_EXACT_PREDICATES_H
#define SN_MESH_EXACT_PREDICATES_H

// The sign, -1, 0 or 1, of the volume of the tetrahedron a b c d: 1 when a, b, c turn counter-clockwise seen from d's
// other side, as (0,0,0), (1,0,0), (0,1,0), (0,0,1) do.
int exact_orient3d(const double a[3], const double b[3], const double c[3], const double d[3]);

// 1: e lies inside of the sphere through a, b, c, d; 0: on it; -1: outside. The four have volume 1 (with -1 the
// answer is turned round). With d in the plane of a, b, c, e the answer is 0, but with only e in that of a, b, c it is
// about their circle, whatever d is.
int exact_insphere(const double a[3], const double b[3], const double c[3], const double d[3], const double e[3]);

#endif
