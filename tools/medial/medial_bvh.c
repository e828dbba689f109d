// A BVH with refitting: median split along the longest side of the box of all centres, one item per leaf, nodes in
// depth first order.
//
// Pairs are found by descending both BVHs at once, the larger box first. The stack holds at most one pair per level of
// each BVH, and median splits limit the levels to 2 log2 of any number of items that fits an int.
#include "medial/medial_bvh.h"
#include "base/math/real.h"
#include "geometry/slab_part.h"
#include <string.h>

// Twice the middle of a box along an axis.
static sn_real middle(const sn_bounds *box, int axis) {
    return axis == 0 ? box->lo.x + box->hi.x : (axis == 1 ? box->lo.y + box->hi.y : box->lo.z + box->hi.z);
}

static bool before(const sn_bounds *boxes, int a, int b, int axis) {
    sn_real ma = middle(&boxes[a], axis), mb = middle(&boxes[b], axis);
    return ma < mb || (ma == mb && a < b);
}

// Moves the k-th of items[lo, hi) to its sorted position, smaller ones before it (Hoare's selection).
static void select_kth(const sn_bounds *boxes, int *items, int lo, int hi, int k, int axis) {
    while (hi - lo > 1) {
        int pivot = items[lo + (hi - lo) / 2], i = lo, j = hi - 1;
        while (i <= j) {
            while (before(boxes, items[i], pivot, axis)) i++;
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

static int build(sn_medial_bvh *bvh, const sn_bounds *boxes, int *items, int lo, int hi) {
    int self = bvh->node_count++;
    if (hi - lo == 1) {
        bvh->nodes[self] = (sn_medial_node){items[lo], -1};
        return self;
    }
    sn_real min[3], max[3];
    for (int axis = 0; axis < 3; axis++) {
        min[axis] = max[axis] = middle(&boxes[items[lo]], axis);
        for (int i = lo + 1; i < hi; i++) {
            sn_real m = middle(&boxes[items[i]], axis);
            min[axis] = sn_min(min[axis], m), max[axis] = sn_max(max[axis], m);
        }
    }
    int axis = max[1] - min[1] > max[0] - min[0] ? 1 : 0;
    if (max[2] - min[2] > max[axis] - min[axis]) axis = 2;
    int half = lo + (hi - lo) / 2;
    select_kth(boxes, items, lo, hi, half, axis);
    build(bvh, boxes, items, lo, half); // at most 31 deep: halves
    int other = build(bvh, boxes, items, half, hi);
    bvh->nodes[self] = (sn_medial_node){-1, other};
    return self;
}

sn_status sn_medial_bvh_build(sn_memory *memory, const sn_bounds *boxes, int count, sn_medial_bvh *out) {
    *out = (sn_medial_bvh){.item_count = count};
    if (count == 0) return SN_OK;
    int *items = sn_alloc(memory, (size_t)count, sizeof *items);
    out->nodes = sn_alloc(memory, 2 * (size_t)count - 1, sizeof *out->nodes);
    if (!items || !out->nodes) {
        sn_free(memory, items, (size_t)count, sizeof *items);
        sn_medial_bvh_free(memory, out);
        return SN_ERR_MEMORY;
    }
    for (int i = 0; i < count; i++) items[i] = i;
    build(out, boxes, items, 0, count);
    sn_free(memory, items, (size_t)count, sizeof *items);
    return SN_OK;
}

void sn_medial_bvh_free(sn_memory *memory, sn_medial_bvh *bvh) {
    if (bvh->nodes) sn_free(memory, bvh->nodes, 2 * (size_t)bvh->item_count - 1, sizeof *bvh->nodes);
    *bvh = (sn_medial_bvh){0};
}

void sn_medial_bvh_refit(const sn_medial_bvh *bvh, const sn_bounds *boxes, sn_bounds *node_boxes) {
    for (int i = bvh->node_count - 1; i >= 0; --i) {
        const sn_medial_node *node = &bvh->nodes[i];
        node_boxes[i] =
            node->item >= 0 ? boxes[node->item] : sn_bounds_join(&node_boxes[i + 1], &node_boxes[node->other]);
    }
}

static sn_real box_size(const sn_bounds *box) {
    return (box->hi.x - box->lo.x) + (box->hi.y - box->lo.y) + (box->hi.z - box->lo.z);
}

enum { STACK = 160 }; // at most one pair per level of descent: 2 * 32

// Splits the pair of nodes i and j, not both leaves, in two: descends into the larger one. Returns 2.
static int split(int32_t (*stack)[2], int i, int j, const sn_medial_node *p, const sn_medial_node *q, bool first) {
    const bool i_opens = q->item >= 0 || (p->item < 0 && first);
    stack[0][0] = i_opens ? p->other : i, stack[0][1] = i_opens ? j : q->other;
    stack[1][0] = i_opens ? i + 1 : i, stack[1][1] = i_opens ? j : j + 1;
    return 2;
}

int64_t sn_medial_bvh_find_pairs(const sn_medial_bvh *a, const sn_bounds *boxes_a, const sn_medial_bvh *b,
                                 const sn_bounds *boxes_b, sn_medial_visit_fn *visit, void *user) {
    if (a->node_count == 0 || b->node_count == 0) return 0;
    int32_t stack[STACK][2] = {{0, 0}};
    int depth = 1;
    int64_t tests = 0;
    while (depth > 0) {
        int i = stack[--depth][0], j = stack[depth][1];
        tests++;
        if (!sn_bounds_overlap(&boxes_a[i], &boxes_b[j])) continue;
        const sn_medial_node *p = &a->nodes[i], *q = &b->nodes[j];
        if (p->item >= 0 && q->item >= 0)
            visit(user, p->item, q->item);
        else
            depth += split(stack + depth, i, j, p, q, box_size(&boxes_a[i]) >= box_size(&boxes_b[j]));
    }
    return tests;
}

int64_t sn_medial_bvh_find_self_pairs(const sn_medial_bvh *bvh, const sn_bounds *boxes, sn_medial_visit_fn *visit,
                                      void *user) {
    if (bvh->node_count == 0) return 0;
    // A node paired with itself stands for all pairs within it: those within its children and those between them.
    int32_t stack[2 * STACK][2] = {{0, 0}};
    int depth = 1;
    int64_t tests = 0;
    while (depth > 0) {
        int i = stack[--depth][0], j = stack[depth][1];
        const sn_medial_node *p = &bvh->nodes[i], *q = &bvh->nodes[j];
        if (i == j) {
            if (p->item >= 0) continue;
            stack[depth][0] = i + 1, stack[depth++][1] = p->other;
            stack[depth][0] = p->other, stack[depth++][1] = p->other;
            stack[depth][0] = i + 1, stack[depth++][1] = i + 1;
            continue;
        }
        tests++;
        if (!sn_bounds_overlap(&boxes[i], &boxes[j])) continue;
        if (p->item >= 0 && q->item >= 0)
            visit(user, p->item, q->item);
        else
            depth += split(stack + depth, i, j, p, q, box_size(&boxes[i]) >= box_size(&boxes[j]));
    }
    return tests;
}

// ---- slabs
//
// Limbs are long and lie in any direction: a slab around neighbouring primitives is hardly larger than they are, while
// an axis-aligned box may be mostly empty. Its corners are three of their spheres, far apart, with radii enlarged until
// all are enclosed.

// One past the last node of a node's subtree.
static int end_of(const sn_medial_bvh *bvh, int node) {
    while (bvh->nodes[node].item < 0) node = bvh->nodes[node].other;
    return node + 1;
}

typedef struct {
    sn_vec3 c;
    sn_real r;
} ball;

// The sphere of the node's items that is farthest from a point or from a slab, whichever is given.
static ball farthest(const sn_medial_bvh *bvh, const sn_slab *items, int node, const sn_vec3 *point,
                     const sn_slab *slab, sn_real *max) {
    sn_slab_part ready;
    ball best = {{0, 0, 0}, 0};
    *max = -HUGE_VALF;
    if (slab) sn_slab_ready(slab, &ready);
    for (int i = node, end = end_of(bvh, node); i < end; i++) {
        if (bvh->nodes[i].item < 0) continue;
        const sn_slab *s = &items[bvh->nodes[i].item];
        for (int k = 0; k < 3; k++) {
            const sn_real out =
                (slab ? sn_slab_part_distance(&ready, s->c[k], NULL) : sn_length(sn_sub(s->c[k], *point))) + s->r[k];
            if (out > *max) *max = out, best = (ball){s->c[k], s->r[k]};
        }
    }
    return best;
}

static sn_slab cover(const sn_medial_bvh *bvh, const sn_slab *items, int node) {
    sn_real max;
    const ball a = farthest(bvh, items, node, &items[bvh->nodes[end_of(bvh, node) - 1].item].c[0], NULL, &max);
    const ball b = farthest(bvh, items, node, &a.c, NULL, &max);
    sn_slab slab = {{a.c, b.c, b.c}, {a.r, b.r, b.r}};
    const ball c = farthest(bvh, items, node, NULL, &slab, &max);
    slab.c[2] = c.c, slab.r[2] = c.r;
    farthest(bvh, items, node, NULL, &slab, &max);
    // The spheres at the corners are already enclosed; round the enlargement up.
    const sn_real size = sn_length(sn_sub(a.c, b.c)) + a.r + b.r + sn_abs(a.c.x) + sn_abs(a.c.y) + sn_abs(a.c.z);
    for (int k = 0; k < 3; k++) slab.r[k] += sn_max(max, 0) + 8 * SN_REAL_EPSILON * size;
    return slab;
}

void sn_medial_bvh_fit_slabs(const sn_medial_bvh *bvh, const sn_slab *items, sn_slab *node_slabs) {
    for (int i = 0; i < bvh->node_count; i++) {
        const int item = bvh->nodes[i].item;
        node_slabs[i] = item >= 0 ? items[item] : cover(bvh, items, i);
    }
}

void sn_medial_bvh_add_motion(const sn_medial_bvh *bvh, const sn_slab *before, const sn_slab *now, sn_real *path) {
    // From the last node to the first, so that children come before their parents; `step` has the path increments of
    // children. Paths only grow, rounded up.
    sn_real step[2 * 32 + 2]; // of nodes waiting for their parent: at most one per level, and two
    int depth = 0;
    for (int i = bvh->node_count - 1; i >= 0; --i) {
        const int item = bvh->nodes[i].item;
        sn_real max = 0;
        if (item >= 0) {
            for (int k = 0; k < 3; k++) {
                const sn_real moved = sn_length(sn_sub(now[item].c[k], before[item].c[k]));
                const sn_real grown = sn_abs(now[item].r[k] - before[item].r[k]);
                max = sn_max(max, moved + grown);
                if (!sn_finite(moved + grown)) max = HUGE_VALF;
            }
        } else {
            depth -= 2;
            max = sn_max(step[depth], step[depth + 1]);
        }
        step[depth++] = max;
        path[i] += max;
        path[i] += 4 * SN_REAL_EPSILON * path[i];
    }
}

typedef struct {
    const sn_medial_search *search;
    const sn_medial_cached_gap *next; // of the last search
    int64_t tests;
} searching;

static int items_of(const sn_medial_bvh *bvh, int node) {
    return (end_of(bvh, node) - node + 1) / 2;
}

static void search_pair(searching *s, int i, int j, bool known);

// Skips the cached gaps of a pair and its descendants.
static void skip_cached(searching *s) {
    for (int remaining = 1; remaining > 0; --remaining)
        if (s->next++->gap == SN_MEDIAL_OVERLAP) remaining += 2;
}

// Whether an overlapping pair must be tested again: both pairs of children have separated.
static bool may_be_separated(const sn_medial_cached_gap *overlap) {
    return overlap[1].gap > 0 && overlap[2].gap > 0;
}

static void search_below(searching *s, int i, int j, bool known) {
    const sn_medial_search *q = s->search;
    const sn_medial_node *a = &q->a.bvh->nodes[i], *b = &q->b.bvh->nodes[j];
    if (b->item >= 0 || (a->item < 0 && items_of(q->a.bvh, i) >= items_of(q->b.bvh, j))) {
        search_pair(s, i + 1, j, known);
        search_pair(s, a->other, j, known);
    } else {
        search_pair(s, i, j + 1, known);
        search_pair(s, i, b->other, known);
    }
}

// `known`: the next cached gap is that of this pair.
static void search_pair(searching *s, int i, int j, bool known) {
    const sn_medial_search *q = s->search;
    const int a = q->a.bvh->nodes[i].item, b = q->b.bvh->nodes[j].item;
    const bool items = a >= 0 && b >= 0, skip = items && q->skip && q->skip(q->user, a, b);
    const sn_real path = q->a.path[i] + q->b.path[j];
    sn_medial_cached_gap gap = {0, path};
    bool sure = skip;
    if (known && !skip) {
        const sn_real slack = gap.path - s->next->path + 8 * SN_REAL_EPSILON * path;
        sure = s->next->gap == SN_MEDIAL_OVERLAP ? !may_be_separated(s->next) : slack < sn_abs(s->next->gap);
        if (sure) gap = *s->next;
    }
    const bool was_overlapping = known && s->next->gap == SN_MEDIAL_OVERLAP;
    if (!sure) {
        s->tests++;
        gap.gap = sn_slab_separation(&q->a.slabs[i], &q->b.slabs[j]);
        if (!(gap.gap > 0) && !items) gap.gap = SN_MEDIAL_OVERLAP;
    }
    const bool overlap = gap.gap == SN_MEDIAL_OVERLAP;
    if (was_overlapping && !overlap)
        skip_cached(s);
    else if (known)
        s->next++;
    q->save(q->user, &gap);
    if (overlap) search_below(s, i, j, was_overlapping);
    if (items && !skip && !(gap.gap > 0)) q->visit(q->user, a, b);
}

// Searches all pairs within a node: those within its children and those between them.
static void search_within(searching *s, int i) {
    const sn_medial_node *node = &s->search->a.bvh->nodes[i];
    if (node->item >= 0) return;
    search_within(s, i + 1);
    search_within(s, node->other);
    search_pair(s, i + 1, node->other, s->search->last != NULL);
}

int64_t sn_medial_bvh_search(const sn_medial_search *search) {
    searching s = {search, search->last, 0};
    if (search->a.bvh->node_count == 0 || search->b.bvh->node_count == 0) return 0;
    if (search->a.bvh == search->b.bvh && search->a.slabs == search->b.slabs)
        search_within(&s, 0);
    else
        search_pair(&s, 0, 0, search->last != NULL);
    return s.tests;
}
