// The public calls on rigid bodies.
#include "base/host.h"
#include "base/math/double3.h"
#include "base/math/vec.h"
#include "kinds/rigid/rigid.h"

#define RIGID_MARK 0x51AE0201u

sn_rigid_def sn_rigid_def_default(void) {
    return (sn_rigid_def){
        .rotation = {0, 0, 0, 1}, .density = 1000, .surface = sn_surface_default(), .init_mark = RIGID_MARK};
}

// Whether a quaternion can be normalised: its squared length must be finite and not 0.
static bool is_rotation(sn_quat q) {
    return sn_q_dot(q, q) > (sn_real)1e-12 && sn_finite(sn_q_dot(q, q));
}

static int bad_fields(const sn_log *log, const sn_rigid_def *d) {
    int errors = sn_rigid_errors(log, d);
    if (!is_rotation(d->rotation)) errors += sn_def_error(log, "rotation", "must be a quaternion that is not zero");
    if (sn_rigid_part_count(d) > 0 || d->part_count != 0) return errors + sn_rigid_part_errors(log, d);
    if (d->geometry == SN_GEOMETRY_HULL && (!d->vertices || d->vertex_count < 4))
        errors += sn_def_error(log, "vertices", "a hull needs at least 4 vertices");
    if (d->geometry != SN_GEOMETRY_MESH) return errors;
    if (!d->vertices || d->vertex_count < 3)
        errors += sn_def_error(log, "vertices", "a mesh needs at least 3 vertices");
    if (!d->triangles || d->triangle_count < 1)
        errors += sn_def_error(log, "triangles", "a mesh needs at least 1 triangle");
    return errors;
}

// A hull that does not move by itself is the mesh of its faces.
static sn_status build_fixed_hull(sn_rigid_system *s, const sn_rigid_def *def, sn_collider *c) {
    sn_hull hull;
    sn_status status = sn_hull_build(s->memory, def->vertices, def->vertex_count, &hull);
    if (status == SN_ERR_RANGE) {
        sn_def_error(s->log, "vertices", "must be finite, and not all in one plane");
        return SN_ERR_DEF;
    }
    c->kind = SN_GEOMETRY_MESH;
    if (status == SN_OK)
        status =
            sn_triangle_bvh_build(s->memory, hull.vertices, hull.vertex_count, hull.faces[0], hull.face_count, &c->bvh);
    sn_hull_free(s->memory, &hull);
    return status;
}

static sn_status build(sn_rigid_system *s, const sn_rigid_def *def, sn_rigid_body *body) {
    const sn_transform pose = {def->position, sn_q_normalize(def->rotation)};
    sn_collider *c = &body->collider;
    body->dynamic = NULL, body->rounding = 0, body->convex = NULL, body->convex_count = 0;
    body->base = (sn_body_base){.label = def->label, .contact = {.surface = def->surface, .collide = true}};
    *c = (sn_collider){.kind = def->geometry,
                       .now = pose,
                       .to = pose,
                       .from = pose,
                       .until = pose,
                       .origin = pose,
                       .surface = def->surface};
    // Copies only the fields that the geometry uses: only these were checked.
    if (sn_rigid_part_count(def) > 0) c->kind = SN_GEOMETRY_HULL;
    if (c->kind == SN_GEOMETRY_SPHERE || c->kind == SN_GEOMETRY_PILL) c->radii[0] = def->radii[0];
    if (c->kind == SN_GEOMETRY_PILL) c->radii[1] = def->radii[1], c->ends[0] = def->ends[0], c->ends[1] = def->ends[1];
    if (c->kind == SN_GEOMETRY_BOX) c->half = def->half;
    if (def->dynamic) {
        const sn_status made = sn_rigid_make_dynamic(s, body, def);
        if (made != SN_OK || sn_rigid_is_mass(&body->dynamic->mass)) return made;
        sn_def_error(s->log, "density",
                     "the geometry's mass and moments of inertia are beyond what there are numbers for");
        return SN_ERR_DEF;
    }
    if (def->geometry == SN_GEOMETRY_HULL) return build_fixed_hull(s, def, c);
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
    sn_rigid_body *body = item;
    if (body->dynamic && !sn_rigid_is_place(position)) return SN_ERR_RANGE;
    body->collider.to = (sn_transform){position, sn_q_normalize(rotation)};
    if (!body->dynamic) return SN_OK;
    double w[3], inertia[3][3];
    sn_rigid_angular_velocity(body->dynamic, &body->dynamic->now, w);
    sn_rigid_place(body->dynamic, &body->collider.to);
    sn_rigid_inertia(body->dynamic, body->dynamic->now.rotation, inertia);
    for (int k = 0; k < 3; k++) body->dynamic->now.momentum[k] = d3_dot(inertia[k], w);
    body->collider.now = body->collider.to;
    sn_world_wake_all(world); // others may have rested on it
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

static sn_vec3 to_vec(const double v[3]) {
    return sn_v3((sn_real)v[0], (sn_real)v[1], (sn_real)v[2]);
}

sn_status sn_rigid_get_reaction(const sn_world *world, sn_body id, sn_vec3 *force, sn_vec3 *torque) {
    void *item;
    const sn_status status = sn_body_read(world, id, SN_KIND_RIGID, &item);
    if (status != SN_OK) return status;
    if (!force || !torque) return SN_ERR_RANGE;
    const sn_rigid_body *body = item;
    if (body->dynamic) return SN_ERR_KIND;
    *force = to_vec(body->collider.force), *torque = to_vec(body->collider.torque);
    return SN_OK;
}

// ---- dynamic bodies

static void from_vec(sn_vec3 v, double out[3]) {
    out[0] = (double)v.x, out[1] = (double)v.y, out[2] = (double)v.z;
}

bool sn_rigid_is_dynamic(const sn_world *world, sn_body id) {
    void *item;
    return sn_body_read(world, id, SN_KIND_RIGID, &item) == SN_OK && ((const sn_rigid_body *)item)->dynamic;
}

static sn_status read_dynamic(const sn_world *world, sn_body id, const sn_rigid_dynamic **out) {
    void *item;
    const sn_status status = sn_body_read(world, id, SN_KIND_RIGID, &item);
    if (status != SN_OK) return status;
    *out = ((const sn_rigid_body *)item)->dynamic;
    return *out ? SN_OK : SN_ERR_KIND;
}

static sn_status edit_dynamic(sn_world *world, sn_body id, sn_rigid_dynamic **out) {
    void *item;
    const sn_rigid_dynamic *dynamic;
    sn_status status = sn_world_check_edit(world);
    if (status == SN_OK) status = read_dynamic(world, id, &dynamic);
    if (status == SN_OK) status = sn_body_edit(world, id, SN_KIND_RIGID, &item);
    if (status == SN_OK) *out = ((sn_rigid_body *)item)->dynamic;
    return status;
}

sn_status sn_rigid_get_velocity(const sn_world *world, sn_body id, sn_vec3 *velocity, sn_vec3 *angular_velocity) {
    const sn_rigid_dynamic *d;
    const sn_status status = read_dynamic(world, id, &d);
    if (status != SN_OK) return status;
    if (!velocity || !angular_velocity) return SN_ERR_RANGE;
    double w[3];
    sn_rigid_angular_velocity(d, &d->now, w);
    *velocity = to_vec(d->now.velocity), *angular_velocity = to_vec(w);
    return SN_OK;
}

sn_status sn_rigid_set_velocity(sn_world *world, sn_body id, sn_vec3 velocity, sn_vec3 angular_velocity) {
    sn_rigid_dynamic *d;
    const sn_status status = edit_dynamic(world, id, &d);
    if (status != SN_OK) return status;
    if (!sn_rigid_is_speed(velocity, angular_velocity)) return SN_ERR_RANGE;
    double w[3], inertia[3][3];
    from_vec(velocity, d->now.velocity), from_vec(angular_velocity, w);
    sn_rigid_inertia(d, d->now.rotation, inertia);
    for (int k = 0; k < 3; k++) d->now.momentum[k] = d3_dot(inertia[k], w);
    return SN_OK;
}

sn_status sn_rigid_get_centre(const sn_world *world, sn_body id, sn_vec3 *centre) {
    const sn_rigid_dynamic *d;
    const sn_status status = read_dynamic(world, id, &d);
    if (status != SN_OK) return status;
    if (!centre) return SN_ERR_RANGE;
    *centre = to_vec(d->now.place);
    return SN_OK;
}

sn_status sn_rigid_get_angular_momentum(const sn_world *world, sn_body id, sn_vec3 *momentum) {
    const sn_rigid_dynamic *d;
    const sn_status status = read_dynamic(world, id, &d);
    if (status != SN_OK) return status;
    if (!momentum) return SN_ERR_RANGE;
    *momentum = to_vec(d->now.momentum);
    return SN_OK;
}

sn_status sn_rigid_apply_impulse(sn_world *world, sn_body id, sn_vec3 impulse, sn_vec3 point) {
    sn_rigid_dynamic *d;
    const sn_status status = edit_dynamic(world, id, &d);
    if (status != SN_OK) return status;
    if (!sn_finite3(impulse) || !sn_finite3(point)) return SN_ERR_RANGE;
    double j[3], r[3], about[3];
    sn_rigid_state to = d->now;
    from_vec(impulse, j), from_vec(point, r);
    d3_sub(r, to.place, r);
    d3_cross(r, j, about);
    for (int k = 0; k < 3; k++) to.velocity[k] += j[k] / d->mass.mass, to.momentum[k] += about[k];
    double w[3];
    sn_rigid_angular_velocity(d, &to, w);
    if (!sn_rigid_is_speed(to_vec(to.velocity), to_vec(w))) return SN_ERR_RANGE;
    d->now = to;
    return SN_OK;
}

sn_status sn_rigid_set_load(sn_world *world, sn_body id, sn_vec3 force, sn_vec3 torque) {
    sn_rigid_dynamic *d;
    const sn_status status = edit_dynamic(world, id, &d);
    if (status != SN_OK) return status;
    if (!sn_finite3(force) || !sn_finite3(torque)) return SN_ERR_RANGE;
    from_vec(force, d->force), from_vec(torque, d->torque);
    return SN_OK;
}

sn_status sn_rigid_get_load(const sn_world *world, sn_body id, sn_vec3 *force, sn_vec3 *torque) {
    const sn_rigid_dynamic *d;
    const sn_status status = read_dynamic(world, id, &d);
    if (status != SN_OK) return status;
    if (!force || !torque) return SN_ERR_RANGE;
    *force = to_vec(d->force), *torque = to_vec(d->torque);
    return SN_OK;
}
