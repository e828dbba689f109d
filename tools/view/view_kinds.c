// The table, and what is the same for all kinds. See view_kinds.h.
#include "view/view_kinds.h"
#include <stdlib.h>
#include <string.h>

// Builds that leave out kinds define a shorter list. Pages are read by builds with shorter lists, so the order stays.
#ifndef SN_VIEW_KINDS
#include "kind_list.h"
#define SN_VIEW_KINDS(KIND)                                                                                            \
    KIND(rod) KIND(spring) KIND(elastic) KIND(implicit_muscle) KIND(rigid) SN_EXTRA_KIND_LIST(KIND)
#endif

#define DECLARE(kind) extern const view_kind view_##kind;
SN_VIEW_KINDS(DECLARE)

#define ROW(kind) &view_##kind,
static const view_kind *const table[] = {SN_VIEW_KINDS(ROW)};
enum { KIND_COUNT = sizeof table / sizeof *table };

const view_kind *view_kind_of(sn_body body) {
    for (int k = 0; k < KIND_COUNT; k++)
        if (table[k]->kind == body.kind) return table[k];
    return NULL;
}

int view_count(const sn_world *world, view_form form) {
    int count = 0;
    for (int k = 0; k < KIND_COUNT; k++)
        if (table[k]->form == form) count += sn_world_kind_count(world, table[k]->kind);
    return count;
}

sn_body view_at(const sn_world *world, view_form form, int i) {
    for (int k = 0; k < KIND_COUNT; k++) {
        const int count = table[k]->form == form ? sn_world_kind_count(world, table[k]->kind) : 0;
        if (i < count) return sn_world_kind_at(world, table[k]->kind, i);
        i -= count;
    }
    return (sn_body){0};
}

// --- surfaces ---

static int point_count(const sn_world *world, sn_body body) {
    const view_kind *kind = view_kind_of(body);
    return kind && kind->points ? kind->points(world, body, NULL, 0) : 0;
}

bool view_surface_fits(const sn_world *world, const view_surface *surface) {
    const int points = point_count(world, surface->body);
    if (surface->vertex_count < 0 || points == 0) return false;
    if (!surface->points && !surface->places) return surface->vertex_count == points;
    for (int v = 0; v < surface->vertex_count; v++) {
        const int32_t *corners = surface->points ? &surface->points[v] : surface->places[v].corner;
        for (int k = 0; k < (surface->points ? 1 : 4); k++)
            if (corners[k] < 0 || corners[k] >= points) return false;
    }
    return true;
}

static void put(float out[3], sn_vec3 v) {
    out[0] = (float)v.x, out[1] = (float)v.y, out[2] = (float)v.z;
}

static void put_between(float out[3], const view_place *place, const sn_vec3 *points) {
    out[0] = out[1] = out[2] = 0;
    for (int k = 0; k < 4; k++) {
        const sn_vec3 p = points[place->corner[k]];
        out[0] += place->weight[k] * (float)p.x;
        out[1] += place->weight[k] * (float)p.y;
        out[2] += place->weight[k] * (float)p.z;
    }
}

bool view_surface_read(const sn_world *world, const view_surface *surface, float (*out)[3]) {
    const int count = point_count(world, surface->body);
    sn_vec3 *points = count ? malloc((size_t)count * sizeof *points) : NULL;
    if (!points) return false;
    view_kind_of(surface->body)->points(world, surface->body, points, count);
    for (int v = 0; v < surface->vertex_count; v++) {
        if (surface->places)
            put_between(out[v], &surface->places[v], points);
        else
            put(out[v], points[surface->points ? surface->points[v] : v]);
    }
    free(points);
    return true;
}

int view_outline(const sn_world *world, sn_body body, int32_t **points, int32_t (**triangles)[3], int *triangle_count) {
    const view_kind *kind = view_kind_of(body);
    const int n = point_count(world, body),
              m = kind && kind->triangles && n ? kind->triangles(world, body, NULL, 0) : 0;
    *points = NULL, *triangles = NULL, *triangle_count = m;
    if (m == 0) return 0;
    int32_t *index = calloc((size_t)n, sizeof *index), used = 0;
    *points = malloc((size_t)n * sizeof **points);
    *triangles = malloc((size_t)m * sizeof **triangles);
    if (index && *points && *triangles) {
        kind->triangles(world, body, *triangles, m);
        for (int t = 0; t < m; t++)
            for (int k = 0; k < 3; k++) index[(*triangles)[t][k]] = 1;
        for (int32_t i = 0; i < n; i++) {
            if (!index[i]) continue;
            index[i] = used;
            (*points)[used++] = i;
        }
        for (int t = 0; t < m; t++)
            for (int k = 0; k < 3; k++) (*triangles)[t][k] = index[(*triangles)[t][k]];
    } else {
        free(*points);
        free(*triangles);
        *points = NULL, *triangles = NULL;
        used = -1;
    }
    free(index);
    return used;
}

// A line makes its lower point the parent of its higher one, so there are no cycles but those of balls.
int view_chain(const sn_world *world, sn_body body, int32_t **points, int32_t **parents) {
    const view_kind *kind = view_kind_of(body);
    const int n = point_count(world, body), m = kind && kind->lines && n ? kind->lines(world, body, NULL, 0) : 0;
    *points = NULL, *parents = NULL;
    if (m == 0) return 0;
    const size_t max = (size_t)n + (size_t)m;
    int32_t(*lines)[2] = malloc((size_t)m * sizeof *lines);
    *points = malloc(max * sizeof **points);
    *parents = malloc(max * sizeof **parents);
    int count = n;
    if (lines && *points && *parents) {
        const int got = kind->lines(world, body, lines, m);
        for (int i = 0; i < n; i++) (*points)[i] = i, (*parents)[i] = -1;
        for (int i = 0; i < got; i++) {
            const int32_t low = lines[i][0] < lines[i][1] ? lines[i][0] : lines[i][1];
            const int32_t high = lines[i][0] < lines[i][1] ? lines[i][1] : lines[i][0];
            const int joint = (*parents)[high] < 0 ? high : count++;
            (*points)[joint] = high;
            (*parents)[joint] = low;
        }
    } else {
        free(*points);
        free(*parents);
        *points = NULL, *parents = NULL;
        count = -1;
    }
    free(lines);
    return count;
}
