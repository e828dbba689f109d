// The common solve: bodies that touch or are joined are solved together, as one minimisation (docs/contact.md).
//
//     E(x) = sum over kinds     [ inertia + elastic ]           each has a matrix M of its own: rods exactly, factored
//          + sum over couplings [ contact, friction, joints ]
//
// Newton's iteration; its linear step is found by nonlinear conjugate gradients with M as preconditioner, in which contacts
// may open and close (world/common_solve.c). Kinds and couplings meet in *node space*: five numbers for each node of the proxies
// (geometry/proxy.h): the displacement of its centre and of its scale, and the rotation of the pill that ends there about its
// axis. A coupling knows bodies only by these. A kind turns node space into its own unknowns and back.
//
// A kind need not have an exact factor: M may be any preconditioner if it keeps Mp as the product of p with its true
// matrix, less the node forces of SN_COUPLE_CORRECT that are in p (kinds/spring/spring_couple.c).
//
// A body that does not take part by the operation 'couple' is lumped: its nodes are free masses around what its own
// solver came to (world/lumped.c), and it takes over how they moved by 'apply'.
#ifndef SN_BASE_SOLVE_H
#define SN_BASE_SOLVE_H

#include "base/kind.h"
#include "base/math/vec.h"

// What the common solve asks of a kind. Vectors are of its own unknowns, scalars are per body.
typedef enum {
    SN_COUPLE_BEGIN,        // the unknowns start where the kind predicted them; false: no memory
    SN_COUPLE_LINEARISE,    // r = -gradient + node forces; M = its matrix + the stiffness rows; factor; d = 0
    SN_COUPLE_PRECONDITION, // z = M^-1 r; node step = z
    SN_COUPLE_CORRECT,      // z = M^-1 (r + node forces); node step = z
    SN_COUPLE_COLUMN,       // node step = M^-1 (node forces); z is lost
    SN_COUPLE_PRODUCTS,     // rz = r.z, rz_old = r_old.z
    SN_COUPLE_SHIFT,        // p = M^-1 (node forces), Mp = 0; node step = p
    SN_COUPLE_DIRECTION,    // p = z + beta p; Mp = r + beta Mp; pmp = p.Mp, pr = p.r; node step = p
    SN_COUPLE_ADVANCE,      // d += alpha p; r_old = r; r += node forces - alpha Mp
    SN_COUPLE_MOVE,         // trial state = state + share d; its energy; how far nodes moved
    SN_COUPLE_ENERGY,       // energy of the state
    SN_COUPLE_START_ENERGY, // energy of staying where the substep starts
    SN_COUPLE_ACCEPT,       // the trial state becomes the state where share > 0
    SN_COUPLE_MOMENTUM,     // what couplings moved it by: 'received'
    SN_COUPLE_KINETIC,      // 'motion' at the end of the substep; a kind whose motion cannot be limited leaves it alone
    SN_COUPLE_END, // the state becomes that of the bodies, moving by 'balance' more; islands that 'failed' stay where the
                   // substep started, and the others move as 'limit' says
} sn_couple_op;

// What it asks of a coupling.
typedef enum {
    SN_COUPLING_BEGIN,     // islands are complete
    SN_COUPLING_MEASURE,   // measures itself at the bodies' state: 'depth'
    SN_COUPLING_LINEARISE, // adds its node forces and stiffness rows there, and its energy
    SN_COUPLING_CONSTRAIN, // after kinds linearised: prepares multipliers; node forces that close its constraints; 'shifts' if any
    SN_COUPLING_CORRECT, // from node step z: node forces that take back what would open its constraints
    SN_COUPLING_RATES, // from node step p: how fast it changes along p; adds what M lacks to 'curvature', all of its own to 'slope_rate'
    SN_COUPLING_SLOPE,        // adds to 'slope' and 'slope_rate' at alpha
    SN_COUPLING_ADVANCE,      // adds how its node forces change over alpha p, less what M knew of that
    SN_COUPLING_BOUND,        // from node step d: lowers 'share' where d goes farther than the model holds
    SN_COUPLING_ENERGY,       // adds its energy at share of the way
    SN_COUPLING_START_ENERGY, // adds its energy where the substep starts; after the first linearisation
    SN_COUPLING_END, // the last iteration was accepted; clears 'is_free' where a tie pushes something that does not move
    SN_COUPLING_REACT, // adds to 'outside' what it pushes islands with from outside
    SN_COUPLING_SHARE, // tells colliders what they bear: their part of it, see sn_solve_outside
} sn_coupling_op;

// A coupling's stiffness on one pill: k j j^T, with j over the nodes of the pill (displacement and scale) and its spin.
typedef struct {
    sn_real k;
    sn_real a[4], b[4]; // on the nodes at the pill's ends a and b
    sn_real spin;
} sn_stiffness_row;

// A contact of a rigid body moves a node of its own, at the point of the body's surface, so that friction turns the body. It has a slot
// behind those of the proxies; its force and stiffness come to the body through it.
typedef struct {
    int32_t body;
    sn_vec3 arm; // from the body's first node, its centre of mass, where the bodies were linearised
} sn_contact_node;

// How a body moves at the end of a substep.
typedef struct {
    double gain; // kinetic energy and that of weights and loads there, less at its start, less what of E is inertia, J
    double kinetic; // J
    double momentum[3], mass;
} sn_solve_motion;

// What an island may keep of its motion: velocities v become mean + part (v - mean).
typedef struct {
    double part; // 1: all
    double mean[3];
} sn_solve_limit;

struct sn_proxies;

typedef struct sn_solve {
    sn_world *world;
    int bodies;      // numbered over all kinds
    bool *coupled;   // by body: it takes part
    bool *joined;    // by body: a joint holds it, or another body of its island
    int32_t *unit;   // by body: the first of those that are one body to their kind; usually itself
    int32_t *island; // by body: the number of the first body of its island
    bool *iterating; // by island: not converged yet
    bool *failed;    // by island: no solution was found that does not make energy
    bool *is_lumped; // by body; null: none is
    bool shifts;     // set by SN_COUPLING_CONSTRAIN
    int size;        // contacts: what an inner iteration costs
    int sweeps;      // inner iterations of one of Newton's, at most
    int iteration;   // of Newton's

    // ---- node space, by slot: quads dx dy dz ds, and the spin
    struct sn_proxies *proxies;
    const int *first_node, *first_slab; // by row of the table of kinds
    const struct sn_proxy_writer *writer;
    int slots;
    int32_t *shift;          // by body: from a node to its slot
    const int32_t *body_end; // by body: its last node + 1
    sn_real *force, *force_spin, *step, *step_spin;
    // Contact nodes: node i has the slot first_contact_node + i. Those of body b are contact_node_list[contact_node_first[b]] to
    // before [b + 1], in their order.
    const sn_contact_node *contact_nodes;
    const int32_t *contact_node_first, *contact_node_list;
    int first_contact_node;
    // Stiffness rows of the pill that ends at a slot: from row_first[slot] to row_first[slot + 1].
    int32_t *row_first;
    sn_stiffness_row *rows;
    // Of bodies with contact nodes, by body: what joints add to the stiffness against rotation, upper triangle of 3 x 3; or null.
    sn_real *rotation_stiffness;
    sn_real *node_stiffness; // of lumped and nodal bodies, by slot: upper triangle of 4 x 4, and of the spin; or null

    // ---- scalars
    sn_real *alpha, *beta, *share; // by island
    // by body; noise: what rounding may make of its energy; way: largest displacement of a node, over its radius
    sn_real *rz, *rz_old, *pmp, *pr, *energy, *noise, *displacement;
    // at the end; by body: mass times the way that couplings moved it, and its mass (infinite: parts are held);
    // by island: what it moves by beyond that, so that momentum stays; no tie pushes what is held
    double *received, *balance;
    double (*outside)
        [4]; // by island: force of what takes no part in the solve, N, and the sum of its sizes; then what it lacks
    bool *is_free;
    sn_solve_motion *motion;                                  // by body
    sn_solve_limit *limit;                                    // by island
    double *curvature, *slope, *slope_rate, *coupling_energy; // by island
    sn_real *depth; // by island: largest overlap over the smaller radius, at the linearisation

    void (*run)(struct sn_solve *solve, sn_couple_op op); // over all kinds
    const sn_stage *stage;
} sn_solve;

// The force of a tie, in parts of the island's outside: as it was measured, with its part of what the island received beyond that. The
// solve stops before all forces are quite what moved the bodies, and an island that failed is held by nothing that was measured.
static inline sn_vec3 sn_solve_outside(const sn_solve *solve, int island, sn_vec3 force) {
    const double *outside = solve->outside[island];
    const double part = outside[3] > 0 ? (double)sn_length(force) / outside[3] : 0;
    const double keep = solve->failed[island] ? 0 : 1;
    return (sn_vec3){(sn_real)(keep * (double)force.x + part * outside[0]),
                     (sn_real)(keep * (double)force.y + part * outside[1]),
                     (sn_real)(keep * (double)force.z + part * outside[2])};
}

// Adds a force on an island from outside.
static inline void sn_solve_add_outside(sn_solve *solve, int island, sn_vec3 force) {
    double *outside = solve->outside[island];
    const double keep = solve->failed[island] ? 0 : 1;
    outside[0] += keep * (double)force.x, outside[1] += keep * (double)force.y, outside[2] += keep * (double)force.z;
    outside[3] += (double)sn_length(force);
}

enum { SN_NODE_STIFFNESS = 11, SN_ROTATION_STIFFNESS = 6 };

#endif
