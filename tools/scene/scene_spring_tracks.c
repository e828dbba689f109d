// Motion, loads and release of points of spring bodies. Points have no radii and segments, so only positions and forces
// are possible.
#include "scene/scene_drive.h"
#include "scene/scene_spring.h"

static void check_track(sn_scene *scene, scene_track_type type, const track_spec *track, const scene_body *of,
                        const json_path *path) {
    (void)of;
    const json_path body = {path, "body", 0}, what = {path, "what", 0};
    if (type == TRACK_ACTIVATION) {
        error_at(&scene->errors, &body, "is a spring body, which cannot be activated");
        return;
    }
    if (type == TRACK_MOTION && track->what != MOTION_CENTRE) {
        error_at(&scene->errors, &what, "must be \"centre\" for a spring body");
        return;
    }
    const load_key *keys = type == TRACK_LOAD ? track->keys.items : NULL;
    for (int i = 0; keys && i < track->keys.count; i++) {
        const json_path list = {path, "keys", 0}, at = {&list, NULL, (size_t)i};
        if (!fields_has(&keys[i], "torque") && !fields_has(&keys[i], "radial")) continue;
        error_at(&scene->errors, &at, "must have only \"force\" for a spring body");
        return;
    }
}

// A motion or release without points applies to all held points.
static bool bind(sn_scene *scene, const sn_world *world, scene_track *track, const void *object, int copy,
                 const selection *points) {
    const scene_body *body = track->body;
    const sn_body id = scene->ids[body->first + copy];
    const bool named = fields_has(object, "point") || fields_has(object, "points") || fields_has(object, "range");
    const size_t n = (size_t)body->points_per_copy;
    sn_vec3 *centres = sn_alloc(&scene->memory, n, sizeof *centres);
    bool good = centres != NULL;
    if (good) sn_body_get_points(world, id, centres, (int)n);
    for (int i = 0; good && i < points->count; i++) {
        const int k = selection_at(points, i);
        if (track->type != TRACK_LOAD && !named && !scene_spring_form(body)->held[k]) continue;
        const scene_target target = {.body = id,
                                     .point = k,
                                     .centre = centres[k],
                                     .mass = scene_spring_form(body)->net.masses[k],
                                     .held = scene_spring_form(body)->held[k]};
        good = scene_add_target(scene, track, &target);
    }
    sn_free(&scene->memory, centres, n, sizeof *centres);
    return good;
}

static bool is_held(const sn_world *world, const scene_track *track, const scene_target *target) {
    (void)world, (void)track;
    return target->held;
}

static sn_status apply(sn_scene *scene, sn_world *world, const scene_track *track, const scene_target *target,
                       const double value[TRACK_VALUES]) {
    if (track->type == TRACK_LOAD)
        return scene_call_vector(scene, world, CALL_SPRINGS_FORCE, target, track_vector(value));
    if (!target->held) return SN_OK; // released
    return scene_call_vector(scene, world, CALL_SPRINGS_MOVE, target, track_position(track, target, value));
}

static sn_status release(sn_scene *scene, sn_world *world, const scene_target *target) {
    int count;
    scene_target *all = scene_targets(scene, &count);
    for (int i = 0; i < count; i++) { // no track moves the point now
        scene_target *at = &all[i];
        if (at->point == target->point && at->body.slot1 == target->body.slot1 && at->mass > 0) at->held = false;
    }
    return scene_call_scalar(scene, world, CALL_SPRINGS_MASS, target, (double)target->mass);
}

const scene_tracks scene_spring_tracks = {check_track, bind, is_held, apply, release};
