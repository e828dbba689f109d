// A coupling connects bodies: contacts, joints, bundles, bundles that drive implicit muscles. Like a kind it is one
// table of operations and a folder; the step calls all couplings through their tables, in the order of
// world/couplings.c.
#ifndef SN_BASE_COUPLING_H
#define SN_BASE_COUPLING_H

#include "base/kind.h"

enum { SN_COUPLING_CAPACITY = 8 };

// Islands of bodies that sleep and wake together. Bodies are numbered by kind and slot: see sn_world_first_body.
typedef struct {
    int body_count;
    int *up;              // union-find
    bool *pressed;        // the body presses on something
    const sn_real *speed; // normalised
    sn_real still_speed;  // a body below this is still
    sn_world *world;
} sn_islands;

typedef struct {
    const char *name;
    sn_status (*create)(const sn_kind_setup *setup, sn_world *world, void **system);
    void (*destroy)(void *system);
    void (*save)(void *system, sn_stream *stream); // visits everything, after all kinds
    // Each of these may be null.
    void (*visit_state)(void *system, sn_stream *stream); // what a step changes: see base/kind.h
    void (*body_removed)(void *system);                   // removes what belongs to destroyed bodies
    void (*body_edited)(void *system);                    // a call changed the definition of a body
    void (*begin)(void *system);                          // before kinds begin a step
    void (*find)(void *system, sn_real dt, sn_real h);    // after kinds have begun: broad phase
    void (*find_again)(void *system, sn_real h); // before later substeps: what 'find' did not find for all of the step
    int (*substeps)(void *system, sn_real dt);   // after find: how many substeps it needs
    void (*load)(void *system, const sn_stage *stage);    // before kinds predict: forces
    void (*guess)(void *system, const sn_stage *stage);   // after kinds have predicted: better starting points
    void (*measure)(void *system, const sn_stage *stage); // before the solves of a substep: narrow phase
    bool (*is_active)(void *system);                      // whether it takes part in the solves of this step
    void (*solve)(void *system, const sn_stage *stage);
    // The common solve (base/solve.h). 'open' describes node space, the bodies that take part and their islands; false:
    // nothing is coupled in this substep. 'op' is an sn_coupling_op.
    bool (*open)(void *system, const sn_stage *stage, struct sn_solve *solve);
    void (*couple)(void *system, const sn_stage *stage, struct sn_solve *solve, int op);
    void (*finish)(void *system, const sn_stage *stage);     // after kinds have their velocities
    bool (*join_islands)(void *system, sn_islands *islands); // true: bodies may fall asleep in this step
    void (*end)(void *system, sn_profile *profile);
    void (*validate)(const void *system, const sn_world *world); // asserts its invariants
} sn_coupling_ops;

// The table of couplings (world/couplings.c).
extern const sn_coupling_ops *const sn_couplings[SN_COUPLING_CAPACITY];
extern const int sn_coupling_count;

#endif
