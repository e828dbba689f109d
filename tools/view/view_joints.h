// The joints of a kind, for poses.c and the view_KIND.c of kinds that are pills.
#ifndef SN_VIEW_VIEW_JOINTS_H
#define SN_VIEW_VIEW_JOINTS_H

#include "view/poses.h"

// A body whose joints are read in every frame.
typedef struct {
    pose_body is;
    int count;                // of joints
    sn_skin_instance *skin;   // skinned rods
    sn_quat *start_rotations; // other pills, at each point: (frame at the start)^-1 (rotation of the placement)
    sn_real *radii;           // other pills: at rest
    int32_t *chain;           // chains: the point of each joint,
    int32_t *parents;         // the joint that each line leads to, or -1,
    sn_vec3 *directions;      // and the direction of the line at the start
} posed_body;

struct view_poses {
    posed_body *bodies;
    int count, body_capacity;
    sn_skin **skins; // one for each number of handles
    int skin_count;
    int capacity; // joints of the largest body; buffers for one:
    sn_handle *handles;
    sn_section *sections;
    sn_vec3 *points;
    sn_quat *frames;
    sn_real *scales;
    int *parents;
};

// Fills in what is read once (false: out of memory), and reads the joints. `scale` may be null. A body that is gone
// leaves `out` unchanged.
struct view_joints {
    bool (*start)(view_poses *poses, const sn_world *world, posed_body *body);
    void (*read)(view_poses *poses, const sn_world *world, const posed_body *body, sn_joint_pose *out, sn_real *scale);
};

// A skin of `count` handles and one vertex: only its handles matter. Null: out of memory.
sn_skin *poses_skin(view_poses *poses, int count);

// Adds k q to a sum of quaternions, of the two with the sign that is closer.
sn_quat poses_add_rotation(sn_quat sum, sn_real k, sn_quat q);

#endif
