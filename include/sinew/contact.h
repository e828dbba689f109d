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
    sn_vec3 friction;         // N, on body a, across the normal
} sn_contact;

// Writes at most 'capacity' contacts that bore a force, in an order that does not depend on the number of workers, and returns
// how many there are.
SN_API int sn_world_get_contacts(const sn_world *world, sn_contact *out, int capacity);

// The same of two bodies only, whichever is a in them.
SN_API int sn_world_get_contacts_between(const sn_world *world, sn_body a, sn_body b, sn_contact *out, int capacity);

// What two bodies did in a step.
typedef enum {
    SN_CONTACT_BEGIN = 0, // they touch; in the step before they did not
    SN_CONTACT_STAY = 1,  // they touch still
    SN_CONTACT_END = 2,   // they touched in the step before and do not now, or one of them was destroyed
} sn_contact_change;

// Two bodies touch in a step if a contact between them bears a force in any of its substeps.
typedef struct {
    sn_contact_change change;
    sn_body body_a, body_b; // in the order of sn_world_body_at; the same if a body touches itself
    int contacts;           // of the substep with most; 0 at an end
    sn_vec3 point,
        normal; // means over all contacts, by their forces: m; unit, from b to a. At an end those of the last step
    sn_vec3
        impulse; // N s, of normal forces and friction over the whole step, on body a; b gets the opposite. 0 at an end, and
                 // of a body with itself
    sn_real depth; // m, the largest of the step
} sn_contact_event;

// Whether to tell of two bodies; called within the step, by the thread that steps, once for two that touch or sleep on each other. The
// world may be read, not changed.
typedef bool sn_contact_keep_fn(void *user, sn_body a, sn_body b);

// Which contacts have events: of two bodies, one with a bit of 'groups' in its surface.group and the other with one of 'with', for which
// 'keep' is null or true. Default 0 and 0: none.
//
// Every begin has exactly one end. A body that is destroyed ends its contacts in the next step, with a handle that is stale by then; so
// do contacts that are not asked for any more. Bodies that fall asleep go on touching: there are no events while neither of the two can
// move, and they stay, or end, when one wakes. A step that did not happen has no events. Saved worlds know who touches whom and which
// groups are asked for, not 'keep': a restored world has no events before its first step, which then tells what the saved one would.
SN_API sn_status sn_world_set_contact_events(sn_world *world, uint32_t groups, uint32_t with, sn_contact_keep_fn *keep,
                                             void *user);

// Writes at most 'capacity' events of the last step, ends first, and returns how many there are. Their order does not depend on the number
// of workers.
SN_API int sn_world_get_contact_events(const sn_world *world, sn_contact_event *out, int capacity);

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
