// Bodies whose medial axis is known, for tests.
#ifndef SN_TEST_MEDIAL_BODIES_H
#define SN_TEST_MEDIAL_BODIES_H

#include "mesh/mesh.h"
#include "scene/random.h"
#include "zoo/isosurface.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double body_turn = 6.283185307179586;

__attribute__((unused)) static sn_mesh body_new(int vertices, int triangles) {
    sn_mesh mesh;
    if (!sn_mesh_alloc(&mesh, vertices, triangles, 0)) abort();
    return mesh;
}

// A ring about z: the circle of radius 'large' is its axis.
__attribute__((unused)) static sn_mesh body_torus(double large, double small, int around, int across) {
    sn_mesh mesh = body_new(around * across, 2 * around * across);
    for (int i = 0; i < around; i++)
        for (int j = 0; j < across; j++) {
            const double a = body_turn * (i + 0.5 * (j % 2)) / around, b = body_turn * j / across;
            float *p = mesh.position[i * across + j];
            p[0] = (float)((large + small * cos(b)) * cos(a));
            p[1] = (float)((large + small * cos(b)) * sin(a));
            p[2] = (float)(small * sin(b));
            const int u = i * across + j, v = i * across + (j + 1) % across, step = across;
            const int w = (u + step) % (around * across), x = (v + step) % (around * across);
            const int two[2][3] = {{u, w, v}, {w, x, v}};
            memcpy(mesh.triangle[2 * u], two, sizeof two);
        }
    return mesh;
}

// A segment along x of this length, and everything within 'radius' of it.
__attribute__((unused)) static sn_mesh body_capsule(double length, double radius, int rings, int around) {
    sn_mesh mesh = body_new(rings * around + 2, 2 * rings * around);
    const double cap = 0.5 * body_turn / 2 * radius, whole = length + 2 * cap; // along the surface, from pole to pole
    int t = 0;
    for (int i = 0; i < rings; i++)
        for (int j = 0; j < around; j++) {
            const double s = whole * (i + 1) / (rings + 1), a = body_turn * (j + 0.5 * (i % 2)) / around;
            const double turn = s < cap ? s / radius : s > length + cap ? (s - length) / radius : body_turn / 4;
            const double middle = s < cap ? -0.5 * length : s > length + cap ? 0.5 * length : s - cap - 0.5 * length;
            float *p = mesh.position[i * around + j];
            p[0] = (float)(middle - radius * cos(turn));
            p[1] = (float)(radius * sin(turn) * cos(a));
            p[2] = (float)(radius * sin(turn) * sin(a));
        }
    const int first = rings * around, last = first + 1;
    mesh.position[first][0] = (float)(-0.5 * length - radius);
    mesh.position[last][0] = (float)(0.5 * length + radius);
    for (int j = 0; j < around; j++) {
        const int next = (j + 1) % around;
        const int cap_one[3] = {first, next, j};
        memcpy(mesh.triangle[t++], cap_one, sizeof cap_one);
    }
    for (int i = 0; i + 1 < rings; i++)
        for (int j = 0; j < around; j++) {
            const int a = i * around + j, b = i * around + (j + 1) % around;
            const int two[2][3] = {{a, b, a + around}, {b, b + around, a + around}};
            memcpy(mesh.triangle[t], two, sizeof two);
            t += 2;
        }
    for (int j = 0; j < around; j++) {
        const int ring = (rings - 1) * around, cap_two[3] = {last, ring + j, ring + (j + 1) % around};
        memcpy(mesh.triangle[t++], cap_two, sizeof cap_two);
    }
    mesh.triangle_count = t;
    return mesh;
}

// A box about the origin, its sides grids of about this spacing. Corners of neighbouring sides are at the same places.
__attribute__((unused)) static sn_mesh body_box(const double half[3], double spacing) {
    sn_mesh mesh = {0};
    for (int pass = 0; pass < 2; pass++) {
        int vertices = 0, triangles = 0;
        for (int side = 0; side < 6; side++) {
            const int k = side / 2, u = (k + 1) % 3, v = (k + 2) % 3, sign = side % 2 ? 1 : -1;
            const int m = (int)ceil(2 * half[u] / spacing), n = (int)ceil(2 * half[v] / spacing);
            for (int i = 0; i <= m && pass; i++)
                for (int j = 0; j <= n; j++) {
                    float *p = mesh.position[vertices + i * (n + 1) + j];
                    p[k] = (float)(sign * half[k]);
                    p[u] = (float)(half[u] * (2.0 * i / m - 1));
                    p[v] = (float)(half[v] * (2.0 * j / n - 1));
                }
            for (int i = 0; i < m && pass; i++)
                for (int j = 0; j < n; j++) {
                    const int a = vertices + i * (n + 1) + j, b = a + n + 1;
                    const int two[2][3] = {{a, b, a + 1}, {b, b + 1, a + 1}};
                    for (int t = 0; t < 2; t++)
                        for (int c = 0; c < 3; c++)
                            mesh.triangle[triangles + 2 * (i * n + j) + t][sign > 0 ? c : 2 - c] = two[t][c];
                }
            vertices += (m + 1) * (n + 1);
            triangles += 2 * m * n;
        }
        if (!pass) mesh = body_new(vertices, triangles);
    }
    return mesh;
}

// Three legs that meet, of different thickness, with smooth joints.
static double body_tripod_field(const void *context, const double p[3]) {
    static const double end[3][4] = {{0.9, 0, 0, 0.16}, {-0.4, 0.8, 0, 0.12}, {-0.4, -0.5, 0.5, 0.2}};
    double sum = 0;
    (void)context;
    for (int i = 0; i < 3; i++) {
        const double *e = end[i], l2 = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
        const double t = fmin(fmax((p[0] * e[0] + p[1] * e[1] + p[2] * e[2]) / l2, 0), 1);
        const double x = p[0] - t * e[0], y = p[1] - t * e[1], z = p[2] - t * e[2];
        sum += exp(-20 * (sqrt(x * x + y * y + z * z) - (0.25 + t * (e[3] - 0.25))));
    }
    return -log(sum) / 20;
}

__attribute__((unused)) static sn_mesh body_tripod(int triangles) {
    sn_mesh mesh = {0};
    const zoo_iso iso = {.field = body_tripod_field,
                         .low = {-1.2, -1.2, -0.8},
                         .high = {1.5, 1.5, 1.2},
                         .cell = 2.6 / sqrt(triangles),
                         .smoothing_passes = 3};
    if (!zoo_isosurface(&iso, &mesh)) abort();
    return mesh;
}

// Both in one, the second moved along y.
__attribute__((unused)) static sn_mesh body_join(const sn_mesh *a, const sn_mesh *b, double move) {
    sn_mesh mesh = body_new(a->vertex_count + b->vertex_count, a->triangle_count + b->triangle_count);
    memcpy(mesh.position, a->position, (size_t)a->vertex_count * sizeof *mesh.position);
    memcpy(mesh.triangle, a->triangle, (size_t)a->triangle_count * sizeof *mesh.triangle);
    for (int v = 0; v < b->vertex_count; v++) {
        memcpy(mesh.position[a->vertex_count + v], b->position[v], sizeof *mesh.position);
        mesh.position[a->vertex_count + v][1] += (float)move;
    }
    for (int t = 0; t < b->triangle_count; t++)
        for (int k = 0; k < 3; k++) mesh.triangle[a->triangle_count + t][k] = b->triangle[t][k] + a->vertex_count;
    return mesh;
}

#endif
