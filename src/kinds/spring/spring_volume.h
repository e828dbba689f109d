// Volume springs: tetrahedra that resist a change of their volume.
//
//     V = (b - a) x (c - a) . (d - a) / 6
//     energy  bulk/2 (V - V0)^2 / V0,   force on a corner  -bulk (V/V0 - 1) dV/dx
//
// The four derivatives dV/dx are a third of the area of the opposite face, pointing inward; their sum is 0, and so is
// that of the forces.
#ifndef SN_KINDS_SPRING_SPRING_VOLUME_H
#define SN_KINDS_SPRING_SPRING_VOLUME_H

#include "kinds/spring/spring_body.h"

// The signed volume, and its derivatives by the four corners.
sn_real sn_spring_tet_volume(const sn_vec3 corner[4]);
void sn_spring_tet_slopes(const sn_vec3 corner[4], sn_vec3 slope[4]);

// The volume of all tetrahedra of a body: now, and at rest.
double sn_spring_volume(const sn_spring_body *body);
double sn_spring_rest_volume(const sn_spring_body *body);

// ---- for the files of this room

// Whether there are volume springs with an effect.
static inline bool sn_spring_has_volumes(const sn_spring_body *body) {
    return body->volumes.count > 0 && body->volumes.bulk > 0;
}
// Stores the derivatives at x, and for each tetrahedron the impulse h f + h^2 K v along them: the pressure times h,
// minus the implicit step's reduction for the velocities v (may be null).
void sn_spring_volume_impulses(sn_spring_body *body, const sn_real *x, const sn_real *v, sn_real h, sn_pool *pool);
// For each tetrahedron h^2 bulk/V0 times the sum of derivative . from: the matrix along its derivatives.
void sn_spring_volume_spread(sn_spring_body *body, const sn_real *from, sn_real h, sn_pool *pool);
// Adds the result of one of these to the points begin <= i < end of 'to'; returns the sum of dot . added ('dot' may be
// null).
double sn_spring_volume_add(const sn_spring_body *body, int begin, int end, const sn_real *dot, sn_real *to);
// Adds h^2 bulk/V0 g g^T to the diagonal blocks.
void sn_spring_volume_diagonal(const sn_spring_body *body, int begin, int end, sn_real h);

#endif
