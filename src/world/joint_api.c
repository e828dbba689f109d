// The public calls on joints.
#include "world/sleep.h"

#define JOINT_MARK 0x51AE0301u

sn_joint_def sn_joint_def_default(void) {
    return (sn_joint_def){.segment_a = 1, .segment_b = 1, .init_mark = JOINT_MARK};
}

int sn_world_segment_pill(const sn_world *world, sn_rod rod, int segment) {
    const sn_rod_body *body = sn_rod_find(sn_rods(world), rod);
    if (!body || segment < 0 || segment >= body->points) return -1;
    int block = body->block_of_point[segment];
    return body->parent[block] < 0 ? -1 : world->first_node[KIND_ROD] + body->first_node + block;
}

static sn_joint_row *find_joint(const sn_world *world, sn_joint id) {
    if (!world || id.slot1 == 0 || id.slot1 > (uint32_t)world->contacts.joint_count) return NULL;
    sn_joint_row *joint = &world->contacts.joints[id.slot1 - 1];
    return joint->alive && joint->gen == id.gen ? joint : NULL;
}

static int wrong(const sn_log *log, const char *field, const char *text) {
    sn_say(log, SN_LOG_ERROR, SN_ERR_DEF, field, "%s", text);
    return 1;
}

static int wrong_side(const sn_world *world, sn_rod rod, int segment, sn_real along, const char *rod_field,
                      const char *segment_field, const char *along_field) {
    const sn_rod_body *body = sn_rod_find(sn_rods(world), rod);
    if (!body) return wrong(&world->log, rod_field, "names no living rod");
    int count = 0;
    if (segment < 0 || segment >= body->points || body->parent[body->block_of_point[segment]] < 0)
        count += wrong(&world->log, segment_field, "the rod has no such segment");
    if (!(along >= 0 && along <= 1)) count += wrong(&world->log, along_field, "must be from 0 to 1");
    return count;
}

// A point of a rod as it is now.
static sn_vec3 point_of(const sn_world *world, sn_rod rod, int segment, sn_real along) {
    const sn_rod_system *s = sn_rods(world);
    const sn_rod_body *body = sn_rod_find(s, rod);
    int block = body->block_of_point[segment];
    sn_real a[X_ROWS], b[X_ROWS];
    sn_rod_get(s, body, sn_rod_packet_of(s, body)->x, X_ROWS, body->parent[block], a);
    sn_rod_get(s, body, sn_rod_packet_of(s, body)->x, X_ROWS, block, b);
    return sn_lerp(sn_v3(a[X_CX], a[X_CY], a[X_CZ]), sn_v3(b[X_CX], b[X_CY], b[X_CZ]), along);
}

sn_status sn_joint_create(sn_world *world, const sn_joint_def *def, sn_joint *out) {
    if (out) *out = (sn_joint){0, 0};
    if (!world || !def || !out) return SN_ERR_RANGE;
    if (world->stepping) return SN_ERR_BUSY;
    const sn_log *log = &world->log;
    if (def->init_mark != JOINT_MARK) {
        wrong(log, "init_mark", "the definition was not made by sn_joint_def_default");
        return SN_ERR_DEF;
    }
    sn_contacts *c = &world->contacts;
    int count = wrong_side(world, def->rod_a, def->segment_a, def->along_a, "rod_a", "segment_a", "along_a");
    if (def->rod_b.slot1)
        count += wrong_side(world, def->rod_b, def->segment_b, def->along_b, "rod_b", "segment_b", "along_b");
    if (def->shape_b.slot1 && !sn_shape_exists(world, def->shape_b))
        count += wrong(log, "shape_b", "names no living shape");
    if (def->rod_b.slot1 && def->shape_b.slot1) count += wrong(log, "shape_b", "must be null when rod_b is given");
    if (!sn_finite3(def->position)) count += wrong(log, "position", "must be finite numbers");
    if (!(def->compliance >= 0 && def->compliance <= 1000))
        count += wrong(log, "compliance", "must be from 0 to 1000 m/N");
    if (!(def->most_force >= 0 && def->most_force <= (sn_real)1e12))
        count += wrong(log, "most_force", "must be from 0 to 1e12 N");
    if (count) return SN_ERR_DEF;
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
                            .from = def->position};
    if (def->shape_b.slot1) joint->local = sn_pose_local(&c->shapes[def->shape_b.slot1 - 1].now, def->position);
    if (def->keep_offset) {
        sn_vec3 b = def->rod_b.slot1 ? point_of(world, def->rod_b, def->segment_b, def->along_b) : def->position;
        joint->offset = sn_sub(point_of(world, def->rod_a, def->segment_a, def->along_a), b);
    }
    ++c->live_joints;
    sn_wake_all(world);
    return SN_OK;
}

static void drop(sn_contacts *c, int i) {
    uint32_t gen = c->joints[i].gen + 1;
    c->joints[i] = (sn_joint_row){.gen = gen ? gen : 1, .next_free = c->free_joint};
    c->free_joint = i;
    --c->live_joints;
}

void sn_world_drop_joints(sn_world *world) {
    sn_contacts *c = &world->contacts;
    for (int i = 0; i < c->joint_count; ++i) {
        const sn_joint_def *d = &c->joints[i].def;
        if (!c->joints[i].alive) continue;
        if (!sn_rod_find(sn_rods(world), d->rod_a) || (d->rod_b.slot1 && !sn_rod_find(sn_rods(world), d->rod_b)) ||
            (d->shape_b.slot1 && !sn_shape_exists(world, d->shape_b)))
            drop(c, i);
    }
}

sn_status sn_joint_destroy(sn_world *world, sn_joint id) {
    if (!world) return SN_ERR_RANGE;
    if (world->stepping) return SN_ERR_BUSY;
    if (!find_joint(world, id)) return SN_ERR_STALE_ID;
    drop(&world->contacts, (int)id.slot1 - 1);
    sn_wake_all(world);
    return SN_OK;
}

bool sn_joint_exists(const sn_world *world, sn_joint id) {
    return find_joint(world, id) != NULL;
}

sn_status sn_joint_move(sn_world *world, sn_joint id, sn_vec3 position) {
    if (!world) return SN_ERR_RANGE;
    if (world->stepping) return SN_ERR_BUSY;
    sn_joint_row *joint = find_joint(world, id);
    if (!joint) return SN_ERR_STALE_ID;
    if (!sn_finite3(position) || joint->def.rod_b.slot1 || joint->def.shape_b.slot1) return SN_ERR_RANGE;
    joint->def.position = position;
    sn_rod_body *body = sn_rod_find(sn_rods(world), joint->def.rod_a);
    if (body) body->rest = (sn_rest){false, 0};
    return SN_OK;
}

sn_real sn_joint_force(const sn_world *world, sn_joint id) {
    const sn_joint_row *joint = find_joint(world, id);
    return joint ? joint->force : 0;
}
