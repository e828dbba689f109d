// A limb of two bones for tests of implicit skins: a tube along x, closed by round ends, with its joint at the origin.
#ifndef SN_TEST_IMPLICIT_LIMB_H
#define SN_TEST_IMPLICIT_LIMB_H

#include "bake/implicit_rig.h"
#include "base/math/vec.h"
#include "mesh/self_intersection.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    double radius, taper; // m; taper: radius at the far end over that at the near one
    double length;        // of each bone
    double blend;         // length over which weights go from one bone to the other
    int around, along;
} limb_shape;

static const limb_shape plain_limb = {0.05, 1, 0.25, 0.06, 32, 69};

static inline double smooth01(double x) {
    x = fmin(fmax(x, 0), 1);
    return x * x * (3 - 2 * x);
}

// around * along + 2 vertices.
static inline bool limb_mesh(const limb_shape *s, sn_mesh *out) {
    const int n = s->around, m = s->along;
    if (!sn_mesh_alloc(out, n * m + 2, 2 * n * m, MESH_SKIN)) return false;
    for (int i = 0; i < n * m + 2; i++) {
        // Rings: the first and last few go around the ends.
        const int ring = i / n;
        double x = 0, r = 0;
        const int round = 4;
        if (i >= n * m)
            x = i == n * m ? -s->length - 0.5 * s->radius : s->length + 0.5 * s->radius;
        else if (ring < round || ring >= m - round) {
            const int k = ring < round ? ring : m - 1 - ring;
            const double a = (k + 1) * 1.5707963 / (round + 1);
            x = (ring < round ? -1 : 1) * (s->length + 0.5 * s->radius * cos(a)), r = s->radius * sin(a);
        } else
            x = -s->length + 2 * s->length * (ring - round) / (m - 2 * round - 1), r = s->radius;
        r *= 1 + (s->taper - 1) * (x + s->length) / (2 * s->length);
        const double turn = 2 * 3.14159265358979 * ((i % n) + 0.5 * (ring % 2)) / n;
        out->position[i][0] = (float)x;
        out->position[i][1] = (float)(i < n * m ? r * cos(turn) : 0);
        out->position[i][2] = (float)(i < n * m ? r * sin(turn) : 0);
        const double w = smooth01(x / s->blend + 0.5);
        out->joint[i][0] = 0, out->joint[i][1] = 1;
        out->weight[i][0] = (float)(1 - w), out->weight[i][1] = (float)w;
    }
    int t = 0;
    for (int k = 0; k < m - 1; k++)
        for (int i = 0; i < n; i++) {
            const int a = k * n + i, b = k * n + (i + 1) % n, c = a + n, d = b + n;
            // Diagonals follow the rings' half steps.
            const int even[2][3] = {{a, b, c}, {b, d, c}}, odd[2][3] = {{a, d, c}, {a, b, d}};
            memcpy(out->triangle[t], k % 2 == 0 ? even : odd, sizeof even);
            t += 2;
        }
    for (int i = 0; i < n; i++) {
        const int first[3] = {n * m, (i + 1) % n, i};
        const int last[3] = {n * m + 1, (m - 1) * n + i, (m - 1) * n + (i + 1) % n};
        memcpy(out->triangle[t++], first, sizeof first);
        memcpy(out->triangle[t++], last, sizeof last);
    }
    out->triangle_count = t;
    return true;
}

static inline void limb_bones(const limb_shape *s, sn_rig_bone bones[2]) {
    memset(bones, 0, 2 * sizeof *bones);
    bones[0].parent = -1, bones[1].parent = 0;
    bones[1].kind = SN_FOLD_ELBOW;
    bones[0].rest = (sn_transform){{(sn_real)-s->length, 0, 0}, {0, 0, 0, 1}};
    bones[1].rest = (sn_transform){{0, 0, 0}, {0, 0, 0, 1}};
    bones[1].has_tail = true, bones[1].tail[0] = s->length;
}

// Bent by so many degrees about z, toward +y.
static inline void limb_pose(const limb_shape *s, double degrees, sn_transform poses[2]) {
    const double half = degrees * 3.14159265358979 / 360;
    poses[0] = (sn_transform){{(sn_real)-s->length, 0, 0}, {0, 0, 0, 1}};
    poses[1] = (sn_transform){{0, 0, 0}, {0, 0, (sn_real)sin(half), (sn_real)cos(half)}};
}

typedef struct {
    limb_shape shape;
    sn_mesh mesh;
    sn_rig_model model;
    sn_memory memory;
    sn_implicit_rig *rig;
    sn_implicit_state *state;
    sn_vec3 *points;
} limb;

static inline void limb_free(limb *l) {
    sn_implicit_state_destroy(l->state);
    sn_implicit_rig_destroy(l->rig);
    sn_rig_free(&l->model);
    sn_mesh_free(&l->mesh);
    free(l->points);
}

static inline bool limb_make(limb *l, const limb_shape *shape, const sn_rig_options *options, int lanes) {
    tool_error error = {0};
    sn_rig_bone bones[2];
    memset(l, 0, sizeof *l);
    l->shape = *shape;
    sn_memory_init(&l->memory, &(sn_allocator){0});
    limb_bones(shape, bones);
    if (!limb_mesh(shape, &l->mesh) || !sn_rig_make(&l->mesh, bones, 2, options, &l->model, &error)) return false;
    l->model.def.lanes = lanes;
    l->points = malloc((size_t)l->model.def.count * sizeof *l->points);
    return l->points && sn_implicit_rig_create(&l->memory, &(sn_log){0}, &l->model.def, &l->rig) == SN_OK &&
           sn_implicit_state_create(&l->memory, l->rig, &l->state) == SN_OK;
}

// The mesh with its vertices where 'points' (of the rig) are.
static inline void limb_shown(const limb *l, const sn_vec3 *points, sn_mesh *mesh) {
    for (int v = 0; v < mesh->vertex_count; v++) {
        const sn_vec3 p = points[l->model.vertex_index[v]];
        mesh->position[v][0] = (float)p.x, mesh->position[v][1] = (float)p.y, mesh->position[v][2] = (float)p.z;
    }
}

static inline long long limb_crossings(limb *l, const sn_vec3 *points) {
    sn_self_intersections report;
    limb_shown(l, points, &l->mesh);
    return sn_self_intersection_find(&l->mesh, &report, NULL) ? report.pairs : -1;
}

// How deep vertices of one half are on the other side of the plane that halves the bend.
static inline double limb_depth(const limb *l, const sn_vec3 *points, double degrees) {
    const double half = degrees * 3.14159265358979 / 360;
    // The plane through the joint that holds z and the direction between both bones: bone 1 is on the positive side.
    const double n[2] = {cos(half), sin(half)};
    double deepest = 0;
    for (int i = 0; i < l->model.def.count; i++) {
        const double side = n[0] * (double)points[i].x + n[1] * (double)points[i].y;
        // Only the inner side: outside, skin moves across the joint as it stretches.
        const double inner = -sin(half) * (double)points[i].x + cos(half) * (double)points[i].y;
        if (inner < 0) continue;
        const double deep = l->model.def.points[i].x > (sn_real)0.25 * (sn_real)l->shape.radius    ? -side
                            : l->model.def.points[i].x < (sn_real)-0.25 * (sn_real)l->shape.radius ? side
                                                                                                   : 0;
        deepest = fmax(deepest, deep);
    }
    return deepest;
}

#endif
