// A slab made ready: its edges, its plane, and the normals that touch all three spheres. slab.c has the maths.
#ifndef SN_GEOMETRY_SLAB_PART_H
#define SN_GEOMETRY_SLAB_PART_H

#include "geometry/slab.h"
#include "geometry/slab_point.h"

// An edge: the spheres from one corner to the next.
typedef struct {
    sn_point u;
    double dr, uu;
    double inverse; // 1 / u.u, or 0 if it has no length
    double slope;   // dr / sqrt(u.u (u.u - dr dr)), or 0 if it is a ball: how far the nearest sphere is from the foot
    bool cone;      // false: a ball, one end contains the other
} sn_slab_edge;

// The triangle's plane in the frame e = edge 0, w at right angles to it, and the normal that (*) asks for.
typedef struct {
    sn_point e, w, m; // m: unit
    double inverse_ee, inverse_ww, k, dw;
    sn_point inside; // the part of the outward normal that lies in the plane
    double up;       // the part along m or -m; 0: a ball or an edge swallows the rest, and no plane touches all three
} sn_slab_plane;

// A slab made ready for many questions.
typedef struct {
    sn_vec3 origin; // that everything is relative to
    int corners;    // that differ: 1, 2 or 3
    sn_point c[3];
    double r[3];
    sn_slab_edge edges[3]; // from corner i to the next; one only if there are two corners
    sn_slab_plane plane;   // if there are three
    bool has_plane;
} sn_slab_part;

void sn_slab_ready(const sn_slab *slab, sn_slab_part *out);

// Signed distance of a point to the slab's surface; weight: of the sphere it is measured from, may be null.
sn_real sn_slab_part_distance(const sn_slab_part *part, sn_vec3 at, sn_real weight[3]);

#endif
