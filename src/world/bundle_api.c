// The public calls on bundles.
#include "base/float_mode.h"
#include "world/sleep.h"
#include <stdio.h>

#define BUNDLE_MARK 0x51AE0401u

sn_bundle_def sn_bundle_def_default(void) {
    return (sn_bundle_def){.shortest = (sn_real)0.7, .stress = (sn_real)3e5, .to = 1, .init_mark = BUNDLE_MARK};
}

static int wrong_rods(const sn_world *world, const sn_bundle_def *d) {
    int count = 0, points = 0;
    for (int i = 0; i < d->rod_count && count < 20; i++) {
        const sn_rod_body *rod = sn_rod_find(sn_rods(world), d->rods[i]);
        char field[32];
        snprintf(field, sizeof field, "rods[%d]", i);
        if (!rod) {
            count += sn_wrong(&world->log, field, "names no living rod");
            continue;
        }
        points = points ? points : rod->points;
        if (rod->points != points) count += sn_wrong(&world->log, field, "must have as many points as the first");
        bool again = rod->touching.family != 0;
        for (int k = 0; k < i; k++)
            again = again || (d->rods[k].slot1 == d->rods[i].slot1 && d->rods[k].gen == d->rods[i].gen);
        if (again) count += sn_wrong(&world->log, field, "is in a bundle already");
    }
    return count;
}

static int wrong_fields(const sn_world *world, const sn_bundle_def *d) {
    const sn_log *log = &world->log;
    int count = sn_bundle_mistakes(log, d);
    if (d->bone_first.slot1 && !sn_shape_exists(world, d->bone_first))
        count += sn_wrong(log, "bone_first", "names no living shape");
    if (d->bone_last.slot1 && !sn_shape_exists(world, d->bone_last))
        count += sn_wrong(log, "bone_last", "names no living shape");
    if (!d->rods || d->rod_count < 1) return count + sn_wrong(log, "rods", "a bundle needs at least 1 rod");
    return count + wrong_rods(world, d);
}

sn_status sn_bundle_create(sn_world *world, const sn_bundle_def *def, sn_bundle *out) {
    if (out) *out = (sn_bundle){0, 0};
    if (!world || !def || !out) return SN_ERR_RANGE;
    if (world->stepping) return SN_ERR_BUSY;
    if (def->init_mark != BUNDLE_MARK) return sn_wrong_mark(&world->log, "sn_bundle_def_default");
    if (wrong_fields(world, def)) return SN_ERR_DEF;
    const int number = sn_bundle_add(&world->bundles, sn_rods(world), def);
    if (number < 0) return SN_ERR_MEMORY;
    *out = (sn_bundle){(uint32_t)number + 1, world->bundles.items[number].gen};
    return SN_OK;
}

sn_bundle_body *sn_world_bundle(const sn_world *world, sn_bundle id) {
    if (!world || id.slot1 == 0 || id.slot1 > (uint32_t)world->bundles.count) return NULL;
    sn_bundle_body *b = &world->bundles.items[id.slot1 - 1];
    return b->alive && b->gen == id.gen ? b : NULL;
}

sn_status sn_bundle_destroy(sn_world *world, sn_bundle id) {
    if (!world) return SN_ERR_RANGE;
    if (world->stepping) return SN_ERR_BUSY;
    if (!sn_world_bundle(world, id)) return SN_ERR_STALE_ID;
    sn_bundle_remove(&world->bundles, sn_rods(world), (int)id.slot1 - 1);
    sn_wake_all(world);
    return SN_OK;
}

bool sn_bundle_exists(const sn_world *world, sn_bundle id) {
    return sn_world_bundle(world, id) != NULL;
}

int sn_world_bundle_count(const sn_world *world) {
    return world ? world->bundles.alive : 0;
}

sn_bundle sn_world_bundle_at(const sn_world *world, int i) {
    for (int k = 0; world && i >= 0 && k < world->bundles.count; k++)
        if (world->bundles.items[k].alive && i-- == 0) return (sn_bundle){(uint32_t)k + 1, world->bundles.items[k].gen};
    return (sn_bundle){0, 0};
}

uint64_t sn_bundle_label(const sn_world *world, sn_bundle id) {
    const sn_bundle_body *b = sn_world_bundle(world, id);
    return b ? b->def.label : 0;
}

sn_status sn_bundle_set_activation(sn_world *world, sn_bundle id, sn_real activation) {
    if (!world || !sn_between(activation, 0, 1)) return SN_ERR_RANGE;
    if (world->stepping) return SN_ERR_BUSY;
    sn_bundle_body *b = sn_world_bundle(world, id);
    if (!b) return SN_ERR_STALE_ID;
    if (b->activation == activation) return SN_OK;
    b->activation = activation;
    sn_float_mode callers = sn_float_mode_enter();
    sn_bundle_activate(b, sn_rods(world));
    sn_float_mode_leave(callers);
    return SN_OK;
}

sn_real sn_bundle_activation(const sn_world *world, sn_bundle id) {
    const sn_bundle_body *b = sn_world_bundle(world, id);
    return b ? b->activation : 0;
}

// A shape's motion in a substep.
static bool bone_motion(const sn_world *world, sn_shape id, const sn_stage *stage, sn_bone_motion *out) {
    if (!sn_shape_exists(world, id)) return false;
    const sn_shape_body *shape = &world->contacts.shapes[id.slot1 - 1];
    sn_pose at[2];
    for (int i = 0; i < 2; i++) {
        const sn_real share = (sn_real)(stage->substep + i) / (sn_real)stage->substeps;
        sn_quat p = shape->now.rotation, q = shape->to.rotation;
        if (sn_q_dot(p, q) < 0) q = (sn_quat){-q.x, -q.y, -q.z, -q.w};
        at[i].position = sn_lerp(shape->now.position, shape->to.position, share);
        at[i].rotation = sn_q_normalize((sn_quat){p.x + share * (q.x - p.x), p.y + share * (q.y - p.y),
                                                  p.z + share * (q.z - p.z), p.w + share * (q.w - p.w)});
    }
    *out = (sn_bone_motion){at[0].position, at[1].position, sn_q_mul(at[1].rotation, sn_q_conj(at[0].rotation))};
    return true;
}

// A bone that is not there does as the other one.
void sn_world_lead_bundles(sn_world *world, const sn_stage *stage) {
    for (int i = 0; i < world->bundles.count; i++) {
        sn_bundle_body *b = &world->bundles.items[i];
        sn_bone_motion motion[2];
        if (!b->alive) continue;
        const bool first = bone_motion(world, b->def.bone_first, stage, &motion[0]);
        const bool last = bone_motion(world, b->def.bone_last, stage, &motion[1]);
        if (!first && !last) continue;
        if (!first) motion[0] = motion[1];
        if (!last) motion[1] = motion[0];
        sn_bundle_lead(b, sn_rods(world), stage->h, motion);
    }
}

void sn_world_fit_bundle(const sn_world *world, sn_bundle_body *b) {
    sn_bundle_find_rods(b, sn_rods(world));
    for (int k = 0; k < b->sections; k++) sn_bundle_fit(b, sn_rods(world), k);
}

int sn_world_sections(const sn_world *world, sn_bundle_body *b, sn_section *out, int capacity) {
    sn_world_fit_bundle(world, b);
    for (int k = 0; out && k < b->sections && k < capacity; k++) {
        const sn_similarity *f = &b->fits[k];
        out[k] = (sn_section){
            .rest = {(sn_real)f->rest[0], (sn_real)f->rest[1], (sn_real)f->rest[2]},
            .centre = {(sn_real)f->centre[0], (sn_real)f->centre[1], (sn_real)f->centre[2]},
            .turn = {(sn_real)f->turn[0], (sn_real)f->turn[1], (sn_real)f->turn[2], (sn_real)f->turn[3]},
            .scale = (sn_real)f->scale,
        };
    }
    return b->sections;
}

int sn_bundle_get_sections(const sn_world *world, sn_bundle id, sn_section *out, int capacity) {
    sn_bundle_body *b = sn_world_bundle(world, id);
    if (!b || world->stepping) return 0;
    sn_float_mode callers = sn_float_mode_enter();
    const int count = sn_world_sections(world, b, out, capacity);
    sn_float_mode_leave(callers);
    return count;
}

double sn_bundle_volume(const sn_world *world, sn_bundle id) {
    const sn_bundle_body *b = sn_world_bundle(world, id);
    double volume = 0;
    for (int i = 0; b && i < b->def.rod_count; i++) volume += sn_rod_volume(world, b->def.rods[i]);
    return volume;
}

double sn_bundle_rest_volume(const sn_world *world, sn_bundle id) {
    const sn_bundle_body *b = sn_world_bundle(world, id);
    double volume = 0;
    for (int i = 0; b && i < b->def.rod_count; i++) volume += sn_rod_rest_volume(world, b->def.rods[i]);
    return volume;
}
