// Muscles against each other: a point of one, as thick as its muscle is there, keeps out of the field of the other,
//
//     C = f_b(p_i) - R_a >= 0,     moved out along n = grad f / |grad f| by all that is missing,
//
// shared by inverse mass between the point and the two points of b's axis around the place that it belongs to, where t
// of the way between them counts: w = 1/m_i + (1 - t)^2/m_j + t^2/m_j+1. All pairs look at the same places and only
// note what they would move (Jacobi); a point is then moved by the mean of what was noted, in the pairs' order.
#include "geometry/pill.h"
#include "kinds/implicit_muscle/muscle_body.h"

static sn_pill capsule_of(const sn_swept *shape) {
    return (sn_pill){shape->from, shape->to, shape->around, shape->around};
}

// Whether balls around two muscles are nearer to each other than 'room': most pairs are not.
static bool balls_near(const sn_swept *a, const sn_swept *b, sn_real room) {
    const sn_vec3 along_a = sn_sub(a->to, a->from), along_b = sn_sub(b->to, b->from);
    const sn_vec3 between = sn_sub(sn_add(a->from, a->to), sn_add(b->from, b->to)); // twice as long
    const sn_real reach = sn_length(along_a) + sn_length(along_b) + 2 * (a->around + b->around + room);
    return sn_length2(between) < reach * reach * (sn_real)1.0001;
}

bool sn_swept_find_pairs(sn_swept_system *system) {
    system->pair_count = system->push_count = 0;
    for (int a = 0; a < system->muscle_count; a++)
        for (int b = a + 1; b < system->muscle_count; b++) {
            const sn_swept_body *x = &system->muscles[a], *y = &system->muscles[b];
            if (!x->def.touch_muscles || !y->def.touch_muscles) continue;
            if (x->def.group == y->def.group && x->def.group != 0) continue;
            const sn_real room = (sn_real)0.01 + x->reach + y->reach;
            if (!balls_near(&x->shape, &y->shape, room)) continue;
            const sn_pill around_x = capsule_of(&x->shape), around_y = capsule_of(&y->shape);
            if (sn_pill_pill(&around_x, &around_y).distance > room) continue;
            const int points = x->shape.points + y->shape.points;
            if (!sn_reserve(system->memory, (void **)&system->pairs, &system->pair_capacity, system->pair_count + 1,
                            sizeof *system->pairs) ||
                !sn_reserve(system->memory, (void **)&system->pushes, &system->push_capacity,
                            system->push_count + points, sizeof *system->pushes))
                return false;
            system->pairs[system->pair_count++] = (sn_swept_pair){a, b, system->push_count, false};
            system->push_count += points;
        }
    return true;
}

// Of a point that takes part in contacts; ends and tendons are held. Points count alike, by the muscle's mean: those
// near its ends are so light that a heavy neighbour would fling them away.
static sn_real inverse_mass(const sn_swept_body *muscle, int i) {
    if (muscle->led) return 0; // rods are not moved from here
    return muscle->collide[i] ? (sn_real)(muscle->shape.points - 2) / (muscle->def.density * muscle->def.volume) : 0;
}

static void note(sn_swept_push *push, sn_vec3 move) {
    push->move = sn_add(push->move, move);
    push->count += 1;
}

// Points of a against the field of b. True: something touched.
static bool push_points(const sn_swept_system *system, const sn_swept_body *a, const sn_swept_body *b,
                        sn_swept_push *push_a, sn_swept_push *push_b) {
    enum { MOST = SN_SWEPT_MOST + SN_SWEPT_ROW };
    sn_real q[3][MOST] __attribute__((aligned(64))), f[MOST] __attribute__((aligned(64)));
    sn_real g[3][MOST] __attribute__((aligned(64))), where[MOST] __attribute__((aligned(64)));
    int16_t point[MOST];
    int count = 0;
    bool touched = false;
    // Only points near the other's capsule: most of them are not.
    for (int i = 1; i + 1 < a->shape.points; i++) {
        if (!a->collide[i]) continue;
        if (!sn_swept_within(a->shape.axis[i], b->shape.from, b->shape.to,
                             b->shape.around + a->shape.radius[i] * a->shape.thick))
            continue;
        const sn_vec3 p = a->shape.axis[i];
        point[count] = (int16_t)i;
        q[0][count] = p.x, q[1][count] = p.y, q[2][count] = p.z;
        count++;
    }
    if (count == 0) return false;
    int padded = count;
    for (; padded % SN_SWEPT_ROW; padded++)
        for (int k = 0; k < 3; k++) q[k][padded] = q[k][count - 1];
    system->field(&b->shape, padded, (const sn_real *const[3]){q[0], q[1], q[2]}, f,
                  (sn_real *const[3]){g[0], g[1], g[2]}, where);
    for (int k = 0; k < count; k++) {
        const int i = point[k];
        const sn_vec3 n = sn_normalize(sn_v3(g[0][k], g[1][k], g[2][k]), sn_v3(0, 0, 0));
        const sn_real radius = sn_swept_reach(&a->shape, i, n);
        sn_real depth = radius - f[k];
        if (!(depth > 0) || sn_length2(n) == 0) continue;
        int j = (int)where[k];
        j = j < 0 ? 0 : j > b->shape.points - 2 ? b->shape.points - 2 : j;
        if (!b->collide[j] && !b->collide[j + 1]) continue; // a tendon
        const sn_real t = sn_clamp(where[k] - (sn_real)j, 0, 1);
        const sn_real wi = inverse_mass(a, i), wj = (1 - t) * inverse_mass(b, j), wk = t * inverse_mass(b, j + 1);
        const sn_real sum = wi + (1 - t) * wj + t * wk;
        if (!(sum > 0)) continue;
        depth = sn_min(depth, (sn_real)0.5 * radius); // one that is deep inside comes out over a few passes
        sn_vec3 move = sn_mul(depth, n);
        if (system->pass == 0 && !system->still) {
            const sn_vec3 way_j = sn_sub(b->shape.axis[j], b->old[j]);
            const sn_vec3 way_k = sn_sub(b->shape.axis[j + 1], b->old[j + 1]);
            sn_vec3 slid = sn_sub(sn_sub(a->shape.axis[i], a->old[i]), sn_lerp(way_j, way_k, t));
            slid = sn_mul_add(slid, -sn_dot(slid, n), n);
            const sn_real way = sn_length(slid), mu = (sn_real)0.5 * (a->def.friction + b->def.friction);
            if (way > 0) move = sn_mul_add(move, -sn_min(1, mu * depth / way), slid);
        }
        note(&push_a[i], sn_mul(wi / sum, move));
        if (wj > 0) note(&push_b[j], sn_mul(-wj / sum, move));
        if (wk > 0) note(&push_b[j + 1], sn_mul(-wk / sum, move));
        touched = true;
    }
    return touched;
}

void sn_swept_push_pair(void *context, int number, int worker) {
    (void)worker;
    sn_swept_system *system = context;
    sn_swept_pair *pair = &system->pairs[number];
    const sn_swept_body *a = &system->muscles[pair->a], *b = &system->muscles[pair->b];
    const sn_pill around_a = capsule_of(&a->shape), around_b = capsule_of(&b->shape);
    pair->touched = false;
    if (sn_pill_pill(&around_a, &around_b).distance > 0) return;
    sn_swept_push *push_a = system->pushes + pair->first, *push_b = push_a + a->shape.points;
    for (int i = 0; i < a->shape.points + b->shape.points; i++) push_a[i] = (sn_swept_push){0};
    const bool ab = push_points(system, a, b, push_a, push_b), ba = push_points(system, b, a, push_b, push_a);
    pair->touched = ab || ba;
}

void sn_swept_take_pushes(const sn_swept_system *system, int number) {
    sn_swept_body *muscle = &system->muscles[number];
    sn_swept_push sum[SN_SWEPT_MOST];
    bool any = false;
    for (int k = 0; k < system->pair_count; k++) {
        const sn_swept_pair *pair = &system->pairs[k];
        if (!pair->touched || (pair->a != number && pair->b != number)) continue;
        if (!any)
            for (int i = 0; i < muscle->shape.points; i++) sum[i] = (sn_swept_push){0};
        any = true;
        const sn_swept_push *push = system->pushes + pair->first;
        if (pair->b == number) push += system->muscles[pair->a].shape.points;
        for (int i = 0; i < muscle->shape.points; i++) {
            sum[i].move = sn_add(sum[i].move, push[i].move);
            sum[i].count += push[i].count;
        }
    }
    for (int i = 1; any && i + 1 < muscle->shape.points; i++) {
        if (sum[i].count == 0) continue;
        muscle->shape.axis[i] = sn_mul_add(muscle->shape.axis[i], 1 / sum[i].count, sum[i].move);
        muscle->contacts++;
    }
}
