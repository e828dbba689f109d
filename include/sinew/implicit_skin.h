// Implicit skins: a surface that follows the bones of a character by staying on the level sets of fields around them, so
// that it folds, touches itself and bulges over muscles without going through itself (Vaillant et al. 2013 and 2014;
// with muscles, Roussellet et al. 2018).
//
//     sn_implicit_model_create    mesh, skeleton, fields, muscles     once a character; or from bytes that
//     sn_implicit_model_restore   `sinew implicit` has baked of a skinned glTF file
//     sn_implicit_skin_create     one copy                            once a copy
//     sn_implicit_model_cover     muscles of a world stay under it    once a copy
//     sn_implicit_skin_update     positions and normals as they are   every frame
//
// Muscles of a character are in a world (muscles.h) and are stepped there; a skin looks at them, and changes nothing.
#ifndef SINEW_IMPLICIT_H
#define SINEW_IMPLICIT_H

#include "implicit_muscle.h"
#include "skin.h"

// What the field of a bone does with that of its parent where both are.
typedef enum {
    SN_FOLD_UNION = 0,  // the larger counts: shoulders, hips, necks
    SN_FOLD_ELBOW = 1,  // blended where the limb is nearly straight: elbows, knees
    SN_FOLD_FINGER = 2, // blended where it is bent
    SN_FOLD_KINDS = 3,  // how many there are
} sn_fold_kind;

// A bone: rigid, a place and a turn.
typedef struct {
    int parent;        // the bone that it is joined to, -1: none; always before it in the list
    sn_fold_kind kind; // of the joint with the parent
    sn_transform rest; // in the space of the mesh
    int first_centre;  // of its field, in the asset's lists
    int centre_count;  // 0: it has no field, and its vertices are only skinned
    sn_real reach;     // m: the field ends where d = reach; about as far as its skin is from the bone
    sn_real radius;    // m, of the limb: vertices are moved by parts of it
    sn_vec3 low, high; // box of the field in the bone's axes, outside of which it is 0; both 0: it is found
} sn_implicit_bone;

// What an implicit skin is made of: plain arrays. The field of a bone is
//
//     d(p) = sum l (alpha l^2 + 3 beta . e),     e = p - centre, l = |e|,     in the bone's axes
//
// negative inside. It is given by alphas and betas, or fitted to samples: then d = 0 at the centres, with the normals as
// gradient there (a Hermite radial basis function). Some 50 samples of the skin around a bone do, none of them close to
// joints, and one at each end of the bone as far beyond it as the limb is thick.
typedef struct {
    int bone_count; // 1 to 512
    sn_implicit_bone *bones;
    int centre_count;
    sn_vec3 *centres;
    sn_real *alphas;  // or null: fields are fitted
    sn_vec3 *betas;   //
    sn_vec3 *normals; // of the samples, outward, of length 1, in the bone's axes; not needed with alphas and betas

    int vertex_count;
    sn_vec3 *vertices;                      // at rest, m; those in one place, as at seams, move together
    int (*influences)[SN_SKIN_INFLUENCES];  // the bones that carry each
    sn_real (*weights)[SN_SKIN_INFLUENCES]; // at least 0, more than 0 together; scaled to add up to 1
    int *owners;                            // the bone whose field each follows, -1: none; or null: that of most weight
    int triangle_count;
    int (*triangles)[3]; // counterclockwise from outside

    // Muscles under it, in order of those in the world; or none.
    int muscle_count;
    sn_implicit_muscle_def *muscles;
    int *muscle_bones; // of each: the bone under whose skin it lies, -1: it does not show
    int shape_count;
    sn_implicit_muscle_bone *shapes; // what muscles keep out of
} sn_implicit_asset;

// A model: an asset that was checked and copied, and what follows from it. Opaque; never changes once made, so several
// threads may use it.
typedef struct sn_implicit_model sn_implicit_model;

// One copy of a skin. Opaque; used by one thread at a time.
typedef struct sn_implicit_skin sn_implicit_skin;

// How a model is made. Start from sn_implicit_model_def_default().
typedef struct {
    const sn_implicit_asset *asset; // copied; not looked at by sn_implicit_model_restore
    int lanes;                      // SIMD lanes: 1, 4, 8 or 16; default 0 = the machine's best
    sn_allocator allocator;         // of the model and its skins; default all null: malloc and free
    sn_log_fn *log;                 // default null: silent
    void *log_user;                 // handed to log
    uint32_t init_mark;             // set by sn_implicit_model_def_default, always checked
} sn_implicit_model_def;

// The defaults named above.
SN_API sn_implicit_model_def sn_implicit_model_def_default(void);

// Makes a model, with its muscles at rest. SN_ERR_DEF: a log line for each mistake, naming the field and the bone or
// vertex; *out is then null. Fitting fields takes milliseconds a bone.
SN_API sn_status sn_implicit_model_create(const sn_implicit_model_def *def, sn_implicit_model **out);

// Writes a model as bytes, to be kept in a file, and makes one of them. Save returns how many bytes there are, and
// writes nothing if that is more than 'capacity' or 'dst' is null. SN_ERR_FORMAT: no saved model, or a damaged one.
SN_API size_t sn_implicit_model_save(const sn_implicit_model *model, void *dst, size_t capacity);
SN_API sn_status sn_implicit_model_restore(const sn_implicit_model_def *def, const void *bytes, size_t size,
                                           sn_implicit_model **out);

// Frees a model; null is fine. SN_ERR_BUSY, and nothing is done, while it has skins or covers muscles.
SN_API sn_status sn_implicit_model_destroy(sn_implicit_model *model);

// Its arrays, with fields and boxes found; null for null.
SN_API const sn_implicit_asset *sn_implicit_model_asset(const sn_implicit_model *model);

// Its muscles, to be given to sn_implicit_muscles_create; poses are those at rest. For null, the same as
// sn_implicit_muscles_def_default(). Pointers are good as long as the model.
SN_API sn_implicit_muscles_def sn_implicit_model_muscles(const sn_implicit_model *model);

// Keeps the muscles of a world under the skin from the next step on: no point of an axis comes farther out of the fields
// of its bones than it is at rest. They must be those of the model. bones: of each bone of the muscles its number in the
// model; null: the same. The model is in use as long as the muscles are there, or until another one covers them; null:
// nothing does. A world that was restored has to be told again.
SN_API sn_status sn_implicit_model_cover(sn_implicit_model *model, sn_world *world, sn_body muscles, const int *bones);

// How a skin is tracked. Start from sn_implicit_settings_default().
typedef struct {
    int relaxations;    // rounds of a step to the level and one along it, 0 to 100; default 2
    int newton;         // most steps to the level after them, 0 to 1000; default 12
    sn_real tolerance;  // of the field's value, whose levels go from 0 to 1; default 0.001
    sn_real pull;       // to where skinning would be, where joints are nearly straight, 0 to 1; default 0.05
    int smoothings;     // of what is given out, where the skin touches itself, 0 to 100; default 3
    uint32_t init_mark; // set by sn_implicit_settings_default, always checked
} sn_implicit_settings;

// The defaults named above.
SN_API sn_implicit_settings sn_implicit_settings_default(void);

// Makes a copy, at rest.
SN_API sn_status sn_implicit_skin_create(sn_implicit_model *model, sn_implicit_skin **out);

// Frees a copy; null is fine.
SN_API void sn_implicit_skin_destroy(sn_implicit_skin *skin);

// Changes how it is tracked, from the next update on. SN_ERR_RANGE: a setting is out of its range.
SN_API sn_status sn_implicit_skin_set(sn_implicit_skin *skin, const sn_implicit_settings *settings);
SN_API sn_status sn_implicit_skin_get(const sn_implicit_skin *skin, sn_implicit_settings *out);

// Puts the vertices where plain skinning takes them from rest, to start in another pose or after a cut. Poses are those
// of all bones.
SN_API sn_status sn_implicit_skin_place(sn_implicit_skin *skin, const sn_transform *poses, sn_blend blend);

// Where vertices go: for vertex i three numbers at (char *)positions + i * position_stride, normals likewise. Strides
// are in bytes, at least 3 numbers and a multiple of a number.
typedef struct {
    sn_real *positions; // null: none
    size_t position_stride;
    sn_real *normals; // null: none
    size_t normal_stride;
} sn_implicit_output;

// How it went.
typedef struct {
    int missed;   // vertices farther than the tolerance from their level
    int touching; // vertices where the skin touches itself
} sn_implicit_tracked;

// Lets the skin follow from where it is to where the bones are, with the world's workers. Poses are those of all bones;
// null: those of the muscles (sn_implicit_muscles_get_poses). Call it every step: large turns are made in parts, but the way
// there is not known. The world and the muscles may be null if the model has none; 'out' and 'tracked' may be null.
// SN_ERR_RANGE: a pose is not finite or no rotation, or muscles are not those of the model. SN_ERR_STALE_ID: they are
// gone. Nothing has changed then. Allocates nothing after the first call.
SN_API sn_status sn_implicit_skin_update(sn_implicit_skin *skin, const sn_world *world, sn_body muscles,
                                         const sn_transform *poses, const sn_implicit_output *out,
                                         sn_implicit_tracked *tracked);

// Vertices and normals as they were given last, without following.
SN_API sn_status sn_implicit_skin_read(const sn_implicit_skin *skin, const sn_implicit_output *out);

// Writes where a copy is as bytes, and puts a copy of the same model there: to go back in time. Save as above.
SN_API size_t sn_implicit_skin_save(const sn_implicit_skin *skin, void *dst, size_t capacity);
SN_API sn_status sn_implicit_skin_restore(sn_implicit_skin *skin, const void *bytes, size_t size);

#endif
