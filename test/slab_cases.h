// Random slabs of every awkward kind, and what to compare the closed forms with, computed in double on the numbers the
// library was given: a search over both simplexes, and the bound that proves a pair to be the deepest.
#ifndef SN_TEST_SLAB_CASES_H
#define SN_TEST_SLAB_CASES_H

#include "geometry/slab.h"
#include "pill_cases.h"
#include <stdlib.h>

#ifdef SN_DOUBLE
#define SLAB_TOLERANCE 1e-12
#else
#define SLAB_TOLERANCE 1e-6
#endif
#define SEARCH_TOLERANCE 1e-6 // what the searches can promise

// --- f, and the scale that rounding errors are measured by ---

static inline dvec slab_centre(const sn_slab *s, const double w[3], dvec origin) {
    dvec x = {0, 0, 0};
    for (int i = 0; i < 3; i++) x = d_axpy(x, w[i], d_sub(d_of(s->c[i]), origin));
    return x;
}
static inline double slab_radius(const sn_slab *s, const double w[3]) {
    return w[0] * s->r[0] + w[1] * s->r[1] + w[2] * s->r[2];
}
static inline double slab_f(const sn_slab *a, const sn_slab *b, const double wa[3], const double wb[3]) {
    dvec origin = d_of(a->c[0]);
    return d_length(d_sub(slab_centre(a, wa, origin), slab_centre(b, wb, origin))) - slab_radius(a, wa) -
           slab_radius(b, wb);
}
static inline double slab_pair_size(const sn_slab *a, const sn_slab *b) {
    double size = d_length(d_sub(d_of(a->c[0]), d_of(b->c[0])));
    for (int i = 0; i < 3; i++) {
        size += d_length(d_sub(d_of(a->c[i]), d_of(a->c[(i + 1) % 3]))) + a->r[i];
        size += d_length(d_sub(d_of(b->c[i]), d_of(b->c[(i + 1) % 3]))) + b->r[i];
    }
    return size;
}

// --- the bound: for |n| <= 1, f >= min over corners of n.(a_i - b_j) - r_i - s_j, whatever the weights ---

static inline double slab_bound(const sn_slab *a, const sn_slab *b, dvec n, dvec *steepest) {
    double least = HUGE_VAL;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            dvec p = d_sub(d_of(a->c[i]), d_of(b->c[j]));
            double value = d_dot(n, p) - a->r[i] - b->r[j];
            if (value < least) least = value, *steepest = p;
        }
    }
    return least;
}

// The best bound: a concave function of n on the unit ball, by the ellipsoid method. Slow, and knows nothing of faces.
static inline double slab_best_bound(const sn_slab *a, const sn_slab *b, int steps) {
    dvec n = {0, 0, 0};
    double e[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, best = -HUGE_VAL;
    for (int step = 0; step < steps; step++) {
        dvec g = {0, 0, 0}; // the half with g.(x - n) > 0 has the answer
        double length = d_length(n);
        if (length > 1) {
            g = (dvec){-n.x, -n.y, -n.z};
            dvec unit = {n.x / length, n.y / length, n.z / length}, unused;
            double value = slab_bound(a, b, unit, &unused);
            if (value > best) best = value;
        } else {
            double value = slab_bound(a, b, n, &g);
            if (value > best) best = value;
        }
        double gv[3] = {g.x, g.y, g.z}, eg[3], geg = 0;
        for (int i = 0; i < 3; i++) {
            eg[i] = e[i][0] * gv[0] + e[i][1] * gv[1] + e[i][2] * gv[2];
            geg += gv[i] * eg[i];
        }
        if (!(geg > 0)) break;
        for (int i = 0; i < 3; i++) eg[i] /= sqrt(geg);
        n = d_axpy(n, 0.25, (dvec){eg[0], eg[1], eg[2]});
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) e[i][j] = 9.0 / 8 * (e[i][j] - 0.5 * eg[i] * eg[j]);
        }
    }
    return best;
}

// --- the search: nested golden sections on partial minima, which are convex too ---

// min over the slab's slice with weight w0 of corner 0, which is a pill, of the distance to a ball.
static inline double slice_minimum(const sn_slab *s, double w0, dvec p, double radius) {
    dvec o = d_of(s->c[0]), x = d_sub(p, o), x1 = d_sub(d_of(s->c[1]), o), x2 = d_sub(d_of(s->c[2]), o);
    oracle slice = {
        .d0 = d_axpy(x, -(1 - w0), x1),
        .v = d_axpy((dvec){0, 0, 0}, 1 - w0, d_sub(x2, x1)),
        .ra = radius,
        .rb = w0 * s->r[0] + (1 - w0) * s->r[1],
        .db = (1 - w0) * ((double)s->r[2] - s->r[1]),
    };
    slice.vv = d_dot(slice.v, slice.v);
    double room = slice.vv - slice.db * slice.db;
    slice.slope = room > 0 && slice.vv > 0 ? slice.db / sqrt(slice.vv * room) : 0;
    return best_over_beta(&slice, 0);
}

typedef struct search search;
struct search {
    const sn_slab *a, *b;
    double wa0, wa[3];
};
typedef double search_fn(search *s, double t);

static inline double golden(search *s, search_fn *fn, int steps) {
    const double ratio = 0.61803398874989484820;
    double lo = 0, hi = 1, best = fmin(fn(s, 0), fn(s, 1));
    double x1 = 1 - ratio, x2 = ratio, f1 = fn(s, x1), f2 = fn(s, x2);
    for (int i = 0; i < steps; i++) {
        best = fmin(best, fmin(f1, f2));
        if (f1 < f2) {
            hi = x2, x2 = x1, f2 = f1;
            x1 = hi - ratio * (hi - lo);
            f1 = fn(s, x1);
        } else {
            lo = x1, x1 = x2, f1 = f2;
            x2 = lo + ratio * (hi - lo);
            f2 = fn(s, x2);
        }
    }
    return fmin(best, fmin(f1, f2));
}

#define GOLDEN_STEPS 34

static inline double search_b(search *s, double w0) {
    dvec p = d_axpy(slab_centre(s->a, s->wa, d_of(s->a->c[0])), 1, d_of(s->a->c[0]));
    return slice_minimum(s->b, w0, p, slab_radius(s->a, s->wa));
}
static inline double search_a1(search *s, double t) {
    s->wa[0] = s->wa0;
    s->wa[1] = (1 - s->wa0) * (1 - t);
    s->wa[2] = (1 - s->wa0) * t;
    return golden(s, search_b, GOLDEN_STEPS);
}
static inline double search_a0(search *s, double w0) {
    s->wa0 = w0;
    return golden(s, search_a1, GOLDEN_STEPS);
}
static inline double slab_search(const sn_slab *a, const sn_slab *b) {
    search s = {.a = a, .b = b};
    return golden(&s, search_a0, GOLDEN_STEPS);
}
// b is a pill, of corners 0 and 1: one level less.
static inline double slab_pill_search(const sn_slab *a, const sn_slab *b) {
    search s = {.a = b, .b = a, .wa0 = 0};
    sn_slab turned = {{b->c[2], b->c[0], b->c[1]}, {b->r[2], b->r[0], b->r[1]}};
    s.a = &turned;
    return golden(&s, search_a1, GOLDEN_STEPS);
}

// --- random pairs ---

enum {
    SLAB_ANY,
    SLAB_ALIKE, // equal radii: triangles with a thickness
    SLAB_THIN,  // no radii at all
    SLAB_PARALLEL,
    SLAB_NEARLY_PARALLEL,
    SLAB_COPLANAR,
    SLAB_CROSSING,
    SLAB_NESTED,
    SLAB_NEEDLE, // no area
    SLAB_BALL,   // no length
    SLAB_PILL,
    SLAB_STEEP,
    SLAB_NEIGHBOURS, // share an edge or a corner
    SLAB_SAME,
    SLAB_CASE_COUNT
};

static inline sn_slab some_slab(rng *r, double size) {
    sn_slab s;
    for (int i = 0; i < 3; i++) {
        s.c[i] = in_cube(r, size);
        s.r[i] = (sn_real)between(r, 0, 0.5 * size);
    }
    return s;
}

static inline void slab_radii(sn_slab *s, double radius) {
    for (int i = 0; i < 3; i++) s->r[i] = (sn_real)radius;
}

// Radii that differ by a share of the edges' lengths; around 1 balls begin to swallow each other.
static inline void slab_taper(sn_slab *s, rng *r, double share) {
    int small = below(r, 3);
    s->r[small] = (sn_real)between(r, 0, 0.3);
    for (int k = 1; k < 3; k++) {
        int i = (small + k) % 3;
        double length = d_length(d_sub(d_of(s->c[i]), d_of(s->c[small])));
        s->r[i] = (sn_real)(s->r[small] + (uniform(r) < 0.5 ? share : uniform(r)) * length);
    }
}

static inline void make_near_slabs(rng *r, int kind, sn_slab *a, sn_slab *b) {
    double size = magnitude(r, 0.1, 10);
    *a = some_slab(r, size);
    *b = some_slab(r, uniform(r) < 0.7 ? size : magnitude(r, 1e-2, 1e2));
    if (uniform(r) < 0.3) slab_radii(a, uniform(r) * size);
    if (uniform(r) < 0.3) slab_radii(b, uniform(r) * size);
    if (uniform(r) < 0.3) slab_taper(a, r, uniform(r));
    if (uniform(r) < 0.3) slab_taper(b, r, uniform(r));
    sn_vec3 u = sn_sub(a->c[1], a->c[0]), v = sn_sub(a->c[2], a->c[0]);
    sn_vec3 off = in_cube(r, uniform(r) < 0.5 ? size : 3 * size);
    switch (kind) {
    case SLAB_ALIKE:
        slab_radii(a, uniform(r) < 0.5 ? 0.01 * size : uniform(r) * size);
        slab_radii(b, uniform(r) < 0.5 ? 0.01 * size : uniform(r) * size);
        if (uniform(r) < 0.5) {
            for (int i = 0; i < 3; i++) b->c[i] = sn_add(b->c[i], off);
        }
        break;
    case SLAB_THIN:
        slab_radii(a, 0), slab_radii(b, 0);
        break;
    case SLAB_PARALLEL:
    case SLAB_NEARLY_PARALLEL:
    case SLAB_COPLANAR:
        if (kind == SLAB_COPLANAR)
            off = sn_add(sn_mul((sn_real)between(r, -2, 2), u), sn_mul((sn_real)between(r, -2, 2), v));
        for (int i = 0; i < 3; i++) {
            sn_real s = (sn_real)between(r, -1, 2), t = (sn_real)between(r, -1, 2);
            if (uniform(r) < 0.3) s = (sn_real)(i == 1), t = (sn_real)(i == 2);
            b->c[i] = sn_add(sn_add(a->c[0], off), sn_add(sn_mul(s, u), sn_mul(t, v)));
            if (kind == SLAB_NEARLY_PARALLEL) b->c[i] = sn_add(b->c[i], in_cube(r, size * magnitude(r, 1e-9, 0.1)));
        }
        if (uniform(r) < 0.5) slab_radii(a, uniform(r) * size), slab_radii(b, uniform(r) * size);
        break;
    case SLAB_CROSSING: { // some inner points coincide
        sn_vec3 shift = sn_sub(
            sn_add(sn_add(a->c[0], sn_mul((sn_real)between(r, 0, 0.5), u)), sn_mul((sn_real)between(r, 0, 0.5), v)),
            sn_lerp(b->c[0], sn_lerp(b->c[1], b->c[2], (sn_real)uniform(r)), (sn_real)uniform(r)));
        for (int i = 0; i < 3; i++) b->c[i] = sn_add(b->c[i], shift);
        break;
    }
    case SLAB_NESTED:
        slab_taper(uniform(r) < 0.5 ? a : b, r, between(r, 1, 3));
        if (uniform(r) < 0.3) slab_taper(a, r, between(r, 1, 3));
        break;
    case SLAB_NEEDLE:
        if (uniform(r) < 0.7) a->c[2] = sn_mul_add(a->c[0], (sn_real)between(r, -1, 2), u);
        if (uniform(r) < 0.7) b->c[2] = sn_lerp(b->c[0], b->c[1], (sn_real)between(r, -1, 2));
        if (uniform(r) < 0.3) b->c[0] = sn_mul_add(a->c[0], (sn_real)uniform(r), u);
        if (uniform(r) < 0.5) a->c[2] = sn_add(a->c[2], in_cube(r, size * magnitude(r, 1e-9, 0.1)));
        break;
    case SLAB_BALL:
        if (uniform(r) < 0.6) a->c[1] = a->c[2] = a->c[0];
        if (uniform(r) < 0.6) b->c[1] = b->c[2] = b->c[0];
        if (uniform(r) < 0.5) a->r[1] = a->r[2] = a->r[0];
        if (uniform(r) < 0.5) b->r[1] = b->r[2] = b->r[0];
        if (uniform(r) < 0.2) b->c[0] = a->c[0];
        break;
    case SLAB_PILL:
        if (uniform(r) < 0.6) a->c[2] = a->c[1], a->r[2] = a->r[1];
        if (uniform(r) < 0.6) b->c[2] = b->c[1], b->r[2] = b->r[1];
        if (uniform(r) < 0.1) b->c[2] = b->c[0];
        break;
    case SLAB_STEEP:
        slab_taper(a, r, 1 - magnitude(r, 1e-8, 1));
        if (uniform(r) < 0.5) slab_taper(b, r, 1 - magnitude(r, 1e-8, 1));
        break;
    case SLAB_NEIGHBOURS:
        b->c[0] = a->c[1], b->r[0] = a->r[1];
        if (uniform(r) < 0.5) b->c[1] = a->c[2], b->r[1] = a->r[2];
        break;
    case SLAB_SAME: {
        int turn = below(r, 3);
        for (int i = 0; i < 3; i++) b->c[i] = a->c[(i + turn) % 3], b->r[i] = a->r[(i + turn) % 3];
        break;
    }
    default:
        break;
    }
}

// The same, half of them far from the origin, where coordinates are coarse.
static inline void make_slabs(rng *r, int kind, sn_slab *a, sn_slab *b) {
    make_near_slabs(r, kind, a, b);
    if (uniform(r) < 0.5) {
        sn_vec3 offset = in_cube(r, magnitude(r, 1, 1e4));
        for (int i = 0; i < 3; i++) a->c[i] = sn_add(a->c[i], offset), b->c[i] = sn_add(b->c[i], offset);
    }
}

// What a pair must be, whatever the slabs. Returns f at its weights, in double.
static inline double check_slab_pair(const sn_slab *a, const sn_slab *b, const sn_slab_pair *p, double size,
                                     double *reported) {
    double wa[3] = {p->a[0], p->a[1], p->a[2]}, wb[3] = {p->b[0], p->b[1], p->b[2]};
    bool good = sn_finite(p->gap) && fabs(d_length(d_of(p->normal)) - 1) < 8 * (double)SN_REAL_EPSILON;
    for (int i = 0; i < 3; i++) good = good && wa[i] >= 0 && wb[i] >= 0;
    good = good && fabs(wa[0] + wa[1] + wa[2] - 1) < 4 * (double)SN_REAL_EPSILON;
    good = good && fabs(wb[0] + wb[1] + wb[2] - 1) < 4 * (double)SN_REAL_EPSILON;
    if (!good) CHECK(good);
    double f = slab_f(a, b, wa, wb);
    double wrong = fabs(f - p->gap) / size;
    if (wrong > *reported) *reported = wrong;
    return f;
}

// Row 34, by proof: the pair is a point of both simplexes, and a bound says that nothing is below it. Where centres
// coincide or nearly so, the normal is the way out and proves nothing: there the best bound is searched for.
static inline void check_slabs_by_bound(int count) {
    rng r = {88172645463325252u};
    double worst[SLAB_CASE_COUNT] = {0}, worst_searched = 0, reported = 0;
    int searched = 0;
    for (int i = 0; i < count; i++) {
        int kind = i % SLAB_CASE_COUNT;
        sn_slab a, b;
        make_slabs(&r, kind, &a, &b);
        sn_slab_pair p;
        sn_slab_slab(&a, &b, &p);
        double size = slab_pair_size(&a, &b);
        double f = check_slab_pair(&a, &b, &p, size, &reported);
        dvec unused, n = d_of(p.normal);
        double length = d_length(n);
        n = (dvec){n.x / length, n.y / length, n.z / length};
        double excess = (f - slab_bound(&a, &b, n, &unused)) / size;
        if (excess > SLAB_TOLERANCE) {
            searched++;
            excess = (f - slab_best_bound(&a, &b, 900)) / size;
            if (excess > worst_searched) worst_searched = excess;
        } else if (excess > worst[kind]) {
            worst[kind] = excess;
        }
    }
    for (int kind = 0; kind < SLAB_CASE_COUNT; kind++) {
        printf("case %d: at most %.2g of the size above the bound\n", kind, worst[kind]);
    }
    printf("%d of %d needed the best bound: at most %.2g above; gaps off by %.2g\n", searched, count, worst_searched,
           reported);
    CHECK_NEAR(worst_searched, 0, SEARCH_TOLERANCE);
    CHECK_NEAR(reported, 0, SLAB_TOLERANCE);
    CHECK(searched < count / 5);
}

// Row 34, by search over both simplexes: no hit is missed, none is false, beyond a millionth of the size.
static inline void check_slabs_by_search(int slab_pairs, int pill_pairs) {
    rng r = {424242};
    double worst = 0, worst_pill = 0, reported = 0;
    for (int i = 0; i < slab_pairs; i++) {
        sn_slab a, b;
        make_slabs(&r, i % SLAB_CASE_COUNT, &a, &b);
        sn_slab_pair p;
        sn_slab_slab(&a, &b, &p);
        double size = slab_pair_size(&a, &b), f = check_slab_pair(&a, &b, &p, size, &reported);
        worst = fmax(worst, (f - slab_search(&a, &b)) / size);
    }
    for (int i = 0; i < pill_pairs; i++) {
        sn_slab a, b;
        make_slabs(&r, i % SLAB_CASE_COUNT, &a, &b);
        sn_pill pill = {b.c[0], b.c[1], b.r[0], b.r[1]};
        b.c[2] = b.c[1], b.r[2] = b.r[1];
        sn_slab_pair p;
        sn_slab_pill(&a, &pill, &p);
        if (p.b[2] != 0) CHECK(p.b[2] == 0);
        double size = slab_pair_size(&a, &b), f = check_slab_pair(&a, &b, &p, size, &reported);
        worst_pill = fmax(worst_pill, (f - slab_pill_search(&a, &b)) / size);
    }
    printf("worse than the search by at most %.2g (slabs), %.2g (pills)\n", worst, worst_pill);
    CHECK_NEAR(worst, 0, SEARCH_TOLERANCE);
    CHECK_NEAR(worst_pill, 0, SEARCH_TOLERANCE);
    CHECK_NEAR(reported, 0, SLAB_TOLERANCE);
}

// How many pairs to try: more on request, SN_SLAB_PAIRS=1000000 test_slab.
static inline int slab_count(int usual) {
    const char *wanted = getenv("SN_SLAB_PAIRS");
    if (wanted) return atoi(wanted);
#ifdef SLOW_BUILD
    return usual / 10;
#else
    return usual;
#endif
}

#endif
