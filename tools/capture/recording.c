// See recording.h.
#include "capture/recording.h"
#include "formats/base64.h"
#include "formats/file_text.h"
#include "formats/json_load.h"
#include "scene/scene_spec.h"
#include "sinew/types.h"
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES ((size_t)1 << 31)
#define MAX_MARKS 10000000

const char *const run_solvers[] = {"direct", "xpbd", "jacobi", NULL};

// --- writing ---

static const char *compiler(void) {
#ifdef __clang__
    return "clang " __clang_version__;
#elif defined __GNUC__
    return "gcc " __VERSION__;
#else
    return "unknown";
#endif
}

static json_t *file_value(const held_file *file) {
    json_t *text = json_stringn(file->bytes, file->size); // null if it is not UTF-8
    if (text) return json_pack("{s:s, s:o}", "name", file->name, "text", text);
    char *letters = base64_encode(file->bytes, file->size);
    json_t *made = letters ? json_pack("{s:s, s:s}", "name", file->name, "base64", letters) : NULL;
    free(letters);
    return made;
}

bool recording_write_inputs(FILE *out, const recording *record, int threads, int lanes) {
    const run_overrides *changes = &record->changes;
    char version[32];
    json_t *files = json_array();
    bool good = files && !record->files.incomplete;
    for (int i = 0; good && i < record->files.count; i++)
        good = json_array_append_new(files, file_value(&record->files.items[i])) == 0;
    if (!good) {
        json_decref(files);
        return false;
    }
    snprintf(version, sizeof version, "%d.%d.%d", SN_VERSION_MAJOR, SN_VERSION_MINOR, SN_VERSION_PATCH);
    json_t *line = json_pack("{s:i, s:s, s:s, s:i, s:i, s:s, s:f, s:f, s:i, s:i, s:s, s:o}", "record",
                             RECORDING_VERSION, "sinew", version, "compiler", compiler(), "threads", threads, "lanes",
                             lanes, "scene", record->scene, "seconds", changes->seconds, "step", changes->step,
                             "substeps", changes->substeps, "iterations", changes->iterations, "solver",
                             changes->solver < 0 ? "" : run_solvers[changes->solver], "files", files);
    if (!line) return false;
    good = json_dumpf(line, out, JSON_COMPACT) == 0;
    json_decref(line);
    putc('\n', out);
    return good || ferror(out);
}

void recording_write_mark(FILE *out, const recording_mark *mark, double seconds) {
    fprintf(out, "{\"step\": %" PRId64 ", \"seconds\": %.9g, \"hash\": \"%016" PRIx64 "\"}\n", mark->step, seconds,
            mark->hash);
    fflush(out);
}

void recording_write_end(FILE *out, const char *how) {
    fprintf(out, "{\"end\": \"%s\"}\n", how);
    fflush(out);
}

// --- reading ---

typedef struct {
    recording *out;
    tool_error *error;
    int line;
} reader;

static bool wrong(reader *r, const char *words, ...) {
    char text[400];
    va_list list;
    va_start(list, words);
    vsnprintf(text, sizeof text, words, list);
    va_end(list);
    return tool_error_set(r->error, "line %d: %s", r->line, text);
}

static bool read_number(reader *r, const json_t *line, const char *key, double max, double *out) {
    const json_t *value = json_object_get(line, key);
    *out = json_number_value(value);
    if (json_is_number(value) && *out >= 0 && *out <= max) return true;
    return wrong(r, "\"%s\" must be a number from 0 to %g", key, max);
}

static bool read_count(reader *r, const json_t *line, const char *key, int *out) {
    const json_t *value = json_object_get(line, key);
    *out = (int)json_integer_value(value);
    if (json_is_integer(value) && json_integer_value(value) >= 0 && json_integer_value(value) <= 1000) return true;
    return wrong(r, "\"%s\" must be a whole number from 0 to 1000", key);
}

static bool read_solver(reader *r, const json_t *line) {
    const char *name = json_string_value(json_object_get(line, "solver"));
    r->out->changes.solver = -1;
    if (!name) return wrong(r, "\"solver\" must be a text");
    for (int i = 0; run_solvers[i]; i++)
        if (strcmp(name, run_solvers[i]) == 0) r->out->changes.solver = i;
    if (!*name || r->out->changes.solver >= 0) return true;
    return wrong(r, "\"solver\" must be direct, xpbd or jacobi, or empty");
}

static bool read_file(reader *r, const json_t *value, size_t index) {
    const char *name = json_string_value(json_object_get(value, "name"));
    const json_t *text = json_object_get(value, "text");
    const char *letters = json_string_value(json_object_get(value, "base64"));
    if (!name || (!json_is_string(text) == !letters))
        return wrong(r, "file %zu must have a \"name\" and either \"text\" or \"base64\"", index);
    if (!letters)
        return file_set_add(&r->out->files, name, json_string_value(text), json_string_length(text)) ||
               wrong(r, "out of memory");
    unsigned char *bytes = malloc(strlen(letters) / 4 * 3 + 3);
    size_t letter;
    const int64_t size = bytes ? base64_decode(letters, bytes, &letter) : 0;
    const bool good = bytes && size >= 0 && file_set_add(&r->out->files, name, (char *)bytes, (size_t)size);
    free(bytes);
    if (size < 0) return wrong(r, "file %zu: character %zu of its base64 is invalid", index, letter);
    return good || wrong(r, "out of memory");
}

static bool read_inputs(reader *r, const json_t *line) {
    run_overrides *changes = &r->out->changes;
    const json_t *version = json_object_get(line, "record"), *files = json_object_get(line, "files");
    const char *scene = json_string_value(json_object_get(line, "scene"));
    if (!json_is_integer(version)) return wrong(r, "not a recording: it has no \"record\"");
    if (json_integer_value(version) != RECORDING_VERSION)
        return wrong(r, "recording of version %lld; only version %d can be read",
                     (long long)json_integer_value(version), RECORDING_VERSION);
    if (!scene) return wrong(r, "it has no \"scene\"");
    if (!json_is_array(files)) return wrong(r, "it has no \"files\"");
    if (!read_number(r, line, "seconds", 1e6, &changes->seconds) || !read_number(r, line, "step", 1, &changes->step) ||
        !read_count(r, line, "substeps", &changes->substeps) ||
        !read_count(r, line, "iterations", &changes->iterations) || !read_solver(r, line))
        return false;
    for (size_t i = 0; i < json_array_size(files); i++)
        if (!read_file(r, json_array_get(files, i), i)) return false;
    const held_file *file = file_set_find(&r->out->files, scene);
    if (!file) return wrong(r, "its \"files\" lack the scene");
    if (!(r->out->scene = malloc(strlen(scene) + 1))) return wrong(r, "out of memory");
    strcpy(r->out->scene, scene);
    return true;
}

static bool read_mark(reader *r, const json_t *line) {
    recording *out = r->out;
    const json_t *step = json_object_get(line, "step");
    const char *hash = json_string_value(json_object_get(line, "hash"));
    int end = 0;
    recording_mark mark = {.step = json_integer_value(step)};
    if (json_is_string(json_object_get(line, "end"))) return out->ended = true;
    if (!json_is_integer(step) || mark.step < 0 || mark.step > SCENE_MAX_STEPS)
        return wrong(r, "\"step\" must be a whole number from 0 to %d", SCENE_MAX_STEPS);
    if (out->mark_count > 0 && mark.step <= out->marks[out->mark_count - 1].step)
        return wrong(r, "\"step\" must be greater than on the line before");
    if (!hash || strlen(hash) != 16 || strspn(hash, "0123456789abcdef") != 16 ||
        sscanf(hash, "%16" SCNx64 "%n", &mark.hash, &end) != 1)
        return wrong(r, "\"hash\" must be 16 hexadecimal digits");
    if ((out->mark_count & (out->mark_count - 1)) == 0) { // full at each power of two
        recording_mark *more = realloc(out->marks, (out->mark_count ? 2 * (size_t)out->mark_count : 1) * sizeof *more);
        if (!more || out->mark_count >= MAX_MARKS) return wrong(r, "out of memory");
        out->marks = more;
    }
    out->marks[out->mark_count++] = mark;
    return true;
}

static bool read_lines(reader *r, const char *text, size_t size) {
    for (size_t at = 0; at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        const size_t length = end ? (size_t)(end - (text + at)) : size - at;
        r->line++;
        size_t where;
        tool_error misfit;
        if (!json_fits(text + at, length, SIZE_MAX, &where, &misfit)) return wrong(r, "%s", misfit.text);
        json_error_t error;
        json_t *line = json_loadb(text + at, length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
        if (!line && !end && r->line > 1) return true; // the run ended while it wrote
        if (!line) return wrong(r, r->line == 1 ? "not a recording: %s" : "not JSON: %s", error.text);
        const bool good = r->line == 1 ? read_inputs(r, line) : read_mark(r, line);
        json_decref(line);
        if (!good) return false;
        at += length + 1;
    }
    return r->line > 0 || wrong(r, "the file is empty");
}

bool recording_parse(const char *text, size_t size, recording *out, tool_error *error) {
    reader r = {out, error, 0};
    *out = (recording){0};
    if (read_lines(&r, text, size)) return true;
    recording_free(out);
    return false;
}

bool recording_read(const char *file, recording *out, tool_error *error) {
    char *text;
    size_t size;
    *out = (recording){0};
    if (!file_text_read(file, &disk_files, MAX_BYTES, &text, &size, error)) return false;
    const bool good = recording_parse(text, size, out, error);
    free(text);
    return good;
}

void recording_free(recording *record) {
    free(record->scene);
    free(record->marks);
    file_set_free(&record->files);
    *record = (recording){0};
}
