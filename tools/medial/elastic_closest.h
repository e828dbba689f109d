// The closest point on the current surface of an elastic body to a vertex of another.
//
// A vertex x within the bounds of primitive Q is mapped to rest by the mean motion of Q: with the weights t of the
// closest sphere, c and y that sphere's centre at rest and now, and A the mean linear map of Q's handles,
//     X = c + A^-1 (x - y).
// The voxel at X stores a triangle. From it a descent finds the closest point of the current surface. If the closest
// point of a triangle is on an edge, the triangle across may be closer; at a corner, one of those around it; inside,
// one around any of its corners still may be, because the surface is seen from within. The vertex is inside the body if
// it is behind the surface there; at edges and corners the triangle that is least edge-on decides, which is always
// correct on a closed surface.
#ifndef SN_MEDIAL_ELASTIC_CLOSEST_H
#define SN_MEDIAL_ELASTIC_CLOSEST_H

#include "geometry/triangle.h"
#include "medial/elastic_collide.h"

// The map from the current pose to rest by the mean motion of a primitive.
typedef struct {
    const sn_elastic_collider *body;
    int primitive;
    sn_slab rest;
    sn_vec3 row[3]; // of the inverse of the mean linear map
    bool invertible;
} sn_rest_map;

sn_rest_map sn_rest_map_init(const sn_elastic_collider *body, int primitive);

// A triangle close to the point x, whose closest sphere of the primitive has weights t; -1: the voxel has none.
int sn_rest_map_lookup_triangle(const sn_rest_map *map, sn_vec3 x, const sn_real t[3]);
// The closest of the primitive's own triangles, for points without a voxel.
int sn_rest_map_closest_triangle(const sn_rest_map *map, sn_vec3 x);

typedef struct {
    int triangle;
    sn_real weight[3];
    sn_vec3 offset; // from the surface point to the query point
    sn_real distance2;
} sn_elastic_surface_point;

// The closest point found by descent from a triangle.
sn_elastic_surface_point sn_elastic_closest_point(const sn_elastic_collider *body, int start, sn_vec3 x);
// Whether the query point is inside the body.
bool sn_elastic_is_inside(const sn_elastic_collider *body, const sn_elastic_surface_point *point);

sn_triangle sn_elastic_triangle(const sn_elastic_collider *body, int triangle); // in the current pose

#endif
