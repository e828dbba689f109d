// The public calls on joints, and what joints need to know of bodies: which pill a side is, and how rods stand.
#include "world/world.h"
#include <stddef.h>

#define JOINT_MARK 0x51AE0302u

sn_joint_def sn_joint_def_default(void) {
    return (sn_joint_def){.segment_a = 1, .segment_b = 1, .init_mark = JOINT_MARK};
}

// One side of a joint, as its definition has it.
typedef struct {
    sn_rod rod;
    int segment;
    sn_real along;
    int kind;  // of a body that is no rod, tied by one of its points; -1: there is none
    int kinds; // 2: several were named
    uint32_t slot1, gen;
    int point;
    // what mistakes are called
    const char *rod_field, *segment_field, *along_field, *body_field, *point_field;
} joint_side;

static joint_side side_of(const sn_joint_def *d, int side) {
    joint_side s = {.rod = side ? d->rod_b : d->rod_a,
                    .segment = side ? d->segment_b : d->segment_a,
                    .along = side ? d->along_b : d->along_a,
                    .kind = -1,
                    .point = side ? d->point_b : d->point_a,
                    .rod_field = side ? "rod_b" : "rod_a",
                    .segment_field = side ? "segment_b" : "segment_a",
                    .along_field = side ? "along_b" : "along_a",
                    .point_field = side ? "point_b" : "point_a"};
    const sn_springs springs = side ? d->springs_b : d->springs_a;
    if (springs.slot1) {
        s.kind = KIND_SPRINGS, s.slot1 = springs.slot1, s.gen = springs.gen;
        s.body_field = side ? "springs_b" : "springs_a";
    }
    const sn_elastic elastic = side ? d->elastic_b : d->elastic_a;
    if (elastic.slot1) {
        s.kinds = s.kind >= 0 ? 2 : 1;
        s.kind = KIND_ELASTIC, s.slot1 = elastic.slot1, s.gen = elastic.gen;
        s.body_field = side ? "elastic_b" : "elastic_a";
    }
    const sn_muscles muscles = side ? d->muscles_b : d->muscles_a;
    if (muscles.slot1) {
        s.kinds = s.kind >= 0 ? 2 : 1;
        s.kind = KIND_MUSCLES, s.slot1 = muscles.slot1, s.gen = muscles.gen;
        s.body_field = side ? "muscles_b" : "muscles_a";
    }
    return s;
}

static bool is_body(const joint_side *side) {
    return side->kind >= 0 || side->rod.slot1 != 0;
}

// The slot of a side that is no rod, -1 if it is gone.
static int slot_of(const sn_world *world, const joint_side *side) {
    return sn_kinds[side->kind]->find(world->systems[side->kind], side->slot1, side->gen);
}

static bool side_lives(const sn_world *world, const joint_side *side) {
    return side->kind >= 0 ? slot_of(world, side) >= 0 : sn_rod_find(sn_rods(world), side->rod) != NULL;
}

// Whether a side is a point of something that turns, such as a bone, and how that is turned before and after the step.
static bool turn_of(const sn_world *world, const joint_side *side, sn_quat turn[2]) {
    const sn_kind *kind = side->kind >= 0 ? sn_kinds[side->kind] : NULL;
    return kind && kind->point_turn &&
           kind->point_turn(world->systems[side->kind], slot_of(world, side), side->point, turn);
}

int sn_world_joint_pill(const sn_world *world, sn_joint_row *joint, int which) {
    const joint_side side = side_of(&joint->def, which);
    joint->on_bone = false;
    joint->plain[which] = side.kind >= 0;
    joint->along[which] = side.kind >= 0 ? 1 : side.along;
    if (side.kind >= 0) {
        const int slot = slot_of(world, &side);
        void *system = world->systems[side.kind];
        if (slot < 0 || side.point < 0 || side.point >= sn_kinds[side.kind]->points(system, slot)) return -2;
        joint->on_bone = which == 1 && turn_of(world, &side, joint->bone);
        return world->first_node[side.kind] + sn_kinds[side.kind]->point_node(system, slot, side.point);
    }
    const sn_rod_body *body = sn_rod_find(sn_rods(world), side.rod);
    if (!body || side.segment < 0 || side.segment >= body->points) return -1;
    int block = body->block_of_point[side.segment];
    return body->parent[block] < 0 ? -1 : world->first_node[KIND_ROD] + body->first_node + block;
}

static sn_joint_row *find_joint(const sn_world *world, sn_joint id) {
    if (!world || id.slot1 == 0 || id.slot1 > (uint32_t)world->contacts.joint_count) return NULL;
    sn_joint_row *joint = &world->contacts.joints[id.slot1 - 1];
    return joint->alive && joint->gen == id.gen ? joint : NULL;
}

static int wrong_side(const sn_world *world, const sn_log *log, const joint_side *s) {
    if (s->kind >= 0) {
        if (s->rod.slot1 || s->kinds > 1)
            return sn_wrong(log, s->body_field, "must be null when another body is given for that side");
        const int slot = slot_of(world, s);
        if (slot < 0) return sn_wrong(log, s->body_field, "names no living body");
        const int points = sn_kinds[s->kind]->points(world->systems[s->kind], slot);
        if (s->point >= 0 && s->point < points) return 0;
        if (points == 0) return sn_wrong(log, s->body_field, "has no points: it does not touch");
        return sn_wrong(log, s->point_field, "the body has points 0 to %d, not %d", points - 1, s->point);
    }
    const sn_rod_body *body = sn_rod_find(sn_rods(world), s->rod);
    if (!body) return sn_wrong(log, s->rod_field, "names no living rod");
    int count = 0;
    if (s->segment < 0 || s->segment >= body->points || body->parent[body->block_of_point[s->segment]] < 0)
        count += sn_wrong(log, s->segment_field, "the rod has no such segment");
    if (!(s->along >= 0 && s->along <= 1)) count += sn_wrong(log, s->along_field, "must be from 0 to 1");
    return count;
}

// A segment of a rod as it is now, or as it was at the start of the substep.
typedef struct {
    sn_vec3 a, b; // its parent's point and its own
    sn_quat frame;
} segment_state;

static segment_state segment_of(const sn_world *world, sn_rod rod, int segment, bool start) {
    const sn_rod_system *s = sn_rods(world);
    const sn_rod_body *body = sn_rod_find(s, rod);
    const sn_packet *packet = sn_rod_packet_of(s, body);
    int block = body->block_of_point[segment];
    sn_real a[X_ROWS], b[X_ROWS];
    sn_rod_get(s, body, start ? packet->x0 : packet->x, X_ROWS, body->parent[block], a);
    sn_rod_get(s, body, start ? packet->x0 : packet->x, X_ROWS, block, b);
    return (segment_state){sn_v3(a[X_CX], a[X_CY], a[X_CZ]), sn_v3(b[X_CX], b[X_CY], b[X_CZ]),
                           (sn_quat){b[X_QX], b[X_QY], b[X_QZ], b[X_QW]}};
}

// Its frame, the third axis along its points.
static sn_quat stand_of(const segment_state *segment) {
    sn_vec3 along = sn_normalize(sn_sub(segment->b, segment->a), sn_q_axis_z(segment->frame));
    return sn_joint_align(segment->frame, along);
}

// Whether a joint has to know how side b stands.
static bool wants_stand(const sn_joint_row *joint) {
    return joint->def.kind != SN_JOINT_POINT || sn_length2(joint->offset) > 0;
}

// Where a side is, and how it stands; points do not turn, save those of bones.
static void place_side(const sn_world *world, const joint_side *side, sn_vec3 *point, sn_quat *stand) {
    if (side->kind >= 0) {
        *point = sn_kinds[side->kind]->point_at(world->systems[side->kind], slot_of(world, side), side->point);
        sn_quat turn[2];
        *stand = turn_of(world, side, turn) ? turn[0] : sn_q_identity();
        return;
    }
    const segment_state segment = segment_of(world, side->rod, side->segment, false);
    *point = sn_lerp(segment.a, segment.b, side->along);
    *stand = stand_of(&segment);
}

// Notes how the two sides are to each other.
static void note_relation(sn_world *world, sn_joint_row *joint) {
    const sn_joint_def *d = &joint->def;
    const joint_side sides[2] = {side_of(d, 0), side_of(d, 1)};
    sn_vec3 point_a, point_b = d->position;
    sn_quat stand_a, stand_b = sn_q_identity();
    place_side(world, &sides[0], &point_a, &stand_a);
    if (is_body(&sides[1])) {
        place_side(world, &sides[1], &point_b, &stand_b);
    } else if (d->shape_b.slot1) {
        const sn_pose *pose = &world->contacts.shapes[d->shape_b.slot1 - 1].now;
        joint->local = sn_pose_local(pose, d->position);
        stand_b = pose->rotation;
    }
    if (d->keep_offset) joint->offset = sn_q_rotate(sn_q_conj(stand_b), sn_sub(point_a, point_b));
    joint->relation = sn_q_normalize(sn_q_mul(sn_q_conj(stand_b), stand_a));
}

// What a joint ties must not sleep through a change of it; what they press on is woken by them.
static void wake_sides(sn_world *world, const sn_joint_row *joint) {
    for (int k = 0; k < 2; k++) {
        const joint_side side = side_of(&joint->def, k);
        const int slot = side.kind >= 0 ? slot_of(world, &side) : -1;
        sn_rod_body *body = sn_rod_find(sn_rods(world), side.rod);
        sn_rest *rest = slot >= 0 ? sn_kinds[side.kind]->rest(world->systems[side.kind], slot) : NULL;
        if (rest) *rest = (sn_rest){false, 0};
        if (body) body->rest = (sn_rest){false, 0};
    }
}

void sn_world_joints_substep(sn_world *world) {
    const sn_contacts *c = &world->contacts;
    for (int i = 0; i < c->joint_count; i++) {
        sn_joint_row *joint = &c->joints[i];
        joint->push = joint->twist = sn_v3(0, 0, 0);
        if (!joint->alive || !wants_stand(joint)) continue;
        if (joint->pill_a >= 0 && !joint->plain[0])
            joint->stand[0] = segment_of(world, joint->def.rod_a, joint->def.segment_a, true).frame;
        if (joint->pill_b >= 0 && !joint->plain[1])
            joint->stand[1] = segment_of(world, joint->def.rod_b, joint->def.segment_b, true).frame;
    }
}

sn_vec3 sn_world_joint_arm(const sn_world *world, const sn_joint_row *joint) {
    if (!(sn_length2(joint->offset) > 0)) return sn_v3(0, 0, 0);
    sn_quat stand = sn_q_identity();
    if (joint->pill_b >= 0 && !joint->plain[1]) {
        const segment_state segment = segment_of(world, joint->def.rod_b, joint->def.segment_b, false);
        stand = stand_of(&segment);
    } else if (joint->on_bone)
        stand = joint->bone[0];
    else if (joint->pill_b < 0 && joint->def.shape_b.slot1)
        stand = world->contacts.shapes[joint->def.shape_b.slot1 - 1].origin.rotation;
    return sn_q_rotate(stand, joint->offset);
}

// Says a line for every bad field; how many there are.
static int mistakes_of(const sn_world *world, const sn_log *log, const sn_joint_def *def) {
    const joint_side a = side_of(def, 0), b = side_of(def, 1);
    int count = wrong_side(world, log, &a);
    if (is_body(&b)) count += wrong_side(world, log, &b);
    if (def->shape_b.slot1 && !sn_shape_exists(world, def->shape_b))
        count += sn_wrong(log, "shape_b", "names no living shape");
    if (is_body(&b) && def->shape_b.slot1)
        count += sn_wrong(log, "shape_b", "must be null when a body is given for side b");
    if (!sn_finite3(def->position)) count += sn_wrong(log, "position", "must be finite numbers");
    if (!(def->compliance >= 0 && def->compliance <= 1000))
        count += sn_wrong(log, "compliance", "must be from 0 to 1000 m/N");
    if (!(def->turn_compliance >= 0 && def->turn_compliance <= (sn_real)1e6))
        count += sn_wrong(log, "turn_compliance", "must be from 0 to 1e6 rad/(N m)");
    if (!(def->most_force >= 0 && def->most_force <= (sn_real)1e12))
        count += sn_wrong(log, "most_force", "must be from 0 to 1e12 N");
    if (!(def->break_force >= 0 && def->break_force <= (sn_real)1e12))
        count += sn_wrong(log, "break_force", "must be from 0 to 1e12 N");
    if ((int)def->kind < SN_JOINT_POINT || def->kind > SN_JOINT_WELD)
        count += sn_wrong(log, "kind", "must be one of sn_joint_kind");
    else if (def->kind != SN_JOINT_POINT && (a.kind >= 0 || b.kind >= 0))
        count += sn_wrong(log, "kind", "must be SN_JOINT_POINT: only rods have a direction to hold");
    if (a.kind >= 0 && a.kind == b.kind && a.slot1 == b.slot1 && a.point == b.point)
        count += sn_wrong(log, b.point_field, "a point cannot be tied to itself");
    if (def->rod_b.slot1 && def->rod_b.slot1 == def->rod_a.slot1 && def->segment_b == def->segment_a)
        count += sn_wrong(log, "segment_b", "a segment cannot be tied to itself");
    return count;
}

bool sn_world_joints_are_fine(const sn_world *world) {
    static const sn_log silent = {0};
    for (int i = 0; i < world->contacts.joint_count; i++)
        if (world->contacts.joints[i].alive && mistakes_of(world, &silent, &world->contacts.joints[i].def))
            return false;
    return true;
}

sn_status sn_joint_create(sn_world *world, const sn_joint_def *def, sn_joint *out) {
    if (out) *out = (sn_joint){0, 0};
    if (!world || !def || !out) return SN_ERR_RANGE;
    if (world->stepping) return SN_ERR_BUSY;
    const sn_log *log = &world->log;
    if (def->init_mark != JOINT_MARK) return sn_wrong_mark(log, "sn_joint_def_default");
    if (mistakes_of(world, log, def)) return SN_ERR_DEF;
    sn_contacts *c = &world->contacts;
    if (c->free_joint < 0) {
        if (!sn_reserve(c->memory, (void **)&c->joints, &c->joint_capacity, c->joint_count + 1, sizeof *c->joints))
            return SN_ERR_MEMORY;
        c->joints[c->joint_count] = (sn_joint_row){.gen = 1, .next_free = -1};
        c->free_joint = c->joint_count++;
    }
    sn_joint_row *joint = &c->joints[c->free_joint];
    *out = (sn_joint){(uint32_t)c->free_joint + 1, joint->gen};
    c->free_joint = joint->next_free;
    *joint = (sn_joint_row){.alive = true,
                            .gen = joint->gen,
                            .next_free = -1,
                            .def = *def,
                            .pill_a = -1,
                            .pill_b = -1,
                            .from = def->position,
                            .turn = sn_q_identity(),
                            .back = sn_q_identity()};
    note_relation(world, joint);
    c->live_joints++;
    wake_sides(world, joint);
    return SN_OK;
}

void sn_world_drop_joints(sn_world *world) {
    sn_contacts *c = &world->contacts;
    for (int i = 0; i < c->joint_count; i++) {
        const sn_joint_def *d = &c->joints[i].def;
        if (!c->joints[i].alive) continue;
        const joint_side a = side_of(d, 0), b = side_of(d, 1);
        if (!side_lives(world, &a) || (is_body(&b) && !side_lives(world, &b)) ||
            (d->shape_b.slot1 && !sn_shape_exists(world, d->shape_b)))
            sn_joint_drop(c, i);
    }
}

sn_status sn_joint_destroy(sn_world *world, sn_joint id) {
    if (!world) return SN_ERR_RANGE;
    if (world->stepping) return SN_ERR_BUSY;
    const sn_joint_row *joint = find_joint(world, id);
    if (!joint) return SN_ERR_STALE_ID;
    wake_sides(world, joint);
    sn_joint_drop(&world->contacts, (int)id.slot1 - 1);
    return SN_OK;
}

bool sn_joint_exists(const sn_world *world, sn_joint id) {
    return find_joint(world, id) != NULL;
}

// A joint to a point of space, which may be led, and its rod awake.
static sn_status lead(sn_world *world, sn_joint id, sn_joint_row **out) {
    *out = NULL;
    if (!world) return SN_ERR_RANGE;
    if (world->stepping) return SN_ERR_BUSY;
    sn_joint_row *joint = find_joint(world, id);
    if (!joint) return SN_ERR_STALE_ID;
    const joint_side b = side_of(&joint->def, 1);
    if (is_body(&b) || joint->def.shape_b.slot1) return SN_ERR_RANGE;
    *out = joint;
    return SN_OK;
}

sn_status sn_joint_move(sn_world *world, sn_joint id, sn_vec3 position) {
    sn_joint_row *joint;
    sn_status status = lead(world, id, &joint);
    if (status != SN_OK) return status;
    if (!sn_finite3(position)) return SN_ERR_RANGE;
    joint->def.position = position;
    wake_sides(world, joint);
    return SN_OK;
}

sn_status sn_joint_turn(sn_world *world, sn_joint id, sn_quat turn) {
    sn_joint_row *joint;
    sn_status status = lead(world, id, &joint);
    if (status != SN_OK) return status;
    sn_real size = sn_q_dot(turn, turn);
    if (!(size > (sn_real)1e-12) || !sn_finite(size)) return SN_ERR_RANGE;
    joint->turn = sn_q_normalize(turn);
    wake_sides(world, joint);
    return SN_OK;
}

sn_real sn_joint_force(const sn_world *world, sn_joint id) {
    const sn_joint_row *joint = find_joint(world, id);
    return joint ? joint->force : 0;
}

sn_real sn_joint_torque(const sn_world *world, sn_joint id) {
    const sn_joint_row *joint = find_joint(world, id);
    return joint ? joint->torque : 0;
}
