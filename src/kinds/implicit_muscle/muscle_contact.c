// Contacts of a muscle's points with bones and skin, as moves of the points. Against bones a point is as thick as the
// muscle is there, in the direction of the contact; in the skin it is only a point.
//
// Friction takes from a point's move along the bone, of this substep, up to the part mu times how far it was pushed
// out.
#include "geometry/pill.h"
#include "kinds/implicit_muscle/muscle_body.h"

// Distances of all points of a muscle in rows; the last row is filled with the last point.
typedef struct {
    sn_real q[3][SN_SWEPT_MOST + SN_SWEPT_ROW], d[SN_SWEPT_MOST + SN_SWEPT_ROW], g[3][SN_SWEPT_MOST + SN_SWEPT_ROW];
} __attribute__((aligned(64))) rows;

static int fill(rows *r, const sn_swept *shape, const sn_transform *pose) {
    const int count = (shape->points + SN_SWEPT_ROW - 1) / SN_SWEPT_ROW * SN_SWEPT_ROW;
    for (int i = 0; i < count; i++) {
        sn_vec3 p = shape->axis[i < shape->points ? i : shape->points - 1];
        if (pose) p = sn_bone_local(pose, p);
        r->q[0][i] = p.x, r->q[1][i] = p.y, r->q[2][i] = p.z;
    }
    return count;
}

static void ask(rows *r, int count, sn_swept_distance_fn *distance, const void *context) {
    const sn_real *const q[3] = {r->q[0], r->q[1], r->q[2]};
    sn_real *const g[3] = {r->g[0], r->g[1], r->g[2]};
    distance(context, count, q, r->d, g);
}

void sn_swept_meet_skin(const sn_swept_system *system, sn_swept_body *muscle) {
    if (!system->skin || !muscle->def.in_skin) return;
    rows r;
    ask(&r, fill(&r, &muscle->shape, NULL), system->skin, muscle->skin);
    for (int i = 1; i + 1 < muscle->shape.points; i++) {
        if (!muscle->collide[i] || !(r.d[i] > 0)) continue;
        const sn_vec3 g = sn_v3(r.g[0][i], r.g[1][i], r.g[2][i]);
        const sn_real g2 = sn_length2(g);
        if (!(g2 > (sn_real)1e-6) || !sn_finite(g2)) continue;
        // A distance's gradient is 1; of other fields this is the step to their surface if it were a plane. Not farther
        // than the muscle is thick: fields may be flat.
        const sn_real step = sn_min(r.d[i] / g2, muscle->shape.most / sn_sqrt(g2));
        muscle->shape.axis[i] = sn_mul_add(muscle->shape.axis[i], -step, g);
        muscle->contacts++;
    }
}

// How deep point i is in a pill, 0 if it does not reach it, and the direction out of it.
static sn_real depth_in_pill(const sn_pill *pill, const sn_swept *shape, int i, sn_vec3 *out) {
    const sn_real most = shape->radius[i] * shape->thick;
    sn_real t;
    if (!sn_swept_within(shape->axis[i], pill->a, pill->b, sn_max(pill->ra, pill->rb) + most)) return 0;
    const sn_real distance = sn_pill_distance(pill, shape->axis[i], &t);
    if (distance >= most) return 0;
    const sn_vec3 centre = sn_lerp(pill->a, pill->b, t);
    *out = sn_normalize(sn_sub(shape->axis[i], centre), shape->normal[i]);
    return sn_max(sn_swept_reach(shape, i, *out) - distance, 0);
}

void sn_swept_find_bones(const sn_swept_system *system, sn_swept_body *muscle) {
    const sn_swept *shape = &muscle->shape;
    const sn_pill around = {shape->from, shape->to, shape->around, shape->around};
    const sn_sphere ball = sn_pill_sphere_bound(&around);
    const sn_real room = (sn_real)0.015; // that contacts of this substep may still move it by
    for (int s = 0; muscle->def.touch_bones && s < system->shape_count; s++) {
        const sn_pill *pill = &system->pills[s];
        muscle->near[s] =
            sn_swept_within(ball.centre, pill->a, pill->b, ball.radius + sn_max(pill->ra, pill->rb) + room) &&
            sn_pill_pill(&around, pill).distance < room;
    }
}

// Moves a point out of a bone, and holds it back where it slides.
static void push_out(const sn_swept_system *system, sn_swept_body *muscle, int i, int bone, sn_real depth,
                     sn_vec3 out) {
    sn_vec3 *p = &muscle->shape.axis[i];
    *p = sn_mul_add(*p, depth, out);
    muscle->contacts++;
    if (system->pass > 0 || system->still) return;
    const sn_vec3 ridden = sn_bone_point(&system->now[bone], sn_bone_local(&system->before[bone], muscle->old[i]));
    sn_vec3 slid = sn_sub(*p, ridden);
    slid = sn_mul_add(slid, -sn_dot(slid, out), out);
    const sn_real way = sn_length(slid);
    if (way > 0) *p = sn_mul_add(*p, -sn_min(1, muscle->def.friction * depth / way), slid);
}

void sn_swept_meet_bones(const sn_swept_system *system, sn_swept_body *muscle) {
    if (!muscle->def.touch_bones) return;
    sn_swept *shape = &muscle->shape;
    for (int s = 0; s < system->shape_count; s++) {
        if (!muscle->near[s]) continue;
        const sn_swept_bone *bone = &system->shapes[s];
        if (!bone->distance) {
            for (int i = 1; i + 1 < shape->points; i++) {
                sn_vec3 out;
                if (!muscle->collide[i]) continue;
                const sn_real depth = depth_in_pill(&system->pills[s], shape, i, &out);
                if (depth > 0) push_out(system, muscle, i, bone->bone, depth, out);
            }
            continue;
        }
        rows r;
        ask(&r, fill(&r, shape, &system->now[bone->bone]), bone->distance, bone->context);
        for (int i = 1; i + 1 < shape->points; i++) {
            if (!muscle->collide[i]) continue;
            sn_vec3 out = sn_normalize(sn_v3(r.g[0][i], r.g[1][i], r.g[2][i]), sn_v3(0, 0, 0));
            out = sn_q_rotate(system->now[bone->bone].rotation, out);
            const sn_real depth = sn_swept_reach(shape, i, out) - r.d[i];
            if (depth > 0 && sn_finite3(out)) push_out(system, muscle, i, bone->bone, depth, out);
        }
    }
}

sn_real sn_swept_depth_in_bones(const sn_swept_system *system, const sn_swept_body *muscle) {
    sn_real deepest = 0;
    if (!muscle->def.touch_bones) return 0;
    for (int s = 0; s < system->shape_count; s++) {
        if (system->shapes[s].distance || !muscle->near[s]) continue;
        for (int i = 1; i + 1 < muscle->shape.points; i++) {
            sn_vec3 out;
            if (muscle->collide[i])
                deepest = sn_max(deepest, depth_in_pill(&system->pills[s], &muscle->shape, i, &out));
        }
    }
    return deepest;
}
