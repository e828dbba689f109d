// .obj: the mesh of the last frame. .pc2 and .mdd: the vertices of every frame, with the mesh of the first frame beside
// them as NAME.rest.obj.
#include "capture/exporter.h"
#include "formats/vertex_cache.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

// --- .obj ---

static bool obj_finish(void *self, const export_run *run, tool_error *error) {
    export_file *output = self;
    errno = 0;
    const bool written = obj_frame_write(output->file.out, run->model, run->frame, true);
    const bool good = export_end(&output->file, written, errno, error);
    free(output);
    return good;
}

const exporter export_obj = {.extension = ".obj",
                             .needs = EXPORT_FRAMES,
                             .open = export_file_open,
                             .finish = obj_finish,
                             .abort = export_file_abort};

// --- vertex caches ---

typedef struct {
    atomic_file file, mesh;
    vertex_cache_format format;
    vertex_cache *cache; // from the first frame on
} cache_output;

static void *cache_open(const exporter *format, vertex_cache_format kind, const char *path, tool_error *error) {
    cache_output *made = calloc(1, sizeof *made);
    char *mesh = exporter_companion(format, path);
    bool good = made && mesh;
    if (!good) tool_error_set(error, "cannot write %s: out of memory", path);
    if (good) {
        made->format = kind;
        good = export_open(&made->file, path, error);
    }
    if (good && !export_open(&made->mesh, mesh, error)) {
        atomic_file_abort(&made->file);
        good = false;
    }
    free(mesh);
    if (good) return made;
    free(made);
    return NULL;
}

static void *pc2_open(const char *path, const export_options *options, tool_error *error) {
    (void)options;
    return cache_open(&export_pc2, CACHE_PC2, path, error);
}

static void *mdd_open(const char *path, const export_options *options, tool_error *error) {
    (void)options;
    return cache_open(&export_mdd, CACHE_MDD, path, error);
}

// "cannot write NAME: why one of the files failed, or why errno is set".
static bool fail(const cache_output *output, tool_error *error) {
    const int written = atomic_file_failure(&output->file), beside = atomic_file_failure(&output->mesh);
    const int failure = written ? written : beside ? beside : errno;
    const char *reason = failure == ENOMEM || !failure ? "out of memory" : strerror(failure);
    tool_error_set(error, "cannot write %s: %s", output->file.name, reason);
    return false;
}

static bool cache_write(void *self, const export_run *run, tool_error *error) {
    cache_output *output = self;
    errno = 0;
    if (!output->cache) {
        output->cache = vertex_cache_open(output->file.out, output->format, run->model, output->file.name);
        if (!output->cache || !obj_frame_write(output->mesh.out, run->model, run->frame, false))
            return fail(output, error);
    }
    const bool good = vertex_cache_write(output->cache, run->frame);
    if (!good || ferror(output->file.out) || ferror(output->mesh.out)) return fail(output, error);
    return true;
}

static void cache_abort(void *self) {
    cache_output *output = self;
    vertex_cache_free(output->cache);
    atomic_file_abort(&output->file);
    atomic_file_abort(&output->mesh);
    free(output);
}

static bool cache_finish(void *self, const export_run *run, tool_error *error) {
    (void)run;
    cache_output *output = self;
    errno = 0;
    bool good = output->cache && vertex_cache_finish(output->cache);
    output->cache = NULL;
    good = good && fflush(output->file.out) == 0 && fflush(output->mesh.out) == 0;
    if (!good || ferror(output->file.out) || ferror(output->mesh.out)) { // neither without the other
        good = fail(output, error);
    } else {
        good = export_commit(&output->mesh, error) && export_commit(&output->file, error);
    }
    cache_abort(output); // what was committed stays
    return good;
}

const exporter export_pc2 = {.extension = ".pc2",
                             .companion = ".rest.obj",
                             .needs = EXPORT_FRAMES,
                             .open = pc2_open,
                             .write = cache_write,
                             .finish = cache_finish,
                             .abort = cache_abort};

const exporter export_mdd = {.extension = ".mdd",
                             .companion = ".rest.obj",
                             .needs = EXPORT_FRAMES,
                             .open = mdd_open,
                             .write = cache_write,
                             .finish = cache_finish,
                             .abort = cache_abort};
