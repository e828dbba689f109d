// Joints: hold a point of a body at a point of another body or of space.
#ifndef SINEW_JOINT_H
#define SINEW_JOINT_H

#include "body.h"

// A joint in a world. All zero means none.
typedef struct {
    uint32_t slot1, gen;
} sn_joint;

// What a joint constrains.
typedef enum {
    SN_JOINT_POINT = 0, // the points coincide: a ball joint
    SN_JOINT_DIRECTION =
        1, // and the direction of segment a, or 'axis', relative to side b: it may still rotate about that, as on a hinge
    SN_JOINT_WELD = 2,   // and its twist: the two are one piece
    SN_JOINT_SLIDER = 3, // all but the displacement along 'axis'
    SN_JOINT_DISTANCE =
        4, // the distance of the two points: a rod; a rope, if it is limited from 0 to its length; a spring, with a motor
} sn_joint_kind;

// A motor, or a spring and damper, on the coordinate of a joint (see sn_joint_def). It pulls with -stiffness (coordinate - target) - damping
// (rate - speed), at the end of each substep, so that it may be as stiff as you like. All 0: none. Units are those of the
// coordinate: stiffness in N m/rad or N/m.
typedef struct {
    sn_real stiffness, damping; // a motor that keeps a speed has a large damping
    sn_real target, speed;      // rad and rad/s, or m and m/s
    sn_real max_force;          // N m, or N; 0: no limit
} sn_joint_motor;

// The definition of a joint. Start from sn_joint_def_default(). Side a is a point of a body that is not static or kinematic; side b a
// point of another body, or of space if body_b is null. A rigid body is held where 'position' is when the joint is made. Directions and twist, which only rods have, are held as they are
// relative to each other when the joint is made. The two sides do not collide at the joint, or contacts would push out
// what the joint pulls in; elsewhere they collide as usual.
typedef struct {
    sn_joint_kind kind; // default SN_JOINT_POINT
    sn_body body_a;     //
    int segment_a;      // of a rod: see sn_rod_def
    sn_real along_a;    // of a rod: where on the segment, 0 its parent's point, 1 its own
    int point_a;        // of other bodies: see sn_body_get_points
    sn_body body_b;     // null: a point of space
    int segment_b;      //
    sn_real along_b;    //
    int point_b;        //
    sn_vec3 position; // where a body is rigid or body_b is null: the point in the world, m; it moves with rigid bodies
    sn_vec3 position_b;         // of SN_JOINT_DISTANCE: the same of side b, where that is rigid or a point of space
    bool keep_offset;           // keep the present offset between the two points instead of pulling them together; the
                                // offset rotates with side b if that is a segment, a rigid body or a bone
    bool collide;               // the two sides also collide at the joint; default false
    sn_real compliance;         // m/N; default 0
    sn_real angular_compliance; // of directions and welds, rad/(N m); default 0
    sn_real max_force;          // N; default 0 = no limit
    sn_real break_force;        // N: the joint is destroyed after a step in which it pulled harder; default 0 = never
    // In the world's axes when the joint is made, of any length but 0 (none, the default). Of SN_JOINT_DIRECTION: held instead of the
    // direction of segment a, or the z axis of a rigid body: a hinge. Of SN_JOINT_SLIDER, which needs it: the direction in which it
    // slides. Of SN_JOINT_POINT: what 'swing' and limits of the twist are measured by.
    sn_vec3 axis;
    // What a joint leaves free is its coordinate: of SN_JOINT_DIRECTION with an axis the angle about it, of SN_JOINT_SLIDER the
    // displacement along it, of SN_JOINT_POINT with an axis the twist about it, of SN_JOINT_DISTANCE the distance. It is that of
    // side a against side b; angles and displacements are 0 when the joint is made. Limits give by the joint's compliance.
    bool limited;         // the coordinate stays from 'lower' to 'upper', rad or m
    sn_real lower, upper; //
    sn_real swing; // of SN_JOINT_POINT with an axis: the largest angle between it and where b has it, rad; 0: any
    sn_joint_motor motor; // default none
    sn_real friction;     // N m, or N: what it takes to move the coordinate; default 0
    sn_real break_torque; // N m: as break_force; default 0 = never
    uint32_t init_mark;   // set by sn_joint_def_default, always checked
} sn_joint_def;

// Returns the defaults named above.
SN_API sn_joint_def sn_joint_def_default(void);

// Creates a joint. Errors in the definition: SN_ERR_DEF and a log line for every bad field; *out is then null. A joint is
// destroyed with either of its bodies.
SN_API sn_status sn_joint_create(sn_world *world, const sn_joint_def *def, sn_joint *out);

// Destroys a joint; its handle is stale from then on.
SN_API sn_status sn_joint_destroy(sn_world *world, sn_joint joint);

// Returns whether the joint exists.
SN_API bool sn_joint_exists(const sn_world *world, sn_joint joint);

// The user pointer: null at first, not saved, never used by the engine.
SN_API void *sn_joint_user(const sn_world *world, sn_joint joint);
SN_API sn_status sn_joint_set_user(sn_world *world, sn_joint joint, void *user);

// The number of joints, and the i-th in order of slots; null out of range.
SN_API int sn_world_joint_count(const sn_world *world);
SN_API sn_joint sn_world_joint_at(const sn_world *world, int i);

// The definition the joint has now.
SN_API sn_status sn_joint_get_def(const sn_world *world, sn_joint joint, sn_joint_def *out);

// Sets the motor of a joint with a coordinate; SN_ERR_RANGE for others, and for numbers that a definition may not have.
SN_API sn_status sn_joint_set_motor(sn_world *world, sn_joint joint, const sn_joint_motor *motor);

// The coordinate of a joint, rad or m; 0 if it has none. Angles of limited joints and of those with a motor or friction go on after a
// turn, others are within half a turn.
SN_API sn_real sn_joint_coordinate(const sn_world *world, sn_joint joint);

// Moves the point of space that a joint pulls to; substeps move it there evenly.
SN_API sn_status sn_joint_move(sn_world *world, sn_joint joint, sn_vec3 position);

// Rotates that point, for joints that hold a direction: relative to the creation of the joint.
SN_API sn_status sn_joint_rotate(sn_world *world, sn_joint joint, sn_quat rotation);
SN_API sn_quat sn_joint_rotation(const sn_world *world, sn_joint joint);

// The force (N) and the torque (N m) that the joint bore in the last substep; 0 if the handle is stale or its body
// diverged and was reset.
SN_API sn_real sn_joint_force(const sn_world *world, sn_joint joint);
SN_API sn_real sn_joint_torque(const sn_world *world, sn_joint joint);

// The same as vectors in the world: what side a exerts on side b, the torque about 'point', where the joint holds a (null: not asked).
SN_API sn_status sn_joint_get_reaction(const sn_world *world, sn_joint joint, sn_vec3 *force, sn_vec3 *torque,
                                       sn_vec3 *point);

#endif
