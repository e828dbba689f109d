// Pills: nearest and deepest pairs in closed form, bounds and volumes.
//
// Everything is computed from differences of nearby points, so that float results are as accurate at 10 km from the
// origin as at the origin. Any finite pill is allowed: with no length, with one end inside the other, with no radius.
// Normals are always unit vectors.
#ifndef SN_GEOMETRY_PILL_H
#define SN_GEOMETRY_PILL_H

#include "geometry/primitives.h"

// Squared lengths up to this count as zero: 1e-8 m in float, 1e-30 m in double.
#ifdef SN_DOUBLE
#define SN_NO_LENGTH2 1e-60
#else
#define SN_NO_LENGTH2 1e-16f
#endif

// ---- a point

// Signed distance of a point to the pill's surface. *t (may be null): the parameter of the nearest sphere, 0 at end a.
sn_real sn_pill_distance(const sn_pill *pill, sn_vec3 point, sn_real *t);

// ---- one contact point: the nearest or deepest pair of spheres

sn_contact_point sn_pill_pill(const sn_pill *a, const sn_pill *b);
sn_contact_point sn_pill_sphere(const sn_pill *pill, const sn_sphere *sphere);
sn_contact_point sn_pill_plane(const sn_pill *pill, const sn_plane *plane);

// The box is solid: inside, the distance continues to decrease, with the normal of the nearest face.
sn_contact_point sn_pill_box(const sn_pill *pill, const sn_box *box);

// Where the axis pierces the triangle, the distance is minus the displacement, along the triangle's normal to the
// nearer side, that moves the whole pill off the triangle's plane; alpha is the end that leaves last.
sn_contact_point sn_pill_triangle(const sn_pill *pill, const sn_triangle *triangle);

// ---- up to two contact points, so that a pill lying on something does not rock

// Writes only contact points with a distance of at most 'margin' and returns their number. Two are sorted by alpha:
// unlike the depth, it does not change from step to step while a pill lies still.

// Two where the pills lie side by side: the ends of the common range, both within a hundredth of the smaller radius of
// the deepest point; or the deepest and the farther end, if that is within the margin.
int sn_pill_pill_contacts(const sn_pill *a, const sn_pill *b, sn_real margin, sn_contact_point out[2]);

// The same for a known deepest pair: alpha, beta, distance and normal of out[0].
int sn_pill_pill_more_contacts(const sn_pill *a, const sn_pill *b, sn_real margin, sn_contact_point out[2]);
int sn_pill_plane_contacts(const sn_pill *pill, const sn_plane *plane, sn_real margin, sn_contact_point out[2]);
int sn_pill_box_contacts(const sn_pill *pill, const sn_box *box, sn_real margin, sn_contact_point out[2]);
int sn_pill_triangle_contacts(const sn_pill *pill, const sn_triangle *triangle, sn_real margin,
                              sn_contact_point out[2]);

// ---- bounds and volumes

// The smallest bounding sphere of a pill, and its world-aligned box, both rounded outwards.
sn_sphere sn_pill_sphere_bound(const sn_pill *pill);
sn_bounds sn_pill_bounds(const sn_pill *pill);

// Volume of the whole pill with its round ends.
sn_real sn_pill_volume(const sn_pill *pill);
// The same minus half a ball at each end: what a segment adds to a chain of pills. It is pi/3 Q (l + D^2/l) with
// Q = ra^2 + ra rb + rb^2, D = rb - ra; below l = |D| it keeps the value at l = |D|.
sn_real sn_pill_segment_volume(const sn_pill *pill);
// Volume of the cone between the discs at the ends, pi/3 Q l.
sn_real sn_pill_frustum_volume(const sn_pill *pill);

// ---- segments

// The parameter in [0, 1] of the point of the segment from a to b that is nearest to p.
sn_real sn_segment_nearest(sn_vec3 p, sn_vec3 a, sn_vec3 b);

#endif
