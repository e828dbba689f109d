// All implicit muscles of one character. Bones hold the ends of their axes; the muscles stay out of bones and of each
// other and inside the skin (section 6 of Roussellet et al. 2018, with a different solver: see muscle_chain.c).
//
// A step moves the bones from the poses of one frame to those of the next, in substeps:
//
//     move bones -> predict points -> chain (Newton) -> muscle pairs -> skin -> bones x 2
//     -> velocities, damping -> lengths, widths, normals
//
// Results do not depend on the number of workers: each muscle is stepped by itself, and the corrections of pairs are
// gathered first and then added in a fixed order. A step allocates nothing once the pair list has reached its size.
#ifndef SN_KINDS_IMPLICIT_MUSCLE_MUSCLE_SYSTEM_H
#define SN_KINDS_IMPLICIT_MUSCLE_MUSCLE_SYSTEM_H

#include "base/log.h"
#include "base/stream.h"
#include "base/tasks.h"
#include "geometry/primitives.h"
#include "kinds/implicit_muscle/muscle_chain.h"
#include "kinds/implicit_muscle/muscle_spindle.h"
#include "sinew/bundle.h"
#include "sinew/implicit_muscle.h"

// A signed distance in rows, like sn_muscle_field_fn: positive outside, with its gradient. `count` is a multiple of
// SN_MUSCLE_ROW. Several workers call it at once.
typedef void sn_muscle_distance_fn(const void *context, int count, const sn_real *const q[3], sn_real *distance,
                                   sn_real *const gradient[3]);

// What muscles stay out of: a pill attached to a bone, or a distance field in the bone's coordinates.
typedef struct {
    int bone;
    sn_pill pill;                    // in the bone's coordinates; bounds the surface of a distance field
    sn_muscle_distance_fn *distance; // null: the pill itself
    const void *context;
} sn_muscle_obstacle;

typedef struct {
    const sn_transform *poses; // initial poses of all bones
    int bone_count;
    const sn_muscle_obstacle *obstacles;
    int obstacle_count;
    const sn_implicit_muscle_def *muscles;
    int muscle_count;
    sn_vec3 gravity;                 // m/s^2; default 0: muscles are at rest in the initial poses
    int substeps;                    // per step; default 4
    int passes;                      // of contacts per substep; default 2
    int lanes;                       // of the field kernel; 0: the widest
    sn_muscle_distance_fn *skin;     // distance to the skin, negative inside; null: none
    const void *const *skin_context; // one per muscle
} sn_muscle_system_def;

sn_muscle_system_def sn_muscle_system_def_default(void);

typedef struct sn_muscle_system sn_muscle_system;

// Creates the system with straight muscles between their ends (or through `via`), at rest. Copies everything except the
// contexts, which must outlive it. SN_ERR_DEF: logs a line for every bad field.
sn_status sn_muscle_system_create(sn_memory *memory, const sn_log *log, const sn_muscle_system_def *def,
                                  sn_muscle_system **out);
void sn_muscle_system_destroy(sn_muscle_system *system);

// Sets the skin after creation: skins are often built from the muscles at rest.
void sn_muscle_system_set_skin(sn_muscle_system *system, sn_muscle_distance_fn *skin, const void *const *contexts);

int sn_muscle_system_count(const sn_muscle_system *system);
const sn_muscle_spindle *sn_muscle_system_get_spindle(const sn_muscle_system *system, int muscle);
const sn_transform *sn_muscle_system_get_poses(const sn_muscle_system *system); // of all bones, also within a step
const sn_implicit_muscle_def *sn_muscle_system_get_def(const sn_muscle_system *system, int muscle);

// Sets the keys of a muscle from the next step on. SN_ERR_RANGE: no such muscle, or a key is out of its range.
sn_status sn_muscle_system_set_keys(sn_muscle_system *system, int muscle, sn_implicit_muscle_keys keys);
sn_implicit_muscle_keys sn_muscle_system_get_keys(const sn_muscle_system *system, int muscle);

// Changes the definition of a muscle and keeps its state; points and bones must stay the same. SN_ERR_DEF: logs a line
// for every bad field and changes nothing. Allocates nothing.
sn_status sn_muscle_system_set_def(sn_muscle_system *system, const sn_log *log, int muscle,
                                   const sn_implicit_muscle_def *def);

// Drives a muscle by the cross-sections of a bundle of rods (muscle_sections.c; round) instead of simulating it. Call
// it before every step with the sections at its end. Other muscles yield to it; the bundle itself handles bones and
// skin. No sections: simulates the muscle again, from its current state. SN_ERR_RANGE: no such muscle, or invalid
// sections.
sn_status sn_muscle_system_drive(sn_muscle_system *system, int muscle, const sn_section *sections, int count,
                                 const sn_real *radii);

// Steps by h seconds to new poses of all bones. SN_ERR_RANGE: h is not above 0 or a pose is not finite; nothing
// changes. SN_WARN_DIVERGED: a muscle was reset along its bones. The pool may be null.
sn_status sn_muscle_system_step(sn_muscle_system *system, sn_real h, const sn_transform *poses, sn_pool *pool);

// Moves all muscles along with the bones to new poses, without velocity, then lets them settle in that many quasistatic
// steps.
sn_status sn_muscle_system_teleport(sn_muscle_system *system, const sn_transform *poses, int settle, sn_pool *pool);

// Statistics of the last step.
typedef struct {
    int pairs;           // of muscles close to each other
    int contacts;        // of points with bones, muscles and skin, in the last pass
    sn_real penetration; // of the deepest point's sphere into a bone at the end, m
    int diverged;        // muscles that were reset
} sn_muscle_report;
sn_muscle_report sn_muscle_system_get_report(const sn_muscle_system *system);

// Kinetic energy and energy of tension, J.
double sn_muscle_system_energy(const sn_muscle_system *system);
double sn_muscle_system_potential(const sn_muscle_system *system); // of their own gravity, J

// The state: positions, velocities, twists, keys, poses. Visiting saves it, or loads it into a system with the same
// definition.
uint64_t sn_muscle_system_hash(const sn_muscle_system *system, uint64_t hash);
// Visits what a step changes, as plain bytes (base/kind.h).
void sn_muscle_system_visit_state(sn_muscle_system *system, sn_stream *stream);
void sn_muscle_system_visit(sn_muscle_system *system, sn_stream *stream);

#endif
