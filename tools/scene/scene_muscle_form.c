// The form of a muscle is a row of rings, ellipses around a centre line: FINE per cross-section. Rods pass through the
// same spots of each ellipse and fill it, pi r^2 = (area of the ellipse) / (number of rods), so that they have the
// volume of the form. The skin consists of the rings, with a dome at each end.
//
// A vertex at level z (cross-section k is at level k) is bound to the cross-sections around it with the weights of a
// quadratic B-spline, near the ends of a linear one: sum w = 1 and sum w k = z, and the skin has no creases.
#include "scene/scene_muscle_form.h"
#include "base/math/double3.h"
#include "base/math/trig.h"
#include "base/math/vec.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FINE   4  // rings from a cross-section to the next
#define AROUND 32 // vertices of a ring
#define DOME   3  // rings of a dome, without its tip

typedef struct {
    double middle[3], wide[3], thick[3], along[3]; // directions of length 1
    double a, b;                                   // half the width and half the thickness
} ring;

typedef struct {
    int rods, slices, ring_count;
    ring *rings;
    double (*spots)[2]; // of each rod in the unit disk
} form;

// --- small vectors ---

// Removes the component along the unit vector `off` from v and normalises it; an arbitrary orthogonal direction if
// nothing is left.
static void straighten(double v[3], const double off[3]) {
    for (int round = 0; round < 2; round++) {
        const double by = d3_dot(v, off);
        for (int k = 0; k < 3; k++) v[k] -= by * off[k];
        const double length = sqrt(d3_dot(v, v));
        if (length > 1e-9) {
            for (int k = 0; k < 3; k++) v[k] /= length;
            return;
        }
        const int min = fabs(off[0]) < 0.6 ? 0 : 1;
        for (int k = 0; k < 3; k++) v[k] = k == min;
    }
}

static double sine_of(double x) {
    sn_real s, c;
    sn_sincos((sn_real)x, &s, &c);
    return (double)s;
}

// --- the form ---

static bool form_alloc(form *f, int rods, int slices) {
    *f = (form){.rods = rods, .slices = slices, .ring_count = FINE * (slices - 1) + 1};
    f->rings = calloc((size_t)f->ring_count, sizeof *f->rings);
    f->spots = calloc((size_t)rods, sizeof *f->spots);
    return f->rings && f->spots;
}

static void form_free(form *f) {
    free(f->rings);
    free(f->spots);
}

// Directions of rings. `across` is the width of the first; the others follow the line without twist.
static void orient_rings(form *f, const double across[3]) {
    double wide[3];
    memcpy(wide, across, sizeof wide);
    for (int i = 0; i < f->ring_count; i++) {
        ring *r = &f->rings[i];
        const double *before = f->rings[i > 0 ? i - 1 : 0].middle;
        const double *after = f->rings[i + 1 < f->ring_count ? i + 1 : i].middle;
        for (int k = 0; k < 3; k++) r->along[k] = after[k] - before[k];
        straighten(r->along, (const double[3]){0, 0, 0});
        straighten(wide, r->along);
        memcpy(r->wide, wide, sizeof wide);
        d3_cross(r->along, r->wide, r->thick);
    }
}

// Spots that fill a disk evenly: a sunflower's seeds, relaxed by Lloyd's algorithm.
static void fill_disk(double (*spots)[2], int count) {
    enum { GRID = 41, ROUNDS = 40, MANY = 32 }; // many seeds are even enough
    for (int i = 0; i < count; i++) {
        sn_real s, c;
        const double r = sqrt((i + 0.5) / count);
        sn_sincos((sn_real)(2.399963229728653 * i), &s, &c);
        spots[i][0] = r * (double)c, spots[i][1] = r * (double)s;
    }
    double(*sums)[3] = calloc((size_t)count, sizeof *sums);
    for (int round = 0; sums && count <= MANY && round < ROUNDS; round++) {
        memset(sums, 0, (size_t)count * sizeof *sums);
        for (int j = 0; j < GRID * GRID; j++) {
            const int row = j / GRID, column = j % GRID;
            const double x = 2.0 * column / (GRID - 1) - 1, y = 2.0 * row / (GRID - 1) - 1;
            if (x * x + y * y > 1) continue;
            int nearest = 0;
            double min = 1e9;
            for (int i = 0; i < count; i++) {
                const double dx = spots[i][0] - x, dy = spots[i][1] - y, d = dx * dx + dy * dy;
                if (d < min) min = d, nearest = i;
            }
            sums[nearest][0] += x, sums[nearest][1] += y, sums[nearest][2] += 1;
        }
        for (int i = 0; i < count; i++)
            for (int k = 0; k < 2 && sums[i][2] > 0; k++) spots[i][k] = sums[i][k] / sums[i][2];
    }
    free(sums);
    double max = 0; // the outermost rods reach to the surface
    for (int i = 0; i < count; i++) max = fmax(max, sqrt(spots[i][0] * spots[i][0] + spots[i][1] * spots[i][1]));
    const double by = max > 1e-6 ? (1 - 1 / sqrt(count)) / max : 0;
    for (int i = 0; i < count; i++) spots[i][0] *= by, spots[i][1] *= by;
}

// --- the middle line of a spindle ---

// A Catmull-Rom curve through given points, at t from 0 to count - 1.
static void curve_at(const double (*points)[3], int count, double t, double out[3]) {
    int i = (int)t < count - 1 ? (int)t : count - 2;
    const double s = t - i;
    for (int k = 0; k < 3; k++) {
        const double p1 = points[i][k], p2 = points[i + 1][k];
        const double p0 = i > 0 ? points[i - 1][k] : 2 * p1 - p2;
        const double p3 = i + 2 < count ? points[i + 2][k] : 2 * p2 - p1;
        out[k] = p1 + 0.5 * s * (p2 - p0 + s * (2 * p0 - 5 * p1 + 4 * p2 - p3 + s * (3 * (p1 - p2) + p3 - p0)));
    }
}

// Places the centres of rings evenly along the curve.
static bool lay_line(form *f, const double (*points)[3], int count) {
    const int pieces = 64 * (count - 1);
    double *arc_length = malloc(((size_t)pieces + 1) * sizeof *arc_length);
    if (!arc_length) return false;
    double last[3], here[3];
    curve_at(points, count, 0, last);
    arc_length[0] = 0;
    for (int i = 1; i <= pieces; i++) {
        curve_at(points, count, i / 64.0, here);
        const double d[3] = {here[0] - last[0], here[1] - last[1], here[2] - last[2]};
        arc_length[i] = arc_length[i - 1] + sqrt(d3_dot(d, d));
        memcpy(last, here, sizeof last);
    }
    for (int i = 0, j = 0; i < f->ring_count; i++) {
        const double want = arc_length[pieces] * i / (f->ring_count - 1);
        while (j < pieces - 1 && arc_length[j + 1] < want) j++;
        const double step = arc_length[j + 1] - arc_length[j],
                     part = step > 0 ? fmin((want - arc_length[j]) / step, 1) : 0;
        curve_at(points, count, (j + part) / 64.0, f->rings[i].middle);
    }
    free(arc_length);
    return true;
}

// --- rods and skin from the form ---

static void fill_rods(const form *f, muscle_rig *rig) {
    for (int i = 0; i < f->rods; i++) {
        for (int k = 0; k < f->slices; k++) {
            const ring *r = &f->rings[FINE * k];
            const int at = i * f->slices + k;
            for (int j = 0; j < 3; j++)
                rig->points[at][j] =
                    r->middle[j] + f->spots[i][0] * r->a * r->wide[j] + f->spots[i][1] * r->b * r->thick[j];
            rig->radii[at] = sqrt(r->a * r->b / f->rods);
        }
    }
}

static void weigh(sn_mesh *mesh, int v, double level, int slices) {
    const int nearest = (int)(level + 0.5) < slices ? (int)(level + 0.5) : slices - 1;
    int *joint = mesh->joint[v];
    float *weight = mesh->weight[v];
    if (level <= 0.5 || level >= slices - 1.5) {
        const int k = (int)level < slices - 1 ? (int)level : slices - 2;
        joint[0] = k, joint[1] = k + 1;
        weight[0] = (float)(1 - (level - k)), weight[1] = (float)(level - k);
        return;
    }
    const double u = level - nearest;
    for (int k = 0; k < 3; k++) joint[k] = nearest + k - 1;
    weight[0] = (float)(0.5 * (0.5 - u) * (0.5 - u));
    weight[1] = (float)(0.75 - u * u);
    weight[2] = (float)(0.5 * (0.5 + u) * (0.5 + u));
}

// One ring of vertices, scaled by `shrink` and moved by `out` along the line.
static void put_ring(sn_mesh *mesh, int *v, const ring *r, double shrink, double out, double level, int slices) {
    for (int i = 0; i < AROUND; i++, ++*v) {
        sn_real s, c;
        sn_sincos((sn_real)(6.283185307179586 * i / AROUND), &s, &c);
        for (int j = 0; j < 3; j++)
            mesh->position[*v][j] = (float)(r->middle[j] + out * r->along[j] +
                                            shrink * (r->a * (double)c * r->wide[j] + r->b * (double)s * r->thick[j]));
        weigh(mesh, *v, level, slices);
    }
}

static void put_tip(sn_mesh *mesh, int *v, const ring *r, double out, double level, int slices) {
    for (int j = 0; j < 3; j++) mesh->position[*v][j] = (float)(r->middle[j] + out * r->along[j]);
    weigh(mesh, (*v)++, level, slices);
}

static bool fill_skin(const form *f, sn_mesh *mesh) {
    const int rings = f->ring_count + 2 * DOME, vertices = AROUND * rings + 2;
    if (!sn_mesh_alloc(mesh, vertices, 2 * AROUND * rings, MESH_NORMAL | MESH_SKIN)) return false;
    const ring *first = &f->rings[0], *last = &f->rings[f->ring_count - 1];
    const double top = f->slices - 1;
    int v = 0, t = 0;
    put_tip(mesh, &v, first, -0.7 * fmin(first->a, first->b), 0, f->slices);
    for (int i = 1; i <= DOME; i++) {
        const double x = 1.5707963 * i / (DOME + 1);
        put_ring(mesh, &v, first, sine_of(x), -0.7 * fmin(first->a, first->b) * sine_of(1.5707963 - x), 0, f->slices);
    }
    for (int i = 0; i < f->ring_count; i++)
        put_ring(mesh, &v, &f->rings[i], 1, 0, fmin((double)i / FINE, top), f->slices);
    for (int i = DOME; i >= 1; i--) {
        const double x = 1.5707963 * i / (DOME + 1);
        put_ring(mesh, &v, last, sine_of(x), 0.7 * fmin(last->a, last->b) * sine_of(1.5707963 - x), top, f->slices);
    }
    put_tip(mesh, &v, last, 0.7 * fmin(last->a, last->b), top, f->slices);
    for (int i = 0; i < AROUND; i++) {
        const int next = (i + 1) % AROUND, end = 1 + AROUND * (rings - 1);
        const int tips[2][3] = {{0, 1 + next, 1 + i}, {v - 1, end + i, end + next}};
        memcpy(mesh->triangle[t], tips, sizeof tips);
        t += 2;
        for (int k = 0; k + 1 < rings; k++, t += 2) {
            const int a = 1 + AROUND * k + i, b = 1 + AROUND * k + next;
            const int two[2][3] = {{a, b, b + AROUND}, {a, b + AROUND, a + AROUND}};
            memcpy(mesh->triangle[t], two, sizeof two);
        }
    }
    return sn_mesh_make_normals(mesh);
}

static bool finish(form *f, bool skin, muscle_rig *out) {
    bool good = muscle_rig_alloc(out, f->rods, f->slices);
    if (good) fill_rods(f, out);
    good = good && (!skin || fill_skin(f, &out->skin));
    if (!good) muscle_rig_free(out);
    form_free(f);
    return good;
}

bool muscle_form_fusiform(const fusiform_spec *spec, bool skin, muscle_rig *out) {
    form f;
    *out = (muscle_rig){0};
    const int count = spec->through.count + 2;
    double(*points)[3] = calloc((size_t)count, sizeof *points);
    bool good = form_alloc(&f, spec->rods, spec->slices) && points;
    if (good) {
        memcpy(points[0], spec->from, sizeof *points);
        if (spec->through.count) memcpy(points[1], spec->through.items, (size_t)spec->through.count * sizeof *points);
        memcpy(points[count - 1], spec->to, sizeof *points);
        good = lay_line(&f, (const double(*)[3])points, count);
    }
    free(points);
    if (!good) {
        form_free(&f);
        return false;
    }
    orient_rings(&f, spec->across);
    for (int i = 0; i < f.ring_count; i++) {
        const double s = sine_of(3.141592653589793 * i / (f.ring_count - 1)), swell = s > 0 ? s * sqrt(s) : 0;
        const double radius = spec->radius * (spec->tendon + (1 - spec->tendon) * swell);
        // Tendons are round, the belly is flat.
        const double flat = 1 + (spec->flat - 1) * (s > 0 ? s : 0);
        f.rings[i].a = radius * sqrt(flat), f.rings[i].b = radius / sqrt(flat);
    }
    fill_disk(f.spots, f.rods);
    return finish(&f, skin, out);
}

// Interpolates a list that is spread evenly over 0 to 1.
static double spread(const number_list *list, double fallback, double t) {
    if (list->count < 2) return fallback;
    const double at = t * (list->count - 1);
    const int k = (int)at < list->count - 1 ? (int)at : list->count - 2;
    return list->items[k] + (at - k) * (list->items[k + 1] - list->items[k]);
}

bool muscle_form_fan(const fan_spec *spec, bool skin, muscle_rig *out) {
    form f;
    *out = (muscle_rig){0};
    if (!form_alloc(&f, spec->rods, spec->slices)) {
        form_free(&f);
        return false;
    }
    for (int i = 0; i < f.ring_count; i++) {
        const double t = (double)i / (f.ring_count - 1);
        for (int k = 0; k < 3; k++) {
            const double from = 0.5 * (spec->from.items[0][k] + spec->from.items[1][k]);
            const double to = 0.5 * (spec->to.items[0][k] + spec->to.items[1][k]);
            f.rings[i].middle[k] = from + t * (to - from) + 4 * t * (1 - t) * spec->bulge[k];
        }
    }
    orient_rings(&f, (const double[3]){0, 0, 0});
    for (int i = 0; i < f.ring_count; i++) {
        const double t = (double)i / (f.ring_count - 1), radius = spread(&spec->radii, spec->radius, t);
        ring *r = &f.rings[i];
        for (int k = 0; k < 3; k++) {
            const double from = spec->from.items[1][k] - spec->from.items[0][k];
            const double to = spec->to.items[1][k] - spec->to.items[0][k];
            r->wide[k] = from + t * (to - from);
        }
        r->a = fmax(0.5 * sqrt(d3_dot(r->wide, r->wide)), 1e-6);
        r->b = f.rods * radius * radius / r->a;
        // The width keeps its direction, even oblique to the line; the thickness is orthogonal to both.
        straighten(r->wide, (const double[3]){0, 0, 0});
        d3_cross(r->along, r->wide, r->thick);
        straighten(r->thick, r->wide);
    }
    for (int i = 0; i < f.rods; i++) f.spots[i][0] = (2.0 * i + 1) / f.rods - 1;
    return finish(&f, skin, out);
}

bool muscle_form_rods(const fields_list *fibres, muscle_rig *out) {
    const fibre_spec *from = fibres->items;
    if (!muscle_rig_alloc(out, fibres->count, from->points.count)) return false;
    for (int i = 0; i < out->rod_count; i++) {
        for (int k = 0; k < out->slice_count; k++) {
            const int at = i * out->slice_count + k;
            memcpy(out->points[at], from[i].points.items[k], sizeof *out->points);
            out->radii[at] = from[i].radii.count ? from[i].radii.items[k] : from[i].radius;
        }
    }
    return true;
}
