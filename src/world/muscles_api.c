// The public calls on implicit muscles.
#include "base/float_mode.h"
#include "base/math/trig.h"
#include "geometry/contact_surface.h"
#include "world/sleep.h"

#define MUSCLES_MARK 0x51AE0601u

sn_muscle_def sn_muscle_def_default(void) {
    return (sn_muscle_def){.points = 30,
                           .rest = {3, 3, 0},
                           .active = {4, 7, 0},
                           .density = 1060,
                           .hertz = 6,
                           .damping = 12,
                           .tendon = (sn_real)0.1,
                           .friction = (sn_real)0.3,
                           .touch_bones = true,
                           .touch_muscles = true,
                           .in_skin = true};
}

sn_muscles_def sn_muscles_def_default(void) {
    return (sn_muscles_def){
        .substeps = 4, .passes = 2, .touches = true, .surface = sn_surface_default(), .init_mark = MUSCLES_MARK};
}

static sn_muscles_item *find(const sn_world *world, sn_muscles id) {
    return world ? sn_muscles_find(sn_world_muscles(world), id) : NULL;
}

static sn_status ready(sn_world *world, sn_muscles id, sn_muscles_item **item) {
    if (!world) return SN_ERR_RANGE;
    if (world->stepping) return SN_ERR_BUSY;
    *item = find(world, id);
    return *item ? SN_OK : SN_ERR_STALE_ID;
}

// The muscle of a number, null if there is none.
static const sn_muscle_spindle *muscle_of(const sn_muscles_item *item, int muscle) {
    return item && muscle >= 0 && muscle < item->muscle_count ? sn_muscle_system_get_spindle(item->system, muscle)
                                                              : NULL;
}

sn_status sn_muscles_create(sn_world *world, const sn_muscles_def *def, sn_muscles *out) {
    if (out) *out = (sn_muscles){0, 0};
    if (!world || !def || !out) return SN_ERR_RANGE;
    if (world->stepping) return SN_ERR_BUSY;
    const char *field = NULL, *text = NULL;
    if (def->init_mark != MUSCLES_MARK)
        field = "init_mark", text = "the definition was not made by sn_muscles_def_default";
    else if (def->bone_count < 1 || !def->poses)
        field = "poses", text = "poses must be given for one bone at least";
    else if (def->shape_count < 0 || (def->shape_count > 0 && !def->bones))
        field = "bones", text = "must be an array of shape_count";
    else if (def->muscle_count < 0 || (def->muscle_count > 0 && !def->muscles))
        field = "muscles", text = "must be an array of muscle_count";
    else if (!(def->cover >= 0 && def->cover <= SN_MAX_COVER))
        field = "cover", text = "must be from 0 to 1000 m";
    if (field) {
        sn_say(&world->log, SN_LOG_ERROR, SN_ERR_DEF, field, "%s", text);
        return SN_ERR_DEF;
    }
    if (sn_surface_mistakes(&world->log, &def->surface)) return SN_ERR_DEF;
    return sn_muscles_add(sn_world_muscles(world), def, out);
}

sn_status sn_muscles_destroy(sn_world *world, sn_muscles id) {
    sn_muscles_item *item;
    const sn_status status = ready(world, id, &item);
    if (status != SN_OK) return status;
    sn_muscles_remove(sn_world_muscles(world), id);
    sn_world_drop_joints(world);
    sn_wake_all(world); // something may have lain on it
    return SN_OK;
}

bool sn_muscles_exists(const sn_world *world, sn_muscles id) {
    return find(world, id) != NULL;
}

int sn_world_muscles_count(const sn_world *world) {
    return world ? sn_world_muscles(world)->body_count : 0;
}

sn_muscles sn_world_muscles_at(const sn_world *world, int i) {
    const sn_muscles_kind_system *s = world ? sn_world_muscles(world) : NULL;
    const int slot = s ? sn_slots_nth(&s->slots, i) : -1;
    return slot < 0 ? (sn_muscles){0, 0} : (sn_muscles){(uint32_t)slot + 1, s->slots.at[slot].gen};
}

uint64_t sn_muscles_label(const sn_world *world, sn_muscles id) {
    const sn_muscles_item *item = find(world, id);
    return item ? item->label : 0;
}

int sn_muscles_count(const sn_world *world, sn_muscles id) {
    const sn_muscles_item *item = find(world, id);
    return item ? item->muscle_count : 0;
}

int sn_muscles_bone_count(const sn_world *world, sn_muscles id) {
    const sn_muscles_item *item = find(world, id);
    return item ? item->bone_count : 0;
}

static bool good_pose(const sn_bone_pose *pose) {
    const sn_real size = pose ? sn_q_dot(pose->rotation, pose->rotation) : 0;
    return pose && sn_sound3(pose->position) && size > (sn_real)0.98 && size < (sn_real)1.02;
}

static bool good_poses(const sn_muscles_item *item, const sn_bone_pose *poses, int count) {
    if (!poses || count != item->bone_count) return false;
    for (int i = 0; i < count; i++)
        if (!good_pose(&poses[i])) return false;
    return true;
}

sn_status sn_muscles_move(sn_world *world, sn_muscles id, const sn_bone_pose *poses, int count) {
    sn_muscles_item *item;
    const sn_status status = ready(world, id, &item);
    if (status != SN_OK) return status;
    if (!good_poses(item, poses, count)) return SN_ERR_RANGE;
    for (int i = 0; i < count; i++) item->to[i] = (sn_bone_pose){poses[i].position, sn_q_normalize(poses[i].rotation)};
    return SN_OK;
}

sn_status sn_muscles_move_bone(sn_world *world, sn_muscles id, int bone, const sn_bone_pose *pose) {
    sn_muscles_item *item;
    const sn_status status = ready(world, id, &item);
    if (status != SN_OK) return status;
    if (bone < 0 || bone >= item->bone_count || !good_pose(pose)) return SN_ERR_RANGE;
    item->to[bone] = (sn_bone_pose){pose->position, sn_q_normalize(pose->rotation)};
    return SN_OK;
}

sn_status sn_muscles_put(sn_world *world, sn_muscles id, const sn_bone_pose *poses, int count) {
    enum { SETTLE = 30 };
    sn_status status = sn_muscles_move(world, id, poses, count);
    if (status != SN_OK) return status;
    sn_muscles_item *item = find(world, id);
    status = sn_muscle_system_teleport(item->system, item->to, SETTLE, world->pool);
    return status == SN_WARN_DIVERGED ? SN_OK : status; // what had to be put back lies straight between its ends
}

int sn_muscles_get_poses(const sn_world *world, sn_muscles id, sn_bone_pose *out, int capacity) {
    const sn_muscles_item *item = find(world, id);
    if (!item) return 0;
    for (int i = 0; out && i < item->bone_count && i < capacity; i++) out[i] = item->to[i];
    return item->bone_count;
}

sn_status sn_muscles_set_keys(sn_world *world, sn_muscles id, int muscle, const sn_muscle_keys *keys) {
    sn_muscles_item *item;
    const sn_status status = ready(world, id, &item);
    if (status != SN_OK) return status;
    if (!keys) return SN_ERR_RANGE;
    return sn_muscle_system_set_keys(item->system, muscle,
                                     (sn_muscle_keys){keys->activation, keys->exaggeration, keys->eccentricity});
}

sn_status sn_muscles_get_keys(const sn_world *world, sn_muscles id, int muscle, sn_muscle_keys *out) {
    const sn_muscles_item *item = find(world, id);
    if (!item) return SN_ERR_STALE_ID;
    if (!out || !muscle_of(item, muscle)) return SN_ERR_RANGE;
    const sn_muscle_keys keys = sn_muscle_system_get_keys(item->system, muscle);
    *out = (sn_muscle_keys){keys.activation, keys.exaggeration, keys.eccentricity};
    return SN_OK;
}

sn_status sn_muscles_set_muscle(sn_world *world, sn_muscles id, int muscle, const sn_muscle_def *def) {
    sn_muscles_item *item;
    const sn_status status = ready(world, id, &item);
    if (status != SN_OK) return status;
    if (!def || !muscle_of(item, muscle) || def->points != item->muscles[muscle].points ||
        def->bone[0] != item->muscles[muscle].bone[0] || def->bone[1] != item->muscles[muscle].bone[1])
        return SN_ERR_RANGE;
    sn_float_mode callers = sn_float_mode_enter();
    const sn_status changed = sn_muscle_system_set_def(item->system, &world->log, muscle, def);
    sn_float_mode_leave(callers);
    if (changed != SN_OK) return changed;
    item->muscles[muscle] = *def;
    sn_world_lead_muscles(world);
    return SN_OK;
}

sn_status sn_muscles_get_muscle(const sn_world *world, sn_muscles id, int muscle, sn_muscle_def *out) {
    const sn_muscles_item *item = find(world, id);
    if (!item) return SN_ERR_STALE_ID;
    if (!out || !muscle_of(item, muscle)) return SN_ERR_RANGE;
    *out = item->muscles[muscle];
    return SN_OK;
}

// ---- bundles in the place of muscles

static void lead_item(sn_world *world, sn_muscles_item *item) {
    sn_section sections[SN_MUSCLE_MAX_POINTS];
    for (int m = 0; m < item->muscle_count; m++) {
        const sn_muscle_driver *driver = &item->drivers[m];
        if (driver->count == 0) continue;
        sn_bundle_body *b = sn_world_bundle(world, driver->bundle);
        if (b && b->sections == driver->count) {
            sn_world_sections(world, b, sections, SN_MUSCLE_MAX_POINTS);
            sn_muscle_system_drive(item->system, m, sections, driver->count, driver->radii);
        } else { // it is gone; without memory to give back, this cannot fail
            sn_muscles_drive(sn_world_muscles(world), item, m, (sn_bundle){0, 0}, NULL, 0);
        }
    }
}

void sn_world_lead_muscles(sn_world *world) {
    const sn_muscles_kind_system *s = sn_world_muscles(world);
    for (int i = 0; i < s->slots.count; i++)
        if (sn_muscles_in(s, i) && sn_muscles_in(s, i)->driven_count > 0) lead_item(world, sn_muscles_in(s, i));
}

sn_status sn_muscles_set_bundle(sn_world *world, sn_muscles id, int muscle, sn_bundle bundle) {
    sn_muscles_item *item;
    const sn_status status = ready(world, id, &item);
    if (status != SN_OK) return status;
    if (!muscle_of(item, muscle)) return SN_ERR_RANGE;
    if (bundle.slot1 == 0) {
        sn_float_mode callers = sn_float_mode_enter();
        const sn_status alone = sn_muscles_drive(sn_world_muscles(world), item, muscle, bundle, NULL, 0);
        sn_float_mode_leave(callers);
        return alone;
    }
    sn_bundle_body *b = sn_world_bundle(world, bundle);
    if (!b) return SN_ERR_STALE_ID;
    if (b->sections < 2 || b->sections > SN_MUSCLE_MAX_POINTS) return SN_ERR_RANGE;
    sn_section sections[SN_MUSCLE_MAX_POINTS];
    sn_real radii[SN_MUSCLE_MAX_POINTS] = {0}, own[SN_MUSCLE_MAX_POINTS];
    sn_float_mode callers = sn_float_mode_enter();
    const int count = sn_world_sections(world, b, sections, SN_MUSCLE_MAX_POINTS);
    for (int i = 0; i < b->def.rod_count; i++) {
        sn_rod_get_radii(world, b->def.rods[i], own, count);
        for (int k = 0; k < count; k++) radii[k] += own[k] * own[k];
    }
    for (int k = 0; k < count; k++)
        radii[k] = sections[k].scale > 0 ? sn_min(sn_sqrt(radii[k]) / sections[k].scale, SN_MUSCLE_MAX_RADIUS) : 0;
    const sn_status led = sn_muscles_drive(sn_world_muscles(world), item, muscle, bundle, radii, count);
    if (led == SN_OK) lead_item(world, item);
    sn_float_mode_leave(callers);
    return led;
}

sn_bundle sn_muscles_get_bundle(const sn_world *world, sn_muscles id, int muscle) {
    const sn_muscles_item *item = find(world, id);
    return muscle_of(item, muscle) ? item->drivers[muscle].bundle : (sn_bundle){0, 0};
}

int sn_muscles_get_points(const sn_world *world, sn_muscles id, sn_vec3 *out, int capacity) {
    if (!find(world, id)) return 0;
    void *system = sn_world_muscles(world);
    const int slot = (int)id.slot1 - 1, count = sn_muscles_points(system, slot);
    for (int i = 0; out && i < count && i < capacity; i++) out[i] = sn_muscles_point_at(system, slot, i);
    return count;
}

int sn_muscles_get_axis(const sn_world *world, sn_muscles id, int muscle, sn_vec3 *out, int capacity) {
    const sn_muscle_spindle *m = muscle_of(find(world, id), muscle);
    for (int i = 0; m && out && i < m->points && i < capacity; i++) out[i] = m->axis[i];
    return m ? m->points : 0;
}

int sn_muscles_get_radii(const sn_world *world, sn_muscles id, int muscle, sn_real *out, int capacity) {
    const sn_muscle_spindle *m = muscle_of(find(world, id), muscle);
    for (int i = 0; m && out && i < m->points && i < capacity; i++) out[i] = m->radius[i];
    return m ? m->points : 0;
}

int sn_muscles_get_surface(const sn_world *world, sn_muscles id, int muscle, int around, sn_vec3 *out, int capacity) {
    const sn_muscle_spindle *m = muscle_of(find(world, id), muscle);
    if (!m || around < 3 || around > 1000) return 0;
    for (int i = 0, at = 0; out && i < m->points; i++) {
        const sn_vec3 n = m->normal[i], b = sn_cross(m->tangent[i], n);
        for (int k = 0; k < around && at < capacity; k++) {
            const sn_real angle = (sn_real)(2 * 3.14159265358979323846) * (sn_real)k / (sn_real)around;
            sn_real s, c;
            sn_sincos(angle, &s, &c);
            const sn_real u = m->thin * c, v = m->thick * s, r = m->radius[i] / sn_sqrt(u * u + v * v);
            out[at++] = sn_mul_add(m->axis[i], r, sn_mul_add(sn_mul(c, n), s, b));
        }
    }
    return m->points * around;
}

double sn_muscles_volume(const sn_world *world, sn_muscles id, int muscle) {
    const sn_muscle_spindle *m = muscle_of(find(world, id), muscle);
    return m ? (double)sn_muscle_spindle_volume(m) : 0;
}

sn_real sn_muscles_field(const sn_world *world, sn_muscles id, int muscle, sn_vec3 point, sn_vec3 *gradient) {
    const sn_muscle_spindle *m = muscle_of(find(world, id), muscle);
    sn_vec3 slope = {0, 0, 0};
    const sn_real f = m && sn_finite3(point) ? sn_muscle_field(m, point, &slope, NULL) : 0;
    if (gradient) *gradient = slope;
    return f;
}

sn_real sn_muscles_penetration(const sn_world *world, sn_muscles id) {
    const sn_muscles_item *item = find(world, id);
    return item ? sn_muscle_system_get_report(item->system).penetration : 0;
}
