// Triangles: nearest points against a plain search in double, pills against triangles, intersections.
#include "geometry/triangle.h"
#include "pill_cases.h"

typedef struct {
    dvec a, b, c;
} dtriangle;

static dtriangle d_triangle(const sn_triangle *t) {
    return (dtriangle){d_of(t->a), d_of(t->b), d_of(t->c)};
}
static dvec d_cross(dvec a, dvec b) {
    return (dvec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static double d_point_segment(dvec p, dvec a, dvec b) {
    dvec u = d_sub(b, a), x = d_sub(p, a);
    double uu = d_dot(u, u), t = uu > 0 ? d_dot(x, u) / uu : 0;
    return d_length(d_axpy(x, -(t < 0 ? 0 : t > 1 ? 1 : t), u));
}

// Distance of a point to a triangle: the perpendicular if its foot is inside, else the edges.
static double d_point_triangle(dvec p, const dtriangle *t) {
    double best =
        fmin(d_point_segment(p, t->a, t->b), fmin(d_point_segment(p, t->b, t->c), d_point_segment(p, t->c, t->a)));
    dvec e = d_sub(t->b, t->a), f = d_sub(t->c, t->a), x = d_sub(p, t->a), n = d_cross(e, f);
    double nn = d_dot(n, n);
    if (nn > 0) {
        double beta = d_dot(d_cross(x, f), n) / nn, gamma = d_dot(d_cross(e, x), n) / nn;
        if (beta >= 0 && gamma >= 0 && beta + gamma <= 1) best = fmin(best, fabs(d_dot(x, n)) / sqrt(nn));
    }
    return best;
}

// Least of distance - radius along a segment (convex).
static double d_segment_triangle(dvec a, dvec b, double ra, double rb, const dtriangle *t) {
    const double golden = 0.61803398874989484820;
    double lo = 0, hi = 1;
    double best = fmin(d_point_triangle(a, t) - ra, d_point_triangle(b, t) - rb);
    dvec u = d_sub(b, a);
    for (int i = 0; i < 50; i++) {
        double x1 = hi - golden * (hi - lo), x2 = lo + golden * (hi - lo);
        double f1 = d_point_triangle(d_axpy(a, x1, u), t) - (ra + x1 * (rb - ra));
        double f2 = d_point_triangle(d_axpy(a, x2, u), t) - (ra + x2 * (rb - ra));
        best = fmin(best, fmin(f1, f2));
        if (f1 < f2) {
            hi = x2;
        } else {
            lo = x1;
        }
    }
    return best;
}

// Of every shape: needles, points, small ones far away.
static sn_triangle some_triangle(rng *r, int kind, double size) {
    sn_triangle t = {in_cube(r, size), in_cube(r, size), in_cube(r, size)};
    if (kind == 1)
        t.c = sn_add(sn_lerp(t.a, t.b, (sn_real)between(r, -1, 2)), in_cube(r, size * magnitude(r, 1e-8, 1e-2)));
    if (kind == 2) t.b = sn_add(t.a, in_cube(r, size * 1e-5));
    if (kind == 3) t.c = t.b;
    if (kind == 4 && uniform(r) < 0.3) t.b = t.c = t.a;
    return t;
}

static sn_vec3 corner_mix(const sn_triangle *t, sn_real beta, sn_real gamma) {
    return sn_add(t->a, sn_add(sn_mul(beta, sn_sub(t->b, t->a)), sn_mul(gamma, sn_sub(t->c, t->a))));
}

TEST(point_triangle) {
    rng r = {1};
    double worst = 0;
    for (int i = 0; i < PAIR_COUNT / 4; i++) {
        double size = magnitude(&r, 0.1, 10);
        sn_triangle t = some_triangle(&r, i % 6, size);
        sn_vec3 p = in_cube(&r, 2 * size);
        if (i % 5 == 0) p = corner_mix(&t, (sn_real)uniform(&r), (sn_real)uniform(&r)); // in its plane
        sn_vec3 offset = in_cube(&r, i % 2 ? 1e4 : 0);
        t = (sn_triangle){sn_add(t.a, offset), sn_add(t.b, offset), sn_add(t.c, offset)};
        p = sn_add(p, offset);
        sn_real beta, gamma;
        sn_vec3 off;
        double distance = sqrt(sn_point_triangle(p, &t, &beta, &gamma, &off));
        dtriangle d = d_triangle(&t);
        worst = fmax(worst, fabs(distance - d_point_triangle(d_of(p), &d)) / size);
        bool good = beta >= 0 && gamma >= 0 && beta + gamma <= 1 + 1e-6f && sn_finite3(off);
        if (!good) CHECK(good);
        // The weights name the point that was measured.
        dvec x = d_axpy(d_axpy(d.a, beta, d_sub(d.b, d.a)), gamma, d_sub(d.c, d.a));
        worst = fmax(worst, fabs(d_length(d_sub(d_of(p), x)) - distance) / size);
    }
    printf("point-triangle: off by at most %.2g of the size\n", worst);
    CHECK_NEAR(worst, 0, 1e-5);
}

TEST(pill_triangle) {
    rng r = {3};
    double worst = 0;
    int through = 0;
    for (int i = 0; i < PAIR_COUNT / 10; i++) {
        sn_pill pill, other;
        make_case(&r, i % CASE_COUNT, &pill, &other);
        double size = 0.1 + d_length(d_sub(d_of(pill.b), d_of(pill.a))) + pill.ra + pill.rb;
        sn_triangle t = some_triangle(&r, i % 13 < 6 ? i % 13 : 0, size);
        t = (sn_triangle){sn_add(t.a, pill.a), sn_add(t.b, pill.a), sn_add(t.c, pill.a)};
        sn_contact_point touch = sn_pill_triangle(&pill, &t), two[2];
        bool good = fabs(d_length(d_of(touch.normal)) - 1) < 2e-6 && sn_finite3(touch.point) && touch.beta >= 0;
        good = good && touch.gamma >= 0 && touch.beta + touch.gamma <= 1 + 1e-6f;
        if (!good) CHECK(good);
        dtriangle d = d_triangle(&t);
        double least = d_segment_triangle(d_of(pill.a), d_of(pill.b), pill.ra, pill.rb, &d);
        sn_real s, beta, gamma;
        if (sn_segment_through_triangle(pill.a, pill.b, &t, &s, &beta, &gamma)) {
            CHECK(touch.distance <= least + 1e-5 * size); // the way out is no shorter than the depth of one pair
            through++;
        } else {
            worst = fmax(worst, fabs(touch.distance - least) / size);
        }
        int count = sn_pill_triangle_contacts(&pill, &t, (sn_real)(touch.distance + 0.1 * size), two);
        CHECK(count >= 1);
        for (int k = 0; k < count; k++) {
            CHECK(two[k].distance >= touch.distance - 1e-5f * size - 0.01f * sn_max(pill.ra, pill.rb) &&
                  two[k].alpha >= 0 && two[k].alpha <= 1);
            CHECK_NEAR(sn_length(two[k].normal), 1, 2e-6);
        }
    }
    printf("pill-triangle: off by at most %.2g of the size; %d went through\n", worst, through);
    CHECK_NEAR(worst, 0, 1e-5);
    CHECK(through > 100);
}

TEST(a_pill_through_a_triangle_is_moved_out) {
    sn_triangle floor = {{-5, 0, -5}, {0, 0, 5}, {5, 0, -5}};
    sn_pill pill = {{0, 1, 0}, {0, -0.3f, 0}, 0.1f, 0.2f};
    sn_contact_point t = sn_pill_triangle(&pill, &floor);
    CHECK_NEAR(t.distance, -0.5, 1e-6); // up is nearer than down
    CHECK_NEAR(t.normal.y, 1, 1e-6);
    CHECK_NEAR(t.alpha, 1, 0);
    sn_pill below = {{0, 0.3f, 0}, {0, -1, 0}, 0.1f, 0.2f};
    t = sn_pill_triangle(&below, &floor);
    CHECK_NEAR(t.distance, -0.4, 1e-6);
    CHECK_NEAR(t.normal.y, -1, 1e-6);
    // The tip goes through the triangle without a jump of the distance.
    double last = 0;
    for (int i = 0; i <= 200; i++) {
        sn_real y = (sn_real)(0.1 - 0.001 * i);
        sn_pill tip = {{0.1f, 1, 0.2f}, {0, y, 0}, 0.1f, 0.2f};
        t = sn_pill_triangle(&tip, &floor);
        CHECK_NEAR(t.distance, y - 0.2f, 1e-6);
        CHECK_NEAR(t.normal.y, 1, 1e-5);
        if (i > 0) CHECK_NEAR(t.distance, last - 0.001, 1e-5);
        last = t.distance;
    }
}

TEST(pill_in_the_plane_of_a_triangle) {
    sn_triangle floor = {{-5, 0, -5}, {0, 0, 5}, {5, 0, -5}};
    sn_pill pill = {{-0.5f, 0, 0}, {0.5f, 0, 0}, 0.1f, 0.1f};
    sn_contact_point t[2];
    REQUIRE(sn_pill_triangle_contacts(&pill, &floor, 0, t) == 2);
    CHECK_NEAR(t[0].distance, -0.1, 1e-6);
    CHECK_NEAR(fabs(t[0].normal.y), 1, 1e-6);
}

TEST(lying_on_a_triangle_has_two_contacts) {
    sn_triangle floor = {{-5, 0, -5}, {0, 0, 5}, {5, 0, -5}};
    sn_contact_point t[2];
    sn_pill pill = {{-0.5f, 0.1f, 0}, {0.5f, 0.1f, 0.3f}, 0.1f, 0.1f};
    REQUIRE(sn_pill_triangle_contacts(&pill, &floor, 0.01f, t) == 2);
    CHECK_NEAR(t[0].alpha, 0, 1e-6);
    CHECK_NEAR(t[1].alpha, 1, 1e-6);
    CHECK_NEAR(t[1].point.y, 0, 1e-6);
    sn_pill over = {{0, 0.1f, -4}, {0, 0.1f, -6}, 0.1f, 0.1f}; // beyond the edge at z = -5
    REQUIRE(sn_pill_triangle_contacts(&over, &floor, 0.01f, t) == 2);
    CHECK_NEAR(t[1].alpha, 0.5, 1e-3);
    sn_pill standing = {{0, 0.1f, 0}, {0, 2, 0}, 0.1f, 0.1f};
    CHECK_INT(sn_pill_triangle_contacts(&standing, &floor, 0.01f, t), 1);
    // On the edge between two triangles of a floor both see all of it.
    sn_triangle left = {{0, 0, -5}, {0, 0, 5}, {-5, 0, 0}}, right = {{0, 0, 5}, {0, 0, -5}, {5, 0, 0}};
    sn_pill along = {{0, 0.1f, -1}, {0, 0.1f, 1}, 0.1f, 0.1f};
    CHECK_INT(sn_pill_triangle_contacts(&along, &left, 0.01f, t), 2);
    CHECK_INT(sn_pill_triangle_contacts(&along, &right, 0.01f, t), 2);
}

// --- two triangles ---

// Half-way along each edge of one and anywhere else: the least distance between two triangles by their edges.
static double d_triangle_triangle(const dtriangle *a, const dtriangle *b) {
    const dvec pa[4] = {a->a, a->b, a->c, a->a}, pb[4] = {b->a, b->b, b->c, b->a};
    double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        best = fmin(best, d_segment_triangle(pa[i], pa[i + 1], 0, 0, b));
        best = fmin(best, d_segment_triangle(pb[i], pb[i + 1], 0, 0, a));
    }
    return best;
}

TEST(triangle_triangle) {
    rng r = {6};
    int meeting = 0;
    for (int i = 0; i < 6000; i++) {
        sn_triangle a = some_triangle(&r, i % 3 == 2 ? 1 : 0, 1), b = some_triangle(&r, 0, 1);
        if (i % 4 == 0) { // shares a corner or an edge
            b.a = a.b;
            if (i % 8 == 0) b.b = a.c;
        }
        sn_vec3 offset = in_cube(&r, i % 2 ? 1e4 : 0);
        a = (sn_triangle){sn_add(a.a, offset), sn_add(a.b, offset), sn_add(a.c, offset)};
        b = (sn_triangle){sn_add(b.a, offset), sn_add(b.b, offset), sn_add(b.c, offset)};
        dtriangle da = d_triangle(&a), db = d_triangle(&b);
        double distance = d_triangle_triangle(&da, &db);
        bool meets = sn_triangle_triangle(&a, &b);
        CHECK_INT(meets, sn_triangle_triangle(&b, &a));
        if (distance > 1e-6) CHECK(!meets);
        if (i % 4 == 0) CHECK(meets);
        // Searched to 1e-10, but a needle may be passed at less than that.
        if (distance < 1e-9 && i % 3 != 2) CHECK(meets);
        meeting += meets;
    }
    CHECK(meeting > 1000);
}

TEST(coplanar_triangles) {
    sn_triangle a = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
    const struct {
        sn_triangle other;
        bool meets;
    } cases[] = {
        {{{1, 1, 0}, {1.5f, 1, 0}, {1, 1.5f, 0}}, true},              // inside
        {{{-9, -9, 0}, {30, -9, 0}, {-9, 30, 0}}, true},              // around
        {{{3, 3, 0}, {5, 3, 0}, {3, 5, 0}}, false},                   // beyond the long edge
        {{{2, 2, 0}, {5, 3, 0}, {3, 5, 0}}, true},                    // touches the long edge
        {{{-1, 1, 0}, {5, 1, 0}, {5, 1.1f, 0}}, true},                // across
        {{{4, 0, 0}, {6, 0, 0}, {6, 1, 0}}, true},                    // corner to corner
        {{{5, 0, 0}, {6, 0, 0}, {6, 1, 0}}, false},                   // on the line of an edge
        {{{1, 1, 1e-6f}, {1.5f, 1, 1e-6f}, {1, 1.5f, 1e-6f}}, false}, // just above
        {{{1, 1, -1}, {1, 1, 1}, {1, 1, 2}}, true},                   // a needle through it
        {{{3, 3, -1}, {3, 3, 1}, {3, 3, 2}}, false},                  // a needle beside it
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_INT(sn_triangle_triangle(&a, &cases[i].other), cases[i].meets);
        CHECK_INT(sn_triangle_triangle(&cases[i].other, &a), cases[i].meets);
    }
}
