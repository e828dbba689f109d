// What joints to something that takes no part in the solve, as colliders and points of space, give to it: see sn_solve_outside.
#include "couplings/joint/joint.h"

#ifdef SN_NO_QUERIES // see couplings/contact/contact_events.c
void sn_joints_bear_sleepers(sn_joints *s) {
    (void)s;
}
void sn_joints_react(sn_joints *s, const sn_stage *stage, sn_solve *solve, bool share) {
    (void)s, (void)stage, (void)solve, (void)share;
}
#else

// A collider bears it at the point where side a belongs.
static void add_to_collider(const sn_contacts *c, const sn_joint_body *joint, sn_vec3 force, double share) {
    sn_collider *collider = c->colliders[joint->collider];
    const sn_vec3 point = sn_transform_point(&collider->until, sn_add(joint->local, joint->offset));
    sn_collider_add_force(collider, point, force, share);
    sn_collider_add_torque(collider, joint->reaction_torque, share);
}

void sn_joints_bear_sleepers(sn_joints *s) {
    const sn_contacts *c = sn_world_contacts(s->world);
    for (int i = 0; i < s->count; i++) {
        const sn_joint_body *joint = &s->items[i];
        if (!joint->alive || joint->pill_a < 0 || joint->collider < 0) continue;
        if (c->settings[c->proxies.pills[joint->pill_a].body].asleep) add_to_collider(c, joint, joint->reaction, 1);
    }
}

void sn_joints_react(sn_joints *s, const sn_stage *stage, sn_solve *solve, bool share) {
    const sn_contacts *c = sn_world_contacts(s->world);
    const sn_joint_system *j = &s->system;
    for (int i = 0; i < j->row_count; i++) {
        const sn_joint_row *row = &j->rows[i];
        const sn_joint_body *joint = &s->items[row->joint];
        if (i > 0 && j->rows[i - 1].joint == row->joint) continue; // rows of a joint follow each other
        const bool a = row->part[0].body >= 0, b = row->part[1].body >= 0;
        if (a == b || !sn_finite3(joint->reaction) || !sn_finite3(joint->reaction_torque)) continue;
        const sn_vec3 inside = sn_mul(a ? -1 : 1, joint->reaction);
        if (!share)
            sn_solve_add_outside(solve, row->island, inside);
        else if (a && joint->collider >= 0)
            add_to_collider(c, joint, sn_mul(-1, sn_solve_outside(solve, row->island, inside)),
                            1 / (double)stage->substeps);
    }
}
#endif
