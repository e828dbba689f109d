// Contacts in blocks of sixteen, so that SIMD lanes of any width solve them side by side. No two contacts of a block
// share a node, so the order within it does not matter; blocks of a group are solved one after the other.
//
// The sweeps work on displacements since the proxies were last written, not on positions: small numbers keep their
// digits far from the origin, and the constants of a contact are computed once.
//
//     gap  = gap_now + n.rel - sum r_i a_i ds_i          rel = sum +-a_i d_i: how far side a has moved from side b
//     slip = slip_now + rel + spin_a arm_a - spin_b arm_b, across n
#ifndef SN_COUPLINGS_CONTACT_CONTACT_BLOCK_H
#define SN_COUPLINGS_CONTACT_CONTACT_BLOCK_H

#include "geometry/proxy.h"

enum { SN_BLOCK = 16 };
#define SN_DEEP 0.25 // of the smaller radius: see 'prepare' below
typedef sn_real sn_block_row[SN_BLOCK];
typedef int32_t sn_block_ints[SN_BLOCK];

// The elements of a contact: side a, then side b. A slab that is an edge counts as a pill, and is then side a
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
        sn_block_ints slot[4]; // displacements of the nodes: ends of pill a, then of pill b; of slabs two corners
    sn_block_row alpha, beta;  // weight of end b of pill a, of pill b; end a has the rest
    sn_block_row n[3];         // normal, from b to a
    sn_block_row gap;          // now, minus the goal
    sn_block_row give;         // 1 / (inverse mass + compliance)
    sn_block_row compliance;   // over h^2
    sn_block_row w[4];         // inverse masses
    sn_block_row r[4];         // radii at rest
    sn_block_row rws[4];       // radius times inverse inertia of the scale
    sn_block_row normal_impulse, direction, change; // multiplier; its search direction; its change in the last sweep
    sn_block_row slip[3], arm_a[3], arm_b[3];
    sn_block_row spin_w_a, spin_w_b; // inverse inertia about the pills' axes
    sn_block_row inverse_mass_c;     // inverse mass across the normal
    sn_block_row stick, slide;
    sn_block_row friction_impulse[3], friction_search[3], friction_change[3];
    sn_block_row norm; // of the last sweep's change
    // ---- not used by the sweeps
    sn_block_row start_gap; // at the start of the substep
    sn_block_row goal;      // min gap at the end of the substep
    sn_block_row bounce;    // the part of the goal that restitution adds
    sn_block_row min;       // the smaller radius at the contact
    sn_block_row radius[2];
    sn_block_row anchor[3], drift[3]; // of a collider: contact point at the end of the substep; its motion
    sn_block_ints node[4], pill[2], collider,
        warm_start; // pill: an element; collider -1: none; warm_start: index into warm_starts
    // The third corners of slabs: [0] of side a, [1] of side b. Pills do not use them.
    sn_block_ints third_slot[2], third_node[2];
    sn_block_row third[2]; // weights
    sn_block_row third_w[2], third_r[2], third_rws[2];
    // Of slabs: the contact point has the weights 'spot' at the second and third corner of 'node' and 'third_node'. The
    // drivers move: slot, alpha, beta and third belong to them. A slab that is not driven is its own driver.
    sn_block_row spot[2][2];
    sn_block_ints driver[4], third_driver[2];
    int count;
    sn_contact_form form;
} sn_contact_block;

// The unknowns of the sweeps: a quad dx dy dz ds per node in contact, and the spin of the pill that ends there.
typedef struct {
    sn_real *moved;                     // quads
    sn_real *spin;                      //
    sn_real *moved_last, *moved_search; // at the start of the last sweep; search direction
    sn_real *spin_last, *spin_search;   //
    int count;
} sn_displacements;

// How overlap at the start of a substep is corrected.
typedef struct {
    sn_real part, left, fastest;
} sn_overlap_correction;

typedef struct {
    int lanes;
    // Computes gap, slip and arms from the current nodes and pills; the narrow phase must have run. Contacts that
    // started deep (SN_DEEP of the smaller radius) open by at most 'max_opening' in this substep: their normals may
    // rotate far, and opening the whole gap at once would throw the bodies apart.
    void (*prepare)(sn_contact_block *blocks, int count, const sn_proxies *proxies, sn_real max_opening);
    void (*start)(sn_contact_block *blocks, int count, const sn_displacements *d); // applies the warm start
    // One sweep; first moves multipliers by 'beta' times their search direction.
    void (*sweep)(sn_contact_block *blocks, int count, const sn_displacements *d, sn_real beta);
    void (*shift)(sn_contact_block *blocks, int count, const sn_displacements *d, const sn_overlap_correction *how);
    void (*shifted)(sn_contact_block *blocks, int count,
                    const sn_displacements *d); // updates start gaps and goals after shifts
    sn_real (*norm)(const sn_contact_block *blocks, int count);
} sn_contact_kernels;

const sn_contact_kernels *sn_contact_kernels_for(int lanes);

#endif
