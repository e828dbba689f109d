// Contacts between the proxies of all bodies: broad phase, narrow phase, solve.
//
//   once a step      broad phase: pairs by bounding spheres with a margin for the motion of the step
//   every substep    narrow phase at the state the substep starts from: normal, weights, starting gap
//   every iteration  of the common solve (base/solve.h): contacts are measured again where the bodies are, and add their forces and
//                    stiffness to the one potential that is minimised
//
// docs/contact.md has the measurements behind this choice.
#ifndef SN_COUPLINGS_CONTACT_CONTACT_H
#define SN_COUPLINGS_CONTACT_CONTACT_H

#include "base/coupling.h"
#include "base/host.h"
#include "base/solve.h"
#include "base/tasks.h"
#include "couplings/contact/contact_block.h"
#include "geometry/collider.h"
#include "geometry/grid.h"
#include "geometry/pill.h"
#include "geometry/pill_batch.h"
#include "geometry/proxy.h"
#include "geometry/slab.h"
#include "sinew/contact.h"

// Contacts are sorted into groups by where they are, for workers to share: space is cut into strips, and
//
//     phase 0:  contacts within a strip          a group per strip
//     phase 1:  across a strip's far side        a group for each even strip
//     phase 2:                                   and for each odd one
//     phase 3:  those that reach farther         one group
//
// Groups of a phase share no node. How many strips there are depends on the pairs alone, so the number of workers makes no
// difference to the result.
enum { SN_STRIPS = 16, SN_PHASES = 4, SN_GROUPS = 2 * SN_STRIPS };

typedef struct {
    int axis;
    int strips;
    sn_real edge[SN_STRIPS]; // where each strip ends, but for the last
} sn_contact_split;

typedef struct {
    int first, count; // blocks
    int first_contact, contact_count;
} sn_contact_group;

// The groups of a phase: from first to first + count.
static inline void sn_groups_of_phase(const sn_contact_split *split, int phase, int *first, int *count) {
    const int n = split->strips, firsts[] = {0, n, n + n / 2, 2 * n - 1}, counts[] = {n, n / 2, (n - 1) / 2, 1};
    *first = firsts[phase], *count = counts[phase];
}

// A pair has several contacts. Of two pills they are features that last, because the nearest points of pills that are nearly
// parallel jump from end to end at the slightest rotation:
//
//     0  the nearest points, where both are between the ends
//     1  the ball at end a of the first pill against the second pill         2  that at end b
//     3  the ball at end a of the second pill against the first              4  that at end b
//
// End a of a pill is end b of the one before, so it counts only where there is none. A pill and a collider have features 0 to 2, and 3 is a
// second point between the ends, as over both edges of a box. A mesh bends: what lies in a corner of it has second points of the balls
// too, 4 at b and 5 at a. Pairs with slabs have at most two contacts.
enum { SN_PAIR_FEATURES = 5, SN_FEATURES = 6 };
// Contacts that are farther away than this part of the smaller radius take no part in the inner iteration.
#define SN_FAR ((sn_real)0.1)
enum { SN_PRESSING = (1 << SN_FEATURES) - 1, SN_STORED = 1 << SN_FEATURES }; // sn_contacts.pressing
// Nearest points that were at an end when they were found.
#define SN_COVERED_ALWAYS ((1 << SN_FEATURES) - 1)

// What a contact starts the next substep with.
typedef struct {
    sn_real load;              // normal force, N
    sn_vec3 stretch;           // elastic slip that is stored in it, m
    sn_real strength;          // load that it is made for, N
    sn_real stiffness, target; // N/m, m: its potential, 1/2 stiffness (target - gap)^2
    sn_vec3 rotation;          // elastic rotation that is stored in it: contact_rolling.c
} sn_warm_start;

typedef struct sn_contacts sn_contacts;

// What contacts ask of another coupling (joints): bodies that it holds, and what it keeps from colliding.
typedef struct {
    int (*count)(const void *user);                              // constraints alive
    void (*place)(void *user, sn_contacts *contacts);            // finds its pills, once proxies are written
    sn_status (*find_filter)(void *user, sn_contacts *contacts); // finds what must not collide, before the broad phase
    // Whether elements a and b (b >= elements: a collider) must not collide; whether elements that share nodes with them
    // must not, so that nobody else feels those nodes.
    bool (*excludes)(const void *user, const sn_contacts *contacts, int a, int b);
    bool (*excludes_near)(const void *user, const sn_contacts *contacts, int a, int b);
    void (*begin_substep)(void *user, sn_contacts *contacts);
    void (*activate)(void *user, sn_contacts *contacts); // marks the bodies it holds
} sn_joint_hooks;

// The sums of a block's scratch rows, apart from the blocks: they are added one after the other.
typedef struct {
    double slope, rate;
    int32_t island; // of all its contacts
} sn_block_sum;
enum { SN_NO_ISLAND = -1, SN_MANY_ISLANDS = -2 };

struct sn_contacts {
    sn_world *world;
    sn_memory *memory;
    const sn_log *log;
    int lanes;
    int sweeps;     // inner iterations, at most
    int pair_limit; // pairs of a step, at most
    sn_arena arena; // of the step
    sn_arena last;  // of the broad phase before: its pairs and impulses
    sn_arena spare; // of the step before, once there was another broad phase in this one
    int searches;   // broad phases in the running step
    sn_real *speed; // by body, to find what is about to be struck in its sleep
    bool *strikes;  //
    int speed_capacity, strikes_capacity;
    size_t wanted;  // by any of these so far: each grows to it, so that a warmed step allocates nothing
    sn_arena query; // of queries between steps
    sn_grid grid;
    const sn_joint_hooks *hooks; // null: none
    void *hook_user;
    struct sn_body_pairs *body_pairs; // contact_events.c

    // ---- the running step
    bool is_active;                                                 // something may touch
    sn_proxy_writer writer;                                         // what all kinds share of it
    int first_node[SN_KIND_CAPACITY], first_slab[SN_KIND_CAPACITY]; // by row of the table of kinds
    sn_proxies proxies;
    const sn_contact_settings *settings; // by body
    int body_count;
    sn_body *bodies;          // by body: its handle
    sn_collider **colliders;  // those of all kinds; null: a free slot
    sn_body *collider_bodies; //
    int collider_count, used_colliders;
    int elements;   // pills and slabs
    sn_pair *pairs; // of elements; b >= elements: collider b - elements
    int pair_count;
    sn_vec3 *found_at;          // by node: where it was when they were found; null: nothing can touch
    size_t found_used;          // of the arena, then
    bool found_now;             // in this substep
    sn_warm_start *warm_starts; // SN_FEATURES per pair: what its contacts ended a substep with
    unsigned char
        *pressing; // by pair: bits of the features that pressed then, and SN_STORED if any warm start is not zero
    unsigned char *found; // by pair: bits of the features that are contacts in the substep
    sn_pair *last_pairs;  // the same of the step before, in 'last'
    sn_warm_start *last_warm_starts;
    int last_count;
    sn_pill *pill_at;  // every pill at the start of the substep
    sn_pill *pill_now; // where the sweeps start
    sn_slab *slab_at;  // the same of slabs
    sn_slab *slab_now; //
    sn_real *slack;    // of pills: how much farther away contacts with slabs and colliders are made
    sn_real *margin;   // how far from each element contacts are made in the substep
    sn_real *travel;   // how far its surface moved in the substep before
    // The same by relative motion: what falls together does not come nearer to each other. The mean
    // motion of an element's nodes, and the largest deviation from it.
    sn_vec3 *motion, *previous_motion;
    sn_real *deviation, *previous_deviation;
    sn_real *swing;                           // deviation without what the element swells
    sn_real *element_motion, *element_unrest; // by element: how far its nodes move; the same with elements near it
    sn_real *body_motion, *unrest;            // by body: how far its fastest node moves; the same with bodies near it
    unsigned char *strip_low;                 // the strips that its ends are in
    unsigned char *strip_high;                //
    sn_real *separation;                      // by pair: a lower bound at the start of the substep
    sn_real fall;                             // how far gravity moves anything in a substep
    sn_contact_split split;                   // of the step
    sn_contact_block *blocks;                 // of the substep, group after group
    int block_count, block_capacity, row_count;
    sn_block_sum *block_sums;
    int32_t *pill_first; // by slot: the first of its pill in pill_contacts; one extra at the end
    void *pill_contacts; // contact_solve.c
    sn_contact_group groups[SN_GROUPS];
    bool *active;        // by body: it has contacts in the substep
    int32_t *body_end;   // by body: its last node + 1
    int32_t *body_shift; // by body: from a node to its displacement; INT32_MIN: it has none
    // contact_nodes.c: of bodies whose contacts have nodes of their own, behind the slots of the proxies.
    sn_contact_node *contact_nodes;
    int32_t *contact_node_first, *contact_node_list; // by body
    int contact_node_count, first_contact_node;
    bool has_contact_nodes;       // there are such bodies
    void *rolling_rows;           // contact_rolling.c
    int rolling_count;            //
    bool rolls;                   // there are surfaces that resist it
    sn_vec3 *predicted_rotations; // by body: how it would rotate in the substep
    int slots;                    // of node space
    sn_real *inverse_mass;        // by body
    sn_real *heaviest;            // by island: that of its heaviest rigid body; 0: it has none
    int32_t *deep_count;          // by body: its contacts that overlap by much
    void *pair_table;             // hash table of pairs of bodies: contact_solve.c
    size_t pair_mask;
    sn_real nodal[SN_KIND_CAPACITY];       // by row of the table of kinds: 1 if M of its bodies has a block a node
    sn_real *zero_share, *iterating_alpha; // scratch by island
    const sn_contact_kernels *kernels;
    sn_pill_pairs_fn *measure;
    sn_real h;
    sn_pool *pool;

    // ---- the last step
    int max_contacts, max_pairs;
    sn_real max_depth; // over radius at the end of a substep, as the solver sees it
};

extern const sn_coupling_ops sn_contact_coupling;
sn_contacts *sn_world_contacts(const sn_world *world);

static inline bool sn_contacts_excluded(const sn_contacts *c, int a, int b) {
    return c->hooks && c->hooks->excludes(c->hook_user, c, a, b);
}
static inline bool sn_contacts_excluded_near(const sn_contacts *c, int a, int b) {
    return c->hooks && c->hooks->excludes_near(c->hook_user, c, a, b);
}
// Bodies that are solved together with others although nothing touches them. Only the direct solver does that.
static inline bool sn_contacts_assembled(const sn_contacts *c, int body) {
    return c->settings[body].assembled && !c->settings[body].asleep && sn_world_solver(c->world) == SN_SOLVER_DIRECT;
}
static inline int sn_contacts_hook_count(const sn_contacts *c) {
    return c->hooks ? c->hooks->count(c->hook_user) : 0;
}

// contact_coupling.c: writes the proxies of all kinds; false: nothing can touch, or no memory. 'always': also if nothing can touch.
bool sn_contacts_write_proxies(sn_contacts *contacts, sn_real dt, sn_real h, bool always);
// Writes the proxies as they are now and calls fn; 'pairs': only if something can touch, and after it found the pairs that overlap, or
// nearly. The query has its own memory, so that the last step's contacts stay readable.
typedef sn_status sn_contacts_query_fn(sn_contacts *contacts, void *user);
sn_status sn_contacts_query(sn_contacts *contacts, bool pairs, sn_contacts_query_fn *fn, void *user);

// broad_phase.c: after proxies are written; 'reach' is how far each node may move in this step, 'displacement' the part of
// it that is certain.
sn_status sn_contacts_broad_phase(sn_contacts *contacts, const sn_real *reach, const sn_vec3 *displacement);
// Where pills and slabs are, from c0 or c.
void sn_contacts_place(sn_contacts *contacts, sn_pill *pills, sn_slab *slabs, bool start);
// warm_start.c: the impulses of the last step are found again for the pairs of this one.
bool sn_warm_starts_press(const sn_warm_start *warm_starts, int pair);
void sn_contacts_swap_warm_starts(sn_contacts *contacts);
sn_status sn_contacts_load_warm_starts(sn_contacts *contacts);
void sn_contacts_store_warm_starts(sn_contacts *contacts);
// contact_pack.c: memory for the displacements of the step's nodes.
bool sn_contacts_reserve(sn_contacts *contacts);
void sn_contacts_split(sn_contacts *contacts); // into strips, once a step
// narrow_phase.c: contacts of the substep from nodes' c0.
sn_status sn_contacts_narrow_phase(sn_contacts *contacts);
void sn_contacts_refresh(sn_contacts *contacts); // normals and weights from where the nodes are now
// contact_nodes.c: numbers the nodes of contacts, once blocks are filled; where they are, and what they slip by more than the axes of
// their pills, after blocks are prepared.
bool sn_contacts_number_nodes(sn_contacts *contacts);
void sn_contacts_place_nodes(sn_contacts *contacts, sn_contact_block *blocks, int count);
// How a body with contact nodes has rotated since the start of the substep, as a vector; 'centre': its first node.
sn_vec3 sn_contacts_rotation(const sn_contacts *contacts, int centre);
// contact_rolling.c: resistance to rolling and turning, if any body has it: contacts->rolls.
void sn_contacts_begin_rolling(sn_contacts *contacts);
void sn_contacts_couple_rolling(sn_contacts *contacts, const sn_stage *stage, sn_solve *solve, int op);
// Gives the bodies with contacts displacements.
void sn_contacts_activate(sn_contacts *contacts);
// contact_solve.c: the common solve.
void sn_contacts_couple(void *contacts, const sn_stage *stage, sn_solve *solve, int op);
// contact_balance.c: what contacts have stored, and the work of what moves whatever it bears.
void sn_contacts_balance(const sn_contacts *contacts, const sn_solve *solve, sn_work_balance *balance);
sn_warm_start sn_contact_warm_start(const sn_contact_block *block, int lane);
void sn_contacts_update_proxies(sn_contacts *contacts, bool start);
// Where a node is now.
sn_vec3 sn_contacts_centre(const sn_contacts *contacts, int node);
// shrink_overlaps.c: shrinks the radii of the nodes that may shrink until nothing overlaps; 'full' are their full radii.
void sn_contacts_shrink_overlaps(sn_contacts *contacts, const bool *may_shrink, const sn_real *full);
// contact_events.c: who touches whom, and what colliders bear. 'begin' comes before the broad phase of a step, 'measure' and
// 'add' at the end of the solve of a substep, 'end' after the last one: it allocates nothing.
bool sn_body_pairs_create(sn_contacts *contacts);
void sn_body_pairs_free(sn_contacts *contacts);
void sn_body_pairs_begin(sn_contacts *contacts);
void sn_body_pairs_measure(const sn_contacts *contacts, sn_solve *solve);
void sn_body_pairs_add(sn_contacts *contacts, const sn_stage *stage, const sn_solve *solve);
void sn_body_pairs_end(sn_contacts *contacts);
void sn_body_pairs_visit(sn_contacts *contacts, sn_stream *stream);
// contact_api.c: calls fn with every contact that bore a force in the last substep; where a contact is, between the surfaces; its friction on side a, N.
typedef void sn_contact_fn(const void *user, const sn_contact *contact);
void sn_contacts_each(const sn_world *world, sn_contact_fn *fn, const void *user);
sn_vec3 sn_contact_point_of(const sn_contacts *contacts, const sn_contact_block *block, int lane);
sn_vec3 sn_contact_friction(const sn_contact_block *block, int lane);
// The largest depth over radius, exactly, from the nodes as they are.
sn_real sn_contacts_depth(sn_contacts *contacts);
// contact_save.c
void sn_contacts_save(void *contacts, sn_stream *stream);

// A vector's number along an axis, 0 to 2. An index on &v.x would be for x alone, and compilers rely on that.
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
// Its nodes: 2, or 3 of a slab that is not a mere edge; 0 where there is no pill.
static inline int sn_element_nodes(const sn_contacts *c, int element, int32_t nodes[3]) {
    if (sn_is_slab(c, element)) {
        for (int k = 0; k < 3; k++) nodes[k] = sn_element_slab(c, element)->node[k];
        return nodes[2] == nodes[1] ? 2 : 3;
    }
    const sn_node_pill *pill = &c->proxies.pills[element];
    nodes[0] = pill->a, nodes[1] = nodes[2] = pill->b;
    return pill->a < 0 ? 0 : 2;
}
// Three nodes of it move: the corners of a slab that is not a mere edge, or leaders.
static inline bool sn_element_third(const sn_contacts *c, int element) {
    if (!sn_is_slab(c, element)) return false;
    const sn_node_slab *slab = sn_element_slab(c, element);
    return slab->driven || slab->node[1] != slab->node[2];
}

// A contact at end a of a pill belongs to the ball there, which is also end b of the previous pill; that pill's contact with the
// same element is at least as deep. So the first is dropped, unless there is no previous pill, or its contacts are disabled
// (shrink_overlaps.c), or a joint filter excludes the pair.
static inline bool sn_has_own_pill(const sn_contacts *c, int pill) {
    const int32_t before = c->proxies.pills[c->proxies.pills[pill].a].a;
    return before >= 0 && c->proxies.nodes[before].contact_disabled == 0;
}

// Whether contacts of an element have nodes of their own.
static inline bool sn_has_contact_node(const sn_contacts *c, int element) {
    return c->has_contact_nodes && sn_kinds[sn_world_row_of_body(c->world, sn_element_body(c, element))]->contact_nodes;
}
// Whether M of an element's body has a block a node: it is lumped, or of a nodal kind (base/kind.h).
static inline bool sn_is_nodal(const sn_contacts *c, int element) {
    return c->nodal[sn_world_row_of_body(c->world, sn_element_body(c, element))] > 0;
}

// The body of an element takes part in the substep. Several workers may say so at once.
static inline void sn_contacts_activate_body(const sn_contacts *c, int element) {
    bool *active = &c->active[sn_element_body(c, element)];
    if (!__atomic_load_n(active, __ATOMIC_RELAXED)) __atomic_store_n(active, true, __ATOMIC_RELAXED);
}

// Where the displacement of a node is, -1 if it has none.
static inline int sn_contacts_slot(const sn_contacts *c, int node) {
    const int shift = c->body_shift[c->proxies.pills[node].body];
    return shift == INT32_MIN ? -1 : node + shift;
}

// The feature of a contact of a pill; -1: of slabs that are mere edges.
static inline int sn_contact_feature(const sn_contacts *c, const sn_contact_block *b, int i) {
    if (sn_is_slab(c, b->pill[0][i]) || (sn_form_both(b->form) && sn_is_slab(c, b->pill[1][i]))) return -1;
    return b->warm_start[i] % SN_FEATURES;
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

// How near a pair of elements comes at most, by the predicted motion.
static inline sn_real sn_contacts_margin(const sn_contacts *c, sn_pair pair) {
    return sn_length(sn_sub(c->motion[pair.a], c->motion[pair.b])) + c->deviation[pair.a] + c->deviation[pair.b];
}

// Of a pair with a slab. A rigid body falls on when what falls beside it is stopped, and takes over the speed of what strikes it.
static inline bool sn_contacts_is_solid(const sn_contacts *c, int element) {
    return sn_is_slab(c, element) && sn_element_slab(c, element)->solid_end > 0;
}
static inline sn_real sn_contacts_slab_margin(const sn_contacts *c, sn_pair pair) {
    sn_real approach = sn_length(sn_sub(c->motion[pair.a], c->motion[pair.b]));
    if (sn_contacts_is_solid(c, pair.a) || sn_contacts_is_solid(c, pair.b))
        approach = c->fall + sn_max(approach, sn_max(c->element_unrest[pair.a], c->element_unrest[pair.b]));
    return approach + c->deviation[pair.a] + c->deviation[pair.b] + c->slack[pair.a] + c->slack[pair.b];
}

// A contact of a slab: weights of the corners of both sides (of a pill two, of a collider none).
typedef struct {
    sn_real a[3], b[3];
    sn_real distance;
    sn_vec3 normal; // from b to a
} sn_slab_contact;

// narrow_phase_solids.c: slabs of solids have an inside.
typedef enum { SN_OUTSIDE, SN_UNDER_THIS_FACE, SN_UNDER_ANOTHER_FACE } sn_solid_place;
// Where a point is in the solid that a slab is a face of; under this face: its weights 'b' there, the normal, and how far it is from the
// plane, without radii (negative).
sn_solid_place sn_contacts_in_solid(const sn_contacts *contacts, int slab, sn_vec3 point, sn_slab_contact *out);
// Whether a line, with both ends outside, goes through that solid: where the middle of what is inside is.
bool sn_contacts_line_in_solid(const sn_contacts *contacts, int slab, sn_vec3 p, sn_vec3 q, sn_real *where);
// Whether a corner of a slab of a solid has come through a surface: its weights 'b' there, the normal towards the solid, and how far, as above.
bool sn_contacts_came_through(const sn_contacts *contacts, int slab, int corner, const sn_slab *surface,
                              sn_slab_contact *out);
// The contact of two edges that have crossed, of a pair of slabs of solids.
bool sn_contacts_solid_edges(const sn_contacts *contacts, sn_pair pair, sn_slab_contact *out);
// narrow_phase_slabs.c: finds the contacts of a pair with at least one slab, at most two, at the start of the substep, and the
// gap between the two (not with a collider).
int sn_contacts_slab_contacts(const sn_contacts *contacts, sn_pair pair, sn_slab_contact out[2], sn_real *gap);
// The gap of a pair of elements, one of them a slab; beyond 'max' a lower bound.
sn_real sn_contacts_slab_gap(const sn_contacts *contacts, sn_pair pair, sn_real max);
// The nodes that move when a slab is in contact at these weights of its corners: the three drivers of largest weight, and
// their weights.
void sn_contacts_find_drivers(const sn_contacts *contacts, int element, const sn_real spot[3], int32_t driver[3]);
void sn_contacts_weigh_drivers(const sn_contacts *contacts, int element, const sn_real spot[3], const int32_t driver[3],
                               sn_real weight[3]);
void sn_contacts_refresh_slabs(const sn_contacts *contacts, sn_contact_block *block, sn_real same_side);
sn_real sn_contacts_slab_depth(const sn_contacts *contacts, sn_pair pair);
// The ball around a slab.
sn_sphere sn_slab_ball(const sn_slab *slab);

#endif
