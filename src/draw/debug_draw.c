// Debug drawing: geometry from a snapshot; frames, contacts and joints from the world.
#include "couplings/joint/joint.h"
#include "query/snapshot.h"
#include "sinew/draw.h"

sn_debug_draw sn_debug_draw_default(void) {
    return (sn_debug_draw){.what = SN_DRAW_ALL, .frame_length = (sn_real)0.1, .plane_size = 10};
}

static void line(const sn_debug_draw *d, sn_vec3 a, sn_vec3 b, uint32_t colour) {
    if (d->line) d->line(d->user, a, b, colour);
}

// ---- geometry

static void draw_quad(const sn_debug_draw *d, const sn_vec3 corner[4], uint32_t colour) {
    d->triangle(d->user, corner[0], corner[1], corner[2], colour);
    d->triangle(d->user, corner[0], corner[2], corner[3], colour);
}

static void draw_box(const sn_debug_draw *d, const sn_box *box, uint32_t colour) {
    const sn_vec3 axis[3] = {sn_mul(box->half.x, sn_q_axis_x(box->rotation)),
                             sn_mul(box->half.y, sn_q_axis_y(box->rotation)),
                             sn_mul(box->half.z, sn_q_axis_z(box->rotation))};
    for (int k = 0; k < 3; k++)
        for (int side = -1; side <= 1; side += 2) {
            const sn_vec3 middle = sn_mul_add(box->centre, (sn_real)side, axis[k]);
            const sn_vec3 u = axis[(k + 1) % 3], v = sn_mul((sn_real)side, axis[(k + 2) % 3]);
            const sn_vec3 low = sn_sub(middle, u), high = sn_add(middle, u);
            const sn_vec3 corner[4] = {sn_sub(low, v), sn_sub(high, v), sn_add(high, v), sn_add(low, v)};
            draw_quad(d, corner, colour);
        }
}

static void draw_plane(const sn_debug_draw *d, const sn_plane *plane, uint32_t colour) {
    sn_vec3 u, v;
    sn_tangents(plane->normal, &u, &v);
    u = sn_mul(d->plane_size, u), v = sn_mul(d->plane_size, v);
    const sn_vec3 low = sn_sub(plane->point, u), high = sn_add(plane->point, u);
    const sn_vec3 corner[4] = {sn_sub(low, v), sn_sub(high, v), sn_add(high, v), sn_add(low, v)};
    draw_quad(d, corner, colour);
}

// Both sides, at the distance of the radii from the triangle of the centres; a cone as a pill.
static void draw_slab(const sn_debug_draw *d, const sn_slab *s, uint32_t colour) {
    const sn_vec3 across = sn_cross(sn_sub(s->c[1], s->c[0]), sn_sub(s->c[2], s->c[0]));
    if (!(sn_length2(across) > 0)) {
        if (d->pill) d->pill(d->user, s->c[0], s->c[1], s->r[0], s->r[1], colour);
        return;
    }
    const sn_vec3 n = sn_normalize(across, sn_v3(0, 1, 0));
    for (int side = -1; side <= 1 && d->triangle; side += 2) {
        sn_vec3 x[3];
        for (int k = 0; k < 3; k++) x[k] = sn_mul_add(s->c[k], (sn_real)side * s->r[k], n);
        d->triangle(d->user, x[0], side > 0 ? x[1] : x[2], side > 0 ? x[2] : x[1], colour);
    }
}

static void draw_element(const sn_debug_draw *d, const sn_query_body *b, const sn_query_primitive *p, uint32_t colour) {
    switch (p->form) {
    case SN_QUERY_PILL:
        if (d->pill) d->pill(d->user, p->as.pill.a, p->as.pill.b, p->as.pill.ra, p->as.pill.rb, colour);
        break;
    case SN_QUERY_SLAB:
        draw_slab(d, &p->as.slab, colour);
        break;
    case SN_QUERY_BOX:
        if (d->triangle) draw_box(d, &p->as.box, colour);
        break;
    case SN_QUERY_PLANE:
        if (d->triangle) draw_plane(d, &p->as.plane, colour);
        break;
    default:
        if (d->triangle)
            d->triangle(d->user, sn_transform_point(&b->pose, p->as.triangle.a),
                        sn_transform_point(&b->pose, p->as.triangle.b), sn_transform_point(&b->pose, p->as.triangle.c),
                        colour);
    }
}

void sn_snapshot_draw(const sn_snapshot *s, const sn_debug_draw *d) {
    if (!s || !d || !(d->what & SN_DRAW_GEOMETRY)) return;
    for (int i = 0; i < s->count; i++) {
        const sn_query_body *b = s->bodies[i];
        const uint32_t colour = !b->moves ? SN_COLOUR_FIXED : b->asleep ? SN_COLOUR_SLEEPS : SN_COLOUR_MOVES;
        for (int k = 0; k < b->count; k++) draw_element(d, b, &b->elements[k].primitive, colour);
    }
}

// ---- frames

static void draw_frame(const sn_debug_draw *d, sn_vec3 at, sn_quat q) {
    line(d, at, sn_mul_add(at, d->frame_length, sn_q_axis_x(q)), 0xE0453AFFu);
    line(d, at, sn_mul_add(at, d->frame_length, sn_q_axis_y(q)), 0x4FB05AFFu);
    line(d, at, sn_mul_add(at, d->frame_length, sn_q_axis_z(q)), 0x3D6FE0FFu);
}

static void draw_frames(const sn_world *world, const sn_debug_draw *d) {
    const sn_log silent = {0};
    const sn_attachment_fields fields = {"", "", "", ""};
    for (int i = 0; i < sn_world_body_count(world); i++) {
        int row;
        const sn_body body = sn_world_body_at(world, i);
        const int slot = sn_body_slot(world, body, &row);
        const sn_kind_ops *kind = sn_kinds[row];
        void *system = sn_world_row_system(world, row);
        const sn_collider *rigid = kind->geometry ? kind->geometry(system, slot) : NULL;
        if (rigid) draw_frame(d, rigid->now.position, rigid->now.rotation);
        if (rigid || !kind->attaches_segments) continue;
        for (int k = 0; k < sn_body_point_count(world, body); k++) {
            const sn_attachment at = {.segment = k, .along = (sn_real)0.5};
            if (kind->check_attachment(system, slot, &at, &fields, &silent) != 0) continue;
            const sn_attachment_state state = kind->attachment_state(system, slot, &at, false);
            draw_frame(d, state.point, state.frame);
        }
    }
}

// ---- joints

// Where a side of a joint holds its body.
static bool side_point(const sn_world *world, const sn_joint_body *joint, int side, sn_vec3 *out) {
    const sn_joint_def *def = &joint->def;
    const sn_body body = side ? def->body_b : def->body_a;
    int row;
    *out = def->position;
    if (side && !body.slot1) return true;
    const int slot = sn_body_slot(world, body, &row);
    if (slot < 0) return false;
    const sn_kind_ops *kind = sn_kinds[row];
    void *system = sn_world_row_system(world, row);
    const sn_collider *fixed = kind->collider ? kind->collider(system, slot) : NULL;
    const sn_attachment at = {side ? def->segment_b : def->segment_a, side ? def->along_b : def->along_a,
                              side ? def->point_b : def->point_a};
    if (fixed) *out = sn_transform_point(&fixed->now, joint->local);
    if (fixed || !kind->attachment_state) return fixed != NULL;
    const sn_attachment_state state = kind->attachment_state(system, slot, &at, false);
    *out = kind->attaches_anchors ? sn_add(state.point, sn_q_rotate(state.frame, joint->anchor[side])) : state.point;
    return true;
}

static void draw_joints(const sn_world *world, const sn_debug_draw *d) {
    const sn_joints *s = sn_world_joints(world);
    for (int i = 0; i < s->count; i++) {
        sn_vec3 a, b;
        if (s->items[i].alive && side_point(world, &s->items[i], 0, &a) && side_point(world, &s->items[i], 1, &b))
            line(d, a, b, SN_COLOUR_JOINT);
    }
}

// ---- contacts

static void draw_contact(const void *user, const sn_contact *contact) {
    const sn_debug_draw *d = user;
    const sn_real length = d->force_length > 0 ? d->force_length * contact->force : d->frame_length;
    line(d, contact->point, sn_mul_add(contact->point, length, contact->normal), SN_COLOUR_CONTACT);
}

void sn_world_draw(const sn_world *world, const sn_debug_draw *d) {
    if (!world || !d || !d->line || sn_world_is_stepping(world)) return;
    if (d->what & SN_DRAW_FRAMES) draw_frames(world, d);
    if (d->what & SN_DRAW_JOINTS) draw_joints(world, d);
    if (d->what & SN_DRAW_CONTACTS) sn_contacts_each(world, draw_contact, d);
}
