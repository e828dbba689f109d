// Checks a scene as a whole. Entries with errors are skipped, since fields may be missing.
#include "scene/scene_check.h"
#include "formats/quote.h"
#include "scene/placement.h"
#include "scene/scene_joints.h"
#include "scene/scene_kinds.h"
#include "scene/scene_material.h"
#include "scene/scene_rigid.h"
#include "scene/scene_skeleton.h"
#include "scene/selection.h"
#include <string.h>

// Replaces entries of unknown kinds.
static const body_spec no_body = {.head = {.bad = true}};

static const body_spec *body_at(const sn_scene *scene, int i) {
    const body_spec *body = ((const body_spec **)scene->spec.bodies.items)[i];
    return body ? body : &no_body;
}

const scene_body *scene_find_body(const sn_scene *scene, const char *name) {
    const json_t *index = json_object_get(scene->names, name);
    return index ? &scene->bodies[json_integer_value(index)] : NULL;
}

// Null: unknown.
static const scene_kind *kind_of(const body_spec *body) {
    const scene_kind *const *kind = scene_kinds;
    while (*kind && (*kind)->table != body->head.type) kind++;
    return *kind;
}

// Counts copies, points and bodies before anything of that size is allocated.
static void check_counts(sn_scene *scene, scene_body *body, int64_t points, const json_path *path) {
    double copies = placement_copies(body->spec);
    if (copies + scene->body_count > SCENE_MAX_BODIES) {
        error_at(&scene->errors, path, "has %.0f copies; the limit of a scene is %d bodies", copies, SCENE_MAX_BODIES);
    } else if (copies * (double)points + (double)scene->point_count > SCENE_MAX_POINTS) {
        error_at(&scene->errors, path, "has %.0f points; the limit of a scene is %d points", copies * (double)points,
                 SCENE_MAX_POINTS);
    } else if (copies * body->ids_per_copy + scene->id_count > SCENE_MAX_IDS) {
        error_at(&scene->errors, path, "has %.0f bodies, parts included; the limit of a scene is %d",
                 copies * body->ids_per_copy, SCENE_MAX_IDS);
    } else {
        body->first = scene->id_count;
        body->copies = (int)copies;
        body->points_per_copy = (int)points;
        scene->body_count += body->copies;
        scene->id_count += body->copies * body->ids_per_copy;
        scene->point_count += body->copies * points;
    }
}

static void check_name(sn_scene *scene, int index, const json_path *path) {
    const char *name = body_at(scene, index)->name;
    char quoted[QUOTE_SIZE];
    json_path at = {path, "name", 0};
    if (!name) return;
    const json_t *other = json_object_get(scene->names, name);
    if (other) {
        error_at(&scene->errors, &at, "bodies[%d] already has the name %s", (int)json_integer_value(other),
                 quote(name, quoted));
    } else if (json_object_set_new(scene->names, name, json_integer(index)) != 0) {
        error_at(&scene->errors, &at, "does not fit into memory");
    }
}

static void check_bodies(sn_scene *scene) {
    int count = scene->spec.bodies.count;
    scene->bodies = sn_arena_alloc(&scene->arena, (size_t)count + 1, sizeof *scene->bodies);
    scene->names = json_object();
    if (scene->bodies) memset(scene->bodies, 0, ((size_t)count + 1) * sizeof *scene->bodies);
    if (!scene->bodies || !scene->names) {
        error_at_place(&scene->errors, (json_place){0, 0}, "does not fit into memory");
        scene->spec.bodies.count = 0;
        return;
    }
    for (int i = 0; i < count; i++) {
        const body_spec *body = body_at(scene, i);
        json_path list = {NULL, "bodies", 0}, path = {&list, NULL, (size_t)i};
        scene->bodies[i] = (scene_body){.kind = kind_of(body), .spec = body, .index = i, .ids_per_copy = 1};
        scene->nameless = scene->nameless || body == &no_body;
        check_name(scene, i, &path);
        if (body->head.bad) continue;
        placement_check(body, &scene->errors, &path);
        scene_checker checker = {scene, &path, &scene->bodies[i]};
        int64_t points = scene->bodies[i].kind->check(&checker, body);
        check_counts(scene, &scene->bodies[i], points, &path);
    }
    bool any = count > 0;
    for (int i = 0; i < scene->spec.rigid_bodies.count && !any; i++)
        any = ((const rigid_spec *)scene->spec.rigid_bodies.items)[i].dynamic;
    if (!any && scene->errors.count == 0)
        error_at(&scene->errors, NULL, "nothing moves: needs \"bodies\", or a dynamic one of \"rigid_bodies\"");
}

// The body of a track or release, with its selection checked; null after an error.
static const scene_body *check_target(sn_scene *scene, const char *name, int copy, const void *object,
                                      const selection_spec *select, const json_path *path) {
    char quoted[QUOTE_SIZE], near_quoted[QUOTE_SIZE];
    json_path at = {path, "body", 0}, copy_at = {path, "copy", 0};
    const scene_body *body = scene_find_body(scene, name);
    if (!body) {
        if (scene->nameless) return NULL; // it may be that one
        int best = suggest_reach(name);
        const char *near = NULL;
        for (int i = 0; !error_list_full(&scene->errors) && i < scene->spec.bodies.count; i++) {
            const char *own = scene->bodies[i].spec->name;
            if (own && suggest_nearer(name, own, &best)) near = own;
        }
        quote(name, quoted);
        if (near) {
            error_at(&scene->errors, &at, "no body is called %s; did you mean %s?", quoted, quote(near, near_quoted));
        } else {
            error_at(&scene->errors, &at, "no body is called %s", quoted);
        }
        return NULL;
    }
    if (!body->kind->tracks) {
        error_at(&scene->errors, &at, "%s is %s, which has no points to name", quote(name, quoted), body->kind->one);
        return NULL;
    }
    if (body->points_per_copy == 0) return NULL; // it has errors
    if (fields_has(object, "copy") && copy >= body->copies) {
        error_at(&scene->errors, &copy_at, "must be less than the number of copies, %d, is %d", body->copies, copy);
        return NULL;
    }
    return selection_check(select, object, body->points_per_copy, false, &scene->errors, path) ? body : NULL;
}

static int64_t driven_points(const scene_body *body, const selection_spec *select, const void *object) {
    int64_t copies = fields_has(object, "copy") ? 1 : body->copies;
    return copies * selection_of(select, object, body->points_per_copy).count;
}

// Keys in order of time.
static void check_times(sn_scene *scene, const track_spec *track, size_t key_size, const json_path *path) {
    const char *keys = track->keys.items;
    for (int i = 1; i < track->keys.count; i++) {
        double before = ((const track_key *)(keys + (size_t)(i - 1) * key_size))->t;
        double t = ((const track_key *)(keys + (size_t)i * key_size))->t;
        json_path list = {path, "keys", 0}, key = {&list, NULL, (size_t)i}, at = {&key, "t", 0};
        if (!(t > before)) {
            error_at(&scene->errors, &at, "must be later than the key before, %.9g, is %.9g", before, t);
        }
    }
}

// The keys of a motion must have the value that it moves.
static void check_motion_keys(sn_scene *scene, const track_spec *track, const json_path *path) {
    const motion_key *keys = track->keys.items;
    static const char *const wanted[] = {"\"position\" or \"offset\"", "\"scale\"", "\"rotation\"", "\"rotation\""};
    int positions = 0;
    for (int i = 0; i < track->keys.count; i++) {
        json_path list = {path, "keys", 0}, at = {&list, NULL, (size_t)i};
        bool position = fields_has(&keys[i].at, "position"), offset = fields_has(&keys[i].at, "offset");
        bool has[] = {position != offset, fields_has(&keys[i].at, "scale"), fields_has(&keys[i].at, "rotation")};
        int kinds = position + offset + has[1] + has[2];
        if (!has[track->what == MOTION_CLAMP ? MOTION_FRAME : track->what] || kinds != 1) {
            error_at(&scene->errors, &at, "needs %s, and nothing else but \"t\"", wanted[track->what]);
        }
        positions += position;
    }
    if (positions != 0 && positions != track->keys.count) {
        error_at(&scene->errors, path, "needs \"position\" in all keys, or \"offset\" in all keys");
    }
}

static int64_t check_tracks(sn_scene *scene, const fields_list *tracks, scene_track_type type, const char *key,
                            size_t key_size) {
    int64_t driven = 0;
    const track_spec *items = tracks->items;
    for (int i = 0; i < tracks->count; i++) {
        const track_spec *track = &items[i];
        json_path list = {NULL, key, 0}, path = {&list, NULL, (size_t)i};
        if (track->head.bad) continue;
        check_times(scene, track, key_size, &path);
        if (type == TRACK_MOTION) check_motion_keys(scene, track, &path);
        const scene_body *body = check_target(scene, track->body, track->copy, track, &track->select, &path);
        if (!body) continue;
        driven += driven_points(body, &track->select, track);
        body->kind->tracks->check(scene, type, track, body, &path);
    }
    return driven;
}

static int64_t check_releases(sn_scene *scene) {
    int64_t driven = 0;
    const release_spec *releases = scene->spec.release.items;
    for (int i = 0; i < scene->spec.release.count; i++) {
        const release_spec *release = &releases[i];
        json_path list = {NULL, "release", 0}, path = {&list, NULL, (size_t)i};
        if (release->head.bad) continue;
        const scene_body *body = check_target(scene, release->body, release->copy, release, &release->select, &path);
        if (body) driven += driven_points(body, &release->select, release);
    }
    return driven;
}

void scene_check(sn_scene *scene) {
    const scene_spec *spec = &scene->spec;
    scene_materials_check(scene);
    check_bodies(scene);
    int64_t driven = check_tracks(scene, &spec->motion, TRACK_MOTION, "motion", sizeof(motion_key));
    driven += check_tracks(scene, &spec->loads, TRACK_LOAD, "loads", sizeof(load_key));
    driven += check_tracks(scene, &spec->activation, TRACK_ACTIVATION, "activation", sizeof(activation_key));
    driven += check_releases(scene);
    if (driven > SCENE_MAX_DRIVEN) {
        error_at(&scene->errors, NULL, "motion, loads, activation and release name %lld points; the limit is %d",
                 (long long)driven, SCENE_MAX_DRIVEN);
    }
    json_path duration = {NULL, "duration", 0};
    if (spec->duration / spec->step > SCENE_MAX_STEPS) {
        error_at(&scene->errors, &duration, "%.9g s in steps of %.9g s are more than %d steps", spec->duration,
                 spec->step, SCENE_MAX_STEPS);
    }
    const camera_spec *cameras = spec->cameras.items;
    for (int i = 0; i < spec->cameras.count; i++) {
        json_path list = {NULL, "cameras", 0}, path = {&list, NULL, (size_t)i}, at = {&path, "position", 0};
        if (!cameras[i].head.bad && memcmp(cameras[i].position, cameras[i].target, sizeof cameras[i].target) == 0) {
            error_at(&scene->errors, &at, "must be away from the target");
        }
    }
    scene_skeletons_check(scene);
    for (int k = 0; k < SCENE_LIST_COUNT; k++) scene_lists[k]->check(scene);
    for (int k = 0; scene_kinds[k]; k++)
        if (scene_kinds[k]->check_all) scene_kinds[k]->check_all(scene);
    scene_joints_check(scene);
}
