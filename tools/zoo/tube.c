// Tubes are stacks of vertex rings. An open tube ends in two poles; the last ring of a band connects to the first.
//
//     pole - ring - ring - ... - ring - pole        rings of a flat end lie in a plane, those of a round end on a
//                                                   hemisphere
#include "zoo/tube.h"
#include "mesh/maths.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

enum { CAP = 4 }; // rings of an end, without the tube's own first ring

zoo_tube zoo_tube_default(zoo_tube_kind kind) {
    switch (kind) {
    case ZOO_MUSCLE:
        return (zoo_tube){ZOO_MUSCLE, 0.3, 0.01, 0.035, 0.01, 16, 32, 64};
    case ZOO_BAND:
        return (zoo_tube){ZOO_BAND, 2 * pi * 0.08, 0.01, 0.01, 0.01, 128, 16, 256};
    default:
        return (zoo_tube){ZOO_CYLINDER, 1, 0.12, 0.09, 0.06, 16, 32, 48};
    }
}

// Radius at t, 0 to 1 along the tube.
static double radius_at(const zoo_tube *tube, double t) {
    if (tube->kind == ZOO_MUSCLE) return tube->first + (tube->middle - tube->first) * 0.5 * (1 - own_cos(2 * pi * t));
    if (tube->kind == ZOO_BAND) return tube->first;
    return tube->first + (tube->last - tube->first) * t;
}

int zoo_tube_points(const zoo_tube *tube) {
    return tube->kind == ZOO_BAND ? tube->segments : tube->segments + 1;
}

void zoo_tube_fill(const zoo_tube *tube, double (*points)[3], double *radii) {
    for (int i = 0; i < zoo_tube_points(tube); i++) {
        const double t = (double)i / tube->segments, ring = tube->length / (2 * pi);
        const bool band = tube->kind == ZOO_BAND;
        points[i][0] = band ? ring * own_cos(2 * pi * t) : tube->length * t;
        points[i][1] = band ? ring * own_sin(2 * pi * t) : 0;
        points[i][2] = 0;
        radii[i] = radius_at(tube, t);
    }
}

// Axial position and radius of ring k; k = 0 and the last are the poles.
static void ring_of(const zoo_tube *tube, int k, int rings, double *x, double *radius) {
    const bool distance = k >= rings / 2;
    const int from_end = distance ? rings - 1 - k : k; // 0: a pole
    if (from_end > CAP) {
        const double t = (double)(k - CAP - 1) / (tube->along - 1);
        *x = tube->length * t, *radius = radius_at(tube, t);
        return;
    }
    const double end = distance ? tube->length : 0, edge = radius_at(tube, distance ? 1 : 0),
                 part = (double)from_end / (CAP + 1);
    const bool round = tube->kind == ZOO_MUSCLE;
    *x = end + (round ? (distance ? 1 : -1) * edge * own_cos(0.5 * pi * part) : 0);
    *radius = edge * (round ? own_sin(0.5 * pi * part) : part);
}

static double mirrored(int j, int around) {
    return 1 - fabs(2.0 * j / around - 1);
}

static void put(sn_mesh *mesh, int v, double x, double y, double z, double texture_u, double texture_v) {
    mesh->position[v][0] = (float)x, mesh->position[v][1] = (float)y, mesh->position[v][2] = (float)z;
    mesh->uv[v][0] = (float)texture_u, mesh->uv[v][1] = (float)texture_v;
}

static int add(sn_mesh *mesh, int t, int a, int b, int c) {
    mesh->triangle[t][0] = a, mesh->triangle[t][1] = b, mesh->triangle[t][2] = c;
    return t + 1;
}

// Triangles between two rings of vertices.
static int join(sn_mesh *mesh, int t, int a, int b, int around) {
    for (int j = 0; j < around; j++) {
        const int next = (j + 1) % around;
        t = add(mesh, t, a + j, a + next, b + j);
        t = add(mesh, t, a + next, b + next, b + j);
    }
    return t;
}

static bool open_skin(const zoo_tube *tube, sn_mesh *out) {
    const int around = tube->around, rings = tube->along + 2 * (CAP + 1), inner = rings - 2;
    if (!sn_mesh_alloc(out, inner * around + 2, 2 * inner * around, MESH_UV)) return false;
    const int pole[2] = {inner * around, inner * around + 1};
    int t = 0;
    for (int k = 0; k < rings; k++) {
        double x, r;
        ring_of(tube, k, rings, &x, &r);
        if (k == 0 || k == rings - 1) {
            put(out, pole[k > 0], x, 0, 0, 0.5, k > 0);
            continue;
        }
        for (int j = 0; j < around; j++)
            put(out, (k - 1) * around + j, x, r * own_cos(2 * pi * j / around), r * own_sin(2 * pi * j / around),
                mirrored(j, around), (double)k / (rings - 1));
    }
    for (int j = 0; j < around; j++) t = add(out, t, pole[0], (j + 1) % around, j);
    for (int k = 0; k + 1 < inner; k++) t = join(out, t, k * around, (k + 1) * around, around);
    for (int j = 0; j < around; j++)
        t = add(out, t, pole[1], (inner - 1) * around + j, (inner - 1) * around + (j + 1) % around);
    return true;
}

static bool band_skin(const zoo_tube *tube, sn_mesh *out) {
    const int around = tube->around, along = tube->along;
    if (!sn_mesh_alloc(out, along * around, 2 * along * around, MESH_UV)) return false;
    int t = 0;
    for (int k = 0; k < along; k++) {
        const double angle = 2 * pi * k / along, ring = tube->length / (2 * pi), r = tube->first;
        for (int j = 0; j < around; j++) {
            const double ring_angle = 2 * pi * j / around, out_by = ring + r * own_cos(ring_angle);
            put(out, k * around + j, out_by * own_cos(angle), out_by * own_sin(angle), r * own_sin(ring_angle),
                mirrored(j, around), mirrored(k, along));
        }
    }
    for (int k = 0; k < along; k++) t = join(out, t, (k + 1) % along * around, k * around, around);
    return true;
}

static bool in_range(const zoo_tube *t) {
    const bool band = t->kind == ZOO_BAND;
    return t->length > 0 && t->first > 0 && t->middle > 0 && t->last > 0 && t->segments >= (band ? 3 : 1) &&
           t->segments <= 1000 && t->around >= 3 && t->around <= 1000 && t->along >= (band ? 3 : 2) &&
           t->along <= 10000;
}

bool zoo_tube_skin(const zoo_tube *tube, sn_mesh *out) {
    static const char *const names[] = {"cylinder", "muscle", "band"};
    *out = (sn_mesh){0};
    bool good = in_range(tube) && (tube->kind == ZOO_BAND ? band_skin(tube, out) : open_skin(tube, out));
    if (good && sn_mesh_make_normals(out)) {
        snprintf(out->name, sizeof out->name, "%s", names[tube->kind]);
        return true;
    }
    sn_mesh_free(out);
    return false;
}
