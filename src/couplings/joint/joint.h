// Joints: sinew/joint.h says what they do, joint_solve.c has the maths. They are swept together with the contacts.
#ifndef SN_COUPLINGS_JOINT_JOINT_H
#define SN_COUPLINGS_JOINT_JOINT_H

#include "couplings/contact/contact.h"
#include "sinew/joint.h"

typedef struct {
    bool alive;
    uint32_t gen;
    int next_free;
    sn_joint_def def;
    // ---- the running step
    int pill_a, pill_b; // among the proxies; pill_b -1: a collider or a point of space
    int collider;       // among the colliders of the step; -1: none
    sn_real along[2];   // where on the pills; a side that is a point has its node's pill, at 1
    bool is_point[2];   // the side is a point: it has no rotation
    bool on_bone;       // side b is a point of a bone; its rotations at the start and the end of the step:
    sn_quat bone[2];    //
    sn_vec3 arm;        // 'offset' in the world, at the start of the step
    sn_quat frame[2];   // of segments, at the start of the substep
    // ---- state
    sn_vec3 local;                   // the point in the collider's frame
    sn_vec3 offset;                  // kept between the two sides, in the frame of side b
    sn_vec3 from;                    // the point of space at the start of the step
    sn_quat relation;                // of side a's frame to side b's, when the joint was created
    sn_quat rotation, rotation_from; // of a point of space at the end and at the start of the step
    sn_vec3 impulse;                 // multiplier of the point constraint
    sn_vec3 angular_impulse;         // multiplier of the rotation constraint
    sn_real force, torque;           // N, N m, of the last substep
    // Values before the last sweep, and search directions: see contact_solve.c.
    sn_vec3 last_impulse, impulse_direction, last_angular_impulse, angular_impulse_direction;
} sn_joint_body;

typedef struct {
    sn_world *world;
    sn_memory *memory;
    const sn_log *log;
    sn_joint_body *items;
    int count, capacity, free_item, alive;
    struct sn_joint_filter *filter; // of the step: the pairs that must not collide; null: none
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

// joint_solve.c
void sn_joints_activate(void *joints, sn_contacts *contacts);
void sn_joints_begin_search(void *joints);
void sn_joints_accelerate(void *joints, sn_real beta);
void sn_joints_sweep(void *joints, sn_contacts *contacts, sn_real share);
void sn_joints_end(void *joints, sn_profile *profile);

// joint_save.c
void sn_joints_save(void *joints, sn_stream *stream);

#endif
