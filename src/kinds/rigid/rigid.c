// The system of all rigid bodies. Dynamic ones are in rigid_motion.c, rigid_couple.c and rigid_proxy.c. A kinematic one moves from its pose to its target pose evenly over the substeps of a step:
// positions linearly, rotations by normalised linear interpolation of quaternions.
#include "kinds/rigid/rigid.h"
#include "base/hash.h"
#include "base/math/double3.h"
#include "base/math/vec.h"
#include "geometry/contact_surface.h"

static bool is_size(sn_real x) {
    return sn_between(x, (sn_real)1e-7, (sn_real)1e7);
}

bool sn_rigid_is_place(sn_vec3 position) {
    return sn_length2(position) < (sn_real)(SN_RIGID_FAR * SN_RIGID_FAR);
}

bool sn_rigid_is_speed(sn_vec3 velocity, sn_vec3 angular_velocity) {
    return sn_length2(velocity) < (sn_real)1e16 && sn_length2(angular_velocity) < (sn_real)1e12;
}

static bool is_given(sn_vec3 v) {
    return v.x != 0 || v.y != 0 || v.z != 0;
}

static int dynamic_errors(const sn_log *log, const sn_rigid_def *d) {
    int count = 0;
    if (sn_finite3(d->position) && !sn_rigid_is_place(d->position))
        count += sn_def_error(log, "position", "must be within 1e12 m");
    if (d->geometry == SN_GEOMETRY_PLANE && d->part_count == 0)
        count += sn_def_error(log, "dynamic", "needs a sphere, a pill, a box, a hull, a closed mesh, or parts");
    if (!sn_between(d->density, (sn_real)1e-3, (sn_real)1e6))
        count += sn_def_error(log, "density", "must be from 1e-3 to 1e6 kg/m^3");
    if (!(d->mass == 0 || sn_between(d->mass, (sn_real)1e-9, (sn_real)1e12)))
        count += sn_def_error(log, "mass", "must be 0 or from 1e-9 to 1e12 kg");
    const sn_real x = d->inertia.x, y = d->inertia.y, z = d->inertia.z;
    const bool good = x > 0 && y > 0 && z > 0 && sn_finite(x + y + z) && x <= y + z && y <= z + x && z <= x + y;
    if (is_given(d->inertia) && !good)
        count += sn_def_error(log, "inertia", "must be three positive moments, none above the sum of the others");
    const sn_real smallest = sn_min(d->half.x, sn_min(d->half.y, d->half.z));
    const bool box = d->geometry == SN_GEOMETRY_BOX && d->part_count == 0;
    if (box ? !(d->rounding >= 0 && d->rounding <= (sn_real)0.9 * smallest)
            : !(d->rounding == 0 || (sn_rigid_part_count(d) > 0 && is_size(d->rounding))))
        count += sn_def_error(log, "rounding",
                              "must be from 0 to 0.9 of the smallest half edge of a box, 0 or more of a hull; else 0");
    const sn_vec3 none = {0, 0, 0};
    if (!sn_rigid_is_speed(d->velocity, none)) count += sn_def_error(log, "velocity", "must be below 1e8 m/s");
    if (!sn_rigid_is_speed(none, d->angular_velocity))
        count += sn_def_error(log, "angular_velocity", "must be below 1e6 rad/s");
    return count;
}

static int geometry_errors(const sn_log *log, const sn_rigid_def *d) {
    int count = 0;
    switch (d->geometry) {
    case SN_GEOMETRY_PLANE:
    case SN_GEOMETRY_MESH:
    case SN_GEOMETRY_HULL:
        break;
    case SN_GEOMETRY_PILL:
        if (!sn_finite3(d->ends[0]) || !sn_finite3(d->ends[1]))
            count += sn_def_error(log, "ends", "must be finite numbers");
        if (!is_size(d->radii[1])) count += sn_def_error(log, "radii[1]", "must be from 1e-7 to 1e7 m");
        if (!is_size(d->radii[0])) count += sn_def_error(log, "radii[0]", "must be from 1e-7 to 1e7 m");
        break;
    case SN_GEOMETRY_SPHERE:
        if (!is_size(d->radii[0])) count += sn_def_error(log, "radii[0]", "must be from 1e-7 to 1e7 m");
        break;
    case SN_GEOMETRY_BOX:
        if (!is_size(d->half.x) || !is_size(d->half.y) || !is_size(d->half.z))
            count += sn_def_error(log, "half", "each must be from 1e-7 to 1e7 m");
        break;
    default:
        count += sn_def_error(log, "geometry", "must be one of sn_geometry_kind");
    }
    return count;
}

int sn_rigid_errors(const sn_log *log, const sn_rigid_def *d) {
    int count = sn_surface_errors(log, &d->surface);
    if (!sn_finite3(d->position)) count += sn_def_error(log, "position", "must be finite numbers");
    if (d->part_count == 0) count += geometry_errors(log, d);
    return count + (d->dynamic ? dynamic_errors(log, d) : 0);
}

// ---- slots

void sn_rigid_free(sn_rigid_system *s, sn_rigid_body *body) {
    if (!body) return;
    sn_triangle_bvh_free(s->memory, &body->collider.bvh);
    sn_rigid_free_parts(s->memory, body);
    sn_rigid_free_dynamic(s->memory, body->dynamic);
    sn_free(s->memory, body, 1, sizeof *body);
}

int sn_rigid_add(sn_rigid_system *s, sn_rigid_body *body) {
    const int slot = sn_slots_next(&s->slots, s->memory);
    if (slot < 0) return -1;
    sn_slots_acquire(&s->slots, slot);
    s->slots.at[slot].item = body;
    s->body_count++;
    s->dynamic_count += body->dynamic != NULL;
    return slot;
}

static void remove_body(void *what, int slot) {
    sn_rigid_system *s = what;
    s->dynamic_count -= sn_rigid_in(s, slot)->dynamic != NULL;
    sn_rigid_free(s, sn_rigid_in(s, slot));
    sn_slots_drop(&s->slots, slot);
    s->body_count--;
}

static sn_status create(const sn_kind_setup *setup, void **system) {
    sn_rigid_system *s = sn_alloc(setup->memory, 1, sizeof *s);
    *system = s;
    if (!s) return SN_ERR_MEMORY;
    *s = (sn_rigid_system){.memory = setup->memory, .log = setup->log, .slots.free = -1};
    return SN_OK;
}

static void destroy(void *what) {
    sn_rigid_system *s = what;
    for (int i = 0; i < s->slots.count; i++) sn_rigid_free(s, sn_rigid_in(s, i));
    sn_slots_free(&s->slots, s->memory);
    sn_free(s->memory, s, 1, sizeof *s);
}

static sn_slots *slots(void *what) {
    return &((sn_rigid_system *)what)->slots;
}

static int count(void *what) {
    return ((const sn_rigid_system *)what)->body_count;
}

static int64_t dofs(void *what) {
    return 6 * (int64_t)((const sn_rigid_system *)what)->dynamic_count;
}

static sn_energy energy(void *what, int slot, sn_vec3 gravity) {
    const sn_rigid_dynamic *d = sn_rigid_dynamic_in(what, slot);
    if (!d) return (sn_energy){0};
    const double g[3] = {(double)gravity.x, (double)gravity.y, (double)gravity.z};
    return (sn_energy){.kinetic = sn_rigid_kinetic_energy(d, &d->now),
                       .potential = -d->mass.mass * d3_dot(g, d->now.place)};
}

static void add_momentum(const sn_rigid_dynamic *d, sn_momentum *to) {
    double about[3], linear[3];
    for (int k = 0; k < 3; k++) linear[k] = d->mass.mass * d->now.velocity[k];
    d3_cross(d->now.place, linear, about);
    for (int k = 0; k < 3; k++) to->linear[k] += linear[k], to->angular[k] += about[k] + d->now.momentum[k];
}

static void measure(void *what, sn_vec3 gravity, sn_totals *totals) {
    const sn_rigid_system *s = what;
    for (int i = 0; i < s->slots.count; i++) {
        const sn_rigid_dynamic *d = sn_rigid_dynamic_in(s, i);
        if (!d) continue;
        const sn_energy e = energy(what, i, gravity);
        totals->energy.kinetic += e.kinetic, totals->energy.potential += e.potential;
        add_momentum(d, &totals->momentum);
    }
}

static uint64_t hash(void *what, uint64_t before) {
    const sn_rigid_system *s = what;
    for (int i = 0; i < s->slots.count; i++) {
        if (!sn_rigid_in(s, i)) continue;
        const sn_transform *p = &sn_rigid_in(s, i)->collider.now;
        const sn_real pose[7] = {p->position.x, p->position.y, p->position.z, p->rotation.x,
                                 p->rotation.y, p->rotation.z, p->rotation.w};
        before = sn_hash_reals(before, pose, 7);
        const sn_rigid_dynamic *d = sn_rigid_dynamic_in(s, i);
        if (!d) continue;
        sn_real motion[6];
        for (int k = 0; k < 3; k++)
            motion[k] = (sn_real)d->now.velocity[k], motion[3 + k] = (sn_real)d->now.momentum[k];
        before = sn_hash_reals(before, motion, 6);
    }
    return before;
}

// ---- one body

static int get_points(void *what, int slot, sn_vec3 *out, int capacity) {
    if (out && capacity > 0) *out = sn_rigid_in(what, slot)->collider.now.position;
    return 1;
}

static int get_velocities(void *what, int slot, sn_vec3 *out, int capacity) {
    const sn_rigid_dynamic *d = sn_rigid_dynamic_in(what, slot);
    if (!d) return 0;
    const double *v = d->now.velocity;
    if (out && capacity > 0) *out = sn_v3((sn_real)v[0], (sn_real)v[1], (sn_real)v[2]);
    return 1;
}

static int get_masses(void *what, int slot, sn_real *out, int capacity) {
    const sn_rigid_dynamic *d = sn_rigid_dynamic_in(what, slot);
    if (d && out && capacity > 0) *out = (sn_real)d->mass.mass;
    return d ? 1 : 0;
}

static double mass(void *what, int slot) {
    const sn_rigid_dynamic *d = sn_rigid_dynamic_in(what, slot);
    return d ? d->mass.mass : 0;
}

static double volume(void *what, int slot, bool at_rest) {
    (void)at_rest;
    const sn_collider *c = &sn_rigid_in(what, slot)->collider;
    if (c->kind == SN_GEOMETRY_HULL) return sn_rigid_dynamic_in(what, slot)->volume;
    const double pi = 3.14159265358979323846;
    switch (c->kind) {
    case SN_GEOMETRY_SPHERE:
        return 4 * pi / 3 * (double)c->radii[0] * (double)c->radii[0] * (double)c->radii[0];
    case SN_GEOMETRY_BOX:
        return 8 * (double)c->half.x * (double)c->half.y * (double)c->half.z;
    case SN_GEOMETRY_PILL: {
        const sn_pill pill = sn_collider_pill(c, &c->now);
        return (double)sn_pill_volume(&pill);
    }
    default:
        return 0; // a plane and an open mesh have none
    }
}

// Bounds end here, in m: the sums of larger numbers overflow.
#define FAR ((sn_real)1e30)

static sn_vec3 clamp_far(sn_vec3 v) {
    return sn_v3(sn_clamp(v.x, -FAR, FAR), sn_clamp(v.y, -FAR, FAR), sn_clamp(v.z, -FAR, FAR));
}

static void grow(sn_box3 *box, sn_vec3 at, sn_real radius) {
    const sn_vec3 lo = sn_v3(at.x - radius, at.y - radius, at.z - radius);
    const sn_vec3 hi = sn_v3(at.x + radius, at.y + radius, at.z + radius);
    box->min = sn_v3(sn_min(box->min.x, lo.x), sn_min(box->min.y, lo.y), sn_min(box->min.z, lo.z));
    box->max = sn_v3(sn_max(box->max.x, hi.x), sn_max(box->max.y, hi.y), sn_max(box->max.z, hi.z));
}

static sn_box3 bounds_of_parts(const sn_rigid_body *body) {
    sn_box3 box = {sn_v3(FAR, FAR, FAR), sn_v3(-FAR, -FAR, -FAR)};
    const sn_transform *t = &body->collider.now;
    for (int i = 0; i < body->convex_count; i++) {
        const sn_rigid_convex *part = &body->convex[i];
        const sn_hull *hull = &part->hull;
        for (int k = 0; k < hull->vertex_count; k++) grow(&box, sn_transform_point(t, hull->vertices[k]), 0);
        for (int k = 0; k < 2 && hull->vertex_count == 0; k++)
            grow(&box, sn_transform_point(t, part->ends[k]), part->radii[k]);
    }
    return (sn_box3){clamp_far(box.min), clamp_far(box.max)};
}

static sn_box3 bounds(void *what, int slot) {
    const sn_collider *c = &sn_rigid_in(what, slot)->collider;
    const sn_transform *t = &c->now;
    if (c->kind == SN_GEOMETRY_HULL) return bounds_of_parts(sn_rigid_in(what, slot));
    if (c->kind == SN_GEOMETRY_PLANE) return (sn_box3){sn_v3(-FAR, -FAR, -FAR), sn_v3(FAR, FAR, FAR)};
    sn_box3 box = {sn_v3(FAR, FAR, FAR), sn_v3(-FAR, -FAR, -FAR)};
    if (c->kind == SN_GEOMETRY_SPHERE || c->kind == SN_GEOMETRY_PILL) {
        const sn_pill pill = sn_collider_pill(c, t);
        const sn_bounds b = sn_pill_bounds(&pill);
        return (sn_box3){clamp_far(b.lo), clamp_far(b.hi)};
    }
    sn_vec3 lo = sn_mul(-1, c->half), hi = c->half;
    if (c->kind == SN_GEOMETRY_MESH) lo = c->bvh.nodes[0].bounds.lo, hi = c->bvh.nodes[0].bounds.hi;
    for (int k = 0; k < 8; k++) {
        const sn_vec3 corner =
            clamp_far(sn_transform_point(t, sn_v3(k & 1 ? hi.x : lo.x, k & 2 ? hi.y : lo.y, k & 4 ? hi.z : lo.z)));
        box.min = sn_v3(sn_min(box.min.x, corner.x), sn_min(box.min.y, corner.y), sn_min(box.min.z, corner.z));
        box.max = sn_v3(sn_max(box.max.x, corner.x), sn_max(box.max.y, corner.y), sn_max(box.max.z, corner.z));
    }
    return box;
}

static sn_status set_contact(void *what, int slot, const sn_contact_settings *settings) {
    sn_rigid_body *body = sn_rigid_in(what, slot);
    body->base.contact = *settings;
    body->base.contact.self_collide = false;
    body->collider.surface = settings->surface;
    body->collider.disabled = !settings->collide;
    return SN_OK;
}

static sn_collider *collider(void *what, int slot) {
    sn_rigid_body *body = sn_rigid_in(what, slot);
    return body && !body->dynamic ? &body->collider : NULL;
}

// Of a dynamic body too.
static sn_collider *geometry(void *what, int slot) {
    sn_rigid_body *body = sn_rigid_in(what, slot);
    return body ? &body->collider : NULL;
}

// ---- joints hold the frame's pill

static int check_attachment(void *what, int slot, const sn_attachment *at, const sn_attachment_fields *fields,
                            const sn_log *log) {
    (void)what, (void)slot, (void)at, (void)fields, (void)log;
    return 0;
}

static bool attachment_pill(void *what, int slot, const sn_attachment *at, sn_attachment_pill *out) {
    const sn_rigid_dynamic *d = sn_rigid_dynamic_in(what, slot);
    (void)at;
    if (!d) return false;
    *out = (sn_attachment_pill){.pill = d->first_node + 1};
    return true;
}

static sn_attachment_state attachment_state(void *what, int slot, const sn_attachment *at, bool start) {
    const sn_rigid_dynamic *d = sn_rigid_dynamic_in(what, slot);
    const sn_rigid_state *s = start ? &d->start : &d->now;
    const double *x = s->place, *q = s->rotation;
    (void)at;
    return (sn_attachment_state){{(sn_real)x[0], (sn_real)x[1], (sn_real)x[2]},
                                 sn_q_normalize((sn_quat){(sn_real)q[0], (sn_real)q[1], (sn_real)q[2], (sn_real)q[3]})};
}

// ---- stages

static void visit_state(void *what, sn_stream *stream) {
    const sn_rigid_system *s = what;
    for (int i = 0; i < s->slots.count; i++) {
        if (sn_rigid_in(s, i)) sn_visit_bytes(stream, sn_rigid_in(s, i), sizeof(sn_rigid_body));
        if (sn_rigid_dynamic_in(s, i)) sn_visit_bytes(stream, sn_rigid_dynamic_in(s, i), sizeof(sn_rigid_dynamic));
    }
}

static void begin(void *what) {
    const sn_rigid_system *system = what;
    for (int i = 0; i < system->slots.count; i++) {
        if (!sn_rigid_in(system, i)) continue;
        sn_collider *s = &sn_rigid_in(system, i)->collider;
        if (sn_rigid_dynamic_in(system, i)) {
            sn_rigid_dynamic_in(system, i)->diverged = false;
            continue;
        }
        s->origin = s->until = s->now;
        const sn_vec3 motion = sn_sub(s->to.position, s->now.position);
        const sn_quat p = s->to.rotation, now = s->now.rotation;
        s->moves = sn_length2(motion) > 0 || p.x != now.x || p.y != now.y || p.z != now.z || p.w != now.w;
        if (sn_q_dot(s->origin.rotation, s->to.rotation) < 0) {
            const sn_quat q = s->to.rotation;
            s->to.rotation = (sn_quat){-q.x, -q.y, -q.z, -q.w};
        }
    }
}

static void predict(void *what, const sn_stage *stage) {
    const sn_rigid_system *system = what;
    const sn_real share = (sn_real)(stage->substep + 1) / (sn_real)stage->substeps;
    for (int i = 0; i < system->slots.count; i++) {
        const sn_rigid_body *body = sn_rigid_in(system, i);
        if (!body) continue;
        if (body->dynamic) {
            if (body->base.sleep.asleep)
                body->dynamic->start = body->dynamic->goal = body->dynamic->now;
            else
                sn_rigid_predict(body->dynamic, (double)stage->h, stage->gravity);
            continue;
        }
        sn_collider *s = &sn_rigid_in(system, i)->collider;
        s->from = s->until;
        if (stage->substep + 1 == stage->substeps) {
            s->until = s->to;
            continue;
        }
        const sn_quat p = s->origin.rotation, q = s->to.rotation;
        s->until.position = sn_lerp(s->origin.position, s->to.position, share);
        s->until.rotation = sn_q_normalize((sn_quat){p.x + share * (q.x - p.x), p.y + share * (q.y - p.y),
                                                     p.z + share * (q.z - p.z), p.w + share * (q.w - p.w)});
    }
}

static void no_stage(void *what, const sn_stage *stage) {
    (void)what, (void)stage;
}

static void end(void *what, sn_profile *profile) {
    const sn_rigid_system *s = what;
    for (int i = 0; i < s->slots.count; i++) {
        sn_rigid_body *body = sn_rigid_in(s, i);
        if (!body) continue;
        if (!body->dynamic) {
            body->collider.now = body->collider.to;
            continue;
        }
        body->collider.now = body->collider.to = sn_rigid_pose(body->dynamic, &body->dynamic->now);
        profile->diverged += body->dynamic->diverged;
    }
}

static int diverged(void *what, uint64_t *labels, int capacity) {
    const sn_rigid_system *s = what;
    int count = 0;
    for (int i = 0; i < s->slots.count; i++) {
        if (!sn_rigid_dynamic_in(s, i) || !sn_rigid_dynamic_in(s, i)->diverged) continue;
        if (labels && count < capacity) labels[count] = sn_rigid_in(s, i)->base.label;
        count++;
    }
    return count;
}

static void finish(void *what, const sn_stage *stage) {
    const sn_rigid_system *s = what;
    for (int i = 0; i < s->slots.count; i++)
        if (sn_rigid_dynamic_in(s, i) && !sn_rigid_in(s, i)->base.sleep.asleep)
            sn_rigid_finish(sn_rigid_dynamic_in(s, i), (double)stage->h);
}

// Of loads: force times moved, torque times rotation.
static double work(void *what, const sn_stage *stage) {
    const sn_rigid_system *s = what;
    double sum = 0;
    (void)stage;
    for (int i = 0; i < s->slots.count; i++) {
        const sn_rigid_dynamic *d = sn_rigid_dynamic_in(s, i);
        if (!d || sn_rigid_in(s, i)->base.sleep.asleep) continue;
        double moved[3], rotated[3], scalar;
        d3_sub(d->now.place, d->start.place, moved);
        sn_rigid_rotation_error(d->now.rotation, d->start.rotation, rotated, &scalar);
        sum += d3_dot(d->force, moved) + d3_dot(d->torque, rotated);
    }
    return sum;
}

static void normalised_speeds(void *what, sn_real gravity, sn_real *out) {
    const sn_rigid_system *s = what;
    for (int i = 0; i < s->slots.count; i++) {
        const sn_rigid_dynamic *d = sn_rigid_dynamic_in(s, i);
        out[i] = 0;
        if (!d || sn_rigid_in(s, i)->base.sleep.asleep) continue;
        const double scale = (double)gravity * d->mass.mass * (double)d->thickness;
        out[i] = scale > 0 ? sn_sqrt((sn_real)(2 * sn_rigid_kinetic_energy(d, &d->now) / scale)) : 1;
    }
}

const sn_kind_ops sn_rigid_kind = {
    .id = SN_KIND_RIGID,
    .name = "rigid",
    .create = create,
    .destroy = destroy,
    .slots = slots,
    .count = count,
    .dofs = dofs,
    .measure = measure,
    .hash = hash,
    .save = sn_rigid_save,
    .visit_state = visit_state,
    .remove = remove_body,
    .get_points = get_points,
    .get_velocities = get_velocities,
    .get_masses = get_masses,
    .mass = mass,
    .energy = SN_QUERY(energy),
    .volume = SN_QUERY(volume),
    .bounds = SN_QUERY(bounds),
    .set_contact = set_contact,
    .begin = begin,
    .predict = predict,
    .solve = no_stage,
    .finish = finish,
    .work = work,
    .end = end,
    .diverged = diverged,
    .normalised_speeds = normalised_speeds,
    .count_nodes = sn_rigid_count_nodes,
    .count_slabs = sn_rigid_count_slabs,
    .write_proxies = sn_rigid_write_proxies,
    .update_proxies = sn_rigid_update_proxies,
    .couple = sn_rigid_couple,
    .contact_nodes = true,
    .collider = collider,
    .geometry = SN_QUERY(geometry),
    .attaches_anchors = true,
    .attaches_segments = true,
    .check_attachment = check_attachment,
    .attachment_pill = attachment_pill,
    .attachment_state = attachment_state,
};
