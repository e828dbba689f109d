// Joints: two points held together, or a point held to a place, as a compliant constraint (XPBD) on the nodes' proxies.
//
//     C = p_a - p_b - offset       dl = -(C + a l)/(w + a),   a = compliance / h^2,   w = sum of the nodes' w times weight^2
//
// The three components share one w, so they are solved together. A largest force caps the multiplier: a pull of the mouse
// that cannot tear a body apart.
#include "contact/contact.h"

static sn_vec3 point_on(const sn_proxies *p, int pill, sn_real along, bool start) {
    const sn_node *a = &p->nodes[p->pills[pill].a], *b = &p->nodes[p->pills[pill].b];
    return sn_lerp(start ? a->c0 : a->c, start ? b->c0 : b->c, along);
}

static sn_real yield_at(const sn_proxies *p, int pill, sn_real along) {
    const sn_node *a = &p->nodes[p->pills[pill].a], *b = &p->nodes[p->pills[pill].b];
    return a->w * (1 - along) * (1 - along) + b->w * along * along;
}

static void push_point(sn_proxies *p, int pill, sn_real along, sn_vec3 impulse) {
    sn_node *a = &p->nodes[p->pills[pill].a], *b = &p->nodes[p->pills[pill].b];
    a->c = sn_mul_add(a->c, a->w * (1 - along), impulse);
    b->c = sn_mul_add(b->c, b->w * along, impulse);
}

// Where side b is at the end of this substep.
static sn_vec3 goal_of(const sn_contacts *c, const sn_joint_row *joint, sn_real share) {
    if (joint->pill_b >= 0) return point_on(&c->proxies, joint->pill_b, joint->def.along_b, false);
    if (joint->def.shape_b.slot1) return sn_pose_point(&c->shapes[joint->def.shape_b.slot1 - 1].until, joint->local);
    return sn_lerp(joint->from, joint->def.position, share);
}

static void solve_joint(sn_contacts *c, sn_joint_row *joint, sn_real share) {
    sn_proxies *p = &c->proxies;
    if (joint->pill_a < 0) return;
    sn_vec3 apart = sn_sub(point_on(p, joint->pill_a, joint->def.along_a, false), goal_of(c, joint, share));
    apart = sn_sub(apart, joint->offset);
    sn_real yield = yield_at(p, joint->pill_a, joint->def.along_a);
    if (joint->pill_b >= 0) yield += yield_at(p, joint->pill_b, joint->def.along_b);
    sn_real soft = joint->def.compliance / (c->h * c->h);
    if (!(yield + soft > 0)) return;
    sn_vec3 old = joint->push;
    joint->push = sn_mul_add(joint->push, -1 / (yield + soft), sn_mul_add(apart, soft, joint->push));
    sn_real size = sn_length(joint->push), most = joint->def.most_force * c->h * c->h;
    if (joint->def.most_force > 0 && size > most) joint->push = sn_mul(most / size, joint->push);
    sn_vec3 change = sn_sub(joint->push, old);
    push_point(p, joint->pill_a, joint->def.along_a, change);
    if (joint->pill_b >= 0) push_point(p, joint->pill_b, joint->def.along_b, sn_mul(-1, change));
}

void sn_joints_begin_substep(sn_contacts *c) {
    for (int i = 0; i < c->joint_count; ++i) c->joints[i].push = sn_v3(0, 0, 0);
}

void sn_joints_solve(sn_contacts *c, sn_real share) {
    for (int i = 0; i < c->joint_count; ++i)
        if (c->joints[i].alive) solve_joint(c, &c->joints[i], share);
}

void sn_joints_end(sn_contacts *c) {
    for (int i = 0; i < c->joint_count; ++i) {
        c->joints[i].from = c->joints[i].def.position;
        c->joints[i].force = c->h > 0 ? sn_length(c->joints[i].push) / (c->h * c->h) : 0;
    }
}
