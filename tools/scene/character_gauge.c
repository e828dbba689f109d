// See character_gauge.h. The volume is the sum of the signed volumes of tetrahedra on the triangles and the box's middle, which
// is the volume of a closed surface; holes that move with their border change it little.
#include "scene/character_gauge.h"
#include "base/math/vec.h"
#include "mesh/self_intersection.h"
#include "skin/implicit/implicit_edges.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void skin_gauge_free(skin_gauge *gauge) {
    sn_mesh_free(&gauge->mesh);
    free(gauge->welded);
    free(gauge->triangles);
    free(gauge->edges);
    free(gauge->lengths);
    *gauge = (skin_gauge){0};
}

static void place(skin_gauge *g, const sn_vec3 *points) {
    for (int v = 0; v < g->vertex_count; v++) {
        float *to = g->mesh.position[g->welded[v]];
        to[0] = (float)points[v].x, to[1] = (float)points[v].y, to[2] = (float)points[v].z;
    }
}

static double edge_length(const skin_gauge *g, int edge) {
    const float *a = g->mesh.position[g->edges[edge][0]], *b = g->mesh.position[g->edges[edge][1]];
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += ((double)a[k] - (double)b[k]) * ((double)a[k] - (double)b[k]);
    return sqrt(sum);
}

static double volume_of(const skin_gauge *g) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, sum = 0;
    for (int v = 0; v < g->mesh.vertex_count; v++)
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], (double)g->mesh.position[v][k]);
            high[k] = fmax(high[k], (double)g->mesh.position[v][k]);
        }
    for (int t = 0; t < g->triangle_count; t++) {
        double c[3][3];
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                c[i][k] = (double)g->mesh.position[g->triangles[t][i]][k] - 0.5 * (low[k] + high[k]);
        sum += c[0][0] * (c[1][1] * c[2][2] - c[1][2] * c[2][1]) + c[0][1] * (c[1][2] * c[2][0] - c[1][0] * c[2][2]) +
               c[0][2] * (c[1][0] * c[2][1] - c[1][1] * c[2][0]);
    }
    return sum / 6;
}

// Edges between welded vertices, each once.
static bool make_edges(skin_gauge *g, const sn_implicit_edges *from) {
    const size_t all = (size_t)from->first[from->count];
    g->edges = malloc((all / 2 + 1) * sizeof *g->edges);
    g->lengths = malloc((all / 2 + 1) * sizeof *g->lengths);
    if (!g->edges || !g->lengths) return false;
    for (int i = 0; i < from->count; i++)
        for (int k = from->first[i]; k < from->first[i + 1]; k++) {
            if (from->other[k] <= i) continue;
            int *edge = g->edges[g->edge_count];
            edge[0] = i, edge[1] = from->other[k];
            g->lengths[g->edge_count] = edge_length(g, g->edge_count);
            g->edge_count++;
        }
    return true;
}

// Leaves out of the mesh the triangles that cross others.
static bool leave_out_crossing(skin_gauge *g) {
    sn_self_intersections report;
    unsigned char *crossing = calloc((size_t)g->mesh.triangle_count + 1, 1);
    if (!crossing || !sn_self_intersection_find(&g->mesh, &report, crossing)) {
        free(crossing);
        return false;
    }
    int kept = 0;
    for (int t = 0; t < g->mesh.triangle_count; t++)
        if (!crossing[t]) memmove(g->mesh.triangle[kept++], g->mesh.triangle[t], sizeof *g->mesh.triangle);
    g->mesh.triangle_count = kept;
    free(crossing);
    return true;
}

bool skin_gauge_make(const sn_implicit_asset *asset, skin_gauge *out, tool_error *error) {
    sn_memory memory;
    sn_implicit_edges edges;
    *out = (skin_gauge){.vertex_count = asset->vertex_count};
    sn_memory_init(&memory, NULL);
    bool good = sn_implicit_edges_make(&memory, asset->vertices, asset->vertex_count, (const int(*)[3])asset->triangles,
                                       asset->triangle_count, &edges);
    if (good) {
        const size_t triangles = (size_t)edges.triangle_count;
        out->triangle_count = edges.triangle_count;
        out->welded = malloc(((size_t)asset->vertex_count + 1) * sizeof *out->welded);
        out->triangles = malloc((triangles + 1) * sizeof *out->triangles);
        good = out->welded && out->triangles && sn_mesh_alloc(&out->mesh, edges.count, edges.triangle_count, 0);
        if (good) {
            memcpy(out->welded, edges.welded, (size_t)asset->vertex_count * sizeof *out->welded);
            memcpy(out->triangles, edges.triangles, triangles * sizeof *out->triangles);
            memcpy(out->mesh.triangle, edges.triangles, triangles * sizeof *out->triangles);
            place(out, asset->vertices);
            out->volume = volume_of(out);
            good = make_edges(out, &edges) && leave_out_crossing(out);
        }
        sn_implicit_edges_free(&edges);
    }
    if (!good) {
        skin_gauge_free(out);
        return tool_error_out_of_memory(error);
    }
    sn_vec3 low = asset->vertices[0], high = low;
    for (int v = 1; v < asset->vertex_count; v++) {
        const sn_vec3 p = asset->vertices[v];
        low = sn_v3(sn_min(low.x, p.x), sn_min(low.y, p.y), sn_min(low.z, p.z));
        high = sn_v3(sn_max(high.x, p.x), sn_max(high.y, p.y), sn_max(high.z, p.z));
    }
    out->size = (double)sn_length(sn_sub(high, low));
    return true;
}

bool skin_gauge_read(skin_gauge *gauge, const sn_vec3 *points, skin_reading *out) {
    sn_self_intersections report;
    *out = (skin_reading){0};
    place(gauge, points);
    for (int e = 0; e < gauge->edge_count; e++) {
        const double length = edge_length(gauge, e), rest = gauge->lengths[e];
        out->stretched += length > 2.5 * rest;
        out->squeezed += length < 0.3 * rest;
    }
    if (gauge->volume != 0) out->volume = volume_of(gauge) / gauge->volume - 1;
    if (!sn_self_intersection_find(&gauge->mesh, &report, NULL)) return false;
    out->crossings = report.pairs;
    return true;
}
