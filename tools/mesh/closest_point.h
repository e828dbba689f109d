// The surface of a mesh, asked: which of its points is nearest, what does a ray meet first, how often does a ray go in
// and out. All in double precision, so that the answers are the same on every machine and as exact as the mesh.
#ifndef SN_MESH_CLOSEST_POINT_H
#define SN_MESH_CLOSEST_POINT_H

#include "mesh/mesh.h"

typedef struct sn_near sn_near;

typedef struct {
    double point[3], distance;
    int triangle;
    double bary[3]; // of the point in the triangle: it is the sum of bary[k] times corner k
} sn_near_hit;

// Takes what it needs of the mesh, which may change or go afterwards. Triangles that name no vertex are left out. Null:
// no memory. Any number of threads may ask at once.
sn_near *sn_near_make(const sn_mesh *mesh);
void sn_near_free(sn_near *near); // null is fine

// The nearest point of the surface. False: none within 'most' (may be INFINITY). Of several that are as near, any, but
// always the same.
bool sn_near_point(const sn_near *near, const double p[3], double most, sn_near_hit *out);

// The first triangle that a ray meets, from either side, within 'most' of its origin. The direction need not be of unit
// length; 'distance' and 'most' are lengths. Rays do not slip between triangles that share an edge.
bool sn_near_ray(const sn_near *near, const double origin[3], const double direction[3], double most, sn_near_hit *out);

// All that a ray meets: how often it leaves through a front (that is, goes along with the triangle's normal), and how
// often it enters. Where triangles share an edge or a corner exactly one of them is met. Inside of a closed surface
// leaving - entering is 1.
typedef struct {
    int leaving, entering;
} sn_near_crossings;
sn_near_crossings sn_near_count(const sn_near *near, const double origin[3], const double direction[3]);

#endif
