// .vtp: the last frame of the rods. .pvd: every frame of them. All others are made of the recording, at the end: .glb
// is a skinned animation, .pc2 and .mdd are vertices (with the mesh beside, NAME.rest.obj), .obj the last frame, .png
// a picture of it, .mp4 a film.
#include "output.h"
#include "formats/atomic_file.h"
#include "formats/glb_write.h"
#include "formats/quote.h"
#include "formats/vertex_cache.h"
#include "formats/vtp.h"
#include "messages.h"
#include "progress.h"
#include "render/film.h"
#include "render/png.h"
#include "render/render.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    const char *ending;
    bool (*open)(run_output *output, const char *name, char why[256]);
    bool (*frame)(run_output *output, const sn_world *world, double t, char why[256]); // or null: only the end matters
    bool (*finish)(run_output *output, const sn_world *world, char why[256]);
    void (*abort)(run_output *output);
    bool wants_recording;
} output_format;

struct run_output {
    const output_format *format;
    const output_settings *settings;
    const recording *take; // while finishing
    atomic_file file;
    atomic_file mesh;   // beside .pc2 and .mdd
    vtp_series *series; // of .pvd
};

static bool open_file(atomic_file *file, const char *name, char why[256]) {
    bool good = atomic_file_open(file, name);
    if (!good) memcpy(why, file->why, 256);
    return good;
}

static bool commit_file(atomic_file *file, char why[256]) {
    bool good = atomic_file_commit(file);
    if (!good) memcpy(why, file->why, 256);
    return good;
}

// Ends a file whose content could not be made.
static bool give_up(atomic_file *file, const char *reason, char why[256]) {
    char said[160];
    snprintf(said, sizeof said, "%.159s", reason); // may be in 'why' itself
    snprintf(why, 256, "cannot write %.80s: %s", file->name, said);
    atomic_file_abort(file);
    return false;
}

// Ends a file whose content is written. 'error' is errno behind the writing: a stream that fails in the middle does
// not tell later why.
static bool end_file(atomic_file *file, bool written, int error, char why[256]) {
    if (ferror(file->out)) return give_up(file, strerror(error ? error : EIO), why);
    return written ? commit_file(file, why) : give_up(file, "out of memory", why);
}

static bool plain_open(run_output *output, const char *name, char why[256]) {
    return open_file(&output->file, name, why);
}

static void plain_abort(run_output *output) {
    atomic_file_abort(&output->file);
    atomic_file_abort(&output->mesh);
}

// --- ParaView ---

static bool vtp_finish(run_output *output, const sn_world *world, char why[256]) {
    errno = 0;
    bool written = vtp_write(output->file.out, world);
    return end_file(&output->file, written, errno, why);
}

static bool pvd_open(run_output *output, const char *name, char why[256]) {
    output->series = vtp_series_open(name, why);
    return output->series != NULL;
}

static bool pvd_frame(run_output *output, const sn_world *world, double t, char why[256]) {
    return vtp_series_add(output->series, world, t, why);
}

static bool pvd_finish(run_output *output, const sn_world *world, char why[256]) {
    (void)world; // its last frame was added already
    return vtp_series_finish(output->series, why);
}

static void pvd_abort(run_output *output) {
    vtp_series_abort(output->series);
}

// --- meshes that move ---

static bool glb_finish(run_output *output, const sn_world *world, char why[256]) {
    (void)world;
    const char *title = output->settings->scene->spec.title;
    char reason[256];
    errno = 0;
    bool written = glb_write(output->file.out, output->take, title, GLB_TOLERANCE, reason);
    if (!written && !ferror(output->file.out)) return give_up(&output->file, reason, why);
    return end_file(&output->file, written, errno, why);
}

static bool obj_finish(run_output *output, const sn_world *world, char why[256]) {
    (void)world;
    errno = 0;
    bool written = obj_frame_write(output->file.out, output->take, output->take->frame_count - 1, true);
    return end_file(&output->file, written, errno, why);
}

char *output_beside(const char *name) {
    if (!ends_with(name, ".pc2") && !ends_with(name, ".mdd")) return NULL;
    const size_t stem = strlen(name) - 4;
    char *mesh = malloc(stem + 10);
    if (mesh) snprintf(mesh, stem + 10, "%.*s.rest.obj", (int)stem, name);
    return mesh;
}

static bool cache_open(run_output *output, const char *name, char why[256]) {
    char *mesh = output_beside(name);
    bool good = mesh && open_file(&output->file, name, why);
    if (!mesh) snprintf(why, 256, "cannot write %.200s: out of memory", name);
    if (good) {
        good = open_file(&output->mesh, mesh, why);
        if (!good) atomic_file_abort(&output->file);
    }
    free(mesh);
    return good;
}

static bool cache_finish(run_output *output, bool (*write)(FILE *out, const recording *take), char why[256]) {
    errno = 0;
    bool written = write(output->file.out, output->take) && obj_frame_write(output->mesh.out, output->take, 0, false);
    bool flushed = fflush(output->file.out) == 0 && fflush(output->mesh.out) == 0;
    if (!written || !flushed || ferror(output->file.out) || ferror(output->mesh.out)) { // neither without the other
        give_up(&output->file, written && errno ? strerror(errno) : written ? strerror(EIO) : "out of memory", why);
        atomic_file_abort(&output->mesh);
        return false;
    }
    bool good = commit_file(&output->mesh, why);
    if (!good) atomic_file_abort(&output->file);
    return good && commit_file(&output->file, why);
}

static bool pc2_finish(run_output *output, const sn_world *world, char why[256]) {
    (void)world;
    return cache_finish(output, pc2_write, why);
}

static bool mdd_finish(run_output *output, const sn_world *world, char why[256]) {
    (void)world;
    return cache_finish(output, mdd_write, why);
}

// --- pictures ---

// The camera that was asked for, or null: 'why' says which there are.
static const camera_spec *find_camera(const output_settings *settings, char why[256]) {
    const camera_spec *cameras = settings->scene->spec.cameras.items;
    int count = settings->scene->spec.cameras.count;
    char *end, quoted[QUOTE_SIZE];
    long number = strtol(settings->camera, &end, 10);
    if (*settings->camera && !*end && number >= 0 && number < count) return &cameras[number];
    for (int i = 0; i < count; i++) {
        if (cameras[i].name && strcmp(cameras[i].name, settings->camera) == 0) return &cameras[i];
    }
    if (count) {
        snprintf(why, 256, "there is no camera %s; the scene has numbers 0 to %d", quote(settings->camera, quoted),
                 count - 1);
    } else {
        snprintf(why, 256, "there is no camera %s; the scene has none", quote(settings->camera, quoted));
    }
    return NULL;
}

static sn_vec3 vec(const double v[3]) {
    return (sn_vec3){(sn_real)v[0], (sn_real)v[1], (sn_real)v[2]};
}

static render_settings picture_settings(const run_output *output, int width, int height, int samples) {
    const output_settings *s = output->settings;
    render_settings made = {.width = s->width ? s->width : width,
                            .height = s->width ? s->height : height,
                            .samples = s->samples ? s->samples : samples,
                            .threads = s->threads};
    char why[256];
    const camera_spec *camera = s->camera ? find_camera(s, why) : s->scene->spec.cameras.items;
    if (camera && s->scene->spec.cameras.count) {
        made.camera = (render_camera){vec(camera->position), vec(camera->target), vec(camera->up), camera->degrees};
    } else {
        made.camera = render_camera_fit(output->take, made.width, made.height);
    }
    return made;
}

static bool png_finish(run_output *output, const sn_world *world, char why[256]) {
    (void)world;
    tool_error reason;
    render_settings settings = picture_settings(output, 1280, 720, 16);
    renderer *painter = renderer_new(output->take, &settings, &reason);
    const unsigned char *pixels = painter ? renderer_draw(painter, output->take->frame_count - 1, &reason) : NULL;
    if (!pixels) {
        renderer_free(painter);
        return give_up(&output->file, reason.text, why);
    }
    errno = 0;
    bool written = png_write(output->file.out, pixels, settings.width, settings.height);
    int error = errno;
    renderer_free(painter);
    return end_file(&output->file, written, error, why);
}

static bool mp4_open(run_output *output, const char *name, char why[256]) {
    tool_error reason;
    if (!film_possible(&reason)) {
        snprintf(why, 256, "cannot write %.80s: %.160s", name, reason.text);
        return false;
    }
    if (!open_file(&output->file, name, why)) return false;
    // ffmpeg goes back and forth in its file.
    if (!output->file.beside) return give_up(&output->file, "a film cannot be written there", why);
    return true;
}

// Draws and hands over every frame. False: 'reason' says why.
static bool shoot(run_output *output, renderer *painter, film *f, tool_error *reason) {
    progress bar;
    progress_start(&bar, output->settings->quiet);
    bool good = true;
    int frames = output->take->frame_count;
    for (int i = 0; good && i < frames; i++) {
        const unsigned char *pixels = renderer_draw(painter, i, reason);
        good = pixels != NULL;
        if (good && !film_add(f, pixels)) break; // ffmpeg says why when it is asked to finish
        if (good && output->settings->stopped()) {
            tool_error_set(reason, "interrupted");
            good = false;
        }
        char words[64];
        snprintf(words, sizeof words, "drawing frame %d of %d", i + 1, frames);
        progress_update(&bar, (i + 1.0) / frames, words);
    }
    progress_end(&bar);
    return good;
}

static bool mp4_finish(run_output *output, const sn_world *world, char why[256]) {
    (void)world;
    tool_error reason;
    render_settings settings = picture_settings(output, 960, 540, 4);
    renderer *painter = renderer_new(output->take, &settings, &reason);
    film *f = painter ? film_start(output->file.beside, settings.width, settings.height, output->settings->fps, &reason)
                      : NULL;
    bool good = f && shoot(output, painter, f, &reason);
    if (good)
        good = film_finish(f, &reason);
    else
        film_abort(f);
    renderer_free(painter);
    return good ? commit_file(&output->file, why) : give_up(&output->file, reason.text, why);
}

// --- the table ---

static const output_format formats[] = {
    {".vtp", plain_open, NULL, vtp_finish, plain_abort, false},
    {".pvd", pvd_open, pvd_frame, pvd_finish, pvd_abort, false},
    {".glb", plain_open, NULL, glb_finish, plain_abort, true},
    {".pc2", cache_open, NULL, pc2_finish, plain_abort, true},
    {".mdd", cache_open, NULL, mdd_finish, plain_abort, true},
    {".obj", plain_open, NULL, obj_finish, plain_abort, true},
    {".png", plain_open, NULL, png_finish, plain_abort, true},
    {".mp4", mp4_open, NULL, mp4_finish, plain_abort, true},
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

static const output_format *find_format(const char *name, char why[256]) {
    for (int i = 0; i < FORMAT_COUNT; i++) {
        if (ends_with(name, formats[i].ending)) return &formats[i];
    }
    char quoted[QUOTE_SIZE];
    int used = snprintf(why, 256, "the ending of %s is not one of", quote(name, quoted));
    for (int i = 0; i < FORMAT_COUNT && used < 256; i++) {
        used += snprintf(why + used, 256 - (size_t)used, "%s %s", i ? "," : "", formats[i].ending);
    }
    return NULL;
}

run_output *output_open(const char *name, const output_settings *settings, bool *bad_input, char why[256]) {
    const output_format *format = find_format(name, why);
    *bad_input = !format || (settings->camera && !find_camera(settings, why));
    if (*bad_input) return NULL;
    run_output *made = calloc(1, sizeof *made);
    if (!made) {
        snprintf(why, 256, "cannot write %.200s: out of memory", name);
        return NULL;
    }
    made->format = format;
    made->settings = settings;
    if (format->open(made, name, why)) return made;
    free(made);
    return NULL;
}

bool output_wants_recording(const run_output *output) {
    return output->format->wants_recording;
}

bool output_frame(run_output *output, const sn_world *world, double t, char why[256]) {
    return !output->format->frame || output->format->frame(output, world, t, why);
}

bool output_finish(run_output *output, const sn_world *world, const recording *take, char why[256]) {
    output->take = take;
    bool good = output->format->finish(output, world, why);
    free(output);
    return good;
}

void output_abort(run_output *output) {
    if (!output) return;
    output->format->abort(output);
    free(output);
}
