// Queries of a mesh's surface: the closest point, the first hit of a ray, and how often a ray crosses the surface. All
// in double precision, so results are the same on every machine.
#ifndef SN_MESH_MESH_QUERY_H
#define SN_MESH_MESH_QUERY_H

#include "mesh/mesh.h"

typedef struct sn_mesh_query sn_mesh_query;

typedef struct {
    double point[3], distance;
    int triangle;
    double bary[3]; // barycentric: point = sum of bary[k] corner[k]
} sn_mesh_hit;

// Copies what it needs; the mesh may be changed or freed afterwards. Leaves out triangles with a vertex index out of
// range. Null: out of memory. Queries may run on any number of threads at once.
sn_mesh_query *sn_mesh_query_build(const sn_mesh *mesh);
void sn_mesh_query_free(sn_mesh_query *query); // accepts null

// Finds the closest point of the surface. False: none within 'max_distance' (may be INFINITY). Of several equally close
// points it always returns the same one.
bool sn_mesh_query_closest_point(const sn_mesh_query *query, const double p[3], double max_distance, sn_mesh_hit *out);

// Finds the first triangle that a ray hits, from either side, within 'max_distance' of its origin. The direction need
// not have unit length; 'distance' and 'max_distance' are lengths. Rays do not slip between triangles that share an
// edge.
bool sn_mesh_query_cast_ray(const sn_mesh_query *query, const double origin[3], const double direction[3],
                            double max_distance, sn_mesh_hit *out);

// Counts all crossings of a ray: 'leaving' those along the triangle's normal, 'entering' those against it. Where
// triangles share an edge or a corner the ray hits exactly one of them. Inside a closed surface leaving - entering is
// 1.
typedef struct {
    int leaving, entering;
} sn_ray_crossings;
sn_ray_crossings sn_mesh_query_count_crossings(const sn_mesh_query *query, const double origin[3],
                                               const double direction[3]);

#endif
