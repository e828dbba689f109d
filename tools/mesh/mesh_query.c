// Closest points: the search descends into the nearer child first and skips boxes farther away than the best point so
// far.
//
// Rays: space is sheared so that the ray's direction becomes an axis, and a triangle is hit when the origin is on the
// same side of its three edges in the plane across (Woop, Benthin and Wald 2013). An edge gives the same number with
// opposite signs to both of its triangles, so no ray passes between them. An edge hit exactly is decided as if the ray
// were shifted by an infinitesimal along x, and a smaller one along y, which again is the same for both triangles.
//
// Embree, which the renderer uses, is not used here: it answers in single precision with code chosen by the processor,
// so results would differ between machines, and its closest points are no faster.
#include "mesh/mesh_query.h"
#include "base/math/double3.h"
#include "mesh/bvh.h"
#include <math.h>
#include <stdlib.h>

struct sn_mesh_query {
    mesh_bvh tree;
};

sn_mesh_query *sn_mesh_query_build(const sn_mesh *mesh) {
    sn_mesh_query *query = calloc(1, sizeof *query);
    if (query && mesh_bvh_build(&query->tree, mesh)) return query;
    free(query);
    return NULL;
}

void sn_mesh_query_free(sn_mesh_query *query) {
    if (!query) return;
    mesh_bvh_free(&query->tree);
    free(query);
}

static double square(double x) {
    return x * x;
}

// --- closest points ---

static double clamp01(double x) {
    return x > 0 ? x < 1 ? x : 1 : 0;
}

// Barycentric coordinates of the point of triangle a, a + e, a + f closest to the origin, by testing the Voronoi
// regions of its corners, edges and face (Ericson 2004).
static void closest_bary(const double a[3], const double e[3], const double f[3], double out[3]) {
    const double ee = d3_dot(e, e), ef = d3_dot(e, f), ff = d3_dot(f, f), d = -d3_dot(e, a), g = -d3_dot(f, a);
    if (d <= 0 && g <= 0) { // corner a
        out[0] = 1, out[1] = 0, out[2] = 0;
        return;
    }
    const double d1 = d - ee, g1 = g - ef, d2 = d - ef, g2 = g - ff; // the same at corners b and c
    if (d1 >= 0 && g1 <= d1) {
        out[0] = 0, out[1] = 1, out[2] = 0;
        return;
    }
    if (g2 >= 0 && d2 <= g2) {
        out[0] = 0, out[1] = 0, out[2] = 1;
        return;
    }
    const double vc = d * g1 - d1 * g, vb = d2 * g - d * g2, va = d1 * g2 - d2 * g1;
    if (vc <= 0 && d >= 0 && d1 <= 0) {
        const double t = d - d1 > 0 ? clamp01(d / (d - d1)) : 0;
        out[0] = 1 - t, out[1] = t, out[2] = 0;
    } else if (vb <= 0 && g >= 0 && g2 <= 0) {
        const double t = g - g2 > 0 ? clamp01(g / (g - g2)) : 0;
        out[0] = 1 - t, out[1] = 0, out[2] = t;
    } else if (va <= 0 && g1 - d1 >= 0 && d2 - g2 >= 0) {
        const double span = g1 - d1 + (d2 - g2), t = span > 0 ? clamp01((g1 - d1) / span) : 0;
        out[0] = 0, out[1] = 1 - t, out[2] = t;
    } else {
        const double sum = va + vb + vc, v = sum != 0 ? vb / sum : 0, w = sum != 0 ? vc / sum : 0;
        out[0] = 1 - v - w, out[1] = v, out[2] = w;
    }
}

// Returns the squared distance and the closest point's barycentric coordinates.
static double triangle_distance(const float corner[3][3], const double p[3], double bary[3]) {
    double a[3], e[3], f[3], sum = 0;
    for (int k = 0; k < 3; k++) {
        a[k] = corner[0][k] - p[k];
        e[k] = (double)corner[1][k] - corner[0][k];
        f[k] = (double)corner[2][k] - corner[0][k];
    }
    closest_bary(a, e, f, bary);
    for (int k = 0; k < 3; k++) sum += square(a[k] + bary[1] * e[k] + bary[2] * f[k]);
    return sum;
}

static double box_distance(const bvh_node *node, const double p[3]) {
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        const double below = node->bound.low[k] - p[k], above = p[k] - node->bound.high[k],
                     d = below > above ? below : above;
        sum += d > 0 ? d * d : 0;
    }
    return sum;
}

static void fill_hit(const mesh_bvh *tree, int at, sn_mesh_hit *out) {
    out->triangle = tree->bvh.index[at];
    for (int k = 0; k < 3; k++) {
        out->point[k] = 0;
        for (int c = 0; c < 3; c++) out->point[k] += out->bary[c] * tree->corner[at][c][k];
    }
}

bool sn_mesh_query_closest_point(const sn_mesh_query *query, const double p[3], double max_distance, sn_mesh_hit *out) {
    const mesh_bvh *tree = &query->tree;
    struct {
        int node;
        double distance;
    } stack[BVH_MAX_DEPTH];
    int depth = 0, found = -1;
    double best = max_distance * max_distance;
    if (tree->bvh.node_count == 0 || !(max_distance >= 0)) return false;
    stack[depth].node = 0, stack[depth++].distance = box_distance(&tree->bvh.node[0], p);
    while (depth > 0) {
        --depth;
        if (stack[depth].distance > best) continue;
        const bvh_node *node = &tree->bvh.node[stack[depth].node];
        for (int i = node->first; i < node->first + node->count; i++) {
            double bary[3];
            const double d = triangle_distance((const float(*)[3])tree->corner[i], p, bary);
            if (!(d < best || (found < 0 && d <= best))) continue;
            best = d, found = i;
            for (int k = 0; k < 3; k++) out->bary[k] = bary[k];
        }
        if (node->count) continue;
        const bvh_node *child = &tree->bvh.node[node->first];
        const double d0 = box_distance(&child[0], p), d1 = box_distance(&child[1], p);
        const int nearer = d1 < d0; // pushed last, so visited first
        if ((nearer ? d0 : d1) <= best)
            stack[depth].node = node->first + !nearer, stack[depth++].distance = nearer ? d0 : d1;
        stack[depth].node = node->first + nearer, stack[depth++].distance = nearer ? d1 : d0;
    }
    if (found < 0) return false;
    out->distance = sqrt(best);
    fill_hit(tree, found, out);
    return true;
}

// --- rays ---

typedef struct {
    double origin[3], shear[3]; // shear: x and y per unit of z, and 1 / direction z
    int x, y, z;                // permuted axes; z is the longest of the direction
    double slope[3];            // 1 / direction, for boxes
    double length;              // of the direction
} ray;

static bool make_ray(const double origin[3], const double direction[3], ray *out) {
    const double length = sqrt(d3_dot(direction, direction));
    if (!(length > 0) || !isfinite(length)) return false;
    int z = fabs(direction[1]) > fabs(direction[0]) ? 1 : 0;
    if (fabs(direction[2]) > fabs(direction[z])) z = 2;
    *out = (ray){.x = (z + 1) % 3, .y = (z + 2) % 3, .z = z, .length = length};
    for (int k = 0; k < 3; k++) out->origin[k] = origin[k], out->slope[k] = 1 / direction[k];
    out->shear[0] = direction[out->x] / direction[z];
    out->shear[1] = direction[out->y] / direction[z];
    out->shear[2] = 1 / direction[z];
    return true;
}

// Whether the ray passes through the box within 'max_distance', in lengths of its direction. The bound is widened a
// little, since boxes touch their triangles; 0/0 where the ray lies in a face counts as inside.
static bool ray_hits_box(const ray *r, const bvh_node *node, double max_distance) {
    double from = 0, to = max_distance;
    for (int k = 0; k < 3; k++) {
        double a = (node->bound.low[k] - r->origin[k]) * r->slope[k],
               b = (node->bound.high[k] - r->origin[k]) * r->slope[k];
        if (a > b) {
            const double swapped = a;
            a = b, b = swapped;
        }
        if (a > from) from = a;
        if (b < to) to = b;
    }
    return from <= to * (1 + 1e-12) + 1e-300;
}

// Twice the signed area of the origin and the edge a b in the sheared plane, and its sign with ties broken.
static double edge_area(const double a[2], const double b[2], int *sign) {
    const double u = a[0] * b[1] - a[1] * b[0];
    if (u != 0)
        *sign = u > 0 ? 1 : -1;
    else if (a[1] != b[1])
        *sign = a[1] > b[1] ? 1 : -1;
    else
        *sign = (b[0] > a[0]) - (b[0] < a[0]);
    return u;
}

// 1: the ray goes along the normal, -1: against it, 0: no hit. t in lengths of the direction.
static int ray_hits_triangle(const ray *r, const float corner[3][3], double *t, double bary[3]) {
    double p[3][2], z[3], area[3];
    int sign[3];
    for (int c = 0; c < 3; c++) {
        z[c] = corner[c][r->z] - r->origin[r->z];
        p[c][0] = corner[c][r->x] - r->origin[r->x] - r->shear[0] * z[c];
        p[c][1] = corner[c][r->y] - r->origin[r->y] - r->shear[1] * z[c];
    }
    for (int c = 0; c < 3; c++) area[c] = edge_area(p[(c + 1) % 3], p[(c + 2) % 3], &sign[c]);
    if (sign[0] == 0 || sign[0] != sign[1] || sign[1] != sign[2]) return 0;
    const double sum = area[0] + area[1] + area[2];
    if (sum == 0) return 0;
    for (int c = 0; c < 3; c++) bary[c] = area[c] / sum;
    *t = r->shear[2] * (bary[0] * z[0] + bary[1] * z[1] + bary[2] * z[2]);
    // The sheared plane is seen from above if the direction is +z, from below if it is -z.
    return *t >= 0 ? sign[0] * (r->shear[2] > 0 ? 1 : -1) : 0;
}

bool sn_mesh_query_cast_ray(const sn_mesh_query *query, const double origin[3], const double direction[3],
                            double max_distance, sn_mesh_hit *out) {
    const mesh_bvh *tree = &query->tree;
    ray r;
    if (tree->bvh.node_count == 0 || !(max_distance >= 0) || !make_ray(origin, direction, &r)) return false;
    double best = max_distance / r.length;
    int stack[BVH_MAX_DEPTH], depth = 0, found = -1;
    stack[depth++] = 0;
    while (depth > 0) {
        const bvh_node *node = &tree->bvh.node[stack[--depth]];
        if (!ray_hits_box(&r, node, best)) continue;
        for (int i = node->first; i < node->first + node->count; i++) {
            double t, bary[3];
            if (!ray_hits_triangle(&r, (const float(*)[3])tree->corner[i], &t, bary)) continue;
            if (!(t < best || (found < 0 && t <= best))) continue;
            best = t, found = i;
            for (int k = 0; k < 3; k++) out->bary[k] = bary[k];
        }
        if (node->count) continue;
        // Visit the child first that comes first along the ray's main axis.
        const bvh_node *child = &tree->bvh.node[node->first];
        const bool swap = (child[1].bound.low[r.z] < child[0].bound.low[r.z]) == (r.shear[2] > 0);
        stack[depth++] = node->first + !swap, stack[depth++] = node->first + swap;
    }
    if (found < 0) return false;
    out->distance = best * r.length;
    fill_hit(tree, found, out);
    return true;
}

sn_ray_crossings sn_mesh_query_count_crossings(const sn_mesh_query *query, const double origin[3],
                                               const double direction[3]) {
    const mesh_bvh *tree = &query->tree;
    sn_ray_crossings out = {0, 0};
    ray r;
    if (tree->bvh.node_count == 0 || !make_ray(origin, direction, &r)) return out;
    int stack[BVH_MAX_DEPTH], depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const bvh_node *node = &tree->bvh.node[stack[--depth]];
        if (!ray_hits_box(&r, node, INFINITY)) continue;
        for (int i = node->first; i < node->first + node->count; i++) {
            double t, bary[3];
            const int side = ray_hits_triangle(&r, (const float(*)[3])tree->corner[i], &t, bary);
            out.leaving += side > 0, out.entering += side < 0;
        }
        if (node->count == 0) stack[depth++] = node->first + 1, stack[depth++] = node->first;
    }
    return out;
}
