// Topology: from points with parents to blocks in an order that the solvers can run.
//
// Blocks are numbered in preorder: a parent before its children, its first child right after it. Read backwards this is an
// elimination order in which each block's Schur complement goes to the very next block along a chain.
//
//         3 -- 4                 root 0 is a tip (or lies on the cycle of a loop), so that every joint is between a
//        /                       segment and its parent's segment; at a branch the children's segments are
//   0 - 1 - 2 - 5 - 6            each joined to the one towards the root (rod_model.c)
#include "kinds/rod/rod_body.h"
#include <string.h>

// Follows parents from point 0: the number of points on the cycle through it, 0 if there is none.
static int cycle_through_first(int n, const int *parent) {
    int at = 0;
    for (int steps = 1; steps <= n; steps++) {
        at = parent[at];
        if (at < 0) return 0;
        if (at == 0) return steps;
    }
    return 0;
}

// Neighbours of point i, ascending: list[first[i]] .. list[first[i + 1] - 1].
static void list_neighbours(int n, const int *parent, int *first, int *list) {
    for (int i = 0; i <= n; i++) first[i] = 0;
    for (int i = 0; i < n; i++)
        if (parent[i] >= 0) ++first[i], ++first[parent[i]];
    for (int i = 0, sum = 0; i <= n; i++) { // first[i] becomes the end of list i ...
        sum += first[i];
        first[i] = sum;
    }
    for (int i = n - 1; i >= 0; --i) { // ... and its start, by filling every list from its end
        if (parent[i] < 0) continue;
        list[--first[i]] = parent[i];
        list[--first[parent[i]]] = i;
    }
}

// The root: point 0 if it is a tip or on the cycle; else the given root if it is a tip, else the first tip.
static int choose_root(int n, const int *parent, const int *first, bool loop) {
    if (loop || first[1] - first[0] == 1) return 0;
    int given = 0, tip = 0;
    for (int i = n - 1; i >= 0; --i) {
        if (parent[i] < 0) given = i;
        if (first[i + 1] - first[i] == 1) tip = i;
    }
    return first[given + 1] - first[given] == 1 ? given : tip;
}

// Numbers the blocks in preorder from the root. Returns false if some point is not reached.
static bool walk(int n, int root, int closing, const int *first, const int *list, int ghost_point, int *stack,
                 sn_rod_order *out) {
    int depth = 0, blocks = 0;
    for (int i = 0; i < n; i++) out->block_of_point[i] = -1;
    out->ghost = -1;
    stack[depth++] = root;
    out->block_of_point[root] = -2; // waiting
    int *from = stack + n;          // the block that a waiting point was reached from
    from[root] = -1;
    while (depth > 0) {
        int point = stack[--depth];
        int block = blocks++;
        out->block_of_point[point] = block;
        out->point_of_block[block] = point;
        out->parent[block] = from[point];
        for (int k = first[point + 1] - 1; k >= first[point];
             --k) { // last first, so that the lowest comes off the stack
            int next = list[k];
            if (out->block_of_point[next] != -1) continue;
            if (point == root && next == closing) continue; // the loop is cut here
            out->block_of_point[next] = -2;
            from[next] = block;
            stack[depth++] = next;
        }
        if (point == ghost_point) {
            out->ghost = blocks++;
            out->parent[out->ghost] = block;
            out->point_of_block[out->ghost] = -1;
        }
    }
    out->blocks = blocks;
    if (closing >= 0) out->parent[0] = out->block_of_point[closing];
    return blocks == n + (out->ghost >= 0);
}

const char *sn_rod_order_points(sn_memory *memory, const sn_rod_def *def, sn_rod_order *out, const char **field) {
    const int n = def->point_count;
    *field = "parents";
    const size_t work_count = 6 * (size_t)n + 1;
    int *work = sn_alloc(memory, work_count, sizeof *work);
    if (!work) {
        *field = NULL;
        return "out of memory";
    }
    int *parent = work, *first = parent + n, *list = first + n + 1, *stack = list + 2 * n;
    const char *wrong = NULL;
    int roots = 0;
    for (int i = 0; i < n && !wrong; i++) {
        parent[i] = def->parents ? def->parents[i] : def->closed ? (i + n - 1) % n : i - 1;
        if (parent[i] < -1 || parent[i] >= n)
            wrong = "an entry names no point (it must be -1 or the number of a point)";
        if (parent[i] == i) wrong = "a point is its own parent";
        roots += parent[i] < 0;
    }
    const bool loop = roots == 0;
    if (!wrong && roots > 1) wrong = "more than one point has parent -1: the points must be connected";
    if (!wrong && loop) {
        int length = cycle_through_first(n, parent);
        if (length == 0) wrong = "the cycle must go through point 0 (or one point must have parent -1)";
        if (length == 1 || length == 2) wrong = "a loop needs at least 3 points on its cycle";
    }
    if (!wrong) {
        list_neighbours(n, parent, first, list);
        int root = choose_root(n, parent, first, loop);
        bool last_is_tip = first[n] - first[n - 1] == 1 && root != n - 1;
        if (loop && (def->clamp_first || def->clamp_last)) {
            *field = def->clamp_first ? "clamp_first" : "clamp_last";
            wrong = "a loop has no ends to clamp: hold points instead";
        } else if (def->clamp_first && root != 0) {
            *field = "clamp_first";
            wrong = "point 0 is not an end: only ends can be clamped (hold points instead)";
        } else if (def->clamp_last && !last_is_tip) {
            *field = "clamp_last";
            wrong = "the last point is not an end: only ends can be clamped (hold points instead)";
        } else if (!walk(n, root, loop ? parent[0] : -1, first, list, def->clamp_last ? n - 1 : -1, stack, out))
            wrong = "some points are not connected to the others";
    }
    sn_free(memory, work, work_count, sizeof *work);
    return wrong;
}

size_t sn_topology_tables(int blocks) {
    return 4 * (size_t)blocks;
}

void sn_topology_build(sn_topology *topology, int *tables, int blocks, const int *parent) {
    memset(topology, 0, sizeof *topology);
    int *own_parent = tables, *store = tables + blocks, *degree = tables + 2 * blocks;
    unsigned char *on_cycle = (unsigned char *)(tables + 3 * blocks);
    memset(on_cycle, 0, (size_t)blocks);
    for (int i = 0; i < blocks; i++) own_parent[i] = parent[i], store[i] = -1, degree[i] = 0;
    for (int i = 0; i < blocks; i++) {
        if (parent[i] < 0) continue;
        ++degree[i], ++degree[parent[i]];
        if (i > 0 && parent[i] != i - 1 && store[parent[i]] < 0) store[parent[i]] = topology->stores++;
    }
    if (parent[0] >= 0)
        for (int i = parent[0]; i != 0; i = parent[i]) on_cycle[i] = 1;
    topology->blocks = blocks;
    topology->parent = own_parent;
    topology->store = store;
    topology->degree = degree;
    topology->loop = parent[0] >= 0;
    topology->on_cycle = on_cycle;
}
