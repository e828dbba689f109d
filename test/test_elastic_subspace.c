// What elastic bodies are built on: assets that are checked, projections, the subspace, the reduced matrix and its
// factor.
// compilers: all
#include "elastic_asset_util.h"
#include "kinds/elastic/elastic_body.h"
#include "kinds/elastic/elastic_internal.h"
#include "kinds/elastic/elastic_kernels.h"
#include "kinds/elastic/elastic_project.h"
#include "reference/full_space.h"
#include "scarce_memory.h"
#include "test.h"
#include <stdlib.h>

#define EXACT (sizeof(sn_real) == 4 ? 2e-6 : 1e-12)

static uint32_t seed = 1;
static double random_number(void) { // -1 to 1
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / 8388608.0 - 1;
}

static sn_memory memory;
static void begin(void) {
    sn_memory_init(&memory, &(sn_allocator){0});
    seed = 1;
}

static double det(const double m[9]) {
    return m[0] * (m[4] * m[8] - m[5] * m[7]) + m[1] * (m[5] * m[6] - m[3] * m[8]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}

static double apart(const double a[9], const double b[9]) {
    double sum = 0;
    for (int i = 0; i < 9; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

static void turn_matrix(double size, double out[9]) {
    double x = size * random_number(), y = size * random_number(), z = size * random_number(), w = 1;
    const double k = 1 / sqrt(x * x + y * y + z * z + w * w);
    x *= k, y *= k, z *= k, w *= k;
    const double m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(out, m, sizeof m);
}

static void times(const double a[9], const double b[9], double out[9]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

// Any matrix: ordinary, stretched, inside out, flat, a line, nothing.
static void some_matrix(int number, double f[9]) {
    double u[9], v[9], m[9] = {1.3, 0, 0, 0, 0.9, 0, 0, 0, 0.7};
    turn_matrix(3, u), turn_matrix(3, v);
    for (int k = 0; k < 3; k++) {
        const double s = number % 7 == 1 ? 3 * random_number() : 1 + 0.4 * random_number();
        m[4 * k] = number % 7 == 2 && k == 2   ? -fabs(s)
                   : number % 7 == 3 && k == 2 ? 0
                   : number % 7 == 4 && k > 0  ? 0
                                               : s;
        if (number % 7 == 5) m[4 * k] = 4 + random_number();
        if (number == 6) m[4 * k] = 0;
    }
    times(u, m, f);
    memcpy(m, f, sizeof m);
    times(m, v, f);
}

TEST(rotation_is_the_nearest_one) {
    begin();
    for (int n = 0; n < 700; n++) {
        double f[9], r[9], d[9], turn[9], other[9], square[9];
        some_matrix(n, f);
        sn_elastic_project(f, r, d);
        const double t[9] = {r[0], r[3], r[6], r[1], r[4], r[7], r[2], r[5], r[8]},
                     one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        times(t, r, square);
        REQUIRE(apart(square, one) < 1e-20);
        REQUIRE(det(r) > 0);
        const double best = apart(f, r);
        for (int k = 0; k < 40; k++) {
            turn_matrix(k < 20 ? 3 : 0.02, turn);
            times(turn, r, other);
            REQUIRE(apart(f, other) >= best - 1e-12);
        }
    }
}

TEST(volume_projection_is_the_nearest_matrix_of_determinant_one) {
    begin();
    for (int n = 0; n < 700; n++) {
        double f[9], r[9], d[9];
        some_matrix(n, f);
        sn_elastic_project(f, r, d);
        if (!CHECK_NEAR(det(d), 1, 1e-9)) return;
        const double best = apart(f, d);
        for (int k = 0; k < 60; k++) { // anything else of determinant 1, near and far
            double other[9];
            const double size = k < 20 ? 1e-3 : k < 40 ? 0.1 : 1;
            for (int i = 0; i < 9; i++) other[i] = d[i] + size * random_number();
            const double volume = det(other);
            if (!(volume > 0.01)) continue;
            for (int i = 0; i < 9; i++) other[i] /= cbrt(volume);
            if (!CHECK(apart(f, other) >= best - 1e-9 * (1 + best))) return;
        }
    }
}

// A bar whose vertices are anywhere: how = 0 gently, 1 with inverted tetrahedra.
static void shake(const sn_elastic_space *s, int how, sn_real *x, double *full) {
    for (int v = 0; v < s->vertex_count; v++) {
        const sn_vec3 p = s->asset->rest[v];
        const double size = (how ? 1.5 : 0.15) * 0.1, from[3] = {(double)p.x, (double)p.y, (double)p.z};
        for (int k = 0; k < 3; k++) {
            const sn_real to = (sn_real)(from[k] + size * random_number());
            x[4 * s->sorted_index[v] + k] = to, full[3 * v + k] = (double)to;
        }
    }
}

TEST(local_step_is_the_gradient_of_the_energy_also_inside_out) {
    begin();
    const bar_def def = {.cells = {4, 3, 2}, .cell = 0.1, .handles = {2, 1, 1}};
    sn_elastic_asset a;
    sn_elastic_space *s;
    sn_elastic_full *full;
    sn_elastic_body *b;
    sn_elastic_body_def body_def = sn_elastic_body_def_default();
    bar_make(&memory, &def, &a);
    REQUIRE(sn_elastic_space_create(&memory, &a, NULL, &s) == SN_OK);
    REQUIRE(sn_elastic_full_create(&memory, &a, (double)body_def.young, (double)body_def.poisson, 1000, &full) ==
            SN_OK);
    REQUIRE(sn_elastic_body_create(&memory, s, &body_def, &b) == SN_OK);
    const size_t n = 3 * (size_t)a.vertex_count;
    double *x = calloc(n, sizeof *x), *g = calloc(n, sizeof *g);
    for (int how = 0; how < 2; how++) {
        shake(s, how, b->x, x);
        const double energy = sn_elastic_full_energy(full, x, g);
        sn_elastic_local_all(b, true, NULL);
        double sum = 0, most = 0;
        for (int c = 0; c < s->chunk_count; c++) sum += b->energy[c];
        CHECK_NEAR(sum / energy, 1, sizeof(sn_real) == 4 ? 2e-4 : 1e-9);
        for (size_t i = 0; i < n; i++) most = fmax(most, fabs(g[i]));
        for (int v = 0; v < a.vertex_count; v++)
            for (int k = 0; k < 3; k++) {
                double mine = 0;
                for (int i = s->slot_first[s->sorted_index[v]]; i < s->slot_first[s->sorted_index[v] + 1]; i++)
                    mine += (double)b->force[4 * s->slot[i] + k];
                if (!CHECK_NEAR(mine / most, g[3 * v + k] / most, sizeof(sn_real) == 4 ? 3e-4 : 1e-9)) return;
            }
        // and the reference is the gradient of its energy: central differences
        for (int i = 0; i < 30; i++) {
            const size_t at = (size_t)(i * 37) % n;
            const double step = 1e-6, was = x[at];
            x[at] = was + step;
            const double up = sn_elastic_full_energy(full, x, NULL);
            x[at] = was - step;
            const double down = sn_elastic_full_energy(full, x, NULL);
            x[at] = was;
            CHECK_NEAR((up - down) / (2 * step) / most, g[at] / most, 1e-5);
        }
    }
    free(x), free(g);
    sn_elastic_body_destroy(b);
    sn_elastic_full_destroy(full);
    sn_elastic_space_destroy(s);
    sn_elastic_asset_free(&memory, &a);
    CHECK_INT(memory.used_bytes, 0);
}

TEST(vertices_follow_the_formula) {
    begin();
    const bar_def def = {.cells = {7, 3, 3}, .cell = 0.1, .handles = {3, 2, 1}, .quadratic = true};
    sn_elastic_asset a;
    sn_elastic_space *s;
    bar_make(&memory, &def, &a);
    REQUIRE(sn_elastic_space_create(&memory, &a, NULL, &s) == SN_OK);
    sn_real *q = sn_alloc(&memory, 3 * (size_t)s->columns, sizeof *q);
    sn_real *x = sn_alloc(&memory, 4 * (size_t)s->row_count * SN_ELASTIC_ROW, sizeof *x);
    for (int i = 0; i < 3 * s->columns; i++) q[i] = (sn_real)random_number();
    s->kernels->lift(s, q, s->columns, NULL, x, 0, s->row_count);
    for (int v = 0; v < a.vertex_count; v++)
        for (int k = 0; k < 3; k++) {
            double at = 0, sum = 0;
            for (int e = a.first[v]; e < a.first[v + 1]; e++) {
                const sn_vec3 d = sn_sub(a.rest[v], sn_elastic_handle_centre(&a, a.handle[e]));
                const double dx = (double)d.x, dy = (double)d.y, dz = (double)d.z;
                const double column[10] = {1, dx, dy, dz, dx * dx, dy * dy, dz * dz, dx * dy, dy * dz, dz * dx};
                for (int c = 0; c < sn_elastic_columns(&a, a.handle[e]); c++)
                    at += (double)a.weight[e] * column[c] * (double)q[k * s->columns + s->column[a.handle[e]] + c];
                sum += (double)a.weight[e];
            }
            if (!CHECK_NEAR(x[4 * s->sorted_index[v] + k], at / sum, EXACT)) return;
        }
    sn_free(&memory, q, 3 * (size_t)s->columns, sizeof *q);
    sn_free(&memory, x, 4 * (size_t)s->row_count * SN_ELASTIC_ROW, sizeof *x);
    sn_elastic_space_destroy(s);
    sn_elastic_asset_free(&memory, &a);
}

// A times a vector, from the blocks.
static void multiply(const sn_reduced *r, const sn_reduced_coefficients *law, const double *x, double *out) {
    memset(out, 0, (size_t)r->columns * sizeof *out);
    for (int i = 0; i < r->handle_count; i++)
        for (int p = r->pair_first[i]; p < r->pair_first[i + 1]; p++) {
            const int j = r->pair_other[p], rows = r->row_first[i + 1] - r->row_first[i];
            const int columns = r->row_first[j + 1] - r->row_first[j];
            for (int y = 0; y < rows; y++)
                for (int k = 0; k < columns; k++) {
                    const size_t at = r->pair_at[p] + (size_t)(y * columns + k);
                    const double value =
                        law->mass * r->mass[at] + law->stiff * (r->stiff[at] + law->ghost * r->ghost[at]);
                    out[r->row_first[i] + y] += value * x[r->row_first[j] + k];
                    if (i != j) out[r->row_first[j] + k] += value * x[r->row_first[i] + y];
                }
        }
}

TEST(factor_solves_the_reduced_matrix) {
    begin();
    const bar_def def = {.cells = {20, 4, 4}, .cell = 0.1, .handles = {9, 2, 2}, .quadratic = true};
    sn_elastic_asset a;
    sn_elastic_space *s;
    sn_elastic_body *b;
    sn_elastic_body_def body_def = sn_elastic_body_def_default();
    body_def.ghost = (sn_real)0.3;
    bar_make(&memory, &def, &a);
    REQUIRE(sn_elastic_space_create(&memory, &a, NULL, &s) == SN_OK);
    REQUIRE(sn_elastic_body_create(&memory, s, &body_def, &b) == SN_OK);
    REQUIRE(sn_elastic_body_set_step(b, (sn_real)0.01) == SN_OK);
    CHECK_INT(b->factor->dropped_count, 0);
    CHECK(s->reduced.panel_count > 1);
    double *x = calloc((size_t)s->columns, sizeof *x), *y = calloc((size_t)s->columns, sizeof *y);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < s->columns; i++) x[i] = random_number();
        multiply(&s->reduced, &b->factor->coefficients, x, y);
        for (int i = 0; i < s->columns; i++) b->right[k * b->row_stride + i] = (sn_real)y[i];
    }
    sn_elastic_substitute(b);
    // in the norm of A, in which columns that hardly differ from others do not count
    double whole = 0, wrong = 0;
    for (int i = 0; i < s->columns; i++) whole += x[i] * y[i], x[i] = (double)b->right[2 * b->row_stride + i] - x[i];
    multiply(&s->reduced, &b->factor->coefficients, x, y);
    for (int i = 0; i < s->columns; i++) wrong += x[i] * y[i];
    CHECK(wrong < (sizeof(sn_real) == 4 ? 1e-4 : 1e-14) * whole);
    free(x), free(y);
    sn_elastic_body_destroy(b);
    sn_elastic_space_destroy(s);
    sn_elastic_asset_free(&memory, &a);
    CHECK_INT(memory.used_bytes, 0);
}

TEST(reduced_mass_and_stiffness_are_those_of_the_vertices) {
    begin();
    const bar_def def = {.cells = {5, 3, 2}, .cell = 0.1, .handles = {2, 2, 1}, .quadratic = true};
    sn_elastic_asset a;
    sn_elastic_space *s;
    sn_elastic_full *full;
    bar_make(&memory, &def, &a);
    REQUIRE(sn_elastic_space_create(&memory, &a, NULL, &s) == SN_OK);
    REQUIRE(sn_elastic_full_create(&memory, &a, 1, 0, 1, &full) == SN_OK);
    // q^T Mass q = sum of v x^2, and q^T Stiff q = sum of V |grad x|^2, for a random q
    const size_t places = (size_t)s->row_count * SN_ELASTIC_ROW;
    sn_real *q = sn_alloc(&memory, 3 * (size_t)s->columns, sizeof *q), *x = sn_alloc(&memory, 4 * places, sizeof *x);
    double *p = calloc((size_t)s->columns, sizeof *p), *y = calloc((size_t)s->columns, sizeof *y), mass = 0, stiff = 0;
    for (int c = 0; c < s->columns; c++) {
        q[c] = (sn_real)random_number();
        p[s->reduced.row_of_column[c]] = (double)q[c];
    }
    s->kernels->lift(s, q, s->columns, NULL, x, 0, s->row_count);
    for (int v = 0; v < a.vertex_count; v++) mass += full->mass[v] * pow((double)x[4 * s->sorted_index[v]], 2);
    for (int t = 0; t < a.tet_count; t++)
        for (int m = 0; m < 3; m++) {
            double slope = 0;
            for (int k = 0; k < 3; k++)
                slope += full->gradient[t][3 * k + m] * ((double)x[4 * s->sorted_index[a.tets[t][k + 1]]] -
                                                         (double)x[4 * s->sorted_index[a.tets[t][0]]]);
            stiff += full->volume[t] * slope * slope;
        }
    double sum[2] = {0};
    for (int which = 0; which < 2; which++) {
        multiply(&s->reduced, &(sn_reduced_coefficients){which == 0, which == 1, 0}, p, y);
        for (int i = 0; i < s->columns; i++) sum[which] += p[i] * y[i];
    }
    CHECK_NEAR(sum[0] / mass, 1, 10 * EXACT);
    CHECK_NEAR(sum[1] / stiff, 1, 10 * EXACT);
    free(p), free(y);
    sn_free(&memory, q, 3 * (size_t)s->columns, sizeof *q);
    sn_free(&memory, x, 4 * places, sizeof *x);
    sn_elastic_full_destroy(full);
    sn_elastic_space_destroy(s);
    sn_elastic_asset_free(&memory, &a);
}

TEST(an_asset_with_a_error_is_named) {
    begin();
    const bar_def def = {.cells = {2, 1, 1}, .cell = 0.1, .handles = {2, 1, 1}};
    sn_elastic_asset a;
    char error[SN_ELASTIC_ERROR_SIZE];
    bar_make(&memory, &def, &a);
    CHECK(sn_elastic_asset_check(&a, error));
    CHECK_STRING(error, "");
    sn_real weight = a.weight[0];
    a.weight[0] += (sn_real)0.1;
    CHECK(!sn_elastic_asset_check(&a, error));
    CHECK(strstr(error, "weights of vertex 0 add up to 1.1"));
    a.weight[0] = weight;
    const int corner = a.tets[3][1];
    a.tets[3][1] = a.vertex_count;
    CHECK(!sn_elastic_asset_check(&a, error));
    CHECK_STRING(error, "tets[3][1] is 12, of 12");
    a.tets[3][1] = a.tets[3][2];
    CHECK(!sn_elastic_asset_check(&a, error));
    CHECK(strstr(error, "tets[3] has") && strstr(error, "twice"));
    a.tets[3][1] = a.tets[3][2], a.tets[3][2] = corner; // inside out
    CHECK(!sn_elastic_asset_check(&a, error));
    CHECK(strstr(error, "tets[3] has no volume (-"));
    a.tets[3][2] = a.tets[3][1], a.tets[3][1] = corner;
    a.rest[5].y = (sn_real)NAN;
    CHECK(!sn_elastic_asset_check(&a, error));
    CHECK_STRING(error, "rest[5] is not finite");
    a.rest[5].y = 0;
    a.handle_sphere[1] = -1;
    CHECK(!sn_elastic_asset_check(&a, error));
    CHECK_STRING(error, "handle_sphere[1][0] is -1, of 2");
    a.handle_sphere[1] = 1;
    sn_elastic_asset_free(&memory, &a);
    CHECK_INT(memory.used_bytes, 0);
}

static int blocks_left;

TEST(running_out_of_memory_leaves_nothing_behind) {
    begin();
    const bar_def def = {.cells = {2, 2, 1}, .cell = 0.1, .handles = {2, 1, 1}, .anchored = true};
    sn_elastic_asset a;
    sn_elastic_space *s;
    sn_elastic_body *b;
    sn_memory tight;
    sn_elastic_body_def body_def = sn_elastic_body_def_default();
    body_def.anderson_window = 3;
    bar_make(&memory, &def, &a);
    CHECK_INT(sn_elastic_space_create(&memory, &a, &(sn_elastic_space_def){.lanes = 3}, &s), SN_ERR_RANGE);
    CHECK_INT(sn_elastic_space_create(&memory, &a, &(sn_elastic_space_def){.samples = -1}, &s), SN_ERR_RANGE);
    sn_memory_init(&tight, &SCARCE(&blocks_left));
    for (int blocks = 0, made = 0; made < 3; blocks++) {
        if (!CHECK(blocks < 1000)) break;
        blocks_left = blocks, made = 0, b = NULL, s = NULL;
        const sn_status space = sn_elastic_space_create(&tight, &a, NULL, &s);
        REQUIRE(space == SN_OK || space == SN_ERR_MEMORY);
        if (space == SN_OK) ++made, made += sn_elastic_body_create(&tight, s, &body_def, &b) == SN_OK;
        if (b) made += sn_elastic_body_set_step(b, (sn_real)0.01) == SN_OK;
        sn_elastic_body_destroy(b);
        sn_elastic_space_destroy(s);
        REQUIRE(tight.used_bytes == 0);
    }
    sn_elastic_asset_free(&memory, &a);
    CHECK_INT(memory.used_bytes, 0);
}
