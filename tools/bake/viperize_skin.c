// Binds the skin of a muscle to the slices by its level, its position along the field that defines the slices. Weights
// are the uniform cubic B-spline over the slices, which reproduces linear functions (the sum of w_k k is the level) and
// is smooth across slices. Beyond an end the missing slice is mirrored, 2 k_0 - k_1, which leaves no weight negative.
#include "bake/viperize_internal.h"
#include "base/math/double3.h"
#include "mesh/maths.h"
#include "tets/tet_embed.h"
#include <math.h>
#include <stdlib.h>

// In slices: 0 at the first, slices - 1 at the last, clamped.
static double level_of(const viper_job *job, double along, int slices) {
    int low = 0, high = slices - 1;
    if (!(along > job->at[0])) return 0;
    if (along >= job->at[high]) return high;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        *(job->at[middle] <= along ? &low : &high) = middle;
    }
    return low + (along - job->at[low]) / (job->at[high] - job->at[low]);
}

static void spline_weights(double level, int slices, int section[4], double weight[4]) {
    int k = (int)level;
    if (k > slices - 2) k = slices - 2;
    const double t = level - k;
    double spline[4] = {own_pow(1 - t, 3) / 6, (3 * t * t * t - 6 * t * t + 4) / 6,
                        (-3 * t * t * t + 3 * t * t + 3 * t + 1) / 6, t * t * t / 6};
    if (k == 0) spline[1] += 2 * spline[0], spline[2] -= spline[0], spline[0] = 0;
    if (k == slices - 2) spline[2] += 2 * spline[3], spline[1] -= spline[3], spline[3] = 0;
    for (int i = 0; i < 4; i++) {
        const int at = k - 1 + i;
        section[i] = at < 0 ? 0 : at > slices - 1 ? slices - 1 : at;
        weight[i] = fmax(spline[i], 0);
    }
}

// Position along the field. Extrapolated outside the tetrahedra, by at most its range within one.
static bool along_field(const viper_job *job, double *out) {
    const sn_mesh *skin = &job->surface;
    sn_tet_point *place = malloc(((size_t)skin->vertex_count + 1) * sizeof *place);
    sn_tet_embed_report report;
    const bool good =
        place && sn_tet_embed(&job->tets, (const float(*)[3])skin->position, skin->vertex_count, place, &report);
    for (int v = 0; v < skin->vertex_count && good; v++) {
        double value = 0, low = INFINITY, high = -INFINITY;
        for (int k = 0; k < 4; k++) {
            const double corner = job->field[job->tets.tet[place[v].tet][k]];
            value += place[v].weight[k] * corner;
            low = fmin(low, corner), high = fmax(high, corner);
        }
        const double width = high - low;
        out[v] = sn_level_profile_length(&job->profile, fmin(fmax(value, low - width), high + width));
    }
    free(place);
    return good;
}

// On a surface every vertex has its own value, except those of crumbs beside it, which take that of the nearest.
static bool along_surface(const viper_job *job, double *out) {
    const viper_body *body = &job->body;
    bool *used = calloc((size_t)body->vertex_count + 1, sizeof *used);
    if (!used) return false;
    for (int i = 0; i < 3 * body->simplex_count; i++) used[body->corner[i]] = true;
    for (int v = 0; v < body->vertex_count; v++) {
        int nearest = used[v] ? v : -1;
        double min_square = INFINITY;
        for (int w = 0; w < body->vertex_count && !used[v]; w++) {
            double d[3];
            d3_sub(body->position[w], body->position[v], d);
            if (used[w] && d3_dot(d, d) < min_square) min_square = d3_dot(d, d), nearest = w;
        }
        out[v] = sn_level_profile_length(&job->profile, job->field[nearest]);
    }
    free(used);
    return true;
}

bool viper_bind_skin(viper_job *job, sn_viper *out) {
    const int count = job->surface.vertex_count;
    const size_t size = (size_t)count + 1;
    out->level = malloc(size * sizeof *out->level);
    out->section = malloc(size * sizeof *out->section), out->weight = malloc(size * sizeof *out->weight);
    bool good = out->level && out->section && out->weight;
    if (good && !job->report->planes)
        good = job->body.corners == 3 ? along_surface(job, out->level) : along_field(job, out->level);
    for (int v = 0; v < count && good && job->report->planes; v++) {
        out->level[v] = 0;
        for (int k = 0; k < 3; k++) out->level[v] += job->axis[k] * (double)job->surface.position[v][k];
    }
    for (int v = 0; v < count && good; v++) {
        out->level[v] = level_of(job, out->level[v], out->slices);
        spline_weights(out->level[v], out->slices, out->section[v], out->weight[v]);
    }
    return good || viper_fail_memory(job);
}
