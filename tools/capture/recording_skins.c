// See recording_skins.h.
#include "capture/recording_skins.h"
#include "bake/skin_weights.h"
#include "formats/mesh_file.h"
#include "zoo/octopus.h"
#include <stdlib.h>

static void scale_mesh(sn_mesh *mesh, double scale) {
    for (int v = 0; v < mesh->vertex_count; v++)
        for (int k = 0; k < 3; k++) mesh->position[v][k] *= (float)scale;
}

bool recorded_octopus_skin(recorded_shape *shape, const octopus_spec *spec, double scale, char why[256]) {
    const zoo_octopus octopus = {spec->size, spec->arms, spec->arm_segments};
    int n = zoo_octopus_points(&octopus);
    double(*points)[3] = calloc((size_t)n + 1, sizeof *points), *radii = calloc((size_t)n + 1, sizeof *radii);
    int *parents = calloc((size_t)n + 1, sizeof *parents);
    bool good = points && radii && parents && zoo_octopus_skin(&octopus, &shape->mesh);
    if (!good) snprintf(why, 256, "out of memory");
    if (good) {
        zoo_octopus_fill(&octopus, points, radii, parents);
        const sn_weight_rods rods = {(const double(*)[3])points, radii, parents, n};
        const sn_weight_options options = sn_weight_options_default();
        tool_error error = {.text = "out of memory"};
        good = (shape->mesh.normal || sn_mesh_make_normals(&shape->mesh)) &&
               sn_skin_weights(&shape->mesh, &rods, &options, &error);
        if (!good) snprintf(why, 256, "%.255s", error.text);
    }
    if (good) scale_mesh(&shape->mesh, scale);
    free(points);
    free(radii);
    free(parents);
    return good;
}

bool recorded_file_skin(recorded_shape *shape, const sn_scene *scene, const char *file, const sn_vec3 *local,
                        const sn_real *radii, const int *parents, int n, double scale, char why[256]) {
    char path[1024], long_why[MESH_WHY_SIZE];
    if (!scene_beside(scene, file, path, sizeof path)) {
        snprintf(why, 256, "the name of the skin is too long");
        return false;
    }
    mesh_file from;
    if (!mesh_read(path, &from, long_why)) {
        snprintf(why, 256, "%.255s", long_why);
        return false;
    }
    const bool painted = from.skin_count == 1 && from.skin[0].joint_count == n;
    bool good = mesh_file_merge(&from, &shape->mesh);
    mesh_file_free(&from);
    double(*points)[3] = calloc((size_t)n + 1, sizeof *points), *thick = calloc((size_t)n + 1, sizeof *thick);
    good = good && points && thick;
    if (!good) snprintf(why, 256, "out of memory");
    if (good) scale_mesh(&shape->mesh, scale);
    for (int i = 0; good && i < n; i++) {
        points[i][0] = (double)local[i].x, points[i][1] = (double)local[i].y, points[i][2] = (double)local[i].z;
        thick[i] = (double)radii[i];
    }
    if (good && !shape->mesh.normal && !sn_mesh_make_normals(&shape->mesh)) {
        snprintf(why, 256, "out of memory");
        good = false;
    }
    if (good && !(painted && shape->mesh.joint)) {
        const sn_weight_rods rods = {(const double(*)[3])points, thick, parents, n};
        const sn_weight_options options = sn_weight_options_default();
        tool_error error;
        good = sn_skin_weights(&shape->mesh, &rods, &options, &error);
        if (!good) snprintf(why, 256, "%.255s", error.text);
    }
    free(points);
    free(thick);
    return good;
}
