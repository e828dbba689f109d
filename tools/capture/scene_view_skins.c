// See scene_view_skins.h.
#include "capture/scene_view_skins.h"
#include "bake/skin_weights.h"
#include "formats/mesh_file.h"
#include "zoo/octopus.h"
#include <stdlib.h>

static void scale_mesh(sn_mesh *mesh, double scale) {
    for (int v = 0; v < mesh->vertex_count; v++)
        for (int k = 0; k < 3; k++) mesh->position[v][k] *= (float)scale;
}

bool octopus_skin_make(view_mesh *out, const octopus_spec *spec, double scale, char error[256]) {
    const zoo_octopus octopus = {spec->size, spec->arms, spec->arm_segments};
    int n = zoo_octopus_points(&octopus);
    double(*points)[3] = calloc((size_t)n + 1, sizeof *points), *radii = calloc((size_t)n + 1, sizeof *radii);
    int *parents = calloc((size_t)n + 1, sizeof *parents);
    bool good = points && radii && parents && zoo_octopus_skin(&octopus, &out->mesh);
    if (!good) snprintf(error, 256, "out of memory");
    if (good) {
        zoo_octopus_fill(&octopus, points, radii, parents);
        const sn_weight_rods rods = {(const double(*)[3])points, radii, parents, n};
        const sn_weight_options options = sn_weight_options_default();
        tool_error reason = {.text = "out of memory"};
        good = (out->mesh.normal || sn_mesh_make_normals(&out->mesh)) &&
               sn_skin_weights(&out->mesh, &rods, &options, &reason);
        if (!good) snprintf(error, 256, "%.255s", reason.text);
    }
    if (good) scale_mesh(&out->mesh, scale);
    free(points);
    free(radii);
    free(parents);
    return good;
}

bool file_skin_make(view_mesh *out, const sn_scene *scene, const char *file, const sn_vec3 *local, const sn_real *radii,
                    const int *parents, int n, double scale, char error[256]) {
    char path[1024], long_why[MESH_WHY_SIZE];
    if (!scene_beside(scene, file, path, sizeof path)) {
        snprintf(error, 256, "the name of the skin is too long");
        return false;
    }
    mesh_file from;
    if (!mesh_read(path, &from, long_why)) {
        snprintf(error, 256, "%.255s", long_why);
        return false;
    }
    const bool painted = from.skin_count == 1 && from.skin[0].joint_count == n;
    bool good = mesh_file_merge(&from, &out->mesh);
    mesh_file_free(&from);
    double(*points)[3] = calloc((size_t)n + 1, sizeof *points), *thick = calloc((size_t)n + 1, sizeof *thick);
    good = good && points && thick;
    if (!good) snprintf(error, 256, "out of memory");
    if (good) scale_mesh(&out->mesh, scale);
    for (int i = 0; good && i < n; i++) {
        points[i][0] = (double)local[i].x, points[i][1] = (double)local[i].y, points[i][2] = (double)local[i].z;
        thick[i] = (double)radii[i];
    }
    if (good && !out->mesh.normal && !sn_mesh_make_normals(&out->mesh)) {
        snprintf(error, 256, "out of memory");
        good = false;
    }
    if (good && !(painted && out->mesh.joint)) {
        const sn_weight_rods rods = {(const double(*)[3])points, thick, parents, n};
        const sn_weight_options options = sn_weight_options_default();
        tool_error reason;
        good = sn_skin_weights(&out->mesh, &rods, &options, &reason);
        if (!good) snprintf(error, 256, "%.255s", reason.text);
    }
    free(points);
    free(thick);
    return good;
}
