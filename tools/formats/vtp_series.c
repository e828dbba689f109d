// A .pvd file and its folder of frames. Frames are collected in a folder beside the final one; finishing moves them. The
// folder is locked while it is written, so that one that a killed process left is known and removed (atomic_file.c).
#include "formats/atomic_file.h"
#include "formats/vtp.h"
#include "system/system.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct vtp_series {
    char *list;       // NAME.pvd
    char *folder;     // NAME
    char *beside;     // NAME.tmp-XXXXXX, until finished
    system_lock lock; // on that folder
    bool locked;
    double *times;
    int count, capacity;
};

static bool fail(tool_error *error, const char *name, int code) {
    return tool_error_set(error, "cannot write %s: %s", name, strerror(code));
}

static void series_free(vtp_series *series) {
    if (!series) return;
    if (series->locked) system_unlock(&series->lock);
    free(series->list);
    free(series->folder);
    free(series->beside);
    free(series->times);
    free(series);
}

vtp_series *vtp_series_open(const char *name, tool_error *error) {
    vtp_series *series = calloc(1, sizeof *series);
    size_t length = strlen(name), stem = length - 4;
    if (series) {
        series->list = malloc(length + 1);
        series->folder = malloc(length + 1);
        series->beside = malloc(length + 16);
    }
    if (!series || !series->list || !series->folder || !series->beside) {
        fail(error, name, ENOMEM);
        series_free(series);
        return NULL;
    }
    memcpy(series->list, name, length + 1);
    memcpy(series->folder, name, stem);
    series->folder[stem] = '\0';
    snprintf(series->beside, length + 16, "%s.tmp-XXXXXX", series->folder);
    atomic_file_remove_stale(series->folder);
    const bool is_file = system_is_file(series->folder);
    series->locked = !is_file && system_make_unique_folder(series->beside, &series->lock);
    if (!series->locked) {
        fail(error, series->folder, is_file ? ENOTDIR : errno);
        series_free(series);
        return NULL;
    }
    return series;
}

// The path of a frame in a folder; the caller frees it. Null: out of memory.
static char *frame_path(const char *folder, int frame) {
    size_t size = strlen(folder) + 32;
    char *path = malloc(size);
    if (path) snprintf(path, size, "%s/frame_%05d.vtp", folder, frame);
    return path;
}

bool vtp_series_add(vtp_series *series, const sn_world *world, double t, tool_error *error) {
    if (series->count == series->capacity) {
        int capacity = series->capacity ? 2 * series->capacity : 64;
        double *times = realloc(series->times, (size_t)capacity * sizeof *times);
        if (!times) return fail(error, series->list, ENOMEM);
        series->times = times;
        series->capacity = capacity;
    }
    char *path = frame_path(series->beside, series->count);
    if (!path) return fail(error, series->list, ENOMEM);
    FILE *out = fopen(path, "wb");
    bool good = out != NULL;
    if (good) {
        errno = 0;
        good = vtp_write(out, world) && !ferror(out);
        good = fclose(out) == 0 && good;
    }
    if (good) {
        series->times[series->count++] = t;
    } else {
        fail(error, series->list, errno ? errno : ENOMEM);
        remove(path);
    }
    free(path);
    return good;
}

static bool write_list(const vtp_series *series, tool_error *error) {
    atomic_file file;
    const char *base = system_file_name(series->folder);
    if (!atomic_file_open(&file, series->list)) {
        tool_error_set(error, "%s", file.error.text);
        return false;
    }
    fprintf(file.out, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n  <Collection>\n");
    for (int i = 0; i < series->count; i++) {
        fprintf(file.out, "    <DataSet timestep=\"%.9g\" file=\"", series->times[i]);
        for (const char *c = base; *c; c++) { // escapes characters that XML reserves
            const char *escaped = *c == '&' ? "&amp;" : *c == '<' ? "&lt;" : *c == '"' ? "&quot;" : NULL;
            if (escaped) fputs(escaped, file.out);
            if (!escaped) fputc(*c, file.out);
        }
        fprintf(file.out, "/frame_%05d.vtp\"/>\n", i);
    }
    fprintf(file.out, "  </Collection>\n</VTKFile>\n");
    if (atomic_file_commit(&file)) return true;
    tool_error_set(error, "%s", file.error.text);
    return false;
}

static void remove_later_frame(void *context, const char *name) {
    const vtp_series *series = context;
    int frame = 0, end = 0;
    bool is_frame = sscanf(name, "frame_%d.vtp%n", &frame, &end) == 1 && end > 0 && !name[end];
    char *path = is_frame && frame >= series->count ? frame_path(series->folder, frame) : NULL;
    if (path) remove(path);
    free(path);
}

// Removes frames of an earlier, longer series.
static void remove_later_frames(vtp_series *series) {
    system_list_folder(series->folder, remove_later_frame, series);
}

static bool move_frames(const vtp_series *series, tool_error *error) {
    for (int i = 0; i < series->count; i++) {
        char *from = frame_path(series->beside, i), *to = frame_path(series->folder, i);
        bool good = from && to && system_replace(from, to);
        int code = from && to ? errno : ENOMEM;
        free(from);
        free(to);
        if (!good) return fail(error, series->folder, code);
    }
    return true;
}

// Removes our frames from a folder, and the folder if nothing else is in it.
static void remove_frames(const vtp_series *series, const char *folder) {
    for (int i = 0; i < series->count; i++) {
        char *path = frame_path(folder, i);
        if (path) remove(path);
        free(path);
    }
    system_remove_folder(folder);
}

void vtp_series_abort(vtp_series *series) {
    if (!series) return;
    if (series->locked) system_unlock(&series->lock); // Windows removes no folder that is open
    series->locked = false;
    remove_frames(series, series->beside);
    series_free(series);
}

bool vtp_series_finish(vtp_series *series, tool_error *error) {
    if (!system_make_folder(series->folder)) {
        fail(error, series->folder, errno);
        vtp_series_abort(series);
        return false;
    }
    bool good = move_frames(series, error);
    if (good) remove_later_frames(series);
    good = good && write_list(series, error);
    if (!good) remove_frames(series, series->folder);
    vtp_series_abort(series); // frames that were not moved, and the temporary folder
    return good;
}
