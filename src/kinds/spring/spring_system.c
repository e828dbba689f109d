// The system of all mass-spring bodies, and the stages that step them. See spring_system.h.
#include "kinds/spring/spring_system.h"
#include "kinds/spring/spring_integrators.h"
#include <string.h>

// ---- slots

sn_springs_body *sn_springs_find(const sn_springs_system *system, sn_body id) {
    return id.kind == SN_KIND_SPRING ? sn_slots_find(&system->slots, id.slot1, id.gen) : NULL;
}

void sn_springs_put_slot(sn_springs_system *s, sn_springs_body *body, int slot) {
    s->slots.at[slot].item = body;
    s->body_count++;
    s->dofs += 3 * (int64_t)body->body->count;
}

sn_status sn_springs_add(sn_springs_system *s, sn_springs_body *body, sn_body *id) {
    const int slot = sn_slots_next(&s->slots, s->memory);
    if (slot < 0) return SN_ERR_MEMORY;
    sn_slots_acquire(&s->slots, slot);
    sn_springs_put_slot(s, body, slot);
    *id = (sn_body){SN_KIND_SPRING, (uint32_t)slot + 1, s->slots.at[slot].gen};
    return SN_OK;
}

void sn_springs_remove(void *what, int slot) {
    sn_springs_system *s = what;
    sn_springs_body *body = s->slots.at[slot].item;
    --s->body_count;
    s->dofs -= 3 * (int64_t)body->body->count;
    sn_springs_body_free(s->memory, body);
    sn_slots_drop(&s->slots, slot);
}

// ---- the table of operations

static sn_status create(const sn_kind_setup *setup, void **out) {
    sn_springs_system *s = sn_alloc(setup->memory, 1, sizeof *s);
    if (!s) return SN_ERR_MEMORY;
    s->memory = setup->memory;
    s->log = setup->log;
    s->lanes = setup->lanes;
    s->slots.free = -1;
    sn_tet_contacts_init(&s->contacts, s->memory);
    *out = s;
    return SN_OK;
}

static void destroy(void *what) {
    sn_springs_system *s = what;
    for (int i = 0; i < s->slots.count; i++) sn_springs_body_free(s->memory, sn_springs_in(s, i));
    sn_tet_contacts_free(&s->contacts);
    sn_slots_free(&s->slots, s->memory);
    sn_free(s->memory, s, 1, sizeof *s);
}

static size_t bytes_of(const sn_spring_body *body) {
    return 4 * (size_t)body->padded * sizeof(sn_real);
}

// Clears all motion.
static void stop(sn_spring_body *body) {
    memset(body->v, 0, bytes_of(body));
    memset(body->displacement, 0, bytes_of(body));
    memset(body->gain, 0, bytes_of(body));
}

static void visit_state(void *what, sn_stream *stream) {
    sn_springs_system *s = what;
    for (int i = 0; i < s->slots.count; i++) {
        sn_springs_body *b = sn_springs_in(s, i);
        if (!b) continue;
        sn_spring_body *body = b->body;
        sn_real *const quads[] = {body->x, body->v, body->displacement, body->gain};
        for (size_t k = 0; k < sizeof quads / sizeof *quads; k++) sn_visit_bytes(stream, quads[k], bytes_of(body));
        sn_visit_bytes(stream, &body->displacement_h, sizeof body->displacement_h);
        sn_visit_bytes(stream, &b->base.sleep, sizeof b->base.sleep);
        sn_visit_bytes(stream, &b->woken, sizeof b->woken);
        sn_visit_bytes(stream, &b->diverged, sizeof b->diverged);
        sn_visit_bytes(stream, &b->solved, sizeof b->solved);
    }
}

static void begin(void *what) {
    sn_springs_system *s = what;
    for (int i = 0; i < s->slots.count; i++) {
        sn_springs_body *b = sn_springs_in(s, i);
        if (!b) continue;
        b->diverged = false;
        b->solved = (sn_springs_stats){0};
        const bool falls_asleep = b->base.sleep.asleep && b->base.sleep.still > 0; // its first step asleep
        if (b->woken && !falls_asleep) b->base.sleep = (sn_sleep_state){false, 0}, b->woken = false;
        if (falls_asleep) {
            b->base.sleep.still = 0;
            stop(b->body);
        }
        for (int k = 0; k < b->held_count; k++) b->from[b->held[k]] = sn_spring_point(b->body, b->held[k]);
    }
}

// Position of a held point at the end of the substep: its motion is divided evenly among substeps.
static sn_vec3 driven_position(const sn_springs_body *b, const sn_stage *stage, int point) {
    if (stage->substep + 1 == stage->substeps) return b->to[point];
    const sn_real share = (sn_real)(stage->substep + 1) / (sn_real)stage->substeps;
    return sn_lerp(b->from[point], b->to[point], share);
}

typedef void body_fn(sn_springs_system *system, sn_springs_body *body, sn_pool *pool);

typedef struct {
    sn_springs_system *system;
    body_fn *fn;
} loop;

// A body of one or two chunks is one task; larger ones are divided.
enum { LARGE = 3 };

static void small_task(void *context, int index, int worker) {
    const loop *l = context;
    sn_springs_body *b = sn_springs_in(l->system, index);
    (void)worker;
    if (b && !b->base.sleep.asleep && b->body->chunks < LARGE) l->fn(l->system, b, NULL);
}

static void run(sn_springs_system *s, const sn_stage *stage, body_fn *fn) {
    loop l = {s, fn};
    s->stage = stage;
    sn_parallel_for(stage->pool, s->slots.count, 1, small_task, &l);
    for (int i = 0; i < s->slots.count; i++) {
        sn_springs_body *b = sn_springs_in(s, i);
        if (b && !b->base.sleep.asleep && b->body->chunks >= LARGE) fn(s, b, stage->pool);
    }
    s->stage = NULL;
}

static void predict_one(sn_springs_system *s, sn_springs_body *b, sn_pool *pool) {
    sn_spring_body *body = b->body;
    const sn_stage *stage = s->stage;
    body->gravity = stage->gravity;
    b->moved = b->coupled = false;
    for (int k = 0; k < b->held_count; k++) {
        const int i = b->held[k];
        const sn_vec3 displacement = sn_sub(driven_position(b, stage, i), sn_spring_point(body, i));
        sn_spring_set_quad(body->v, i, sn_mul(1 / stage->h, displacement));
    }
    memcpy(b->start, body->x, bytes_of(body));
    memcpy(b->target, body->v, bytes_of(body));
    for (int i = 0; i < body->count; i++) sn_spring_set_quad(body->load, i, b->applied_force[i]);
    if (b->air > 0 && b->triangle_count > 0) sn_springs_add_wind(b, stage->h, pool);
}

static void predict(void *what, const sn_stage *stage) {
    run(what, stage, predict_one);
    sn_springs_add_penalties(what, stage);
}

static void note_solve(sn_springs_body *b, const sn_spring_solved *solved) {
    b->solved.solves++;
    b->solved.iterations += solved->iterations;
    b->solved.guarded += solved->guarded;
    if (solved->residual > b->solved.residual) b->solved.residual = solved->residual;
}

void sn_springs_constrain(sn_springs_body *b, sn_real h) {
    if (b->distance_count == 0 && !b->keep_volumes && !(b->strain > 0)) return;
    const sn_constraints constraints = {.distances = b->distances,
                                        .distance_count = b->distance_count,
                                        .volumes = b->keep_volumes,
                                        .strain = b->strain,
                                        .rounds = b->rounds,
                                        .also = b->target};
    sn_spring_constrain(b->body, &constraints, h);
}

static void solve_one(sn_springs_system *s, sn_springs_body *b, sn_pool *pool) {
    sn_spring_body *body = b->body;
    const sn_stage *stage = s->stage;
    const bool implicit = b->integrator == SN_SPRING_IMPLICIT_EULER;
    if (b->moved && (!implicit || b->coupled)) return; // explicit integrators do not react to contacts
    if (implicit) {
        const sn_spring_solved solved = b->moved ? sn_spring_implicit_again(body, stage->h, b->target, &b->solver, pool)
                                                 : sn_spring_implicit_step(body, stage->h, &b->solver, pool);
        note_solve(b, &solved);
    } else {
        sn_spring_step(body, b->integrator, stage->h, pool);
    }
    if (!b->moved)
        for (int k = 0; k < b->held_count; k++) // exactly, without rounding errors
            sn_spring_set_quad(body->x, b->held[k], driven_position(b, stage, b->held[k]));
    if (implicit) sn_springs_descend(b, stage->h, pool);
    b->moved = true;
    sn_springs_constrain(b, stage->h);
}

static void solve(void *what, const sn_stage *stage) {
    run(what, stage, solve_one);
}

static void finish_one(sn_springs_system *s, sn_springs_body *b, sn_pool *pool) {
    (void)s, (void)pool;
    if (sn_spring_is_finite(b->body)) return;
    memcpy(b->body->x, b->start, bytes_of(b->body));
    stop(b->body);
    b->diverged = true;
}

static void finish(void *what, const sn_stage *stage) {
    run(what, stage, finish_one);
}

static bool has_diverged(const void *item, uint64_t *label) {
    const sn_springs_body *it = item;
    *label = it->base.label;
    return it->diverged;
}

static void end(void *what, sn_profile *profile) {
    const sn_springs_system *s = what;
    profile->diverged += sn_slots_count_if(&s->slots, has_diverged, NULL, 0);
}

static int diverged(void *what, uint64_t *labels, int capacity) {
    const sn_springs_system *s = what;
    return sn_slots_count_if(&s->slots, has_diverged, labels, capacity);
}

static sn_slots *slots(void *what) {
    return &((sn_springs_system *)what)->slots;
}

static int count(void *what) {
    return ((const sn_springs_system *)what)->body_count;
}

static int64_t dofs(void *what) {
    return ((const sn_springs_system *)what)->dofs;
}

const sn_kind_ops sn_spring_kind = {
    .id = SN_KIND_SPRING,
    .name = "spring",
    .create = create,
    .destroy = destroy,
    .slots = slots,
    .count = count,
    .dofs = dofs,
    .measure = sn_springs_measure,
    .hash = sn_springs_hash,
    .save = sn_springs_save,
    .visit_state = visit_state,
    .remove = sn_springs_remove,
    .get_points = sn_springs_get_points,
    .get_velocities = sn_springs_get_velocities,
    .get_masses = sn_springs_get_masses,
    .mass = sn_springs_mass,
    .volume = sn_springs_volume,
    .energy = sn_springs_energy,
    .bounds = sn_springs_bounds,
    .begin = begin,
    .predict = predict,
    .solve = solve,
    .finish = finish,
    .work = sn_springs_work,
    .end = end,
    .diverged = diverged,
    .normalised_speeds = sn_springs_normalised_speeds,
    .count_nodes = sn_springs_count_nodes,
    .count_slabs = sn_springs_count_slabs,
    .write_proxies = sn_springs_write_proxies,
    .update_proxies = sn_springs_update_proxies,
    .apply = sn_springs_apply,
    .nodal = true,
    .couples = sn_springs_couples,
    .couple = sn_springs_couple,
    .self_collides = sn_springs_self_collides,
    .check_attachment = sn_springs_check_attachment,
    .attachment_pill = sn_springs_attachment_pill,
    .attachment_state = sn_springs_attachment_state,
};
