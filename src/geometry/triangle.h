// Triangles: nearest points, segments, and intersection of two.
//
// Nearest points are computed from differences of nearby points and hold for every triangle, including degenerate ones,
// which are just their edges.
#ifndef SN_GEOMETRY_TRIANGLE_H
#define SN_GEOMETRY_TRIANGLE_H

#include "geometry/primitives.h"

// A point relative to a triangle's plane.
typedef struct {
    sn_real beta, gamma; // weights of b and c of the foot of the perpendicular, not clamped
    sn_real height;      // along the unit normal
    sn_vec3 normal;      // of (b - a) x (c - a), unit
} sn_foot;

// False if the triangle has no area within rounding; *foot is then not written.
bool sn_triangle_foot(const sn_triangle *triangle, sn_vec3 point, sn_foot *foot);

// The point of the triangle nearest to p: weights of b and c (a has the rest), and p minus that point. Returns the
// squared distance.
sn_real sn_point_triangle(sn_vec3 p, const sn_triangle *triangle, sn_real *beta, sn_real *gamma, sn_vec3 *offset);

// Where the segment from p to q pierces the triangle: its parameter and the weights. The ends must lie strictly on
// different sides.
bool sn_segment_through_triangle(sn_vec3 p, sn_vec3 q, const sn_triangle *triangle, sn_real *t, sn_real *beta,
                                 sn_real *gamma);

// Whether two triangles intersect; a common point is enough. Decided by signs of volumes computed in double: in the
// float build correct unless they come closer than about 1e-14 of their size without intersecting. A triangle without
// area counts as its longest edge; two of those never intersect.
bool sn_triangle_triangle(const sn_triangle *a, const sn_triangle *b);

#endif
