// Sleep. Bodies that press on each other form islands (union-find over the contacts of the last substep, and joints). A
// body is still while its pace, speed over sqrt(g r), is below STILL; an island that touches something and has been
// still for LONG_ENOUGH falls asleep as a whole: its bodies keep their state bitwise, cost nothing, and stand like
// shapes for others. A sleeper wakes when a body that is not still presses on it, when a shape moves near it, or when
// it is changed by a call.
#include "world/sleep.h"
#include "base/union_find.h"

#define STILL       ((sn_real)0.03)
#define LONG_ENOUGH ((sn_real)0.5)

static sn_rest *rest_of(sn_world *world, int body) {
    const int kind = sn_kind_of_body(world, body);
    return sn_kinds[kind]->rest(world->systems[kind], body - world->first_body[kind]);
}

static void wake(sn_rest *rest) {
    if (rest) *rest = (sn_rest){false, 0};
}

void sn_wake_all(sn_world *world) {
    for (int k = 0; k < KIND_COUNT; k++) {
        int bodies = 0, touching = 0;
        sn_kinds[k]->count_nodes(world->systems[k], &bodies, &touching);
        for (int i = 0; i < bodies; i++) wake(sn_kinds[k]->rest(world->systems[k], i));
    }
}

static bool moves(const sn_shape_body *shape) {
    const sn_pose *a = &shape->now, *b = &shape->to;
    sn_vec3 way = sn_sub(b->position, a->position);
    sn_real turn = sn_q_dot(a->rotation, b->rotation);
    return sn_length2(way) > 0 || turn * turn < 1 - (sn_real)1e-6;
}

void sn_sleep_stir(sn_world *world) {
    sn_contacts *c = &world->contacts;
    for (int i = 0; i < c->pair_count; i++) {
        if (c->pairs[i].b < c->elements || !moves(&c->shapes[c->pairs[i].b - c->elements])) continue;
        wake(rest_of(world, sn_element_body(c, c->pairs[i].a))); // it takes part from the next step on
    }
}

void sn_sleep_settle(sn_world *world, sn_real dt) {
    sn_contacts *c = &world->contacts;
    const int bodies = c->touching_count;
    sn_real gravity = sn_length(world->gravity);
    int *up = sn_arena_take(&c->arena, (size_t)bodies, sizeof *up);
    sn_real *pace = sn_arena_take(&c->arena, (size_t)bodies, sizeof *pace);
    sn_real *least =
        sn_arena_take(&c->arena, (size_t)bodies, sizeof *least); // of an island: how long its liveliest body is still
    bool *pressed = sn_arena_take(&c->arena, (size_t)bodies, sizeof *pressed);
    if (world->never_sleep || !up || !pace || !least || !pressed) return;
    for (int k = 0; k < KIND_COUNT; k++) sn_kinds[k]->pace(world->systems[k], gravity, pace + world->first_body[k]);
    for (int i = 0; i < bodies; i++) up[i] = i, pressed[i] = false, least[i] = (sn_real)1e30;

    for (int i = 0; i < c->block_count * SN_BLOCK; i++) {
        const sn_contact_block *block = &c->blocks[i / SN_BLOCK];
        const int k = i % SN_BLOCK;
        if (k >= block->count || !(block->push[k] > 0)) continue;
        int a = sn_element_body(c, block->pill[0][k]);
        pressed[a] = true;
        if (!sn_form_both(block->form)) continue;
        int b = sn_element_body(c, block->pill[1][k]);
        pressed[b] = true;
        bool a_sleeps = c->touching[a].asleep, b_sleeps = c->touching[b].asleep;
        if (a_sleeps && pace[b] > 2 * STILL) wake(rest_of(world, a));
        if (b_sleeps && pace[a] > 2 * STILL) wake(rest_of(world, b));
        if (!a_sleeps && !b_sleeps) sn_set_join(up, a, b);
    }
    for (int i = 0; i < c->joint_count; i++) {
        const sn_joint_row *joint = &c->joints[i];
        if (!joint->alive || joint->pill_a < 0) continue;
        int a = c->proxies.pills[joint->pill_a].body;
        if (joint->pill_b >= 0) sn_set_join(up, a, c->proxies.pills[joint->pill_b].body);
    }
    for (int i = 0; i < world->bundles.count; i++) {
        const sn_bundle_body *b = &world->bundles.items[i];
        const int first = world->first_body[KIND_ROD] - 1; // slots count from 1
        for (int k = 1; b->alive && k < b->def.rod_count; k++)
            sn_set_join(up, first + (int)b->def.rods[0].slot1, first + (int)b->def.rods[k].slot1);
    }
    for (int i = 0; i < bodies; i++) {
        sn_rest *rest = rest_of(world, i);
        if (!rest || rest->asleep) continue;
        rest->still = pace[i] < STILL && pressed[i] ? rest->still + dt : 0;
        int r = sn_set_root(up, i);
        least[r] = sn_min(least[r], rest->still);
    }
    for (int i = 0; i < bodies; i++) {
        sn_rest *rest = rest_of(world, i);
        if (rest && !rest->asleep && least[sn_set_root(up, i)] >= LONG_ENOUGH) rest->asleep = true;
        if (rest && rest->asleep) world->profile.asleep++;
    }
}
