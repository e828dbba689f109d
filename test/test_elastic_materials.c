// Hyperelastic materials: derivatives against finite differences, small strains against linear elasticity, one-axial
// stretch against closed forms; and bodies of these materials.
#include "elastic_asset_util.h"
#include "kinds/elastic/elastic_materials.h"
#include "reference/newton.h"
#include "test.h"
#include <math.h>

static uint64_t state = 1;

static double random_number(void) { // -1 to 1
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(state >> 11) / 4503599627370496.0 - 1;
}

static void random_matrix(double size, double f[9]) {
    for (int i = 0; i < 9; i++) f[i] = (i % 4 == 0) + size * random_number();
}

// Rodrigues.
static void rotation(double r[9]) {
    double axis[3], length = 0;
    for (int i = 0; i < 3; i++) axis[i] = random_number(), length += axis[i] * axis[i];
    for (int i = 0; i < 3; i++) axis[i] /= sqrt(length);
    const double angle = 3 * random_number(), c = cos(angle), s = sin(angle);
    const double cross[9] = {0, -axis[2], axis[1], axis[2], 0, -axis[0], -axis[1], axis[0], 0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) r[3 * i + j] = c * (i == j) + s * cross[3 * i + j] + (1 - c) * axis[i] * axis[j];
}

static void multiply(const double a[9], const double b[9], double out[9]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = 0;
            for (int k = 0; k < 3; k++) out[3 * i + j] += a[3 * i + k] * b[3 * k + j];
        }
}

static sn_hyper make(int kind, double young, double poisson) {
    sn_hyper m = {0};
    CHECK(sn_hyper_init((sn_elastic_law)kind, young, poisson, 0, &m));
    return m;
}

TEST(singular_values_give_the_matrix_back) {
    double worst = 0, turned = 0;
    for (int i = 0; i < 2000; i++) {
        double f[9], u[9], s[3], v[9], us[9], back[9], vt[9];
        random_matrix(i % 3 == 0 ? 0.01 : 2, f);
        if (i % 7 == 1)
            for (int k = 0; k < 3; k++) f[6 + k] = f[k]; // singular
        if (i % 7 == 2)
            for (int k = 0; k < 9; k++) f[k] = i % 2 ? 0 : (k < 3) * f[k]; // of rank one, or nothing
        sn_hyper_svd(f, u, s, v);
        for (int k = 0; k < 9; k++) us[k] = u[k] * s[k % 3], vt[k] = v[3 * (k % 3) + k / 3];
        multiply(us, vt, back);
        for (int k = 0; k < 9; k++) worst = fmax(worst, fabs(back[k] - f[k]));
        CHECK(s[0] >= s[1] && s[1] >= fabs(s[2]) - 1e-12);
        const double *both[2] = {u, v};
        for (int w = 0; w < 2; w++) {
            const double *r = both[w];
            const double det = r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) +
                               r[2] * (r[3] * r[7] - r[4] * r[6]);
            turned = fmax(turned, fabs(det - 1));
        }
    }
    CHECK(worst < 1e-13);
    CHECK(turned < 1e-12);
}

TEST(stress_is_the_derivative_of_the_energy) {
    for (int kind = 0; kind < SN_LAW_COUNT; kind++) {
        const sn_hyper m = make(kind, 1, 0.3);
        double worst = 0;
        for (int i = 0; i < 200; i++) {
            double f[9], p[9];
            random_matrix(i % 2 ? 0.3 : 1.2, f); // half of these are inside out
            sn_hyper_stress(&m, f, p);
            for (int k = 0; k < 9; k++) {
                const double h = 1e-5, at = f[k];
                f[k] = at + h;
                const double up = sn_hyper_energy(&m, f);
                f[k] = at - h;
                const double down = sn_hyper_energy(&m, f);
                f[k] = at;
                worst = fmax(worst, fabs((up - down) / (2 * h) - p[k]) / (1 + fabs(p[k])));
            }
        }
        CHECK_NEAR(worst, 0, 2e-7);
    }
}

TEST(tangent_is_the_derivative_of_the_stress) {
    for (int kind = 0; kind < SN_LAW_COUNT; kind++) {
        const sn_hyper m = make(kind, 1, 0.3);
        double worst = 0;
        for (int i = 0; i < 200; i++) {
            double f[9], t[81], p[9], e, s[3], u[9], v[9], own[9];
            random_matrix(i % 4 == 0 ? 0 : 0.6, f);
            if (i % 4 == 0) rotation(f);                                              // all singular values alike
            if (i % 4 == 1) f[1] = f[2] = f[3] = f[5] = f[6] = f[7] = 0, f[4] = f[0]; // two alike
            sn_hyper_svd(f, u, s, v);
            if (s[1] + s[2] < 0.05) continue; // where the corotational one has no derivative
            sn_hyper_tangent(&m, f, false, t, p, &e);
            sn_hyper_stress(&m, f, own);
            CHECK_NEAR(e, sn_hyper_energy(&m, f), 1e-14 * (1 + fabs(e)));
            for (int k = 0; k < 9; k++) {
                const double h = 1e-5, at = f[k];
                double up[9], down[9];
                CHECK_NEAR(p[k], own[k], 1e-14 * (1 + fabs(p[k])));
                f[k] = at + h;
                sn_hyper_stress(&m, f, up);
                f[k] = at - h;
                sn_hyper_stress(&m, f, down);
                f[k] = at;
                for (int j = 0; j < 9; j++)
                    worst = fmax(worst, fabs((up[j] - down[j]) / (2 * h) - t[9 * j + k]) / (10 + fabs(t[9 * j + k])));
            }
        }
        CHECK_NEAR(worst, 0, 2e-6);
    }
}

// The definite tangent A+ is nearest to A: both it and A+ - A are positive semidefinite, and they are orthogonal.
TEST(definite_tangent_is_the_nearest) {
    int changed = 0;
    for (int kind = 0; kind < SN_LAW_COUNT; kind++) {
        const sn_hyper m = make(kind, 1, 0.4);
        for (int i = 0; i < 100; i++) {
            double f[9], plain[81], definite[81], product = 0, size = 0;
            random_matrix(0.8, f);
            sn_hyper_tangent(&m, f, false, plain, NULL, NULL);
            sn_hyper_tangent(&m, f, true, definite, NULL, NULL);
            for (int k = 0; k < 81; k++) {
                product += definite[k] * (definite[k] - plain[k]);
                size += plain[k] * plain[k];
                changed += fabs(definite[k] - plain[k]) > 1e-6;
            }
            CHECK_NEAR(product / size, 0, 1e-9);
            for (int tries = 0; tries < 20; tries++) {
                double x[9], a = 0, b = 0;
                for (int k = 0; k < 9; k++) x[k] = random_number();
                for (int k = 0; k < 81; k++)
                    a += x[k / 9] * definite[k] * x[k % 9], b += x[k / 9] * (definite[k] - plain[k]) * x[k % 9];
                CHECK(a >= -1e-9 * sqrt(size) && b >= -1e-9 * sqrt(size));
            }
        }
    }
    CHECK(changed > 100);
}

TEST(rigid_motion_costs_nothing) {
    for (int kind = 0; kind < SN_LAW_COUNT; kind++) {
        const sn_hyper m = make(kind, 1e6, 0.45);
        for (int i = 0; i < 50; i++) {
            double r[9], p[9];
            rotation(r);
            sn_hyper_stress(&m, r, p);
            CHECK_NEAR(sn_hyper_energy(&m, r), 0, 1e-6);
            for (int k = 0; k < 9; k++) CHECK_NEAR(p[k], 0, 1e-7);
        }
    }
}

TEST(energy_does_not_see_rotations) {
    for (int kind = 0; kind < SN_LAW_COUNT; kind++) {
        const sn_hyper m = make(kind, 1, 0.2);
        for (int i = 0; i < 50; i++) {
            double f[9], r[9], q[9], rf[9], rfq[9];
            random_matrix(0.5, f), rotation(r), rotation(q);
            multiply(r, f, rf), multiply(rf, q, rfq);
            const double e = sn_hyper_energy(&m, f);
            CHECK_NEAR(sn_hyper_energy(&m, rfq), e, 1e-12 * (1 + e));
        }
    }
}

// sigma = lambda tr(e) + 2 mu e for all of them.
TEST(small_strains_are_those_of_linear_elasticity) {
    const double young = 3e5, ratios[3] = {-0.2, 0.3, 0.47}, h = 1e-6;
    for (int kind = 0; kind < SN_LAW_COUNT; kind++)
        for (int n = kind == SN_LAW_PROJECTIVE; n < 3; n++) { // (that one has none below 0)
            const double poisson = ratios[n], mu = young / (2 * (1 + poisson));
            const double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
            const sn_hyper m = make(kind, young, poisson);
            double f[9], p[9];
            random_matrix(h, f);
            sn_hyper_stress(&m, f, p);
            const double trace = f[0] + f[4] + f[8] - 3;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    const double strain = 0.5 * (f[3 * i + j] + f[3 * j + i]) - (i == j);
                    CHECK_NEAR(p[3 * i + j], 2 * mu * strain + (i == j) * lambda * trace, 1e-4 * young * h);
                }
        }
}

// Stretched by a along x with free sides: how much the sides stretch, and the stress.
static double pull(const sn_hyper *m, double a, double *side) {
    double low = 0.05, high = 3, p[9];
    for (int i = 0; i < 100; i++) {
        const double b = 0.5 * (low + high), f[9] = {a, 0, 0, 0, b, 0, 0, 0, b};
        sn_hyper_stress(m, f, p);
        *(p[4] > 0 ? &high : &low) = b;
    }
    *side = low;
    return p[0];
}

TEST(one_axial_stretch_in_closed_form) {
    const double young = 1, poisson = 0.3, mu = young / (2 * (1 + poisson));
    const double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    for (double a = 0.7; a < 1.9; a += 0.1) {
        double b;
        sn_hyper m = make(SN_LAW_COROTATIONAL, young, poisson);
        CHECK_NEAR(pull(&m, a, &b), young * (a - 1), 1e-9);
        CHECK_NEAR(b, 1 - poisson * (a - 1), 1e-9);
        m = make(SN_LAW_STVK, young, poisson);
        CHECK_NEAR(pull(&m, a, &b), young * a * (a * a - 1) / 2, 1e-8);
        CHECK_NEAR(b * b, 1 - poisson * (a * a - 1), 1e-9);
        m = make(SN_LAW_NEO_HOOKEAN, young, poisson);
        const double j = 1 + mu / (lambda + mu) * (1 - 1 / a);
        CHECK_NEAR(pull(&m, a, &b), mu * (a - j / (a * a)), 1e-9);
        CHECK_NEAR(a * b * b, j, 1e-9);
    }
}

// Of what hardly changes its volume: 2 (a - 1/a^2) (c10 + c01/a), and 2 (a - 1/a^2) f'(I1) with the chain's series.
TEST(one_axial_stretch_of_rubber) {
    const double young = 1, poisson = 0.49999, mu = young / (2 * (1 + poisson)), lock = 2.5;
    static const double chain[5] = {1.0 / 2, 1.0 / 20, 11.0 / 1050, 19.0 / 7000, 519.0 / 673750};
    double at_rest = 0;
    for (int i = 0; i < 5; i++) at_rest += 2 * (i + 1) * chain[i] * pow(3, i) / pow(lock, 2 * i);
    for (double a = 0.6; a < 2.1; a += 0.3) {
        double b, slope = 0;
        const double shape = 2 * (a - 1 / (a * a)), i1 = a * a + 2 / a;
        sn_hyper m = {0};
        CHECK(sn_hyper_init(SN_LAW_MOONEY_RIVLIN, young, poisson, 0.7, &m));
        CHECK_NEAR(pull(&m, a, &b), shape * mu / 2 * (0.7 + 0.3 / a), 1e-3);
        CHECK_NEAR(a * b * b, 1, 1e-3);
        CHECK(sn_hyper_init(SN_LAW_ARRUDA_BOYCE, young, poisson, lock, &m));
        for (int i = 0; i < 5; i++) slope += (i + 1) * chain[i] * pow(i1, i) / pow(lock, 2 * i);
        CHECK_NEAR(pull(&m, a, &b), shape * slope * mu / at_rest, 1e-3);
        CHECK_NEAR(a * b * b, 1, 1e-3);
    }
}

TEST(numbers_out_of_range_are_refused) {
    sn_hyper m;
    CHECK(!sn_hyper_init(SN_LAW_STVK, 0, 0.3, 0, &m));
    CHECK(!sn_hyper_init(SN_LAW_STVK, NAN, 0.3, 0, &m));
    CHECK(!sn_hyper_init(SN_LAW_STVK, 1, 0.5, 0, &m));
    CHECK(!sn_hyper_init(SN_LAW_STVK, 1, -1, 0, &m));
    CHECK(!sn_hyper_init(SN_LAW_MOONEY_RIVLIN, 1, 0.3, 1.5, &m));
    CHECK(!sn_hyper_init(SN_LAW_ARRUDA_BOYCE, 1, 0.3, 0.9, &m));
    CHECK(!sn_hyper_init(SN_LAW_COUNT, 1, 0.3, 0, &m));
}

// --- bodies of these materials ---------------------------------------------------------------------------------------

typedef struct {
    sn_memory memory;
    sn_elastic_asset asset;
    sn_elastic_newton *newton;
    int columns;
    sn_real q[3 * 512], rate[3 * 512];
} bar_body;

static bool start(bar_body *b, const bar_def *bar, int kind, double young, double poisson,
                  const sn_elastic_cubature *cubature) {
    sn_elastic_newton_def def = sn_elastic_newton_def_default();
    char fault[SN_ELASTIC_ERROR_SIZE];
    memset(b, 0, sizeof *b);
    sn_memory_init(&b->memory, NULL);
    bar_make(&b->memory, bar, &b->asset);
    def.iterations = 40, def.inner = 300;
    if (!CHECK(sn_elastic_asset_check(&b->asset, fault)) ||
        !CHECK(sn_hyper_init((sn_elastic_law)kind, young, poisson, 0, &def.material)) ||
        !CHECK_INT(sn_elastic_newton_create(&b->memory, &b->asset, cubature, &def, &b->newton), SN_OK))
        return false;
    b->columns = sn_elastic_newton_columns(b->newton);
    sn_elastic_newton_rest(b->newton, b->q);
    return CHECK(b->columns <= 512);
}

static void end(bar_body *b) {
    sn_elastic_newton_destroy(b->newton);
    sn_elastic_asset_free(&b->memory, &b->asset);
    CHECK_INT(b->memory.used_bytes, 0);
}

static const bool in_double = sizeof(sn_real) == 8;

TEST(reduced_gradient_is_the_derivative_of_the_energy) {
    const bar_def bar = {.cells = {4, 2, 2}, .cell = 0.1, .handles = {3, 1, 1}, .quadratic = true};
    for (int kind = 0; kind < SN_LAW_COUNT && in_double; kind++) {
        static bar_body b;
        static double gradient[3 * 512];
        if (!start(&b, &bar, kind, 1, 0.3, NULL)) return;
        for (int i = 0; i < 3 * b.columns; i++) b.q[i] += (sn_real)(0.02 * random_number());
        sn_elastic_newton_energy(b.newton, b.q, gradient);
        for (int i = 0; i < 3 * b.columns; i++) {
            const sn_real at = b.q[i], h = (sn_real)1e-6;
            b.q[i] = at + h;
            const double up = sn_elastic_newton_energy(b.newton, b.q, NULL);
            b.q[i] = at - h;
            const double down = sn_elastic_newton_energy(b.newton, b.q, NULL);
            b.q[i] = at;
            CHECK_NEAR((up - down) / (2 * (double)h), gradient[i], 1e-8);
        }
        end(&b);
    }
}

TEST(turned_and_moved_bodies_have_no_energy) {
    const bar_def bar = {.cells = {4, 2, 2}, .cell = 0.1, .handles = {3, 1, 1}, .quadratic = true};
    static bar_body b;
    double r[9];
    if (!start(&b, &bar, SN_LAW_MOONEY_RIVLIN, 1e5, 0.4, NULL)) return;
    rotation(r);
    sn_real turned[3 * 512];
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < b.columns; c++) {
            double sum = 0;
            for (int m = 0; m < 3; m++) sum += r[3 * k + m] * (double)b.q[m * b.columns + c];
            turned[k * b.columns + c] = (sn_real)sum;
        }
    CHECK_NEAR(sn_elastic_newton_energy(b.newton, turned, NULL), 0, in_double ? 1e-12 : 1e-6);
    end(&b);
}

// Nothing holds it: all of it falls by g t, and nothing bends.
TEST(free_bodies_fall) {
    const bar_def bar = {.cells = {4, 2, 2}, .cell = 0.1, .handles = {3, 1, 1}, .quadratic = true};
    for (int kind = 0; kind < SN_LAW_COUNT; kind++) {
        static bar_body b;
        if (!start(&b, &bar, kind, 1e5, 0.4, NULL)) return;
        sn_elastic_newton_report report;
        for (int i = 0; i < 10; i++)
            CHECK_INT(sn_elastic_newton_step(b.newton, b.q, b.rate, (sn_real)0.01, sn_v3(0, -10, 0), NULL, &report),
                      SN_OK);
        CHECK_NEAR(report.energy, 0, in_double ? 1e-12 : 1e-5);
        for (int v = 0; v < b.asset.vertex_count; v++) {
            const sn_vec3 at = sn_elastic_newton_vertex(b.newton, b.q, v);
            CHECK_NEAR(at.y - b.asset.rest[v].y, -10 * 0.01 * 0.01 * 55, in_double ? 1e-9 : 1e-5);
            CHECK_NEAR(at.x - b.asset.rest[v].x, 0, in_double ? 1e-9 : 1e-5);
        }
        end(&b);
    }
}

// What is bent swings back; its centre stays where it is.
TEST(momentum_is_kept) {
    const bar_def bar = {.cells = {4, 2, 2}, .cell = 0.1, .handles = {3, 1, 1}, .quadratic = false};
    for (int kind = 0; kind < SN_LAW_COUNT; kind++) {
        static bar_body b;
        if (!start(&b, &bar, kind, 1e5, 0.4, NULL)) return;
        for (int i = 0; i < 3 * b.columns; i++) b.q[i] += (sn_real)(0.01 * random_number());
        sn_vec3 before = {0}, after = {0};
        for (int round = 0; round < 2; round++) {
            for (int t = 0; t < b.asset.tet_count; t++) // all of the same volume: the mean of corners is the centre
                for (int k = 0; k < 4; k++) {
                    sn_vec3 *sum = round ? &after : &before;
                    *sum = sn_add(*sum, sn_elastic_newton_vertex(b.newton, b.q, b.asset.tets[t][k]));
                }
            for (int i = 0; i < 10 && round == 0; i++)
                sn_elastic_newton_step(b.newton, b.q, b.rate, (sn_real)0.005, sn_v3(0, 0, 0), NULL, NULL);
        }
        const sn_vec3 moved = sn_mul(1 / (sn_real)(4 * b.asset.tet_count), sn_sub(after, before));
        CHECK_NEAR(sn_length(moved), 0, in_double ? 1e-8 : 1e-5);
        CHECK(sn_elastic_newton_energy(b.newton, b.q, NULL) > 0);
        end(&b);
    }
}

// A bar whose ends are pulled apart, in the full space: the stress is the force over the area, the stretch that of the
// closed forms.
TEST(pulled_bars_stretch_as_in_closed_form) {
    const bar_def bar = {.cells = {3, 1, 1}, .cell = 0.1, .vertex_each = true};
    const double young = 1e5, poisson = 0.3, area = 0.01, length = 0.3;
    for (int kind = 0; kind < SN_LAW_COUNT; kind++) {
        static bar_body b;
        if (!start(&b, &bar, kind, young, poisson, NULL)) return;
        const sn_hyper m = make(kind, young, poisson);
        static sn_real load[3 * 512];
        double side;
        const double stretch = 1.2, stress = pull(&m, stretch, &side);
        memset(load, 0, sizeof load);
        for (int t = 0; t < b.asset.triangle_count; t++) {
            const int *c = b.asset.triangles[t];
            const double x = (double)b.asset.rest[c[0]].x;
            if (fabs((double)b.asset.rest[c[1]].x - x) > 1e-6 || fabs((double)b.asset.rest[c[2]].x - x) > 1e-6)
                continue;
            const double force = (x > 0.1 ? 1 : -1) * stress * area / 6; // two triangles an end, three corners each
            if (x > 1e-6 && x < length - 1e-6) continue;
            for (int k = 0; k < 3; k++) sn_elastic_newton_push(b.newton, c[k], sn_v3((sn_real)force, 0, 0), load);
        }
        sn_elastic_newton_report report;
        for (int i = 0; i < 4; i++) { // so long that inertia does not count
            CHECK_INT(sn_elastic_newton_step(b.newton, b.q, b.rate, 10, sn_v3(0, 0, 0), load, &report), SN_OK);
            memset(b.rate, 0, sizeof b.rate);
        }
        double low = 1e9, high = -1e9, wide = 0;
        for (int v = 0; v < b.asset.vertex_count; v++) {
            const sn_vec3 at = sn_elastic_newton_vertex(b.newton, b.q, v),
                          zero = sn_elastic_newton_vertex(b.newton, b.q, 0);
            low = fmin(low, (double)at.x), high = fmax(high, (double)at.x);
            wide = fmax(wide, fabs((double)(at.y - zero.y)));
        }
        CHECK_NEAR((high - low) / length, stretch, in_double ? 1e-4 : 1e-3);
        CHECK_NEAR(wide / 0.1, side, in_double ? 1e-3 : 3e-3);
        end(&b);
    }
}

// A few tetrahedra stand for all: volume is kept, and a bar bends about as far.
TEST(cubature_represents_all_tetrahedra) { // once
    const bar_def bar = {.cells = {12, 3, 3}, .cell = 0.05, .handles = {6, 1, 1}, .anchored = true};
    static bar_body whole, sampled;
    sn_elastic_cubature cubature;
    sn_elastic_cubature_def def = sn_elastic_cubature_def_default();
    sn_hyper m = make(SN_LAW_NEO_HOOKEAN, 2e5, 0.4);
    double error, volume = 0;
    if (!start(&whole, &bar, SN_LAW_NEO_HOOKEAN, 2e5, 0.4, NULL)) return;
    REQUIRE(sn_elastic_cubature_make(&whole.memory, &whole.asset, &m, &def, &cubature, &error) == SN_OK);
    CHECK(cubature.count <= 24 * 6 && cubature.count < whole.asset.tet_count / 3);
    CHECK(error < 0.1);
    for (int i = 0; i < cubature.count; i++) {
        CHECK(cubature.volume[i] > 0);
        volume += cubature.volume[i];
    }
    CHECK_NEAR(volume / (12 * 9 * 0.05 * 0.05 * 0.05), 1, 0.15);
    if (!start(&sampled, &bar, SN_LAW_NEO_HOOKEAN, 2e5, 0.4, &cubature)) return;
    for (int i = 0; i < 20; i++) {
        sn_elastic_newton_step(whole.newton, whole.q, whole.rate, (sn_real)0.02, sn_v3(0, -10, 0), NULL, NULL);
        sn_elastic_newton_step(sampled.newton, sampled.q, sampled.rate, (sn_real)0.02, sn_v3(0, -10, 0), NULL, NULL);
    }
    const int tip = whole.asset.vertex_count - 1;
    const double fell = (double)(whole.asset.rest[tip].y - sn_elastic_newton_vertex(whole.newton, whole.q, tip).y);
    const double other = (double)(whole.asset.rest[tip].y - sn_elastic_newton_vertex(sampled.newton, sampled.q, tip).y);
    CHECK(fell > 0.01);
    CHECK_NEAR(other / fell, 1, 0.1);
    // anchored vertices stay
    CHECK_NEAR(sn_length(sn_sub(sn_elastic_newton_vertex(whole.newton, whole.q, 0), whole.asset.rest[0])), 0, 1e-9);
    sn_elastic_cubature_free(&whole.memory, &cubature);
    end(&whole);
    end(&sampled);
}

TEST(steps_allocate_nothing_and_refuse_what_is_not_finite) {
    const bar_def bar = {.cells = {4, 2, 2}, .cell = 0.1, .handles = {3, 1, 1}, .anchored = true};
    static bar_body b;
    if (!start(&b, &bar, SN_LAW_STVK, 1e5, 0.4, NULL)) return;
    const uint64_t before = b.memory.allocations;
    for (int i = 0; i < 3; i++)
        CHECK_INT(sn_elastic_newton_step(b.newton, b.q, b.rate, (sn_real)0.01, sn_v3(0, -10, 0), NULL, NULL), SN_OK);
    CHECK_INT(b.memory.allocations, before);
    const sn_real q = b.q[0];
    CHECK_INT(sn_elastic_newton_step(b.newton, b.q, b.rate, 0, sn_v3(0, -10, 0), NULL, NULL), SN_ERR_RANGE);
    CHECK_INT(sn_elastic_newton_step(b.newton, b.q, b.rate, (sn_real)0.01, sn_v3(0, (sn_real)NAN, 0), NULL, NULL),
              SN_ERR_RANGE);
    CHECK(b.q[0] == q);
    end(&b);
}
