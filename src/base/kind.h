// A kind of body is one table of operations. The world knows bodies only through it: a new kind is a folder that fills a
// table and a line in world/kinds.c.
//
// A kind keeps all its bodies in one system, so that it may store and solve them together as it likes. Stages run in the order
// of the table, once a substep; each may use the pool, and its result must not depend on the number of workers. 'solve' of
// several kinds runs at the same time: it allocates nothing and logs nothing.
#ifndef SN_BASE_KIND_H
#define SN_BASE_KIND_H

#include "base/log.h"
#include "base/memory.h"
#include "base/stream.h"
#include "base/tasks.h"
#include "sinew/world.h"

struct sn_show;
struct sn_rest;

// What a kind gets when its system is made.
typedef struct {
    sn_memory *memory;
    const sn_log *log;
    int lanes;
    int workers;
} sn_kind_setup;

// One substep of a step.
typedef struct {
    sn_real h;             // s
    sn_vec3 gravity;       // m/s^2
    sn_solver solver;      //
    int iterations;        //
    int turns;             // how often bodies and contacts take turns in a substep
    int substep, substeps; // this is number 'substep' of 'substeps', from 0
    bool resumed;          // not the first iteration of the substep
    bool last;             // nothing follows this iteration in the substep
    sn_pool *pool;
} sn_stage;

// What all bodies of a kind add up to.
typedef struct {
    int bodies;
    int64_t dofs;
    sn_energy energy;
    sn_momentum momentum;
} sn_totals;

typedef struct {
    const char *name;
    sn_status (*create)(const sn_kind_setup *setup, void **system);
    void (*destroy)(void *system);
    void (*begin)(void *system);                          // before the first substep: remember where held things are
    void (*predict)(void *system, const sn_stage *stage); // inertial prediction
    void (*solve)(void *system, const sn_stage *stage);   // elastic solve
    void (*finish)(void *system, const sn_stage *stage);  // velocities
    // Proxies for contacts (shape/proxy.h). 'show' gives everything at the start of a step; 'show_motion' the state within it, with
    // 'start' also that at the start of the substep; 'take' takes over what contacts have moved: as an impulse, or as a
    // mere shift of the whole substep.
    int (*count_nodes)(void *system, int *bodies,
                       int *touching); // bodies: slots; touching: bodies that may touch something
    void (*show)(void *system, const struct sn_show *show, sn_pool *pool);
    void (*show_motion)(void *system, const struct sn_show *show, sn_pool *pool, bool start);
    void (*take)(void *system, const struct sn_show *show, sn_pool *pool, bool shift);
    int (*count_slabs)(void *system); // after count_nodes; null: its bodies have no slabs
    // May elements a and b of a body touch? Pills are numbered from the kind's first, slabs as ~ their number from the
    // kind's first slab (so: negative). Those that share a node are not asked for.
    bool (*self)(void *system, int body, int a, int b);
    // For joints, the points of a body. 'find': the slot of an id, -1 if it is stale; 'points': how many it has;
    // 'point_at': where one is now; 'point_node': its node, from the kind's first, after count_nodes. Null: its joints
    // know better (rods).
    int (*find)(void *system, uint32_t slot1, uint32_t gen);
    int (*points)(void *system, int body);
    sn_vec3 (*point_at)(void *system, int body, int point);
    int (*point_node)(void *system, int body, int point);
    // How the thing that a point is fixed to is turned at the start and the end of the step; false: it is only a point. Null: all
    // are.
    bool (*point_turn)(void *system, int body, int point, sn_quat turn[2]);
    // Sleep. 'rest' is a body's own record, null for a free slot; 'pace' gives every body's speed (root of mean square over its
    // mass) over the root of gravity times its mean radius.
    struct sn_rest *(*rest)(void *system, int body);
    void (*pace)(void *system, sn_real gravity, sn_real *out);
    void (*end)(void *system, sn_profile *profile);                    // after the last substep: what happened
    int (*diverged)(void *system, uint64_t *labels, int capacity);     // labels of bodies put back in the last step
    void (*measure)(void *system, sn_vec3 gravity, sn_totals *totals); // adds its bodies
    uint64_t (*hash)(void *system, uint64_t hash); // mixes the state of every body, in order of slots
    void (*save)(void *system, sn_stream *stream); // visits everything; a reading stream fills an empty system
} sn_kind;

#endif
