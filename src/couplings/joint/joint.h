// Joints: see joint_solve.c for the maths, sinew/joint.h for what they are to users. They are in the matrix of the common solve.
#ifndef SN_COUPLINGS_JOINT_JOINT_H
#define SN_COUPLINGS_JOINT_JOINT_H

#include "base/math/skyline.h"
#include "couplings/contact/contact.h"
#include "sinew/joint.h"

// Rows of what a joint leaves free: sn_joint_row.free.
enum { SN_JOINT_LIMIT = 1, SN_JOINT_SWING, SN_JOINT_MOTOR, SN_JOINT_FRICTION, SN_JOINT_FREE_PARTS = 4 };

typedef struct {
    bool alive;
    uint32_t gen;
    int next_free;
    sn_joint_def def;
    void *user;
    // ---- the running step
    int pill_a, pill_b;        // among the proxies; pill_b -1: a collider or a point of space
    int collider;              // among the colliders of the step; -1: none
    sn_real along[2];          // where on the pills; a side that is a mere point has its node's pill, at 1
    bool is_point[2];          // it is a mere point: nothing rotates with it
    sn_real bend[2], twist[2]; // what bodies yield up to the joint, rad/(N m) (base/kind.h)
    bool on_bone;              // side b is a point of a bone with these rotations at the start and the end of the step
    sn_quat bone[2];           //
    sn_vec3 arm;               // 'offset' in the world, at the start of the step
    bool has_anchor[2];        //
    sn_vec3 anchor_arm[2];     // 'anchor' in the world, at the start of the step
    sn_quat frame[2];          // of segments, at the start of the substep
    // ---- state
    sn_vec3 axis;                    // in the frame of side a, unit; 0: its direction
    sn_vec3 anchor[2];               // of sides that are held anywhere: the point in the frame of the pill
    sn_vec3 local;                   // the point in the collider's frame
    sn_vec3 offset;                  // kept between the two sides, in the frame of side b
    sn_vec3 from;                    // the point of space at the start of the step
    sn_quat relation;                // of side a's frame to side b's, when the joint was made
    sn_quat rotation, rotation_from; // of a point of space at the end and at the start of the step
    sn_vec3 reaction;                // what side a pulls at side b with, N; the next step starts with it
    sn_vec3 reaction_torque;         // N m
    sn_real force, torque;           // their sizes after the last step
    int first_row;                   // in the system of the running substep
    // ---- what it leaves free (joint_free.c)
    sn_real rest;                            // of a distance: what it was when the joint was made, m
    sn_real value;                           // the coordinate at the start of the substep; angles go on after a turn
    sn_quat goal_rotation;                   // of a point of space, where the substep starts
    sn_vec3 goal;                            //
    sn_real free_force[SN_JOINT_FREE_PARTS]; // along the coordinate, of limit, swing, motor, friction; N or N m
    sn_vec3 all_force, all_torque;           // of the last substep, these and 'reaction'
} sn_joint_body;

// A constraint in node space: what it is of two nodes of each side, and of the spin of the pill that ends at the second.
typedef struct {
    int32_t body;    // -1: the side does not move
    int32_t unit;    // the body, or those that are one to the solve
    int32_t slot[2]; //
    sn_vec3 node[2];
    sn_real spin;
} sn_joint_part;

typedef struct {
    int32_t joint, island;
    bool angular;
    sn_vec3 direction; // of the reaction
    sn_joint_part part[2];
    double open;               // how far it is from being met: m, or rad
    double compliance;         // m/N, or rad/(N m)
    double force, start_force; // multiplier now, and where the iteration began
    // Of what is left free; 0: the joint holds it.
    int free;         // a part of it: SN_JOINT_LIMIT ...
    double sign;      // of the row along the coordinate
    double low, high; // bounds of the multiplier
    double from;      // of a motor: where it pulls to, from where the substep starts
    double own;       // its compliance where it is not at a bound
    bool one_sided;   // it pushes only
} sn_joint_row;

// All rows of a substep, and the matrix between them: see joint_solve.c.
typedef struct {
    sn_joint_row *rows;
    int row_count;
    int *place; // by row: its place in the matrix
    sn_skyline matrix;
    size_t entries;
    int *bodies, *body_first, *body_rows; // the bodies, and the rows on each: body_rows[body_first[b]] ...
    int body_count, max_body_rows;
    double *change, *direction, *scratch; // by row
    double *tiny;                         // by row: the compliance of what has none, for the substep
    double *whole, *column;               // matrix and a column of it, if multipliers have bounds; or null
    // Forces on nodes. Joints that contradict each other pull with forces that are millions of times what is left of them: they
    // are added up in double.
    double (*loads)[4]; // dx dy dz, spin
    int32_t *load_slot; // by load
    int32_t *load_of;   // by slot; -1: none
    int load_count;
    bool shifting;
} sn_joint_system;

typedef struct {
    sn_world *world;
    sn_memory *memory;
    const sn_log *log;
    sn_joint_body *items;
    int count, capacity, free_item, alive;
    struct sn_joint_filter *filter; // of the step: what must not collide; null: nothing
    sn_joint_system system;
} sn_joints;

extern const sn_coupling_ops sn_joint_coupling;
sn_joints *sn_world_joints(const sn_world *world);
void sn_joint_remove(sn_joints *joints, int joint);

// joint_api.c: finds the pills of all joints among the proxies of the step; frames at the start of a substep.
void sn_joints_place(void *joints, sn_contacts *contacts);
void sn_joints_begin_substep(void *joints, sn_contacts *contacts);
// Logs a line for each error in a definition; returns their number.
int sn_joint_errors(const sn_world *world, const sn_log *log, const sn_joint_def *def);

// joint_filter.c
sn_status sn_joints_find_filter(void *joints, sn_contacts *contacts);
bool sn_joints_exclude(const void *joints, const sn_contacts *contacts, int a, int b);
bool sn_joints_exclude_near(const void *joints, const sn_contacts *contacts, int a, int b);
void sn_joints_validate_filter(const sn_joints *joints, const sn_contacts *contacts); // asserts its invariants

// joint_free.c
bool sn_joint_has_coordinate(const sn_joint_def *def);
int sn_joint_row_count(const sn_joint_def *def);
sn_real sn_joint_twist(sn_quat from_b, sn_vec3 n_b, sn_vec3 n_a); // of a rotation that brings n_b to n_a
sn_real sn_joint_unwrap(sn_real angle, sn_real near);             // the same angle, within half a turn of another

// joint_solve.c
void sn_joints_activate(void *joints, sn_contacts *contacts);
void sn_joints_couple(void *joints, const sn_stage *stage, sn_solve *solve, int op);
void sn_joints_end(void *joints, sn_profile *profile);

// joint_order.c: rows, their order and the envelope of their matrix, for a substep; joins islands. False: no memory.
bool sn_joints_open(void *joints, const sn_stage *stage, sn_solve *solve);
bool sn_joint_is_active(const sn_contacts *contacts, const sn_solve *solve, const sn_joint_body *joint);

// joint_reaction.c: what joints push islands with from outside; 'share': and tells colliders what they bear.
void sn_joints_react(sn_joints *joints, const sn_stage *stage, sn_solve *solve, bool share);
void sn_joints_bear_sleepers(sn_joints *joints); // after a step: what sleeps pulls as it did

// joint_save.c
void sn_joints_save(void *joints, sn_stream *stream);

#endif
