// From a skinned mesh to the rig of an implicit skin: fields fitted to the skin around each bone, and what tracking
// needs of the surface. Where users' meshes leave something open it is decided here, and said.
#ifndef SN_BAKE_IMPLICIT_RIG_H
#define SN_BAKE_IMPLICIT_RIG_H

#include "mesh/error.h"
#include "mesh/mesh.h"
#include "skin/implicit/implicit_skin.h"

// A bone of the skeleton that the mesh hangs on; mesh->joint counts in this list. Parents may come in any order.
typedef struct {
    char name[64];
    int parent; // -1: none
    sn_fold_kind kind;
    sn_bone_pose rest; // where it starts, in the mesh's space
    bool has_tail;     // false: it ends at the mean of its children, or of its vertices if it has none
    double tail[3];
} sn_rig_bone;

typedef struct {
    int samples;      // of each bone's field; 50
    int min_vertices; // vertices that a bone must have to get a field; 12
    double joint_gap; // part of a bone's length near joints that gives no samples; 0.1
    // How far a sample is to be moved inward to make room for muscles, m; at most 0.6 of the way to the bone is. Null:
    // none.
    double (*inward)(const void *user, int bone, const double point[3]);
    const void *user;
} sn_rig_options;

sn_rig_options sn_rig_options_default(void);

typedef struct {
    sn_implicit_def def;    // its arrays belong to the model
    int *vertex_index;      // of each vertex of the mesh: its number in the rig; vertices in one place are one
    int *rig_bone_of;       // of each bone given: its number in the rig, where parents come first
    int *source_bone_of;    // the other way round
    int *samples;           // of each bone of the rig; 0: it has no field
    int fieldless_vertices; // vertices whose bone has no field: they are only carried
} sn_rig_model;

// False: 'why' says what is wrong with the mesh or the skeleton; out is then empty.
bool sn_rig_make(const sn_mesh *mesh, const sn_rig_bone *bones, int bone_count, const sn_rig_options *options,
                 sn_rig_model *out, tool_error *error);
void sn_rig_free(sn_rig_model *model);

// A kind of joint by a bone's name: elbows for forearms, calves and the like, fingers, or a union.
sn_fold_kind sn_rig_kind(const char *name);

// Bones at rest from inverse bind matrices, column after column as in glTF. Matrices may have a scale, the same in all
// directions; false: one has more than that, or is singular.
bool sn_rig_rest(const float inverse_bind[16], sn_bone_pose *out, tool_error *error);

// Where a skin matrix (world times inverse bind) takes a bone. False: it is not rigid, and 'why' says how it scales.
bool sn_rig_pose(const sn_bone_pose *rest, const float matrix[16], sn_bone_pose *out, tool_error *error);

#endif
