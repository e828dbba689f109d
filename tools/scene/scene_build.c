// Creates the world of a scene through the public API. Errors that the engine finds in a body become errors of the
// file.
#include "base/math/vec.h"
#include "scene/scene.h"
#include "scene/scene_drive.h"
#include "scene/scene_joints.h"
#include "scene/scene_kinds.h"
#include <string.h>

// Converts a field name of the engine, "points[3]" or "radius", to a path below a body, if the file has that key.
typedef struct {
    char name[64];
    json_path key, element;
    const json_path *end; // null: no such key
} field_path;

static void find_field(field_path *out, const body_spec *body, const json_path *path, const char *field) {
    int index = 0, end = 0;
    out->end = NULL;
    if (!field || sscanf(field, "%63[a-z_]", out->name) != 1 || !fields_has(body, out->name)) return;
    out->key = (json_path){path, out->name, 0};
    out->end = &out->key;
    const char *rest = field + strlen(out->name);
    if (sscanf(rest, "[%d]%n", &index, &end) == 1 && end > 0 && index >= 0) {
        out->element = (json_path){&out->key, NULL, (size_t)index};
        out->end = &out->element;
    }
}

// Receives the world's log. Errors while bodies are created become errors of the file; later lines go to the user's
// log.
static void receive_log(void *user, sn_log_level level, sn_status code, const char *field, const char *text) {
    sn_scene *scene = user;
    if (scene->building < 0 || level != SN_LOG_ERROR) {
        if (scene->log) scene->log(scene->log_user, level, code, field, text);
        return;
    }
    json_path list = {NULL, scene->building_list, 0}, path = {&list, NULL, (size_t)scene->building};
    if (strcmp(scene->building_list, "bodies") != 0) {
        error_at(&scene->errors, &path, "%s%s%s", field ? field : "", field && *field ? ": " : "", text);
        return;
    }
    const scene_body *body = &scene->bodies[scene->building];
    field_path at;
    char copy[40] = "";
    find_field(&at, body->spec, &path, field);
    if (body->copies > 1) snprintf(copy, sizeof copy, "copy %d: ", scene->building_copy);
    if (at.end) {
        error_at(&scene->errors, at.end, "%s%s", copy, text);
    } else {
        error_at(&scene->errors, &path, "%s%s%s%s", copy, field ? field : "", field && *field ? ": " : "", text);
    }
}

static sn_status build_bodies(sn_scene *scene, sn_world *world) {
    sn_status worst = SN_OK;
    scene->building_list = "bodies";
    for (int i = 0; i < scene->spec.bodies.count; i++) {
        scene_body *body = &scene->bodies[i];
        scene->building = i;
        int before = scene->errors.count;
        sn_status status = body->kind->build(scene, world, body);
        if (status != SN_OK && scene->errors.count == before) {
            json_path list = {NULL, "bodies", 0}, path = {&list, NULL, (size_t)i};
            error_at(&scene->errors, &path, "cannot be created: %s", sn_status_name(status));
        }
        if (status != SN_OK) worst = status == SN_ERR_MEMORY ? status : SN_ERR_DEF;
        if (worst == SN_ERR_MEMORY) break;
    }
    scene->building = -1;
    return worst;
}

sn_status scene_build(sn_scene *scene, const sn_world_def *def, sn_world **out) {
    *out = NULL;
    if (scene->errors.count > 0) return SN_ERR_DEF;
    const scene_spec *spec = &scene->spec;
    sn_world_def own = *def;
    own.gravity = sn_v3((sn_real)spec->gravity[0], (sn_real)spec->gravity[1], (sn_real)spec->gravity[2]);
    own.solver = (sn_solver)spec->solver;
    own.iterations = spec->iterations;
    own.max_pairs = spec->max_pairs;
    scene->log = def->log;
    scene->log_user = def->log_user;
    own.log = receive_log;
    own.log_user = scene;
    sn_world *world = NULL;
    sn_status status = sn_world_create(&own, &world);
    if (status != SN_OK) return status;
    const size_t ids = (size_t)scene->id_count;
    if (!scene->ids) scene->ids = sn_alloc(&scene->memory, ids, sizeof *scene->ids);
    status = scene->ids ? build_bodies(scene, world) : SN_ERR_MEMORY;
    for (int k = 0; k < SCENE_LIST_COUNT && status == SN_OK; k++) status = scene_lists[k]->build(scene, world);
    for (int k = 0; scene_kinds[k] && status == SN_OK; k++)
        if (scene_kinds[k]->connect) status = scene_kinds[k]->connect(scene, world);
    if (status == SN_OK) status = scene_joints_build(scene, world);
    if (status == SN_OK) status = sn_world_set_contact_sweeps(world, spec->contact_sweeps);
    if (status == SN_OK) status = scene_driver_make(scene, world);
    if (status != SN_OK) {
        sn_world_destroy(world);
        return status;
    }
    *out = world;
    return SN_OK;
}
