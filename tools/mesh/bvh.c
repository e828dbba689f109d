// The hierarchy is built from the top. Each node is split by the surface area heuristic: of sixteen bins along the
// longest side, the split between bins that minimises
//
//     area(left) * items(left) + area(right) * items(right)
//
// is chosen, since the probability that a query visits a box is proportional to its area. Beyond MAX_SAH_DEPTH a node
// is split at the middle of its list instead, which bounds the depth.
#include "mesh/bvh.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 16, MAX_SAH_DEPTH = 36 };

typedef bvh_box box;

bvh_box bvh_box_empty(void) {
    return (box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

void bvh_box_grow(bvh_box *b, const float p[3]) {
    for (int k = 0; k < 3; k++) {
        if (p[k] < b->low[k]) b->low[k] = p[k];
        if (p[k] > b->high[k]) b->high[k] = p[k];
    }
}

static void merge(box *b, const box *other) {
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
    int index;
} item;

typedef struct {
    int node, first, count, depth;
} range;

static int bin_of(const item *it, int axis, float low, float scale) {
    const int s = (int)((it->centre[axis] - low) * scale);
    return s < 0 ? 0 : s >= BINS ? BINS - 1 : s;
}

// Partitions the items and returns the first of the right half. 'count' is more than BVH_LEAF_SIZE.
static int partition(item *items, int count, int depth) {
    box centres = bvh_box_empty();
    for (int i = 0; i < count; i++) bvh_box_grow(&centres, items[i].centre);
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (centres.high[k] - centres.low[k] > centres.high[axis] - centres.low[axis]) axis = k;
    const float low = centres.low[axis], side = centres.high[axis] - low, scale = (float)BINS / side;
    if (!(side > 0) || !isfinite(scale) || depth >= MAX_SAH_DEPTH) return count / 2;
    box bin[BINS];
    int bin_count[BINS] = {0};
    for (int s = 0; s < BINS; s++) bin[s] = bvh_box_empty();
    for (int i = 0; i < count; i++) {
        const int s = bin_of(&items[i], axis, low, scale);
        merge(&bin[s], &items[i].bound);
        bin_count[s]++;
    }
    double right_cost[BINS];
    box side_box = bvh_box_empty();
    for (int s = BINS - 1, n = 0; s > 0; --s) {
        merge(&side_box, &bin[s]);
        n += bin_count[s];
        right_cost[s] = n ? area(&side_box) * n : 0;
    }
    side_box = bvh_box_empty();
    double best = INFINITY;
    int best_split = BINS / 2;
    for (int s = 1, n = 0; s < BINS; s++) {
        merge(&side_box, &bin[s - 1]);
        n += bin_count[s - 1];
        const double cost = (n ? area(&side_box) * n : 0) + right_cost[s];
        if (n > 0 && n < count && cost < best) best = cost, best_split = s;
    }
    int left = 0; // not stable, but deterministic
    for (int i = 0; i < count; i++) {
        if (bin_of(&items[i], axis, low, scale) >= best_split) continue;
        const item swapped = items[left];
        items[left++] = items[i];
        items[i] = swapped;
    }
    return left > 0 && left < count ? left : count / 2;
}

static void split_nodes(bvh *tree, item *items) {
    range stack[BVH_MAX_DEPTH];
    int depth = 0;
    stack[depth++] = (range){0, 0, tree->count, 0};
    tree->node_count = 1;
    while (depth > 0) {
        const range r = stack[--depth];
        bvh_node *node = &tree->node[r.node];
        box all = bvh_box_empty();
        for (int i = 0; i < r.count; i++) merge(&all, &items[r.first + i].bound);
        node->bound = all;
        if (r.count <= BVH_LEAF_SIZE) {
            node->first = r.first, node->count = r.count;
            continue;
        }
        const int left = partition(items + r.first, r.count, r.depth);
        node->first = tree->node_count, node->count = 0;
        tree->node_count += 2;
        stack[depth++] = (range){node->first + 1, r.first + left, r.count - left, r.depth + 1};
        stack[depth++] = (range){node->first, r.first, left, r.depth + 1};
    }
}

bool bvh_build(bvh *tree, const bvh_box *bounds, const int *indices, int count) {
    const size_t capacity = (size_t)count + 1;
    *tree = (bvh){.count = count};
    item *items = malloc(capacity * sizeof *items);
    tree->node = malloc(2 * capacity * sizeof *tree->node);
    tree->index = malloc(capacity * sizeof *tree->index);
    if (!items || !tree->node || !tree->index) {
        free(items);
        bvh_free(tree);
        return false;
    }
    for (int i = 0; i < count; i++) {
        items[i] = (item){.bound = bounds[i], .index = indices ? indices[i] : i};
        for (int k = 0; k < 3; k++) items[i].centre[k] = 0.5f * bounds[i].low[k] + 0.5f * bounds[i].high[k];
    }
    if (count > 0) split_nodes(tree, items);
    for (int i = 0; i < count; i++) tree->index[i] = items[i].index;
    free(items);
    return true;
}

void bvh_free(bvh *tree) {
    free(tree->node);
    free(tree->index);
    *tree = (bvh){0};
}

// --- the triangles of a mesh ---

static int collect(const sn_mesh *mesh, bvh_box *bounds, int *indices) {
    int count = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        bvh_box bound = bvh_box_empty();
        bool good = true;
        for (int k = 0; k < 3 && good; k++) {
            const int v = mesh->triangle[t][k];
            good = v >= 0 && v < mesh->vertex_count;
            for (int i = 0; i < 3 && good; i++) good = isfinite(mesh->position[v][i]);
            if (good) bvh_box_grow(&bound, mesh->position[v]);
        }
        if (!good) continue;
        bounds[count] = bound;
        indices[count++] = t;
    }
    return count;
}

bool mesh_bvh_build(mesh_bvh *tree, const sn_mesh *mesh) {
    const size_t capacity = (size_t)mesh->triangle_count + 1;
    *tree = (mesh_bvh){0};
    bvh_box *bounds = malloc(capacity * sizeof *bounds);
    int *indices = malloc(capacity * sizeof *indices);
    tree->corner = malloc(capacity * sizeof *tree->corner);
    const bool good =
        bounds && indices && tree->corner && bvh_build(&tree->bvh, bounds, indices, collect(mesh, bounds, indices));
    for (int i = 0; i < tree->bvh.count && good; i++)
        for (int k = 0; k < 3; k++)
            memcpy(tree->corner[i][k], mesh->position[mesh->triangle[tree->bvh.index[i]][k]], 3 * sizeof(float));
    free(bounds);
    free(indices);
    if (!good) mesh_bvh_free(tree);
    return good;
}

void mesh_bvh_free(mesh_bvh *tree) {
    bvh_free(&tree->bvh);
    free(tree->corner);
    *tree = (mesh_bvh){0};
}
