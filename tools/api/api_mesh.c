// Public calls for meshes: sinew/tools/mesh.h.
#include "api/api_error.h"
#include "api/api_locale.h"
#include "formats/atomic_file.h"
#include "formats/mesh_pose.h"
#include "formats/obj_write.h"
#include "mesh/mesh_repair.h"
#include "mesh/polygon.h"
#include "sinew/tools/mesh.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REPAIR_MARK 0x7E9A1201u

sn_status sn_mesh_create(const float *positions, int vertex_count, const int *triangles, int triangle_count,
                         sn_mesh **out, sn_error *error) {
    API_C_LOCALE;
    if (out) *out = NULL;
    if (!out || !positions || !triangles || vertex_count < 0 || triangle_count < 0)
        return api_fail(error, SN_ERR_RANGE, "an array or the output is null, or a count is negative");
    for (int i = 0; i < vertex_count; i++)
        for (int k = 0; k < 3; k++)
            if (!isfinite(positions[3 * i + k])) return api_fail(error, SN_ERR_RANGE, "position %d is not finite", i);
    for (int i = 0; i < triangle_count; i++)
        for (int k = 0; k < 3; k++)
            if (triangles[3 * i + k] < 0 || triangles[3 * i + k] >= vertex_count)
                return api_fail(error, SN_ERR_RANGE, "triangle %d has vertex %d, but there are %d", i,
                                triangles[3 * i + k], vertex_count);
    sn_mesh *mesh = calloc(1, sizeof *mesh);
    if (!mesh || !sn_mesh_alloc(mesh, vertex_count, triangle_count, 0)) {
        free(mesh);
        return api_out_of_memory(error);
    }
    if (vertex_count > 0) memcpy(mesh->position, positions, (size_t)vertex_count * sizeof *mesh->position);
    if (triangle_count > 0) memcpy(mesh->triangle, triangles, (size_t)triangle_count * sizeof *mesh->triangle);
    *out = mesh;
    return SN_OK;
}

// Metres per unit of a file, as its format and size suggest.
static double guess_scale(const sn_mesh *mesh, mesh_format format) {
    float low[3], high[3];
    double longest = 0;
    if (format == MESH_GLTF || mesh->vertex_count == 0) return 1;
    sn_mesh_box(mesh, low, high);
    for (int k = 0; k < 3; k++) longest = fmax(longest, (double)high[k] - (double)low[k]);
    return mesh_unit_guess(longest, format == MESH_STL).metres;
}

sn_status sn_mesh_read(const char *path, double scale, sn_mesh **out, sn_error *error) {
    API_C_LOCALE;
    if (out) *out = NULL;
    if (!out || !path || !(scale >= 0 && scale <= 1e12))
        return api_fail(error, SN_ERR_RANGE, "the path or the output is null, or the scale is out of range");
    tool_error failure;
    mesh_file file;
    if (!mesh_read(path, &disk_files, &file, &failure)) return api_read_error(error, path, failure.text);
    sn_mesh *mesh = calloc(1, sizeof *mesh);
    const mesh_format format = file.format;
    const bool good = mesh && mesh_merge_at_rest(&file, mesh);
    mesh_file_free(&file);
    if (!good) {
        free(mesh);
        return api_out_of_memory(error);
    }
    const double factor = scale > 0 ? scale : guess_scale(mesh, format);
    for (int i = 0; factor != 1 && i < mesh->vertex_count; i++)
        for (int k = 0; k < 3; k++) mesh->position[i][k] = (float)(factor * (double)mesh->position[i][k]);
    *out = mesh;
    return SN_OK;
}

static bool write_obj(FILE *out, const void *mesh, tool_error *error) {
    (void)error;
    sn_obj_write(out, mesh); // errors of the stream come back at the commit
    return true;
}

sn_status sn_mesh_write(const sn_mesh *mesh, const char *path, sn_error *error) {
    API_C_LOCALE;
    tool_error failure;
    if (!mesh || !path) return api_fail(error, SN_ERR_RANGE, "the mesh or the path is null");
    const size_t length = strlen(path);
    if (length < 5 || strcmp(path + length - 4, ".obj") != 0)
        return api_fail(error, SN_ERR_RANGE, "cannot write %.300s: meshes are written as .obj", path);
    if (atomic_file_write(path, write_obj, mesh, &failure)) return SN_OK;
    return api_fail(error, SN_ERR_FILE, "%s", failure.text);
}

void sn_mesh_destroy(sn_mesh *mesh) {
    if (!mesh) return;
    sn_mesh_free(mesh);
    free(mesh);
}

int sn_mesh_vertex_count(const sn_mesh *mesh) {
    return mesh ? mesh->vertex_count : 0;
}

int sn_mesh_triangle_count(const sn_mesh *mesh) {
    return mesh ? mesh->triangle_count : 0;
}

int sn_mesh_get_positions(const sn_mesh *mesh, sn_vec3 *out, int capacity) {
    const int count = sn_mesh_vertex_count(mesh);
    for (int i = 0; out && i < count && i < capacity; i++) {
        const float *p = mesh->position[i];
        out[i] = (sn_vec3){(sn_real)p[0], (sn_real)p[1], (sn_real)p[2]};
    }
    return count;
}

int sn_mesh_get_triangles(const sn_mesh *mesh, int *out, int capacity) {
    const int count = sn_mesh_triangle_count(mesh);
    for (int i = 0; out && i < count && i < capacity; i++)
        for (int k = 0; k < 3; k++) out[3 * i + k] = mesh->triangle[i][k];
    return count;
}

sn_mesh_repair_def sn_mesh_repair_def_default(void) {
    const mesh_repair_options options = mesh_repair_options_default();
    return (sn_mesh_repair_def){options.weld, options.orient, options.fill_edges, REPAIR_MARK};
}

sn_status sn_mesh_repair(const sn_mesh *mesh, const sn_mesh_repair_def *def, sn_mesh **out,
                         sn_mesh_repair_report *report, sn_error *error) {
    API_C_LOCALE;
    if (out) *out = NULL;
    if (!mesh || !def || !out) return api_fail(error, SN_ERR_RANGE, "the mesh, the definition or the output is null");
    if (def->init_mark != REPAIR_MARK) return api_unmarked(error, "sn_mesh_repair_def_default");
    if (!(def->weld >= 0 && def->weld < 1)) return api_fail(error, SN_ERR_DEF, "weld: must be 0 to 1");
    if (def->fill_edges < 0 || def->fill_edges > POLYGON_MAX)
        return api_fail(error, SN_ERR_DEF, "fill_edges: must be 0 to %d", POLYGON_MAX);
    const mesh_repair_options options = {def->weld, def->orient, def->fill_edges};
    mesh_repair_report r;
    sn_mesh *repaired = calloc(1, sizeof *repaired);
    if (!repaired || !mesh_repair(mesh, &options, repaired, NULL, &r)) {
        free(repaired);
        return api_out_of_memory(error);
    }
    if (report)
        *report = (sn_mesh_repair_report){.welded = r.welded,
                                          .unused = r.unused,
                                          .degenerate = r.degenerate,
                                          .duplicate = r.duplicate,
                                          .flipped = r.flipped,
                                          .filled = r.filled,
                                          .components = r.components,
                                          .holes = r.holes,
                                          .non_manifold_edges = r.non_manifold_edges,
                                          .inconsistent_edges = r.inconsistent_edges,
                                          .closed = r.closed};
    *out = repaired;
    return SN_OK;
}
