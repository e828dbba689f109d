// A tree of boxes that is refitted: halves by the middle of the longest side of the middles' box, one item a leaf,
// nodes in the order in which they are visited.
//
// Pairs are found by going down both trees at once, into the larger box first. The stack holds at most one pair a level
// of each tree, and splitting by count keeps the levels few: 2 log2 of any number of items that fits an int.
#include "elastic/medial_tree.h"
#include "base/real.h"
#include <string.h>

static sn_bounds joined(const sn_bounds *a, const sn_bounds *b) {
    return (sn_bounds){
        .lo = {sn_min(a->lo.x, b->lo.x), sn_min(a->lo.y, b->lo.y), sn_min(a->lo.z, b->lo.z)},
        .hi = {sn_max(a->hi.x, b->hi.x), sn_max(a->hi.y, b->hi.y), sn_max(a->hi.z, b->hi.z)},
    };
}

// Twice the middle of a box along an axis.
static sn_real middle(const sn_bounds *box, int axis) {
    return axis == 0 ? box->lo.x + box->hi.x : (axis == 1 ? box->lo.y + box->hi.y : box->lo.z + box->hi.z);
}

static bool before(const sn_bounds *boxes, int a, int b, int axis) {
    sn_real ma = middle(&boxes[a], axis), mb = middle(&boxes[b], axis);
    return ma < mb || (ma == mb && a < b);
}

// Puts the k-th of items[lo, hi) where it belongs, smaller ones before it (Hoare's selection).
static void select_kth(const sn_bounds *boxes, int *items, int lo, int hi, int k, int axis) {
    while (hi - lo > 1) {
        int pivot = items[lo + (hi - lo) / 2], i = lo, j = hi - 1;
        while (i <= j) {
            while (before(boxes, items[i], pivot, axis)) ++i;
            while (before(boxes, pivot, items[j], axis)) --j;
            if (i > j) break;
            int swap = items[i];
            items[i++] = items[j];
            items[j--] = swap;
        }
        if (k <= j) {
            hi = j + 1;
        } else if (k >= i) {
            lo = i;
        } else {
            return;
        }
    }
}

static int build(sn_medial_tree *tree, const sn_bounds *boxes, int *items, int lo, int hi) {
    int self = tree->node_count++;
    if (hi - lo == 1) {
        tree->nodes[self] = (sn_medial_node){items[lo], -1};
        return self;
    }
    sn_real least[3], most[3];
    for (int axis = 0; axis < 3; ++axis) {
        least[axis] = most[axis] = middle(&boxes[items[lo]], axis);
        for (int i = lo + 1; i < hi; ++i) {
            sn_real m = middle(&boxes[items[i]], axis);
            least[axis] = sn_min(least[axis], m), most[axis] = sn_max(most[axis], m);
        }
    }
    int axis = most[1] - least[1] > most[0] - least[0] ? 1 : 0;
    if (most[2] - least[2] > most[axis] - least[axis]) axis = 2;
    int half = lo + (hi - lo) / 2;
    select_kth(boxes, items, lo, hi, half, axis);
    build(tree, boxes, items, lo, half); // at most 31 deep: halves
    int other = build(tree, boxes, items, half, hi);
    tree->nodes[self] = (sn_medial_node){-1, other};
    return self;
}

sn_status sn_medial_tree_build(sn_memory *memory, const sn_bounds *boxes, int count, sn_medial_tree *out) {
    *out = (sn_medial_tree){.item_count = count};
    if (count == 0) return SN_OK;
    int *items = sn_alloc(memory, (size_t)count, sizeof *items);
    out->nodes = sn_alloc(memory, 2 * (size_t)count - 1, sizeof *out->nodes);
    if (!items || !out->nodes) {
        sn_free(memory, items, (size_t)count, sizeof *items);
        sn_medial_tree_free(memory, out);
        return SN_ERR_MEMORY;
    }
    for (int i = 0; i < count; ++i) items[i] = i;
    build(out, boxes, items, 0, count);
    sn_free(memory, items, (size_t)count, sizeof *items);
    return SN_OK;
}

void sn_medial_tree_free(sn_memory *memory, sn_medial_tree *tree) {
    if (tree->nodes) sn_free(memory, tree->nodes, 2 * (size_t)tree->item_count - 1, sizeof *tree->nodes);
    *tree = (sn_medial_tree){0};
}

void sn_medial_tree_fit(const sn_medial_tree *tree, const sn_bounds *boxes, sn_bounds *node_boxes) {
    for (int i = tree->node_count - 1; i >= 0; --i) {
        const sn_medial_node *node = &tree->nodes[i];
        node_boxes[i] = node->item >= 0 ? boxes[node->item] : joined(&node_boxes[i + 1], &node_boxes[node->other]);
    }
}

static sn_real girth(const sn_bounds *box) {
    return (box->hi.x - box->lo.x) + (box->hi.y - box->lo.y) + (box->hi.z - box->lo.z);
}

enum { STACK = 160 }; // a pair leaves at most one behind for each level that it goes down: 2 * 32

int64_t sn_medial_tree_pairs(const sn_medial_tree *a, const sn_bounds *boxes_a, const sn_medial_tree *b,
                             const sn_bounds *boxes_b, sn_medial_visit_fn *visit, void *user) {
    if (a->node_count == 0 || b->node_count == 0) return 0;
    int32_t stack[STACK][2] = {{0, 0}};
    int depth = 1;
    int64_t tests = 0;
    while (depth > 0) {
        int i = stack[--depth][0], j = stack[depth][1];
        ++tests;
        if (!sn_bounds_overlap(&boxes_a[i], &boxes_b[j])) continue;
        const sn_medial_node *p = &a->nodes[i], *q = &b->nodes[j];
        if (p->item >= 0 && q->item >= 0) {
            visit(user, p->item, q->item);
        } else if (q->item >= 0 || (p->item < 0 && girth(&boxes_a[i]) >= girth(&boxes_b[j]))) {
            stack[depth][0] = p->other, stack[depth++][1] = j;
            stack[depth][0] = i + 1, stack[depth++][1] = j;
        } else {
            stack[depth][0] = i, stack[depth++][1] = q->other;
            stack[depth][0] = i, stack[depth++][1] = j + 1;
        }
    }
    return tests;
}

int64_t sn_medial_tree_self_pairs(const sn_medial_tree *tree, const sn_bounds *boxes, sn_medial_visit_fn *visit,
                                  void *user) {
    if (tree->node_count == 0) return 0;
    // A node with itself stands for all pairs within it: those within its children, and those between them.
    int32_t stack[2 * STACK][2] = {{0, 0}};
    int depth = 1;
    int64_t tests = 0;
    while (depth > 0) {
        int i = stack[--depth][0], j = stack[depth][1];
        const sn_medial_node *p = &tree->nodes[i], *q = &tree->nodes[j];
        if (i == j) {
            if (p->item >= 0) continue;
            stack[depth][0] = i + 1, stack[depth++][1] = p->other;
            stack[depth][0] = p->other, stack[depth++][1] = p->other;
            stack[depth][0] = i + 1, stack[depth++][1] = i + 1;
            continue;
        }
        ++tests;
        if (!sn_bounds_overlap(&boxes[i], &boxes[j])) continue;
        if (p->item >= 0 && q->item >= 0) {
            visit(user, p->item, q->item);
        } else if (q->item >= 0 || (p->item < 0 && girth(&boxes[i]) >= girth(&boxes[j]))) {
            stack[depth][0] = p->other, stack[depth++][1] = j;
            stack[depth][0] = i + 1, stack[depth++][1] = j;
        } else {
            stack[depth][0] = i, stack[depth++][1] = q->other;
            stack[depth][0] = i, stack[depth++][1] = j + 1;
        }
    }
    return tests;
}
