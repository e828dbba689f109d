// A step of all muscles; see swept_system.h for its order.
//
// Bones, blended along the axis, carry the points: x -> (1 - s) M_0 x + s M_1 x. From there the chain is solved, and
// damping only takes what moves against that, so that a character that runs, turns or rides in a car does not drag its
// muscles behind it.
#include "kinds/implicit_muscle/muscle_body.h"

void sn_swept_run(sn_pool *pool, int count, sn_iteration_fn *fn, void *context) {
    if (pool)
        sn_parallel_for(pool, count, 1, fn, context);
    else
        for (int i = 0; i < count; i++) fn(context, i, 0);
}

sn_vec3 sn_bone_point(const sn_transform *pose, sn_vec3 local) {
    return sn_add(pose->position, sn_q_rotate(pose->rotation, local));
}

sn_vec3 sn_bone_local(const sn_transform *pose, sn_vec3 world) {
    return sn_q_rotate(sn_q_conj(pose->rotation), sn_sub(world, pose->position));
}

static sn_transform pose_between(const sn_transform *a, const sn_transform *b, sn_real t) {
    if (t == 1) return *b;
    const sn_real sign = sn_q_dot(a->rotation, b->rotation) < 0 ? -1 : 1; // the nearer of the two ways round
    const sn_quat p = a->rotation, q = b->rotation;
    const sn_quat mixed = {p.x + t * (sign * q.x - p.x), p.y + t * (sign * q.y - p.y), p.z + t * (sign * q.z - p.z),
                           p.w + t * (sign * q.w - p.w)};
    return (sn_transform){sn_lerp(a->position, b->position, t), sn_q_normalize(mixed)};
}

sn_real sn_swept_reach(const sn_swept *shape, int point, sn_vec3 direction) {
    if (!(shape->thick > 1)) return shape->radius[point];
    const sn_real c = sn_dot(direction, shape->normal[point]), c2 = c * c;
    const sn_real u2 = shape->thin * shape->thin, v2 = shape->thick * shape->thick;
    return shape->radius[point] / sn_sqrt(u2 * c2 + v2 * sn_max(1 - c2, 0));
}

static sn_real activation_of(const sn_swept_system *system, const sn_swept_body *muscle) {
    return muscle->was.activation + system->part * (muscle->keys.activation - muscle->was.activation);
}

static sn_real exaggeration_of(const sn_swept_system *system, const sn_swept_body *muscle) {
    return muscle->was.exaggeration + system->part * (muscle->keys.exaggeration - muscle->was.exaggeration);
}

void sn_swept_body_form_again(const sn_swept_system *system, sn_swept_body *muscle) {
    if (muscle->led) return;
    sn_swept_form_again(&muscle->shape, &muscle->profile, activation_of(system, muscle), muscle->def.volume,
                        exaggeration_of(system, muscle));
}

void sn_swept_body_form(const sn_swept_system *system, sn_swept_body *muscle) {
    if (muscle->led) return; // its bundle has shaped it
    const sn_implicit_muscle_def *def = &muscle->def;
    const sn_real t = system->part, activation = activation_of(system, muscle);
    const sn_real wide = exaggeration_of(system, muscle);
    sn_swept_profile profile = muscle->profile;
    if (muscle->keys.eccentricity >= 0) {
        const sn_real was = muscle->was.eccentricity >= 0 ? muscle->was.eccentricity : muscle->keys.eccentricity;
        profile.rest.eccentricity = profile.active.eccentricity = was + t * (muscle->keys.eccentricity - was);
    }
    const sn_vec3 normals[2] = {sn_q_rotate(system->now[def->bone[0]].rotation, def->normal[0]),
                                sn_q_rotate(system->now[def->bone[1]].rotation, def->normal[1])};
    const bool aligned = sn_length2(def->normal[0]) > 0;
    sn_swept_form(&muscle->shape, &profile, activation, def->volume, wide, aligned ? normals : NULL);
}

// The first part of a substep, of one muscle.
static void advance(void *context, int number, int worker) {
    (void)worker;
    const sn_swept_system *system = context;
    sn_swept_body *muscle = &system->muscles[number];
    if (muscle->led) return;
    const sn_implicit_muscle_def *def = &muscle->def;
    const int last = muscle->shape.points - 1;
    const sn_transform *before[2] = {&system->before[def->bone[0]], &system->before[def->bone[1]]};
    const sn_transform *now[2] = {&system->now[def->bone[0]], &system->now[def->bone[1]]};
    sn_vec3 *p = muscle->shape.axis;
    const sn_real h = system->h;
    for (int i = 1; i < last; i++) {
        const sn_vec3 a = sn_bone_point(now[0], sn_bone_local(before[0], p[i]));
        const sn_vec3 b = sn_bone_point(now[1], sn_bone_local(before[1], p[i]));
        muscle->old[i] = p[i];
        muscle->carried[i] = sn_lerp(a, b, muscle->shape.along[i]);
        muscle->aim[i] = sn_mul_add(sn_mul_add(p[i], h, muscle->velocity[i]), h * h, system->gravity);
        // Settling: no velocity of its own.
        if (system->still) muscle->aim[i] = sn_mul_add(muscle->carried[i], h * h, system->gravity);
        p[i] = muscle->carried[i];
    }
    muscle->old[0] = p[0], muscle->old[last] = p[last];
    p[0] = sn_bone_point(now[0], def->end[0]);
    p[last] = sn_bone_point(now[1], def->end[1]);
    const sn_swept_tune tune = sn_swept_chain_tune(&muscle->chain, def->hertz, def->damping, h);
    sn_swept_chain_solve(&muscle->chain, tune.stiffness, h, muscle->aim, p);
    sn_swept_body_form(system, muscle);
    sn_swept_find_bones(system, muscle);
}

enum { MOST_PUSHES = 12 };         // after the last pass
#define TOO_DEEP ((sn_real)0.0002) // in a bone, m

// A contact pass of one muscle, and after the last one velocities and the shape.
static void settle(void *context, int number, int worker) {
    (void)worker;
    const sn_swept_system *system = context;
    sn_swept_body *muscle = &system->muscles[number];
    const int last = muscle->shape.points - 1;
    sn_vec3 *p = muscle->shape.axis;
    muscle->contacts = 0, muscle->penetration = 0;
    if (muscle->led) return;
    if (system->pass == 0) {
        sn_swept_take_pushes(system, number);
        sn_swept_meet_skin(system, muscle);
    }
    sn_swept_meet_bones(system, muscle);
    if (!system->last_pass) {
        if (muscle->contacts > 0) sn_swept_body_form_again(system, muscle); // bones then meet it as thick as it is now
        return;
    }
    // Out of one bone is often into another, and a muscle that is pushed gets shorter or longer, thicker or thinner:
    // bones have the last word until it is out of all of them.
    for (int more = 0; more < MOST_PUSHES && (muscle->contacts > 0 || system->last_substep); more++) {
        if (system->last_substep)
            sn_swept_body_form(system, muscle);
        else
            sn_swept_body_form_again(system, muscle);
        if (!(sn_swept_depth_in_bones(system, muscle) > TOO_DEEP)) break;
        sn_swept_meet_bones(system, muscle);
    }
    const sn_real h = system->h;
    const sn_swept_tune tune = sn_swept_chain_tune(&muscle->chain, muscle->def.hertz, muscle->def.damping, h);
    bool good = true;
    for (int i = 1; i < last; i++) {
        good = good && sn_valid3(p[i]);
        const sn_vec3 ride = sn_mul(1 / h, sn_sub(muscle->carried[i], muscle->old[i]));
        const sn_vec3 own = sn_sub(sn_mul(1 / h, sn_sub(p[i], muscle->old[i])), ride);
        muscle->velocity[i] = system->still ? sn_v3(0, 0, 0) : sn_mul_add(ride, tune.keep, own);
    }
    if (!good) {
        for (int i = 1; i < last; i++) {
            const sn_real t = (sn_real)i / (sn_real)last;
            p[i] = sn_valid3(muscle->carried[i]) ? muscle->carried[i] : sn_lerp(p[0], p[last], t);
            muscle->velocity[i] = sn_v3(0, 0, 0);
        }
        muscle->diverged = true;
    }
    if (!system->last_substep) return; // the next one shapes it when it has moved on
    sn_swept_body_form(system, muscle);
    muscle->penetration = sn_swept_depth_in_bones(system, muscle);
}

static void place_pills(sn_swept_system *system) {
    for (int s = 0; s < system->shape_count; s++) {
        const sn_swept_bone *bone = &system->shapes[s];
        const sn_transform *pose = &system->now[bone->bone];
        system->pills[s] = (sn_pill){sn_bone_point(pose, bone->pill.a), sn_bone_point(pose, bone->pill.b),
                                     bone->pill.ra, bone->pill.rb};
    }
}

static bool good_poses(const sn_swept_system *system, const sn_transform *poses) {
    for (int b = 0; b < system->bone_count; b++) {
        const sn_real length2 = sn_q_dot(poses[b].rotation, poses[b].rotation);
        if (!sn_valid3(poses[b].position) || !(length2 > (sn_real)0.98 && length2 < (sn_real)1.02)) return false;
    }
    return true;
}

static sn_status run_step(sn_swept_system *system, sn_real h, const sn_transform *poses, bool still, sn_pool *pool) {
    for (int b = 0; b < system->bone_count; b++) {
        system->from[b] = system->to[b];
        system->to[b] = (sn_transform){poses[b].position, sn_q_normalize(poses[b].rotation)};
        system->now[b] = system->from[b];
    }
    for (int m = 0; m < system->muscle_count; m++) {
        sn_swept_body *muscle = &system->muscles[m];
        muscle->diverged = false, muscle->reach = 0;
        for (int end = 0; end < 2; end++) {
            const int bone = muscle->def.bone[end];
            const sn_vec3 at = muscle->def.end[end];
            const sn_vec3 a = sn_bone_point(&system->from[bone], at), b = sn_bone_point(&system->to[bone], at);
            muscle->reach = sn_max(muscle->reach, sn_length(sn_sub(b, a)));
        }
    }
    if (!sn_swept_find_pairs(system)) { // as if it had not been called
        for (int b = 0; b < system->bone_count; b++) system->to[b] = system->from[b];
        return SN_ERR_MEMORY;
    }
    system->h = h / (sn_real)system->substeps;
    system->still = still;
    for (int sub = 0; sub < system->substeps; sub++) {
        system->part = (sn_real)(sub + 1) / (sn_real)system->substeps;
        system->last_substep = sub + 1 == system->substeps;
        for (int b = 0; b < system->bone_count; b++) {
            system->before[b] = system->now[b];
            system->now[b] = pose_between(&system->from[b], &system->to[b], system->part);
        }
        place_pills(system);
        sn_swept_run(pool, system->muscle_count, advance, system);
        for (int pass = 0; pass < system->passes; pass++) {
            system->pass = pass;
            system->last_pass = pass + 1 == system->passes;
            // Muscles give way to each other once; passes after that put right what it did to bones and skin.
            if (pass == 0) sn_swept_run(pool, system->pair_count, sn_swept_push_pair, system);
            sn_swept_run(pool, system->muscle_count, settle, system);
        }
    }
    system->report = (sn_swept_report){.pairs = system->pair_count};
    for (int m = 0; m < system->muscle_count; m++) {
        sn_swept_body *muscle = &system->muscles[m];
        muscle->was = muscle->keys;
        system->report.contacts += muscle->contacts;
        system->report.penetration = sn_max(system->report.penetration, muscle->penetration);
        system->report.diverged += muscle->diverged;
    }
    return system->report.diverged > 0 ? SN_WARN_DIVERGED : SN_OK;
}

sn_status sn_swept_system_step(sn_swept_system *system, sn_real h, const sn_transform *poses, sn_pool *pool) {
    if (!poses || !(h > 0) || !sn_finite(h) || !good_poses(system, poses)) return SN_ERR_RANGE;
    return run_step(system, h, poses, false, pool);
}

sn_status sn_swept_system_put(sn_swept_system *system, const sn_transform *poses, int frames, sn_pool *pool) {
    if (!poses || frames < 0 || !good_poses(system, poses)) return SN_ERR_RANGE;
    for (int b = 0; b < system->bone_count; b++) {
        system->to[b] = (sn_transform){poses[b].position, sn_q_normalize(poses[b].rotation)};
        system->from[b] = system->before[b] = system->now[b] = system->to[b];
    }
    system->part = 1;
    place_pills(system);
    for (int m = 0; m < system->muscle_count; m++) {
        sn_swept_body *muscle = &system->muscles[m];
        const sn_implicit_muscle_def *def = &muscle->def;
        const int last = muscle->shape.points - 1;
        if (muscle->led) continue;
        for (int i = 0; i <= last; i++) {
            const int *bone = def->bone;
            const sn_vec3 a =
                sn_bone_point(&system->now[bone[0]], sn_bone_local(&system->rest[bone[0]], muscle->rest[i]));
            const sn_vec3 b =
                sn_bone_point(&system->now[bone[1]], sn_bone_local(&system->rest[bone[1]], muscle->rest[i]));
            muscle->shape.axis[i] = sn_lerp(a, b, (sn_real)i / (sn_real)last);
            muscle->velocity[i] = sn_v3(0, 0, 0);
            muscle->carried[i] = muscle->old[i] = muscle->shape.axis[i];
        }
        muscle->was = muscle->keys;
        sn_swept_untwist(&muscle->shape);
        sn_swept_body_form(system, muscle);
    }
    sn_status status = SN_OK;
    for (int i = 0; i < frames && status == SN_OK; i++) status = run_step(system, (sn_real)0.25, poses, true, pool);
    return status;
}
