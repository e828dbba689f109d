// The public calls on surfaces, shapes and contacts.
#include "geometry/contact_surface.h"
#include "sinew/touch.h"
#include "world/sleep.h"
#include <stdio.h>

#define SHAPE_MARK 0x51AE0201u

sn_surface sn_surface_default(void) {
    return (sn_surface){
        .friction_static = (sn_real)0.5, .friction_dynamic = (sn_real)0.4, .group = 1, .mask = UINT32_MAX};
}

sn_shape_def sn_shape_def_default(void) {
    return (sn_shape_def){.rotation = {0, 0, 0, 1}, .surface = sn_surface_default(), .init_mark = SHAPE_MARK};
}

// ---- checks

// Whether a quaternion can be normalized: its square must be a number and not vanish.
static bool is_turn(sn_quat q) {
    return sn_q_dot(q, q) > (sn_real)1e-12 && sn_finite(sn_q_dot(q, q));
}

static int wrong_shape(const sn_log *log, const sn_shape_def *d) {
    int count = sn_shape_mistakes(log, d);
    if (!is_turn(d->rotation)) count += sn_wrong(log, "rotation", "must be a quaternion that is not zero");
    if (d->kind != SN_SHAPE_MESH) return count;
    if (!d->vertices || d->vertex_count < 3) count += sn_wrong(log, "vertices", "a mesh needs at least 3 vertices");
    if (!d->triangles || d->triangle_count < 1) count += sn_wrong(log, "triangles", "a mesh needs at least 1 triangle");
    return count;
}

// ---- shapes

static sn_shape_body *find_shape(const sn_world *world, sn_shape id) {
    if (!world || id.slot1 == 0 || id.slot1 > (uint32_t)world->contacts.shape_count) return NULL;
    sn_shape_body *shape = &world->contacts.shapes[id.slot1 - 1];
    return shape->alive && shape->gen == id.gen ? shape : NULL;
}

sn_status sn_shape_create(sn_world *world, const sn_shape_def *def, sn_shape *out) {
    if (out) *out = (sn_shape){0, 0};
    if (!world || !def || !out) return SN_ERR_RANGE;
    if (world->stepping) return SN_ERR_BUSY;
    if (def->init_mark != SHAPE_MARK) return sn_wrong_mark(&world->log, "sn_shape_def_default");
    if (wrong_shape(&world->log, def)) return SN_ERR_DEF;
    sn_contacts *c = &world->contacts;
    if (c->free_shape < 0 &&
        !sn_reserve(c->memory, (void **)&c->shapes, &c->shape_capacity, c->shape_count + 1, sizeof *c->shapes))
        return SN_ERR_MEMORY;
    sn_tree tree = {0};
    if (def->kind == SN_SHAPE_MESH) {
        sn_status status =
            sn_tree_build(c->memory, def->vertices, def->vertex_count, def->triangles, def->triangle_count, &tree);
        if (status == SN_ERR_RANGE) {
            sn_wrong(&world->log, "triangles", "a vertex number is out of range, or a vertex is not finite");
            return SN_ERR_DEF;
        }
        if (status != SN_OK) return status;
    }
    if (c->free_shape < 0) { // from here on nothing fails
        c->shapes[c->shape_count] = (sn_shape_body){.gen = 1, .next_free = -1};
        c->free_shape = c->shape_count++;
    }
    sn_shape_body *shape = &c->shapes[c->free_shape];
    *out = (sn_shape){(uint32_t)c->free_shape + 1, shape->gen};
    c->free_shape = shape->next_free;
    sn_pose pose = {def->position, sn_q_normalize(def->rotation)};
    *shape = (sn_shape_body){.alive = true,
                             .gen = shape->gen,
                             .next_free = -1,
                             .kind = def->kind,
                             .now = pose,
                             .to = pose,
                             .from = pose,
                             .until = pose,
                             .origin = pose,
                             .tree = tree,
                             .surface = def->surface,
                             .label = def->label};
    // only what the kind uses, and was checked
    if (def->kind == SN_SHAPE_SPHERE || def->kind == SN_SHAPE_PILL) shape->radii[0] = def->radii[0];
    if (def->kind == SN_SHAPE_PILL)
        shape->radii[1] = def->radii[1], shape->ends[0] = def->ends[0], shape->ends[1] = def->ends[1];
    if (def->kind == SN_SHAPE_BOX) shape->half = def->half;
    c->live_shapes++;
    sn_wake_all(world);
    return SN_OK;
}

sn_status sn_shape_destroy(sn_world *world, sn_shape id) {
    if (!world) return SN_ERR_RANGE;
    if (world->stepping) return SN_ERR_BUSY;
    sn_shape_body *shape = find_shape(world, id);
    if (!shape) return SN_ERR_STALE_ID;
    sn_contacts *c = &world->contacts;
    sn_tree_free(c->memory, &shape->tree);
    uint32_t gen = shape->gen + 1;
    *shape = (sn_shape_body){.gen = gen ? gen : 1, .next_free = c->free_shape};
    c->free_shape = (int)id.slot1 - 1;
    --c->live_shapes;
    sn_wake_all(world);
    sn_world_drop_joints(world);
    return SN_OK;
}

bool sn_shape_exists(const sn_world *world, sn_shape id) {
    return find_shape(world, id) != NULL;
}

sn_status sn_shape_move(sn_world *world, sn_shape id, sn_vec3 position, sn_quat rotation) {
    if (!world) return SN_ERR_RANGE;
    if (world->stepping) return SN_ERR_BUSY;
    sn_shape_body *shape = find_shape(world, id);
    if (!shape) return SN_ERR_STALE_ID;
    if (!sn_finite3(position) || !is_turn(rotation)) return SN_ERR_RANGE;
    shape->to = (sn_pose){position, sn_q_normalize(rotation)};
    return SN_OK;
}

sn_status sn_shape_pose(const sn_world *world, sn_shape id, sn_vec3 *position, sn_quat *rotation) {
    const sn_shape_body *shape = find_shape(world, id);
    if (!world || !position || !rotation) return SN_ERR_RANGE;
    if (!shape) return SN_ERR_STALE_ID;
    *position = shape->now.position;
    *rotation = shape->now.rotation;
    return SN_OK;
}

sn_status sn_shape_get_surface(const sn_world *world, sn_shape id, sn_surface *surface) {
    const sn_shape_body *shape = find_shape(world, id);
    if (!world || !surface) return SN_ERR_RANGE;
    if (!shape) return SN_ERR_STALE_ID;
    *surface = shape->surface;
    return SN_OK;
}

sn_status sn_shape_set_surface(sn_world *world, sn_shape id, const sn_surface *surface) {
    if (!world || !surface) return SN_ERR_RANGE;
    if (world->stepping) return SN_ERR_BUSY;
    sn_shape_body *shape = find_shape(world, id);
    if (!shape) return SN_ERR_STALE_ID;
    if (sn_surface_mistakes(&world->log, surface)) return SN_ERR_DEF;
    shape->surface = *surface;
    sn_wake_all(world);
    return SN_OK;
}

int sn_world_shape_count(const sn_world *world) {
    return world ? world->contacts.live_shapes : 0;
}

sn_shape sn_world_shape_at(const sn_world *world, int i) {
    for (int k = 0; world && i >= 0 && k < world->contacts.shape_count; k++) {
        const sn_shape_body *shape = &world->contacts.shapes[k];
        if (shape->alive && i-- == 0) return (sn_shape){(uint32_t)k + 1, shape->gen};
    }
    return (sn_shape){0, 0};
}

// ---- rods and the solver

sn_status sn_rod_set_contact(sn_world *world, sn_rod rod, const sn_surface *surface, bool touches, bool self) {
    if (!world || !surface) return SN_ERR_RANGE;
    if (world->stepping) return SN_ERR_BUSY;
    sn_rod_body *body = sn_rod_find(sn_rods(world), rod);
    if (!body) return SN_ERR_STALE_ID;
    if (sn_surface_mistakes(&world->log, surface)) return SN_ERR_DEF;
    body->rest = (sn_rest){false, 0};
    return sn_rod_set_touching(sn_rods(world), body,
                               &(sn_touching){.surface = *surface, .touches = touches, .self = self});
}

sn_status sn_rod_get_contact(const sn_world *world, sn_rod rod, sn_surface *surface, bool *touches, bool *self) {
    const sn_rod_body *body = world ? sn_rod_find(sn_rods(world), rod) : NULL;
    if (!body) return SN_ERR_STALE_ID;
    if (surface) *surface = body->touching.surface;
    if (touches) *touches = body->touching.touches;
    if (self) *self = body->touching.self;
    return SN_OK;
}

sn_status sn_world_set_contact_sweeps(sn_world *world, int sweeps) {
    if (!world || sweeps < 1 || sweeps > 100) return SN_ERR_RANGE;
    if (world->stepping) return SN_ERR_BUSY;
    world->contacts.sweeps = sweeps;
    return SN_OK;
}

// ---- contacts

// The ids that a side of a contact may have, all null.
typedef struct {
    sn_rod rod;
    int segment;
    sn_springs springs;
    sn_elastic elastic;
    sn_muscles muscles;
} side;

static int segment_of(const sn_rod_body *body, int block) {
    for (int i = 0; i < body->points; i++)
        if (body->block_of_point[i] == block) return i;
    return -1;
}

// Whose a pill or slab of the last step's proxies is. Bodies that are gone since have no name.
static side name_of(const sn_world *world, int element) {
    const int body = sn_element_body(&world->contacts, element), kind = sn_kind_of_body(world, body);
    const int slot = body - world->first_body[kind];
    const uint32_t slot1 = (uint32_t)slot + 1;
    side of = {.segment = -1};
    if (slot < 0) return of;
    if (kind == KIND_ROD) {
        const sn_rod_system *s = sn_rods(world);
        if (slot >= s->slots.count || !sn_rod_in(s, slot)) return of;
        of.rod = (sn_rod){slot1, s->slots.at[slot].gen};
        of.segment =
            segment_of(sn_rod_in(s, slot), element - world->first_node[KIND_ROD] - sn_rod_in(s, slot)->first_node);
    } else if (kind == KIND_SPRINGS) {
        const sn_springs_system *s = sn_world_springs(world);
        if (slot < s->slots.count && s->slots.at[slot].item) of.springs = (sn_springs){slot1, s->slots.at[slot].gen};
    } else if (kind == KIND_ELASTIC) {
        const sn_elastic_system *s = sn_world_elastics(world);
        if (slot < s->slots.count && s->slots.at[slot].item) of.elastic = (sn_elastic){slot1, s->slots.at[slot].gen};
    } else if (kind == KIND_MUSCLES) {
        const sn_muscles_kind_system *s = sn_world_muscles(world);
        if (slot < s->slots.count && s->slots.at[slot].item) of.muscles = (sn_muscles){slot1, s->slots.at[slot].gen};
    }
    return of;
}

int sn_world_get_contacts(const sn_world *world, sn_contact *out, int capacity) {
    if (!world) return 0;
    const sn_contacts *c = &world->contacts;
    int count = 0;
    for (int i = 0; i < c->block_count * SN_BLOCK; i++) {
        const sn_contact_block *b = &c->blocks[i / SN_BLOCK];
        const int k = i % SN_BLOCK;
        if (k >= b->count || !(b->push[k] > 0)) continue;
        sn_contact o = {.normal = {b->n[0][k], b->n[1][k], b->n[2][k]}, .force = b->push[k] / (c->h * c->h)};
        o.depth = -sn_contacts_gap(c, b, k);
        sn_vec3 x = sn_contacts_centre(c, b->node[0][k]), y = sn_contacts_centre(c, b->node[1][k]);
        const bool third = sn_form_third(b->form, 0);
        sn_vec3 centre = sn_lerp(x, y, third ? b->spot[0][0][k] : b->alpha[k]);
        if (third) centre = sn_mul_add(centre, b->spot[0][1][k], sn_sub(sn_contacts_centre(c, b->third_node[0][k]), x));
        o.point = sn_mul_add(centre, -(b->radius[0][k] - (sn_real)0.5 * o.depth), o.normal);
        // Those of a body that was put back are none.
        if (!sn_finite3(o.point) || !sn_finite3(o.normal) || !sn_finite(o.force) || !sn_finite(o.depth)) continue;
        if (out && count < capacity) {
            const side first = name_of(world, b->pill[0][k]);
            o.rod_a = first.rod, o.segment_a = first.segment;
            o.springs_a = first.springs, o.elastic_a = first.elastic, o.muscles_a = first.muscles;
            o.segment_b = -1;
            if (sn_form_both(b->form)) {
                const side second = name_of(world, b->pill[1][k]);
                o.rod_b = second.rod, o.segment_b = second.segment;
                o.springs_b = second.springs, o.elastic_b = second.elastic, o.muscles_b = second.muscles;
            } else
                o.shape_b = (sn_shape){(uint32_t)b->shape[k] + 1, c->shapes[b->shape[k]].gen};
            out[count] = o;
        }
        count++;
    }
    return count;
}
