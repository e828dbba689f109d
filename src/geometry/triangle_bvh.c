// A BVH over triangles: their corners in the order of the leaves of a box tree.
#include "geometry/triangle_bvh.h"

static sn_vec3 min_of(sn_vec3 a, sn_vec3 b) {
    return sn_v3(sn_min(a.x, b.x), sn_min(a.y, b.y), sn_min(a.z, b.z));
}
static sn_vec3 max_of(sn_vec3 a, sn_vec3 b) {
    return sn_v3(sn_max(a.x, b.x), sn_max(a.y, b.y), sn_max(a.z, b.z));
}
static sn_bounds triangle_bounds(const sn_triangle *t) {
    return (sn_bounds){min_of(t->a, min_of(t->b, t->c)), max_of(t->a, max_of(t->b, t->c))};
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
    sn_box_item *items = sn_alloc(memory, (size_t)triangle_count, sizeof *items);
    if (!tree.nodes || !tree.triangles || !tree.source || !items) {
        sn_free(memory, items, (size_t)triangle_count, sizeof *items);
        sn_triangle_bvh_free(memory, &tree);
        return SN_ERR_MEMORY;
    }
    for (int i = 0; i < triangle_count; i++) {
        sn_triangle t = {vertices[corners[3 * i]], vertices[corners[3 * i + 1]], vertices[corners[3 * i + 2]]};
        items[i].bounds = triangle_bounds(&t);
        items[i].source = i;
    }
    tree.node_count = sn_box_tree_build(items, triangle_count, tree.nodes);
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
    int stack[SN_BOX_TREE_DEPTH + 1], waiting = 0;
    if (tree->node_count > 0) stack[waiting++] = 0;
    while (waiting > 0) {
        int index = stack[--waiting];
        const sn_box_node *node = &tree->nodes[index];
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
    visit stack[SN_BOX_TREE_DEPTH + 1];
    int waiting = 0, found = -1;
    sn_real best2 = max * max;
    sn_triangle_bvh_hit best = {0};
    if (tree->node_count > 0) stack[waiting++] = (visit){0, to_box2(point, &tree->nodes[0].bounds)};
    while (waiting > 0) {
        visit v = stack[--waiting];
        if (!(v.from <= best2 * slack)) continue;
        const sn_box_node *node = &tree->nodes[v.node];
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
