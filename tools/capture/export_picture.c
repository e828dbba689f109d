// .png: a picture of the last frame. .mp4: a film of all frames. Camera, light and ground are chosen for the whole run,
// so both draw at the end.
#include "capture/exporter.h"
#include "formats/quote.h"
#include "render/film.h"
#include "render/png.h"
#include "render/render.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const camera_spec *export_find_camera(const export_options *options, tool_error *error) {
    const camera_spec *cameras = options->scene->spec.cameras.items;
    const int count = options->scene->spec.cameras.count;
    char *end, quoted[QUOTE_SIZE];
    long index = strtol(options->camera, &end, 10);
    if (*options->camera && !*end && index >= 0 && index < count) return &cameras[index];
    for (int i = 0; i < count; i++)
        if (cameras[i].name && strcmp(cameras[i].name, options->camera) == 0) return &cameras[i];
    quote(options->camera, quoted);
    if (count)
        tool_error_set(error, "there is no camera %s; the scene has numbers 0 to %d", quoted, count - 1);
    else
        tool_error_set(error, "there is no camera %s; the scene has none", quoted);
    return NULL;
}

static sn_vec3 vec(const double v[3]) {
    return (sn_vec3){(sn_real)v[0], (sn_real)v[1], (sn_real)v[2]};
}

// Settings of a picture; width, height and samples are the defaults. False: errno is set.
static bool make_settings(const export_run *run, int width, int height, int samples, render_settings *out) {
    const export_options *o = run->options;
    *out = (render_settings){.width = o->width ? o->width : width,
                             .height = o->width ? o->height : height,
                             .samples = o->samples ? o->samples : samples,
                             .threads = o->threads};
    const camera_spec *camera = o->camera ? export_find_camera(o, NULL) : o->scene->spec.cameras.items;
    if (!camera || !o->scene->spec.cameras.count)
        return render_camera_fit(run->model, run->frames, out->width, out->height, &out->camera);
    out->camera = (render_camera){vec(camera->position), vec(camera->target), vec(camera->up), camera->degrees};
    return true;
}

// The extent of up to about 60 frames of the run. False: errno is set.
static bool measure(const export_run *run, render_extent *out) {
    const int count = view_spool_count(run->frames), step = count > 30 ? count / 30 : 1;
    view_frame frame = {0};
    bool good = view_frame_alloc(&frame, run->model);
    *out = (render_extent){.any = false};
    for (int i = 0; good && i < count; i += step) {
        good = view_spool_read(run->frames, i, &frame);
        if (good) render_extent_add(out, run->model, &frame);
    }
    view_frame_free(&frame);
    return good;
}

static renderer *make_renderer(const export_run *run, int width, int height, int samples, render_settings *settings,
                               tool_error *reason) {
    render_extent extent;
    if (make_settings(run, width, height, samples, settings) && measure(run, &extent))
        return renderer_new(run->model, &extent, settings, reason);
    tool_error_set(reason, "%s", strerror(errno));
    return NULL;
}

// --- .png ---

static bool png_finish(void *self, const export_run *run, tool_error *error) {
    export_file *output = self;
    tool_error reason;
    render_settings settings;
    renderer *painter = make_renderer(run, 1280, 720, 16, &settings, &reason);
    const unsigned char *pixels = painter ? renderer_draw(painter, run->frame, &reason) : NULL;
    bool good = pixels != NULL;
    if (good) {
        errno = 0;
        const bool written = png_write(output->file.out, pixels, settings.width, settings.height);
        good = export_end(&output->file, written, errno, error);
    } else {
        export_give_up(&output->file, reason.text, error);
    }
    renderer_free(painter);
    free(output);
    return good;
}

const exporter export_png = {.extension = ".png",
                             .needs = EXPORT_SPOOL,
                             .open = export_file_open,
                             .finish = png_finish,
                             .abort = export_file_abort};

// --- .mp4 ---

static void *mp4_open(const char *path, const export_options *options, tool_error *error) {
    tool_error reason;
    if (!film_possible(&reason)) {
        tool_error_set(error, "cannot write %s: %s", path, reason.text);
        return NULL;
    }
    export_file *made = export_file_open(path, options, error);
    if (made && made->file.is_special) { // ffmpeg seeks in its file
        export_give_up(&made->file, "a film cannot be written there", error);
        free(made);
        return NULL;
    }
    return made;
}

// Draws every frame and passes it to ffmpeg. False: `reason` is set.
static bool shoot(const export_run *run, renderer *painter, film *f, tool_error *reason) {
    const export_options *options = run->options;
    const int count = view_spool_count(run->frames);
    view_frame frame = {0};
    bool good = view_frame_alloc(&frame, run->model);
    if (!good) tool_error_out_of_memory(reason);
    for (int i = 0; good && i < count; i++) {
        good = view_spool_read(run->frames, i, &frame);
        if (!good) tool_error_set(reason, "%s", strerror(errno));
        const unsigned char *pixels = good ? renderer_draw(painter, &frame, reason) : NULL;
        good = pixels != NULL;
        if (good && !film_add(f, pixels)) break; // film_finish reports the error
        if (good && options->is_stopped && options->is_stopped()) {
            tool_error_set(reason, "interrupted");
            good = false;
        }
        char text[64];
        snprintf(text, sizeof text, "drawing frame %d of %d", i + 1, count);
        if (options->progress) options->progress(options->user, (i + 1.0) / count, text);
    }
    if (options->progress) options->progress(options->user, 1, NULL);
    view_frame_free(&frame);
    return good;
}

static bool mp4_finish(void *self, const export_run *run, tool_error *error) {
    export_file *output = self;
    tool_error reason;
    render_settings settings;
    renderer *painter = make_renderer(run, 960, 540, 4, &settings, &reason);
    char path[4096];
    atomic_file_path(&output->file, path, sizeof path);
    film *f = painter ? film_start(path, settings.width, settings.height, run->options->fps, &reason) : NULL;
    bool good = f && shoot(run, painter, f, &reason);
    if (good)
        good = film_finish(f, &reason);
    else
        film_abort(f);
    renderer_free(painter);
    good = good ? export_commit(&output->file, error) : export_give_up(&output->file, reason.text, error);
    free(output);
    return good;
}

const exporter export_mp4 = {
    .extension = ".mp4", .needs = EXPORT_SPOOL, .open = mp4_open, .finish = mp4_finish, .abort = export_file_abort};
