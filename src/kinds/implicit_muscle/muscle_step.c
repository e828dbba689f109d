// A step of all muscles; see muscle_system.h for its stages.
//
// Both bones, blended along the axis, move the points: x -> (1 - s) M_0 x + s M_1 x (linear blend skinning). The chain
// is solved from there, and damping acts on velocities relative to it. So the muscles of a character that runs, turns
// or rides in a car do not lag behind.
#include "kinds/implicit_muscle/muscle_body.h"

void sn_muscle_parallel_for(sn_pool *pool, int count, sn_iteration_fn *fn, void *context) {
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

static sn_transform interpolate_pose(const sn_transform *a, const sn_transform *b, sn_real t) {
    if (t == 1) return *b;
    const sn_real sign = sn_q_dot(a->rotation, b->rotation) < 0 ? -1 : 1; // the shorter arc
    const sn_quat p = a->rotation, q = b->rotation;
    const sn_quat mixed = {p.x + t * (sign * q.x - p.x), p.y + t * (sign * q.y - p.y), p.z + t * (sign * q.z - p.z),
                           p.w + t * (sign * q.w - p.w)};
    return (sn_transform){sn_lerp(a->position, b->position, t), sn_q_normalize(mixed)};
}

sn_real sn_muscle_radius_towards(const sn_muscle_spindle *spindle, int point, sn_vec3 direction) {
    if (!(spindle->thick > 1)) return spindle->radius[point];
    const sn_real c = sn_dot(direction, spindle->normal[point]), c2 = c * c;
    const sn_real u2 = spindle->thin * spindle->thin, v2 = spindle->thick * spindle->thick;
    return spindle->radius[point] / sn_sqrt(u2 * c2 + v2 * sn_max(1 - c2, 0));
}

static sn_real activation_of(const sn_muscle_system *system, const sn_muscle_body *muscle) {
    return muscle->previous_keys.activation +
           system->fraction * (muscle->keys.activation - muscle->previous_keys.activation);
}

static sn_real exaggeration_of(const sn_muscle_system *system, const sn_muscle_body *muscle) {
    return muscle->previous_keys.exaggeration +
           system->fraction * (muscle->keys.exaggeration - muscle->previous_keys.exaggeration);
}

void sn_muscle_body_update_radii(const sn_muscle_system *system, sn_muscle_body *muscle) {
    if (muscle->driven) return;
    sn_muscle_spindle_update_radii(&muscle->spindle, &muscle->profile, activation_of(system, muscle),
                                   muscle->def.volume, exaggeration_of(system, muscle));
}

void sn_muscle_body_build(const sn_muscle_system *system, sn_muscle_body *muscle) {
    if (muscle->driven) return; // its bundle defines the shape
    const sn_implicit_muscle_def *def = &muscle->def;
    const sn_real t = system->fraction, activation = activation_of(system, muscle);
    const sn_real wide = exaggeration_of(system, muscle);
    sn_muscle_profile profile = muscle->profile;
    if (muscle->keys.eccentricity >= 0) {
        const sn_real was =
            muscle->previous_keys.eccentricity >= 0 ? muscle->previous_keys.eccentricity : muscle->keys.eccentricity;
        profile.rest.eccentricity = profile.active.eccentricity = was + t * (muscle->keys.eccentricity - was);
    }
    const sn_vec3 normals[2] = {sn_q_rotate(system->now[def->bone[0]].rotation, def->normal[0]),
                                sn_q_rotate(system->now[def->bone[1]].rotation, def->normal[1])};
    const bool aligned = sn_length2(def->normal[0]) > 0;
    sn_muscle_spindle_build(&muscle->spindle, &profile, activation, def->volume, wide, aligned ? normals : NULL);
}

// The first half of a substep of one muscle: prediction and chain.
static void predict_and_solve(void *context, int index, int worker) {
    (void)worker;
    const sn_muscle_system *system = context;
    sn_muscle_body *muscle = &system->muscles[index];
    if (muscle->driven) return;
    const sn_implicit_muscle_def *def = &muscle->def;
    const int last = muscle->spindle.points - 1;
    const sn_transform *before[2] = {&system->before[def->bone[0]], &system->before[def->bone[1]]};
    const sn_transform *now[2] = {&system->now[def->bone[0]], &system->now[def->bone[1]]};
    sn_vec3 *p = muscle->spindle.axis;
    const sn_real h = system->h;
    for (int i = 1; i < last; i++) {
        const sn_vec3 a = sn_bone_point(now[0], sn_bone_local(before[0], p[i]));
        const sn_vec3 b = sn_bone_point(now[1], sn_bone_local(before[1], p[i]));
        muscle->previous[i] = p[i];
        muscle->skinned[i] = sn_lerp(a, b, muscle->spindle.along[i]);
        muscle->predicted[i] = sn_mul_add(sn_mul_add(p[i], h, muscle->velocity[i]), h * h, system->gravity);
        if (system->quasistatic) muscle->predicted[i] = sn_mul_add(muscle->skinned[i], h * h, system->gravity);
        p[i] = muscle->skinned[i];
    }
    muscle->previous[0] = p[0], muscle->previous[last] = p[last];
    p[0] = sn_bone_point(now[0], def->end[0]);
    p[last] = sn_bone_point(now[1], def->end[1]);
    const sn_muscle_tuning tuning = sn_muscle_chain_tune(&muscle->chain, def->hertz, def->damping, h);
    sn_muscle_chain_solve(&muscle->chain, tuning.stiffness, h, muscle->predicted, p);
    sn_muscle_body_build(system, muscle);
    sn_muscle_find_bones(system, muscle);
}

enum { MAX_EXTRA_PASSES = 12 };           // against bones after the last pass
#define MAX_PENETRATION ((sn_real)0.0002) // into a bone, m

// A contact pass of one muscle; after the last one also updates velocities and the shape.
static void solve_contacts(void *context, int index, int worker) {
    (void)worker;
    const sn_muscle_system *system = context;
    sn_muscle_body *muscle = &system->muscles[index];
    const int last = muscle->spindle.points - 1;
    sn_vec3 *p = muscle->spindle.axis;
    muscle->contacts = 0, muscle->penetration = 0;
    if (muscle->driven) return;
    if (system->pass == 0) {
        sn_muscle_apply_corrections(system, index);
        sn_muscle_collide_skin(system, muscle);
    }
    sn_muscle_collide_bones(system, muscle);
    if (!system->last_pass) {
        if (muscle->contacts > 0) sn_muscle_body_update_radii(system, muscle); // for the next pass
        return;
    }
    // Moving out of one bone often moves into another and changes the length and thus the thickness of the muscle:
    // repeat until it is out of all bones.
    for (int extra = 0; extra < MAX_EXTRA_PASSES && (muscle->contacts > 0 || system->last_substep); extra++) {
        if (system->last_substep)
            sn_muscle_body_build(system, muscle);
        else
            sn_muscle_body_update_radii(system, muscle);
        if (!(sn_muscle_bone_penetration(system, muscle) > MAX_PENETRATION)) break;
        sn_muscle_collide_bones(system, muscle);
    }
    const sn_real h = system->h;
    const sn_muscle_tuning tuning = sn_muscle_chain_tune(&muscle->chain, muscle->def.hertz, muscle->def.damping, h);
    bool valid = true;
    for (int i = 1; i < last; i++) {
        valid = valid && sn_valid3(p[i]);
        const sn_vec3 carrier = sn_mul(1 / h, sn_sub(muscle->skinned[i], muscle->previous[i]));
        const sn_vec3 own = sn_sub(sn_mul(1 / h, sn_sub(p[i], muscle->previous[i])), carrier);
        muscle->velocity[i] = system->quasistatic ? sn_v3(0, 0, 0) : sn_mul_add(carrier, tuning.velocity_scale, own);
    }
    if (!valid) {
        for (int i = 1; i < last; i++) {
            const sn_real t = (sn_real)i / (sn_real)last;
            p[i] = sn_valid3(muscle->skinned[i]) ? muscle->skinned[i] : sn_lerp(p[0], p[last], t);
            muscle->velocity[i] = sn_v3(0, 0, 0);
        }
        muscle->diverged = true;
    }
    if (!system->last_substep) return; // the next substep rebuilds the shape
    sn_muscle_body_build(system, muscle);
    muscle->penetration = sn_muscle_bone_penetration(system, muscle);
}

static void update_pills(sn_muscle_system *system) {
    for (int s = 0; s < system->obstacle_count; s++) {
        const sn_muscle_obstacle *bone = &system->obstacles[s];
        const sn_transform *pose = &system->now[bone->bone];
        system->pills[s] = (sn_pill){sn_bone_point(pose, bone->pill.a), sn_bone_point(pose, bone->pill.b),
                                     bone->pill.ra, bone->pill.rb};
    }
}

static bool poses_are_valid(const sn_muscle_system *system, const sn_transform *poses) {
    for (int b = 0; b < system->bone_count; b++) {
        const sn_real length2 = sn_q_dot(poses[b].rotation, poses[b].rotation);
        if (!sn_valid3(poses[b].position) || !(length2 > (sn_real)0.98 && length2 < (sn_real)1.02)) return false;
    }
    return true;
}

static sn_status run_step(sn_muscle_system *system, sn_real h, const sn_transform *poses, bool quasistatic,
                          sn_pool *pool) {
    for (int b = 0; b < system->bone_count; b++) {
        system->from[b] = system->to[b];
        system->to[b] = (sn_transform){poses[b].position, sn_q_normalize(poses[b].rotation)};
        system->now[b] = system->from[b];
    }
    for (int m = 0; m < system->muscle_count; m++) {
        sn_muscle_body *muscle = &system->muscles[m];
        muscle->diverged = false, muscle->end_motion = 0;
        for (int end = 0; end < 2; end++) {
            const int bone = muscle->def.bone[end];
            const sn_vec3 at = muscle->def.end[end];
            const sn_vec3 a = sn_bone_point(&system->from[bone], at), b = sn_bone_point(&system->to[bone], at);
            muscle->end_motion = sn_max(muscle->end_motion, sn_length(sn_sub(b, a)));
        }
    }
    if (!sn_muscle_find_pairs(system)) { // undo
        for (int b = 0; b < system->bone_count; b++) system->to[b] = system->from[b];
        return SN_ERR_MEMORY;
    }
    system->h = h / (sn_real)system->substeps;
    system->quasistatic = quasistatic;
    for (int sub = 0; sub < system->substeps; sub++) {
        system->fraction = (sn_real)(sub + 1) / (sn_real)system->substeps;
        system->last_substep = sub + 1 == system->substeps;
        for (int b = 0; b < system->bone_count; b++) {
            system->before[b] = system->now[b];
            system->now[b] = interpolate_pose(&system->from[b], &system->to[b], system->fraction);
        }
        update_pills(system);
        sn_muscle_parallel_for(pool, system->muscle_count, predict_and_solve, system);
        for (int pass = 0; pass < system->passes; pass++) {
            system->pass = pass;
            system->last_pass = pass + 1 == system->passes;
            // Pairs are solved once; later passes only resolve bones and skin.
            if (pass == 0) sn_muscle_parallel_for(pool, system->pair_count, sn_muscle_solve_pair, system);
            sn_muscle_parallel_for(pool, system->muscle_count, solve_contacts, system);
        }
    }
    system->report = (sn_muscle_report){.pairs = system->pair_count};
    for (int m = 0; m < system->muscle_count; m++) {
        sn_muscle_body *muscle = &system->muscles[m];
        muscle->previous_keys = muscle->keys;
        system->report.contacts += muscle->contacts;
        system->report.penetration = sn_max(system->report.penetration, muscle->penetration);
        system->report.diverged += muscle->diverged;
    }
    return system->report.diverged > 0 ? SN_WARN_DIVERGED : SN_OK;
}

sn_status sn_muscle_system_step(sn_muscle_system *system, sn_real h, const sn_transform *poses, sn_pool *pool) {
    if (!poses || !(h > 0) || !sn_finite(h) || !poses_are_valid(system, poses)) return SN_ERR_RANGE;
    return run_step(system, h, poses, false, pool);
}

sn_status sn_muscle_system_teleport(sn_muscle_system *system, const sn_transform *poses, int frames, sn_pool *pool) {
    if (!poses || frames < 0 || !poses_are_valid(system, poses)) return SN_ERR_RANGE;
    for (int b = 0; b < system->bone_count; b++) {
        system->to[b] = (sn_transform){poses[b].position, sn_q_normalize(poses[b].rotation)};
        system->from[b] = system->before[b] = system->now[b] = system->to[b];
    }
    system->fraction = 1;
    update_pills(system);
    for (int m = 0; m < system->muscle_count; m++) {
        sn_muscle_body *muscle = &system->muscles[m];
        const sn_implicit_muscle_def *def = &muscle->def;
        const int last = muscle->spindle.points - 1;
        if (muscle->driven) continue;
        for (int i = 0; i <= last; i++) {
            const int *bone = def->bone;
            const sn_vec3 a =
                sn_bone_point(&system->now[bone[0]], sn_bone_local(&system->rest[bone[0]], muscle->rest[i]));
            const sn_vec3 b =
                sn_bone_point(&system->now[bone[1]], sn_bone_local(&system->rest[bone[1]], muscle->rest[i]));
            muscle->spindle.axis[i] = sn_lerp(a, b, (sn_real)i / (sn_real)last);
            muscle->velocity[i] = sn_v3(0, 0, 0);
            muscle->skinned[i] = muscle->previous[i] = muscle->spindle.axis[i];
        }
        muscle->previous_keys = muscle->keys;
        sn_muscle_spindle_reset_twist(&muscle->spindle);
        sn_muscle_body_build(system, muscle);
    }
    sn_status status = SN_OK;
    for (int i = 0; i < frames && status == SN_OK; i++) status = run_step(system, (sn_real)0.25, poses, true, pool);
    return status;
}
