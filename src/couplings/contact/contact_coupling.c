// Contacts as a coupling: writes the proxies of all kinds, finds and solves contacts, and gives the kinds the
// displacements of their nodes.
#include "base/assert.h"
#include "base/host.h"
#include "base/union_find.h"
#include "couplings/contact/contact.h"

sn_contacts *sn_world_contacts(const sn_world *world) {
    return sn_world_coupling(world, &sn_contact_coupling);
}

static sn_status create(const sn_kind_setup *setup, sn_world *world, void **system) {
    sn_contacts *c = sn_alloc(setup->memory, 1, sizeof *c);
    *system = c;
    if (!c) return SN_ERR_MEMORY;
    *c = (sn_contacts){.world = world, .memory = setup->memory, .log = setup->log, .lanes = setup->lanes, .sweeps = 20};
    c->pair_limit = setup->max_pairs;
    c->kernels = sn_contact_kernels_for(setup->lanes);
    c->measure = sn_pill_pairs_for(setup->lanes);
    sn_arena_init(&c->arena, setup->memory);
    sn_arena_init(&c->last, setup->memory);
    sn_arena_init(&c->spare, setup->memory);
    sn_arena_init(&c->query, setup->memory);
    return sn_body_pairs_create(c) ? SN_OK : SN_ERR_MEMORY;
}

static void destroy(void *what) {
    sn_contacts *c = what;
    sn_arena_free(&c->arena);
    sn_arena_free(&c->last);
    sn_arena_free(&c->spare);
    sn_free(c->memory, c->speed, (size_t)c->speed_capacity, sizeof *c->speed);
    sn_free(c->memory, c->strikes, (size_t)c->strikes_capacity, sizeof *c->strikes);
    sn_arena_free(&c->query);
    sn_body_pairs_free(c);
    sn_free(c->memory, c, 1, sizeof *c);
}

// ---- proxies

static sn_proxy_writer writer_of(const sn_contacts *c, int row) {
    sn_proxy_writer writer = c->writer;
    writer.first = c->first_node[row];
    writer.first_slab = c->first_slab[row];
    writer.first_body = sn_world_first_body(c->world, row);
    return writer;
}

// Lists the colliders of all kinds; false: no memory.
static bool list_colliders(sn_contacts *c) {
    int count = 0;
    for (int k = 0; k < sn_kind_count; k++)
        if (sn_kinds[k]->collider) count += sn_kinds[k]->slots(sn_world_row_system(c->world, k))->count;
    c->colliders = sn_arena_alloc(&c->arena, (size_t)count + 1, sizeof *c->colliders);
    c->collider_bodies = sn_arena_alloc(&c->arena, (size_t)count + 1, sizeof *c->collider_bodies);
    c->collider_count = c->used_colliders = 0;
    if (!c->colliders || !c->collider_bodies) return false;
    for (int k = 0; k < sn_kind_count; k++) {
        void *system = sn_world_row_system(c->world, k);
        for (int i = 0; sn_kinds[k]->collider && i < sn_kinds[k]->slots(system)->count; i++) {
            sn_collider *collider = sn_kinds[k]->collider(system, i);
            c->collider_bodies[c->collider_count] = sn_body_handle(c->world, k, i);
            c->colliders[c->collider_count++] = collider;
            c->used_colliders += collider != NULL;
        }
    }
    return true;
}

bool sn_contacts_write_proxies(sn_contacts *c, sn_real dt, sn_real h, bool always) {
    int nodes = 0, slabs = 0, bodies = 0, colliding = 0;
    c->has_contact_nodes = false;
    for (int k = 0; k < sn_kind_count; k++) {
        void *system = sn_world_row_system(c->world, k);
        int count = 0;
        c->first_node[k] = nodes, c->first_slab[k] = slabs;
        if (sn_kinds[k]->count_nodes) nodes += sn_kinds[k]->count_nodes(system, &count);
        c->has_contact_nodes = c->has_contact_nodes || (sn_kinds[k]->contact_nodes && nodes > c->first_node[k]);
        if (sn_kinds[k]->count_slabs) slabs += sn_kinds[k]->count_slabs(system);
        bodies += sn_kinds[k]->slots(system)->count;
        colliding += count;
    }
    c->body_count = 0;
    if (!list_colliders(c)) return false;
    // Needs two bodies that collide, one that collides with itself, a body and a collider, or a joint.
    const bool nothing = nodes == 0 || (sn_contacts_hook_count(c) == 0 && colliding + (c->used_colliders > 0) < 2);
    if (nothing && !always) return false;
    c->proxies = (sn_proxies){sn_arena_alloc(&c->arena, (size_t)nodes, sizeof(sn_node)),
                              sn_arena_alloc(&c->arena, (size_t)nodes, sizeof(sn_node_pill)),
                              nodes,
                              sn_arena_alloc(&c->arena, (size_t)slabs + 1, sizeof(sn_node_slab)),
                              slabs,
                              sn_arena_alloc(&c->arena, slabs > 0 ? (size_t)nodes : 1, sizeof(sn_node_driver))};
    c->elements = nodes + slabs;
    c->pill_at = sn_arena_alloc(&c->arena, (size_t)nodes, sizeof *c->pill_at);
    c->slab_at = sn_arena_alloc(&c->arena, (size_t)slabs + 1, sizeof *c->slab_at);
    c->bodies = sn_arena_alloc(&c->arena, (size_t)bodies + 1, sizeof *c->bodies);
    sn_contact_settings *settings = sn_arena_alloc(&c->arena, (size_t)bodies, sizeof *settings);
    sn_real *reach = sn_arena_alloc(&c->arena, (size_t)nodes, sizeof *reach);
    sn_vec3 *displacement = sn_arena_alloc(&c->arena, (size_t)nodes, sizeof *displacement);
    sn_real *thickness = sn_arena_alloc(&c->arena, (size_t)bodies, sizeof *thickness);
    if (!c->proxies.nodes || !c->proxies.pills || !c->proxies.slabs || !c->proxies.drivers || !c->pill_at ||
        !c->slab_at || !c->bodies || !settings || !reach || !displacement || !thickness)
        return false;
    const sn_real g = sn_length(sn_world_gravity(c->world));
    for (int i = 0; i < nodes; i++) displacement[i] = sn_v3(0, 0, 0);
    for (int i = 0; i < bodies; i++) settings[i] = (sn_contact_settings){.asleep = true}, thickness[i] = 0;
    c->body_count = bodies;
    c->writer = (sn_proxy_writer){.proxies = &c->proxies,
                                  .settings = settings,
                                  .reach = reach,
                                  .displacement = displacement,
                                  .thickness = thickness,
                                  .dt = dt,
                                  .h = h,
                                  .fall = (sn_real)0.5 * g * dt * dt};
    c->pool = sn_world_pool(c->world);
    for (int k = 0; k < sn_kind_count; k++) {
        const int first = sn_world_first_body(c->world, k),
                  slots = sn_kinds[k]->slots(sn_world_row_system(c->world, k))->count;
        for (int i = 0; i < slots; i++) c->bodies[first + i] = sn_body_handle(c->world, k, i);
    }
    for (int k = 0; k < sn_kind_count; k++) {
        const sn_proxy_writer writer = writer_of(c, k);
        if (sn_kinds[k]->write_proxies) sn_kinds[k]->write_proxies(sn_world_row_system(c->world, k), &writer, c->pool);
    }
    c->settings = settings;
    return true;
}

void sn_contacts_update_proxies(sn_contacts *c, bool start) {
    for (int k = 0; k < sn_kind_count; k++) {
        const sn_proxy_writer writer = writer_of(c, k);
        if (sn_kinds[k]->update_proxies)
            sn_kinds[k]->update_proxies(sn_world_row_system(c->world, k), &writer, c->pool, start);
    }
}

// ---- stages

// Wakes bodies near a moving collider; they take part from the next step on.
static void wake_near_motion(sn_contacts *c) {
    for (int i = 0; i < c->pair_count; i++) {
        if (c->pairs[i].b < c->elements) continue;
        const sn_collider *collider = c->colliders[c->pairs[i].b - c->elements];
        const sn_vec3 motion = sn_sub(collider->to.position, collider->now.position);
        const sn_real cosine = sn_q_dot(collider->now.rotation, collider->to.rotation);
        if (!(sn_length2(motion) > 0) && !(cosine * cosine < 1 - (sn_real)1e-6)) continue;
        sn_world_wake(c->world, sn_element_body(c, c->pairs[i].a));
    }
}

static bool any_assembled(const sn_contacts *c) {
    for (int i = 0; i < c->body_count; i++)
        if (sn_contacts_assembled(c, i)) return true;
    return false;
}

// Finds the pairs of a step, or again within it.
static void find_pairs(sn_contacts *c, sn_real dt, sn_real h) {
    sn_contacts_swap_warm_starts(c);
    c->slots = c->row_count = c->block_count = c->block_capacity = 0;
    c->pair_table = NULL;
    c->found_at = NULL;
    c->is_active = false;
    c->pair_count = 0;
    for (int k = 0; k < sn_kind_count; k++)
        c->nodal[k] = sn_kinds[k]->contact_nodes || (sn_kinds[k]->couple && !sn_kinds[k]->nodal &&
                                                     sn_world_solver(c->world) == SN_SOLVER_DIRECT)
                          ? 0
                          : 1;
    if (!sn_contacts_write_proxies(c, dt, h, false) || !sn_contacts_reserve(c)) return;
    c->h = h;
    c->fall = sn_length(sn_world_gravity(c->world)) * h * h;
    if (c->hooks) c->hooks->place(c->hook_user, c);
    const sn_status found = sn_contacts_broad_phase(c, c->writer.reach, c->writer.displacement);
    if (found == SN_ERR_PAIRS || (found == SN_OK && c->pair_count > c->pair_limit)) {
        sn_log_line(c->log, SN_LOG_ERROR, SN_ERR_PAIRS, "max_pairs",
                    "%d pairs may touch, more than %d: the step did not happen", c->pair_count, c->pair_limit);
        c->pair_count = 0;
        sn_world_refuse_step(c->world, SN_ERR_PAIRS);
        return;
    }
    if (found != SN_OK || sn_contacts_load_warm_starts(c) != SN_OK) {
        c->pair_count = 0;
        sn_memory_fail(c->memory); // the step ends here and did not happen
        return;
    }
    if (c->pair_count > c->max_pairs) c->max_pairs = c->pair_count;
    sn_contacts_split(c);
    wake_near_motion(c);
    c->is_active = c->pair_count > 0 || sn_contacts_hook_count(c) > 0 || any_assembled(c);
    c->found_at = sn_arena_alloc(&c->arena, (size_t)c->proxies.count, sizeof *c->found_at);
    for (int i = 0; c->found_at && i < c->proxies.count; i++) c->found_at[i] = c->proxies.nodes[i].c;
    c->found_used = c->arena.used;
}

// A sleeping body has no mass to others: what strikes one would lose all its momentum before it wakes. So those wake that a body at
// STRIKE times the speed of what is still may strike in this step, and what they may touch. Those beyond ROUNDS of neighbours
// wake when they are pressed on, as do those that something slow comes to, and bundles of rods.
#define STRIKE 10
#define ROUNDS 8

// Wakes bodies near those that 'strikes' marks, and marks them; returns whether there were any.
static bool wake_struck(const sn_contacts *c, bool *strikes) {
    bool any = false;
    for (int i = 0; i < c->pair_count; i++) {
        if (c->pairs[i].b >= c->elements) continue;
        const int body[2] = {sn_element_body(c, c->pairs[i].a), sn_element_body(c, c->pairs[i].b)};
        for (int side = 0; side < 2; side++) {
            const int sleeper = body[side];
            if (!c->settings[sleeper].asleep || c->settings[sleeper].assembled || !strikes[body[1 - side]]) continue;
            sn_world_wake(c->world, sleeper);
            any = any || !sn_world_sleep_state(c->world, sleeper)->asleep;
        }
    }
    for (int i = 0; i < c->body_count && any; i++) {
        const sn_sleep_state *state = sn_world_sleep_state(c->world, i);
        strikes[i] = strikes[i] || (c->settings[i].asleep && state && !state->asleep);
    }
    return any;
}

static bool any_sleeps(const sn_contacts *c) {
    for (int i = 0; i < c->body_count; i++) {
        const sn_sleep_state *state = sn_world_sleep_state(c->world, i);
        if (state && state->asleep) return true;
    }
    return false;
}

static void find(void *what, sn_real dt, sn_real h) {
    sn_contacts *c = what;
    c->max_contacts = c->max_pairs = 0;
    sn_body_pairs_begin(c);
    find_pairs(c, dt, h);
    if (c->pair_count == 0 || !any_sleeps(c)) return;
    const int n = c->body_count;
    if (!sn_reserve(c->memory, (void **)&c->speed, &c->speed_capacity, n, sizeof *c->speed) ||
        !sn_reserve(c->memory, (void **)&c->strikes, &c->strikes_capacity, n, sizeof *c->strikes))
        return; // the step ends here and did not happen
    const sn_real still = sn_world_normalised_speeds(c->world, c->speed);
    for (int i = 0; i < n; i++) c->strikes[i] = c->speed[i] > STRIKE * still;
    for (int round = 0; round < ROUNDS && wake_struck(c, c->strikes); round++) find_pairs(c, dt, h);
}

// Within a substep contacts are made up to this part of the radius away: see start_chunk in narrow_phase.c.
#define MARGIN ((sn_real)0.15)

// Nodal kinds are thin: their pairs are found in every substep, before they are predicted.
static void find_again(void *what, sn_real h) {
    sn_contacts *c = what;
    bool nodal = false;
    for (int k = 0; k < sn_kind_count; k++)
        nodal = nodal || (c->nodal[k] > 0 && sn_kinds[k]->count_nodes &&
                          sn_kinds[k]->count(sn_world_row_system(c->world, k)) > 0);
    if (nodal) find_pairs(c, h, h);
    c->found_now = nodal;
}

// Whether every node is still within reach of where it was when the pairs were found.
static bool pairs_hold(const sn_contacts *c) {
    if (!c->found_at) return false;
    for (int k = 0; k < sn_kind_count; k++) {
        const int end = k + 1 < sn_kind_count ? c->first_node[k + 1] : c->proxies.count;
        for (int i = c->first_node[k]; i < end; i++) {
            const sn_node *node = &c->proxies.nodes[i];
            const sn_real left = c->writer.reach[i] - MARGIN * node->radius * node->s;
            const sn_real start2 = sn_length2(sn_sub(node->c0, c->found_at[i]));
            const sn_real now2 = sn_length2(sn_sub(node->c, c->found_at[i]));
            if (!(left >= 0 && start2 <= left * left && now2 <= left * left)) return false;
        }
    }
    return true;
}

static bool is_active(void *what) {
    return ((const sn_contacts *)what)->is_active;
}

// ---- how many substeps

// In a substep nothing should come nearer to something else than by this part of the smaller radius.
#define APPROACH ((sn_real)0.5)

// How far an element may move in the step, relative to a common motion; its radius.
static sn_vec3 element_motion(const sn_contacts *c, int element, sn_real dt, sn_real *deviation, sn_real *radius) {
    int32_t nodes[3];
    const int count = sn_element_nodes(c, element, nodes);
    sn_vec3 mean = sn_v3(0, 0, 0);
    *deviation = 0;
    *radius = c->writer.thickness[sn_element_body(c, element)];
    for (int k = 0; k < count; k++) {
        mean = sn_mul_add(mean, 1 / (sn_real)count, c->writer.displacement[nodes[k]]);
        *radius = sn_max(*radius, c->proxies.nodes[nodes[k]].radius * c->proxies.nodes[nodes[k]].s);
    }
    for (int k = 0; k < count; k++)
        *deviation = sn_max(*deviation, sn_length(sn_sub(c->writer.displacement[nodes[k]], mean)));
    (void)dt;
    return mean;
}

static sn_vec3 element_place(const sn_contacts *c, int element) {
    int32_t nodes[3];
    const int count = sn_element_nodes(c, element, nodes);
    sn_vec3 mean = sn_v3(0, 0, 0);
    for (int k = 0; k < count; k++) mean = sn_mul_add(mean, 1 / (sn_real)count, c->proxies.nodes[nodes[k]].c);
    return mean;
}

// What slides along the other comes nearer by less.
#define SLIDING ((sn_real)0.25)

static sn_real closing_of(const sn_contacts *c, sn_pair pair, sn_vec3 displacement) {
    const sn_pill a = sn_proxy_pill(&c->proxies, pair.a, false), b = sn_proxy_pill(&c->proxies, pair.b, false);
    const sn_real along = sn_dot(displacement, sn_pill_pill(&a, &b).normal);
    const sn_real across = sn_sqrt(sn_max(sn_length2(displacement) - along * along, 0));
    return sn_max(-along, 0) + SLIDING * across;
}

// How many substeps a pair needs.
static sn_real wanted_by(const sn_contacts *c, int number, sn_real dt) {
    const sn_pair pair = c->pairs[number];
    sn_real deviation[2] = {0, 0}, radius[2] = {0, 0};
    sn_vec3 displacement = element_motion(c, pair.a, dt, &deviation[0], &radius[0]);
    if (pair.b < c->elements) {
        displacement = sn_sub(displacement, element_motion(c, pair.b, dt, &deviation[1], &radius[1]));
    } else {
        const sn_collider *collider = c->colliders[pair.b - c->elements];
        const sn_vec3 place = element_place(c, pair.a);
        displacement = sn_sub(displacement, sn_collider_motion(&collider->now, &collider->to, place));
        radius[1] = radius[0];
    }
    sn_real approach = sn_length(displacement) + deviation[0] + deviation[1];
    const sn_real min = sn_min(radius[0], radius[1]);
    if (pair.b >= c->elements && c->colliders[pair.b - c->elements]->kind == SN_GEOMETRY_PLANE)
        approach = -sn_dot(displacement, sn_q_axis_y(c->colliders[pair.b - c->elements]->now.rotation)) + deviation[0];
    const sn_real gap = pair.b < c->elements && c->separation ? c->separation[number] : 0;
    if (!(min > 0 && approach > gap && approach > APPROACH * min)) return 1;
    if (pair.b < c->proxies.count) approach = closing_of(c, pair, displacement) + deviation[0] + deviation[1];
    return approach / (APPROACH * min);
}

typedef struct {
    const sn_contacts *contacts;
    sn_real dt;
    sn_real *largest; // by chunk
} wanting;
enum { WANTING_CHUNK = 512 };

static void want_chunk(void *context, int index, int worker) {
    (void)worker;
    const wanting *w = context;
    const sn_contacts *c = w->contacts;
    sn_real largest = 1;
    for (int i = index * WANTING_CHUNK; i < (index + 1) * WANTING_CHUNK && i < c->pair_count; i++)
        largest = sn_max(largest, wanted_by(c, i, w->dt));
    w->largest[index] = largest;
}

static int substeps(void *what, sn_real dt) {
    sn_contacts *c = what;
    if (!c->is_active) return 1;
    const int chunks = (c->pair_count + WANTING_CHUNK - 1) / WANTING_CHUNK;
    const size_t used = c->arena.used;
    const wanting w = {c, dt, sn_arena_alloc(&c->arena, (size_t)chunks + 1, sizeof(sn_real))};
    if (!w.largest) return 1; // the step ends here and did not happen
    sn_parallel_for(c->pool, chunks, 1, want_chunk, (void *)&w);
    sn_real largest = 1;
    for (int k = 0; k < chunks; k++) largest = sn_max(largest, w.largest[k]);
    c->arena.used = used;
    return largest < 1000 ? (int)(largest + (sn_real)0.999) : 1000;
}

static void measure(void *what, const sn_stage *stage) {
    sn_contacts *c = what;
    if (!c->found_at && !c->is_active) return;
    c->h = c->writer.h = stage->h;
    sn_contacts_update_proxies(c, true);
    if (stage->substep > 0 && !c->found_now && !pairs_hold(c)) {
        find_pairs(c, stage->h, stage->h);
        if (c->is_active) sn_contacts_update_proxies(c, true);
    }
    if (!c->is_active) return;
    c->fall = sn_length(stage->gravity) * stage->h * stage->h;
    c->arena.used = c->found_used; // what the last substep took
    c->block_capacity = 0, c->pair_table = NULL;
    if (sn_contacts_narrow_phase(c) != SN_OK) sn_memory_fail(c->memory);
    if (c->hooks) c->hooks->begin_substep(c->hook_user, c);
}

// ---- node space

// Every body with a contact or a joint that is awake takes part; contacts join islands.
static bool open_space(void *what, const sn_stage *stage, sn_solve *solve) {
    sn_contacts *c = what;
    (void)stage;
    if (!c->is_active || c->slots == 0) return false;
    sn_arena *arena = &c->arena;
    const size_t bodies = (size_t)c->body_count + 1;
    solve->bodies = c->body_count;
    solve->coupled = sn_arena_alloc(arena, bodies, sizeof *solve->coupled);
    solve->joined = sn_arena_alloc(arena, bodies, sizeof *solve->joined);
    solve->iterating = sn_arena_alloc(arena, bodies, sizeof *solve->iterating);
    solve->failed = sn_arena_alloc(arena, bodies, sizeof *solve->failed);
    solve->island = sn_arena_alloc(arena, bodies, sizeof *solve->island);
    solve->unit = sn_arena_alloc(arena, bodies, sizeof *solve->unit);
    solve->row_first = sn_arena_alloc(arena, (size_t)c->slots + 3, sizeof *solve->row_first);
    solve->rows = sn_arena_alloc(arena, (size_t)c->row_count * 6 + 1, sizeof *solve->rows);
    if (!solve->coupled || !solve->joined || !solve->iterating || !solve->failed || !solve->island || !solve->unit ||
        !solve->row_first || !solve->rows)
        return false;
    solve->proxies = &c->proxies;
    solve->first_node = c->first_node, solve->first_slab = c->first_slab;
    solve->writer = &c->writer;
    solve->slots = c->slots;
    solve->contact_nodes = c->contact_nodes;
    solve->contact_node_first = c->contact_node_first, solve->contact_node_list = c->contact_node_list;
    solve->first_contact_node = c->first_contact_node;
    solve->size = c->row_count;
    solve->sweeps = c->sweeps;
    solve->shift = c->body_shift;
    solve->body_end = c->body_end;
    for (int i = 0; i < c->body_count; i++) {
        solve->coupled[i] = c->active[i] && !c->settings[i].asleep;
        solve->joined[i] = solve->failed[i] = false;
        solve->iterating[i] = solve->coupled[i];
        solve->island[i] = solve->unit[i] = i;
    }
    for (int i = 0; i < c->block_count; i++) {
        const sn_contact_block *b = &c->blocks[i];
        for (int k = 0; sn_form_both(b->form) && k < b->count; k++) {
            const int x = sn_element_body(c, b->pill[0][k]), y = sn_element_body(c, b->pill[1][k]);
            if (solve->coupled[x] && solve->coupled[y]) sn_union(solve->island, x, y);
        }
    }
    return true;
}

// After all couplings joined islands.
static void number_islands(sn_contacts *c, sn_solve *solve) {
    for (int i = 0; i < c->body_count; i++) solve->island[i] = sn_find_root(solve->island, i);
    for (int i = 0; i < c->block_count; i++) {
        sn_contact_block *b = &c->blocks[i];
        for (int k = 0; k < b->count; k++) {
            const int x = sn_element_body(c, b->pill[0][k]);
            const int y = sn_form_both(b->form) ? sn_element_body(c, b->pill[1][k]) : x;
            b->island[k] = solve->island[solve->coupled[x] ? x : y];
        }
        b->one_island = true;
        for (int k = 1; k < b->count; k++) b->one_island = b->one_island && b->island[k] == b->island[0];
    }
}

static void couple(void *what, const sn_stage *stage, sn_solve *solve, int op) {
    sn_contacts *c = what;
    if (op == SN_COUPLING_BEGIN) number_islands(c, solve);
    sn_contacts_couple(c, stage, solve, op);
}

static void finish(void *what, const sn_stage *stage) {
    (void)stage;
    sn_contacts *c = what;
    if (c->is_active) sn_contacts_store_warm_starts(c);
}

// Joins bodies that press on each other. A sleeping body wakes when a body that is not still presses on it.
static bool join_islands(void *what, sn_islands *islands) {
    const sn_contacts *c = what;
    if (!c->is_active) return false;
    for (int i = 0; i < c->block_count * SN_BLOCK; i++) {
        const sn_contact_block *block = &c->blocks[i / SN_BLOCK];
        const int k = i % SN_BLOCK;
        if (k >= block->count || !(block->load[k] > 0)) continue;
        const int a = sn_element_body(c, block->pill[0][k]);
        islands->pressed[a] = true;
        if (!sn_form_both(block->form)) continue;
        const int b = sn_element_body(c, block->pill[1][k]);
        islands->pressed[b] = true;
        const bool a_sleeps = c->settings[a].asleep, b_sleeps = c->settings[b].asleep;
        if (a_sleeps && islands->speed[b] > 2 * islands->still_speed) sn_world_wake(c->world, a);
        if (b_sleeps && islands->speed[a] > 2 * islands->still_speed) sn_world_wake(c->world, b);
        if (!a_sleeps && !b_sleeps) sn_union(islands->up, a, b);
    }
    return true;
}

static void end(void *what, sn_profile *profile) {
    sn_contacts *c = what;
    profile->pairs = c->max_pairs;
    if (c->is_active) profile->contacts = c->max_contacts;
    sn_body_pairs_end(c);
}

// ---- a step that fails

// The arena of the step before is where the broad phases of this one left it: see sn_contacts_swap_warm_starts. So all that it
// holds is still there, and the pointers into it are as good as they were.
static void visit_state(void *what, sn_stream *stream) {
    sn_contacts *c = what;
    sn_contacts state = *c;
    sn_visit_bytes(stream, &state, sizeof state);
    if (stream->mode == SN_STREAM_WRITE) c->searches = 0;
    if (stream->mode != SN_STREAM_READ) return;
    state.query = c->query, state.grid = c->grid;
    state.speed = c->speed, state.speed_capacity = c->speed_capacity;
    state.strikes = c->strikes, state.strikes_capacity = c->strikes_capacity;
    state.arena = c->searches == 0 ? c->arena : c->searches == 1 ? c->last : c->spare;
    state.last = c->searches == 1 ? c->arena : c->last;
    state.spare = c->searches > 1 ? c->arena : c->spare;
    *c = state;
}

// ---- queries between steps

// Kinds note where their colliders are as a step would.
static sn_status query_pairs(sn_contacts *c) {
    for (int k = 0; k < sn_kind_count; k++)
        if (sn_kinds[k]->collider) sn_kinds[k]->begin(sn_world_row_system(c->world, k));
    if (c->hooks) c->hooks->place(c->hook_user, c);
    return sn_contacts_broad_phase(c, c->writer.reach, c->writer.displacement);
}

sn_status sn_contacts_query(sn_contacts *c, bool pairs, sn_contacts_query_fn *fn, void *user) {
    const sn_contacts kept = *c;
    sn_status status = SN_OK;
    sn_memory_clear_failure(c->memory);
    sn_arena_reset(&c->query);
    c->arena = c->query;
    sn_world_number_bodies(c->world);
    if (sn_contacts_write_proxies(c, (sn_real)1e-4, (sn_real)1e-4, !pairs)) {
        if (pairs) status = query_pairs(c);
        if (status == SN_OK) status = fn(c, user);
    }
    const sn_arena query = c->arena;
    *c = kept;
    c->query = query;
    return sn_memory_failed(c->memory) ? SN_ERR_MEMORY : status;
}

// ---- invariants
#ifdef SN_VALIDATE

static void validate_proxies(const sn_contacts *c) {
    const sn_proxies *p = &c->proxies;
    for (int i = 0; i < p->count; i++) {
        const sn_node_pill *pill = &p->pills[i];
        if (pill->a < 0) continue;
        SN_ASSERT(pill->a < p->count && pill->b >= 0 && pill->b < p->count);
        SN_ASSERT(pill->body >= 0 && pill->body < c->body_count);
    }
    for (int i = 0; i < p->slab_count; i++) {
        const sn_node_slab *slab = &p->slabs[i];
        SN_ASSERT(slab->body >= 0 && slab->body < c->body_count);
        for (int k = 0; k < 3; k++) SN_ASSERT(slab->node[k] >= 0 && slab->node[k] < p->count);
    }
}

// Whether distances between the nodes of a contact can be measured: the fourth powers of lengths above 1e9 m overflow.
// Only bodies that are about to diverge get there.
#define MEASURABLE ((sn_real)1e8) // m

static bool is_measurable(const sn_contacts *c, const sn_contact_block *block, int k) {
    for (int i = 0; i < 6; i++) {
        if (i < 4 ? i >= 2 && !sn_form_both(block->form) : !sn_form_third(block->form, i - 4)) continue;
        const sn_node *node = &c->proxies.nodes[i < 4 ? block->node[i][k] : block->third_node[i - 4][k]];
        if (!(sn_length2(node->c0) < MEASURABLE * MEASURABLE)) return false;
        if (!(sn_length2(node->c) < MEASURABLE * MEASURABLE)) return false;
    }
    return true;
}

// Normals have unit length up to rounding.
#define UNIT_LENGTH2_ERROR ((sn_real)1e-4)

static void validate_block(const sn_contacts *c, const sn_contact_block *block) {
    SN_ASSERT(block->count >= 1 && block->count <= SN_BLOCK);
    for (int k = 0; k < block->count; k++) {
        const sn_vec3 normal = sn_v3(block->n[0][k], block->n[1][k], block->n[2][k]);
        if (is_measurable(c, block, k)) SN_ASSERT(sn_abs(sn_length2(normal) - 1) < UNIT_LENGTH2_ERROR);
        SN_ASSERT(block->pill[0][k] >= 0 && block->pill[0][k] < c->elements);
        if (sn_form_both(block->form)) SN_ASSERT(block->pill[1][k] >= 0 && block->pill[1][k] < c->elements);
        SN_ASSERT(block->collider[k] >= -1 && block->collider[k] < c->collider_count);
        SN_ASSERT(block->load[k] >= 0);
    }
}

// The displacements that contact k of a block writes. Returns how many.
static int written_slots(const sn_contact_block *block, int k, int first_contact_node, int32_t slots[6]) {
    int count = 0;
    for (int i = 0; i < (sn_form_both(block->form) ? 4 : 2); i++) slots[count++] = block->slot[i][k];
    for (int side = 0; side < 2; side++)
        if (sn_form_third(block->form, side)) slots[count++] = block->third_slot[side][k];
    int shared = 0; // a contact's own node is of no other
    for (int i = 0; i < count; i++)
        if (slots[i] < first_contact_node) slots[shared++] = slots[i];
    return shared;
}

// Whether any contact of a group writes a slot.
static bool group_writes(const sn_contacts *c, const sn_contact_group *group, int32_t slot) {
    int32_t slots[6];
    for (int i = 0; i < group->count * SN_BLOCK; i++) {
        const sn_contact_block *block = &c->blocks[group->first + i / SN_BLOCK];
        const int count =
            i % SN_BLOCK < block->count ? written_slots(block, i % SN_BLOCK, c->first_contact_node, slots) : 0;
        for (int j = 0; j < count; j++)
            if (slots[j] == slot) return true;
    }
    return false;
}

// The groups of a phase, which are solved by workers at the same time, write different displacements.
static void validate_phase(const sn_contacts *c, int first_group, int group_count) {
    int32_t slots[6];
    for (int g = first_group; g < first_group + group_count; g++)
        for (int i = 0; i < c->groups[g].count; i++) {
            const sn_contact_block *block = &c->blocks[c->groups[g].first + i];
            for (int k = 0; k < block->count; k++)
                for (int j = written_slots(block, k, c->first_contact_node, slots) - 1; j >= 0; --j) {
                    SN_ASSERT(slots[j] >= 0 && slots[j] < c->slots);
                    for (int other = g + 1; other < first_group + group_count; other++)
                        SN_ASSERT(!group_writes(c, &c->groups[other], slots[j]));
                }
        }
}

// Indices of proxies and contacts are in range, groups cover the blocks, normals have unit length, and contacts that
// are solved at the same time share no node.
static void validate(const void *what, const sn_world *world) {
    const sn_contacts *c = what;
    (void)world;
    if (!c->is_active) return;
    validate_proxies(c);
    for (int i = 0; i < c->pair_count; i++) {
        SN_ASSERT(c->pairs[i].a >= 0 && c->pairs[i].a < c->elements);
        SN_ASSERT(c->pairs[i].b >= 0 && c->pairs[i].b < c->elements + c->collider_count);
    }
    if (c->row_count == 0) return;
    for (int phase = 0; phase < SN_PHASES; phase++) {
        int first, count;
        sn_groups_of_phase(&c->split, phase, &first, &count);
        for (int g = first; g < first + count; g++) {
            const sn_contact_group *group = &c->groups[g];
            SN_ASSERT(group->count == 0 || (group->first >= 0 && group->first + group->count <= c->block_count));
            for (int b = 0; b < group->count; b++) validate_block(c, &c->blocks[group->first + b]);
        }
        validate_phase(c, first, count);
    }
}
#endif

const sn_coupling_ops sn_contact_coupling = {
    .name = "contacts",
    .create = create,
    .destroy = destroy,
    .save = sn_contacts_save,
    .visit_state = visit_state,
    .find = find,
    .find_again = find_again,
    .substeps = substeps,
    .measure = measure,
    .is_active = is_active,
    .open = open_space,
    .couple = couple,
    .finish = finish,
    .join_islands = join_islands,
    .end = end,
#ifdef SN_VALIDATE
    .validate = validate,
#endif
};
