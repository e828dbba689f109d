// Where rods, chains and muscles are, as joints of a mesh: what animation files, pictures and the viewer's page are made
// of.
#ifndef SN_VIEW_POSES_H
#define SN_VIEW_POSES_H

#include "view/surfaces.h"

typedef struct live_poses live_poses;

live_poses *poses_new(void);
void poses_free(live_poses *poses);

// A rod whose joints are told; or a muscle, whose joints are its cross-sections; or a chain.
typedef struct {
    sn_body rod;
    sn_bundle bundle;    // not null: of a muscle, which is always skinned
    surface_body chain;  // not null: a body without triangles, see surface_chain
    int first;           // of its joints among all
    bool skinned;        // its joints are handles of a skin: they stretch along the rod. Else they scale by its radius
    sn_vec3 position;    // where the space of its mesh was put when the rod was made
    sn_quat turn;        //
    sn_joint_pose *rest; // of a skinned rod: its mesh's joints at rest, one a point or cross-section; must stay there
    bool fill_rest;      // 'rest' is to be filled: the first rod of a mesh says how its joints lie
} pose_rod;

// Adds a rod as it lies at the start. False: no memory, or there is no such rod or bundle.
bool poses_add(live_poses *poses, const sn_world *world, const pose_rod *rod);

// The rods as they were added.
int poses_count(const live_poses *poses);
const pose_rod *poses_rod(const live_poses *poses, int i);

// How many joints it has; and of a chain the point that each is, and the joint that it hangs on, or -1.
int poses_joints(const live_poses *poses, int i);
const int32_t *poses_chain(const live_poses *poses, int i);
const int32_t *poses_parents(const live_poses *poses, int i);

// Writes the joints of all rods into out[first...]; 'scales' (may be null) gets each point's radius over that at rest.
// Rods that are gone are left as they are.
void poses_read(live_poses *poses, const sn_world *world, sn_joint_pose *out, sn_real *scales);

#endif
