// What joints leave free: one coordinate q each, the angle of a hinge, the displacement of a slider, the distance of two points, the
// twist of a ball. Limits, motors and friction are rows with a multiplier that is bounded (joint_solve.c):
//
//     limit       q <= upper, or lower <= q, whichever is nearer; it only pushes
//     motor       force = -k (q - target) - d (q' - speed), bounded by its largest one. Of the end of the substep: with
//                 q' = (q - q_0) / h it is a spring of stiffness k + d/h at q* = (k target + d/h (q_0 + h speed)) / (k + d/h)
//     friction    q = q_0 as far as a bounded force holds it there
//
// Angles of a frame A against B, both with the axis that they share when the joint is made, n_a and n_b: the swing is the angle
// between these; what is left of the rotation after the smallest one from n_b to n_a is the twist. With w the rotation of A
// against B
//
//     d swing = w.(n_b x n_a) / |n_b x n_a|        d twist = w.(n_a + n_b) / (1 + n_a.n_b)
//
// On a hinge n_a = n_b, and the twist is its angle. The force between the two sides of a slider acts at side a's point: the lever of b
// goes up to there.
#include "base/math/trig.h"
#include "couplings/joint/joint_rows.h"
#include <math.h>

static const double no_bound = 1e30;

bool sn_joint_has_coordinate(const sn_joint_def *d) {
    if (d->kind == SN_JOINT_DISTANCE || d->kind == SN_JOINT_SLIDER) return true;
    const bool axis = sn_length2(d->axis) > 0;
    return (d->kind == SN_JOINT_DIRECTION || d->kind == SN_JOINT_POINT) && axis;
}

static bool has_motor(const sn_joint_def *d) {
    return d->motor.stiffness > 0 || d->motor.damping > 0;
}

int sn_joint_row_count(const sn_joint_def *d) {
    static const int rows[] = {[SN_JOINT_POINT] = 3,
                               [SN_JOINT_DIRECTION] = 5,
                               [SN_JOINT_WELD] = 6,
                               [SN_JOINT_SLIDER] = 5,
                               [SN_JOINT_DISTANCE] = 0};
    int count = rows[d->kind];
    if (!sn_joint_has_coordinate(d)) return count;
    const bool held = d->kind == SN_JOINT_DISTANCE && !d->limited && !has_motor(d);
    return count + (d->limited || held) + (d->swing > 0) + has_motor(d) + (d->friction > 0);
}

// ---- the coordinate

sn_real sn_joint_twist(sn_quat from_b, sn_vec3 n_b, sn_vec3 n_a) {
    const sn_quat twist = sn_q_mul(sn_q_conj(sn_q_between(n_b, n_a)), from_b);
    const sn_real along = twist.x * n_b.x + twist.y * n_b.y + twist.z * n_b.z, sign = twist.w < 0 ? -1 : 1;
    return 2 * sn_atan2(sign * along, sign * twist.w);
}

sn_real sn_joint_unwrap(sn_real angle, sn_real near) {
    const sn_real revolution = 2 * SN_PI;
    return angle + revolution * (sn_real)floor((double)((near - angle) / revolution) + 0.5);
}

// The coordinate now, and how rows measure it.
typedef struct {
    double value, swing;
    bool angular;
    sn_vec3 axis, swing_axis;
    sn_vec3 lever[2];
} coordinate;

static coordinate measure(const sn_joint_now *now) {
    const sn_joint_body *joint = now->joint;
    coordinate q = {0};
    double offset[3];
    if (joint->def.kind == SN_JOINT_DISTANCE) {
        sn_joint_measure_offset(now, offset, q.lever);
        q.value = sqrt(offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2]);
        q.axis = sn_normalize(sn_v3((sn_real)offset[0], (sn_real)offset[1], (sn_real)offset[2]), sn_v3(0, 1, 0));
        return q;
    }
    const sn_quat frame = sn_joint_frame_of_a(now),
                  wanted = sn_q_mul(sn_joint_frame_of_b(now->c, joint, now->share), joint->relation);
    const sn_vec3 n_a = sn_q_rotate(frame, joint->axis), n_b = sn_q_rotate(wanted, joint->axis);
    if (joint->def.kind == SN_JOINT_SLIDER) {
        sn_joint_measure_offset(now, offset, q.lever);
        for (int k = 0; k < 3; k++) q.value += offset[k] * sn_coordinate(n_b, k);
        q.lever[1] = sn_add(q.lever[1], sn_v3((sn_real)offset[0], (sn_real)offset[1], (sn_real)offset[2]));
        q.axis = n_b;
        return q;
    }
    const sn_quat from_b = sn_q_mul(frame, sn_q_conj(wanted));
    const sn_vec3 across = sn_cross(n_b, n_a);
    const sn_real cosine = sn_dot(n_a, n_b);
    q.angular = true;
    q.value = (double)sn_joint_unwrap(sn_joint_twist(from_b, n_b, n_a), joint->value);
    q.axis = joint->def.kind == SN_JOINT_DIRECTION ? n_a
                                                   : sn_mul(1 / sn_max(1 + cosine, (sn_real)0.01),
                                                            sn_add(n_a, n_b)); // a swing of half a turn has no twist
    q.swing = (double)sn_atan2(sn_length(across), cosine);
    q.swing_axis = sn_normalize(across, sn_v3(0, 0, 0));
    return q;
}

// ---- rows

// A row for a change of the coordinate in the direction of 'sign'.
static sn_joint_row *add_row(const sn_joint_now *now, const coordinate *q, sn_vec3 axis, double sign, int part,
                             sn_joint_row *row) {
    axis = sn_mul((sn_real)sign, axis);
    if (q->angular)
        sn_joint_row_about(now, row, axis);
    else
        sn_joint_row_along(now, row, axis, q->lever);
    row->free = part;
    row->sign = sign;
    row->low = -no_bound, row->high = no_bound;
    row->force = sign * now->joint->free_force[part - 1];
    return row;
}

static void add_limit(const sn_joint_now *now, const coordinate *q, sn_joint_row *at) {
    const sn_joint_def *d = &now->joint->def;
    const bool held = !d->limited; // a distance
    const double lower = held ? (double)now->joint->rest : (double)d->lower, upper = held ? lower : (double)d->upper;
    const bool low = q->value - lower < upper - q->value;
    sn_joint_row *row = add_row(now, q, q->axis, low ? -1 : 1, SN_JOINT_LIMIT, at);
    row->open = low ? lower - q->value : q->value - upper;
    row->compliance = (double)(q->angular ? d->angular_compliance : d->compliance);
    if (held) return;
    row->low = 0;
    row->one_sided = true;
    row->force = fmax(row->force, 0);
}

static void add_swing(const sn_joint_now *now, const coordinate *q, sn_joint_row *at) {
    sn_joint_row *row = add_row(now, q, q->swing_axis, 1, SN_JOINT_SWING, at);
    row->open = q->swing - (double)now->joint->def.swing;
    row->compliance = (double)now->joint->def.angular_compliance;
    row->low = 0;
    row->one_sided = true;
    row->force = fmax(row->force, 0);
}

static void add_motor(const sn_joint_now *now, const coordinate *q, sn_joint_row *at) {
    const sn_joint_motor *m = &now->joint->def.motor;
    const double h = (double)now->h, damping = (double)m->damping / h, k = (double)m->stiffness + damping;
    const double start = (double)now->joint->value;
    const double target = ((double)m->stiffness * (double)m->target + damping * (start + h * (double)m->speed)) / k;
    sn_joint_row *row = add_row(now, q, q->axis, 1, SN_JOINT_MOTOR, at);
    row->open = q->value - target;
    row->compliance = 1 / k;
    row->from = target - start;
    if (m->max_force > 0) row->low = -(double)m->max_force, row->high = (double)m->max_force;
}

static void add_friction(const sn_joint_now *now, const coordinate *q, sn_joint_row *at) {
    sn_joint_row *row = add_row(now, q, q->axis, 1, SN_JOINT_FRICTION, at);
    row->open = q->value - (double)now->joint->value;
    row->low = -(double)now->joint->def.friction, row->high = (double)now->joint->def.friction;
}

int sn_joint_measure_slider(const sn_joint_now *now, sn_joint_row *rows) {
    const sn_joint_body *joint = now->joint;
    double offset[3];
    sn_vec3 lever[2], across[2];
    sn_joint_measure_offset(now, offset, lever);
    lever[1] = sn_add(lever[1], sn_v3((sn_real)offset[0], (sn_real)offset[1], (sn_real)offset[2]));
    const sn_quat wanted = sn_q_mul(sn_joint_frame_of_b(now->c, joint, now->share), joint->relation);
    sn_tangents(joint->axis, &across[0], &across[1]);
    for (int k = 0; k < 2; k++) {
        const sn_vec3 e = sn_q_rotate(wanted, across[k]);
        sn_joint_row_along(now, &rows[k], e, lever);
        for (int i = 0; i < 3; i++) rows[k].open += offset[i] * sn_coordinate(e, i);
        rows[k].compliance = (double)joint->def.compliance;
        rows[k].force = (double)sn_dot(joint->reaction, e);
    }
    return 2;
}

int sn_joint_measure_free(const sn_joint_now *now, sn_joint_row *rows) {
    const sn_joint_def *d = &now->joint->def;
    if (!sn_joint_has_coordinate(d)) return 0;
    const bool held = d->kind == SN_JOINT_DISTANCE && !d->limited && !has_motor(d);
    sn_joint_body *joint = now->joint;
    int count = 0;
    const coordinate q = measure(now);
    if (joint->pill_b < 0 && joint->collider < 0) { // where a point of space is when the next substep starts
        joint->goal = sn_lerp(joint->from, d->position, now->share);
        joint->goal_rotation = sn_joint_frame_of_b(now->c, joint, now->share);
    }
    if (d->limited || held) add_limit(now, &q, &rows[count++]);
    if (d->swing > 0) add_swing(now, &q, &rows[count++]);
    if (has_motor(d)) add_motor(now, &q, &rows[count++]);
    if (d->friction > 0) add_friction(now, &q, &rows[count++]);
    return count;
}
