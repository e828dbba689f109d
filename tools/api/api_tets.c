// Public calls for tetrahedra: sinew/tools/volume.h.
#include "api/api_error.h"
#include "api/api_locale.h"
#include "formats/tet_file.h"
#include "mesh/mesh_query.h"
#include "mesh/mesh_repair.h"
#include "mesh/winding.h"
#include "sinew/tools/volume.h"
#include "tets/tet_lattice.h"
#include "tets/tet_spacing.h"
#include <stdlib.h>
#include <string.h>

#define TETS_MARK 0x7E9A1206u

struct sn_tets {
    sn_tet_mesh mesh;
};

sn_tets_def sn_tets_def_default(void) {
    return (sn_tets_def){.threads = 1, .init_mark = TETS_MARK};
}

typedef struct {
    sn_progress_fn *progress;
    void *user;
} listener;

static void forward(void *context, double fraction) {
    const listener *to = context;
    to->progress(to->user, fraction, "filling");
}

static sn_status check(const sn_tets_def *def, sn_error *error) {
    if (def->init_mark != TETS_MARK) return api_unmarked(error, "sn_tets_def_default");
    if (!(def->spacing >= 0 && def->spacing <= 1e30)) return api_fail(error, SN_ERR_DEF, "spacing: is out of range");
    if (def->tets < 0 || def->tets > TET_LATTICE_MAX_TETS)
        return api_fail(error, SN_ERR_DEF, "tets: must be 0 to %d", (int)TET_LATTICE_MAX_TETS);
    if (def->threads < 1 || def->threads > 64) return api_fail(error, SN_ERR_DEF, "threads: must be 1 to 64");
    return SN_OK;
}

// The largest component. False: out of memory.
static bool keep_largest(sn_tet_mesh *mesh) {
    int *part = malloc(((size_t)mesh->tet_count + 1) * sizeof *part);
    bool *keep = malloc((size_t)mesh->tet_count + 1);
    const int pieces = part && keep ? sn_tet_mesh_components(mesh, part) : -1;
    bool good = pieces >= 0;
    for (int t = 0; good && t < mesh->tet_count; t++) keep[t] = part[t] == 0;
    if (pieces > 1) good = sn_tet_mesh_keep(mesh, keep);
    free(part), free(keep);
    return good;
}

static sn_status fill(const sn_mesh *surface, const sn_tets_def *def, sn_tet_mesh *out, sn_error *error) {
    sn_mesh_query *query = sn_mesh_query_build(surface);
    sn_winding *winding = sn_winding_make(surface);
    sn_tet_thickness *found = malloc(sizeof *found);
    tool_error failure = {0};
    sn_status status = SN_ERR_MEMORY;
    if (query && winding && found) {
        listener to = {def->progress, def->progress_user};
        sn_tet_lattice_options options = {def->spacing, def->threads, def->progress ? forward : NULL, &to};
        if (!(def->spacing > 0)) {
            sn_tet_thickness_measure(surface, query, winding, found);
            const double min = def->tets ? def->tets : 20000, max = def->tets ? def->tets : 500000; // as `sinew tet`
            options.spacing = found->volume > 0 ? sn_tet_spacing(found, min, max, NULL) : 0;
        }
        if (!(options.spacing > 0))
            status =
                api_fail(error, SN_ERR_FORMAT, "the surface has no inside to fill: close it, or flip its triangles");
        else if (!sn_tet_lattice(surface, query, winding, &options, out, NULL, &failure))
            status = api_tool_error(error, SN_ERR_FORMAT, &failure);
        else
            status = keep_largest(out) ? SN_OK : SN_ERR_MEMORY;
    }
    if (status == SN_ERR_MEMORY) api_out_of_memory(error);
    free(found);
    sn_mesh_query_free(query);
    sn_winding_free(winding);
    return status;
}

sn_status sn_tets_fill(const sn_mesh *surface, const sn_tets_def *def, sn_tets **out, sn_error *error) {
    API_C_LOCALE;
    if (out) *out = NULL;
    if (!surface || !out) return api_fail(error, SN_ERR_RANGE, "the surface or the output is null");
    const sn_tets_def usual = sn_tets_def_default();
    if (!def) def = &usual;
    sn_status status = check(def, error);
    if (status != SN_OK) return status;
    const mesh_repair_options repair = mesh_repair_options_default();
    mesh_repair_report report;
    sn_mesh repaired = {0};
    sn_tets *made = calloc(1, sizeof *made);
    if (!made || !mesh_repair(surface, &repair, &repaired, NULL, &report))
        status = api_out_of_memory(error);
    else if (repaired.triangle_count == 0)
        status = api_fail(error, SN_ERR_FORMAT, "the surface has no triangle with an area");
    else
        status = fill(&repaired, def, &made->mesh, error);
    sn_mesh_free(&repaired);
    if (status == SN_OK)
        *out = made;
    else
        sn_tets_destroy(made);
    return status;
}

sn_status sn_tets_read(const char *path, sn_tets **out, sn_error *error) {
    API_C_LOCALE;
    tool_error failure;
    tet_file file;
    if (out) *out = NULL;
    if (!path || !out) return api_fail(error, SN_ERR_RANGE, "the path or the output is null");
    sn_tets *made = calloc(1, sizeof *made);
    if (!made) return api_out_of_memory(error);
    if (!tet_read(path, &disk_files, &file, &failure)) {
        free(made);
        return api_read_error(error, path, failure.text);
    }
    made->mesh = file.mesh; // owned from here on
    *out = made;
    return SN_OK;
}

sn_status sn_tets_write(const sn_tets *tets, const char *path, sn_error *error) {
    API_C_LOCALE;
    tool_error failure;
    if (!tets || !path) return api_fail(error, SN_ERR_RANGE, "the tetrahedra or the path is null");
    if (!tet_name_is_known(path))
        return api_fail(error, SN_ERR_RANGE, "cannot write %.300s: its ending is none of .msh, .mesh, .vtk, .node",
                        path);
    return tet_write(path, &tets->mesh, &failure) ? SN_OK : api_tool_error(error, SN_ERR_FILE, &failure);
}

void sn_tets_destroy(sn_tets *tets) {
    if (!tets) return;
    sn_tet_mesh_free(&tets->mesh);
    free(tets);
}

int sn_tets_vertex_count(const sn_tets *tets) {
    return tets ? tets->mesh.vertex_count : 0;
}

int sn_tets_tet_count(const sn_tets *tets) {
    return tets ? tets->mesh.tet_count : 0;
}

double sn_tets_volume(const sn_tets *tets) {
    return tets && tets->mesh.tet_count > 0 ? sn_tet_mesh_measure(&tets->mesh).volume : 0;
}

int sn_tets_get_positions(const sn_tets *tets, sn_vec3 *out, int capacity) {
    const int count = sn_tets_vertex_count(tets);
    for (int i = 0; out && i < count && i < capacity; i++) {
        const double *p = tets->mesh.position[i];
        out[i] = (sn_vec3){(sn_real)p[0], (sn_real)p[1], (sn_real)p[2]};
    }
    return count;
}

int sn_tets_get_tets(const sn_tets *tets, int *out, int capacity) {
    const int count = sn_tets_tet_count(tets);
    for (int i = 0; out && i < count && i < capacity; i++)
        for (int k = 0; k < 4; k++) out[4 * i + k] = tets->mesh.tet[i][k];
    return count;
}
