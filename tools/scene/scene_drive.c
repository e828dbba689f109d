// Keyframes: each track has values at times, linear between them or eased by 3x^2 - 2x^3, constant before the first and
// after the last. Rotations are interpolated as rotation vectors (axis times angle), so that several turns can be asked
// for. A track is applied only when its value has changed: loads and held places stay until then.
#include "scene/scene_drive.h"
#include "base/math/vec.h"
#include "scene/placement.h"
#include "scene/scene_character.h"
#include "scene/scene_check.h"
#include "scene/scene_joints.h"
#include "scene/scene_kinds.h"
#include "scene/scene_muscle.h"
#include "scene/scene_rigid.h"
#include "scene/scene_spring.h"
#include "scene/selection.h"
#include <string.h>

typedef enum { TRACK_MOTION, TRACK_LOAD, TRACK_ACTIVATION, TRACK_RELEASE } track_type;

// The most numbers a key has: force, torque, radial.
#define VALUES 7

// What a point was like when the world was built; motion is relative to it.
typedef struct {
    sn_body rod; // of a muscle's activation: its bundle's slot and generation; of springs: theirs
    int point;
    sn_vec3 centre;
    sn_quat frame;
    sn_real mass; // of a point of springs, when it is not held,
    bool held;    // and whether it is
} target;

typedef struct {
    track_type type;
    const track_spec *spec;      // or, of TRACK_RELEASE:
    const release_spec *release; //
    int first, count;            // among the targets
    bool muscle;                 // activates a muscle
    bool springs;                // is about points of springs
    bool applied;
    double last[VALUES]; // what was applied
} bound_track;

struct scene_driver {
    bound_track *tracks;
    target *targets;
    int track_count, track_capacity, target_count, target_capacity;
};

// --- values in time ---

static void rotation_vector(const rotation_spec *rotation, double out[3]) {
    const double *a = rotation->axis;
    double length = (double)sn_length(sn_v3((sn_real)a[0], (sn_real)a[1], (sn_real)a[2]));
    double by = length > 0 ? rotation->degrees * (3.14159265358979323846 / 180) / length : 0;
    for (int i = 0; i < 3; i++) out[i] = by * a[i];
}

static void read_motion_key(const track_spec *spec, int i, double out[VALUES]) {
    const motion_key *key = (const motion_key *)spec->keys.items + i;
    if (spec->what == MOTION_CENTRE) {
        memcpy(out, fields_has(key, "position") ? key->position : key->offset, 3 * sizeof *out);
    } else if (spec->what == MOTION_SCALE) {
        out[0] = key->scale;
    } else {
        rotation_vector(&key->rotation, out);
    }
}

static void read_key(const bound_track *track, int i, double out[VALUES]) {
    memset(out, 0, VALUES * sizeof *out);
    if (track->type == TRACK_MOTION) {
        read_motion_key(track->spec, i, out);
    } else if (track->type == TRACK_LOAD) {
        const load_key *key = (const load_key *)track->spec->keys.items + i;
        memcpy(out, key->force, sizeof key->force);
        memcpy(out + 3, key->torque, sizeof key->torque);
        out[6] = key->radial;
    } else {
        const activation_key *key = (const activation_key *)track->spec->keys.items + i;
        out[0] = track->muscle ? key->value : key->stiffness;
        out[1] = key->length;
    }
}

static double key_time(const bound_track *track, int i) {
    switch (track->type) {
    case TRACK_MOTION:
        return ((const motion_key *)track->spec->keys.items + i)->at.t;
    case TRACK_LOAD:
        return ((const load_key *)track->spec->keys.items + i)->at.t;
    default:
        return ((const activation_key *)track->spec->keys.items + i)->at.t;
    }
}

static void value_at(const bound_track *track, double t, double out[VALUES]) {
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
    double to = key_time(track, low + 1), x = (t - from) / (to - from), after[VALUES];
    if (track->spec->interpolation == INTERPOLATE_SMOOTH) x = x * x * (3 - 2 * x);
    read_key(track, low + 1, after);
    for (int i = 0; i < VALUES; i++) out[i] += x * (after[i] - out[i]);
}

// --- applying ---

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

static sn_vec3 to_vec3(const double v[3]) {
    return sn_v3((sn_real)v[0], (sn_real)v[1], (sn_real)v[2]);
}

static sn_quat to_turn(const double vector[3]) {
    double q[4];
    quaternion_of_vector(vector, q);
    return (sn_quat){(sn_real)q[0], (sn_real)q[1], (sn_real)q[2], (sn_real)q[3]};
}

static int held_by(int what) {
    static const int holds[] = {SN_HOLD_CENTRE, SN_HOLD_SCALE, SN_HOLD_FRAME, SN_HOLD_CLAMP};
    return holds[what];
}

static scene_call call_on(call_type type, const target *at) {
    return (scene_call){.type = type, .slot1 = at->rod.slot1, .gen = at->rod.gen, .index = at->point};
}

static sn_status call_scalar(sn_scene *scene, sn_world *world, call_type type, const target *at, double value) {
    scene_call call = call_on(type, at);
    call.v[0] = (float)value;
    return scene_drive_call(scene, world, &call);
}

static sn_status call_vector(sn_scene *scene, sn_world *world, call_type type, const target *at, sn_vec3 v) {
    scene_call call = call_on(type, at);
    call_put_vector(&call, 0, v);
    return scene_drive_call(scene, world, &call);
}

static sn_status call_turn(sn_scene *scene, sn_world *world, call_type type, const target *at, sn_quat q) {
    scene_call call = call_on(type, at);
    call_put_rotation(&call, 0, sn_q_normalize(q));
    return scene_drive_call(scene, world, &call);
}

static sn_status move(sn_scene *scene, const track_spec *spec, const target *at, const double value[VALUES],
                      sn_world *world) {
    if (!(sn_rod_held(world, at->rod, at->point) & held_by(spec->what))) return SN_OK; // released
    switch (spec->what) {
    case MOTION_SCALE:
        return call_scalar(scene, world, CALL_SCALE, at, value[0]);
    case MOTION_FRAME:
        return call_turn(scene, world, CALL_FRAME, at, sn_q_mul(to_turn(value), at->frame));
    case MOTION_CLAMP:
        return call_turn(scene, world, CALL_CLAMP, at, to_turn(value));
    default:
        break;
    }
    bool relative = fields_has((const motion_key *)spec->keys.items, "offset");
    sn_vec3 to = relative ? sn_add(at->centre, to_vec3(value)) : to_vec3(value);
    return call_vector(scene, world, CALL_CENTRE, at, to);
}

static sn_status load(sn_scene *scene, const track_spec *spec, const target *at, const double value[VALUES],
                      sn_world *world) {
    bool force = false, torque = false, radial = false;
    const load_key *keys = spec->keys.items;
    for (int i = 0; i < spec->keys.count; i++) {
        force = force || fields_has(&keys[i], "force");
        torque = torque || fields_has(&keys[i], "torque");
        radial = radial || fields_has(&keys[i], "radial");
    }
    sn_status status = SN_OK;
    if (force) status = call_vector(scene, world, CALL_FORCE, at, to_vec3(value));
    bool has_segment = at->frame.w != 0 || at->frame.x != 0 || at->frame.y != 0 || at->frame.z != 0;
    if (torque && has_segment && status == SN_OK) {
        status = call_vector(scene, world, CALL_TORQUE, at, to_vec3(value + 3));
    }
    if (radial && status == SN_OK) status = call_scalar(scene, world, CALL_RADIAL, at, value[6]);
    return status;
}

static bool is_held(const sn_world *world, const bound_track *track, const target *at) {
    if (!track->springs) return sn_rod_held(world, at->rod, at->point) & held_by(track->spec->what);
    return at->held;
}

static sn_status apply_springs(sn_scene *scene, const bound_track *track, const target *at, const double value[VALUES],
                               sn_world *world) {
    if (track->type == TRACK_LOAD) return call_vector(scene, world, CALL_SPRINGS_FORCE, at, to_vec3(value));
    if (!is_held(world, track, at)) return SN_OK; // released
    const bool relative = fields_has((const motion_key *)track->spec->keys.items, "offset");
    const sn_vec3 to = relative ? sn_add(at->centre, to_vec3(value)) : to_vec3(value);
    return call_vector(scene, world, CALL_SPRINGS_MOVE, at, to);
}

static sn_status apply(sn_scene *scene, bound_track *track, const target *targets, sn_world *world, double t) {
    double value[VALUES] = {0};
    value_at(track, t, value);
    if (track->applied && memcmp(value, track->last, sizeof value) == 0) return SN_OK;
    track->applied = true;
    memcpy(track->last, value, sizeof value);
    sn_status worst = SN_OK;
    for (int i = track->first; i < track->first + track->count; i++) {
        const target *at = &targets[i];
        sn_status status;
        if (track->springs) {
            status = apply_springs(scene, track, at, value, world);
        } else if (track->type == TRACK_MOTION) {
            status = move(scene, track->spec, at, value, world);
        } else if (track->type == TRACK_LOAD) {
            status = load(scene, track->spec, at, value, world);
        } else {
            scene_call call = call_on(track->muscle ? CALL_ACTIVATE : CALL_SEGMENT, at);
            call.v[0] = (float)value[0], call.v[1] = (float)value[1];
            status = scene_drive_call(scene, world, &call);
        }
        if (status != SN_OK) worst = status;
    }
    return worst;
}

// No track moves a point of springs any more.
static void let_go(scene_driver *driver, const target *freed) {
    for (int i = 0; i < driver->target_count; i++) {
        target *at = &driver->targets[i];
        if (at->point == freed->point && at->rod.slot1 == freed->rod.slot1 && at->mass > 0) at->held = false;
    }
}

static sn_status release(sn_scene *scene, bound_track *track, const target *targets, sn_world *world, double t) {
    if (track->applied || t < track->release->t) return SN_OK;
    track->applied = true;
    sn_status worst = SN_OK;
    for (int i = track->first; i < track->first + track->count; i++) {
        scene_call call = call_on(track->springs ? CALL_SPRINGS_MASS : CALL_RELEASE, &targets[i]);
        call.v[0] = (float)targets[i].mass;
        if (track->springs) let_go(scene->driver, &targets[i]);
        sn_status status = scene_drive_call(scene, world, &call);
        if (status != SN_OK) worst = status;
    }
    return worst;
}

sn_status scene_drive(sn_scene *scene, sn_world *world, double t, double dt) {
    scene_driver *driver = scene->driver;
    sn_status worst = SN_OK;
    for (int i = 0; driver && i < driver->track_count; i++) {
        bound_track *track = &driver->tracks[i];
        // A held thing is led to where it is at the end of the step; what is released at t is free in the step from t
        // on.
        sn_status status = track->type == TRACK_RELEASE ? release(scene, track, driver->targets, world, t + 1e-9)
                                                        : apply(scene, track, driver->targets, world, t + dt);
        if (status != SN_OK) worst = status;
    }
    sn_status shapes = scene_rigid_drive(scene, world, t + dt), joints = scene_joints_drive(scene, world, t, dt);
    sn_status muscles = scene_muscles_drive(scene, world, t + dt);
    sn_status characters = scene_characters_drive(scene, world, t + dt);
    if (shapes != SN_OK) worst = shapes;
    if (muscles != SN_OK) worst = muscles;
    if (characters != SN_OK) worst = characters;
    return joints != SN_OK ? joints : worst;
}

// --- binding to the world ---

// Whether a track's targets must have a segment.
static bool wants_segment(const bound_track *track) {
    if (track->type == TRACK_ACTIVATION) return !track->muscle;
    return track->type == TRACK_MOTION && track->spec->what == MOTION_FRAME;
}

// Adds points of a copy of springs. A motion that names none is about all that are held.
static bool bind_springs(sn_scene *scene, const sn_world *world, bound_track *track, const void *object,
                         const scene_body *body, int copy, const selection *points, sn_vec3 *centres) {
    scene_driver *driver = scene->driver;
    const sn_body id = scene_springs_id(scene, body, copy);
    const bool named = fields_has(object, "point") || fields_has(object, "points") || fields_has(object, "range");
    sn_body_get_points(world, id, centres, body->points_per_copy);
    if (!sn_reserve(&scene->memory, (void **)&driver->targets, &driver->target_capacity,
                    driver->target_count + points->count, sizeof(target))) {
        return false;
    }
    for (int i = 0; i < points->count; i++) {
        const int k = selection_at(points, i);
        if (track->type != TRACK_LOAD && !named && !body->form->held[k]) continue;
        driver->targets[driver->target_count++] = (target){.rod = id,
                                                           .point = k,
                                                           .centre = centres[k],
                                                           .mass = body->form->net.masses[k],
                                                           .held = body->form->held[k]};
        track->count++;
    }
    return true;
}

// Adds the targets of one copy. 'centres' and 'frames' have room for its points.
static bool bind_copy(sn_scene *scene, const sn_world *world, bound_track *track, const scene_body *body, int copy,
                      const selection *points, sn_vec3 *centres, sn_quat *frames) {
    scene_driver *driver = scene->driver;
    const int rod_points = body->points_per_copy / body->rods_per_copy;
    for (int i = 0; i < body->rods_per_copy; i++) {
        sn_body rod = scene->rods[body->first + copy * body->rods_per_copy + i];
        sn_body_get_points(world, rod, centres + i * rod_points, rod_points);
        sn_rod_get_frames(world, rod, frames + i * rod_points, rod_points);
    }
    if (!sn_reserve(&scene->memory, (void **)&driver->targets, &driver->target_capacity,
                    driver->target_count + points->count, sizeof(target))) {
        return false;
    }
    if (track->muscle) {
        const sn_bundle bundle = scene->muscles[body->first_muscle + copy].id;
        driver->targets[driver->target_count++] = (target){.rod = {0, bundle.slot1, bundle.gen}};
        track->count++;
        return true;
    }
    for (int i = 0; i < points->count; i++) {
        int k = selection_at(points, i), point;
        const sn_body rod = scene_rod_of(scene, body, copy, k, &point);
        bool has_segment = body->kind->has_segment(body, k);
        if (wants_segment(track) && !has_segment) continue;
        sn_quat none = {0, 0, 0, 0};
        driver->targets[driver->target_count++] =
            (target){.rod = rod, .point = point, .centre = centres[k], .frame = has_segment ? frames[k] : none};
        track->count++;
    }
    return true;
}

static sn_status bind(sn_scene *scene, const sn_world *world, bound_track track, const char *body_name,
                      const void *object, int copy, const selection_spec *select) {
    scene_driver *driver = scene->driver;
    const scene_body *body = scene_find_body(scene, body_name);
    selection points = selection_of(select, object, body->points_per_copy);
    track.muscle = track.type == TRACK_ACTIVATION && scene_muscle_of(body);
    track.springs = scene_springs_of(body);
    size_t n = (size_t)body->points_per_copy;
    sn_vec3 *centres = sn_alloc(&scene->memory, n, sizeof *centres);
    sn_quat *frames = sn_alloc(&scene->memory, n, sizeof *frames);
    bool fine = centres && frames &&
                sn_reserve(&scene->memory, (void **)&driver->tracks, &driver->track_capacity, driver->track_count + 1,
                           sizeof track);
    track.first = driver->target_count;
    bool one = fields_has(object, "copy");
    for (int i = one ? copy : 0; fine && i < (one ? copy + 1 : body->copies); i++) {
        fine = track.springs ? bind_springs(scene, world, &track, object, body, i, &points, centres)
                             : bind_copy(scene, world, &track, body, i, &points, centres, frames);
    }
    if (fine) driver->tracks[driver->track_count++] = track;
    sn_free(&scene->memory, centres, n, sizeof *centres);
    sn_free(&scene->memory, frames, n, sizeof *frames);
    return fine ? SN_OK : SN_ERR_MEMORY;
}

static sn_status bind_all(sn_scene *scene, const sn_world *world, const fields_list *list, track_type type) {
    const track_spec *specs = list->items;
    sn_status status = SN_OK;
    for (int i = 0; i < list->count && status == SN_OK; i++) {
        const track_spec *spec = &specs[i];
        status =
            bind(scene, world, (bound_track){.type = type, .spec = spec}, spec->body, spec, spec->copy, &spec->select);
    }
    return status;
}

// What is to be moved must be held, or nothing would happen and nobody would know why.
static sn_status check_held(sn_scene *scene, const sn_world *world) {
    static const char *const names[] = {"centre", "scale", "frame", "clamp"};
    const scene_driver *driver = scene->driver;
    sn_status status = SN_OK;
    for (int i = 0; i < driver->track_count; i++) {
        const bound_track *track = &driver->tracks[i];
        if (track->type != TRACK_MOTION) continue;
        size_t index = (size_t)(track->spec - (const track_spec *)scene->spec.motion.items);
        json_path list = {NULL, "motion", 0}, path = {&list, NULL, index};
        for (int j = track->first; j < track->first + track->count; j++) {
            const target *at = &driver->targets[j];
            if (is_held(world, track, at)) continue;
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
        status = bind(scene, world, (bound_track){.type = TRACK_RELEASE, .release = spec}, spec->body, spec, spec->copy,
                      &spec->select);
    }
    return status == SN_OK ? check_held(scene, world) : status;
}

void scene_driver_free(sn_scene *scene) {
    scene_driver *driver = scene->driver;
    if (!driver) return;
    sn_free(&scene->memory, driver->tracks, (size_t)driver->track_capacity, sizeof(bound_track));
    sn_free(&scene->memory, driver->targets, (size_t)driver->target_capacity, sizeof(target));
    sn_free(&scene->memory, driver, 1, sizeof *driver);
    scene->driver = NULL;
}
