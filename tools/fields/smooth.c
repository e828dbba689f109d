// Smoothing is one implicit step of heat flow, (M + length^2 L) x = M f: a wave of wavelength 2 pi length is halved,
// longer ones are preserved, shorter ones removed. It is stable for any length, and preserves the sum of M f.
//
// Smoothing shrinks a closed surface. It is moved outward along its normals by (V before - V after) / A, twice, since
// the first move is right to first order only.
#include "fields/smooth.h"
#include "fields/laplacian.h"
#include "fields/tet_laplacian.h"
#include "mesh/array.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// entries: the Laplacian, with capacity for 'count' more. The right-hand sides are multiplied by M here.
static bool heat_step(int count, const double *mass, sn_sparse_entry *entries, size_t entry_count, double length,
                      double *field, int columns) {
    for (size_t i = 0; i < entry_count; i++) entries[i].value *= length * length;
    for (int i = 0; i < count; i++) entries[entry_count++] = (sn_sparse_entry){i, i, mass[i]};
    sn_sparse_factor *factor = sn_sparse_factorize(count, entries, entry_count, NULL);
    if (!factor) return false;
    for (int c = 0; c < columns; c++)
        for (int i = 0; i < count; i++) field[(size_t)c * (size_t)count + (size_t)i] *= mass[i];
    const bool good = sn_sparse_solve(factor, field, columns);
    sn_sparse_free(factor);
    return good;
}

bool sn_smooth_tets(const sn_tet_mesh *mesh, double length, double *field, int columns) {
    sn_tet_laplacian l;
    const size_t size = (size_t)mesh->vertex_count * (size_t)columns * sizeof *field;
    if (!sn_tet_laplacian_make(mesh, &l)) return false;
    double *work = malloc(size + 1);
    bool good = work && array_resize(&l.entries, l.entry_count + (size_t)l.count, sizeof *l.entries);
    if (good) {
        memcpy(work, field, size);
        good = heat_step(l.count, l.mass, l.entries, l.entry_count, length, work, columns);
        if (good) memcpy(field, work, size);
    }
    free(work);
    sn_tet_laplacian_free(&l);
    return good;
}

bool sn_smooth_surface(const sn_mesh *mesh, double length, double *field, int columns) {
    sn_laplacian l;
    if (!sn_laplacian_make(mesh, &l)) return false;
    double *work = malloc(((size_t)l.count * (size_t)columns + 1) * sizeof *work);
    bool good = work && array_resize(&l.entries, l.entry_count + (size_t)l.count, sizeof *l.entries);
    if (good) {
        for (int c = 0; c < columns; c++) // vertices at the same position share a node
            for (int i = 0; i < l.count; i++)
                work[(size_t)c * (size_t)l.count + (size_t)i] =
                    field[(size_t)c * (size_t)mesh->vertex_count + (size_t)l.vertex[i]];
        good = heat_step(l.count, l.mass, l.entries, l.entry_count, length, work, columns);
        for (int c = 0; c < columns && good; c++)
            for (int v = 0; v < mesh->vertex_count; v++)
                field[(size_t)c * (size_t)mesh->vertex_count + (size_t)v] =
                    work[(size_t)c * (size_t)l.count + (size_t)l.node[v]];
    }
    free(work);
    sn_laplacian_free(&l);
    return good;
}

// A surface is closed if its area vectors add up to zero. Only then is its volume meaningful.
static bool is_closed(const sn_mesh *mesh, double area) {
    double sum[3] = {0};
    for (int t = 0; t < mesh->triangle_count; t++) {
        double n[3];
        sn_mesh_area_vector(mesh, t, n);
        for (int k = 0; k < 3; k++) sum[k] += 0.5 * n[k];
    }
    return fabs(sum[0]) + fabs(sum[1]) + fabs(sum[2]) < 1e-4 * area;
}

bool sn_smooth_positions(sn_mesh *mesh, double length) {
    const size_t count = (size_t)mesh->vertex_count;
    double *field = malloc((3 * count + 1) * sizeof *field);
    float(*normal)[3] = mesh->normal;
    if (!field) return false;
    for (size_t v = 0; v < count; v++)
        for (size_t k = 0; k < 3; k++) field[k * count + v] = mesh->position[v][k];
    const double before = mesh->triangle_count ? sn_mesh_volume(mesh) : 0, area = sn_mesh_area(mesh);
    const bool closed = mesh->triangle_count && is_closed(mesh, area);
    mesh->normal = NULL;
    bool good = sn_smooth_surface(mesh, length, field, 3) && sn_mesh_make_normals(mesh);
    if (!good) {
        free(mesh->normal), free(field);
        mesh->normal = normal;
        return false;
    }
    for (size_t v = 0; v < count; v++)
        for (size_t k = 0; k < 3; k++) mesh->position[v][k] = (float)field[k * count + v];
    free(field);
    for (int iteration = 0; iteration < 3; iteration++) {
        if (!sn_mesh_make_normals(mesh)) break; // keep the volume as it is rather than fail
        const double now_area = sn_mesh_area(mesh);
        if (!closed || iteration == 2 || !(now_area > 1e-3 * area)) continue;
        const double move = (before - sn_mesh_volume(mesh)) / now_area;
        for (size_t v = 0; v < count; v++)
            for (size_t k = 0; k < 3; k++) mesh->position[v][k] += (float)(move * (double)mesh->normal[v][k]);
    }
    if (!normal) free(mesh->normal), mesh->normal = NULL;
    free(normal);
    return true;
}
