// Proxies: what the contact room sees of a body, whatever its kind. A body shows its points (nodes), the pills between
// two of them and the slabs between three; contacts move the nodes and turn the pills, and the body takes the change
// over.
#ifndef SN_GEOMETRY_PROXY_H
#define SN_GEOMETRY_PROXY_H

#include "geometry/primitives.h"
#include "sinew/contact.h"

// Three quads of numbers, so that SIMD lanes load it whole.
typedef struct {
    sn_vec3 c;      // centre now
    sn_real s;      // scale now
    sn_vec3 c0;     // centre at the start of the substep
    sn_real s0;     // scale there
    sn_real w;      // inverse mass, 0: does not yield
    sn_real ws;     // inverse inertia of the scale, its stiffness over the substep included
    sn_real radius; // at rest
    sn_real aloof;  // not 0: pills that end here do not touch
} sn_node;

typedef struct {
    int32_t a, b;    // nodes; a = b = -1: no pill here
    int32_t body;    // the same for all pills of a body
    int32_t surface; // in the list of surfaces
    sn_vec3 axis;    // unit, from a to b
    sn_real w_turn;  // inverse inertia about the axis
    sn_real turn;    // angle about the axis since the start of the substep
    sn_real unused[3];
} sn_node_pill;

// The hull of three balls: a triangle of cloth, a face of a solid, a triangle of a medial mesh. Two slabs that share an
// edge or a corner both touch there; so that it is felt once, one of them owns it. Where an owner is to be found is not
// told: its touch with the same other is at least as deep, so the others leave theirs out. (A slab should not own more
// than two corners: of more, the two deepest are felt.)
//
// Nodes 1 and 2 may be the same: a pill that does not turn, for nets with more edges than nodes. It owns corner 1 and 2
// alike, and all three edges.
typedef struct {
    int32_t node[3];
    int32_t body, surface; // as of pills
    uint32_t owns;         // bits 0 to 2: its corners; 3 to 5: its edges from corner 0 to 1, 1 to 2, 2 to 0
    bool led;              // some of its nodes are led: see below
} sn_node_slab;

// Not every node can move on its own: those of a body in a subspace go where a few others of the body, its leaders,
// take them. Contacts see such a node where it is, and push its leaders, by their weights (which add up to 1). What leads
// itself is its own first leader, with weight 1. Only slabs may have nodes that are led.
enum { SN_LEADERS = 4 };
typedef struct {
    int32_t node[SN_LEADERS]; // each once
    sn_real weight[SN_LEADERS];
} sn_node_lead;

// All bodies of a world, kind after kind. A kind owns the nodes, pills and slabs from its first on. Pills and slabs are
// numbered together as elements: slab k is element count + k.
typedef struct {
    sn_node *nodes;
    sn_node_pill *pills;
    int count; // nodes and pills are numbered alike: a pill belongs to the node at its end b
    sn_node_slab *slabs;
    int slab_count;
    sn_node_lead *leads; // by node; those that nobody asks for may be left as they are
} sn_proxies;

// What contacts need to know of a body that is not in its pills.
typedef struct {
    sn_surface surface;
    bool touches;
    bool self;
    bool asleep;
    uint32_t family; // bodies of the same family do not touch each other; 0: none
} sn_touching;

// Whether a body rests: it sleeps once it has been still for a while together with all it touches.
typedef struct sn_rest {
    bool asleep;
    sn_real still; // seconds
} sn_rest;

// Where a kind shows its bodies.
typedef struct sn_show {
    sn_proxies *proxies;
    int first;             // its first node and pill
    int first_slab;        // its first slab
    int first_body;        // its first body: body and surface of a pill
    sn_touching *touching; // by body, of all kinds
    sn_real *reach;        // by node: how far it may go in the step
    sn_vec3 *way;          // by node: what of that it goes for sure, its velocity times the step; zero: not known
    const int32_t *shift;  // by body: from a node to its displacement by contacts; INT32_MIN: it has none
    const sn_real *moved;  // by slot: dx dy dz ds
    const sn_real *spin;   // by slot: turn of the pill that ends there
    sn_real dt, h, fall;   // of the step; of the substep; what gravity adds to any way in the step
} sn_show;

#endif
