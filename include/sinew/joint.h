// Joints: bodies tied to bodies of any kind, to shapes, or to a point in space that you move, stiffly or softly. A mouse
// pulls on a body by one.
#ifndef SINEW_JOINT_H
#define SINEW_JOINT_H

#include "contact.h"
#include "elastic.h"
#include "muscles.h"
#include "spring.h"

// A joint in a world. All zero names none.
typedef struct {
    uint32_t slot1, gen;
} sn_joint;

// What of the two sides a joint holds together.
typedef enum {
    SN_JOINT_POINT = 0,     // the points: a ball in its socket
    SN_JOINT_DIRECTION = 1, // and the direction of segment a to side b: it may still twist about itself
    SN_JOINT_WELD = 2,      // and its twist: the two are one piece
} sn_joint_kind;

// How a joint is made. Start from sn_joint_def_default(). Side a is a point of a body: of a rod, or of what is named
// instead of it; side b a point of another body, of a shape, or of space. Directions and twist, which only rods have,
// are held as they are to each other when the joint is made. What is tied does not touch at the joint, or contacts would
// push out what the joint pulls in; elsewhere it touches as ever.
typedef struct {
    sn_joint_kind kind;      // default SN_JOINT_POINT
    sn_rod rod_a;            // null: see springs_a, elastic_a, muscles_a
    int segment_a;           // see sn_rod_def
    sn_real along_a;         // where on the segment: 0 its parent's point, 1 its own
    sn_springs springs_a;    //
    sn_elastic elastic_a;    //
    sn_muscles muscles_a;    // of those that touch
    int point_a;             // of springs_a; of elastic_a a medial sphere; of muscles_a see sn_muscles_get_points
    sn_rod rod_b;            // null: see springs_b, elastic_b, muscles_b, shape_b
    int segment_b;           //
    sn_real along_b;         //
    sn_springs springs_b;    //
    sn_elastic elastic_b;    //
    sn_muscles muscles_b;    //
    int point_b;             //
    sn_shape shape_b;        // null too: a point of space
    sn_vec3 position;        // with shape_b or space: where, in the world, m; it moves with the shape
    bool keep_offset;        // hold the two where they are to each other now, instead of pulling them together; the
                             // offset turns with side b if that is a segment, a shape or a bone
    bool touch;              // what it ties also touches at the joint; default false: only elsewhere
    sn_real compliance;      // how far it yields, m/N; default 0
    sn_real turn_compliance; // how far a direction or weld turns, rad/(N m); default 0
    sn_real most_force;      // it never pulls harder, N; default 0 = no limit
    sn_real break_force;     // it is gone after a step in which it pulled harder, N; default 0 = it never breaks
    uint32_t init_mark;      // set by sn_joint_def_default, always checked
} sn_joint_def;

// The defaults named above.
SN_API sn_joint_def sn_joint_def_default(void);

// Makes a joint. Mistakes: SN_ERR_DEF and a log line for every bad field; the id is then null. A joint whose body or
// shape is destroyed is destroyed with it.
SN_API sn_status sn_joint_create(sn_world *world, const sn_joint_def *def, sn_joint *out);

// Removes a joint; its id is stale from then on.
SN_API sn_status sn_joint_destroy(sn_world *world, sn_joint joint);

// Whether the id names a living joint.
SN_API bool sn_joint_exists(const sn_world *world, sn_joint joint);

// Moves the point of space that a joint pulls to; substeps move it there evenly.
SN_API sn_status sn_joint_move(sn_world *world, sn_joint joint, sn_vec3 position);

// Turns that point, for joints that hold a direction: 'turn' is from how it was when the joint was made.
SN_API sn_status sn_joint_turn(sn_world *world, sn_joint joint, sn_quat turn);

// The force (N) and the torque (N m) the joint bore in the last substep; 0 if the id is stale, or if what it ties had to
// be put back.
SN_API sn_real sn_joint_force(const sn_world *world, sn_joint joint);
SN_API sn_real sn_joint_torque(const sn_world *world, sn_joint joint);

#endif
