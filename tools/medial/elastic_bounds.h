// Bounds of an elastic body computed from its handles alone: every medial primitive, with its radii enlarged by an
// upper bound of the deformation, encloses the surface triangles assigned to it (Medial Elastics, section 4.4).
#ifndef SN_MEDIAL_ELASTIC_BOUNDS_H
#define SN_MEDIAL_ELASTIC_BOUNDS_H

#include "base/tasks.h"
#include "geometry/slab.h"
#include "kinds/elastic/elastic_body.h"

enum {
    SN_BOUNDS_MAX_CLUSTERS = 256, // per primitive: a power of 2
    SN_BOUNDS_MAX_VOLUMES = 124,  // per primitive, besides its mean and its slopes
    SN_BOUNDS_MAX_MODES = 4 + SN_BOUNDS_MAX_VOLUMES,
};

// The maximum deviation of a primitive's vertices from its modes, for one handle; see elastic_bounds.c.
typedef struct {
    sn_real shift, linear, square, mixed;
} sn_elastic_deviation;

// Some neighbouring vertices of a primitive, relative to the spheres closest to them at rest.
typedef struct {
    sn_real slack;               // distance outside of the primitive (negative: inside)
    sn_real reach_min, reach;    // distances to the centres of those spheres
    sn_vec3 lo, hi;              // box of the directions
    sn_real direction[6];        // mean of direction times direction (xx, yy, zz, xy, yz, zx)
    sn_real direction_deviation; // maximum deviation from it
} sn_elastic_cluster;

// The constant part of the bounds, built once per asset.
typedef struct {
    const sn_elastic_asset *asset;
    int primitive_count;
    int (*spheres)[3];   // of each primitive; a cone repeats its second sphere, a lone sphere fills all three
    int *first_triangle; // by primitive, one more at the end: its surface triangles
    int *triangles;
    int *first_vertex; // by primitive: their corners, each once
    int *vertices;
    sn_vec3 *middle;      // by primitive: the mean of its spheres' centres at rest
    sn_real *slack;       // by primitive: how far its vertices are outside of it at rest (negative: inside)
    int *first_term;      // by primitive, one more at the end: the handles with influence on it
    int *term_handle;     // -1: the anchors
    sn_real *term_weight; // of the mean vertex
    // Modes describe how the handles move the primitive's vertices, as coefficients of their maps (4 or 10 columns):
    // the mean, the slopes along x, y, z, and further shapes.
    int *mode_count;                 // by primitive, a multiple of 4
    int *first_number;               // by primitive: offset in `numbers`; one more at the end
    sn_real *numbers;                // by term, by column: one for each mode
    sn_elastic_deviation *rest;      // by term
    sn_elastic_deviation *displaced; // by term: maximum over all vertices, for displacement bounding
    int *first_cluster;              // by primitive; one more at the end
    sn_elastic_cluster *clusters;
    int *first_part; // by primitive: offset in `parts`; one more at the end
    // By mode from the fourth on: for each cluster the mid-range of its vertices' coefficients, then half the ranges
    // unless every vertex is its own cluster.
    sn_real *parts;
    int *first_column;  // by handle; one more at the end
    int vertex_entries; // first_vertex[primitive_count]
    int surface_count;  // vertices of triangles
    sn_real size;       // longest side of the body's box
} sn_elastic_bounds;

// Whether a primitive has clusters of more than one vertex.
static inline bool sn_elastic_bounds_is_clustered(const sn_elastic_bounds *bounds, int primitive) {
    return bounds->first_vertex[primitive + 1] - bounds->first_vertex[primitive] >
           bounds->first_cluster[primitive + 1] - bounds->first_cluster[primitive];
}

sn_status sn_elastic_bounds_init(sn_memory *memory, const sn_elastic_asset *asset, sn_elastic_bounds *out);
void sn_elastic_bounds_free(sn_memory *memory, sn_elastic_bounds *bounds);

// The pose of the handles: column c of coordinate k is q[c * column + k * axis]; and the pose of the anchors.
typedef struct {
    const sn_real *q;
    int column, axis;
    sn_quat anchor_rotation; // rest positions are rotated, then translated
    sn_vec3 anchor_position;
} sn_elastic_pose;

// The current pose of a body's handles, for its bounds.
static inline sn_elastic_pose sn_elastic_pose_of(const sn_elastic_body *body) {
    return (sn_elastic_pose){
        .q = body->q,
        .column = 1,
        .axis = body->space->columns,
        .anchor_rotation = body->anchor_rotation,
        .anchor_position = body->anchor_position,
    };
}

typedef enum {
    SN_BOUNDS_DEFORMATION,  // relative to the motion of the primitive
    SN_BOUNDS_DISPLACEMENT, // relative to its rest position: looser, for comparison
} sn_bounds_mode;

// The current bounds.
typedef struct {
    sn_vec3 *centre;   // by sphere
    sn_real *radius;   // by sphere: maximum over its primitives
    sn_real *growth;   // by primitive: enlargement of its radii
    sn_vec3 (*map)[3]; // by primitive: the columns of the mean linear map of its handles
    sn_slab *slab;     // by primitive, enlarged by its growth
} sn_elastic_bounds_state;

sn_status sn_elastic_bounds_state_init(sn_memory *memory, const sn_elastic_bounds *bounds,
                                       sn_elastic_bounds_state *out);
void sn_elastic_bounds_state_free(sn_memory *memory, const sn_elastic_bounds *bounds, sn_elastic_bounds_state *state);

// The cost is proportional to the number of spheres, of primitives with their handles, and of clusters (the vertices
// themselves if a primitive has few). Reads only the handles. pool: may be null.
void sn_elastic_bounds_update(const sn_elastic_bounds *bounds, sn_elastic_pose pose, sn_bounds_mode mode, sn_pool *pool,
                              sn_elastic_bounds_state *state);

#endif
