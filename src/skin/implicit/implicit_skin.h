// Implicit skin: a surface that follows bones by staying on level sets of fields around them, so that it folds, touches
// and bulges without going through itself (Vaillant et al. 2013, 2014; with muscles, Roussellet et al. 2018).
//
//     field of a bone      a Hermite radial basis function d fitted to the skin around the bone at rest, mapped to
//                          f = 1 deep inside, 1/2 on the skin, 0 far outside (implicit_field.h)
//     muscles of a bone    united, and worked into the bone's field (implicit_operators.h)
//     fields of bones      blended or united over joints, pushed apart where they touch (implicit_compose.h)
//     every frame          vertices are carried along by the bones, relaxed as rigidly as possible, and brought back
//                          to the value they had at rest (implicit_track.c)
//
// Lengths are metres. Bones are rigid: a place and a turn.
#ifndef SN_SKIN_IMPLICIT_IMPLICIT_SKIN_H
#define SN_SKIN_IMPLICIT_IMPLICIT_SKIN_H

#include "base/log.h"
#include "base/math/vec.h"
#include "base/memory.h"
#include "base/tasks.h"
#include "kinds/implicit_muscle/muscle_system.h" // sn_transform
#include "sinew/implicit_skin.h"                 // sn_implicit_bone

enum {
    SN_IMPLICIT_ROW = 16,                        // vertices are worked on by as many at a time
    SN_IMPLICIT_INFLUENCES = SN_SKIN_INFLUENCES, // bones that carry a vertex
    SN_IMPLICIT_MOST_BONES = 512,
    SN_IMPLICIT_PARTS = 4, // capsules along a muscle
};

// Everything that tools/bake/implicit_rig.h makes of a skinned mesh, as plain arrays. They may go after creation.
typedef struct {
    const sn_implicit_bone *bones;
    int bone_count;
    // d(p) = sum l (alpha l^2 + 3 beta . e), e = p - centre, l = |e|, in the bone's axes
    const sn_vec3 *centres;
    const sn_real *alphas;
    const sn_vec3 *betas;
    int centre_count;

    const sn_vec3 *points; // vertices at rest; no two in one place that belong together (seams are welded)
    int count;
    const int *owners; // the bone that each belongs to, -1: none; it is then only carried
    const int (*influences)[SN_IMPLICIT_INFLUENCES];
    const sn_real (*weights)[SN_IMPLICIT_INFLUENCES]; // at least 0, add up to 1

    // Vertices around each vertex: those of i are others[k], first_other[i] <= k < first_other[i + 1].
    const int *first_other, *others;
    const sn_real *cotangents; // how stiff the edge is
    const sn_real *rounds;     // mean value coordinates of i in its ring at rest; all zero: it has none

    int lanes; // of SIMD; 0: as many as the machine has
} sn_implicit_def;

// Muscles as the skin sees them.
typedef struct {
    sn_vec3 a, b;
    sn_real radius;
} sn_implicit_capsule;

typedef struct {
    int count;
    const int *bones;                  // that each belongs to; -1: it does not show
    const sn_implicit_capsule *bounds; // the muscle is within it, in the world
    const unsigned char *moved;        // by more than 0.1 mm to its bone since the last frame; null: all have
    // Distances to the surface of a muscle, less than 0 inside, and their gradients, at SN_IMPLICIT_ROW points of the
    // world, in arrays aligned to 64 bytes. Where all of them are farther than 'limit' it may say just that, with any
    // gradients. May be called by several threads at once; else what it says of a point must not depend on the others.
    void (*field)(const void *user, int muscle, sn_real limit, const sn_real *const q[3], sn_real *f,
                  sn_real *const gradient[3]);
    const void *user;
    const sn_implicit_capsule *parts; // SN_IMPLICIT_PARTS for each, that it is within together; null: only 'bounds'
} sn_skin_muscle_table;

typedef struct sn_implicit_rig sn_implicit_rig;
typedef struct sn_implicit_state sn_implicit_state;

// Checks everything; SN_ERR_DEF: the log has a line for each mistake. The rig is never changed by tracking; many states
// may use one at a time, and must go before it.
sn_status sn_implicit_rig_create(sn_memory *memory, const sn_log *log, const sn_implicit_def *def,
                                 sn_implicit_rig **out);
void sn_implicit_rig_destroy(sn_implicit_rig *rig); // null is fine

// Takes the muscles, as they are at rest, into the values that vertices keep. Null: none, as after creation.
sn_status sn_implicit_rig_bind(sn_implicit_rig *rig, const sn_skin_muscle_table *muscles);

int sn_implicit_bones(const sn_implicit_rig *rig);

typedef enum { SN_START_LINEAR, SN_START_DUAL } sn_implicit_start;

typedef struct {
    bool skip;       // leave what does not move
    int relaxations; // rounds of a step to the level and a step along it; 2
    int newton;      // most steps to the level after them; 12
    sn_real tolerance;
    sn_real pull;   // toward dual quaternion skinning along the surface, where joints are nearly straight; 0.05
    int smoothings; // of the copy that is given out, where it touches itself; 3
} sn_implicit_options;

sn_implicit_options sn_implicit_options_default(void);

// A state starts at rest. Poses are those of all bones.
sn_status sn_implicit_state_create(sn_memory *memory, const sn_implicit_rig *rig, sn_implicit_state **out);
void sn_implicit_state_destroy(sn_implicit_state *state); // null is fine

// Puts the vertices where linear or dual quaternion skinning takes them from rest: to start, or after a cut.
sn_status sn_implicit_place(sn_implicit_state *state, const sn_transform *poses, sn_implicit_start start);

typedef struct {
    int rows;           // of vertices in all
    int tracked;        // of them that were worked on, not skipped
    int evaluations;    // of rows of vertices
    int missed;         // vertices farther than the tolerance from their value
    int touching;       // vertices in contact
    sn_real worst_miss; //
} sn_implicit_report;

// One frame: from where the vertices are to the poses given. Large turns are made in several parts. Allocates nothing.
// 'options' null: defaults; muscles, pool, out and report may be null. SN_ERR_RANGE: a pose is not finite or no
// rotation; nothing has changed.
sn_status sn_implicit_track(sn_implicit_state *state, const sn_transform *poses, const sn_skin_muscle_table *muscles,
                            const sn_implicit_options *options, sn_pool *pool, sn_vec3 *out,
                            sn_implicit_report *report);

// The method of 2013, from skinning alone, without memory of the frame before: for comparison, and for films whose
// frames are made in any order. Ends by itself where gradients turn; deep folds fail.
sn_status sn_implicit_project(sn_implicit_state *state, const sn_transform *poses, const sn_skin_muscle_table *muscles,
                              sn_implicit_start start, sn_pool *pool, sn_vec3 *out);

// Distances to the skin for muscles that are to stay in it: d of a bone, a sn_muscle_distance_fn whose context is a
// sn_implicit_distance.
typedef struct {
    const sn_implicit_rig *rig;
    int bone;
    sn_transform pose; // where the bone is
} sn_implicit_distance;
void sn_implicit_distances(const void *context, int count, const sn_real *const q[3], sn_real *distance,
                           sn_real *const gradient[3]);

// What the next frame depends on, to be saved and put back into a state of the same rig.
void sn_implicit_state_visit(sn_implicit_state *state, sn_stream *stream);

// Where the vertices are, before smoothing; and as they were given out last.
void sn_implicit_points(const sn_implicit_state *state, sn_vec3 *out);
void sn_implicit_given(const sn_implicit_state *state, sn_vec3 *out);

#endif
