// A medial mesh: spheres, and the solids between two of them (cones) or three (slabs). Their union is the body.
//
//     cone    all spheres (1-t) a + t b          slab    all spheres u a + v b + w c, u + v + w = 1
//
// A sphere (centre, radius) is interpolated as four numbers. Every edge of a slab is also listed as a cone, so cones
// are all edges, and all spheres of a body are connected by cones.
#ifndef SN_MEDIAL_MEDIAL_MESH_H
#define SN_MEDIAL_MEDIAL_MESH_H

#include "mesh/mesh.h"

typedef struct {
    double (*centre)[3];
    double *radius; // never negative
    int sphere_count;
    int (*cone)[2]; // the smaller index first
    int cone_count;
    int (*slab)[3];
    int slab_count;
} sn_medial_mesh;

// Allocates the arrays, zeroed. False: out of memory, and the mesh is empty. sn_medial_mesh_free accepts any mesh, also
// an empty one, and leaves it empty.
bool sn_medial_mesh_alloc(sn_medial_mesh *mesh, int spheres, int cones, int slabs);
bool sn_medial_mesh_copy(const sn_medial_mesh *from, sn_medial_mesh *to);
void sn_medial_mesh_free(sn_medial_mesh *mesh);

// Sorts the cones, each with the smaller index first, and removes duplicates.
void sn_medial_mesh_sort_cones(sn_medial_mesh *mesh);

// Components connected by cones. component (may be null) gets the component of each sphere. Returns their number; -1:
// out of memory.
int sn_medial_mesh_components(const sn_medial_mesh *mesh, int *component);

// A point relative to a primitive: the signed distance to its surface, and the weights of the interpolated sphere that
// reaches farthest towards the point.
typedef struct {
    double distance;  // negative inside
    int sphere[3];    // unused ones repeat the first
    double weight[3]; // 0 for unused ones
} sn_medial_hit;

// The signed distance to a sphere, a cone or a slab.
double sn_medial_sphere_distance(const sn_medial_mesh *mesh, int sphere, const double p[3]);
double sn_medial_cone_distance(const sn_medial_mesh *mesh, int a, int b, const double p[3], double *t);
double sn_medial_slab_distance(const sn_medial_mesh *mesh, const int slab[3], const double p[3], double weight[3]);

// The two tangent planes of a slab, n . (x - c) = r for each of its spheres, as outward unit normals. False: there are
// none, since one sphere contains the others, or the triangle is degenerate.
bool sn_medial_slab_normals(const sn_medial_mesh *mesh, const int slab[3], double normal[2][3]);

// The distance field of a whole mesh, accelerated by a BVH over its primitives. It copies the mesh. Null: out of
// memory.
typedef struct sn_medial_field sn_medial_field;
sn_medial_field *sn_medial_field_make(const sn_medial_mesh *mesh);
void sn_medial_field_free(sn_medial_field *field);

// The least of the signed distances to all primitives: outside it is the exact distance to the union, inside the depth
// in the primitive that contains the point most deeply. hit may be null.
double sn_medial_field_evaluate(const sn_medial_field *field, const double p[3], sn_medial_hit *hit);

// The same, faster if hit->sphere is the result for a similar mesh or a nearby point.
double sn_medial_field_reevaluate(const sn_medial_field *field, const double p[3], sn_medial_hit *hit);

// Whether the point is deeper than 'depth' in any primitive: faster.
bool sn_medial_field_contains(const sn_medial_field *field, const double p[3], double depth);

#endif
