// Joints as compliant constraints (XPBD) on the nodes' proxies: they hold points together, and the stiffer kinds also
// hold the orientation of one side relative to the other.
//
// Points. With lever r from the point of b to the goal of a (the joint's offset, which rotates with b),
//     C = p_a - (p_b + r),   (W + a) dl = -(C + a l),   a = compliance / h^2,
//     W = sum of the nodes' w times weight^2  +  [r]^T W_rotation,b [r]
// a 3 x 3 system, diagonal without a lever. The impulse acts on b at p_b together with the torque r x dl, so momentum
// is conserved. A max force caps the multiplier: a pull of the mouse cannot tear a body apart.
//
// Rotations. A segment from node 1 to node 2 of length L in direction d responds to a torque t by moving its nodes (a
// couple of forces (t x d)/L) and by spinning about itself:
//     W_rotation = (w1 + w2)/L^2 (1 - d d^T) + w_spin d d^T
// The error is the rotation vector e from the goal of a, (axes of b) relation, to its orientation; a joint that holds
// only the direction leaves out the part along d.
//
// The orientation of a segment follows from the one at the start of the substep: its axis is known and so is its
// rotation about it (geometry/proxy.h), and exactly one rotation does both. Its nodes are nearly, but not quite, along
// that axis (a rod may shear); they are what the joint can move, so the frame is aligned with them.
#include "couplings/joint/joint.h"

static sn_vec3 point_on(const sn_contacts *c, int pill, sn_real along) {
    const sn_node_pill *p = &c->proxies.pills[pill];
    if (p->a < 0) return sn_contacts_centre(c, pill); // a node without a pill
    return sn_lerp(sn_contacts_centre(c, p->a), sn_contacts_centre(c, p->b), along);
}

static sn_real inverse_mass_at(const sn_proxies *p, int pill, sn_real along) {
    if (p->pills[pill].a < 0) return p->nodes[pill].w;
    const sn_node *a = &p->nodes[p->pills[pill].a], *b = &p->nodes[p->pills[pill].b];
    return a->w * (1 - along) * (1 - along) + b->w * along * along;
}

static void move_node(sn_contacts *c, int node, sn_real part, sn_vec3 impulse) {
    sn_real *d = &c->moved.moved[4 * sn_contacts_slot(c, node)], w = c->proxies.nodes[node].w * part;
    d[0] += w * impulse.x, d[1] += w * impulse.y, d[2] += w * impulse.z;
}

static void move_point(sn_contacts *c, int pill, sn_real along, sn_vec3 impulse) {
    const int a = c->proxies.pills[pill].a;
    if (a >= 0 && along < 1) move_node(c, a, 1 - along, impulse);
    move_node(c, pill, a >= 0 ? along : 1, impulse); // a pill has the index of the node at its end b
}

// ---- rotating segments

typedef struct {
    sn_vec3 d;          // from node to node, unit
    sn_real length;     //
    sn_real bend, spin; // inverse inertia across d and about it
} sn_arm;

static sn_arm arm_of(const sn_contacts *c, int pill) {
    const sn_proxies *p = &c->proxies;
    const sn_node_pill *x = &p->pills[pill];
    sn_vec3 direction = sn_sub(sn_contacts_centre(c, x->b), sn_contacts_centre(c, x->a));
    sn_real length = sn_length(direction);
    if (!(length > 0)) return (sn_arm){x->axis, 0, 0, 0};
    sn_real w = p->nodes[x->a].w + p->nodes[x->b].w;
    return (sn_arm){sn_mul(1 / length, direction), length, w / (length * length), x->w_spin};
}

static sn_vec3 arm_compliance(const sn_arm *arm, sn_vec3 torque) {
    sn_real along = sn_dot(arm->d, torque);
    return sn_mul_add(sn_mul(arm->bend, torque), (arm->spin - arm->bend) * along, arm->d);
}

static void rotate_arm(sn_contacts *c, int pill, const sn_arm *arm, sn_vec3 torque) {
    if (!(arm->length > 0)) return;
    const sn_node_pill *x = &c->proxies.pills[pill];
    sn_vec3 force = sn_mul(1 / arm->length, sn_cross(torque, arm->d));
    move_node(c, x->a, -1, force);
    move_node(c, x->b, 1, force);
    c->moved.spin[sn_contacts_slot(c, pill)] += x->w_spin * sn_dot(torque, arm->d);
}

// Let P be the smallest rotation from the old axis to the new one, by the angle b. The whole rotation is P, then one by
// f about the new axis. Its part about the axis, which the proxy gives, is 2 sin(f/2) cos(b/2).
static sn_quat frame_of(const sn_contacts *c, int pill, sn_quat start) {
    const sn_node_pill *x = &c->proxies.pills[pill];
    const sn_real rotation = x->spin + c->moved.spin[sn_contacts_slot(c, pill)];
    sn_quat now = start;
    if (sn_length2(x->axis) > (sn_real)0.5) { // a sleeping body writes no axis: it keeps its orientation
        sn_quat min = sn_q_between(sn_q_axis_z(start), x->axis);
        sn_real sine = min.w > (sn_real)0.01 ? (sn_real)0.5 * rotation / min.w : 0;
        sine = sn_min(sn_max(sine, -1), 1);
        sn_quat about = {sine * x->axis.x, sine * x->axis.y, sine * x->axis.z, sn_sqrt(1 - sine * sine)};
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

static sn_quat frame_of_b(const sn_contacts *c, const sn_joint_body *joint, sn_real share) {
    if (joint->on_bone) return lerp_rotation(joint->bone[0], joint->bone[1], share);
    if (joint->pill_b >= 0) return joint->is_point[1] ? sn_q_identity() : frame_of(c, joint->pill_b, joint->frame[1]);
    if (joint->collider >= 0) return c->colliders[joint->collider]->until.rotation;
    return lerp_rotation(joint->rotation_from, joint->rotation, share);
}

// Where side b's point is at the end of this substep.
static sn_vec3 point_of_b(const sn_contacts *c, const sn_joint_body *joint, sn_real share) {
    if (joint->pill_b >= 0) return point_on(c, joint->pill_b, joint->along[1]);
    if (joint->collider >= 0) return sn_transform_point(&c->colliders[joint->collider]->until, joint->local);
    return sn_lerp(joint->from, joint->def.position, share);
}

// ---- 3 x 3 systems, symmetric and positive definite, by columns

typedef struct {
    sn_vec3 column[3];
} sn_matrix3;

static sn_vec3 unit(int k) {
    return sn_v3(k == 0, k == 1, k == 2);
}

static sn_vec3 solve3(const sn_matrix3 *m, sn_vec3 b) {
    sn_vec3 k[3]; // over the trace: the determinant of a tiny body's matrix may not fit a float
    sn_real size = m->column[0].x + m->column[1].y + m->column[2].z;
    if (!(size > 0) || !sn_finite(size)) return sn_v3(0, 0, 0);
    for (int i = 0; i < 3; i++) k[i] = sn_mul(1 / size, m->column[i]);
    sn_vec3 yz = sn_cross(k[1], k[2]), zx = sn_cross(k[2], k[0]), xy = sn_cross(k[0], k[1]);
    sn_real whole = sn_dot(k[0], yz);
    if (!(sn_abs(whole) > 0) || !sn_finite(whole)) return sn_v3(0, 0, 0);
    return sn_mul(1 / (whole * size), sn_v3(sn_dot(yz, b), sn_dot(zx, b), sn_dot(xy, b)));
}

// ---- the two constraints

static void hold_point(sn_contacts *c, sn_joint_body *joint, sn_real share) {
    const sn_proxies *p = &c->proxies;
    const bool lever = sn_length2(joint->offset) > 0;
    sn_vec3 arm = lever ? sn_q_rotate(frame_of_b(c, joint, share), joint->offset) : sn_v3(0, 0, 0);
    sn_vec3 separation = sn_sub(sn_sub(point_on(c, joint->pill_a, joint->along[0]), point_of_b(c, joint, share)), arm);
    sn_real inverse_mass = inverse_mass_at(p, joint->pill_a, joint->along[0]);
    if (joint->pill_b >= 0) inverse_mass += inverse_mass_at(p, joint->pill_b, joint->along[1]);
    sn_real softness = joint->def.compliance / (c->h * c->h);
    if (!(inverse_mass + softness > 0)) return;
    sn_vec3 old = joint->impulse, residual = sn_mul_add(separation, softness, joint->impulse);
    sn_arm b = {0};
    const bool rotates = lever && joint->pill_b >= 0 && !joint->is_point[1];
    if (rotates) {
        b = arm_of(c, joint->pill_b);
        sn_matrix3 m;
        for (int k = 0; k < 3; k++) {
            sn_vec3 turned = sn_cross(arm_compliance(&b, sn_cross(arm, unit(k))), arm);
            m.column[k] = sn_mul_add(turned, inverse_mass + softness, unit(k));
        }
        joint->impulse = sn_sub(joint->impulse, solve3(&m, residual));
    } else
        joint->impulse = sn_mul_add(joint->impulse, -1 / (inverse_mass + softness), residual);
    sn_real size = sn_length(joint->impulse), max = joint->def.max_force * c->h * c->h;
    if (joint->def.max_force > 0 && size > max) joint->impulse = sn_mul(max / size, joint->impulse);
    sn_vec3 change = sn_sub(joint->impulse, old);
    move_point(c, joint->pill_a, joint->along[0], change);
    if (joint->pill_b < 0) return;
    move_point(c, joint->pill_b, joint->along[1], sn_mul(-1, change));
    if (rotates) rotate_arm(c, joint->pill_b, &b, sn_mul(-1, sn_cross(arm, change)));
}

// The rotation vector of a quaternion; accurate enough up to half a revolution, where it is longest.
static sn_vec3 rotation_vector(sn_quat q) {
    sn_real sign = q.w < 0 ? -2 : 2, sine2 = q.x * q.x + q.y * q.y + q.z * q.z;
    sn_real stretch = 1 + sine2 * ((sn_real)(1.0 / 6) + (sn_real)0.075 * sine2); // series of asin(x)/x
    return sn_mul(sign * stretch, sn_v3(q.x, q.y, q.z));
}

static void hold_rotation(sn_contacts *c, sn_joint_body *joint, sn_real share) {
    const bool weld = joint->def.kind == SN_JOINT_WELD, both = joint->pill_b >= 0;
    const sn_arm a = arm_of(c, joint->pill_a), b = both ? arm_of(c, joint->pill_b) : (sn_arm){0};
    sn_quat wanted = sn_q_mul(frame_of_b(c, joint, share), joint->relation);
    sn_vec3 error;
    if (weld) {
        sn_quat frame = frame_of(c, joint->pill_a, joint->frame[0]);
        error = rotation_vector(sn_q_mul(frame, sn_q_conj(wanted)));
    } else
        error = rotation_vector(sn_q_between(sn_q_axis_z(wanted), a.d));
    sn_real softness = joint->def.angular_compliance / (c->h * c->h);
    sn_vec3 residual = sn_mul_add(error, softness, joint->angular_impulse);
    if (!weld) residual = sn_mul_add(residual, -sn_dot(residual, a.d), a.d);
    sn_matrix3 m;
    for (int k = 0; k < 3; k++) {
        sn_vec3 torque = unit(k);
        if (!weld) torque = sn_mul_add(torque, -sn_dot(torque, a.d), a.d);
        sn_vec3 compliance = sn_mul_add(arm_compliance(&a, torque), softness, torque);
        if (both) compliance = sn_add(compliance, arm_compliance(&b, torque));
        if (!weld) // no constraint along d: any inverse mass there will do
            compliance = sn_mul_add(compliance,
                                    sn_dot(unit(k), a.d) * (a.bend + b.bend + softness) - sn_dot(compliance, a.d), a.d);
        m.column[k] = compliance;
    }
    sn_vec3 change = sn_mul(-1, solve3(&m, residual));
    joint->angular_impulse = sn_add(joint->angular_impulse, change);
    rotate_arm(c, joint->pill_a, &a, change);
    if (both) rotate_arm(c, joint->pill_b, &b, sn_mul(-1, change));
}

void sn_joints_sweep(void *what, sn_contacts *c, sn_real share) {
    sn_joints *s = what;
    for (int i = 0; i < s->count; i++) {
        sn_joint_body *joint = &s->items[i];
        if (!joint->alive || joint->pill_a < 0) continue;
        if (joint->def.kind != SN_JOINT_POINT) hold_rotation(c, joint, share);
        hold_point(c, joint, share);
    }
}

void sn_joints_activate(void *what, sn_contacts *c) {
    const sn_joints *s = what;
    for (int i = 0; i < s->count; i++) {
        const sn_joint_body *joint = &s->items[i];
        if (!joint->alive) continue;
        if (joint->pill_a >= 0) sn_contacts_activate_body(c, joint->pill_a);
        if (joint->pill_b >= 0) sn_contacts_activate_body(c, joint->pill_b);
    }
}

void sn_joints_begin_search(void *what) {
    sn_joints *s = what;
    for (int i = 0; i < s->count; i++) {
        sn_joint_body *joint = &s->items[i];
        joint->last_impulse = joint->impulse, joint->last_angular_impulse = joint->angular_impulse;
        joint->impulse_direction = joint->angular_impulse_direction = sn_v3(0, 0, 0);
    }
}

static void accelerate(sn_vec3 *x, sn_vec3 *last, sn_vec3 *direction, sn_real beta) {
    const sn_vec3 change = sn_sub(*x, *last), further = sn_mul(beta, *direction);
    *last = *x = sn_add(*x, further);
    *direction = sn_add(further, change);
}

void sn_joints_accelerate(void *what, sn_real beta) {
    sn_joints *s = what;
    for (int i = 0; i < s->count; i++) {
        sn_joint_body *joint = &s->items[i];
        if (!joint->alive) continue;
        accelerate(&joint->impulse, &joint->last_impulse, &joint->impulse_direction, beta);
        accelerate(&joint->angular_impulse, &joint->last_angular_impulse, &joint->angular_impulse_direction, beta);
    }
}

// Measures forces, and breaks joints whose force was too large.
void sn_joints_end(void *what, sn_profile *profile) {
    (void)profile;
    sn_joints *s = what;
    const sn_contacts *c = sn_world_contacts(s->world);
    if (!c->is_active) return;
    for (int i = 0; i < s->count; i++) {
        sn_joint_body *joint = &s->items[i];
        if (!joint->alive) continue;
        joint->from = joint->def.position;
        joint->rotation_from = joint->rotation;
        joint->force = c->h > 0 ? sn_length(joint->impulse) / (c->h * c->h) : 0;
        joint->torque = c->h > 0 ? sn_length(joint->angular_impulse) / (c->h * c->h) : 0;
        if (!sn_finite(joint->force) || !sn_finite(joint->torque)) // its body diverged and was reset
            joint->force = joint->torque = 0;
        if (joint->def.break_force > 0 && joint->force > joint->def.break_force) sn_joint_remove(s, i);
    }
}
