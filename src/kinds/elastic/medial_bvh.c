// A tree of boxes that is refitted: halves by the middle of the longest side of the middles' box, one item a leaf,
// nodes in the order in which they are visited.
//
// Pairs are found by going down both trees at once, into the larger box first. The stack holds at most one pair a level
// of each tree, and splitting by count keeps the levels few: 2 log2 of any number of items that fits an int.
#include "kinds/elastic/medial_bvh.h"
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

// Puts the k-th of items[lo, hi) where it belongs, smaller ones before it (Hoare's selection).
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

static int build(sn_medial_tree *tree, const sn_bounds *boxes, int *items, int lo, int hi) {
    int self = tree->node_count++;
    if (hi - lo == 1) {
        tree->nodes[self] = (sn_medial_node){items[lo], -1};
        return self;
    }
    sn_real least[3], most[3];
    for (int axis = 0; axis < 3; axis++) {
        least[axis] = most[axis] = middle(&boxes[items[lo]], axis);
        for (int i = lo + 1; i < hi; i++) {
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
    for (int i = 0; i < count; i++) items[i] = i;
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
        node_boxes[i] =
            node->item >= 0 ? boxes[node->item] : sn_bounds_join(&node_boxes[i + 1], &node_boxes[node->other]);
    }
}

static sn_real girth(const sn_bounds *box) {
    return (box->hi.x - box->lo.x) + (box->hi.y - box->lo.y) + (box->hi.z - box->lo.z);
}

enum { STACK = 160 }; // a pair leaves at most one behind for each level that it goes down: 2 * 32

// The pair of nodes i and j, not both leaves, becomes two: the larger of them with its children. Returns 2.
static int split(int32_t (*stack)[2], int i, int j, const sn_medial_node *p, const sn_medial_node *q, bool first) {
    const bool i_opens = q->item >= 0 || (p->item < 0 && first);
    stack[0][0] = i_opens ? p->other : i, stack[0][1] = i_opens ? j : q->other;
    stack[1][0] = i_opens ? i + 1 : i, stack[1][1] = i_opens ? j : j + 1;
    return 2;
}

int64_t sn_medial_tree_pairs(const sn_medial_tree *a, const sn_bounds *boxes_a, const sn_medial_tree *b,
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
            depth += split(stack + depth, i, j, p, q, girth(&boxes_a[i]) >= girth(&boxes_b[j]));
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
        tests++;
        if (!sn_bounds_overlap(&boxes[i], &boxes[j])) continue;
        if (p->item >= 0 && q->item >= 0)
            visit(user, p->item, q->item);
        else
            depth += split(stack + depth, i, j, p, q, girth(&boxes[i]) >= girth(&boxes[j]));
    }
    return tests;
}

// --- slabs ---
//
// Limbs are long and lie any way they like: a slab around some neighbouring primitives is hardly larger than they are,
// where a box along the axes may be mostly air. Its corners are three spheres of theirs, far apart, and its radii are
// enlarged until all of them are in.

// The last node of a node's items, and one more.
static int end_of(const sn_medial_tree *tree, int node) {
    while (tree->nodes[node].item < 0) node = tree->nodes[node].other;
    return node + 1;
}

typedef struct {
    sn_vec3 c;
    sn_real r;
} ball;

// The sphere of the node's items that is farthest from a point, or farthest outside of a slab, whichever is given.
static ball farthest(const sn_medial_tree *tree, const sn_slab *items, int node, const sn_vec3 *point,
                     const sn_slab *slab, sn_real *most) {
    sn_slab_part ready;
    ball best = {{0, 0, 0}, 0};
    *most = -HUGE_VALF;
    if (slab) sn_slab_ready(slab, &ready);
    for (int i = node, end = end_of(tree, node); i < end; i++) {
        if (tree->nodes[i].item < 0) continue;
        const sn_slab *s = &items[tree->nodes[i].item];
        for (int k = 0; k < 3; k++) {
            const sn_real out =
                (slab ? sn_slab_part_distance(&ready, s->c[k], NULL) : sn_length(sn_sub(s->c[k], *point))) + s->r[k];
            if (out > *most) *most = out, best = (ball){s->c[k], s->r[k]};
        }
    }
    return best;
}

static sn_slab cover(const sn_medial_tree *tree, const sn_slab *items, int node) {
    sn_real most;
    const ball a = farthest(tree, items, node, &items[tree->nodes[end_of(tree, node) - 1].item].c[0], NULL, &most);
    const ball b = farthest(tree, items, node, &a.c, NULL, &most);
    sn_slab slab = {{a.c, b.c, b.c}, {a.r, b.r, b.r}};
    const ball c = farthest(tree, items, node, NULL, &slab, &most);
    slab.c[2] = c.c, slab.r[2] = c.r;
    farthest(tree, items, node, NULL, &slab, &most);
    // Spheres at the corners are in it already; what is more than that is rounded up.
    const sn_real size = sn_length(sn_sub(a.c, b.c)) + a.r + b.r + sn_abs(a.c.x) + sn_abs(a.c.y) + sn_abs(a.c.z);
    for (int k = 0; k < 3; k++) slab.r[k] += sn_max(most, 0) + 8 * SN_REAL_EPSILON * size;
    return slab;
}

void sn_medial_tree_cover(const sn_medial_tree *tree, const sn_slab *items, sn_slab *node_slabs) {
    for (int i = 0; i < tree->node_count; i++) {
        const int item = tree->nodes[i].item;
        node_slabs[i] = item >= 0 ? items[item] : cover(tree, items, i);
    }
}

void sn_medial_tree_move(const sn_medial_tree *tree, const sn_slab *before, const sn_slab *now, sn_real *path) {
    // From the last node to the first, so that children come before their parents; a node's own step goes through
    // 'step' of its children, which is what their paths have grown by. Paths only ever grow, by a little too much.
    sn_real step[2 * 32 + 2]; // of nodes that wait for their parent: at most one a level, and two
    int depth = 0;
    for (int i = tree->node_count - 1; i >= 0; --i) {
        const int item = tree->nodes[i].item;
        sn_real most = 0;
        if (item >= 0) {
            for (int k = 0; k < 3; k++) {
                const sn_real moved = sn_length(sn_sub(now[item].c[k], before[item].c[k]));
                const sn_real grown = sn_abs(now[item].r[k] - before[item].r[k]);
                most = sn_max(most, moved + grown);
                if (!sn_finite(moved + grown)) most = HUGE_VALF;
            }
        } else {
            depth -= 2;
            most = sn_max(step[depth], step[depth + 1]);
        }
        step[depth++] = most;
        path[i] += most;
        path[i] += 4 * SN_REAL_EPSILON * path[i];
    }
}

typedef struct {
    const sn_medial_search *search;
    const sn_medial_note *next; // of the last time
    int64_t tests;
} searching;

static int items_of(const sn_medial_tree *tree, int node) {
    return (end_of(tree, node) - node + 1) / 2;
}

static void search_pair(searching *s, int i, int j, bool known);

// Past all that was noted about a pair and those below it.
static void pass_over(searching *s) {
    for (int open = 1; open > 0; --open)
        if (s->next++->gap == SN_MEDIAL_OPEN) open += 2;
}

// Whether a pair that was open is to be tested again: both pairs below it have come apart.
static bool shut_again(const sn_medial_note *open) {
    return open[1].gap > 0 && open[2].gap > 0;
}

static void search_below(searching *s, int i, int j, bool known) {
    const sn_medial_search *q = s->search;
    const sn_medial_node *a = &q->a.tree->nodes[i], *b = &q->b.tree->nodes[j];
    if (b->item >= 0 || (a->item < 0 && items_of(q->a.tree, i) >= items_of(q->b.tree, j))) {
        search_pair(s, i + 1, j, known);
        search_pair(s, a->other, j, known);
    } else {
        search_pair(s, i, j + 1, known);
        search_pair(s, i, b->other, known);
    }
}

// 'known': the next of the last notes is about this pair.
static void search_pair(searching *s, int i, int j, bool known) {
    const sn_medial_search *q = s->search;
    const int a = q->a.tree->nodes[i].item, b = q->b.tree->nodes[j].item;
    const bool items = a >= 0 && b >= 0, skip = items && q->skip && q->skip(q->user, a, b);
    const sn_real path = q->a.path[i] + q->b.path[j];
    sn_medial_note note = {0, path};
    bool sure = skip;
    if (known && !skip) {
        const sn_real slack = note.path - s->next->path + 8 * SN_REAL_EPSILON * path;
        sure = s->next->gap == SN_MEDIAL_OPEN ? !shut_again(s->next) : slack < sn_abs(s->next->gap);
        if (sure) note = *s->next;
    }
    const bool was_open = known && s->next->gap == SN_MEDIAL_OPEN;
    if (!sure) {
        s->tests++;
        note.gap = sn_slab_apart(&q->a.slabs[i], &q->b.slabs[j]);
        if (!(note.gap > 0) && !items) note.gap = SN_MEDIAL_OPEN;
    }
    const bool open = note.gap == SN_MEDIAL_OPEN;
    if (was_open && !open)
        pass_over(s);
    else if (known)
        s->next++;
    q->keep(q->user, &note);
    if (open) search_below(s, i, j, was_open);
    if (items && !skip && !(note.gap > 0)) q->visit(q->user, a, b);
}

// All pairs within a node: those within its children, and those between them.
static void search_within(searching *s, int i) {
    const sn_medial_node *node = &s->search->a.tree->nodes[i];
    if (node->item >= 0) return;
    search_within(s, i + 1);
    search_within(s, node->other);
    search_pair(s, i + 1, node->other, s->search->last != NULL);
}

int64_t sn_medial_tree_search(const sn_medial_search *search) {
    searching s = {search, search->last, 0};
    if (search->a.tree->node_count == 0 || search->b.tree->node_count == 0) return 0;
    if (search->a.tree == search->b.tree && search->a.slabs == search->b.slabs)
        search_within(&s, 0);
    else
        search_pair(&s, 0, 0, search->last != NULL);
    return s.tests;
}
