// Assembles the cotangent Laplacian. For a triangle with corners i, j, k the energy of a function f that is linear on
// it is
//     1/2 sum over its edges ij of 1/2 cot(angle at k) (f_i - f_j)^2,
// with cot = (edge . edge) / (2 area). The sum over all triangles is 1/2 f^T L f. Needles have huge cotangents, so the
// area is taken as at least a thousandth of the longest edge squared. That scales the triangle's three cotangents
// equally, so L stays positive semidefinite; clamping single cotangents would not preserve that. Each corner gets a
// third of the area.
#include "fields/laplacian.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_position(const float p[3]) {
    uint64_t hash = 0x9E3779B97F4A7C15u;
    for (int k = 0; k < 3; k++) {
        const float x = p[k] == 0 ? 0 : p[k]; // -0 is 0
        uint32_t bits;
        memcpy(&bits, &x, sizeof bits);
        hash = (hash ^ bits) * 0xD6E8FEB86659FD93u;
        hash ^= hash >> 32;
    }
    return hash;
}

static bool same(const float a[3], const float b[3]) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

// Assigns a node to each distinct position.
static bool weld(const sn_mesh *mesh, sn_laplacian *out) {
    size_t size = 16;
    while (size < 2 * (size_t)mesh->vertex_count) size *= 2;
    int *table = malloc(size * sizeof *table);
    if (!table) return false;
    for (size_t i = 0; i < size; i++) table[i] = -1;
    for (int v = 0; v < mesh->vertex_count; v++) {
        size_t at = hash_position(mesh->position[v]) & (size - 1);
        while (table[at] >= 0 && !same(mesh->position[out->vertex[table[at]]], mesh->position[v]))
            at = (at + 1) & (size - 1);
        if (table[at] < 0) {
            out->vertex[out->count] = v;
            table[at] = out->count++;
        }
        out->node[v] = table[at];
    }
    free(table);
    return true;
}

static void add(sn_laplacian *out, int row, int column, double value) {
    const int a = row > column ? row : column, b = row > column ? column : row;
    out->entries[out->entry_count++] = (sn_sparse_entry){a, b, value};
}

static void add_triangle(const sn_mesh *mesh, const int corner[3], sn_laplacian *out) {
    double edge[3][3], l2[3], dots[3], longest = 0;
    int node[3];
    for (int k = 0; k < 3; k++) node[k] = out->node[corner[k]];
    if (node[0] == node[1] || node[1] == node[2] || node[2] == node[0]) return;
    for (int k = 0; k < 3; k++) { // edge k is opposite to corner k
        const float *a = mesh->position[corner[(k + 1) % 3]], *b = mesh->position[corner[(k + 2) % 3]];
        for (int i = 0; i < 3; i++) edge[k][i] = (double)b[i] - (double)a[i];
        l2[k] = edge[k][0] * edge[k][0] + edge[k][1] * edge[k][1] + edge[k][2] * edge[k][2];
        longest = fmax(longest, l2[k]);
    }
    const double *e = edge[0], *f = edge[1];
    const double n[3] = {e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]};
    const double area2 = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]); // twice the area
    for (int k = 0; k < 3; k++) dots[k] = 0.5 * (l2[(k + 1) % 3] + l2[(k + 2) % 3] - l2[k]);
    for (int k = 0; k < 3; k++) {
        const double half_cot = 0.5 * dots[k] / fmax(area2, 1e-3 * longest);
        const int i = node[(k + 1) % 3], j = node[(k + 2) % 3];
        add(out, i, i, half_cot);
        add(out, j, j, half_cot);
        add(out, i, j, -half_cot);
        out->mass[node[k]] += area2 / 6;
    }
}

// Gives nodes without area a millionth of the mean.
static void fill_masses(sn_laplacian *out) {
    double sum = 0;
    for (int i = 0; i < out->count; i++) sum += out->mass[i];
    const double min_mass = sum > 0 ? 1e-6 * sum / out->count : 1;
    for (int i = 0; i < out->count; i++) out->mass[i] = fmax(out->mass[i], min_mass);
}

bool sn_laplacian_make(const sn_mesh *mesh, sn_laplacian *out) {
    const size_t vertices = (size_t)mesh->vertex_count + 1, triangles = (size_t)mesh->triangle_count + 1;
    *out = (sn_laplacian){0};
    out->node = malloc(vertices * sizeof *out->node);
    out->vertex = malloc(vertices * sizeof *out->vertex);
    out->mass = calloc(vertices, sizeof *out->mass);
    out->entries = malloc(9 * triangles * sizeof *out->entries);
    if (!out->node || !out->vertex || !out->mass || !out->entries || !weld(mesh, out)) {
        sn_laplacian_free(out);
        return false;
    }
    for (int t = 0; t < mesh->triangle_count; t++) add_triangle(mesh, mesh->triangle[t], out);
    fill_masses(out);
    return true;
}

void sn_laplacian_free(sn_laplacian *laplacian) {
    free(laplacian->node);
    free(laplacian->vertex);
    free(laplacian->mass);
    free(laplacian->entries);
    *laplacian = (sn_laplacian){0};
}
