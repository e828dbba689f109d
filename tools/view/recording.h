// A run as it is seen from outside: bodies as meshes on joints, and where the joints were in every frame. Everything
// that writes animations or draws pictures takes a recording, so none of it knows worlds or scenes.
//
// A vertex x of a body in a frame is the linear blend of its joints j with weights w,
//
//     sum of w_j P_j B_j^-1 x,        P = position + turn (scale ...), B the same at rest, scale along each axis,
//
// which is what skinned glTF does, so files and pictures show the same. The vertices of a deforming body (cloth, a
// solid of springs) go anywhere: where they were in every frame is kept as it is.
#ifndef SN_VIEW_RECORDING_H
#define SN_VIEW_RECORDING_H

#include "mesh/mesh.h"
#include "sinew/skin.h"

// Where a joint is: x -> position + turn (scale x).
typedef sn_joint_pose joint_pose;

// The largest of a joint's scales. Pills have the same in all directions.
sn_real joint_pose_scale(const joint_pose *pose);

// What several bodies may share. A rod has the pills between its joints, and either a skin or a mesh made of the pills.
typedef struct {
    sn_mesh mesh;     // at rest, with normals; with joints also joint numbers and weights
    bool deforming;   // it has no joints, its vertices go anywhere; no other body has this shape
    int joint_count;  // 0: it stands still, or deforms
    joint_pose *rest; // of each joint
    int *parents;     // or null: no pills. Pill k reaches from joint k to joint parents[k], if that is not -1
    sn_real *radii;   // of the pills at rest; or null
    bool skinned;     // the mesh is more than its pills, which are not shown
    bool open;        // both sides of the mesh can be seen
} recorded_shape;

typedef struct {
    char name[64];
    int shape;
    int first;       // of its joints among all; if it deforms: of its vertices among all of those
    float colour[3]; // linear, 0 to 1
} recorded_body;

// A plane that is solid below, for pictures.
typedef struct {
    sn_vec3 point, normal;
} recorded_plane;

// Deforming vertices are kept up to this: five minutes of 20,000 vertices at 30 frames a second.
#define RECORDING_MOST_BYTES ((size_t)1 << 31)

typedef struct {
    recorded_shape *shapes;
    recorded_body *bodies;
    recorded_plane *planes;
    int shape_count, body_count, plane_count, joint_count;
    int vertex_count;     // of all bodies that deform
    double *times;        // of each frame, s
    joint_pose *poses;    // frame after frame, joint_count each
    float (*vertices)[3]; // frame after frame, vertex_count each
    size_t most_bytes;    // for vertices; 0: RECORDING_MOST_BYTES
    int frame_count, frame_capacity;
} recording;

// Makes room for one more frame and returns its poses, to be filled, as are its vertices. Null: no memory, or the
// vertices would take more than they may.
joint_pose *recording_add(recording *take, double t);

// The poses and the deforming vertices of one frame.
const joint_pose *recording_frame(const recording *take, int frame);
float (*recording_frame_vertices(const recording *take, int frame))[3];

// Turns a quaternion's sign so that it is near the one before: interpolation then goes the short way.
void recording_settle(recording *take);

// Vertices of a body in a frame, and normals (null: not wanted); shape.mesh.vertex_count of each. Normals of what deforms
// are those of its triangles, by area. False without memory.
bool recording_vertices(const recording *take, int frame, int body, float (*positions)[3], float (*normals)[3]);

// Vertices of all bodies that move; static ones are not in vertex caches.
int64_t recording_vertex_count(const recording *take);

// Whether a body moves.
bool recording_moves(const recording *take, int body);

// Frees what it holds. An empty one is fine.
void recording_free(recording *take);

#endif
