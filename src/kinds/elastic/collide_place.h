// The place of an elastic body's surface, as it is now, that is nearest to a vertex of another.
//
// A vertex x within the bound of primitive Q is taken to rest by what Q has done, on the whole: with the weights t of
// the sphere that is nearest to it, c and y that sphere's centre at rest and now, and A the mean linear map of Q's
// handles,
//     X = c + A^-1 (x - y).
// The voxel there names a triangle. From it the nearest place of the surface, as it is now, is found downhill: the
// nearest point of a triangle is on an edge, and the triangle beyond may be nearer, or at a corner, and one of those
// around it may be, or inside, and then one around any of its corners still may be, for the surface is seen from
// within. The vertex is inside of the body if that place is seen from behind; at edges and corners by the triangle that
// is least seen edge on, which is never wrong on a closed surface.
#ifndef SN_KINDS_ELASTIC_COLLIDE_PLACE_H
#define SN_KINDS_ELASTIC_COLLIDE_PLACE_H

#include "geometry/triangle.h"
#include "kinds/elastic/collide.h"

typedef struct {
    const sn_elastic_collider *body;
    int primitive;
    sn_slab rest;
    sn_vec3 row[3]; // of the inverse of the mean linear map
    bool good;      // it has one
} sn_way_back;

sn_way_back sn_way_back_of(const sn_elastic_collider *body, int primitive);

// A triangle near the point x, which is next to the sphere with weights t of the primitive; -1: nothing is known.
int sn_collide_lookup(const sn_way_back *way, sn_vec3 x, const sn_real t[3]);
// Where the voxels know nothing: the nearest of the primitive's own triangles.
int sn_collide_nearest(const sn_way_back *way, sn_vec3 x);

typedef struct {
    int triangle;
    sn_real weight[3];
    sn_vec3 offset; // from the place to the point
    sn_real distance2;
} sn_place;

// The nearest place that is found from this triangle on.
sn_place sn_collide_downhill(const sn_elastic_collider *body, int start, sn_vec3 x);
bool sn_collide_is_behind(const sn_elastic_collider *body, const sn_place *place);

sn_triangle sn_collide_triangle(const sn_elastic_collider *body, int triangle); // as it is now

#endif
