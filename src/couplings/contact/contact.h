// Contacts between the proxies of all bodies: broad phase, narrow phase, solve.
//
// How contacts and the direct solver of rods work together (docs/contact.md has the measurements behind this choice):
//
//   once a step      broad phase: pairs by bounding spheres with a margin for the motion of the step
//   every substep    narrow phase at the state the substep starts from: normal, weights, starting gap. Overlap left from
//                    before is corrected without adding velocity: nodes and their start are shifted alike
//   every solve      each body takes a Newton step towards its inertial prediction; then accelerated sweeps of projected
//                    Gauss-Seidel move the nodes out of each other, with Coulomb friction; the body takes over the moved
//                    nodes and moves its prediction by the same amount, which is the contact impulse
//
// So the next elastic solve includes the contact impulses and corrects any excess: Uzawa's method with the nodes'
// masses as the metric. It never overshoots, because a body is less compliant than its free nodes.
//
// Radii are measured at the start of the substep, like centres. If the gap used the predicted radii, the new overlap of
// a pinched point that swells would count as old overlap, and contacts would keep it.
#ifndef SN_COUPLINGS_CONTACT_CONTACT_H
#define SN_COUPLINGS_CONTACT_CONTACT_H

#include "base/coupling.h"
#include "base/tasks.h"
#include "couplings/contact/contact_block.h"
#include "geometry/collider.h"
#include "geometry/grid.h"
#include "geometry/pill.h"
#include "geometry/pill_batch.h"
#include "geometry/proxy.h"
#include "geometry/slab.h"
#include "sinew/contact.h"

// Contacts are sorted into groups by position, so that workers can share them: space is cut into strips, and
//
//     phase 0:  contacts within a strip          a group per strip
//     phase 1:  across a strip's far side        a group for each even strip
//     phase 2:                                   and for each odd one
//     phase 3:  those that reach farther         one group
//
// Groups of a phase share no node. The number of strips depends on the pairs only, so the result does not depend on the
// number of workers.
enum { SN_STRIPS = 16, SN_PHASES = 4, SN_GROUPS = 2 * SN_STRIPS };

typedef struct {
    int axis;
    int strips;
    sn_real edge[SN_STRIPS]; // upper end of each strip but the last
} sn_contact_split;

typedef struct {
    int first, count; // blocks
    int first_contact, contact_count;
    sn_real norm; // of the last sweep's change
    bool shifted; // old overlap was corrected
} sn_contact_group;

// The groups of a phase: from first to first + count.
static inline void sn_groups_of_phase(const sn_contact_split *split, int phase, int *first, int *count) {
    const int n = split->strips, firsts[] = {0, n, n + n / 2, 2 * n - 1}, counts[] = {n, n / 2, (n - 1) / 2, 1};
    *first = firsts[phase], *count = counts[phase];
}

// The impulses that a contact starts the next substep with.
typedef struct {
    sn_real normal_impulse;
    sn_vec3 friction_impulse;
} sn_warm_start;

typedef struct sn_contacts sn_contacts;

// Constraints of another coupling (joints) that are swept together with the contacts, and that exclude pairs near them
// from contact.
typedef struct {
    int (*count)(const void *user);                              // constraints alive
    void (*place)(void *user, sn_contacts *contacts);            // finds its pills, after proxies are written
    sn_status (*find_filter)(void *user, sn_contacts *contacts); // finds what must not collide, before the broad phase
    // Whether elements a and b (b >= elements: a collider) must not collide. 'excludes_near': or elements that share
    // nodes with them. The owner of a shared corner may be among those, so its neighbours then keep their contacts
    // there.
    bool (*excludes)(const void *user, const sn_contacts *contacts, int a, int b);
    bool (*excludes_near)(const void *user, const sn_contacts *contacts, int a, int b);
    void (*begin_substep)(void *user, sn_contacts *contacts);
    void (*activate)(void *user, sn_contacts *contacts); // marks the bodies it holds
    void (*begin_search)(void *user);
    void (*accelerate)(void *user, sn_real beta); // as for nodes between sweeps: see contact_solve.c
    void (*sweep)(void *user, sn_contacts *contacts,
                  sn_real share); // 'share': part of the step that has passed after the substep
} sn_sweep_hooks;

struct sn_contacts {
    sn_world *world;
    sn_memory *memory;
    const sn_log *log;
    int lanes;
    int sweeps;
    sn_arena arena; // of the step
    sn_arena last;  // of the step before: its pairs and impulses
    sn_arena query; // of queries between steps
    sn_grid grid;
    const sn_sweep_hooks *hooks; // null: none
    void *hook_user;

    // ---- the running step
    bool is_active;                                                 // there may be contacts
    sn_proxy_writer writer;                                         // the part that all kinds share
    int first_node[SN_KIND_CAPACITY], first_slab[SN_KIND_CAPACITY]; // by row of the table of kinds
    sn_proxies proxies;
    const sn_contact_settings *settings; // by body
    int body_count;
    sn_collider **colliders;  // of all kinds; null: a free slot
    sn_body *collider_bodies; //
    int collider_count, used_colliders;
    int elements;   // pills and slabs
    sn_pair *pairs; // of elements; b >= elements: collider b - elements
    int pair_count;
    sn_warm_start *warm_starts; // two per pair: the impulses that its contacts ended a substep with
    sn_pair *last_pairs;        // the same of the step before, in 'last'
    sn_warm_start *last_warm_starts;
    int last_count;
    sn_pill *pill_at;  // every pill at the start of the substep
    sn_pill *pill_now; // every pill where the sweeps start
    sn_slab *slab_at;  // the same for slabs
    sn_slab *slab_now; //
    sn_real *margin;   // by element: contacts are made up to this distance in the substep
    sn_real *travel;   // by element: how far its surface moved in the previous substep
    // The same for pairs with a slab, by their relative motion, because falling cloth does not approach itself: the
    // mean motion of an element's nodes, and the largest deviation from it.
    sn_vec3 *motion, *previous_motion;
    sn_real *deviation, *previous_deviation;
    unsigned char *strip_low;  // by element: the strips that its ends are in
    unsigned char *strip_high; //
    sn_real *separation;       // by pair: a lower bound at the start of the substep
    sn_real fall;              // how far gravity moves a body in a substep
    sn_contact_split split;    // of the step
    sn_contact_block *blocks;  // of the substep, group after group
    int block_count, block_capacity, row_count;
    sn_contact_group groups[SN_GROUPS];
    bool *active;        // by body: it has contacts in the substep
    int32_t *body_end;   // by body: its last node + 1
    int32_t *body_shift; // by body: index of a displacement minus that of its node; INT32_MIN: none
    uint64_t *used;      // scratch of packing and of validate: all zero
    int active_count;
    sn_displacements moved;
    const sn_contact_kernels *kernels;
    sn_pill_pairs_fn *measure;
    sn_real h;
    sn_pool *pool;

    // ---- the last step
    int max_contacts, max_pairs;
    sn_real max_depth; // over radius, at the end of a substep, by the solver's linear gaps
};

extern const sn_coupling_ops sn_contact_coupling;
sn_contacts *sn_world_contacts(const sn_world *world);

static inline bool sn_contacts_excluded(const sn_contacts *c, int a, int b) {
    return c->hooks && c->hooks->excludes(c->hook_user, c, a, b);
}
static inline bool sn_contacts_excluded_near(const sn_contacts *c, int a, int b) {
    return c->hooks && c->hooks->excludes_near(c->hook_user, c, a, b);
}
static inline int sn_contacts_hook_count(const sn_contacts *c) {
    return c->hooks ? c->hooks->count(c->hook_user) : 0;
}

// contact_coupling.c: writes the proxies of all kinds; false: nothing can collide, or no memory.
bool sn_contacts_write_proxies(sn_contacts *contacts, sn_real dt, sn_real h);
// Finds the pairs that overlap or nearly do, and calls fn. The query has its own memory, so that the last step's
// contacts stay readable.
typedef sn_status sn_contacts_query_fn(sn_contacts *contacts, void *user);
sn_status sn_contacts_query(sn_contacts *contacts, sn_contacts_query_fn *fn, void *user);

// broad_phase.c: after proxies are written; 'reach' is how far each node may move in this step, 'displacement' the
// known part of it.
sn_status sn_contacts_broad_phase(sn_contacts *contacts, const sn_real *reach, const sn_vec3 *displacement);
// Writes where pills and slabs are, at the start of the substep (c0) or now (c).
void sn_contacts_place(sn_contacts *contacts, sn_pill *pills, sn_slab *slabs, bool start);
// warm_start.c: hands the impulses of the last step to the pairs of this one.
void sn_contacts_swap_warm_starts(sn_contacts *contacts);
sn_status sn_contacts_load_warm_starts(sn_contacts *contacts);
void sn_contacts_store_warm_starts(sn_contacts *contacts);
// contact_pack.c: memory for the displacements of the step's nodes.
bool sn_contacts_reserve(sn_contacts *contacts);
void sn_contacts_split(sn_contacts *contacts); // into strips, once a step
// narrow_phase.c: contacts of the substep from nodes' c0.
sn_status sn_contacts_narrow_phase(sn_contacts *contacts);
void sn_contacts_refresh(sn_contacts *contacts); // updates normals and weights to the nodes' current positions
// Gives displacements to bodies that have contacts.
void sn_contacts_activate(sn_contacts *contacts);
// contact_solve.c: corrects old overlap by a shift of the whole substep; returns whether anything was shifted.
bool sn_contacts_stabilize(sn_contacts *contacts, bool first);
void sn_contacts_solve(sn_contacts *contacts, sn_real share, bool first); // first: of the substep
// Where a node is after the sweeps, and a contact's gap there.
sn_vec3 sn_contacts_centre(const sn_contacts *contacts, int node);
sn_real sn_contacts_gap(const sn_contacts *contacts, const sn_contact_block *block, int lane);
// shrink_overlaps.c: shrinks the radii of the nodes that may shrink until nothing overlaps; 'full' are their full
// radii.
void sn_contacts_shrink_overlaps(sn_contacts *contacts, const bool *may_shrink, const sn_real *full);
// The largest depth over radius, exactly, from the nodes as they are.
sn_real sn_contacts_depth(sn_contacts *contacts);
// contact_save.c
void sn_contacts_save(void *contacts, sn_stream *stream);

// A vector's component along an axis, 0 to 2. Indexing from &v.x would be undefined behaviour.
static inline sn_real sn_along(sn_vec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// Elements: pills, then slabs.
static inline bool sn_is_slab(const sn_contacts *c, int element) {
    return element >= c->proxies.count;
}
static inline const sn_node_slab *sn_element_slab(const sn_contacts *c, int element) {
    return &c->proxies.slabs[element - c->proxies.count];
}
static inline int sn_element_body(const sn_contacts *c, int element) {
    return sn_is_slab(c, element) ? sn_element_slab(c, element)->body : c->proxies.pills[element].body;
}
static inline int sn_element_surface(const sn_contacts *c, int element) {
    return sn_is_slab(c, element) ? sn_element_slab(c, element)->surface : c->proxies.pills[element].surface;
}
// An element's nodes: 2, or 3 for a slab that is not an edge; 0 if there is no pill.
static inline int sn_element_nodes(const sn_contacts *c, int element, int32_t nodes[3]) {
    if (sn_is_slab(c, element)) {
        for (int k = 0; k < 3; k++) nodes[k] = sn_element_slab(c, element)->node[k];
        return nodes[2] == nodes[1] ? 2 : 3;
    }
    const sn_node_pill *pill = &c->proxies.pills[element];
    nodes[0] = pill->a, nodes[1] = nodes[2] = pill->b;
    return pill->a < 0 ? 0 : 2;
}
// Whether three nodes move with an element: the corners of a slab that is not an edge, or its drivers.
static inline bool sn_element_third(const sn_contacts *c, int element) {
    if (!sn_is_slab(c, element)) return false;
    const sn_node_slab *slab = sn_element_slab(c, element);
    return slab->driven || slab->node[1] != slab->node[2];
}

// Whether the sphere at end a of a pill is also end b of a previous pill that collides. That pill's contact with the
// same element is at least as deep, so a contact at end a is dropped; unless there is no previous pill, its contacts
// are disabled (shrink_overlaps.c), or a joint filter excludes the pair.
static inline bool sn_has_own_pill(const sn_contacts *c, int pill) {
    const int32_t before = c->proxies.pills[c->proxies.pills[pill].a].a;
    return before >= 0 && c->proxies.nodes[before].contact_disabled == 0;
}

// Marks the body of an element as active in the substep. Several workers may do so at once.
static inline void sn_contacts_activate_body(const sn_contacts *c, int element) {
    bool *active = &c->active[sn_element_body(c, element)];
    if (!__atomic_load_n(active, __ATOMIC_RELAXED)) __atomic_store_n(active, true, __ATOMIC_RELAXED);
}

// The index of a node's displacement; -1: it has none.
static inline int sn_contacts_slot(const sn_contacts *c, int node) {
    const int shift = c->body_shift[c->proxies.pills[node].body];
    return shift == INT32_MIN ? -1 : node + shift;
}

static inline sn_pill sn_proxy_pill(const sn_proxies *p, int i, bool start) {
    const sn_node *a = &p->nodes[p->pills[i].a], *b = &p->nodes[p->pills[i].b];
    if (start) return (sn_pill){a->c0, b->c0, a->s0 * a->radius, b->s0 * b->radius};
    return (sn_pill){a->c, b->c, a->s * a->radius, b->s * b->radius};
}

static inline sn_slab sn_proxy_slab(const sn_proxies *p, int i, bool start) {
    sn_slab slab;
    for (int k = 0; k < 3; k++) {
        const sn_node *node = &p->nodes[p->slabs[i].node[k]];
        slab.c[k] = start ? node->c0 : node->c;
        slab.r[k] = (start ? node->s0 : node->s) * node->radius;
    }
    return slab;
}

// The distance up to which a pair with a slab gets contacts in the substep.
static inline sn_real sn_contacts_slab_margin(const sn_contacts *c, sn_pair pair) {
    return sn_length(sn_sub(c->motion[pair.a], c->motion[pair.b])) + c->deviation[pair.a] + c->deviation[pair.b];
}

// A contact of a slab: weights of the corners of both sides (two for a pill, none for a collider).
typedef struct {
    sn_real a[3], b[3];
    sn_real distance;
    sn_vec3 normal; // from b to a
} sn_slab_contact;

// narrow_phase_slabs.c: finds the contacts of a pair with at least one slab, at most two, at the start of the substep,
// and the gap between the two (not with a collider).
int sn_contacts_slab_contacts(const sn_contacts *contacts, sn_pair pair, sn_slab_contact out[2], sn_real *gap);
// The gap of a pair of elements, one of them a slab; beyond 'max' a lower bound.
sn_real sn_contacts_slab_gap(const sn_contacts *contacts, sn_pair pair, sn_real max);
// The nodes that move when a slab has a contact at these weights of its corners: the three drivers with the largest
// weights; and their weights.
void sn_contacts_find_drivers(const sn_contacts *contacts, int element, const sn_real spot[3], int32_t driver[3]);
void sn_contacts_weigh_drivers(const sn_contacts *contacts, int element, const sn_real spot[3], const int32_t driver[3],
                               sn_real weight[3]);
void sn_contacts_refresh_slabs(const sn_contacts *contacts, sn_contact_block *block, sn_real same_side);
sn_real sn_contacts_slab_depth(const sn_contacts *contacts, sn_pair pair);
// The bounding sphere of a slab.
sn_sphere sn_slab_ball(const sn_slab *slab);

#endif
