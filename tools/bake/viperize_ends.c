// Finds source and sink of a muscle: the vertices of the tetrahedra between which fibres run.
//
// Automatic ends are the two ends of the longest path through the body along edges: the vertex farthest from any vertex
// is one end, the vertex farthest from that one the other. An end is a cap, not a point, or the field would have a pole
// there: it includes everything nearly as far from the other end. The caps are recomputed from each other a few times,
// because the distance from a whole cap has levels across the muscle and the distance from a point does not.
#include "bake/viperize_internal.h"
#include "mesh/maths.h"
#include "tets/tet_embed.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- shortest paths along edges ---

typedef struct {
    int *first, *next; // neighbours of vertex v: next[first[v]] to next[first[v + 1] - 1]
} edge_graph;

static int compare_pairs(const void *a, const void *b) {
    const int *x = a, *y = b;
    if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
    return (x[1] > y[1]) - (x[1] < y[1]);
}

static bool make_graph(const sn_tet_mesh *mesh, edge_graph *out) {
    int(*pair)[2] = malloc(((size_t)mesh->tet_count * 12 + 1) * sizeof *pair);
    *out = (edge_graph){calloc((size_t)mesh->vertex_count + 2, sizeof(int)),
                        malloc(((size_t)mesh->tet_count * 12 + 1) * sizeof(int))};
    int count = 0, kept = 0;
    bool good = pair && out->first && out->next;
    for (int t = 0; t < mesh->tet_count && good; t++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                if (i != j) pair[count][0] = mesh->tet[t][i], pair[count++][1] = mesh->tet[t][j];
    if (good) qsort(pair, (size_t)count, sizeof *pair, compare_pairs);
    for (int i = 0; i < count && good; i++) {
        if (i > 0 && compare_pairs(pair[i], pair[i - 1]) == 0) continue;
        out->next[kept++] = pair[i][1];
        out->first[pair[i][0] + 1] = kept;
    }
    for (int v = 0; v < mesh->vertex_count && good; v++)
        if (out->first[v + 1] < out->first[v]) out->first[v + 1] = out->first[v];
    free(pair);
    return good;
}

static void free_graph(edge_graph *graph) {
    free(graph->first), free(graph->next);
}

// Dijkstra's distances from a set of vertices; the heap holds each vertex at most once.
typedef struct {
    const double *distance;
    int *item, *heap_index, count; // heap_index: position of a vertex in the heap, -1: not in it
} vertex_heap;

static void heap_put(vertex_heap *heap, int at, int vertex) {
    heap->item[at] = vertex, heap->heap_index[vertex] = at;
}

static void heap_up(vertex_heap *heap, int vertex) {
    int at = heap->heap_index[vertex];
    for (; at > 0; at = (at - 1) / 2) {
        const int above = heap->item[(at - 1) / 2];
        if (heap->distance[above] <= heap->distance[vertex]) break;
        heap_put(heap, at, above);
    }
    heap_put(heap, at, vertex);
}

static int heap_pop(vertex_heap *heap) {
    const int top = heap->item[0], last = heap->item[--heap->count];
    int at = 0;
    heap->heap_index[top] = -1;
    if (heap->count == 0) return top;
    for (int below = 1; below < heap->count; below = 2 * at + 1) {
        if (below + 1 < heap->count && heap->distance[heap->item[below + 1]] < heap->distance[heap->item[below]])
            below++;
        if (heap->distance[heap->item[below]] >= heap->distance[last]) break;
        heap_put(heap, at, heap->item[below]);
        at = below;
    }
    heap_put(heap, at, last);
    return top;
}

static bool distances_from(const sn_tet_mesh *mesh, const edge_graph *graph, const int *set, int set_count,
                           double *distance) {
    const size_t size = (size_t)mesh->vertex_count + 1;
    vertex_heap heap = {distance, malloc(size * sizeof(int)), malloc(size * sizeof(int)), 0};
    const bool good = heap.item && heap.heap_index;
    for (int v = 0; v < mesh->vertex_count && good; v++) distance[v] = INFINITY, heap.heap_index[v] = -1;
    for (int i = 0; i < set_count && good; i++) {
        if (heap.heap_index[set[i]] >= 0) continue;
        distance[set[i]] = 0;
        heap_put(&heap, heap.count++, set[i]);
    }
    while (good && heap.count > 0) {
        const int v = heap_pop(&heap);
        for (int e = graph->first[v]; e < graph->first[v + 1]; e++) {
            const int w = graph->next[e];
            double l2 = 0;
            for (int k = 0; k < 3; k++) l2 += own_pow(mesh->position[w][k] - mesh->position[v][k], 2);
            const double through = distance[v] + sqrt(l2);
            if (through >= distance[w]) continue;
            const bool is_new = heap.heap_index[w] < 0;
            distance[w] = through;
            if (is_new) heap_put(&heap, heap.count++, w);
            heap_up(&heap, w);
        }
    }
    free(heap.item), free(heap.heap_index);
    return good;
}

static int farthest(const double *distance, int count) {
    int best = 0;
    for (int v = 1; v < count; v++)
        if (distance[v] < INFINITY && !(distance[v] <= distance[best])) best = v;
    return best;
}

// --- ends ---

static double along(const double normal[3], const double p[3]) {
    return normal[0] * p[0] + normal[1] * p[1] + normal[2] * p[2];
}

static double distance_between(const double a[3], const double b[3]) {
    return sqrt(own_pow(a[0] - b[0], 2) + own_pow(a[1] - b[1], 2) + own_pow(a[2] - b[2], 2));
}

static bool is_painted(const viper_job *job, int end) {
    for (int v = 0; v < job->surface.vertex_count && job->painted; v++)
        if (job->painted[v] & (end ? VIPER_SINK : VIPER_SOURCE)) return true;
    return false;
}

static bool is_auto(const viper_job *job, int end) {
    return job->options->end[end].kind == VIPER_END_AUTO && !is_painted(job, end);
}

// Vertices on the surface whose closest triangle is painted. If the paint is smaller than the tetrahedra, the nearest
// vertices.
static int painted_vertices(const viper_job *job, int end, int *list) {
    const int mark = end ? VIPER_SINK : VIPER_SOURCE;
    int count = 0;
    for (int v = 0; v < job->tets.vertex_count; v++) {
        sn_mesh_hit hit;
        double paint = 0;
        if (!sn_mesh_query_closest_point(job->query, job->tets.position[v], 0.25 * job->report->spacing, &hit))
            continue;
        for (int k = 0; k < 3; k++)
            if (job->painted[job->surface.triangle[hit.triangle][k]] & mark) paint += hit.bary[k];
        if (paint > 0.5) list[count++] = v;
    }
    if (count >= 3) return count;
    bool *used = calloc((size_t)job->tets.vertex_count + 1, sizeof *used);
    for (int i = 0; i < count && used; i++) used[list[i]] = true;
    for (int s = 0; s < job->surface.vertex_count && used; s++) {
        if (!(job->painted[s] & mark)) continue;
        const double p[3] = {(double)job->surface.position[s][0], (double)job->surface.position[s][1],
                             (double)job->surface.position[s][2]};
        int best = -1;
        for (int v = 0; v < job->tets.vertex_count; v++)
            if (best < 0 || distance_between(p, job->tets.position[v]) < distance_between(p, job->tets.position[best]))
                best = v;
        if (best >= 0 && !used[best]) used[best] = true, list[count++] = best;
    }
    free(used);
    return count;
}

static int ball_vertices(const viper_job *job, const double point[3], double radius, int *list) {
    int count = 0, best = 0;
    for (int v = 0; v < job->tets.vertex_count; v++) {
        if (distance_between(point, job->tets.position[v]) < distance_between(point, job->tets.position[best]))
            best = v;
        if (distance_between(point, job->tets.position[v]) <= radius) list[count++] = v;
    }
    if (count == 0) list[count++] = best;
    return count;
}

static int plane_vertices(const viper_job *job, const sn_viper_end *end, int *list) {
    int count = 0;
    for (int v = 0; v < job->tets.vertex_count; v++)
        if (along(end->normal, job->tets.position[v]) > end->offset) list[count++] = v;
    return count;
}

// Vertices nearly as far from the other end as the farthest one.
static int cap_vertices(const viper_job *job, const double *distance, int *list) {
    const double largest = distance[farthest(distance, job->tets.vertex_count)];
    const double deep = fmax(1.5 * job->report->spacing, 0.03 * largest);
    int count = 0;
    for (int v = 0; v < job->tets.vertex_count; v++)
        if (distance[v] < INFINITY && distance[v] >= largest - fmin(deep, 0.4 * largest)) list[count++] = v;
    return count;
}

static void swap_ends(int *list[2], int count[2]) {
    int *other = list[0];
    const int n = count[0];
    list[0] = list[1], count[0] = count[1];
    list[1] = other, count[1] = n;
}

static void centroid_of(const viper_job *job, const int *list, int count, double out[3]) {
    for (int k = 0; k < 3; k++) {
        out[k] = 0;
        for (int i = 0; i < count; i++) out[k] += job->tets.position[list[i]][k] / count;
    }
}

// Automatic ends: the upper one is the source; for a muscle along x, the one with smaller x.
static void order_ends(const viper_job *job, int *list[2], int count[2]) {
    double a[3], b[3];
    int axis = 0;
    centroid_of(job, list[0], count[0], a), centroid_of(job, list[1], count[1], b);
    for (int k = 1; k < 3; k++)
        if (fabs(b[k] - a[k]) > fabs(b[axis] - a[axis])) axis = k;
    if (axis == 0 ? a[0] > b[0] : a[axis] < b[axis]) swap_ends(list, count);
}

static bool find_caps(viper_job *job, int *list[2], int count[2], const bool automatic[2]) {
    edge_graph graph = {0};
    double *distance = malloc(((size_t)job->tets.vertex_count + 1) * sizeof *distance);
    bool good = distance && make_graph(&job->tets, &graph);
    const int both = automatic[0] && automatic[1], first = automatic[0] ? 0 : 1;
    if (good && both) {
        const int any = 0;
        good = distances_from(&job->tets, &graph, &any, 1, distance);
        if (good) list[1][0] = farthest(distance, job->tets.vertex_count), count[1] = 1;
    }
    for (int pass = 0; pass < (both ? 6 : 1) && good; pass++) {
        const int end = both ? pass % 2 : first;
        good = distances_from(&job->tets, &graph, list[1 - end], count[1 - end], distance);
        if (good) count[end] = cap_vertices(job, distance, list[end]);
    }
    if (good && both) order_ends(job, list, count);
    free(distance);
    free_graph(&graph);
    return good || viper_fail_memory(job);
}

// Default radius of a ball: a twentieth of the distance to the farthest vertex.
static double ball_radius(const viper_job *job, const sn_viper_end *end) {
    double largest = 0;
    if (end->radius > 0) return end->radius;
    for (int v = 0; v < job->tets.vertex_count; v++)
        largest = fmax(largest, distance_between(end->point, job->tets.position[v]));
    sn_mesh_hit hit;
    const double outside = sn_mesh_query_closest_point(job->query, end->point, INFINITY, &hit) ? hit.distance : 0;
    return fmax(0.05 * largest, 1.5 * job->report->spacing) + outside;
}

static const char *const end_name[2] = {"source", "sink"};

static bool select_end(viper_job *job, int end, int *list, int *count) {
    const sn_viper_end *end_def = &job->options->end[end];
    char *description = job->report->ends[end];
    const size_t size = sizeof job->report->ends[end];
    switch (end_def->kind) {
    case VIPER_END_BALL: {
        const double radius = ball_radius(job, end_def);
        *count = ball_vertices(job, end_def->point, radius, list);
        snprintf(description, size, "within %.3g of (%.4g, %.4g, %.4g)", radius, end_def->point[0], end_def->point[1],
                 end_def->point[2]);
        return true;
    }
    case VIPER_END_PLANE:
        *count = plane_vertices(job, end_def, list);
        snprintf(description, size, "beyond a plane");
        if (*count == 0)
            return viper_fail(job, "no part of the surface is beyond the %s's plane; move it towards the centre",
                              end_name[end]);
        if (*count == job->tets.vertex_count)
            return viper_fail(job, "the whole surface is beyond the %s's plane; flip it or move it outward",
                              end_name[end]);
        return true;
    default:
        if (is_painted(job, end)) {
            *count = painted_vertices(job, end, list);
            snprintf(description, size, "painted");
            if (*count == 0) return viper_fail_memory(job);
            return true;
        }
        if (end_def->kind == VIPER_END_PAINTED) return viper_fail(job, "no vertex is painted as %s", end_name[end]);
        snprintf(description, size, "automatic: an end of the longest path through the body");
        return true;
    }
}

// Vertices in both ends go to the one with the closer centroid, so that painted ends may be adjacent.
static bool separate(viper_job *job, int *list[2], int count[2]) {
    unsigned char *mark = calloc((size_t)job->tets.vertex_count + 1, 1);
    double centroid[2][3];
    if (!mark) return viper_fail_memory(job);
    for (int end = 0; end < 2; end++) {
        centroid_of(job, list[end], count[end], centroid[end]);
        for (int i = 0; i < count[end]; i++) mark[list[end][i]] |= (unsigned char)(1 + end);
    }
    for (int end = 0; end < 2; end++) {
        int kept = 0;
        for (int i = 0; i < count[end]; i++) {
            const double *p = job->tets.position[list[end][i]];
            const bool closer_to_source = distance_between(p, centroid[0]) <= distance_between(p, centroid[1]);
            if (mark[list[end][i]] == 3 && closer_to_source != (end == 0)) continue;
            list[end][kept++] = list[end][i];
        }
        count[end] = kept;
    }
    free(mark);
    if (count[0] > 0 && count[1] > 0) return true;
    return viper_fail(job, "source and sink coincide; they must be two ends of the muscle");
}

bool viper_find_ends(viper_job *job, int *vertex[2], int count[2]) {
    const size_t size = (size_t)job->tets.vertex_count + 1;
    const bool automatic[2] = {is_auto(job, 0), is_auto(job, 1)};
    vertex[0] = malloc(size * sizeof *vertex[0]), vertex[1] = malloc(size * sizeof *vertex[1]);
    bool good = (vertex[0] && vertex[1]) || viper_fail_memory(job);
    for (int end = 0; end < 2 && good; end++) good = select_end(job, end, vertex[end], &count[end]);
    if (good && (automatic[0] || automatic[1])) good = find_caps(job, vertex, count, automatic);
    return good && separate(job, vertex, count);
}

bool viper_end_centre(const viper_job *job, int end, double out[3]) {
    const sn_viper_end *end_def = &job->options->end[end];
    const int mark = end ? VIPER_SINK : VIPER_SOURCE;
    int count = 0;
    if (end_def->kind == VIPER_END_BALL) {
        memcpy(out, end_def->point, 3 * sizeof *out);
        return true;
    }
    double sum[3] = {0};
    for (int v = 0; v < job->surface.vertex_count; v++) {
        const double p[3] = {(double)job->surface.position[v][0], (double)job->surface.position[v][1],
                             (double)job->surface.position[v][2]};
        const bool in = end_def->kind == VIPER_END_PLANE ? along(end_def->normal, p) > end_def->offset
                                                         : job->painted && (job->painted[v] & mark) != 0;
        if (!in) continue;
        count++;
        for (int k = 0; k < 3; k++) sum[k] += p[k];
    }
    if (count == 0) return false;
    for (int k = 0; k < 3; k++) out[k] = sum[k] / count;
    return true;
}
