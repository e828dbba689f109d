// A prepared slab: its edges, its plane, and the normals of planes tangent to all three spheres. See slab.c.
#ifndef SN_GEOMETRY_SLAB_PART_H
#define SN_GEOMETRY_SLAB_PART_H

#include "geometry/slab.h"
#include "geometry/slab_point.h"

// An edge: the spheres from one corner to the next.
typedef struct {
    sn_point u;
    double dr, uu;
    double inverse; // 1 / u.u, or 0 if it has no length
    double slope;   // dr / sqrt(u.u (u.u - dr dr)), or 0 for a ball: distance of the nearest sphere from the foot
    bool cone;      // false: a ball, one end contains the other
} sn_slab_edge;

// The triangle's plane in the frame e = edge 0, w perpendicular to it, and the normal of (*).
typedef struct {
    sn_point e, w, m; // m: unit
    double inverse_ee, inverse_ww, k, dw;
    sn_point inside; // the outward normal's component in the plane
    double up;       // its component along m or -m; 0: no plane is tangent to all three
} sn_slab_plane;

// A slab prepared for many queries.
typedef struct {
    sn_vec3 origin; // everything is relative to it
    int corners;    // distinct ones: 1, 2 or 3
    sn_point c[3];
    double r[3];
    sn_slab_edge edges[3]; // from corner i to the next; only one if there are two corners
    sn_slab_plane plane;   // if there are three
    bool has_plane;
} sn_slab_part;

void sn_slab_ready(const sn_slab *slab, sn_slab_part *out);

// Signed distance of a point to the slab's surface; weight (may be null): of the sphere it is measured from.
sn_real sn_slab_part_distance(const sn_slab_part *part, sn_vec3 at, sn_real weight[3]);

#endif
