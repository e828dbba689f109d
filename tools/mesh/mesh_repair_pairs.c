// Back-to-back triangles: two triangles on the same three corners with opposite orientation. They enclose nothing, so
// removing both does not open the surface anywhere, and usually they should go: walls between bodies that were glued
// together, fins, and debris of scans. But of a whole sheet that is drawn with both sides, one side must stay.
//
// Pairs that share edges form a group. A group is a sheet if it has more than one pair and shares no edge with an
// unpaired triangle; any other group is removed.
#include "mesh/mesh_repair_internal.h"
#include <stdlib.h>

typedef struct {
    int low, high, triangle;
} pair_edge;

static int compare(const void *one, const void *two) {
    const pair_edge *a = one, *b = two;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return a->triangle < b->triangle ? -1 : a->triangle > b->triangle;
}

typedef struct {
    int *set;            // triangles -> the first of their group
    int *pairs;          // in each group
    char *has_neighbour; // shares an edge with an unpaired triangle
    pair_edge *edge;
} pair_work;

static void find_groups(pair_work *work, int edges, const int *partner) {
    for (int i = 0, end; i < edges; i = end) {
        int first = -1;
        bool single = false;
        for (end = i;
             end < edges && work->edge[end].low == work->edge[i].low && work->edge[end].high == work->edge[i].high;
             ++end) {
            const int t = work->edge[end].triangle;
            if (partner[t] < 0)
                single = true;
            else if (first < 0)
                first = t;
            else
                sn_union(work->set, first, t);
        }
        if (single && first >= 0) work->has_neighbour[first] = 1;
    }
}

bool choose_back_to_back(const int (*triangle)[3], int count, const int *partner, char *keep) {
    const size_t capacity = (size_t)count + 1;
    int any = 0;
    for (int t = 0; t < count; t++) any += partner[t] >= 0;
    if (any == 0) return true;
    pair_work work = {malloc(capacity * sizeof(int)), calloc(capacity, sizeof(int)), calloc(capacity, 1),
                      malloc(3 * capacity * sizeof(pair_edge))};
    const bool good = work.set && work.pairs && work.has_neighbour && work.edge;
    if (good) {
        int edges = 0;
        for (int t = 0; t < count; t++) {
            work.set[t] = t;
            for (int k = 0; k < 3 && keep[t]; k++) {
                const int a = triangle[t][k], b = triangle[t][(k + 1) % 3];
                work.edge[edges++] = (pair_edge){a < b ? a : b, a < b ? b : a, t};
            }
        }
        qsort(work.edge, (size_t)edges, sizeof *work.edge, compare);
        find_groups(&work, edges, partner);
        for (int t = 0; t < count; t++) {
            if (partner[t] < 0) continue;
            const int root = sn_find_root(work.set, t);
            work.pairs[root] += partner[t] > t;
            if (work.has_neighbour[t]) work.has_neighbour[root] = 1;
        }
        for (int t = 0; t < count; t++) {
            if (partner[t] < 0) continue;
            const int root = sn_find_root(work.set, t);
            const bool sheet = work.pairs[root] > 1 && !work.has_neighbour[root];
            keep[t] = sheet && partner[t] > t;
        }
    }
    free(work.set), free(work.pairs), free(work.has_neighbour), free(work.edge);
    return good;
}
