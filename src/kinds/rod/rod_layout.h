// How rods lie in memory: packets.
//
// Rods of the same topology run in lockstep, one rod a SIMD lane. A packet is SN lanes of rods; its numbers are rows of
// 'lanes' values side by side, the rows of one block together, block after block:
//
//     packet.x:  [block 0: cx cy cz s qx qy qz qw lx ly lz] [block 1: cx ...]     each name a row, one column a rod
//
// A block is a point with the segment towards its parent (eq. 24: 7 unknowns, c s theta). Parents come before children. Block 0
// is the root: in a loop its segment closes the loop, else it has none and its frame is the ghost that a clamp holds.
// A clamp at another end is a ghost block: a point on top of the tip with a held frame and no stretch.
#ifndef SN_KINDS_ROD_ROD_LAYOUT_H
#define SN_KINDS_ROD_ROD_LAYOUT_H

#include "base/math/real.h"
#include "base/solve.h"
#include "geometry/proxy.h"

// State: centre, scale (radius / rest radius), frame; and what rounding left of the centre: it is at c + l. In a short substep a
// centre goes so little way that c alone would lose most digits of it, and velocities are that way over the time.
enum { X_CX, X_CY, X_CZ, X_S, X_QX, X_QY, X_QZ, X_QW, X_LX, X_LY, X_LZ, X_ROWS };

// Velocity: of centre, scale; angular in the world. Loads (force, radial force, torque) have the same rows.
enum { V_CX, V_CY, V_CZ, V_S, V_WX, V_WY, V_WZ, V_ROWS };

// Parameters. Stiffnesses are those of the notes' table times the element's length, so energies are 1/2 k W^2.
enum {
    // the segment towards the parent
    P_INV_L,    // 1 / rest length
    P_REST,     // g: rest stretch, 1; less when the segment is told to contract
    P_STRETCH,  // pi r^2 kz l                      eq. 11, along
    P_SHEAR,    // pi r^2 k_transverse l            eq. 11, across
    P_SECTION,  // pi r^2 K l                       eq. 12
    P_GRADIENT, // 1/4 pi r^4 K / l                 eq. 13, on the difference of scales; and what 12 and
                // pi r^2 l (K/12 + ...)            18 leave out within the segment (rod_model.c)
    P_VOLUME,   // pi r^2 kv l                      eq. 18
    // the joint between this segment and the parent's, at the parent's point
    P_BEND,    // pi r^4 kz / lj                    eq. 14 on Im(q), u and v
    P_TWIST,   // pi r^4 K / lj                     eq. 14 on Im(q), w
    P_VOLBEND, // pi r^4 kv / lj                    eqs. 19, 20; 0 unless the material asks
    P_REL_X,   // rest rotation from the parent's frame to this one
    P_REL_Y,
    P_REL_Z,
    P_REL_W,
    P_KAPPA,     // 1: rest curvature Im(rel) scales with s (a smooth rod); 0: it does not (a branch, a clamp)
    P_SCALEBEND, // 1/4 pi r^4 kb lv                 eq. 15 on the second difference of scales
    P_SB_CHILD,  // its weights 2/((l- + l+) l+) on s_child - s_parent
    P_SB_PARENT, // and 2/((l- + l+) l-) on s_parent - s_grandparent
    // inertia; SN_HELD for what is held
    P_MASS,      // pi r^2 rho lv
    P_MASS_S,    // 1/2 pi r^4 rho lv
    P_INERTIA_T, // 1/4 pi r^4 rho l, about u and v
    P_INERTIA_W, // 1/2 pi r^4 rho l, about w
    P_ROWS
};

// The mass of what does not yield. Far above any stiffness, below overflow after division by h^2 down to h = 1e-10 s.
#define SN_HELD    ((sn_real)1e17)
#define SN_IS_HELD ((sn_real)1e16)

// Which blocks there are and how they hang together; shared by all rods of a group.
typedef struct {
    int blocks;
    const int *parent; // parent[0]: -1, or in a loop the block that the root's segment ends at
    const int *store;  // where children that are not the very next block leave their Schur complement for it; -1: none
    int stores;        // how many such places
    const int *degree; // segments that end at the block's point
    bool loop;         // parent[0] >= 0
    bool scale_bend;   // some rod uses eq. 15
    bool volume_bend;  // some rod uses eqs. 19, 20
    const unsigned char *on_cycle; // loop: the block is on the path from parent[0] to the root
} sn_topology;

enum { SN_LANES_MAX = 16 };

// A block's matrix before it is eliminated, for rods that are solved together with others (sn_rod_assembler): its segment to the
// parent p, and the joint there. Upper triangles row by row.
enum {
    H_CC,                       // (c, c); (c, c_p) is minus that, (c_p, c_p) the same
    H_CT = H_CC + 6,            // (c, theta), 3 x 3; minus that with c_p
    H_TT = H_CT + 9,            // (theta, theta), with the frame's inertia
    H_CS = H_TT + 6,            // (c, s) for either scale; minus that with c_p
    H_SS = H_CS + 3,            // (s, s) of both scales and between them ...
    H_SG,                       // ... and what is added on the diagonal, and less between them
    H_JOINT_T,                  // of the joint: (theta, theta) and (theta_p, theta_p); minus that between them
    H_JOINT_X = H_JOINT_T + 6,  // and -[joint_x]x besides, (theta, theta_p)
    H_JOINT_TS = H_JOINT_X + 3, // (theta, s_p); minus that with theta_p
    H_JOINT_SS = H_JOINT_TS + 3,
    H_EXTRA, // (s, s), what dominates eq. 15
    H_ROWS
};

// A packet in the common solve (base/solve.h): state, vectors and factor. They live as long as the packet, so that a warmed
// step allocates nothing.
typedef struct {
    bool any, all;               // lanes that are coupled: some; all that are awake
    bool alone;                  // some coupled lane is solved by itself
    uint32_t assembled;          // bit per lane: coupled, and solved together with other rods (sn_rod_assembler)
    int32_t first[SN_LANES_MAX]; // the slot of block 0 of the lane's rod; -1: the lane is not coupled
    int32_t body[SN_LANES_MAX];  // its number, or -1
    sn_real *x, *xn;             // state, trial state: X_ROWS a block
    sn_real *r, *r_old, *z, *p, *mp, *d; // 7 rows a block
    sn_real *extra;                      // a row a block: see rod_couple_kernel.c
    sn_real *inv_radius2;                // a row a block: 1 / (rest radius)^2
    sn_real *force;                      // a row a block: sn_packet.force before the rods' own solver ran
    sn_real *factor;
    sn_real *memory; // the block that all of these lie in; null: never coupled yet
    size_t size;
    sn_real *terms; // H_ROWS a block, of packets with assembled lanes; or null
    bool limited;   // some lane keeps less than all of its motion: sn_solve_limit
    sn_real part[SN_LANES_MAX], mean[3][SN_LANES_MAX];
} sn_rod_coupled;

// One packet.
typedef struct {
    const sn_topology *topology;
    sn_real *x;     // state now
    sn_real *x0;    // state at the start of the substep
    sn_real *xh;    // inertial prediction
    sn_real *xt;    // trial state of the solver
    sn_real *v;     // velocity
    sn_real *load;  // external loads
    sn_real *param; // parameters
    sn_real *fade;  // one row: damping, 1/s
    sn_real *
        start_energy; // one row: the energy E of the state at the start of the substep, that a good solution does not exceed
    sn_real *mass_displacement; // three rows: mass times the way that a rod's centre of mass goes in the substep, kg m
    sn_real *force;             // one row a block: the axial force that its segment is coming to
    // What the solver measured of the state it left in x, so that the next prediction need not measure it again. It is measured in the same
    // order by the same code, so it makes no difference to any bit whether it is there.
    bool measured;        // the two below belong to x; whoever changes x or param clears it
    sn_real *elastic;     // one row: elastic energy
    sn_real *final_force; // one row a block: axial force
    sn_real *memory;      // the block that all of these lie in
    int rods;             // lanes in use
    int place;            // in the list of all packets
    bool loaded;          // some load is not zero
    bool driven;          // x was moved since it was predicted: it is not where the rods coast to
    sn_rod_coupled coupled;
} sn_packet;

typedef struct {
    sn_real h;
    sn_real gravity[3];
    int iterations;
    bool last;    // no further iteration follows in this substep
    bool resumed; // contacts have come between: x is no longer the start of the substep
} sn_substep;

// What a kernel has to say about a packet's lanes.
typedef struct {
    uint32_t searched; // bit per lane: a step was shortened
    uint32_t diverged; // bit per lane: not finite
} sn_verdict;

// The kernels of one lane width.
typedef struct {
    int lanes;
    // Eqs. 21-23: xh from x and v; x0 becomes the old x, x where the solver starts.
    void (*predict)(sn_packet *packet, const sn_substep *step);
    // Solves for x; scratch as given by *_scratch(topology), in numbers.
    sn_verdict (*direct)(sn_packet *packet, const sn_substep *step, sn_real *scratch);
    sn_verdict (*xpbd)(sn_packet *packet, const sn_substep *step, sn_real *scratch);
    sn_verdict (*jacobi)(sn_packet *packet, const sn_substep *step, sn_real *scratch);
    size_t (*direct_scratch)(const sn_topology *topology);
    size_t (*xpbd_scratch)(const sn_topology *topology);
    // v from x and x0, with damping; a lane that is not finite goes back to x0 at rest and is reported.
    sn_verdict (*finish)(sn_packet *packet, const sn_substep *step);
    // Shows the rods to contacts: see proxy.c.
    void (*update_nodes)(const sn_packet *packet, const sn_real *x, const int32_t *first, const sn_proxies *proxies,
                         bool frames);
    // The common solve.
    void (*couple)(sn_packet *packet, const sn_substep *step, sn_rod_coupled *c, const sn_solve *solve,
                   sn_couple_op op);
    size_t (*couple_rows)(const sn_topology *topology); // rows of a factor
} sn_rod_kernels;

// The kernels for 1, 4, 8 or 16 lanes; null if this build or this machine does not have them.
const sn_rod_kernels *sn_rod_kernels_for(int lanes);

#endif
