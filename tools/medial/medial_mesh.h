// A medial mesh: spheres, and the solids that arise when spheres are interpolated between two of them (cones) or three
// (slabs). Its union is the body; far fewer primitives than triangles say where the body is, and a point is inside when
// it is inside of one of them.
//
//     cone    all spheres (1-t) a + t b          slab    all spheres u a + v b + w c, u + v + w = 1
//
// where a sphere (centre, radius) is interpolated as four numbers. Every edge of a slab is listed as a cone, so cones
// are all edges, and every sphere is connected by cones to every other of its body.
#ifndef SN_MEDIAL_MEDIAL_MESH_H
#define SN_MEDIAL_MEDIAL_MESH_H

#include "mesh/mesh.h"

typedef struct {
    double (*centre)[3];
    double *radius; // never negative
    int sphere_count;
    int (*cone)[2]; // the smaller number first
    int cone_count;
    int (*slab)[3];
    int slab_count;
} sn_medial_mesh;

// Makes the arrays, zeroed. False: no memory, and the mesh is empty. sn_medial_mesh_free takes any mesh, also an empty
// one, and leaves it empty.
bool sn_medial_mesh_alloc(sn_medial_mesh *mesh, int spheres, int cones, int slabs);
bool sn_medial_mesh_copy(const sn_medial_mesh *from, sn_medial_mesh *to);
void sn_medial_mesh_free(sn_medial_mesh *mesh);

// Puts cones, each with the smaller number first, in the order of their numbers, each once.
void sn_medial_mesh_sort_cones(sn_medial_mesh *mesh);

// Pieces that are connected by cones. part_of (may be null) gets the piece of each sphere. -1: no memory.
int sn_medial_mesh_components(const sn_medial_mesh *mesh, int *component);

// Where a point is relative to a primitive: the signed distance to its surface, and the weights of the sphere it is
// measured from, which is the one that reaches farthest towards the point.
typedef struct {
    double distance;  // negative inside
    int sphere[3];    // weights of those that do not matter are 0, and the numbers repeat the first
    double weight[3]; //
} sn_medial_hit;

// A sphere alone, a cone, a slab.
double sn_medial_sphere_distance(const sn_medial_mesh *mesh, int sphere, const double p[3]);
double sn_medial_cone_distance(const sn_medial_mesh *mesh, int a, int b, const double p[3], double *t);
double sn_medial_slab_distance(const sn_medial_mesh *mesh, const int slab[3], const double p[3], double weight[3]);

// The two tangent planes of a slab, n . (x - c) = r for every sphere of it, as outward unit normals. False: there are
// none, since one of the spheres swallows the others, or the triangle is a line.
bool sn_medial_slab_normals(const sn_medial_mesh *mesh, const int slab[3], double normal[2][3]);

// The whole mesh as a field that can be asked many times: a tree of boxes over all primitives. It is about the mesh as
// it was. Null: no memory.
typedef struct sn_medial_field sn_medial_field;
sn_medial_field *sn_medial_field_make(const sn_medial_mesh *mesh);
void sn_medial_field_free(sn_medial_field *field);

// The signed distance to the union, or rather the least of the signed distances to all primitives: outside it is
// exact, inside it is how deep the point is in the primitive that it is deepest in.
double sn_medial_field_evaluate(const sn_medial_field *field, const double p[3], sn_medial_hit *hit);

// The same, quicker when *hit is the answer for a similar mesh or a nearby point, from which only its spheres are used.
double sn_medial_field_reevaluate(const sn_medial_field *field, const double p[3], sn_medial_hit *hit);

// Whether the point is deeper than 'depth' in any primitive: quicker.
bool sn_medial_field_contains(const sn_medial_field *field, const double p[3], double depth);

#endif
