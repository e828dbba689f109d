// The system of all elastic bodies and the stages of their step. See elastic_system.h.
#include "kinds/elastic/elastic_system.h"
#include "base/assert.h"
#include "base/validate.h"
#include "geometry/contact_surface.h"
#include "kinds/elastic/elastic_internal.h"
#include <string.h>

// ---- definitions

static int check_range(const sn_log *log, const char *field, sn_real value, double min, double max, const char *unit) {
    if (value >= (sn_real)min && value <= (sn_real)max) return 0; // limits rounded to sn_real are inside
    return sn_def_error(log, field, "must be from %g to %g%s, is %g", min, max, unit, (double)value);
}

static int check(bool good, const sn_log *log, const char *field, const char *text) {
    return good ? 0 : sn_def_error(log, field, "%s", text);
}

int sn_elastic_def_errors(const sn_log *log, const sn_elastic_def *def) {
    int errors = sn_surface_errors(log, &def->surface);
    errors += check_range(log, "young", def->young, 1, 1e12, " Pa");
    errors += check_range(log, "poisson", def->poisson, 0, 0.499, "");
    errors += check_range(log, "density", def->density, 1e-3, 1e6, " kg/m^3");
    errors += check_range(log, "damping", def->damping, 0, 1e4, " 1/s");
    errors += check_range(log, "mooney", def->mooney, 0.01, 1, "");
    errors += check_range(log, "lock", def->lock, 1.1, 100, "");
    if ((unsigned)def->law >= SN_LAW_COUNT)
        errors += sn_def_error(log, "law", "must be one of sn_elastic_law, is %d", (int)def->law);
    errors += check(sn_valid3(def->position), log, "position", "must be finite, and its cube too");
    errors += check(sn_has_length(def->velocity), log, "velocity", "must be finite, and its square too");
    errors += check(sn_has_length(def->spin), log, "spin", "must be finite, and its square too");
    const sn_real length2 = sn_q_dot(def->rotation, def->rotation);
    if (!(length2 > (sn_real)1e-12) || !sn_finite(length2))
        errors += sn_def_error(log, "rotation", "must be a quaternion that is not 0");
    if (def->iterations < 1 || def->iterations > 1000)
        errors += sn_def_error(log, "iterations", "must be from 1 to 1000, is %d", def->iterations);
    return errors;
}

// ---- slots

sn_elastic_item *sn_elastic_find(const sn_elastic_system *s, sn_body id) {
    return id.kind == SN_KIND_ELASTIC ? sn_slots_find(&s->slots, id.slot1, id.gen) : NULL;
}

static void free_item(sn_elastic_system *s, sn_elastic_item *item) {
    if (!item) return;
    const sn_elastic_asset *a = item->use ? &item->use->model->asset : NULL;
    const size_t spheres = a ? (size_t)a->sphere_count : 0;
    sn_free(s->memory, item->centre, spheres, sizeof *item->centre);
    sn_free(s->memory, item->start, spheres, sizeof *item->start);
    sn_free(s->memory, item->moved, spheres, sizeof *item->moved);
    sn_free(s->memory, item->radius, spheres, sizeof *item->radius);
    sn_free(s->memory, item->inverse_mass, spheres, sizeof *item->inverse_mass);
    sn_free(s->memory, item->displacement_scale, spheres, sizeof *item->displacement_scale);
    if (item->loads) sn_free(s->memory, item->loads, (size_t)a->vertex_count, sizeof *item->loads);
    sn_elastic_body_destroy(item->body);
    sn_elastic_unuse_model(s, item->use);
    sn_free(s->memory, item, 1, sizeof *item);
}

// Computes the inverse mass and displacement scale of each sphere; once, because masses are constant.
static void find_inverse_masses(sn_elastic_item *item) {
    const sn_elastic_asset *a = &item->use->model->asset;
    sn_elastic_body_sphere_inverse_masses(item->body, item->inverse_mass);
    for (int i = 0; i < a->sphere_count; i++) {
        double sum = 0, shared = 0; // the mean share of its handles, weighted by w^2/m
        for (int e = a->sphere_first[i]; e < a->sphere_first[i + 1]; e++) {
            const double w = (double)a->sphere_weight[e],
                         m = (double)item->use->space->moment[item->use->space->column[a->sphere_handle[e]]];
            const double part = m > 0 ? w * w / m : 0;
            sum += part;
            shared += part * (double)sn_max(item->use->handle_share[a->sphere_handle[e]], 1);
        }
        const sn_real share = sum > 0 ? (sn_real)(shared / sum) : 1;
        item->displacement_scale[i] = 1 / share;
        item->inverse_mass[i] *= share;
    }
}

static sn_status make_item(sn_elastic_system *s, const sn_elastic_def *def, sn_elastic_item **out) {
    sn_status status;
    sn_elastic_item *item = sn_alloc(s->memory, 1, sizeof *item);
    if (!item) return SN_ERR_MEMORY;
    *item = (sn_elastic_item){.def = *def};
    item->use = sn_elastic_use_model(s, def->model, &status);
    if (status == SN_OK) {
        const size_t spheres = (size_t)def->model->asset.sphere_count;
        const sn_elastic_body_def body = {
            .young = def->young,
            .poisson = def->poisson,
            .law = def->law,
            .material_parameter = sn_elastic_material_parameter(def),
            .density = def->density,
            .damping = def->damping,
            // A single projective iteration has no history; other materials need it to backtrack.
            .anderson_window = def->iterations > 1 || def->law != SN_LAW_PROJECTIVE ? SN_ANDERSON_MAX : 0,
            .position = def->position,
            .rotation = def->rotation,
            .velocity = def->velocity,
            .spin = def->spin};
        item->centre = sn_alloc(s->memory, spheres, sizeof *item->centre);
        item->start = sn_alloc(s->memory, spheres, sizeof *item->start);
        item->moved = sn_alloc(s->memory, spheres, sizeof *item->moved);
        item->radius = sn_alloc(s->memory, spheres, sizeof *item->radius);
        item->inverse_mass = sn_alloc(s->memory, spheres, sizeof *item->inverse_mass);
        item->displacement_scale = sn_alloc(s->memory, spheres, sizeof *item->displacement_scale);
        if (!item->centre || !item->start || !item->moved || !item->radius || !item->inverse_mass ||
            !item->displacement_scale)
            status = SN_ERR_MEMORY;
        if (status == SN_OK) status = sn_elastic_body_create(s->memory, item->use->space, &body, &item->body);
        if (status == SN_OK && !sn_elastic_body_is_valid(item->body)) {
            sn_log_line(s->log, SN_LOG_ERROR, SN_ERR_DEF, "position", "is too far away, or velocity or spin too fast");
            status = SN_ERR_DEF;
        }
        if (status == SN_OK && def->self_collide && !sn_elastic_use_find_self_pairs(s, item->use))
            status = SN_ERR_MEMORY;
    }
    if (status != SN_OK) {
        free_item(s, item);
        return status;
    }
    item->def.model = NULL; // stored in item->use
    item->base.contact = (sn_contact_settings){
        .surface = def->surface, .collide = def->collide, .self_collide = def->self_collide, .family = def->family};
    item->base.label = def->label;
    item->anchor_position_to = item->anchor_position_from = def->position;
    item->anchor_rotation_to = item->anchor_rotation_from = item->body->anchor_rotation;
    find_inverse_masses(item);
    *out = item;
    return SN_OK;
}

sn_status sn_elastic_put(sn_elastic_system *s, const sn_elastic_def *def, int slot) {
    sn_elastic_item *item = NULL;
    const sn_status status = make_item(s, def, &item);
    if (status != SN_OK) return status;
    s->slots.at[slot].item = item;
    s->body_count++;
    s->dofs += 3 * (int64_t)item->use->space->columns;
    return SN_OK;
}

sn_status sn_elastic_add(sn_elastic_system *s, const sn_elastic_def *def, sn_body *id) {
    const int slot = sn_slots_next(&s->slots, s->memory);
    if (slot < 0) return SN_ERR_MEMORY;
    const sn_status status = sn_elastic_put(s, def, slot);
    if (status != SN_OK) {
        sn_slots_cancel(&s->slots, slot);
        return status;
    }
    sn_slots_acquire(&s->slots, slot);
    if (slot + 1 < s->slots.count) sn_elastic_order_uses(s);
    *id = (sn_body){SN_KIND_ELASTIC, (uint32_t)slot + 1, s->slots.at[slot].gen};
    return SN_OK;
}

void sn_elastic_remove(void *what, int slot) {
    sn_elastic_system *s = what;
    sn_elastic_item *item = s->slots.at[slot].item;
    --s->body_count;
    s->dofs -= 3 * (int64_t)item->use->space->columns;
    free_item(s, item);
    sn_slots_drop(&s->slots, slot);
    if (slot + 1 < s->slots.count) sn_elastic_order_uses(s);
}

// ---- the table of operations

static sn_status create(const sn_kind_setup *setup, void **out) {
    sn_elastic_system *s = sn_alloc(setup->memory, 1, sizeof *s);
    if (!s) return SN_ERR_MEMORY;
    *s = (sn_elastic_system){.memory = setup->memory, .log = setup->log, .lanes = setup->lanes, .slots.free = -1};
    *out = s;
    return SN_OK;
}

static void destroy(void *what) {
    sn_elastic_system *s = what;
    for (int i = 0; i < s->slots.count; i++) free_item(s, sn_elastic_in(s, i));
    sn_slots_free(&s->slots, s->memory);
    sn_free(s->memory, s, 1, sizeof *s);
}

static void visit_state(void *what, sn_stream *stream) {
    sn_elastic_system *s = what;
    for (int i = 0; i < s->slots.count; i++) {
        sn_elastic_item *item = sn_elastic_in(s, i);
        if (!item) continue;
        sn_elastic_body *b = item->body;
        const size_t size = 3 * (size_t)item->use->space->columns * sizeof *b->q;
        sn_visit_bytes(stream, b->q, size);
        sn_visit_bytes(stream, b->rate, size);
        sn_visit_bytes(stream, b->start, size);
        sn_visit_bytes(stream, &b->origin, sizeof b->origin);
        sn_visit_bytes(stream, &b->anchor_position, sizeof b->anchor_position);
        sn_visit_bytes(stream, &b->anchor_rotation, sizeof b->anchor_rotation);
        sn_visit_bytes(stream, &item->base.sleep, sizeof item->base.sleep);
        sn_visit_bytes(stream, &item->anchors_move, sizeof item->anchors_move);
        sn_visit_bytes(stream, &item->diverged, sizeof item->diverged);
        if (stream->mode == SN_STREAM_READ) sn_elastic_update_anchors(b);
    }
}

static void begin(void *what) {
    sn_elastic_system *s = what;
    for (int i = 0; i < s->slots.count; i++) {
        sn_elastic_item *item = sn_elastic_in(s, i);
        if (!item) continue;
        item->diverged = false;
        item->anchor_position_from = item->body->anchor_position,
        item->anchor_rotation_from = item->body->anchor_rotation;
        if (item->base.sleep.asleep && item->base.sleep.still > 0) { // the first step asleep
            item->base.sleep.still = 0;
            memset(item->body->rate, 0, 3 * (size_t)item->use->space->columns * sizeof *item->body->rate);
        }
    }
}

typedef void item_fn(const sn_stage *stage, sn_elastic_item *item, sn_pool *pool);

typedef struct {
    const sn_elastic_system *system;
    const sn_stage *stage;
    item_fn *fn;
    bool all; // there are enough bodies for all workers: large ones are one task each too
} loop;

// Bodies of few tetrahedra are one task each; larger ones run in parallel internally.
enum { LARGE = 4 }; // chunks

static bool large(const sn_elastic_item *item) {
    return item->use->space->chunk_count >= LARGE;
}

static void small_task(void *context, int index, int worker) {
    const loop *l = context;
    sn_elastic_item *item = sn_elastic_in(l->system, index);
    (void)worker;
    if (item && !item->base.sleep.asleep && (l->all || !large(item))) l->fn(l->stage, item, NULL);
}

static void run(const sn_elastic_system *s, const sn_stage *stage, item_fn *fn) {
    if (s->body_count == 0) return;
    int awake = 0;
    for (int i = 0; i < s->slots.count; i++) awake += sn_elastic_in(s, i) && !sn_elastic_in(s, i)->base.sleep.asleep;
    loop l = {s, stage, fn, awake >= 3 * sn_pool_workers(stage->pool)};
    sn_parallel_for(stage->pool, s->slots.count, 1, small_task, &l);
    for (int i = 0; i < s->slots.count && !l.all; i++) {
        sn_elastic_item *item = sn_elastic_in(s, i);
        if (item && !item->base.sleep.asleep && large(item)) fn(stage, item, stage->pool);
    }
}

static void predict_one(const sn_stage *stage, sn_elastic_item *item, sn_pool *pool) {
    if (item->anchors_move) {
        const sn_real share = (sn_real)(stage->substep + 1) / (sn_real)stage->substeps;
        const bool last = stage->substep + 1 == stage->substeps;
        sn_quat p = item->anchor_rotation_from, q = item->anchor_rotation_to;
        if (sn_q_dot(p, q) < 0) q = (sn_quat){-q.x, -q.y, -q.z, -q.w};
        const sn_quat between = sn_q_normalize((sn_quat){p.x + share * (q.x - p.x), p.y + share * (q.y - p.y),
                                                         p.z + share * (q.z - p.z), p.w + share * (q.w - p.w)});
        sn_elastic_body_move_anchors(item->body, last ? q : between,
                                     last ? item->anchor_position_to
                                          : sn_lerp(item->anchor_position_from, item->anchor_position_to, share));
        if (last) item->anchors_move = false;
    }
    sn_elastic_body_predict(item->body, stage->gravity, item->loads, pool);
}

static void predict(void *what, const sn_stage *stage) {
    sn_elastic_system *s = what;
    for (int i = 0; i < s->slots.count; i++) {
        sn_elastic_item *item = sn_elastic_in(s, i); // serial: factors are shared
        if (!item || item->base.sleep.asleep || sn_elastic_body_set_step(item->body, stage->h) == SN_OK) continue;
        sn_memory_fail(s->memory); // the step ends here and did not happen
        return;
    }
    run(s, stage, predict_one);
}

static void solve_one(const sn_stage *stage, sn_elastic_item *item, sn_pool *pool) {
    const int each =
        (item->def.iterations + stage->solves - 1) / stage->solves; // distributed over the iterations of the world
    sn_elastic_body_solve(item->body, each, pool);
}

static void solve(void *what, const sn_stage *stage) {
    run(what, stage, solve_one);
}

static void finish_one(const sn_stage *stage, sn_elastic_item *item, sn_pool *pool) {
    (void)stage, (void)pool;
    if (!sn_elastic_body_finish(item->body)) item->diverged = true;
}

static void finish(void *what, const sn_stage *stage) {
    run(what, stage, finish_one);
}

static bool has_diverged(const void *item, uint64_t *label) {
    const sn_elastic_item *it = item;
    *label = it->def.label;
    return it->diverged;
}

static void end(void *what, sn_profile *profile) {
    const sn_elastic_system *s = what;
    profile->diverged += sn_slots_count_if(&s->slots, has_diverged, NULL, 0);
}

static int diverged(void *what, uint64_t *labels, int capacity) {
    const sn_elastic_system *s = what;
    return sn_slots_count_if(&s->slots, has_diverged, labels, capacity);
}

static sn_slots *slots(void *what) {
    return &((sn_elastic_system *)what)->slots;
}

static int count(void *what) {
    return ((const sn_elastic_system *)what)->body_count;
}

static int64_t dofs(void *what) {
    return ((const sn_elastic_system *)what)->dofs;
}

// The drivers of every sphere are four different spheres of handles, and their weights add up to 1; or it is its own.
static void validate_drivers(const sn_elastic_use *use, int sphere) {
    const sn_node_driver *d = &use->drivers[sphere];
    sn_real sum = 0;
    for (int k = 0; k < SN_DRIVERS; k++) {
        sum += d->weight[k];
        SN_ASSERT(d->node[k] >= 0 && d->node[k] < use->model->asset.sphere_count);
        for (int m = 0; m < k && !sn_elastic_is_independent(use, sphere); m++) SN_ASSERT(d->node[m] != d->node[k]);
    }
    SN_ASSERT(sum > (sn_real)0.999 && sum < (sn_real)1.001);
}

static void validate(const void *what) {
    const sn_elastic_system *s = what;
    for (const sn_elastic_use *use = s->uses; use; use = use->next) {
        SN_ASSERT(use->bodies > 0);
        for (int i = 0; i < use->model->asset.sphere_count; i++) validate_drivers(use, i);
    }
    for (int i = 0; i < s->slots.count; i++)
        if (sn_elastic_in(s, i)) SN_ASSERT(sn_elastic_body_is_valid(sn_elastic_in(s, i)->body));
}

const sn_kind_ops sn_elastic_kind = {
    .id = SN_KIND_ELASTIC,
    .name = "elastic",
    .create = create,
    .destroy = destroy,
    .slots = slots,
    .count = count,
    .dofs = dofs,
    .measure = sn_elastic_measure,
    .hash = sn_elastic_hash,
    .save = sn_elastic_save,
    .visit_state = visit_state,
    .remove = sn_elastic_remove,
    .get_points = sn_elastic_get_points,
    .mass = sn_elastic_mass,
    .volume = sn_elastic_volume,
    .energy = sn_elastic_energy,
    .bounds = sn_elastic_box,
    .set_contact = sn_elastic_set_contact,
    .begin = begin,
    .predict = predict,
    .solve = solve,
    .finish = finish,
    .work = sn_elastic_work,
    .end = end,
    .diverged = diverged,
    .normalised_speeds = sn_elastic_normalised_speeds,
    .count_nodes = sn_elastic_count_nodes,
    .count_slabs = sn_elastic_count_slabs,
    .write_proxies = sn_elastic_write_proxies,
    .update_proxies = sn_elastic_update_proxies,
    .apply = sn_elastic_apply,
    .self_collides = sn_elastic_self_collides,
    .check_attachment = sn_elastic_check_attachment,
    .attachment_pill = sn_elastic_attachment_pill,
    .attachment_state = sn_elastic_attachment_state,
    .validate = validate,
};
