// See elastic_closest.h.
#include "medial/elastic_closest.h"

// ---- the closest surface point

sn_triangle sn_elastic_triangle(const sn_elastic_collider *c, int triangle) {
    const int *corner = c->hull->bounds->asset->triangles[triangle];
    return (sn_triangle){c->x[corner[0]], c->x[corner[1]], c->x[corner[2]]};
}

static sn_elastic_surface_point closest_on_triangle(const sn_elastic_collider *c, int triangle, sn_vec3 x) {
    sn_triangle now = sn_elastic_triangle(c, triangle);
    sn_elastic_surface_point p = {.triangle = triangle};
    p.distance2 = sn_point_triangle(x, &now, &p.weight[1], &p.weight[2], &p.offset);
    p.weight[0] = sn_max(1 - p.weight[1] - p.weight[2], 0);
    return p;
}

// Whether a point is at a corner, on an edge or inside of its triangle: returns the number of corners whose weight is
// not zero. 'with' is the last of them, 'without' the first with zero weight; -1: none. Weights of rounding size count
// as zero: on the edge between the second and the third corner, the first has one.
static int feature_of(const sn_elastic_surface_point *p, int *with, int *without) {
    const sn_real none = 4 * SN_REAL_EPSILON;
    int count = 0;
    *with = *without = -1;
    for (int k = 2; k >= 0; --k) {
        if (p->weight[k] > none) {
            count++;
            if (*with < 0) *with = k;
        } else {
            *without = k;
        }
    }
    return count;
}

enum { MAX_RING_SEARCHES = 4 };

sn_elastic_surface_point sn_elastic_closest_point(const sn_elastic_collider *c, int start, sn_vec3 x) {
    const sn_elastic_hull *hull = c->hull;
    sn_elastic_surface_point best = closest_on_triangle(c, start, x);
    for (int searches = 0;;) {
        int with, without, corners = feature_of(&best, &with, &without), from = best.triangle;
        if (corners == 2) {
            int beyond = hull->neighbour[from][without < 2 ? without + 1 : 0]; // across the edge opposite `without`
            if (beyond >= 0) {
                sn_elastic_surface_point p = closest_on_triangle(c, beyond, x);
                if (p.distance2 < best.distance2) best = p;
            }
        } else if (corners == 1) {
            int v = hull->bounds->asset->triangles[from][with];
            for (int i = hull->first_incident[v]; i < hull->first_incident[v + 1]; i++) {
                if (hull->incident[i] == from) continue;
                sn_elastic_surface_point p = closest_on_triangle(c, hull->incident[i], x);
                if (p.distance2 < best.distance2) best = p;
            }
        }
        if (best.triangle != from) continue; // terminates: each iteration is closer than the last
        // Seen from within, every facet of a round body is a local minimum: search the ring around it. Limited, because
        // far inside there are many equally good minima.
        if (searches++ == MAX_RING_SEARCHES) return best;
        const int *corner = hull->bounds->asset->triangles[from];
        for (int k = 0; k < 3; k++) {
            for (int i = hull->first_incident[corner[k]]; i < hull->first_incident[corner[k] + 1]; i++) {
                sn_elastic_surface_point p = closest_on_triangle(c, hull->incident[i], x);
                if (p.distance2 < best.distance2) best = p;
            }
        }
        if (best.triangle == from) return best;
    }
}

// The signed cosine, times length, between the offset and a triangle's normal.
static sn_real facing(const sn_elastic_collider *c, int triangle, sn_vec3 offset) {
    sn_triangle t = sn_elastic_triangle(c, triangle);
    sn_vec3 normal = sn_cross(sn_sub(t.b, t.a), sn_sub(t.c, t.a));
    sn_real length2 = sn_dot(normal, normal);
    return length2 > 0 ? sn_dot(normal, offset) / sn_sqrt(length2) : 0;
}

bool sn_elastic_is_inside(const sn_elastic_collider *c, const sn_elastic_surface_point *p) {
    const sn_elastic_hull *hull = c->hull;
    int with, without, corners = feature_of(p, &with, &without);
    sn_real best = facing(c, p->triangle, p->offset);
    if (corners == 2) {
        int beyond = hull->neighbour[p->triangle][without < 2 ? without + 1 : 0];
        sn_real other = beyond >= 0 ? facing(c, beyond, p->offset) : 0;
        if (sn_abs(other) > sn_abs(best)) best = other;
    } else if (corners == 1) {
        int v = hull->bounds->asset->triangles[p->triangle][with];
        for (int i = hull->first_incident[v]; i < hull->first_incident[v + 1]; i++) {
            sn_real other = facing(c, hull->incident[i], p->offset);
            if (sn_abs(other) > sn_abs(best)) best = other;
        }
    }
    return best < 0;
}

// ---- from the current pose to rest

sn_rest_map sn_rest_map_init(const sn_elastic_collider *body, int primitive) {
    const sn_elastic_bounds *b = body->hull->bounds;
    sn_rest_map w = {.body = body, .primitive = primitive};
    for (int k = 0; k < 3; k++) {
        w.rest.c[k] = b->asset->centre[b->spheres[primitive][k]];
        w.rest.r[k] = b->asset->radius[b->spheres[primitive][k]];
    }
    const sn_vec3 *a = body->state->map[primitive];
    sn_vec3 across[3] = {sn_cross(a[1], a[2]), sn_cross(a[2], a[0]), sn_cross(a[0], a[1])};
    sn_real det = sn_dot(a[0], across[0]);
    w.invertible = det > (sn_real)1e-3 && sn_finite(det);
    for (int k = 0; w.invertible && k < 3; k++) w.row[k] = sn_mul(1 / det, across[k]);
    return w;
}

static sn_vec3 blend(const sn_vec3 c[3], const sn_real t[3]) {
    return sn_add(sn_mul(t[0], c[0]), sn_add(sn_mul(t[1], c[1]), sn_mul(t[2], c[2])));
}

static int voxel_at(const sn_elastic_hull *h, sn_vec3 rest) {
    const sn_real at[3] = {rest.x - h->voxel_lo.x, rest.y - h->voxel_lo.y, rest.z - h->voxel_lo.z};
    int index[3];
    for (int k = 0; k < 3; k++) {
        sn_real cell = at[k] / h->voxel;
        if (!(cell >= 0 && cell < (sn_real)h->voxels[k])) return -1;
        index[k] = (int)cell;
    }
    return h->voxel_triangle[(index[2] * h->voxels[1] + index[1]) * h->voxels[0] + index[0]];
}

int sn_rest_map_lookup_triangle(const sn_rest_map *w, sn_vec3 x, const sn_real t[3]) {
    const sn_elastic_hull *h = w->body->hull;
    if (!w->invertible || !h->voxel_triangle) return -1;
    sn_vec3 off = sn_sub(x, blend(w->body->state->slab[w->primitive].c, t)), c = blend(w->rest.c, t);
    sn_vec3 back = {sn_dot(w->row[0], off), sn_dot(w->row[1], off), sn_dot(w->row[2], off)};
    return voxel_at(h, sn_add(c, back));
}

int sn_rest_map_closest_triangle(const sn_rest_map *w, sn_vec3 x) {
    const sn_elastic_bounds *b = w->body->hull->bounds;
    int closest = -1;
    sn_real min = HUGE_VALF;
    for (int i = b->first_triangle[w->primitive]; i < b->first_triangle[w->primitive + 1]; i++) {
        sn_elastic_surface_point p = closest_on_triangle(w->body, b->triangles[i], x);
        if (p.distance2 < min) min = p.distance2, closest = p.triangle;
    }
    return closest;
}
