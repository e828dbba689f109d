// Pills in float, as the engine uses them: closed forms against a search in double, degenerate pairs, far places,
// touches.
// compilers: all
#include "base/hash.h"
#include "pill_cases.h"

TEST(pairs_against_search) {
    check_pairs_against_search(PAIR_COUNT);
}

TEST(lanes_match_scalar) {
    check_lanes_match();
}

// Coordinates that are multiples of 1/256 are exact in float up to 65,536: moving them changes no bit of any
// difference, so nothing of the answer but the point may change.
TEST(far_from_the_origin_is_exact) {
    rng r = {99};
    for (int i = 0; i < 20000; i++) {
        sn_pill pill[4];
        sn_vec3 offset = {(sn_real)(below(&r, 20000) - 10000), (sn_real)(below(&r, 20000) - 10000),
                          (sn_real)(below(&r, 20000) - 10000)};
        for (int k = 0; k < 2; k++) {
            pill[k] = some_pill(&r, 2);
            sn_real *number[6] = {&pill[k].a.x, &pill[k].a.y, &pill[k].a.z, &pill[k].b.x, &pill[k].b.y, &pill[k].b.z};
            for (int j = 0; j < 6; j++) *number[j] = (sn_real)(rint(*number[j] * 256) / 256);
            pill[2 + k] = pill[k];
            pill[2 + k].a = sn_add(pill[k].a, offset);
            pill[2 + k].b = sn_add(pill[k].b, offset);
        }
        sn_contact_point near = sn_pill_pill(&pill[0], &pill[1]), far = sn_pill_pill(&pill[2], &pill[3]);
        CHECK(same_bits(near.distance, far.distance) && same_bits(near.alpha, far.alpha) &&
              same_bits(near.beta, far.beta));
        CHECK(memcmp(&near.normal, &far.normal, sizeof near.normal) == 0);
    }
}

TEST(swapped_pills_give_the_same_distance) {
    rng r = {5};
    for (int i = 0; i < 20000; i++) {
        sn_pill a, b;
        make_case(&r, i % CASE_COUNT, &a, &b);
        CHECK_NEAR(sn_pill_pill(&a, &b).distance, sn_pill_pill(&b, &a).distance, 2e-6 * pair_size(&a, &b));
    }
}

TEST(normal_where_axes_cross) {
    // Crossing at right angles: along the third axis.
    sn_pill a = {{-1, 0, 0}, {1, 0, 0}, 0.1f, 0.1f}, b = {{0, 0, -1}, {0, 0, 1}, 0.2f, 0.2f};
    sn_contact_point t = sn_pill_pill(&a, &b);
    CHECK_NEAR(t.distance, -0.3, 1e-7);
    CHECK_NEAR(fabs(t.normal.y), 1, 1e-7);
    CHECK_NEAR(t.alpha, 0.5, 1e-6);
    CHECK_NEAR(t.beta, 0.5, 1e-6);
    // It continues what the normal is just beside the crossing.
    for (int side = -1; side <= 1; side += 2) {
        sn_pill c = a;
        c.a.y = c.b.y = 1e-3f * (float)side;
        t = sn_pill_pill(&c, &b);
        CHECK_NEAR(t.normal.y, side, 1e-6);
    }
    // Tapered: n.u = Da and n.v = -Db hold also at the crossing.
    sn_pill wide = {{-1, 0, 0}, {1, 0, 0}, 0.1f, 0.6f};
    t = sn_pill_pill(&wide, &b);
    CHECK_NEAR(t.normal.x * 2, 0.5, 1e-6);
    CHECK_NEAR(sn_length(t.normal), 1, 1e-6);
}

TEST(degenerate_pairs_have_unit_normals) {
    const sn_vec3 o = {3, 4, 5}, x = {4, 4, 5};
    const sn_pill some[] = {
        {o, o, 0, 0},
        {o, o, 1, 1},
        {o, o, 0, 1},
        {o, x, 0, 0},
        {o, x, 0.5f, 0.5f},
        {x, o, 0.5f, 0.5f},
        {o, x, 0, 1},
        {o, x, 2, 0.5f},
        {o, {4, 5, 6}, 0.1f, 0.1f},
        {x, x, 0.5f, 0.5f},
        {o, {3, 4, 5 + 1e-6f}, 0.1f, 0.1f},
    };
    const int count = (int)(sizeof some / sizeof *some);
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++) {
            sn_contact_point t = sn_pill_pill(&some[i], &some[j]);
            CHECK(sn_finite(t.distance) && sn_finite3(t.point) && t.alpha >= 0 && t.alpha <= 1 && t.beta >= 0 &&
                  t.beta <= 1);
            CHECK_NEAR(sn_length(t.normal), 1, 1e-6);
            oracle o2 = oracle_of(&some[i], &some[j]);
            CHECK_NEAR(t.distance, golden_minimum(&o2), 1e-6);
        }
    }
    // Two rods on one line are pushed apart across it, not along it.
    sn_contact_point t = sn_pill_pill(&some[4], &some[4]);
    CHECK_NEAR(t.normal.x, 0, 1e-6);
}

TEST(point_and_sphere) {
    rng r = {31};
    for (int i = 0; i < 50000; i++) {
        sn_pill pill, other;
        make_case(&r, i % CASE_COUNT, &pill, &other);
        sn_sphere ball = {other.a, other.ra};
        sn_real at;
        sn_real distance = sn_pill_distance(&pill, ball.centre, &at);
        sn_pill as_pill = {ball.centre, ball.centre, 0, 0};
        oracle o =
            oracle_of(&as_pill, &pill); // the search projects to its second pill exactly: one evaluation is the answer
        double size = pair_size(&as_pill, &pill);
        CHECK_NEAR(distance, best_over_beta(&o, 0), PILL_TOLERANCE * size);
        CHECK(at >= 0 && at <= 1);
        sn_contact_point t = sn_pill_sphere(&pill, &ball);
        CHECK_NEAR(t.distance, distance - ball.radius, PILL_TOLERANCE * (size + ball.radius));
        CHECK_NEAR(objective(&o, 0, t.alpha), distance, PILL_TOLERANCE * size);
    }
}

TEST(point_lies_between_the_surfaces) {
    rng r = {32};
    for (int i = 0; i < 20000; i++) {
        sn_pill a = some_pill(&r, 1), b = some_pill(&r, 1);
        sn_contact_point t = sn_pill_pill(&a, &b);
        // Both pills' nearest spheres are at half the distance from it.
        sn_vec3 ca = sn_lerp(a.a, a.b, t.alpha), cb = sn_lerp(b.a, b.b, t.beta);
        double to_a = sn_dot(sn_sub(ca, t.point), t.normal) - (a.ra + t.alpha * (a.rb - a.ra));
        double to_b = sn_dot(sn_sub(t.point, cb), t.normal) - (b.ra + t.beta * (b.rb - b.ra));
        CHECK_NEAR(to_a, 0.5 * t.distance, 1e-5);
        CHECK_NEAR(to_b, 0.5 * t.distance, 1e-5);
    }
}

TEST(plane) {
    sn_plane floor = {{1000, 2, -500}, {0, 1, 0}};
    sn_pill pill = {{1, 3, 2}, {4, 2.25f, 2}, 0.5f, 0.5f};
    sn_contact_point t = sn_pill_plane(&pill, &floor), two[2];
    CHECK_NEAR(t.distance, -0.25, 1e-7);
    CHECK_NEAR(t.alpha, 1, 0);
    CHECK_NEAR(t.normal.y, 1, 0);
    CHECK_NEAR(t.point.y, 2 - 0.125, 1e-6); // between the plane and the pill's lowest point, 1.75
    CHECK_INT(sn_pill_plane_contacts(&pill, &floor, 0.1f, two), 1);
    CHECK_INT(sn_pill_plane_contacts(&pill, &floor, 0.6f, two), 2);
    CHECK(two[0].alpha == 0 && two[1].alpha == 1);
    CHECK_INT(sn_pill_plane_contacts(&pill, &floor, -0.3f, two), 0);
    sn_pill ball = {{0, 2, 0}, {0.1f, 2, 0}, 0.5f, 0.3f}; // the second end is inside the first
    CHECK_INT(sn_pill_plane_contacts(&ball, &floor, 1, two), 1);
}

// --- two touches ---

TEST(parallel_pills_have_two_contacts) {
    sn_pill a = {{0, 0.2f, 0}, {1, 0.2f, 0}, 0.1f, 0.1f}, b = {{0.25f, 0, 0}, {2, 0, 0}, 0.1f, 0.1f};
    sn_contact_point t[2];
    REQUIRE(sn_pill_pill_contacts(&a, &b, 0.01f, t) == 2);
    double lo = fmin(t[0].alpha, t[1].alpha), hi = fmax(t[0].alpha, t[1].alpha);
    CHECK_NEAR(lo, 0.25, 1e-6); // the ends of the common stretch
    CHECK_NEAR(hi, 1, 1e-6);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(t[i].distance, 0, 1e-7);
        CHECK_NEAR(t[i].normal.y, 1, 1e-6);
    }
    // In whatever direction they are given, also tapered and lying on each other's flanks.
    sn_pill turned = {b.b, b.a, b.rb, b.ra};
    CHECK_INT(sn_pill_pill_contacts(&a, &turned, 0.01f, t), 2);
    sn_pill cone = {{0, 0, 0}, {1, 0, 0}, 0.2f, 0.1f}, above = {{1, 0.3f, 0}, {0, 0.3f, 0}, 0.2f, 0.1f};
    CHECK_INT(sn_pill_pill_contacts(&cone, &above, 0.02f, t), 2);
}

TEST(other_pills_have_one_contact) {
    sn_contact_point t[2];
    sn_pill a = {{-1, 0.19f, 0}, {1, 0.19f, 0}, 0.1f, 0.1f}, across = {{0, 0, -1}, {0, 0, 1}, 0.1f, 0.1f};
    CHECK_INT(sn_pill_pill_contacts(&a, &across, 0.01f, t), 1);
    sn_pill behind = {{1.2f, 0.19f, 0}, {3, 0.19f, 0}, 0.1f, 0.1f}; // end to end
    CHECK_INT(sn_pill_pill_contacts(&a, &behind, 0.01f, t), 1);
    sn_pill ball = {{0, 0, 0}, {0, 0, 0}, 0.1f, 0.1f};
    CHECK_INT(sn_pill_pill_contacts(&a, &ball, 0.01f, t), 1);
    sn_pill far = {{0, 5, 0}, {1, 5, 0}, 0.1f, 0.1f};
    CHECK_INT(sn_pill_pill_contacts(&a, &far, 0.01f, t), 0);
    sn_pill fat_a = {{-0.1f, 0.9f, 0}, {0.1f, 0.9f, 0}, 0.5f, 0.5f}, fat_b = {{0, 0, -0.1f}, {0, 0, 0.1f}, 0.5f, 0.5f};
    CHECK_INT(sn_pill_pill_contacts(&fat_a, &fat_b, 0.01f, t), 1); // short and fat, crossed
}

TEST(contacts_are_never_deeper_than_the_deepest) {
    rng r = {77};
    int twos = 0;
    for (int i = 0; i < 200000; i++) {
        sn_pill a, b;
        make_case(&r, i % CASE_COUNT, &a, &b);
        sn_contact_point best = sn_pill_pill(&a, &b), t[2];
        sn_real margin = (sn_real)(best.distance + 0.05 * (a.ra + b.ra));
        int count = sn_pill_pill_contacts(&a, &b, margin, t);
        oracle o = oracle_of(&a, &b);
        double size = pair_size(&a, &b);
        CHECK(count >= 1);
        for (int k = 0; k < count; k++) {
            CHECK(t[k].distance <= margin && t[k].distance >= best.distance - 1e-6 * size);
            CHECK_NEAR(t[k].distance, objective(&o, t[k].alpha, t[k].beta), 1e-6 * size);
            CHECK_NEAR(sn_length(t[k].normal), 1, 1e-6);
        }
        if (count == 2) CHECK(t[0].alpha < t[1].alpha);
        if (count == 2) twos++;
    }
    CHECK(twos > 10000);
}

// A stack of rigid pills, each two particles at a fixed distance, on a floor. Touches are found once a step, as the
// engine does, and then projected. Returns the greatest speed in the last half; *sunk: how far the lowest point is
// below its place.
static double settle_stack(int touches_most, double *sunk) {
    enum { PILLS = 5 };
    const double radius = 0.1, length = 1, h = 1.0 / 240;
    double y[PILLS][2], v[PILLS][2] = {{0}};
    rng r = {3};
    for (int i = 0; i < PILLS; i++) {
        for (int k = 0; k < 2; k++) y[i][k] = radius * (1 + 2 * i) + 0.01 * (i + 1) + between(&r, -0.002, 0.002);
    }
    double fastest = 0;
    *sunk = 0;
    for (int step = 0; step < 2400; step++) {
        double before[PILLS][2];
        sn_pill pill[PILLS];
        sn_contact_point touch[PILLS][2];
        int count[PILLS];
        for (int i = 0; i < PILLS; i++) {
            for (int k = 0; k < 2; k++) {
                before[i][k] = y[i][k];
                y[i][k] += h * (v[i][k] -= 9.81 * h);
            }
            sn_real x = (sn_real)(0.3 * (i % 2)); // the common stretches are shorter than the pills
            pill[i] = (sn_pill){{x, (sn_real)y[i][0], 0}, {x + (sn_real)length, (sn_real)y[i][1], 0}, 0.1f, 0.1f};
            sn_plane floor = {{0, 0, 0}, {0, 1, 0}};
            if (touches_most == 2) {
                count[i] = i == 0 ? sn_pill_plane_contacts(&pill[i], &floor, 0.01f, touch[i])
                                  : sn_pill_pill_contacts(&pill[i], &pill[i - 1], 0.01f, touch[i]);
            } else {
                touch[i][0] = i == 0 ? sn_pill_plane(&pill[i], &floor) : sn_pill_pill(&pill[i], &pill[i - 1]);
                count[i] = 1;
            }
        }
        for (int sweep = 0; sweep < 50; sweep++) {
            for (int i = 0; i < PILLS; i++) {
                for (int k = 0; k < count[i]; k++) {
                    const sn_contact_point *t = &touch[i][k];
                    double wa[2] = {1 - t->alpha, t->alpha}, wb[2] = {1 - t->beta, t->beta};
                    double gap = wa[0] * y[i][0] + wa[1] * y[i][1] - radius, mass = wa[0] * wa[0] + wa[1] * wa[1];
                    if (i > 0) gap -= wb[0] * y[i - 1][0] + wb[1] * y[i - 1][1] + radius;
                    if (i > 0) mass += wb[0] * wb[0] + wb[1] * wb[1];
                    if (gap >= 0) continue;
                    for (int e = 0; e < 2; e++) {
                        y[i][e] -= wa[e] * gap / mass;
                        if (i > 0) y[i - 1][e] += wb[e] * gap / mass;
                    }
                }
            }
        }
        for (int i = 0; i < PILLS; i++) {
            for (int k = 0; k < 2; k++) {
                v[i][k] = (y[i][k] - before[i][k]) / h;
                if (step < 1200) continue;
                fastest = fmax(fastest, fabs(v[i][k]));
                *sunk = fmax(*sunk, radius * (1 + 2 * i) - y[i][k]);
            }
        }
    }
    return fastest;
}

TEST(stack_of_parallel_pills_comes_to_rest) {
    double sunk_two, sunk_one, two = settle_stack(2, &sunk_two), one = settle_stack(1, &sunk_one);
    printf("stack: two touches %.2g m/s, sunk %.2g; one touch %.2g m/s, sunk %.2g\n", two, sunk_two, one, sunk_one);
    CHECK(two < 1e-3);
    CHECK(sunk_two < 1e-4 * 0.1);
    CHECK(one > 10 * two); // with one it rocks
}

// --- bounds ---

TEST(bounds_enclose) {
    rng r = {12};
    for (int i = 0; i < 20000; i++) {
        sn_pill pill, other;
        make_case(&r, i % CASE_COUNT, &pill, &other);
        sn_sphere ball = sn_pill_sphere_bound(&pill);
        sn_bounds box = sn_pill_bounds(&pill);
        double length = d_length(d_sub(d_of(pill.b), d_of(pill.a)));
        for (int k = 0; k <= 4; k++) {
            double t = k / 4.0, radius = pill.ra + t * ((double)pill.rb - pill.ra);
            dvec c = d_axpy(d_of(pill.a), t, d_sub(d_of(pill.b), d_of(pill.a)));
            CHECK(d_length(d_sub(c, d_of(ball.centre))) + radius <= ball.radius * (1 + 1e-12));
            CHECK(c.x - radius >= box.lo.x && c.y - radius >= box.lo.y && c.z - radius >= box.lo.z);
            CHECK(c.x + radius <= box.hi.x && c.y + radius <= box.hi.y && c.z + radius <= box.hi.z);
        }
        // And not by more than rounding.
        double exact = fmax(0.5 * (length + pill.ra + pill.rb), fmax(pill.ra, pill.rb));
        double rounding = 1e-6 * (exact + d_length(d_of(ball.centre)));
        CHECK(ball.radius <= exact + rounding);
    }
}

TEST(segments) {
    rng r = {8};
    for (int i = 0; i < 20000; i++) {
        sn_vec3 p[3] = {in_cube(&r, 1), in_cube(&r, 1), in_cube(&r, 1)};
        sn_pill a = {p[0], p[1], 0, 0};
        sn_real nearest = sn_segment_nearest(p[2], p[0], p[1]);
        CHECK_NEAR(sn_length(sn_sub(p[2], sn_lerp(p[0], p[1], nearest))), sn_pill_distance(&a, p[2], NULL), 1e-6);
    }
}

static uint64_t hash_touch(uint64_t hash, const sn_contact_point *t) {
    const sn_real numbers[10] = {t->alpha,    t->beta,     t->gamma,   t->distance, t->normal.x,
                                 t->normal.y, t->normal.z, t->point.x, t->point.y,  t->point.z};
    return sn_hash_reals(hash, numbers, 10);
}

// The bits of every compiler, optimisation and platform.
TEST(golden_bits) {
    rng r = {20240101};
    uint64_t hash = 0;
    for (int i = 0; i < 20000; i++) {
        sn_pill a = some_pill(&r, 1), b;
        b = some_pill(&r, 1);
        sn_contact_point touch[2] = {sn_pill_pill(&a, &b)};
        hash = hash_touch(hash, &touch[0]);
        sn_box box = {b.a, sn_q_normalize((sn_quat){b.b.x, b.b.y, b.b.z, b.ra}), {a.ra, b.ra, b.rb}};
        touch[0] = sn_pill_box(&a, &box);
        hash = hash_touch(hash, &touch[0]);
        sn_triangle triangle = {b.a, b.b, sn_v3(b.ra, b.rb, a.rb)};
        touch[0] = sn_pill_triangle(&a, &triangle);
        hash = hash_touch(hash, &touch[0]);
        int count = sn_pill_pill_contacts(&a, &b, 0.5f, touch);
        for (int k = 0; k < count; k++) hash = hash_touch(hash, &touch[k]);
        sn_sphere bound = sn_pill_sphere_bound(&a);
        const sn_real rest[5] = {bound.centre.x, bound.centre.y, bound.centre.z, bound.radius, sn_pill_volume(&a)};
        hash = sn_hash_reals(hash, rest, 5);
    }
    printf("golden hash %016llx\n", (unsigned long long)hash);
    CHECK(hash == 0x0acacbf8a4e79ab2u);
}
