// Poses of a rig: the matrices of its nodes at a time of a clip, and the skinned vertices.
#ifndef SN_FORMATS_MESH_POSE_H
#define SN_FORMATS_MESH_POSE_H

#include "formats/mesh_file.h"

// The value of a channel at a time: 3 numbers, or a unit quaternion. It is constant before the first key and after the
// last.
void mesh_channel_sample(const mesh_channel *channel, double seconds, float out[4]);

// Matrices of all nodes to the world, node_count of them: at rest (clip null) or at a time of a clip.
void mesh_pose(const mesh_file *file, const mesh_clip *clip, double seconds, float (*world)[16]);

// The skinning matrices of the joints: world * inverse bind, joint_count of them.
void mesh_pose_skin(const mesh_skin *skin, const float (*world)[16], float (*out)[16]);

// Positions of the vertices in the world; those of a mesh without a skin are unchanged. False: out of memory.
bool mesh_pose_vertices(const mesh_file *file, const mesh_item *item, const float (*world)[16], float (*out)[3]);

// Merges all meshes of a file, with skinned ones in the rest pose of their joints. False: out of memory.
bool mesh_show_at_rest(mesh_file *file);
bool mesh_merge_at_rest(mesh_file *file, sn_mesh *out);

// Matrices are column-major, as in glTF.
void matrix_multiply(const float a[16], const float b[16], float out[16]); // out must be a third matrix
void matrix_compose(const float translation[3], const float rotation[4], const float scale[3], float out[16]);
void matrix_point(const float m[16], const float point[3], float out[3]);

#endif
