// Weights after Thiery et al. 2013, as modified in VIPER (7.4):
//   1. per vertex and pill 1 / (e + max(d, 0)^2), where d is the distance to the pill's surface, normalised to sum to 1
//      over the pills;
//   2. a pill's weight is split between the points at its ends by the vertex's position along the pill: P;
//   3. smoothed along the surface, (lambda M + L) W = lambda M P, with the cotangent Laplacian L and the mass matrix M,
//      so that coarse and fine meshes give the same result; 1/sqrt(lambda) is the smoothing length;
//   4. the four largest are kept, without negligible ones.
// The paper smooths before it splits. But on the inner side of a bend the position along a pill jumps, and so would the
// weights. Points are solved in groups, which bounds the memory for large meshes.
#include "bake/skin_weights.h"
#include "fields/laplacian.h"
#include "mesh/error.h"
#include "mesh/maths.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { GROUP = 32, MAX_INFLUENCES = 4 };

sn_weight_options sn_weight_options_default(void) {
    return (sn_weight_options){0.1, 0.25, 0.01};
}

typedef struct {
    const sn_mesh *mesh;
    const sn_weight_rods *rods;
    int *pills, pill_count; // child point of each pill
    sn_laplacian laplacian;
    double epsilon, lambda; // e and lambda of the formulas
    float *points;          // P, then W: one row of weights of all points per merged vertex
} work;

// Distance from a merged vertex to a pill, and the position on the pill. See src/geometry/pill.c; here in double
// precision.
static double pill_distance(const work *w, int place, int pill, double *t) {
    const int i = w->pills[pill], j = w->rods->parents[i];
    const double *a = w->rods->points[i], *b = w->rods->points[j];
    const double ra = w->rods->radii[i], change = w->rods->radii[j] - ra;
    const float *p = w->mesh->position[w->laplacian.vertex[place]];
    double l2 = 0, along = 0, from2 = 0;
    for (int k = 0; k < 3; k++) {
        const double axis = b[k] - a[k], from = (double)p[k] - a[k];
        l2 += axis * axis, along += axis * from, from2 += from * from;
    }
    *t = change > 0; // one ball contains the other, or zero length: the larger ball
    if (change * change < l2) {
        const double rho2 = from2 - along * along / l2;
        *t = along / l2 + sqrt(fmax(rho2, 0)) * change / sqrt(l2 * (l2 - change * change));
        *t = fmin(fmax(*t, 0), 1);
    }
    const double d2 = from2 - 2 * *t * along + *t * *t * l2;
    return sqrt(fmax(d2, 0)) - ra - *t * change;
}

static bool check(const sn_mesh *mesh, const sn_weight_rods *rods, const sn_weight_options *options,
                  tool_error *error) {
    if (mesh->vertex_count < 1) return tool_error_set(error, "the mesh has no vertices");
    for (int v = 0; v < mesh->vertex_count; v++)
        for (int k = 0; k < 3; k++)
            if (!isfinite(mesh->position[v][k])) return tool_error_set(error, "vertex %d of the mesh is not finite", v);
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            if (mesh->triangle[t][k] < 0 || mesh->triangle[t][k] >= mesh->vertex_count) {
                tool_error_set(error, "triangle %d of the mesh refers to vertex %d; there are %d", t,
                               mesh->triangle[t][k], mesh->vertex_count);
                return false;
            }
    for (int i = 0; i < rods->count; i++) {
        const double *p = rods->points[i];
        if (!isfinite(p[0] + p[1] + p[2]) || !(rods->radii[i] > 0 && isfinite(rods->radii[i])))
            return tool_error_set(error, "point %d of the rods is not finite, or its radius is not positive", i);
        if (rods->parents[i] >= rods->count || rods->parents[i] == i)
            return tool_error_set(error, "point %d of the rods has the parent %d", i, rods->parents[i]);
    }
    if (!(options->sharpness > 0 && options->fairing >= 0 && options->drop >= 0 && options->drop < 1))
        return tool_error_set(error, "sharpness must be positive, fairing not negative and drop from 0 to 1");
    return true;
}

// Finds the pills and the length scales of the formulas.
static bool measure(work *w, const sn_weight_options *options, tool_error *error) {
    const sn_weight_rods *rods = w->rods;
    double radius = 0, length = 0;
    w->pills = malloc(((size_t)rods->count + 1) * sizeof *w->pills);
    if (!w->pills) return tool_error_out_of_memory(error);
    for (int i = 0; i < rods->count; i++) {
        const int j = rods->parents[i];
        if (j < 0) continue;
        const double *a = rods->points[i], *b = rods->points[j];
        w->pills[w->pill_count++] = i;
        radius += 0.5 * (rods->radii[i] + rods->radii[j]);
        length += own_hypot(own_hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
    }
    if (w->pill_count == 0) return tool_error_set(error, "the rods have no segment");
    radius /= w->pill_count, length /= w->pill_count;
    if (!(length > 0)) return tool_error_set(error, "all segments of the rods have zero length");
    w->epsilon = options->sharpness * radius * options->sharpness * radius;
    w->lambda = 1 / fmax(options->fairing * length * options->fairing * length, 1e-12 * length * length);
    return true;
}

// Factorises lambda M + L.
static sn_sparse_factor *factorize(work *w, tool_error *error) {
    sn_laplacian *l = &w->laplacian;
    const size_t count = l->entry_count + (size_t)l->count;
    sn_sparse_entry *entries = malloc(count * sizeof *entries);
    bool singular = false;
    sn_sparse_factor *factor = NULL;
    if (entries) {
        for (size_t i = 0; i < l->entry_count; i++) entries[i] = l->entries[i];
        for (int i = 0; i < l->count; i++)
            entries[l->entry_count + (size_t)i] = (sn_sparse_entry){i, i, w->lambda * l->mass[i]};
        factor = sn_sparse_factorize(l->count, entries, count, &singular);
    }
    if (!factor && singular)
        tool_error_set(error, "the Laplacian of the mesh is singular");
    else if (!factor)
        tool_error_out_of_memory(error);
    free(entries);
    return factor;
}

// Computes a row of P.
static void fill_row(const work *w, int place) {
    float *row = w->points + (size_t)place * (size_t)w->rods->count;
    double t, sum = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int pill = 0; pill < w->pill_count; pill++) {
            const double d = fmax(pill_distance(w, place, pill, &t), 0), nearness = 1 / (w->epsilon + d * d);
            if (pass == 0) {
                sum += nearness;
                continue;
            }
            const int i = w->pills[pill], j = w->rods->parents[i];
            row[i] += (float)((1 - t) * nearness / sum), row[j] += (float)(t * nearness / sum);
        }
}

// Smooths the weights of 'count' points.
static bool solve_group(work *w, sn_sparse_factor *factor, double *sides, int first, int count) {
    const size_t places = (size_t)w->laplacian.count, points = (size_t)w->rods->count;
    for (size_t c = 0; c < (size_t)count; c++)
        for (size_t p = 0; p < places; p++)
            sides[c * places + p] =
                w->lambda * w->laplacian.mass[p] * (double)w->points[p * points + (size_t)first + c];
    if (!sn_sparse_solve(factor, sides, count)) return false;
    for (size_t c = 0; c < (size_t)count; c++) // obtuse triangles can cause slightly negative weights
        for (size_t p = 0; p < places; p++)
            w->points[p * points + (size_t)first + c] = (float)fmax(sides[c * places + p], 0);
    return true;
}

static bool solve(work *w, tool_error *error) {
    const size_t places = (size_t)w->laplacian.count;
    const int points = w->rods->count;
    sn_sparse_factor *factor = factorize(w, error);
    if (!factor) return false;
    double *sides = malloc(places * GROUP * sizeof *sides);
    w->points = calloc(places, (size_t)points * sizeof *w->points);
    bool good = sides && w->points;
    for (size_t p = 0; good && p < places; p++) fill_row(w, (int)p);
    for (int i = 0; good && i < points; i += GROUP)
        good = solve_group(w, factor, sides, i, points - i < GROUP ? points - i : GROUP);
    free(sides);
    sn_sparse_free(factor);
    return good || tool_error_out_of_memory(error);
}

// Keeps the largest weights of a row, in descending order.
static void keep_largest(const float *row, int count, double drop, int joint[MAX_INFLUENCES],
                         float weight[MAX_INFLUENCES]) {
    double sum = 0;
    for (int k = 0; k < MAX_INFLUENCES; k++) joint[k] = 0, weight[k] = 0;
    for (int i = 0; i < count; i++) {
        int at = MAX_INFLUENCES;
        while (at > 0 && row[i] > weight[at - 1]) --at;
        for (int k = MAX_INFLUENCES - 1; k > at; --k) joint[k] = joint[k - 1], weight[k] = weight[k - 1];
        if (at < MAX_INFLUENCES) joint[at] = i, weight[at] = row[i];
    }
    for (int k = 0; k < MAX_INFLUENCES; k++) {
        if ((double)weight[k] < drop * (double)weight[0]) joint[k] = 0, weight[k] = 0;
        sum += (double)weight[k];
    }
    for (int k = 0; k < MAX_INFLUENCES; k++) weight[k] = (float)((double)weight[k] / sum);
}

bool sn_skin_weights(sn_mesh *mesh, const sn_weight_rods *rods, const sn_weight_options *options, tool_error *error) {
    const sn_weight_options defaults = sn_weight_options_default();
    if (!options) options = &defaults;
    if (!check(mesh, rods, options, error)) return false;
    work w = {.mesh = mesh, .rods = rods};
    bool good = measure(&w, options, error);
    if (good) good = sn_laplacian_make(mesh, &w.laplacian) || tool_error_out_of_memory(error);
    if (good) good = solve(&w, error);
    const size_t vertices = (size_t)mesh->vertex_count;
    int(*joint)[4] = good && !mesh->joint ? malloc(vertices * sizeof *joint) : mesh->joint;
    float(*weight)[4] = good && !mesh->weight ? malloc(vertices * sizeof *weight) : mesh->weight;
    if (good && (!joint || !weight)) {
        if (joint != mesh->joint) free(joint);
        if (weight != mesh->weight) free(weight);
        good = tool_error_out_of_memory(error);
    }
    for (int v = 0; good && v < mesh->vertex_count; v++)
        keep_largest(w.points + (size_t)w.laplacian.node[v] * (size_t)rods->count, rods->count, options->drop, joint[v],
                     weight[v]);
    if (good) mesh->joint = joint, mesh->weight = weight;
    sn_laplacian_free(&w.laplacian);
    free(w.pills);
    free(w.points);
    return good;
}
