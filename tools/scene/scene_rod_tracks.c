// Motion, loads, activation and release of points and segments of rods. Muscles use all of it but activation.
#include "base/math/vec.h"
#include "scene/placement.h"
#include "scene/scene_drive.h"
#include "scene/scene_rod.h"

// --- checking ---

// A track that moves segments must not name a point without one.
static void check_segment(sn_scene *scene, const track_spec *track, const scene_body *body, const json_path *path) {
    const json_path at = {path, "point", 0};
    if (!fields_has(track, "point")) return;
    const selection one = selection_of(&track->select, track, body->points_per_copy);
    if (!body->kind->has_segment(body, selection_at(&one, 0))) {
        error_at(&scene->errors, &at, "point %d has no segment: it is the root", selection_at(&one, 0));
    }
}

void scene_rod_check_motion(sn_scene *scene, scene_track_type type, const track_spec *track, const scene_body *body,
                            const json_path *path) {
    if (type == TRACK_MOTION && track->what == MOTION_FRAME) check_segment(scene, track, body, path);
}

static void check_track(sn_scene *scene, scene_track_type type, const track_spec *track, const scene_body *body,
                        const json_path *path) {
    scene_rod_check_motion(scene, type, track, body, path);
    if (type != TRACK_ACTIVATION) return;
    const activation_key *keys = track->keys.items;
    for (int i = 0; i < track->keys.count; i++) {
        const json_path list = {path, "keys", 0}, at = {&list, NULL, (size_t)i};
        if (fields_has(&keys[i].at, "value"))
            error_at(&scene->errors, &at, "\"value\" is for muscles; a rod's segments have \"length\" and \"bend\"");
    }
    check_segment(scene, track, body, path);
}

// --- binding ---

// Whether a track's targets must have a segment.
static bool wants_segment(const scene_track *track) {
    return track->type == TRACK_ACTIVATION || (track->type == TRACK_MOTION && track->spec->what == MOTION_FRAME);
}

static bool add_targets(sn_scene *scene, scene_track *track, int copy, const selection *points, const sn_vec3 *centres,
                        const sn_quat *frames) {
    const scene_body *body = track->body;
    for (int i = 0; i < points->count; i++) {
        const int k = selection_at(points, i);
        int point;
        const sn_body rod = scene_find_point(scene, body, copy, k, &point);
        const bool has_segment = body->kind->has_segment(body, k);
        if (wants_segment(track) && !has_segment) continue;
        const scene_target target = {
            .body = rod, .point = point, .centre = centres[k], .frame = has_segment ? frames[k] : (sn_quat){0}};
        if (!scene_add_target(scene, track, &target)) return false;
    }
    return true;
}

bool scene_rod_bind(sn_scene *scene, const sn_world *world, scene_track *track, const void *object, int copy,
                    const selection *points) {
    (void)object;
    const scene_body *body = track->body;
    const int rod_points = body->points_per_copy / body->ids_per_copy;
    const size_t n = (size_t)body->points_per_copy;
    sn_vec3 *centres = sn_alloc(&scene->memory, n, sizeof *centres);
    sn_quat *frames = sn_alloc(&scene->memory, n, sizeof *frames);
    bool good = centres && frames;
    for (int i = 0; good && i < body->ids_per_copy; i++) {
        const sn_body rod = scene->ids[body->first + copy * body->ids_per_copy + i];
        sn_body_get_points(world, rod, centres + i * rod_points, rod_points);
        sn_rod_get_frames(world, rod, frames + i * rod_points, rod_points);
    }
    good = good && add_targets(scene, track, copy, points, centres, frames);
    sn_free(&scene->memory, centres, n, sizeof *centres);
    sn_free(&scene->memory, frames, n, sizeof *frames);
    return good;
}

// --- applying ---

bool scene_rod_is_held(const sn_world *world, const scene_track *track, const scene_target *target) {
    static const int holds[] = {SN_HOLD_CENTRE, SN_HOLD_SCALE, SN_HOLD_FRAME, SN_HOLD_CLAMP};
    return sn_rod_held(world, target->body, target->point) & holds[track->spec->what];
}

static sn_status move(sn_scene *scene, sn_world *world, const scene_track *track, const scene_target *target,
                      const double value[TRACK_VALUES]) {
    if (!scene_rod_is_held(world, track, target)) return SN_OK; // released
    switch (track->spec->what) {
    case MOTION_SCALE:
        return scene_call_scalar(scene, world, CALL_SCALE, target, value[0]);
    case MOTION_FRAME:
        return scene_call_rotation(scene, world, CALL_FRAME, target, sn_q_mul(track_rotation(value), target->frame));
    case MOTION_CLAMP:
        return scene_call_rotation(scene, world, CALL_CLAMP, target, track_rotation(value));
    default:
        return scene_call_vector(scene, world, CALL_CENTRE, target, track_position(track, target, value));
    }
}

static sn_status load(sn_scene *scene, sn_world *world, const scene_track *track, const scene_target *target,
                      const double value[TRACK_VALUES]) {
    bool force = false, torque = false, radial = false;
    const load_key *keys = track->spec->keys.items;
    for (int i = 0; i < track->spec->keys.count; i++) {
        force = force || fields_has(&keys[i], "force");
        torque = torque || fields_has(&keys[i], "torque");
        radial = radial || fields_has(&keys[i], "radial");
    }
    sn_status status = SN_OK;
    if (force) status = scene_call_vector(scene, world, CALL_FORCE, target, track_vector(value));
    const sn_quat frame = target->frame;
    const bool has_segment = frame.w != 0 || frame.x != 0 || frame.y != 0 || frame.z != 0;
    if (torque && has_segment && status == SN_OK) {
        status = scene_call_vector(scene, world, CALL_TORQUE, target, track_vector(value + 3));
    }
    if (radial && status == SN_OK) status = scene_call_scalar(scene, world, CALL_RADIAL, target, value[6]);
    return status;
}

static bool bends(const track_spec *spec) {
    const activation_key *keys = spec->keys.items;
    for (int i = 0; i < spec->keys.count; i++)
        if (fields_has(&keys[i], "bend")) return true;
    return false;
}

sn_status scene_rod_apply(sn_scene *scene, sn_world *world, const scene_track *track, const scene_target *target,
                          const double value[TRACK_VALUES]) {
    if (track->type == TRACK_MOTION) return move(scene, world, track, target, value);
    if (track->type == TRACK_LOAD) return load(scene, world, track, target, value);
    scene_call call = scene_call_on(CALL_SEGMENT, target);
    call.v[0] = (float)value[0], call.v[1] = (float)value[1];
    const sn_status status = scene_drive_call(scene, world, &call);
    if (status != SN_OK || !bends(track->spec)) return status;
    const sn_vec3 bend = sn_q_rotate(sn_q_conj(target->frame), track_vector(value + 3));
    return scene_call_vector(scene, world, CALL_BEND, target, bend);
}

sn_status scene_rod_release(sn_scene *scene, sn_world *world, const scene_target *target) {
    const scene_call call = scene_call_on(CALL_RELEASE, target);
    return scene_drive_call(scene, world, &call);
}

const scene_tracks scene_rod_tracks = {check_track, scene_rod_bind, scene_rod_is_held, scene_rod_apply,
                                       scene_rod_release};
