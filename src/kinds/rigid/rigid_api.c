// The public calls on rigid bodies.
#include "base/host.h"
#include "base/math/vec.h"
#include "kinds/rigid/rigid.h"

#define RIGID_MARK 0x51AE0201u

sn_rigid_def sn_rigid_def_default(void) {
    return (sn_rigid_def){.rotation = {0, 0, 0, 1}, .surface = sn_surface_default(), .init_mark = RIGID_MARK};
}

// Whether a quaternion can be normalised: its squared length must be finite and not 0.
static bool is_rotation(sn_quat q) {
    return sn_q_dot(q, q) > (sn_real)1e-12 && sn_finite(sn_q_dot(q, q));
}

static int bad_fields(const sn_log *log, const sn_rigid_def *d) {
    int errors = sn_rigid_errors(log, d);
    if (!is_rotation(d->rotation)) errors += sn_def_error(log, "rotation", "must be a quaternion that is not zero");
    if (d->geometry != SN_GEOMETRY_MESH) return errors;
    if (!d->vertices || d->vertex_count < 3)
        errors += sn_def_error(log, "vertices", "a mesh needs at least 3 vertices");
    if (!d->triangles || d->triangle_count < 1)
        errors += sn_def_error(log, "triangles", "a mesh needs at least 1 triangle");
    return errors;
}

static sn_status build(sn_rigid_system *s, const sn_rigid_def *def, sn_rigid_body *body) {
    const sn_transform pose = {def->position, sn_q_normalize(def->rotation)};
    sn_collider *c = &body->collider;
    body->base = (sn_body_base){.label = def->label, .contact = {.surface = def->surface, .collide = true}};
    *c = (sn_collider){.kind = def->geometry,
                       .now = pose,
                       .to = pose,
                       .from = pose,
                       .until = pose,
                       .origin = pose,
                       .surface = def->surface};
    // Copies only the fields that the geometry uses: only these were checked.
    if (def->geometry == SN_GEOMETRY_SPHERE || def->geometry == SN_GEOMETRY_PILL) c->radii[0] = def->radii[0];
    if (def->geometry == SN_GEOMETRY_PILL)
        c->radii[1] = def->radii[1], c->ends[0] = def->ends[0], c->ends[1] = def->ends[1];
    if (def->geometry == SN_GEOMETRY_BOX) c->half = def->half;
    if (def->geometry != SN_GEOMETRY_MESH) return SN_OK;
    const sn_status status = sn_triangle_bvh_build(s->memory, def->vertices, def->vertex_count, def->triangles,
                                                   def->triangle_count, &c->bvh);
    if (status != SN_ERR_RANGE) return status;
    sn_def_error(s->log, "triangles", "a vertex index is out of range, or a vertex is not finite");
    return SN_ERR_DEF;
}

sn_status sn_rigid_create(sn_world *world, const sn_rigid_def *def, sn_body *out) {
    if (out) *out = (sn_body){0};
    if (!world || !def || !out) return SN_ERR_RANGE;
    sn_status status = sn_world_check_edit(world);
    if (status != SN_OK) return status;
    sn_rigid_system *s = sn_world_system(world, SN_KIND_RIGID);
    if (def->init_mark != RIGID_MARK) return sn_def_unmarked(s->log, "sn_rigid_def_default");
    if (bad_fields(s->log, def)) return SN_ERR_DEF;
    sn_rigid_body *body = sn_alloc(s->memory, 1, sizeof *body);
    if (!body) return SN_ERR_MEMORY;
    status = build(s, def, body);
    const int slot = status == SN_OK ? sn_rigid_add(s, body) : -1;
    if (slot < 0) {
        sn_rigid_free(s, body);
        return status == SN_OK ? SN_ERR_MEMORY : status;
    }
    *out = (sn_body){SN_KIND_RIGID, (uint32_t)slot + 1, s->slots.at[slot].gen};
    sn_world_wake_all(world);
    return SN_OK;
}

sn_status sn_rigid_move(sn_world *world, sn_body id, sn_vec3 position, sn_quat rotation) {
    void *item;
    const sn_status status = sn_body_edit(world, id, SN_KIND_RIGID, &item);
    if (status != SN_OK) return status;
    if (!sn_finite3(position) || !is_rotation(rotation)) return SN_ERR_RANGE;
    ((sn_rigid_body *)item)->collider.to = (sn_transform){position, sn_q_normalize(rotation)};
    return SN_OK;
}

static sn_status read(const sn_world *world, sn_body id, sn_vec3 *position, sn_quat *rotation,
                      const sn_collider **out) {
    void *item;
    const sn_status status = sn_body_read(world, id, SN_KIND_RIGID, &item);
    if (!position || !rotation) return SN_ERR_RANGE;
    if (status == SN_OK) *out = &((const sn_rigid_body *)item)->collider;
    return status;
}

sn_status sn_rigid_get_pose(const sn_world *world, sn_body id, sn_vec3 *position, sn_quat *rotation) {
    const sn_collider *c;
    const sn_status status = read(world, id, position, rotation, &c);
    if (status == SN_OK) *position = c->now.position, *rotation = c->now.rotation;
    return status;
}

sn_status sn_rigid_get_target(const sn_world *world, sn_body id, sn_vec3 *position, sn_quat *rotation) {
    const sn_collider *c;
    const sn_status status = read(world, id, position, rotation, &c);
    if (status == SN_OK) *position = c->to.position, *rotation = c->to.rotation;
    return status;
}
