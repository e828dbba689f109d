// What the joint contact filter (joint_filter.c) takes for joints besides those that were made: points that stand in
// something, and places where joints coincide.
#ifndef SN_COUPLINGS_JOINT_JOINT_FILTER_H
#define SN_COUPLINGS_JOINT_JOINT_FILTER_H

#include "couplings/joint/joint.h"

typedef struct {
    sn_joint_body *items; // null: they are only counted
    int count;
} sn_implied_joints;

// Whether its two sides do not collide at it.
bool sn_joint_is_between(const sn_joint_body *joint);
// Whether it holds something that bends at a point of space. One that gives way only pulls at it.
bool sn_joint_holds_in_space(const sn_contacts *contacts, const sn_joint_body *joint);
// The point of a side, and the radius of its body there.
sn_vec3 sn_joint_point(const sn_contacts *contacts, const sn_joint_body *joint, int side, sn_real *radius);
// Adds the places where joints coincide (joint_coincident.c). False: no memory.
bool sn_joints_list_coincident(const sn_joints *joints, sn_contacts *contacts, sn_implied_joints *out);

#endif
