// The contact room: pairs that may touch, contacts that do, joints, and their solve, over the proxies of all bodies.
//
// How contacts and the direct solver of rods work together (docs/contact.md has the measurements that chose this):
//
//   once a step      pairs by bounding spheres with a margin for the motion of the step
//   every substep    contacts from the state at its start: normal, weights, starting gap. Overlap left from before is taken
//                    back without giving speed: nodes and their start are shifted alike
//   every iteration  each body takes a Newton step towards its inertial prediction; then sweeps of projected Gauss-Seidel move the
//                    nodes out of each other, with Coulomb friction; the body takes over the moved nodes and, as the
//                    impulse they stand for, moves its prediction by the same amount
//
// So a further iteration feels contact forces inside the elastic solve and gives back what was too much: Uzawa's method with the nodes'
// masses as the metric, which never overshoots because a body yields less than its free nodes would.
//
// What comes last in the substep decides its character. Ending with the sweeps leaves no overlap, but bends the body by hand: fine
// for soft bodies (waves cross at most two segments a substep), whose nodes are nearly free anyhow; a stiff one stores so much
// energy by it that it explodes. So stiff bodies take one more Newton step at the end, which turns the last push into an
// impulse too; they overlap a little more. For soft bodies the multipliers of lasting contacts are where the next
// substep's sweeps start, and old overlap is taken back by a shift that gives no speed; for stiff ones both would pump energy.
#ifndef SN_CONTACT_CONTACT_H
#define SN_CONTACT_CONTACT_H

#include "base/log.h"
#include "base/stream.h"
#include "base/tasks.h"
#include "shape/grid.h"
#include "shape/pill.h"
#include "shape/proxy.h"
#include "shape/tree.h"
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
    sn_vec3 ends[2];
    sn_real radii[2];
    sn_vec3 half;
    sn_tree tree;
    sn_surface surface;
    uint64_t label;
} sn_shape_body;

// One contact of the running substep.
typedef struct {
    int32_t pill_a, pill_b; // pill_b -1: a shape
    int32_t shape;          // -1: a pill
    int32_t memory;         // its place in pair_push
    bool stiff;             // a stiff body takes part
    int32_t node[4];        // ends a and b of pill a, then of pill b
    sn_real weight[4];      //
    sn_vec3 normal;         // from b to a
    sn_vec3 anchor;         // on the shape's surface, where it is at the end of the substep
    sn_vec3 drift;          // how far the anchor moved in the substep
    sn_real gap;            // at the start of the substep
    sn_real goal;           // the gap must not be less in the end
    sn_real yield;          // inverse mass along the normal, scales included
    sn_real yield_c;        // without the scales: across the normal
    sn_real compliance;     // over h^2
    sn_real stick, slide;   // friction coefficients
    sn_real radius[2];      // at the contact
    sn_real push;           // multiplier along the normal; force = push / h^2
    sn_vec3 drag;           // and across it
} sn_contact_row;

typedef struct {
    bool alive;
    uint32_t gen;
    int next_free;
    sn_joint_def def;
    int pill_a, pill_b; // among the proxies of the running step; pill_b -1: a shape or a point of space
    sn_vec3 local;      // where the point is on the shape
    sn_vec3 offset;     // kept between the two sides
    sn_vec3 from;       // the point of space at the start of the step
    sn_vec3 push;       // multiplier
    sn_real force;      // N, of the last substep
} sn_joint_row;

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

    // the running step
    sn_proxies proxies;
    const sn_touching *touching; // by surface
    int touching_count;
    sn_pair *pairs; // pills; b >= proxies.count: shape b - count
    int pair_count;
    sn_real *pair_push;  // two a pair: multipliers that its contacts ended a substep with, where the next one starts
    sn_pair *last_pairs; // the same of the step before, in 'last'
    sn_real *last_push;
    int last_count;
    sn_pill *pill_at;     // every pill at the start of the substep
    sn_real fall;         // how far gravity takes anything in a substep
    sn_contact_row *rows; // of the substep, colour after colour
    int row_count;
    int *colour_first; // start of each colour in rows; colour_count + 1 entries
    int colour_count;
    sn_real h;
    sn_pool *pool;

    // of the last step
    int most_contacts, most_pairs;
    sn_real worst; // largest depth over radius at the end of a substep, seen by the solver
} sn_contacts;

void sn_contacts_init(sn_contacts *contacts, sn_memory *memory, const sn_log *log, int lanes);
void sn_contacts_free(sn_contacts *contacts);

// A body's pills a and b may touch: asked for pairs within a body, by number.
typedef bool sn_self_fn(void *user, int a, int b);

// pairs.c: after proxies are filled; 'reach' is how far each node may go in this step.
sn_status sn_contacts_find_pairs(sn_contacts *contacts, const sn_real *reach, sn_self_fn *self, void *user);
void sn_contacts_place_pills(sn_contacts *contacts, bool start); // fills pill_at from c0 or c
// memory.c: the pushes of the step before are found again for the pairs of this one.
void sn_contacts_turn_page(sn_contacts *contacts);
sn_status sn_contacts_recall(sn_contacts *contacts);
void sn_contacts_remember(sn_contacts *contacts);
// touch.c: contacts of the substep from nodes' c0; takes back old overlap by shifting c and c0 alike.
sn_status sn_contacts_meet(sn_contacts *contacts);
void sn_contacts_refresh(sn_contacts *contacts); // normals and weights from where the nodes are now
// solve.c: sweeps over all contacts.
sn_real sn_contact_take_back(const sn_contacts *contacts, const sn_contact_row *row);
bool sn_contacts_stabilize(sn_contacts *contacts);                        // whether anything was shifted
void sn_contacts_solve(sn_contacts *contacts, sn_real share, bool first); // first: of the substep
// joints.c: 'share' of the step is over at the end of the substep.
void sn_joints_begin_substep(sn_contacts *contacts);
void sn_joints_solve(sn_contacts *contacts, sn_real share);
void sn_joints_end(sn_contacts *contacts);
// The gap of a contact as the nodes are now, along its normal of the substep.
sn_real sn_contacts_gap(const sn_contacts *contacts, const sn_contact_row *row);
// The largest depth over radius, exactly, from the nodes as they are.
sn_real sn_contacts_depth(sn_contacts *contacts);

// save.c
void sn_contacts_save(sn_contacts *contacts, sn_stream *stream);

// shapes.c
sn_pill sn_shape_pill(const sn_shape_body *shape, const sn_pose *pose);
sn_sphere sn_shape_bound(const sn_shape_body *shape);
void sn_shapes_begin(sn_contacts *contacts);
void sn_shapes_substep(sn_contacts *contacts, int substep, int substeps);
void sn_shapes_end(sn_contacts *contacts);
sn_vec3 sn_pose_point(const sn_pose *pose, sn_vec3 local);
sn_vec3 sn_pose_local(const sn_pose *pose, sn_vec3 world);
int sn_shape_touches(const sn_shape_body *shape, const sn_pose *pose, const sn_pill *pill, sn_real margin,
                     sn_touch out[2]);

static inline sn_pill sn_proxy_pill(const sn_proxies *p, int i, bool start) {
    const sn_node *a = &p->nodes[p->pills[i].a], *b = &p->nodes[p->pills[i].b];
    return (sn_pill){start ? a->c0 : a->c, start ? b->c0 : b->c, a->s * a->radius, b->s * b->radius};
}

#endif
