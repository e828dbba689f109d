// The poses of joints of bodies that are drawn on joints: pills, chains (surfaces without triangles) and muscles
// (bundles). Animation files, pictures and pages are made of them.
#ifndef SN_VIEW_POSES_H
#define SN_VIEW_POSES_H

#include "view/view_kinds.h"

typedef struct view_poses view_poses;

view_poses *poses_new(void);
void poses_free(view_poses *poses);

// A body whose joints are read.
typedef struct {
    sn_body body;        // pills or a chain;
    sn_bundle bundle;    // unless this is not null: a muscle, whose joints are its cross-sections; always skinned
    int first;           // index of its first joint
    bool skinned;        // joints are handles of a skin and stretch along the body; else they scale with its radius
    sn_vec3 position;    // the placement of its mesh when the body was created
    sn_quat rotation;    //
    sn_joint_pose *rest; // skinned: the joints of its mesh at rest; must outlive the poses
    bool fill_rest;      // `rest` is to be filled: the first body of a mesh defines its joints
} pose_body;

// Adds a body as it is at the start. False: out of memory, or there is no such body or bundle.
bool poses_add(view_poses *poses, const sn_world *world, const pose_body *body);

// The bodies in the order in which they were added.
int poses_count(const view_poses *poses);
const pose_body *poses_body(const view_poses *poses, int i);
int poses_joints(const view_poses *poses, int i); // how many it has

// Chains: the point of each joint, and the joint that it is connected to, or -1. Null: it is not a chain.
const int32_t *poses_chain(const view_poses *poses, int i);
const int32_t *poses_parents(const view_poses *poses, int i);

// Writes the joints of all bodies into out[first...]; `scales` (may be null) gets each point's radius over that at rest.
// Bodies that are gone are left as they are.
void poses_read(view_poses *poses, const sn_world *world, sn_joint_pose *out, sn_real *scales);

#endif
