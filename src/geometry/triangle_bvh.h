// A tree of boxes over the triangles of a mesh that does not move: what is in a box, and what is nearest.
#ifndef SN_GEOMETRY_TRIANGLE_BVH_H
#define SN_GEOMETRY_TRIANGLE_BVH_H

#include "base/memory.h"
#include "geometry/triangle.h"

// Children are neighbours: the first is the next node, the second is named.
typedef struct {
    sn_bounds bounds;
    int32_t first; // a leaf: its first triangle; else the second child
    int32_t count; // triangles of a leaf; 0: not a leaf
} sn_triangle_bvh_node;

typedef struct {
    sn_triangle_bvh_node *nodes;
    sn_triangle *triangles; // in the order of the leaves
    int32_t *source;        // the number each of them had in the mesh
    int node_count, triangle_count;
    int node_capacity; // of the allocation
} sn_triangle_bvh;

// corners: three vertex numbers for each triangle. Copies what it needs. SN_ERR_RANGE: a number out of range or a
// vertex that is not finite; *out is then empty. An empty tree answers every question with nothing.
sn_status sn_triangle_bvh_build(sn_memory *memory, const sn_vec3 *vertices, int vertex_count, const int32_t *corners,
                                int triangle_count, sn_triangle_bvh *out);
void sn_triangle_bvh_free(sn_memory *memory, sn_triangle_bvh *tree);

// Called with the mesh's number of a triangle and its corners; false ends the search.
typedef bool sn_triangle_bvh_visit_fn(void *user, int triangle, const sn_triangle *corners);

// Visits every triangle whose box overlaps 'bounds' (touching counts), in an order that depends on the mesh alone.
void sn_triangle_bvh_visit(const sn_triangle_bvh *tree, const sn_bounds *bounds, sn_triangle_bvh_visit_fn *visit,
                           void *user);

typedef struct {
    int triangle;        // the mesh's number
    sn_real beta, gamma; // weights of its second and third corner
    sn_real distance;    // from the point
    sn_vec3 point;
} sn_triangle_bvh_hit;

// The point of the mesh nearest to 'point', if it is within 'most' of it.
bool sn_triangle_bvh_nearest(const sn_triangle_bvh *tree, sn_vec3 point, sn_real max, sn_triangle_bvh_hit *hit);

#endif
