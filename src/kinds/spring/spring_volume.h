// Volume springs: tetrahedra that resist a change of their volume.
//
//     V = (b - a) x (c - a) . (d - a) / 6
//     energy  bulk/2 (V - V0)^2 / V0,   force on a corner  -bulk (V/V0 - 1) dV/dx
//
// The four slopes dV/dx are a third of the area of the opposite face, inward, and their sum is 0; so is that of the
// forces.
#ifndef SN_KINDS_SPRING_SPRING_VOLUME_H
#define SN_KINDS_SPRING_SPRING_VOLUME_H

#include "kinds/spring/spring_body.h"

// The signed volume, and its derivatives by the four corners.
sn_real sn_spring_tet_volume(const sn_vec3 corner[4]);
void sn_spring_tet_slopes(const sn_vec3 corner[4], sn_vec3 slope[4]);

// Of all tetrahedra of a body: now, and at rest.
double sn_spring_volume(const sn_spring_body *body);
double sn_spring_rest_volume(const sn_spring_body *body);

// --- for the files of this room ---

// Whether there are any to be felt.
static inline bool sn_spring_has_volumes(const sn_spring_body *body) {
    return body->volumes.count > 0 && body->volumes.bulk > 0;
}
// Takes the slopes at x, and for each tetrahedron the pressure times h less what the implicit step takes off for the
// velocities v (may be null): the impulse h f + h^2 K v along its slopes.
void sn_spring_volume_impulses(sn_spring_body *body, const sn_real *x, const sn_real *v, sn_real h, sn_pool *pool);
// For each tetrahedron h^2 bulk/V0 times the sum of slope . from: the matrix's part along its slopes.
void sn_spring_volume_spread(sn_spring_body *body, const sn_real *from, sn_real h, sn_pool *pool);
// Adds what one of these left to the points begin <= i < end of 'to'; returns the sum of dot . what was added ('dot'
// may be null).
double sn_spring_volume_add(const sn_spring_body *body, int begin, int end, const sn_real *dot, sn_real *to);
// Adds h^2 bulk/V0 slope slope^T to the diagonal blocks.
void sn_spring_volume_diagonal(const sn_spring_body *body, int begin, int end, sn_real h);

#endif
