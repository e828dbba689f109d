// What the parts of a system of implicit muscles share: swept_system.c makes and keeps it, swept_step.c moves it,
// swept_contact.c keeps muscles out of bones and in the skin, swept_pairs.c out of each other.
#ifndef SN_KINDS_IMPLICIT_MUSCLE_MUSCLE_BODY_H
#define SN_KINDS_IMPLICIT_MUSCLE_MUSCLE_BODY_H

#include "kinds/implicit_muscle/muscle_system.h"

typedef struct {
    sn_implicit_muscle_def def;
    sn_swept_profile profile;
    sn_swept shape; // its axis is where the points are
    sn_swept_chain chain;
    sn_vec3 *velocity;   // of each point
    sn_vec3 *old;        // where points were at the start of the substep
    sn_vec3 *carried;    // where both bones, blended, take them from there
    sn_vec3 *aim;        // where they fly to
    sn_vec3 *rest;       // where they were in the poses at the start
    bool *collide;       // whether a point takes part in contacts: not at the ends and in tendons
    sn_swept_keys keys;  // at the end of the step
    sn_swept_keys was;   // at its start
    uint8_t *near;       // whether each shape of bones is near it, in this substep
    const void *skin;    // context of the skin's distance
    int contacts;        // of its points, in the last pass
    sn_real penetration; // of a bone, at the end of the step
    bool diverged;       // was put back in this step
    bool led;            // a bundle of rods says where it is
    sn_real reach;       // how far its ends go in this step
} sn_swept_body;

// Two muscles that are near each other, and what they push: for each point of a, then of b, a move and how many made
// it.
typedef struct {
    int a, b;
    int first;    // of its pushes
    bool touched; // some push is not 0
} sn_swept_pair;

typedef struct {
    sn_vec3 move;
    sn_real count;
} sn_swept_push;

struct sn_swept_system {
    sn_memory *memory;
    sn_swept_body *muscles;
    int muscle_count, bone_count, shape_count;
    sn_swept_bone *shapes;
    sn_pill *pills;                // of shapes, where they are now
    sn_transform *rest;            // poses at creation
    sn_transform *from, *to;       // of the running step; between steps 'to' is where bones are
    sn_transform *before, *now;    // of the running substep
    sn_swept_pair *pairs;          // of this step, in order
    int pair_count, pair_capacity; //
    sn_swept_push *pushes;         //
    int push_count, push_capacity; //
    sn_swept_field_fn *field;      //
    sn_swept_distance_fn *skin;    //
    sn_vec3 gravity;               //
    int substeps, passes;          //
    sn_swept_report report;        //
    // the running substep, for the workers
    sn_real h, part; // seconds; how far in the step its end is, 0 to 1
    int pass;
    bool last_pass, last_substep, still;
};

// Runs the loop on the pool, or plainly if there is none.
void sn_swept_run(sn_pool *pool, int count, sn_iteration_fn *fn, void *context);

sn_vec3 sn_bone_point(const sn_transform *pose, sn_vec3 local);
sn_vec3 sn_bone_local(const sn_transform *pose, sn_vec3 world);

// Shapes a muscle around its axis with the keys of this moment; or, after contacts have moved it a little, only as far
// as other contacts see.
void sn_swept_body_form(const sn_swept_system *system, sn_swept_body *muscle);
void sn_swept_body_form_again(const sn_swept_system *system, sn_swept_body *muscle);

// The radius of a muscle at a point of its axis, in a direction.
sn_real sn_swept_reach(const sn_swept *shape, int point, sn_vec3 direction);

// Whether p is nearer than 'reach' to the segment from a to b.
static inline bool sn_swept_within(sn_vec3 p, sn_vec3 a, sn_vec3 b, sn_real reach) {
    const sn_vec3 e = sn_sub(b, a), d = sn_sub(p, a);
    const sn_real l2 = sn_length2(e), along = sn_clamp(sn_dot(d, e), 0, l2);
    const sn_real t = l2 > 0 ? along / l2 : 0;
    return sn_length2(sn_mul_add(d, -t, e)) < reach * reach;
}

// swept_contact.c: finds the bones that are near (once a substep), and moves points.
void sn_swept_find_bones(const sn_swept_system *system, sn_swept_body *muscle);
void sn_swept_meet_skin(const sn_swept_system *system, sn_swept_body *muscle);
void sn_swept_meet_bones(const sn_swept_system *system, sn_swept_body *muscle);
sn_real sn_swept_depth_in_bones(const sn_swept_system *system, const sn_swept_body *muscle);

// swept_pairs.c: lists pairs for a step (false: no memory), lets them push each other, and moves a muscle by all that
// pushes it.
bool sn_swept_find_pairs(sn_swept_system *system);
void sn_swept_push_pair(void *system, int pair, int worker);
void sn_swept_take_pushes(const sn_swept_system *system, int muscle);

#endif
