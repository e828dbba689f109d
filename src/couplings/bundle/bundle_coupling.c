// Bundles as a coupling: fibres contract before rods predict, start from the motion of the bones, and are bound
// together again after rods were solved.
#include "base/assert.h"
#include "base/host.h"
#include "base/union_find.h"
#include "couplings/bundle/bundle.h"
#include "couplings/contact/contact.h"
#include "geometry/collider.h"

sn_bundles *sn_world_bundles(const sn_world *world) {
    return sn_world_coupling(world, &sn_bundle_coupling);
}

static sn_status create(const sn_kind_setup *setup, sn_world *world, void **system) {
    sn_bundles *s = sn_alloc(setup->memory, 1, sizeof *s);
    *system = s;
    if (!s) return SN_ERR_MEMORY;
    *s = (sn_bundles){.world = world, .log = setup->log};
    sn_bundles_init(s, setup->memory);
    sn_rods(world)->assembler = (sn_rod_assembler){s, sn_bundles_couple, sn_bundles_prepare, sn_bundles_energy_share};
    return SN_OK;
}

static void destroy(void *what) {
    sn_bundles *s = what;
    sn_memory *memory = s->memory;
    sn_bundles_free(s);
    sn_free(memory, s, 1, sizeof *s);
}

static void save(void *what, sn_stream *stream) {
    sn_bundles *s = what;
    sn_bundles_save(s, sn_rods(s->world), stream);
}

static void visit_state(void *what, sn_stream *stream) {
    sn_bundles *s = what;
    sn_bundles_visit_state(s, sn_rods(s->world), stream);
}

static void body_removed(void *what) {
    sn_bundles *s = what;
    sn_bundles_drop(s, sn_rods(s->world));
}

static void begin(void *what) {
    sn_bundles *s = what;
    sn_bundles_begin(s, sn_rods(s->world));
}

static void load(void *what, const sn_stage *stage) {
    sn_bundles *s = what;
    sn_bundles_pull(s, sn_rods(s->world), stage->h);
}

// The motion of a bone in a substep.
static bool bone_motion(const sn_world *world, sn_body body, const sn_stage *stage, sn_bone_motion *out) {
    int row;
    const int slot = sn_body_slot(world, body, &row);
    const sn_collider *c =
        slot >= 0 && sn_kinds[row]->collider ? sn_kinds[row]->collider(sn_world_row_system(world, row), slot) : NULL;
    if (!c) return false;
    sn_transform at[2];
    for (int i = 0; i < 2; i++) {
        const sn_real share = (sn_real)(stage->substep + i) / (sn_real)stage->substeps;
        sn_quat p = c->now.rotation, q = c->to.rotation;
        if (sn_q_dot(p, q) < 0) q = (sn_quat){-q.x, -q.y, -q.z, -q.w};
        at[i].position = sn_lerp(c->now.position, c->to.position, share);
        at[i].rotation = sn_q_normalize((sn_quat){p.x + share * (q.x - p.x), p.y + share * (q.y - p.y),
                                                  p.z + share * (q.z - p.z), p.w + share * (q.w - p.w)});
    }
    *out = (sn_bone_motion){at[0].position, at[1].position, sn_q_mul(at[1].rotation, sn_q_conj(at[0].rotation))};
    return true;
}

// Moves the fibres' starting point along with the bones. A missing bone moves like the other one.
static void guess(void *what, const sn_stage *stage) {
    sn_bundles *s = what;
    for (int i = 0; i < s->count; i++) {
        sn_bundle_body *b = &s->items[i];
        sn_bone_motion motion[2];
        if (!b->alive) continue;
        const bool first = bone_motion(s->world, b->def.bone_first, stage, &motion[0]);
        const bool last = bone_motion(s->world, b->def.bone_last, stage, &motion[1]);
        if (!first && !last) continue;
        if (!first) motion[0] = motion[1];
        if (!last) motion[1] = motion[0];
        sn_bundle_drive(b, sn_rods(s->world), stage->h, motion);
    }
}

static bool is_active(void *what) {
    return ((const sn_bundles *)what)->alive > 0;
}

static void solve(void *what, const sn_stage *stage) {
    sn_bundles *s = what;
    if (s->alive) sn_bundles_solve(s, sn_rods(s->world), stage);
}

static void finish(void *what, const sn_stage *stage) {
    sn_bundles *s = what;
    sn_bundles_let_go(s, sn_rods(s->world), stage->balance);
    if (stage->balance) sn_bundles_balance(s, stage->balance);
}

// ---- islands

// Bundles that something is near to.
static void find_contacts(sn_bundles *s, const sn_contacts *c) {
    for (int i = 0; i < s->count; i++) s->items[i].system.in_contact = false;
    for (int i = 0; i < c->block_count; i++) {
        const sn_contact_block *block = &c->blocks[i];
        for (int k = 0; k < block->count; k++)
            for (int side = 0; side < (sn_form_both(block->form) ? 2 : 1); side++) {
                const sn_contact_settings *settings = &c->settings[sn_element_body(c, block->pill[side][k])];
                if (settings->assembled) s->items[settings->family - 1].system.in_contact = true;
            }
    }
}

// Joins a bundle's rods. One that nothing touches starts where it is predicted, as what is joined does; else contacts hold where it is.
static bool open_space(void *what, const sn_stage *stage, sn_solve *solve) {
    sn_bundles *s = what;
    if (solve->coupled) find_contacts(s, sn_world_contacts(s->world));
    (void)stage;
    const int first = sn_world_first_body(s->world, sn_kind_row(SN_KIND_ROD)) - 1; // slots count from 1
    for (int i = 0; i < s->count && solve->coupled; i++) {
        const sn_bundle_body *b = &s->items[i];
        if (!b->alive || !b->rods[0] || !b->rods[0]->assembled) continue;
        const int first_rod = first + (int)b->def.rods[0].slot1;
        for (int k = 0; k < b->def.rod_count; k++) {
            const int body = first + (int)b->def.rods[k].slot1;
            if (!solve->coupled[body]) continue;
            solve->unit[body] = first_rod;
            solve->joined[body] = !b->system.in_contact;
            sn_union(solve->island, first_rod, body);
        }
    }
    return false;
}

// A soft muscle that settles is slow long before it is there.
#define CREEP ((sn_real)0.05)

// Rods of a bundle sleep together. What one of them presses on, or is held by, holds them all.
static bool join_islands(void *what, sn_islands *islands) {
    const sn_bundles *s = what;
    const int first = sn_world_first_body(s->world, sn_kind_row(SN_KIND_ROD)) - 1; // slots count from 1
    for (int i = 0; i < s->count; i++) {
        const sn_bundle_body *b = &s->items[i];
        if (!b->alive) continue;
        bool rests = false, creeps = false;
        for (int k = 0; k < b->def.rod_count; k++) {
            const int body = first + (int)b->def.rods[k].slot1;
            sn_union(islands->up, first + (int)b->def.rods[0].slot1, body);
            rests = rests || islands->pressed[body] || b->rods[k]->held_count > 0;
            creeps = creeps || !(islands->speed[body] < CREEP * islands->still_speed);
        }
        for (int k = 0; k < b->def.rod_count; k++)
            islands->pressed[first + (int)b->def.rods[k].slot1] = rests && !creeps;
    }
    return s->alive > 0;
}

// The rods of a bundle exist, have as many points as it has sections, and belong to it only.
static void validate(const void *what, const sn_world *world) {
    const sn_bundles *s = what;
    int alive = 0, places = 0;
    for (int i = 0; i < s->count; i++) {
        const sn_bundle_body *b = &s->items[i];
        SN_ASSERT(b->gen != 0);
        if (!b->alive) continue;
        alive++, places += b->sections;
        for (int k = 0; k < b->def.rod_count; k++) {
            const sn_rod_body *rod = sn_rod_find(sn_rods(world), b->def.rods[k]);
            SN_ASSERT(rod && rod->points == b->sections && rod->base.contact.family == (uint32_t)i + 1);
        }
    }
    SN_ASSERT(alive == s->alive && places == s->place_count);
}

const sn_coupling_ops sn_bundle_coupling = {
    .name = "bundles",
    .create = create,
    .destroy = destroy,
    .save = save,
    .visit_state = visit_state,
    .body_removed = body_removed,
    .begin = begin,
    .load = load,
    .guess = guess,
    .is_active = is_active,
    .solve = solve,
    .open = open_space,
    .finish = finish,
    .join_islands = join_islands,
    .validate = validate,
};
