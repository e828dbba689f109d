// The public calls on joints, and where joints are on their bodies, which the kinds' tables tell.
#include "base/host.h"
#include "couplings/joint/joint.h"
#include <math.h>

#define JOINT_MARK 0x51AE0304u

sn_joint_def sn_joint_def_default(void) {
    return (sn_joint_def){.segment_a = 1, .segment_b = 1, .init_mark = JOINT_MARK};
}

// One side of a joint.
typedef struct {
    sn_body body;
    int row, slot; // of its kind; slot -1: the body was destroyed, or there is none
    bool is_collider;
    const sn_kind_ops *kind;
    void *system;
    sn_attachment at;
    sn_attachment_fields fields;
} joint_side;

static joint_side side_of(const sn_world *world, const sn_joint_def *d, int side) {
    joint_side s = {.body = side ? d->body_b : d->body_a, .row = -1, .slot = -1};
    s.at = side ? (sn_attachment){d->segment_b, d->along_b, d->point_b}
                : (sn_attachment){d->segment_a, d->along_a, d->point_a};
    s.fields = side ? (sn_attachment_fields){"body_b", "segment_b", "along_b", "point_b"}
                    : (sn_attachment_fields){"body_a", "segment_a", "along_a", "point_a"};
    if (s.body.slot1) s.slot = sn_body_slot(world, s.body, &s.row);
    if (s.slot < 0) return s;
    s.kind = sn_kinds[s.row];
    s.system = sn_world_row_system(world, s.row);
    s.is_collider = !s.kind->attachment_pill || (s.kind->collider && s.kind->collider(s.system, s.slot));
    return s;
}

static const sn_collider *collider_of(const joint_side *side) {
    return side->slot >= 0 && side->kind->collider ? side->kind->collider(side->system, side->slot) : NULL;
}

// Where a side is, and how it stands; of a collider and a point of space, at these poses.
static sn_attachment_state state_of(const sn_joint_body *joint, const joint_side *s, int side, bool start,
                                    const sn_transform *fixed) {
    if (s->slot < 0 || s->is_collider)
        return (sn_attachment_state){collider_of(s) ? sn_transform_point(fixed, joint->local) : fixed->position,
                                     fixed->rotation};
    sn_attachment_state state = s->kind->attachment_state(s->system, s->slot, &s->at, start);
    state.point = sn_add(state.point, sn_q_rotate(state.frame, joint->anchor[side]));
    return state;
}

static double dot_of(sn_vec3 a, sn_vec3 b) {
    return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
}

// A coordinate, or its square, of bodies that may be as far apart as there are numbers: it is saved.
static sn_real bounded(double value, bool is_square) {
    return (sn_real)fmax(fmin(is_square ? sqrt(value) : value, 1e30), -1e30);
}

// The coordinate of a joint, now or at the start of the substep; see joint_free.c.
static sn_real coordinate_of(const sn_world *world, const sn_joint_body *joint, bool start) {
    const joint_side a = side_of(world, &joint->def, 0), b = side_of(world, &joint->def, 1);
    if (!sn_joint_has_coordinate(&joint->def) || a.slot < 0 || (joint->def.body_b.slot1 && b.slot < 0)) return 0;
    const sn_collider *c = collider_of(&b);
    const sn_transform space = start ? (sn_transform){joint->goal, joint->goal_rotation}
                                     : (sn_transform){joint->def.position, joint->rotation};
    const sn_attachment_state at_a = state_of(joint, &a, 0, start, NULL), at_b = state_of(joint, &b, 1, start,
                                                                                          !c      ? &space
                                                                                          : start ? &c->from
                                                                                                  : &c->now);
    const sn_vec3 between = sn_sub(at_a.point, sn_add(at_b.point, sn_q_rotate(at_b.frame, joint->offset)));
    if (joint->def.kind == SN_JOINT_DISTANCE) return bounded(dot_of(between, between), true);
    const sn_quat wanted = sn_q_mul(at_b.frame, joint->relation);
    const sn_vec3 n_a = sn_q_rotate(at_a.frame, joint->axis), n_b = sn_q_rotate(wanted, joint->axis);
    if (joint->def.kind == SN_JOINT_SLIDER) return bounded(dot_of(between, n_b), false);
    const sn_real twist = sn_joint_twist(sn_q_mul(at_a.frame, sn_q_conj(wanted)), n_b, n_a);
    return bounded((double)sn_joint_unwrap(twist, joint->value), false);
}

// ---- the running step

// The pill of a side among the proxies of the step; -1: there is none.
static int place_side(sn_joint_body *joint, const joint_side *side, const sn_contacts *c, int which) {
    sn_attachment_pill found;
    if (side->slot < 0 || side->is_collider ||
        !side->kind->attachment_pill(side->system, side->slot, &side->at, &found))
        return -1;
    joint->is_point[which] = found.is_point;
    joint->along[which] = found.along;
    joint->bend[which] = found.bend, joint->twist[which] = found.twist;
    joint->has_anchor[which] = side->kind->attaches_anchors;
    if (joint->has_anchor[which])
        joint->anchor_arm[which] = sn_q_rotate(
            side->kind->attachment_state(side->system, side->slot, &side->at, false).frame, joint->anchor[which]);
    if (which == 1 && found.has_frame) {
        joint->on_bone = true;
        joint->bone[0] = found.frame[0], joint->bone[1] = found.frame[1];
    }
    return c->first_node[side->row] + found.pill;
}

// The index of a body's collider among those of the step.
static int find_collider(const sn_contacts *c, const joint_side *side) {
    int first = 0;
    for (int k = 0; k < side->row; k++)
        if (sn_kinds[k]->collider) first += sn_kinds[k]->slots(sn_world_row_system(c->world, k))->count;
    return first + side->slot;
}

static sn_vec3 arm_of(const sn_joint_body *joint, const joint_side *b) {
    if (!(sn_length2(joint->offset) > 0)) return sn_v3(0, 0, 0);
    sn_quat frame = sn_q_identity();
    if (joint->pill_b >= 0 && !joint->is_point[1])
        frame = b->kind->attachment_state(b->system, b->slot, &b->at, false).frame;
    else if (joint->on_bone)
        frame = joint->bone[0];
    else if (collider_of(b))
        frame = collider_of(b)->origin.rotation;
    return sn_q_rotate(frame, joint->offset);
}

void sn_joints_place(void *what, sn_contacts *c) {
    sn_joints *s = what;
    s->filter = NULL; // it is of the previous step
    for (int i = 0; i < s->count; i++) {
        sn_joint_body *joint = &s->items[i];
        joint->pill_a = joint->pill_b = joint->collider = -1;
        joint->on_bone = joint->has_anchor[0] = joint->has_anchor[1] = false;
        joint->anchor_arm[0] = joint->anchor_arm[1] = sn_v3(0, 0, 0);
        if (!joint->alive) continue;
        const joint_side a = side_of(s->world, &joint->def, 0), b = side_of(s->world, &joint->def, 1);
        joint->pill_a = place_side(joint, &a, c, 0);
        joint->pill_b = place_side(joint, &b, c, 1);
        if (collider_of(&b)) joint->collider = find_collider(c, &b);
        if (b.body.slot1 && joint->pill_b < 0 && joint->collider < 0) joint->pill_a = -1; // side b is missing: inactive
        if (joint->pill_a >= 0) joint->arm = arm_of(joint, &b);
        joint->goal = joint->from, joint->goal_rotation = joint->rotation_from;
    }
}

void sn_joints_begin_substep(void *what, sn_contacts *c) {
    (void)c;
    sn_joints *s = what;
    for (int i = 0; i < s->count; i++) {
        sn_joint_body *joint = &s->items[i];
        const bool lever = sn_length2(joint->offset) > 0 || joint->has_anchor[0] || joint->has_anchor[1],
                   is_free = sn_joint_has_coordinate(&joint->def);
        if (!joint->alive || (joint->def.kind == SN_JOINT_POINT && !lever && !is_free)) continue;
        if (joint->pill_a >= 0 && is_free) joint->value = coordinate_of(s->world, joint, true);
        for (int k = 0; k < 2; k++) {
            if ((k ? joint->pill_b : joint->pill_a) < 0 || joint->is_point[k]) continue;
            const joint_side side = side_of(s->world, &joint->def, k);
            joint->frame[k] = side.kind->attachment_state(side.system, side.slot, &side.at, true).frame;
        }
    }
}

// ---- checks

static int side_errors(const sn_log *log, const joint_side *s) {
    if (s->slot < 0) return sn_def_error(log, s->fields.body, "no such body");
    return s->kind->check_attachment(s->system, s->slot, &s->at, &s->fields, log);
}

static bool same_place(const joint_side *a, const joint_side *b) {
    if (a->body.kind != b->body.kind || a->body.slot1 != b->body.slot1) return false;
    if (a->kind->attaches_anchors) return true;
    return a->kind->attaches_segments ? a->at.segment == b->at.segment : a->at.point == b->at.point;
}

static bool is_motor(const sn_joint_motor *m) {
    const sn_real large = (sn_real)1e12;
    return sn_between(m->stiffness, 0, large) && sn_between(m->damping, 0, large) &&
           sn_between(m->max_force, 0, large) && sn_between(m->target, -1000000, 1000000) &&
           sn_between(m->speed, -1000000, 1000000);
}

static bool uses_coordinate(const sn_joint_def *d) {
    return d->limited || d->friction > 0 || d->motor.stiffness > 0 || d->motor.damping > 0;
}

static int coordinate_errors(const sn_log *log, const sn_joint_def *d) {
    int count = 0;
    const sn_real size2 = sn_length2(d->axis), far = (sn_real)1e6;
    const bool hinge = d->kind == SN_JOINT_DIRECTION || d->kind == SN_JOINT_POINT;
    const bool may_have_axis = hinge || d->kind == SN_JOINT_SLIDER;
    if (!sn_finite3(d->axis) || !sn_finite(size2) || (size2 > 0 && !may_have_axis))
        count += sn_def_error(log, "axis", "must be finite numbers, and zero for welds and distances");
    else if (d->kind == SN_JOINT_SLIDER && !(size2 > 0))
        count += sn_def_error(log, "axis", "must be the direction in which the joint slides, is zero");
    else if (hinge && !(size2 > 0) && (uses_coordinate(d) || d->swing > 0))
        count += sn_def_error(log, "axis", "must be that of the limits, the motor or the friction, is zero");
    if (d->kind == SN_JOINT_WELD && uses_coordinate(d))
        count += sn_def_error(log, "kind", "must leave something free to have limits, a motor or friction");
    if (d->limited && !(sn_between(d->lower, -far, far) && sn_between(d->upper, d->lower, far)))
        count += sn_def_error(log, "upper", "must be at least lower, and both from -1e6 to 1e6");
    else if (!sn_finite(d->lower) || !sn_finite(d->upper)) // they are saved
        count += sn_def_error(log, "upper", "must be a finite number, and lower too");
    if (!sn_between(d->swing, 0, SN_PI) || (d->swing > 0 && d->kind != SN_JOINT_POINT))
        count += sn_def_error(log, "swing", "must be from 0 to pi, and 0 unless kind is SN_JOINT_POINT");
    if (!is_motor(&d->motor))
        count += sn_def_error(log, "motor",
                              "stiffness, damping and max_force must be from 0 to 1e12, others from -1e6 to 1e6");
    if (!sn_between(d->friction, 0, (sn_real)1e12)) count += sn_def_error(log, "friction", "must be from 0 to 1e12");
    if (!sn_between(d->break_torque, 0, (sn_real)1e12))
        count += sn_def_error(log, "break_torque", "must be from 0 to 1e12 N m");
    return count;
}

int sn_joint_errors(const sn_world *world, const sn_log *log, const sn_joint_def *def) {
    const joint_side a = side_of(world, def, 0), b = side_of(world, def, 1);
    int count = 0;
    if (a.is_collider)
        count += sn_def_error(log, "body_a", "must not be a static or kinematic rigid body; make it body_b");
    else
        count += side_errors(log, &a);
    if (b.body.slot1 && !b.is_collider) count += side_errors(log, &b);
    if (!sn_finite3(def->position)) count += sn_def_error(log, "position", "must be finite numbers");
    if (!sn_finite3(def->position_b)) count += sn_def_error(log, "position_b", "must be finite numbers");
    if (!(def->compliance >= 0 && def->compliance <= 1000))
        count += sn_def_error(log, "compliance", "must be from 0 to 1000 m/N");
    if (!(def->angular_compliance >= 0 && def->angular_compliance <= (sn_real)1e6))
        count += sn_def_error(log, "angular_compliance", "must be from 0 to 1e6 rad/(N m)");
    if (!(def->max_force >= 0 && def->max_force <= (sn_real)1e12))
        count += sn_def_error(log, "max_force", "must be from 0 to 1e12 N");
    if (!(def->break_force >= 0 && def->break_force <= (sn_real)1e12))
        count += sn_def_error(log, "break_force", "must be from 0 to 1e12 N");
    const bool points = (a.kind && !a.is_collider && !a.kind->attaches_segments) ||
                        (b.kind && !b.is_collider && !b.kind->attaches_segments);
    const bool directed = def->kind != SN_JOINT_POINT && def->kind != SN_JOINT_DISTANCE;
    if ((int)def->kind < SN_JOINT_POINT || def->kind > SN_JOINT_DISTANCE)
        return count + sn_def_error(log, "kind", "must be one of sn_joint_kind");
    if ((directed || sn_length2(def->axis) > 0) && points)
        count += sn_def_error(
            log, "kind",
            "must be SN_JOINT_POINT or SN_JOINT_DISTANCE, without an axis: points have no direction to hold");
    count += coordinate_errors(log, def);
    if (a.kind && b.kind && !a.is_collider && same_place(&a, &b))
        count += a.kind->attaches_anchors    ? sn_def_error(log, "body_b", "a body cannot be joined to itself")
                 : a.kind->attaches_segments ? sn_def_error(log, "segment_b", "a segment cannot be joined to itself")
                                             : sn_def_error(log, "point_b", "a point cannot be joined to itself");
    return count;
}

// ---- create and destroy

// The joint's position in the frame of a side.
static void note_anchor(sn_joint_body *joint, int side, sn_attachment_state *state) {
    joint->anchor[side] = sn_q_rotate(sn_q_conj(state->frame), sn_sub(joint->def.position, state->point));
    state->point = joint->def.position;
}

// The current relation between the two sides.
static void note_relation(const sn_world *world, sn_joint_body *joint) {
    const sn_joint_def *d = &joint->def;
    const joint_side a = side_of(world, d, 0), b = side_of(world, d, 1);
    sn_attachment_state state_a = a.kind->attachment_state(a.system, a.slot, &a.at, false);
    joint->anchor[0] = joint->anchor[1] = sn_v3(0, 0, 0);
    if (a.kind->attaches_anchors) note_anchor(joint, 0, &state_a);
    if (d->kind == SN_JOINT_DISTANCE) joint->def.position = joint->from = d->position_b; // from here on that of side b
    sn_attachment_state state_b = {d->position, sn_q_identity()};
    if (collider_of(&b)) {
        const sn_transform *now = &collider_of(&b)->now;
        joint->local = sn_transform_inverse_point(now, d->position);
        state_b.frame = now->rotation;
    } else if (b.slot >= 0 && !b.is_collider)
        state_b = b.kind->attachment_state(b.system, b.slot, &b.at, false);
    if (b.slot >= 0 && !b.is_collider && b.kind->attaches_anchors) note_anchor(joint, 1, &state_b);
    if (d->keep_offset) joint->offset = sn_q_rotate(sn_q_conj(state_b.frame), sn_sub(state_a.point, state_b.point));
    joint->axis = sn_q_rotate(sn_q_conj(state_a.frame), sn_normalize(d->axis, sn_v3(0, 0, 0)));
    joint->relation = sn_q_normalize(sn_q_mul(sn_q_conj(state_b.frame), state_a.frame));
    joint->rest = joint->value = coordinate_of(world, joint, false);
}

// Wakes the bodies of a joint that changes; they wake what they press on.
static void wake_sides(const sn_world *world, const sn_joint_body *joint) {
    for (int k = 0; k < 2; k++) {
        const joint_side side = side_of(world, &joint->def, k);
        if (side.slot >= 0)
            sn_body_base_at(side.kind->slots(side.system), side.slot)->sleep = (sn_sleep_state){false, 0};
    }
}

static sn_joint_body *find_joint(const sn_world *world, sn_joint id) {
    const sn_joints *s = world ? sn_world_joints(world) : NULL;
    if (!s || id.slot1 == 0 || id.slot1 > (uint32_t)s->count) return NULL;
    sn_joint_body *joint = &s->items[id.slot1 - 1];
    return joint->alive && joint->gen == id.gen ? joint : NULL;
}

sn_status sn_joint_create(sn_world *world, const sn_joint_def *def, sn_joint *out) {
    if (out) *out = (sn_joint){0, 0};
    if (!world || !def || !out) return SN_ERR_RANGE;
    const sn_status status = sn_world_check_edit(world);
    if (status != SN_OK) return status;
    sn_joints *s = sn_world_joints(world);
    if (def->init_mark != JOINT_MARK) return sn_def_unmarked(s->log, "sn_joint_def_default");
    if (sn_joint_errors(world, s->log, def)) return SN_ERR_DEF;
    if (s->free_item < 0) {
        if (!sn_reserve(s->memory, (void **)&s->items, &s->capacity, s->count + 1, sizeof *s->items))
            return SN_ERR_MEMORY;
        s->items[s->count] = (sn_joint_body){.gen = 1, .next_free = -1};
        s->free_item = s->count++;
    }
    sn_joint_body *joint = &s->items[s->free_item];
    *out = (sn_joint){(uint32_t)s->free_item + 1, joint->gen};
    s->free_item = joint->next_free;
    *joint = (sn_joint_body){.alive = true,
                             .gen = joint->gen,
                             .next_free = -1,
                             .def = *def,
                             .pill_a = -1,
                             .pill_b = -1,
                             .collider = -1,
                             .from = def->position,
                             .rotation = sn_q_identity(),
                             .rotation_from = sn_q_identity()};
    note_relation(world, joint);
    s->alive++;
    wake_sides(world, joint);
    return SN_OK;
}

sn_status sn_joint_destroy(sn_world *world, sn_joint id) {
    const sn_status status = sn_world_check_edit(world);
    if (status != SN_OK) return status;
    const sn_joint_body *joint = find_joint(world, id);
    if (!joint) return SN_ERR_STALE_ID;
    wake_sides(world, joint);
    sn_joint_remove(sn_world_joints(world), (int)id.slot1 - 1);
    return SN_OK;
}

// ---- readers

bool sn_joint_exists(const sn_world *world, sn_joint id) {
    return find_joint(world, id) != NULL;
}

void *sn_joint_user(const sn_world *world, sn_joint id) {
    const sn_joint_body *joint = find_joint(world, id);
    return joint ? joint->user : NULL;
}

sn_status sn_joint_set_user(sn_world *world, sn_joint id, void *user) {
    const sn_status status = sn_world_check_edit(world);
    if (status != SN_OK) return status;
    sn_joint_body *joint = find_joint(world, id);
    if (!joint) return SN_ERR_STALE_ID;
    joint->user = user;
    return SN_OK;
}

int sn_world_joint_count(const sn_world *world) {
    return world ? sn_world_joints(world)->alive : 0;
}

sn_joint sn_world_joint_at(const sn_world *world, int i) {
    const sn_joints *s = world ? sn_world_joints(world) : NULL;
    for (int k = 0; s && i >= 0 && k < s->count; k++)
        if (s->items[k].alive && i-- == 0) return (sn_joint){(uint32_t)k + 1, s->items[k].gen};
    return (sn_joint){0, 0};
}

sn_status sn_joint_get_def(const sn_world *world, sn_joint id, sn_joint_def *out) {
    const sn_joint_body *joint = find_joint(world, id);
    if (!world || !out) return SN_ERR_RANGE;
    if (!joint) return SN_ERR_STALE_ID;
    *out = joint->def;
    return SN_OK;
}

sn_status sn_joint_set_motor(sn_world *world, sn_joint id, const sn_joint_motor *motor) {
    const sn_status status = sn_world_check_edit(world);
    if (status != SN_OK) return status;
    sn_joint_body *joint = find_joint(world, id);
    if (!joint) return SN_ERR_STALE_ID;
    if (!motor || !is_motor(motor) || !sn_joint_has_coordinate(&joint->def)) return SN_ERR_RANGE;
    joint->def.motor = *motor;
    wake_sides(world, joint);
    return SN_OK;
}

sn_real sn_joint_coordinate(const sn_world *world, sn_joint id) {
    const sn_joint_body *joint = find_joint(world, id);
    if (!joint || sn_world_is_stepping(world)) return 0;
    return coordinate_of(world, joint, false);
}

sn_real sn_joint_force(const sn_world *world, sn_joint id) {
    const sn_joint_body *joint = find_joint(world, id);
    return joint ? joint->force : 0;
}

sn_real sn_joint_torque(const sn_world *world, sn_joint id) {
    const sn_joint_body *joint = find_joint(world, id);
    return joint ? joint->torque : 0;
}

sn_status sn_joint_get_reaction(const sn_world *world, sn_joint id, sn_vec3 *force, sn_vec3 *torque, sn_vec3 *point) {
    const sn_joint_body *joint = find_joint(world, id);
    if (!world || !force || !torque) return SN_ERR_RANGE;
    if (sn_world_is_stepping(world)) return SN_ERR_BUSY;
    if (!joint) return SN_ERR_STALE_ID;
    *force = joint->all_force, *torque = joint->all_torque;
    const joint_side a = side_of(world, &joint->def, 0);
    if (point) *point = state_of(joint, &a, 0, false, NULL).point;
    return SN_OK;
}

sn_quat sn_joint_rotation(const sn_world *world, sn_joint id) {
    const sn_joint_body *joint = find_joint(world, id);
    return joint ? joint->rotation : (sn_quat){0, 0, 0, 1};
}

// ---- joints to a point of space, which the user drives

static sn_status find_driven(sn_world *world, sn_joint id, sn_joint_body **out) {
    const sn_status status = sn_world_check_edit(world);
    *out = NULL;
    if (status != SN_OK) return status;
    sn_joint_body *joint = find_joint(world, id);
    if (!joint) return SN_ERR_STALE_ID;
    if (joint->def.body_b.slot1) return SN_ERR_RANGE;
    *out = joint;
    return SN_OK;
}

sn_status sn_joint_move(sn_world *world, sn_joint id, sn_vec3 position) {
    sn_joint_body *joint;
    const sn_status status = find_driven(world, id, &joint);
    if (status != SN_OK) return status;
    if (!sn_finite3(position)) return SN_ERR_RANGE;
    joint->def.position = position;
    wake_sides(world, joint);
    return SN_OK;
}

sn_status sn_joint_rotate(sn_world *world, sn_joint id, sn_quat rotation) {
    sn_joint_body *joint;
    const sn_status status = find_driven(world, id, &joint);
    if (status != SN_OK) return status;
    const sn_real size = sn_q_dot(rotation, rotation);
    if (!(size > (sn_real)1e-12) || !sn_finite(size)) return SN_ERR_RANGE;
    joint->rotation = sn_q_normalize(rotation);
    wake_sides(world, joint);
    return SN_OK;
}
