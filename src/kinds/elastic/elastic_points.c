// Operations of the kind's table that read one elastic body. Its points are its medial spheres.
#include "kinds/elastic/elastic_system.h"

int sn_elastic_get_points(void *what, int slot, sn_vec3 *out, int capacity) {
    const sn_elastic_item *item = sn_elastic_in(what, slot);
    const int count = item->use->model->asset.sphere_count;
    for (int i = 0; out && i < count && i < capacity; i++) out[i] = sn_elastic_body_sphere(item->body, i, NULL);
    return count;
}

double sn_elastic_mass(void *what, int slot) {
    const sn_elastic_item *item = sn_elastic_in(what, slot);
    return (double)item->def.density * item->use->space->volume;
}

// All vertices in a temporary array; null: out of memory.
static sn_vec3 *read_vertices(const sn_elastic_system *s, const sn_elastic_item *item) {
    const int count = item->use->model->asset.vertex_count;
    sn_vec3 *vertices = sn_alloc(s->memory, (size_t)count, sizeof *vertices);
    if (!vertices || sn_elastic_body_vertices(item->body, vertices, NULL)) return vertices;
    sn_free(s->memory, vertices, (size_t)count, sizeof *vertices);
    return NULL;
}

double sn_elastic_volume(void *what, int slot, bool at_rest) {
    const sn_elastic_system *s = what;
    const sn_elastic_item *item = sn_elastic_in(s, slot);
    const sn_elastic_asset *asset = &item->use->model->asset;
    if (at_rest) return sn_elastic_asset_volume(asset, asset->rest);
    sn_vec3 *vertices = read_vertices(s, item);
    const double volume = vertices ? sn_elastic_asset_volume(asset, vertices) : 0;
    if (vertices) sn_free(s->memory, vertices, (size_t)asset->vertex_count, sizeof *vertices);
    return volume;
}

sn_energy sn_elastic_energy(void *what, int slot, sn_vec3 gravity) {
    sn_energy energy = {0};
    sn_momentum momentum = {0};
    sn_elastic_body_add_energy(sn_elastic_in(what, slot)->body, gravity, &energy, &momentum, NULL);
    return energy;
}

sn_box3 sn_elastic_box(void *what, int slot) {
    const sn_elastic_item *item = sn_elastic_in(what, slot);
    const sn_real far = (sn_real)1e30;
    sn_box3 box = {sn_v3(far, far, far), sn_v3(-far, -far, -far)};
    for (int i = 0; i < item->use->model->asset.sphere_count; i++) {
        sn_real radius;
        const sn_vec3 centre = sn_elastic_body_sphere(item->body, i, &radius);
        sn_box3_add(&box, centre, radius);
    }
    return box;
}

sn_status sn_elastic_set_contact(void *what, int slot, const sn_contact_settings *settings) {
    sn_elastic_item *item = sn_elastic_in(what, slot);
    if (settings->self_collide && !sn_elastic_use_find_self_pairs(what, item->use)) return SN_ERR_MEMORY;
    item->base.contact = *settings;
    item->def.surface = settings->surface;
    item->def.collide = settings->collide;
    item->def.self_collide = settings->self_collide;
    return SN_OK;
}

int sn_elastic_check_attachment(void *what, int slot, const sn_attachment *at, const sn_attachment_fields *fields,
                                const sn_log *log) {
    return sn_point_attachment_errors(sn_elastic_get_points(what, slot, NULL, 0), at, fields, log);
}

bool sn_elastic_attachment_pill(void *what, int slot, const sn_attachment *at, sn_attachment_pill *out) {
    if (at->point < 0 || at->point >= sn_elastic_get_points(what, slot, NULL, 0)) return false;
    *out =
        (sn_attachment_pill){.pill = sn_elastic_in(what, slot)->first_node + at->point, .along = 1, .is_point = true};
    return true;
}

sn_attachment_state sn_elastic_attachment_state(void *what, int slot, const sn_attachment *at, bool start) {
    (void)start;
    const sn_elastic_item *item = sn_elastic_in(what, slot);
    return (sn_attachment_state){sn_elastic_body_sphere(item->body, at->point, NULL), sn_q_identity()};
}
