// Contacts in blocks of sixteen, so that SIMD lanes of any width solve them side by side. No two contacts of a block share a
// node, so the order within it does not matter; blocks of a group are solved one after the other.
//
// Everything is linear in node space (base/solve.h) around where the bodies were linearised; small numbers keep their digits far
// from the origin.
//
//     gap  = gap_0 + n.rel - sum r_i a_i ds_i          rel = sum +-a_i d_i: how far side a has moved from side b
//     slip = slip_0 + rel + spin_a arm_a - spin_b arm_b, across n
#ifndef SN_COUPLINGS_CONTACT_CONTACT_BLOCK_H
#define SN_COUPLINGS_CONTACT_CONTACT_BLOCK_H

#include "geometry/proxy.h"

enum { SN_BLOCK = 16 };
typedef sn_real sn_block_row[SN_BLOCK];
typedef int32_t sn_block_ints[SN_BLOCK];

// The elements of a contact: side a, then side b. A slab that is a mere edge counts as a pill, and is then side a
// (broad_phase.c), unless it is driven: driven sides have three drivers.
typedef enum {
    SN_PILL_COLLIDER,
    SN_PILL_PILL,
    SN_SLAB_COLLIDER,
    SN_PILL_SLAB,
    SN_SLAB_SLAB,
    SN_CONTACT_FORM_COUNT,
} sn_contact_form;

static inline bool sn_form_both(sn_contact_form form) { // side b is a body too
    return form != SN_PILL_COLLIDER && form != SN_SLAB_COLLIDER;
}
static inline bool sn_form_third(sn_contact_form form, int side) { // that side is a slab
    return side ? form >= SN_PILL_SLAB : form == SN_SLAB_COLLIDER || form == SN_SLAB_SLAB;
}

typedef struct {
    _Alignas(64)
        sn_block_ints slot[4];       // displacements of the nodes: ends of pill a, then of pill b; of slabs two corners
    sn_block_row alpha, beta;        // weight of end b of pill a, of pill b; end a has the rest
    sn_block_row n[3];               // normal, from b to a
    sn_block_row r[4];               // radii at rest
    sn_block_row arm_a[3], arm_b[3]; // how the surfaces slip as the pills spin about their axes
    // ---- the potential: 1/2 k (target - gap)^2 where that is positive, and friction 1/2 friction_k |slip|^2
    sn_block_row gap, slip[3];         // where the bodies were linearised
    sn_block_row gap_now, slip_now[3]; // after the steps of the inner iteration
    sn_block_row k, target;
    sn_block_row pre;          // the part of k that is in the bodies' matrices
    sn_block_row friction_k;   // of this linearisation
    sn_block_row friction_max; // largest friction, N, of this linearisation
    sn_block_row force;        // normal force at the linearisation, N
    sn_block_row load;         // normal force that the last iteration came to, N; friction is bounded by it
    sn_block_row nodal[2];     // not 0: the matrix of the side's body has a block a node (base/solve.h)
    // ---- along the direction of search
    sn_block_row rate[2];                        // how each side opens the gap
    sn_block_row slip_rate_a[3], slip_rate_b[3]; // and slips
    sn_block_row slope, slope_rate;              // scratch of a search, by contact
    // ---- what it is
    sn_block_row stick, slide;          // coefficients of friction
    sn_block_row stretch[3];            // elastic slip that is stored in the contact at the start of the substep
    sn_block_row rotation[3];           // the same of rotation; of the end, once the substep is solved
    sn_block_row compliance;            // m/N, of the surfaces
    sn_block_row stiffness;             // k without the surfaces' compliance
    sn_block_row start_gap;             // at the start of the substep
    sn_block_row start_load;            // normal force that the substep before ended with
    sn_block_row strength;              // load that it is made for: see contact_solve.c
    sn_block_row start_k, start_target; // of the substep before; start_k 0: a new contact
    sn_block_row max_k;
    sn_block_row bounce; // the gap that restitution asks for
    sn_block_row min;    // the smaller radius at the contact
    sn_block_row radius[2];
    sn_block_row anchor[3],
        drift[3]; // of a collider: where it is touched at the end of the substep; how far that moved
    sn_block_ints node[4], pill[2], collider,
        warm_start;                // pill: element; collider -1: none; warm_start: its index there
    sn_block_ints bodies;          // the pair of its bodies: contact_solve.c
    sn_block_ints island, covered; // covered: see contact_pack.h
    // The third corners of slabs: [0] of side a, [1] of side b. Pills do not look at them.
    sn_block_ints third_slot[2], third_node[2];
    sn_block_row third[2]; // weights
    sn_block_row third_r[2];
    // Of slabs: what is touched is at the weights 'spot' of second and third corner of 'node' and 'third_node'; what
    // moves are the drivers, which slots, alpha, beta and third are of. A slab that is not driven drives itself.
    sn_block_row spot[2][2];
    sn_block_ints driver[4], third_driver[2];
    int count;
    bool one_island; // all of its contacts are of the same
    bool far_start;  // none of its contacts is predicted to come near in the substep
    bool has_nodes;  // some of its sides have nodes of their own (contact_nodes.c)
    bool far;        // none of its contacts comes to press: it takes no part in the inner iteration
    sn_contact_form form;
} sn_contact_block;

// Vectors of node space (base/solve.h).
typedef struct {
    sn_real *quads, *spin;
} sn_node_vector;

typedef struct {
    int lanes;
    // Gap, slip and arms from nodes and pills as they are now.
    void (*prepare)(sn_contact_block *blocks, int count, const sn_proxies *proxies);
    // Forces at the linearisation; adds them to 'force'.
    void (*linearise)(sn_contact_block *blocks, int count, const sn_node_vector *force);
    // Rates along 'step'; leaves its curvature in 'slope', and in 'slope_rate' what bodies' matrices know of it, negative.
    void (*rates)(sn_contact_block *blocks, int count, const sn_node_vector *step);
    // Slope and its rate at alpha (by island), into the scratch rows.
    void (*slope)(sn_contact_block *blocks, int count, const sn_real *alpha);
    // Goes on by alpha along the step; adds how forces change, less what matrices know of that.
    void (*advance)(sn_contact_block *blocks, int count, const sn_node_vector *step, const sn_node_vector *force,
                    const sn_real *alpha);
    // Energy at share (by island) of the way from the linearisation, into 'slope'.
    void (*energy)(sn_contact_block *blocks, int count, const sn_real *share);
} sn_contact_kernels;

const sn_contact_kernels *sn_contact_kernels_for(int lanes);

#endif
