// Bounds of an elastic body that follow from its handles alone: every medial primitive, its radii grown by what the
// handles can have done, encloses the surface triangles that belong to it (Medial Elastics, section 4.4).
#ifndef SN_KINDS_ELASTIC_ELASTIC_BOUNDS_H
#define SN_KINDS_ELASTIC_ELASTIC_BOUNDS_H

#include "base/tasks.h"
#include "geometry/slab.h"
#include "kinds/elastic/elastic_asset.h"

enum {
    SN_BOUND_CLUSTERS = 256, // of a primitive at most: a power of 2
    SN_BOUND_SHAPES = 124,   // of a primitive at most, besides its mean and its slopes
    SN_BOUND_MODES = 4 + SN_BOUND_SHAPES,
};

// What differs from a primitive's modes, of one handle: the most of all vertices. bound.c has the maths.
typedef struct {
    sn_real shift, linear, square, mixed;
} sn_elastic_off;

// Some neighbouring vertices of a primitive, seen from the spheres that they are next to at rest.
typedef struct {
    sn_real slack;              // how far they are outside of the primitive (negative: inside)
    sn_real reach_least, reach; // the distances to those spheres' centres
    sn_vec3 lo, hi;             // the box of the directions
    sn_real way[6], way_off;    // the mean of direction times direction (xx, yy, zz, xy, yz, zx); the most it differs
} sn_elastic_cluster;

// What stays when the body moves; made once for an asset.
typedef struct {
    const sn_elastic_asset *asset;
    int primitive_count;
    int (*spheres)[3];   // of each primitive; a cone repeats its second, a sphere alone is three times the same
    int *first_triangle; // the surface triangles of each; one more at the end
    int *triangles;
    int *first_vertex; // and their corners, each once
    int *vertices;
    sn_vec3 *middle;      // the mean of its spheres' centres at rest
    sn_real *slack;       // how far its vertices are outside of it at rest (negative: inside)
    int *first_term;      // the handles that reach each primitive; one more at the end
    int *term_handle;     // -1: what is anchored, the share of the place that does not move
    sn_real *term_weight; // of the mean vertex
    // Modes: what handles do to the primitive's vertices, by the numbers of their maps (4 or 10 columns); for each mode
    // the mean, the slopes along x, y, z, and more.
    int *mode_count;           // of each primitive, a multiple of 4
    int *first_number;         // of each primitive in 'numbers'; one more at the end
    sn_real *numbers;          // by term, by column: one for each mode
    sn_elastic_off *rest;      // by term
    sn_elastic_off *displaced; // by term: the most of all vertices, for displacement bounding
    int *first_cluster;        // of each primitive; one more at the end
    sn_elastic_cluster *clusters;
    int *first_part; // of each primitive in 'parts'; one more at the end
    // By mode from the fourth on: of each cluster the middle of what its vertices have of it, then half the widths,
    // unless every vertex is a cluster of its own.
    sn_real *parts;
    int *first_column;  // by handle; one more at the end
    int vertex_entries; // first_vertex[primitive_count]
    int surface_count;  // vertices that are corners of triangles
    sn_real size;       // the largest side of the body's box
} sn_elastic_bounds;

// Whether a primitive has clusters of more than one vertex.
static inline bool sn_elastic_bounds_wide(const sn_elastic_bounds *bounds, int primitive) {
    return bounds->first_vertex[primitive + 1] - bounds->first_vertex[primitive] >
           bounds->first_cluster[primitive + 1] - bounds->first_cluster[primitive];
}

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

// Takes time in proportion to spheres, to primitives with the handles that reach them, and to clusters, which are the
// vertices themselves where a primitive has few. It needs nothing but the handles. pool: may be null.
void sn_elastic_bound_update(const sn_elastic_bounds *bounds, sn_elastic_pose pose, sn_bound_mode mode, sn_pool *pool,
                             sn_elastic_bound *bound);

#endif
