// What a world looks like. A view_model is what stays the same during a run: bodies as meshes on joints. A view_frame
// is one moment of it: the poses of the joints and the vertices of bodies that deform. Exporters and the renderer see
// only these two, so none of them knows worlds or scenes.
//
// A vertex x of a body is the linear blend of its joints j with weights w,
//
//     sum of w_j P_j B_j^-1 x,        P = position + rotation (scale ...), B the same at rest, one scale per axis,
//
// as in skinned glTF, so files and pictures show the same. Bodies that deform (cloth, solids of springs) have no
// joints: a frame holds their vertices.
#ifndef SN_VIEW_VIEW_MODEL_H
#define SN_VIEW_VIEW_MODEL_H

#include "mesh/mesh.h"
#include "sinew/skin.h"

// Pose of a joint: x -> position + rotation (scale x); the scale is along 'axes', unless that is all zero.
typedef sn_joint_pose joint_pose;
sn_vec3 joint_pose_scaled(const joint_pose *pose, sn_vec3 x); // scale x
// As two poses without axes, one within the other, for files that know no axes: position, rotation axes and scale; then axes^-1.
joint_pose joint_pose_outer(const joint_pose *pose);
joint_pose joint_pose_inner(const joint_pose *pose);

// The largest of a joint's three scales. Those of pills are equal.
sn_real joint_pose_scale(const joint_pose *pose);

// A mesh with its joints; bodies may share it. A rod has pills between its joints, and either a skin or a mesh made of
// the pills.
typedef struct {
    sn_mesh mesh;     // at rest, with normals; if there are joints, with joint indices and weights
    bool deforming;   // it has no joints, frames hold its vertices; exactly one body has this mesh
    int joint_count;  // 0: it never moves, or deforms
    joint_pose *rest; // of each joint
    int *
        parents; // or null: no pills. Pill k connects joint k to joint parents[k], unless that is -1; a ball if it is k
    sn_real *radii; // of the pills at rest; or null
    bool skinned;   // the mesh is a skin: it is drawn instead of the pills
    bool flattens;  // its joints have a scale along axes that change (joint_pose.axes)
    bool open;      // both sides of the mesh are visible
} view_mesh;

typedef struct {
    char name[64];
    int mesh;        // index into view_model.meshes
    int first;       // index of its first joint in a frame; if it deforms: of its first vertex
    float colour[3]; // linear, 0 to 1
} view_body;

// A plane, solid below. Only pictures show it.
typedef struct {
    sn_vec3 point, normal;
} view_plane;

typedef struct {
    view_mesh *meshes;
    view_body *bodies;
    view_plane *planes;
    int mesh_count, body_count, plane_count;
    int joint_count;  // of all bodies
    int vertex_count; // of all bodies that deform
} view_model;

typedef struct {
    double time;          // s
    joint_pose *poses;    // joint_count of them
    float (*vertices)[3]; // vertex_count of them
} view_frame;

// Frees what the model holds. An empty one is fine.
void view_model_free(view_model *model);

// Whether a body moves.
bool view_body_moves(const view_model *model, int body);

// Number of vertices of all bodies that move.
int64_t view_moving_vertex_count(const view_model *model);

// Allocates a frame for the model, filled with zeros. False: out of memory.
bool view_frame_alloc(view_frame *frame, const view_model *model);
void view_frame_free(view_frame *frame);

// Chooses the sign of each rotation so that it is close to that of the frame before: interpolation then takes the
// short arc.
void view_frame_align(view_frame *frame, const view_frame *before, int joint_count);

// Writes the vertices of a body, and its normals unless null; one per vertex of its mesh. Normals of bodies that deform
// are area-weighted means over triangles. False: out of memory.
bool view_body_vertices(const view_model *model, const view_frame *frame, int body, float (*positions)[3],
                        float (*normals)[3]);

// Area-weighted normals of a mesh whose vertices are at `positions`.
void view_mesh_normals(const sn_mesh *mesh, const float (*positions)[3], float (*normals)[3]);

#endif
