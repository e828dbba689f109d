// The table of exporters, and what those that write one file share. See exporter.h.
#include "capture/exporter.h"
#include "formats/quote.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const exporter *const table[] = {&export_vtp, &export_pvd, &export_glb, &export_pc2,
                                        &export_mdd, &export_obj, &export_png, &export_mp4};
enum { COUNT = sizeof table / sizeof *table };

static bool has_extension(const char *path, const char *extension) {
    const size_t length = strlen(path), size = strlen(extension);
    return length > size && strcmp(path + length - size, extension) == 0;
}

const exporter *exporter_find(const char *path, char error[256]) {
    for (int i = 0; i < COUNT; i++)
        if (has_extension(path, table[i]->extension)) return table[i];
    char quoted[QUOTE_SIZE];
    int used = snprintf(error, 256, "the ending of %s is not one of", quote(path, quoted));
    for (int i = 0; i < COUNT && used < 256; i++)
        used += snprintf(error + used, 256 - (size_t)used, "%s %s", i ? "," : "", table[i]->extension);
    return NULL;
}

char *exporter_companion(const exporter *format, const char *path) {
    if (!format->companion) return NULL;
    const size_t stem = strlen(path) - strlen(format->extension), size = stem + strlen(format->companion) + 1;
    char *made = malloc(size);
    if (made) snprintf(made, size, "%.*s%s", (int)stem, path, format->companion);
    return made;
}

bool export_open(atomic_file *file, const char *path, char error[256]) {
    const bool good = atomic_file_open(file, path);
    if (!good) memcpy(error, file->why, 256);
    return good;
}

bool export_commit(atomic_file *file, char error[256]) {
    const bool good = atomic_file_commit(file);
    if (!good) memcpy(error, file->why, 256);
    return good;
}

bool export_give_up(atomic_file *file, const char *reason, char error[256]) {
    char text[160];
    snprintf(text, sizeof text, "%.159s", reason); // may be in `error` itself
    snprintf(error, 256, "cannot write %.80s: %s", file->name, text);
    atomic_file_abort(file);
    return false;
}

bool export_end(atomic_file *file, bool written, int number, char error[256]) {
    if (ferror(file->out)) return export_give_up(file, strerror(number ? number : EIO), error);
    return written ? export_commit(file, error) : export_give_up(file, "out of memory", error);
}

void *export_file_open(const char *path, const export_options *options, char error[256]) {
    (void)options;
    export_file *made = calloc(1, sizeof *made);
    if (!made) snprintf(error, 256, "cannot write %.200s: out of memory", path);
    if (made && export_open(&made->file, path, error)) return made;
    free(made);
    return NULL;
}

void export_file_abort(void *self) {
    export_file *output = self;
    atomic_file_abort(&output->file);
    free(output);
}
