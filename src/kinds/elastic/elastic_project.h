// The two projections of a tetrahedron's deformation gradient F = U diag(s) V^T, with singular values |s2| <= s1 <= s0
// and the sign of det F in s2:
//
//     R = U V^T              the closest rotation                                  (as-rigid-as-possible)
//     D = U diag(d) V^T      the closest matrix of determinant 1                   (volume)
//
// Both are constraints of projective dynamics (eq. 6). Their energy per volume
//
//     W = mu |F - R|^2 + 3/2 lambda |F - D|^2
//
// is Hooke's law with Lamé parameters mu and lambda for small strains, where |F - D|^2 = tr(strain)^2 / 3.
//
// These functions use double precision and Jacobi's method and work for every F, including inverted and flat ones. The
// lanes of the local step (tet_kernel.c) have a faster method for ordinary F and call these for the rest.
#ifndef SN_KINDS_ELASTIC_ELASTIC_PROJECT_H
#define SN_KINDS_ELASTIC_ELASTIC_PROJECT_H

#include "base/math/real.h"

// Row-major: f[3 * row + column]. If F is not finite, both are the unit matrix.
void sn_elastic_project(const double f[9], double rotation[9], double volume[9]);

// d from s, see above: s[0] >= s[1] >= |s[2]|.
void sn_elastic_unit_volume(const double s[3], double d[3]);

#endif
