// Saving shapes, joints and settings of the contact room. A mesh is saved as its triangles in the order they were given in, so
// that the tree built from them when reading is the same one.
#include "base/validate.h"
#include "couplings/contact/contact.h"
#include <string.h>

static void visit_surface(sn_stream *stream, sn_surface *s) {
    sn_real *numbers[] = {&s->friction_static, &s->friction_dynamic, &s->restitution, &s->compliance};
    for (int k = 0; k < 4; k++) sn_visit_reals(stream, numbers[k], 1);
    sn_visit_u32(stream, &s->group);
    sn_visit_u32(stream, &s->mask);
}

static void visit_pose(sn_stream *stream, sn_pose *pose) {
    sn_visit_reals(stream, &pose->position.x, 3);
    sn_visit_reals(stream, &pose->rotation.x, 4);
    sn_stream_check(stream, sn_q_is_unit(pose->rotation));
}

static void write_mesh(sn_stream *stream, const sn_tree *tree) {
    int count = tree->triangle_count;
    sn_visit_int(stream, &count);
    for (int i = 0; i < count; i++) { // each with its number; reading puts it there
        int32_t source = tree->source[i];
        int number = source;
        sn_triangle t = tree->triangles[i];
        sn_visit_int(stream, &number);
        sn_visit_reals(stream, &t.a.x, 9);
    }
}

static void read_mesh(sn_stream *stream, sn_memory *memory, sn_tree *tree) {
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
            const sn_status status = sn_tree_build(memory, vertices, 3 * count, numbers, count, tree);
            sn_stream_need(stream, status != SN_ERR_MEMORY);
            sn_stream_check(stream, status == SN_OK);
        }
    }
    if (vertices) sn_free(memory, vertices, corners, sizeof *vertices);
    if (numbers) sn_free(memory, numbers, corners, sizeof *numbers);
}

// Whether a shape that was read could have been made.
static bool shape_is_fine(const sn_shape_body *s) {
    static const sn_log silent = {0};
    const sn_shape_def def = {.kind = s->kind,
                              .position = s->now.position,
                              .ends = {s->ends[0], s->ends[1]},
                              .radii = {s->radii[0], s->radii[1]},
                              .half = s->half,
                              .surface = s->surface};
    return sn_shape_mistakes(&silent, &def) == 0 && (s->kind == SN_SHAPE_MESH) == (s->tree.triangle_count > 0);
}

static void visit_shape(sn_stream *stream, sn_memory *memory, sn_shape_body *s) {
    int kind = (int)s->kind;
    sn_visit_bool(stream, &s->alive);
    sn_visit_u32(stream, &s->gen);
    sn_visit_int(stream, &s->next_free);
    sn_stream_check(stream, s->gen != 0);
    if (!s->alive || stream->bad) return;
    sn_visit_int(stream, &kind);
    sn_stream_check(stream, kind >= SN_SHAPE_PLANE && kind <= SN_SHAPE_MESH);
    s->kind = (sn_shape_kind)kind;
    visit_pose(stream, &s->now);
    visit_pose(stream, &s->to);
    sn_visit_reals(stream, &s->ends[0].x, 6);
    sn_visit_reals(stream, s->radii, 2);
    sn_visit_reals(stream, &s->half.x, 3);
    visit_surface(stream, &s->surface);
    sn_visit_u64(stream, &s->label);
    if (stream->mode != SN_STREAM_READ) {
        write_mesh(stream, &s->tree);
        return;
    }
    s->from = s->until = s->origin = s->now;
    s->tree = (sn_tree){0};
    if (!stream->bad) read_mesh(stream, memory, &s->tree);
    if (!stream->bad) sn_stream_check(stream, shape_is_fine(s));
}

static void visit_joint(sn_stream *stream, sn_joint_row *j) {
    sn_visit_bool(stream, &j->alive);
    sn_visit_u32(stream, &j->gen);
    sn_visit_int(stream, &j->next_free);
    sn_stream_check(stream, j->gen != 0);
    if (!j->alive || stream->bad) return;
    sn_joint_def *d = &j->def;
    int kind = (int)d->kind;
    sn_visit_int(stream, &kind);
    sn_stream_check(stream, kind >= SN_JOINT_POINT && kind <= SN_JOINT_WELD);
    d->kind = (sn_joint_kind)kind;
    uint32_t *ids[] = {&d->rod_a.slot1,     &d->rod_a.gen,     &d->rod_b.slot1,     &d->rod_b.gen,
                       &d->shape_b.slot1,   &d->shape_b.gen,   &d->springs_a.slot1, &d->springs_a.gen,
                       &d->springs_b.slot1, &d->springs_b.gen, &d->elastic_a.slot1, &d->elastic_a.gen,
                       &d->elastic_b.slot1, &d->elastic_b.gen, &d->muscles_a.slot1, &d->muscles_a.gen,
                       &d->muscles_b.slot1, &d->muscles_b.gen};
    for (int k = 0; k < (int)(sizeof ids / sizeof *ids); k++) sn_visit_u32(stream, ids[k]);
    sn_visit_int(stream, &d->point_a);
    sn_visit_int(stream, &d->point_b);
    sn_visit_int(stream, &d->segment_a);
    sn_visit_int(stream, &d->segment_b);
    sn_visit_reals(stream, &d->along_a, 1);
    sn_visit_reals(stream, &d->along_b, 1);
    sn_visit_reals(stream, &d->position.x, 3);
    sn_visit_bool(stream, &d->keep_offset);
    sn_visit_bool(stream, &d->touch);
    sn_visit_reals(stream, &d->compliance, 1);
    sn_visit_reals(stream, &d->turn_compliance, 1);
    sn_visit_reals(stream, &d->most_force, 1);
    sn_visit_reals(stream, &d->break_force, 1);
    sn_visit_reals(stream, &j->local.x, 3);
    sn_visit_reals(stream, &j->offset.x, 3);
    sn_visit_reals(stream, &j->from.x, 3);
    sn_quat *turns[] = {&j->relation, &j->turn, &j->back};
    for (int k = 0; k < 3; k++) {
        sn_visit_reals(stream, &turns[k]->x, 4);
        sn_stream_check(stream, sn_q_is_unit(*turns[k]));
    }
    // What it ties, and how, is looked at when all bodies are there: see world/joint_api.c.
    j->pill_a = j->pill_b = -1;
}

// A count of slots and their first free one, with room made when reading.
static bool visit_slots(sn_stream *stream, sn_memory *memory, void **slots, int *count, int *capacity, int *first_free,
                        size_t size) {
    int n = *count;
    sn_visit_int(stream, &n);
    sn_visit_int(stream, first_free);
    if (!sn_stream_check(stream,
                         n >= 0 && *first_free >= -1 && *first_free < n && sn_stream_holds(stream, (size_t)n, 9)))
        return false;
    if (stream->mode == SN_STREAM_READ) {
        if (!sn_stream_need(stream, sn_reserve(memory, slots, capacity, n, size))) return false;
        if (n > 0) memset(*slots, 0, (size_t)n * size);
        *count = n;
    }
    return true;
}

// What the next step starts with, of the pairs that push.
static void visit_carried(sn_stream *stream, sn_contacts *c) {
    int count = 0;
    for (int i = 0; c->carried && i < c->pair_count; i++)
        count += c->carried[2 * i].push > 0 || c->carried[2 * i + 1].push > 0;
    sn_visit_int(stream, &count);
    const size_t least = 2 * sizeof(int32_t) + 2 * sizeof(sn_carried);
    if (!sn_stream_check(stream, count >= 0 && sn_stream_holds(stream, (size_t)count, least))) return;
    if (stream->mode == SN_STREAM_READ) {
        c->pairs = sn_arena_take(&c->arena, (size_t)count, sizeof *c->pairs);
        c->carried = sn_arena_take(&c->arena, 2 * (size_t)count, sizeof *c->carried);
        if (!sn_stream_need(stream, c->pairs && c->carried)) return;
        c->pair_count = count;
        memset(c->pairs, 0, (size_t)count * sizeof *c->pairs);
        memset(c->carried, 0, 2 * (size_t)count * sizeof *c->carried);
    }
    for (int i = 0; c->carried && i < c->pair_count && !stream->bad; i++) {
        sn_carried *carried = &c->carried[2 * i];
        if (stream->mode != SN_STREAM_READ && !(carried[0].push > 0 || carried[1].push > 0)) continue;
        int a = c->pairs[i].a, b = c->pairs[i].b;
        sn_visit_int(stream, &a);
        sn_visit_int(stream, &b);
        sn_visit_reals(stream, &carried->push, 8);
        sn_stream_check(stream, carried[0].push >= 0 && carried[1].push >= 0);
        c->pairs[i] = (sn_pair){a, b};
    }
}

void sn_contacts_save(sn_contacts *c, sn_stream *stream) {
    sn_visit_int(stream, &c->sweeps);
    if (!sn_stream_check(stream, c->sweeps >= 1 && c->sweeps <= 100)) return;
    if (!visit_slots(stream, c->memory, (void **)&c->shapes, &c->shape_count, &c->shape_capacity, &c->free_shape,
                     sizeof *c->shapes))
        return;
    c->live_shapes = 0;
    for (int i = 0; i < c->shape_count && !stream->bad; i++) {
        visit_shape(stream, c->memory, &c->shapes[i]);
        c->live_shapes += c->shapes[i].alive;
    }
    if (!visit_slots(stream, c->memory, (void **)&c->joints, &c->joint_count, &c->joint_capacity, &c->free_joint,
                     sizeof *c->joints))
        return;
    c->live_joints = 0;
    for (int i = 0; i < c->joint_count && !stream->bad; i++) {
        visit_joint(stream, &c->joints[i]);
        c->live_joints += c->joints[i].alive;
        sn_joint_row *j = &c->joints[i];
        if (j->alive && j->def.shape_b.slot1)
            sn_stream_check(stream, j->def.shape_b.slot1 <= (uint32_t)c->shape_count &&
                                        c->shapes[j->def.shape_b.slot1 - 1].alive);
    }
    // Free lists that a hostile file could have bent: walked once, only through slots that are free.
    int seen = 0;
    for (int i = c->free_shape; i >= 0 && !stream->bad; i = c->shapes[i].next_free)
        sn_stream_check(stream, i < c->shape_count && !c->shapes[i].alive && ++seen <= c->shape_count &&
                                    c->shapes[i].next_free < c->shape_count);
    seen = 0;
    for (int i = c->free_joint; i >= 0 && !stream->bad; i = c->joints[i].next_free)
        sn_stream_check(stream, i < c->joint_count && !c->joints[i].alive && ++seen <= c->joint_count &&
                                    c->joints[i].next_free < c->joint_count);
    if (!stream->bad) visit_carried(stream, c);
}
