// The system of all rods: slots with generations, groups of equal topology, packets of lanes, and the stages that run them.
//
// A free lane holds a rod of unit mass and no stiffness, so that kernels never see numbers they cannot work with.
#include "base/assert.h"
#include "base/hash.h"
#include "base/math/trig.h"
#include "kinds/rod/rod_body.h"
#include <string.h>

// ---- packets

static size_t packet_size(const sn_rod_system *system, int blocks) {
    size_t rows = (size_t)blocks * (4 * X_ROWS + 2 * V_ROWS + P_ROWS + 2) + 6;
    return rows * (size_t)system->lanes;
}

static size_t terms_size(const sn_rod_system *system, const sn_topology *topology) {
    return (size_t)topology->blocks * H_ROWS * (size_t)system->lanes;
}

static void idle_lane(const sn_rod_system *system, sn_packet *packet, int lane) {
    sn_rod_body idle = {.lane = lane};
    static const sn_real x[X_ROWS] = {[X_S] = 1, [X_QW] = 1};
    static const sn_real v[V_ROWS] = {0};
    packet->measured = false;
    sn_real p[P_ROWS] = {0};
    p[P_INV_L] = p[P_REST] = p[P_REL_W] = p[P_MASS_S] = p[P_INERTIA_T] = p[P_INERTIA_W] = 1;
    p[P_MASS] = SN_HELD; // gravity must not move it
    for (int i = 0; i < packet->topology->blocks; i++) {
        sn_rod_put(system, &idle, packet->x, X_ROWS, i, x);
        sn_rod_put(system, &idle, packet->x0, X_ROWS, i, x);
        sn_rod_put(system, &idle, packet->xh, X_ROWS, i, x);
        sn_rod_put(system, &idle, packet->xt, X_ROWS, i, x);
        sn_rod_put(system, &idle, packet->v, V_ROWS, i, v);
        sn_rod_put(system, &idle, packet->load, V_ROWS, i, v);
        sn_rod_put(system, &idle, packet->param, P_ROWS, i, p);
    }
    packet->fade[lane] = 1;
}

static bool make_packet(sn_rod_system *system, sn_rod_group *group, sn_packet *packet) {
    const int blocks = group->topology.blocks;
    const size_t lanes = (size_t)system->lanes;
    sn_real *at = sn_alloc(system->memory, packet_size(system, blocks), sizeof *at);
    if (!at) return false;
    sn_real **states[4] = {&packet->x, &packet->x0, &packet->xh, &packet->xt};
    packet->memory = at;
    packet->topology = &group->topology;
    for (int k = 0; k < 4; ++k, at += (size_t)blocks * X_ROWS * lanes) *states[k] = at;
    packet->v = at, at += (size_t)blocks * V_ROWS * lanes;
    packet->load = at, at += (size_t)blocks * V_ROWS * lanes;
    packet->param = at, at += (size_t)blocks * P_ROWS * lanes;
    packet->force = at, at += (size_t)blocks * lanes;
    packet->fade = at, at += lanes;
    packet->start_energy = at, at += lanes;
    packet->mass_displacement = at, at += 3 * lanes;
    packet->elastic = at, at += lanes;
    packet->final_force = at;
    packet->loaded = false;
    packet->coupled = (sn_rod_coupled){0};
    for (int lane = 0; lane < system->lanes; lane++) idle_lane(system, packet, lane);
    return true;
}

sn_packet *sn_rod_packet_of(const sn_rod_system *system, const sn_rod_body *body) {
    return &system->groups[body->group].packets[body->packet];
}

void sn_rod_get(const sn_rod_system *system, const sn_rod_body *body, sn_real *array, int rows, int i, sn_real *out) {
    for (int r = 0; r < rows; r++) out[r] = *sn_rod_at(system, body, array, rows, i, r);
}

void sn_rod_put(const sn_rod_system *system, const sn_rod_body *body, sn_real *array, int rows, int i,
                const sn_real *in) {
    for (int r = 0; r < rows; r++) *sn_rod_at(system, body, array, rows, i, r) = in[r];
}

// ---- groups

static bool fits(const sn_rod_group *group, const sn_rod_body *body, bool scale_bend, bool volume_bend) {
    const sn_topology *t = &group->topology;
    return t->blocks == body->blocks && t->scale_bend == scale_bend && t->volume_bend == volume_bend &&
           memcmp(t->parent, body->parent, (size_t)body->blocks * sizeof(int)) == 0;
}

// The group of a body's topology, made if there is none; -1: out of memory.
static int group_for(sn_rod_system *system, const sn_rod_body *body) {
    bool scale_bend = sn_rod_uses_scale_bend(body), volume_bend = sn_rod_uses_volume_bend(body);
    for (int g = 0; g < system->group_count; g++)
        if (fits(&system->groups[g], body, scale_bend, volume_bend)) return g;
    sn_rod_group *old = system->groups;
    if (!sn_reserve(system->memory, (void **)&system->groups, &system->group_capacity, system->group_count + 1,
                    sizeof *system->groups))
        return -1;
    if (old != system->groups) // packets point at the topology inside their group
        for (int g = 0; g < system->group_count; g++)
            for (int k = 0; k < system->groups[g].packet_count; k++)
                system->groups[g].packets[k].topology = &system->groups[g].topology;
    sn_rod_group *group = &system->groups[system->group_count];
    memset(group, 0, sizeof *group);
    group->table_count = sn_topology_tables(body->blocks);
    group->tables = sn_alloc(system->memory, group->table_count, sizeof *group->tables);
    if (!group->tables) return -1;
    sn_topology_build(&group->topology, group->tables, body->blocks, body->parent);
    group->topology.scale_bend = scale_bend;
    group->topology.volume_bend = volume_bend;
    return system->group_count++;
}

// Scratch for every worker, large enough for the topology with any solver.
static bool reserve_scratch(sn_rod_system *system, const sn_topology *topology) {
    size_t direct = system->kernels->direct_scratch(topology), xpbd = system->kernels->xpbd_scratch(topology);
    size_t size = direct > xpbd ? direct : xpbd;
    if (size <= system->scratch_size) return true;
    sn_real **grown = sn_alloc(system->memory, (size_t)system->workers, sizeof *grown);
    if (!grown) return false;
    bool all = true;
    for (int w = 0; w < system->workers; w++) all = (grown[w] = sn_alloc(system->memory, size, sizeof(sn_real))) && all;
    sn_real **gone = all ? system->scratch : grown;
    size_t gone_size = all ? system->scratch_size : size;
    for (int w = 0; gone && w < system->workers; w++) sn_free(system->memory, gone[w], gone_size, sizeof(sn_real));
    sn_free(system->memory, gone, (size_t)system->workers, sizeof *gone);
    if (all) system->scratch = grown, system->scratch_size = size;
    return all;
}

// A free lane of a group: fills group, packet and lane of the body.
static bool find_lane(sn_rod_system *system, int g, sn_rod_body *body) {
    sn_rod_group *group = &system->groups[g];
    const int lanes = system->lanes;
    body->group = g;
    for (int k = group->packet_count * lanes - 1; k >= 0 && group->rods < group->packet_count * lanes; --k) {
        if (group->occupant[k] >= 0) continue;
        body->packet = k / lanes, body->lane = k % lanes;
        return true;
    }
    int packets = group->packet_count + 1;
    if (!sn_reserve(system->memory, (void **)&group->packets, &group->packet_capacity, packets,
                    sizeof *group->packets) ||
        !sn_reserve(system->memory, (void **)&group->occupant, &group->occupant_capacity, packets * lanes,
                    sizeof *group->occupant) ||
        !sn_reserve(system->memory, (void **)&system->places, &system->place_capacity, system->place_count + 1,
                    sizeof *system->places) ||
        !sn_reserve(system->memory, (void **)&system->verdicts, &system->verdict_capacity, system->place_count + 1,
                    sizeof *system->verdicts) ||
        !make_packet(system, group, &group->packets[group->packet_count]))
        return false;
    group->packets[group->packet_count].place = system->place_count;
    system->places[system->place_count++] = (sn_rod_place){g, group->packet_count};
    for (int lane = 0; lane < lanes; lane++) group->occupant[group->packet_count * lanes + lane] = -1;
    body->packet = group->packet_count++;
    body->lane = 0;
    return true;
}

// ---- bodies

sn_rod_body *sn_rod_find(const sn_rod_system *system, sn_body id) {
    return id.kind == SN_KIND_ROD ? sn_slots_find(&system->slots, id.slot1, id.gen) : NULL;
}

void sn_rod_write_params(sn_rod_system *system, sn_rod_body *body, int block) {
    sn_real p[P_ROWS];
    sn_rod_block_params(body, block, p);
    sn_rod_put(system, body, sn_rod_packet_of(system, body)->param, P_ROWS, block, p);
    sn_rod_packet_of(system, body)->measured = false;
}

void sn_rod_write_params_near(sn_rod_system *system, sn_rod_body *body, int block) {
    for (int i = 0; i < body->blocks; i++) {
        bool near = body->parent[block] == i;
        for (int k = 0, up = i; k <= 3 && up >= 0; k++, up = body->parent[up]) near = near || up == block;
        if (near) sn_rod_write_params(system, body, i);
    }
}

// What holds a row of the state.
static int hold_of_row(int r) {
    return r < X_S || r >= X_LX ? SN_HOLD_CENTRE : r == X_S ? SN_HOLD_SCALE : SN_HOLD_FRAME | SN_HOLD_CLAMP;
}

static void list_held(sn_rod_body *body) {
    body->held_count = 0;
    for (int i = 0; i < body->blocks; i++)
        if (body->block[i].hold) body->held[body->held_count++] = i;
}

void sn_rod_set_hold(sn_rod_system *system, sn_rod_body *body, int block, int hold) {
    sn_real here[X_ROWS];
    int newly = hold & ~body->block[block].hold; // what was held before stays led to where it was told
    body->block[block].hold = hold;
    sn_rod_get(system, body, sn_rod_packet_of(system, body)->x, X_ROWS, block, here);
    for (int r = 0; r < X_ROWS; r++)
        if (newly & hold_of_row(r)) body->driver[block].to[r] = here[r];
    list_held(body);
    sn_rod_write_params_near(system, body, block);
}

int64_t sn_rod_dofs(const sn_rod_body *body) {
    return (int64_t)body->points * 4 + (int64_t)(body->parent[0] < 0 ? body->points - 1 : body->points) * 3;
}

// Puts a body with its state into a lane of the given slot.
static sn_status place(sn_rod_system *system, sn_rod_body *body, const sn_real *start, int slot) {
    int g = group_for(system, body);
    if (g < 0 || !reserve_scratch(system, &system->groups[g].topology) || !find_lane(system, g, body))
        return SN_ERR_MEMORY;
    sn_rod_group *group = &system->groups[g];
    sn_packet *packet = &group->packets[body->packet];
    group->occupant[body->packet * system->lanes + body->lane] = slot;
    group->rods++;
    packet->rods++;
    for (int i = 0; i < body->blocks; i++) {
        const sn_real *x = start + (size_t)i * (X_ROWS + V_ROWS);
        sn_rod_put(system, body, packet->x, X_ROWS, i, x);
        sn_rod_put(system, body, packet->v, V_ROWS, i, x + X_ROWS);
        sn_rod_write_params(system, body, i);
        memcpy(body->driver[i].to, x, sizeof body->driver[i].to);
    }
    list_held(body);
    system->slots.at[slot].item = body;
    system->fade_h = 0;
    system->body_count++;
    system->dofs += sn_rod_dofs(body);
    return SN_OK;
}

sn_status sn_rod_restore_slot(sn_rod_system *system, sn_rod_body *body, const sn_real *start, int slot) {
    return place(system, body, start, slot);
}

sn_status sn_rod_system_add(sn_rod_system *system, sn_rod_body *body, const sn_real *start, sn_body *id) {
    const int slot = sn_slots_next(&system->slots, system->memory);
    if (slot < 0) return SN_ERR_MEMORY;
    sn_status status = place(system, body, start, slot);
    if (status != SN_OK) {
        sn_slots_cancel(&system->slots, slot);
        return status;
    }
    sn_slots_acquire(&system->slots, slot);
    *id = (sn_body){SN_KIND_ROD, (uint32_t)slot + 1, system->slots.at[slot].gen};
    return SN_OK;
}

void sn_rod_remove(void *what, int slot) {
    sn_rod_system *system = what;
    sn_rod_body *body = system->slots.at[slot].item;
    sn_rod_group *group = &system->groups[body->group];
    group->occupant[body->packet * system->lanes + body->lane] = -1;
    --group->rods;
    --group->packets[body->packet].rods;
    idle_lane(system, &group->packets[body->packet], body->lane);
    system->verdicts[group->packets[body->packet].place].diverged &= ~(1u << body->lane); // not of who comes next
    --system->body_count;
    system->dofs -= sn_rod_dofs(body);
    sn_rod_body_free(system->memory, body);
    sn_slots_drop(&system->slots, slot);
}

// ---- the table of operations

static sn_status create(const sn_kind_setup *setup, void **out) {
    sn_rod_system *system = sn_alloc(setup->memory, 1, sizeof *system);
    if (!system) return SN_ERR_MEMORY;
    system->memory = setup->memory;
    system->log = setup->log;
    system->lanes = setup->lanes;
    system->workers = setup->workers;
    system->kernels = sn_rod_kernels_for(setup->lanes);
    system->slots.free = -1;
    *out = system;
    return SN_OK;
}

static void destroy(void *what) {
    sn_rod_system *s = what;
    sn_memory *m = s->memory;
    for (int i = 0; i < s->slots.count; i++) sn_rod_body_free(m, sn_rod_in(s, i));
    for (int g = 0; g < s->group_count; g++) {
        sn_rod_group *group = &s->groups[g];
        for (int k = 0; k < group->packet_count; k++) {
            sn_free(m, group->packets[k].memory, packet_size(s, group->topology.blocks), sizeof(sn_real));
            sn_free(m, group->packets[k].coupled.memory, group->packets[k].coupled.size, sizeof(sn_real));
            sn_free(m, group->packets[k].coupled.terms, terms_size(s, &group->topology), sizeof(sn_real));
        }
        sn_free(m, group->packets, (size_t)group->packet_capacity, sizeof *group->packets);
        sn_free(m, group->occupant, (size_t)group->occupant_capacity, sizeof *group->occupant);
        sn_free(m, group->tables, group->table_count, sizeof *group->tables);
    }
    for (int w = 0; s->scratch && w < s->workers; w++) sn_free(m, s->scratch[w], s->scratch_size, sizeof(sn_real));
    sn_free(m, s->scratch, (size_t)s->workers, sizeof *s->scratch);
    sn_slots_free(&s->slots, m);
    sn_free(m, s->groups, (size_t)s->group_capacity, sizeof *s->groups);
    sn_free(m, s->places, (size_t)s->place_capacity, sizeof *s->places);
    sn_free(m, s->verdicts, (size_t)s->verdict_capacity, sizeof *s->verdicts);
    sn_free(m, s, 1, sizeof *s);
}

// The first step of a sleeper: it stops. Its time of stillness is not needed any more and tells that this was done.
static void fall_asleep(const sn_rod_system *s, sn_rod_body *body) {
    static const sn_real still[V_ROWS] = {0};
    body->base.sleep.still = 0;
    for (int i = 0; i < body->blocks; i++) sn_rod_put(s, body, sn_rod_packet_of(s, body)->v, V_ROWS, i, still);
}

static void begin(void *what) {
    sn_rod_system *s = what;
    for (int k = 0; k < s->place_count; k++) s->verdicts[k] = (sn_verdict){0, 0};
    for (int i = 0; i < s->slots.count; i++) {
        sn_rod_body *body = sn_rod_in(s, i);
        if (body && body->base.sleep.asleep && body->base.sleep.still > 0) fall_asleep(s, body);
        for (int k = 0; body && k < body->held_count; k++)
            sn_rod_get(s, body, sn_rod_packet_of(s, body)->x, X_ROWS, body->held[k], body->driver[body->held[k]].from);
    }
}

static sn_packet *packet_at(const sn_rod_system *s, int place) {
    return &s->groups[s->places[place].group].packets[s->places[place].packet];
}

static size_t rows_size(const sn_rod_system *s, const sn_packet *packet, size_t rows) {
    return (size_t)packet->topology->blocks * rows * (size_t)s->lanes * sizeof(sn_real);
}

// Positions, velocities, and who sleeps. What the solver measured of a state it left is measured again if it is put back: it is
// the same.
static void visit_state(void *what, sn_stream *stream) {
    sn_rod_system *s = what;
    for (int k = 0; k < s->place_count; k++) {
        sn_packet *packet = packet_at(s, k);
        if (packet->rods == 0) continue;
        sn_visit_bytes(stream, packet->x, rows_size(s, packet, X_ROWS));
        sn_visit_bytes(stream, packet->v, rows_size(s, packet, V_ROWS));
        if (stream->mode == SN_STREAM_READ) packet->measured = false;
    }
    sn_visit_bytes(stream, s->verdicts, (size_t)s->place_count * sizeof *s->verdicts);
    for (int i = 0; i < s->slots.count; i++) {
        sn_rod_body *body = sn_rod_in(s, i);
        if (!body) continue;
        sn_visit_bytes(stream, &body->base.sleep, sizeof body->base.sleep);
        sn_visit_bytes(stream, &body->first_node, sizeof body->first_node);
    }
}

// The fade rows hold exp(-damping h), made anew when h changes or rods come.
static void refresh_fade(sn_rod_system *s, sn_real h) {
    if (s->fade_h == h) return;
    s->fade_h = h;
    for (int i = 0; i < s->slots.count; i++) {
        sn_rod_body *body = sn_rod_in(s, i);
        if (body) sn_rod_packet_of(s, body)->fade[body->lane] = sn_exp(-body->damping * h);
    }
}

static sn_substep substep_of(const sn_stage *stage) {
    return (sn_substep){.h = stage->h,
                        .gravity = {stage->gravity.x, stage->gravity.y, stage->gravity.z},
                        .iterations = stage->iterations,
                        .last = stage->last,
                        .resumed = stage->resumed};
}

// Held things are predicted where they are led: a share of the way for each substep.
static void drive_held(const sn_rod_system *s, const sn_stage *stage, sn_packet *packet, const sn_rod_body *body) {
    sn_real share = (sn_real)(stage->substep + 1) / (sn_real)stage->substeps;
    bool last = stage->substep + 1 == stage->substeps;
    for (int k = 0; k < body->held_count; k++) {
        int i = body->held[k], hold = body->block[i].hold;
        const sn_rod_driver *driver = &body->driver[i];
        sn_real x[X_ROWS];
        for (int r = 0; r < X_ROWS; r++)
            x[r] = last ? driver->to[r] : driver->from[r] + share * (driver->to[r] - driver->from[r]);
        if (hold & (SN_HOLD_FRAME | SN_HOLD_CLAMP)) {
            sn_quat q = sn_q_normalize((sn_quat){x[X_QX], x[X_QY], x[X_QZ], x[X_QW]});
            if (!last) x[X_QX] = q.x, x[X_QY] = q.y, x[X_QZ] = q.z, x[X_QW] = q.w;
        }
        for (int r = 0; r < X_ROWS; r++) {
            if (!(hold & hold_of_row(r))) continue;
            *sn_rod_at(s, body, packet->xh, X_ROWS, i, r) = x[r]; // the prediction
            *sn_rod_at(s, body, packet->x, X_ROWS, i, r) = x[r];  // and where the solver starts
        }
    }
}

// Nothing to do: no rods in the packet, or all asleep.
static bool idle(const sn_rod_system *s, int place) {
    const int *occupant = s->groups[s->places[place].group].occupant + s->places[place].packet * s->lanes;
    for (int lane = 0; lane < s->lanes; lane++)
        if (occupant[lane] >= 0 && !sn_rod_in(s, occupant[lane])->base.sleep.asleep) return false;
    return true;
}

static void predict_one(void *context, int place, int worker) {
    (void)worker;
    const sn_rod_system *s = context;
    const sn_rod_group *group = &s->groups[s->places[place].group];
    sn_packet *packet = packet_at(s, place);
    packet->coupled.any = packet->coupled.all = false;
    if (idle(s, place)) return;
    sn_substep step = substep_of(s->stage);
    s->kernels->predict(packet, &step);
    for (int lane = 0; lane < s->lanes; lane++) {
        int slot = group->occupant[s->places[place].packet * s->lanes + lane];
        if (slot >= 0 && sn_rod_in(s, slot)->held_count) drive_held(s, s->stage, packet, sn_rod_in(s, slot));
    }
}

static void solve_one(void *context, int place, int worker) {
    const sn_rod_system *s = context;
    sn_packet *packet = packet_at(s, place);
    if (idle(s, place) || packet->coupled.all) return;
    sn_substep step = substep_of(s->stage);
    sn_verdict (*solve)(sn_packet *, const sn_substep *, sn_real *) = s->kernels->direct;
    if (s->stage->solver == SN_SOLVER_XPBD) solve = s->kernels->xpbd;
    if (s->stage->solver == SN_SOLVER_JACOBI) solve = s->kernels->jacobi;
    const sn_rod_coupled *c = &packet->coupled;
    const bool any = c->any && c->memory;
    const size_t rows = (size_t)packet->topology->blocks * X_ROWS, lanes = (size_t)s->lanes;
    if (any) memcpy(c->xn, packet->x, rows * lanes * sizeof *c->xn);
    uint32_t searched = solve(packet, &step, s->scratch[worker]).searched;
    // Coupled lanes were computed along with the others; the common solve has them.
    for (size_t lane = 0; any && lane < lanes; lane++) {
        if (c->first[lane] < 0) continue;
        for (size_t k = 0; k < rows; k++) packet->x[k * lanes + lane] = c->xn[k * lanes + lane];
        searched &= ~(1u << lane);
    }
    s->verdicts[place].searched |= searched;
}

// A sleeper beside rods that are awake was computed with them; it goes back to where it was.
static void lay_back(const sn_rod_system *s, sn_packet *packet, const sn_rod_body *body) {
    packet->measured = false;
    static const sn_real still[V_ROWS] = {0};
    for (int i = 0; i < body->blocks; i++) {
        sn_real x[X_ROWS];
        sn_rod_get(s, body, packet->x0, X_ROWS, i, x);
        sn_rod_put(s, body, packet->x, X_ROWS, i, x);
        sn_rod_put(s, body, packet->v, V_ROWS, i, still);
    }
}

static void finish_one(void *context, int place, int worker) {
    (void)worker;
    const sn_rod_system *s = context;
    sn_packet *packet = packet_at(s, place);
    if (idle(s, place)) return;
    sn_substep step = substep_of(s->stage);
    uint32_t diverged = s->kernels->finish(packet, &step).diverged;
    const int *occupant = s->groups[s->places[place].group].occupant + s->places[place].packet * s->lanes;
    for (int lane = 0; lane < s->lanes; lane++)
        if (occupant[lane] >= 0 && sn_rod_in(s, occupant[lane])->base.sleep.asleep) {
            lay_back(s, packet, sn_rod_in(s, occupant[lane]));
            diverged &= ~(1u << lane); // nor does it matter what became of it
        }
    s->verdicts[place].diverged |= diverged;
}

// ---- the common solve (base/solve.h)

static bool reserve_coupled(sn_rod_system *s, sn_packet *packet, const sn_rod_group *group) {
    sn_rod_coupled *c = &packet->coupled;
    if (c->assembled && !c->terms) {
        c->terms = sn_alloc(s->memory, terms_size(s, &group->topology), sizeof *c->terms);
        if (!c->terms) return false;
    }
    if (c->memory) return true;
    const size_t lanes = (size_t)s->lanes, blocks = (size_t)group->topology.blocks;
    c->size = (blocks * (2 * X_ROWS + 6 * 7 + 3) + s->kernels->couple_rows(&group->topology)) * lanes;
    sn_real *at = c->memory = sn_alloc(s->memory, c->size, sizeof *at);
    if (!at) return false;
    sn_real **states[] = {&c->x, &c->xn}, **vectors[] = {&c->r, &c->r_old, &c->z, &c->p, &c->mp, &c->d};
    for (int k = 0; k < 2; k++) *states[k] = at, at += blocks * X_ROWS * lanes;
    for (int k = 0; k < 6; k++) *vectors[k] = at, at += blocks * 7 * lanes;
    c->extra = at, at += blocks * lanes;
    c->inv_radius2 = at, at += blocks * lanes;
    c->force = at, at += blocks * lanes;
    c->factor = at;
    return true;
}

// Which lanes of a packet take part.
static void list_coupled(const sn_rod_system *s, const sn_solve *solve, int first_body, int first_node, int place) {
    sn_packet *packet = packet_at(s, place);
    sn_rod_coupled *c = &packet->coupled;
    const int *occupant = s->groups[s->places[place].group].occupant + s->places[place].packet * s->lanes;
    c->any = c->alone = false, c->all = true;
    c->assembled = 0;
    for (int lane = 0; lane < SN_LANES_MAX; lane++) {
        c->first[lane] = c->body[lane] = -1;
        const sn_rod_body *body = lane < s->lanes && occupant[lane] >= 0 ? sn_rod_in(s, occupant[lane]) : NULL;
        if (!body || body->base.sleep.asleep) continue;
        const int number = first_body + occupant[lane];
        if (!solve->coupled[number]) {
            c->all = false;
            continue;
        }
        c->any = true;
        if (body->assembled)
            c->assembled |= 1u << lane;
        else
            c->alone = true;
        c->body[lane] = number;
        c->first[lane] = first_node + body->first_node + solve->shift[number];
    }
    c->all = c->all && c->any;
}

static void write_radii(const sn_rod_system *s, int place) {
    const sn_rod_coupled *c = &packet_at(s, place)->coupled;
    const int *occupant = s->groups[s->places[place].group].occupant + s->places[place].packet * s->lanes;
    const int blocks = s->groups[s->places[place].group].topology.blocks;
    for (int i = 0; i < blocks; i++)
        for (int lane = 0; lane < s->lanes; lane++) {
            const sn_rod_body *body = occupant[lane] >= 0 ? sn_rod_in(s, occupant[lane]) : NULL;
            const sn_real r = body ? body->block[i].radius : 1;
            c->inv_radius2[(size_t)i * (size_t)s->lanes + (size_t)lane] = 1 / (r * r);
        }
}

typedef struct {
    sn_rod_system *system;
    const sn_stage *stage;
    const sn_solve *solve;
    sn_couple_op op;
} coupling_job;

// Operations on vectors, which assembled rods leave to their assembler.
static bool is_of_vectors(sn_couple_op op) {
    return op >= SN_COUPLE_PRECONDITION && op <= SN_COUPLE_ADVANCE;
}

static void couple_one(void *context, int place, int worker) {
    (void)worker;
    const coupling_job *j = context;
    sn_packet *packet = packet_at(j->system, place);
    if (!packet->coupled.any || (!packet->coupled.alone && is_of_vectors(j->op))) return;
    const sn_substep step = substep_of(j->stage);
    j->system->kernels->couple(packet, &step, &packet->coupled, j->solve, j->op);
}

static bool couple(void *what, const sn_stage *stage, const sn_solve *solve, int first_body, int first_node, int op) {
    sn_rod_system *s = what;
    if (op == SN_COUPLE_BEGIN)
        for (int k = 0; k < s->place_count; k++) {
            list_coupled(s, solve, first_body, first_node, k);
            if (!packet_at(s, k)->coupled.any) continue;
            if (!reserve_coupled(s, packet_at(s, k), &s->groups[s->places[k].group])) return false;
            write_radii(s, k);
        }
    coupling_job job = {s, stage, solve, (sn_couple_op)op};
    const sn_rod_assembler *a = &s->assembler;
    if (a->prepare && (op == SN_COUPLE_MOVE || op == SN_COUPLE_START_ENERGY || op == SN_COUPLE_END))
        a->prepare(a->user, stage, solve, (sn_couple_op)op);
    sn_parallel_for(stage->pool, s->place_count, 1, couple_one, &job);
    if (a->couple) a->couple(a->user, stage, solve, first_body, (sn_couple_op)op);
    return true;
}

static void run(sn_rod_system *s, const sn_stage *stage, sn_iteration_fn *one) {
    s->stage = stage;
    sn_parallel_for(stage->pool, s->place_count, 1, one, s);
    s->stage = NULL;
}

static void predict(void *what, const sn_stage *stage) {
    refresh_fade(what, stage->h);
    run(what, stage, predict_one);
}
static void solve_all(void *what, const sn_stage *stage) {
    run(what, stage, solve_one);
}
static void finish(void *what, const sn_stage *stage) {
    run(what, stage, finish_one);
}

static int count_lanes(const sn_rod_system *s, int place, uint32_t bits) {
    int count = 0;
    const int *occupant = s->groups[s->places[place].group].occupant + s->places[place].packet * s->lanes;
    for (int lane = 0; lane < s->lanes; lane++) // sleepers are only computed along
        count += (bits >> lane & 1) && occupant[lane] >= 0 && !sn_rod_in(s, occupant[lane])->base.sleep.asleep;
    return count;
}

static void end(void *what, sn_profile *profile) {
    sn_rod_system *s = what;
    for (int k = 0; k < s->place_count; k++) {
        profile->line_searches += count_lanes(s, k, s->verdicts[k].searched);
        profile->diverged += count_lanes(s, k, s->verdicts[k].diverged);
    }
}

static int diverged(void *what, uint64_t *labels, int capacity) {
    const sn_rod_system *s = what;
    int count = 0;
    for (int i = 0; i < s->slots.count; i++) {
        const sn_rod_body *body = sn_rod_in(s, i);
        if (!body) continue;
        if (!(s->verdicts[sn_rod_packet_of(s, body)->place].diverged >> body->lane & 1)) continue;
        if (count < capacity) labels[count] = body->base.label;
        count++;
    }
    return count;
}

static sn_slots *slots(void *what) {
    return &((sn_rod_system *)what)->slots;
}

static int count(void *what) {
    return ((const sn_rod_system *)what)->body_count;
}

static int64_t dofs(void *what) {
    return ((const sn_rod_system *)what)->dofs;
}

static sn_status set_contact(void *what, int slot, const sn_contact_settings *settings) {
    return sn_rod_set_contact(what, sn_rod_in(what, slot), settings);
}

// Every rod is in its lane, every lane in use has a rod, and the list of what is held is complete.
static void validate(const void *what) {
    const sn_rod_system *s = what;
    for (int i = 0; i < s->slots.count; i++) {
        const sn_rod_body *body = sn_rod_in(s, i);
        if (!body) continue;
        SN_ASSERT(body->group >= 0 && body->group < s->group_count && body->lane >= 0 && body->lane < s->lanes);
        const sn_rod_group *group = &s->groups[body->group];
        SN_ASSERT(body->packet >= 0 && body->packet < group->packet_count);
        SN_ASSERT(group->occupant[body->packet * s->lanes + body->lane] == i);
        SN_ASSERT(group->topology.blocks == body->blocks);
        int held = 0;
        for (int k = 0; k < body->blocks; k++) held += body->block[k].hold != 0;
        SN_ASSERT(held == body->held_count);
        for (int k = 0; k < body->held_count; k++)
            SN_ASSERT(body->held[k] >= 0 && body->held[k] < body->blocks && body->block[body->held[k]].hold != 0);
    }
    for (int g = 0; g < s->group_count; g++) {
        const sn_rod_group *group = &s->groups[g];
        int rods = 0;
        for (int p = 0; p < group->packet_count; p++) {
            int used = 0;
            for (int k = 0; k < s->lanes; k++) used += group->occupant[p * s->lanes + k] >= 0;
            SN_ASSERT(used == group->packets[p].rods);
            rods += used;
        }
        SN_ASSERT(rods == group->rods);
    }
}

const sn_kind_ops sn_rod_kind = {
    .id = SN_KIND_ROD,
    .name = "rod",
    .create = create,
    .destroy = destroy,
    .slots = slots,
    .count = count,
    .dofs = dofs,
    .measure = sn_rod_measure,
    .hash = sn_rod_hash,
    .save = sn_rod_save,
    .visit_state = visit_state,
    .remove = sn_rod_remove,
    .get_points = sn_rod_get_points,
    .get_velocities = sn_rod_get_velocities,
    .get_masses = sn_rod_get_masses,
    .mass = sn_rod_mass,
    .volume = sn_rod_volume,
    .energy = sn_rod_energy,
    .bounds = sn_rod_bounds,
    .set_contact = set_contact,
    .begin = begin,
    .predict = predict,
    .solve = solve_all,
    .finish = finish,
    .work = sn_rod_work,
    .end = end,
    .diverged = diverged,
    .normalised_speeds = sn_rod_normalised_speeds,
    .count_nodes = sn_rod_count_nodes,
    .write_proxies = sn_rod_write_proxies,
    .update_proxies = sn_rod_update_proxies,
    .apply = sn_rod_apply,
    .couple = couple,
    .self_collides = sn_rod_self_collides,
    .segment_of = sn_rod_segment_of,
    .set_contact_radii = SN_QUERY(sn_rod_set_contact_radii),
    .node_range = SN_QUERY(sn_rod_node_range),
    .attaches_segments = true,
    .check_attachment = sn_rod_check_attachment,
    .attachment_pill = sn_rod_attachment_pill,
    .attachment_state = sn_rod_attachment_state,
    .validate = validate,
};
