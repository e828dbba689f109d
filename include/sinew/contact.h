// Contacts: where bodies press on each other, how hard the solver works on them, and overlaps.
//
// Every segment of a rod is a pill, every triangle of a surface a slab; pills and slabs collide with those of other bodies,
// with those of the same body if it has self_collide, and with rigid bodies.
#ifndef SINEW_CONTACT_H
#define SINEW_CONTACT_H

#include "body.h"

// One contact that bore a force in the last substep. Body b may be the same as body a.
typedef struct {
    sn_body body_a, body_b;
    int segment_a, segment_b; // of rods: the segment's index, see sn_rod_def; else -1
    sn_vec3 point;            // m, between the surfaces
    sn_vec3 normal;           // unit, from b to a
    sn_real depth;            // m, overlap after the step; negative: separation
    sn_real force;            // N, along the normal
} sn_contact;

// Writes at most 'capacity' contacts that bore a force, in an order that does not depend on the number of workers, and returns
// how many there are.
SN_API int sn_world_get_contacts(const sn_world *world, sn_contact *out, int capacity);

// Measures the deepest overlap now, exactly: depth over the smaller of the two radii (over the pill's own radius against a
// rigid body). 0: nothing overlaps. Overlap of jointed bodies at their joint does not count.
SN_API double sn_world_penetration(sn_world *world);

// Accepts existing overlap: shrinks the rods' contact radii until nothing overlaps. Points left with less than 30 % of
// their radius stop colliding. Mass, stiffness and looks stay. For muscles, which are modelled a little inside each other
// and with their ends inside bones: contacts would push them apart for good. Call it when everything is in place; called
// again, it starts from the full radii.
SN_API sn_status sn_world_shrink_overlaps(sn_world *world, const sn_body *rods, int count);

// Sweeps over all contacts in each iteration of the common solve, at most: 1 to 100, default 20. Fewer where contacts are many
// thousands, or the solve has converged.
SN_API sn_status sn_world_set_contact_sweeps(sn_world *world, int sweeps);
SN_API int sn_world_contact_sweeps(const sn_world *world);

// The budget of a step: pairs of segments, triangles and rigid bodies that are near enough to touch in it (sn_profile.pairs), 1 or
// more. Each takes about 2 kB. A step that finds more returns SN_ERR_PAIRS and does not happen: something flies about, was put far
// into something else, or the world is larger than it was meant to be. Put that right or raise the budget, and step again.
SN_API sn_status sn_world_set_max_pairs(sn_world *world, int pairs);
SN_API int sn_world_max_pairs(const sn_world *world);

#endif
