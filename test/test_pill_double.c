// Pills in double precision: the closed forms against a search, gradients by finite differences, volumes.
#include "pill_cases.h"

TEST(pairs_against_search) {
    check_pairs_against_search(PAIR_COUNT);
}

TEST(lanes_match_scalar) {
    check_lanes_match();
}

// The distance as a function of all sixteen numbers of a pair.
static double distance_of(const double number[16]) {
    sn_pill a = {{number[0], number[1], number[2]}, {number[3], number[4], number[5]}, number[6], number[7]};
    sn_pill b = {{number[8], number[9], number[10]}, {number[11], number[12], number[13]}, number[14], number[15]};
    return sn_pill_pill(&a, &b).distance;
}

TEST(gradient_by_finite_differences) {
    rng r = {4711};
    int checked = 0;
    for (int i = 0; i < 20000; i++) {
        sn_pill a = some_pill(&r, 1), b = some_pill(&r, 1);
        sn_contact_point t = sn_pill_pill(&a, &b);
        oracle o = oracle_of(&a, &b);
        dvec d = d_axpy(d_axpy(o.d0, t.alpha, o.u), -t.beta, o.v);
        if (d_length(d) < 0.05) continue; // second derivatives grow like 1/|d|
        double number[16] = {a.a.x, a.a.y, a.a.z, a.b.x, a.b.y, a.b.z, a.ra, a.rb,
                             b.a.x, b.a.y, b.a.z, b.b.x, b.b.y, b.b.z, b.ra, b.rb};
        double n[3] = {t.normal.x, t.normal.y, t.normal.z};
        double weight[4] = {1 - t.alpha, t.alpha, 1 - t.beta, t.beta};
        double expected[16];
        for (int pill = 0; pill < 2; pill++) {
            for (int end = 0; end < 2; end++) {
                double w = weight[2 * pill + end];
                for (int k = 0; k < 3; k++) expected[8 * pill + 3 * end + k] = (pill ? -w : w) * n[k];
                expected[8 * pill + 6 + end] = -w;
            }
        }
        const double h = 1e-6;
        for (int k = 0; k < 16; k++) {
            double saved = number[k];
            number[k] = saved + h;
            double up = distance_of(number);
            number[k] = saved - h;
            double down = distance_of(number);
            number[k] = saved;
            CHECK_NEAR((up - down) / (2 * h), expected[k], 2e-4);
        }
        checked++;
    }
    CHECK(checked > 10000);
}

// Area of the pill's section at x along its axis, a from 0 to b at length l, by brute force over its spheres.
static double section(double x, double l, double ra, double rb) {
    double best = 0;
    for (int i = 0; i <= 2000; i++) {
        double t = i / 2000.0, r = ra + t * (rb - ra), off = x - t * l;
        best = fmax(best, r * r - off * off);
    }
    return M_PI * best;
}

TEST(volume_by_slices) {
    const double cases[][3] = {{1, 0.3, 0.3}, {1, 0.2, 0.6}, {1, 0.7, 0.1}, {0.5, 0.1, 0.59}, {0.5, 0.9, 0.3},
                               {0, 0.4, 0.2}, {0, 0.3, 0.3}, {2, 0, 0.5},   {2, 0, 0},        {0.4, 0.1, 0.5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double l = cases[i][0], ra = cases[i][1], rb = cases[i][2];
        double lo = fmin(-ra, l - rb), hi = fmax(ra, l + rb), sum = 0;
        const int slices = 2000;
        for (int k = 0; k < slices; k++)
            sum += section(lo + (k + 0.5) * (hi - lo) / slices, l, ra, rb) * (hi - lo) / slices;
        sn_vec3 direction = {2.0 / 7, -3.0 / 7, 6.0 / 7}, at = {5, -6, 7};
        sn_pill pill = {at, sn_mul_add(at, l, direction), ra, rb};
        CHECK_NEAR(sn_pill_volume(&pill), sum, 1e-5 + 1e-5 * sum);
        CHECK_NEAR(sn_pill_volume(&pill) - 2 * M_PI / 3 * (ra * ra * ra + rb * rb * rb), sn_pill_segment_volume(&pill),
                   1e-12);
        CHECK_NEAR(sn_pill_frustum_volume(&pill), M_PI / 3 * l * (ra * ra + ra * rb + rb * rb), 1e-12);
    }
}

TEST(volume_is_continuous_where_a_ball_is_swallowed) {
    sn_pill outside = {{0, 0, 0}, {0.4 + 1e-9, 0, 0}, 0.1, 0.5}, inside = {{0, 0, 0}, {0.4 - 1e-9, 0, 0}, 0.1, 0.5};
    CHECK_NEAR(sn_pill_volume(&outside), sn_pill_volume(&inside), 1e-8);
    CHECK_NEAR(sn_pill_volume(&inside), 4 * M_PI / 3 * 0.125, 1e-12);
}
