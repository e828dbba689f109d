// Implicit skin: a surface that follows bones by staying on level sets of fields around them, so that it folds and
// bulges without intersecting itself (Vaillant et al. 2013, 2014; with muscles, Roussellet et al. 2018).
//
//     field of a bone      a Hermite radial basis function d fitted to the skin around the bone at rest, mapped to
//                          f = 1 deep inside, 1/2 on the skin, 0 far outside (implicit_field.h)
//     muscles of a bone    united, then combined with the bone's field (implicit_operators.h)
//     fields of bones      blended or united at joints, separated in contact (implicit_compose.h)
//     every frame          vertices are skinned, and where they meet or lie over muscles, moved to the value that the
//                          fields give them there (implicit_track.c)
//
// Lengths are metres. Bones are rigid: a position and a rotation.
#ifndef SN_SKIN_IMPLICIT_IMPLICIT_SKIN_H
#define SN_SKIN_IMPLICIT_IMPLICIT_SKIN_H

#include "base/log.h"
#include "base/math/vec.h"
#include "base/memory.h"
#include "base/tasks.h"
#include "kinds/implicit_muscle/muscle_system.h" // sn_transform
#include "sinew/implicit_skin.h"                 // sn_implicit_bone

enum {
    SN_IMPLICIT_ROW = 16,                        // vertices processed at a time
    SN_IMPLICIT_INFLUENCES = SN_SKIN_INFLUENCES, // bones per vertex
    SN_IMPLICIT_MAX_BONES = 512,
    SN_IMPLICIT_PARTS = 4, // capsules along a muscle
};

// The output of tools/bake/implicit_rig.h for a skinned mesh, as plain arrays. They may be freed after creation.
typedef struct {
    const sn_implicit_bone *bones;
    int bone_count;
    // d(p) = sum l (alpha l^2 + 3 beta . e), e = p - centre, l = |e|, in the bone's frame
    const sn_vec3 *centres;
    const sn_real *alphas;
    const sn_vec3 *betas;
    int centre_count;

    const sn_vec3 *points; // vertices at rest; seams are welded
    int count;
    const int *owners; // the bone of each vertex, -1: none; it then only moves with its influences
    const int (*influences)[SN_IMPLICIT_INFLUENCES];
    const sn_real (*weights)[SN_IMPLICIT_INFLUENCES]; // at least 0, add up to 1

    // Vertices around each vertex: those of i are others[k], first_other[i] <= k < first_other[i + 1].
    const int *first_other, *others;
    const sn_real *cotangents;  // stiffness of the edge
    const sn_real *mean_values; // mean value coordinates of i in its ring at rest; all zero: none

    int lanes; // SIMD width; 0: the widest
} sn_implicit_def;

// A bounding capsule of a muscle, in the world.
typedef struct {
    sn_vec3 a, b;
    sn_real radius;
} sn_implicit_capsule;

// The muscles under the skin.
typedef struct {
    int count;
    const int *bones;                  // the bone of each; -1: not visible
    const sn_implicit_capsule *bounds; // bounding capsule of each
    const unsigned char *moved;        // relative to its bone by more than 0.1 mm since the last frame; null: all
    // Distances to the surface of a muscle, negative inside, and their gradients, at SN_IMPLICIT_ROW points of the
    // world, in arrays aligned to 64 bytes. If all of them are farther than `limit`, it may return `limit` with
    // arbitrary gradients. Several threads may call it at once. Otherwise the result of a point must not depend on the
    // others.
    void (*field)(const void *user, int muscle, sn_real limit, const sn_real *const q[3], sn_real *f,
                  sn_real *const gradient[3]);
    const void *user;
    const sn_implicit_capsule *parts; // SN_IMPLICIT_PARTS for each, whose union encloses it; null: only `bounds`
} sn_skin_muscle_table;

typedef struct sn_implicit_rig sn_implicit_rig;
typedef struct sn_implicit_state sn_implicit_state;

// Validates the definition; SN_ERR_DEF: logs a line for each error. Tracking does not change the rig; many states may
// use one at the same time, and must be destroyed before it.
sn_status sn_implicit_rig_create(sn_memory *memory, const sn_log *log, const sn_implicit_def *def,
                                 sn_implicit_rig **out);
void sn_implicit_rig_destroy(sn_implicit_rig *rig); // null is fine

// Recomputes the constants of the vertices with muscles at rest. Null: no muscles, as after creation.
sn_status sn_implicit_rig_bind(sn_implicit_rig *rig, const sn_skin_muscle_table *muscles);

int sn_implicit_bones(const sn_implicit_rig *rig);

typedef enum { SN_START_LINEAR, SN_START_DUAL } sn_implicit_start;

typedef struct {
    bool skip;       // skip rows that do not move
    int relaxations; // rounds of a step to the level and a step along it; 4
    int newton;      // maximum number of steps to the level after them; 12
    sn_real tolerance;
    sn_real pull;   // how much of the correction is taken back, 0 to 1; 0
    int smoothings; // of the output, in self-contact; 4
} sn_implicit_options;

sn_implicit_options sn_implicit_options_default(void);

// A state starts at rest. Poses are those of all bones.
sn_status sn_implicit_state_create(sn_memory *memory, const sn_implicit_rig *rig, sn_implicit_state **out);
void sn_implicit_state_destroy(sn_implicit_state *state); // null is fine

// Moves the vertices by linear or dual quaternion skinning from rest, until the next frame.
sn_status sn_implicit_reset(sn_implicit_state *state, const sn_transform *poses, sn_implicit_start start);

typedef struct {
    int rows;           // of vertices
    int tracked;        // rows that were not skipped
    int evaluations;    // of rows
    int missed;         // vertices farther than the tolerance from their value
    int contacts;       // vertices in contact
    sn_real worst_miss; // largest deviation from the value
} sn_implicit_report;

// One frame: moves the vertices to new poses. Allocates nothing. `options` null: defaults; muscles, pool, out and report may be null. SN_ERR_RANGE: a pose is not
// finite or not a rotation; nothing changes.
sn_status sn_implicit_track(sn_implicit_state *state, const sn_transform *poses, const sn_skin_muscle_table *muscles,
                            const sn_implicit_options *options, sn_pool *pool, sn_vec3 *out,
                            sn_implicit_report *report);

// Distances to the skin, to keep muscles inside: d of a bone, a sn_muscle_distance_fn whose context is a
// sn_implicit_distance.
typedef struct {
    const sn_implicit_rig *rig;
    int bone;
    sn_transform pose; // of the bone
} sn_implicit_distance;
void sn_implicit_distances(const void *context, int count, const sn_real *const q[3], sn_real *distance,
                           sn_real *const gradient[3]);

// Saves or restores everything that the next frame depends on; the rig must be the same.
void sn_implicit_state_visit(sn_implicit_state *state, sn_stream *stream);

// The vertices before smoothing; and the last output.
void sn_implicit_get_points(const sn_implicit_state *state, sn_vec3 *out);
void sn_implicit_get_output(const sn_implicit_state *state, sn_vec3 *out);

#endif
