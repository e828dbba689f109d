// Muscles to rigs and bones to meshes, in the folder NAME.rigs beside NAME.scene.json. A rig is made again only if its surface or its
// settings have changed: NAME.key holds a hash of them, and how good the rig is.
#include "anatomy.h"
#include "base/hash.h"
#include "base/math/double3.h"
#include "command.h"
#include "formats/atomic_file.h"
#include "formats/file_text.h"
#include "formats/muscle_rig.h"
#include "mesh_files.h"
#include "messages.h"
#include "system/system.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Changes when rigs of the same surface change.
enum { RIG_VERSION = 1 };

static void path_of(const anatomy *a, const anatomy_item *item, const char *ending, char *out, size_t capacity) {
    snprintf(out, capacity, "%s/%s.rigs/%s%s", a->output_folder, a->base, item->name, ending);
}

static int rods_of(const anatomy *a, const anatomy_item *item) {
    return item->choice && fields_has(item->choice, "rods") ? item->choice->rods : a->request->rods;
}

static int slices_of(const anatomy *a, const anatomy_item *item) {
    return item->choice && fields_has(item->choice, "slices") ? item->choice->slices : a->request->slices;
}

static uint64_t key_of(const anatomy *a, const anatomy_item *item) {
    const double numbers[] = {RIG_VERSION, rods_of(a, item), slices_of(a, item), a->request->triangles, a->unit};
    return sn_hash_bytes(item->hash, numbers, sizeof numbers);
}

// ---- the cache

static bool is_cached(const anatomy *a, anatomy_item *item) {
    char path[1600], *text = NULL;
    size_t size;
    tool_error error;
    uint64_t key = 0;
    sn_viper_quality *q = &item->quality;
    path_of(a, item, ".rig.json", path, sizeof path);
    if (!file_text_exists(path, &disk_files)) return false;
    path_of(a, item, ".key", path, sizeof path);
    if (!file_text_exists(path, &disk_files) || !file_text_read(path, &disk_files, 4096, &text, &size, &error))
        return false;
    const bool good = sscanf(text, "%" SCNx64 " %lf %lf %lf %lf %lf %d %lf", &key, &q->radius, &q->surface_mean,
                             &q->surface_95, &q->span, &q->contained, &q->sharp_bends, &q->bend) == 8;
    free(text);
    return good && key == key_of(a, item);
}

typedef struct {
    const anatomy *a;
    const anatomy_item *item;
    const sn_viper *viper;
} rig_writing;

static bool write_rig(FILE *out, const void *what, tool_error *error) {
    (void)error;
    const rig_writing *w = what;
    sn_viper_write(out, w->viper, w->item->name, w->item->file);
    return true;
}

static bool write_key(FILE *out, const void *what, tool_error *error) {
    (void)error;
    const rig_writing *w = what;
    const sn_viper_quality *q = &w->item->quality;
    fprintf(out, "%016" PRIx64 " %.6g %.6g %.6g %.6g %.6g %d %.6g\n", key_of(w->a, w->item), q->radius, q->surface_mean,
            q->surface_95, q->span, q->contained, q->sharp_bends, q->bend);
    return true;
}

// ---- rigs

typedef struct {
    anatomy *a;
    double from, share;
    const char *name;
} rig_progress;

static void show_progress(void *context, double done, const char *stage) {
    const rig_progress *p = context;
    (void)stage;
    progress_update(&p->a->bar, p->from + p->share * done, p->name);
}

static int make_rig(anatomy *a, anatomy_item *item, rig_progress *shown) {
    sn_viper_options options = sn_viper_options_default();
    sn_viper viper;
    tool_error error = {0};
    char path[1600];
    sn_viper_report *report = calloc(1, sizeof *report);
    if (!report) return out_of_memory();
    options.rods = rods_of(a, item), options.slices = slices_of(a, item), options.threads = a->request->threads;
    options.progress = show_progress, options.context = shown;
    const bool made = sn_viperize(&item->surface, &options, &viper, report, &error);
    item->quality = report->quality;
    free(report);
    if (!made) { // one bad muscle does not spoil the body
        progress_end(&a->bar);
        warn("%s: left out: %s", item->file, error.text);
        item->failed = true;
        return error.out_of_memory ? out_of_memory() : EXIT_DONE;
    }
    const rig_writing writing = {a, item, &viper};
    path_of(a, item, ".rig.json", path, sizeof path);
    bool good = atomic_file_write(path, write_rig, &writing, &error);
    path_of(a, item, ".key", path, sizeof path);
    good = good && atomic_file_write(path, write_key, &writing, &error);
    sn_viper_free(&viper);
    return good ? EXIT_DONE : fail(EXIT_RUN_FAILED, "%s", error.text);
}

// The middle of the rods' ends, and where they point.
static int read_ends(const anatomy *a, anatomy_item *item) {
    char path[1600];
    muscle_rig rig;
    tool_error error;
    path_of(a, item, ".rig.json", path, sizeof path);
    if (!muscle_rig_read(path, &disk_files, &rig, &error)) return bad_input(error.text);
    for (int end = 0; end < 2; end++) {
        double inner[3] = {0};
        for (int r = 0; r < rig.rod_count; r++) {
            const double(*points)[3] = (const double(*)[3])rig.points + (long long)r * rig.slice_count;
            const int last = end ? rig.slice_count - 1 : 0, before = end ? last - 1 : 1;
            for (int k = 0; k < 3; k++)
                item->end[end][k] += points[last][k] / rig.rod_count, inner[k] += points[before][k] / rig.rod_count;
        }
        d3_sub(item->end[end], inner, item->onward[end]);
        const double size = sqrt(d3_dot(item->onward[end], item->onward[end]));
        for (int k = 0; k < 3 && size > 0; k++) item->onward[end][k] /= size;
    }
    muscle_rig_free(&rig);
    return EXIT_DONE;
}

int anatomy_make_rigs(anatomy *a) {
    char path[1600];
    double all = 0, done = 0;
    snprintf(path, sizeof path, "%s/%s.rigs", a->output_folder, a->base);
    if (!system_make_folder(path)) return fail(EXIT_RUN_FAILED, "%s: %s", path, strerror(errno));
    for (int i = 0; i < a->count; i++) {
        a->item[i].from_cache = a->item[i].kind == ANATOMY_MUSCLE && is_cached(a, &a->item[i]);
        if (a->item[i].kind == ANATOMY_MUSCLE && !a->item[i].from_cache) all += a->item[i].surface.triangle_count;
    }
    for (int i = 0; i < a->count; i++) {
        anatomy_item *item = &a->item[i];
        int code = EXIT_DONE;
        if (item->kind == ANATOMY_BONE) {
            path_of(a, item, ".obj", path, sizeof path);
            code = write_obj(path, &item->surface);
        }
        if (item->kind == ANATOMY_MUSCLE && !item->from_cache) {
            rig_progress shown = {a, 0.15 + 0.75 * done / all, 0.75 * item->surface.triangle_count / all, item->name};
            code = make_rig(a, item, &shown);
            done += item->surface.triangle_count;
        }
        if (code == EXIT_DONE && item->kind == ANATOMY_MUSCLE && !item->failed) code = read_ends(a, item);
        if (code != EXIT_DONE) return code;
    }
    return EXIT_DONE;
}
