// One implicit step of heat flow, (M + length^2 L) x = M f: a wave of wavelength 2 pi length is halved, longer ones
// stay, shorter ones go. It is stable for any length, and the sum of M x is that of M f.
//
// Flowing shrinks a closed surface. It is moved out along its normals by (V before - V after) / A, twice, since the
// first move is right to first order only.
#include "fields/smooth.h"
#include "fields/laplacian.h"
#include "fields/tet_laplacian.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// entries: of the Laplacian, with room for 'count' more behind them. The sides are multiplied by M here.
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

static bool reserve_entries(sn_sparse_entry **entries, size_t count, int more) {
    sn_sparse_entry *larger = realloc(*entries, (count + (size_t)more + 1) * sizeof *larger);
    if (larger) *entries = larger;
    return larger != NULL;
}

bool sn_smooth_tets(const sn_tet_mesh *mesh, double length, double *field, int columns) {
    sn_tet_laplacian l;
    const size_t size = (size_t)mesh->vertex_count * (size_t)columns * sizeof *field;
    if (!sn_tet_laplacian_make(mesh, &l)) return false;
    double *work = malloc(size + 1);
    bool good = work && reserve_entries(&l.entries, l.entry_count, l.count);
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
    bool good = work && reserve_entries(&l.entries, l.entry_count, l.count);
    if (good) {
        for (int c = 0; c < columns; c++) // vertices at the same place are one
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

static double area_of(const sn_mesh *mesh) {
    double sum = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        double e[2][3];
        for (int k = 0; k < 3; k++) {
            e[0][k] = (double)mesh->position[mesh->triangle[t][1]][k] - mesh->position[mesh->triangle[t][0]][k];
            e[1][k] = (double)mesh->position[mesh->triangle[t][2]][k] - mesh->position[mesh->triangle[t][0]][k];
        }
        const double x = e[0][1] * e[1][2] - e[0][2] * e[1][1], y = e[0][2] * e[1][0] - e[0][0] * e[1][2],
                     z = e[0][0] * e[1][1] - e[0][1] * e[1][0];
        sum += 0.5 * sqrt(x * x + y * y + z * z);
    }
    return sum;
}

// A surface is closed when its area vectors add up to nothing. Only then does its volume mean something.
static bool is_closed(const sn_mesh *mesh, double area) {
    double sum[3] = {0};
    for (int t = 0; t < mesh->triangle_count; t++) {
        const float *a = mesh->position[mesh->triangle[t][0]], *b = mesh->position[mesh->triangle[t][1]],
                    *c = mesh->position[mesh->triangle[t][2]];
        for (int k = 0; k < 3; k++) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            sum[k] +=
                0.5 * (((double)b[i] - a[i]) * ((double)c[j] - a[j]) - ((double)b[j] - a[j]) * ((double)c[i] - a[i]));
        }
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
    const double before = mesh->triangle_count ? sn_mesh_volume(mesh) : 0, area = area_of(mesh);
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
        if (!sn_mesh_make_normals(mesh)) break; // the volume stays as it is, which is no reason to give up
        const double now_area = area_of(mesh);
        if (!closed || iteration == 2 || !(now_area > 1e-3 * area)) continue;
        const double move = (before - sn_mesh_volume(mesh)) / now_area;
        for (size_t v = 0; v < count; v++)
            for (size_t k = 0; k < 3; k++) mesh->position[v][k] += (float)(move * (double)mesh->normal[v][k]);
    }
    if (!normal) free(mesh->normal), mesh->normal = NULL;
    free(normal);
    return true;
}
