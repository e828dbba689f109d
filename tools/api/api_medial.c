// Public calls for medial meshes: sinew/tools/volume.h.
#include "api/api_error.h"
#include "api/api_locale.h"
#include "formats/atomic_file.h"
#include "formats/medial_file.h"
#include "medial/medial.h"
#include "sinew/tools/volume.h"
#include <stdlib.h>
#include <string.h>

#define MEDIAL_MARK 0x7E9A1207u

struct sn_medial {
    sn_medial_mesh mesh;
    sn_medial_field *field;
};

sn_medial_def sn_medial_def_default(void) {
    return (sn_medial_def){.spheres = medial_options_default().spheres, .threads = 1, .init_mark = MEDIAL_MARK};
}

static sn_status convert(const sn_medial_def *def, medial_options *out, sn_error *error) {
    *out = medial_options_default();
    if (def->init_mark != MEDIAL_MARK) return api_unmarked(error, "sn_medial_def_default");
    if (!(def->error >= 0 && def->error <= 1)) return api_fail(error, SN_ERR_DEF, "error: must be 0 to 1");
    if (def->spheres < 1 || def->spheres > MEDIAL_MAX_SPHERES)
        return api_fail(error, SN_ERR_DEF, "spheres: must be 1 to %d", (int)MEDIAL_MAX_SPHERES);
    if (def->threads < 1 || def->threads > 64) return api_fail(error, SN_ERR_DEF, "threads: must be 1 to 64");
    out->spheres = def->error > 0 ? 0 : def->spheres, out->error = def->error;
    out->open = def->open, out->threads = def->threads;
    return SN_OK;
}

// Takes the mesh, also on failure.
static sn_status finish(sn_medial_mesh *mesh, sn_medial **out, sn_error *error) {
    sn_medial *made = calloc(1, sizeof *made);
    if (!made) {
        sn_medial_mesh_free(mesh);
        return api_out_of_memory(error);
    }
    made->mesh = *mesh;
    made->field = sn_medial_field_make(mesh);
    if (made->field) {
        *out = made;
        return SN_OK;
    }
    sn_medial_destroy(made);
    return api_out_of_memory(error);
}

sn_status sn_medial_create(const sn_mesh *surface, const sn_medial_def *def, sn_medial **out, sn_error *error) {
    API_C_LOCALE;
    if (out) *out = NULL;
    if (!surface || !out) return api_fail(error, SN_ERR_RANGE, "the surface or the output is null");
    const sn_medial_def usual = sn_medial_def_default();
    medial_options options;
    const sn_status status = convert(def ? def : &usual, &options, error);
    if (status != SN_OK) return status;
    sn_medial_mesh mesh = {0};
    tool_error failure = {0};
    medial_report *report = calloc(1, sizeof *report);
    if (!report) return api_out_of_memory(error);
    const bool good = sn_medial_make(surface, &options, &mesh, report, &failure);
    free(report);
    return good ? finish(&mesh, out, error) : api_tool_error(error, SN_ERR_FORMAT, &failure);
}

sn_status sn_medial_read(const char *path, sn_medial **out, sn_error *error) {
    API_C_LOCALE;
    if (out) *out = NULL;
    if (!path || !out) return api_fail(error, SN_ERR_RANGE, "the path or the output is null");
    sn_medial_mesh mesh = {0};
    tool_error failure;
    if (!medial_file_read(path, &disk_files, &mesh, &failure)) return api_read_error(error, path, failure.text);
    return finish(&mesh, out, error);
}

static bool write_mesh(FILE *out, const void *mesh, tool_error *error) {
    (void)error;
    medial_file_write(out, mesh); // errors of the stream come back at the commit
    return true;
}

sn_status sn_medial_write(const sn_medial *medial, const char *path, sn_error *error) {
    API_C_LOCALE;
    tool_error failure;
    if (!medial || !path) return api_fail(error, SN_ERR_RANGE, "the medial mesh or the path is null");
    const size_t length = strlen(path);
    if (length < 4 || strcmp(path + length - 3, ".ma") != 0)
        return api_fail(error, SN_ERR_RANGE, "cannot write %.300s: medial meshes are written as .ma", path);
    return atomic_file_write(path, write_mesh, &medial->mesh, &failure) ? SN_OK
                                                                        : api_tool_error(error, SN_ERR_FILE, &failure);
}

void sn_medial_destroy(sn_medial *medial) {
    if (!medial) return;
    sn_medial_field_free(medial->field);
    sn_medial_mesh_free(&medial->mesh);
    free(medial);
}

int sn_medial_sphere_count(const sn_medial *medial) {
    return medial ? medial->mesh.sphere_count : 0;
}

int sn_medial_cone_count(const sn_medial *medial) {
    return medial ? medial->mesh.cone_count : 0;
}

int sn_medial_slab_count(const sn_medial *medial) {
    return medial ? medial->mesh.slab_count : 0;
}

int sn_medial_get_centres(const sn_medial *medial, sn_vec3 *out, int capacity) {
    const int count = sn_medial_sphere_count(medial);
    for (int i = 0; out && i < count && i < capacity; i++) {
        const double *p = medial->mesh.centre[i];
        out[i] = (sn_vec3){(sn_real)p[0], (sn_real)p[1], (sn_real)p[2]};
    }
    return count;
}

int sn_medial_get_radii(const sn_medial *medial, sn_real *out, int capacity) {
    const int count = sn_medial_sphere_count(medial);
    for (int i = 0; out && i < count && i < capacity; i++) out[i] = (sn_real)medial->mesh.radius[i];
    return count;
}

int sn_medial_get_cones(const sn_medial *medial, int *out, int capacity) {
    const int count = sn_medial_cone_count(medial);
    for (int i = 0; out && i < count && i < capacity; i++)
        for (int k = 0; k < 2; k++) out[2 * i + k] = medial->mesh.cone[i][k];
    return count;
}

int sn_medial_get_slabs(const sn_medial *medial, int *out, int capacity) {
    const int count = sn_medial_slab_count(medial);
    for (int i = 0; out && i < count && i < capacity; i++)
        for (int k = 0; k < 3; k++) out[3 * i + k] = medial->mesh.slab[i][k];
    return count;
}

double sn_medial_distance(const sn_medial *medial, sn_vec3 point) {
    const double p[3] = {(double)point.x, (double)point.y, (double)point.z};
    return medial ? sn_medial_field_evaluate(medial->field, p, NULL) : 0;
}
