// The public calls on implicit muscles.
#include "base/float_mode.h"
#include "base/host.h"
#include "base/math/trig.h"
#include "geometry/contact_surface.h"
#include "kinds/implicit_muscle/implicit_muscle.h"

#define MUSCLES_MARK 0x51AE0601u

sn_implicit_muscle_def sn_implicit_muscle_def_default(void) {
    return (sn_implicit_muscle_def){.points = 30,
                                    .rest = {3, 3, 0},
                                    .active = {4, 7, 0},
                                    .density = 1060,
                                    .hertz = 6,
                                    .damping = 12,
                                    .tendon = (sn_real)0.1,
                                    .friction = (sn_real)0.3,
                                    .collide_bones = true,
                                    .collide_muscles = true,
                                    .in_skin = true};
}

sn_implicit_muscles_def sn_implicit_muscles_def_default(void) {
    return (sn_implicit_muscles_def){
        .substeps = 4, .passes = 2, .collide = true, .surface = sn_surface_default(), .init_mark = MUSCLES_MARK};
}

static sn_muscles_item *find(const sn_world *world, sn_body id) {
    return sn_body_find(world, id, SN_KIND_IMPLICIT_MUSCLE);
}

static sn_status ready(sn_world *world, sn_body id, sn_muscles_item **item) {
    void *found;
    const sn_status status = sn_body_edit(world, id, SN_KIND_IMPLICIT_MUSCLE, &found);
    *item = found;
    return status;
}

// The muscle at an index; null if there is none.
static const sn_muscle_spindle *muscle_of(const sn_muscles_item *item, int muscle) {
    return item && muscle >= 0 && muscle < item->muscle_count ? sn_muscle_system_get_spindle(item->system, muscle)
                                                              : NULL;
}

sn_status sn_implicit_muscles_create(sn_world *world, const sn_implicit_muscles_def *def, sn_body *out) {
    if (out) *out = (sn_body){0};
    if (!world || !def || !out) return SN_ERR_RANGE;
    if (sn_world_is_stepping(world)) return SN_ERR_BUSY;
    const char *field = NULL, *text = NULL;
    if (def->init_mark != MUSCLES_MARK)
        field = "init_mark", text = "the definition was not made by sn_implicit_muscles_def_default";
    else if (def->bone_count < 1 || !def->poses)
        field = "poses", text = "poses must be given for at least one bone";
    else if (def->collider_count < 0 || (def->collider_count > 0 && !def->bones))
        field = "bones", text = "must be an array of collider_count";
    else if (def->muscle_count < 0 || (def->muscle_count > 0 && !def->muscles))
        field = "muscles", text = "must be an array of muscle_count";
    else if (!(def->cover >= 0 && def->cover <= SN_MAX_COVER))
        field = "cover", text = "must be from 0 to 1000 m";
    for (int i = 0; i < def->collider_count && !field; i++)
        if (!sn_muscle_flesh_is_valid(&def->bones[i])) field = "bones", text = "flesh must be from 0 to 1000 m";
    if (field) {
        sn_log_line(sn_world_log(world), SN_LOG_ERROR, SN_ERR_DEF, field, "%s", text);
        return SN_ERR_DEF;
    }
    if (sn_surface_errors(sn_world_log(world), &def->surface)) return SN_ERR_DEF;
    return sn_muscles_add(sn_world_implicit_muscles(world), def, out);
}

int sn_implicit_muscles_count(const sn_world *world, sn_body id) {
    const sn_muscles_item *item = find(world, id);
    return item ? item->muscle_count : 0;
}

int sn_implicit_muscles_bone_count(const sn_world *world, sn_body id) {
    const sn_muscles_item *item = find(world, id);
    return item ? item->bone_count : 0;
}

static bool good_pose(const sn_transform *pose) {
    const sn_real size = pose ? sn_q_dot(pose->rotation, pose->rotation) : 0;
    return pose && sn_valid3(pose->position) && size > (sn_real)0.98 && size < (sn_real)1.02;
}

static bool good_poses(const sn_muscles_item *item, const sn_transform *poses, int count) {
    if (!poses || count != item->bone_count) return false;
    for (int i = 0; i < count; i++)
        if (!good_pose(&poses[i])) return false;
    return true;
}

sn_status sn_implicit_muscles_move(sn_world *world, sn_body id, const sn_transform *poses, int count) {
    sn_muscles_item *item;
    const sn_status status = ready(world, id, &item);
    if (status != SN_OK) return status;
    if (!good_poses(item, poses, count)) return SN_ERR_RANGE;
    for (int i = 0; i < count; i++) item->to[i] = (sn_transform){poses[i].position, sn_q_normalize(poses[i].rotation)};
    return SN_OK;
}

sn_status sn_implicit_muscles_move_bone(sn_world *world, sn_body id, int bone, const sn_transform *pose) {
    sn_muscles_item *item;
    const sn_status status = ready(world, id, &item);
    if (status != SN_OK) return status;
    if (bone < 0 || bone >= item->bone_count || !good_pose(pose)) return SN_ERR_RANGE;
    item->to[bone] = (sn_transform){pose->position, sn_q_normalize(pose->rotation)};
    return SN_OK;
}

sn_status sn_implicit_muscles_put(sn_world *world, sn_body id, const sn_transform *poses, int count) {
    enum { SETTLE = 30 };
    sn_status status = sn_implicit_muscles_move(world, id, poses, count);
    if (status != SN_OK) return status;
    sn_muscles_item *item = find(world, id);
    status = sn_muscle_system_teleport(item->system, item->to, SETTLE, sn_world_pool(world));
    return status == SN_WARN_DIVERGED ? SN_OK : status; // a muscle that was reset is straight between its ends
}

int sn_implicit_muscles_get_poses(const sn_world *world, sn_body id, sn_transform *out, int capacity) {
    const sn_muscles_item *item = find(world, id);
    if (!item) return 0;
    for (int i = 0; out && i < item->bone_count && i < capacity; i++) out[i] = item->to[i];
    return item->bone_count;
}

sn_status sn_implicit_muscles_set_keys(sn_world *world, sn_body id, int muscle, const sn_implicit_muscle_keys *keys) {
    sn_muscles_item *item;
    const sn_status status = ready(world, id, &item);
    if (status != SN_OK) return status;
    if (!keys) return SN_ERR_RANGE;
    return sn_muscle_system_set_keys(
        item->system, muscle, (sn_implicit_muscle_keys){keys->activation, keys->exaggeration, keys->eccentricity});
}

sn_status sn_implicit_muscles_get_keys(const sn_world *world, sn_body id, int muscle, sn_implicit_muscle_keys *out) {
    void *found;
    const sn_status status = sn_body_read(world, id, SN_KIND_IMPLICIT_MUSCLE, &found);
    if (status != SN_OK) return status;
    const sn_muscles_item *item = found;
    if (!out || !muscle_of(item, muscle)) return SN_ERR_RANGE;
    const sn_implicit_muscle_keys keys = sn_muscle_system_get_keys(item->system, muscle);
    *out = (sn_implicit_muscle_keys){keys.activation, keys.exaggeration, keys.eccentricity};
    return SN_OK;
}

sn_status sn_implicit_muscles_set_muscle(sn_world *world, sn_body id, int muscle, const sn_implicit_muscle_def *def) {
    sn_muscles_item *item;
    const sn_status status = ready(world, id, &item);
    if (status != SN_OK) return status;
    if (!def || !muscle_of(item, muscle) || def->points != item->muscles[muscle].points ||
        def->bone[0] != item->muscles[muscle].bone[0] || def->bone[1] != item->muscles[muscle].bone[1])
        return SN_ERR_RANGE;
    sn_float_mode callers = sn_float_mode_enter();
    const sn_status changed = sn_muscle_system_set_def(item->system, sn_world_log(world), muscle, def);
    sn_float_mode_leave(callers);
    if (changed != SN_OK) return changed;
    item->muscles[muscle] = *def;
    sn_world_body_edited(world);
    return SN_OK;
}

sn_status sn_implicit_muscles_get_muscle(const sn_world *world, sn_body id, int muscle, sn_implicit_muscle_def *out) {
    void *found;
    const sn_status status = sn_body_read(world, id, SN_KIND_IMPLICIT_MUSCLE, &found);
    if (status != SN_OK) return status;
    const sn_muscles_item *item = found;
    if (!out || !muscle_of(item, muscle)) return SN_ERR_RANGE;
    *out = item->muscles[muscle];
    return SN_OK;
}

int sn_implicit_muscles_get_targets(const sn_world *world, sn_body id, sn_transform *out, int capacity) {
    const sn_muscles_item *item = find(world, id);
    for (int i = 0; item && out && i < item->bone_count && i < capacity; i++) out[i] = item->to[i];
    return item ? item->bone_count : 0;
}

sn_bundle sn_implicit_muscles_get_bundle(const sn_world *world, sn_body id, int muscle) {
    const sn_muscles_item *item = find(world, id);
    return muscle_of(item, muscle) ? item->drivers[muscle].bundle : (sn_bundle){0, 0};
}

int sn_implicit_muscles_get_axis(const sn_world *world, sn_body id, int muscle, sn_vec3 *out, int capacity) {
    const sn_muscle_spindle *m = muscle_of(find(world, id), muscle);
    for (int i = 0; m && out && i < m->points && i < capacity; i++) out[i] = m->axis[i];
    return m ? m->points : 0;
}

int sn_implicit_muscles_get_radii(const sn_world *world, sn_body id, int muscle, sn_real *out, int capacity) {
    const sn_muscle_spindle *m = muscle_of(find(world, id), muscle);
    for (int i = 0; m && out && i < m->points && i < capacity; i++) out[i] = m->radius[i];
    return m ? m->points : 0;
}

int sn_implicit_muscles_get_surface(const sn_world *world, sn_body id, int muscle, int around, sn_vec3 *out,
                                    int capacity) {
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

double sn_implicit_muscles_volume(const sn_world *world, sn_body id, int muscle) {
    const sn_muscle_spindle *m = muscle_of(find(world, id), muscle);
    return m ? (double)sn_muscle_spindle_volume(m) : 0;
}

sn_real sn_implicit_muscles_field(const sn_world *world, sn_body id, int muscle, sn_vec3 point, sn_vec3 *gradient) {
    const sn_muscle_spindle *m = muscle_of(find(world, id), muscle);
    sn_vec3 slope = {0, 0, 0};
    const sn_real f = m && sn_finite3(point) ? sn_muscle_field(m, point, &slope, NULL) : 0;
    if (gradient) *gradient = slope;
    return f;
}

sn_real sn_implicit_muscles_penetration(const sn_world *world, sn_body id) {
    const sn_muscles_item *item = find(world, id);
    return item ? sn_muscle_system_get_report(item->system).penetration : 0;
}
