// Builds the constant data of collision detection: the BVH over the primitives, pairs of neighbours to exclude, the
// adjacency of triangles, and voxels that store the closest triangle.
#include "base/hash.h"
#include "geometry/triangle_bvh.h"
#include "medial/elastic_collide.h"
#include <string.h>

static sn_slab slab_at_rest(const sn_elastic_bounds *b, int primitive) {
    sn_real slack = 0;
    for (int c = b->first_cluster[primitive]; c < b->first_cluster[primitive + 1]; c++) {
        slack = sn_max(slack, b->clusters[c].slack);
    }
    sn_slab slab;
    for (int k = 0; k < 3; k++) {
        slab.c[k] = b->asset->centre[b->spheres[primitive][k]];
        slab.r[k] = b->asset->radius[b->spheres[primitive][k]] + slack;
    }
    return slab;
}

// ---- the primitive that tests each vertex

static bool list_owned(sn_memory *memory, sn_elastic_hull *h) {
    const sn_elastic_bounds *b = h->bounds;
    h->first_owned = sn_alloc(memory, (size_t)b->primitive_count + 1, sizeof *h->first_owned);
    h->owned = sn_alloc(memory, (size_t)b->surface_count, sizeof *h->owned);
    unsigned char *seen = sn_alloc(memory, (size_t)b->asset->vertex_count, 1);
    bool good = h->first_owned && h->owned && seen;
    int n = 0;
    for (int i = 0; good && i < b->primitive_count; i++) {
        h->first_owned[i] = n;
        for (int k = b->first_vertex[i]; k < b->first_vertex[i + 1]; k++) {
            int v = b->vertices[k];
            if (seen[v]) continue;
            seen[v] = 1;
            h->owned[n++] = v;
        }
    }
    if (good) h->first_owned[b->primitive_count] = n;
    sn_free(memory, seen, (size_t)b->asset->vertex_count, 1);
    return good;
}

// ---- neighbouring primitives

typedef struct {
    const sn_elastic_bounds *bounds;
    const sn_slab *slabs;
    int *count;    // by primitive; in the second pass the next index to write
    int *excluded; // null: count only
} neighbours;

static bool share_sphere(const int a[3], const int b[3]) {
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            if (a[i] == b[k]) return true;
        }
    }
    return false;
}

static void visit_neighbour(void *user, int a, int b) {
    neighbours *n = user;
    int lo = a < b ? a : b, hi = a < b ? b : a;
    if (!share_sphere(n->bounds->spheres[a], n->bounds->spheres[b]) && !sn_slab_within(&n->slabs[a], &n->slabs[b], 0)) {
        return;
    }
    if (n->excluded) n->excluded[n->count[lo]] = hi;
    n->count[lo]++;
}

static bool find_excluded(sn_memory *memory, sn_elastic_hull *h) {
    const sn_elastic_bounds *b = h->bounds;
    size_t count = (size_t)b->primitive_count, nodes = count ? 2 * count - 1 : 0;
    sn_slab *slabs = sn_alloc(memory, count, sizeof *slabs);
    sn_bounds *boxes = sn_alloc(memory, count, sizeof *boxes),
              *node_boxes = sn_alloc(memory, nodes, sizeof *node_boxes);
    h->first_excluded = sn_alloc(memory, count + 1, sizeof *h->first_excluded);
    int *next = sn_alloc(memory, count, sizeof *next);
    bool good = slabs && boxes && node_boxes && h->first_excluded && next;
    for (size_t i = 0; good && i < count; i++) {
        slabs[i] = slab_at_rest(b, (int)i);
        boxes[i] = sn_slab_bounds(&slabs[i]);
    }
    good = good && sn_medial_bvh_build(memory, boxes, (int)count, &h->bvh) == SN_OK;
    if (good) {
        h->id = sn_hash_bytes(count, h->bvh.nodes, (size_t)h->bvh.node_count * sizeof *h->bvh.nodes);
        // Primitives that share a sphere overlap there, so the BVH finds them too.
        sn_medial_bvh_refit(&h->bvh, boxes, node_boxes);
        neighbours n = {b, slabs, next, NULL};
        sn_medial_bvh_find_self_pairs(&h->bvh, node_boxes, visit_neighbour, &n);
        for (size_t i = 0; i < count; i++) {
            h->first_excluded[i + 1] = h->first_excluded[i] + next[i];
            next[i] = h->first_excluded[i];
        }
        h->excluded = n.excluded = sn_alloc(memory, (size_t)h->first_excluded[count], sizeof *h->excluded);
        good = h->excluded != NULL;
        if (good) sn_medial_bvh_find_self_pairs(&h->bvh, node_boxes, visit_neighbour, &n);
        for (size_t i = 0; good && i < count; i++) {
            int *list = h->excluded + h->first_excluded[i], n_list = h->first_excluded[i + 1] - h->first_excluded[i];
            for (int k = 1; k < n_list; k++) { // a few
                int value = list[k], at = k;
                for (; at > 0 && list[at - 1] > value; --at) list[at] = list[at - 1];
                list[at] = value;
            }
        }
    }
    sn_free(memory, slabs, count, sizeof *slabs);
    sn_free(memory, boxes, count, sizeof *boxes);
    sn_free(memory, node_boxes, nodes, sizeof *node_boxes);
    sn_free(memory, next, count, sizeof *next);
    return good;
}

// ---- triangles

static bool build_adjacency(sn_memory *memory, sn_elastic_hull *h) {
    const sn_elastic_asset *asset = h->bounds->asset;
    size_t triangles = (size_t)asset->triangle_count, vertices = (size_t)asset->vertex_count;
    h->neighbour = sn_alloc(memory, triangles, sizeof *h->neighbour);
    h->first_incident = sn_alloc(memory, vertices + 1, sizeof *h->first_incident);
    h->incident = sn_alloc(memory, 3 * triangles, sizeof *h->incident);
    if (!h->neighbour || !h->first_incident || !h->incident) return false;
    for (size_t t = 0; t < triangles; t++) {
        for (int k = 0; k < 3; k++) ++h->first_incident[asset->triangles[t][k] + 1];
    }
    for (size_t v = 0; v < vertices; v++) h->first_incident[v + 1] += h->first_incident[v];
    for (size_t t = 0; t < triangles; t++) {
        for (int k = 0; k < 3; k++) h->incident[h->first_incident[asset->triangles[t][k]]++] = (int)t;
    }
    for (size_t v = vertices; v > 0; --v) h->first_incident[v] = h->first_incident[v - 1];
    h->first_incident[0] = 0;
    // The neighbour across an edge has it in the opposite direction.
    for (size_t t = 0; t < triangles; t++) {
        for (int k = 0; k < 3; k++) {
            int from = asset->triangles[t][k], to = asset->triangles[t][k < 2 ? k + 1 : 0];
            h->neighbour[t][k] = -1;
            for (int i = h->first_incident[from]; i < h->first_incident[from + 1]; i++) {
                const int *corner = asset->triangles[h->incident[i]];
                for (int m = 0; m < 3; m++) {
                    if (corner[m] == to && corner[m < 2 ? m + 1 : 0] == from) h->neighbour[t][k] = h->incident[i];
                }
            }
        }
    }
    return true;
}

// ---- voxels

enum { VOXELS_PER_SIDE = 48 };

static int voxel_along(sn_real x, sn_real lo, sn_real voxel, int count) {
    sn_real at = (x - lo) / voxel;
    if (!(at > 0)) return 0;
    return at < (sn_real)count ? (int)at : count - 1;
}

// Fills every voxel that is in a primitive, or close to it.
static void fill_voxels(sn_elastic_hull *h, const sn_slab *slab, const sn_triangle_bvh *tree, sn_real max_distance) {
    sn_bounds box = sn_slab_bounds(slab);
    const sn_real margin = 2 * h->voxel; // bounds grow
    int lo[3] = {voxel_along(box.lo.x - margin, h->voxel_lo.x, h->voxel, h->voxels[0]),
                 voxel_along(box.lo.y - margin, h->voxel_lo.y, h->voxel, h->voxels[1]),
                 voxel_along(box.lo.z - margin, h->voxel_lo.z, h->voxel, h->voxels[2])};
    int hi[3] = {voxel_along(box.hi.x + margin, h->voxel_lo.x, h->voxel, h->voxels[0]),
                 voxel_along(box.hi.y + margin, h->voxel_lo.y, h->voxel, h->voxels[1]),
                 voxel_along(box.hi.z + margin, h->voxel_lo.z, h->voxel, h->voxels[2])};
    for (int k = lo[2]; k <= hi[2]; k++) {
        for (int j = lo[1]; j <= hi[1]; j++) {
            for (int i = lo[0]; i <= hi[0]; i++) {
                int *voxel = &h->voxel_triangle[(k * h->voxels[1] + j) * h->voxels[0] + i];
                sn_vec3 middle = {h->voxel_lo.x + ((sn_real)i + (sn_real)0.5) * h->voxel,
                                  h->voxel_lo.y + ((sn_real)j + (sn_real)0.5) * h->voxel,
                                  h->voxel_lo.z + ((sn_real)k + (sn_real)0.5) * h->voxel};
                sn_triangle_bvh_hit hit;
                if (*voxel >= 0 || sn_slab_distance(slab, middle, NULL) > margin) continue;
                if (sn_triangle_bvh_nearest(tree, middle, max_distance, &hit)) *voxel = hit.triangle;
            }
        }
    }
}

static bool build_voxels(sn_memory *memory, sn_elastic_hull *h) {
    const sn_elastic_bounds *b = h->bounds;
    const sn_elastic_asset *asset = b->asset;
    sn_triangle_bvh tree;
    if (sn_triangle_bvh_build(memory, asset->rest, asset->vertex_count, &asset->triangles[0][0], asset->triangle_count,
                              &tree) != SN_OK) {
        return false;
    }
    if (tree.node_count == 0) {
        sn_triangle_bvh_free(memory, &tree);
        return true; // no surface
    }
    sn_bounds box = tree.nodes[0].bounds;
    h->voxel = b->size > 0 ? b->size / VOXELS_PER_SIDE : 1;
    h->voxel_lo = sn_sub(box.lo, sn_v3(2 * h->voxel, 2 * h->voxel, 2 * h->voxel));
    const sn_real side[3] = {box.hi.x - box.lo.x, box.hi.y - box.lo.y, box.hi.z - box.lo.z};
    size_t count = 1;
    for (int k = 0; k < 3; k++) {
        h->voxels[k] = (int)(side[k] / h->voxel) + 5;
        count *= (size_t)h->voxels[k];
    }
    h->voxel_triangle = sn_alloc(memory, count, sizeof *h->voxel_triangle);
    if (h->voxel_triangle) {
        memset(h->voxel_triangle, -1, count * sizeof *h->voxel_triangle);
        for (int i = 0; i < b->primitive_count; i++) {
            sn_slab slab = slab_at_rest(b, i);
            fill_voxels(h, &slab, &tree, 4 * b->size);
        }
    }
    sn_triangle_bvh_free(memory, &tree);
    return h->voxel_triangle != NULL;
}

sn_status sn_elastic_hull_init(sn_memory *memory, const sn_elastic_bounds *bounds, sn_elastic_hull *out) {
    *out = (sn_elastic_hull){.bounds = bounds};
    if (list_owned(memory, out) && find_excluded(memory, out) && build_adjacency(memory, out) &&
        build_voxels(memory, out)) {
        return SN_OK;
    }
    sn_elastic_hull_free(memory, out);
    return SN_ERR_MEMORY;
}

void sn_elastic_hull_free(sn_memory *memory, sn_elastic_hull *h) {
    if (!h->bounds) return;
    const sn_elastic_asset *asset = h->bounds->asset;
    size_t count = (size_t)h->bounds->primitive_count, triangles = (size_t)asset->triangle_count;
    size_t voxels = (size_t)h->voxels[0] * (size_t)h->voxels[1] * (size_t)h->voxels[2];
    size_t excluded = (size_t)(h->first_excluded ? h->first_excluded[count] : 0);
    sn_medial_bvh_free(memory, &h->bvh);
    sn_free(memory, h->first_owned, count + 1, sizeof *h->first_owned);
    sn_free(memory, h->owned, (size_t)h->bounds->surface_count, sizeof *h->owned);
    sn_free(memory, h->excluded, excluded, sizeof *h->excluded);
    sn_free(memory, h->first_excluded, count + 1, sizeof *h->first_excluded);
    sn_free(memory, h->neighbour, triangles, sizeof *h->neighbour);
    sn_free(memory, h->first_incident, (size_t)asset->vertex_count + 1, sizeof *h->first_incident);
    sn_free(memory, h->incident, 3 * triangles, sizeof *h->incident);
    sn_free(memory, h->voxel_triangle, voxels, sizeof *h->voxel_triangle);
    *h = (sn_elastic_hull){0};
}
