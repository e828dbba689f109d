// See elastic_picture.h.
#include "render/elastic_picture.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float colours[3][3] = {{0.50f, 0.52f, 0.56f}, {0.10f, 0.42f, 0.55f}, {0.80f, 0.22f, 0.14f}};

static bool surface_of(const sn_elastic_asset *a, const double *x, sn_mesh *out) {
    const bool finer = a->drawn_count > 0;
    const int vertices = finer ? a->drawn_count : a->vertex_count;
    const int triangles = finer ? a->drawn_triangle_count : a->triangle_count;
    if (!sn_mesh_alloc(out, vertices, triangles, 0)) return false;
    for (int v = 0; v < vertices; v++)
        for (int k = 0; k < 3; k++) {
            double at = finer ? 0 : x[3 * v + k];
            for (int c = 0; finer && c < 4; c++) at += (double)a->drawn_weight[v][c] * x[3 * a->drawn_corner[v][c] + k];
            out->position[v][k] = (float)at;
        }
    memcpy(out->triangle, finer ? a->drawn_triangles : a->triangles, (size_t)triangles * sizeof *out->triangle);
    if (sn_mesh_make_normals(out)) return true;
    sn_mesh_free(out);
    return false;
}

bool elastic_picture_make(const sn_elastic_asset *a, const double *const *x, int count, view_model *out) {
    *out = (view_model){.meshes = calloc((size_t)count, sizeof *out->meshes),
                        .bodies = calloc((size_t)count, sizeof *out->bodies),
                        .planes = calloc(1, sizeof *out->planes)};
    bool good = out->meshes && out->bodies && out->planes;
    double width = 0, lowest = INFINITY;
    for (int v = 0; v < a->vertex_count; v++) lowest = fmin(lowest, (double)a->rest[v].y);
    for (int i = 0; i < count; i++) { // the spacing is that of the widest
        double low = INFINITY, high = -INFINITY;
        for (int v = 0; v < a->vertex_count; v++)
            low = fmin(low, x[i][3 * v]), high = fmax(high, x[i][3 * v]), lowest = fmin(lowest, x[i][3 * v + 1]);
        width = fmax(width, high - low);
    }
    for (int i = 0; i < count && good; i++) {
        sn_mesh mesh;
        good = surface_of(a, x[i], &mesh);
        if (!good) break;
        for (int v = 0; v < mesh.vertex_count; v++) mesh.position[v][0] += (float)(1.1 * width * i);
        const float *colour = colours[i % 3];
        out->bodies[i] = (view_body){.mesh = i, .colour = {colour[0], colour[1], colour[2]}};
        snprintf(out->bodies[i].name, sizeof out->bodies[i].name, "%d", i);
        out->meshes[i] = (view_mesh){.mesh = mesh};
        out->mesh_count = out->body_count = i + 1;
    }
    if (good) // the ground
        out->planes[out->plane_count++] = (view_plane){sn_v3(0, (sn_real)(lowest - 0.002 * width), 0), sn_v3(0, 1, 0)};
    if (!good) view_model_free(out);
    return good;
}
