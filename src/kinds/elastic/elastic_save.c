// Saving of elastic bodies. A saved world contains its models, each once.
#include "base/validate.h"
#include "kinds/elastic/elastic_system.h"
#include <string.h>

static void visit_ints(sn_stream *stream, int *values, size_t count) {
    for (size_t i = 0; i < count; i++) sn_visit_int(stream, &values[i]);
}

// Allocates an array of a model being read, if the rest of the stream can hold its elements.
static void *alloc_array(sn_stream *stream, sn_memory *memory, void *have, size_t count, size_t size) {
    if (count == 0) return have;
    if (stream->bad || !sn_stream_check(stream, sn_stream_holds(stream, count, 1))) return NULL;
    void *array = sn_alloc(memory, count, size);
    sn_stream_need(stream, array != NULL);
    return array;
}

#define ALLOC(array, count)                                                                                            \
    do {                                                                                                               \
        if (stream->mode == SN_STREAM_READ)                                                                            \
            (array) = alloc_array(stream, memory, (array), (size_t)(count), sizeof *(array));                          \
    } while (0)

// `ends`: the numbers of weights of vertices and of spheres.
static void visit_asset(sn_stream *stream, sn_memory *memory, sn_elastic_asset *a, int ends[2]) {
    bool anchors = a->anchored != NULL;
    int *counts[] = {&a->vertex_count, &a->tet_count,    &a->triangle_count, &a->sphere_count,         &a->cone_count,
                     &a->slab_count,   &a->handle_count, &a->drawn_count,    &a->drawn_triangle_count, &ends[0],
                     &ends[1]};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        sn_visit_int(stream, counts[k]);
        if (!sn_stream_check(stream, *counts[k] >= 0 && *counts[k] < INT32_MAX / 16)) *counts[k] = 0;
    }
    const int weights = ends[0], sphere_weights = ends[1];
    sn_visit_bool(stream, &anchors);
    ALLOC(a->rest, a->vertex_count);
    ALLOC(a->tets, a->tet_count);
    ALLOC(a->triangles, a->triangle_count);
    ALLOC(a->centre, a->sphere_count);
    ALLOC(a->radius, a->sphere_count);
    ALLOC(a->cones, a->cone_count);
    ALLOC(a->slabs, a->slab_count);
    ALLOC(a->handle_sphere, a->handle_count);
    ALLOC(a->handle_quadratic, a->handle_count);
    ALLOC(a->first, a->vertex_count + 1);
    ALLOC(a->handle, weights);
    ALLOC(a->weight, weights);
    ALLOC(a->sphere_first, a->sphere_count + 1);
    ALLOC(a->sphere_handle, sphere_weights);
    ALLOC(a->sphere_weight, sphere_weights);
    if (anchors) ALLOC(a->anchored, a->vertex_count);
    ALLOC(a->drawn_corner, a->drawn_count);
    ALLOC(a->drawn_weight, a->drawn_count);
    ALLOC(a->drawn_triangles, a->drawn_triangle_count);
    if (stream->bad) return;
    sn_visit_reals(stream, (sn_real *)a->rest, 3 * (size_t)a->vertex_count);
    visit_ints(stream, (int *)a->tets, 4 * (size_t)a->tet_count);
    visit_ints(stream, (int *)a->triangles, 3 * (size_t)a->triangle_count);
    sn_visit_reals(stream, (sn_real *)a->centre, 3 * (size_t)a->sphere_count);
    sn_visit_reals(stream, a->radius, (size_t)a->sphere_count);
    visit_ints(stream, (int *)a->cones, 2 * (size_t)a->cone_count);
    visit_ints(stream, (int *)a->slabs, 3 * (size_t)a->slab_count);
    visit_ints(stream, a->handle_sphere, (size_t)a->handle_count);
    sn_visit_bytes(stream, a->handle_quadratic, (size_t)a->handle_count);
    visit_ints(stream, a->first, (size_t)a->vertex_count + 1);
    visit_ints(stream, a->handle, (size_t)weights);
    sn_visit_reals(stream, a->weight, (size_t)weights);
    visit_ints(stream, a->sphere_first, (size_t)a->sphere_count + 1);
    visit_ints(stream, a->sphere_handle, (size_t)sphere_weights);
    sn_visit_reals(stream, a->sphere_weight, (size_t)sphere_weights);
    if (anchors) sn_visit_bytes(stream, a->anchored, (size_t)a->vertex_count);
    visit_ints(stream, (int *)a->drawn_corner, 4 * (size_t)a->drawn_count);
    sn_visit_reals(stream, (sn_real *)a->drawn_weight, 4 * (size_t)a->drawn_count);
    visit_ints(stream, (int *)a->drawn_triangles, 3 * (size_t)a->drawn_triangle_count);
}

// Reads and validates an asset. An invalid one is freed like any other, by the ends of its lists, which are repaired.
static void read_asset(sn_stream *stream, sn_memory *memory, sn_elastic_asset *a) {
    int ends[2] = {0, 0};
    char error[SN_ELASTIC_ERROR_SIZE];
    visit_asset(stream, memory, a, ends);
    // The lists must end where their arrays do before anything reads them.
    if (!stream->bad)
        sn_stream_check(stream, a->first[a->vertex_count] == ends[0] && a->sphere_first[a->sphere_count] == ends[1]);
    if (!stream->bad) sn_stream_check(stream, sn_elastic_asset_check(a, error));
    if (stream->bad && a->first) a->first[a->vertex_count] = ends[0];
    if (stream->bad && a->sphere_first) a->sphere_first[a->sphere_count] = ends[1];
}

static void visit_def(sn_stream *stream, sn_elastic_def *d) {
    sn_real *numbers[] = {&d->young,
                          &d->poisson,
                          &d->density,
                          &d->damping,
                          &d->mooney,
                          &d->lock,
                          &d->surface.friction_static,
                          &d->surface.friction_dynamic,
                          &d->surface.restitution,
                          &d->surface.compliance,
                          &d->surface.rolling,
                          &d->surface.torsion};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) sn_visit_reals(stream, numbers[k], 1);
    int law = (int)d->law;
    sn_visit_int(stream, &law);
    d->law = (sn_elastic_law)law;
    sn_visit_int(stream, &d->iterations);
    sn_visit_bool(stream, &d->collide);
    sn_visit_bool(stream, &d->self_collide);
    sn_visit_u32(stream, &d->surface.group);
    sn_visit_u32(stream, &d->surface.mask);
    sn_visit_u32(stream, &d->family);
    sn_visit_u64(stream, &d->label);
    if (stream->mode != SN_STREAM_READ) return;
    static const sn_log silent = {0};
    sn_stream_check(stream, sn_elastic_def_errors(&silent, d) == 0);
}

static void visit_state(sn_stream *stream, sn_memory *memory, sn_elastic_item *item) {
    sn_elastic_body *b = item->body;
    const size_t state = 3 * (size_t)item->use->space->columns;
    const int vertices = item->use->model->asset.vertex_count;
    sn_visit_reals(stream, b->q, state);
    sn_visit_reals(stream, b->rate, state);
    sn_visit_reals(stream, &b->anchor_position.x, 3);
    sn_visit_reals(stream, &b->anchor_rotation.x, 4);
    sn_visit_reals(stream, &item->anchor_position_to.x, 3);
    sn_visit_reals(stream, &item->anchor_rotation_to.x, 4);
    sn_visit_bool(stream, &item->anchors_move);
    sn_visit_bool(stream, &item->base.sleep.asleep);
    sn_visit_reals(stream, &item->base.sleep.still, 1);
    bool loads = item->loads != NULL;
    sn_visit_bool(stream, &loads);
    if (loads) {
        if (!item->loads) item->loads = alloc_array(stream, memory, NULL, (size_t)vertices, sizeof *item->loads);
        if (item->loads) sn_visit_reals(stream, &item->loads[0].x, 3 * (size_t)vertices);
    }
    if (stream->mode != SN_STREAM_READ) return;
    sn_stream_check(stream, sn_elastic_body_is_valid(b) && sn_valid3(b->anchor_position) &&
                                sn_q_is_unit(b->anchor_rotation) && sn_valid3(item->anchor_position_to) &&
                                sn_q_is_unit(item->anchor_rotation_to) && item->base.sleep.still >= 0);
    if (stream->bad) return;
    sn_elastic_body_restore(b, b->q, b->rate); // moving the anchors instead would round their rotation again
}

static int index_of(const sn_elastic_system *s, const sn_elastic_use *use) {
    int index = 0;
    for (const sn_elastic_use *u = s->uses; u != use; u = u->next) index++;
    return index;
}

static void read_body(sn_elastic_system *s, sn_stream *stream, sn_elastic_model **models, int model_count, int slot) {
    int model = 0;
    sn_elastic_def def = {.rotation = {0, 0, 0, 1}};
    sn_visit_int(stream, &model);
    visit_def(stream, &def);
    if (stream->bad || !sn_stream_check(stream, model >= 0 && model < model_count)) return;
    def.model = models[model];
    const sn_status status = sn_elastic_put(s, &def, slot);
    if (status == SN_ERR_MEMORY) sn_stream_need(stream, false);
    if (sn_stream_check(stream, status == SN_OK)) visit_state(stream, s->memory, sn_elastic_in(s, slot));
}

// Models that were read are owned by their bodies once all are read: the last one frees its model. Until then the list owns them,
// so that a body for which there was no memory does not take its model along.
static sn_elastic_model *read_model(sn_stream *stream, sn_memory *memory) {
    sn_elastic_model *model = sn_alloc(memory, 1, sizeof *model);
    if (!sn_stream_need(stream, model != NULL)) return NULL;
    *model = (sn_elastic_model){.memory = *memory};
    atomic_init(&model->users, 0);
    read_asset(stream, &model->memory, &model->asset);
    return model;
}

void sn_elastic_save(void *what, sn_stream *stream) {
    sn_elastic_system *s = what;
    const bool reading = stream->mode == SN_STREAM_READ;
    int models = 0;
    for (const sn_elastic_use *u = s->uses; u; u = u->next) models++;
    sn_visit_int(stream, &models);
    if (!sn_slots_visit(&s->slots, s->memory, stream)) return;
    if (!sn_stream_check(stream, models >= 0 && models <= s->slots.count)) return;
    sn_elastic_model **list = NULL;
    const size_t listed = (size_t)models;
    if (reading) {
        list = models > 0 ? sn_alloc(s->memory, (size_t)models, sizeof *list) : NULL;
        if (!sn_stream_need(stream, models == 0 || list)) models = 0;
        for (int i = 0; i < models; i++) list[i] = stream->bad ? NULL : read_model(stream, s->memory);
    } else {
        for (sn_elastic_use *u = s->uses; u; u = u->next) {
            sn_elastic_asset *a = &u->model->asset;
            visit_asset(stream, &u->model->memory, a,
                        (int[2]){a->first[a->vertex_count], a->sphere_first[a->sphere_count]});
        }
    }
    for (int i = 0; i < s->slots.count && !stream->bad; i++) {
        if (!sn_slots_visit_one(&s->slots, i, stream)) continue;
        if (reading) {
            read_body(s, stream, list, models, i);
        } else {
            int model = index_of(s, sn_elastic_in(s, i)->use);
            sn_elastic_def def = sn_elastic_in(s, i)->def;
            def.label = sn_elastic_in(s, i)->base.label;
            sn_visit_int(stream, &model);
            visit_def(stream, &def);
            visit_state(stream, s->memory, sn_elastic_in(s, i));
        }
    }
    if (!reading) return;
    sn_slots_check_list(&s->slots, stream);
    for (int i = 0; i < models; i++)
        if (list[i]) sn_elastic_model_release(list[i]);
    sn_free(s->memory, list, listed, sizeof *list);
}
