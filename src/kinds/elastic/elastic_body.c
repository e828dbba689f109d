// Creation of bodies, and the beginning and end of a step. See elastic_body.h.
#include "kinds/elastic/elastic_body.h"
#include "base/hash.h"
#include "base/math/trig.h"
#include "kinds/elastic/elastic_anderson.h"
#include "kinds/elastic/elastic_internal.h"
#include "kinds/elastic/elastic_kernels.h"
#include "kinds/elastic/elastic_materials.h"
#include <string.h>

enum { ROW = SN_ELASTIC_ROW };

sn_elastic_body_def sn_elastic_body_def_default(void) {
    return (sn_elastic_body_def){.young = (sn_real)1e5,
                                 .poisson = (sn_real)0.4,
                                 .density = 1000,
                                 .anderson_window = 5,
                                 .rotation = {0, 0, 0, 1}};
}

static bool def_is_valid(const sn_elastic_body_def *d) {
    sn_hyper material;
    if (!sn_hyper_init(d->law, (double)d->young, (double)d->poisson, (double)d->material_parameter, &material))
        return false;
    return (d->law == SN_LAW_PROJECTIVE || d->anderson_window > 0) && d->young > 0 && sn_finite(d->young) &&
           d->poisson >= 0 && d->poisson < (sn_real)0.4999 && d->density > 0 && sn_finite(d->density) &&
           d->damping >= 0 && sn_finite(d->damping) && d->ghost >= 0 && sn_finite(d->ghost) &&
           d->anderson_window >= 0 && d->anderson_window <= SN_ANDERSON_MAX && sn_finite3(d->position) &&
           sn_q_finite(d->rotation) && sn_finite3(d->velocity) && sn_finite3(d->spin) &&
           sn_q_dot(d->rotation, d->rotation) > 0;
}

// Sets a rigid state: a handle's translation is the new position of its centre, its linear part the rotation matrix.
static void set_pose(sn_elastic_body *b, sn_quat rotation, sn_vec3 position, sn_vec3 velocity, sn_vec3 spin) {
    const sn_elastic_space *s = b->space;
    const sn_vec3 axis[3] = {sn_q_axis_x(rotation), sn_q_axis_y(rotation), sn_q_axis_z(rotation)};
    for (int j = 0; j < s->asset->handle_count; j++) {
        const sn_vec3 arm = sn_q_rotate(rotation, sn_elastic_handle_centre(s->asset, j));
        const sn_vec3 to[4] = {sn_add(position, arm), axis[0], axis[1], axis[2]};
        const sn_vec3 rate[4] = {sn_add(velocity, sn_cross(spin, arm)), sn_cross(spin, axis[0]),
                                 sn_cross(spin, axis[1]), sn_cross(spin, axis[2])};
        for (int c = 0; c < 4; c++) {
            sn_real *q = b->q + s->column[j] + c, *v = b->rate + s->column[j] + c;
            q[0] = to[c].x, q[s->columns] = to[c].y, q[2 * s->columns] = to[c].z;
            v[0] = rate[c].x, v[s->columns] = rate[c].y, v[2 * s->columns] = rate[c].z;
        }
    }
    b->anchor_rotation = rotation, b->anchor_position = position;
}

// The mean of the translations: x and target are relative to it, so that the rounding of forces does not depend on the
// body's position in the world.
static void find_origin(sn_elastic_body *b) {
    const sn_elastic_space *s = b->space;
    double sum[3] = {0};
    for (int j = 0; j < s->asset->handle_count; j++)
        for (int k = 0; k < 3; k++) sum[k] += (double)b->q[k * s->columns + s->column[j]];
    const double n = s->asset->handle_count;
    b->origin = sn_v3((sn_real)(sum[0] / n), (sn_real)(sum[1] / n), (sn_real)(sum[2] / n));
}

void sn_elastic_update_anchors(sn_elastic_body *b) {
    const sn_elastic_space *s = b->space;
    for (int p = 0; b->base && p < s->vertex_count; p++) {
        if (s->anchor_weight[p] == 0) continue;
        const sn_vec3 to = sn_add(sn_q_rotate(b->anchor_rotation, s->asset->rest[s->vertex[p]]), b->anchor_position);
        const sn_vec3 held = sn_mul(s->anchor_weight[p], sn_sub(to, b->origin));
        b->base[4 * p] = held.x, b->base[4 * p + 1] = held.y, b->base[4 * p + 2] = held.z;
    }
}

// Every array of a body.
typedef struct {
    sn_real **array;
    size_t count;
} array_of;

enum { ARRAYS = 15 };

static void list_arrays(sn_elastic_body *b, array_of list[ARRAYS]) {
    const sn_elastic_space *s = b->space;
    const size_t state = 3 * (size_t)s->columns, quads = 4 * (size_t)s->row_count * ROW;
    const size_t locals = 4 * (size_t)s->local_first[s->chunk_count];
    const array_of all[ARRAYS] = {
        {&b->q, state},
        {&b->rate, state},
        {&b->start, state},
        {&b->shifted, state},
        {&b->change, state},
        {&b->history, sn_anderson_history_size(b->def.anderson_window, s->columns)},
        {&b->base, s->anchor_weight ? quads : 0},
        {&b->x, quads},
        {&b->target, quads},
        {&b->local_x, locals},
        {&b->force, locals},
        {&b->gradient, 3 * (size_t)s->row_count * ROW},
        {&b->sums, 3 * (size_t)s->partial_column[s->partial_count]},
        {&b->right, 3 * (size_t)b->row_stride},
        {&b->panel, 6 * (size_t)b->panel_stride},
    };
    memcpy(list, all, sizeof all);
}

static sn_elastic_material_constants material_constants(const sn_elastic_body_def *d) {
    sn_hyper m = {0};
    sn_hyper_series s;
    sn_hyper_init(d->law, (double)d->young, (double)d->poisson, (double)d->material_parameter, &m); // already validated
    sn_elastic_material_constants c = {.series = sn_hyper_get_series(&m, &s)};
    c.mu = (sn_real)m.mu, c.lambda = (sn_real)m.lambda;
    c.strain = (sn_real)s.strain, c.cross = (sn_real)s.cross, c.volume = (sn_real)s.volume;
    for (int k = 0; k < 4; k++) c.power[k] = (sn_real)s.power[k];
    return c;
}

sn_status sn_elastic_body_create(sn_memory *memory, sn_elastic_space *space, const sn_elastic_body_def *def,
                                 sn_elastic_body **out) {
    *out = NULL;
    if (!def_is_valid(def)) return SN_ERR_RANGE;
    sn_elastic_body *b = sn_alloc(memory, 1, sizeof *b);
    if (!b) return SN_ERR_MEMORY;
    b->memory = memory, b->space = space, b->def = *def;
    b->row_stride = (space->columns + 15) / 16 * 16, b->panel_stride = space->reduced.max_rows;
    const sn_real mu = def->young / (2 * (1 + def->poisson));
    b->shear = 2 * mu;
    b->bulk = 3 * def->young * def->poisson / ((1 + def->poisson) * (1 - 2 * def->poisson));
    array_of list[ARRAYS];
    list_arrays(b, list);
    b->material = material_constants(def);
    bool good = (b->energy = sn_alloc(memory, (size_t)space->chunk_count, sizeof *b->energy)) != NULL;
    for (int i = 0; i < ARRAYS; i++)
        if (list[i].count > 0) good = (*list[i].array = sn_alloc(memory, list[i].count, sizeof(sn_real))) && good;
    if (!good) {
        sn_elastic_body_destroy(b);
        return SN_ERR_MEMORY;
    }
    set_pose(b, sn_q_normalize(def->rotation), def->position, def->velocity, def->spin);
    memcpy(b->start, b->q, 3 * (size_t)space->columns * sizeof *b->q);
    find_origin(b);
    sn_elastic_update_anchors(b);
    *out = b;
    return SN_OK;
}

// Frees the factor with its last user.
static void release_factor(sn_elastic_space *s, sn_reduced_factor *factor) {
    if (!factor || --factor->users > 0) return;
    sn_reduced_factor **at = &s->factors;
    while (*at != factor) at = &(*at)->next;
    *at = factor->next;
    sn_reduced_factor_free(s->memory, &s->reduced, factor);
}

void sn_elastic_body_destroy(sn_elastic_body *b) {
    if (!b) return;
    array_of list[ARRAYS];
    list_arrays(b, list);
    for (int i = 0; i < ARRAYS; i++) sn_free(b->memory, *list[i].array, list[i].count, sizeof(sn_real));
    sn_free(b->memory, b->energy, (size_t)b->space->chunk_count, sizeof *b->energy);
    sn_free(b->memory, b->pins, (size_t)b->pin_capacity, sizeof *b->pins);
    sn_free(b->memory, b->extra, 4 * (size_t)b->space->row_count * ROW, sizeof *b->extra);
    release_factor(b->space, b->factor);
    sn_free(b->memory, b, 1, sizeof *b);
}

sn_status sn_elastic_body_set_step(sn_elastic_body *b, sn_real h) {
    if (!(h > 0) || !sn_finite(h)) return SN_ERR_RANGE;
    if (b->factor && b->h == h) return SN_OK;
    const sn_reduced_coefficients coefficients = {(double)b->def.density / ((double)h * (double)h),
                                                  (double)b->shear + (double)b->bulk, (double)b->def.ghost};
    sn_reduced_factor *factor = b->space->factors;
    while (factor && memcmp(&factor->coefficients, &coefficients, sizeof coefficients) != 0) factor = factor->next;
    if (!factor) {
        const sn_status status = sn_reduced_factor_create(b->space->memory, &b->space->reduced, &coefficients, &factor);
        if (status != SN_OK) return status;
        factor->next = b->space->factors, b->space->factors = factor;
    }
    factor->users++;
    release_factor(b->space, b->factor);
    b->factor = factor, b->h = h, b->velocity_scale = sn_exp(-b->def.damping * h);
    return SN_OK;
}

// ---- a step

void sn_elastic_recentre(const sn_elastic_body *b, const sn_real *q) {
    const sn_elastic_space *s = b->space;
    const sn_real origin[3] = {b->origin.x, b->origin.y, b->origin.z};
    memcpy(b->shifted, q, 3 * (size_t)s->columns * sizeof *q);
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < s->asset->handle_count; j++) b->shifted[k * s->columns + s->column[j]] -= origin[k];
}

double sn_elastic_first_moment(const sn_elastic_body *b, const sn_real *change, int k) {
    const sn_elastic_space *s = b->space;
    double moved = 0;
    for (int c = 0; c < s->columns; c++) moved += (double)s->moment[c] * (double)change[k * s->columns + c];
    return moved;
}

typedef struct {
    const sn_elastic_body *body;
    const sn_real *q, *base;
    sn_real *to;
    bool energy;
} job;

static int rows_end(const sn_elastic_space *s, int patch) {
    const int end = (patch + 1) * SN_ELASTIC_PATCH;
    return end < s->row_count ? end : s->row_count;
}

static void lift_patch(void *context, int patch, int worker) {
    (void)worker;
    const job *j = context;
    const sn_elastic_space *s = j->body->space;
    s->kernels->lift(s, j->q, s->columns, j->base, j->to, patch * SN_ELASTIC_PATCH, rows_end(s, patch));
}

void sn_elastic_lift_all(const sn_elastic_body *b, const sn_real *q, const sn_real *base, sn_real *to, sn_pool *pool) {
    job j = {.body = b, .q = q, .base = base, .to = to};
    sn_elastic_parallel_for(pool, b->space->patch_count, 2, lift_patch, &j);
}

void sn_elastic_body_predict(sn_elastic_body *b, sn_vec3 gravity, const sn_vec3 *loads, sn_pool *pool) {
    const sn_elastic_space *s = b->space;
    const int columns = s->columns;
    const sn_real h = b->h, h2 = h * h, g[3] = {gravity.x, gravity.y, gravity.z};
    b->pin_count = 0, b->history_count = 0, b->first_iteration = true;
    for (int k = 0; k < 3; k++)
        b->free_motion[k] = (double)h * (sn_elastic_first_moment(b, b->rate, k) + (double)h * s->volume * (double)g[k]);
    memcpy(b->start, b->q, 3 * (size_t)columns * sizeof *b->q);
    find_origin(b);
    sn_elastic_update_anchors(b);
    for (int i = 0; i < 3 * columns; i++) b->q[i] += h * b->rate[i];
    sn_elastic_recentre(b, b->q);
    sn_elastic_lift_all(b, b->shifted, b->base, b->target, pool);
    for (int p = 0; p < s->row_count * ROW; p++)
        for (int k = 0; k < 3; k++) b->target[4 * p + k] += h2 * g[k];
    for (int v = 0; loads && v < s->vertex_count; v++) {
        sn_real *to = b->target + 4 * (size_t)s->sorted_index[v];
        if (!(s->vertex_volume[s->sorted_index[v]] > 0)) continue; // in no tetrahedron: massless
        const sn_real share = s->vertex_volume[s->sorted_index[v]];
        const sn_vec3 d = sn_mul(h2 / (b->def.density * share), loads[v]);
        to[0] += d.x, to[1] += d.y, to[2] += d.z;
        b->free_motion[0] += (double)share * (double)d.x;
        b->free_motion[1] += (double)share * (double)d.y;
        b->free_motion[2] += (double)share * (double)d.z;
    }
    // Iterations start at the prediction, except for dropped columns: nothing would ever stop those.
    for (int c = 0; c < columns; c++)
        for (int k = 0; k < 3; k++)
            if (b->factor->dropped[s->reduced.row_of_column[c]]) b->q[k * columns + c] = b->start[k * columns + c];
    if (s->anchor_weight) return;
    for (int j = 0; j < s->asset->handle_count; j++)
        for (int k = 0; k < 3; k++) b->q[k * columns + s->column[j]] += h2 * g[k];
}

bool sn_elastic_body_is_valid(const sn_elastic_body *b) {
    const size_t count = 3 * (size_t)b->space->columns;
    sn_real sum = 0; // 0 times a finite number is 0
    for (size_t i = 0; i < count; i++) sum += 0 * (b->q[i] * b->q[i] * b->q[i]) + 0 * (b->rate[i] * b->rate[i]);
    return sum == 0;
}

// A difference of two positions over a short step loses digits: in single precision a body would lose or gain some
// millionths of its momentum per step. The momentum of a free body is known; the error is distributed evenly.
static void conserve_momentum(sn_elastic_body *b) {
    const sn_elastic_space *s = b->space;
    for (int k = 0; k < 3; k++) {
        const double expected = (double)b->velocity_scale / (double)b->h * b->free_motion[k];
        const sn_real missing = (sn_real)((expected - sn_elastic_first_moment(b, b->rate, k)) / s->volume);
        for (int j = 0; j < s->asset->handle_count; j++)
            if (!b->factor->dropped[s->reduced.row_of_column[s->column[j]]])
                b->rate[k * s->columns + s->column[j]] += missing;
    }
}

bool sn_elastic_body_finish(sn_elastic_body *b) {
    const sn_elastic_space *s = b->space;
    const size_t count = 3 * (size_t)s->columns;
    const sn_real k = b->velocity_scale / b->h;
    for (size_t i = 0; i < count; i++) b->rate[i] = k * (b->q[i] - b->start[i]);
    if (!s->anchor_weight && b->pin_count == 0) conserve_momentum(b);
    if (sn_elastic_body_is_valid(b)) return true;
    memcpy(b->q, b->start, count * sizeof *b->q);
    memset(b->rate, 0, count * sizeof *b->rate);
    return false;
}

void sn_elastic_body_restore(sn_elastic_body *b, const sn_real *q, const sn_real *rate) {
    const size_t size = 3 * (size_t)b->space->columns * sizeof *q;
    memmove(b->q, q, size);
    memmove(b->rate, rate, size);
    memcpy(b->start, b->q, size);
    find_origin(b);
    sn_elastic_update_anchors(b);
}

uint64_t sn_elastic_body_hash(const sn_elastic_body *b, uint64_t hash) {
    const size_t count = 3 * (size_t)b->space->columns;
    return sn_hash_reals(sn_hash_reals(hash, b->q, count), b->rate, count);
}

void sn_elastic_body_move_anchors(sn_elastic_body *b, sn_quat rotation, sn_vec3 position) {
    b->anchor_rotation = sn_q_normalize(rotation), b->anchor_position = position;
    sn_elastic_update_anchors(b);
}
