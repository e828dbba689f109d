// Turns a skinned mesh into the rig of an implicit skin: fields fitted to the skin around each bone, and the mesh data
// that tracking needs. Ambiguities in users' meshes are resolved here.
#ifndef SN_BAKE_IMPLICIT_RIG_H
#define SN_BAKE_IMPLICIT_RIG_H

#include "mesh/error.h"
#include "mesh/mesh.h"
#include "skin/implicit/implicit_skin.h"

// A bone of the mesh's skeleton; mesh->joint indexes this list. Parents may come in any order.
typedef struct {
    char name[64];
    int parent; // -1: none
    sn_fold_kind kind;
    sn_transform rest; // start of the bone, in mesh space
    bool has_tail;     // false: it ends at the mean of its children, or of its vertices if it has none
    double tail[3];
} sn_rig_bone;

typedef struct {
    int samples;      // per bone's field; default 50
    int min_vertices; // that a bone needs to get a field; default 12
    double joint_gap; // fraction of a bone's length near joints without samples; default 0.1
    // How far to move a sample inward to make space for muscles, m; clamped to 0.6 of the distance to the bone. Null:
    // 0.
    double (*inward)(const void *user, int bone, const double point[3]);
    const void *user;
} sn_rig_options;

sn_rig_options sn_rig_options_default(void);

typedef struct {
    sn_implicit_def def;    // its arrays belong to the model
    int *vertex_index;      // of each mesh vertex: its index in the rig; vertices at the same position are merged
    int *rig_bone_of;       // of each input bone: its index in the rig, where parents come first
    int *source_bone_of;    // of each rig bone: its input bone
    int *samples;           // of each rig bone; 0: no field
    int fieldless_vertices; // vertices whose bone has no field; these are only skinned
    int rigid_vertices;     // vertices of connected parts that follow one bone alone; these too
} sn_rig_model;

// False: 'error' says what is wrong with the mesh or the skeleton; 'out' is empty.
bool sn_rig_make(const sn_mesh *mesh, const sn_rig_bone *bones, int bone_count, const sn_rig_options *options,
                 sn_rig_model *out, tool_error *error);
void sn_rig_free(sn_rig_model *model);

// Guesses the joint kind from a bone's name: elbow for forearms, calves and the like, finger, or union.
sn_fold_kind sn_rig_kind(const char *name);

// Rest pose of a bone from its inverse bind matrix, column-major as in glTF. The matrix may have a uniform scale.
// False: it has a non-uniform scale or is singular.
bool sn_rig_rest(const float inverse_bind[16], sn_transform *out, tool_error *error);

// Pose of a bone from a skin matrix (world times inverse bind). False: not rigid; 'error' says how it scales.
bool sn_rig_pose(const sn_transform *rest, const float matrix[16], sn_transform *out, tool_error *error);

#endif
