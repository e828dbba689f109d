// The internals of a system of implicit muscles: muscle_system.c creates it, muscle_step.c steps it, muscle_contact.c
// keeps muscles out of bones and inside the skin, muscle_pairs.c keeps them out of each other.
#ifndef SN_KINDS_IMPLICIT_MUSCLE_MUSCLE_BODY_H
#define SN_KINDS_IMPLICIT_MUSCLE_MUSCLE_BODY_H

#include "kinds/implicit_muscle/muscle_system.h"

typedef struct {
    sn_implicit_muscle_def def;
    sn_muscle_profile profile;
    sn_muscle_spindle spindle; // its axis holds the positions of the points
    sn_muscle_chain chain;
    sn_vec3 *velocity;                     // per point
    sn_vec3 *previous;                     // positions at the start of the substep
    sn_vec3 *skinned;                      // the previous positions moved by both bones, blended
    sn_vec3 *predicted;                    // inertial prediction
    sn_vec3 *rest;                         // positions in the initial poses
    bool *collides;                        // per point; false at the ends and in tendons
    sn_implicit_muscle_keys keys;          // at the end of the step
    sn_implicit_muscle_keys previous_keys; // at its start
    uint8_t *is_close;                     // per obstacle: whether it is close to the muscle in this substep
    const void *skin;                      // context of the skin's distance
    int contacts;                          // points in contact in the last pass
    sn_real penetration;                   // into bones, at the end of the step, m
    bool diverged;                         // was reset in this step
    bool driven;                           // by a bundle of rods
    sn_real end_motion;                    // how far its ends move in this step, m
} sn_muscle_body;

// Two muscles close to each other. Their corrections, one for each point of a and then of b, start at `first`.
typedef struct {
    int a, b;
    int first;
    bool in_contact; // some correction is not 0
} sn_muscle_pair;

// The sum of position corrections of a point, and their number.
typedef struct {
    sn_vec3 move;
    sn_real count;
} sn_muscle_correction;

struct sn_muscle_system {
    sn_memory *memory;
    sn_muscle_body *muscles;
    int muscle_count, bone_count, obstacle_count;
    sn_muscle_obstacle *obstacles;
    sn_pill *pills;             // the obstacles' pills in world coordinates
    sn_transform *rest;         // poses at creation
    sn_transform *from, *to;    // of the current step; between steps `to` is the current pose
    sn_transform *before, *now; // of the current substep
    sn_muscle_pair *pairs;      // of this step, sorted
    int pair_count, pair_capacity;
    sn_muscle_correction *corrections;
    int correction_count, correction_capacity;
    sn_muscle_field_fn *field;
    sn_muscle_distance_fn *skin;
    sn_vec3 gravity;
    int substeps, passes;
    sn_muscle_report report;
    // The current substep, read by the workers.
    sn_real h;        // s
    sn_real fraction; // of the step that is over at the end of the substep, 0 to 1
    int pass;
    bool last_pass, last_substep;
    bool quasistatic; // without inertia and friction
};

// Runs the loop on the pool, or serially if there is none.
void sn_muscle_parallel_for(sn_pool *pool, int count, sn_iteration_fn *fn, void *context);

sn_vec3 sn_bone_point(const sn_transform *pose, sn_vec3 local);
sn_vec3 sn_bone_local(const sn_transform *pose, sn_vec3 world);

// Rebuilds a muscle's spindle from its axis and the current keys. The second one only updates lengths, tangents and
// radii: enough for contacts after a small move.
void sn_muscle_body_build(const sn_muscle_system *system, sn_muscle_body *muscle);
void sn_muscle_body_update_radii(const sn_muscle_system *system, sn_muscle_body *muscle);

// The radius of a muscle at a point of its axis, in a direction.
sn_real sn_muscle_radius_towards(const sn_muscle_spindle *spindle, int point, sn_vec3 direction);

// Whether p is closer than `distance` to the segment from a to b.
static inline bool sn_muscle_is_within(sn_vec3 p, sn_vec3 a, sn_vec3 b, sn_real distance) {
    const sn_vec3 e = sn_sub(b, a), d = sn_sub(p, a);
    const sn_real l2 = sn_length2(e), along = sn_clamp(sn_dot(d, e), 0, l2);
    const sn_real t = l2 > 0 ? along / l2 : 0;
    return sn_length2(sn_mul_add(d, -t, e)) < distance * distance;
}

// muscle_contact.c: finds the bones close to a muscle (once per substep) and moves its points out of them; the depth of
// the deepest point, m.
void sn_muscle_find_bones(const sn_muscle_system *system, sn_muscle_body *muscle);
void sn_muscle_collide_skin(const sn_muscle_system *system, sn_muscle_body *muscle);
void sn_muscle_collide_bones(const sn_muscle_system *system, sn_muscle_body *muscle);
sn_real sn_muscle_bone_penetration(const sn_muscle_system *system, const sn_muscle_body *muscle);

// muscle_pairs.c: lists the pairs of a step (false: out of memory), computes the corrections of one pair, and applies
// all corrections of one muscle.
bool sn_muscle_find_pairs(sn_muscle_system *system);
void sn_muscle_solve_pair(void *system, int pair, int worker);
void sn_muscle_apply_corrections(const sn_muscle_system *system, int muscle);

#endif
