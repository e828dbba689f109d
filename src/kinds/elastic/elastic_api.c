// The public calls on elastic bodies.
#include "base/host.h"
#include "geometry/contact_surface.h"
#include "kinds/elastic/elastic_system.h"

#define ELASTIC_MARK 0x51AE0502u

sn_elastic_def sn_elastic_def_default(void) {
    return (sn_elastic_def){.rotation = {0, 0, 0, 1},
                            .young = (sn_real)1e5,
                            .poisson = (sn_real)0.4,
                            .density = 1000,
                            .damping = (sn_real)0.5,
                            .mooney = (sn_real)0.8,
                            .lock = 3,
                            .iterations = 6,
                            .surface = sn_surface_default(),
                            .collide = true,
                            .init_mark = ELASTIC_MARK};
}

static sn_elastic_item *find(const sn_world *world, sn_body id) {
    return sn_body_find(world, id, SN_KIND_ELASTIC);
}

// Finds a body for writing.
static sn_status ready(sn_world *world, sn_body id, sn_elastic_item **item) {
    void *found;
    const sn_status status = sn_body_edit(world, id, SN_KIND_ELASTIC, &found);
    *item = found;
    return status;
}

sn_status sn_elastic_create(sn_world *world, const sn_elastic_def *def, sn_body *out) {
    if (out) *out = (sn_body){0};
    if (!world || !def || !out) return SN_ERR_RANGE;
    if (sn_world_is_stepping(world)) return SN_ERR_BUSY;
    const sn_log *log = sn_world_log(world);
    if (def->init_mark != ELASTIC_MARK) return sn_def_unmarked(log, "sn_elastic_def_default");
    int wrong = sn_elastic_def_errors(log, def);
    if (!def->model) {
        sn_log_line(log, SN_LOG_ERROR, SN_ERR_DEF, "model", "is null; make one with sn_elastic_model_create");
        wrong++;
    }
    return wrong ? SN_ERR_DEF : sn_elastic_add(sn_world_elastics(world), def, out);
}

const sn_elastic_model *sn_elastic_get_model(const sn_world *world, sn_body id) {
    const sn_elastic_item *item = find(world, id);
    return item ? item->use->model : NULL;
}

// ---- readers

static void give_back(const sn_world *world, const sn_elastic_item *item, sn_vec3 *vertices, const sn_vec3 *out) {
    if (vertices && vertices != out)
        sn_free(sn_world_memory(world), vertices, (size_t)item->use->model->asset.vertex_count, sizeof *vertices);
}

// All vertices: into 'out' if it has capacity for all of them, else through a temporary array.
static sn_vec3 *read_vertices(const sn_world *world, const sn_elastic_item *item, sn_vec3 *out, int capacity) {
    const int count = item->use->model->asset.vertex_count;
    sn_memory *memory = sn_world_memory(world);
    sn_vec3 *to = out && capacity >= count ? out : sn_alloc(memory, (size_t)count, sizeof *to);
    if (!to) return NULL;
    sn_pool *pool = sn_world_lend_pool(world);
    const bool good = sn_elastic_body_vertices(item->body, to, pool);
    sn_world_return_pool(world, pool);
    if (good) return to;
    give_back(world, item, to, out);
    return NULL;
}

int sn_elastic_get_vertices(const sn_world *world, sn_body id, sn_vec3 *out, int capacity) {
    const sn_elastic_item *item = find(world, id);
    if (!item) return 0;
    const int count = item->use->model->asset.vertex_count;
    if (!out || capacity <= 0) return count;
    sn_world_begin_read(world);
    sn_vec3 *vertices = read_vertices(world, item, out, capacity);
    sn_world_end_read(world);
    if (!vertices) return 0;
    for (int i = 0; vertices != out && i < capacity && i < count; i++) out[i] = vertices[i];
    give_back(world, item, vertices, out);
    return count;
}

int sn_elastic_get_drawn(const sn_world *world, sn_body id, sn_vec3 *out, int capacity) {
    const sn_elastic_item *item = find(world, id);
    if (!item) return 0;
    const sn_elastic_asset *a = &item->use->model->asset;
    if (a->drawn_count == 0) return sn_elastic_get_vertices(world, id, out, capacity);
    if (!out || capacity <= 0) return a->drawn_count;
    sn_world_begin_read(world);
    sn_vec3 *vertices = read_vertices(world, item, NULL, 0);
    sn_world_end_read(world);
    if (!vertices) return 0;
    for (int i = 0; i < a->drawn_count && i < capacity; i++) {
        sn_vec3 p = sn_v3(0, 0, 0);
        for (int k = 0; k < 4; k++) p = sn_mul_add(p, a->drawn_weight[i][k], vertices[a->drawn_corner[i][k]]);
        out[i] = p;
    }
    give_back(world, item, vertices, NULL);
    return a->drawn_count;
}

int sn_elastic_get_radii(const sn_world *world, sn_body id, sn_real *out, int capacity) {
    const sn_elastic_item *item = find(world, id);
    if (!item) return 0;
    const int count = item->use->model->asset.sphere_count;
    for (int i = 0; out && i < count && i < capacity; i++) sn_elastic_body_sphere(item->body, i, &out[i]);
    return count;
}

// ---- writers

sn_status sn_elastic_move_anchors(sn_world *world, sn_body id, sn_vec3 position, sn_quat rotation) {
    sn_elastic_item *item;
    const sn_status status = ready(world, id, &item);
    if (status != SN_OK) return status;
    const sn_real norm2 = sn_q_dot(rotation, rotation);
    if (!sn_valid3(position) || !(norm2 > (sn_real)1e-12) || !sn_finite(norm2) || !item->use->space->anchor_weight)
        return SN_ERR_RANGE;
    item->anchor_position_to = position;
    item->anchor_rotation_to = sn_q_normalize(rotation);
    item->anchors_move = true;
    return SN_OK;
}

sn_status sn_elastic_set_force(sn_world *world, sn_body id, int vertex, sn_vec3 force) {
    sn_elastic_item *item = find(world, id);
    const sn_sleep_state sleep = item ? item->base.sleep : (sn_sleep_state){false, 0};
    const sn_status status = ready(world, id, &item);
    if (status != SN_OK) return status;
    const int count = item->use->model->asset.vertex_count;
    if (vertex < 0 || vertex >= count || !sn_finite3(force)) return SN_ERR_RANGE;
    if (!item->loads) {
        item->loads = sn_alloc(sn_world_memory(world), (size_t)count, sizeof *item->loads);
        if (!item->loads) {
            item->base.sleep = sleep;
            return SN_ERR_MEMORY;
        }
        for (int i = 0; i < count; i++) item->loads[i] = sn_v3(0, 0, 0);
    }
    item->loads[vertex] = force;
    return SN_OK;
}

// ---- getters of what calls have set

sn_status sn_elastic_get_anchor_target(const sn_world *world, sn_body id, sn_vec3 *position, sn_quat *rotation) {
    void *found;
    const sn_status status = sn_body_read(world, id, SN_KIND_ELASTIC, &found);
    if (status != SN_OK) return status;
    const sn_elastic_item *item = found;
    if (!position || !rotation || !item->use->space->anchor_weight) return SN_ERR_RANGE;
    *position = item->anchor_position_to;
    *rotation = item->anchor_rotation_to;
    return SN_OK;
}

sn_status sn_elastic_get_force(const sn_world *world, sn_body id, int vertex, sn_vec3 *out) {
    void *found;
    const sn_status status = sn_body_read(world, id, SN_KIND_ELASTIC, &found);
    if (status != SN_OK) return status;
    const sn_elastic_item *item = found;
    if (!out || vertex < 0 || vertex >= item->use->model->asset.vertex_count) return SN_ERR_RANGE;
    *out = item->loads ? item->loads[vertex] : sn_v3(0, 0, 0);
    return SN_OK;
}
