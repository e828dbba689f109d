// The surface of a mesh, asked: which of its points is nearest, what does a ray meet first, how often does a ray go in
// and out. All in double precision, so that the answers are the same on every machine and as exact as the mesh.
#ifndef SN_MESH_MESH_QUERY_H
#define SN_MESH_MESH_QUERY_H

#include "mesh/mesh.h"

typedef struct sn_mesh_query sn_mesh_query;

typedef struct {
    double point[3], distance;
    int triangle;
    double bary[3]; // of the point in the triangle: it is the sum of bary[k] times corner k
} sn_mesh_hit;

// Takes what it needs of the mesh, which may change or go afterwards. Triangles that name no vertex are left out. Null:
// no memory. Any number of threads may ask at once.
sn_mesh_query *sn_mesh_query_build(const sn_mesh *mesh);
void sn_mesh_query_free(sn_mesh_query *query); // null is fine

// The nearest point of the surface. False: none within 'most' (may be INFINITY). Of several that are as near, any, but
// always the same.
bool sn_mesh_query_closest_point(const sn_mesh_query *query, const double p[3], double max_distance, sn_mesh_hit *out);

// The first triangle that a ray meets, from either side, within 'most' of its origin. The direction need not be of unit
// length; 'distance' and 'most' are lengths. Rays do not slip between triangles that share an edge.
bool sn_mesh_query_cast_ray(const sn_mesh_query *query, const double origin[3], const double direction[3],
                            double max_distance, sn_mesh_hit *out);

// All that a ray meets: how often it leaves through a front (that is, goes along with the triangle's normal), and how
// often it enters. Where triangles share an edge or a corner exactly one of them is met. Inside of a closed surface
// leaving - entering is 1.
typedef struct {
    int leaving, entering;
} sn_ray_crossings;
sn_ray_crossings sn_mesh_query_count_crossings(const sn_mesh_query *query, const double origin[3],
                                               const double direction[3]);

#endif
