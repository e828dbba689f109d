// See scene_view_skins.h.
#include "capture/scene_view_skins.h"
#include "bake/skin_weights.h"
#include "formats/mesh_file.h"
#include "kinds/spring/tet_embedding.h"
#include "scene/scene_rod.h"
#include "scene/scene_spring.h"
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
    if (!scene_beside(scene, file, path, sizeof path)) {
        tool_error_set(error, "the name of the skin is too long");
        return false;
    }
    mesh_file from;
    if (!mesh_read(path, scene->files, &from, error)) {
        return false;
    }
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

// The rod of an entry. Null: there is none.
static const rod_spec *rod_of(const sn_scene *scene, int entry) {
    if (entry < 0 || scene->bodies[entry].spec->head.type != &scene_rod_table) return NULL;
    return (const rod_spec *)scene->bodies[entry].spec;
}

const char *scene_skin_file(const sn_scene *scene, int entry) {
    const rod_spec *rod = rod_of(scene, entry);
    return rod ? rod->skin : NULL;
}

bool scene_has_skin(const sn_scene *scene, int entry) {
    const rod_spec *rod = rod_of(scene, entry);
    return rod && (rod->shape.octopus.head.type || rod->skin);
}

bool scene_same_skin(const sn_scene *scene, int first, int second) {
    const rod_spec *a = rod_of(scene, first), *b = rod_of(scene, second);
    if (a == b) return true;
    if (!a || !b) return false;
    const octopus_spec *x = &a->shape.octopus, *y = &b->shape.octopus;
    if (a->skin || b->skin) return a->skin && b->skin && strcmp(a->skin, b->skin) == 0;
    if (!x->head.type || !y->head.type) return !x->head.type && !y->head.type;
    return x->size == y->size && x->arms == y->arms && x->arm_segments == y->arm_segments;
}

bool scene_make_skin(view_mesh *out, const sn_scene *scene, int entry, const sn_vec3 *local, const sn_real *radii,
                     const int *parents, int n, double scale, tool_error *error) {
    const rod_spec *rod = rod_of(scene, entry);
    if (rod->skin) return read_skin(out, scene, rod->skin, local, radii, parents, n, scale, error);
    return make_octopus(out, &rod->shape.octopus, scale, error);
}

// --- skins of surfaces ---

const sn_mesh *scene_embedded_skin(const sn_scene *scene, int entry) {
    const scene_body *body = entry >= 0 ? &scene->bodies[entry] : NULL;
    const spring_form *form = body && scene_springs_of(body) ? body->form : NULL;
    return form && form->skin.vertex_count > 0 && form->net.tet_count > 0 ? &form->skin : NULL;
}

static void put_place(view_place *out, const sn_spring_place *place) {
    for (int k = 0; k < 4; k++) out->corner[k] = place->corner[k], out->weight[k] = (float)place->weight[k];
}

view_place *scene_embedded_places(const sn_scene *scene, int entry) {
    const sn_mesh *skin = scene_embedded_skin(scene, entry);
    const sn_spring_net *net = &scene->bodies[entry].form->net;
    const size_t n = (size_t)net->count, m = (size_t)skin->vertex_count;
    sn_memory memory;
    sn_memory_init(&memory, NULL);
    sn_real *quads = calloc(4 * n + 4, sizeof *quads);
    sn_vec3 *at = malloc((m + 1) * sizeof *at);
    sn_spring_place *found = malloc((m + 1) * sizeof *found);
    view_place *places = malloc((m + 1) * sizeof *places);
    bool good = quads && at && found && places;
    for (size_t i = 0; good && i < n; i++)
        quads[4 * i] = net->points[i].x, quads[4 * i + 1] = net->points[i].y, quads[4 * i + 2] = net->points[i].z;
    for (size_t v = 0; good && v < m; v++) {
        const float *p = skin->position[v];
        at[v] = (sn_vec3){(sn_real)p[0], (sn_real)p[1], (sn_real)p[2]};
    }
    int outside;
    good = good && sn_spring_embed(&memory, quads, net->count, (const int(*)[4])(const void *)net->tets, net->tet_count,
                                   at, (int)m, found, &outside) == SN_OK;
    for (size_t v = 0; good && v < m; v++) put_place(&places[v], &found[v]);
    if (!good) {
        free(places);
        places = NULL;
    }
    free(quads);
    free(at);
    free(found);
    return places;
}
