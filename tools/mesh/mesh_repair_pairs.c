// Pairs: two triangles on the same three corners that face away from each other. They enclose nothing, so a pair can go
// without opening the surface anywhere, and mostly should: walls between bodies glued together, fins, and crumbs of two
// triangles that scans leave behind. But a whole sheet that is drawn with both sides is wanted: of it one side is kept.
//
// Pairs that share edges belong together. Such a group is a sheet when it has more than one pair and touches no single
// triangle; any other group goes.
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
    int *pairs;          // of each group
    char *has_neighbour; // by a single triangle
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
                sn_set_join(work->set, first, t);
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
            const int root = sn_set_root(work.set, t);
            work.pairs[root] += partner[t] > t;
            if (work.has_neighbour[t]) work.has_neighbour[root] = 1;
        }
        for (int t = 0; t < count; t++) {
            if (partner[t] < 0) continue;
            const int root = sn_set_root(work.set, t);
            const bool sheet = work.pairs[root] > 1 && !work.has_neighbour[root];
            keep[t] = sheet && partner[t] > t;
        }
    }
    free(work.set), free(work.pairs), free(work.has_neighbour), free(work.edge);
    return good;
}
