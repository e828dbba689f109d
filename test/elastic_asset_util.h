// Elastic assets for tests: a bar of cubes, each cut into six tetrahedra, with handles on a grid in it.
#ifndef SN_TEST_ELASTIC_ASSET_UTIL_H
#define SN_TEST_ELASTIC_ASSET_UTIL_H

#include "kinds/elastic/elastic_asset.h"
#include <math.h>

typedef struct {
    int cells[3];     // cubes along x, y, z
    double cell;      // side of a cube, m
    int handles[3];   // handles along x, y, z, evenly within
    bool quadratic;   // every second handle
    bool anchored;    // the face x = 0 does not move
    bool vertex_each; // instead: a handle at each vertex, that nothing else follows (full rank)
} bar_def;

static inline void *bar_array(sn_memory *memory, int count, size_t size) {
    return sn_alloc(memory, (size_t)count, size);
}

static inline int bar_vertex(const bar_def *d, int x, int y, int z) {
    return (z * (d->cells[1] + 1) + y) * (d->cells[0] + 1) + x;
}

static inline void bar_tets(const bar_def *d, sn_elastic_asset *a) {
    // the six ways from a corner of the cube to the opposite one
    static const int ways[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    int tet = 0;
    for (int z = 0; z < d->cells[2]; z++)
        for (int y = 0; y < d->cells[1]; y++)
            for (int x = 0; x < d->cells[0]; x++)
                for (int w = 0; w < 6; w++) {
                    int at[3] = {x, y, z}, corner[4] = {bar_vertex(d, x, y, z)};
                    for (int k = 0; k < 3; k++) ++at[ways[w][k]], corner[k + 1] = bar_vertex(d, at[0], at[1], at[2]);
                    const bool odd = w >= 3; // those are left-handed
                    a->tets[tet][0] = corner[0], a->tets[tet][1] = corner[1];
                    a->tets[tet][2] = corner[odd ? 3 : 2], a->tets[tet][3] = corner[odd ? 2 : 3];
                    tet++;
                }
}

// Faces that no other tetrahedron has, on the box's sides: each lies in one of its six planes.
static inline void bar_triangles(const bar_def *d, sn_elastic_asset *a) {
    static const int faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    const int n[3] = {d->cells[0] + 1, d->cells[1] + 1, d->cells[2] + 1};
    int count = 0;
    for (int t = 0; t < a->tet_count; t++)
        for (int f = 0; f < 4; f++) {
            int at[3][3];
            for (int k = 0; k < 3; k++) {
                const int v = a->tets[t][faces[f][k]];
                at[k][0] = v % n[0], at[k][1] = v / n[0] % n[1], at[k][2] = v / n[0] / n[1];
            }
            bool outside = false;
            for (int k = 0; k < 3; k++)
                outside = outside ||
                          (at[0][k] == at[1][k] && at[1][k] == at[2][k] && (at[0][k] == 0 || at[0][k] == n[k] - 1));
            if (!outside) continue;
            for (int k = 0; k < 3 && count < a->triangle_count; k++) a->triangles[count][k] = a->tets[t][faces[f][k]];
            count++;
        }
}

// Shepard's weights with a limited reach: 1 at the handle's own centre, 0 at the others'.
static inline int bar_weights(const bar_def *d, const sn_elastic_asset *a, sn_vec3 p, double reach, int *handle,
                              sn_real *weight) {
    int count = 0;
    double sum = 0, share = d->anchored ? fmin(1, (double)p.x / (2 * d->cell)) : 1, value[64];
    for (int j = 0; j < a->handle_count; j++) {
        const double r = (double)sn_length(sn_sub(p, sn_elastic_handle_centre(a, j)));
        if (r >= reach || count == 64) continue;
        const double w = (reach - r) / (reach * fmax(r, 1e-9));
        if (handle) handle[count] = j;
        value[count++] = w * w, sum += w * w;
    }
    if (share <= 0) return 0;
    for (int k = 0; weight && k < count; k++) weight[k] = (sn_real)(share * value[k] / sum);
    return count;
}

static inline void bar_lists(const bar_def *d, sn_memory *m, sn_elastic_asset *a, const sn_vec3 *points,
                             int points_count, double reach, int **first, int **handle, sn_real **weight) {
    *first = bar_array(m, points_count + 1, sizeof **first);
    for (int i = 0; i < points_count; i++) {
        const int count =
            d->vertex_each ? !(d->anchored && points[i].x == 0) : bar_weights(d, a, points[i], reach, NULL, NULL);
        (*first)[i + 1] = (*first)[i] + count;
    }
    *handle = bar_array(m, (*first)[points_count], sizeof **handle);
    *weight = bar_array(m, (*first)[points_count], sizeof **weight);
    for (int i = 0; i < points_count; i++) {
        const int at = (*first)[i];
        if (d->vertex_each && (*first)[i + 1] > at)
            (*handle)[at] = i, (*weight)[at] = 1;
        else if (!d->vertex_each)
            bar_weights(d, a, points[i], reach, *handle + at, *weight + at);
    }
}

static inline void bar_handles(const bar_def *d, sn_memory *m, sn_elastic_asset *a) {
    a->handle_count = d->vertex_each ? a->vertex_count : d->handles[0] * d->handles[1] * d->handles[2];
    a->sphere_count = a->handle_count;
    a->centre = bar_array(m, a->sphere_count, sizeof *a->centre);
    a->radius = bar_array(m, a->sphere_count, sizeof *a->radius);
    a->handle_sphere = bar_array(m, a->handle_count, sizeof *a->handle_sphere);
    a->handle_quadratic = bar_array(m, a->handle_count, 1);
    for (int j = 0; j < a->handle_count; j++) {
        const int *n = d->handles;
        const int at[3] = {n[0] ? j % n[0] : 0, n[0] ? j / n[0] % n[1] : 0, n[0] ? j / n[0] / n[1] : 0};
        double c[3];
        for (int k = 0; k < 3; k++) c[k] = d->cell * d->cells[k] * (at[k] + 0.5) / (n[k] ? n[k] : 1);
        a->centre[j] = d->vertex_each ? a->rest[j] : sn_v3((sn_real)c[0], (sn_real)c[1], (sn_real)c[2]);
        a->radius[j] = (sn_real)(0.5 * d->cell);
        a->handle_sphere[j] = j, a->handle_quadratic[j] = d->quadratic && j % 2 == 0;
    }
}

static inline void bar_make(sn_memory *m, const bar_def *d, sn_elastic_asset *a) {
    *a = (sn_elastic_asset){0};
    const int *n = d->cells;
    a->vertex_count = (n[0] + 1) * (n[1] + 1) * (n[2] + 1);
    a->tet_count = 6 * n[0] * n[1] * n[2];
    a->triangle_count = 4 * (n[0] * n[1] + n[1] * n[2] + n[2] * n[0]);
    a->rest = bar_array(m, a->vertex_count, sizeof *a->rest);
    a->tets = bar_array(m, a->tet_count, sizeof *a->tets);
    a->triangles = bar_array(m, a->triangle_count, sizeof *a->triangles);
    for (int v = 0; v < a->vertex_count; v++) {
        const int x = v % (n[0] + 1), y = v / (n[0] + 1) % (n[1] + 1), z = v / (n[0] + 1) / (n[1] + 1);
        a->rest[v] = sn_v3((sn_real)(d->cell * x), (sn_real)(d->cell * y), (sn_real)(d->cell * z));
    }
    bar_tets(d, a);
    bar_triangles(d, a);
    bar_handles(d, m, a);
    double apart = 0;
    for (int k = 0; k < 3; k++)
        if (d->handles[k] > 0) apart = fmax(apart, d->cell * d->cells[k] / d->handles[k]);
    bar_lists(d, m, a, a->rest, a->vertex_count, 1.25 * apart, &a->first, &a->handle, &a->weight);
    bar_lists(d, m, a, a->centre, a->sphere_count, 1.25 * apart, &a->sphere_first, &a->sphere_handle,
              &a->sphere_weight);
    if (d->anchored) {
        a->anchored = bar_array(m, a->vertex_count, 1);
        for (int v = 0; v < a->vertex_count; v++) a->anchored[v] = a->rest[v].x == 0;
    }
}

// A model of a bar with handles along x; its medial mesh is the cones between them, of this radius.
static inline sn_elastic_model *bar_model(const bar_def *def, double radius) {
    sn_memory memory;
    sn_elastic_asset asset;
    sn_memory_init(&memory, NULL);
    bar_make(&memory, def, &asset);
    asset.cone_count = asset.sphere_count - 1;
    asset.cones = bar_array(&memory, asset.cone_count, sizeof *asset.cones);
    for (int i = 0; i < asset.sphere_count; i++) {
        asset.radius[i] = (sn_real)radius;
        if (i > 0) asset.cones[i - 1][0] = i - 1, asset.cones[i - 1][1] = i;
    }
    sn_elastic_model_def model_def = sn_elastic_model_def_default();
    model_def.asset = &asset;
    sn_elastic_model *model = NULL;
    sn_elastic_model_create(&model_def, &model);
    sn_elastic_asset_free(&memory, &asset);
    return model;
}

#endif
