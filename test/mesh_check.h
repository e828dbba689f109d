// What a good closed mesh is, for tests of meshes.
#ifndef SN_TEST_MESH_CHECK_H
#define SN_TEST_MESH_CHECK_H

#include "mesh/mesh.h"
#include "mesh/mesh_query.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static int mesh_check_compare(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

typedef struct {
    int edges;       // without direction
    int open;        // directed edges that are not used once in each direction
    int pinched;     // vertices whose triangles are not one fan
    int unused;      // vertices without triangles
    int euler;       // V - E + F
    double worst;    // least quality of a triangle: 1 equilateral, 0 flat
    double mean;     // of the qualities
    double longest;  // edge
    double smallest; // cosine between a vertex's normal and the normals of its triangles
} mesh_facts;

static void mesh_triangle_normal(const sn_mesh *mesh, int t, double n[3]) {
    double p[3][3];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            p[k][i] = (double)mesh->position[mesh->triangle[t][k]][i] - (double)mesh->position[mesh->triangle[t][0]][i];
    n[0] = p[1][1] * p[2][2] - p[1][2] * p[2][1];
    n[1] = p[1][2] * p[2][0] - p[1][0] * p[2][2];
    n[2] = p[1][0] * p[2][1] - p[1][1] * p[2][0];
}

// How many fans of triangles there are around the vertices: walk from triangle to triangle across shared edges.
static int mesh_count_fans(const sn_mesh *mesh, const uint64_t *edges, const int *owner, int count) {
    // corners are (triangle, k); union those of the same vertex that share an edge there
    int corners = 3 * mesh->triangle_count, fans = 0;
    int *chain = malloc((size_t)(corners ? corners : 1) * sizeof *chain);
    for (int c = 0; c < corners; c++) chain[c] = c;
    for (int c = 0; c < corners; c++) {
        const int t = c / 3, k = c % 3, a = mesh->triangle[t][k], b = mesh->triangle[t][(k + 1) % 3];
        const uint64_t back = (uint64_t)b << 32 | (uint32_t)a; // the neighbour goes from b to a
        const uint64_t *found = bsearch(&back, edges, (size_t)count, sizeof *edges, mesh_check_compare);
        if (!found) continue;
        const int o = owner[found - edges], other = o / 3 * 3 + (o % 3 + 1) % 3; // its corner at a
        int x = c, y = other;
        while (chain[x] != x) x = chain[x] = chain[chain[x]];
        while (chain[y] != y) y = chain[y] = chain[chain[y]];
        chain[x] = y;
    }
    for (int c = 0; c < corners; c++) fans += chain[c] == c;
    free(chain);
    return fans;
}

__attribute__((unused)) static mesh_facts mesh_check(const sn_mesh *mesh) {
    mesh_facts facts = {.worst = 1, .smallest = 1};
    const int count = 3 * mesh->triangle_count;
    struct {
        uint64_t key;
        int corner;
    } *pairs = malloc((size_t)(count ? count : 1) * sizeof *pairs);
    uint64_t *edges = malloc((size_t)(count ? count : 1) * sizeof *edges);
    int *owner = malloc((size_t)(count ? count : 1) * sizeof *owner), used = 0;
    unsigned char *seen = calloc((size_t)mesh->vertex_count + 1, 1);
    for (int c = 0; c < count; c++) {
        const int *t = mesh->triangle[c / 3];
        pairs[c].key = (uint64_t)t[c % 3] << 32 | (uint32_t)t[(c + 1) % 3];
        if (c % 3 == 2) pairs[c].key = (uint64_t)t[2] << 32 | (uint32_t)t[0];
        pairs[c].corner = c;
        seen[t[c % 3]] = 1;
    }
    qsort(pairs, (size_t)count, sizeof *pairs, mesh_check_compare);
    for (int i = 0; i < count; i++) edges[i] = pairs[i].key, owner[i] = pairs[i].corner;
    for (int i = 0; i < count; i++) {
        const uint64_t back = edges[i] << 32 | edges[i] >> 32;
        const bool twice = i > 0 && edges[i] == edges[i - 1];
        facts.open += twice || !bsearch(&back, edges, (size_t)count, sizeof *edges, mesh_check_compare);
    }
    for (int v = 0; v < mesh->vertex_count; v++) used += seen[v];
    facts.edges = count / 2;
    facts.unused = mesh->vertex_count - used;
    facts.pinched = mesh_count_fans(mesh, edges, owner, count) - used;
    facts.euler = mesh->vertex_count - facts.edges + mesh->triangle_count;
    for (int t = 0; t < mesh->triangle_count; t++) {
        double n[3], sides = 0;
        mesh_triangle_normal(mesh, t, n);
        const double area = 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int k = 0; k < 3; k++) {
            double l2 = 0;
            for (int i = 0; i < 3; i++) {
                const double d = (double)mesh->position[mesh->triangle[t][k]][i] -
                                 (double)mesh->position[mesh->triangle[t][(k + 1) % 3]][i];
                l2 += d * d;
            }
            sides += l2;
            facts.longest = fmax(facts.longest, sqrt(l2));
            const float *m = mesh->normal ? mesh->normal[mesh->triangle[t][k]] : NULL;
            if (m)
                facts.smallest = fmin(facts.smallest,
                                      (n[0] * (double)m[0] + n[1] * (double)m[1] + n[2] * (double)m[2]) / (2 * area));
        }
        const double quality = 6.9282032302755 * area / sides;
        facts.worst = fmin(facts.worst, quality);
        facts.mean += quality / mesh->triangle_count;
    }
    free(pairs);
    free(edges);
    free(owner);
    free(seen);
    return facts;
}

// The largest distance of a mesh's vertices from another surface.
static inline double mesh_farthest(const sn_mesh *from, const sn_mesh *to) {
    sn_mesh_query *query = sn_mesh_query_build(to);
    double most = 0;
    for (int v = 0; v < from->vertex_count; v++) {
        const double p[3] = {from->position[v][0], from->position[v][1], from->position[v][2]};
        sn_mesh_hit hit;
        if (sn_mesh_query_closest_point(query, p, INFINITY, &hit)) most = fmax(most, hit.distance);
    }
    sn_mesh_query_free(query);
    return most;
}

#endif
