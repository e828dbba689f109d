// Skins of rods: a mesh file, or the skin of the zoo's octopus, with weights for the points of the rod.
#include "bake/skin_weights.h"
#include "formats/mesh_file.h"
#include "scene/scene_rod.h"
#include "zoo/octopus.h"
#include <stdlib.h>
#include <string.h>

static void scale_mesh(sn_mesh *mesh, double scale) {
    for (int v = 0; v < mesh->vertex_count; v++)
        for (int k = 0; k < 3; k++) mesh->position[v][k] *= (float)scale;
}

static bool make_octopus(view_mesh *out, const octopus_spec *spec, double scale, tool_error *error) {
    const zoo_octopus octopus = {spec->size, spec->arms, spec->arm_segments};
    int n = zoo_octopus_points(&octopus);
    double(*points)[3] = calloc((size_t)n + 1, sizeof *points), *radii = calloc((size_t)n + 1, sizeof *radii);
    int *parents = calloc((size_t)n + 1, sizeof *parents);
    bool good = points && radii && parents && zoo_octopus_skin(&octopus, &out->mesh);
    if (!good) tool_error_out_of_memory(error);
    if (good) {
        zoo_octopus_fill(&octopus, points, radii, parents);
        const sn_weight_rods rods = {(const double(*)[3])points, radii, parents, n};
        const sn_weight_options options = sn_weight_options_default();
        good = (out->mesh.normal || sn_mesh_make_normals(&out->mesh) || tool_error_out_of_memory(error)) &&
               sn_skin_weights(&out->mesh, &rods, &options, error);
    }
    if (good) scale_mesh(&out->mesh, scale);
    free(points);
    free(radii);
    free(parents);
    return good;
}

static bool read_skin(view_mesh *out, const sn_scene *scene, const char *file, const sn_vec3 *local,
                      const sn_real *radii, const int *parents, int n, double scale, tool_error *error) {
    char path[1024];
    if (!scene_beside(scene, file, path, sizeof path)) return tool_error_set(error, "the name of the skin is too long");
    mesh_file from;
    if (!mesh_read(path, scene->files, &from, error)) return false;
    const bool painted = from.skin_count == 1 && from.skin[0].joint_count == n;
    bool good = mesh_file_merge(&from, &out->mesh);
    mesh_file_free(&from);
    double(*points)[3] = calloc((size_t)n + 1, sizeof *points), *thick = calloc((size_t)n + 1, sizeof *thick);
    good = good && points && thick;
    if (!good) tool_error_out_of_memory(error);
    if (good) scale_mesh(&out->mesh, scale);
    for (int i = 0; good && i < n; i++) {
        points[i][0] = (double)local[i].x, points[i][1] = (double)local[i].y, points[i][2] = (double)local[i].z;
        thick[i] = (double)radii[i];
    }
    if (good && !out->mesh.normal && !sn_mesh_make_normals(&out->mesh)) {
        tool_error_out_of_memory(error);
        good = false;
    }
    if (good && !(painted && out->mesh.joint)) {
        const sn_weight_rods rods = {(const double(*)[3])points, thick, parents, n};
        const sn_weight_options options = sn_weight_options_default();
        good = sn_skin_weights(&out->mesh, &rods, &options, error);
    }
    free(points);
    free(thick);
    return good;
}

static const rod_spec *rod_of(const scene_body *body) {
    return (const rod_spec *)body->spec;
}

static const char *file(const scene_body *body) {
    return rod_of(body)->skin;
}

static bool has_skin(const scene_body *body) {
    return rod_of(body)->shape.octopus.head.type || rod_of(body)->skin;
}

static bool is_same(const scene_body *first, const scene_body *second) {
    const rod_spec *a = rod_of(first), *b = rod_of(second);
    const octopus_spec *x = &a->shape.octopus, *y = &b->shape.octopus;
    if (a->skin || b->skin) return a->skin && b->skin && strcmp(a->skin, b->skin) == 0;
    if (!x->head.type || !y->head.type) return !x->head.type && !y->head.type;
    return x->size == y->size && x->arms == y->arms && x->arm_segments == y->arm_segments;
}

static bool make(view_mesh *out, const sn_scene *scene, const scene_body *body, const sn_vec3 *local,
                 const sn_real *radii, const int *parents, int n, double scale, tool_error *error) {
    const rod_spec *rod = rod_of(body);
    if (rod->skin) return read_skin(out, scene, rod->skin, local, radii, parents, n, scale, error);
    return make_octopus(out, &rod->shape.octopus, scale, error);
}

const scene_skins scene_rod_skins = {.file = file, .has_skin = has_skin, .is_same = is_same, .make = make};
