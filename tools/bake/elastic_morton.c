// Morton order: the bits of the three coordinates are interleaved. Tetrahedra are sorted by their centroids.
#include "bake/elastic_internal.h"
#include "mesh/curve_order.h"
#include <stdlib.h>
#include <string.h>

static uint64_t key_of(const double p[3], const double low[3], double scale) {
    uint64_t key = 0;
    for (int k = 0; k < 3; k++) {
        const uint32_t x = (uint32_t)((p[k] - low[k]) * scale);
        for (int bit = 0; bit < 20; bit++) key |= (uint64_t)(x >> bit & 1) << (3 * bit + k);
    }
    return key;
}

bool elastic_sort_morton(sn_tet_mesh *mesh) {
    const int n = mesh->vertex_count, m = mesh->tet_count;
    curve_entry *order = malloc(((size_t)(n > m ? n : m) + 1) * sizeof *order);
    int *new_index = malloc(((size_t)n + 1) * sizeof *new_index);
    sn_tet_mesh sorted;
    if (!order || !new_index || !sn_tet_mesh_alloc(&sorted, n, m)) {
        free(order), free(new_index);
        return false;
    }
    double low[3] = {0}, side = 0;
    for (int k = 0; k < 3 && n > 0; k++) {
        double high = low[k] = mesh->position[0][k];
        for (int v = 1; v < n; v++) {
            const double x = mesh->position[v][k];
            low[k] = x < low[k] ? x : low[k], high = x > high ? x : high;
        }
        side = high - low[k] > side ? high - low[k] : side;
    }
    const double scale = side > 0 ? 1048575 / side : 0;
    for (int v = 0; v < n; v++) order[v] = (curve_entry){key_of(mesh->position[v], low, scale), v};
    curve_sort(order, n);
    for (int i = 0; i < n; i++) {
        memcpy(sorted.position[i], mesh->position[order[i].index], sizeof *sorted.position);
        new_index[order[i].index] = i;
    }
    for (int t = 0; t < m; t++) {
        double centroid[3] = {0};
        for (int i = 0; i < 12; i++) centroid[i % 3] += 0.25 * mesh->position[mesh->tet[t][i / 3]][i % 3];
        order[t] = (curve_entry){key_of(centroid, low, scale), t};
    }
    curve_sort(order, m);
    for (int i = 0; i < m; i++)
        for (int k = 0; k < 4; k++) sorted.tet[i][k] = new_index[mesh->tet[order[i].index][k]];
    free(order), free(new_index);
    sn_tet_mesh_free(mesh);
    *mesh = sorted;
    return true;
}
