// Slabs in float, as the engine uses them: closed forms against bounds and searches in double, degenerate pairs, far
// places, ways out.
#include "base/hash.h"
#include "slab_cases.h"

TEST(pairs_proved_by_bounds) {
    check_slabs_by_bound(slab_count(14 * 10000));
}

TEST(pairs_against_search) {
    check_slabs_by_search(70, 14 * 600);
}

TEST(pills_and_slabs_agree) {
    rng r = {31};
    for (int i = 0; i < 20000; i++) {
        sn_pill a, b;
        make_case(&r, i % CASE_COUNT, &a, &b);
        double size = pair_size(&a, &b);
        sn_slab sa = {{a.a, a.b, a.b}, {a.ra, a.rb, a.rb}}, sb = {{b.a, b.b, b.b}, {b.ra, b.rb, b.rb}};
        sn_slab_pair p, q;
        sn_slab_slab(&sa, &sb, &p);
        sn_slab_pill(&sa, &b, &q);
        sn_contact_point t = sn_pill_pill(&a, &b);
        CHECK_NEAR(p.gap, t.distance, 4e-6 * size);
        CHECK_NEAR(q.gap, p.gap, 1e-7 * size);
        CHECK_NEAR(sn_slab_distance(&sa, b.a, NULL), sn_pill_distance(&a, b.a, NULL), 4e-6 * size);
    }
}

TEST(distance_of_a_point_is_the_gap_to_a_ball) {
    rng r = {61};
    for (int i = 0; i < 56000; i++) {
        sn_slab a, b;
        make_slabs(&r, i % SLAB_CASE_COUNT, &a, &b);
        sn_slab point = {{b.c[0], b.c[0], b.c[0]}, {0, 0, 0}};
        double size = slab_pair_size(&a, &point);
        sn_slab_pair p;
        sn_slab_slab(&a, &point, &p);
        sn_real weight[3];
        sn_real distance = sn_slab_distance(&a, b.c[0], weight);
        CHECK_NEAR(distance, p.gap, 1e-7 * size);
        double wa[3] = {weight[0], weight[1], weight[2]}, wb[3] = {1, 0, 0};
        CHECK(wa[0] >= 0 && wa[1] >= 0 && wa[2] >= 0);
        CHECK_NEAR(wa[0] + wa[1] + wa[2], 1, 1e-6);
        CHECK_NEAR(slab_f(&a, &point, wa, wb), distance, 2e-7 * size);
    }
}

TEST(swapped_slabs_give_the_same_gap) {
    rng r = {5};
    for (int i = 0; i < 28000; i++) {
        sn_slab a, b;
        make_slabs(&r, i % SLAB_CASE_COUNT, &a, &b);
        sn_slab_pair p, q;
        sn_slab_slab(&a, &b, &p);
        sn_slab_slab(&b, &a, &q);
        CHECK_NEAR(p.gap, q.gap, 2e-7 * slab_pair_size(&a, &b));
    }
}

// Coordinates that are multiples of 1/256 are exact in float up to 65,536: moving them changes no bit of any
// difference, so nothing of the answer may change.
TEST(far_from_the_origin_is_exact) {
    rng r = {99};
    for (int i = 0; i < 20000; i++) {
        sn_slab slab[4];
        sn_vec3 offset = {(sn_real)(below(&r, 20000) - 10000), (sn_real)(below(&r, 20000) - 10000),
                          (sn_real)(below(&r, 20000) - 10000)};
        for (int k = 0; k < 2; k++) {
            slab[k] = some_slab(&r, 2);
            if (i % 2) slab_radii(&slab[k], 0.01);
            for (int j = 0; j < 3; j++) {
                sn_vec3 *c = &slab[k].c[j];
                *c = sn_v3((sn_real)(rint(c->x * 256) / 256), (sn_real)(rint(c->y * 256) / 256),
                           (sn_real)(rint(c->z * 256) / 256));
            }
            slab[2 + k] = slab[k];
            for (int j = 0; j < 3; j++) slab[2 + k].c[j] = sn_add(slab[k].c[j], offset);
        }
        sn_slab_pair near, far;
        sn_slab_slab(&slab[0], &slab[1], &near);
        sn_slab_slab(&slab[2], &slab[3], &far);
        CHECK(memcmp(&near, &far, sizeof near) == 0);
    }
}

// The gap's derivative with respect to a's place is the normal, also through a change of the nearest features.
TEST(gap_falls_along_the_normal) {
    rng r = {17};
    for (int i = 0; i < 20000; i++) {
        sn_slab a, b;
        make_near_slabs(&r, i % 2 ? SLAB_ALIKE : SLAB_ANY, &a, &b);
        sn_slab_pair p, q;
        sn_slab_slab(&a, &b, &p);
        double size = slab_pair_size(&a, &b);
        sn_real step = (sn_real)(0.1 * size);
        for (int k = 0; k < 3; k++) a.c[k] = sn_mul_add(a.c[k], step, p.normal);
        sn_slab_slab(&a, &b, &q);
        // Convex: away along a subgradient it grows at least as fast as the subgradient says.
        double wa[3] = {p.a[0], p.a[1], p.a[2]}, wb[3] = {p.b[0], p.b[1], p.b[2]};
        double reach = p.gap + slab_radius(&a, wa) + slab_radius(&b, wb);
        if (reach > 1e-3 * size) CHECK_NEAR(q.gap - p.gap, step, 1e-5 * size);
        CHECK(q.gap >= p.gap - 1e-6 * size);
    }
}

// Where centres coincide, moving a out along the normal parts the two sooner than along any other direction tried.
TEST(normal_is_the_shallowest_direction_out) {
    rng r = {23};
    int crossings = 0;
    for (int i = 0; i < 4000; i++) {
        sn_slab a, b;
        make_near_slabs(&r, SLAB_CROSSING, &a, &b);
        if (i % 2) slab_radii(&a, uniform(&r)), slab_radii(&b, uniform(&r));
        sn_slab_pair p;
        sn_slab_slab(&a, &b, &p);
        double wa[3] = {p.a[0], p.a[1], p.a[2]}, wb[3] = {p.b[0], p.b[1], p.b[2]}, size = slab_pair_size(&a, &b);
        if (p.gap + slab_radius(&a, wa) + slab_radius(&b, wb) > 1e-7 * size) continue;
        crossings++;
        dvec unused;
        double depth = -slab_bound(&a, &b, d_of(p.normal), &unused);
        for (int k = 0; k < 200; k++) {
            // Anywhere, and beside the normal.
            dvec n = d_of(in_cube(&r, 1));
            if (k % 2) n = d_axpy(d_of(p.normal), 0.05, n);
            n = d_axpy((dvec){0, 0, 0}, 1 / d_length(n), n);
            CHECK(-slab_bound(&a, &b, n, &unused) >= depth - 1e-6 * size);
        }
        for (int k = 0; k < 3; k++) a.c[k] = sn_mul_add(a.c[k], (sn_real)(depth + 1e-5 * size), p.normal);
        sn_slab_slab(&a, &b, &p);
        CHECK(p.gap >= 0);
    }
    CHECK(crossings > 1000);
}

TEST(within_agrees_with_the_gap) {
    rng r = {71};
    int hits = 0;
    for (int i = 0; i < 56000; i++) {
        sn_slab a, b;
        make_slabs(&r, i % SLAB_CASE_COUNT, &a, &b);
        double size = slab_pair_size(&a, &b);
        sn_real margin = (sn_real)(i % 3 == 0 ? 0 : between(&r, -0.1, 0.3) * size);
        sn_slab_pair p;
        sn_slab_slab(&a, &b, &p);
        if (fabs(p.gap - margin) < 1e-6 * size) continue;
        bool within = sn_slab_within(&a, &b, margin);
        CHECK(within == (p.gap <= margin));
        hits += within;
    }
    CHECK(hits > 10000 && hits < 50000);
}

TEST(known_pairs) {
    // A triangle with a thickness over another; a corner over it; edges across.
    sn_slab floor = {{{0, 0, 0}, {4, 0, 0}, {0, 0, 4}}, {0.25f, 0.25f, 0.25f}};
    sn_slab tip = {{{1, 2, 1}, {1, 5, 2}, {2, 5, 1}}, {0.5f, 0.5f, 0.5f}};
    sn_slab_pair p;
    sn_slab_slab(&tip, &floor, &p);
    CHECK_NEAR(p.gap, 1.25, 1e-6);
    CHECK_NEAR(p.normal.y, 1, 1e-6);
    CHECK_NEAR(p.a[0], 1, 1e-6);
    CHECK_NEAR(p.b[1], 0.25, 1e-6);
    CHECK_NEAR(p.b[2], 0.25, 1e-6);
    // Through it: the depth is what the radii make it, the way out is up.
    for (int i = 0; i < 3; i++) tip.c[i].y -= 2.5f;
    sn_slab_slab(&tip, &floor, &p);
    CHECK_NEAR(p.gap, -0.75, 1e-6);
    CHECK_NEAR(p.normal.y, 1, 1e-6);
    // Flat on each other.
    sn_slab lid = floor;
    for (int i = 0; i < 3; i++) lid.c[i].y = 1;
    sn_slab_slab(&lid, &floor, &p);
    CHECK_NEAR(p.gap, 0.5, 1e-6);
    CHECK_NEAR(p.normal.y, 1, 1e-6);
    // Beside each other in one plane.
    for (int i = 0; i < 3; i++) lid.c[i] = sn_add(floor.c[i], sn_v3(10, 0, 0));
    sn_slab_slab(&lid, &floor, &p);
    CHECK_NEAR(p.gap, 5.5, 1e-6);
    CHECK_NEAR(p.normal.x, 1, 1e-6);
    // A ball that contains the others of its slab is all there is of it.
    sn_slab ball = {{{0, 10, 0}, {1, 10, 0}, {0, 10, 1}}, {3, 0.5f, 0.5f}};
    sn_slab_slab(&ball, &floor, &p);
    CHECK_NEAR(p.gap, 10 - 3 - 0.25, 1e-5);
    CHECK_NEAR(p.a[0], 1, 1e-6);
    // A wedge: radii 1, 1 and 2 over a right-angled triangle; a point straight above its middle. sin of the slope is
    // 1/4 along z.
    sn_slab wedge = {{{0, 0, 0}, {4, 0, 0}, {0, 0, 4}}, {1, 1, 2}};
    sn_real weight[3];
    sn_real distance = sn_slab_distance(&wedge, sn_v3(1, 3, 1), weight);
    double up = sqrt(1 - 1.0 / 16);
    CHECK_NEAR(distance, 3 * up - 0.25 - 1, 1e-6);
    CHECK_NEAR(weight[2], 0.25 * (1 + 3 * 0.25 / up), 1e-6);
}

TEST(degenerate_slabs_have_unit_normals) {
    const sn_vec3 o = {3, 4, 5}, x = {4, 4, 5}, y = {3, 5, 5}, z = {3, 4, 6};
    const sn_vec3 corners[][3] = {{o, o, o}, {o, x, x}, {o, o, x},         {o, x, o},
                                  {o, x, y}, {x, y, z}, {o, x, {5, 4, 5}}, {o, x, {3.5f, 4, 5}}};
    const sn_real radii[][3] = {{0, 0, 0}, {1, 1, 1}, {0, 1, 2}, {5, 0, 0}, {0.5f, 0.25f, 0}, {1, 0, 1}};
    enum { CORNERS = sizeof corners / sizeof *corners, RADII = sizeof radii / sizeof *radii };
    for (int i = 0; i < CORNERS * RADII; i++) {
        for (int j = 0; j < CORNERS * RADII; j++) {
            sn_slab a, b;
            memcpy(a.c, corners[i / RADII], sizeof a.c), memcpy(a.r, radii[i % RADII], sizeof a.r);
            memcpy(b.c, corners[j / RADII], sizeof b.c), memcpy(b.r, radii[j % RADII], sizeof b.r);
            sn_slab_pair p;
            sn_slab_slab(&a, &b, &p);
            double reported = 0, size = slab_pair_size(&a, &b);
            double f = check_slab_pair(&a, &b, &p, size + 1, &reported);
            CHECK_NEAR(reported, 0, SLAB_TOLERANCE);
            CHECK(f <= slab_best_bound(&a, &b, 900) + 1e-6);
        }
    }
}

TEST(bounds_contain_every_sphere) {
    rng r = {3};
    for (int i = 0; i < 20000; i++) {
        sn_slab a, b;
        make_slabs(&r, i % SLAB_CASE_COUNT, &a, &b);
        sn_bounds box = sn_slab_bounds(&a);
        for (int k = 0; k < 3; k++) {
            const double c[3] = {a.c[k].x, a.c[k].y, a.c[k].z}, lo[3] = {box.lo.x, box.lo.y, box.lo.z};
            const double hi[3] = {box.hi.x, box.hi.y, box.hi.z};
            for (int axis = 0; axis < 3; axis++) {
                CHECK(lo[axis] <= c[axis] - a.r[k] && c[axis] + a.r[k] <= hi[axis]);
            }
        }
    }
}
