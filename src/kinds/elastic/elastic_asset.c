// Validation of assets. All users of a valid asset (subspace, bounds, files) may index its arrays unchecked.
#include "kinds/elastic/elastic_asset.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static bool report(char error[SN_ELASTIC_ERROR_SIZE], const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(error, SN_ELASTIC_ERROR_SIZE, format, list);
    va_end(list);
    return false;
}

// Checks that every index of `width` columns is in [0, limit) and that those of one row differ.
static bool indices(char error[SN_ELASTIC_ERROR_SIZE], const char *name, const int *index, int count, int width,
                    int limit) {
    if (count < 0) return report(error, "%s: the count is %d", name, count);
    if (count > 0 && !index) return report(error, "%s is null", name);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < width; k++) {
            const int at = index[(size_t)i * (size_t)width + (size_t)k];
            if (at < 0 || at >= limit) return report(error, "%s[%d][%d] is %d, of %d", name, i, k, at, limit);
            for (int m = 0; m < k; m++)
                if (at == index[(size_t)i * (size_t)width + (size_t)m])
                    return report(error, "%s[%d] has %d twice", name, i, at);
        }
    return true;
}

static bool points(char error[SN_ELASTIC_ERROR_SIZE], const char *name, const sn_vec3 *point, int count) {
    if (count < 0) return report(error, "%s: the count is %d", name, count);
    if (count > 0 && !point) return report(error, "%s is null", name);
    for (int i = 0; i < count; i++)
        if (!sn_valid3(point[i]))
            return report(error, "%s[%d] is %s", name, i, sn_finite3(point[i]) ? "too far away" : "not finite");
    return true;
}

// Tolerance of a sum of weights: they may have been rounded or written as text.
#define SLACK 1e-4

// Checks the lists of weights of `count` points. `anchored`: the sum may be anything up to 1.
static bool lists(char error[SN_ELASTIC_ERROR_SIZE], const char *name, const int *first, const int *handle,
                  const sn_real *weight, int count, int handle_count, bool anchored) {
    if (!first) return report(error, "%s: the list of offsets is null", name);
    if (first[0] != 0) return report(error, "%s: the first list begins at %d, not 0", name, first[0]);
    for (int i = 0; i < count; i++)
        if (first[i + 1] < first[i]) return report(error, "%s %d: the list ends before it begins", name, i);
    if (first[count] > 0 && (!handle || !weight)) return report(error, "%s: handles or weights are null", name);
    for (int i = 0; i < count; i++) {
        double sum = 0;
        for (int k = first[i]; k < first[i + 1]; k++) {
            if (handle[k] < 0 || handle[k] >= handle_count)
                return report(error, "%s %d: handle %d, of %d", name, i, handle[k], handle_count);
            for (int m = first[i]; m < k; m++)
                if (handle[m] == handle[k]) return report(error, "%s %d: handle %d occurs twice", name, i, handle[k]);
            if (!(sn_abs(weight[k]) <= SN_ELASTIC_MAX_WEIGHT))
                return report(error, "%s %d: one is %g; the largest is %d", name, i, (double)weight[k],
                              SN_ELASTIC_MAX_WEIGHT);
            sum += (double)weight[k];
        }
        if (sum > 1 + SLACK || (!anchored && sum < 1 - SLACK) || sum < -SLACK)
            return report(error, "%s %d add up to %g%s", name, i, sum, anchored ? ", more than 1" : ", not 1");
    }
    return true;
}

static bool tets_have_volume(char error[SN_ELASTIC_ERROR_SIZE], const sn_elastic_asset *a) {
    for (int i = 0; i < a->tet_count; i++) {
        double edge[3][3];
        const sn_vec3 o = a->rest[a->tets[i][0]];
        for (int k = 0; k < 3; k++) {
            const sn_vec3 p = a->rest[a->tets[i][k + 1]];
            edge[k][0] = (double)p.x - (double)o.x, edge[k][1] = (double)p.y - (double)o.y;
            edge[k][2] = (double)p.z - (double)o.z;
        }
        const double six = edge[0][0] * (edge[1][1] * edge[2][2] - edge[1][2] * edge[2][1]) +
                           edge[0][1] * (edge[1][2] * edge[2][0] - edge[1][0] * edge[2][2]) +
                           edge[0][2] * (edge[1][0] * edge[2][1] - edge[1][1] * edge[2][0]);
        double size = 0;
        for (int k = 0; k < 9; k++) size += edge[k / 3][k % 3] * edge[k / 3][k % 3];
        // single precision cannot resolve flatter shapes
        if (!(six > 1e-6 * size * __builtin_sqrt(size)))
            return report(error, "tets[%d] has no volume (%g m^3)", i, six / 6);
    }
    return true;
}

// Checks that anchored vertices have no weights.
static bool anchors(char error[SN_ELASTIC_ERROR_SIZE], const sn_elastic_asset *a) {
    for (int v = 0; a->anchored && v < a->vertex_count; v++) {
        if (!a->anchored[v]) continue;
        for (int k = a->first[v]; k < a->first[v + 1]; k++)
            if (a->weight[k] != 0)
                return report(error, "vertex %d is anchored but has a weight of handle %d", v, a->handle[k]);
    }
    return true;
}

// Checks that no two handles have the same sphere: contacts move handles as different nodes. A window of spheres at a time, so
// that it needs no memory.
static bool handles_differ(char error[SN_ELASTIC_ERROR_SIZE], const sn_elastic_asset *a) {
    enum { WINDOW = 1 << 15 };
    for (int first = 0; first < a->sphere_count; first += WINDOW) {
        uint32_t seen[WINDOW / 32] = {0};
        for (int j = 0; j < a->handle_count; j++) {
            const int at = a->handle_sphere[j] - first;
            if (at < 0 || at >= WINDOW) continue;
            if (seen[at / 32] >> at % 32 & 1)
                return report(error, "handle_sphere[%d] is %d, which is another handle's", j, a->handle_sphere[j]);
            seen[at / 32] |= 1u << at % 32;
        }
    }
    return true;
}

static bool handles(char error[SN_ELASTIC_ERROR_SIZE], const sn_elastic_asset *a) {
    if (a->handle_count < 1) return report(error, "there are no handles");
    if (!a->handle_quadratic) return report(error, "handle_quadratic is null");
    if (!indices(error, "handle_sphere", a->handle_sphere, a->handle_count, 1, a->sphere_count)) return false;
    for (int j = 0; j < a->handle_count; j++)
        if (a->handle_quadratic[j] > 1) return report(error, "handle_quadratic[%d] is %d", j, a->handle_quadratic[j]);
    return handles_differ(error, a);
}

static bool drawn(char error[SN_ELASTIC_ERROR_SIZE], const sn_elastic_asset *a) {
    if (a->drawn_count < 0) return report(error, "drawn_count is %d", a->drawn_count);
    if (a->drawn_count > 0 && (!a->drawn_corner || !a->drawn_weight))
        return report(error, "drawn vertices have no corners or weights");
    for (int i = 0; i < a->drawn_count; i++)
        for (int k = 0; k < 4; k++) {
            if (a->drawn_corner[i][k] < 0 || a->drawn_corner[i][k] >= a->vertex_count)
                return report(error, "drawn_corner[%d][%d] is %d, of %d", i, k, a->drawn_corner[i][k], a->vertex_count);
            if (!(sn_abs(a->drawn_weight[i][k]) <= (sn_real)1e6))
                return report(error, "drawn_weight[%d][%d] is %g", i, k, (double)a->drawn_weight[i][k]);
        }
    return indices(error, "drawn_triangles", a->drawn_triangles ? a->drawn_triangles[0] : NULL, a->drawn_triangle_count,
                   3, a->drawn_count);
}

bool sn_elastic_asset_check(const sn_elastic_asset *a, char error[SN_ELASTIC_ERROR_SIZE]) {
    error[0] = 0;
    if (a->vertex_count < 4) return report(error, "vertex_count is %d: a body has at least 4", a->vertex_count);
    if (a->tet_count < 1) return report(error, "tet_count is %d: a body has at least 1", a->tet_count);
    if (!points(error, "rest", a->rest, a->vertex_count) || !points(error, "centre", a->centre, a->sphere_count) ||
        !indices(error, "tets", a->tets ? a->tets[0] : NULL, a->tet_count, 4, a->vertex_count) ||
        !indices(error, "triangles", a->triangles ? a->triangles[0] : NULL, a->triangle_count, 3, a->vertex_count) ||
        !indices(error, "cones", a->cones ? a->cones[0] : NULL, a->cone_count, 2, a->sphere_count) ||
        !indices(error, "slabs", a->slabs ? a->slabs[0] : NULL, a->slab_count, 3, a->sphere_count) ||
        !handles(error, a) || !tets_have_volume(error, a))
        return false;
    if (!a->radius) return report(error, "radius is null");
    for (int i = 0; i < a->sphere_count; i++)
        if (!(a->radius[i] >= 0 && a->radius[i] <= (sn_real)1e12))
            return report(error, "radius[%d] is %g", i, (double)a->radius[i]);
    if (!a->first) return report(error, "first is null");
    bool some = false;
    for (int v = 0; a->anchored && v < a->vertex_count; v++) some = some || a->anchored[v];
    return lists(error, "weights of vertex", a->first, a->handle, a->weight, a->vertex_count, a->handle_count, some) &&
           lists(error, "weights of sphere", a->sphere_first, a->sphere_handle, a->sphere_weight, a->sphere_count,
                 a->handle_count, some) &&
           anchors(error, a) && drawn(error, a);
}

void sn_elastic_asset_free(sn_memory *m, sn_elastic_asset *a) {
    const size_t vertices = (size_t)a->vertex_count, spheres = (size_t)a->sphere_count, n = (size_t)a->handle_count;
    const size_t pairs = a->first ? (size_t)a->first[vertices] : 0;
    const size_t sphere_pairs = a->sphere_first ? (size_t)a->sphere_first[spheres] : 0;
    sn_free(m, a->rest, vertices, sizeof *a->rest);
    sn_free(m, a->tets, (size_t)a->tet_count, sizeof *a->tets);
    sn_free(m, a->triangles, (size_t)a->triangle_count, sizeof *a->triangles);
    sn_free(m, a->centre, spheres, sizeof *a->centre);
    sn_free(m, a->radius, spheres, sizeof *a->radius);
    sn_free(m, a->cones, (size_t)a->cone_count, sizeof *a->cones);
    sn_free(m, a->slabs, (size_t)a->slab_count, sizeof *a->slabs);
    sn_free(m, a->handle_sphere, n, sizeof *a->handle_sphere);
    sn_free(m, a->handle_quadratic, n, sizeof *a->handle_quadratic);
    sn_free(m, a->handle, pairs, sizeof *a->handle);
    sn_free(m, a->weight, pairs, sizeof *a->weight);
    sn_free(m, a->first, vertices + 1, sizeof *a->first);
    sn_free(m, a->sphere_handle, sphere_pairs, sizeof *a->sphere_handle);
    sn_free(m, a->sphere_weight, sphere_pairs, sizeof *a->sphere_weight);
    sn_free(m, a->sphere_first, spheres + 1, sizeof *a->sphere_first);
    sn_free(m, a->anchored, vertices, sizeof *a->anchored);
    sn_free(m, a->drawn_corner, (size_t)a->drawn_count, sizeof *a->drawn_corner);
    sn_free(m, a->drawn_weight, (size_t)a->drawn_count, sizeof *a->drawn_weight);
    sn_free(m, a->drawn_triangles, (size_t)a->drawn_triangle_count, sizeof *a->drawn_triangles);
    memset(a, 0, sizeof *a);
}
