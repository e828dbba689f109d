// Random pills of every awkward kind, and a slow, plain search to compare the closed forms with. Included by the
// float and the double tests: all of it computes in double on the numbers the library was given.
#ifndef SN_TEST_PILL_CASES_H
#define SN_TEST_PILL_CASES_H

#include "geometry/pill_batch.h"
#include "test.h"
#include <math.h>
#include <stdio.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SLOW_BUILD 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SLOW_BUILD 1
#endif
#endif
#if defined(SLOW_BUILD) || !defined(__OPTIMIZE__)
#define PAIR_COUNT 50000
#else
#define PAIR_COUNT 1000000
#endif

#ifdef SN_DOUBLE
#define PILL_TOLERANCE 1e-12
#else
#define PILL_TOLERANCE 1e-5
#endif

// --- random numbers: xorshift, the same everywhere ---

typedef struct {
    uint64_t state;
} rng;

static inline double uniform(rng *r) { // [0, 1)
    r->state ^= r->state << 13;
    r->state ^= r->state >> 7;
    r->state ^= r->state << 17;
    return (double)(r->state >> 11) * 0x1p-53;
}
static inline double between(rng *r, double lo, double hi) {
    return lo + (hi - lo) * uniform(r);
}
static inline int below(rng *r, int n) {
    return (int)(uniform(r) * n);
}
static inline double magnitude(rng *r, double lo, double hi) { // logarithmically even
    return lo * pow(hi / lo, uniform(r));
}
// One statement at a time: compilers differ in the order in which arguments are evaluated.
static inline sn_vec3 in_cube(rng *r, double half) {
    sn_vec3 v;
    v.x = (sn_real)between(r, -half, half);
    v.y = (sn_real)between(r, -half, half);
    v.z = (sn_real)between(r, -half, half);
    return v;
}

// --- double vectors ---

typedef struct {
    double x, y, z;
} dvec;

static inline dvec d_of(sn_vec3 a) {
    return (dvec){a.x, a.y, a.z};
}
static inline dvec d_sub(dvec a, dvec b) {
    return (dvec){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline dvec d_axpy(dvec a, double k, dvec b) {
    return (dvec){a.x + k * b.x, a.y + k * b.y, a.z + k * b.z};
}
static inline double d_dot(dvec a, dvec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline double d_length(dvec a) {
    return sqrt(d_dot(a, a));
}

// --- the oracle ---

// A pair of pills relative to the start of b.
typedef struct {
    dvec d0, u, v;
    double ra, da, rb, db;
    double vv, slope;
} oracle;

static inline oracle oracle_of(const sn_pill *a, const sn_pill *b) {
    oracle o = {
        .d0 = d_sub(d_of(a->a), d_of(b->a)),
        .u = d_sub(d_of(a->b), d_of(a->a)),
        .v = d_sub(d_of(b->b), d_of(b->a)),
        .ra = a->ra,
        .da = (double)a->rb - a->ra,
        .rb = b->ra,
        .db = (double)b->rb - b->ra,
    };
    o.vv = d_dot(o.v, o.v);
    double room = o.vv - o.db * o.db;
    o.slope = room > 0 && o.vv > 0 ? o.db / sqrt(o.vv * room) : 0;
    return o;
}

static inline double objective(const oracle *o, double alpha, double beta) {
    dvec d = d_axpy(d_axpy(o->d0, alpha, o->u), -beta, o->v);
    return d_length(d) - (o->ra + alpha * o->da) - (o->rb + beta * o->db);
}

// min over beta of the objective, by the exact projection of a point to a pill.
static inline double best_over_beta(const oracle *o, double alpha) {
    if (!(o->vv > o->db * o->db)) return objective(o, alpha, o->db > 0 ? 1 : 0);
    dvec x = d_axpy(o->d0, alpha, o->u);
    double foot = d_dot(x, o->v) / o->vv;
    double t = foot + d_length(d_axpy(x, -foot, o->v)) * o->slope;
    return objective(o, alpha, t < 0 ? 0 : t > 1 ? 1 : t);
}

// Golden section on a convex function: what is left of [0, 1] after 60 steps is 3e-13 long.
static inline double golden_minimum(const oracle *o) {
    const double golden = 0.61803398874989484820;
    double lo = 0, hi = 1, best = fmin(best_over_beta(o, 0), best_over_beta(o, 1));
    double x1 = 1 - golden, x2 = golden;
    double f1 = best_over_beta(o, x1), f2 = best_over_beta(o, x2);
    for (int i = 0; i < 60; i++) {
        if (f1 < f2) {
            hi = x2, x2 = x1, f2 = f1;
            x1 = hi - golden * (hi - lo);
            f1 = best_over_beta(o, x1);
        } else {
            lo = x1, x1 = x2, f1 = f2;
            x2 = lo + golden * (hi - lo);
            f2 = best_over_beta(o, x2);
        }
    }
    return fmin(best, fmin(f1, f2));
}

// --- random pairs ---

enum {
    CASE_ANY,
    CASE_PARALLEL,
    CASE_NEARLY_PARALLEL,
    CASE_CROSSING,
    CASE_NESTED,
    CASE_BALL,
    CASE_STEEP,
    CASE_NEIGHBOURS,
    CASE_SAME,
    CASE_LYING,
    CASE_COUNT
};

static inline sn_pill some_pill(rng *r, double size) {
    sn_pill p;
    p.a = in_cube(r, size);
    p.b = in_cube(r, size);
    p.ra = (sn_real)between(r, 0, 0.5 * size);
    p.rb = (sn_real)between(r, 0, 0.5 * size);
    return p;
}

// Makes the radii of a pill differ by a share of its length: 1 is the border to a ball.
static inline void taper(sn_pill *p, rng *r, double share) {
    double length = d_length(d_sub(d_of(p->b), d_of(p->a)));
    double small = between(r, 0, 0.3) * length;
    bool swap = uniform(r) < 0.5;
    *(swap ? &p->rb : &p->ra) = (sn_real)small;
    *(swap ? &p->ra : &p->rb) = (sn_real)(small + share * length);
}

static inline void make_case(rng *r, int kind, sn_pill *a, sn_pill *b) {
    double size = magnitude(r, 0.1, 10);
    *a = some_pill(r, size);
    *b = some_pill(r, uniform(r) < 0.7 ? size : magnitude(r, 1e-3, 1e2));
    if (uniform(r) < 0.3) taper(a, r, uniform(r));
    if (uniform(r) < 0.3) taper(b, r, uniform(r));
    sn_vec3 u = sn_sub(a->b, a->a);
    switch (kind) {
    case CASE_PARALLEL:
    case CASE_NEARLY_PARALLEL:
        b->b = sn_mul_add(b->a, (sn_real)between(r, -2, 2), u);
        if (kind == CASE_NEARLY_PARALLEL) b->b = sn_add(b->b, in_cube(r, size * magnitude(r, 1e-9, 0.1)));
        break;
    case CASE_LYING: // side by side with the same slope: a line of touches
        b->a = sn_add(a->a, in_cube(r, size));
        b->b = sn_add(b->a, u);
        b->ra = a->ra, b->rb = a->rb;
        if (uniform(r) < 0.5) {
            b->ra = a->rb, b->rb = a->ra;
            sn_vec3 swap = b->a;
            b->a = b->b, b->b = swap;
        }
        break;
    case CASE_CROSSING: { // some inner points coincide
        sn_vec3 v = sn_sub(b->b, b->a);
        sn_vec3 meet = sn_mul_add(a->a, (sn_real)uniform(r), u);
        sn_real s = (sn_real)uniform(r);
        b->a = sn_mul_add(meet, -s, v);
        b->b = sn_mul_add(meet, 1 - s, v);
        break;
    }
    case CASE_NESTED:
        taper(uniform(r) < 0.5 ? a : b, r, between(r, 1, 3));
        if (uniform(r) < 0.3) taper(a, r, between(r, 1, 3));
        break;
    case CASE_BALL:
        if (uniform(r) < 0.6) a->b = a->a;
        if (uniform(r) < 0.6) b->b = b->a;
        if (uniform(r) < 0.2) b->a = a->a;
        break;
    case CASE_STEEP:
        taper(a, r, 1 - magnitude(r, 1e-8, 1));
        if (uniform(r) < 0.5) taper(b, r, 1 - magnitude(r, 1e-8, 1));
        if (uniform(r) < 0.3)
            b->b = sn_add(sn_mul_add(b->a, (sn_real)between(r, -2, 2), u), in_cube(r, size * magnitude(r, 1e-9, 0.1)));
        break;
    case CASE_NEIGHBOURS: // two segments of a rod
        b->a = a->b, b->ra = a->rb;
        break;
    case CASE_SAME:
        *b = *a;
        if (uniform(r) < 0.5) b->a = a->b, b->b = a->a;
        break;
    default:
        break;
    }
    if (uniform(r) < 0.5) { // far away
        sn_vec3 offset = in_cube(r, magnitude(r, 1, 1e4));
        a->a = sn_add(a->a, offset), a->b = sn_add(a->b, offset);
        b->a = sn_add(b->a, offset), b->b = sn_add(b->b, offset);
    }
}

// The scale that rounding errors are measured by. It does not contain the distance from the origin.
static inline double pair_size(const sn_pill *a, const sn_pill *b) {
    oracle o = oracle_of(a, b);
    return d_length(o.d0) + d_length(o.u) + d_length(o.v) + a->ra + a->rb + b->ra + b->rb;
}

// Row 33: never worse than the search, and what is reported is what the parameters give.
static inline void check_pairs_against_search(int count) {
    rng r = {88172645463325252u};
    double worst[CASE_COUNT] = {0}, worst_report = 0;
    for (int i = 0; i < count; i++) {
        int kind = i % CASE_COUNT;
        sn_pill a, b;
        make_case(&r, kind, &a, &b);
        sn_contact_point t = sn_pill_pill(&a, &b);
        oracle o = oracle_of(&a, &b);
        double size = pair_size(&a, &b);
        bool range = t.alpha >= 0 && t.alpha <= 1 && t.beta >= 0 && t.beta <= 1 && sn_finite3(t.point);
        bool unit = fabs(d_length(d_of(t.normal)) - 1) < 8 * (double)SN_REAL_EPSILON;
        if (!range || !unit) CHECK(range && unit);
        double reported = fabs(t.distance - objective(&o, t.alpha, t.beta)) / size;
        double excess = (objective(&o, t.alpha, t.beta) - golden_minimum(&o)) / size;
        if (reported > worst_report) worst_report = reported;
        if (excess > worst[kind]) worst[kind] = excess;
    }
    for (int kind = 0; kind < CASE_COUNT; kind++) {
        printf("case %d: worse than the search by at most %.2g of the size\n", kind, worst[kind]);
        CHECK_NEAR(worst[kind], 0, PILL_TOLERANCE);
    }
    CHECK_NEAR(worst_report, 0, PILL_TOLERANCE);
}

// --- lanes ---

// The widths that this build has and this machine can run; ends with 0.
static inline const int *runnable_lanes(void) {
    static int widths[5];
    int count = 0;
    for (int lanes = 1; lanes <= 16; lanes = lanes == 1 ? 4 : 2 * lanes) {
        bool runs = true;
#if defined(__x86_64__)
        if (lanes == 8) runs = __builtin_cpu_supports("avx2");
        if (lanes == 16) runs = __builtin_cpu_supports("avx512f");
#endif
        if (runs && sn_pill_pairs_for(lanes)) widths[count++] = lanes;
    }
    widths[count] = 0;
    return widths;
}

static inline bool same_bits(sn_real a, sn_real b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

// Every lane of every width gives the bits of the scalar function; also for a count that leaves lanes over.
static inline void check_lanes_match(void) {
    enum { PAIRS = 3 * 6000 + 5 };
    static sn_pill pills[2 * PAIRS];
    static sn_pair pairs[PAIRS];
    static sn_real row[6][PAIRS];
    rng r = {1234567};
    for (int i = 0; i < PAIRS; i++) {
        make_case(&r, i % CASE_COUNT, &pills[2 * i], &pills[2 * i + 1]);
        pairs[i] = (sn_pair){2 * i, 2 * i + 1};
    }
    for (const int *lanes = runnable_lanes(); *lanes; lanes++) {
        sn_pill_rows out = {row[0], row[1], row[2], row[3], row[4], row[5]};
        memset(row, 0xff, sizeof row);
        sn_pill_pairs_for (*lanes)(pills, pairs, PAIRS, &out);
        int different = 0;
        for (int i = 0; i < PAIRS; i++) {
            sn_contact_point t = sn_pill_pill(&pills[2 * i], &pills[2 * i + 1]);
            bool same =
                same_bits(t.alpha, row[0][i]) && same_bits(t.beta, row[1][i]) && same_bits(t.distance, row[2][i]);
            same = same && same_bits(t.normal.x, row[3][i]) && same_bits(t.normal.y, row[4][i]);
            same = same && same_bits(t.normal.z, row[5][i]);
            if (!same) different++;
        }
        CHECK_INT(different, 0);
    }
}

#endif
