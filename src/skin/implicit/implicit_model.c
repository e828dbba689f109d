// Models of implicit skins: fits fields to samples if requested, builds the surface, binds it to the muscles at rest;
// and models as bytes, a file header and the asset.
#include "skin/implicit/implicit_model.h"
#include "base/file_header.h"
#include "base/float_mode.h"
#include "skin/implicit/implicit_fit.h"
#include <string.h>

#define MODEL_MARK 0x51AE0701u
static const sn_file_header header = {"sinewIM\n", 2, "a model"};

sn_implicit_model_def sn_implicit_model_def_default(void) {
    return (sn_implicit_model_def){.init_mark = MODEL_MARK};
}

// ---- fields

static void put(double out[3], sn_vec3 v) {
    out[0] = (double)v.x, out[1] = (double)v.y, out[2] = (double)v.z;
}

static sn_status fit_bone(sn_implicit_model *model, int b) {
    sn_implicit_asset *a = &model->asset;
    const sn_implicit_bone *bone = &a->bones[b];
    const size_t n = (size_t)bone->centre_count;
    sn_memory *memory = &model->memory;
    double(*points)[3] = sn_alloc(memory, n, sizeof *points), (*normals)[3] = sn_alloc(memory, n, sizeof *normals);
    sn_hermite fit = {0};
    sn_status status = points && normals ? SN_OK : SN_ERR_MEMORY;
    if (status == SN_OK) {
        bool finite = true;
        for (size_t i = 0; i < n; i++) {
            const sn_vec3 c = a->centres[(size_t)bone->first_centre + i],
                          m = a->normals[(size_t)bone->first_centre + i];
            finite = finite && sn_finite3(c) && sn_finite3(m);
            put(points[i], c), put(normals[i], m);
        }
        sn_memory_clear_failure(memory);
        if (!finite || !sn_hermite_fit(memory, (const double(*)[3])points, (const double(*)[3])normals, (int)n, &fit))
            status = sn_memory_failed(memory) ? SN_ERR_MEMORY : SN_ERR_DEF;
        if (status == SN_ERR_DEF)
            sn_log_line(&model->log, SN_LOG_ERROR, SN_ERR_DEF, "centres",
                        "bone %d: cannot fit a field to its %d samples; needs 4 to %d, finite and distinct", b, (int)n,
                        SN_HERMITE_MAX);
    }
    for (int i = 0; status == SN_OK && i < fit.count; i++) {
        const int to = bone->first_centre + i;
        a->alphas[to] = (sn_real)fit.alpha[i];
        a->betas[to] = sn_v3((sn_real)fit.beta[i][0], (sn_real)fit.beta[i][1], (sn_real)fit.beta[i][2]);
    }
    sn_hermite_free(&fit);
    sn_free(memory, points, n, sizeof *points);
    sn_free(memory, normals, n, sizeof *normals);
    return status;
}

static sn_status fit_fields(sn_implicit_model *model) {
    sn_implicit_asset *a = &model->asset;
    const size_t n = (size_t)a->centre_count;
    if (a->centre_count == 0 || (a->alphas && a->betas)) return SN_OK;
    if (!a->alphas) a->alphas = sn_alloc(&model->memory, n, sizeof *a->alphas);
    if (!a->betas) a->betas = sn_alloc(&model->memory, n, sizeof *a->betas);
    sn_status status = a->alphas && a->betas ? SN_OK : SN_ERR_MEMORY;
    for (int b = 0; b < a->bone_count && status == SN_OK; b++)
        if (a->bones[b].centre_count > 0) status = fit_bone(model, b);
    return status;
}

static double distance(const sn_implicit_asset *a, const sn_implicit_bone *bone, const double p[3]) {
    double d = 0;
    for (int i = bone->first_centre; i < bone->first_centre + bone->centre_count; i++) {
        double c[3], beta[3];
        put(c, a->centres[i]), put(beta, a->betas[i]);
        const double e[3] = {p[0] - c[0], p[1] - c[1], p[2] - c[2]};
        const double l2 = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
        const double along = beta[0] * e[0] + beta[1] * e[1] + beta[2] * e[2];
        d += __builtin_sqrt(l2) * ((double)a->alphas[i] * l2 + 3 * along);
    }
    return d;
}

// The box of the region d < reach, on a grid around the samples.
static void find_box(const sn_implicit_asset *a, sn_implicit_bone *bone) {
    enum { SIDE = 20 };
    double low[3], high[3], from[3], to[3];
    int min[3] = {SIDE, SIDE, SIDE}, max[3] = {0, 0, 0};
    put(low, a->centres[bone->first_centre]), put(high, a->centres[bone->first_centre]);
    for (int i = bone->first_centre; i < bone->first_centre + bone->centre_count; i++) {
        double c[3];
        put(c, a->centres[i]);
        for (int k = 0; k < 3; k++) low[k] = c[k] < low[k] ? c[k] : low[k], high[k] = c[k] > high[k] ? c[k] : high[k];
    }
    for (int k = 0; k < 3; k++) low[k] -= 1.5 * (double)bone->reach, high[k] += 1.5 * (double)bone->reach;
    for (int i = 0; i < (SIDE + 1) * (SIDE + 1) * (SIDE + 1); i++) {
        const int at[3] = {i % (SIDE + 1), i / (SIDE + 1) % (SIDE + 1), i / (SIDE + 1) / (SIDE + 1)};
        double p[3];
        for (int k = 0; k < 3; k++) p[k] = low[k] + at[k] * (high[k] - low[k]) / SIDE;
        if (!(distance(a, bone, p) < (double)bone->reach)) continue;
        for (int k = 0; k < 3; k++) {
            min[k] = at[k] < min[k] ? at[k] : min[k];
            max[k] = at[k] > max[k] ? at[k] : max[k];
        }
    }
    for (int k = 0; k < 3; k++) { // one more cell on either side
        const bool any = min[k] <= max[k];
        from[k] = low[k] + (any && min[k] > 0 ? min[k] - 1 : 0) * (high[k] - low[k]) / SIDE;
        to[k] = low[k] + (any && max[k] < SIDE ? max[k] + 1 : SIDE) * (high[k] - low[k]) / SIDE;
    }
    bone->low = sn_v3((sn_real)from[0], (sn_real)from[1], (sn_real)from[2]);
    bone->high = sn_v3((sn_real)to[0], (sn_real)to[1], (sn_real)to[2]);
}

static void find_boxes(sn_implicit_asset *a) {
    for (int b = 0; b < a->bone_count; b++) {
        sn_implicit_bone *bone = &a->bones[b];
        const bool none = sn_length2(bone->low) == 0 && sn_length2(bone->high) == 0;
        if (bone->centre_count > 0 && none && bone->reach > 0 && sn_finite(bone->reach)) find_box(a, bone);
    }
}

// ---- vertices

// The input of the rig, by welded vertices.
typedef struct {
    sn_vec3 *points;
    int *owners;
    int (*influences)[SN_IMPLICIT_INFLUENCES];
    sn_real (*weights)[SN_IMPLICIT_INFLUENCES];
} rig_input;

static void fill_vertex(const sn_implicit_asset *a, int v, int p, const rig_input *to) {
    sn_real sum = 0;
    int best = 0;
    to->points[p] = a->vertices[v];
    for (int k = 0; k < SN_IMPLICIT_INFLUENCES; k++) {
        sum += a->weights[v][k];
        if (a->weights[v][k] > a->weights[v][best]) best = k;
    }
    for (int k = 0; k < SN_IMPLICIT_INFLUENCES; k++) {
        to->weights[p][k] = a->weights[v][k] / sum;
        to->influences[p][k] = a->weights[v][k] > 0 ? a->influences[v][k] : 0;
    }
    to->owners[p] = a->owners ? a->owners[v] : a->influences[v][best];
}

static sn_status make_rig(sn_implicit_model *model) {
    const sn_implicit_asset *a = &model->asset;
    sn_implicit_edges *e = &model->edges;
    if (!sn_implicit_edges_make(&model->memory, a->vertices, a->vertex_count, (const int(*)[3])a->triangles,
                                a->triangle_count, e))
        return SN_ERR_MEMORY;
    const size_t n = (size_t)e->count;
    const rig_input all = {
        sn_alloc(&model->memory, n, sizeof *all.points), sn_alloc(&model->memory, n, sizeof *all.owners),
        sn_alloc(&model->memory, n, sizeof *all.influences), sn_alloc(&model->memory, n, sizeof *all.weights)};
    sn_status status = all.points && all.owners && all.influences && all.weights ? SN_OK : SN_ERR_MEMORY;
    if (status == SN_OK) {
        for (int p = 0; p < e->count; p++) fill_vertex(a, e->vertex[p], p, &all);
        const sn_implicit_def def = {.bones = a->bones,
                                     .bone_count = a->bone_count,
                                     .centres = a->centres,
                                     .alphas = a->alphas,
                                     .betas = a->betas,
                                     .centre_count = a->centre_count,
                                     .points = all.points,
                                     .count = e->count,
                                     .owners = all.owners,
                                     .influences = (const int(*)[SN_IMPLICIT_INFLUENCES])all.influences,
                                     .weights = (const sn_real(*)[SN_IMPLICIT_INFLUENCES])all.weights,
                                     .first_other = e->first,
                                     .others = e->other,
                                     .cotangents = e->cotangents,
                                     .mean_values = e->mean_values,
                                     .lanes = model->lanes};
        status = sn_implicit_rig_create(&model->memory, &model->log, &def, &model->rig);
    }
    sn_free(&model->memory, all.points, n, sizeof *all.points);
    sn_free(&model->memory, all.owners, n, sizeof *all.owners);
    sn_free(&model->memory, all.influences, n, sizeof *all.influences);
    sn_free(&model->memory, all.weights, n, sizeof *all.weights);
    return status;
}

// ---- muscles

// Binds the skin to the muscles where they settle under it at rest.
static sn_status bind(sn_implicit_model *model) {
    enum { SETTLE = 40 };
    const sn_implicit_asset *a = &model->asset;
    sn_memory *memory = &model->memory;
    const size_t colliders = (size_t)a->collider_count, muscles = (size_t)a->muscle_count;
    if (muscles == 0) return SN_OK;
    sn_muscle_obstacle *bones = sn_alloc(memory, colliders, sizeof *bones);
    sn_muscle_system *system = NULL;
    sn_skin_muscles *view = NULL;
    sn_status status = bones ? SN_OK : SN_ERR_MEMORY;
    if (status == SN_OK) {
        for (size_t i = 0; i < colliders; i++) bones[i] = sn_muscle_obstacle_from_bone(&a->colliders[i]);
        sn_muscle_system_def def = sn_muscle_system_def_default();
        def.poses = model->rest, def.bone_count = a->bone_count;
        def.obstacles = bones, def.obstacle_count = a->collider_count;
        def.muscles = a->muscles, def.muscle_count = a->muscle_count;
        def.lanes = model->lanes;
        status = sn_muscle_system_create(memory, &model->log, &def, &system);
    }
    if (status == SN_OK) status = sn_muscle_system_teleport(system, model->rest, SETTLE, NULL);
    if (status == SN_WARN_DIVERGED) status = SN_OK;
    if (status == SN_OK) status = sn_skin_muscles_create(memory, system, a->muscle_bones, &view);
    if (status == SN_OK)
        status = sn_implicit_rig_bind(model->rig, sn_skin_muscles_update(view, model->rest, a->bone_count));
    sn_skin_muscles_destroy(view);
    model->muscles = system;
    sn_free(memory, bones, colliders, sizeof *bones);
    return status;
}

// ---- the model

static void release(sn_implicit_model *model) {
    sn_memory memory = model->memory;
    sn_muscle_system_destroy(model->muscles);
    sn_implicit_rig_destroy(model->rig);
    sn_implicit_edges_free(&model->edges);
    sn_free(&model->memory, model->rest, (size_t)model->asset.bone_count, sizeof *model->rest);
    sn_implicit_asset_free(&model->memory, &model->asset);
    sn_free(&memory, model, 1, sizeof *model);
}

static sn_status finish(sn_implicit_model *model) {
    if (!sn_implicit_asset_check(&model->log, &model->asset)) return SN_ERR_DEF;
    sn_float_mode callers = sn_float_mode_enter();
    const sn_implicit_asset *a = &model->asset;
    model->rest = sn_alloc(&model->memory, (size_t)a->bone_count, sizeof *model->rest);
    sn_status status = model->rest ? fit_fields(model) : SN_ERR_MEMORY;
    if (status == SN_OK) {
        for (int b = 0; b < a->bone_count; b++) model->rest[b] = a->bones[b].rest;
        find_boxes(&model->asset);
        status = make_rig(model);
    }
    if (status == SN_OK) status = bind(model);
    sn_float_mode_leave(callers);
    return status;
}

// An empty model; null: out of memory.
static sn_implicit_model *begin(const sn_implicit_model_def *def) {
    sn_memory memory;
    sn_memory_init(&memory, &def->allocator);
    sn_implicit_model *model = sn_alloc(&memory, 1, sizeof *model);
    if (!model) return NULL;
    model->memory = memory;
    model->log = (sn_log){def->log, def->log_user};
    model->lanes = def->lanes;
    atomic_init(&model->skins, 0);
    return model;
}

static bool marked(const sn_implicit_model_def *def) {
    const sn_log log = {def->log, def->log_user};
    if (def->init_mark == MODEL_MARK) return true;
    sn_log_line(&log, SN_LOG_ERROR, SN_ERR_DEF, "init_mark", "start from sn_implicit_model_def_default");
    return false;
}

sn_status sn_implicit_model_create(const sn_implicit_model_def *def, sn_implicit_model **out) {
    if (out) *out = NULL;
    if (!def || !out) return SN_ERR_RANGE;
    if (!marked(def)) return SN_ERR_DEF;
    const sn_log log = {def->log, def->log_user};
    if (!def->asset) {
        sn_log_line(&log, SN_LOG_ERROR, SN_ERR_DEF, "asset", "must be given");
        return SN_ERR_DEF;
    }
    if (!sn_implicit_asset_check(&log, def->asset)) return SN_ERR_DEF;
    sn_implicit_model *model = begin(def);
    if (!model) return SN_ERR_MEMORY;
    sn_status status = sn_implicit_asset_copy(&model->memory, def->asset, &model->asset) ? SN_OK : SN_ERR_MEMORY;
    if (status == SN_OK) status = finish(model);
    if (status == SN_OK)
        *out = model;
    else
        release(model);
    return status;
}

sn_status sn_implicit_model_destroy(sn_implicit_model *model) {
    if (!model) return SN_OK;
    if (atomic_load(&model->skins) > 0) return SN_ERR_BUSY;
    release(model);
    return SN_OK;
}

const sn_implicit_asset *sn_implicit_model_asset(const sn_implicit_model *model) {
    return model ? &model->asset : NULL;
}

sn_implicit_muscles_def sn_implicit_model_muscles(const sn_implicit_model *model) {
    sn_implicit_muscles_def def = sn_implicit_muscles_def_default();
    if (!model) return def;
    def.poses = model->rest, def.bone_count = model->asset.bone_count;
    def.bones = model->asset.colliders, def.collider_count = model->asset.collider_count;
    def.muscles = model->asset.muscles, def.muscle_count = model->asset.muscle_count;
    return def;
}

// ---- bytes

static void visit(void *asset, sn_stream *stream) {
    sn_implicit_asset_visit(NULL, asset, stream);
}

size_t sn_implicit_model_save(const sn_implicit_model *model, void *dst, size_t capacity) {
    if (!model) return 0;
    sn_implicit_asset same = model->asset; // counting and writing do not change the arrays
    return sn_file_header_save(&header, visit, &same, dst, capacity);
}

sn_status sn_implicit_model_restore(const sn_implicit_model_def *def, const void *bytes, size_t size,
                                    sn_implicit_model **out) {
    if (out) *out = NULL;
    if (!def || !bytes || !out) return SN_ERR_RANGE;
    if (!marked(def)) return SN_ERR_DEF;
    const sn_log log = {def->log, def->log_user};
    sn_stream stream;
    sn_status status = sn_file_header_open(&header, &log, bytes, size, &stream);
    if (status != SN_OK) return status;
    sn_implicit_model *model = begin(def);
    if (!model) return SN_ERR_MEMORY;
    sn_implicit_asset_visit(&model->memory, &model->asset, &stream);
    if (stream.starved) {
        status = SN_ERR_MEMORY;
    } else if (stream.bad || stream.at != size) {
        sn_log_line(&log, SN_LOG_ERROR, SN_ERR_FORMAT, "bytes",
                    "the bytes are damaged: an array, or a number in one, is not what it can be");
        status = SN_ERR_FORMAT;
    }
    if (status == SN_OK) status = finish(model);
    if (status == SN_ERR_DEF) status = SN_ERR_FORMAT;
    if (status == SN_OK)
        *out = model;
    else
        release(model);
    return status;
}
