// Collision detection between the surfaces of elastic bodies, and of a body with itself, culled by their medial bounds
// (Medial Elastics, section 5).
//
//     bodies with overlapping boxes  ->  overlapping primitives, by BVHs of slabs (medial_bvh.h)
//         ->  vertices of one inside the other  ->  the closest surface point  ->  contacts by vertex
//         ->  if no vertex is inside: intersecting triangles
//
// The closest surface point is looked up at rest, where nothing moves: the vertex is mapped there by its primitive, a
// voxel stores the closest triangle, and from there a descent over neighbouring triangles uses current positions
// (elastic_closest.h).
//
// Tested and measured (bench/bench_culling.c), but the world does not use it: there the spheres of the medial mesh
// collide, like all bodies (docs/elastic.md, collisions). No public call reaches it, so it is here and not in libsinew.
#ifndef SN_MEDIAL_ELASTIC_COLLIDE_H
#define SN_MEDIAL_ELASTIC_COLLIDE_H

#include "medial/elastic_bounds.h"
#include "medial/medial_bvh.h"

// The constant data of a colliding body, built once per asset.
typedef struct {
    const sn_elastic_bounds *bounds;
    sn_medial_bvh bvh; // over the primitives
    uint64_t id;       // hash of the BVH
    int *first_owned;  // by primitive: the vertices it tests; each surface vertex has one of its enclosing primitives
    int *owned;
    int *first_excluded; // by primitive: primitives it never collides with; of higher index, ascending
    int *excluded;
    int (*neighbour)[3]; // the triangle across each edge (from corner k to the next) of a triangle, -1: none
    int *first_incident; // by vertex: its triangles
    int *incident;
    // Voxels at rest: the triangle closest to the centre of each voxel in or near the body, else -1.
    sn_vec3 voxel_lo;
    sn_real voxel;
    int voxels[3];
    int *voxel_triangle;
} sn_elastic_hull;

// Excludes pairs of primitives that overlap at rest or share a sphere.
sn_status sn_elastic_hull_init(sn_memory *memory, const sn_elastic_bounds *bounds, sn_elastic_hull *out);
void sn_elastic_hull_free(sn_memory *memory, sn_elastic_hull *hull);

// The current state of a body.
typedef struct {
    const sn_elastic_hull *hull;
    const sn_elastic_bounds_state *state; // updated
    const sn_vec3 *x;                     // all vertices of the asset
    bool self;                            // test for self-collision
} sn_elastic_collider;

// A vertex inside a body, or a corner of a triangle that intersects one. Moving it by depth along the normal resolves
// it.
typedef struct {
    int body, vertex;
    int other, triangle; // the closest triangle of the other body
    sn_real weight[3];   // barycentric coordinates of the closest point
    sn_vec3 normal;      // unit
    sn_real depth;       // 0 or more
    bool crossing;       // no vertex is inside: the two triangles intersect
} sn_elastic_contact;

// Counters of a call.
typedef struct {
    int64_t boxes;     // pairs of bodies' boxes tested
    int64_t slabs;     // pairs of slabs tested, of BVH nodes and of primitives
    int64_t overlaps;  // overlapping pairs of primitives
    int64_t vertices;  // closest-point queries
    int64_t triangles; // pairs of triangles tested
} sn_elastic_collide_stats;

// What the next call reuses: positions of primitives, how far they have travelled, and the gaps of pairs.
typedef struct {
    sn_arena arena;
    int body_count;
    uint64_t *id;   // by body: its hull's
    sn_slab **slab; // of its primitives
    sn_real **path; // of the nodes of its BVH
    int pair_count;
    int (*pairs)[2]; // of bodies, sorted
    int *first_gap;  // by pair; one more at the end
    const sn_medial_cached_gap *gaps;
} sn_elastic_collide_cache;

// Reusable work space, and the results of the last call.
typedef struct {
    sn_memory *memory;
    sn_arena arena;
    sn_elastic_collide_cache cache[2];                    // of the current call, and of the previous one
    bool cache_disabled;                                  // slower, with the same results
    int pair_hint, gap_hint, contact_hint, crossing_hint; // numbers of chunks that sufficed
    const sn_elastic_contact *contacts;
    int contact_count;
    sn_elastic_collide_stats stats;
} sn_elastic_detector;

void sn_elastic_detector_init(sn_elastic_detector *detector, sn_memory *memory);
void sn_elastic_detector_free(sn_elastic_detector *detector);

// Finds all contacts, at most one per vertex, in an order that depends on the bodies only: by pairs of bodies, then by
// the primitives of the vertices. A warmed call allocates nothing. pool: may be null. The only error is SN_ERR_MEMORY;
// there are no contacts then.
sn_status sn_elastic_detect(sn_elastic_detector *detector, const sn_elastic_collider *bodies, int count, sn_pool *pool);

#endif
