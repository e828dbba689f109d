// The system of all elastic bodies, and the stages that run them. See system.h.
#include "kinds/elastic/elastic_system.h"
#include "base/validate.h"
#include "geometry/contact_surface.h"
#include <string.h>

// ---- definitions

static int out_of(const sn_log *log, const char *field, sn_real value, double least, double most, const char *unit) {
    if (value >= (sn_real)least && value <= (sn_real)most) return 0; // the limits themselves are fine, as floats too
    return sn_def_error(log, field, "must be from %g to %g%s, is %g", least, most, unit, (double)value);
}

static int unless(bool good, const sn_log *log, const char *field, const char *text) {
    return good ? 0 : sn_def_error(log, field, "%s", text);
}

int sn_elastic_errors(const sn_log *log, const sn_elastic_def *def) {
    int wrong = sn_surface_errors(log, &def->surface);
    wrong += out_of(log, "young", def->young, 1, 1e12, " Pa");
    wrong += out_of(log, "poisson", def->poisson, 0, 0.499, "");
    wrong += out_of(log, "density", def->density, 1e-3, 1e6, " kg/m^3");
    wrong += out_of(log, "damping", def->damping, 0, 1e4, " 1/s");
    wrong += out_of(log, "mooney", def->mooney, 0.01, 1, "");
    wrong += out_of(log, "lock", def->lock, 1.1, 100, "");
    if ((unsigned)def->law >= SN_LAW_COUNT)
        wrong += sn_def_error(log, "law", "must be one of sn_elastic_law, is %d", (int)def->law);
    wrong += unless(sn_valid3(def->position), log, "position", "must be finite, and its cube too");
    wrong += unless(sn_has_length(def->velocity), log, "velocity", "must be finite, and its square too");
    wrong += unless(sn_has_length(def->spin), log, "spin", "must be finite, and its square too");
    const sn_real turn = sn_q_dot(def->rotation, def->rotation);
    if (!(turn > (sn_real)1e-12) || !sn_finite(turn))
        wrong += sn_def_error(log, "rotation", "must be a quaternion that is not 0");
    if (def->iterations < 1 || def->iterations > 1000)
        wrong += sn_def_error(log, "iterations", "must be from 1 to 1000, is %d", def->iterations);
    return wrong;
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
    sn_free(s->memory, item->yield, spheres, sizeof *item->yield);
    sn_free(s->memory, item->part, spheres, sizeof *item->part);
    if (item->loads) sn_free(s->memory, item->loads, (size_t)a->vertex_count, sizeof *item->loads);
    sn_elastic_body_destroy(item->body);
    sn_elastic_unuse_model(s, item->use);
    sn_free(s->memory, item, 1, sizeof *item);
}

// How much each sphere yields, and what of a displacement the body is told: once, for masses stay.
static void find_yields(sn_elastic_item *item) {
    const sn_elastic_asset *a = &item->use->model->asset;
    sn_elastic_body_sphere_yield(item->body, item->yield);
    for (int i = 0; i < a->sphere_count; i++) {
        double sum = 0, crowded = 0; // of w^2/m alike: the mean crowd of its handles
        for (int e = a->sphere_first[i]; e < a->sphere_first[i + 1]; e++) {
            const double w = (double)a->sphere_weight[e],
                         m = (double)item->use->space->moment[item->use->space->column[a->sphere_handle[e]]];
            const double part = m > 0 ? w * w / m : 0;
            sum += part;
            crowded += part * (double)sn_max(item->use->crowd[a->sphere_handle[e]], 1);
        }
        const sn_real crowd = sum > 0 ? (sn_real)(crowded / sum) : 1;
        item->part[i] = 1 / crowd;
        item->yield[i] *= crowd;
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
            .law_shape = sn_elastic_law_shape(def),
            .density = def->density,
            .damping = def->damping,
            // with one iteration there is nothing to learn from; other laws need to
            // know whether it was a good one
            .memory = def->iterations > 1 || def->law != SN_LAW_PROJECTIVE ? SN_ELASTIC_MEMORY : 0,
            .position = def->position,
            .rotation = def->rotation,
            .velocity = def->velocity,
            .spin = def->spin};
        item->centre = sn_alloc(s->memory, spheres, sizeof *item->centre);
        item->start = sn_alloc(s->memory, spheres, sizeof *item->start);
        item->moved = sn_alloc(s->memory, spheres, sizeof *item->moved);
        item->radius = sn_alloc(s->memory, spheres, sizeof *item->radius);
        item->yield = sn_alloc(s->memory, spheres, sizeof *item->yield);
        item->part = sn_alloc(s->memory, spheres, sizeof *item->part);
        if (!item->centre || !item->start || !item->moved || !item->radius || !item->yield || !item->part)
            status = SN_ERR_MEMORY;
        if (status == SN_OK) status = sn_elastic_body_create(s->memory, item->use->space, &body, &item->body);
        if (status == SN_OK && !sn_elastic_body_is_sound(item->body)) {
            sn_log_line(s->log, SN_LOG_ERROR, SN_ERR_DEF, "position", "with velocity and spin, is too far or too fast");
            status = SN_ERR_DEF;
        }
        if (status == SN_OK && def->self_collide && !sn_elastic_use_apart(s, item->use)) status = SN_ERR_MEMORY;
    }
    if (status != SN_OK) {
        free_item(s, item);
        return status;
    }
    item->def.model = NULL; // the use has it
    item->base.contact = (sn_contact_settings){
        .surface = def->surface, .collide = def->collide, .self_collide = def->self_collide, .family = def->family};
    item->base.label = def->label;
    item->anchor_to = item->anchor_from = def->position;
    item->turn_to = item->turn_from = item->body->anchor_rotation;
    find_yields(item);
    *out = item;
    return SN_OK;
}

sn_status sn_elastic_put(sn_elastic_system *s, const sn_elastic_def *def, int slot) {
    sn_elastic_item *item;
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
    if (status != SN_OK) return status;
    sn_slots_take(&s->slots, slot);
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

static void begin(void *what) {
    sn_elastic_system *s = what;
    for (int i = 0; i < s->slots.count; i++) {
        sn_elastic_item *item = sn_elastic_in(s, i);
        if (!item) continue;
        item->diverged = false;
        item->anchor_from = item->body->anchor_position, item->turn_from = item->body->anchor_rotation;
        if (item->base.sleep.asleep && item->base.sleep.still > 0) { // its first step asleep
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
    bool all; // there are enough bodies for everyone: large ones are a task each as well
} loop;

// Bodies of few tetrahedra are a task each; larger ones are shared out within themselves.
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
        sn_quat p = item->turn_from, q = item->turn_to;
        if (sn_q_dot(p, q) < 0) q = (sn_quat){-q.x, -q.y, -q.z, -q.w};
        const sn_quat between = sn_q_normalize((sn_quat){p.x + share * (q.x - p.x), p.y + share * (q.y - p.y),
                                                         p.z + share * (q.z - p.z), p.w + share * (q.w - p.w)});
        sn_elastic_body_move_anchors(item->body, last ? q : between,
                                     last ? item->anchor_to : sn_lerp(item->anchor_from, item->anchor_to, share));
        if (last) item->anchors_move = false;
    }
    sn_elastic_body_predict(item->body, stage->gravity, item->loads, pool);
}

static void predict(void *what, const sn_stage *stage) {
    sn_elastic_system *s = what;
    for (int i = 0; i < s->slots.count; i++) {
        sn_elastic_item *item = sn_elastic_in(s, i); // factors are shared, so one after the other
        if (item && !item->base.sleep.asleep && sn_elastic_body_set_step(item->body, stage->h) != SN_OK) {
            sn_log_line(s->log, SN_LOG_ERROR, SN_ERR_MEMORY, "",
                        "no memory for the matrix of an elastic body: it stays");
            item->base.sleep.asleep = true;
        }
    }
    run(s, stage, predict_one);
}

static void solve_one(const sn_stage *stage, sn_elastic_item *item, sn_pool *pool) {
    const int each = (item->def.iterations + stage->solves - 1) / stage->solves; // shared among the turns
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
};
