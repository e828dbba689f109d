// Nearest points of two triangles.
//
// They are a corner and its foot in the other triangle, or lie on an edge of each; or the triangles cross, and then an
// edge of one pierces the other.
//
//   corner and foot: the direction d between them is the triangle's normal. It is the answer if the other triangle lies
//       on one side of the plane and its lowest corner has its foot inside.
//   two edges: with d between the nearest points of the edges, the pair is the answer if the third corners lie behind
//       their edges as seen along d: then planes perpendicular to d separate the triangles. Edges opposite to the
//       corner that is farthest from the other triangle come first: mostly they are the answer.
//
// Everything uses the normal equations in double, which is as accurate as floats allow. For triangles so thin or edges
// so nearly parallel that too many digits would be lost, slab.c has a more careful method.
#include "geometry/tri_tri.h"
#include "base/math/real.h"

#define dot   sn_point_dot
#define minus sn_point_sub
#define plus  sn_point_mul_add

// Squared sines of triangles and of pairs of edges below which too many digits are lost. An edge's parameter loses
// eps / sine^2, but the distance only that times the sine: nothing visible in floats.
#define THIN2     (sizeof(sn_real) == sizeof(double) ? 1e-3 : 1e-8)
#define PARALLEL2 (sizeof(sn_real) == sizeof(double) ? 1e-3 : 0)

// A triangle as a plane.
typedef struct {
    sn_point e, v, normal;      // from corner 0 to 1 and 2; normal: not of unit length
    double ee, ev, vv, inverse; // inverse of their determinant
} frame;

static inline bool frame_of(const sn_point t[3], frame *f) {
    f->e = minus(t[1], t[0]);
    f->v = minus(t[2], t[0]);
    f->normal = sn_point_cross(f->e, f->v);
    f->ee = dot(f->e, f->e), f->ev = dot(f->e, f->v), f->vv = dot(f->v, f->v);
    double det = dot(f->normal, f->normal);
    f->inverse = 1 / det;
    return det > THIN2 * f->ee * f->vv && det > 1e-120;
}

// Weights at the foot of x, a point relative to corner 0. False: outside.
static inline bool foot_inside(const frame *f, sn_point x, double weight[3]) {
    double xe = dot(x, f->e), xv = dot(x, f->v);
    weight[1] = (xe * f->vv - xv * f->ev) * f->inverse;
    weight[2] = (xv * f->ee - xe * f->ev) * f->inverse;
    weight[0] = 1 - weight[1] - weight[2];
    return weight[0] >= 0 && weight[1] >= 0 && weight[2] >= 0;
}

// The index of the lowest corner, or -1 if they are on both sides.
static inline int lowest(const double height[3]) {
    int lowest = 0;
    if (height[0] > 0 && height[1] > 0 && height[2] > 0) {
        lowest = height[1] < height[0] ? 1 : 0;
        return height[2] < height[lowest] ? 2 : lowest;
    }
    if (height[0] < 0 && height[1] < 0 && height[2] < 0) {
        lowest = height[1] > height[0] ? 1 : 0;
        return height[2] > height[lowest] ? 2 : lowest;
    }
    return -1;
}

// An edge of p that pierces the triangle.
static bool edge_through(const frame *f, sn_point corner, const sn_point p[3], const double height[3],
                         double on_face[3], double on_p[3]) {
    for (int i = 0; i < 3; i++) {
        int next = i < 2 ? i + 1 : 0;
        double h0 = height[i], h1 = height[next];
        if (!((h0 <= 0 && h1 >= 0) || (h0 >= 0 && h1 <= 0))) continue;
        double t = h0 == h1 ? 0 : h0 / (h0 - h1); // both in the plane: a corner will do
        sn_point x = plus(minus(p[i], corner), t, minus(p[next], p[i]));
        if (!foot_inside(f, x, on_face)) continue;
        on_p[0] = on_p[1] = on_p[2] = 0;
        on_p[i] = 1 - t;
        on_p[next] = t;
        return true;
    }
    return false;
}

static inline double clamped(double x) {
    return x < 0 ? 0 : (x > 1 ? 1 : x);
}

// The corner that is farthest along d.
static inline int farthest(const sn_point t[3], sn_point d) {
    double reach[3] = {dot(d, t[0]), dot(d, t[1]), dot(d, t[2])};
    int far = reach[1] > reach[0] ? 1 : 0;
    return reach[2] > reach[far] ? 2 : far;
}

// False: the edges are too nearly parallel.
static bool edges(const sn_point a[3], const sn_point b[3], sn_tri_tri *out) {
    static const int after[3] = {1, 2, 0};
    sn_point toward = {a[0].x + a[1].x + a[2].x - b[0].x - b[1].x - b[2].x,
                       a[0].y + a[1].y + a[2].y - b[0].y - b[1].y - b[2].y,
                       a[0].z + a[1].z + a[2].z - b[0].z - b[1].z - b[2].z};
    int third_a = farthest(a, toward), first_b = farthest(b, sn_point_mul(-1, toward));
    double best = HUGE_VAL;
    for (int p = 0; p < 3; ++p, third_a = after[third_a]) {
        int i = after[third_a], next_i = after[i];
        sn_point u = minus(a[next_i], a[i]);
        double uu = dot(u, u), inverse_uu = 1 / uu;
        int third_b = first_b;
        for (int q = 0; q < 3; ++q, third_b = after[third_b]) {
            int j = after[third_b], next_j = after[j];
            sn_point v = minus(b[next_j], b[j]), d0 = minus(a[i], b[j]);
            double vv = dot(v, v), uv = dot(u, v), ud = dot(u, d0), vd = dot(v, d0);
            double det = uu * vv - uv * uv;
            if (!(det > PARALLEL2 * uu * vv)) {
                if (PARALLEL2 > 0) return false;
                continue; // the nearest points are ends, and neighbouring edges have them too
            }
            double s = clamped((uv * vd - ud * vv) / det);
            double t = (uv * s + vd) / vv;
            if (!(t >= 0 && t <= 1)) {
                t = clamped(t);
                s = clamped((uv * t - ud) * inverse_uu);
            }
            sn_point d = plus(plus(d0, s, u), -t, v);
            double distance2 = dot(d, d);
            if (!(distance2 < best)) continue;
            best = distance2;
            out->a[i] = 1 - s, out->a[next_i] = s, out->a[third_a] = 0;
            out->b[j] = 1 - t, out->b[next_j] = t, out->b[third_b] = 0;
            out->d = d;
            sn_point behind_a = minus(minus(a[third_a], a[i]), sn_point_mul(s, u));
            sn_point behind_b = minus(minus(b[third_b], b[j]), sn_point_mul(t, v));
            if (dot(d, behind_a) >= 0 && dot(d, behind_b) <= 0) return true;
        }
    }
    return true;
}

bool sn_tri_tri_nearest(const sn_point a[3], const sn_point b[3], sn_tri_tri *out) {
    frame fa, fb;
    if (!frame_of(a, &fa) || !frame_of(b, &fb)) return false;
    sn_point separation = minus(a[0], b[0]);
    out->size2 = dot(separation, separation) + fa.ee + fa.vv + fb.ee + fb.vv;
    out->crossing = false;
    double over_a[3], over_b[3];
    sn_point x[3];
    for (int j = 0; j < 3; j++) x[j] = minus(b[j], a[0]), over_a[j] = dot(fa.normal, x[j]);
    int j = lowest(over_a);
    if (j >= 0 && foot_inside(&fa, x[j], out->a)) {
        out->b[0] = j == 0, out->b[1] = j == 1, out->b[2] = j == 2;
        out->d = sn_point_mul(-over_a[j] * fa.inverse, fa.normal);
        return true;
    }
    for (int i = 0; i < 3; i++) x[i] = minus(a[i], b[0]), over_b[i] = dot(fb.normal, x[i]);
    int i = lowest(over_b);
    if (i >= 0 && foot_inside(&fb, x[i], out->b)) {
        out->a[0] = i == 0, out->a[1] = i == 1, out->a[2] = i == 2;
        out->d = sn_point_mul(over_b[i] * fb.inverse, fb.normal);
        return true;
    }
    // Corners on both sides of one plane are enough to check: for coplanar triangles the signs are arbitrary.
    out->crossing = (j < 0 && edge_through(&fa, a[0], b, over_a, out->a, out->b)) ||
                    (i < 0 && edge_through(&fb, b[0], a, over_b, out->b, out->a));
    out->d = (sn_point){0, 0, 0};
    if (out->crossing) return true;
    return edges(a, b, out);
}
