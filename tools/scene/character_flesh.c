// See character_flesh.h.
//
//       e1                The skin of a bone, weighted by area, has an axis: to the joint of its child, or its longest
//     .-----.             direction. Along it the middle and the width are linear. Across it the skin is an ellipse with
//    ( o o o ) b          half axes a >= b, which for points on its rim are sqrt(2) times their deviations. One pill of
//     '-----'             radius b fills a round limb; a flat chest gets several beside each other.
//        a
#include "scene/character_flesh.h"
#include "bake/bone_fit.h"
#include "base/math/double3.h"
#include "base/math/jacobi.h"
#include "base/math/vec.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_VERTICES = 6, MAX_ACROSS = 4, REFINEMENTS = 4 };

#define BONE      0.3  // radius of the bone inside, over that of the limb
#define MIN_AREA  5e-4 // of the skin: bones with less get no pills
#define LONG_BONE 0.3  // a child's joint gives the direction if it is as far as this, over the length of the skin

typedef struct {
    const sn_mesh *mesh;
    const sn_rig_bone *bones;
    int bone_count;
    double *area; // of each vertex
    int *owner;   // of each vertex: the bone with its largest weight
    int *list;    // vertices of one bone
} skin;

// A weighted cloud in a frame of its own.
typedef struct {
    double weight, mean[3], axis[3][3]; // along, wide, thin
    double low, high;                   // along, from the mean
    bool closed[2];                     // there is skin across the ends: no other part goes on there
    double slope[2];                    // of the middle across, for each unit along
    double half[2], taper;              // half axes at the mean; relative change of both for each unit along
} part;

static void position_of(const skin *s, int v, double out[3]) {
    for (int k = 0; k < 3; k++) out[k] = (double)s->mesh->position[v][k];
}

static bool make_skin(const sn_mesh *mesh, const sn_rig_bone *bones, int bone_count, skin *s) {
    const size_t n = (size_t)mesh->vertex_count;
    *s = (skin){
        mesh, bones, bone_count, calloc(n + 1, sizeof(double)), calloc(n + 1, sizeof(int)), calloc(n + 1, sizeof(int))};
    if (!s->area || !s->owner || !s->list) return false;
    for (int t = 0; t < mesh->triangle_count; t++) {
        double p[3][3], u[3], w[3], n3[3];
        for (int k = 0; k < 3; k++) position_of(s, mesh->triangle[t][k], p[k]);
        for (int k = 0; k < 3; k++) u[k] = p[1][k] - p[0][k], w[k] = p[2][k] - p[0][k];
        for (int k = 0; k < 3; k++) n3[k] = u[(k + 1) % 3] * w[(k + 2) % 3] - u[(k + 2) % 3] * w[(k + 1) % 3];
        for (int k = 0; k < 3; k++) s->area[mesh->triangle[t][k]] += sqrt(d3_dot(n3, n3)) / 6;
    }
    for (int v = 0; v < mesh->vertex_count; v++) {
        int max = 0;
        for (int k = 1; k < 4; k++)
            if (mesh->weight[v][k] > mesh->weight[v][max]) max = k;
        s->owner[v] = mesh->joint[v][max];
    }
    return true;
}

// Eigenvectors of the weighted covariance of a cloud, longest first. With `across`, of the cloud across that axis only.
static void find_axes(const skin *s, int count, const double mean[3], double weight, const double *across,
                      double out[3][3]) {
    double a[9] = {0}, v[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int i = 0; i < count; i++) {
        double d[3];
        position_of(s, s->list[i], d);
        for (int k = 0; k < 3; k++) d[k] -= mean[k];
        const double along = across ? d3_dot(d, across) : 0;
        for (int k = 0; k < 3 && across; k++) d[k] -= along * across[k];
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) a[3 * r + c] += s->area[s->list[i]] * d[r] * d[c] / weight;
    }
    for (int sweep = 0; sweep < 12; sweep++)
        for (int p = 0; p < 3; p++)
            for (int q = p + 1; q < 3; q++) sn_jacobi_rotate(3, a, v, p, q);
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 3; i++)
        for (int k = i + 1; k < 3; k++)
            if (a[4 * order[k]] > a[4 * order[i]]) {
                const int swap = order[i];
                order[i] = order[k], order[k] = swap;
            }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) out[i][k] = v[3 * k + order[i]];
}

// The direction of a bone: to its only child, if that is far enough. False: it has none.
static bool toward_child(const skin *s, int bone, double length, double out[3]) {
    int child = -1, children = 0;
    for (int b = 0; b < s->bone_count; b++)
        if (s->bones[b].parent == bone) child = b, children++;
    if (children != 1) return false;
    const sn_vec3 d = sn_sub(s->bones[child].rest.position, s->bones[bone].rest.position);
    const double size = (double)sn_length(d);
    if (!(size > LONG_BONE * length)) return false;
    out[0] = (double)d.x / size, out[1] = (double)d.y / size, out[2] = (double)d.z / size;
    return true;
}

static int by_value(const void *one, const void *two) {
    const double a = *(const double *)one, b = *(const double *)two;
    return a < b ? -1 : a > b;
}

// Where the skin begins and ends along the axis, without the last hundredth of its vertices. False: out of memory.
static bool find_ends(const skin *s, int count, part *p) {
    double *along = malloc((size_t)count * sizeof *along);
    if (!along) return false;
    for (int i = 0; i < count; i++) {
        double d[3];
        position_of(s, s->list[i], d);
        for (int k = 0; k < 3; k++) d[k] -= p->mean[k];
        along[i] = d3_dot(d, p->axis[0]);
    }
    qsort(along, (size_t)count, sizeof *along, by_value);
    p->low = along[count / 100], p->high = along[count - 1 - count / 100];
    free(along);
    return true;
}

// Coordinates of a point of the skin along the axis and across it.
static void coordinates(const skin *s, int v, const part *p, double out[3]) {
    double d[3];
    position_of(s, v, d);
    for (int k = 0; k < 3; k++) d[k] -= p->mean[k];
    for (int k = 0; k < 3; k++) out[k] = d3_dot(d, p->axis[k]);
}

// Fits the middle and the half axes across, which change linearly along.
static void find_section(const skin *s, int count, part *p) {
    double tt = 0, ty[2] = {0, 0}, square[2] = {0, 0}, mean = 0, slope = 0, x[3];
    for (int i = 0; i < count; i++) {
        const double w = s->area[s->list[i]] / p->weight;
        coordinates(s, s->list[i], p, x);
        tt += w * x[0] * x[0];
        for (int k = 0; k < 2; k++) ty[k] += w * x[0] * x[k + 1];
    }
    for (int k = 0; k < 2; k++) p->slope[k] = tt > 0 ? ty[k] / tt : 0;
    for (int i = 0; i < count; i++) {
        const double w = s->area[s->list[i]] / p->weight;
        coordinates(s, s->list[i], p, x);
        const double y = x[1] - p->slope[0] * x[0], z = x[2] - p->slope[1] * x[0], r = sqrt(y * y + z * z);
        square[0] += w * y * y, square[1] += w * z * z;
        mean += w * r, slope += w * x[0] * r;
    }
    for (int k = 0; k < 2; k++) p->half[k] = sqrt(2 * square[k]);
    p->taper = tt > 0 && mean > 0 ? slope / tt / mean : 0;
}

// Whether skin closes an end: some of it is near the axis there.
static void find_closed(const skin *s, int count, part *p) {
    const double b = fmin(p->half[0], p->half[1]);
    for (int i = 0; i < count; i++) {
        double x[3];
        coordinates(s, s->list[i], p, x);
        const double y = x[1] - p->slope[0] * x[0], z = x[2] - p->slope[1] * x[0];
        if (sqrt(y * y + z * z) > 0.5 * b) continue;
        if (x[0] < p->low + 0.5 * b) p->closed[0] = true;
        if (x[0] > p->high - 0.5 * b) p->closed[1] = true;
    }
}

static bool fit_part(const skin *s, int bone, int count, part *p) {
    double longest[3][3];
    *p = (part){0};
    for (int i = 0; i < count; i++) {
        double x[3];
        const double w = s->area[s->list[i]];
        position_of(s, s->list[i], x);
        p->weight += w;
        for (int k = 0; k < 3; k++) p->mean[k] += w * x[k];
    }
    for (int k = 0; k < 3; k++) p->mean[k] /= p->weight;
    find_axes(s, count, p->mean, p->weight, NULL, longest);
    memcpy(p->axis[0], longest[0], sizeof p->axis[0]);
    if (!find_ends(s, count, p)) return false;
    if (toward_child(s, bone, p->high - p->low, p->axis[0]) && !find_ends(s, count, p)) return false;
    find_axes(s, count, p->mean, p->weight, p->axis[0], longest);
    memcpy(p->axis[1], longest[0], sizeof p->axis[1]);
    const double *u = p->axis[0], *w = p->axis[1];
    for (int k = 0; k < 3; k++) p->axis[2][k] = u[(k + 1) % 3] * w[(k + 2) % 3] - u[(k + 2) % 3] * w[(k + 1) % 3];
    find_section(s, count, p);
    find_closed(s, count, p);
    return true;
}

// The thickness at a place along the axis, over that at the mean.
static double width_at(const part *p, double t) {
    return fmin(fmax(1 + p->taper * t, 0.3), 2);
}

// Pills beside each other, in the frame of the bone. Returns their number.
static int make_pills(const skin *s, int bone, const part *p, sn_implicit_muscle_bone *out) {
    const sn_transform *rest = &s->bones[bone].rest;
    const double b = fmin(p->half[0], p->half[1]), spare = fmax(p->half[0], p->half[1]) - b;
    const int wide = p->half[0] >= p->half[1] ? 1 : 2;
    const int pills = 1 + (int)fmin(ceil(spare / (1.2 * b) - 0.1), MAX_ACROSS - 1);
    // A ball ends where the skin does; where another part goes on, its middle is there.
    double ends[2] = {p->low, p->high};
    for (int i = 0; i < 4; i++) {
        if (p->closed[0]) ends[0] = p->low + b * width_at(p, ends[0]);
        if (p->closed[1]) ends[1] = p->high - b * width_at(p, ends[1]);
    }
    if (ends[0] > ends[1]) ends[0] = ends[1] = 0.5 * (p->low + p->high);
    for (int i = 0; i < pills; i++) {
        const double beside = pills > 1 ? spare * (2.0 * i / (pills - 1) - 1) : 0;
        out[i] = (sn_implicit_muscle_bone){.bone = bone};
        for (int k = 0; k < 2; k++) {
            double x[3];
            const double t = ends[k], size = width_at(p, t), r = b * size;
            for (int c = 0; c < 3; c++) {
                x[c] = p->mean[c] + t * (p->axis[0][c] + p->slope[0] * p->axis[1][c] + p->slope[1] * p->axis[2][c]);
                x[c] += beside * size * p->axis[wide][c];
            }
            const sn_vec3 at = sn_v3((sn_real)x[0], (sn_real)x[1], (sn_real)x[2]);
            out[i].ends[k] = sn_transform_inverse_point(rest, at);
            out[i].radii[k] = (sn_real)(BONE * r);
            out[i].flesh[k] = (sn_real)((1 - BONE) * r);
        }
    }
    return pills;
}

// The mean distance of the skin from its pills, negative inside. What is deep inside is no outer skin: a mouth, the back of an
// eye.
static double mean_distance(const skin *s, int count, const part *p, const sn_implicit_muscle_bone *pills, int n) {
    const double deep = -0.4 * fmin(p->half[0], p->half[1]);
    double sum = 0, weight = 0;
    for (int i = 0; i < count; i++) {
        double x[3], min = INFINITY;
        position_of(s, s->list[i], x);
        for (int k = 0; k < n; k++) {
            const sn_transform *rest = &s->bones[pills[k].bone].rest;
            bone_ball ball[2];
            for (int e = 0; e < 2; e++) {
                const sn_vec3 c = sn_transform_point(rest, pills[k].ends[e]);
                ball[e] = (bone_ball){{(double)c.x, (double)c.y, (double)c.z},
                                      (double)(pills[k].radii[e] + pills[k].flesh[e])};
            }
            min = fmin(min, bone_distance(x, &ball[0], &ball[1]));
        }
        if (min < deep) continue;
        sum += s->area[s->list[i]] * min;
        weight += s->area[s->list[i]];
    }
    return weight > 0 ? sum / weight : 0;
}

bool character_flesh_fit(const sn_mesh *mesh, const sn_rig_bone *bones, int bone_count, sn_implicit_muscle_bone **out,
                         int *count) {
    skin s;
    double all = 0;
    *count = 0;
    *out = calloc((size_t)bone_count * MAX_ACROSS + 1, sizeof **out);
    bool good = make_skin(mesh, bones, bone_count, &s) && *out;
    for (int v = 0; v < mesh->vertex_count && good; v++) all += s.area[v];
    for (int b = 0; b < bone_count && good; b++) {
        double area = 0;
        int have = 0;
        part p;
        for (int v = 0; v < mesh->vertex_count; v++)
            if (s.owner[v] == b && s.area[v] > 0) s.list[have++] = v, area += s.area[v];
        if (have < MIN_VERTICES || area < MIN_AREA * all) continue;
        good = fit_part(&s, b, have, &p);
        if (!good || !(p.half[0] > 0 && p.half[1] > 0 && p.high > p.low)) continue;
        int pills = make_pills(&s, b, &p, *out + *count);
        for (int i = 0; i < REFINEMENTS; i++) { // until as much skin is outside as inside
            const double off = mean_distance(&s, have, &p, *out + *count, pills);
            for (int k = 0; k < 2; k++) p.half[k] = fmax(p.half[k] + off, 0.5 * p.half[k]);
            pills = make_pills(&s, b, &p, *out + *count);
        }
        *count += pills;
    }
    free(s.area);
    free(s.owner);
    free(s.list);
    if (!good) free(*out), *out = NULL, *count = 0;
    return good;
}
