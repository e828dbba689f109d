// All implicit muscles of one character: their axes move (section 6 of Roussellet et al. 2018, with another solver: see
// swept_chain.c), held by bones at both ends, and keep out of bones and of each other and inside of the skin.
//
// A step of the system goes from the bones' poses of one frame to those of the next, in substeps:
//
//     bones move on -> points fly on -> chain (Newton) -> muscles against each other -> skin -> bones x 2
//     -> velocities, damping -> lengths, widths, normals
//
// Nothing depends on the number of workers: muscles are stepped each by itself, and what pairs of them push is gathered
// and then added up in one order. A step allocates nothing once the list of near pairs has reached its size.
#ifndef SN_KINDS_IMPLICIT_MUSCLE_MUSCLE_SYSTEM_H
#define SN_KINDS_IMPLICIT_MUSCLE_MUSCLE_SYSTEM_H

#include "base/log.h"
#include "base/stream.h"
#include "base/tasks.h"
#include "geometry/primitives.h"
#include "kinds/implicit_muscle/muscle_chain.h"
#include "kinds/implicit_muscle/muscle_shape.h"
#include "sinew/bundle.h"
#include "sinew/implicit_muscle.h"

// A signed distance in rows, like sn_swept_field_fn: positive outside, with its gradient. 'count' is a multiple of
// SN_SWEPT_ROW. Called by several workers at once.
typedef void sn_swept_distance_fn(const void *context, int count, const sn_real *const q[3], sn_real *distance,
                                  sn_real *const gradient[3]);

// What muscles keep out of: a pill that goes with a bone, or a distance of the bone's own coordinates.
typedef struct {
    int bone;
    sn_pill pill; // in the bone's coordinates; of a distance: a pill around its surface, to look near it only
    sn_swept_distance_fn *distance; // null: the pill itself
    const void *context;
} sn_swept_bone;

// What may be keyed for a muscle, from the next step on.
typedef struct {
    sn_real activation;   // 0 to 1
    sn_real exaggeration; // times its width, above 0; 1: as its volume asks
    sn_real eccentricity; // below 0: that of its shapes
} sn_swept_keys;

typedef struct {
    const sn_transform *poses; // of all bones, at the start
    int bone_count;
    const sn_swept_bone *bones; // what muscles keep out of
    int shape_count;
    const sn_implicit_muscle_def *muscles;
    int muscle_count;
    sn_vec3 gravity; // m/s^2; default 0: the poses at the start are the muscles' rest
    int substeps;    // of a step; default 4
    int passes;      // of contacts in a substep; default 2
    int lanes;       // of the fields' loops; 0: as wide as can be
    sn_swept_distance_fn
        *skin; // distance to the skin, negative inside; null: none. 'skin_context' is an array, one for
    const void *const *skin_context; // each muscle
} sn_swept_system_def;

sn_swept_system_def sn_swept_system_def_default(void);

typedef struct sn_swept_system sn_swept_system;

// Makes the system; muscles lie straight between their ends (or by 'via'), at rest. Everything given is copied, but
// contexts, which must live as long. SN_ERR_DEF: a line for every bad field.
sn_status sn_swept_system_create(sn_memory *memory, const sn_log *log, const sn_swept_system_def *def,
                                 sn_swept_system **out);
void sn_swept_system_destroy(sn_swept_system *system);

// Skins are often made of muscles at rest: says where they are later on.
void sn_swept_system_set_skin(sn_swept_system *system, sn_swept_distance_fn *skin, const void *const *contexts);

int sn_swept_system_count(const sn_swept_system *system);
const sn_swept *sn_swept_system_muscle(const sn_swept_system *system, int muscle);
const sn_transform *sn_swept_system_poses(const sn_swept_system *system); // of all bones, also within a step
const sn_implicit_muscle_def *sn_swept_system_def_of(const sn_swept_system *system, int muscle);

// Keys of a muscle; SN_ERR_RANGE: no such muscle, or a key out of its range.
sn_status sn_swept_system_key(sn_swept_system *system, int muscle, sn_swept_keys keys);
sn_swept_keys sn_swept_system_keys(const sn_swept_system *system, int muscle);

// Changes what a muscle is while it goes on from where it is; points and bones must stay. SN_ERR_DEF: a line for every
// bad field, and nothing is changed. Allocates nothing.
sn_status sn_swept_system_change(sn_swept_system *system, const sn_log *log, int muscle,
                                 const sn_implicit_muscle_def *def);

// Instead of moving by itself, the muscle has the cross-sections of a bundle of rods (swept_sections.h; round): call it
// before every step with where they are at its end. Others give way to it; bones and skin are the bundle's own affair.
// No sections: it moves by itself again, from where it is. SN_ERR_RANGE: no such muscle, or bad sections.
sn_status sn_swept_system_lead(sn_swept_system *system, int muscle, const sn_section *sections, int count,
                               const sn_real *radii);

// A step of h seconds to new poses of all bones. SN_ERR_RANGE: h is not above 0 or a pose not finite; nothing is
// changed then. SN_WARN_DIVERGED: a muscle was put back along the bones. The pool may be null.
sn_status sn_swept_system_step(sn_swept_system *system, sn_real h, const sn_transform *poses, sn_pool *pool);

// Puts all muscles along the bones in new poses, without velocity; then lets them come to rest there in that many
// steps, without inertia.
sn_status sn_swept_system_put(sn_swept_system *system, const sn_transform *poses, int settle, sn_pool *pool);

// What happened in the last step.
typedef struct {
    int pairs;           // of muscles that were near each other
    int contacts;        // of points with bones, muscles and skin, in the last pass
    sn_real penetration; // deepest a point's sphere is in a bone at the end, m
    int diverged;        // muscles that were put back
} sn_swept_report;
sn_swept_report sn_swept_system_report(const sn_swept_system *system);

// Kinetic energy and that of tension, J.
double sn_swept_system_energy(const sn_swept_system *system);

// The state: places, velocities, twists, keys, poses. Visits are for saving and loading into a system of the same
// definition.
uint64_t sn_swept_system_hash(const sn_swept_system *system, uint64_t hash);
void sn_swept_system_visit(sn_swept_system *system, sn_stream *stream);

#endif
