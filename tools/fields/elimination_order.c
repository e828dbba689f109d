// Nested dissection (George 1973): few vertices that cut the matrix's graph in two are eliminated last, and the two
// sides before them, each in the same way. Sides of few vertices are ordered by minimum degree: always the vertex with
// the fewest neighbours, which then become neighbours of each other.
//
// The order is then rearranged into a postorder of the elimination tree, which changes no fill: the parent of column k
// is the first row below the diagonal of the factor's column k.
#include "fields/elimination_order.h"
#include "fields/vertex_separator.h"
#include <stdint.h>
#include <stdlib.h>

enum { LEAF = 256, WORDS = LEAF / 64 }; // vertices that are ordered by minimum degree; their sets of neighbours

// ---- minimum degree

static void minimum_degree(const sn_graph *g, const int *name, int *order) {
    uint64_t beside[LEAF][WORDS] = {0}, left[WORDS] = {0};
    int degree[LEAF];
    for (int v = 0; v < g->count; v++) {
        left[v / 64] |= UINT64_C(1) << v % 64;
        degree[v] = g->start[v + 1] - g->start[v];
        for (int e = g->start[v]; e < g->start[v + 1]; e++)
            beside[v][g->neighbour[e] / 64] |= UINT64_C(1) << g->neighbour[e] % 64;
    }
    for (int k = 0; k < g->count; k++) {
        int best = -1;
        for (int v = 0; v < g->count; v++)
            if (left[v / 64] >> v % 64 & 1 && (best < 0 || degree[v] < degree[best])) best = v;
        order[k] = name[best];
        left[best / 64] &= ~(UINT64_C(1) << best % 64);
        for (int w = 0; w < WORDS; w++) beside[best][w] &= left[w];
        for (int w = 0; w < WORDS; w++)
            for (uint64_t rest = beside[best][w]; rest; rest &= rest - 1) {
                const int u = 64 * w + __builtin_ctzll(rest);
                degree[u] = -1; // without itself
                for (int i = 0; i < WORDS; i++) {
                    beside[u][i] = (beside[u][i] | beside[best][i]) & left[i];
                    degree[u] += __builtin_popcountll(beside[u][i]);
                }
            }
    }
}

// ---- nested dissection

// The vertices on a side with the edges between them. 'at': room for all vertices. False: out of memory.
static bool extract_side(const sn_graph *g, const int *name, const unsigned char *side, int wanted, int *at,
                         sn_graph *out, int **out_name) {
    int edges = 0;
    *out = (sn_graph){0};
    for (int v = 0; v < g->count; v++) {
        if (side[v] != wanted) continue;
        at[v] = out->count++;
        edges += g->start[v + 1] - g->start[v];
    }
    out->start = malloc(((size_t)out->count + 1) * sizeof *out->start);
    out->neighbour = malloc(((size_t)edges + 1) * sizeof *out->neighbour);
    *out_name = malloc(((size_t)out->count + 1) * sizeof **out_name);
    if (!out->start || !out->neighbour || !*out_name) return false;
    int used = 0;
    for (int v = 0; v < g->count; v++) {
        if (side[v] != wanted) continue;
        out->start[at[v]] = used;
        (*out_name)[at[v]] = name[v];
        for (int e = g->start[v]; e < g->start[v + 1]; e++)
            if (side[g->neighbour[e]] == wanted) out->neighbour[used++] = at[g->neighbour[e]];
    }
    out->start[out->count] = used;
    return true;
}

typedef struct {
    int degree, name;
} ranked;

static int compare_ranked(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    const int first = (x->degree > y->degree) - (x->degree < y->degree);
    return first ? first : (x->name > y->name) - (x->name < y->name);
}

// What cannot be cut, since nearly all are joined to nearly all: any order does.
static bool order_by_degree(const sn_graph *g, const int *name, int *order) {
    ranked *all = malloc(((size_t)g->count + 1) * sizeof *all);
    if (!all) return false;
    for (int v = 0; v < g->count; v++) all[v] = (ranked){g->start[v + 1] - g->start[v], name[v]};
    qsort(all, (size_t)g->count, sizeof *all, compare_ranked);
    for (int v = 0; v < g->count; v++) order[v] = all[v].name;
    free(all);
    return true;
}

static bool dissect(const sn_graph *g, const int *name, int *order);

// Orders one side of a graph that is cut.
static bool dissect_side(const sn_graph *g, const int *name, const unsigned char *side, int wanted, int *at,
                         int *order) {
    sn_graph part;
    int *part_name;
    const bool good = extract_side(g, name, side, wanted, at, &part, &part_name) && dissect(&part, part_name, order);
    sn_graph_free(&part);
    free(part_name);
    return good;
}

// Orders a graph whose vertex v is the row name[v].
static bool dissect(const sn_graph *g, const int *name, int *order) {
    if (g->count <= LEAF) {
        minimum_degree(g, name, order);
        return true;
    }
    unsigned char *side = malloc((size_t)g->count);
    int *at = malloc((size_t)g->count * sizeof *at), count[3] = {0};
    bool good = side && at && sn_vertex_separator(g, side);
    for (int v = 0; v < g->count && good; v++) count[side[v]]++;
    const int larger = count[0] > count[1] ? count[0] : count[1];
    if (good && (count[0] == 0 || count[1] == 0 || larger > g->count - g->count / 16)) {
        good = order_by_degree(g, name, order);
    } else if (good) {
        for (int v = 0, last = count[0] + count[1]; v < g->count; v++)
            if (side[v] == SN_SEPARATOR) order[last++] = name[v];
        good = dissect_side(g, name, side, SN_SIDE_A, at, order) &&
               dissect_side(g, name, side, SN_SIDE_B, at, order + count[0]);
    }
    free(side), free(at);
    return good;
}

// The graph of a matrix: rows are joined by entries outside the diagonal.
static bool build_graph(int size, const int *start, const int *row, sn_graph *g) {
    g->count = size;
    g->start = calloc((size_t)size + 2, sizeof *g->start);
    g->neighbour = malloc((2 * (size_t)start[size] + 1) * sizeof *g->neighbour);
    if (!g->start || !g->neighbour) return false;
    for (int pass = 0; pass < 2; pass++) { // count, then fill
        for (int j = 0; j < size; j++)
            for (int e = start[j]; e < start[j + 1]; e++) {
                const int i = row[e];
                if (i == j) continue;
                if (pass == 0)
                    g->start[i + 1]++, g->start[j + 1]++;
                else
                    g->neighbour[g->start[i]++] = j, g->neighbour[g->start[j]++] = i;
            }
        if (pass == 0)
            for (int i = 0; i < size; i++) g->start[i + 1] += g->start[i];
    }
    for (int i = size; i > 0; --i) g->start[i] = g->start[i - 1]; // filling moved each to the next one's start
    g->start[0] = 0;
    return true;
}

// ---- elimination tree

typedef struct {
    int *parent, *count;
    int *seen, *position, *order;
    int *child, *sibling;
} tree;

static void tree_free(tree *t) {
    free(t->parent), free(t->count), free(t->seen), free(t->position), free(t->order), free(t->child), free(t->sibling);
}

static bool tree_create(tree *t, int size) {
    const size_t n = ((size_t)size + 1) * sizeof(int);
    *t = (tree){malloc(n), malloc(n), malloc(n), malloc(n), malloc(n), malloc(n), malloc(n)};
    return t->parent && t->count && t->seen && t->position && t->order && t->child && t->sibling;
}

// Parents, and the entries of each column of the factor: row i has entries in the columns on the paths of the tree from
// those of its entries in the matrix up to i.
static void find_tree(tree *t, const sn_graph *g) {
    for (int k = 0; k < g->count; k++) t->position[t->order[k]] = k;
    for (int i = 0; i < g->count; i++) {
        t->parent[i] = -1, t->count[i] = 1, t->seen[i] = i;
        const int v = t->order[i];
        for (int e = g->start[v]; e < g->start[v + 1]; e++)
            for (int k = t->position[g->neighbour[e]]; k < i && t->seen[k] != i; k = t->parent[k]) {
                if (t->parent[k] < 0) t->parent[k] = i;
                t->count[k]++;
                t->seen[k] = i;
            }
    }
}

// Children with many entries come last, next to their parents: they are merged into supernodes.
static void list_children(tree *t, int size) {
    int *first = t->seen, *next = t->position; // columns by their number of entries
    for (int k = 0; k <= size; k++) first[k] = t->child[k] = -1;
    for (int k = size - 1; k >= 0; --k) next[k] = first[t->count[k]], first[t->count[k]] = k;
    for (int c = size; c > 0; --c)
        for (int k = first[c]; k >= 0; k = next[k]) {
            const int parent = t->parent[k] < 0 ? size : t->parent[k];
            t->sibling[k] = t->child[parent];
            t->child[parent] = k;
        }
}

// Writes the order and the counts, children before their parents.
static void write_postorder(tree *t, int size, int *order, int *count) {
    int done = 0;
    for (int k = t->child[size]; k >= 0;) {
        while (t->child[k] >= 0) { // down; a child that was entered is no longer listed
            const int child = t->child[k];
            t->child[k] = t->sibling[child];
            t->sibling[child] = -2 - k; // the way back
            k = child;
        }
        order[done] = t->order[k];
        count[done++] = t->count[k];
        k = t->sibling[k] < -1 ? -2 - t->sibling[k] : t->sibling[k];
    }
}

bool sn_elimination_order(int size, const int *start, const int *row, int *order, int *count) {
    sn_graph g = {0};
    tree t;
    bool good = tree_create(&t, size) && build_graph(size, start, row, &g);
    for (int v = 0; v < size && good; v++) t.seen[v] = v;
    good = good && dissect(&g, t.seen, t.order);
    if (good) {
        find_tree(&t, &g);
        list_children(&t, size);
        write_postorder(&t, size, order, count);
    }
    sn_graph_free(&g);
    tree_free(&t);
    return good;
}
