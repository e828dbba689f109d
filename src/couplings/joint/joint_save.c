// Saving joints.
#include "base/validate.h"
#include "couplings/joint/joint.h"
#include <string.h>

static void visit_joint(sn_stream *stream, sn_joint_body *j) {
    sn_visit_bool(stream, &j->alive);
    sn_visit_u32(stream, &j->gen);
    sn_visit_int(stream, &j->next_free);
    sn_stream_check(stream, j->gen != 0);
    if (!j->alive || stream->bad) return;
    sn_joint_def *d = &j->def;
    int kind = (int)d->kind;
    sn_visit_int(stream, &kind);
    sn_stream_check(stream, kind >= SN_JOINT_POINT && kind <= SN_JOINT_DISTANCE);
    if (stream->mode == SN_STREAM_READ) d->kind = (sn_joint_kind)kind;
    sn_visit_body(stream, &d->body_a);
    sn_visit_body(stream, &d->body_b);
    sn_visit_int(stream, &d->point_a);
    sn_visit_int(stream, &d->point_b);
    sn_visit_int(stream, &d->segment_a);
    sn_visit_int(stream, &d->segment_b);
    sn_visit_reals(stream, &d->along_a, 1);
    sn_visit_reals(stream, &d->along_b, 1);
    sn_visit_reals(stream, &d->position.x, 3);
    sn_visit_reals(stream, &d->position_b.x, 3);
    sn_visit_bool(stream, &d->keep_offset);
    sn_visit_bool(stream, &d->collide);
    sn_visit_reals(stream, &d->compliance, 1);
    sn_visit_reals(stream, &d->angular_compliance, 1);
    sn_visit_reals(stream, &d->max_force, 1);
    sn_visit_reals(stream, &d->break_force, 1);
    sn_visit_reals(stream, &d->axis.x, 3);
    sn_visit_bool(stream, &d->limited);
    sn_real *numbers[] = {&d->lower,        &d->upper,           &d->swing,         &d->friction,
                          &d->break_torque, &d->motor.stiffness, &d->motor.damping, &d->motor.target,
                          &d->motor.speed,  &d->motor.max_force, &j->rest,          &j->value};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        sn_visit_reals(stream, numbers[k], 1);
        sn_stream_check(stream, sn_finite(*numbers[k]));
    }
    sn_visit_reals(stream, j->free_force, SN_JOINT_FREE_PARTS);
    sn_visit_reals(stream, &j->axis.x, 3);
    sn_visit_reals(stream, &j->anchor[0].x, 6);
    sn_visit_reals(stream, &j->local.x, 3);
    sn_visit_reals(stream, &j->offset.x, 3);
    sn_visit_reals(stream, &j->from.x, 3);
    sn_quat *rotations[] = {&j->relation, &j->rotation, &j->rotation_from};
    for (int k = 0; k < 3; k++) {
        sn_visit_reals(stream, &rotations[k]->x, 4);
        sn_stream_check(stream, sn_q_is_unit(*rotations[k]));
    }
    sn_visit_reals(stream, &j->reaction.x, 3);
    sn_visit_reals(stream, &j->reaction_torque.x, 3);
    sn_visit_reals(stream, &j->all_force.x, 3);
    sn_visit_reals(stream, &j->all_torque.x, 3);
    // Its bodies are checked once all joints are read.
    if (stream->mode == SN_STREAM_READ) j->pill_a = j->pill_b = j->collider = -1;
}

void sn_joints_save(void *what, sn_stream *stream) {
    sn_joints *s = what;
    int count = s->count;
    sn_visit_int(stream, &count);
    sn_visit_int(stream, &s->free_item);
    if (!sn_stream_check(stream, count >= 0 && s->free_item >= -1 && s->free_item < count &&
                                     sn_stream_holds(stream, (size_t)count, 9)))
        return;
    if (stream->mode == SN_STREAM_READ) {
        if (!sn_stream_need(stream, sn_reserve(s->memory, (void **)&s->items, &s->capacity, count, sizeof *s->items)))
            return;
        if (count > 0) memset(s->items, 0, (size_t)count * sizeof *s->items);
        s->count = count;
    }
    int alive = 0;
    for (int i = 0; i < s->count && !stream->bad; i++) {
        visit_joint(stream, &s->items[i]);
        alive += s->items[i].alive;
    }
    if (stream->mode == SN_STREAM_READ) s->alive = alive;
    if (stream->mode != SN_STREAM_READ || stream->bad) return;
    static const sn_log silent = {0};
    for (int i = 0; i < s->count && !stream->bad; i++)
        if (s->items[i].alive) sn_stream_check(stream, sn_joint_errors(s->world, &silent, &s->items[i].def) == 0);
    // A hostile free list may contain a used slot or a cycle.
    int seen = 0;
    for (int i = s->free_item; i >= 0 && !stream->bad; i = s->items[i].next_free)
        sn_stream_check(stream,
                        i < s->count && !s->items[i].alive && ++seen <= s->count && s->items[i].next_free < s->count);
}
