// Collisions of elastic bodies, with each other and with themselves: culled by their medial bounds, found on their
// surfaces (Medial Elastics, section 5).
//
//     bodies whose boxes overlap  ->  primitives that do, by trees of slabs (medial_tree.h)
//         ->  vertices of one that are in the other  ->  the nearest place of its surface  ->  contacts by vertex
//         ->  where no vertex is inside: triangles that cross
//
// The nearest place of a surface is looked up at rest, where nothing moves: the vertex is taken there by the primitive
// that it is in, a voxel knows the triangle nearest to it, and from there it is downhill over the neighbours, where
// they are now.
//
// Tested and measured (bench/bench_culling.c), but not the world's response: there elastic bodies touch by the spheres
// of their medial mesh, as all bodies do (docs/elastic.md, collisions). It stays for those who need contacts on the
// surface itself.
#ifndef SN_KINDS_ELASTIC_COLLIDE_H
#define SN_KINDS_ELASTIC_COLLIDE_H

#include "kinds/elastic/elastic_bounds.h"
#include "kinds/elastic/medial_bvh.h"

// What stays of a body that collides; made once for an asset.
typedef struct {
    const sn_elastic_bounds *bounds;
    sn_medial_tree tree; // over the primitives
    uint64_t mark;       // trees that differ have different ones
    int *first_home;     // each surface vertex is looked for once, by one of the primitives that enclose it
    int *home;
    int *first_skip; // primitives that never collide with each primitive: of higher numbers, ascending
    int *skip;
    int (*beside)[3];  // the triangle over each edge (from corner k to the next) of a triangle, -1: none
    int *first_around; // by vertex: the triangles that it is a corner of
    int *around;
    // Voxels at rest: the triangle nearest to the middle of each that is in or near the body, else -1.
    sn_vec3 voxel_lo;
    sn_real voxel;
    int voxels[3];
    int *voxel_triangle;
} sn_elastic_hull;

// Primitives do not collide with each other where they touch at rest or share a sphere.
sn_status sn_elastic_hull_make(sn_memory *memory, const sn_elastic_bounds *bounds, sn_elastic_hull *out);
void sn_elastic_hull_free(sn_memory *memory, sn_elastic_hull *hull);

// A body as it is now.
typedef struct {
    const sn_elastic_hull *hull;
    const sn_elastic_bound *bound; // updated
    const sn_vec3 *x;              // all vertices of the asset
    bool self;                     // whether it may collide with itself
} sn_elastic_collider;

// A vertex that is within a body, or of a triangle that crosses one. Moving it by depth along the normal takes it out.
typedef struct {
    int body, vertex;
    int other, triangle; // the nearest of the other body
    sn_real weight[3];   // of its corners, at the nearest place
    sn_vec3 normal;      // unit
    sn_real depth;       // 0 or more
    bool crossing;       // no vertex is inside: the two triangles cross
} sn_elastic_contact;

// What it took.
typedef struct {
    int64_t boxes;     // pairs of bodies' boxes compared
    int64_t slabs;     // pairs of slabs tested, of the trees and of primitives
    int64_t overlaps;  // of them, primitives that overlap
    int64_t vertices;  // looked up on a surface
    int64_t triangles; // pairs of triangles tested
} sn_elastic_effort;

// What a call leaves for the next: where primitives were, how far they have come, and what was found out about pairs.
typedef struct {
    sn_arena arena;
    int body_count;
    uint64_t *mark; // by body: its hull's
    sn_slab **slab; // of its primitives
    sn_real **path; // of the nodes of its tree
    int pair_count;
    int (*pairs)[2]; // bodies, in order
    int *first_note; // by pair; one more at the end
    const sn_medial_note *notes;
} sn_elastic_past;

// Work space, to be used again, and the answers of the last call.
typedef struct {
    sn_memory *memory;
    sn_arena arena;
    sn_elastic_past past[2];                               // of the last call, and of this one
    bool forgetful;                                        // every call is as the first: slower, the same answers
    int pair_hint, note_hint, contact_hint, crossing_hint; // chunks that sufficed
    const sn_elastic_contact *contacts;
    int contact_count;
    sn_elastic_effort effort;
} sn_elastic_detector;

void sn_elastic_detector_init(sn_elastic_detector *detector, sn_memory *memory);
void sn_elastic_detector_free(sn_elastic_detector *detector);

// Finds all contacts, at most one a vertex, in an order that depends on the bodies alone: by the pairs of bodies, then
// by the primitives of the vertices. A call like the last few allocates nothing. pool: may be null. SN_ERR_MEMORY is
// the only way to fail; there are no contacts then.
sn_status sn_elastic_detect(sn_elastic_detector *detector, const sn_elastic_collider *bodies, int count, sn_pool *pool);

#endif
