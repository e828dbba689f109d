// The system of all rigid bodies. A body moves from its pose to its target pose evenly over the substeps of a step:
// positions linearly, rotations by normalised linear interpolation of quaternions.
#include "kinds/rigid/rigid.h"
#include "base/hash.h"
#include "base/math/vec.h"
#include "geometry/contact_surface.h"

static bool is_size(sn_real x) {
    return sn_between(x, (sn_real)1e-7, (sn_real)1e7);
}

int sn_rigid_errors(const sn_log *log, const sn_rigid_def *d) {
    int count = sn_surface_errors(log, &d->surface);
    if (!sn_finite3(d->position)) count += sn_def_error(log, "position", "must be finite numbers");
    switch (d->geometry) {
    case SN_GEOMETRY_PLANE:
    case SN_GEOMETRY_MESH:
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

// ---- slots

void sn_rigid_free(sn_rigid_system *s, sn_rigid_body *body) {
    if (!body) return;
    sn_triangle_bvh_free(s->memory, &body->collider.bvh);
    sn_free(s->memory, body, 1, sizeof *body);
}

int sn_rigid_add(sn_rigid_system *s, sn_rigid_body *body) {
    const int slot = sn_slots_next(&s->slots, s->memory);
    if (slot < 0) return -1;
    sn_slots_acquire(&s->slots, slot);
    s->slots.at[slot].item = body;
    s->body_count++;
    return slot;
}

static void remove_body(void *what, int slot) {
    sn_rigid_system *s = what;
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
    (void)what;
    return 0;
}

static void measure(void *what, sn_vec3 gravity, sn_totals *totals) {
    (void)what, (void)gravity, (void)totals;
}

static uint64_t hash(void *what, uint64_t before) {
    const sn_rigid_system *s = what;
    for (int i = 0; i < s->slots.count; i++) {
        if (!sn_rigid_in(s, i)) continue;
        const sn_transform *p = &sn_rigid_in(s, i)->collider.now;
        const sn_real pose[7] = {p->position.x, p->position.y, p->position.z, p->rotation.x,
                                 p->rotation.y, p->rotation.z, p->rotation.w};
        before = sn_hash_reals(before, pose, 7);
    }
    return before;
}

// ---- one body

static int get_points(void *what, int slot, sn_vec3 *out, int capacity) {
    if (out && capacity > 0) *out = sn_rigid_in(what, slot)->collider.now.position;
    return 1;
}

static double volume(void *what, int slot, bool at_rest) {
    (void)at_rest;
    const sn_collider *c = &sn_rigid_in(what, slot)->collider;
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

static sn_box3 bounds(void *what, int slot) {
    const sn_collider *c = &sn_rigid_in(what, slot)->collider;
    const sn_transform *t = &c->now;
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
    return body ? &body->collider : NULL;
}

// ---- stages

static void visit_state(void *what, sn_stream *stream) {
    const sn_rigid_system *s = what;
    for (int i = 0; i < s->slots.count; i++)
        if (sn_rigid_in(s, i)) sn_visit_bytes(stream, sn_rigid_in(s, i), sizeof(sn_rigid_body));
}

static void begin(void *what) {
    const sn_rigid_system *system = what;
    for (int i = 0; i < system->slots.count; i++) {
        if (!sn_rigid_in(system, i)) continue;
        sn_collider *s = &sn_rigid_in(system, i)->collider;
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
        if (!sn_rigid_in(system, i)) continue;
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
    (void)profile;
    const sn_rigid_system *s = what;
    for (int i = 0; i < s->slots.count; i++)
        if (sn_rigid_in(s, i)) sn_rigid_in(s, i)->collider.now = sn_rigid_in(s, i)->collider.to;
}

static int diverged(void *what, uint64_t *labels, int capacity) {
    (void)what, (void)labels, (void)capacity;
    return 0;
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
    .volume = SN_QUERY(volume),
    .bounds = SN_QUERY(bounds),
    .set_contact = set_contact,
    .begin = begin,
    .predict = predict,
    .solve = no_stage,
    .finish = no_stage,
    .end = end,
    .diverged = diverged,
    .collider = collider,
};
