// Vertex separators by the multilevel method (Hendrickson and Leland 1995, Karypis and Kumar 1998). Pairs of neighbours
// are merged until few vertices are left; that graph is cut from several seeds, the best cut is kept, handed back to
// the finer graphs one by one, and improved in each.
//
// A cut is improved by moves (Fiduccia and Mattheyses 1982, for vertices: Ashcraft and Liu 1997): a vertex of the
// separator goes to a side, and its neighbours on the other side take its place. What the separator gains is the
// vertex's weight without that of those neighbours. Moves are done best first, also bad ones, each vertex once; then
// those after the best state are undone.
#include "fields/vertex_separator.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    COARSEST = 100, // vertices that are cut without further merging
    SEEDS = 4,      // cuts of the coarsest graph
    PASSES = 8,     // of moves, at most
    BAD_MOVES = 60, // without a better state, until a pass ends
    NOT_QUEUED = -1,
};

static int weight_of(const sn_graph *g, int v) {
    return g->weight ? g->weight[v] : 1;
}

static uint32_t scatter(uint32_t i) { // a permutation of 32-bit numbers without pattern
    i = (i ^ (i >> 16)) * 0x7feb352du;
    i = (i ^ (i >> 15)) * 0x846ca68bu;
    return i ^ (i >> 16);
}

void sn_graph_free(sn_graph *g) {
    free(g->start), free(g->neighbour), free(g->edge), free(g->weight);
    *g = (sn_graph){0};
}

// ---- merging

// Finds a partner for each vertex, the neighbour with the heaviest edge; 'partner' is the vertex itself where there is
// none. Vertices with few neighbours choose first.
static bool match(const sn_graph *g, int max_weight, int *partner) {
    const size_t n = (size_t)g->count;
    int *first = calloc(n + 2, sizeof *first), *order = malloc((n + 1) * sizeof *order);
    const bool good = first && order;
    for (int v = 0; v < g->count && good; v++) first[g->start[v + 1] - g->start[v] + 1]++, partner[v] = -1;
    for (int d = 0; d < g->count && good; d++) first[d + 1] += first[d];
    for (int v = 0; v < g->count && good; v++) order[first[g->start[v + 1] - g->start[v]]++] = v;
    for (int i = 0; i < g->count && good; i++) {
        const int v = order[i];
        if (partner[v] >= 0) continue;
        int best = v, best_edge = 0;
        uint32_t best_rank = 0;
        for (int e = g->start[v]; e < g->start[v + 1]; e++) {
            const int u = g->neighbour[e], edge = g->edge ? g->edge[e] : 1;
            if (partner[u] >= 0 || edge < best_edge || weight_of(g, v) + weight_of(g, u) > max_weight) continue;
            const uint32_t rank = scatter((uint32_t)u);
            if (edge == best_edge && rank <= best_rank) continue;
            best = u, best_edge = edge, best_rank = rank;
        }
        partner[v] = best, partner[best] = v;
    }
    free(first), free(order);
    return good;
}

// Numbers the merged vertices, and joins those whose members are joined. 'slot' has room for all vertices.
static bool contract(const sn_graph *g, const int *partner, int *merged, int *slot, sn_graph *out) {
    const size_t n = (size_t)g->count, edges = (size_t)g->start[g->count];
    *out = (sn_graph){.start = malloc((n + 1) * sizeof(int)),
                      .neighbour = malloc((edges + 1) * sizeof(int)),
                      .edge = malloc((edges + 1) * sizeof(int)),
                      .weight = malloc((n + 1) * sizeof(int))};
    if (!out->start || !out->neighbour || !out->edge || !out->weight) return false;
    for (int v = 0; v < g->count; v++)
        if (v <= partner[v]) merged[v] = merged[partner[v]] = out->count++;
    int used = 0;
    for (int i = 0; i < out->count; i++) slot[i] = -1;
    for (int v = 0; v < g->count; v++) {
        if (v > partner[v]) continue;
        const int own = merged[v], begin = used, members[2] = {v, partner[v]};
        out->start[own] = begin;
        out->weight[own] = 0;
        for (int m = 0; m < 1 + (partner[v] != v); m++) {
            const int member = members[m];
            out->weight[own] += weight_of(g, member);
            for (int e = g->start[member]; e < g->start[member + 1]; e++) {
                const int to = merged[g->neighbour[e]], edge = g->edge ? g->edge[e] : 1;
                if (to == own) continue;
                if (slot[to] < begin) {
                    slot[to] = used;
                    out->neighbour[used] = to, out->edge[used++] = edge;
                } else {
                    out->edge[slot[to]] += edge;
                }
            }
        }
    }
    out->start[out->count] = used;
    return true;
}

// ---- moves

typedef struct {
    int gain, vertex;
} queued;

typedef struct {
    queued *heap;
    int *place; // of each vertex in the heap
    int count;
} queue;

typedef struct {
    const sn_graph *graph;
    unsigned char *side;
    int weight[3], max_weight; // of the sides and the separator; of a side at most
    queue queues[2];           // vertices of the separator, and what it gains if they move to each side
    bool *done;                // moved in this pass
    int *log, log_count; // vertices that changed, in order: a vertex that moved is followed by those that it pulled
    int *log_start, moves;
} cut;

static bool before(queued a, queued b) {
    return a.gain > b.gain || (a.gain == b.gain && a.vertex < b.vertex);
}

static void place(queue *q, int at, queued v) {
    q->heap[at] = v, q->place[v.vertex] = at;
}

static void queue_sift(queue *q, int at) {
    const queued v = q->heap[at];
    for (; at > 0 && before(v, q->heap[(at - 1) / 2]); at = (at - 1) / 2) place(q, at, q->heap[(at - 1) / 2]);
    for (int child; (child = 2 * at + 1) < q->count; at = child) {
        if (child + 1 < q->count && before(q->heap[child + 1], q->heap[child])) child++;
        if (!before(q->heap[child], v)) break;
        place(q, at, q->heap[child]);
    }
    place(q, at, v);
}

static void queue_remove(queue *q, int v) {
    const int at = q->place[v];
    if (at == NOT_QUEUED) return;
    q->place[v] = NOT_QUEUED;
    const queued last = q->heap[--q->count];
    if (last.vertex == v) return;
    place(q, at, last);
    queue_sift(q, at);
}

static void queue_add(queue *q, int v, int gain) {
    place(q, q->count++, (queued){gain, v});
    queue_sift(q, q->count - 1);
}

static void change_gain(queue *q, int v, int by) {
    if (q->place[v] == NOT_QUEUED) return;
    q->heap[q->place[v]].gain += by;
    queue_sift(q, q->place[v]);
}

// A vertex has come into the separator.
static void enter(cut *c, int v) {
    const sn_graph *g = c->graph;
    int beside[3] = {0};
    if (c->done[v]) return;
    for (int e = g->start[v]; e < g->start[v + 1]; e++)
        beside[c->side[g->neighbour[e]]] += weight_of(g, g->neighbour[e]);
    for (int s = 0; s < 2; s++) queue_add(&c->queues[s], v, weight_of(g, v) - beside[1 - s]);
}

static void set_side(cut *c, int v, int side) {
    c->weight[c->side[v]] -= weight_of(c->graph, v);
    c->weight[side] += weight_of(c->graph, v);
    c->side[v] = (unsigned char)side;
}

// Moves a vertex of the separator to side s.
static void move(cut *c, int v, int s) {
    const sn_graph *g = c->graph;
    const int other = 1 - s;
    queue_remove(&c->queues[0], v), queue_remove(&c->queues[1], v);
    c->done[v] = true;
    set_side(c, v, s);
    c->log_start[c->moves++] = c->log_count;
    c->log[c->log_count++] = v;
    for (int e = g->start[v]; e < g->start[v + 1]; e++) {
        const int u = g->neighbour[e];
        if (c->side[u] == SN_SEPARATOR) change_gain(&c->queues[other], u, -weight_of(g, v));
        if (c->side[u] != other) continue;
        set_side(c, u, SN_SEPARATOR);
        c->log[c->log_count++] = u;
        for (int k = g->start[u]; k < g->start[u + 1]; k++)
            if (c->side[g->neighbour[k]] == SN_SEPARATOR) change_gain(&c->queues[s], g->neighbour[k], weight_of(g, u));
        enter(c, u);
    }
}

// Undoes moves until 'moves' are left.
static void undo(cut *c, int moves) {
    while (c->moves > moves) {
        const int start = c->log_start[--c->moves], other = 1 - c->side[c->log[start]];
        while (c->log_count > start + 1) set_side(c, c->log[--c->log_count], other);
        set_side(c, c->log[--c->log_count], SN_SEPARATOR);
    }
}

static void empty_queues(cut *c) {
    for (int s = 0; s < 2; s++)
        while (c->queues[s].count > 0) c->queues[s].place[c->queues[s].heap[--c->queues[s].count].vertex] = NOT_QUEUED;
}

static void begin_pass(cut *c) {
    c->log_count = c->moves = 0;
    memset(c->done, 0, (size_t)c->graph->count * sizeof *c->done);
    for (int v = 0; v < c->graph->count; v++)
        if (c->side[v] == SN_SEPARATOR) enter(c, v);
}

// The cost of a cut: what is too heavy on a side counts most, then the separator, then the difference of the sides.
static double cost(const cut *c) {
    const int heavy = c->weight[0] > c->weight[1] ? c->weight[0] : c->weight[1];
    const double excess = heavy > c->max_weight ? heavy - c->max_weight : 0;
    const double total = (double)c->weight[0] + c->weight[1] + c->weight[2];
    return 1e6 * excess + c->weight[2] + (2.0 * heavy + c->weight[2] - total) / (total + 1);
}

// The side that the next move goes to, -1: none can.
static int next_side(const cut *c) {
    int best = -1;
    for (int i = 0; i < 2; i++) {
        const int s = c->weight[0] <= c->weight[1] ? i : 1 - i; // the lighter side first
        if (c->queues[s].count == 0) continue;
        const queued v = c->queues[s].heap[0];
        if (c->weight[s] + weight_of(c->graph, v.vertex) > c->max_weight) continue;
        if (best < 0 || v.gain > c->queues[best].heap[0].gain) best = s;
        if (c->weight[1 - s] > c->max_weight) break; // the other side must shrink
    }
    return best;
}

static void improve(cut *c) {
    for (int pass = 0; pass < PASSES; pass++) {
        begin_pass(c);
        const double start = cost(c);
        double best = start;
        int best_moves = 0;
        while (c->moves - best_moves < BAD_MOVES) {
            const int s = next_side(c);
            if (s < 0) break;
            move(c, c->queues[s].heap[0].vertex, s);
            const double now = cost(c);
            if (now < best) best = now, best_moves = c->moves;
        }
        undo(c, best_moves);
        empty_queues(c);
        if (!(best < start)) break;
    }
}

// Lets side A grow from a seed until it is half of the graph. Pieces that are not joined follow each other.
static void grow(cut *c, int seed) {
    const sn_graph *g = c->graph;
    c->weight[0] = c->weight[1] = c->weight[2] = 0;
    for (int v = 0; v < g->count; v++) c->side[v] = SN_SIDE_B, c->weight[SN_SIDE_B] += weight_of(g, v);
    begin_pass(c);
    const int half = c->weight[SN_SIDE_B] / 2;
    int next = 0;
    while (c->weight[SN_SIDE_A] + c->weight[SN_SEPARATOR] / 2 < half) {
        if (c->queues[SN_SIDE_A].count == 0) {
            int v = seed;
            while (c->side[v] != SN_SIDE_B && next < g->count) v = next++;
            if (c->side[v] != SN_SIDE_B) break;
            set_side(c, v, SN_SEPARATOR);
            enter(c, v);
        }
        move(c, c->queues[SN_SIDE_A].heap[0].vertex, SN_SIDE_A);
    }
    empty_queues(c);
}

static void measure(cut *c) {
    c->weight[0] = c->weight[1] = c->weight[2] = 0;
    for (int v = 0; v < c->graph->count; v++) c->weight[c->side[v]] += weight_of(c->graph, v);
    const int total = c->weight[0] + c->weight[1] + c->weight[2];
    c->max_weight = total - total * 2 / 5;
}

static void cut_free(cut *c) {
    for (int s = 0; s < 2; s++) free(c->queues[s].heap), free(c->queues[s].place);
    free(c->done), free(c->log), free(c->log_start);
}

// A vertex moves once in a pass, and enters the separator at most once more than that.
static bool cut_create(cut *c, const sn_graph *g, unsigned char *side) {
    const size_t n = (size_t)g->count + 1;
    *c = (cut){.graph = g, .side = side};
    bool good = (c->done = malloc(n * sizeof *c->done)) && (c->log = malloc(4 * n * sizeof *c->log)) &&
                (c->log_start = malloc(n * sizeof *c->log_start));
    for (int s = 0; s < 2; s++) {
        c->queues[s] = (queue){.heap = malloc(n * sizeof(queued)), .place = malloc(n * sizeof(int))};
        good = good && c->queues[s].heap && c->queues[s].place;
        for (int v = 0; v < g->count && good; v++) c->queues[s].place[v] = NOT_QUEUED;
    }
    return good;
}

// ---- levels

static bool cut_coarsest(cut *c) {
    const int n = c->graph->count;
    unsigned char *best_side = malloc((size_t)n + 1);
    double best = 0;
    if (!best_side) return false;
    for (int i = 0; i < SEEDS; i++) {
        memset(c->side, SN_SIDE_B, (size_t)n);
        measure(c);
        grow(c, (int)(scatter((uint32_t)i) % (uint32_t)n));
        improve(c);
        if (i > 0 && cost(c) >= best) continue;
        best = cost(c);
        memcpy(best_side, c->side, (size_t)n);
    }
    memcpy(c->side, best_side, (size_t)n);
    free(best_side);
    return true;
}

static bool separate(const sn_graph *g, int total, unsigned char *side);

// Cuts the graph of merged vertices, and takes its cut. Sets *reduced to false where too few could be merged.
static bool separate_merged(const sn_graph *g, int total, unsigned char *side, bool *reduced) {
    const size_t n = (size_t)g->count + 1;
    int *partner = malloc(n * sizeof *partner), *merged = malloc(n * sizeof *merged), *slot = malloc(n * sizeof *slot);
    unsigned char *coarse_side = malloc(n);
    sn_graph coarse = {0};
    bool good = partner && merged && slot && coarse_side && match(g, 1 + 3 * total / (2 * COARSEST), partner) &&
                contract(g, partner, merged, slot, &coarse);
    free(partner), free(slot);
    *reduced = good && coarse.count < g->count - g->count / 20;
    if (*reduced) good = separate(&coarse, total, coarse_side);
    for (int v = 0; v < g->count && *reduced && good; v++) side[v] = coarse_side[merged[v]];
    sn_graph_free(&coarse);
    free(merged), free(coarse_side);
    return good;
}

static bool separate(const sn_graph *g, int total, unsigned char *side) {
    bool merged = false;
    if (g->count > COARSEST && !separate_merged(g, total, side, &merged)) return false;
    cut c;
    bool good = cut_create(&c, g, side);
    if (good && merged) {
        measure(&c);
        improve(&c);
    } else if (good) {
        good = cut_coarsest(&c);
    }
    cut_free(&c);
    return good;
}

bool sn_vertex_separator(const sn_graph *graph, unsigned char *side) {
    int total = 0;
    for (int v = 0; v < graph->count; v++) total += weight_of(graph, v);
    return graph->count == 0 || separate(graph, total, side);
}
