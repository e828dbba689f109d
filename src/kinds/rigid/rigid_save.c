// Saving rigid bodies. A mesh is saved as its triangles in their original order, so that reading builds the same BVH.
#include "base/validate.h"
#include "kinds/rigid/rigid.h"

static void visit_surface(sn_stream *stream, sn_surface *s) {
    sn_real *numbers[] = {&s->friction_static, &s->friction_dynamic, &s->restitution,
                          &s->compliance,      &s->rolling,          &s->torsion};
    for (int k = 0; k < 6; k++) sn_visit_reals(stream, numbers[k], 1);
    sn_visit_u32(stream, &s->group);
    sn_visit_u32(stream, &s->mask);
}

static void visit_transform(sn_stream *stream, sn_transform *t) {
    sn_visit_reals(stream, &t->position.x, 3);
    sn_visit_reals(stream, &t->rotation.x, 4);
    sn_stream_check(stream, sn_q_is_unit(t->rotation));
}

static void write_mesh(sn_stream *stream, const sn_triangle_bvh *bvh) {
    int count = bvh->triangle_count;
    sn_visit_int(stream, &count);
    for (int i = 0; i < count; i++) { // each with its index; reading puts it there
        int32_t source = bvh->source[i];
        int number = source;
        sn_triangle t = bvh->triangles[i];
        sn_visit_int(stream, &number);
        sn_visit_reals(stream, &t.a.x, 9);
    }
}

static void read_mesh(sn_stream *stream, sn_memory *memory, sn_triangle_bvh *bvh) {
    int count = 0;
    sn_visit_int(stream, &count);
    if (!sn_stream_check(stream, count >= 0 && sn_stream_holds(stream, (size_t)count, 9 * sizeof(sn_real)))) return;
    if (!sn_stream_check(stream, count < INT32_MAX / 3)) return;
    const size_t corners = 3 * (size_t)count;
    sn_vec3 *vertices = sn_alloc(memory, corners, sizeof *vertices);
    int32_t *numbers = sn_alloc(memory, corners, sizeof *numbers);
    if (sn_stream_need(stream, vertices && numbers)) {
        for (int i = 0; i < count && !stream->bad; i++) {
            int number = 0;
            sn_visit_int(stream, &number);
            if (sn_stream_check(stream, number >= 0 && number < count))
                sn_visit_reals(stream, &vertices[3 * number].x, 9);
        }
        for (size_t i = 0; i < corners; i++) numbers[i] = (int32_t)i;
        if (!stream->bad) {
            const sn_status status = sn_triangle_bvh_build(memory, vertices, 3 * count, numbers, count, bvh);
            sn_stream_need(stream, status != SN_ERR_MEMORY);
            sn_stream_check(stream, status == SN_OK);
        }
    }
    if (vertices) sn_free(memory, vertices, corners, sizeof *vertices);
    if (numbers) sn_free(memory, numbers, corners, sizeof *numbers);
}

// Whether a body that was read is one that could have been created; a dynamic one may have flown farther than it may start.
static bool is_valid(const sn_rigid_body *body) {
    static const sn_log silent = {0};
    const sn_collider *c = &body->collider;
    const bool parts = body->convex_count > 0;
    if ((c->kind == SN_GEOMETRY_HULL) != parts || (parts && !body->dynamic)) return false;
    const sn_rigid_def def = {.dynamic = body->dynamic != NULL,
                              .density = 1000,
                              .rounding = body->rounding,
                              .geometry = c->kind,
                              .position = body->dynamic ? (sn_vec3){0, 0, 0} : c->now.position,
                              .ends = {c->ends[0], c->ends[1]},
                              .radii = {c->radii[0], c->radii[1]},
                              .half = c->half,
                              .surface = c->surface};
    return sn_finite3(c->now.position) && sn_rigid_errors(&silent, &def) == 0 &&
           (c->kind == SN_GEOMETRY_MESH) == (c->bvh.triangle_count > 0);
}

static void visit_doubles(sn_stream *stream, double *values, int count) {
    for (int k = 0; k < count; k++) {
        sn_visit_double(stream, &values[k]);
        sn_stream_check(stream, sn_finite((sn_real)values[k]));
    }
}

static void visit_hull(sn_stream *stream, sn_memory *memory, sn_hull *hull) {
    int vertices = hull->vertex_count;
    sn_visit_int(stream, &vertices);
    if (vertices == 0 || stream->bad) return;
    sn_hull read = *hull;
    sn_vec3 vertex[SN_HULL_VERTICES];
    int32_t face[SN_HULL_FACES][3];
    if (stream->mode == SN_STREAM_READ) {
        if (!sn_stream_check(stream, vertices >= 4 && vertices <= SN_HULL_VERTICES)) return;
        read = (sn_hull){vertex, face, vertices, 2 * vertices - 4};
    }
    sn_visit_reals(stream, &read.vertices[0].x, 3 * (size_t)read.vertex_count);
    for (int i = 0; i < 3 * read.face_count; i++) {
        int number = stream->mode == SN_STREAM_READ ? 0 : read.faces[i / 3][i % 3];
        sn_visit_int(stream, &number);
        if (stream->mode == SN_STREAM_READ) read.faces[i / 3][i % 3] = number;
    }
    if (stream->mode != SN_STREAM_READ || stream->bad || !sn_stream_check(stream, sn_hull_is_convex(&read))) return;
    sn_stream_need(stream, sn_hull_copy(memory, &read, hull) == SN_OK);
}

static void visit_parts(sn_stream *stream, sn_memory *memory, sn_rigid_body *body) {
    int count = body->convex_count;
    sn_visit_int(stream, &count);
    if (stream->mode == SN_STREAM_READ && count != 0) {
        if (!sn_stream_check(stream, count > 0 && sn_stream_holds(stream, (size_t)count, 4 + 8 * sizeof(sn_real))))
            return;
        body->convex = sn_alloc(memory, (size_t)count, sizeof *body->convex);
        if (!sn_stream_need(stream, body->convex != NULL)) return;
        body->convex_count = count;
    }
    for (int i = 0; i < body->convex_count && !stream->bad; i++) {
        sn_rigid_convex *part = &body->convex[i];
        sn_visit_reals(stream, &part->ends[0].x, 6);
        sn_visit_reals(stream, part->radii, 2);
        visit_hull(stream, memory, &part->hull);
        const bool pill = part->hull.vertex_count == 0;
        sn_stream_check(stream,
                        !pill || (part->radii[0] > 0 && part->radii[1] > 0 && sn_finite(part->radii[0]) &&
                                  sn_finite(part->radii[1]) && sn_finite3(part->ends[0]) && sn_finite3(part->ends[1])));
    }
}

static void visit_dynamic(sn_stream *stream, sn_memory *memory, sn_rigid_body *body) {
    bool dynamic = body->dynamic != NULL;
    sn_visit_bool(stream, &dynamic);
    if (!dynamic || stream->bad) return;
    sn_visit_reals(stream, &body->rounding, 1);
    if (stream->mode == SN_STREAM_READ) {
        body->dynamic = sn_alloc(memory, 1, sizeof *body->dynamic);
        if (!sn_stream_need(stream, body->dynamic != NULL)) return;
        *body->dynamic = (sn_rigid_dynamic){0};
    }
    sn_rigid_dynamic *d = body->dynamic;
    visit_doubles(stream, &d->volume, 1);
    visit_doubles(stream, &d->mass.mass, 1);
    visit_doubles(stream, d->mass.centre, 3);
    for (int i = 0; i < 3; i++) visit_doubles(stream, d->mass.inertia[i], 3);
    visit_doubles(stream, d->force, 3);
    visit_doubles(stream, d->torque, 3);
    visit_doubles(stream, d->now.place, 3);
    visit_doubles(stream, d->now.rotation, 4);
    visit_doubles(stream, d->now.velocity, 3);
    visit_doubles(stream, d->now.momentum, 3);
    sn_visit_bool(stream, &body->base.sleep.asleep);
    sn_visit_reals(stream, &body->base.sleep.still, 1);
    if (stream->mode != SN_STREAM_READ || stream->bad) return;
    const double *q = d->now.rotation, size = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    sn_stream_check(stream, sn_rigid_is_mass(&d->mass) && size > 0.999 && size < 1.001);
}

static void visit_body(sn_stream *stream, sn_memory *memory, sn_rigid_body *body) {
    sn_collider *c = &body->collider;
    int kind = (int)c->kind;
    sn_visit_int(stream, &kind);
    sn_stream_check(stream, kind >= SN_GEOMETRY_PLANE && kind <= SN_GEOMETRY_HULL);
    if (stream->mode == SN_STREAM_READ) c->kind = (sn_geometry_kind)kind;
    visit_transform(stream, &c->now);
    visit_transform(stream, &c->to);
    sn_visit_reals(stream, &c->ends[0].x, 6);
    sn_visit_reals(stream, c->radii, 2);
    sn_visit_reals(stream, &c->half.x, 3);
    visit_surface(stream, &c->surface);
    sn_visit_bool(stream, &body->base.contact.collide);
    sn_visit_u64(stream, &body->base.label);
    visit_dynamic(stream, memory, body);
    visit_parts(stream, memory, body);
    if (stream->mode != SN_STREAM_READ) {
        write_mesh(stream, &c->bvh);
        return;
    }
    c->from = c->until = c->origin = c->now;
    body->base.contact.surface = c->surface;
    c->disabled = !body->base.contact.collide;
    if (!stream->bad) read_mesh(stream, memory, &c->bvh);
    if (!stream->bad) sn_stream_check(stream, is_valid(body));
    if (stream->bad || !body->dynamic) return;
    sn_rigid_invert(body->dynamic->mass.inertia, body->dynamic->inverse_inertia);
    sn_stream_need(stream, sn_rigid_build_solid(memory, body));
    body->dynamic->start = body->dynamic->goal = body->dynamic->now;
}

void sn_rigid_save(void *what, sn_stream *stream) {
    sn_rigid_system *s = what;
    if (!sn_slots_visit(&s->slots, s->memory, stream)) return;
    for (int i = 0; i < s->slots.count && !stream->bad; i++) {
        if (!sn_slots_visit_one(&s->slots, i, stream)) continue;
        if (stream->mode == SN_STREAM_READ) {
            s->slots.at[i].item = sn_alloc(s->memory, 1, sizeof(sn_rigid_body));
            if (!sn_stream_need(stream, s->slots.at[i].item != NULL)) return;
            *sn_rigid_in(s, i) = (sn_rigid_body){0};
            s->body_count++;
        }
        visit_body(stream, s->memory, sn_rigid_in(s, i));
        if (stream->mode == SN_STREAM_READ) s->dynamic_count += sn_rigid_in(s, i)->dynamic != NULL;
    }
    sn_slots_check_list(&s->slots, stream);
}
