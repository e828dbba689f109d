// Geometric primitives and the contact point of two of them.
#ifndef SN_GEOMETRY_PRIMITIVES_H
#define SN_GEOMETRY_PRIMITIVES_H

#include "base/math/vec.h"

typedef struct {
    sn_vec3 centre;
    sn_real radius;
} sn_sphere;

// The union of spheres interpolated linearly from (a, ra) to (b, rb): a tapered capsule, the 'medial cone'. If one end
// contains the other (|ra - rb| >= |a - b|) it is the larger ball. Radii are at least 0.
typedef struct {
    sn_vec3 a, b;
    sn_real ra, rb;
} sn_pill;

// The half-space below a plane: solid where dot(normal, x - point) < 0. The normal is unit. It has a point, not an
// offset from the origin: differences of nearby points stay accurate far from the origin.
typedef struct {
    sn_vec3 point, normal;
} sn_plane;

// A solid box: half its edge lengths along its own axes, which 'rotation' maps to the world.
typedef struct {
    sn_vec3 centre;
    sn_quat rotation;
    sn_vec3 half;
} sn_box;

// A flat triangle, two-sided, without thickness.
typedef struct {
    sn_vec3 a, b, c;
} sn_triangle;

// A world-aligned box.
typedef struct {
    sn_vec3 lo, hi;
} sn_bounds;

// The closest, or deepest, points of two primitives A and B. With the spheres of both interpolated there, the distance
// is |centre_A - centre_B| - radius_A - radius_B; negative means overlap. Its derivative is the normal times the weight
// for a point of A, minus that for a point of B, and minus the weight for a radius.
typedef struct {
    sn_real alpha; // on pill A: weight of end b; end a has 1 - alpha
    sn_real beta,
        gamma;        // on B: a pill has weights (1 - beta, beta), a triangle (1 - beta - gamma, beta, gamma); else 0
    sn_real distance; // signed
    sn_vec3 normal;   // unit, from B to A: moving A along it separates them
    sn_vec3 point;    // in the world, midway between the two surfaces
} sn_contact_point;

// Sorts two contact points by their alpha.
static inline void sn_contact_point_order(sn_contact_point contact[2]) {
    if (!(contact[1].alpha < contact[0].alpha)) return;
    sn_contact_point swap = contact[0];
    contact[0] = contact[1];
    contact[1] = swap;
}

// Two items of an array; a < b where they come from the grid.
typedef struct {
    int32_t a, b;
} sn_pair;

static inline bool sn_bounds_overlap(const sn_bounds *a, const sn_bounds *b) {
    return a->lo.x <= b->hi.x && b->lo.x <= a->hi.x && a->lo.y <= b->hi.y && b->lo.y <= a->hi.y && a->lo.z <= b->hi.z &&
           b->lo.z <= a->hi.z;
}

#endif
