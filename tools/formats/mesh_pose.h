// Where a rig's nodes are at a time of a clip, and where that puts the vertices of a skin.
#ifndef SN_FORMATS_MESH_POSE_H
#define SN_FORMATS_MESH_POSE_H

#include "formats/mesh_file.h"

// The value of a channel at a time: 3 numbers, of rotations 4 and of unit length. Before the first key and after the
// last it holds.
void mesh_channel_sample(const mesh_channel *channel, double seconds, float out[4]);

// Matrices of all nodes to the world, node_count of them: at rest (clip null) or at a time of a clip.
void mesh_pose(const mesh_file *file, const mesh_clip *clip, double seconds, float (*world)[16]);

// What a skin's joints do to a vertex: world * inverse bind, joint_count matrices.
void mesh_pose_skin(const mesh_skin *skin, const float (*world)[16], float (*out)[16]);

// Positions of a mesh's vertices in the world: of one without a skin they are as they are. False: no memory.
bool mesh_pose_vertices(const mesh_file *file, const mesh_item *item, const float (*world)[16], float (*out)[3]);

// Puts meshes with a skin where their joints at rest put them, and all meshes of a file into one after that. False: no
// memory.
bool mesh_show_at_rest(mesh_file *file);
bool mesh_merge_at_rest(mesh_file *file, sn_mesh *out);

// Matrices as in glTF, column after column.
void matrix_multiply(const float a[16], const float b[16], float out[16]); // out may be neither
void matrix_compose(const float translation[3], const float rotation[4], const float scale[3], float out[16]);
void matrix_point(const float m[16], const float point[3], float out[3]);

#endif
