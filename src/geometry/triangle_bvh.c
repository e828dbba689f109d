// A BVH over triangles, built with the surface area heuristic: the cost of a split is the sum over both sides of (area
// of the side's box) x (triangles in it); the cheapest of 16 slices along each axis is taken. Where no split pays or
// all centres coincide, the range is halved, so the depth is bounded.
#include "geometry/triangle_bvh.h"

#define SLICES         16
#define LEAF_TRIANGLES 4
#define SAH_DEPTH      40 // below this depth ranges are halved: at most 31 more levels
#define DEPTH          (SAH_DEPTH + 32)

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
static sn_bounds triangle_bounds(const sn_triangle *t) {
    return (sn_bounds){min_of(t->a, min_of(t->b, t->c)), max_of(t->a, max_of(t->b, t->c))};
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
    sn_bounds bounds;
    sn_vec3 centre;
    int32_t source;
} item;

typedef struct {
    int first, count, depth;
    int parent; // of a second child, else -1
} range;

static int slice_of(const item *it, int axis, sn_real lo, sn_real scale) {
    int slice = (int)((component(it->centre, axis) - lo) * scale);
    return slice < 0 ? 0 : slice >= SLICES ? SLICES - 1 : slice;
}

typedef struct {
    int axis, slice; // the first side has the slices below
    sn_real lo, scale, cost;
} split;

static split best_split(const item *items, int count, const sn_bounds *centres) {
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
static int divide(item *items, int count, const split *s) {
    int front = 0;
    for (int i = 0; i < count; i++) {
        if (slice_of(&items[i], s->axis, s->lo, s->scale) >= s->slice) continue;
        item moved = items[i];
        items[i] = items[front];
        items[front++] = moved;
    }
    return front;
}

static void build_nodes(sn_triangle_bvh *tree, item *items) {
    range stack[DEPTH + 1];
    int waiting = 0;
    stack[waiting++] = (range){0, tree->triangle_count, 0, -1};
    while (waiting > 0) {
        range r = stack[--waiting];
        int index = tree->node_count++;
        sn_triangle_bvh_node *node = &tree->nodes[index];
        if (r.parent >= 0) tree->nodes[r.parent].first = index;
        sn_bounds centres = {items[r.first].centre, items[r.first].centre};
        node->bounds = items[r.first].bounds;
        for (int i = r.first + 1; i < r.first + r.count; i++) {
            include(&node->bounds, &items[i].bounds);
            include(&centres, &(sn_bounds){items[i].centre, items[i].centre});
        }
        if (r.count <= LEAF_TRIANGLES) {
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
}

sn_status sn_triangle_bvh_build(sn_memory *memory, const sn_vec3 *vertices, int vertex_count, const int32_t *corners,
                                int triangle_count, sn_triangle_bvh *out) {
    *out = (sn_triangle_bvh){0};
    if (triangle_count < 0 || triangle_count > INT32_MAX / 3) return SN_ERR_RANGE;
    if (triangle_count == 0) return SN_OK;
    if (!vertices || !corners) return SN_ERR_RANGE;
    for (int i = 0; i < 3 * triangle_count; i++) {
        if (corners[i] < 0 || corners[i] >= vertex_count || !sn_finite3(vertices[corners[i]])) return SN_ERR_RANGE;
    }
    sn_triangle_bvh tree = {.triangle_count = triangle_count, .node_capacity = 2 * triangle_count};
    tree.nodes = sn_alloc(memory, (size_t)tree.node_capacity, sizeof *tree.nodes);
    tree.triangles = sn_alloc(memory, (size_t)triangle_count, sizeof *tree.triangles);
    tree.source = sn_alloc(memory, (size_t)triangle_count, sizeof *tree.source);
    item *items = sn_alloc(memory, (size_t)triangle_count, sizeof *items);
    if (!tree.nodes || !tree.triangles || !tree.source || !items) {
        sn_free(memory, items, (size_t)triangle_count, sizeof *items);
        sn_triangle_bvh_free(memory, &tree);
        return SN_ERR_MEMORY;
    }
    for (int i = 0; i < triangle_count; i++) {
        sn_triangle t = {vertices[corners[3 * i]], vertices[corners[3 * i + 1]], vertices[corners[3 * i + 2]]};
        items[i].bounds = triangle_bounds(&t);
        items[i].centre = sn_lerp(items[i].bounds.lo, items[i].bounds.hi, (sn_real)0.5);
        items[i].source = i;
    }
    build_nodes(&tree, items);
    for (int i = 0; i < triangle_count; i++) {
        const int32_t *c = &corners[3 * items[i].source];
        tree.triangles[i] = (sn_triangle){vertices[c[0]], vertices[c[1]], vertices[c[2]]};
        tree.source[i] = items[i].source;
    }
    sn_free(memory, items, (size_t)triangle_count, sizeof *items);
    *out = tree;
    return SN_OK;
}

void sn_triangle_bvh_free(sn_memory *memory, sn_triangle_bvh *tree) {
    sn_free(memory, tree->nodes, (size_t)tree->node_capacity, sizeof *tree->nodes);
    sn_free(memory, tree->triangles, (size_t)tree->triangle_count, sizeof *tree->triangles);
    sn_free(memory, tree->source, (size_t)tree->triangle_count, sizeof *tree->source);
    *tree = (sn_triangle_bvh){0};
}

// ---- overlap

void sn_triangle_bvh_visit(const sn_triangle_bvh *tree, const sn_bounds *bounds, sn_triangle_bvh_visit_fn *visit,
                           void *user) {
    int stack[DEPTH + 1], waiting = 0;
    if (tree->node_count > 0) stack[waiting++] = 0;
    while (waiting > 0) {
        int index = stack[--waiting];
        const sn_triangle_bvh_node *node = &tree->nodes[index];
        if (!sn_bounds_overlap(&node->bounds, bounds)) continue;
        if (node->count == 0) {
            stack[waiting++] = node->first;
            stack[waiting++] = index + 1;
            continue;
        }
        for (int i = node->first; i < node->first + node->count; i++) {
            sn_bounds own = triangle_bounds(&tree->triangles[i]);
            if (!sn_bounds_overlap(&own, bounds)) continue;
            if (!visit(user, tree->source[i], &tree->triangles[i])) return;
        }
    }
}

// ---- nearest

// Squared distance of a point to a box, 0 inside.
static sn_real to_box2(sn_vec3 p, const sn_bounds *b) {
    sn_vec3 out = {sn_max(sn_max(b->lo.x - p.x, p.x - b->hi.x), 0), sn_max(sn_max(b->lo.y - p.y, p.y - b->hi.y), 0),
                   sn_max(sn_max(b->lo.z - p.z, p.z - b->hi.z), 0)};
    return sn_dot(out, out);
}

typedef struct {
    int node;
    sn_real from; // a lower bound of the distance to its triangles
} visit;

bool sn_triangle_bvh_nearest(const sn_triangle_bvh *tree, sn_vec3 point, sn_real max, sn_triangle_bvh_hit *hit) {
    const sn_real slack = 1 + 16 * SN_REAL_EPSILON; // box distances have rounding errors
    visit stack[DEPTH + 1];
    int waiting = 0, found = -1;
    sn_real best2 = max * max;
    sn_triangle_bvh_hit best = {0};
    if (tree->node_count > 0) stack[waiting++] = (visit){0, to_box2(point, &tree->nodes[0].bounds)};
    while (waiting > 0) {
        visit v = stack[--waiting];
        if (!(v.from <= best2 * slack)) continue;
        const sn_triangle_bvh_node *node = &tree->nodes[v.node];
        if (node->count == 0) { // the nearer child first
            visit first = {v.node + 1, to_box2(point, &tree->nodes[v.node + 1].bounds)};
            visit second = {node->first, to_box2(point, &tree->nodes[node->first].bounds)};
            bool swap = second.from < first.from;
            stack[waiting++] = swap ? first : second;
            stack[waiting++] = swap ? second : first;
            continue;
        }
        for (int i = node->first; i < node->first + node->count; i++) {
            sn_real beta, gamma;
            sn_vec3 offset;
            sn_real distance2 = sn_point_triangle(point, &tree->triangles[i], &beta, &gamma, &offset);
            if (!(found < 0 ? distance2 <= best2 : distance2 < best2)) continue;
            best2 = distance2;
            found = i;
            best = (sn_triangle_bvh_hit){.beta = beta, .gamma = gamma, .point = sn_sub(point, offset)};
        }
    }
    if (found < 0) return false;
    best.triangle = tree->source[found];
    best.distance = sn_sqrt(best2);
    *hit = best;
    return true;
}
