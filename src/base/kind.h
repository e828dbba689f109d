// A kind of body is one table of operations. The world, couplings, saving and hashing know bodies only through it: a
// new kind is a folder that fills a table, and a name in the list of kinds (SN_KINDS in CMake).
//
// A kind keeps all its bodies in one system, so that it can store and solve them together. Bodies are slots of that
// system; each begins with an sn_body_base. Stages run in the order of the table, once per substep. A stage may use the
// pool, and its result must not depend on the number of workers. 'solve' runs for several kinds at the same time: it
// must not allocate or log.
#ifndef SN_BASE_KIND_H
#define SN_BASE_KIND_H

#include "base/log.h"
#include "base/memory.h"
#include "base/slots.h"
#include "base/stream.h"
#include "base/tasks.h"
#include "sinew/body.h"

struct sn_proxy_writer;
struct sn_collider;

struct sn_solve;

enum { SN_KIND_CAPACITY = 16 }; // max rows of the table of kinds

// What a kind gets when its system is created.
typedef struct {
    sn_memory *memory;
    const sn_log *log;
    int lanes;
    int workers;
    int max_pairs; // sn_world_def
} sn_kind_setup;

// How a body collides.
typedef struct {
    sn_surface surface;
    bool collide;
    bool self_collide;
    bool asleep;     // only in proxies: a copy of the sleep state
    bool assembled;  // only in proxies: it takes part in the common solve even if nothing touches it
    uint32_t family; // bodies of the same family do not collide with each other; 0: none
} sn_contact_settings;

// A body falls asleep after it and everything in contact with it have been still for a while.
typedef struct sn_sleep_state {
    bool asleep;
    sn_real still; // how long it has been still, s
} sn_sleep_state;

// The part that every body has: the first member of each kind's body.
typedef struct {
    uint64_t label;
    void *user;
    sn_contact_settings contact;
    sn_sleep_state sleep;
} sn_body_base;

// What a substep does to the balance of energy, J; see world/energy_check.c.
typedef struct {
    double work;    // done on the world from outside: added up
    double stored;  // in contacts and joints, at the end of the substep
    double closing; // what it takes to close what joints are open by when the step starts, in its first substep
} sn_work_balance;

// One substep of a step.
typedef struct {
    sn_real h;             // s
    sn_vec3 gravity;       // m/s^2
    sn_solver solver;      //
    int iterations;        // of the solver, within one solve
    int solves;            // solves in a substep: bodies and contacts alternate
    int substep, substeps; // this is substep 'substep' of 'substeps', from 0
    bool resumed;          // not the first solve of the substep
    bool last;             // nothing follows this solve in the substep
    sn_pool *pool;
    sn_work_balance *balance; // null: nobody asks
} sn_stage;

// Sums over all bodies of a kind.
typedef struct {
    sn_energy energy;
    sn_momentum momentum;
} sn_totals;

// Where a joint holds a body: a position on a segment, or a point. Each kind uses one of the two.
typedef struct {
    int segment;
    sn_real along; // 0 the parent's point, 1 the segment's own
    int point;
} sn_attachment;

// The names of an attachment's fields in error messages.
typedef struct {
    const char *body, *segment, *along, *point;
} sn_attachment_fields;

// An attachment as the solver needs it.
typedef struct {
    int pill;         // of the running step, from the kind's first; for a point its node's pill
    sn_real along;    // where on the pill
    bool is_point;    // it is a point: it has no rotation
    bool has_frame;   // it is a point fixed to something rigid, such as a bone, with this frame
    sn_quat frame[2]; // at the start and the end of the step
    // What of the body lies between the middle of the pill, where it rotates, and an attachment at its end, bends and twists by this
    // under a torque; rad/(N m).
    sn_real bend, twist;
} sn_attachment_pill;

// The position and orientation of an attachment.
typedef struct {
    sn_vec3 point;
    sn_quat frame;
} sn_attachment_state;

// Operations that only queries between steps need. Builds for web pages leave them out (SN_NO_QUERIES), to be small.
#ifdef SN_NO_QUERIES
#define SN_QUERY(function) NULL
#else
#define SN_QUERY(function) (function)
#endif

typedef struct {
    uint32_t id; // sn_body.kind
    const char *name;

    // ---- the system of all bodies
    sn_status (*create)(const sn_kind_setup *setup, void **system);
    void (*destroy)(void *system);
    sn_slots *(*slots)(void *system);
    int (*count)(void *system); // bodies
    int64_t (*dofs)(void *system);
    void (*measure)(void *system, sn_vec3 gravity, sn_totals *totals); // adds all bodies
    uint64_t (*hash)(void *system, uint64_t hash);                     // mixes the state of every body, by slot
    void (*save)(void *system, sn_stream *stream); // visits everything; a reading stream fills an empty system
    // Visits, as plain bytes (sn_visit_bytes), what a step changes and the next one or a reader uses. It is kept before each step,
    // and put back if the step fails (world/rollback.c): a reading stream has what a writing one wrote, with the same bodies.
    // Arrays that a step may allocate again are not visited. Null: a step changes nothing.
    void (*visit_state)(void *system, sn_stream *stream);

    // ---- one body, by slot
    void (*remove)(void *system, int slot);
    int (*get_points)(void *system, int slot, sn_vec3 *out, int capacity);     // null 'out': only the count
    int (*get_velocities)(void *system, int slot, sn_vec3 *out, int capacity); // null: it has none
    int (*get_masses)(void *system, int slot, sn_real *out, int capacity);     // null: infinite
    double (*mass)(void *system, int slot);                                    // null: infinite
    double (*volume)(void *system, int slot, bool at_rest);                    // null: none
    sn_energy (*energy)(void *system, int slot, sn_vec3 gravity);              // null: none
    sn_box3 (*bounds)(void *system, int slot);
    sn_status (*set_contact)(void *system, int slot,
                             const sn_contact_settings *settings); // null: the settings are only stored

    // ---- the stages of a step
    void (*begin)(void *system);                          // before the first substep
    void (*predict)(void *system, const sn_stage *stage); // inertial prediction; motion of kinematic bodies
    void (*solve)(void *system, const sn_stage *stage);   // elastic solve
    void (*finish)(void *system, const sn_stage *stage);  // velocities
    // After 'finish', if energy is checked: the work of loads, and of what is held and moved, in this substep, J. What held parts
    // bear from contacts and joints is not in it. Null: nothing does work on its bodies.
    double (*work)(void *system, const sn_stage *stage);
    void (*end)(void *system, sn_profile *profile);                // after the last substep: statistics
    int (*diverged)(void *system, uint64_t *labels, int capacity); // labels of bodies that were reset in the last step
    void (*normalised_speeds)(void *system, sn_real gravity,
                              sn_real *out); // mass-weighted RMS speed over sqrt(g r_mean)

    // ---- contacts: proxies (geometry/proxy.h), or colliders. Null: the kind has no proxies
    // 'count_nodes' returns the nodes of all bodies and counts the bodies that can collide, twice if with themselves.
    int (*count_nodes)(void *system, int *colliding);
    int (*count_slabs)(void *system); // after count_nodes; null: none
    // 'write_proxies' writes everything at the start of a step. 'update_proxies' writes the current state, with 'start'
    // also as the state at the start of the substep. 'apply' applies the contacts' displacements of the nodes, as an
    // impulse or, with 'shift', without velocity.
    void (*write_proxies)(void *system, const struct sn_proxy_writer *writer, sn_pool *pool);
    void (*update_proxies)(void *system, const struct sn_proxy_writer *writer, sn_pool *pool, bool start);
    void (*apply)(void *system, const struct sn_proxy_writer *writer, sn_pool *pool, bool shift);
    // The common solve (base/solve.h); 'op' is an sn_couple_op. Null: the kind is lumped. 'couples': whether a body
    // takes part so, or is lumped; null: all do. 'nodal': its M has a block a node, so that it needs the stiffness of
    // nodes instead of rows.
    bool nodal;
    // Its contacts have nodes of their own (sn_contact_node), and 'couple' is called whatever the solver: it has no other one. The
    // first node of a body is its centre of mass; a pill ends at the second whose axis and spin tell how the body rotates.
    bool contact_nodes;
    bool (*couples)(void *system, int slot);
    bool (*couple)(void *system, const sn_stage *stage, const struct sn_solve *solve, int first_body, int first_node,
                   int op);
    // Whether elements a and b of a body may collide. Pills are counted from the kind's first; a slab is given as
    // ~index (negative), counted from the kind's first slab. Not called for elements that share a node.
    bool (*self_collides)(void *system, int slot, int a, int b);
    int (*segment_of)(void *system, int slot, int pill); // segment index of a pill, from the kind's first; null: -1
    // Sets the contact radii of a body's nodes; null 'radii': the full ones. Null: contact radii cannot be changed.
    void (*set_contact_radii)(void *system, int slot, const sn_real *radii);
    int (*node_range)(void *system, int slot, int *first); // node count, and the first from the kind's first
    // The static or kinematic geometry of a body, for kinds of infinite mass.
    struct sn_collider *(*collider)(void *system, int slot);
    // The geometry of other bodies that have one, where they are now, for queries. Null: what they find is proxies.
    struct sn_collider *(*geometry)(void *system, int slot);

    // ---- joints. Null: joints cannot hold its bodies as side a
    bool
        attaches_anchors; // attachments are fixed to the body's frame, wherever a joint is; its pill gives the frame at along = 0
    bool attaches_segments; // attachments are positions on segments, which have a direction; else points
    int (*check_attachment)(void *system, int slot, const sn_attachment *at, const sn_attachment_fields *fields,
                            const sn_log *log); // returns the number of errors it logged
    bool (*attachment_pill)(void *system, int slot, const sn_attachment *at, sn_attachment_pill *out);
    // The current state, with the frame aligned with the segment; with 'start' that at the start of the substep, with
    // the frame as it is.
    sn_attachment_state (*attachment_state)(void *system, int slot, const sn_attachment *at, bool start);

    void (*validate)(const void *system); // asserts its invariants (base/assert.h); null: it has none
} sn_kind_ops;

// The table of kinds (world/kinds.c).
extern const sn_kind_ops *const sn_kinds[SN_KIND_CAPACITY];
extern const int sn_kind_count;

// Visits a handle.
void sn_visit_body(sn_stream *stream, sn_body *body);

// Logs the errors of an attachment to one of 'count' points; returns their number.
int sn_point_attachment_errors(int count, const sn_attachment *at, const sn_attachment_fields *fields,
                               const sn_log *log);

static inline sn_body_base *sn_body_base_at(sn_slots *slots, int slot) {
    return slots->at[slot].item;
}

#endif
