// Calls into a world as data: how a scene moves, loads, activates and releases bodies before a step. A page stores them
// and repeats them without the scene.
#ifndef SN_SCENE_CALLS_H
#define SN_SCENE_CALLS_H

#include "sinew/sinew.h"

typedef enum {
    CALL_CENTRE,        // sn_rod_move_centre: v[0..2]
    CALL_SCALE,         // sn_rod_move_scale: v[0]
    CALL_FRAME,         // sn_rod_move_frame: v[0..3]
    CALL_CLAMP,         // sn_rod_move_clamp: v[0..3]
    CALL_FORCE,         // sn_rod_set_force: v[0..2]
    CALL_TORQUE,        // sn_rod_set_torque: v[0..2]
    CALL_RADIAL,        // sn_rod_set_radial_force: v[0]
    CALL_SEGMENT,       // sn_rod_set_segment: v[0..1]
    CALL_RELEASE,       // sn_rod_hold with SN_HOLD_NONE
    CALL_RIGID_MOVE,    // sn_rigid_move: v[0..2], v[3..6]
    CALL_JOINT_MOVE,    // sn_joint_move: v[0..2]
    CALL_JOINT_ROTATE,  // sn_joint_rotate: v[0..3]
    CALL_JOINT_DESTROY, // sn_joint_destroy
    CALL_ACTIVATE,      // sn_bundle_set_activation: v[0]
    CALL_SPRINGS_MOVE,  // sn_springs_move: v[0..2]
    CALL_SPRINGS_FORCE, // sn_springs_set_force: v[0..2]
    CALL_SPRINGS_MASS,  // sn_springs_set_mass: v[0]
    CALL_BONE,          // sn_implicit_muscles_move_bone: v[0..2], v[3..6]
    CALL_MUSCLE_KEYS,   // sn_implicit_muscles_set_keys: v[0..2]
    CALL_MUSCLE,        // muscle_number_set: the number in v[3], v[0..2]
    CALL_BEND,          // sn_rod_set_rest_curvature: v[0..2]
    CALL_JOINT_MOTOR,   // sn_joint_set_motor: v[0..4] in the order of sn_joint_motor
    CALL_TYPES,
} call_type;

typedef struct {
    uint32_t type;
    uint32_t slot1, gen; // of the rod, rigid body, joint, bundle, springs or muscles
    int32_t index;       // point or segment of a rod, point of springs, bone or muscle of muscles
    float v[7];
} scene_call;

// Makes a call.
sn_status scene_call_apply(sn_world *world, const scene_call *call);

#endif
