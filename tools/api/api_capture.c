// Public calls for capturing runs: sinew/tools/capture.h.
#include "api/api_error.h"
#include "api/api_locale.h"
#include "capture/capture.h"
#include "sinew/tools/capture.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CAPTURE_MARK 0x7E9A1204u

struct sn_capture {
    export_options options;
    capture *inner;
    char *camera; // owned
    bool skins, started;
    int file_count;
    int64_t next;     // index of the next frame
    uint64_t written; // number of steps at the last frame
};

sn_capture_def sn_capture_def_default(void) {
    return (sn_capture_def){.fps = 30, .skins = true, .threads = 1, .init_mark = CAPTURE_MARK};
}

static sn_status check_def(const sn_capture_def *def, sn_error *error) {
    if (def->init_mark != CAPTURE_MARK) return api_unmarked(error, "sn_capture_def_default");
    if (!(def->fps > 0 && def->fps <= 1e6)) return api_fail(error, SN_ERR_DEF, "fps: must be above 0, at most 1e6");
    if (def->width < 0 || def->height < 0 || def->width > 16384 || def->height > 16384)
        return api_fail(error, SN_ERR_DEF, "width, height: must be 0 to 16384");
    if (def->samples < 0 || def->samples > 4096) return api_fail(error, SN_ERR_DEF, "samples: must be 0 to 4096");
    if (def->threads < 1 || def->threads > 64) return api_fail(error, SN_ERR_DEF, "threads: must be 1 to 64");
    return SN_OK;
}

sn_status sn_capture_create(const sn_scene *scene, const sn_capture_def *def, sn_capture **out, sn_error *error) {
    API_C_LOCALE;
    if (out) *out = NULL;
    if (!scene || !out) return api_fail(error, SN_ERR_RANGE, "the scene or the output is null");
    const sn_capture_def use = def ? *def : sn_capture_def_default();
    const sn_status status = check_def(&use, error);
    if (status != SN_OK) return status;
    sn_capture *made = calloc(1, sizeof *made);
    if (!made) return api_out_of_memory(error);
    made->skins = use.skins;
    made->camera = use.camera ? strdup(use.camera) : NULL;
    made->options = (export_options){.scene = scene,
                                     .fps = use.fps,
                                     .width = use.width,
                                     .height = use.height,
                                     .samples = use.samples,
                                     .threads = use.threads,
                                     .camera = made->camera,
                                     .progress = use.progress,
                                     .user = use.progress_user};
    made->inner = capture_new(&made->options);
    if (made->inner && (made->camera || !use.camera)) {
        *out = made;
        return SN_OK;
    }
    sn_capture_destroy(made);
    return api_out_of_memory(error);
}

sn_status sn_capture_add_file(sn_capture *c, const char *path, sn_error *error) {
    API_C_LOCALE;
    tool_error message = {0};
    bool bad_input = false;
    if (!c || !path) return api_fail(error, SN_ERR_RANGE, "the capture or the path is null");
    if (c->started) return api_fail(error, SN_ERR_RANGE, "files must be added before the first frame");
    if (!capture_add_file(c->inner, path, &bad_input, &message))
        return api_tool_error(error, bad_input ? SN_ERR_DEF : SN_ERR_FILE, &message);
    c->file_count++;
    return SN_OK;
}

// The world's time. It adds up steps rounded to sn_real; a world stepped by the scene gets the exact multiple.
static double find_time(const sn_capture *c, const sn_world *world) {
    const double exact = (double)sn_world_step_count(world) * c->options.scene->spec.step, time = sn_world_time(world);
    return fabs(exact - time) <= 1e-6 * exact ? exact : time;
}

static sn_status write_frame(sn_capture *c, const sn_world *world, double time, sn_error *error) {
    tool_error message = {0};
    if (!capture_frame(c->inner, world, time, &message)) return api_tool_error(error, SN_ERR_FILE, &message);
    c->written = sn_world_step_count(world);
    return SN_OK;
}

sn_status sn_capture_frame(sn_capture *c, const sn_world *world, sn_error *error) {
    API_C_LOCALE;
    tool_error message = {0};
    if (!c || !world) return api_fail(error, SN_ERR_RANGE, "the capture or the world is null");
    const double time = find_time(c, world), fps = c->options.fps;
    if (!c->started && !capture_start(c->inner, world, c->skins, &message))
        return api_tool_error(error, SN_ERR_FILE, &message);
    const bool due = !c->started || time * fps > (double)c->next - 1e-6;
    c->started = true;
    // Frame k belongs to the first step that ends at k / fps or later.
    if (!due) return SN_OK;
    while ((double)c->next <= time * fps + 1e-6) c->next++;
    return write_frame(c, world, time, error);
}

sn_status sn_capture_finish(sn_capture *c, const sn_world *world, sn_error *error) {
    API_C_LOCALE;
    if (!c || !world) return api_fail(error, SN_ERR_RANGE, "the capture or the world is null");
    sn_status status = c->started ? SN_OK : sn_capture_frame(c, world, error);
    if (status == SN_OK && c->written != sn_world_step_count(world))
        status = write_frame(c, world, find_time(c, world), error);
    const int count = status == SN_OK ? c->file_count : 0;
    for (int i = 0; i < count; i++) {
        tool_error message = {0};
        if (capture_finish_file(c->inner, i, world, &message) || status != SN_OK) continue;
        status = api_tool_error(error, SN_ERR_FILE, &message);
    }
    c->file_count = 0;
    return status;
}

void sn_capture_destroy(sn_capture *c) {
    if (!c) return;
    capture_free(c->inner);
    free(c->camera);
    free(c);
}
