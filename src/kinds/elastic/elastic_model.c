// Models, and their use by a world. See elastic_system.h.
#include "geometry/slab.h"
#include "geometry/slab_owners.h"
#include "kinds/elastic/elastic_system.h"
#include <string.h>

// ---- copies

// Every array of an asset.
typedef struct {
    void **array;
    size_t count, size;
} array_of;

enum { ARRAYS = 19 };

static void list_arrays(sn_elastic_asset *a, int weights, int sphere_weights, array_of list[ARRAYS]) {
    const size_t vertices = (size_t)a->vertex_count, spheres = (size_t)a->sphere_count;
    const array_of all[ARRAYS] = {
        {(void **)&a->rest, vertices, sizeof *a->rest},
        {(void **)&a->tets, (size_t)a->tet_count, sizeof *a->tets},
        {(void **)&a->triangles, (size_t)a->triangle_count, sizeof *a->triangles},
        {(void **)&a->centre, spheres, sizeof *a->centre},
        {(void **)&a->radius, spheres, sizeof *a->radius},
        {(void **)&a->cones, (size_t)a->cone_count, sizeof *a->cones},
        {(void **)&a->slabs, (size_t)a->slab_count, sizeof *a->slabs},
        {(void **)&a->handle_sphere, (size_t)a->handle_count, sizeof *a->handle_sphere},
        {(void **)&a->handle_quadratic, (size_t)a->handle_count, sizeof *a->handle_quadratic},
        {(void **)&a->first, vertices + 1, sizeof *a->first},
        {(void **)&a->handle, (size_t)weights, sizeof *a->handle},
        {(void **)&a->weight, (size_t)weights, sizeof *a->weight},
        {(void **)&a->sphere_first, spheres + 1, sizeof *a->sphere_first},
        {(void **)&a->sphere_handle, (size_t)sphere_weights, sizeof *a->sphere_handle},
        {(void **)&a->sphere_weight, (size_t)sphere_weights, sizeof *a->sphere_weight},
        {(void **)&a->anchored, a->anchored ? vertices : 0, sizeof *a->anchored},
        {(void **)&a->drawn_corner, (size_t)a->drawn_count, sizeof *a->drawn_corner},
        {(void **)&a->drawn_weight, (size_t)a->drawn_count, sizeof *a->drawn_weight},
        {(void **)&a->drawn_triangles, (size_t)a->drawn_triangle_count, sizeof *a->drawn_triangles},
    };
    memcpy(list, all, sizeof all);
}

sn_status sn_elastic_asset_copy(sn_memory *memory, const sn_elastic_asset *from, sn_elastic_asset *to) {
    sn_elastic_asset source = *from;
    const int weights = from->first[from->vertex_count], sphere_weights = from->sphere_first[from->sphere_count];
    array_of of_source[ARRAYS], of_copy[ARRAYS];
    *to = *from;
    list_arrays(&source, weights, sphere_weights, of_source);
    list_arrays(to, weights, sphere_weights, of_copy);
    bool good = true;
    for (int i = 0; i < ARRAYS; i++) {
        *of_copy[i].array = of_copy[i].count > 0 ? sn_alloc(memory, of_copy[i].count, of_copy[i].size) : NULL;
        good = good && (of_copy[i].count == 0 || *of_copy[i].array);
    }
    for (int i = 0; i < ARRAYS && good; i++)
        if (of_copy[i].count > 0) memcpy(*of_copy[i].array, *of_source[i].array, of_copy[i].count * of_copy[i].size);
    if (good) return SN_OK;
    for (int i = 0; i < ARRAYS; i++) sn_free(memory, *of_copy[i].array, of_copy[i].count, of_copy[i].size);
    *to = (sn_elastic_asset){0};
    return SN_ERR_MEMORY;
}

#define MODEL_MARK 0x51AE0501u

sn_elastic_model_def sn_elastic_model_def_default(void) {
    return (sn_elastic_model_def){.init_mark = MODEL_MARK};
}

sn_status sn_elastic_model_begin(const sn_elastic_model_def *def, sn_elastic_model **out) {
    *out = NULL;
    if (def->init_mark != MODEL_MARK) return SN_ERR_DEF;
    sn_memory memory;
    sn_memory_init(&memory, &def->allocator);
    sn_elastic_model *model = sn_alloc(&memory, 1, sizeof *model);
    if (!model) return SN_ERR_MEMORY;
    model->memory = memory;
    atomic_init(&model->users, 0);
    *out = model;
    return SN_OK;
}

sn_status sn_elastic_model_create(const sn_elastic_model_def *def, sn_elastic_model **out) {
    if (out) *out = NULL;
    if (!def || !out) return SN_ERR_RANGE;
    if (def->init_mark != MODEL_MARK) return SN_ERR_DEF;
    const sn_log log = {def->log, def->log_user};
    char error[SN_ELASTIC_ERROR_SIZE];
    if (!def->asset || !sn_elastic_asset_check(def->asset, error)) {
        sn_log_line(&log, SN_LOG_ERROR, SN_ERR_DEF, "asset", "%s", def->asset ? error : "is null");
        return SN_ERR_DEF;
    }
    sn_elastic_model *model;
    sn_status status = sn_elastic_model_begin(def, &model);
    if (status != SN_OK) return status;
    status = sn_elastic_asset_copy(&model->memory, def->asset, &model->asset);
    if (status == SN_OK)
        *out = model;
    else
        sn_elastic_model_destroy(model);
    return status;
}

sn_status sn_elastic_model_destroy(sn_elastic_model *model) {
    if (!model) return SN_OK;
    if (atomic_load(&model->users) > 0) return SN_ERR_BUSY;
    sn_memory memory = model->memory;
    sn_elastic_asset_free(&memory, &model->asset);
    sn_free(&memory, model, 1, sizeof *model);
    return SN_OK;
}

void sn_elastic_model_release(sn_elastic_model *model) {
    if (!model) return;
    model->owned = true;
    if (atomic_load(&model->users) == 0) sn_elastic_model_destroy(model);
}

const sn_elastic_asset *sn_elastic_model_asset(const sn_elastic_model *model) {
    return model ? &model->asset : NULL;
}

// ---- in a world

static bool is_edge_of_slab(const sn_elastic_asset *a, const int cone[2]) {
    for (int i = 0; i < a->slab_count; i++) {
        int shared = 0;
        for (int k = 0; k < 3; k++) shared += a->slabs[i][k] == cone[0] || a->slabs[i][k] == cone[1];
        if (shared == 2) return true;
    }
    return false;
}

// The drivers of a sphere: the handles with the largest weights, filled up with the closest others at weight 0 to four
// different ones. A handle's own sphere, partly anchored ones, and all spheres of a body with fewer handles are
// independent.
static sn_node_driver find_sphere_drivers(const sn_elastic_asset *a, int sphere) {
    sn_node_driver driver = {.node = {sphere, sphere, sphere, sphere}, .weight = {1}};
    double all = 0, sum = 0;
    for (int e = a->sphere_first[sphere]; e < a->sphere_first[sphere + 1]; e++) all += (double)a->sphere_weight[e];
    if (a->handle_count < SN_DRIVERS || all < 1 - 2e-4) return driver;
    for (int j = 0; j < a->handle_count; j++)
        if (a->handle_sphere[j] == sphere) return driver;
    int found = 0, handle[SN_DRIVERS];
    for (; found < SN_DRIVERS; found++) {
        int best = -1;
        for (int e = a->sphere_first[sphere]; e < a->sphere_first[sphere + 1]; e++) {
            bool known = !(a->sphere_weight[e] > 0) || (best >= 0 && a->sphere_weight[e] <= a->sphere_weight[best]);
            for (int k = 0; k < found && !known; k++) known = handle[k] == a->sphere_handle[e];
            if (!known) best = e;
        }
        if (best < 0) break;
        handle[found] = a->sphere_handle[best], driver.weight[found] = a->sphere_weight[best];
        sum += (double)a->sphere_weight[best];
    }
    if (found == 0) return driver;
    for (int k = 0; k < found; k++) driver.weight[k] = (sn_real)((double)driver.weight[k] / sum);
    for (; found < SN_DRIVERS; found++) {
        int best = -1;
        sn_real min = 0;
        for (int j = 0; j < a->handle_count; j++) {
            const sn_real away = sn_length2(sn_sub(a->centre[a->handle_sphere[j]], a->centre[sphere]));
            bool known = best >= 0 && away >= min;
            for (int k = 0; k < found && !known; k++) known = handle[k] == j;
            if (!known) best = j, min = away;
        }
        handle[found] = best, driver.weight[found] = 0;
    }
    for (int k = 0; k < SN_DRIVERS; k++) driver.node[k] = a->handle_sphere[handle[k]];
    return driver;
}

static void find_drivers(const sn_elastic_asset *a, sn_node_driver *out) {
    for (int i = 0; i < a->sphere_count; i++) out[i] = find_sphere_drivers(a, i);
}

static sn_status build_elements(sn_elastic_system *s, sn_elastic_use *use) {
    const sn_elastic_asset *a = &use->model->asset;
    const size_t max_count = (size_t)a->slab_count + (size_t)a->cone_count;
    use->elements = sn_alloc(s->memory, max_count + 1, sizeof *use->elements);
    use->owns = sn_alloc(s->memory, max_count + 1, sizeof *use->owns);
    use->handle_share = sn_alloc(s->memory, (size_t)a->handle_count, sizeof *use->handle_share);
    use->drivers = sn_alloc(s->memory, (size_t)a->sphere_count, sizeof *use->drivers);
    if (!use->elements || !use->owns || !use->handle_share || !use->drivers) return SN_ERR_MEMORY;
    for (int i = 0; i < a->slab_count; i++)
        memcpy(use->elements[use->element_count++], a->slabs[i], sizeof a->slabs[i]);
    for (int i = 0; i < a->cone_count; i++) {
        if (is_edge_of_slab(a, a->cones[i])) continue;
        int *to = use->elements[use->element_count++];
        to[0] = a->cones[i][0], to[1] = to[2] = a->cones[i][1];
    }
    find_drivers(a, use->drivers);
    for (int i = 0; i < a->handle_count; i++) use->handle_share[i] = 0;
    for (int i = 0; i < a->sphere_count; i++)
        for (int e = a->sphere_first[i]; e < a->sphere_first[i + 1] && sn_elastic_is_independent(use, i); e++)
            use->handle_share[a->sphere_handle[e]] += sn_abs(a->sphere_weight[e]);
    _Static_assert(sizeof(int) == sizeof(int32_t), "elements are triangles of 32 bits");
    return sn_slab_owners(s->memory, a->sphere_count, (const int32_t *)use->elements, use->element_count, use->owns)
               ? SN_OK
               : SN_ERR_MEMORY;
}

static size_t self_pair_words(const sn_elastic_use *use) {
    return ((size_t)use->element_count * (size_t)use->element_count + 31) / 32;
}

void sn_elastic_unuse_model(sn_elastic_system *s, sn_elastic_use *use) {
    if (!use || --use->bodies > 0) return;
    sn_elastic_use **at = &s->uses;
    while (*at && *at != use) at = &(*at)->next;
    if (*at) *at = use->next;
    const sn_elastic_asset *a = &use->model->asset;
    const size_t max_count = (size_t)a->slab_count + (size_t)a->cone_count;
    sn_elastic_space_destroy(use->space);
    sn_free(s->memory, use->elements, max_count + 1, sizeof *use->elements);
    sn_free(s->memory, use->owns, max_count + 1, sizeof *use->owns);
    sn_free(s->memory, use->handle_share, (size_t)a->handle_count, sizeof *use->handle_share);
    sn_free(s->memory, use->drivers, (size_t)a->sphere_count, sizeof *use->drivers);
    sn_free(s->memory, use->self_pairs, self_pair_words(use), sizeof *use->self_pairs);
    if (atomic_fetch_sub(&use->model->users, 1) == 1 && use->model->owned) sn_elastic_model_destroy(use->model);
    sn_free(s->memory, use, 1, sizeof *use);
}

sn_elastic_use *sn_elastic_use_model(sn_elastic_system *s, sn_elastic_model *model, sn_status *status) {
    *status = SN_OK;
    for (sn_elastic_use *use = s->uses; use; use = use->next)
        if (use->model == model) {
            use->bodies++;
            return use;
        }
    sn_elastic_use *use = sn_alloc(s->memory, 1, sizeof *use);
    if (!use) {
        *status = SN_ERR_MEMORY;
        return NULL;
    }
    atomic_fetch_add(&model->users, 1);
    *use = (sn_elastic_use){.model = model, .bodies = 1};
    sn_elastic_use **last = &s->uses;
    while (*last) last = &(*last)->next;
    *last = use;
    const sn_elastic_space_def def = {.lanes = s->lanes};
    *status = sn_elastic_space_create(s->memory, &model->asset, &def, &use->space);
    if (*status == SN_OK) *status = build_elements(s, use);
    if (*status == SN_OK) return use;
    sn_elastic_unuse_model(s, use);
    return NULL;
}

void sn_elastic_order_uses(sn_elastic_system *s) {
    for (sn_elastic_use *use = s->uses; use; use = use->next) use->listed = false;
    sn_elastic_use **last = &s->uses;
    for (int i = 0; i < s->slots.count; i++) {
        sn_elastic_use *use = sn_elastic_in(s, i) ? sn_elastic_in(s, i)->use : NULL;
        if (!use || use->listed) continue;
        use->listed = true;
        *last = use, last = &use->next;
    }
    *last = NULL;
}

// Excludes elements that share a sphere or are closer than half the smaller radius: the body itself separates them.
bool sn_elastic_use_find_self_pairs(sn_elastic_system *s, sn_elastic_use *use) {
    if (use->self_pairs) return true;
    const sn_elastic_asset *a = &use->model->asset;
    use->self_pairs = sn_alloc(s->memory, self_pair_words(use), sizeof *use->self_pairs);
    if (!use->self_pairs) return false;
    for (size_t i = 0; i < self_pair_words(use); i++) use->self_pairs[i] = 0;
    for (int i = 0; i < use->element_count; i++)
        for (int k = i + 1; k < use->element_count; k++) {
            sn_slab x, y;
            sn_real min_radius = a->radius[use->elements[i][0]];
            for (int c = 0; c < 3; c++) {
                x.c[c] = a->centre[use->elements[i][c]], x.r[c] = a->radius[use->elements[i][c]];
                y.c[c] = a->centre[use->elements[k][c]], y.r[c] = a->radius[use->elements[k][c]];
                min_radius = sn_min(min_radius, sn_min(x.r[c], y.r[c]));
            }
            if (sn_slab_within(&x, &y, (sn_real)0.5 * min_radius)) continue;
            const size_t ik = (size_t)i * (size_t)use->element_count + (size_t)k,
                         ki = (size_t)k * (size_t)use->element_count + (size_t)i;
            use->self_pairs[ik / 32] |= 1u << ik % 32;
            use->self_pairs[ki / 32] |= 1u << ki % 32;
        }
    return true;
}
