// The tree is cut from the top. Where to cut is decided by the surface area heuristic: of sixteen slabs along the
// longest side, the cut between them that makes
//
//     area(left) * items(left) + area(right) * items(right)
//
// least is taken, since a query meets a box about as often as its area says. Paths that get long are cut in the middle
// of the list instead, so that nothing makes a deep tree.
#include "mesh/box_tree.h"
#include <math.h>
#include <stdlib.h>

enum { SLABS = 16, LONG_PATH = 36 };

typedef tree_box box;

tree_box tree_box_empty(void) {
    return (box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

void tree_box_grow(tree_box *b, const float p[3]) {
    for (int k = 0; k < 3; k++) {
        if (p[k] < b->low[k]) b->low[k] = p[k];
        if (p[k] > b->high[k]) b->high[k] = p[k];
    }
}

static void join(box *b, const box *other) {
    for (int k = 0; k < 3; k++) {
        if (other->low[k] < b->low[k]) b->low[k] = other->low[k];
        if (other->high[k] > b->high[k]) b->high[k] = other->high[k];
    }
}

static double area(const box *b) {
    const double x = (double)b->high[0] - b->low[0], y = (double)b->high[1] - b->low[1],
                 z = (double)b->high[2] - b->low[2];
    return x < 0 ? 0 : x * y + y * z + z * x;
}

typedef struct {
    box bound;
    float centre[3];
    int number;
} item;

typedef struct {
    int node, first, count, depth;
} range;

static int slab_of(const item *it, int axis, float low, float scale) {
    const int s = (int)((it->centre[axis] - low) * scale);
    return s < 0 ? 0 : s >= SLABS ? SLABS - 1 : s;
}

// The first of the right half; 'count' is more than TREE_LEAF.
static int cut(item *items, int count, int depth) {
    box centres = tree_box_empty();
    for (int i = 0; i < count; i++) tree_box_grow(&centres, items[i].centre);
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (centres.high[k] - centres.low[k] > centres.high[axis] - centres.low[axis]) axis = k;
    const float low = centres.low[axis], side = centres.high[axis] - low, scale = (float)SLABS / side;
    if (!(side > 0) || !isfinite(scale) || depth >= LONG_PATH) return count / 2;
    box slab[SLABS];
    int in[SLABS] = {0};
    for (int s = 0; s < SLABS; s++) slab[s] = tree_box_empty();
    for (int i = 0; i < count; i++) {
        const int s = slab_of(&items[i], axis, low, scale);
        join(&slab[s], &items[i].bound);
        in[s]++;
    }
    double right_cost[SLABS];
    box side_box = tree_box_empty();
    for (int s = SLABS - 1, n = 0; s > 0; --s) {
        join(&side_box, &slab[s]);
        n += in[s];
        right_cost[s] = n ? area(&side_box) * n : 0;
    }
    side_box = tree_box_empty();
    double best = INFINITY;
    int best_cut = SLABS / 2;
    for (int s = 1, n = 0; s < SLABS; s++) {
        join(&side_box, &slab[s - 1]);
        n += in[s - 1];
        const double cost = (n ? area(&side_box) * n : 0) + right_cost[s];
        if (n > 0 && n < count && cost < best) best = cost, best_cut = s;
    }
    int left = 0; // a stable partition would need room; the order within a half is the same in every run all the same
    for (int i = 0; i < count; i++) {
        if (slab_of(&items[i], axis, low, scale) >= best_cut) continue;
        const item swapped = items[left];
        items[left++] = items[i];
        items[i] = swapped;
    }
    return left > 0 && left < count ? left : count / 2;
}

static void grow_tree(box_tree *tree, item *items) {
    range stack[TREE_DEPTH];
    int depth = 0;
    stack[depth++] = (range){0, 0, tree->count, 0};
    tree->node_count = 1;
    while (depth > 0) {
        const range r = stack[--depth];
        tree_node *node = &tree->node[r.node];
        box all = tree_box_empty();
        for (int i = 0; i < r.count; i++) join(&all, &items[r.first + i].bound);
        node->bound = all;
        if (r.count <= TREE_LEAF) {
            node->first = r.first, node->count = r.count;
            continue;
        }
        const int left = cut(items + r.first, r.count, r.depth);
        node->first = tree->node_count, node->count = 0;
        tree->node_count += 2;
        stack[depth++] = (range){node->first + 1, r.first + left, r.count - left, r.depth + 1};
        stack[depth++] = (range){node->first, r.first, left, r.depth + 1};
    }
}

bool box_tree_make(box_tree *tree, const tree_box *bounds, const int *numbers, int count) {
    const size_t room = (size_t)count + 1;
    *tree = (box_tree){.count = count};
    item *items = malloc(room * sizeof *items);
    tree->node = malloc(2 * room * sizeof *tree->node);
    tree->number = malloc(room * sizeof *tree->number);
    if (!items || !tree->node || !tree->number) {
        free(items);
        box_tree_free(tree);
        return false;
    }
    for (int i = 0; i < count; i++) {
        items[i] = (item){.bound = bounds[i], .number = numbers ? numbers[i] : i};
        for (int k = 0; k < 3; k++) items[i].centre[k] = 0.5f * bounds[i].low[k] + 0.5f * bounds[i].high[k];
    }
    if (count > 0) grow_tree(tree, items);
    for (int i = 0; i < count; i++) tree->number[i] = items[i].number;
    free(items);
    return true;
}

void box_tree_free(box_tree *tree) {
    free(tree->node);
    free(tree->number);
    *tree = (box_tree){0};
}
