// What joints hold, as rows in node space: the maths is at the head of joint_solve.c.
#include "couplings/joint/joint_rows.h"
#include <math.h>

static double point_on(const sn_contacts *c, int pill, sn_real along, int k) {
    const sn_node_pill *p = &c->proxies.pills[pill];
    const double b = sn_node_at(&c->proxies.nodes[pill], k);
    if (p->a < 0) return b; // a node without a pill
    return b + (1 - (double)along) * (sn_node_at(&c->proxies.nodes[p->a], k) - b);
}

static sn_vec3 unit(int k) {
    return sn_v3(k == 0, k == 1, k == 2);
}

// ---- segments that rotate

typedef struct {
    sn_vec3 d;      // from node to node, unit
    sn_real length; // 0: it has no direction
} sn_arm;

static sn_arm arm_of(const sn_contacts *c, int pill) {
    const sn_node_pill *x = &c->proxies.pills[pill];
    const sn_vec3 displacement = sn_sub(c->proxies.nodes[x->b].c, c->proxies.nodes[x->a].c);
    const sn_real length = sn_length(displacement);
    return length > 0 ? (sn_arm){sn_mul(1 / length, displacement), length} : (sn_arm){x->axis, 0};
}

// How a segment stands follows from how it stood at the start of the substep: its axis is known and how far it has rotated about it
// (geometry/proxy.h), and exactly one rotation does both. With the smallest rotation P from the old axis to the new one, by the
// angle b, the whole is one by f about the new axis after P, and its part about the axis is 2 sin(f/2) cos(b/2). Nodes are
// nearly, not quite, along that axis (a rod may shear); they are what the joint can move, so the frame is aligned with them.
static sn_quat frame_of(const sn_contacts *c, int pill, sn_quat start) {
    const sn_node_pill *x = &c->proxies.pills[pill];
    sn_quat now = start;
    if (sn_length2(x->axis) > (sn_real)0.5) { // a sleeper shows no axis: it stands as it stood
        const sn_quat min = sn_q_between(sn_q_axis_z(start), x->axis);
        sn_real sine = min.w > (sn_real)0.01 ? (sn_real)0.5 * x->spin / min.w : 0;
        sine = sn_min(sn_max(sine, -1), 1);
        const sn_quat about = {sine * x->axis.x, sine * x->axis.y, sine * x->axis.z, sn_sqrt(1 - sine * sine)};
        now = sn_q_mul(about, sn_q_mul(min, start));
    }
    return sn_q_align_z(now, arm_of(c, pill).d);
}

// ---- side b

static sn_quat lerp_rotation(sn_quat p, sn_quat q, sn_real t) {
    if (sn_q_dot(p, q) < 0) q = (sn_quat){-q.x, -q.y, -q.z, -q.w};
    return sn_q_normalize(
        (sn_quat){p.x + t * (q.x - p.x), p.y + t * (q.y - p.y), p.z + t * (q.z - p.z), p.w + t * (q.w - p.w)});
}

sn_quat sn_joint_frame_of_b(const sn_contacts *c, const sn_joint_body *joint, sn_real share) {
    if (joint->on_bone) return lerp_rotation(joint->bone[0], joint->bone[1], share);
    if (joint->pill_b >= 0) return joint->is_point[1] ? sn_q_identity() : frame_of(c, joint->pill_b, joint->frame[1]);
    if (joint->collider >= 0) return c->colliders[joint->collider]->until.rotation;
    return lerp_rotation(joint->rotation_from, joint->rotation, share);
}

// Where side b's point is at the end of this substep.
double sn_joint_point_of_b(const sn_contacts *c, const sn_joint_body *joint, sn_real share, int k) {
    if (joint->pill_b >= 0) return point_on(c, joint->pill_b, joint->along[1], k);
    if (joint->collider >= 0)
        return sn_coordinate(sn_transform_point(&c->colliders[joint->collider]->until, joint->local), k);
    return sn_coordinate(sn_lerp(joint->from, joint->def.position, share), k);
}

// ---- rows

// A row's part on one side: coefficients of the displacements of two nodes, and of the pill's spin.
static void add_point(sn_joint_row *row, const sn_contacts *c, int side, int pill, sn_real along, sn_vec3 direction) {
    const bool segment = c->proxies.pills[pill].a >= 0;
    sn_joint_part *part = &row->part[side];
    if (segment) part->node[0] = sn_mul_add(part->node[0], 1 - along, direction);
    part->node[1] = sn_mul_add(part->node[1], segment ? along : 1, direction);
}

static void add_rotation(sn_joint_row *row, const sn_contacts *c, int side, int pill, sn_vec3 about) {
    const sn_arm arm = arm_of(c, pill);
    sn_joint_part *part = &row->part[side];
    if (!(arm.length > 0)) return;
    const sn_vec3 force = sn_mul(1 / arm.length, sn_cross(about, arm.d));
    part->node[0] = sn_sub(part->node[0], force);
    part->node[1] = sn_add(part->node[1], force);
    part->spin += sn_dot(about, arm.d);
}

// The slots of a joint's sides; a side that does not move has none.
static void place_row(sn_joint_row *row, const sn_contacts *c, const sn_solve *solve, const sn_joint_body *joint,
                      int i) {
    *row = (sn_joint_row){.joint = i};
    for (int side = 0; side < 2; side++) {
        const int pill = side ? joint->pill_b : joint->pill_a;
        sn_joint_part *part = &row->part[side];
        part->body = part->slot[0] = part->slot[1] = -1;
        if (pill < 0) continue;
        const int body = c->proxies.pills[pill].body;
        if (!solve->coupled[body]) continue;
        part->body = body;
        part->unit = solve->unit[body];
        part->slot[1] = pill + solve->shift[body];
        part->slot[0] = c->proxies.pills[pill].a >= 0 ? c->proxies.pills[pill].a + solve->shift[body] : part->slot[1];
    }
}

// Multipliers are kept in the joint as vectors, so that they last when rows are measured anew.
static double along_row(sn_vec3 v, sn_vec3 direction) {
    return (double)sn_dot(v, direction);
}

// A force f at a lever r that rotates with a rigid body changes its torque: by a further rotation t it is ((t x r) x f). As a
// stiffness that is (r.f) 1 - (r f^T + f r^T) / 2, with the eigenvalues r.f across both, (r.f + |r||f|) / 2 along r/|r| - f/|f|, and one
// that is never positive. Where links hang on each other it is what keeps Newton's iteration from overshooting. Only what
// is positive is added, so that the bodies' matrices stay so.
static void add_rotation_stiffness(const sn_solve *solve, int body, sn_vec3 r, sn_vec3 f) {
    const sn_real product = sn_length(r) * sn_length(f), along = sn_dot(r, f);
    if (!solve->rotation_stiffness || !solve->coupled[body] || !(product > 0)) return;
    const sn_vec3 to = sn_normalize(r, unit(0)), pull = sn_normalize(f, unit(0)), across = sn_cross(to, pull);
    sn_vec3 axis[2];
    sn_real k[2] = {sn_max(along, 0), sn_max((sn_real)0.5 * (along + product), 0)};
    if (sn_length2(across) > (sn_real)1e-6) {
        axis[0] = sn_normalize(across, unit(0)), axis[1] = sn_normalize(sn_sub(to, pull), unit(0));
    } else {
        sn_tangents(to, &axis[0], &axis[1]);
        k[1] = k[0];
    }
    sn_real *m = solve->rotation_stiffness + (size_t)body * SN_ROTATION_STIFFNESS;
    for (int i = 0; i < 2; i++) {
        const sn_vec3 a = axis[i];
        m[0] += k[i] * a.x * a.x, m[1] += k[i] * a.x * a.y, m[2] += k[i] * a.x * a.z;
        m[3] += k[i] * a.y * a.y, m[4] += k[i] * a.y * a.z, m[5] += k[i] * a.z * a.z;
    }
}

sn_quat sn_joint_frame_of_a(const sn_joint_now *now) {
    return frame_of(now->c, now->joint->pill_a, now->joint->frame[0]);
}

void sn_joint_measure_offset(const sn_joint_now *now, double offset[3], sn_vec3 lever[2]) {
    const sn_contacts *c = now->c;
    const sn_joint_body *joint = now->joint;
    const sn_vec3 to_b = joint->has_anchor[1] ? sn_add(joint->offset, joint->anchor[1]) : joint->offset;
    lever[0] = joint->has_anchor[0] ? sn_q_rotate(sn_joint_frame_of_a(now), joint->anchor[0]) : sn_v3(0, 0, 0);
    lever[1] = sn_length2(to_b) > 0 ? sn_q_rotate(sn_joint_frame_of_b(c, joint, now->share), to_b) : sn_v3(0, 0, 0);
    for (int k = 0; k < 3; k++)
        offset[k] = point_on(c, joint->pill_a, joint->along[0], k) + sn_coordinate(lever[0], k) -
                    sn_joint_point_of_b(c, joint, now->share, k) - sn_coordinate(lever[1], k);
}

void sn_joint_row_along(const sn_joint_now *now, sn_joint_row *row, sn_vec3 e, const sn_vec3 lever[2]) {
    const sn_joint_body *joint = now->joint;
    const sn_contacts *c = now->c;
    place_row(row, c, now->solve, joint, now->number);
    add_point(row, c, 0, joint->pill_a, joint->along[0], e);
    if (joint->pill_b >= 0) add_point(row, c, 1, joint->pill_b, joint->along[1], sn_mul(-1, e));
    if (joint->has_anchor[0]) add_rotation(row, c, 0, joint->pill_a, sn_cross(lever[0], e));
    if (sn_length2(lever[1]) > 0 && joint->pill_b >= 0 && !joint->is_point[1])
        add_rotation(row, c, 1, joint->pill_b, sn_mul(-1, sn_cross(lever[1], e)));
    row->direction = e;
}

void sn_joint_row_about(const sn_joint_now *now, sn_joint_row *row, sn_vec3 axis) {
    const sn_joint_body *joint = now->joint;
    place_row(row, now->c, now->solve, joint, now->number);
    add_rotation(row, now->c, 0, joint->pill_a, axis);
    if (joint->pill_b >= 0 && !joint->is_point[1]) add_rotation(row, now->c, 1, joint->pill_b, sn_mul(-1, axis));
    row->direction = axis;
    row->angular = true;
}

static void stiffen_rotation(const sn_joint_now *now, const sn_vec3 lever[2]) {
    const sn_joint_body *joint = now->joint;
    const sn_node_pill *pills = now->c->proxies.pills;
    if (joint->has_anchor[0])
        add_rotation_stiffness(now->solve, pills[joint->pill_a].body, lever[0], sn_mul(-1, joint->reaction));
    if (joint->has_anchor[1]) add_rotation_stiffness(now->solve, pills[joint->pill_b].body, lever[1], joint->reaction);
}

static int measure_point(const sn_joint_now *now, sn_joint_row *rows) {
    const sn_joint_body *joint = now->joint;
    double open[3];
    sn_vec3 lever[2];
    sn_joint_measure_offset(now, open, lever);
    stiffen_rotation(now, lever);
    double compliance = (double)joint->def.compliance;
    if (joint->def.max_force > 0)
        compliance = fmax(compliance, sqrt(open[0] * open[0] + open[1] * open[1] + open[2] * open[2]) /
                                          (double)joint->def.max_force);
    for (int k = 0; k < 3; k++) {
        const sn_vec3 e = unit(k);
        sn_joint_row_along(now, &rows[k], e, lever);
        rows[k].open = open[k];
        rows[k].compliance = compliance;
        rows[k].force = along_row(joint->reaction, e);
    }
    return 3;
}

// ---- what rods yield up to the joint
//
// A rod's frames are those of its segments' middles. A weld of two frames alone would leave out how half a segment of each rod bends
// and twists, and hold a rod of n segments like one of n - 1/2. So every end adds the compliance  bend (1 - d d^T) + twist d d^T.

// Axes along which the compliance of both sides is diagonal, of size c: with a d_a d_a^T + b d_b d_b^T beside a multiple of 1, one is
// across both directions and two are in their plane, rotated from d_a by f: tan 2f = b sin 2g / (a + b cos 2g), g between them.
// Without the axis along d_a, the first is what is left of d_b.
static void yielding_axes(const sn_joint_body *joint, sn_vec3 da, const sn_vec3 *db, bool along, sn_vec3 axis[3],
                          sn_real c[3]) {
    const sn_real a = joint->twist[0] - joint->bend[0], b = db ? joint->twist[1] - joint->bend[1] : 0;
    sn_tangents(da, &axis[0], &axis[1]);
    axis[2] = da;
    if (db) {
        const sn_vec3 across = sn_mul_add(*db, -sn_dot(*db, da), da);
        const sn_real sine = sn_length(across), cosine = sn_dot(*db, da);
        if (sine > (sn_real)1e-3) {
            axis[0] = sn_mul(1 / sine, across);
            axis[1] = sn_cross(da, axis[0]);
            if (along) {
                const sn_real x = a + b * (cosine * cosine - sine * sine), y = 2 * b * sine * cosine;
                const sn_real size = sn_sqrt(x * x + y * y), part = size > 0 ? sn_min(sn_max(x / size, -1), 1) : 1;
                const sn_real cos_f = sn_sqrt((sn_real)0.5 * (1 + part));
                const sn_real sin_f = y < 0 ? -sn_sqrt((sn_real)0.5 * (1 - part)) : sn_sqrt((sn_real)0.5 * (1 - part));
                const sn_vec3 first = axis[0];
                axis[0] = sn_sub(sn_mul(cos_f, first), sn_mul(sin_f, da));
                axis[2] = sn_add(sn_mul(cos_f, da), sn_mul(sin_f, first));
            }
        }
    }
    for (int k = 0; k < 3; k++) {
        const sn_real on_a = sn_dot(axis[k], da), on_b = db ? sn_dot(axis[k], *db) : 0;
        c[k] = joint->def.angular_compliance + joint->bend[0] + a * on_a * on_a + b * on_b * on_b;
        if (db) c[k] += joint->bend[1];
    }
}

static int measure_rotation(const sn_joint_now *now, sn_joint_row *rows) {
    const sn_contacts *c = now->c;
    const sn_joint_body *joint = now->joint;
    const bool weld = joint->def.kind != SN_JOINT_DIRECTION;
    const sn_arm a = arm_of(c, joint->pill_a);
    const sn_quat wanted = sn_q_mul(sn_joint_frame_of_b(c, joint, now->share), joint->relation);
    const bool rotates = joint->pill_b >= 0 && !joint->is_point[1];
    const sn_vec3 b = rotates ? arm_of(c, joint->pill_b).d : sn_v3(0, 0, 0);
    const bool hinge = sn_length2(joint->axis) > 0;
    const sn_quat frame = weld || hinge ? sn_joint_frame_of_a(now) : sn_q_identity();
    const sn_vec3 direction = hinge ? sn_q_rotate(frame, joint->axis) : a.d;
    sn_vec3 error, axis[3];
    sn_real compliance[3];
    yielding_axes(joint, direction, rotates ? &b : NULL, weld, axis, compliance);
    if (weld)
        error = sn_rotation_vector(sn_q_mul(frame, sn_q_conj(wanted)));
    else
        error =
            sn_rotation_vector(sn_q_between(hinge ? sn_q_rotate(wanted, joint->axis) : sn_q_axis_z(wanted), direction));
    const int count = weld ? 3 : 2;
    for (int k = 0; k < count; k++) {
        sn_joint_row_about(now, &rows[k], axis[k]);
        rows[k].open = (double)sn_dot(error, axis[k]);
        rows[k].compliance = (double)compliance[k];
        rows[k].force = along_row(joint->reaction_torque, axis[k]);
    }
    return count;
}

int sn_joint_measure(const sn_joint_now *now, sn_joint_row *rows) {
    int count = 0;
    const sn_joint_kind kind = now->joint->def.kind;
    if (kind == SN_JOINT_SLIDER)
        count = sn_joint_measure_slider(now, rows);
    else if (kind != SN_JOINT_DISTANCE)
        count = measure_point(now, rows);
    if (kind == SN_JOINT_DIRECTION || kind == SN_JOINT_WELD || kind == SN_JOINT_SLIDER)
        count += measure_rotation(now, rows + count);
    return count + sn_joint_measure_free(now, rows + count);
}
