// Keyframes: each track has values at times, linear between them or eased by 3x^2 - 2x^3, constant before the first and
// after the last. Rotations are interpolated as rotation vectors (axis times angle), so a key can be several
// revolutions from the next. A track is applied only when its value has changed: loads and held points keep their
// values.
#include "scene/scene_drive.h"
#include "base/math/vec.h"
#include "scene/placement.h"
#include "scene/scene_check.h"
#include "scene/scene_joints.h"
#include "scene/scene_rigid.h"
#include <string.h>

struct scene_driver {
    scene_track *tracks;
    scene_target *targets;
    int track_count, track_capacity, target_count, target_capacity;
};

// --- values in time ---

static void rotation_vector(const rotation_spec *rotation, double out[3]) {
    const double *a = rotation->axis;
    double length = (double)sn_length(sn_v3((sn_real)a[0], (sn_real)a[1], (sn_real)a[2]));
    double by = length > 0 ? rotation->degrees * (3.14159265358979323846 / 180) / length : 0;
    for (int i = 0; i < 3; i++) out[i] = by * a[i];
}

static void read_motion_key(const track_spec *spec, int i, double out[TRACK_VALUES]) {
    const motion_key *key = (const motion_key *)spec->keys.items + i;
    if (spec->what == MOTION_CENTRE) {
        memcpy(out, fields_has(key, "position") ? key->position : key->offset, 3 * sizeof *out);
    } else if (spec->what == MOTION_SCALE) {
        out[0] = key->scale;
    } else {
        rotation_vector(&key->rotation, out);
    }
}

static void read_key(const scene_track *track, int i, double out[TRACK_VALUES]) {
    memset(out, 0, TRACK_VALUES * sizeof *out);
    if (track->type == TRACK_MOTION) {
        read_motion_key(track->spec, i, out);
    } else if (track->type == TRACK_LOAD) {
        const load_key *key = (const load_key *)track->spec->keys.items + i;
        memcpy(out, key->force, sizeof key->force);
        memcpy(out + 3, key->torque, sizeof key->torque);
        out[6] = key->radial;
    } else {
        const activation_key *key = (const activation_key *)track->spec->keys.items + i;
        out[0] = key->stiffness;
        out[1] = key->length;
        out[2] = key->value;
        memcpy(out + 3, key->bend, sizeof key->bend);
    }
}

static double key_time(const scene_track *track, int i) {
    switch (track->type) {
    case TRACK_MOTION:
        return ((const motion_key *)track->spec->keys.items + i)->at.t;
    case TRACK_LOAD:
        return ((const load_key *)track->spec->keys.items + i)->at.t;
    default:
        return ((const activation_key *)track->spec->keys.items + i)->at.t;
    }
}

static void value_at(const scene_track *track, double t, double out[TRACK_VALUES]) {
    int low = 0, high = track->spec->keys.count - 1; // the last key not after t is in [low, high]
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (key_time(track, middle) <= t) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    read_key(track, low, out);
    double from = key_time(track, low);
    if (t <= from || low + 1 >= track->spec->keys.count) return;
    double to = key_time(track, low + 1), x = (t - from) / (to - from), after[TRACK_VALUES];
    if (track->spec->interpolation == INTERPOLATE_SMOOTH) x = x * x * (3 - 2 * x);
    read_key(track, low + 1, after);
    for (int i = 0; i < TRACK_VALUES; i++) out[i] += x * (after[i] - out[i]);
}

// --- calls ---

sn_status scene_drive_call(sn_scene *scene, sn_world *world, const scene_call *call) {
    if (scene->keep_calls) {
        if (!sn_reserve(&scene->memory, (void **)&scene->calls, &scene->call_capacity, scene->call_count + 1,
                        sizeof *call)) {
            return SN_ERR_MEMORY;
        }
        scene->calls[scene->call_count++] = *call;
    }
    return scene_call_apply(world, call);
}

void call_put_vector(scene_call *call, int at, sn_vec3 v) {
    call->v[at] = (float)v.x, call->v[at + 1] = (float)v.y, call->v[at + 2] = (float)v.z;
}

void call_put_rotation(scene_call *call, int at, sn_quat q) {
    call->v[at] = (float)q.x, call->v[at + 1] = (float)q.y, call->v[at + 2] = (float)q.z, call->v[at + 3] = (float)q.w;
}

sn_vec3 track_vector(const double value[3]) {
    return sn_v3((sn_real)value[0], (sn_real)value[1], (sn_real)value[2]);
}

sn_quat track_rotation(const double value[3]) {
    double q[4];
    quaternion_of_vector(value, q);
    return (sn_quat){(sn_real)q[0], (sn_real)q[1], (sn_real)q[2], (sn_real)q[3]};
}

sn_vec3 track_position(const scene_track *track, const scene_target *target, const double value[3]) {
    const bool relative = fields_has((const motion_key *)track->spec->keys.items, "offset");
    return relative ? sn_add(target->centre, track_vector(value)) : track_vector(value);
}

scene_call scene_call_on(call_type type, const scene_target *target) {
    return (scene_call){.type = type, .slot1 = target->body.slot1, .gen = target->body.gen, .index = target->point};
}

sn_status scene_call_scalar(sn_scene *scene, sn_world *world, call_type type, const scene_target *target,
                            double value) {
    scene_call call = scene_call_on(type, target);
    call.v[0] = (float)value;
    return scene_drive_call(scene, world, &call);
}

sn_status scene_call_vector(sn_scene *scene, sn_world *world, call_type type, const scene_target *target, sn_vec3 v) {
    scene_call call = scene_call_on(type, target);
    call_put_vector(&call, 0, v);
    return scene_drive_call(scene, world, &call);
}

sn_status scene_call_rotation(sn_scene *scene, sn_world *world, call_type type, const scene_target *target, sn_quat q) {
    scene_call call = scene_call_on(type, target);
    call_put_rotation(&call, 0, sn_q_normalize(q));
    return scene_drive_call(scene, world, &call);
}

// --- applying ---

static const scene_tracks *tracks_of(const scene_track *track) {
    return track->body->kind->tracks;
}

static sn_status apply(sn_scene *scene, scene_track *track, sn_world *world, double t) {
    double value[TRACK_VALUES] = {0};
    value_at(track, t, value);
    if (track->applied && memcmp(value, track->last, sizeof value) == 0) return SN_OK;
    track->applied = true;
    memcpy(track->last, value, sizeof value);
    sn_status worst = SN_OK;
    for (int i = track->first; i < track->first + track->count; i++) {
        const sn_status status = tracks_of(track)->apply(scene, world, track, &scene->driver->targets[i], value);
        if (status != SN_OK) worst = status;
    }
    return worst;
}

static sn_status release(sn_scene *scene, scene_track *track, sn_world *world, double t) {
    if (track->applied || t < track->release->t) return SN_OK;
    track->applied = true;
    sn_status worst = SN_OK;
    for (int i = track->first; i < track->first + track->count; i++) {
        const sn_status status = tracks_of(track)->release(scene, world, &scene->driver->targets[i]);
        if (status != SN_OK) worst = status;
    }
    return worst;
}

sn_status scene_drive(sn_scene *scene, sn_world *world, double t, double dt) {
    scene_driver *driver = scene->driver;
    sn_status worst = SN_OK;
    for (int i = 0; driver && i < driver->track_count; i++) {
        scene_track *track = &driver->tracks[i];
        // A held point moves to its position at the end of the step; a point released at t is free in the step from t.
        const sn_status status =
            track->type == TRACK_RELEASE ? release(scene, track, world, t + 1e-9) : apply(scene, track, world, t + dt);
        if (status != SN_OK) worst = status;
    }
    for (int k = 0; k < SCENE_LIST_COUNT; k++) {
        const sn_status status = scene_lists[k]->drive(scene, world, t + dt);
        if (status != SN_OK) worst = status;
    }
    const sn_status joints = scene_joints_drive(scene, world, t, dt);
    for (int k = 0; scene_kinds[k]; k++) {
        const sn_status status = scene_kinds[k]->drive ? scene_kinds[k]->drive(scene, world, t + dt) : SN_OK;
        if (status != SN_OK) worst = status;
    }
    return joints != SN_OK ? joints : worst;
}

// --- binding to the world ---

bool scene_add_target(sn_scene *scene, scene_track *track, const scene_target *target) {
    scene_driver *driver = scene->driver;
    if (!sn_reserve(&scene->memory, (void **)&driver->targets, &driver->target_capacity, driver->target_count + 1,
                    sizeof *target)) {
        return false;
    }
    driver->targets[driver->target_count++] = *target;
    track->count++;
    return true;
}

scene_target *scene_targets(const sn_scene *scene, int *count) {
    *count = scene->driver->target_count;
    return scene->driver->targets;
}

static sn_status bind(sn_scene *scene, const sn_world *world, scene_track track, const char *body_name,
                      const void *object, int copy, const selection_spec *select) {
    scene_driver *driver = scene->driver;
    const scene_body *body = scene_find_body(scene, body_name);
    const selection points = selection_of(select, object, body->points_per_copy);
    bool fine = sn_reserve(&scene->memory, (void **)&driver->tracks, &driver->track_capacity, driver->track_count + 1,
                           sizeof track);
    track.body = body;
    track.first = driver->target_count;
    const bool one = fields_has(object, "copy");
    for (int i = one ? copy : 0; fine && i < (one ? copy + 1 : body->copies); i++) {
        fine = tracks_of(&track)->bind(scene, world, &track, object, i, &points);
    }
    if (fine) driver->tracks[driver->track_count++] = track;
    return fine ? SN_OK : SN_ERR_MEMORY;
}

static sn_status bind_all(sn_scene *scene, const sn_world *world, const fields_list *list, scene_track_type type) {
    const track_spec *specs = list->items;
    sn_status status = SN_OK;
    for (int i = 0; i < list->count && status == SN_OK; i++) {
        const track_spec *spec = &specs[i];
        status =
            bind(scene, world, (scene_track){.type = type, .spec = spec}, spec->body, spec, spec->copy, &spec->select);
    }
    return status;
}

// What a motion moves must be held, or the motion would silently do nothing.
static sn_status check_held(sn_scene *scene, const sn_world *world) {
    static const char *const names[] = {"centre", "scale", "frame", "clamp"};
    const scene_driver *driver = scene->driver;
    sn_status status = SN_OK;
    for (int i = 0; i < driver->track_count; i++) {
        const scene_track *track = &driver->tracks[i];
        if (track->type != TRACK_MOTION) continue;
        size_t index = (size_t)(track->spec - (const track_spec *)scene->spec.motion.items);
        json_path list = {NULL, "motion", 0}, path = {&list, NULL, index};
        for (int j = track->first; j < track->first + track->count; j++) {
            const scene_target *at = &driver->targets[j];
            if (tracks_of(track)->is_held(world, track, at)) continue;
            const char *word = names[track->spec->what];
            error_at(&scene->errors, &path, "the %s of point %d is not held; name it in the body's \"hold\"", word,
                     at->point);
            status = SN_ERR_DEF;
            break;
        }
    }
    return status;
}

sn_status scene_driver_make(sn_scene *scene, sn_world *world) {
    scene_driver_free(scene);
    scene->driver = sn_alloc(&scene->memory, 1, sizeof *scene->driver);
    if (!scene->driver) return SN_ERR_MEMORY;
    sn_status status = bind_all(scene, world, &scene->spec.motion, TRACK_MOTION);
    if (status == SN_OK) status = bind_all(scene, world, &scene->spec.loads, TRACK_LOAD);
    if (status == SN_OK) status = bind_all(scene, world, &scene->spec.activation, TRACK_ACTIVATION);
    const release_spec *releases = scene->spec.release.items;
    for (int i = 0; i < scene->spec.release.count && status == SN_OK; i++) {
        const release_spec *spec = &releases[i];
        status = bind(scene, world, (scene_track){.type = TRACK_RELEASE, .release = spec}, spec->body, spec, spec->copy,
                      &spec->select);
    }
    return status == SN_OK ? check_held(scene, world) : status;
}

void scene_driver_free(sn_scene *scene) {
    scene_driver *driver = scene->driver;
    if (!driver) return;
    sn_free(&scene->memory, driver->tracks, (size_t)driver->track_capacity, sizeof(scene_track));
    sn_free(&scene->memory, driver->targets, (size_t)driver->target_capacity, sizeof(scene_target));
    sn_free(&scene->memory, driver, 1, sizeof *driver);
    scene->driver = NULL;
}
