// Public calls for files of baked assets: sinew/tools/asset.h.
#include "api/api_error.h"
#include "api/api_locale.h"
#include "api/muscle_rig_handle.h"
#include "formats/atomic_file.h"
#include "formats/file_text.h"
#include "sinew/asset.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RIG_BYTES = 1 << 28 };

static sn_status read_bytes(const char *path, char **bytes, size_t *size, sn_error *error) {
    tool_error failure;
    if (file_text_read(path, &disk_files, (size_t)1 << 32, bytes, size, &failure)) return SN_OK;
    return api_fail(error, SN_ERR_FILE, "%.300s: error: %s", path, failure.text);
}

static sn_status write_bytes(const char *path, const void *bytes, size_t size, sn_error *error) {
    tool_error failure;
    const atomic_file_bytes all = {bytes, size};
    if (atomic_file_write(path, atomic_file_write_bytes, &all, &failure)) return SN_OK;
    return api_fail(error, SN_ERR_FILE, "%s", failure.text);
}

// Receives the log of a model while it is loaded: the first line becomes the error, all go on to the user's log.
typedef struct {
    const char *path;
    sn_error *error;
    bool filled;
    sn_log_fn *log;
    void *log_user;
} load_log;

static void keep_line(void *user, sn_log_level level, sn_status code, const char *field, const char *text) {
    load_log *log = user;
    if (level == SN_LOG_ERROR && !log->filled) {
        api_fail(log->error, code, "%.300s: error: %.300s", log->path, text);
        log->filled = true;
    }
    if (log->log) log->log(log->log_user, level, code, field, text);
}

static sn_status end_load(const load_log *log, sn_status status) {
    if (status != SN_OK && !log->filled) api_fail(log->error, status, "%.300s: %s", log->path, sn_status_name(status));
    return status;
}

// --- elastic bodies ---

sn_status sn_elastic_model_read(const char *path, const sn_elastic_model_def *def, sn_elastic_model **out,
                                sn_error *error) {
    API_C_LOCALE;
    if (out) *out = NULL;
    if (!path || !out) return api_fail(error, SN_ERR_RANGE, "the path or the output is null");
    sn_elastic_model_def use = def ? *def : sn_elastic_model_def_default();
    load_log log = {path, error, false, use.log, use.log_user};
    char *bytes;
    size_t size;
    sn_status status = read_bytes(path, &bytes, &size, error);
    if (status != SN_OK) return status;
    use.log = keep_line, use.log_user = &log;
    status = end_load(&log, sn_elastic_model_load(&use, bytes, size, out));
    free(bytes);
    return status;
}

sn_status sn_elastic_model_write(const sn_elastic_model *model, const char *path, sn_error *error) {
    API_C_LOCALE;
    if (!model || !path) return api_fail(error, SN_ERR_RANGE, "the model or the path is null");
    const size_t size = sn_elastic_model_save(model, NULL, 0);
    void *bytes = malloc(size);
    if (!bytes) return api_out_of_memory(error);
    sn_elastic_model_save(model, bytes, size);
    const sn_status status = write_bytes(path, bytes, size, error);
    free(bytes);
    return status;
}

// --- implicit skins ---

sn_status sn_implicit_model_read(const char *path, const sn_implicit_model_def *def, sn_implicit_model **out,
                                 sn_error *error) {
    API_C_LOCALE;
    if (out) *out = NULL;
    if (!path || !out) return api_fail(error, SN_ERR_RANGE, "the path or the output is null");
    sn_implicit_model_def use = def ? *def : sn_implicit_model_def_default();
    load_log log = {path, error, false, use.log, use.log_user};
    char *bytes;
    size_t size;
    sn_status status = read_bytes(path, &bytes, &size, error);
    if (status != SN_OK) return status;
    use.log = keep_line, use.log_user = &log;
    status = end_load(&log, sn_implicit_model_restore(&use, bytes, size, out));
    free(bytes);
    return status;
}

sn_status sn_implicit_model_write(const sn_implicit_model *model, const char *path, sn_error *error) {
    API_C_LOCALE;
    if (!model || !path) return api_fail(error, SN_ERR_RANGE, "the model or the path is null");
    const size_t size = sn_implicit_model_save(model, NULL, 0);
    void *bytes = malloc(size);
    if (!bytes) return api_out_of_memory(error);
    sn_implicit_model_save(model, bytes, size);
    const sn_status status = write_bytes(path, bytes, size, error);
    free(bytes);
    return status;
}

// --- muscle rigs ---

sn_status muscle_rig_handle_make(const char *name, char *text, size_t size, sn_muscle_rig **out, sn_error *error) {
    tool_error failure;
    sn_muscle_rig *rig = calloc(1, sizeof *rig);
    if (rig && text && muscle_rig_parse(name, text, size, &rig->rig, &failure)) {
        rig->text = text, rig->size = size;
        *out = rig;
        return SN_OK;
    }
    const bool parsed = rig && text;
    free(text);
    free(rig);
    return parsed ? api_fail(error, SN_ERR_FORMAT, "%s", failure.text) : api_out_of_memory(error);
}

sn_status sn_muscle_rig_read(const char *path, sn_muscle_rig **out, sn_error *error) {
    API_C_LOCALE;
    if (out) *out = NULL;
    if (!path || !out) return api_fail(error, SN_ERR_RANGE, "the path or the output is null");
    char *text;
    size_t size;
    const sn_status status = read_bytes(path, &text, &size, error);
    return status == SN_OK ? muscle_rig_handle_make(path, text, size, out, error) : status;
}

sn_status sn_muscle_rig_parse(const char *name, const char *text, size_t size, sn_muscle_rig **out, sn_error *error) {
    API_C_LOCALE;
    if (out) *out = NULL;
    if (!name || !text || !out) return api_fail(error, SN_ERR_RANGE, "the name, the text or the output is null");
    if (size > MAX_RIG_BYTES) return api_fail(error, SN_ERR_FORMAT, "%.300s: the text is too long", name);
    char *copy = malloc(size + 1);
    if (!copy) return api_out_of_memory(error);
    memcpy(copy, text, size);
    copy[size] = '\0';
    return muscle_rig_handle_make(name, copy, size, out, error);
}

sn_status sn_muscle_rig_write(const sn_muscle_rig *rig, const char *path, sn_error *error) {
    API_C_LOCALE;
    if (!rig || !path) return api_fail(error, SN_ERR_RANGE, "the rig or the path is null");
    return write_bytes(path, rig->text, rig->size, error);
}

void sn_muscle_rig_destroy(sn_muscle_rig *rig) {
    if (!rig) return;
    muscle_rig_free(&rig->rig);
    free(rig->text);
    free(rig);
}

int sn_muscle_rig_rod_count(const sn_muscle_rig *rig) {
    return rig ? rig->rig.rod_count : 0;
}

int sn_muscle_rig_slice_count(const sn_muscle_rig *rig) {
    return rig ? rig->rig.slice_count : 0;
}

// The number of points of a rod; 0 if there is no such rod.
static int point_count(const sn_muscle_rig *rig, int rod) {
    return rig && rod >= 0 && rod < rig->rig.rod_count ? rig->rig.slice_count : 0;
}

int sn_muscle_rig_get_points(const sn_muscle_rig *rig, int rod, sn_vec3 *out, int capacity) {
    const int count = point_count(rig, rod);
    for (int i = 0; out && i < count && i < capacity; i++) {
        const double *p = rig->rig.points[rod * count + i];
        out[i] = (sn_vec3){(sn_real)p[0], (sn_real)p[1], (sn_real)p[2]};
    }
    return count;
}

int sn_muscle_rig_get_radii(const sn_muscle_rig *rig, int rod, sn_real *out, int capacity) {
    const int count = point_count(rig, rod);
    for (int i = 0; out && i < count && i < capacity; i++) out[i] = (sn_real)rig->rig.radii[rod * count + i];
    return count;
}

const sn_mesh *sn_muscle_rig_skin(const sn_muscle_rig *rig) {
    return rig && rig->rig.skin.vertex_count > 0 ? &rig->rig.skin : NULL;
}
