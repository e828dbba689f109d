// Joints as a coupling: rows of the common solve, and a filter for contacts.
#include "base/assert.h"
#include "base/host.h"
#include "base/union_find.h"
#include "couplings/joint/joint.h"

sn_joints *sn_world_joints(const sn_world *world) {
    return sn_world_coupling(world, &sn_joint_coupling);
}

static int count(const void *what) {
    return ((const sn_joints *)what)->alive;
}

static const sn_joint_hooks hooks = {
    .count = count,
    .place = sn_joints_place,
    .find_filter = sn_joints_find_filter,
    .excludes = sn_joints_exclude,
    .excludes_near = sn_joints_exclude_near,
    .begin_substep = sn_joints_begin_substep,
    .activate = sn_joints_activate,
};

static sn_status create(const sn_kind_setup *setup, sn_world *world, void **system) {
    sn_joints *s = sn_alloc(setup->memory, 1, sizeof *s);
    *system = s;
    if (!s) return SN_ERR_MEMORY;
    *s = (sn_joints){.world = world, .memory = setup->memory, .log = setup->log, .free_item = -1};
    sn_contacts *contacts = sn_world_contacts(world);
    contacts->hooks = &hooks;
    contacts->hook_user = s;
    return SN_OK;
}

static void destroy(void *what) {
    sn_joints *s = what;
    sn_free(s->memory, s->items, (size_t)s->capacity, sizeof *s->items);
    sn_free(s->memory, s, 1, sizeof *s);
}

void sn_joint_remove(sn_joints *s, int i) {
    const uint32_t gen = s->items[i].gen + 1;
    s->items[i] = (sn_joint_body){.gen = gen ? gen : 1, .next_free = s->free_item};
    s->free_item = i;
    s->alive--;
}

// Removes the joints of destroyed bodies.
static void body_removed(void *what) {
    sn_joints *s = what;
    for (int i = 0; i < s->count; i++) {
        if (!s->items[i].alive) continue;
        const sn_joint_def *d = &s->items[i].def;
        if (!sn_body_exists(s->world, d->body_a) || (d->body_b.slot1 && !sn_body_exists(s->world, d->body_b)))
            sn_joint_remove(s, i);
    }
}

// A step may break joints.
static void visit_state(void *what, sn_stream *stream) {
    sn_joints *s = what;
    if (s->count > 0) sn_visit_bytes(stream, s->items, (size_t)s->count * sizeof *s->items);
    sn_visit_bytes(stream, &s->free_item, sizeof s->free_item);
    sn_visit_bytes(stream, &s->alive, sizeof s->alive);
    sn_visit_bytes(stream, &s->filter, sizeof s->filter);
    sn_visit_bytes(stream, &s->system, sizeof s->system);
}

static bool join_islands(void *what, sn_islands *islands) {
    const sn_joints *s = what;
    const sn_contacts *c = sn_world_contacts(s->world);
    for (int i = 0; c->is_active && i < s->count; i++) {
        const sn_joint_body *joint = &s->items[i];
        if (!joint->alive || joint->pill_a < 0 || joint->pill_b < 0) continue;
        sn_union(islands->up, c->proxies.pills[joint->pill_a].body, c->proxies.pills[joint->pill_b].body);
    }
    return false;
}

#ifdef SN_VALIDATE
// The bodies of a joint exist, its pills belong to them, and the contact filter belongs to the joints.
static void validate(const void *what, const sn_world *world) {
    const sn_joints *s = what;
    const sn_contacts *c = sn_world_contacts(world);
    int alive = 0;
    for (int i = 0; i < s->count; i++) {
        const sn_joint_body *joint = &s->items[i];
        SN_ASSERT(joint->gen != 0);
        if (!joint->alive) continue;
        alive++;
        for (int side = 0; side < 2; side++) {
            const sn_body body = side ? joint->def.body_b : joint->def.body_a;
            const int pill = side ? joint->pill_b : joint->pill_a;
            int row;
            if (side == 0 || body.slot1) SN_ASSERT(sn_body_exists(world, body));
            if (pill < 0 || !c->is_active) continue;
            const int slot = sn_body_slot(world, body, &row);
            SN_ASSERT(pill < c->proxies.count);
            SN_ASSERT(c->proxies.pills[pill].body == sn_world_first_body(world, row) + slot);
        }
    }
    SN_ASSERT(alive == s->alive);
    if (c->is_active) sn_joints_validate_filter(s, c);
}
#endif

const sn_coupling_ops sn_joint_coupling = {
    .name = "joints",
    .create = create,
    .destroy = destroy,
    .save = sn_joints_save,
    .visit_state = visit_state,
    .body_removed = body_removed,
    .join_islands = join_islands,
    .open = sn_joints_open,
    .couple = sn_joints_couple,
#ifdef SN_VALIDATE
    .validate = validate,
#endif
    .end = sn_joints_end,
};
