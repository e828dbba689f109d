// Three stages, each slower and more precise than the one before.
//
// 1. Doubles. The error is at most a small multiple of 2^-53 times the sum of the magnitudes of all products; a
//    determinant larger than that has the right sign.
// 2. Pairs of doubles, hi + lo, where lo is the rounding error of hi. Differences of coordinates are exact; the rest
//    has an error of a small multiple of 2^-104. Points that lie on a sphere up to double precision are decided here.
// 3. Expansions: a number as the sum of many non-overlapping doubles, smallest first. Sums and products of doubles are
//    exact pairs (two_sum, two_product), so sums and products of expansions are exact expansions, and the sign is that
//    of the largest component. Points of a grid are decided here.
#include "mesh/exact_predicates.h"
#include <math.h>

static const double half_ulp = 0x1p-53;

typedef struct {
    double hi, lo;
} pair;

// hi + lo = a + b exactly, hi the rounded sum.
static inline pair two_sum(double a, double b) {
    const double hi = a + b, of_b = hi - a, of_a = hi - of_b;
    return (pair){hi, (a - of_a) + (b - of_b)};
}

// The same when |a| >= |b|.
static inline pair quick_two_sum(double a, double b) {
    const double hi = a + b;
    return (pair){hi, b - (hi - a)};
}

// A double as the sum of two of 26 bits each, whose products are exact.
static inline pair split(double a) {
    const double c = 134217729.0 * a, hi = c - (c - a);
    return (pair){hi, a - hi};
}

// hi + lo = a b exactly.
static inline pair two_product(double a, double b) {
    const double hi = a * b;
    const pair x = split(a), y = split(b);
    return (pair){hi, x.lo * y.lo - (((hi - x.hi * y.hi) - x.lo * y.hi) - x.hi * y.lo)};
}

static inline pair pair_add(pair a, pair b) {
    const pair s = two_sum(a.hi, b.hi), t = two_sum(a.lo, b.lo);
    const pair u = quick_two_sum(s.hi, s.lo + t.hi);
    return quick_two_sum(u.hi, u.lo + t.lo);
}

static inline pair pair_sub(pair a, pair b) {
    return pair_add(a, (pair){-b.hi, -b.lo});
}

static inline pair pair_mul(pair a, pair b) {
    const pair p = two_product(a.hi, b.hi);
    return quick_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

static inline int sign_of(double x) {
    return (x > 0) - (x < 0);
}

// --- expansions ---

// h = e + f: merges by magnitude; the rounding errors become the components. Returns the length, at most m + n; zeros
// are dropped, so the length of zero is 0.
static int expansion_sum(const double *e, int m, const double *f, int n, double *h) {
    int i = 0, j = 0, length = 0;
    double sum = 0;
    while (i < m || j < n) {
        const double next = j >= n || (i < m && fabs(e[i]) < fabs(f[j])) ? e[i++] : f[j++];
        const pair s = two_sum(sum, next);
        if (s.lo != 0) h[length++] = s.lo;
        sum = s.hi;
    }
    if (sum != 0) h[length++] = sum;
    return length;
}

// h = e b. The length is at most 2 m.
static int expansion_scale(const double *e, int m, double b, double *h) {
    if (m == 0 || b == 0) return 0;
    int length = 0;
    pair p = two_product(e[0], b);
    double sum = p.hi;
    if (p.lo != 0) h[length++] = p.lo;
    for (int i = 1; i < m; i++) {
        p = two_product(e[i], b);
        const pair s = two_sum(sum, p.lo), q = quick_two_sum(p.hi, s.hi);
        if (s.lo != 0) h[length++] = s.lo;
        if (q.lo != 0) h[length++] = q.lo;
        sum = q.hi;
    }
    if (sum != 0) h[length++] = sum;
    return length;
}

// Max lengths: differences 2, their products 8, minors of two rows 16, of three rows 192; squares of three differences
// 24.
enum { DIFFERENCE = 2, PRODUCT = 8, MINOR2 = 16, MINOR3 = 192, LIFT = 24, LONGEST = 4 * 2 * MINOR3 * LIFT };

// h = e f with f of length at most 2. The length is at most 4 m.
static int expansion_times2(const double *e, int m, const double *f, int n, double *h) {
    double one[2 * MINOR2], two[2 * MINOR2];
    const int a = n > 0 ? expansion_scale(e, m, f[0], one) : 0;
    const int b = n > 1 ? expansion_scale(e, m, f[1], two) : 0;
    return expansion_sum(one, a, two, b, h);
}

typedef struct {
    double part[DIFFERENCE];
    int count;
} difference;

static difference exact_difference(double a, double b) {
    const pair d = two_sum(a, -b);
    difference out = {.count = 0};
    if (d.lo != 0) out.part[out.count++] = d.lo;
    if (d.hi != 0) out.part[out.count++] = d.hi;
    return out;
}

typedef struct {
    double part[MINOR2];
    int count;
} minor2;

// a.x b.y - b.x a.y
static minor2 exact_minor2(const difference a[3], const difference b[3]) {
    double one[PRODUCT], two[PRODUCT];
    minor2 out;
    const int m = expansion_times2(a[0].part, a[0].count, b[1].part, b[1].count, one);
    const int n = expansion_times2(b[0].part, b[0].count, a[1].part, a[1].count, two);
    for (int i = 0; i < n; i++) two[i] = -two[i];
    out.count = expansion_sum(one, m, two, n, out.part);
    return out;
}

// p.z m + q_sign q.z n + r.z o.
static int exact_minor3(const difference *p, const minor2 *m, const difference *q, const minor2 *n, int q_sign,
                        const difference *r, const minor2 *o, double out[MINOR3]) {
    double one[4 * MINOR2], two[4 * MINOR2], three[4 * MINOR2], both[8 * MINOR2];
    const int i = expansion_times2(m->part, m->count, p->part, p->count, one);
    const int j = expansion_times2(n->part, n->count, q->part, q->count, two);
    const int k = expansion_times2(o->part, o->count, r->part, r->count, three);
    if (q_sign < 0)
        for (int l = 0; l < j; l++) two[l] = -two[l];
    return expansion_sum(both, expansion_sum(one, i, two, j, both), three, k, out);
}

// --- which side of a plane ---

static int orient_expansion(const double a[3], const double b[3], const double c[3], const double d[3]) {
    difference x[3][3];
    for (int k = 0; k < 3; k++) {
        x[0][k] = exact_difference(a[k], d[k]);
        x[1][k] = exact_difference(b[k], d[k]);
        x[2][k] = exact_difference(c[k], d[k]);
    }
    const minor2 bc = exact_minor2(x[1], x[2]), ac = exact_minor2(x[0], x[2]), ab = exact_minor2(x[0], x[1]);
    double all[MINOR3];
    const int length = exact_minor3(&x[0][2], &bc, &x[1][2], &ac, -1, &x[2][2], &ab, all);
    return length ? -sign_of(all[length - 1]) : 0;
}

static int orient_slowly(const double a[3], const double b[3], const double c[3], const double d[3], double magnitude) {
    pair x[3][3], ab, bc, ac;
    for (int k = 0; k < 3; k++) {
        x[0][k] = two_sum(a[k], -d[k]);
        x[1][k] = two_sum(b[k], -d[k]);
        x[2][k] = two_sum(c[k], -d[k]);
    }
    bc = pair_sub(pair_mul(x[1][0], x[2][1]), pair_mul(x[2][0], x[1][1]));
    ac = pair_sub(pair_mul(x[0][0], x[2][1]), pair_mul(x[2][0], x[0][1]));
    ab = pair_sub(pair_mul(x[0][0], x[1][1]), pair_mul(x[1][0], x[0][1]));
    const pair det = pair_add(pair_sub(pair_mul(x[0][2], bc), pair_mul(x[1][2], ac)), pair_mul(x[2][2], ab));
    if (fabs(det.hi) > 0x1p-96 * magnitude) return -sign_of(det.hi);
    return orient_expansion(a, b, c, d);
}

int exact_orient3d(const double a[3], const double b[3], const double c[3], const double d[3]) {
    const double ax = a[0] - d[0], ay = a[1] - d[1], az = a[2] - d[2];
    const double bx = b[0] - d[0], by = b[1] - d[1], bz = b[2] - d[2];
    const double cx = c[0] - d[0], cy = c[1] - d[1], cz = c[2] - d[2];
    const double bxcy = bx * cy, cxby = cx * by, cxay = cx * ay, axcy = ax * cy, axby = ax * by, bxay = bx * ay;
    const double det = az * (bxcy - cxby) + bz * (cxay - axcy) + cz * (axby - bxay);
    const double magnitude = (fabs(bxcy) + fabs(cxby)) * fabs(az) + (fabs(cxay) + fabs(axcy)) * fabs(bz) +
                             (fabs(axby) + fabs(bxay)) * fabs(cz);
    if (fabs(det) > 8 * half_ulp * magnitude) return -sign_of(det);
    return orient_slowly(a, b, c, d, magnitude);
}

// --- inside a sphere ---

// The determinant of the rows (x, y, z, x^2 + y^2 + z^2) relative to e, expanded by its last column:
//     d^2 |abc| - c^2 |dab| + b^2 |cda| - a^2 |bcd|.

typedef struct {
    double part[2][LONGEST];
    int count, side;
} long_sum;

static void add_row(long_sum *sum, const difference row[3], const double *minor, int minor_count, int sign) {
    double square[3][PRODUCT], two[2 * PRODUCT], lift[LIFT], scaled[2 * MINOR3];
    int count[3];
    for (int k = 0; k < 3; k++)
        count[k] = expansion_times2(row[k].part, row[k].count, row[k].part, row[k].count, square[k]);
    const int both = expansion_sum(square[0], count[0], square[1], count[1], two);
    const int all = expansion_sum(two, both, square[2], count[2], lift);
    for (int i = 0; i < all; i++) {
        const int n = expansion_scale(minor, minor_count, sign * lift[i], scaled);
        sum->count = expansion_sum(sum->part[sum->side], sum->count, scaled, n, sum->part[!sum->side]);
        sum->side = !sum->side;
    }
}

__attribute__((noinline)) static int in_sphere_expansion(const double a[3], const double b[3], const double c[3],
                                                         const double d[3], const double e[3]) {
    long_sum sum;
    sum.count = sum.side = 0;
    difference x[4][3];
    for (int k = 0; k < 3; k++) {
        x[0][k] = exact_difference(a[k], e[k]);
        x[1][k] = exact_difference(b[k], e[k]);
        x[2][k] = exact_difference(c[k], e[k]);
        x[3][k] = exact_difference(d[k], e[k]);
    }
    const minor2 ab = exact_minor2(x[0], x[1]), bc = exact_minor2(x[1], x[2]), cd = exact_minor2(x[2], x[3]);
    const minor2 da = exact_minor2(x[3], x[0]), ac = exact_minor2(x[0], x[2]), bd = exact_minor2(x[1], x[3]);
    double minor[MINOR3];
    int n = exact_minor3(&x[0][2], &bc, &x[1][2], &ac, -1, &x[2][2], &ab, minor); // abc
    add_row(&sum, x[3], minor, n, 1);
    n = exact_minor3(&x[3][2], &ab, &x[0][2], &bd, 1, &x[1][2], &da, minor); // dab
    add_row(&sum, x[2], minor, n, -1);
    n = exact_minor3(&x[2][2], &da, &x[3][2], &ac, 1, &x[0][2], &cd, minor); // cda
    add_row(&sum, x[1], minor, n, 1);
    n = exact_minor3(&x[1][2], &cd, &x[2][2], &bd, -1, &x[3][2], &bc, minor); // bcd
    add_row(&sum, x[0], minor, n, -1);
    return sum.count ? -sign_of(sum.part[sum.side][sum.count - 1]) : 0;
}

static pair pair_minor(const pair a[3], const pair b[3]) {
    return pair_sub(pair_mul(a[0], b[1]), pair_mul(b[0], a[1]));
}

static pair pair_lift(const pair a[3]) {
    return pair_add(pair_add(pair_mul(a[0], a[0]), pair_mul(a[1], a[1])), pair_mul(a[2], a[2]));
}

static pair pair_three(pair p, pair m, pair q, pair n, pair r, pair o) {
    return pair_add(pair_add(pair_mul(p, m), pair_mul(q, n)), pair_mul(r, o));
}

static int in_sphere_slowly(const double a[3], const double b[3], const double c[3], const double d[3],
                            const double e[3], double magnitude) {
    pair x[4][3];
    for (int k = 0; k < 3; k++) {
        x[0][k] = two_sum(a[k], -e[k]);
        x[1][k] = two_sum(b[k], -e[k]);
        x[2][k] = two_sum(c[k], -e[k]);
        x[3][k] = two_sum(d[k], -e[k]);
    }
    const pair ab = pair_minor(x[0], x[1]), bc = pair_minor(x[1], x[2]), cd = pair_minor(x[2], x[3]);
    const pair da = pair_minor(x[3], x[0]), ac = pair_minor(x[0], x[2]), bd = pair_minor(x[1], x[3]);
    const pair ca = {-ac.hi, -ac.lo}, db = {-bd.hi, -bd.lo};
    const pair abc = pair_three(x[0][2], bc, x[1][2], ca, x[2][2], ab);
    const pair dab = pair_three(x[3][2], ab, x[0][2], bd, x[1][2], da);
    const pair cda = pair_three(x[2][2], da, x[3][2], ac, x[0][2], cd);
    const pair bcd = pair_three(x[1][2], cd, x[2][2], db, x[3][2], bc);
    const pair det = pair_add(pair_sub(pair_mul(pair_lift(x[3]), abc), pair_mul(pair_lift(x[2]), dab)),
                              pair_sub(pair_mul(pair_lift(x[1]), cda), pair_mul(pair_lift(x[0]), bcd)));
    if (fabs(det.hi) > 0x1p-95 * magnitude) return -sign_of(det.hi);
    return in_sphere_expansion(a, b, c, d, e);
}

int exact_insphere(const double a[3], const double b[3], const double c[3], const double d[3], const double e[3]) {
    const double ax = a[0] - e[0], ay = a[1] - e[1], az = a[2] - e[2];
    const double bx = b[0] - e[0], by = b[1] - e[1], bz = b[2] - e[2];
    const double cx = c[0] - e[0], cy = c[1] - e[1], cz = c[2] - e[2];
    const double dx = d[0] - e[0], dy = d[1] - e[1], dz = d[2] - e[2];
    const double axby = ax * by, bxay = bx * ay, bxcy = bx * cy, cxby = cx * by, cxdy = cx * dy, dxcy = dx * cy;
    const double dxay = dx * ay, axdy = ax * dy, axcy = ax * cy, cxay = cx * ay, bxdy = bx * dy, dxby = dx * by;
    const double ab = axby - bxay, bc = bxcy - cxby, cd = cxdy - dxcy, da = dxay - axdy, ac = axcy - cxay;
    const double bd = bxdy - dxby;
    const double abc = az * bc - bz * ac + cz * ab, bcd = bz * cd - cz * bd + dz * bc;
    const double cda = cz * da + dz * ac + az * cd, dab = dz * ab + az * bd + bz * da;
    const double al = ax * ax + ay * ay + az * az, bl = bx * bx + by * by + bz * bz;
    const double cl = cx * cx + cy * cy + cz * cz, dl = dx * dx + dy * dy + dz * dz;
    const double det = (dl * abc - cl * dab) + (bl * cda - al * bcd);
    const double mab = fabs(axby) + fabs(bxay), mbc = fabs(bxcy) + fabs(cxby), mcd = fabs(cxdy) + fabs(dxcy);
    const double mda = fabs(dxay) + fabs(axdy), mac = fabs(axcy) + fabs(cxay), mbd = fabs(bxdy) + fabs(dxby);
    const double uaz = fabs(az), ubz = fabs(bz), ucz = fabs(cz), udz = fabs(dz);
    const double magnitude = (mcd * ubz + mbd * ucz + mbc * udz) * al + (mda * ucz + mac * udz + mcd * uaz) * bl +
                             (mab * udz + mbd * uaz + mda * ubz) * cl + (mbc * uaz + mac * ubz + mab * ucz) * dl;
    if (fabs(det) > 18 * half_ulp * magnitude) return -sign_of(det);
    return in_sphere_slowly(a, b, c, d, e, magnitude);
}
