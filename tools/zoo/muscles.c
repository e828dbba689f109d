// A muscle is an ellipse swept along a curve:
//
//         a            stations along the curve give the centre, half the width (a) and half the thickness (b), the
//      .-----.         direction of the width, and the curl (y -= curl x^2, for a muscle that wraps around something);
//     (   +   ) b      a smooth curve interpolates between stations
//      `-----'
//
// Rings of vertices are equally spaced and closed by round ends. The end of a flat muscle is as deep as the muscle is
// thin, so its last ring is a slit whose two lips are merged; for a round muscle it is a point.
#include "zoo/muscles.h"
#include "base/math/double3.h"
#include "mesh/maths.h"
#include "mesh/mesh_repair.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

typedef struct {
    double at[3], a, b, curl;
} station;

enum { MAX_STATIONS = 12, STEPS = 512, CAP = 4 }; // CAP: rings of an end

typedef struct {
    const char *name;
    double across[3]; // approximate direction of the width
    double groove;    // depth of a groove along the front, relative to the thickness
    station station[MAX_STATIONS];
} muscle_form;

static const muscle_form forms[ZOO_MUSCLE_KINDS] = {
    [ZOO_BICEPS_LONG] = {"biceps-long",
                         {1, 0, 0},
                         0,
                         {{{-0.008, 0.030, 0.004}, 0.0046, 0.0040, 0},
                          {{0.004, 0.026, 0.020}, 0.0046, 0.0040, 0},
                          {{0.010, -0.005, 0.031}, 0.0048, 0.0042, 0},
                          {{0.013, -0.055, 0.032}, 0.0070, 0.0065, 0},
                          {{0.016, -0.105, 0.041}, 0.0140, 0.0130, 0},
                          {{0.017, -0.165, 0.047}, 0.0175, 0.0165, 0},
                          {{0.016, -0.215, 0.047}, 0.0160, 0.0150, 0},
                          {{0.010, -0.262, 0.039}, 0.0085, 0.0085, 0},
                          {{0.006, -0.305, 0.029}, 0.0046, 0.0044, 0},
                          {{0.007, -0.340, 0.018}, 0.0042, 0.0042, 0}}},
    [ZOO_BICEPS_SHORT] = {"biceps-short",
                          {1, 0, 0},
                          0,
                          {{{-0.034, 0.016, 0.026}, 0.0050, 0.0044, 0},
                           {{-0.027, -0.030, 0.034}, 0.0064, 0.0058, 0},
                           {{-0.021, -0.080, 0.039}, 0.0110, 0.0105, 0},
                           {{-0.018, -0.140, 0.045}, 0.0160, 0.0150, 0},
                           {{-0.017, -0.190, 0.047}, 0.0165, 0.0155, 0},
                           {{-0.013, -0.240, 0.042}, 0.0115, 0.0110, 0},
                           {{-0.006, -0.280, 0.034}, 0.0062, 0.0060, 0},
                           {{-0.003, -0.312, 0.027}, 0.0044, 0.0042, 0},
                           {{-0.001, -0.338, 0.019}, 0.0042, 0.0042, 0}}},
    [ZOO_BRACHIALIS] = {"brachialis",
                        {1, 0, 0},
                        0,
                        {{{0.003, -0.145, 0.0150}, 0.0070, 0.0045, 10},
                         {{0.001, -0.185, 0.0190}, 0.0190, 0.0075, 10},
                         {{0.000, -0.230, 0.0220}, 0.0230, 0.0100, 8},
                         {{-0.002, -0.272, 0.0230}, 0.0180, 0.0092, 6},
                         {{-0.007, -0.305, 0.0210}, 0.0090, 0.0065, 0},
                         {{-0.010, -0.330, 0.0150}, 0.0060, 0.0048, 0}}},
    [ZOO_TRICEPS] = {"triceps",
                     {1, 0, 0},
                     0,
                     {{{-0.026, -0.012, -0.024}, 0.0090, 0.0060, 0},
                      {{-0.012, -0.060, -0.031}, 0.0230, 0.0125, -5},
                      {{-0.003, -0.115, -0.036}, 0.0320, 0.0180, -6},
                      {{-0.002, -0.165, -0.036}, 0.0320, 0.0170, -6},
                      {{-0.005, -0.215, -0.034}, 0.0250, 0.0105, -6},
                      {{-0.008, -0.255, -0.034}, 0.0160, 0.0060, 0},
                      {{-0.010, -0.290, -0.034}, 0.0100, 0.0048, 0}}},
    [ZOO_DELTOID] = {"deltoid",
                     {0, 0, -1},
                     0,
                     {{{0.012, 0.040, 0.000}, 0.0480, 0.0075, 8},
                      {{0.034, 0.026, 0.000}, 0.0490, 0.0100, 10},
                      {{0.045, -0.015, 0.001}, 0.0450, 0.0125, 11},
                      {{0.041, -0.060, 0.002}, 0.0310, 0.0125, 10},
                      {{0.030, -0.100, 0.003}, 0.0165, 0.0100, 6},
                      {{0.021, -0.138, 0.003}, 0.0080, 0.0055, 0}}},
    [ZOO_PECTORAL] = {"pectoral",
                      {0, 1, 0},
                      0,
                      {{{-0.172, -0.070, 0.062}, 0.0880, 0.0085, 0},
                       {{-0.135, -0.068, 0.080}, 0.0840, 0.0110, 0},
                       {{-0.090, -0.064, 0.086}, 0.0680, 0.0140, 0},
                       {{-0.045, -0.060, 0.073}, 0.0460, 0.0140, 0},
                       {{-0.012, -0.060, 0.048}, 0.0300, 0.0105, 0},
                       {{0.012, -0.064, 0.021}, 0.0240, 0.0060, 0}}},
    [ZOO_BIPENNATE] = {"bipennate",
                       {1, 0, 0},
                       0.22,
                       {{{-0.096, -0.475, 0.030}, 0.0060, 0.0055, 0},
                        {{-0.088, -0.530, 0.040}, 0.0150, 0.0110, 0},
                        {{-0.084, -0.610, 0.047}, 0.0270, 0.0170, 0},
                        {{-0.086, -0.680, 0.049}, 0.0300, 0.0180, 0},
                        {{-0.093, -0.750, 0.047}, 0.0260, 0.0155, 0},
                        {{-0.103, -0.815, 0.042}, 0.0150, 0.0095, 0},
                        {{-0.112, -0.865, 0.037}, 0.0100, 0.0060, 0},
                        {{-0.114, -0.885, 0.034}, 0.0100, 0.0055, 0}}},
};

// The curve, sampled.
typedef struct {
    const muscle_form *form;
    station line[STEPS + 1];
    double along[STEPS + 1][3], across[STEPS + 1][3], front[STEPS + 1][3]; // axes: tangent, width, thickness
    double arc_length[STEPS + 1];                                          // from the start
} sweep;

static void unit(double v[3]) {
    const double size = sqrt(d3_dot(v, v));
    for (int k = 0; k < 3; k++) v[k] /= size;
}

// Catmull-Rom spline between b and c.
static double curve(double a, double b, double c, double d, double t) {
    return 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t * t + (3 * b - 3 * c + d - a) * t * t * t);
}

static void build_sweep(const muscle_form *form, sweep *out) {
    int count = 0;
    while (count < MAX_STATIONS && form->station[count].a > 0) count++;
    out->form = form;
    for (int i = 0; i <= STEPS; i++) {
        const double at = (double)i * (count - 1) / STEPS;
        const int k = at >= count - 1 ? count - 2 : (int)at;
        const double t = at - k;
        const station *b = &form->station[k], *c = b + 1, *a = k > 0 ? b - 1 : b, *d = k + 2 < count ? c + 1 : c;
        station *out_station = &out->line[i];
        for (int j = 0; j < 3; j++) out_station->at[j] = curve(a->at[j], b->at[j], c->at[j], d->at[j], t);
        out_station->a = curve(a->a, b->a, c->a, d->a, t), out_station->b = curve(a->b, b->b, c->b, d->b, t);
        out_station->curl = curve(a->curl, b->curl, c->curl, d->curl, t);
    }
    out->arc_length[0] = 0;
    for (int i = 0; i <= STEPS; i++) {
        const double *before = out->line[i > 0 ? i - 1 : 0].at, *after = out->line[i < STEPS ? i + 1 : STEPS].at;
        double *along = out->along[i];
        for (int k = 0; k < 3; k++) along[k] = after[k] - before[k];
        unit(along);
        const double part = d3_dot(form->across, along);
        for (int k = 0; k < 3; k++) out->across[i][k] = form->across[k] - part * along[k];
        unit(out->across[i]);
        for (int k = 0; k < 3; k++)
            out->front[i][k] =
                along[(k + 1) % 3] * out->across[i][(k + 2) % 3] - along[(k + 2) % 3] * out->across[i][(k + 1) % 3];
        if (i > 0) {
            const double *at = out->line[i].at, *last = out->line[i - 1].at;
            const double d[3] = {at[0] - last[0], at[1] - last[1], at[2] - last[2]};
            out->arc_length[i] = out->arc_length[i - 1] + sqrt(d3_dot(d, d));
        }
    }
}

// Sample index at a fraction (0 to 1) of the arc length.
static double step_at(const sweep *s, double part) {
    int i = 0;
    while (i < STEPS - 1 && s->arc_length[i + 1] < part * s->arc_length[STEPS]) i++;
    const double t = (part * s->arc_length[STEPS] - s->arc_length[i]) / (s->arc_length[i + 1] - s->arc_length[i]);
    return i + fmin(fmax(t, 0), 1);
}

// Half the perimeter of an ellipse (Ramanujan's approximation).
static double half_around(double a, double b) {
    const double h = (a - b) * (a - b) / ((a + b) * (a + b));
    return 0.5 * pi * (a + b) * (1 + 3 * h / (10 + sqrt(4 - 3 * h)));
}

// Chooses the vertices per ring and the number of rings such that triangles are about equilateral.
static void choose_counts(const sweep *s, int triangles, int *around, int *rings) {
    double width = 0;
    for (int i = 0; i < STEPS; i++)
        width += 2 * half_around(s->line[i].a, s->line[i].b) * (s->arc_length[i + 1] - s->arc_length[i]) /
                 s->arc_length[STEPS];
    const double ideal = sqrt(0.5 * triangles * width / s->arc_length[STEPS]);
    *around = 2 * (int)fmax(5, floor(0.5 * ideal + 0.5));
    *rings = triangles / (2 * *around) - 2 * CAP;
}

typedef struct {
    int around, rings; // rings without those of the ends
} ring_counts;

// Fraction of the arc length of a ring, and its number of rings beyond the end.
static double ring_part(const ring_counts *counts, int ring, int *beyond) {
    const int k = ring - CAP, last = counts->rings - 1;
    *beyond = k < 0 ? -k : k > last ? k - last : 0;
    return k < 0 ? 0 : k > last ? 1 : (double)k / last;
}

// Colours where fibres begin and end.
static void paint(zoo_muscle_kind kind, double along, double azimuth, bool front, float colour[3]) {
    bool source = along<0.03, sink = along> 0.97;
    if (kind == ZOO_BIPENNATE) { // source: the flanks; sink: the groove and the tendon it becomes
        source = along < 0.03 || (fabs(azimuth - 0.5) > 0.30 && along < 0.72);
        sink = along > 0.93 || (fabs(azimuth - 0.5) < 0.06 && front && along > 0.3);
    }
    colour[0] = sink ? 0 : 1, colour[1] = source || sink ? 0 : 1, colour[2] = source ? 0 : 1;
}

// Writes the vertices of a ring. Those of an end contract along a quarter circle.
static void put_ring(const sweep *s, zoo_muscle_kind kind, const ring_counts *counts, int ring, sn_mesh *out) {
    int beyond;
    const double part = ring_part(counts, ring, &beyond), step = step_at(s, part);
    const int i = step >= STEPS ? STEPS - 1 : (int)step;
    const double t = step - i, a = s->line[i].a + t * (s->line[i + 1].a - s->line[i].a),
                 b = s->line[i].b + t * (s->line[i + 1].b - s->line[i].b),
                 curl = s->line[i].curl + t * (s->line[i + 1].curl - s->line[i].curl);
    const double depth = fmin(a, b), angle = 0.5 * pi * beyond / CAP, close = beyond == CAP ? 0 : own_cos(angle);
    const double out_by = (part > 0.5 ? 1 : -1) * depth * own_sin(angle), fade = own_sin(pi * part);
    for (int j = 0; j < counts->around; j++) {
        // The lower half uses the same numbers as the upper one, so that the lips of a slit coincide.
        const bool front = j <= counts->around / 2;
        const int half = front ? j : counts->around - j, v = counts->around * ring + j;
        const double azimuth = 2.0 * half / counts->around, x = own_cos(pi * azimuth);
        const double furrow = front ? s->form->groove * own_exp(-x * x / 0.03) * fade : 0;
        // Along a slit they are evenly spaced.
        const double slit = own_pow((double)beyond / CAP, 2), spread = x + slit * (1 - 2 * azimuth - x);
        const double width = a < 1.8 * b ? a * close * x : (a - depth * (1 - close)) * spread;
        const double thick = (front ? 1 : -1) * b * close * own_sin(pi * azimuth) * (1 - furrow) - curl * width * width;
        for (int k = 0; k < 3; k++) {
            const double centre = s->line[i].at[k] + t * (s->line[i + 1].at[k] - s->line[i].at[k]);
            out->position[v][k] =
                (float)(centre + out_by * s->along[i][k] + width * s->across[i][k] + thick * s->front[i][k]);
        }
        out->uv[v][0] = (float)azimuth, out->uv[v][1] = (float)part;
        paint(kind, part, azimuth, front, out->colour[v]);
    }
}

static bool make(zoo_muscle_kind kind, int triangles, sweep *s, sn_mesh *out) {
    const mesh_repair_options repair = mesh_repair_options_default();
    ring_counts counts;
    sn_mesh rings = {0};
    mesh_repair_report report;
    int t = 0;
    build_sweep(&forms[kind], s);
    choose_counts(s, triangles, &counts.around, &counts.rings);
    const int all = counts.rings + 2 * CAP, n = counts.around;
    if (!sn_mesh_alloc(&rings, all * n, 2 * (all - 1) * n, MESH_UV | MESH_COLOUR)) return false;
    for (int ring = 0; ring < all; ring++) put_ring(s, kind, &counts, ring, &rings);
    for (int ring = 0; ring + 1 < all; ring++)
        for (int j = 0; j < n; ++j, t += 2) {
            const int a = n * ring + j, b = n * ring + (j + 1) % n;
            const int two[2][3] = {{a, b, a + n}, {b, b + n, a + n}};
            memcpy(rings.triangle[t], two, sizeof two);
        }
    const bool good = mesh_repair(&rings, &repair, out, NULL, &report) && report.closed && sn_mesh_make_normals(out);
    sn_mesh_free(&rings);
    return good;
}

const char *zoo_muscle_name(zoo_muscle_kind kind) {
    return forms[kind].name;
}

bool zoo_muscle(zoo_muscle_kind kind, int triangles, sn_mesh *out) {
    *out = (sn_mesh){0};
    if (triangles == 0) triangles = ZOO_MUSCLE_DEFAULT_TRIANGLES;
    if (triangles < ZOO_MUSCLE_MIN_TRIANGLES || triangles > ZOO_MUSCLE_MAX_TRIANGLES) return false;
    sweep *s = malloc(sizeof *s);
    const bool good = s && make(kind, triangles, s, out);
    free(s);
    if (good)
        strcpy(out->name, forms[kind].name);
    else
        sn_mesh_free(out);
    return good;
}
