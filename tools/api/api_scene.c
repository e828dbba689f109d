// Public calls for scenes: sinew/tools/scene.h.
#include "api/api_error.h"
#include "api/api_locale.h"
#include "formats/file_text.h"
#include "scene/scene.h"
#include "scene/scene_check.h"
#include "sinew/tools/scene.h"
#include "system/system.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Hands every line of a text to the log.
static void log_lines(char *text, sn_log_level level, sn_status code, sn_log_fn *log, void *user) {
    for (char *line = text, *end; log && *line; line = end + 1) {
        end = strchr(line, '\n');
        if (!end) break;
        *end = '\0';
        log(user, level, code, "", line);
    }
}

// Logs the errors and warnings of a scene; the first error goes to `error`.
static void report(sn_scene *scene, sn_log_fn *log, void *log_user, sn_error *error) {
    for (int errors = 0; errors < 2; errors++) {
        system_text to;
        system_text_open(&to);
        if (!to.out) return;
        if (errors)
            errors_print(&scene->errors, to.out);
        else
            warnings_print(&scene->errors, to.out);
        char *text = system_text_finish(&to);
        if (text) {
            if (errors && to.size > 0) api_fail(error, SN_ERR_FORMAT, "%.*s", (int)strcspn(text, "\n"), text);
            log_lines(text, errors ? SN_LOG_ERROR : SN_LOG_WARNING, errors ? SN_ERR_FORMAT : SN_OK, log, log_user);
        }
        free(text);
    }
}

static sn_status end_load(sn_scene *scene, const char *path, sn_log_fn *log, void *log_user, sn_scene **out,
                          sn_error *error) {
    if (!scene) return api_out_of_memory(error);
    report(scene, log, log_user, error);
    if (scene->errors.count == 0 && scene->spec.duration / scene->spec.step > SCENE_MAX_STEPS) {
        scene_free(scene);
        return api_fail(error, SN_ERR_FORMAT, "%.300s: more than %d steps", path, SCENE_MAX_STEPS);
    }
    if (scene->errors.count == 0) {
        *out = scene;
        return SN_OK;
    }
    scene_free(scene);
    return SN_ERR_FORMAT;
}

sn_status sn_scene_load(const char *path, sn_log_fn *log, void *log_user, sn_scene **out, sn_error *error) {
    API_C_LOCALE;
    if (out) *out = NULL;
    if (!path || !out) return api_fail(error, SN_ERR_RANGE, "the path or the output is null");
    const sn_status status = end_load(scene_read(path, &disk_files), path, log, log_user, out, error);
    return status == SN_ERR_FORMAT && !file_text_exists(path, &disk_files) ? SN_ERR_FILE : status;
}

sn_status sn_scene_parse(const char *name, const char *text, size_t size, sn_log_fn *log, void *log_user,
                         sn_scene **out, sn_error *error) {
    API_C_LOCALE;
    if (out) *out = NULL;
    if (!name || !text || !out) return api_fail(error, SN_ERR_RANGE, "the name, the text or the output is null");
    return end_load(scene_parse(name, text, size, &disk_files), name, log, log_user, out, error);
}

void sn_scene_destroy(sn_scene *scene) {
    if (scene) scene_free(scene);
}

sn_status sn_scene_build(sn_scene *scene, const sn_world_def *def, sn_world **out, sn_error *error) {
    API_C_LOCALE;
    if (out) *out = NULL;
    if (!scene || !out) return api_fail(error, SN_ERR_RANGE, "the scene or the output is null");
    const sn_world_def usual = sn_world_def_default();
    const sn_status status = scene_build(scene, def ? def : &usual, out);
    if (status == SN_OK) return SN_OK;
    *out = NULL;
    api_fail(error, status, "cannot build the world: %s", sn_status_name(status));
    if (scene->errors.count > 0) report(scene, NULL, NULL, error);
    return status;
}

sn_status sn_scene_step(sn_scene *scene, sn_world *world, sn_error *error) {
    API_C_LOCALE;
    if (!scene || !world) return api_fail(error, SN_ERR_RANGE, "the scene or the world is null");
    const double step = scene->spec.step;
    const uint64_t index = sn_world_step_count(world);
    sn_status status = scene_drive(scene, world, (double)index * step, step);
    if (status == SN_OK) status = sn_world_step(world, (sn_real)step, scene->spec.substeps);
    if (status != SN_OK) api_fail(error, status, "step %llu: %s", (unsigned long long)index, sn_status_name(status));
    return status;
}

double sn_scene_step_length(const sn_scene *scene) {
    return scene ? scene->spec.step : 0;
}

int sn_scene_substeps(const sn_scene *scene) {
    return scene ? scene->spec.substeps : 0;
}

double sn_scene_duration(const sn_scene *scene) {
    return scene ? scene->spec.duration : 0;
}

int64_t sn_scene_step_count(const sn_scene *scene) {
    return scene ? scene_step_count(scene, scene->spec.duration) : 0;
}

sn_body sn_scene_find_body(const sn_scene *scene, const sn_world *world, const char *name, int copy) {
    const sn_body none = {0};
    const scene_body *body = scene && world && name ? scene_find_body(scene, name) : NULL;
    if (!body || copy < 0) return none;
    const uint64_t label = scene_label(body->index, copy);
    for (int i = 0; i < sn_world_body_count(world); i++) {
        const sn_body candidate = sn_world_body_at(world, i);
        if (sn_body_label(world, candidate) == label) return candidate;
    }
    return none;
}

bool sn_scene_body_name(const sn_scene *scene, const sn_world *world, sn_body body, char *out, size_t capacity) {
    if (!out || capacity == 0) return false;
    out[0] = '\0';
    const uint64_t label = scene && world ? sn_body_label(world, body) : 0;
    if (label == 0 || (label - 1) >> 32 >= (uint64_t)scene->spec.bodies.count) return false;
    scene_label_text(scene, label, out, capacity);
    return true;
}
