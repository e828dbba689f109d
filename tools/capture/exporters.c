// The table of exporters, and what those that write one file share. See exporter.h.
#include "capture/exporter.h"
#include "formats/quote.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const exporter *const table[] = {&export_vtp, &export_pvd,  &export_glb, &export_pc2, &export_mdd,
                                        &export_obj, &export_usda, &export_png, &export_mp4};
enum { COUNT = sizeof table / sizeof *table };

static bool has_extension(const char *path, const char *extension) {
    const size_t length = strlen(path), size = strlen(extension);
    return length > size && strcmp(path + length - size, extension) == 0;
}

const exporter *exporter_find(const char *path, tool_error *error) {
    for (int i = 0; i < COUNT; i++)
        if (has_extension(path, table[i]->extension)) return table[i];
    char quoted[QUOTE_SIZE];
    char list[16 * COUNT] = "";
    for (int i = 0, used = 0; i < COUNT; i++)
        used += snprintf(list + used, sizeof list - (size_t)used, "%s%s", i ? ", " : "", table[i]->extension);
    tool_error_set(error, "the ending of %s is not one of %s", quote(path, quoted), list);
    return NULL;
}

char *exporter_companion(const exporter *format, const char *path) {
    if (!format->companion) return NULL;
    const size_t stem = strlen(path) - strlen(format->extension), size = stem + strlen(format->companion) + 1;
    char *made = malloc(size);
    if (made) snprintf(made, size, "%.*s%s", (int)stem, path, format->companion);
    return made;
}

bool export_open(atomic_file *file, const char *path, tool_error *error) {
    const bool good = atomic_file_open(file, path);
    if (!good && error) *error = file->error;
    return good;
}

bool export_commit(atomic_file *file, tool_error *error) {
    const bool good = atomic_file_commit(file);
    if (!good && error) *error = file->error;
    return good;
}

bool export_give_up(atomic_file *file, const char *reason, tool_error *error) {
    tool_error_set(error, "cannot write %s: %s", file->name, reason);
    atomic_file_abort(file);
    return false;
}

bool export_end(atomic_file *file, bool written, int number, tool_error *error) {
    const int failure = atomic_file_failure(file);
    if (ferror(file->out)) return export_give_up(file, strerror(failure ? failure : number ? number : EIO), error);
    return written ? export_commit(file, error) : export_give_up(file, "out of memory", error);
}

void *export_file_open(const char *path, const export_options *options, tool_error *error) {
    (void)options;
    export_file *made = calloc(1, sizeof *made);
    if (!made) tool_error_set(error, "cannot write %s: out of memory", path);
    if (made && export_open(&made->file, path, error)) return made;
    free(made);
    return NULL;
}

void export_file_abort(void *self) {
    export_file *output = self;
    atomic_file_abort(&output->file);
    free(output);
}
