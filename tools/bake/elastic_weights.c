// Biharmonic weights (biharmonic.c) of many handles on a large mesh. A single factorization grows with the square of
// the number of vertices, and the weights of all handles at all vertices would not fit into memory. But a weight is
// nearly 0 beyond the handle's neighbours. Therefore:
//
// 1. Each vertex belongs to the cell of the handle nearest through the body (Dijkstra along edges).
// 2. Adjacent handles form groups. The patch of a group is its cells plus those up to 'rings' cells away.
// 3. Each patch takes one factorization and one solve per handle of the group, with weight 0 outside.
//
//        . . o o o . .      x: cells of a group      o: the rest of its patch      .: weights are 0
//        . o o x o o .
//        . o x x o o .
//
// Patches are independent and run on all threads. The lists of largest weights do not depend on the order in which
// weights are added.
#include "bake/elastic_weights.h"
#include "base/tasks.h"
#include "fields/csr_matrix.h"
#include "fields/tet_laplacian.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_RINGS = 2, DEFAULT_PATCH = 12000 };

// --- lists -----------------------------------------------------------------------------------------------------------

static bool larger(float w, int h, float than, int other) {
    return w > than || (w == than && h < other);
}

void elastic_weight_list_add(elastic_weight_list *list, int handle, double weight) {
    const float w = (float)weight;
    if (!(w > 0)) return;
    int at = list->count;
    if (at == ELASTIC_LIST_CAPACITY) {
        if (!larger(w, handle, list->weight[at - 1], list->handle[at - 1])) return;
        --at;
    } else
        list->count++;
    for (; at > 0 && larger(w, handle, list->weight[at - 1], list->handle[at - 1]); --at)
        list->weight[at] = list->weight[at - 1], list->handle[at] = list->handle[at - 1];
    list->weight[at] = w, list->handle[at] = handle;
}

int elastic_weight_list_finish(const elastic_weight_list *list, int handle_count, int max_weights, double floor,
                               const bool *drop, int handle[ELASTIC_MAX_WEIGHTS], double weight[ELASTIC_MAX_WEIGHTS]) {
    double anchor = 0, sum = 0, subtract = floor;
    int count = 0, kept = 0;
    for (int i = 0; i < list->count; i++) {
        const double w = fmin((double)list->weight[i], 1);
        if (list->handle[i] == handle_count) {
            anchor = w;
        } else if (drop && drop[list->handle[i]]) {
            continue;
        } else if (count < max_weights) {
            handle[count] = list->handle[i], weight[count++] = w;
        } else {
            subtract = fmax(subtract, w);
            break;
        }
    }
    for (int i = 0; i < count; i++) {
        const double w = weight[i] - subtract;
        if (w <= 0) break; // sorted: the rest is smaller
        weight[kept++] = w, sum += w;
    }
    if (kept == 0 && count > 0 && anchor < 0.5) kept = 1, weight[0] = sum = 1; // all equally small: keep one
    if (kept == 0) return 0;
    for (int i = 0; i < kept; i++) weight[i] *= (1 - fmax(anchor - floor, 0)) / sum;
    return weight[0] > 0 ? kept : 0;
}

// --- cells -----------------------------------------------------------------------------------------------------------

typedef struct {
    const sn_tet_mesh *mesh;
    const sn_weight_constraints *holds;
    int cells; // handles, plus one for the anchors
    sn_csr_matrix laplacian_rows, bilaplacian_rows;
    int *owner;                       // by vertex: the handle that holds it, 'cells - 1' for the anchors, -1: free
    int *cell;                        // by vertex: nearest handle
    int *start, *member;              // vertices of each cell
    int *neighbour_start, *neighbour; // adjacent cells of each cell
    int groups;
    int *group_start, *group_handle; // handles of each group
    int anchor_group;                // the group that writes the weights in the anchors' own cell
    elastic_weight_list *out;
    elastic_weight_options *options;
    double work_done, work_total; // work done so far, and in total
    int merge_lock;               // spin lock for merging results
    bool failed, singular;
} job;

typedef struct {
    double distance;
    int vertex;
} heap_item;

typedef struct {
    heap_item *item;
    size_t count, capacity;
} heap;

static bool is_before(heap_item a, heap_item b) {
    return a.distance < b.distance || (a.distance == b.distance && a.vertex < b.vertex);
}

static bool heap_insert(heap *h, heap_item item) {
    if (h->count == h->capacity) {
        const size_t capacity = 2 * h->capacity + 1024;
        heap_item *more = realloc(h->item, capacity * sizeof *more);
        if (!more) return false;
        h->item = more, h->capacity = capacity;
    }
    size_t at = h->count++;
    for (; at > 0 && is_before(item, h->item[(at - 1) / 2]); at = (at - 1) / 2) h->item[at] = h->item[(at - 1) / 2];
    h->item[at] = item;
    return true;
}

static heap_item heap_pop(heap *h) {
    const heap_item top = h->item[0], last = h->item[--h->count];
    size_t at = 0;
    for (size_t next; (next = 2 * at + 1) < h->count; at = next) {
        if (next + 1 < h->count && is_before(h->item[next + 1], h->item[next])) next++;
        if (!is_before(h->item[next], last)) break;
        h->item[at] = h->item[next];
    }
    h->item[at] = last;
    return top;
}

// Assigns each vertex to the nearest handle along edges; -1: unreachable.
static bool find_cells(job *j) {
    const int n = j->mesh->vertex_count;
    double *distance = malloc(((size_t)n + 1) * sizeof *distance);
    heap h = {0};
    bool good = distance != NULL;
    for (int v = 0; v < n && good; v++) {
        j->cell[v] = -1, distance[v] = INFINITY;
        if (j->owner[v] < 0) continue;
        j->cell[v] = j->owner[v], distance[v] = 0;
        good = heap_insert(&h, (heap_item){0, v});
    }
    while (good && h.count > 0) {
        const heap_item top = heap_pop(&h);
        if (top.distance > distance[top.vertex]) continue;
        const double *p = j->mesh->position[top.vertex];
        for (size_t i = j->laplacian_rows.start[top.vertex]; i < j->laplacian_rows.start[top.vertex + 1] && good; i++) {
            const int w = j->laplacian_rows.column[i];
            const double *q = j->mesh->position[w];
            const double path = top.distance + sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
                                                    (p[2] - q[2]) * (p[2] - q[2]));
            if (path >= distance[w]) continue;
            distance[w] = path, j->cell[w] = j->cell[top.vertex];
            good = heap_insert(&h, (heap_item){path, w});
        }
    }
    free(distance), free(h.item);
    return good;
}

static int compare_pairs(const void *a, const void *b) {
    return memcmp(a, b, sizeof(int[2])) == 0            ? 0
           : ((const int *)a)[0] != ((const int *)b)[0] ? (((const int *)a)[0] > ((const int *)b)[0] ? 1 : -1)
                                                        : (((const int *)a)[1] > ((const int *)b)[1] ? 1 : -1);
}

// Lists the vertices of each cell and its adjacent cells.
static bool find_neighbours(job *j) {
    const int n = j->mesh->vertex_count;
    j->start = calloc((size_t)j->cells + 2, sizeof *j->start);
    j->member = malloc(((size_t)n + 1) * sizeof *j->member);
    j->neighbour_start = calloc((size_t)j->cells + 2, sizeof *j->neighbour_start);
    if (!j->start || !j->member || !j->neighbour_start) return false;
    for (int v = 0; v < n; v++)
        if (j->cell[v] >= 0) ++j->start[j->cell[v] + 2];
    for (int c = 1; c <= j->cells; c++) j->start[c + 1] += j->start[c];
    size_t pairs = 0, capacity = 0;
    int(*pair)[2] = NULL;
    for (int v = 0; v < n; v++) {
        if (j->cell[v] < 0) continue;
        j->member[j->start[j->cell[v] + 1]++] = v;
        for (size_t i = j->laplacian_rows.start[v]; i < j->laplacian_rows.start[v + 1]; i++) {
            const int other = j->cell[j->laplacian_rows.column[i]];
            if (other < 0 || other == j->cell[v]) continue;
            if (pairs > 0 && pair[pairs - 1][0] == j->cell[v] && pair[pairs - 1][1] == other) continue;
            if (pairs == capacity) {
                capacity = 2 * capacity + 1024;
                int(*more)[2] = realloc(pair, capacity * sizeof *more);
                if (!more) {
                    free(pair);
                    return false;
                }
                pair = more;
            }
            pair[pairs][0] = j->cell[v], pair[pairs++][1] = other;
        }
    }
    if (pairs > 1) qsort(pair, pairs, sizeof *pair, compare_pairs);
    j->neighbour = malloc((pairs + 1) * sizeof *j->neighbour);
    int used = 0;
    for (size_t i = 0; i < pairs && j->neighbour; i++) {
        if (i > 0 && pair[i][0] == pair[i - 1][0] && pair[i][1] == pair[i - 1][1]) continue;
        j->neighbour[used++] = pair[i][1];
        j->neighbour_start[pair[i][0] + 1] = used;
    }
    for (int c = 1; c <= j->cells; c++)
        if (j->neighbour_start[c] < j->neighbour_start[c - 1]) j->neighbour_start[c] = j->neighbour_start[c - 1];
    free(pair);
    return j->neighbour != NULL;
}

// --- groups ----------------------------------------------------------------------------------------------------------

typedef struct {
    int *ring; // by cell: distance from the group in cells, -1: outside the patch
    int *list; // cells of the patch
    int cells, vertices;
} patch;

// Breadth-first search from the cells with ring 0, the first 'own' of the list, up to the requested ring.
static void grow_patch(const job *j, patch *p, int own) {
    p->cells = own, p->vertices = 0;
    for (int i = 0; i < p->cells; i++) {
        const int c = p->list[i];
        p->vertices += j->start[c + 1] - j->start[c];
        if (p->ring[c] == (j->options->rings > 0 ? j->options->rings : DEFAULT_RINGS)) continue;
        for (int k = j->neighbour_start[c]; k < j->neighbour_start[c + 1]; k++) {
            const int other = j->neighbour[k];
            if (p->ring[other] >= 0) continue;
            p->ring[other] = p->ring[c] + 1;
            p->list[p->cells++] = other;
        }
    }
}

static void clear_patch(patch *p) {
    for (int i = 0; i < p->cells; i++) p->ring[p->list[i]] = -1;
    p->cells = 0;
}

// A group grows from the first unassigned handle by adjacent cells until its patch is large enough. Anchors belong to
// no group: their weight matters only near them, so every group solves for it.
static bool make_groups(job *j, int max_weights) {
    const int handles = j->cells - 1;
    patch p = {malloc(((size_t)j->cells + 1) * sizeof(int)), malloc(((size_t)j->cells + 1) * sizeof(int)), 0, 0};
    bool *assigned = calloc((size_t)j->cells + 1, sizeof *assigned);
    int *queue = malloc(((size_t)j->cells + 1) * sizeof *queue), *seen = malloc(((size_t)j->cells + 1) * sizeof *seen);
    j->group_start = malloc(((size_t)j->cells + 2) * sizeof *j->group_start);
    j->group_handle = malloc(((size_t)j->cells + 1) * sizeof *j->group_handle);
    const bool good = p.ring && p.list && assigned && queue && seen && j->group_start && j->group_handle;
    int used = 0;
    for (int c = 0; c < j->cells && good; c++) p.ring[c] = seen[c] = -1;
    j->groups = 0;
    for (int first = 0; first < handles && good; first++) {
        if (assigned[first]) continue;
        int head = 0, tail = 0, own = 0;
        queue[tail++] = first, seen[first] = first;
        while (head < tail) {
            const int c = queue[head++];
            // Is the patch still small enough with this cell?
            for (int i = 0; i < own; i++) p.list[i] = j->group_handle[used + i], p.ring[p.list[i]] = 0;
            p.list[own] = c, p.ring[c] = 0;
            grow_patch(j, &p, own + 1);
            const bool fits = own == 0 || p.vertices <= max_weights;
            clear_patch(&p);
            if (!fits) break;
            j->group_handle[used + own++] = c, assigned[c] = true;
            for (int k = j->neighbour_start[c]; k < j->neighbour_start[c + 1]; k++) {
                const int other = j->neighbour[k];
                if (other == handles || assigned[other] || seen[other] == first) continue;
                seen[other] = first, queue[tail++] = other;
            }
        }
        j->group_start[j->groups++] = used;
        used += own;
    }
    if (good) j->group_start[j->groups] = used;
    if (good && j->neighbour_start[handles] < j->neighbour_start[handles + 1])
        for (int g = 0; g < j->groups; g++)
            for (int i = j->group_start[g]; i < j->group_start[g + 1]; i++)
                if (j->group_handle[i] == j->neighbour[j->neighbour_start[handles]]) j->anchor_group = g;
    free(p.ring), free(p.list), free(assigned), free(queue), free(seen);
    return good;
}

// --- one patch -------------------------------------------------------------------------------------------------------

typedef struct {
    int *vertex, *local; // vertices of the patch; by mesh vertex: index in the patch, -1: outside
    int count;
    sn_csr_matrix rows;
    bool *fixed;
    double *x;
} patch_system;

static void patch_system_free(patch_system *s) {
    free(s->vertex), free(s->local), free(s->fixed), free(s->x);
    sn_csr_matrix_free(&s->rows);
}

static bool build_rows(const job *j, patch_system *s) {
    size_t entries = 0, at = 0;
    for (int i = 0; i < s->count; i++)
        entries += j->bilaplacian_rows.start[s->vertex[i] + 1] - j->bilaplacian_rows.start[s->vertex[i]];
    s->rows = (sn_csr_matrix){.size = s->count,
                              .start = malloc(((size_t)s->count + 1) * sizeof(size_t)),
                              .column = malloc((entries + 1) * sizeof(int)),
                              .value = malloc((entries + 1) * sizeof(double))};
    if (!s->rows.start || !s->rows.column || !s->rows.value) return false;
    for (int i = 0; i < s->count; i++) { // patch indices increase with mesh indices, so columns stay sorted
        const int v = s->vertex[i];
        s->rows.start[i] = at;
        for (size_t e = j->bilaplacian_rows.start[v]; e < j->bilaplacian_rows.start[v + 1]; e++) {
            const int c = s->local[j->bilaplacian_rows.column[e]];
            if (c >= 0) s->rows.column[at] = c, s->rows.value[at++] = j->bilaplacian_rows.value[e];
        }
    }
    s->rows.start[s->count] = at;
    return true;
}

static int compare_ints(const void *a, const void *b) {
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static bool build_part(const job *j, int group, patch_system *s) {
    const int n = j->mesh->vertex_count, first = j->group_start[group], own = j->group_start[group + 1] - first;
    patch p = {malloc(((size_t)j->cells + 1) * sizeof(int)), malloc(((size_t)j->cells + 1) * sizeof(int)), 0, 0};
    s->local = malloc(((size_t)n + 1) * sizeof *s->local);
    bool good = p.ring && p.list && s->local;
    for (int c = 0; c < j->cells && good; c++) p.ring[c] = -1;
    for (int i = 0; i < own && good; i++) p.list[i] = j->group_handle[first + i], p.ring[p.list[i]] = 0;
    if (good) {
        grow_patch(j, &p, own);
        s->vertex = malloc(((size_t)p.vertices + 1) * sizeof *s->vertex);
        good = s->vertex != NULL;
    }
    for (int i = 0; i < p.cells && good; i++)
        for (int k = j->start[p.list[i]]; k < j->start[p.list[i] + 1]; k++) s->vertex[s->count++] = j->member[k];
    if (good) {
        qsort(s->vertex, (size_t)s->count, sizeof *s->vertex, compare_ints);
        for (int v = 0; v < n; v++) s->local[v] = -1;
        for (int i = 0; i < s->count; i++) s->local[s->vertex[i]] = i;
        s->fixed = malloc((size_t)s->count + 1);
        // One column per handle of the group, one for the anchors.
        s->x = calloc((size_t)s->count * (size_t)(own + 1) + 1, sizeof *s->x);
        good = s->fixed && s->x && build_rows(j, s);
    }
    free(p.ring), free(p.list);
    return good;
}

static void solve_group(void *context, int group, int worker) {
    job *j = context;
    const int first = j->group_start[group], own = j->group_start[group + 1] - first, anchors = j->cells - 1;
    (void)worker;
    if (__atomic_load_n(&j->failed, __ATOMIC_RELAXED)) return;
    patch_system s = {0};
    bool singular = false, anchored = false, good = build_part(j, group, &s);
    for (int i = 0; i < s.count && good; i++) {
        const int owner = j->owner[s.vertex[i]];
        s.fixed[i] = owner >= 0;
        if (owner == anchors) s.x[(size_t)own * (size_t)s.count + (size_t)i] = 1, anchored = true;
        for (int c = 0; c < own; c++)
            if (owner == j->group_handle[first + c]) s.x[(size_t)c * (size_t)s.count + (size_t)i] = 1;
    }
    const int columns = own + anchored;
    good = good && sn_csr_matrix_minimise(&s.rows, s.fixed, s.x, columns, &singular);
    while (__atomic_exchange_n(&j->merge_lock, 1, __ATOMIC_ACQUIRE)) {
    } // lists are short, so the wait is short
    if (!good && singular) j->singular = true;
    if (!good) __atomic_store_n(&j->failed, true, __ATOMIC_RELAXED);
    for (int c = 0; c < columns && good; c++)
        for (int i = 0; i < s.count; i++) {
            // Write the anchors' weight only in the group's own cells, so that each vertex gets it once.
            const int handle = c < own ? j->group_handle[first + c] : anchors;
            const double w = s.x[(size_t)c * (size_t)s.count + (size_t)i];
            if (w < 1e-4) continue;
            if (c == own) {
                bool is_own = j->cell[s.vertex[i]] == anchors && group == j->anchor_group;
                for (int k = 0; k < own && !is_own; k++) is_own = j->cell[s.vertex[i]] == j->group_handle[first + k];
                if (!is_own) continue;
            }
            elastic_weight_list_add(&j->out[s.vertex[i]], handle, w);
        }
    j->options->patch_count++;
    if (s.count > j->options->largest_patch) j->options->largest_patch = s.count;
    j->work_done += (double)s.count * s.count;
    const double work_done = j->work_done / j->work_total;
    __atomic_store_n(&j->merge_lock, 0, __ATOMIC_RELEASE);
    if (worker == 0 && j->options->progress) j->options->progress(j->options->context, work_done < 1 ? work_done : 1);
    patch_system_free(&s);
}

// --- solve -----------------------------------------------------------------------------------------------------------

static bool build_operators(job *j) {
    sn_tet_laplacian laplacian;
    size_t count = 0;
    if (!sn_tet_laplacian_make(j->mesh, &laplacian)) return false;
    bool good = sn_csr_matrix_build(laplacian.count, laplacian.entries, laplacian.entry_count, &j->laplacian_rows);
    free(laplacian.entries);
    laplacian.entries = NULL;
    for (int v = 0; v < laplacian.count; v++) laplacian.mass[v] = 1 / laplacian.mass[v];
    sn_sparse_entry *square = good ? sn_csr_matrix_square(&j->laplacian_rows, laplacian.mass, &count) : NULL;
    good = square && sn_csr_matrix_build(laplacian.count, square, count, &j->bilaplacian_rows);
    free(square);
    sn_tet_laplacian_free(&laplacian);
    return good;
}

static bool check_holds(job *j, tool_error *error) {
    for (int v = 0; v < j->mesh->vertex_count; v++) j->owner[v] = -1;
    for (int i = 0; i < j->holds->count; i++) {
        const int v = j->holds->vertex[i], h = j->holds->handle[i];
        if (v < 0 || v >= j->mesh->vertex_count || h < -1 || h >= j->cells - 1 || j->owner[v] >= 0)
            return tool_error_set(error, "vertex %d cannot be held by handle %d", v, h);
        j->owner[v] = h < 0 ? j->cells - 1 : h;
    }
    return true;
}

static bool check_reached(const job *j, tool_error *error) {
    for (int v = 0; v < j->mesh->vertex_count; v++) {
        if (j->cell[v] >= 0) continue;
        const double *p = j->mesh->position[v];
        return tool_error_set(error, "the piece of the body at (%.4g, %.4g, %.4g) has no handle", p[0], p[1], p[2]);
    }
    return true;
}

// Estimates the cost of all patches.
static double measure_work(const job *j) {
    double work_total = 0;
    patch p = {malloc(((size_t)j->cells + 1) * sizeof(int)), malloc(((size_t)j->cells + 1) * sizeof(int)), 0, 0};
    for (int c = 0; c < j->cells && p.ring; c++) p.ring[c] = -1;
    for (int g = 0; g < j->groups && p.ring && p.list; g++) {
        const int first = j->group_start[g], own = j->group_start[g + 1] - first;
        for (int i = 0; i < own; i++) p.list[i] = j->group_handle[first + i], p.ring[p.list[i]] = 0;
        grow_patch(j, &p, own);
        work_total += (double)p.vertices * p.vertices;
        clear_patch(&p);
    }
    free(p.ring), free(p.list);
    return work_total > 0 ? work_total : 1;
}

// A single factorization is used when it costs no more than the overlapping patches.
enum { MAX_SINGLE_FACTOR = 60000 };

static void merge_groups(job *j) {
    const double n = j->mesh->vertex_count;
    if (j->groups < 2 || j->options->patch > 0 || n > MAX_SINGLE_FACTOR || j->work_total < n * n) return;
    j->groups = 1, j->anchor_group = 0;
    j->group_start[1] = j->cells - 1;
    for (int h = 0; h < j->cells - 1; h++) j->group_handle[h] = h;
    j->work_total = n * n;
}

static bool run(job *j, int threads) {
    sn_memory memory;
    sn_pool *pool = NULL;
    sn_memory_init(&memory, NULL);
    if (sn_pool_create(&memory, NULL, threads, &pool) != SN_OK) return false;
    sn_parallel_for(pool, j->groups, 1, solve_group, j);
    sn_pool_destroy(&memory, pool);
    return !j->failed;
}

bool elastic_weights(const sn_tet_mesh *mesh, const sn_weight_constraints *holds, elastic_weight_options *options,
                     elastic_weight_list *out, tool_error *error) {
    const size_t n = (size_t)mesh->vertex_count;
    job j = {.mesh = mesh, .holds = holds, .cells = holds->handle_count + 1, .out = out, .options = options};
    options->patch_count = options->largest_patch = 0;
    j.owner = malloc((n + 1) * sizeof *j.owner);
    j.cell = malloc((n + 1) * sizeof *j.cell);
    bool good = (j.owner && j.cell) || tool_error_out_of_memory(error);
    good = good && check_holds(&j, error);
    good = good && ((build_operators(&j) && find_cells(&j)) || tool_error_out_of_memory(error));
    good = good && check_reached(&j, error);
    good = good && ((find_neighbours(&j) && make_groups(&j, options->patch ? options->patch : DEFAULT_PATCH)) ||
                    tool_error_out_of_memory(error));
    if (good) {
        memset(out, 0, n * sizeof *out);
        j.work_total = measure_work(&j);
        merge_groups(&j);
        good = run(&j, options->threads);
        if (!good && j.singular)
            tool_error_set(error, "the mesh has tetrahedra that are too flat; remesh it with 'sinew tet'");
        else if (!good)
            tool_error_out_of_memory(error);
    }
    sn_csr_matrix_free(&j.laplacian_rows), sn_csr_matrix_free(&j.bilaplacian_rows);
    free(j.owner), free(j.cell), free(j.start), free(j.member), free(j.neighbour_start), free(j.neighbour);
    free(j.group_start), free(j.group_handle);
    return good;
}
