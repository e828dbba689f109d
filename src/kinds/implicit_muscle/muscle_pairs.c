// Contacts between muscles. A point of muscle a, with the radius of its muscle there, stays out of the field of b:
//
//     C = f_b(p_i) - R_a >= 0,     corrected along n = grad f / |grad f| by the full violation.
//
// The correction is split by inverse mass between the point and the two points of b's axis on either side of its foot
// point, at parameter t: w = 1/m_i + (1 - t)^2/m_j + t^2/m_j+1. It is a Jacobi iteration: all pairs read the same
// positions and record corrections; each point then moves by the mean of its corrections, summed in pair order.
#include "geometry/pill.h"
#include "kinds/implicit_muscle/muscle_body.h"

static sn_pill capsule_of(const sn_muscle_spindle *spindle) {
    return (sn_pill){spindle->bound_a, spindle->bound_b, spindle->bound_radius, spindle->bound_radius};
}

// Whether the bounding balls of two muscles are closer than `margin`: most pairs are not.
static bool balls_are_close(const sn_muscle_spindle *a, const sn_muscle_spindle *b, sn_real margin) {
    const sn_vec3 along_a = sn_sub(a->bound_b, a->bound_a), along_b = sn_sub(b->bound_b, b->bound_a);
    const sn_vec3 between = sn_sub(sn_add(a->bound_a, a->bound_b), sn_add(b->bound_a, b->bound_b)); // doubled
    const sn_real reach = sn_length(along_a) + sn_length(along_b) + 2 * (a->bound_radius + b->bound_radius + margin);
    return sn_length2(between) < reach * reach * (sn_real)1.0001;
}

bool sn_muscle_find_pairs(sn_muscle_system *system) {
    system->pair_count = system->correction_count = 0;
    for (int a = 0; a < system->muscle_count; a++)
        for (int b = a + 1; b < system->muscle_count; b++) {
            const sn_muscle_body *x = &system->muscles[a], *y = &system->muscles[b];
            if (!x->def.collide_muscles || !y->def.collide_muscles) continue;
            if (x->def.group == y->def.group && x->def.group != 0) continue;
            const sn_real margin = (sn_real)0.01 + x->end_motion + y->end_motion;
            if (!balls_are_close(&x->spindle, &y->spindle, margin)) continue;
            const sn_pill around_x = capsule_of(&x->spindle), around_y = capsule_of(&y->spindle);
            if (sn_pill_pill(&around_x, &around_y).distance > margin) continue;
            const int points = x->spindle.points + y->spindle.points;
            if (!sn_reserve(system->memory, (void **)&system->pairs, &system->pair_capacity, system->pair_count + 1,
                            sizeof *system->pairs) ||
                !sn_reserve(system->memory, (void **)&system->corrections, &system->correction_capacity,
                            system->correction_count + points, sizeof *system->corrections))
                return false;
            system->pairs[system->pair_count++] = (sn_muscle_pair){a, b, system->correction_count, false};
            system->correction_count += points;
        }
    return true;
}

// Inverse mass of a point for contacts, 0 at the ends and in tendons. All points have the muscle's mean mass: the true
// masses near its ends are so small that a heavy neighbour would fling them away.
static sn_real inverse_mass(const sn_muscle_body *muscle, int i) {
    if (muscle->driven) return 0; // these contacts do not move rods
    return muscle->collides[i] ? (sn_real)(muscle->spindle.points - 2) / (muscle->def.density * muscle->def.volume) : 0;
}

static void add_correction(sn_muscle_correction *sum, sn_vec3 move) {
    sum->move = sn_add(sum->move, move);
    sum->count += 1;
}

// Collides the points of a with the field of b. Returns whether any are in contact.
static bool collide_points(const sn_muscle_system *system, const sn_muscle_body *a, const sn_muscle_body *b,
                           sn_muscle_correction *of_a, sn_muscle_correction *of_b) {
    enum { MAX = SN_MUSCLE_MAX_POINTS + SN_MUSCLE_ROW };
    sn_real q[3][MAX] __attribute__((aligned(64))), f[MAX] __attribute__((aligned(64)));
    sn_real g[3][MAX] __attribute__((aligned(64))), where[MAX] __attribute__((aligned(64)));
    int16_t point[MAX];
    int count = 0;
    bool in_contact = false;
    // Skip points far from the other's bounding capsule: most of them.
    for (int i = 1; i + 1 < a->spindle.points; i++) {
        if (!a->collides[i]) continue;
        if (!sn_muscle_is_within(a->spindle.axis[i], b->spindle.bound_a, b->spindle.bound_b,
                                 b->spindle.bound_radius + a->spindle.radius[i] * a->spindle.thick))
            continue;
        const sn_vec3 p = a->spindle.axis[i];
        point[count] = (int16_t)i;
        q[0][count] = p.x, q[1][count] = p.y, q[2][count] = p.z;
        count++;
    }
    if (count == 0) return false;
    int padded = count;
    for (; padded % SN_MUSCLE_ROW; padded++)
        for (int k = 0; k < 3; k++) q[k][padded] = q[k][count - 1];
    system->field(&b->spindle, padded, (const sn_real *const[3]){q[0], q[1], q[2]}, f,
                  (sn_real *const[3]){g[0], g[1], g[2]}, where);
    for (int k = 0; k < count; k++) {
        const int i = point[k];
        const sn_vec3 n = sn_normalize(sn_v3(g[0][k], g[1][k], g[2][k]), sn_v3(0, 0, 0));
        const sn_real radius = sn_muscle_radius_towards(&a->spindle, i, n);
        sn_real depth = radius - f[k];
        if (!(depth > 0) || sn_length2(n) == 0) continue;
        int j = (int)where[k];
        j = j < 0 ? 0 : j > b->spindle.points - 2 ? b->spindle.points - 2 : j;
        if (!b->collides[j] && !b->collides[j + 1]) continue; // a tendon
        const sn_real t = sn_clamp(where[k] - (sn_real)j, 0, 1);
        const sn_real wi = inverse_mass(a, i), wj = (1 - t) * inverse_mass(b, j), wk = t * inverse_mass(b, j + 1);
        const sn_real sum = wi + (1 - t) * wj + t * wk;
        if (!(sum > 0)) continue;
        depth = sn_min(depth, (sn_real)0.5 * radius); // resolve deep penetration over several passes
        sn_vec3 move = sn_mul(depth, n);
        if (system->pass == 0 && !system->quasistatic) {
            const sn_vec3 motion_j = sn_sub(b->spindle.axis[j], b->previous[j]);
            const sn_vec3 motion_k = sn_sub(b->spindle.axis[j + 1], b->previous[j + 1]);
            sn_vec3 slid = sn_sub(sn_sub(a->spindle.axis[i], a->previous[i]), sn_lerp(motion_j, motion_k, t));
            slid = sn_mul_add(slid, -sn_dot(slid, n), n);
            const sn_real distance = sn_length(slid), mu = (sn_real)0.5 * (a->def.friction + b->def.friction);
            if (distance > 0) move = sn_mul_add(move, -sn_min(1, mu * depth / distance), slid);
        }
        add_correction(&of_a[i], sn_mul(wi / sum, move));
        if (wj > 0) add_correction(&of_b[j], sn_mul(-wj / sum, move));
        if (wk > 0) add_correction(&of_b[j + 1], sn_mul(-wk / sum, move));
        in_contact = true;
    }
    return in_contact;
}

void sn_muscle_solve_pair(void *context, int index, int worker) {
    (void)worker;
    sn_muscle_system *system = context;
    sn_muscle_pair *pair = &system->pairs[index];
    const sn_muscle_body *a = &system->muscles[pair->a], *b = &system->muscles[pair->b];
    const sn_pill around_a = capsule_of(&a->spindle), around_b = capsule_of(&b->spindle);
    pair->in_contact = false;
    if (sn_pill_pill(&around_a, &around_b).distance > 0) return;
    sn_muscle_correction *of_a = system->corrections + pair->first, *of_b = of_a + a->spindle.points;
    for (int i = 0; i < a->spindle.points + b->spindle.points; i++) of_a[i] = (sn_muscle_correction){0};
    const bool ab = collide_points(system, a, b, of_a, of_b), ba = collide_points(system, b, a, of_b, of_a);
    pair->in_contact = ab || ba;
}

void sn_muscle_apply_corrections(const sn_muscle_system *system, int index) {
    sn_muscle_body *muscle = &system->muscles[index];
    sn_muscle_correction sum[SN_MUSCLE_MAX_POINTS];
    bool any = false;
    for (int k = 0; k < system->pair_count; k++) {
        const sn_muscle_pair *pair = &system->pairs[k];
        if (!pair->in_contact || (pair->a != index && pair->b != index)) continue;
        if (!any)
            for (int i = 0; i < muscle->spindle.points; i++) sum[i] = (sn_muscle_correction){0};
        any = true;
        const sn_muscle_correction *add = system->corrections + pair->first;
        if (pair->b == index) add += system->muscles[pair->a].spindle.points;
        for (int i = 0; i < muscle->spindle.points; i++) {
            sum[i].move = sn_add(sum[i].move, add[i].move);
            sum[i].count += add[i].count;
        }
    }
    for (int i = 1; any && i + 1 < muscle->spindle.points; i++) {
        if (sum[i].count == 0) continue;
        muscle->spindle.axis[i] = sn_mul_add(muscle->spindle.axis[i], 1 / sum[i].count, sum[i].move);
        muscle->contacts++;
    }
}
