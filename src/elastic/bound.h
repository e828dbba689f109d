// Bounds of an elastic body that follow from its handles alone: every medial primitive, its radii grown by what the
// handles can have done, encloses the surface triangles that belong to it (Medial Elastics, section 4.4).
#ifndef SN_ELASTIC_BOUND_H
#define SN_ELASTIC_BOUND_H

#include "base/tasks.h"
#include "elastic/asset.h"
#include "shape/slab.h"

// How one handle acts on a cluster, which is some neighbouring vertices of a primitive: the mean, and the most that one
// of them differs from it. bound.c has the maths.
typedef struct {
    sn_real shift;                                        // mean of w - W
    sn_vec3 linear;                                       // mean of z
    sn_vec3 square, mixed;                                // means, of quadratic handles
    sn_real shift_off, linear_off, square_off, mixed_off; // the most that a vertex differs
    sn_real stretch;                                      // the most of |w| |X - c|
} sn_elastic_factor;

enum { SN_BOUND_CLUSTERS = 4 }; // of a primitive at most: a power of 2

// What stays when the body moves; made once for an asset.
typedef struct {
    const sn_elastic_asset *asset;
    int primitive_count;
    int (*spheres)[3];   // of each primitive; a cone repeats its second, a sphere alone is three times the same
    int *first_triangle; // the surface triangles of each; one more at the end
    int *triangles;
    int *first_vertex; // and their corners, each once
    int *vertices;
    sn_vec3 *middle;        // the mean of its spheres' centres at rest
    sn_real *slack;         // how far its vertices are outside of it at rest (negative: inside)
    int *first_term;        // the handles that reach each primitive; one more at the end
    int *term_handle;       // -1: what is anchored, the share of the place that does not move
    sn_real *term_weight;   // of the mean vertex
    int *first_cluster;     // of each primitive; one more at the end
    sn_real *cluster_slack; // how far a cluster's vertices are outside of the primitive at rest (negative: inside)
    int *first_factor;      // of each cluster, as many as its primitive has terms; one more at the end
    sn_elastic_factor *factors;
    int *first_column;  // by handle; one more at the end
    int vertex_entries; // first_vertex[primitive_count]
    int factor_count;
    int surface_count; // vertices that are corners of triangles
    sn_real size;      // the largest side of the body's box
} sn_elastic_bounds;

sn_status sn_elastic_bounds_make(sn_memory *memory, const sn_elastic_asset *asset, sn_elastic_bounds *out);
void sn_elastic_bounds_free(sn_memory *memory, sn_elastic_bounds *bounds);

// Where the handles are: column c of coordinate k is at q[c * column + k * axis]; and where what is anchored was taken
// to.
typedef struct {
    const sn_real *q;
    int column, axis;
    sn_quat anchor_rotation; // rest positions turned, then moved
    sn_vec3 anchor_position;
} sn_elastic_pose;

typedef enum {
    SN_BOUND_DEFORMATION,  // relative to how the primitive has moved
    SN_BOUND_DISPLACEMENT, // relative to where it was at rest: looser, to compare with
} sn_bound_mode;

// Where the bounds are now.
typedef struct {
    sn_vec3 *centre;   // by sphere
    sn_real *radius;   // by sphere: enough for every primitive that it is of
    sn_real *growth;   // by primitive: what its radii must be enlarged by
    sn_vec3 (*map)[3]; // by primitive: the columns of the mean linear map of its handles
    sn_slab *slab;     // by primitive, enlarged by its growth
} sn_elastic_bound;

sn_status sn_elastic_bound_make(sn_memory *memory, const sn_elastic_bounds *bounds, sn_elastic_bound *out);
void sn_elastic_bound_free(sn_memory *memory, const sn_elastic_bounds *bounds, sn_elastic_bound *bound);

// Takes time in proportion to spheres, primitives and the handles that reach them; no vertex is looked at. pool: may be
// null.
void sn_elastic_bound_update(const sn_elastic_bounds *bounds, sn_elastic_pose pose, sn_bound_mode mode, sn_pool *pool,
                             sn_elastic_bound *bound);

#endif
