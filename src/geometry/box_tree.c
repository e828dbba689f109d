// A tree over boxes, built with the surface area heuristic: the cost of a split is the sum over both sides of (area
// of the side's box) x (items in it); the cheapest of 16 slices along each axis is taken. Where no split pays or
// all centres coincide, the range is halved, so the depth is bounded.
#include "geometry/box_tree.h"

#define SLICES     16
#define LEAF_ITEMS 4
#define SAH_DEPTH  (SN_BOX_TREE_DEPTH - 32) // below this depth ranges are halved: at most 31 more levels

static sn_bounds no_bounds(void) {
    const sn_real big = (sn_real)INFINITY;
    return (sn_bounds){{big, big, big}, {-big, -big, -big}};
}

static sn_vec3 min_of(sn_vec3 a, sn_vec3 b) {
    return sn_v3(sn_min(a.x, b.x), sn_min(a.y, b.y), sn_min(a.z, b.z));
}
static sn_vec3 max_of(sn_vec3 a, sn_vec3 b) {
    return sn_v3(sn_max(a.x, b.x), sn_max(a.y, b.y), sn_max(a.z, b.z));
}
static void include(sn_bounds *bounds, const sn_bounds *more) {
    bounds->lo = min_of(bounds->lo, more->lo);
    bounds->hi = max_of(bounds->hi, more->hi);
}
static sn_real component(sn_vec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}
static sn_real half_area(const sn_bounds *b) {
    sn_vec3 d = sn_sub(b->hi, b->lo);
    return d.x * d.y + d.y * d.z + d.z * d.x;
}

// ---- building

typedef struct {
    int first, count, depth;
    int parent; // of a second child, else -1
} range;

static int slice_of(const sn_box_item *it, int axis, sn_real lo, sn_real scale) {
    int slice = (int)((component(it->centre, axis) - lo) * scale);
    return slice < 0 ? 0 : slice >= SLICES ? SLICES - 1 : slice;
}

typedef struct {
    int axis, slice; // the first side has the slices below
    sn_real lo, scale, cost;
} split;

static split best_split(const sn_box_item *items, int count, const sn_bounds *centres) {
    split best = {.axis = -1};
    for (int axis = 0; axis < 3; axis++) {
        sn_real lo = component(centres->lo, axis), extent = component(centres->hi, axis) - lo;
        sn_real scale = SLICES / extent;
        if (!(extent > 0) || !sn_finite(extent) || !sn_finite(scale)) continue;
        sn_bounds bounds[SLICES], right[SLICES];
        int counts[SLICES] = {0};
        for (int i = 0; i < SLICES; i++) bounds[i] = no_bounds();
        for (int i = 0; i < count; i++) {
            int slice = slice_of(&items[i], axis, lo, scale);
            include(&bounds[slice], &items[i].bounds);
            counts[slice] += 1;
        }
        right[SLICES - 1] = bounds[SLICES - 1];
        for (int i = SLICES - 2; i > 0; --i) {
            right[i] = right[i + 1];
            include(&right[i], &bounds[i]);
        }
        sn_bounds left = no_bounds();
        int below = 0;
        for (int i = 1; i < SLICES; i++) {
            include(&left, &bounds[i - 1]);
            below += counts[i - 1];
            if (below == 0 || below == count) continue;
            sn_real cost = half_area(&left) * (sn_real)below + half_area(&right[i]) * (sn_real)(count - below);
            if (best.axis < 0 || cost < best.cost) best = (split){axis, i, lo, scale, cost};
        }
    }
    return best;
}

// Moves the items of the first side to the front and returns their number.
static int divide(sn_box_item *items, int count, const split *s) {
    int front = 0;
    for (int i = 0; i < count; i++) {
        if (slice_of(&items[i], s->axis, s->lo, s->scale) >= s->slice) continue;
        sn_box_item moved = items[i];
        items[i] = items[front];
        items[front++] = moved;
    }
    return front;
}

int sn_box_tree_build(sn_box_item *items, int count, sn_box_node *nodes) {
    range stack[SN_BOX_TREE_DEPTH + 1];
    int waiting = 0, node_count = 0;
    for (int i = 0; i < count; i++) items[i].centre = sn_lerp(items[i].bounds.lo, items[i].bounds.hi, (sn_real)0.5);
    if (count > 0) stack[waiting++] = (range){0, count, 0, -1};
    while (waiting > 0) {
        range r = stack[--waiting];
        int index = node_count++;
        sn_box_node *node = &nodes[index];
        if (r.parent >= 0) nodes[r.parent].first = index;
        sn_bounds centres = {items[r.first].centre, items[r.first].centre};
        *node = (sn_box_node){.bounds = items[r.first].bounds};
        for (int i = r.first + 1; i < r.first + r.count; i++) {
            include(&node->bounds, &items[i].bounds);
            include(&centres, &(sn_bounds){items[i].centre, items[i].centre});
        }
        if (r.count <= LEAF_ITEMS) {
            node->first = r.first;
            node->count = r.count;
            continue;
        }
        int front = r.count / 2;
        if (r.depth < SAH_DEPTH) {
            split s = best_split(items + r.first, r.count, &centres);
            if (s.axis >= 0) front = divide(items + r.first, r.count, &s);
        }
        stack[waiting++] = (range){r.first + front, r.count - front, r.depth + 1, index};
        stack[waiting++] = (range){r.first, front, r.depth + 1, -1}; // pushed last, so that it follows its parent
    }
    return node_count;
}

void sn_box_tree_refit(sn_box_node *nodes, int node_count, const sn_bounds *bounds) {
    for (int i = node_count - 1; i >= 0; i--) {
        sn_box_node *node = &nodes[i];
        if (node->count == 0) {
            node->bounds = nodes[i + 1].bounds;
            include(&node->bounds, &nodes[node->first].bounds);
            continue;
        }
        node->bounds = bounds[node->first];
        for (int k = 1; k < node->count; k++) include(&node->bounds, &bounds[node->first + k]);
    }
}
