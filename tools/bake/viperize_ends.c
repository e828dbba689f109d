// Finds source and sink of a muscle: the vertices of the body (viperize_body.c) between which fibres run.
//
// Automatic ends are the two ends of the longest path through the body along edges: the vertex farthest from any vertex
// is one end, the vertex farthest from that one the other. An end is a cap, not a point, or the field would have a pole
// there: it includes everything nearly as far from the other end. The caps are recomputed from each other a few times,
// because the distance from a whole cap has levels across the muscle and the distance from a point does not.
//
// A muscle with several heads or tendons has one end in each of them. They are the local maxima of the distance from the
// other end that stand out by more than a small part of the length: going down from the maximum, one has to go that far
// before a path leads up to a higher one (the persistence of the maximum).
#include "bake/viperize_internal.h"
#include "base/union_find.h"
#include "mesh/maths.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- shortest paths along edges ---

typedef struct {
    int *first, *next; // neighbours of vertex v: next[first[v]] to next[first[v + 1] - 1]
} edge_graph;

static bool make_graph(const viper_body *body, edge_graph *out) {
    const size_t edges = (size_t)body->edge_count;
    *out = (edge_graph){calloc((size_t)body->vertex_count + 3, sizeof(int)), malloc((2 * edges + 1) * sizeof(int))};
    if (!out->first || !out->next) return false;
    for (int e = 0; e < body->edge_count; e++)
        for (int k = 0; k < 2; k++) out->first[body->edge[e][k] + 2]++;
    for (int v = 2; v < body->vertex_count + 2; v++) out->first[v] += out->first[v - 1];
    for (int e = 0; e < body->edge_count; e++)
        for (int k = 0; k < 2; k++) out->next[out->first[body->edge[e][k] + 1]++] = body->edge[e][1 - k];
    return true;
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

static bool distances_from(const viper_body *mesh, const edge_graph *graph, const int *set, int set_count,
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
    int best = -1;
    for (int v = 0; v < count; v++)
        if (distance[v] < INFINITY && (best < 0 || distance[v] > distance[best])) best = v;
    return best < 0 ? 0 : best;
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
    if (job->body.corners == 3) {
        for (int v = 0; v < job->body.vertex_count; v++)
            if (job->painted[v] & mark) list[count++] = v;
        return count;
    }
    for (int v = 0; v < job->body.vertex_count; v++) {
        sn_mesh_hit hit;
        double paint = 0;
        if (!sn_mesh_query_closest_point(job->query, job->body.position[v], 0.25 * job->body.spacing, &hit)) continue;
        for (int k = 0; k < 3; k++)
            if (job->painted[job->surface.triangle[hit.triangle][k]] & mark) paint += hit.bary[k];
        if (paint > 0.5) list[count++] = v;
    }
    if (count >= 3) return count;
    bool *used = calloc((size_t)job->body.vertex_count + 1, sizeof *used);
    for (int i = 0; i < count && used; i++) used[list[i]] = true;
    for (int s = 0; s < job->surface.vertex_count && used; s++) {
        if (!(job->painted[s] & mark)) continue;
        const double p[3] = {(double)job->surface.position[s][0], (double)job->surface.position[s][1],
                             (double)job->surface.position[s][2]};
        int best = -1;
        for (int v = 0; v < job->body.vertex_count; v++)
            if (best < 0 || distance_between(p, job->body.position[v]) < distance_between(p, job->body.position[best]))
                best = v;
        if (best >= 0 && !used[best]) used[best] = true, list[count++] = best;
    }
    free(used);
    return count;
}

static int ball_vertices(const viper_job *job, const double point[3], double radius, int *list) {
    int count = 0, best = 0;
    for (int v = 0; v < job->body.vertex_count; v++) {
        if (distance_between(point, job->body.position[v]) < distance_between(point, job->body.position[best]))
            best = v;
        if (distance_between(point, job->body.position[v]) <= radius) list[count++] = v;
    }
    if (count == 0) list[count++] = best;
    return count;
}

static int plane_vertices(const viper_job *job, const sn_viper_end *end, int *list) {
    int count = 0;
    for (int v = 0; v < job->body.vertex_count; v++)
        if (along(end->normal, job->body.position[v]) > end->offset) list[count++] = v;
    return count;
}

// How deep a cap reaches: not deeper than most of the distance between slices.
static double cap_depth(const viper_job *job, double length) {
    const double deep = fmin(0.03 * length, 0.6 * length / (job->options->slices - 1));
    return fmin(fmax(1.5 * job->body.spacing, deep), 0.4 * length);
}

// Vertices nearly as far from the other end as the farthest one.
static int cap_vertices(viper_job *job, int end, const double *distance, int *list) {
    const double largest = distance[farthest(distance, job->body.vertex_count)];
    int count = 0;
    job->cap[end] = cap_depth(job, largest);
    for (int v = 0; v < job->body.vertex_count; v++)
        if (distance[v] < INFINITY && distance[v] >= largest - job->cap[end]) list[count++] = v;
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
        for (int i = 0; i < count; i++) out[k] += job->body.position[list[i]][k] / count;
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

// --- heads and tendons ---

typedef struct {
    double height, persistence;
    int vertex;
} end_tip;

typedef struct {
    double height;
    int vertex;
} ranked_vertex;

static int compare_heights(const void *a, const void *b) {
    const ranked_vertex *x = a, *y = b;
    if (x->height != y->height) return x->height > y->height ? -1 : 1;
    return (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

static int compare_tips(const void *a, const void *b) {
    const end_tip *x = a, *y = b;
    if (x->persistence != y->persistence) return x->persistence > y->persistence ? -1 : 1;
    return (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

// Local maxima of a function with at least this persistence, except the highest; the most persistent first. Returns
// their number, at most 'capacity'; -1: no memory.
static int find_tips(const edge_graph *graph, const double *height, int vertices, double min_persistence, end_tip *tip,
                     int capacity) {
    ranked_vertex *order = malloc(((size_t)vertices + 1) * sizeof *order);
    int *up = malloc(((size_t)vertices + 1) * sizeof *up), *peak = malloc(((size_t)vertices + 1) * sizeof *peak);
    end_tip *found = malloc(((size_t)vertices + 1) * sizeof *found);
    int count = 0, ranked = 0;
    const bool good = order && up && peak && found;
    for (int v = 0; v < vertices && good; v++) {
        up[v] = -1;
        if (height[v] < INFINITY) order[ranked++] = (ranked_vertex){height[v], v};
    }
    if (good) qsort(order, (size_t)ranked, sizeof *order, compare_heights);
    for (int i = 0; i < ranked;
         i++) { // the set of vertices above grows; its pieces join where the function has saddles
        const int v = order[i].vertex;
        up[v] = peak[v] = v;
        for (int e = graph->first[v]; e < graph->first[v + 1]; e++) {
            if (up[graph->next[e]] < 0) continue;
            const int a = sn_find_root(up, v), b = sn_find_root(up, graph->next[e]);
            if (a == b) continue;
            const bool a_lower =
                height[peak[a]] < height[peak[b]] || (height[peak[a]] == height[peak[b]] && peak[a] > peak[b]);
            const int low = a_lower ? peak[a] : peak[b], high = a_lower ? peak[b] : peak[a];
            if (height[low] - height[v] >= min_persistence)
                found[count++] = (end_tip){height[low], height[low] - height[v], low};
            sn_union(up, a, b);
            peak[sn_find_root(up, a)] = high;
        }
    }
    if (good) qsort(found, (size_t)count, sizeof *found, compare_tips);
    if (count > capacity) count = capacity;
    if (good) memcpy(tip, found, (size_t)count * sizeof *tip);
    free(order), free(up), free(peak), free(found);
    return good ? count : -1;
}

// Adds the vertices around a tip that are higher than a limit, except those that are marked, and marks them.
static void add_cap(const edge_graph *graph, const double *height, int tip, double limit, bool *marked, int *list,
                    int *count) {
    int next = *count;
    if (marked[tip]) return;
    marked[tip] = true, list[(*count)++] = tip;
    for (; next < *count; next++)
        for (int e = graph->first[list[next]]; e < graph->first[list[next] + 1]; e++) {
            const int w = graph->next[e];
            if (marked[w] || height[w] < limit || !(height[w] < INFINITY)) continue;
            marked[w] = true, list[(*count)++] = w;
        }
}

// Part of the length by which a head or tendon must stand out to have an end of its own.
static const double min_head = 0.03;

// Adds the caps of other heads to an automatic end: those nearer to it than to the other end.
static bool add_heads(viper_job *job, const edge_graph *graph, int end, const double *from_other,
                      const double *from_this) {
    const int vertices = job->body.vertex_count, capacity = job->options->rods - 1;
    const double length = from_other[farthest(from_other, vertices)];
    bool *marked = calloc((size_t)vertices + 1, sizeof *marked);
    end_tip *tip = malloc(((size_t)capacity + 1) * sizeof *tip);
    const int tips = marked && tip ? find_tips(graph, from_other, vertices,
                                               fmax(min_head * length, 3 * job->body.spacing), tip, capacity)
                                   : -1;
    for (int i = 0; i < job->end_count[end] && tips >= 0; i++) marked[job->end[end][i]] = true;
    for (int i = 0; i < tips; i++) {
        if (!(from_this[tip[i].vertex] < from_other[tip[i].vertex])) continue;
        const double depth = fmin(job->cap[end], 0.5 * tip[i].persistence);
        add_cap(graph, from_other, tip[i].vertex, tip[i].height - depth, marked, job->end[end], &job->end_count[end]);
    }
    free(marked), free(tip);
    return tips >= 0;
}

// How many connected pieces an end is in. -1: no memory.
static int count_pieces(const viper_job *job, const edge_graph *graph, int end) {
    int *up = malloc(((size_t)job->body.vertex_count + 1) * sizeof *up), count = 0;
    if (!up) return -1;
    for (int v = 0; v < job->body.vertex_count; v++) up[v] = -1;
    for (int i = 0; i < job->end_count[end]; i++) up[job->end[end][i]] = job->end[end][i];
    for (int i = 0; i < job->end_count[end]; i++) {
        const int v = job->end[end][i];
        for (int e = graph->first[v]; e < graph->first[v + 1]; e++)
            if (up[graph->next[e]] >= 0) sn_union(up, v, graph->next[e]);
    }
    for (int i = 0; i < job->end_count[end]; i++) count += up[job->end[end][i]] == job->end[end][i];
    free(up);
    return count;
}

static bool find_caps(viper_job *job, const bool automatic[2]) {
    edge_graph graph = {0};
    const size_t size = (size_t)job->body.vertex_count + 1;
    double *distance[2] = {malloc(size * sizeof(double)), malloc(size * sizeof(double))}; // from source, sink
    bool good = distance[0] && distance[1] && make_graph(&job->body, &graph);
    const int both = automatic[0] && automatic[1], first = automatic[0] ? 0 : 1;
    if (good && both) {
        const int any = job->body.corner[0];
        good = distances_from(&job->body, &graph, &any, 1, distance[1]);
        if (good) job->end[1][0] = farthest(distance[1], job->body.vertex_count), job->end_count[1] = 1;
    }
    for (int pass = 0; pass < (both ? 6 : 1) && good; pass++) {
        const int end = both ? pass % 2 : first;
        good = distances_from(&job->body, &graph, job->end[1 - end], job->end_count[1 - end], distance[1 - end]);
        if (good) job->end_count[end] = cap_vertices(job, end, distance[1 - end], job->end[end]);
    }
    if (good && both) order_ends(job, job->end, job->end_count);
    for (int end = 0; end < 2 && good; end++)
        good = distances_from(&job->body, &graph, job->end[end], job->end_count[end], distance[end]);
    for (int end = 0; end < 2 && good; end++)
        if (automatic[end])
            good = add_heads(job, &graph, end, distance[1 - end], distance[end]) &&
                   (job->report->heads[end] = count_pieces(job, &graph, end)) >= 0;
    free(distance[0]), free(distance[1]);
    free_graph(&graph);
    return good || viper_fail_memory(job);
}

// Default radius of a ball: a twentieth of the distance to the farthest vertex.
static double ball_radius(const viper_job *job, const sn_viper_end *end) {
    double largest = 0;
    if (end->radius > 0) return end->radius;
    for (int v = 0; v < job->body.vertex_count; v++)
        largest = fmax(largest, distance_between(end->point, job->body.position[v]));
    sn_mesh_hit hit;
    const double outside = sn_mesh_query_closest_point(job->query, end->point, INFINITY, &hit) ? hit.distance : 0;
    return fmax(0.05 * largest, 1.5 * job->body.spacing) + outside;
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
        if (*count == job->body.vertex_count)
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
    unsigned char *mark = calloc((size_t)job->body.vertex_count + 1, 1);
    double centroid[2][3];
    if (!mark) return viper_fail_memory(job);
    for (int end = 0; end < 2; end++) {
        centroid_of(job, list[end], count[end], centroid[end]);
        for (int i = 0; i < count[end]; i++) mark[list[end][i]] |= (unsigned char)(1 + end);
    }
    for (int end = 0; end < 2; end++) {
        int kept = 0;
        for (int i = 0; i < count[end]; i++) {
            const double *p = job->body.position[list[end][i]];
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

bool viper_find_ends(viper_job *job) {
    const size_t size = (size_t)job->body.vertex_count + 1;
    const bool automatic[2] = {is_auto(job, 0), is_auto(job, 1)};
    bool good = true;
    for (int end = 0; end < 2; end++) {
        free(job->end[end]);
        job->end[end] = malloc(size * sizeof *job->end[end]);
        job->end_count[end] = 0, job->cap[end] = 0, job->report->heads[end] = 1;
        good = good && (job->end[end] || viper_fail_memory(job));
    }
    for (int end = 0; end < 2 && good; end++) good = select_end(job, end, job->end[end], &job->end_count[end]);
    if (good && (automatic[0] || automatic[1])) good = find_caps(job, automatic);
    return good && separate(job, job->end, job->end_count);
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
