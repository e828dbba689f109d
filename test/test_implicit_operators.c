// Operators of implicit skins: what they promise of their values and derivatives, and the same in lanes.
// compilers: all
#include "skin/implicit/implicit_internal.h"
#include "test.h"
#include <math.h>

#define WIDE (sizeof(sn_real) == 8)

enum { SIDE = 60 };

typedef sn_mixed mix_fn(double f1, double f2);

static sn_mixed arc_0(double a, double b) {
    return sn_arc(a, b, 0);
}
static sn_mixed arc_half(double a, double b) {
    return sn_arc(a, b, 0.5);
}
static sn_mixed smooth_arc(double a, double b) {
    return sn_arc_smooth(a, b, 0.3);
}

// Not on a grid's lines nor on the diagonal, where pieces of the operators meet.
static double place(int i) {
    return (i + 0.37) / SIDE;
}
static double place_2(int i) {
    return (i + 0.41) / SIDE;
}

TEST(with_nothing_beside_it_a_field_stays_what_it_is) {
    mix_fn *const all[] = {arc_0, arc_half, smooth_arc, sn_clean_union, sn_detail};
    for (int k = 0; k < 5; k++)
        for (int i = 0; i <= 100; i++) {
            const sn_mixed m = all[k](0.01 * i, 0);
            CHECK_NEAR(m.value, 0.01 * i, 1e-12);
            CHECK_NEAR(m.by_first, 1, 1e-9);
        }
    for (int i = 0; i <= 100; i++) { // and symmetric, but for the detail
        const sn_mixed a = sn_clean_union(0.01 * i, 0.4), b = sn_clean_union(0.4, 0.01 * i);
        CHECK_NEAR(a.value, b.value, 1e-12);
        CHECK_NEAR(a.by_first, b.by_second, 1e-9);
    }
}

TEST(fully_closed_the_arc_is_the_union) {
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) CHECK_NEAR(sn_arc(place(i), place(j), 1).value, fmax(place(i), place(j)), 1e-12);
}

TEST(no_field_ever_subtracts) {
    mix_fn *const all[] = {arc_0, arc_half, smooth_arc, sn_clean_union, sn_detail};
    const double least[] = {0.4, 0.4, 0.2, 0.56, 0.1199}; // of the gradient; what the derivations give, rounded down
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < SIDE; i++)
            for (int j = 0; j < SIDE; j++) {
                const sn_mixed m = all[k](place(i), place(j));
                if (!CHECK(m.by_first >= 0 && m.by_second >= 0 && m.value <= 1 + 1e-12)) return;
                if (!CHECK(hypot(m.by_first, m.by_second) >= least[k])) return;
                if (k < 4 && !CHECK(m.value >= fmax(place(i), place(j)) - 1e-12)) return;
            }
}

TEST(derivatives_are_those_of_the_values) {
    mix_fn *const all[] = {arc_half, smooth_arc, sn_clean_union, sn_detail};
    const double h = 1e-6;
    for (int k = 0; k < 4; k++) {
        int wrong = 0;
        for (int i = 0; i < SIDE; i++)
            for (int j = 0; j < SIDE; j++) {
                const double x = place(i), y = place_2(j);
                const sn_mixed m = all[k](x, y);
                const double by_x = (all[k](x + h, y).value - all[k](x - h, y).value) / (2 * h);
                const double by_y = (all[k](x, y + h).value - all[k](x, y - h).value) / (2 * h);
                wrong += fabs(by_x - m.by_first) > 1e-4 || fabs(by_y - m.by_second) > 1e-4;
            }
        CHECK_INT(wrong, 0);
    }
}

TEST(a_clean_union_has_the_surface_of_the_larger_field) {
    for (int i = 0; i <= 200; i++) {
        const double other = 0.5 * i / 200;
        CHECK_NEAR(sn_clean_union(0.5, other).value, 0.5, 1e-12);
        // Where neither is inside, the union is not, and where one is, it is.
        for (int j = 0; j < 200; j++) {
            const double f = (j + 0.5) / 200;
            CHECK((sn_clean_union(f, other).value > 0.5) == (f > 0.5));
        }
    }
}

TEST(deep_in_a_bone_its_muscles_do_not_count) {
    for (int i = 0; i <= 100; i++)
        for (double bone = 0.83; bone <= 1; bone += 0.01) CHECK_NEAR(sn_detail(bone, 0.01 * i).value, bone, 1e-9);
    for (double bone = 0.01; bone < 1; bone += 0.01) // in a muscle's core only the bone's field leads outward
        CHECK(sn_detail(bone, 0.9).by_second == 0 && sn_detail(bone, 0.9).by_first >= 0.12);
}

static double map(double d, double r) {
    const double x = fmin(fmax(d / r, -1), 1);
    return 0.5 - x * (15 - x * x * (10 - 3 * x * x)) / 16;
}
static double map_slope(double d, double r) {
    const double x = d / r;
    return fabs(x) < 1 ? -15 / (16 * r) * (1 - x * x) * (1 - x * x) : 0;
}

// A cross-section: a round limb, and a muscle that is half in it and half above it. Out of the muscle's core (which is
// where a skin is drawn when the muscle swells) gradients must lead away from the limb's middle. The union and the
// blend do not.
static double wrong_part(mix_fn *mix) {
    const double limb = 0.05, muscle[2] = {0, 0.05}, thick = 0.02, reach = 0.05;
    int wrong = 0, all = 0;
    for (double x = -0.03; x <= 0.03; x += 0.0007)
        for (double y = 0; y <= 0.08; y += 0.0007) {
            const double from = hypot(x, y), mx = x - muscle[0], my = y - muscle[1], to = hypot(mx, my);
            if (to > 0.9 * thick || to < 1e-4 || from < 1e-4) continue;
            const double f = map(from - limb, reach), m = map(to - thick, reach);
            const sn_mixed g = mix(f, m);
            const double by_f = g.by_first * map_slope(from - limb, reach) / from;
            const double by_m = g.by_second * map_slope(to - thick, reach) / to;
            const double outward = ((by_f * x + by_m * mx) * x + (by_f * y + by_m * my) * y) / from;
            ++all, wrong += outward >= 0;
        }
    return (double)wrong / all;
}

static sn_mixed larger(double a, double b) {
    return sn_arc(a, b, 1);
}

TEST(gradients_in_a_muscle_point_out_of_the_limb) {
    CHECK(wrong_part(larger) > 0.1); // or the scene shows nothing
    CHECK(wrong_part(arc_half) > 0.05);
    CHECK(wrong_part(sn_detail) == 0);
}

// --- lanes -----------------------------------------------------------------------------------------------------------

typedef struct {
    sn_real f1[16], f2[16], t[16], out[3][16];
} __attribute__((aligned(64))) rows;

static void fill_rows(rows *r, int seed) {
    for (int i = 0; i < 16; i++) {
        const unsigned a = (unsigned)(seed * 16 + i) * 2654435761u;
        r->f1[i] = (sn_real)(a >> 8 & 1023) / 1023, r->f2[i] = (sn_real)(a >> 18 & 1023) / 1023;
        r->t[i] = (sn_real)(a % 97) / 96;
        memset(r->out, 0, sizeof r->out);
    }
}

TEST(lanes_have_the_same_operators) {
    const int widths[] = {1, 4, 8, 16};
    static sn_real table[SN_TABLE_SIZE];
    sn_fill_table(table, sn_detail);
    double most = 0, most_opening = 0;
    for (int seed = 0; seed < 200; seed++) {
        rows first = {0};
        bool have_first = false;
        for (int w = 0; w < 4; w++) {
            const sn_implicit_kernels *kernels = sn_implicit_kernels_for(widths[w]);
            if (!kernels) continue;
            rows r[3];
            for (int k = 0; k < 3; k++) fill_rows(&r[k], seed);
            kernels->arc(r[0].f1, r[0].f2, r[0].t, (sn_real *const[3]){r[0].out[0], r[0].out[1], r[0].out[2]});
            kernels->table(table, r[1].f1, r[1].f2, (sn_real *const[3]){r[1].out[0], r[1].out[1], r[1].out[2]});
            kernels->opening(SN_FOLD_ELBOW, r[2].f1, r[2].out[0]);
            kernels->opening(SN_FOLD_FINGER, r[2].f1, r[2].out[1]);
            for (int i = 0; i < 16; i++) {
                const sn_mixed m = sn_arc((double)r[0].f1[i], (double)r[0].f2[i], (double)r[0].t[i]);
                most = fmax(most, fabs(m.value - (double)r[0].out[0][i]));
                for (int kind = 1; kind <= 2; kind++)
                    most_opening = fmax(most_opening, fabs((double)r[2].out[kind - 1][i] -
                                                           fmin(sn_opening(kind, (double)r[2].f1[i]), 1)));
            }
            memcpy(r[0].t, r[1].out[0], sizeof r[0].t); // one thing to compare
            memcpy(r[0].f1, r[1].out[1], sizeof r[0].f1);
            memcpy(r[0].f2, r[2].out[0], sizeof r[0].f2);
            if (have_first)
                CHECK(memcmp(&first, &r[0], sizeof first) == 0);
            else
                first = r[0], have_first = true;
        }
    }
    CHECK(most < (WIDE ? 1e-9 : 3e-4)); // the square root of a difference of numbers that are nearly the same
    CHECK(most_opening < (WIDE ? 1e-12 : 1e-5));
}

TEST(tables_are_near_their_operators) {
    static sn_real table[2][SN_TABLE_SIZE];
    mix_fn *const all[] = {sn_clean_union, sn_detail};
    const double most[] = {1.7e-3, 6e-4}; // the union's is at its crease
    const sn_implicit_kernels *kernels = sn_implicit_kernels_for(0);
    for (int k = 0; k < 2; k++) {
        double error = 0;
        sn_fill_table(table[k], all[k]);
        for (int seed = 0; seed < 2000; seed++) {
            rows r;
            fill_rows(&r, seed);
            kernels->table(table[k], r.f1, r.f2, (sn_real *const[3]){r.out[0], r.out[1], r.out[2]});
            for (int i = 0; i < 16; i++) // near the corner, far outside of everything, levels are a fan
                if (r.f1[i] + r.f2[i] > (sn_real)0.05)
                    error = fmax(error, fabs((double)r.out[0][i] - all[k]((double)r.f1[i], (double)r.f2[i]).value));
        }
        CHECK(error < most[k]);
    }
    rows r; // nothing beside it, and numbers that are none or outside: no reading outside of the table
    for (int i = 0; i < 16; i++) r.f1[i] = (sn_real)i / 15, r.f2[i] = 0;
    kernels->table(table[1], r.f1, r.f2, (sn_real *const[3]){r.out[0], r.out[1], r.out[2]});
    for (int i = 0; i < 16; i++) CHECK_NEAR(r.out[0][i], r.f1[i], 1e-6);
    for (int i = 0; i < 16; i++) r.f1[i] = i % 3 ? (sn_real)1e30 : (sn_real)NAN, r.f2[i] = -(sn_real)1e30;
    kernels->table(table[1], r.f1, r.f2, (sn_real *const[3]){r.out[0], r.out[1], r.out[2]});
    CHECK_NEAR(r.out[0][1], 1, 1e-6);
}
