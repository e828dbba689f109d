// Triangles: nearest points and intersection tests.
//
// Foot of a perpendicular. With e = b - a, w = (c - a) - k e perpendicular to e (two passes of Gram-Schmidt, as in
// pill.c) and x = p - a: gamma = x.w / w.w, beta = x.e / e.e - k gamma. If both and 1 - beta - gamma are at least 0 the
// foot is the nearest point; else the nearest point lies on one of the at most two edges that face the foot.
#include "geometry/triangle.h"
#include "geometry/pill.h"

// Below this ratio of w.w to e.e a triangle has no usable area.
#define NEEDLE2 (64 * SN_REAL_EPSILON * SN_REAL_EPSILON)

// The triangle's plane in the frame (e, w).
typedef struct {
    sn_vec3 e, w;
    sn_real ee, ww, k;
} plane_frame;

static bool plane_frame_of(const sn_triangle *triangle, plane_frame *f) {
    f->e = sn_sub(triangle->b, triangle->a);
    sn_vec3 c = sn_sub(triangle->c, triangle->a);
    f->ee = sn_dot(f->e, f->e);
    if (!(f->ee > SN_NO_LENGTH2)) return false;
    f->k = sn_dot(f->e, c) / f->ee;
    f->w = sn_sub(c, sn_mul(f->k, f->e));
    sn_real rest = sn_dot(f->e, f->w) / f->ee;
    f->w = sn_sub(f->w, sn_mul(rest, f->e));
    f->k += rest;
    f->ww = sn_dot(f->w, f->w);
    return f->ww > NEEDLE2 * sn_dot(c, c) && f->ww > SN_NO_LENGTH2 * SN_REAL_EPSILON;
}

static void weights(const plane_frame *f, sn_vec3 x, sn_real *beta, sn_real *gamma) {
    *gamma = sn_dot(x, f->w) / f->ww;
    *beta = sn_dot(x, f->e) / f->ee - f->k * *gamma;
}

bool sn_triangle_foot(const sn_triangle *triangle, sn_vec3 point, sn_foot *foot) {
    plane_frame f;
    if (!plane_frame_of(triangle, &f)) return false;
    sn_vec3 x = sn_sub(point, triangle->a);
    weights(&f, x, &foot->beta, &foot->gamma);
    sn_vec3 e = sn_mul(1 / sn_sqrt(f.ee), f.e), w = sn_mul(1 / sn_sqrt(f.ww), f.w);
    foot->normal = sn_cross(e, w);
    foot->height = sn_dot(x, foot->normal);
    return true;
}

// Projects p onto the edge from 'from' to 'to'; keeps the result if it is nearer.
static void try_edge(sn_vec3 p, sn_vec3 from, sn_vec3 to, sn_vec3 weight_from, sn_vec3 weight_to, sn_real *best,
                     sn_vec3 *weight, sn_vec3 *offset) {
    sn_real t = sn_segment_nearest(p, from, to);
    sn_vec3 off = sn_sub(sn_sub(p, from), sn_mul(t, sn_sub(to, from)));
    sn_real distance2 = sn_dot(off, off);
    if (*best >= 0 && !(distance2 < *best)) return;
    *best = distance2;
    *weight = sn_add(sn_mul(1 - t, weight_from), sn_mul(t, weight_to));
    *offset = off;
}

sn_real sn_point_triangle(sn_vec3 p, const sn_triangle *triangle, sn_real *beta, sn_real *gamma, sn_vec3 *offset) {
    bool see_ab = true, see_bc = true, see_ca = true;
    plane_frame f;
    if (plane_frame_of(triangle, &f)) {
        sn_vec3 x = sn_sub(p, triangle->a);
        weights(&f, x, beta, gamma);
        see_ab = *gamma < 0, see_ca = *beta<0, see_bc = *beta + *gamma> 1;
        if (!see_ab && !see_bc && !see_ca) {
            *offset = sn_sub(sn_sub(x, sn_mul(*beta + f.k * *gamma, f.e)), sn_mul(*gamma, f.w));
            return sn_dot(*offset, *offset);
        }
    }
    const sn_vec3 at_a = {0, 0, 0}, at_b = {1, 0, 0}, at_c = {0, 1, 0}; // (beta, gamma)
    sn_real best = -1;
    sn_vec3 weight = at_a;
    if (see_ab) try_edge(p, triangle->a, triangle->b, at_a, at_b, &best, &weight, offset);
    if (see_bc) try_edge(p, triangle->b, triangle->c, at_b, at_c, &best, &weight, offset);
    if (see_ca) try_edge(p, triangle->c, triangle->a, at_c, at_a, &best, &weight, offset);
    *beta = weight.x;
    *gamma = weight.y;
    return best;
}

bool sn_segment_through_triangle(sn_vec3 p, sn_vec3 q, const sn_triangle *triangle, sn_real *t, sn_real *beta,
                                 sn_real *gamma) {
    plane_frame f;
    if (!plane_frame_of(triangle, &f)) return false;
    sn_vec3 normal = sn_cross(f.e, f.w);
    sn_vec3 x = sn_sub(p, triangle->a), u = sn_sub(q, p);
    sn_real hp = sn_dot(normal, x), hq = sn_dot(normal, sn_sub(q, triangle->a));
    if (!((hp < 0 && hq > 0) || (hp > 0 && hq < 0))) return false;
    *t = hp / (hp - hq);
    weights(&f, sn_mul_add(x, *t, u), beta, gamma);
    return *beta >= 0 && *gamma >= 0 && *beta + *gamma <= 1;
}

// ---- two triangles

typedef struct {
    double x, y, z;
} point;

static point minus(point a, point b) {
    return (point){a.x - b.x, a.y - b.y, a.z - b.z};
}
static point across(point a, point b) {
    return (point){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static double along(point a, point b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static int sign(double x) {
    return (x > 0) - (x < 0);
}

// On which side of the plane of a, b, c the point p lies.
static int side(point a, point b, point c, point p) {
    return sign(along(across(minus(b, a), minus(c, a)), minus(p, a)));
}

// In the plane: on which side of the line from a to b the point p lies, with 'normal' pointing to the viewer.
static int side_in_plane(point a, point b, point p, point normal) {
    return sign(along(across(minus(b, a), minus(p, a)), normal));
}

static bool inside_in_plane(const point t[3], point p, point normal) {
    int s0 = side_in_plane(t[0], t[1], p, normal), s1 = side_in_plane(t[1], t[2], p, normal);
    int s2 = side_in_plane(t[2], t[0], p, normal);
    return (s0 >= 0 && s1 >= 0 && s2 >= 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0);
}

// Coplanar segments p q and r s. Collinear ones intersect only if other tests see it: an end of one is in the other
// triangle.
static bool cross_in_plane(point p, point q, point r, point s, point normal) {
    return side_in_plane(p, q, r, normal) * side_in_plane(p, q, s, normal) <= 0 &&
           side_in_plane(r, s, p, normal) * side_in_plane(r, s, q, normal) <= 0 &&
           (side_in_plane(p, q, r, normal) != 0 || side_in_plane(p, q, s, normal) != 0);
}

// Whether the edge p q intersects the triangle t with the given normal.
static bool edge_hits(point p, point q, const point t[3], point normal) {
    int sp = side(t[0], t[1], t[2], p), sq = side(t[0], t[1], t[2], q);
    if (sp * sq > 0) return false;
    if (sp == 0 && sq == 0) { // in the plane of t
        return inside_in_plane(t, p, normal) || inside_in_plane(t, q, normal) ||
               cross_in_plane(p, q, t[0], t[1], normal) || cross_in_plane(p, q, t[1], t[2], normal) ||
               cross_in_plane(p, q, t[2], t[0], normal);
    }
    int s0 = side(p, q, t[0], t[1]), s1 = side(p, q, t[1], t[2]), s2 = side(p, q, t[2], t[0]);
    return (s0 >= 0 && s1 >= 0 && s2 >= 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0);
}

static bool any_edge_hits(const point a[3], const point b[3]) {
    point normal = across(minus(b[1], b[0]), minus(b[2], b[0]));
    if (!(along(normal, normal) > 0)) return false; // no plane to intersect
    return edge_hits(a[0], a[1], b, normal) || edge_hits(a[1], a[2], b, normal) || edge_hits(a[2], a[0], b, normal);
}

bool sn_triangle_triangle(const sn_triangle *a, const sn_triangle *b) {
    // Relative to a corner: differences of floats are exact in double, at any distance from the origin.
    const sn_vec3 *corner[6] = {&a->a, &a->b, &a->c, &b->a, &b->b, &b->c};
    point p[6];
    for (int i = 0; i < 6; i++) {
        p[i] = (point){(double)corner[i]->x - a->a.x, (double)corner[i]->y - a->a.y, (double)corner[i]->z - a->a.z};
    }
    // If they intersect, an edge of one intersects the other.
    return any_edge_hits(p, p + 3) || any_edge_hits(p + 3, p);
}
