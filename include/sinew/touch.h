// Who touches whom: bodies of all kinds, and shapes.
#ifndef SINEW_TOUCH_H
#define SINEW_TOUCH_H

#include "contact.h"
#include "elastic.h"
#include "muscles.h"
#include "spring.h"

// One place where two things pressed on each other in the last substep. Side a is a body, side b another, the same
// one, or a shape: of each side's ids all are null but one.
typedef struct {
    sn_rod rod_a, rod_b;             //
    sn_springs springs_a, springs_b; //
    sn_elastic elastic_a, elastic_b; //
    sn_muscles muscles_a, muscles_b; // a character's muscles and bones
    sn_shape shape_b;                //
    int segment_a, segment_b;        // of rods: the segment's number, see sn_rod_def; else -1
    sn_vec3 point;                   // m, between the surfaces
    sn_vec3 normal;                  // unit, from b to a
    sn_real depth;                   // m, how deep in each other after the step; negative: apart
    sn_real force;                   // N, along the normal
} sn_contact;

// The contacts that bore a force, in an order that does not depend on workers. Writes at most 'capacity', returns how
// many there are.
SN_API int sn_world_get_contacts(const sn_world *world, sn_contact *out, int capacity);

// How deep things are in each other now, measured afresh and exactly: the largest depth over the smaller of the two
// radii there (the pill's own against a shape). 0: nothing overlaps. What a joint ties does not count at the joint.
SN_API double sn_world_penetration(sn_world *world);

// What overlaps now may stay so. Rods of the list that are in other rods, or in shapes, touch from now on with smaller
// radii, such that nothing overlaps; a point that would keep less than three tenths of its radius lies in something with
// its middle, and does not touch at all any more. Weight, stiffness and looks stay. For muscles, which as they are
// modelled lie in each other a little, and in bones with their ends: contacts would press them apart with force for good.
// Call it when everything is in place; called again, it starts from the full radii.
SN_API sn_status sn_world_forgive_overlap(sn_world *world, const sn_rod *rods, int count);

#endif
