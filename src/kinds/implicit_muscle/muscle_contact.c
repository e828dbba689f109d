// Contacts of a muscle's points with bones and skin, solved by moving the points. Against bones a point has the
// muscle's radius in the direction of the contact; against the skin it has no radius.
//
// Friction reduces a point's tangential displacement in this substep by up to mu times its penetration depth.
#include "geometry/pill.h"
#include "kinds/implicit_muscle/muscle_body.h"

// Distances of all points of a muscle in rows, padded with the last point.
typedef struct {
    sn_real q[3][SN_MUSCLE_MAX_POINTS + SN_MUSCLE_ROW], d[SN_MUSCLE_MAX_POINTS + SN_MUSCLE_ROW],
        g[3][SN_MUSCLE_MAX_POINTS + SN_MUSCLE_ROW];
} __attribute__((aligned(64))) rows;

static int fill(rows *r, const sn_muscle_spindle *spindle, const sn_transform *pose) {
    const int count = (spindle->points + SN_MUSCLE_ROW - 1) / SN_MUSCLE_ROW * SN_MUSCLE_ROW;
    for (int i = 0; i < count; i++) {
        sn_vec3 p = spindle->axis[i < spindle->points ? i : spindle->points - 1];
        if (pose) p = sn_bone_local(pose, p);
        r->q[0][i] = p.x, r->q[1][i] = p.y, r->q[2][i] = p.z;
    }
    return count;
}

static void eval_distance(rows *r, int count, sn_muscle_distance_fn *distance, const void *context) {
    const sn_real *const q[3] = {r->q[0], r->q[1], r->q[2]};
    sn_real *const g[3] = {r->g[0], r->g[1], r->g[2]};
    distance(context, count, q, r->d, g);
}

void sn_muscle_collide_skin(const sn_muscle_system *system, sn_muscle_body *muscle) {
    if (!system->skin || !muscle->def.in_skin) return;
    rows r;
    eval_distance(&r, fill(&r, &muscle->spindle, NULL), system->skin, muscle->skin);
    for (int i = 1; i + 1 < muscle->spindle.points; i++) {
        if (!muscle->collides[i] || !(r.d[i] > 0)) continue;
        const sn_vec3 g = sn_v3(r.g[0][i], r.g[1][i], r.g[2][i]);
        const sn_real g2 = sn_length2(g);
        if (!(g2 > (sn_real)1e-6) || !sn_finite(g2)) continue;
        // A Newton step to the surface; fields other than distances have gradients other than 1. At most the muscle's
        // radius: fields may be flat.
        const sn_real step = sn_min(r.d[i] / g2, muscle->spindle.max_radius / sn_sqrt(g2));
        muscle->spindle.axis[i] = sn_mul_add(muscle->spindle.axis[i], -step, g);
        muscle->contacts++;
    }
}

// The penetration depth of point i in a pill, 0 if they are apart, and the direction out of the pill.
static sn_real depth_in_pill(const sn_pill *pill, const sn_muscle_spindle *spindle, int i, sn_vec3 *out) {
    const sn_real max_radius = spindle->radius[i] * spindle->thick;
    sn_real t;
    if (!sn_muscle_is_within(spindle->axis[i], pill->a, pill->b, sn_max(pill->ra, pill->rb) + max_radius)) return 0;
    const sn_real distance = sn_pill_distance(pill, spindle->axis[i], &t);
    if (distance >= max_radius) return 0;
    const sn_vec3 centre = sn_lerp(pill->a, pill->b, t);
    *out = sn_normalize(sn_sub(spindle->axis[i], centre), spindle->normal[i]);
    return sn_max(sn_muscle_radius_towards(spindle, i, *out) - distance, 0);
}

void sn_muscle_find_bones(const sn_muscle_system *system, sn_muscle_body *muscle) {
    const sn_muscle_spindle *spindle = &muscle->spindle;
    const sn_pill around = {spindle->bound_a, spindle->bound_b, spindle->bound_radius, spindle->bound_radius};
    const sn_sphere ball = sn_pill_sphere_bound(&around);
    const sn_real margin = (sn_real)0.015; // contacts of this substep may still move it this far
    for (int s = 0; muscle->def.collide_bones && s < system->obstacle_count; s++) {
        const sn_pill *pill = &system->pills[s];
        muscle->is_close[s] =
            sn_muscle_is_within(ball.centre, pill->a, pill->b, ball.radius + sn_max(pill->ra, pill->rb) + margin) &&
            sn_pill_pill(&around, pill).distance < margin;
    }
}

// Moves a point out of a bone and applies friction.
static void depenetrate(const sn_muscle_system *system, sn_muscle_body *muscle, int i, int bone, sn_real depth,
                        sn_vec3 out) {
    sn_vec3 *p = &muscle->spindle.axis[i];
    *p = sn_mul_add(*p, depth, out);
    muscle->contacts++;
    if (system->pass > 0 || system->quasistatic) return;
    const sn_vec3 fixed = sn_bone_point(&system->now[bone], sn_bone_local(&system->before[bone], muscle->previous[i]));
    sn_vec3 slid = sn_sub(*p, fixed);
    slid = sn_mul_add(slid, -sn_dot(slid, out), out);
    const sn_real distance = sn_length(slid);
    if (distance > 0) *p = sn_mul_add(*p, -sn_min(1, muscle->def.friction * depth / distance), slid);
}

void sn_muscle_collide_bones(const sn_muscle_system *system, sn_muscle_body *muscle) {
    if (!muscle->def.collide_bones) return;
    sn_muscle_spindle *spindle = &muscle->spindle;
    for (int s = 0; s < system->obstacle_count; s++) {
        if (!muscle->is_close[s]) continue;
        const sn_muscle_obstacle *bone = &system->obstacles[s];
        if (!bone->distance) {
            for (int i = 1; i + 1 < spindle->points; i++) {
                sn_vec3 out;
                if (!muscle->collides[i]) continue;
                const sn_real depth = depth_in_pill(&system->pills[s], spindle, i, &out);
                if (depth > 0) depenetrate(system, muscle, i, bone->bone, depth, out);
            }
            continue;
        }
        rows r;
        eval_distance(&r, fill(&r, spindle, &system->now[bone->bone]), bone->distance, bone->context);
        for (int i = 1; i + 1 < spindle->points; i++) {
            if (!muscle->collides[i]) continue;
            sn_vec3 out = sn_normalize(sn_v3(r.g[0][i], r.g[1][i], r.g[2][i]), sn_v3(0, 0, 0));
            out = sn_q_rotate(system->now[bone->bone].rotation, out);
            const sn_real depth = sn_muscle_radius_towards(spindle, i, out) - r.d[i];
            if (depth > 0 && sn_finite3(out)) depenetrate(system, muscle, i, bone->bone, depth, out);
        }
    }
}

sn_real sn_muscle_bone_penetration(const sn_muscle_system *system, const sn_muscle_body *muscle) {
    sn_real deepest = 0;
    if (!muscle->def.collide_bones) return 0;
    for (int s = 0; s < system->obstacle_count; s++) {
        if (system->obstacles[s].distance || !muscle->is_close[s]) continue;
        for (int i = 1; i + 1 < muscle->spindle.points; i++) {
            sn_vec3 out;
            if (muscle->collides[i])
                deepest = sn_max(deepest, depth_in_pill(&system->pills[s], &muscle->spindle, i, &out));
        }
    }
    return deepest;
}
