// Bodies to try bounds and collisions on, made by hand: a tube along x (cones) and a plate (slabs), with local weights;
// and motions for their handles.
#ifndef SN_TEST_ELASTIC_BODIES_H
#define SN_TEST_ELASTIC_BODIES_H

#include "medial/elastic_bounds.h"
#include "test.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// --- random numbers ---

typedef struct {
    uint64_t state;
} dice;

static inline double roll(dice *d) { // [0, 1)
    d->state ^= d->state << 13;
    d->state ^= d->state >> 7;
    d->state ^= d->state << 17;
    return (double)(d->state >> 11) * 0x1p-53;
}
static inline double roll_between(dice *d, double lo, double hi) {
    return lo + (hi - lo) * roll(d);
}

// --- making ---

static inline bool shape_alloc(sn_memory *m, sn_elastic_asset *a, int vertices, int triangles, int spheres, int cones,
                               int slabs, int handles) {
    *a = (sn_elastic_asset){.vertex_count = vertices,
                            .triangle_count = triangles,
                            .sphere_count = spheres,
                            .cone_count = cones,
                            .slab_count = slabs,
                            .handle_count = handles};
    a->rest = sn_alloc(m, (size_t)vertices, sizeof *a->rest);
    a->tets = sn_alloc(m, 0, sizeof *a->tets);
    a->triangles = sn_alloc(m, (size_t)triangles, sizeof *a->triangles);
    a->centre = sn_alloc(m, (size_t)spheres, sizeof *a->centre);
    a->radius = sn_alloc(m, (size_t)spheres, sizeof *a->radius);
    a->cones = sn_alloc(m, (size_t)cones, sizeof *a->cones);
    a->slabs = sn_alloc(m, (size_t)slabs, sizeof *a->slabs);
    a->handle_sphere = sn_alloc(m, (size_t)handles, sizeof *a->handle_sphere);
    a->handle_quadratic = sn_alloc(m, (size_t)handles, 1);
    a->first = sn_alloc(m, (size_t)vertices + 1, sizeof *a->first);
    a->sphere_first = sn_alloc(m, (size_t)spheres + 1, sizeof *a->sphere_first);
    return a->rest && a->triangles && a->centre && a->radius && a->cones && a->slabs && a->handle_sphere &&
           a->handle_quadratic && a->first && a->sphere_first;
}

// The weights of a point: of the four nearest handles, falling to 0 at the fifth; a handle's own place is its own.
static inline int shape_weights(const sn_elastic_asset *a, sn_vec3 x, double anchored_below, int handle[4],
                                double weight[4]) {
    int near[5];
    double distance[5];
    int count = 0;
    for (int h = 0; h < a->handle_count; h++) {
        double d = sn_length(sn_sub(x, sn_elastic_handle_centre(a, h)));
        int at = count < 5 ? count++ : 5;
        for (; at > 0 && distance[at - 1] > d; --at) {
            if (at < 5) distance[at] = distance[at - 1], near[at] = near[at - 1];
        }
        if (at < 5) distance[at] = d, near[at] = h;
    }
    double edge = count == 5 ? distance[4] : 2 * distance[count - 1] + 1e-9, sum = 0;
    if (count == 5) count = 4;
    int used = 0;
    for (int i = 0; i < count; i++) {
        double w = pow(fmax(0, 1 - distance[i] / edge), 2) / (distance[i] * distance[i] + 1e-12);
        if (w <= 0) continue;
        handle[used] = near[i], weight[used++] = w;
        sum += w;
    }
    double share = x.x < anchored_below ? fmax(0, 1 - 10 * (anchored_below - x.x)) : 1;
    for (int i = 0; i < used; i++) weight[i] *= share / sum;
    return share > 0 ? used : 0;
}

static inline bool shape_finish(sn_memory *m, sn_elastic_asset *a, double anchored_below) {
    int handle[4];
    double weight[4];
    for (int pass = 0; pass < 2; pass++) {
        int n = 0;
        for (int v = 0; v < a->vertex_count; v++) {
            a->first[v] = n;
            int count = shape_weights(a, a->rest[v], anchored_below, handle, weight);
            for (int i = 0; i < count; i++, n++) {
                if (pass) a->handle[n] = handle[i], a->weight[n] = (sn_real)weight[i];
            }
        }
        a->first[a->vertex_count] = n;
        int k = 0;
        for (int s = 0; s < a->sphere_count; s++) {
            a->sphere_first[s] = k;
            int count = shape_weights(a, a->centre[s], anchored_below, handle, weight);
            for (int i = 0; i < count; i++, k++) {
                if (pass) a->sphere_handle[k] = handle[i], a->sphere_weight[k] = (sn_real)weight[i];
            }
        }
        a->sphere_first[a->sphere_count] = k;
        if (pass) break;
        a->handle = sn_alloc(m, (size_t)n, sizeof *a->handle);
        a->weight = sn_alloc(m, (size_t)n, sizeof *a->weight);
        a->sphere_handle = sn_alloc(m, (size_t)k, sizeof *a->sphere_handle);
        a->sphere_weight = sn_alloc(m, (size_t)k, sizeof *a->sphere_weight);
        if (!a->handle || !a->weight || !a->sphere_handle || !a->sphere_weight) return false;
    }
    return true;
}

// A closed tube of rings about the x axis from 0 to 'length', between spheres of radius 'radius' that swell by a
// fourth. A handle at every sphere, or at every second; every 'quadratic'-th handle quadratic (0: none).
static inline bool make_tube(sn_memory *m, sn_elastic_asset *a, int spheres, int rings, int around, double length,
                             double radius, int every, int quadratic, double anchored_below) {
    int handles = (spheres + every - 1) / every;
    if (!shape_alloc(m, a, rings * around + 2, 2 * rings * around, spheres, spheres - 1, 0, handles)) return false;
    for (int s = 0; s < spheres; s++) {
        a->centre[s] = sn_v3((sn_real)(length * s / (spheres - 1)), 0, 0);
        a->radius[s] = (sn_real)(radius * (1 + 0.25 * sin(1.7 * s)));
        if (s > 0) a->cones[s - 1][0] = s - 1, a->cones[s - 1][1] = s;
        if (s % every == 0) a->handle_sphere[s / every] = s;
    }
    for (int h = 0; h < handles; h++) a->handle_quadratic[h] = quadratic && h % quadratic == 0;
    for (int i = 0; i < rings; i++) {
        double at = (double)i / (rings - 1) * (spheres - 1);
        int s = at < spheres - 1 ? (int)at : spheres - 2;
        double r = a->radius[s] + (at - s) * ((double)a->radius[s + 1] - a->radius[s]);
        for (int k = 0; k < around; k++) {
            double angle = 2 * 3.14159265358979 * (k + 0.5 * (i % 2)) / around;
            a->rest[i * around + k] =
                sn_v3((sn_real)(length * i / (rings - 1)), (sn_real)(r * cos(angle)), (sn_real)(r * sin(angle)));
        }
    }
    int tip = rings * around, n = 0;
    a->rest[tip] = sn_v3(-a->radius[0], 0, 0);
    a->rest[tip + 1] = sn_v3((sn_real)length + a->radius[spheres - 1], 0, 0);
    for (int k = 0; k < around; k++) {
        int next = (k + 1) % around;
        for (int i = 0; i + 1 < rings; i++) {
            int p = i * around, q = p + around;
            // Odd rings are turned by half a step.
            int low[3] = {p + k, p + next, q + (i % 2 ? next : k)};
            int high[3] = {p + (i % 2 ? k : next), q + next, q + k};
            memcpy(a->triangles[n++], low, sizeof low);
            memcpy(a->triangles[n++], high, sizeof high);
        }
        int end = (rings - 1) * around, first[3] = {tip, next, k}, last[3] = {tip + 1, end + k, end + next};
        memcpy(a->triangles[n++], first, sizeof first);
        memcpy(a->triangles[n++], last, sizeof last);
    }
    return shape_finish(m, a, anchored_below);
}

// A plate of side 1 in the plane y = 0 with cells^2 squares of two slabs each, of radius 'radius'; its surface has two
// layers of 'fine' squares and walls between.
static inline bool make_plate(sn_memory *m, sn_elastic_asset *a, int cells, int fine, double radius, int quadratic) {
    int side = cells + 1, n = fine + 1;
    if (!shape_alloc(m, a, 2 * n * n, 4 * fine * fine + 8 * fine, side * side, 0, 2 * cells * cells, side * side)) {
        return false;
    }
    for (int i = 0; i < side * side; i++) {
        a->centre[i] = sn_v3((sn_real)(i % side) / (sn_real)cells, 0, (sn_real)(i / side) / (sn_real)cells);
        a->radius[i] = (sn_real)radius;
        a->handle_sphere[i] = i;
        a->handle_quadratic[i] = quadratic && i % quadratic == 0;
    }
    int s = 0;
    for (int i = 0; i < cells * cells; i++) {
        int p = i / cells * side + i % cells;
        int first[3] = {p, p + 1, p + side}, second[3] = {p + 1, p + side + 1, p + side};
        memcpy(a->slabs[s++], first, sizeof first);
        memcpy(a->slabs[s++], second, sizeof second);
    }
    for (int i = 0; i < n * n; i++) {
        sn_vec3 x = {(sn_real)(i % n) / (sn_real)fine, (sn_real)radius, (sn_real)(i / n) / (sn_real)fine};
        a->rest[i] = x;
        x.y = -x.y;
        a->rest[n * n + i] = x;
    }
    int t = 0;
    for (int i = 0; i < fine * fine; i++) {
        int p = i / fine * n + i % fine, q = p + n * n;
        int top[2][3] = {{p, p + n, p + 1}, {p + 1, p + n, p + n + 1}};
        int low[2][3] = {{q, q + 1, q + n}, {q + 1, q + n + 1, q + n}};
        memcpy(a->triangles[t], top, sizeof top), t += 2;
        memcpy(a->triangles[t], low, sizeof low), t += 2;
    }
    for (int i = 0; i < fine; i++) {
        // Walls: the border in the order that leaves the top on the left.
        int border[4][2] = {
            {i, i + 1}, {i * n + fine, (i + 1) * n + fine}, {n * fine + i + 1, n * fine + i}, {(i + 1) * n, i * n}};
        for (int k = 0; k < 4; k++) {
            int p = border[k][0], q = border[k][1];
            int wall[2][3] = {{p, q, p + n * n}, {q, q + n * n, p + n * n}};
            memcpy(a->triangles[t], wall, sizeof wall), t += 2;
        }
    }
    return shape_finish(m, a, -1e9);
}

// --- moving ---

static inline int shape_columns(const sn_elastic_asset *a) {
    int columns = 0;
    for (int h = 0; h < a->handle_count; h++) columns += sn_elastic_columns(a, h);
    return columns;
}

// Columns of three numbers; anchors where they were.
static inline sn_elastic_pose interleaved(const sn_real *q) {
    return (sn_elastic_pose){.q = q, .column = 3, .axis = 1, .anchor_rotation = sn_q_identity()};
}

// A smooth motion of space: bent about z, twisted about x, stretched, waved, turned and carried away.
typedef struct {
    double bend, twist, stretch, wave, turn[3][3], shift[3];
} motion;

static inline void random_turn(dice *d, double turn[3][3]) {
    double q[4], n = 0;
    for (int i = 0; i < 4; i++) q[i] = roll_between(d, -1, 1), n += q[i] * q[i];
    for (int i = 0; i < 4; i++) q[i] /= sqrt(n + 1e-30);
    double x = q[0], y = q[1], z = q[2], w = q[3];
    double m[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                      {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                      {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
    memcpy(turn, m, sizeof m);
}

static inline motion random_motion(dice *d, double strength) {
    motion m = {.bend = strength * roll_between(d, -2, 2),
                .twist = strength * roll_between(d, -2, 2),
                .stretch = strength * roll_between(d, -0.3, 0.3),
                .wave = strength * roll_between(d, -0.05, 0.05)};
    random_turn(d, m.turn);
    for (int i = 0; i < 3; i++) m.shift[i] = roll_between(d, -3, 3);
    return m;
}

static inline motion no_motion(void) {
    return (motion){.turn = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

static inline void moved(const motion *m, const double at[3], double out[3]) {
    double s = 1 + m->stretch, x = at[0] * s, y = at[1] / sqrt(s) + m->wave * sin(6 * at[0]), z = at[2] / sqrt(s);
    double angle = m->twist * at[0], yt = cos(angle) * y - sin(angle) * z, zt = sin(angle) * y + cos(angle) * z;
    double p[3] = {x, yt, zt};
    if (fabs(m->bend) > 1e-6) { // x becomes the arc of a circle of radius 1 / bend
        double a = m->bend * x;
        p[0] = (1 / m->bend - yt) * sin(a), p[1] = 1 / m->bend - (1 / m->bend - yt) * cos(a);
    }
    for (int i = 0; i < 3; i++) {
        out[i] = m->turn[i][0] * p[0] + m->turn[i][1] * p[1] + m->turn[i][2] * p[2] + m->shift[i];
    }
}

// The handles' columns (three numbers each) that follow a motion to first or second order about their centres.
static inline void follow_motion(const sn_elastic_asset *a, const motion *m, sn_real *q) {
    const double e = 1e-3;
    for (int h = 0; h < a->handle_count; h++) {
        sn_vec3 c = sn_elastic_handle_centre(a, h);
        double o[3] = {c.x, c.y, c.z}, f[3], up[3][3], down[3][3];
        moved(m, o, f);
        for (int k = 0; k < 3; k++) {
            double at[3] = {o[0], o[1], o[2]};
            at[k] += e, moved(m, at, up[k]);
            at[k] -= 2 * e, moved(m, at, down[k]);
        }
        for (int i = 0; i < 3; i++) q[i] = (sn_real)f[i];
        for (int k = 0; k < 3; k++) {
            for (int i = 0; i < 3; i++) q[3 * (1 + k) + i] = (sn_real)((up[k][i] - down[k][i]) / (2 * e));
        }
        if (a->handle_quadratic[h]) {
            for (int k = 0; k < 3; k++) {
                int next = (k + 1) % 3;
                double corner[4][3];
                for (int s = 0; s < 4; s++) {
                    double at[3] = {o[0], o[1], o[2]};
                    at[k] += s & 1 ? e : -e, at[next] += s & 2 ? e : -e;
                    moved(m, at, corner[s]);
                }
                for (int i = 0; i < 3; i++) {
                    q[3 * (4 + k) + i] = (sn_real)((up[k][i] - 2 * f[i] + down[k][i]) / (2 * e * e));
                    q[3 * (7 + k) + i] =
                        (sn_real)((corner[3][i] - corner[2][i] - corner[1][i] + corner[0][i]) / (4 * e * e));
                }
            }
        }
        q += 3 * sn_elastic_columns(a, h);
    }
}

// Adds noise to every number.
static inline void shake(const sn_elastic_asset *a, dice *d, double much, sn_real *q) {
    for (int i = 0; i < 3 * shape_columns(a); i++) q[i] += (sn_real)roll_between(d, -much, much);
}

// Where the columns take a point with the given weights, in double.
static inline void place_point(const sn_elastic_asset *a, const int *first_column, const sn_real *q, sn_vec3 rest,
                               const int *handle, const sn_real *weight, int count, double out[3]) {
    const double whole = sn_elastic_weight_divisor(weight, count);
    double left = 1;
    out[0] = out[1] = out[2] = 0;
    for (int i = 0; i < count; i++) {
        int h = handle[i];
        const double w = (double)weight[i] / whole;
        sn_vec3 c = sn_elastic_handle_centre(a, h);
        double d[3] = {(double)rest.x - c.x, (double)rest.y - c.y, (double)rest.z - c.z};
        double basis[10] = {1,           d[0],        d[1],        d[2],        d[0] * d[0],
                            d[1] * d[1], d[2] * d[2], d[0] * d[1], d[1] * d[2], d[2] * d[0]};
        for (int k = 0; k < sn_elastic_columns(a, h); k++) {
            for (int m = 0; m < 3; m++) out[m] += w * basis[k] * q[3 * (first_column[h] + k) + m];
        }
        left -= w;
    }
    if (fabs(left) < 1e-6) return;
    out[0] += left * rest.x, out[1] += left * rest.y, out[2] += left * rest.z;
}

static inline void place_vertices(const sn_elastic_asset *a, const sn_elastic_bounds *b, const sn_real *q, sn_vec3 *x) {
    for (int v = 0; v < a->vertex_count; v++) {
        double p[3];
        place_point(a, b->first_column, q, a->rest[v], a->handle + a->first[v], a->weight + a->first[v],
                    a->first[v + 1] - a->first[v], p);
        x[v] = sn_v3((sn_real)p[0], (sn_real)p[1], (sn_real)p[2]);
    }
}

#endif
