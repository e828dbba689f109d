// The contact room: pairs that may touch, contacts that do, joints, and their solve, over the proxies of all bodies.
//
// How contacts and the direct solver of rods work together (docs/contact.md has the measurements that chose this):
//
//   once a step      pairs by bounding spheres with a margin for the motion of the step
//   every substep    contacts from the state at its start: normal, weights, starting gap. Overlap left from before is taken
//                    back without giving speed: nodes and their start are shifted alike
//   every iteration  each body takes a Newton step towards its inertial prediction; then accelerated sweeps of projected
//                    Gauss-Seidel move the nodes out of each other, with Coulomb friction; the body takes over the moved nodes and,
//                    as the impulse they stand for, moves its prediction by the same amount
//
// So a further iteration feels contact forces inside the elastic solve and gives back what was too much: Uzawa's method with the nodes'
// masses as the metric, which never overshoots because a body yields less than its free nodes would.
//
// A radius is measured where the substep starts, like a centre: had the gap the radii of the prediction, a point that swells while it is
// pinched would take its new overlap for an old one, and keep it.
#ifndef SN_COUPLINGS_CONTACT_CONTACT_H
#define SN_COUPLINGS_CONTACT_CONTACT_H

#include "base/log.h"
#include "base/stream.h"
#include "base/tasks.h"
#include "couplings/contact/contact_block.h"
#include "geometry/grid.h"
#include "geometry/pill.h"
#include "geometry/pill_batch.h"
#include "geometry/proxy.h"
#include "geometry/slab.h"
#include "geometry/triangle_bvh.h"
#include "sinew/joint.h"

typedef struct {
    sn_vec3 position;
    sn_quat rotation;
} sn_pose;

typedef struct {
    bool alive;
    uint32_t gen;
    int next_free;
    sn_shape_kind kind;
    sn_pose now, to;     // 'to' at the end of the next step
    sn_pose from, until; // of the running substep
    sn_pose origin;      // at the start of the step
    bool moves;          // in this step
    sn_vec3 ends[2];
    sn_real radii[2];
    sn_vec3 half;
    sn_tree tree;
    sn_surface surface;
    uint64_t label;
} sn_shape_body;

typedef struct {
    bool alive;
    uint32_t gen;
    int next_free;
    sn_joint_def def;
    int pill_a, pill_b; // among the proxies of the running step; pill_b -1: a shape or a point of space
    sn_real along[2];   // where on the pills; a side that is a point has its node's pill, at 1
    bool plain[2];      // it is a point: nothing can be turned by it
    sn_vec3 local;      // where the point is on the shape
    sn_vec3 offset;     // kept between the two sides, in the axes of side b
    sn_vec3 arm;        // the same in the world, at the start of the step
    sn_vec3 from;       // the point of space at the start of the step
    sn_vec3 push;       // multiplier
    sn_real force;      // N, of the last substep
    sn_quat relation;   // how side a stood in the axes of side b
    sn_quat stand[2];   // how a segment stands at the start of the substep: side a, side b
    sn_quat turn, back; // the turn of a point of space at the end and at the start of the step
    bool on_bone;    // side b is a point of a character's bone, which is turned so at the start and the end of the step
    sn_quat bone[2]; //
    sn_vec3 twist;   // multiplier of what holds the relation
    sn_real torque;  // N m, of the last substep
    sn_vec3 push_last, push_way, twist_last, twist_way; // before the last sweep, and direction of search: see solve.c
} sn_joint_row;

// Contacts are sorted into groups by where they are, for workers to share: space is cut into slabs, and
//
//     phase 0:  contacts within a slab           a group a slab
//     phase 1:  across a slab's far side         a group for each even slab
//     phase 2:                                   and for each odd one
//     phase 3:  those that reach farther         one group
//
// Groups of a phase share no node. How many slabs there are depends on the pairs alone, so the number of workers makes no
// difference to the result.
enum { SN_SLABS = 16, SN_PHASES = 4, SN_GROUPS = 2 * SN_SLABS };

typedef struct {
    int axis;
    int slabs;
    sn_real edge[SN_SLABS]; // where each slab ends, but for the last
} sn_contact_split;

typedef struct {
    int first, count; // blocks
    int first_touch, touch_count;
    sn_real norm; // what the last sweep changed
    bool shifted; // old overlap was taken back
} sn_contact_group;

// The groups of a phase: from first to first + count.
static inline void sn_groups_of_phase(const sn_contact_split *split, int phase, int *first, int *count) {
    const int n = split->slabs, firsts[] = {0, n, n + n / 2, 2 * n - 1}, counts[] = {n, n / 2, (n - 1) / 2, 1};
    *first = firsts[phase], *count = counts[phase];
}

// What a contact hands on to the next substep.
typedef struct {
    sn_real push;
    sn_vec3 drag;
} sn_carried;

typedef struct {
    sn_memory *memory;
    const sn_log *log;
    int lanes;
    int sweeps;
    sn_arena arena; // of the step
    sn_arena last;  // of the step before: its pairs and pushes
    sn_arena query; // of questions between steps
    sn_grid grid;

    sn_shape_body *shapes;
    int shape_count, shape_capacity, free_shape, live_shapes;
    sn_joint_row *joints;
    int joint_count, joint_capacity, free_joint, live_joints;
    struct sn_ties *ties; // of the step: what is at joints; null: nothing

    // the running step
    sn_proxies proxies;
    const sn_touching *touching; // by surface
    int touching_count;
    int elements;   // pills and slabs
    sn_pair *pairs; // of elements; b >= elements: shape b - elements
    int pair_count;
    sn_carried *carried; // two a pair: multipliers that its contacts ended a substep with, where the next one starts
    sn_pair *last_pairs; // the same of the step before, in 'last'
    sn_carried *last_carried;
    int last_count;
    sn_pill *pill_at;  // every pill at the start of the substep
    sn_pill *pill_now; // where the sweeps start
    sn_slab *slab_at;  // the same of slabs
    sn_slab *slab_now; //
    sn_real *room;     // how far from each element a contact is worth having in the substep
    sn_real *travel;   // how far its surface went in the substep before
    // The same of pairs with a slab, by how the two go relative to each other: cloth that falls does not come nearer to
    // itself. The mean of an element's nodes, and how far any of them is from it.
    sn_vec3 *go, *went;
    sn_real *stray, *strayed;
    unsigned char *slab_low;  // the slabs that its ends are in
    unsigned char *slab_high; //
    sn_real *apart;           // by pair: it is at least so far apart at the start of the substep
    sn_real fall;             // how far gravity takes anything in a substep
    sn_contact_split split;   // of the step
    sn_contact_block *blocks; // of the substep, group after group
    int block_count, block_capacity, row_count;
    sn_contact_group groups[SN_GROUPS];
    bool *active;        // by body: something touches it in the substep
    int32_t *body_end;   // by body: its last node + 1
    int32_t *body_shift; // by body: from a node to its displacement; INT32_MIN: it has none
    uint64_t *used;      // scratch of packing: all zero
    int active_count;
    sn_displacements moved;
    const sn_contact_kernels *kernels;
    sn_pill_pairs_fn *measure;
    sn_real h;
    sn_pool *pool;

    // of the last step
    int most_contacts, most_pairs;
    sn_real worst; // largest depth over radius at the end of a substep, seen by the solver
} sn_contacts;

void sn_contacts_init(sn_contacts *contacts, sn_memory *memory, const sn_log *log, int lanes);
void sn_contacts_free(sn_contacts *contacts);

// Pills a and b of a body may touch: asked for pairs within it.
typedef bool sn_self_fn(void *user, int body, int a, int b);

// ties.c: finds what is at joints, and so left out of the pairs of the step; whether an element and another, or a shape
// (b >= elements), both are at one; whether some that share nodes with them are, so that nobody else feels those nodes.
sn_status sn_contacts_find_ties(sn_contacts *contacts);
bool sn_contacts_tied(const sn_contacts *contacts, int a, int b);
bool sn_contacts_by_a_tie(const sn_contacts *contacts, int a, int b);
// pairs.c: after proxies are filled; 'reach' is how far each node may go in this step, 'way' what of it is sure.
sn_status sn_contacts_find_pairs(sn_contacts *contacts, const sn_real *reach, const sn_vec3 *way, sn_self_fn *self,
                                 void *user);
// Where pills and slabs are, from c0 or c.
void sn_contacts_place(sn_contacts *contacts, sn_pill *pills, sn_slab *slabs, bool start);
// memory.c: the pushes of the step before are found again for the pairs of this one.
void sn_contacts_turn_page(sn_contacts *contacts);
sn_status sn_contacts_recall(sn_contacts *contacts);
void sn_contacts_remember(sn_contacts *contacts);
// pack.c: memory for the displacements of the step's nodes.
bool sn_contacts_make_room(sn_contacts *contacts);
void sn_contacts_split(sn_contacts *contacts); // into slabs, once a step
// Contacts of the substep from nodes' c0.
sn_status sn_contacts_meet(sn_contacts *contacts);
void sn_contacts_refresh(sn_contacts *contacts); // normals and weights from where the nodes are now
// Gives the bodies that are touched displacements.
void sn_contacts_activate(sn_contacts *contacts);
// solve.c: takes back old overlap by a shift of the whole substep; whether anything was shifted.
bool sn_contacts_stabilize(sn_contacts *contacts, bool first);
void sn_contacts_solve(sn_contacts *contacts, sn_real share, bool first); // first: of the substep
// joints.c: notes the bodies that joints hold.
void sn_joints_touch(sn_contacts *contacts);
// 'share' of the step is over at the end of the substep.
void sn_joints_solve(sn_contacts *contacts, sn_real share);
void sn_joints_begin_search(sn_contacts *contacts);
void sn_joints_go_on(sn_contacts *contacts, sn_real beta); // as nodes do between sweeps: see solve.c
void sn_joints_end(sn_contacts *contacts);
void sn_joint_drop(sn_contacts *contacts, int joint);
sn_quat sn_joint_align(sn_quat frame, sn_vec3 along); // turned the least way so that its third axis is 'along'
// Where a node is after the sweeps, and a contact's gap there.
sn_vec3 sn_contacts_centre(const sn_contacts *contacts, int node);
sn_real sn_contacts_gap(const sn_contacts *contacts, const sn_contact_block *block, int lane);
// forgive.c: nodes that yield get smaller radii, until nothing overlaps; 'full' are their radii.
void sn_contacts_forgive(sn_contacts *contacts, const bool *yields, const sn_real *full);
// The largest depth over radius, exactly, from the nodes as they are.
sn_real sn_contacts_depth(sn_contacts *contacts);

// save.c
void sn_contacts_save(sn_contacts *contacts, sn_stream *stream);

// shapes.c
sn_pill sn_shape_pill(const sn_shape_body *shape, const sn_pose *pose);
sn_sphere sn_shape_bound(const sn_shape_body *shape);
// Says a line for every bad field of a definition besides its rotation and the arrays of a mesh; how many there are.
int sn_shape_mistakes(const sn_log *log, const sn_shape_def *def);
void sn_shapes_begin(sn_contacts *contacts);
void sn_shapes_substep(sn_contacts *contacts, int substep, int substeps);
void sn_shapes_end(sn_contacts *contacts);
sn_vec3 sn_pose_point(const sn_pose *pose, sn_vec3 local);
sn_vec3 sn_pose_local(const sn_pose *pose, sn_vec3 world);
int sn_shape_touches(const sn_shape_body *shape, const sn_pose *pose, const sn_pill *pill, sn_real margin,
                     sn_touch out[2]);

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
    return slab->led || slab->node[1] != slab->node[2];
}

// A touch at the end a of a pill is one of the ball there, which the pill that ends at that node has too; its own touch
// with the same other is at least as deep. So the first is left out, unless there is no such pill, or it does not touch
// (forgive.c), or may not touch that other: they are tied.
static inline bool sn_has_own_pill(const sn_contacts *c, int pill) {
    const int32_t before = c->proxies.pills[c->proxies.pills[pill].a].a;
    return before >= 0 && c->proxies.nodes[before].aloof == 0;
}

// The body of an element takes part in the substep. Several workers may say so at once.
static inline void sn_contacts_touch_body(const sn_contacts *c, int element) {
    bool *active = &c->active[sn_element_body(c, element)];
    if (!__atomic_load_n(active, __ATOMIC_RELAXED)) __atomic_store_n(active, true, __ATOMIC_RELAXED);
}

// Where the displacement of a node is, -1 if it has none.
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

// How near a pair with a slab must be for a contact to be worth having in the substep.
static inline sn_real sn_contacts_room(const sn_contacts *c, sn_pair pair) {
    return sn_length(sn_sub(c->go[pair.a], c->go[pair.b])) + c->stray[pair.a] + c->stray[pair.b];
}

// Where a slab touches something: weights of the corners of both sides (of a pill two, of a shape none).
typedef struct {
    sn_real a[3], b[3];
    sn_real distance;
    sn_vec3 normal; // from b to a
} sn_slab_touch;

// slabs.c: the touches of a pair with at least one slab, at most two, at the start of the substep, and how far apart the
// two are (not with a shape); the same contacts
// where the bodies have got to; how deep a pair is now, 0 or more, over the smaller radius.
int sn_contacts_slab_touches(const sn_contacts *contacts, sn_pair pair, sn_slab_touch out[2], sn_real *gap);
// How far apart a pair of bodies is, one of them a slab; if more than 'most', at least so far.
sn_real sn_contacts_slab_gap(const sn_contacts *contacts, sn_pair pair, sn_real most);
// Who moves when a slab is touched at these weights of its corners: three different nodes, and their weights. Those that
// do not lead much are left out.
void sn_contacts_find_leaders(const sn_contacts *contacts, int element, const sn_real spot[3], int32_t lead[3]);
void sn_contacts_weigh_leaders(const sn_contacts *contacts, int element, const sn_real spot[3], const int32_t lead[3],
                               sn_real weight[3]);
void sn_contacts_refresh_slabs(const sn_contacts *contacts, sn_contact_block *block, sn_real same_side);
sn_real sn_contacts_slab_depth(const sn_contacts *contacts, sn_pair pair);
// The ball around a slab.
sn_sphere sn_slab_ball(const sn_slab *slab);

#endif
