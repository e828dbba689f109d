// A run as it is seen from outside: bodies as meshes on joints, and where the joints were in every frame. Everything
// that writes animations or draws pictures takes a recording, so none of it knows worlds or scenes.
//
// A vertex x of a body in a frame is the linear blend of its joints j with weights w,
//
//     sum of w_j P_j B_j^-1 x,        P = position + turn (scale ...), B the same at rest, scale along each axis,
//
// which is what skinned glTF does, so files and pictures show the same.
#ifndef SN_IO_RECORDING_H
#define SN_IO_RECORDING_H

#include "prepare/mesh.h"
#include "sinew/skin.h"

// Where a joint is: x -> position + turn (scale x).
typedef sn_joint_pose joint_pose;

// The largest of a joint's scales. Pills have the same in all directions.
sn_real joint_pose_scale(const joint_pose *pose);

// What several bodies may share. A rod has the pills between its joints, and either a skin or a mesh made of the pills.
typedef struct {
    sn_mesh mesh;     // at rest, with normals; with joints also joint numbers and weights
    int joint_count;  // 0: it stands still
    joint_pose *rest; // of each joint
    int *parents;     // or null: no pills. Pill k reaches from joint k to joint parents[k], if that is not -1
    sn_real *radii;   // of the pills at rest; or null
    bool skinned;     // the mesh is more than its pills, which are not shown
} recorded_shape;

typedef struct {
    char name[64];
    int shape;
    int first;       // of its joints among all
    float colour[3]; // linear, 0 to 1
} recorded_body;

// A plane that is solid below, for pictures.
typedef struct {
    sn_vec3 point, normal;
} recorded_plane;

typedef struct {
    recorded_shape *shapes;
    recorded_body *bodies;
    recorded_plane *planes;
    int shape_count, body_count, plane_count, joint_count;
    double *times;     // of each frame, s
    joint_pose *poses; // frame after frame, joint_count each
    int frame_count, frame_capacity;
} recording;

// Makes room for one more frame and returns its poses, to be filled; null without memory.
joint_pose *recording_add(recording *take, double t);

// The poses of one frame.
const joint_pose *recording_frame(const recording *take, int frame);

// Turns a quaternion's sign so that it is near the one before: interpolation then goes the short way.
void recording_settle(recording *take);

// Vertices of a body in a frame, and normals (null: not wanted); shape.mesh.vertex_count of each. False without memory.
bool recording_vertices(const recording *take, int frame, int body, float (*positions)[3], float (*normals)[3]);

// Vertices of all bodies that move; static ones are not in vertex caches.
int64_t recording_vertex_count(const recording *take);

// Whether a body moves.
bool recording_moves(const recording *take, int body);

// Frees what it holds. An empty one is fine.
void recording_free(recording *take);

#endif
