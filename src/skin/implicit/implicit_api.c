// Instances of implicit skins and their calls in every frame.
#include "base/float_mode.h"
#include "base/host.h"
#include "skin/implicit/implicit_model.h"
#include <string.h>

#define SETTINGS_MARK 0x51AE0702u

sn_implicit_settings sn_implicit_settings_default(void) {
    const sn_implicit_options o = sn_implicit_options_default();
    return (sn_implicit_settings){o.relaxations, o.newton, o.tolerance, o.pull, o.smoothings, SETTINGS_MARK};
}

static size_t bones_of(const sn_implicit_model *model) {
    return (size_t)model->asset.bone_count;
}

sn_status sn_implicit_skin_create(sn_implicit_model *model, sn_implicit_skin **out) {
    if (out) *out = NULL;
    if (!model || !out) return SN_ERR_RANGE;
    sn_memory memory;
    sn_memory_init(&memory, &model->memory.hook);
    sn_implicit_skin *skin = sn_alloc(&memory, 1, sizeof *skin);
    if (!skin) return SN_ERR_MEMORY;
    const size_t n = (size_t)model->edges.count;
    skin->memory = memory, skin->model = model;
    skin->options = sn_implicit_options_default();
    atomic_fetch_add(&model->skins, 1);
    skin->poses = sn_alloc(&skin->memory, bones_of(model), sizeof *skin->poses);
    skin->points = sn_alloc(&skin->memory, n, sizeof *skin->points);
    skin->normals = sn_alloc(&skin->memory, n, sizeof *skin->normals);
    sn_status status = skin->poses && skin->points && skin->normals ? SN_OK : SN_ERR_MEMORY;
    if (status == SN_OK) status = sn_implicit_state_create(&skin->memory, model->rig, &skin->state);
    if (status != SN_OK) {
        sn_implicit_skin_destroy(skin);
        return status;
    }
    sn_implicit_get_output(skin->state, skin->points);
    *out = skin;
    return SN_OK;
}

void sn_implicit_skin_destroy(sn_implicit_skin *skin) {
    if (!skin) return;
    sn_implicit_model *model = skin->model;
    const size_t n = (size_t)model->edges.count;
    sn_skin_muscles_destroy(skin->muscles);
    sn_implicit_state_destroy(skin->state);
    sn_free(&skin->memory, skin->poses, bones_of(model), sizeof *skin->poses);
    sn_free(&skin->memory, skin->points, n, sizeof *skin->points);
    sn_free(&skin->memory, skin->normals, n, sizeof *skin->normals);
    sn_memory memory = skin->memory;
    sn_free(&memory, skin, 1, sizeof *skin);
    atomic_fetch_sub(&model->skins, 1);
}

sn_status sn_implicit_skin_set(sn_implicit_skin *skin, const sn_implicit_settings *s) {
    if (!skin || !s || s->init_mark != SETTINGS_MARK) return SN_ERR_RANGE;
    if (s->relaxations < 0 || s->relaxations > 100 || s->newton < 0 || s->newton > 1000 || s->smoothings < 0 ||
        s->smoothings > 100 || !(s->tolerance > 0 && s->tolerance <= 1) || !(s->pull >= 0 && s->pull <= 1))
        return SN_ERR_RANGE;
    sn_implicit_options *o = &skin->options;
    o->relaxations = s->relaxations, o->newton = s->newton, o->smoothings = s->smoothings;
    o->tolerance = s->tolerance, o->pull = s->pull;
    return SN_OK;
}

sn_status sn_implicit_skin_get(const sn_implicit_skin *skin, sn_implicit_settings *out) {
    if (!skin || !out) return SN_ERR_RANGE;
    const sn_implicit_options *o = &skin->options;
    *out = (sn_implicit_settings){o->relaxations, o->newton, o->tolerance, o->pull, o->smoothings, SETTINGS_MARK};
    return SN_OK;
}

sn_status sn_implicit_skin_place(sn_implicit_skin *skin, const sn_transform *poses, sn_blend blend) {
    if (!skin || !poses || ((int)blend != SN_BLEND_LINEAR && (int)blend != SN_BLEND_DUAL)) return SN_ERR_RANGE;
    sn_float_mode callers = sn_float_mode_enter();
    const sn_status status =
        sn_implicit_reset(skin->state, poses, blend == SN_BLEND_DUAL ? SN_START_DUAL : SN_START_LINEAR);
    if (status == SN_OK) sn_implicit_get_output(skin->state, skin->points);
    sn_float_mode_leave(callers);
    return status;
}

// ---- muscles under the skin

static void uncover(void *cover, void *owner) {
    sn_implicit_model *model = owner;
    sn_implicit_cover_destroy(cover);
    atomic_fetch_sub(&model->skins, 1);
}

sn_status sn_implicit_model_cover(sn_implicit_model *model, sn_world *world, sn_body id, const int *bones) {
    if (!world) return SN_ERR_RANGE;
    if (sn_world_is_stepping(world)) return SN_ERR_BUSY;
    sn_muscles_item *item = sn_implicit_muscles_find(sn_world_implicit_muscles(world), id);
    if (!item) return SN_ERR_STALE_ID;
    if (!model) {
        sn_muscles_uncover(item);
        return SN_OK;
    }
    const sn_implicit_asset *a = &model->asset;
    if (item->muscle_count != a->muscle_count || item->bone_count != a->bone_count) return SN_ERR_RANGE;
    int same[SN_IMPLICIT_MAX_BONES];
    for (int b = 0; b < a->bone_count; b++) {
        same[b] = bones ? bones[b] : b;
        if (same[b] < 0 || same[b] >= a->bone_count) return SN_ERR_RANGE;
    }
    for (int m = 0; m < a->muscle_count; m++)
        if (item->muscles[m].points != a->muscles[m].points) return SN_ERR_RANGE;
    sn_muscles_uncover(item);
    if (a->muscle_count == 0) return SN_OK;
    sn_implicit_cover *cover;
    const sn_status status = sn_implicit_cover_create(sn_world_memory(world), model->rig, model->muscles,
                                                      a->muscle_bones, same, item->system, &cover);
    if (status != SN_OK) return status;
    atomic_fetch_add(&model->skins, 1);
    item->cover_of = cover, item->cover_owner = model, item->uncover = uncover;
    return SN_OK;
}

// ---- output

static bool stride_fine(const sn_real *at, size_t stride) {
    return !at || (stride >= 3 * sizeof(sn_real) && stride % sizeof(sn_real) == 0);
}

// Area-weighted normals; vertices without triangles have none.
static void find_normals(const sn_implicit_skin *skin) {
    const sn_implicit_edges *e = &skin->model->edges;
    const sn_vec3 *p = skin->points;
    memset(skin->normals, 0, (size_t)e->count * sizeof *skin->normals);
    for (int t = 0; t < e->triangle_count; t++) {
        const int *c = e->triangles[t];
        const sn_vec3 n = sn_cross(sn_sub(p[c[1]], p[c[0]]), sn_sub(p[c[2]], p[c[0]]));
        for (int k = 0; k < 3; k++) skin->normals[c[k]] = sn_add(skin->normals[c[k]], n);
    }
    for (int i = 0; i < e->count; i++) {
        const sn_real length = sn_length(skin->normals[i]);
        if (length > 0) skin->normals[i] = sn_mul(1 / length, skin->normals[i]);
    }
}

static void scatter(const sn_implicit_skin *skin, const sn_vec3 *from, sn_real *to, size_t stride) {
    const int *welded = skin->model->edges.welded;
    for (int v = 0; v < skin->model->asset.vertex_count; v++) {
        const sn_vec3 x = from[welded[v]];
        sn_real *at = (sn_real *)(void *)((char *)to + (size_t)v * stride);
        at[0] = x.x, at[1] = x.y, at[2] = x.z;
    }
}

static void give(const sn_implicit_skin *skin, const sn_implicit_output *out) {
    if (out->positions) scatter(skin, skin->points, out->positions, out->position_stride);
    if (!out->normals) return;
    find_normals(skin);
    scatter(skin, skin->normals, out->normals, out->normal_stride);
}

sn_status sn_implicit_skin_read(const sn_implicit_skin *skin, const sn_implicit_output *out) {
    if (!skin || !out || !stride_fine(out->positions, out->position_stride) ||
        !stride_fine(out->normals, out->normal_stride))
        return SN_ERR_RANGE;
    give(skin, out);
    return SN_OK;
}

// ---- tracking

// Gets the muscles of the world for the skin; null: there are none.
static sn_status update_muscles(sn_implicit_skin *skin, const sn_world *world, sn_body id, const sn_transform *poses,
                                const sn_skin_muscle_table **out) {
    const sn_implicit_asset *a = &skin->model->asset;
    *out = NULL;
    if (a->muscle_count == 0) return SN_OK;
    const sn_muscles_item *item = world ? sn_implicit_muscles_find(sn_world_implicit_muscles(world), id) : NULL;
    if (!item) return SN_ERR_STALE_ID;
    if (item->muscle_count != a->muscle_count) return SN_ERR_RANGE;
    if (skin->seen != item->system) {
        sn_skin_muscles_destroy(skin->muscles);
        skin->muscles = NULL, skin->seen = NULL;
        const sn_status status = sn_skin_muscles_create(&skin->memory, item->system, a->muscle_bones, &skin->muscles);
        if (status != SN_OK) return status;
        skin->seen = item->system;
    }
    *out = sn_skin_muscles_update(skin->muscles, poses, a->bone_count);
    return SN_OK;
}

sn_status sn_implicit_skin_update(sn_implicit_skin *skin, const sn_world *world, sn_body muscles,
                                  const sn_transform *poses, const sn_implicit_output *out,
                                  sn_implicit_tracked *tracked) {
    if (!skin ||
        (out && (!stride_fine(out->positions, out->position_stride) || !stride_fine(out->normals, out->normal_stride))))
        return SN_ERR_RANGE;
    const int bones = skin->model->asset.bone_count;
    if (!poses) {
        if (!sn_body_exists(world, muscles)) return SN_ERR_STALE_ID;
        if (sn_implicit_muscles_get_poses(world, muscles, skin->poses, bones) != bones) return SN_ERR_RANGE;
        poses = skin->poses;
    }
    const sn_skin_muscle_table *seen;
    sn_implicit_report report = {0};
    sn_float_mode callers = sn_float_mode_enter();
    sn_status status = update_muscles(skin, world, muscles, poses, &seen);
    if (status == SN_OK) {
        sn_pool *pool = sn_world_lend_pool(world);
        status = sn_implicit_track(skin->state, poses, seen, &skin->options, pool, skin->points, &report);
        sn_world_return_pool(world, pool);
    }
    if (status == SN_OK && out) give(skin, out);
    if (status == SN_OK && tracked) *tracked = (sn_implicit_tracked){report.missed, report.contacts};
    sn_float_mode_leave(callers);
    return status;
}

// ---- save and restore

size_t sn_implicit_skin_save(const sn_implicit_skin *skin, void *dst, size_t capacity) {
    if (!skin) return 0;
    sn_stream stream = {.mode = SN_STREAM_COUNT};
    sn_implicit_state_visit(skin->state, &stream);
    const size_t size = stream.at;
    if (!dst || capacity < size) return size;
    stream = (sn_stream){.mode = SN_STREAM_WRITE, .write = dst, .end = size};
    sn_implicit_state_visit(skin->state, &stream);
    return size;
}

sn_status sn_implicit_skin_restore(sn_implicit_skin *skin, const void *bytes, size_t size) {
    if (!skin || !bytes) return SN_ERR_RANGE;
    if (size != sn_implicit_skin_save(skin, NULL, 0)) {
        sn_log_line(&skin->model->log, SN_LOG_ERROR, SN_ERR_FORMAT, "bytes",
                    "a skin of this model has %zu bytes, not %zu", sn_implicit_skin_save(skin, NULL, 0), size);
        return SN_ERR_FORMAT;
    }
    sn_stream stream = {.mode = SN_STREAM_READ, .read = bytes, .end = size};
    sn_implicit_state_visit(skin->state, &stream);
    if (stream.bad) {
        sn_log_line(&skin->model->log, SN_LOG_ERROR, SN_ERR_FORMAT, "bytes",
                    "the bytes are damaged, or of a skin of another model");
        return SN_ERR_FORMAT;
    }
    sn_implicit_get_output(skin->state, skin->points);
    return SN_OK;
}
