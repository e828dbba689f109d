// A BVH over the triangles of a static mesh: overlap and nearest-point queries.
#ifndef SN_GEOMETRY_TRIANGLE_BVH_H
#define SN_GEOMETRY_TRIANGLE_BVH_H

#include "base/memory.h"
#include "geometry/box_tree.h"
#include "geometry/triangle.h"

typedef struct {
    sn_box_node *nodes;
    sn_triangle *triangles; // in the order of the leaves
    int32_t *source;        // index of each in the mesh
    int node_count, triangle_count;
    int node_capacity; // of the allocation
} sn_triangle_bvh;

// corners: three vertex indices per triangle. Copies what it needs. SN_ERR_RANGE: an index out of range or a vertex
// that is not finite; *out is then empty. Queries of an empty tree find nothing.
sn_status sn_triangle_bvh_build(sn_memory *memory, const sn_vec3 *vertices, int vertex_count, const int32_t *corners,
                                int triangle_count, sn_triangle_bvh *out);
void sn_triangle_bvh_free(sn_memory *memory, sn_triangle_bvh *tree);

// Called with the index of a triangle in the mesh and its corners; return false to end the search.
typedef bool sn_triangle_bvh_visit_fn(void *user, int triangle, const sn_triangle *corners);

// Visits every triangle whose box overlaps 'bounds' (sharing a face counts), in an order that depends only on the mesh.
void sn_triangle_bvh_visit(const sn_triangle_bvh *tree, const sn_bounds *bounds, sn_triangle_bvh_visit_fn *visit,
                           void *user);

typedef struct {
    int triangle;        // index in the mesh
    sn_real beta, gamma; // weights of its second and third corner
    sn_real distance;    // from the point
    sn_vec3 point;
} sn_triangle_bvh_hit;

// The point of the mesh nearest to 'point', if it is within 'max'.
bool sn_triangle_bvh_nearest(const sn_triangle_bvh *tree, sn_vec3 point, sn_real max, sn_triangle_bvh_hit *hit);

#endif
