// Queries: rays, casts of spheres and pills, nearest bodies, overlaps and picking, against the collision geometry of every kind.
//
// A snapshot is a copy of that geometry with a tree over it. It needs no world any more: several threads may ask it at the same time,
// and while the world makes its next step. Update it after a step; what moved since is found where it was.
//
// What is found is what collides: segments of rods and of springs as pills, triangles of cloth and solids with their radius, medial
// cones and slabs of elastic bodies, muscles and bones of characters, rigid bodies as they were defined. Bodies whose 'collide' is
// false are not found. Answers depend on the geometry alone, not on threads or on how often the snapshot was updated.
#ifndef SINEW_QUERY_H
#define SINEW_QUERY_H

#include "body.h"

// The collision geometry of a world at one time.
typedef struct sn_snapshot sn_snapshot;

// Creates a snapshot of the world as it is now, with the world's allocator. On failure *out is null.
SN_API sn_status sn_snapshot_create(sn_world *world, sn_snapshot **out);

// Copies the geometry as it is now. Trees of bodies that were there already are fitted, not built again, so it takes a small part of
// a step. On SN_ERR_MEMORY the snapshot is empty.
SN_API sn_status sn_snapshot_update(sn_snapshot *snapshot, sn_world *world);

// Destroys a snapshot, before or after its world; null is ignored.
SN_API void sn_snapshot_destroy(sn_snapshot *snapshot);

// The number of bodies and of their pills, triangles and solids.
SN_API int sn_snapshot_body_count(const sn_snapshot *snapshot);
SN_API int sn_snapshot_element_count(const sn_snapshot *snapshot);

// What is cast, or asked with: a pill, which is a sphere if its ends are equal, and a point or a ray if its radii are 0.
typedef struct {
    sn_vec3 ends[2];  // m, of the axis
    sn_real radii[2]; // m, 0 or more
    sn_vec3 motion;   // m: how far it moves; only casts look at it
} sn_probe;

// Probes: a ray from a point, a sphere, a pill.
SN_API sn_probe sn_probe_ray(sn_vec3 from, sn_vec3 motion);
SN_API sn_probe sn_probe_sphere(sn_vec3 centre, sn_real radius, sn_vec3 motion);
SN_API sn_probe sn_probe_pill(sn_vec3 a, sn_vec3 b, sn_real radius_a, sn_real radius_b, sn_vec3 motion);

// Which bodies a query finds. Null where one is asked for: all.
typedef struct {
    uint32_t groups; // bodies whose surface.group has one of these bits; default all
    sn_body skip;    // is not found; default none
    bool (*keep)(void *user,
                 sn_body body); // null, or returns whether the body is found; called by the thread that asks
    void *user;                 // passed to keep
} sn_query_filter;

// Returns the defaults named above.
SN_API sn_query_filter sn_query_filter_default(void);

// What a query found. A joint can be made of it: body, segment and along of a rod, body and point of others.
typedef struct {
    sn_body body;     // null: nothing
    sn_real fraction; // of the motion, 0 to 1; 0 if they overlapped at the start, and where nothing moves
    sn_real
        distance; // m, from surface to surface there; negative: overlap. In the air it is that of the nearest points, in depth
                  // the way out that collisions would take
    sn_vec3 point;  // m, on the surface of the body
    sn_vec3 normal; // unit, from the body to the probe
    int element;    // which pill, triangle or solid of the body; of a mesh its triangle
    int segment;    // of rods, see sn_rod_def; else -1
    sn_real along;  // of rods: where on the segment
    int nearest;    // of other bodies: index of the nearest point of sn_body_get_points; of rods -1
} sn_hit;

// What each of 'count' probes meets first on its way. Writes a hit for each; body is null where there is none. What is met at the same
// time is decided by the order of bodies, then of elements. SN_ERR_RANGE: a probe or a needed pointer is bad; nothing is written.
SN_API sn_status sn_snapshot_cast(const sn_snapshot *snapshot, const sn_probe *probes, int count,
                                  const sn_query_filter *filter, sn_hit *hits);

// The same of all bodies on the way, one hit a body, in the order in which they are met. Writes at most 'capacity' and returns how many
// there are; 0 if the probe is bad.
SN_API int sn_snapshot_cast_all(const sn_snapshot *snapshot, const sn_probe *probe, const sn_query_filter *filter,
                                sn_hit *out, int capacity);

// What is nearest to each of 'count' probes, or deepest in it, if it is within 'max' (m; may be infinite).
SN_API sn_status sn_snapshot_nearest(const sn_snapshot *snapshot, const sn_probe *probes, int count, sn_real max,
                                     const sn_query_filter *filter, sn_hit *hits);

// The bodies that overlap a probe, one hit a body, where they are deepest, in the order of bodies. Writes at most 'capacity' and
// returns how many there are; 0 if the probe is bad.
SN_API int sn_snapshot_overlap(const sn_snapshot *snapshot, const sn_probe *probe, const sn_query_filter *filter,
                               sn_hit *out, int capacity);

#endif
