// The public calls on elastic bodies.
#include "geometry/contact_surface.h"
#include "world/sleep.h"

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
                            .touches = true,
                            .init_mark = ELASTIC_MARK};
}

static sn_elastic_item *find(const sn_world *world, sn_elastic id) {
    return world ? sn_elastic_find(sn_world_elastics(world), id) : NULL;
}

// Checks what every writer checks; *item is set when SN_OK.
static sn_status ready(sn_world *world, sn_elastic id, sn_elastic_item **item) {
    if (!world) return SN_ERR_RANGE;
    if (world->stepping) return SN_ERR_BUSY;
    *item = find(world, id);
    if (*item) (*item)->rest = (sn_rest){false, 0}; // whoever changes a body wakes it
    return *item ? SN_OK : SN_ERR_STALE_ID;
}

sn_status sn_elastic_create(sn_world *world, const sn_elastic_def *def, sn_elastic *out) {
    if (out) *out = (sn_elastic){0, 0};
    if (!world || !def || !out) return SN_ERR_RANGE;
    if (world->stepping) return SN_ERR_BUSY;
    const sn_log *log = &world->log;
    if (def->init_mark != ELASTIC_MARK) return sn_wrong_mark(log, "sn_elastic_def_default");
    int wrong = sn_elastic_def_errors(log, def);
    if (!def->model) {
        sn_say(log, SN_LOG_ERROR, SN_ERR_DEF, "model", "is null; make one with sn_elastic_model_create");
        wrong++;
    }
    return wrong ? SN_ERR_DEF : sn_elastic_add(sn_world_elastics(world), def, out);
}

sn_status sn_elastic_destroy(sn_world *world, sn_elastic id) {
    sn_elastic_item *item;
    const sn_status status = ready(world, id, &item);
    if (status != SN_OK) return status;
    sn_elastic_remove(sn_world_elastics(world), id);
    sn_world_drop_joints(world);
    sn_wake_all(world); // something may have lain on it
    return SN_OK;
}

bool sn_elastic_exists(const sn_world *world, sn_elastic id) {
    return find(world, id) != NULL;
}

int sn_world_elastic_count(const sn_world *world) {
    return world ? sn_world_elastics(world)->body_count : 0;
}

sn_elastic sn_world_elastic_at(const sn_world *world, int i) {
    const sn_elastic_system *s = world ? sn_world_elastics(world) : NULL;
    const int slot = s ? sn_slots_nth(&s->slots, i) : -1;
    return slot < 0 ? (sn_elastic){0, 0} : (sn_elastic){(uint32_t)slot + 1, s->slots.at[slot].gen};
}

uint64_t sn_elastic_label(const sn_world *world, sn_elastic id) {
    const sn_elastic_item *item = find(world, id);
    return item ? item->def.label : 0;
}

const sn_elastic_model *sn_elastic_get_model(const sn_world *world, sn_elastic id) {
    const sn_elastic_item *item = find(world, id);
    return item ? item->use->model : NULL;
}

// ---- readers

// All vertices, into 'out' if there is room for all of them, else through memory of their own.
static sn_vec3 *read_vertices(const sn_world *world, const sn_elastic_item *item, sn_vec3 *out, int capacity) {
    const int count = item->use->model->asset.vertex_count;
    sn_memory *memory = (sn_memory *)&world->memory;
    sn_vec3 *to = out && capacity >= count ? out : sn_alloc(memory, (size_t)count, sizeof *to);
    if (to) sn_elastic_body_vertices(item->body, to, world->stepping ? NULL : world->pool);
    return to;
}

static void give_back(const sn_world *world, const sn_elastic_item *item, sn_vec3 *vertices, const sn_vec3 *out) {
    if (vertices && vertices != out)
        sn_free((sn_memory *)&world->memory, vertices, (size_t)item->use->model->asset.vertex_count, sizeof *vertices);
}

int sn_elastic_get_vertices(const sn_world *world, sn_elastic id, sn_vec3 *out, int capacity) {
    const sn_elastic_item *item = find(world, id);
    if (!item) return 0;
    const int count = item->use->model->asset.vertex_count;
    if (!out || capacity <= 0) return count;
    sn_vec3 *vertices = read_vertices(world, item, out, capacity);
    if (!vertices) return 0;
    for (int i = 0; vertices != out && i < capacity && i < count; i++) out[i] = vertices[i];
    give_back(world, item, vertices, out);
    return count;
}

int sn_elastic_get_drawn(const sn_world *world, sn_elastic id, sn_vec3 *out, int capacity) {
    const sn_elastic_item *item = find(world, id);
    if (!item) return 0;
    const sn_elastic_asset *a = &item->use->model->asset;
    if (a->drawn_count == 0) return sn_elastic_get_vertices(world, id, out, capacity);
    if (!out || capacity <= 0) return a->drawn_count;
    sn_vec3 *vertices = read_vertices(world, item, NULL, 0);
    if (!vertices) return 0;
    for (int i = 0; i < a->drawn_count && i < capacity; i++) {
        sn_vec3 p = sn_v3(0, 0, 0);
        for (int k = 0; k < 4; k++) p = sn_mul_add(p, a->drawn_weight[i][k], vertices[a->drawn_corner[i][k]]);
        out[i] = p;
    }
    give_back(world, item, vertices, NULL);
    return a->drawn_count;
}

int sn_elastic_get_centres(const sn_world *world, sn_elastic id, sn_vec3 *out, int capacity) {
    const sn_elastic_item *item = find(world, id);
    if (!item) return 0;
    const int count = item->use->model->asset.sphere_count;
    sn_elastic_body_spheres(item->body, item->centre, NULL, NULL);
    for (int i = 0; out && i < count && i < capacity; i++) out[i] = item->centre[i];
    return count;
}

int sn_elastic_get_radii(const sn_world *world, sn_elastic id, sn_real *out, int capacity) {
    const sn_elastic_item *item = find(world, id);
    if (!item) return 0;
    const int count = item->use->model->asset.sphere_count;
    sn_elastic_body_spheres(item->body, NULL, NULL, item->radius);
    for (int i = 0; out && i < count && i < capacity; i++) out[i] = item->radius[i];
    return count;
}

sn_energy sn_elastic_energy(const sn_world *world, sn_elastic id) {
    const sn_elastic_item *item = find(world, id);
    sn_energy energy = {0};
    sn_momentum momentum = {0};
    if (item) sn_elastic_body_add_energy(item->body, world->gravity, &energy, &momentum, NULL);
    return energy;
}

double sn_elastic_volume(const sn_world *world, sn_elastic id) {
    const sn_elastic_item *item = find(world, id);
    if (!item) return 0;
    sn_vec3 *vertices = read_vertices(world, item, NULL, 0);
    const double volume = vertices ? sn_elastic_asset_volume(&item->use->model->asset, vertices) : 0;
    give_back(world, item, vertices, NULL);
    return volume;
}

double sn_elastic_rest_volume(const sn_world *world, sn_elastic id) {
    const sn_elastic_item *item = find(world, id);
    return item ? sn_elastic_asset_volume(&item->use->model->asset, item->use->model->asset.rest) : 0;
}

// ---- writers

sn_status sn_elastic_move_anchors(sn_world *world, sn_elastic id, sn_vec3 position, sn_quat rotation) {
    sn_elastic_item *item;
    const sn_status status = ready(world, id, &item);
    if (status != SN_OK) return status;
    const sn_real turn = sn_q_dot(rotation, rotation);
    if (!sn_sound3(position) || !(turn > (sn_real)1e-12) || !sn_finite(turn) || !item->use->space->anchor_weight)
        return SN_ERR_RANGE;
    item->anchor_position_to = position;
    item->anchor_rotation_to = sn_q_normalize(rotation);
    item->anchors_move = true;
    return SN_OK;
}

sn_status sn_elastic_set_force(sn_world *world, sn_elastic id, int vertex, sn_vec3 force) {
    sn_elastic_item *item;
    const sn_status status = ready(world, id, &item);
    if (status != SN_OK) return status;
    const int count = item->use->model->asset.vertex_count;
    if (vertex < 0 || vertex >= count || !sn_finite3(force)) return SN_ERR_RANGE;
    if (!item->loads) {
        item->loads = sn_alloc(&world->memory, (size_t)count, sizeof *item->loads);
        if (!item->loads) return SN_ERR_MEMORY;
        for (int i = 0; i < count; i++) item->loads[i] = sn_v3(0, 0, 0);
    }
    item->loads[vertex] = force;
    return SN_OK;
}

sn_status sn_elastic_set_contact(sn_world *world, sn_elastic id, const sn_surface *surface, bool touches, bool self) {
    if (!surface) return SN_ERR_RANGE;
    sn_elastic_item *item;
    const sn_status status = ready(world, id, &item);
    if (status != SN_OK) return status;
    if (sn_surface_mistakes(&world->log, surface)) return SN_ERR_DEF;
    if (self && !sn_elastic_use_find_self_pairs(sn_world_elastics(world), item->use)) return SN_ERR_MEMORY;
    item->def.surface = item->touching.surface = *surface;
    item->def.touches = item->touching.touches = touches;
    item->def.touches_itself = item->touching.self = self;
    return SN_OK;
}
