// The world's side of contact: see touching.h and contact/contact.h.
#include "world/touching.h"
#include "world/sleep.h"

static sn_show show_of(sn_world *world, int kind) {
    sn_show show = world->show;
    show.first = world->first_node[kind];
    show.first_body = world->first_body[kind];
    return show;
}

// Two bodies that touch, a body that touches itself, a shape, or a joint: else there is nothing to do.
static bool anything_to_touch(const sn_world *world) {
    const sn_contacts *c = &world->contacts;
    int touching = 0;
    if (c->live_joints) return true;
    for (int i = 0; i < c->touching_count; ++i) {
        if (!c->touching[i].touches) continue;
        ++touching;
        if (c->live_shapes || c->touching[i].self || touching > 1) return true;
    }
    return false;
}

static bool self(void *user, int a, int b) {
    const sn_world *world = user;
    int kind = KIND_COUNT - 1;
    while (kind > 0 && a < world->first_node[kind]) --kind;
    return sn_kinds[kind]->self(world->systems[kind], a - world->first_node[kind], b - world->first_node[kind]);
}

// Finds each joint's pills among this step's proxies.
static void place_joints(sn_world *world) {
    sn_contacts *c = &world->contacts;
    for (int i = 0; i < c->joint_count; ++i) {
        sn_joint_row *joint = &c->joints[i];
        joint->pill_a = joint->alive ? sn_world_segment_pill(world, joint->def.rod_a, joint->def.segment_a) : -1;
        joint->pill_b = joint->alive && joint->def.rod_b.slot1
                            ? sn_world_segment_pill(world, joint->def.rod_b, joint->def.segment_b)
                            : -1;
    }
}

// Fills the proxies of all kinds; false: no bodies, or no memory.
static bool show_all(sn_world *world, sn_real dt) {
    sn_contacts *c = &world->contacts;
    sn_arena_reset(&c->arena);
    int nodes = 0, bodies = 0;
    for (int k = 0; k < KIND_COUNT; ++k) {
        int more = 0;
        world->first_node[k] = nodes, world->first_body[k] = bodies;
        nodes += sn_kinds[k]->count_nodes(world->systems[k], &more);
        bodies += more;
    }
    if (nodes == 0) return false;
    c->proxies = (sn_proxies){sn_arena_take(&c->arena, (size_t)nodes, sizeof(sn_node)),
                              sn_arena_take(&c->arena, (size_t)nodes, sizeof(sn_node_pill)), nodes};
    c->pill_at = sn_arena_take(&c->arena, (size_t)nodes, sizeof *c->pill_at);
    sn_touching *touching = sn_arena_take(&c->arena, (size_t)bodies, sizeof *touching);
    sn_real *reach = sn_arena_take(&c->arena, (size_t)nodes, sizeof *reach);
    if (!c->proxies.nodes || !c->proxies.pills || !c->pill_at || !touching || !reach) return false;
    sn_real g = sn_length(world->gravity);
    world->show = (sn_show){
        .proxies = &c->proxies, .touching = touching, .reach = reach, .dt = dt, .fall = (sn_real)0.5 * g * dt * dt};
    for (int k = 0; k < KIND_COUNT; ++k) {
        sn_show show = show_of(world, k);
        sn_kinds[k]->show(world->systems[k], &show, world->pool);
    }
    c->touching = touching, c->touching_count = bodies;
    c->pool = world->pool;
    return true;
}

bool sn_touching_begin(sn_world *world, sn_real dt, sn_real h) {
    sn_contacts *c = &world->contacts;
    c->row_count = c->pair_count = 0;
    c->most_contacts = 0;
    if (!show_all(world, dt)) return false;
    c->h = h;
    c->fall = sn_length(world->gravity) * h * h;
    world->show.h = h;
    if (!anything_to_touch(world)) return false;
    sn_shapes_begin(c);
    place_joints(world);
    if (sn_contacts_find_pairs(c, world->show.reach, self, world) != SN_OK) {
        sn_say(&world->log, SN_LOG_ERROR, SN_ERR_MEMORY, "",
               "no memory to find contacts: bodies pass through each other in this step");
        c->pair_count = 0;
    }
    world->profile.pairs = c->pair_count;
    sn_sleep_stir(world);
    return c->pair_count > 0 || c->live_joints > 0;
}

static void show_motion(sn_world *world, bool start) {
    for (int k = 0; k < KIND_COUNT; ++k) {
        sn_show show = show_of(world, k);
        sn_kinds[k]->show_motion(world->systems[k], &show, world->pool, start);
    }
}

static void take(sn_world *world, bool shift) {
    for (int k = 0; k < KIND_COUNT; ++k) {
        sn_show show = show_of(world, k);
        sn_kinds[k]->take(world->systems[k], &show, world->pool, shift);
    }
}

void sn_touching_meet(sn_world *world, const sn_stage *stage) {
    sn_contacts *c = &world->contacts;
    sn_shapes_substep(c, stage->substep, stage->substeps);
    sn_joints_begin_substep(c);
    show_motion(world, true);
    if (sn_contacts_meet(c) != SN_OK) c->row_count = c->colour_count = 0;
    if (sn_contacts_stabilize(c)) take(world, true);
}

void sn_touching_solve(sn_world *world, const sn_stage *stage) {
    sn_contacts *c = &world->contacts;
    if (c->row_count == 0 && c->live_joints == 0) return;
    show_motion(world, false);
    sn_contacts_solve(c, (sn_real)(stage->substep + 1) / (sn_real)stage->substeps);
    take(world, false);
}

void sn_touching_end(sn_world *world, sn_real dt) {
    sn_contacts *c = &world->contacts;
    sn_sleep_settle(world, dt);
    sn_shapes_end(c);
    sn_joints_end(c);
    world->profile.contacts = c->most_contacts;
}

double sn_world_penetration(sn_world *world) {
    if (!world || world->stepping || !show_all(world, (sn_real)1e-4)) return 0;
    sn_contacts *c = &world->contacts;
    sn_shapes_begin(c);
    if (!anything_to_touch(world) || sn_contacts_find_pairs(c, world->show.reach, self, world) != SN_OK) return 0;
    double depth = (double)sn_contacts_depth(c);
    c->row_count = 0; // the rows of the last step are gone with the arena
    return depth;
}
