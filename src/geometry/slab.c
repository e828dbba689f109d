// Slabs: the nearest or deepest pair of points of two, in closed form (Medial Elastics, section 5).
//
// With x_a, r_a linear over one triangle and x_b, r_b over the other, d = x_a - x_b and n = d/|d|,
//     f = |d| - r_a - r_b
// is convex: the norm of an affine map minus an affine map. Where its minimum is inside a face of one and a face of the
// other (faces are corners, edges, the triangle), every edge u of those faces, along which the radius grows by D, has
//     n.u = D  on a,    n.u = -D  on b.                                                                           (*)
// A unit vector has two degrees of freedom, so three such edges are one too many. With more than two, f is constant
// along some line within the faces, which ends at a smaller face or where d = 0. That leaves few pairs to try:
//
//     corner-triangle            edge-edge                edge through triangle
//            o                     \   /                         |
//        ____:____                  \ :                      ____|____
//       /    '   /                   X                      /    o   /      d = 0
//      /________/                   / \                    /________/
//
// including the ends of edges. All of them are points of the simplexes, so the smallest f is the answer.
//
// Any unit n gives a lower bound of f, since |d| >= n.d, with its minimum at the corners:
//     f >= min_i (n.a_i - r_i) + min_j (-n.b_j - r_j).                                                            (**)
// When it equals the f of a pair, that pair is the answer and the search ends. A corner over a triangle is such a case:
// the n that (*) gives for the triangle, the corner lowest over it, and its foot inside.
//
// Where d = 0 there is no n. The shortest way out is along the normal of a tangent plane of both that separates them:
// (*) for two edges, or where a ball contains the rest, for one edge or none.
#include "geometry/slab.h"
#include "geometry/pill.h"
#include "geometry/slab_part.h"
#include "geometry/tri_tri.h"

typedef sn_point point;
#define dot   sn_point_dot
#define minus sn_point_sub
#define plus  sn_point_mul_add
#define times sn_point_mul
#define cross sn_point_cross

static inline double root(double x) {
    return __builtin_sqrt(x);
}
static inline double min_of(double a, double b) {
    return a < b ? a : b;
}
static inline double clamped(double x) {
    return x < 0 ? 0 : (x > 1 ? 1 : x);
}

// Edges with a squared sine up to this are parallel within the rounding of double.
#define PARALLEL2 (64 * 2.3e-16 * 2.3e-16)
// Squared lengths up to this have no direction.
#define NO_LENGTH2 1e-60
// If the axes are closer than this times the size of the pair, d has no usable direction.
#define CROSSING (64 * (double)SN_REAL_EPSILON)
// Tolerance of the bound (**), relative to the size of the pair.
#define MET (64 * 2.3e-16)

typedef sn_slab_edge edge;
typedef sn_slab_plane plane;
typedef sn_slab_part part;

static inline edge edge_of(const part *p, int from, int to) {
    edge s;
    s.u = minus(p->c[to], p->c[from]);
    s.dr = p->r[to] - p->r[from];
    s.uu = dot(s.u, s.u);
    s.inverse = s.uu > NO_LENGTH2 ? 1 / s.uu : 0;
    double cone2 = s.uu - s.dr * s.dr;
    s.cone = s.inverse > 0 && cone2 > 0;
    s.slope = s.cone && s.dr != 0 ? s.dr / root(s.uu * cone2) : 0;
    return s;
}

static inline void make_plane(part *p) {
    const edge *e = &p->edges[0];
    p->has_plane = false;
    if (p->corners < 3 || !(e->inverse > 0)) return;
    plane *q = &p->plane;
    point v = minus(p->c[2], p->c[0]);
    q->e = e->u;
    q->inverse_ee = e->inverse;
    q->k = dot(q->e, v) * e->inverse;
    q->w = plus(v, -q->k, q->e);
    double rest = dot(q->e, q->w) * e->inverse;
    q->w = plus(q->w, -rest, q->e);
    q->k += rest;
    double ww = dot(q->w, q->w);
    if (!(ww > PARALLEL2 * dot(v, v) && ww > NO_LENGTH2)) return;
    p->has_plane = true;
    q->inverse_ww = 1 / ww;
    q->m = times(root(e->inverse * q->inverse_ww), cross(q->e, q->w));
    q->dw = p->r[2] - p->r[0] - q->k * e->dr;
    q->inside = plus(times(-e->dr * e->inverse, q->e), -q->dw * q->inverse_ww, q->w);
    double up2 = 1 - (e->dr * e->dr * e->inverse + q->dw * q->dw * q->inverse_ww);
    q->up = up2 > 0 ? root(up2) : 0;
}

static inline bool same(sn_vec3 a, sn_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static inline void make_part(part *p, const sn_vec3 *c, const sn_real *r, int corners, sn_vec3 origin) {
    p->origin = origin;
    p->corners = corners;
    if (corners == 3 && same(c[2], c[1]) && r[2] == r[1]) p->corners = 2;
    if (p->corners == 2 && same(c[1], c[0]) && r[1] == r[0]) p->corners = 1;
    for (int i = 0; i < p->corners; i++) {
        p->c[i] = sn_point_of(c[i], origin);
        p->r[i] = r[i];
    }
    if (p->corners > 1) p->edges[0] = edge_of(p, 0, 1);
    if (p->corners > 2) {
        p->edges[1] = edge_of(p, 1, 2);
        p->edges[2] = edge_of(p, 2, 0);
    }
    make_plane(p);
}

// The best pair so far: weights of the corners on both sides, and f.
typedef struct {
    double a[3], b[3];
    double f;
} found;

static inline int edge_count(const part *p) {
    return p->corners < 3 ? p->corners - 1 : 3;
}

// The separation of a and b along the unit vector n: the bound (**).
static inline double separation(const part *a, const part *b, point n) {
    double low_a = dot(n, a->c[0]) - a->r[0], low_b = -dot(n, b->c[0]) - b->r[0];
    for (int i = 1; i < a->corners; i++) {
        double low = dot(n, a->c[i]) - a->r[i];
        low_a = low < low_a ? low : low_a;
    }
    for (int i = 1; i < b->corners; i++) {
        double low = -dot(n, b->c[i]) - b->r[i];
        low_b = low < low_b ? low : low_b;
    }
    return low_a + low_b;
}

// The square of the size to which rounding errors are relative.
static double size2_of(const part *a, const part *b) {
    point d = minus(a->c[0], b->c[0]);
    double size2 = dot(d, d) + a->r[0] * a->r[0] + b->r[0] * b->r[0];
    for (int i = 0; i < edge_count(a); i++) size2 += a->edges[i].uu + a->edges[i].dr * a->edges[i].dr;
    for (int i = 0; i < edge_count(b); i++) size2 += b->edges[i].uu + b->edges[i].dr * b->edges[i].dr;
    return size2;
}

// ---- a corner and a triangle

// Heights of the corners of p over the triangle's plane.
static inline void heights(const part *face, const part *p, double height[3]) {
    for (int j = 0; j < p->corners; j++) height[j] = dot(face->plane.m, minus(p->c[j], face->c[0]));
}

// The weights of the triangle's corners at a point of its plane, relative to corner 0. False: outside.
static inline bool inside(const plane *q, double along_e, double along_w, double weight[3]) {
    weight[2] = along_w * q->inverse_ww;
    weight[1] = along_e * q->inverse_ee - q->k * weight[2];
    weight[0] = 1 - weight[1] - weight[2];
    return weight[0] >= 0 && weight[1] >= 0 && weight[2] >= 0;
}

// The answer, if all corners of p are on one side of the triangle and the lowest has its foot inside.
static bool corner_over_triangle(const part *face, const part *p, const double height[3], double on_face[3],
                                 double on_p[3], double *f) {
    const plane *q = &face->plane;
    if (!(q->up > 0)) return false;
    point x[3];
    double level[3] = {0}; // along the normal's component in the plane
    for (int j = 0; j < p->corners; j++) {
        x[j] = minus(p->c[j], face->c[0]);
        level[j] = dot(q->inside, x[j]) - p->r[j];
    }
    for (int side = 0; side < 2; side++) {
        double up = side ? -q->up : q->up;
        int lowest = 0;
        double bottom = level[0] + up * height[0];
        for (int j = 1; j < p->corners; j++) {
            double value = level[j] + up * height[j];
            if (value < bottom) bottom = value, lowest = j;
        }
        if (!(up * height[lowest] >= 0)) continue;
        double reach = height[lowest] / up; // |d|
        double along_e = dot(x[lowest], q->e) + reach * face->edges[0].dr,
               along_w = dot(x[lowest], q->w) + reach * q->dw;
        if (!inside(q, along_e, along_w, on_face)) continue;
        for (int j = 0; j < 3; j++) on_p[j] = j == lowest;
        *f = bottom - face->r[0];
        return true;
    }
    return false;
}

// ---- an edge through a triangle

// The edges of p that pierce the triangle; keeps the one with the smallest f = -r_a - r_b.
static void edges_through(const part *face, const part *p, const double height[3], bool face_is_a, found *best) {
    for (int i = 0; i < edge_count(p); i++) {
        int from = i, to = i + 1 < p->corners ? i + 1 : 0;
        double h0 = height[from], h1 = height[to];
        if (!((h0 <= 0 && h1 >= 0) || (h0 >= 0 && h1 <= 0))) continue;
        double t = h0 == h1 ? 0 : h0 / (h0 - h1); // both in the plane: a corner will do
        point x = plus(minus(p->c[from], face->c[0]), t, p->edges[i].u);
        double weight[3];
        if (!inside(&face->plane, dot(x, face->plane.e), dot(x, face->plane.w), weight)) continue;
        double radius = weight[0] * face->r[0] + weight[1] * face->r[1] + weight[2] * face->r[2];
        double f = -radius - (p->r[from] + t * p->edges[i].dr);
        if (!(f < best->f)) continue;
        best->f = f;
        double *on_face = face_is_a ? best->a : best->b, *on_p = face_is_a ? best->b : best->a;
        for (int j = 0; j < 3; j++) on_face[j] = weight[j], on_p[j] = 0;
        on_p[from] = 1 - t;
        on_p[to] = t;
    }
}

// ---- an edge and an edge (pill.c has the derivation)

// The parameter of the edge's sphere nearest to x, a point relative to its start.
static inline double project(const edge *p, point x) {
    if (!p->cone) return p->dr > 0 ? 1 : 0;
    double foot = dot(x, p->u) * p->inverse;
    if (p->dr == 0) return clamped(foot);
    point off = plus(x, -foot, p->u);
    return clamped(foot + root(dot(off, off)) * p->slope);
}

// The nearest spheres of two edges; d0 from b's start to a's. Returns d, and the parameters.
static inline point edge_edge(const edge *a, const edge *b, point d0, double start_a, double start_b, double *alpha,
                              double *beta, double *f) {
    // b.u = k a.u + w.
    double k = dot(a->u, b->u) * a->inverse;
    point w = plus(b->u, -k, a->u);
    double rest = dot(a->u, w) * a->inverse;
    w = plus(w, -rest, a->u);
    k += rest;
    double ww = dot(w, w);
    bool spread = ww > PARALLEL2 * b->uu && ww > 0;
    double inverse_ww = spread ? 1 / ww : 0;
    double q = -(b->dr + k * a->dr), nu = a->dr * a->inverse, nw = q * inverse_ww;
    double up2 = 1 - (a->dr * nu + q * nw);
    double alpha_wish, beta_wish;
    bool bottom = spread && up2 > 0;
    if (bottom) {
        double du = dot(d0, a->u) * a->inverse, dw = dot(d0, w) * inverse_ww;
        point height = plus(plus(d0, -du, a->u), -dw, w);
        double reach = nu != 0 || nw != 0 ? root(dot(height, height) / up2) : 0;
        beta_wish = dw - reach * nw;
        alpha_wish = reach * nu - du + beta_wish * k;
    } else {
        beta_wish = spread ? -q : (q > 0 ? -1.0 : 1.0);
        alpha_wish = nu * ww + k * beta_wish;
        beta_wish = beta_wish > 0 ? 1 : 0;
        alpha_wish = alpha_wish > 0 ? 1 : 0;
    }
    double alpha1 = a->cone ? clamped(alpha_wish) : (a->dr > 0 ? 1 : 0);
    point from_b = plus(d0, alpha1, a->u);
    double beta1 = project(b, from_b);
    point d1 = plus(from_b, -beta1, b->u);
    double f1 = root(dot(d1, d1)) - (start_a + alpha1 * a->dr) - (start_b + beta1 * b->dr);
    *alpha = alpha1, *beta = beta1, *f = f1;
    double beta2 = b->cone ? clamped(beta_wish) : (b->dr > 0 ? 1 : 0);
    if (bottom && alpha1 == alpha_wish && beta2 == beta_wish) return d1; // inside the square: both give the same
    point from_a = plus(d0, -beta2, b->u);
    double alpha2 = project(a, times(-1, from_a));
    point d2 = plus(from_a, alpha2, a->u);
    double f2 = root(dot(d2, d2)) - (start_a + alpha2 * a->dr) - (start_b + beta2 * b->dr);
    if (!(f2 < f1)) return d1;
    *alpha = alpha2, *beta = beta2, *f = f2;
    return d2;
}

static inline void keep_edges(const part *a, const part *b, int i, int j, double alpha, double beta, double f,
                              found *best) {
    int next_a = i + 1 < a->corners ? i + 1 : 0, next_b = j + 1 < b->corners ? j + 1 : 0;
    for (int k = 0; k < 3; k++) best->a[k] = best->b[k] = 0;
    best->a[i] = 1 - alpha, best->a[next_a] = alpha;
    best->b[j] = 1 - beta, best->b[next_b] = beta;
    best->f = f;
}

// The edge to start with: opposite to the corner that is farthest along d.
static inline int first_edge(const part *p, point d) {
    if (p->corners < 3) return 0;
    double reach[3] = {dot(d, p->c[0]), dot(d, p->c[1]), dot(d, p->c[2])};
    int farthest = reach[1] > reach[0] ? 1 : 0;
    farthest = reach[2] > reach[farthest] ? 2 : farthest;
    return farthest < 2 ? farthest + 1 : 0;
}

// From b's centroid to a's.
static inline point between_middles(const part *a, const part *b) {
    point d = {0, 0, 0};
    for (int i = 0; i < a->corners; i++) d = plus(d, 1.0 / a->corners, a->c[i]);
    for (int i = 0; i < b->corners; i++) d = plus(d, -1.0 / b->corners, b->c[i]);
    return d;
}

// Tries all pairs of edges; ends when the bound (**) is reached.
static void edges_and_edges(const part *a, const part *b, found *best) {
    double slack = MET * root(size2_of(a, b));
    point toward = between_middles(a, b);
    int edges_a = edge_count(a), edges_b = edge_count(b);
    int first_a = first_edge(a, toward), first_b = first_edge(b, times(-1, toward));
    for (int p = 0; p < edges_a; p++) {
        int i = first_a + p < edges_a ? first_a + p : first_a + p - edges_a;
        for (int q = 0; q < edges_b; q++) {
            int j = first_b + q < edges_b ? first_b + q : first_b + q - edges_b;
            double alpha, beta, f;
            point d =
                edge_edge(&a->edges[i], &b->edges[j], minus(a->c[i], b->c[j]), a->r[i], b->r[j], &alpha, &beta, &f);
            if (!(f < best->f)) continue;
            keep_edges(a, b, i, j, alpha, beta, f, best);
            double length = root(dot(d, d));
            if (length > 0 && separation(a, b, times(1 / length, d)) >= f - slack) return;
        }
    }
}

// ---- spheres

// A sphere is an edge of no length.
static edge no_edge(void) {
    return (edge){.cone = false};
}

static void with_sphere(const part *a, const part *b, found *best) {
    edge nothing = no_edge();
    const part *many = a->corners > 1 ? a : b;
    bool many_is_a = many == a;
    if (many->corners == 1) {
        point d = minus(a->c[0], b->c[0]);
        best->f = root(dot(d, d)) - a->r[0] - b->r[0];
        best->a[0] = best->b[0] = 1;
        return;
    }
    for (int i = 0; i < edge_count(many); i++) {
        double alpha, beta, f;
        point d0 = many_is_a ? minus(a->c[i], b->c[0]) : minus(b->c[i], a->c[0]);
        edge_edge(&many->edges[i], &nothing, d0, many->r[i], many_is_a ? b->r[0] : a->r[0], &alpha, &beta, &f);
        if (!(f < best->f)) continue;
        double *on_many = many_is_a ? best->a : best->b, *on_one = many_is_a ? best->b : best->a;
        for (int k = 0; k < 3; k++) on_many[k] = on_one[k] = 0;
        on_many[i] = 1 - alpha;
        on_many[i + 1 < many->corners ? i + 1 : 0] = alpha;
        on_one[0] = 1;
        best->f = f;
    }
}

// ---- the shortest way out

typedef struct {
    const part *a, *b;
    point normal;
    double separation;
} exit_search;

static void try_normal(exit_search *best, point n) {
    double length2 = dot(n, n);
    if (!(length2 > 0.25)) return; // inputs are unit vectors or zero
    n = times(1 / root(length2), n);
    double here = separation(best->a, best->b, n);
    if (here > best->separation) best->separation = here, best->normal = n;
}

// The unit vectors with n.u = p and n.v = q.
static void try_two(exit_search *best, point u, double p, point v, double q) {
    double uu = dot(u, u);
    if (!(uu > NO_LENGTH2)) return;
    double k = dot(u, v) / uu;
    point w = plus(v, -k, u);
    double rest = dot(u, w) / uu;
    w = plus(w, -rest, u);
    k += rest;
    double ww = dot(w, w);
    if (!(ww > PARALLEL2 * dot(v, v) && ww > NO_LENGTH2)) return;
    q -= k * p;
    double up2 = 1 - p * p / uu - q * q / ww;
    if (!(up2 > 0)) return;
    point n = plus(times(p / uu, u), q / ww, w), m = times(root(up2 / (uu * ww)), cross(u, w));
    try_normal(best, plus(n, 1, m));
    try_normal(best, plus(n, -1, m));
}

// The unit vectors with n.u = p that are nearest to and farthest from the direction of x.
static void try_one(exit_search *best, point u, double p, point x) {
    double uu = dot(u, u), up2 = uu > NO_LENGTH2 ? 1 - p * p / uu : 0;
    if (!(up2 > 0)) return;
    point off = plus(x, -dot(x, u) / uu, u);
    double length2 = dot(off, off);
    if (!(length2 > PARALLEL2 * dot(x, x) && length2 > NO_LENGTH2)) { // none is nearer: any perpendicular to u
        off = u.x * u.x < 0.36 * uu ? (point){0, u.z, -u.y} : (point){-u.z, 0, u.x};
        length2 = dot(off, off);
    }
    double k = root(up2 / length2);
    try_normal(best, plus(times(p / uu, u), k, off));
    try_normal(best, plus(times(p / uu, u), -k, off));
}

static bool same_radii(const part *p) {
    return (p->corners < 2 || p->r[1] == p->r[0]) && (p->corners < 3 || p->r[2] == p->r[0]);
}

static point shallowest_exit(const part *a, const part *b) {
    exit_search best = {a, b, {0, 1, 0}, -HUGE_VAL};
    // With equal radii the nearest wall of the polytope of all a_i - b_j is one of its faces; else balls may stick out.
    bool sides_only = (a->has_plane || b->has_plane) && same_radii(a) && same_radii(b);
    const part *both[2] = {a, b};
    for (int side = 0; side < 2; side++) {
        const part *p = both[side], *other = both[1 - side];
        double sign = side ? -1 : 1; // of (*)
        if (p->corners == 3) {
            try_two(&best, p->edges[0].u, sign * p->edges[0].dr, times(-1, p->edges[2].u), -sign * p->edges[2].dr);
        }
        for (int i = 0; i < (sides_only ? 0 : edge_count(p)); i++) {
            for (int j = 0; j < other->corners; j++) {
                try_one(&best, p->edges[i].u, sign * p->edges[i].dr, minus(p->c[i], other->c[j]));
            }
        }
    }
    for (int i = 0; i < edge_count(a); i++) {
        for (int j = 0; j < edge_count(b); j++) {
            try_two(&best, a->edges[i].u, a->edges[i].dr, b->edges[j].u, -b->edges[j].dr);
        }
    }
    for (int i = 0; i < (sides_only ? 0 : a->corners); i++) {
        for (int j = 0; j < b->corners; j++) {
            point d = minus(a->c[i], b->c[j]);
            double length2 = dot(d, d);
            if (length2 > NO_LENGTH2) try_normal(&best, times(1 / root(length2), d));
        }
    }
    if (best.separation == -HUGE_VAL) try_normal(&best, (point){0, 1, 0});
    return best.normal;
}

// ---- all together

static void nearest(const part *a, const part *b, found *best) {
    double over_a[3] = {0}, over_b[3] = {0};
    if (a->has_plane) {
        heights(a, b, over_a);
        if (corner_over_triangle(a, b, over_a, best->a, best->b, &best->f)) return;
    }
    if (b->has_plane) {
        heights(b, a, over_b);
        if (corner_over_triangle(b, a, over_b, best->b, best->a, &best->f)) return;
    }
    *best = (found){.f = HUGE_VAL};
    if (a->has_plane) edges_through(a, b, over_a, true, best);
    if (b->has_plane) edges_through(b, a, over_b, false, best);
    if (a->corners == 1 || b->corners == 1) {
        with_sphere(a, b, best);
    } else {
        edges_and_edges(a, b, best);
    }
}

static void write_pair(const double a[3], const double b[3], point normal, double gap, sn_slab_pair *out) {
    for (int i = 0; i < 3; i++) {
        out->a[i] = (sn_real)a[i];
        out->b[i] = (sn_real)b[i];
    }
    out->normal = sn_vec3_of(normal);
    out->gap = (sn_real)gap;
}

static void pair_of(const part *a, const part *b, sn_slab_pair *out) {
    found best;
    nearest(a, b, &best);
    point d = minus(a->c[0], b->c[0]);
    for (int i = 1; i < a->corners; i++) d = plus(d, best.a[i], minus(a->c[i], a->c[0]));
    for (int i = 1; i < b->corners; i++) d = plus(d, -best.b[i], minus(b->c[i], b->c[0]));
    double length2 = dot(d, d);
    bool clear = length2 > CROSSING * CROSSING * size2_of(a, b) && length2 > NO_LENGTH2;
    point normal = clear ? times(1 / root(length2), d) : shallowest_exit(a, b);
    write_pair(best.a, best.b, normal, best.f, out);
}

// Equal radii: the triangles of the centres decide. False: too thin for that.
static bool alike(const sn_slab *a, const sn_slab *b, sn_tri_tri *near) {
    if (!(a->r[1] == a->r[0] && a->r[2] == a->r[0] && b->r[1] == b->r[0] && b->r[2] == b->r[0])) return false;
    point c[6];
    for (int i = 0; i < 3; i++) c[i] = sn_point_of(a->c[i], a->c[0]), c[3 + i] = sn_point_of(b->c[i], a->c[0]);
    return sn_tri_tri_nearest(c, c + 3, near);
}

void sn_slab_slab(const sn_slab *a, const sn_slab *b, sn_slab_pair *out) {
    sn_tri_tri near;
    bool quick = alike(a, b, &near);
    double length2 = quick ? dot(near.d, near.d) : 0, radii = (double)a->r[0] + (double)b->r[0];
    if (quick && length2 > CROSSING * CROSSING * near.size2 && length2 > NO_LENGTH2) {
        double length = root(length2);
        write_pair(near.a, near.b, times(1 / length, near.d), length - radii, out);
        return;
    }
    part pa, pb;
    make_part(&pa, a->c, a->r, 3, a->c[0]);
    make_part(&pb, b->c, b->r, 3, a->c[0]);
    if (quick) {
        write_pair(near.a, near.b, shallowest_exit(&pa, &pb), root(length2) - radii, out);
    } else {
        pair_of(&pa, &pb, out);
    }
}

void sn_slab_pill(const sn_slab *a, const sn_pill *b, sn_slab_pair *out) {
    part pa, pb;
    sn_vec3 c[2] = {b->a, b->b};
    sn_real r[2] = {b->ra, b->rb};
    make_part(&pa, a->c, a->r, 3, a->c[0]);
    make_part(&pb, c, r, 2, a->c[0]);
    pair_of(&pa, &pb, out);
}

// The gap, or a lower bound of it if that is more than 'margin'.
static double gap_of(const sn_slab *a, const sn_slab *b, double margin) {
    // Most separated pairs are separated along the line between their centroids.
    point d = {0, 0, 0}, c[6];
    for (int i = 0; i < 3; i++) {
        c[i] = sn_point_of(a->c[i], a->c[0]);
        c[3 + i] = sn_point_of(b->c[i], a->c[0]);
        d = plus(d, 1, minus(c[i], c[3 + i]));
    }
    double low_a = HUGE_VAL, low_b = HUGE_VAL, length = root(dot(d, d));
    for (int i = 0; i < 3; i++) {
        low_a = min_of(low_a, dot(d, c[i]) - length * a->r[i]);
        low_b = min_of(low_b, -dot(d, c[3 + i]) - length * b->r[i]);
    }
    if (low_a + low_b > length * margin) return (low_a + low_b) / length;
    sn_tri_tri near;
    if (alike(a, b, &near)) return root(dot(near.d, near.d)) - ((double)a->r[0] + (double)b->r[0]);
    part pa, pb;
    make_part(&pa, a->c, a->r, 3, a->c[0]);
    make_part(&pb, b->c, b->r, 3, a->c[0]);
    found best;
    nearest(&pa, &pb, &best);
    return best.f;
}

bool sn_slab_within(const sn_slab *a, const sn_slab *b, sn_real margin) {
    return gap_of(a, b, (double)margin) <= (double)margin;
}

sn_real sn_slab_separation(const sn_slab *a, const sn_slab *b) {
    // A small gap is computed exactly.
    const double margin = (double)a->r[0] + (double)b->r[0];
    return (sn_real)(gap_of(a, b, margin) * (1 - 4 * (double)SN_REAL_EPSILON)); // rounded down
}

void sn_slab_ready(const sn_slab *slab, sn_slab_part *out) {
    make_part(out, slab->c, slab->r, 3, slab->c[0]);
}

// The same cases as for two slabs, one of them a point.
sn_real sn_slab_part_distance(const sn_slab_part *p, sn_vec3 at, sn_real weight[3]) {
    point x = sn_point_of(at, p->origin);
    double best = HUGE_VAL, on[3] = {1, 0, 0};
    const plane *q = &p->plane;
    bool over = p->has_plane && q->up > 0;
    if (over) {
        point from = minus(x, p->c[0]);
        double height = __builtin_fabs(dot(q->m, from)), reach = height / q->up;
        over = inside(q, dot(from, q->e) + reach * p->edges[0].dr, dot(from, q->w) + reach * q->dw, on);
        best = dot(q->inside, from) + q->up * height - p->r[0];
    }
    if (p->corners == 1) best = root(dot(x, x)) - p->r[0]; // x is relative to the only corner
    for (int i = 0; !over && i < edge_count(p); i++) {
        const edge *e = &p->edges[i];
        point from = minus(x, p->c[i]);
        double t = project(e, from);
        point d = plus(from, -t, e->u);
        double f = root(dot(d, d)) - (p->r[i] + t * e->dr);
        if (i > 0 && !(f < best)) continue;
        best = f;
        on[0] = on[1] = on[2] = 0;
        on[i] = 1 - t;
        on[i + 1 < p->corners ? i + 1 : 0] = t;
    }
    for (int i = 0; weight && i < 3; i++) weight[i] = (sn_real)on[i];
    return (sn_real)best;
}

sn_real sn_slab_distance(const sn_slab *slab, sn_vec3 p, sn_real weight[3]) {
    part ready;
    sn_slab_ready(slab, &ready);
    return sn_slab_part_distance(&ready, p, weight);
}

sn_bounds sn_slab_bounds(const sn_slab *slab) {
    sn_pill ab = {slab->c[0], slab->c[1], slab->r[0], slab->r[1]},
            bc = {slab->c[1], slab->c[2], slab->r[1], slab->r[2]};
    sn_bounds p = sn_pill_bounds(&ab), q = sn_pill_bounds(&bc);
    return (sn_bounds){
        .lo = {sn_min(p.lo.x, q.lo.x), sn_min(p.lo.y, q.lo.y), sn_min(p.lo.z, q.lo.z)},
        .hi = {sn_max(p.hi.x, q.hi.x), sn_max(p.hi.y, q.hi.y), sn_max(p.hi.z, q.hi.z)},
    };
}
