// See collide_place.h.
#include "kinds/elastic/collide_place.h"

// --- the nearest place of a surface ---

sn_triangle sn_collide_triangle(const sn_elastic_collider *c, int triangle) {
    const int *corner = c->hull->bounds->asset->triangles[triangle];
    return (sn_triangle){c->x[corner[0]], c->x[corner[1]], c->x[corner[2]]};
}

static sn_place place_on(const sn_elastic_collider *c, int triangle, sn_vec3 x) {
    sn_triangle now = sn_collide_triangle(c, triangle);
    sn_place p = {.triangle = triangle};
    p.distance2 = sn_point_triangle(x, &now, &p.weight[1], &p.weight[2], &p.offset);
    p.weight[0] = sn_max(1 - p.weight[1] - p.weight[2], 0);
    return p;
}

// How many corners have a share; the last of them, and the first that has none. On the edge between the second and the
// third, rounding leaves a little to the first.
static int feature_of(const sn_place *p, int *with, int *without) {
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

enum { LOOKS = 4 };

sn_place sn_collide_downhill(const sn_elastic_collider *c, int start, sn_vec3 x) {
    const sn_elastic_hull *hull = c->hull;
    sn_place best = place_on(c, start, x);
    for (int looks = 0;;) {
        int with, without, corners = feature_of(&best, &with, &without), from = best.triangle;
        if (corners == 2) {
            int beyond =
                hull->beside[from][without < 2 ? without + 1 : 0]; // over the edge that has no share of 'without'
            if (beyond >= 0) {
                sn_place p = place_on(c, beyond, x);
                if (p.distance2 < best.distance2) best = p;
            }
        } else if (corners == 1) {
            int v = hull->bounds->asset->triangles[from][with];
            for (int i = hull->first_around[v]; i < hull->first_around[v + 1]; i++) {
                if (hull->around[i] == from) continue;
                sn_place p = place_on(c, hull->around[i], x);
                if (p.distance2 < best.distance2) best = p;
            }
        }
        if (best.triangle != from) continue; // each turn is nearer than the last: it ends
        // Seen from within, every facet of a round body is a valley of its own: look around. Far inside there is no end
        // to that, and one valley is as good as another.
        if (looks++ == LOOKS) return best;
        const int *corner = hull->bounds->asset->triangles[from];
        for (int k = 0; k < 3; k++) {
            for (int i = hull->first_around[corner[k]]; i < hull->first_around[corner[k] + 1]; i++) {
                sn_place p = place_on(c, hull->around[i], x);
                if (p.distance2 < best.distance2) best = p;
            }
        }
        if (best.triangle == from) return best;
    }
}

// Of which side of a triangle the offset is, times how little it is seen edge on.
static sn_real facing(const sn_elastic_collider *c, int triangle, sn_vec3 offset) {
    sn_triangle t = sn_collide_triangle(c, triangle);
    sn_vec3 normal = sn_cross(sn_sub(t.b, t.a), sn_sub(t.c, t.a));
    sn_real length2 = sn_dot(normal, normal);
    return length2 > 0 ? sn_dot(normal, offset) / sn_sqrt(length2) : 0;
}

bool sn_collide_is_behind(const sn_elastic_collider *c, const sn_place *p) {
    const sn_elastic_hull *hull = c->hull;
    int with, without, corners = feature_of(p, &with, &without);
    sn_real best = facing(c, p->triangle, p->offset);
    if (corners == 2) {
        int beyond = hull->beside[p->triangle][without < 2 ? without + 1 : 0];
        sn_real other = beyond >= 0 ? facing(c, beyond, p->offset) : 0;
        if (sn_abs(other) > sn_abs(best)) best = other;
    } else if (corners == 1) {
        int v = hull->bounds->asset->triangles[p->triangle][with];
        for (int i = hull->first_around[v]; i < hull->first_around[v + 1]; i++) {
            sn_real other = facing(c, hull->around[i], p->offset);
            if (sn_abs(other) > sn_abs(best)) best = other;
        }
    }
    return best < 0;
}

// --- a primitive's way back to rest ---

sn_way_back sn_way_back_of(const sn_elastic_collider *body, int primitive) {
    const sn_elastic_bounds *b = body->hull->bounds;
    sn_way_back w = {.body = body, .primitive = primitive};
    for (int k = 0; k < 3; k++) {
        w.rest.c[k] = b->asset->centre[b->spheres[primitive][k]];
        w.rest.r[k] = b->asset->radius[b->spheres[primitive][k]];
    }
    const sn_vec3 *a = body->bound->map[primitive];
    sn_vec3 across[3] = {sn_cross(a[1], a[2]), sn_cross(a[2], a[0]), sn_cross(a[0], a[1])};
    sn_real det = sn_dot(a[0], across[0]);
    w.good = det > (sn_real)1e-3 && sn_finite(det);
    for (int k = 0; w.good && k < 3; k++) w.row[k] = sn_mul(1 / det, across[k]);
    return w;
}

static sn_vec3 mixed(const sn_vec3 c[3], const sn_real t[3]) {
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

int sn_collide_lookup(const sn_way_back *w, sn_vec3 x, const sn_real t[3]) {
    const sn_elastic_hull *h = w->body->hull;
    if (!w->good || !h->voxel_triangle) return -1;
    sn_vec3 off = sn_sub(x, mixed(w->body->bound->slab[w->primitive].c, t)), c = mixed(w->rest.c, t);
    sn_vec3 back = {sn_dot(w->row[0], off), sn_dot(w->row[1], off), sn_dot(w->row[2], off)};
    return voxel_at(h, sn_add(c, back));
}

int sn_collide_nearest(const sn_way_back *w, sn_vec3 x) {
    const sn_elastic_bounds *b = w->body->hull->bounds;
    int nearest = -1;
    sn_real least = HUGE_VALF;
    for (int i = b->first_triangle[w->primitive]; i < b->first_triangle[w->primitive + 1]; i++) {
        sn_place p = place_on(w->body, b->triangles[i], x);
        if (p.distance2 < least) least = p.distance2, nearest = p.triangle;
    }
    return nearest;
}
