// Collision proxies of elastic bodies: a node for each medial sphere, a slab for each triangle of the medial mesh and
// each cone between two spheres. See elastic_system.h for the inverse mass of a sphere.
#include "kinds/elastic/elastic_system.h"

int sn_elastic_count_nodes(void *what, int *colliding) {
    sn_elastic_system *s = what;
    int nodes = 0;
    *colliding = 0;
    for (int i = 0; i < s->slots.count; i++) {
        sn_elastic_item *item = sn_elastic_in(s, i);
        if (!item) continue;
        item->first_node = nodes, nodes += item->use->model->asset.sphere_count;
        *colliding += item->base.contact.collide ? 1 + item->base.contact.self_collide
                                                 : 0; // with self-collision one body is enough
    }
    return nodes;
}

int sn_elastic_count_slabs(void *what) {
    sn_elastic_system *s = what;
    int slabs = 0;
    for (int i = 0; i < s->slots.count; i++) {
        sn_elastic_item *item = sn_elastic_in(s, i);
        if (item) item->first_slab = slabs, slabs += item->use->element_count;
    }
    return slabs;
}

typedef struct {
    const sn_elastic_system *system;
    const sn_proxy_writer *writer;
    sn_pool *pool;
    bool flag; // start, or shift
} job;

// An upper bound of a sphere's motion in the step, from its handles' speed; and its expected displacement.
static sn_real reach_of(const sn_elastic_item *item, const sn_proxy_writer *writer, int sphere, sn_vec3 *expected) {
    const sn_elastic_asset *a = &item->use->model->asset;
    const sn_elastic_space *space = item->use->space;
    const sn_real margin = (sn_real)0.05 * item->radius[sphere];
    *expected = sn_v3(0, 0, 0);
    if (item->base.sleep.asleep) return margin;
    sn_real fastest = 0;
    for (int e = a->sphere_first[sphere]; e < a->sphere_first[sphere + 1]; e++) {
        const sn_real *v = item->body->rate + space->column[a->sphere_handle[e]];
        const sn_vec3 velocity = sn_v3(v[0], v[space->columns], v[2 * space->columns]);
        fastest = sn_max(fastest, sn_length(velocity));
        *expected = sn_mul_add(*expected, a->sphere_weight[e] * writer->dt, velocity);
    }
    sn_real motion = fastest * writer->dt + writer->fall;
    if (item->anchors_move) motion += sn_length(sn_sub(item->anchor_position_to, item->anchor_position_from));
    return margin + motion;
}

static void write_body(void *context, int slot, int worker) {
    const job *j = context;
    const sn_proxy_writer *writer = j->writer;
    sn_elastic_item *item = sn_elastic_in(j->system, slot);
    sn_contact_settings *settings = &writer->settings[writer->first_body + slot];
    (void)worker;
    *settings = (sn_contact_settings){.asleep = true};
    if (!item) return;
    const sn_elastic_asset *a = &item->use->model->asset;
    *settings = item->base.contact;
    settings->asleep = item->base.sleep.asleep;
    const int first = writer->first + item->first_node, body = writer->first_body + slot;
    sn_elastic_body_spheres(item->body, item->centre, NULL, item->radius);
    for (int i = 0; i < a->sphere_count; i++) {
        sn_node *node = &writer->proxies->nodes[first + i];
        *node = (sn_node){.c = item->centre[i],
                          .c0 = item->centre[i],
                          .s = item->radius[i] / a->radius[i],
                          .radius = a->radius[i],
                          .w = item->base.sleep.asleep ? 0 : item->inverse_mass[i]};
        node->s0 = node->s;
        writer->proxies->pills[first + i] = (sn_node_pill){.a = -1, .b = -1, .body = body, .surface = body};
        sn_node_driver *driver = &writer->proxies->drivers[first + i];
        *driver = item->use->drivers[i];
        for (int k = 0; k < SN_DRIVERS; k++) driver->node[k] += first;
        writer->reach[first + i] = reach_of(item, writer, i, &writer->displacement[first + i]);
    }
    for (int i = 0; i < item->use->element_count; i++) {
        sn_node_slab *slab = &writer->proxies->slabs[writer->first_slab + item->first_slab + i];
        *slab = (sn_node_slab){.body = body, .surface = body, .owns = item->use->owns[i]};
        for (int k = 0; k < 3; k++) {
            const int sphere = item->use->elements[i][k];
            slab->node[k] = first + sphere;
            slab->driven = slab->driven || !sn_elastic_is_independent(item->use, sphere);
        }
    }
}

void sn_elastic_write_proxies(void *what, const sn_proxy_writer *writer, sn_pool *pool) {
    job j = {what, writer, pool, false};
    sn_parallel_for(pool, j.system->slots.count, 1, write_body, &j);
}

static void write_moved(void *context, int slot, int worker) {
    const job *j = context;
    const sn_elastic_item *item = sn_elastic_in(j->system, slot);
    (void)worker;
    if (!item || item->base.sleep.asleep) return; // sleeping bodies keep their proxies
    const sn_elastic_asset *a = &item->use->model->asset;
    sn_node *nodes = j->writer->proxies->nodes + j->writer->first + item->first_node;
    sn_elastic_body_spheres(item->body, item->centre, j->flag ? item->start : NULL, j->flag ? item->radius : NULL);
    for (int i = 0; i < a->sphere_count; i++) {
        nodes[i].c = item->centre[i];
        if (j->flag) nodes[i].c0 = item->start[i], nodes[i].s0 = nodes[i].s = item->radius[i] / a->radius[i];
    }
}

void sn_elastic_update_proxies(void *what, const sn_proxy_writer *writer, sn_pool *pool, bool start) {
    job j = {what, writer, pool, start};
    sn_parallel_for(pool, j.system->slots.count, 1, write_moved, &j);
}

// Serial over bodies: large ones run in parallel internally.
void sn_elastic_apply(void *what, const sn_proxy_writer *writer, sn_pool *pool, bool shift) {
    const sn_elastic_system *s = what;
    for (int slot = 0; slot < s->slots.count; slot++) {
        sn_elastic_item *item = sn_elastic_in(s, slot);
        const int offset = item ? writer->shift[writer->first_body + slot] : INT32_MIN;
        if (!item || item->base.sleep.asleep || offset == INT32_MIN) continue;
        const sn_real *moved = writer->moved + 4 * (size_t)(writer->first + item->first_node + offset);
        for (int i = 0; i < item->use->model->asset.sphere_count; i++)
            item->moved[i] =
                sn_mul(item->displacement_scale[i], sn_v3(moved[4 * i], moved[4 * i + 1], moved[4 * i + 2]));
        sn_elastic_body_move_spheres(item->body, item->moved, shift, pool);
    }
}

bool sn_elastic_self_collides(void *what, int slot, int a, int b) {
    const sn_elastic_system *s = what;
    const sn_elastic_item *item = sn_elastic_in(s, slot);
    const int i = ~a - item->first_slab, k = ~b - item->first_slab;
    const size_t bit = (size_t)i * (size_t)item->use->element_count + (size_t)k;
    return item->use->self_pairs && (item->use->self_pairs[bit / 32] >> bit % 32 & 1);
}

// ---- joints: a body's points are its spheres

// ---- sleep

// Uses the speed of the handles for that of the body.
void sn_elastic_normalised_speeds(void *what, sn_real gravity, sn_real *out) {
    const sn_elastic_system *s = what;
    for (int k = 0; k < s->slots.count; k++) {
        const sn_elastic_item *item = sn_elastic_in(s, k);
        out[k] = 0;
        if (!item || item->base.sleep.asleep) continue;
        const sn_elastic_asset *a = &item->use->model->asset;
        const sn_elastic_space *space = item->use->space;
        sn_real energy = 0, mass = 0, radius = 0;
        for (int i = 0; i < a->handle_count; i++) {
            const sn_real *v = item->body->rate + space->column[i], m = sn_max(space->moment[space->column[i]], 0);
            energy += m * (v[0] * v[0] + v[space->columns] * v[space->columns] +
                           v[2 * space->columns] * v[2 * space->columns]);
            mass += m;
            radius += m * a->radius[a->handle_sphere[i]];
        }
        out[k] = mass > 0 && radius > 0 && gravity > 0 ? sn_sqrt(energy / (gravity * radius)) : 1;
    }
}
