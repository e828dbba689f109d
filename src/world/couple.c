// The world's side of contact: see touching.h and contact/contact.h.
#include "world/couple.h"
#include "base/float_mode.h"
#include "sinew/touch.h"
#include "world/sleep.h"

static sn_show show_of(sn_world *world, int kind) {
    sn_show show = world->show;
    show.first = world->first_node[kind];
    show.first_slab = world->first_slab[kind];
    show.first_body = world->first_body[kind];
    return show;
}

static bool self(void *user, int body, int a, int b) {
    const sn_world *world = user;
    const int kind = sn_kind_of_body(world, body);
    const int pills = world->contacts.proxies.count, slabs = pills + world->first_slab[kind];
    return sn_kinds[kind]->self(world->systems[kind], body - world->first_body[kind],
                                a < pills ? a - world->first_node[kind] : ~(a - slabs),
                                b < pills ? b - world->first_node[kind] : ~(b - slabs));
}

// Finds each joint's pills among this step's proxies.
static void place_joints(sn_world *world) {
    sn_contacts *c = &world->contacts;
    for (int i = 0; i < c->joint_count; i++) {
        sn_joint_row *joint = &c->joints[i];
        joint->pill_a = joint->alive ? sn_world_joint_pill(world, joint, 0) : -1;
        joint->pill_b = joint->alive ? sn_world_joint_pill(world, joint, 1) : -1;
        if (joint->pill_b == -2) joint->pill_a = -1; // there is nothing to hold on to
        if (joint->pill_a >= 0) joint->arm = sn_world_joint_arm(world, joint);
    }
}

// Fills the proxies of all kinds; false: nothing can touch, or no memory.
static bool show_all(sn_world *world, sn_real dt, sn_real h) {
    sn_contacts *c = &world->contacts;
    int nodes = 0, slabs = 0, bodies = 0, touching_bodies = 0;
    for (int k = 0; k < KIND_COUNT; k++) {
        int more = 0, touch = 0;
        world->first_node[k] = nodes, world->first_body[k] = bodies;
        world->first_slab[k] = slabs;
        nodes += sn_kinds[k]->count_nodes(world->systems[k], &more, &touch);
        if (sn_kinds[k]->count_slabs) slabs += sn_kinds[k]->count_slabs(world->systems[k]);
        bodies += more;
        touching_bodies += touch;
    }
    c->touching_count = 0;
    // Two bodies that touch, a body that touches itself, a body and a shape, or a joint: else there is nothing to do.
    if (nodes == 0 || (c->live_joints == 0 && touching_bodies + (c->live_shapes > 0) < 2)) return false;
    c->proxies = (sn_proxies){sn_arena_take(&c->arena, (size_t)nodes, sizeof(sn_node)),
                              sn_arena_take(&c->arena, (size_t)nodes, sizeof(sn_node_pill)),
                              nodes,
                              sn_arena_take(&c->arena, (size_t)slabs + 1, sizeof(sn_node_slab)),
                              slabs,
                              sn_arena_take(&c->arena, slabs > 0 ? (size_t)nodes : 1, sizeof(sn_node_lead))};
    c->elements = nodes + slabs;
    c->pill_at = sn_arena_take(&c->arena, (size_t)nodes, sizeof *c->pill_at);
    c->slab_at = sn_arena_take(&c->arena, (size_t)slabs + 1, sizeof *c->slab_at);
    sn_touching *touching = sn_arena_take(&c->arena, (size_t)bodies, sizeof *touching);
    sn_real *reach = sn_arena_take(&c->arena, (size_t)nodes, sizeof *reach);
    sn_vec3 *way = sn_arena_take(&c->arena, (size_t)nodes, sizeof *way);
    if (!c->proxies.nodes || !c->proxies.pills || !c->proxies.slabs || !c->proxies.leads || !c->pill_at ||
        !c->slab_at || !touching || !reach || !way)
        return false;
    sn_real g = sn_length(world->gravity);
    for (int i = 0; slabs > 0 && i < nodes; i++) way[i] = sn_v3(0, 0, 0); // only pairs with a slab look at it
    c->touching_count = bodies;
    world->show = (sn_show){.proxies = &c->proxies,
                            .touching = touching,
                            .reach = reach,
                            .way = way,
                            .dt = dt,
                            .h = h,
                            .fall = (sn_real)0.5 * g * dt * dt};
    for (int k = 0; k < KIND_COUNT; k++) {
        sn_show show = show_of(world, k);
        sn_kinds[k]->show(world->systems[k], &show, world->pool);
    }
    c->touching = touching;
    c->pool = world->pool;
    return true;
}

bool sn_touching_begin(sn_world *world, sn_real dt, sn_real h) {
    sn_contacts *c = &world->contacts;
    sn_contacts_turn_page(c);
    c->row_count = c->block_count = c->block_capacity = 0;
    c->moved.count = 0;
    c->most_contacts = 0;
    if (!show_all(world, dt, h) || !sn_contacts_make_room(c)) return false;
    c->h = h;
    c->fall = sn_length(world->gravity) * h * h;
    sn_shapes_begin(c);
    place_joints(world);
    if (sn_contacts_find_pairs(c, world->show.reach, world->show.way, self, world) != SN_OK ||
        sn_contacts_recall(c) != SN_OK) {
        sn_say(&world->log, SN_LOG_ERROR, SN_ERR_MEMORY, "",
               "no memory to find contacts: bodies pass through each other in this step");
        c->pair_count = 0;
    }
    world->profile.pairs = c->pair_count;
    sn_contacts_split(c);
    sn_sleep_stir(world);
    return c->pair_count > 0 || c->live_joints > 0;
}

static void show_motion(sn_world *world, bool start) {
    for (int k = 0; k < KIND_COUNT; k++) {
        sn_show show = show_of(world, k);
        sn_kinds[k]->show_motion(world->systems[k], &show, world->pool, start);
    }
}

static void take(sn_world *world, bool shift) {
    for (int k = 0; k < KIND_COUNT; k++) {
        sn_show show = show_of(world, k);
        show.shift = world->contacts.body_shift, show.moved = world->contacts.moved.moved,
        show.spin = world->contacts.moved.spin;
        sn_kinds[k]->take(world->systems[k], &show, world->pool, shift);
    }
}

void sn_touching_meet(sn_world *world, const sn_stage *stage) {
    sn_contacts *c = &world->contacts;
    sn_shapes_substep(c, stage->substep, stage->substeps);
    show_motion(world, true);
    sn_contacts_meet(c);
    sn_world_joints_substep(world);
    if (sn_contacts_stabilize(c, stage->substep == 0)) take(world, true);
}

void sn_touching_solve(sn_world *world, const sn_stage *stage) {
    sn_contacts *c = &world->contacts;
    if (c->row_count == 0 && c->live_joints == 0) return;
    show_motion(world, false);
    sn_contacts_refresh(c);
    sn_contacts_solve(c, (sn_real)(stage->substep + 1) / (sn_real)stage->substeps, !stage->resumed);
    take(world, false);
}

void sn_touching_close(sn_world *world) {
    sn_contacts_remember(&world->contacts);
}

void sn_touching_end(sn_world *world, sn_real dt, bool touching) {
    sn_contacts *c = &world->contacts;
    if (!touching) { // shapes go where they are told all the same
        sn_shapes_end(c);
        return;
    }
    sn_sleep_settle(world, dt);
    sn_shapes_end(c);
    sn_joints_end(c);
    world->profile.contacts = c->most_contacts;
}

// ---- questions between steps

// Calls fn with the pairs that overlap now, or nearly. The question has its own memory, so that the last step's contacts
// stay readable and remembered.
typedef sn_status pairs_fn(sn_world *world, void *user);

static sn_status with_pairs(sn_world *world, pairs_fn *fn, void *user) {
    sn_contacts *c = &world->contacts, kept = *c;
    sn_status status = SN_OK;
    sn_arena_reset(&c->query);
    c->arena = c->query;
    if (show_all(world, (sn_real)1e-4, (sn_real)1e-4)) {
        sn_shapes_begin(c);
        place_joints(world);
        status = sn_contacts_find_pairs(c, world->show.reach, world->show.way, self, world);
        if (status == SN_OK) status = fn(world, user);
    }
    kept.query = c->arena;
    *c = kept;
    return status;
}

static sn_status ask_depth(sn_world *world, void *out) {
    *(double *)out = (double)sn_contacts_depth(&world->contacts);
    return SN_OK;
}

double sn_world_penetration(sn_world *world) {
    double depth = 0;
    if (world && !world->stepping) with_pairs(world, ask_depth, &depth);
    return depth;
}

typedef struct {
    sn_rod_body *const *bodies;
    int count;
} forgiven;

static sn_status forgive(sn_world *world, void *user) {
    const forgiven *f = user;
    sn_contacts *c = &world->contacts;
    const size_t nodes = (size_t)c->proxies.count;
    bool *yields = sn_arena_take(&c->arena, nodes, sizeof *yields);
    sn_real *full = sn_arena_take(&c->arena, nodes, sizeof *full);
    if (!yields || !full) return SN_ERR_MEMORY;
    for (size_t i = 0; i < nodes; i++) yields[i] = false, full[i] = c->proxies.nodes[i].radius;
    for (int k = 0; k < f->count; k++)
        for (int i = 0; i < f->bodies[k]->blocks; i++)
            yields[world->first_node[KIND_ROD] + f->bodies[k]->first_node + i] = true;
    sn_contacts_forgive(c, yields, full);
    for (int k = 0; k < f->count; k++)
        for (int i = 0; i < f->bodies[k]->blocks; i++)
            f->bodies[k]->block[i].touch =
                c->proxies.nodes[world->first_node[KIND_ROD] + f->bodies[k]->first_node + i].radius;
    return SN_OK;
}

sn_status sn_world_forgive_overlap(sn_world *world, const sn_rod *rods, int count) {
    if (!world || count < 0 || (count > 0 && !rods)) return SN_ERR_RANGE;
    if (world->stepping) return SN_ERR_BUSY;
    for (int i = 0; i < count; i++)
        if (!sn_rod_find(sn_rods(world), rods[i])) return SN_ERR_STALE_ID;
    if (count == 0) return SN_OK;
    sn_rod_body **bodies = sn_alloc(&world->memory, (size_t)count, sizeof *bodies);
    if (!bodies) return SN_ERR_MEMORY;
    sn_float_mode callers = sn_float_mode_enter();
    for (int i = 0; i < count; i++) {
        bodies[i] = sn_rod_find(sn_rods(world), rods[i]);
        bodies[i]->rest = (sn_rest){false, 0}; // whoever changes a rod wakes it
        for (int k = 0; k < bodies[i]->blocks; k++) bodies[i]->block[k].touch = bodies[i]->block[k].radius;
    }
    forgiven all = {bodies, count};
    const sn_status status = with_pairs(world, forgive, &all);
    sn_float_mode_leave(callers);
    sn_free(&world->memory, bodies, (size_t)count, sizeof *bodies);
    return status;
}
