// The vertices and edges that a muscle's field lives on: those of tetrahedra that fill it, or of its surface. A surface
// has tendons and sheets that are thinner than any tetrahedra; tetrahedra do where a surface is open or crosses itself.
#include "bake/viperize_internal.h"
#include "mesh/maths.h"
#include "mesh/sort.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int triangle_edge[3][2] = {{0, 1}, {1, 2}, {2, 0}};
static const int tet_edge[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

static uint64_t key_of(const viper_body *body, int simplex, int edge) {
    const int *corner = body->corner + (long long)simplex * body->corners;
    const int *ends = body->corners == 3 ? triangle_edge[edge] : tet_edge[edge];
    return edge_key(corner[ends[0]], corner[ends[1]]);
}

static bool make_edges(viper_body *body) {
    const int each = body->corners == 3 ? 3 : 6;
    const size_t all = (size_t)body->simplex_count * (size_t)each;
    uint64_t *key = malloc((all + 1) * sizeof *key);
    body->edge_of = malloc((all + 1) * sizeof *body->edge_of);
    body->edge = malloc((all + 1) * sizeof *body->edge);
    const bool good = key && body->edge_of && body->edge;
    for (size_t i = 0; i < all && good; i++) key[i] = key_of(body, (int)(i / (size_t)each), (int)(i % (size_t)each));
    if (good) qsort(key, all, sizeof *key, compare_uint64);
    int count = 0;
    for (size_t i = 0; i < all && good; i++)
        if (count == 0 || key[i] != key[count - 1]) key[count++] = key[i];
    for (int e = 0; e < count && good; e++) {
        body->edge[e][0] = (int)(key[e] >> 32), body->edge[e][1] = (int)(key[e] & 0xffffffffu);
    }
    body->edge_count = count;
    for (size_t i = 0; i < all && good; i++) {
        const uint64_t wanted = key_of(body, (int)(i / (size_t)each), (int)(i % (size_t)each));
        const uint64_t *found = bsearch(&wanted, key, (size_t)count, sizeof *key, compare_uint64);
        body->edge_of[i] = (int)(found - key);
    }
    free(key);
    if (!good) viper_body_free(body);
    return good;
}

bool viper_body_of_tets(const sn_tet_mesh *tets, double spacing, viper_body *out) {
    *out = (viper_body){.vertex_count = tets->vertex_count,
                        .corner = tets->tet[0],
                        .corners = 4,
                        .simplex_count = tets->tet_count,
                        .spacing = spacing};
    out->position = malloc(((size_t)tets->vertex_count + 1) * sizeof *out->position);
    if (!out->position) return false;
    memcpy(out->position, tets->position, (size_t)tets->vertex_count * sizeof *out->position);
    return make_edges(out);
}

bool viper_body_of_surface(const sn_mesh *surface, viper_body *out) {
    *out = (viper_body){.vertex_count = surface->vertex_count,
                        .corner = surface->triangle[0],
                        .corners = 3,
                        .simplex_count = surface->triangle_count};
    out->position = malloc(((size_t)surface->vertex_count + 1) * sizeof *out->position);
    if (!out->position || !make_edges(out)) {
        viper_body_free(out);
        return false;
    }
    for (int v = 0; v < surface->vertex_count; v++)
        for (int k = 0; k < 3; k++) out->position[v][k] = (double)surface->position[v][k];
    for (int e = 0; e < out->edge_count; e++) {
        const double *a = out->position[out->edge[e][0]], *b = out->position[out->edge[e][1]];
        out->spacing +=
            sqrt(own_pow(a[0] - b[0], 2) + own_pow(a[1] - b[1], 2) + own_pow(a[2] - b[2], 2)) / out->edge_count;
    }
    return true;
}

void viper_body_free(viper_body *body) {
    free(body->position), free(body->edge), free(body->edge_of);
    *body = (viper_body){0};
}
