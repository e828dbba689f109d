// Implicit skins: the vertices of a character's skin stay on level sets of fields around its bones, so the skin folds,
// self-collides and bulges over muscles without self-intersection (Vaillant et al. 2013 and 2014; with muscles, Roussellet
// et al. 2018).
//
//     sn_implicit_model_create    mesh, skeleton, fields, muscles                  once per character; or
//     sn_implicit_model_restore   the same, baked by `sinew implicit` from glTF
//     sn_implicit_skin_create     an instance of the skin                          once per instance
//     sn_implicit_model_cover     keeps a world's muscles under the skin           once per instance
//     sn_implicit_skin_update     computes positions and normals                   every frame
//
// The muscles are stepped in a world (implicit_muscle.h); a skin only reads them.
#ifndef SINEW_IMPLICIT_H
#define SINEW_IMPLICIT_H

#include "implicit_muscle.h"
#include "skin.h"

// How the fields of a bone and its parent are combined.
typedef enum {
    SN_FOLD_UNION = 0,  // the maximum: shoulders, hips, necks
    SN_FOLD_ELBOW = 1,  // blended where the limb is nearly straight: elbows, knees
    SN_FOLD_FINGER = 2, // blended where it is bent
    SN_FOLD_KINDS = 3,  // the number of kinds
} sn_fold_kind;

// A bone.
typedef struct {
    int parent;        // index of the parent, less than its own; -1: none
    sn_fold_kind kind; // of the joint with the parent
    sn_transform rest; // in the space of the mesh
    int first_centre;  // of its field, in the asset's lists
    int centre_count;  // 0: the bone has no field, its vertices are only skinned
    sn_real reach;     // m: the field ends where d = reach; about the distance of the skin from the bone
    sn_real radius;    // radius of the limb, m: the length scale of vertex steps
    sn_vec3 low, high; // box of the field in the bone's frame; the field is 0 outside. Both 0: computed
} sn_implicit_bone;

// The data of an implicit skin. The field of a bone is
//
//     d(p) = sum l (alpha l^2 + 3 beta . e),     e = p - centre, l = |e|,     in the bone's frame
//
// negative inside. It is given by alphas and betas, or fitted to samples: then d = 0 at the centres, with the normals as
// gradient there (a Hermite radial basis function). About 50 samples of the skin around a bone are enough, none of them close
// to joints, plus one beyond each end of the bone at the distance of the limb's thickness.
typedef struct {
    int bone_count; // 1 to 512
    sn_implicit_bone *bones;
    int centre_count;
    sn_vec3 *centres;
    sn_real *alphas;  // or null: fields are fitted
    sn_vec3 *betas;   //
    sn_vec3 *normals; // of the samples, outward, unit, in the bone's frame; not needed with alphas and betas

    int vertex_count;
    sn_vec3 *vertices;                      // at rest, m; coincident ones, as at seams, move together
    int (*influences)[SN_SKIN_INFLUENCES];  // bones of each vertex
    sn_real (*weights)[SN_SKIN_INFLUENCES]; // not negative, with a positive sum; scaled to sum to 1
    int *owners; // the bone whose field each follows, -1: none; or null: that of largest weight
    int triangle_count;
    int (*triangles)[3]; // counterclockwise from outside

    // Muscles under the skin, in the order of those in the world; or none.
    int muscle_count;
    sn_implicit_muscle_def *muscles;
    int *muscle_bones; // the bone whose skin each muscle deforms, -1: none
    int collider_count;
    sn_implicit_muscle_bone *colliders; // colliders of the bones, for muscles
} sn_implicit_asset;

// A model: a checked copy of an asset, with precomputed data. It is immutable, so several threads may share it.
typedef struct sn_implicit_model sn_implicit_model;

// An instance of a skin. Used by one thread at a time.
typedef struct sn_implicit_skin sn_implicit_skin;

// The definition of a model. Start from sn_implicit_model_def_default().
typedef struct {
    const sn_implicit_asset *asset; // copied; ignored by sn_implicit_model_restore
    int lanes;                      // SIMD lanes: 1, 4, 8 or 16; default 0 = the machine's best
    sn_allocator allocator;         // of the model and its skins; default all null: malloc and free
    sn_log_fn *log;                 // default null: silent
    void *log_user;                 // passed to log
    uint32_t init_mark;             // set by sn_implicit_model_def_default, always checked
} sn_implicit_model_def;

// Returns the defaults named above.
SN_API sn_implicit_model_def sn_implicit_model_def_default(void);

// Creates a model, with its muscles at rest. Errors in the asset: SN_ERR_DEF and a log line for each, naming the field and the
// bone or vertex; *out is then null. Fitting fields takes milliseconds per bone.
SN_API sn_status sn_implicit_model_create(const sn_implicit_model_def *def, sn_implicit_model **out);

// Saves a model to bytes and restores it. Save returns the size in bytes, and writes nothing if that is more than 'capacity' or
// 'dst' is null. SN_ERR_FORMAT: not a saved model, or damaged.
SN_API size_t sn_implicit_model_save(const sn_implicit_model *model, void *dst, size_t capacity);
SN_API sn_status sn_implicit_model_restore(const sn_implicit_model_def *def, const void *bytes, size_t size,
                                           sn_implicit_model **out);

// Destroys a model; null is ignored. SN_ERR_BUSY, and nothing is destroyed, while it has skins or covers muscles.
SN_API sn_status sn_implicit_model_destroy(sn_implicit_model *model);

// Returns the model's asset, with fitted fields and boxes; null for null.
SN_API const sn_implicit_asset *sn_implicit_model_asset(const sn_implicit_model *model);

// Returns the definition of the model's muscles, in the rest pose, for sn_implicit_muscles_create. Its pointers are valid as
// long as the model. For null: sn_implicit_muscles_def_default().
SN_API sn_implicit_muscles_def sn_implicit_model_muscles(const sn_implicit_model *model);

// Keeps the muscles of a world under the skin from the next step on: no point of an axis leaves the fields of its bones farther
// than at rest. They must be the muscles of the model. 'bones' maps each bone of the muscles to its index in the model; null:
// the identity. The model stays in use until the muscles are destroyed or covered by another model; a null model uncovers
// them. Call it again after restoring a world.
SN_API sn_status sn_implicit_model_cover(sn_implicit_model *model, sn_world *world, sn_body muscles, const int *bones);

// How the skin is projected onto its level sets. Start from sn_implicit_settings_default().
typedef struct {
    int relaxations;    // relaxation rounds (a step to the level set and one along it), 0 to 100; default 4
    int newton;         // maximum Newton steps to the level set after them, 0 to 1000; default 12
    sn_real tolerance;  // of the field value, which ranges from 0 to 1; default 0.001
    sn_real pull;       // how much of the correction is taken back to plain skinning, 0 to 1; default 0
    int smoothings;     // smoothing passes of the output where the skin self-collides, 0 to 100; default 4
    uint32_t init_mark; // set by sn_implicit_settings_default, always checked
} sn_implicit_settings;

// Returns the defaults named above.
SN_API sn_implicit_settings sn_implicit_settings_default(void);

// Creates an instance, at rest.
SN_API sn_status sn_implicit_skin_create(sn_implicit_model *model, sn_implicit_skin **out);

// Destroys an instance; null is ignored.
SN_API void sn_implicit_skin_destroy(sn_implicit_skin *skin);

// Sets the settings, from the next update on. SN_ERR_RANGE: a setting is out of range.
SN_API sn_status sn_implicit_skin_set(sn_implicit_skin *skin, const sn_implicit_settings *settings);
SN_API sn_status sn_implicit_skin_get(const sn_implicit_skin *skin, sn_implicit_settings *out);

// Sets the vertices to plain skinning from rest, until the next update: to compare. Poses are those of all bones.
SN_API sn_status sn_implicit_skin_place(sn_implicit_skin *skin, const sn_transform *poses, sn_blend blend);

// Output buffers: vertex i has three numbers at (char *)positions + i * position_stride, normals likewise. Strides are in
// bytes: at least 3 numbers, a multiple of one.
typedef struct {
    sn_real *positions; // null: none
    size_t position_stride;
    sn_real *normals; // null: none
    size_t normal_stride;
} sn_implicit_output;

// The result of an update.
typedef struct {
    int missed;   // vertices farther than the tolerance from their level set
    int contacts; // vertices where the skin self-collides
} sn_implicit_tracked;

// Moves the skin to a new pose, with the world's workers: vertices are skinned, and corrected where the skin meets itself
// and over muscles. The result depends on the pose and the muscles alone. Poses are those of all bones; null: those of the
// muscles (sn_implicit_muscles_get_poses). The world and the muscles may be null if the model has no muscles; 'out' and 'tracked' may be null. SN_ERR_RANGE:
// a pose is not finite or not a rotation, or the muscles are not those of the model. SN_ERR_STALE_ID: the muscles do not
// exist. Nothing changes on errors. Allocates nothing after the first call.
SN_API sn_status sn_implicit_skin_update(sn_implicit_skin *skin, const sn_world *world, sn_body muscles,
                                         const sn_transform *poses, const sn_implicit_output *out,
                                         sn_implicit_tracked *tracked);

// Writes the vertices and normals of the last update again.
SN_API sn_status sn_implicit_skin_read(const sn_implicit_skin *skin, const sn_implicit_output *out);

// Saves the state of an instance to bytes, and restores it into an instance of the same model. Sizes as for
// sn_implicit_model_save.
SN_API size_t sn_implicit_skin_save(const sn_implicit_skin *skin, void *dst, size_t capacity);
SN_API sn_status sn_implicit_skin_restore(sn_implicit_skin *skin, const void *bytes, size_t size);

#endif
