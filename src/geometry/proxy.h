// Proxies: what contacts see of a body, whatever its kind: its points (nodes), pills between two of them and slabs
// between three. Contacts move the nodes and rotate the pills about their axes; the kind then applies the change to its
// body.
#ifndef SN_GEOMETRY_PROXY_H
#define SN_GEOMETRY_PROXY_H

#include "base/kind.h"
#include "geometry/primitives.h"

// Four quads of numbers, so that SIMD lanes load it whole.
typedef struct {
    sn_vec3 c;                // centre now
    sn_real s;                // scale now
    sn_vec3 c0;               // centre at the start of the substep
    sn_real s0;               // scale there
    sn_real w;                // inverse mass; 0: infinite mass
    sn_real ws;               // inverse inertia of the scale, including its stiffness over the substep
    sn_real radius;           // at rest
    sn_real contact_disabled; // not 0: pills that end here do not collide
    sn_real
        squeeze; // 0 to 1: how much of its radius yields to contacts. 0 for rods: forces that squeeze them lose volume
    sn_vec3 low; // what rounding left of c, where the kind knows
} sn_node;

typedef struct {
    int32_t a, b;    // nodes; a = b = -1: no pill here
    int32_t body;    // the same for all pills of a body
    int32_t surface; // in the list of surfaces
    sn_vec3 axis;    // unit, from a to b
    sn_real w_spin;  // inverse inertia about the axis
    sn_real spin;    // angle about the axis since the start of the substep
    sn_vec3 low0;    // of the node at this index: what rounding left of c0
    int32_t held;    // that node goes only where it is led, asleep or not
} sn_node_pill;

// The hull of three spheres: a triangle of cloth, a face of a solid, a triangle of a medial mesh. Two slabs that share
// an edge or a corner both have a contact there. So that it counts once, one of them owns the edge or corner and the
// others skip theirs: the owner's contact is at least as deep. (A slab should not own more than two corners: only the
// two deepest count.)
//
// Nodes 1 and 2 may be equal: a pill without rotation, for nets with more edges than nodes. It owns corners 1 and 2
// together, and all three edges.
typedef struct {
    int32_t node[3];
    int32_t body, surface; // as for pills
    uint32_t owns;         // bits 0 to 2: its corners; 3 to 5: its edges from corner 0 to 1, 1 to 2, 2 to 0
    bool driven;           // some of its nodes are driven: see below
    // A face of a convex solid: the others are from solid_first to before solid_end, all around the node 'core'. 0: of a surface.
    int32_t solid_first, solid_end, core;
    sn_real under; // how deep what is nearest to this face may lie in the solid, where its own ball does not hold that
} sn_node_slab;

// A node of a body in a subspace cannot move freely: its drivers, a few other nodes of the body, move it by their
// weights (which sum to 1). Contacts see such a node at its position and move its drivers. A free node is its own first
// driver with weight 1. Only slabs may have driven nodes.
enum { SN_DRIVERS = 4 };
typedef struct {
    int32_t node[SN_DRIVERS]; // each once
    sn_real weight[SN_DRIVERS];
} sn_node_driver;

// All bodies of a world, kind after kind. A kind owns the nodes, pills and slabs from its first on. Pills and slabs are
// numbered together as elements: slab k is element count + k.
typedef struct sn_proxies {
    sn_node *nodes;
    sn_node_pill *pills;
    int count; // of nodes and of pills: a pill has the number of the node at its end b
    sn_node_slab *slabs;
    int slab_count;
    sn_node_driver *drivers; // by node; only those of driven slabs are filled
} sn_proxies;

// Where a kind writes its proxies and reads how contacts moved them.
typedef struct sn_proxy_writer {
    sn_proxies *proxies;
    int first;                     // its first node and pill
    int first_slab;                // its first slab
    int first_body;                // its first body: body and surface of a pill
    sn_contact_settings *settings; // by body, of all kinds
    sn_real *reach;                // by node: how far it may move in the step
    sn_real *thickness;            // by body: what it may approach in a substep is measured by, at least; 0: its radii
    sn_vec3 *displacement;         // by node: the known part of that, its velocity times the step; zero: not known
    const int32_t *shift;          // by body: from a node to its displacement by contacts; INT32_MIN: it has none
    const sn_real *moved;          // by slot: dx dy dz ds
    const sn_real *spin;           // by slot: rotation of the pill that ends there about its axis
    sn_real dt, h, fall;           // step; substep; what gravity adds to any displacement in the step
} sn_proxy_writer;

#endif
