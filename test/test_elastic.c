// Elastic bodies in motion: known answers, what is kept, and what they promise.
// compilers: all
#include "elastic_asset_util.h"
#include "kinds/elastic/elastic_body.h"
#include "kinds/elastic/elastic_kernels.h"
#include "reference/full_space.h"
#include "test.h"
#include <stdlib.h>

enum { FLOAT = sizeof(sn_real) == 4 };

typedef struct {
    sn_memory memory;
    sn_elastic_asset asset;
    sn_elastic_space *space;
    sn_elastic_body *body;
    sn_vec3 *x;
} bar;

static bool open_bar(bar *b, const bar_def *def, const sn_elastic_space_def *space, const sn_elastic_body_def *body,
                     double h) {
    *b = (bar){0};
    sn_memory_init(&b->memory, &(sn_allocator){0});
    bar_make(&b->memory, def, &b->asset);
    b->x = calloc((size_t)b->asset.vertex_count, sizeof *b->x);
    char fault[SN_ELASTIC_ERROR_SIZE];
    return CHECK(sn_elastic_asset_check(&b->asset, fault)) &&
           CHECK(sn_elastic_space_create(&b->memory, &b->asset, space, &b->space) == SN_OK) &&
           CHECK(sn_elastic_body_create(&b->memory, b->space, body, &b->body) == SN_OK) &&
           CHECK(sn_elastic_body_set_step(b->body, (sn_real)h) == SN_OK);
}

static void close_bar(bar *b) {
    free(b->x);
    sn_elastic_body_destroy(b->body);
    sn_elastic_space_destroy(b->space);
    sn_elastic_asset_free(&b->memory, &b->asset);
    CHECK_INT(b->memory.used_bytes, 0);
}

static const sn_vec3 down = {0, (sn_real)-9.81, 0}, nowhere = {0, 0, 0};

static bool step(bar *b, sn_vec3 gravity, int iterations, sn_pool *pool) {
    sn_elastic_body_predict(b->body, gravity, NULL, pool);
    sn_elastic_body_solve(b->body, iterations, pool);
    return sn_elastic_body_finish(b->body);
}

// Throws it out of shape: rates at random.
static void stir(bar *b, double size) {
    uint32_t seed = 7;
    for (int i = 0; i < 3 * b->space->columns; i++) {
        seed = seed * 1664525u + 1013904223u;
        b->body->rate[i] += (sn_real)(size * ((double)(seed >> 8) / 8388608.0 - 1));
    }
}

static void measure(bar *b, sn_energy *energy, sn_momentum *momentum) {
    *energy = (sn_energy){0}, *momentum = (sn_momentum){0};
    sn_elastic_body_add_energy(b->body, nowhere, energy, momentum, NULL);
}

static const bar_def small = {.cells = {8, 3, 3}, .cell = 0.1, .handles = {4, 1, 1}, .quadratic = true};

TEST(placed_exactly_and_rigid_motion_costs_nothing) {
    bar b;
    sn_elastic_body_def def = sn_elastic_body_def_default();
    def.position = sn_v3(3, -2, 1),
    def.rotation = sn_q_normalize((sn_quat){(sn_real)0.3, (sn_real)-0.5, (sn_real)0.2, (sn_real)0.8});
    def.velocity = sn_v3(1, 2, -1), def.spin = sn_v3(0, 3, (sn_real)0.5);
    REQUIRE(open_bar(&b, &small, NULL, &def, 0.01));
    sn_vec3 *v = calloc((size_t)b.asset.vertex_count, sizeof *v);
    sn_elastic_body_vertices(b.body, b.x, NULL);
    sn_elastic_body_velocities(b.body, v, NULL);
    for (int i = 0; i < b.asset.vertex_count; i++) {
        const sn_vec3 arm = sn_q_rotate(def.rotation, b.asset.rest[i]);
        CHECK_NEAR(sn_length(sn_sub(b.x[i], sn_add(arm, def.position))), 0, FLOAT ? 2e-6 : 1e-14);
        CHECK_NEAR(sn_length(sn_sub(v[i], sn_add(def.velocity, sn_cross(def.spin, arm)))), 0, FLOAT ? 5e-6 : 1e-14);
    }
    sn_energy e;
    sn_momentum p;
    measure(&b, &e, &p);
    // a mean strain of single precision's rounding and no more
    CHECK(e.elastic < 0.5 * (double)def.young * b.space->volume * (FLOAT ? 1e-11 : 1e-26));
    CHECK_NEAR(p.linear[1], 1000 * b.space->volume * (2 + 0.0), 1000 * b.space->volume * 3 * 0.9);
    free(v);
    close_bar(&b);
}

TEST(falls_as_it_should) { // known answer 22: g h^2 n (n + 1) / 2
    bar b;
    sn_elastic_body_def def = sn_elastic_body_def_default();
    REQUIRE(open_bar(&b, &small, NULL, &def, 0.01));
    for (int i = 0; i < 50; i++) step(&b, down, 2, NULL);
    sn_elastic_body_vertices(b.body, b.x, NULL);
    for (int i = 0; i < b.asset.vertex_count; i++) {
        CHECK_NEAR(b.x[i].y - b.asset.rest[i].y, -9.81 * 1e-4 * 50 * 51 / 2, FLOAT ? 3e-6 : 1e-9);
        CHECK_NEAR(b.x[i].x, b.asset.rest[i].x, FLOAT ? 3e-6 : 1e-9);
    }
    close_bar(&b);
}

TEST(free_body_keeps_its_momentum) {
    bar b;
    sn_elastic_body_def def = sn_elastic_body_def_default();
    def.velocity = sn_v3(2, -1, (sn_real)0.5), def.spin = sn_v3(0, 0, 2);
    for (int memory = 0; memory < 6; memory += 5) {
        def.anderson_window = memory;
        REQUIRE(open_bar(&b, &small, NULL, &def, 0.005));
        stir(&b, 0.5);
        sn_energy e, first;
        sn_momentum p, start;
        measure(&b, &first, &start);
        double worst = 0;
        for (int i = 0; i < 60; i++) {
            REQUIRE(step(&b, nowhere, 6, NULL));
            measure(&b, &e, &p);
            for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(p.linear[k] - start.linear[k]));
            CHECK(e.kinetic + e.elastic <= (first.kinetic + first.elastic) * (1 + 1e-4)); // implicit Euler only loses
        }
        const double scale = 1000 * b.space->volume * 2;
        CHECK(worst < scale * (FLOAT ? 5e-5 : 1e-12));
        close_bar(&b);
    }
}

// Angular momentum is that of implicit Euler, which loses some of it with h; iterated to the end it comes back as h
// falls.
TEST(angular_momentum_drift_falls_with_the_step) {
    double drift[2];
    for (int fine = 0; fine < 2; fine++) {
        bar b;
        sn_elastic_body_def def = sn_elastic_body_def_default();
        def.spin = sn_v3(0, 0, 3), def.anderson_window = 5;
        const int steps = fine ? 80 : 20;
        REQUIRE(open_bar(&b, &small, NULL, &def, 0.2 / steps));
        sn_energy e;
        sn_momentum p, start;
        measure(&b, &e, &start);
        for (int i = 0; i < steps; i++) REQUIRE(step(&b, nowhere, 15, NULL));
        measure(&b, &e, &p);
        // about the centre of mass, which does not move away: its velocity is 0 times its arm but for the start's
        drift[fine] = fabs(p.angular[2] - start.angular[2]) / fabs(start.angular[2]);
        close_bar(&b);
    }
    CHECK(drift[0] < 0.1);
    CHECK(drift[1] < 0.45 * drift[0]);
}

// A bar pulled at both ends, sides free: Hooke's law with Young's modulus and Poisson's ratio, in the subspace of a
// single affine handle, which has that deformation exactly.
TEST(stretches_by_young_and_narrows_by_poisson) {
    const bar_def def = {.cells = {6, 2, 2}, .cell = 0.1, .handles = {1, 1, 1}};
    for (int k = 0; k < 3; k++) {
        bar b;
        const double poisson = 0.2 * k, young = 1e5, strain = 0.002, area = 0.04;
        sn_elastic_body_def body = sn_elastic_body_def_default();
        body.poisson = (sn_real)poisson, body.damping = 30, body.anderson_window = 5;
        REQUIRE(open_bar(&b, &def, NULL, &body, 0.02));
        sn_vec3 *loads = calloc((size_t)b.asset.vertex_count, sizeof *loads);
        for (int i = 0; i < b.asset.triangle_count;
             ++i) { // tension on the ends, a third of each triangle's to its corners
            const int *t = b.asset.triangles[i];
            const sn_real x = b.asset.rest[t[0]].x;
            if (x != b.asset.rest[t[1]].x || x != b.asset.rest[t[2]].x) continue;
            for (int c = 0; c < 3; c++) loads[t[c]].x += (sn_real)((x > 0 ? 1 : -1) * young * strain * area / 8 / 3);
        }
        for (int i = 0; i < 200; i++) {
            sn_elastic_body_predict(b.body, nowhere, loads, NULL);
            sn_elastic_body_solve(b.body, 8, NULL);
            REQUIRE(sn_elastic_body_finish(b.body));
        }
        sn_elastic_body_vertices(b.body, b.x, NULL);
        // along edges: the bar may have turned a little
        const int end[3] = {bar_vertex(&def, 6, 0, 0), bar_vertex(&def, 0, 2, 0), bar_vertex(&def, 0, 0, 2)};
        for (int axis = 0; axis < 3; axis++)
            CHECK_NEAR((double)sn_length(sn_sub(b.x[end[axis]], b.x[0])) / (axis ? 0.2 : 0.6) - 1,
                       axis ? -poisson * strain : strain, 0.01 * strain);
        free(loads);
        close_bar(&b);
    }
}

TEST(keeps_its_volume_when_stretched_far) { // by 1.5: with the volume kept, sides shrink by 1/sqrt(1.5)
    const bar_def def = {.cells = {4, 2, 2}, .cell = 0.1, .handles = {1, 1, 1}};
    bar b;
    sn_elastic_body_def body = sn_elastic_body_def_default();
    body.poisson = (sn_real)0.49, body.damping = 20, body.anderson_window = 5;
    REQUIRE(open_bar(&b, &def, NULL, &body, 0.02));
    sn_vec3 *loads = calloc((size_t)b.asset.vertex_count, sizeof *loads);
    for (int i = 0; i < b.asset.vertex_count; i++)
        loads[i].x = b.asset.rest[i].x > (sn_real)0.39 ? 180 : b.asset.rest[i].x == 0 ? -180 : 0;
    for (int i = 0; i < 300; i++) {
        sn_elastic_body_predict(b.body, nowhere, loads, NULL);
        sn_elastic_body_solve(b.body, 10, NULL);
        REQUIRE(sn_elastic_body_finish(b.body));
    }
    sn_elastic_body_vertices(b.body, b.x, NULL);
    const int last = b.asset.vertex_count - 1;
    const double along = (double)(b.x[last].x - b.x[0].x) / 0.4, y = (double)(b.x[last].y - b.x[0].y) / 0.2;
    CHECK(along > 1.2);
    CHECK_NEAR(along * y * y, 1, 0.02);
    free(loads);
    close_bar(&b);
}

// Known answer 28: a full-rank subspace gives the full answer to rounding.
TEST(full_rank_subspace_is_the_full_space) {
    const bar_def def = {.cells = {5, 2, 2}, .cell = 0.1, .vertex_each = true};
    bar b;
    sn_elastic_full *full;
    sn_elastic_body_def body = sn_elastic_body_def_default();
    body.anderson_window = 0;
    REQUIRE(open_bar(&b, &def, NULL, &body, 0.01));
    REQUIRE(sn_elastic_full_create(&b.memory, &b.asset, 1e5, (double)body.poisson, 1000, &full) == SN_OK);
    for (int v = 0; v < b.asset.vertex_count; v++) { // pulled apart in the middle
        const double rate[3] = {3 * ((double)b.asset.rest[v].x - 0.25), sin(9 * (double)b.asset.rest[v].x), 0};
        for (int k = 0; k < 3; k++) {
            full->v[3 * v + k] = rate[k];
            b.body->rate[k * b.space->columns + b.space->column[v]] = (sn_real)rate[k];
        }
    }
    const double g[3] = {0, -9.81, 0};
    for (int i = 0; i < 20; i++) {
        REQUIRE(step(&b, down, 5, NULL));
        sn_elastic_full_step(full, 0.01, g, 5, 1e-10);
    }
    sn_elastic_body_vertices(b.body, b.x, NULL);
    double worst = 0;
    for (int v = 0; v < b.asset.vertex_count; v++) {
        worst = fmax(worst, fabs((double)b.x[v].x - full->x[3 * v]));
        worst = fmax(worst, fabs((double)b.x[v].y - full->x[3 * v + 1]));
        worst = fmax(worst, fabs((double)b.x[v].z - full->x[3 * v + 2]));
    }
    CHECK(worst < (FLOAT ? 2e-5 : 1e-8));
    sn_elastic_full_destroy(full);
    close_bar(&b);
}

// The gradient of the implicit Euler step's energy by the vertices, for Newton's method.
static void euler_gradient(const sn_elastic_full *f, double h, const double *target, const double *x, double *out) {
    sn_elastic_full_energy(f, x, out);
    for (int i = 0; i < 3 * f->asset->vertex_count; i++) out[i] += f->mass[i / 3] / (h * h) * (x[i] - target[i]);
}

// Known answer 28: projective dynamics converges to Newton's implicit Euler step of the same energy. Newton with a
// Hessian by central differences, damped until the gradient shrinks, from the same start.
TEST(iterations_converge_to_newtons_step) {
    const bar_def def = {.cells = {2, 1, 1}, .cell = 0.1, .vertex_each = true};
    enum { N = 36 };
    const double h = 0.02, g[3] = {0, -9.81, 0};
    bar b;
    sn_elastic_full *f;
    sn_elastic_body_def body = sn_elastic_body_def_default();
    body.poisson = (sn_real)0.3, body.anderson_window = 5;
    REQUIRE(open_bar(&b, &def, NULL, &body, h));
    REQUIRE(3 * b.asset.vertex_count == N);
    REQUIRE(sn_elastic_full_create(&b.memory, &b.asset, 1e5, (double)body.poisson, 1000, &f) == SN_OK);
    double target[N], x[N], gradient[N], up[N], low[N], m[N][N + 1];
    for (int i = 0; i < N; i++) {
        const double rate = i % 3 == 0 ? 4 * (f->x[i] - 0.1) : 2 * sin(20 * f->x[i - i % 3]) * (i % 3 == 1);
        f->v[i] = rate;
        b.body->rate[i % 3 * b.space->columns + b.space->column[i / 3]] = (sn_real)rate;
        target[i] = f->x[i] + h * rate + h * h * g[i % 3], x[i] = target[i];
    }
    double size = 1;
    for (int k = 0; k < 60 && size > 1e-9; k++) {
        euler_gradient(f, h, target, x, gradient);
        for (int j = 0; j < N; j++) {
            const double was = x[j], d = 1e-6;
            x[j] = was + d, euler_gradient(f, h, target, x, up);
            x[j] = was - d, euler_gradient(f, h, target, x, low);
            x[j] = was;
            for (int i = 0; i < N; i++) m[i][j] = (up[i] - low[i]) / (2 * d);
        }
        for (int i = 0; i < N; i++) m[i][N] = -gradient[i];
        for (int i = 0; i < N; i++) { // Gauss with pivots
            int best = i;
            for (int r = i; r < N; r++)
                if (fabs(m[r][i]) > fabs(m[best][i])) best = r;
            for (int c = 0; c <= N; c++) {
                const double swap = m[i][c];
                m[i][c] = m[best][c], m[best][c] = swap;
            }
            for (int r = 0; r < N; r++) {
                if (r == i) continue;
                const double k2 = m[r][i] / m[i][i];
                for (int c = i; c <= N; c++) m[r][c] -= k2 * m[i][c];
            }
        }
        size = 0;
        for (int i = 0; i < N; i++) size = fmax(size, fabs(m[i][N] / m[i][i]));
        for (int i = 0; i < N; i++) x[i] += (size > 0.02 ? 0.02 / size : 1) * m[i][N] / m[i][i];
    }
    REQUIRE(size < 1e-9);
    // ours, in the subspace of full rank, and the reference
    sn_elastic_body_predict(b.body, down, NULL, NULL);
    sn_elastic_body_solve(b.body, 80, NULL);
    REQUIRE(sn_elastic_body_finish(b.body));
    sn_elastic_body_vertices(b.body, b.x, NULL);
    sn_elastic_full_step(f, h, g, 700, 1e-8);
    for (int i = 0; i < N; i++) {
        const sn_vec3 p = b.x[i / 3];
        CHECK_NEAR(f->x[i], x[i], 1e-8);
        CHECK_NEAR(i % 3 == 0 ? p.x : i % 3 == 1 ? p.y : p.z, x[i], FLOAT ? 3e-6 : 1e-8);
    }
    sn_elastic_full_destroy(f);
    close_bar(&b);
}

// A cantilever under its weight: the more handles, the nearer to the full space (a handle at each vertex).
TEST(cantilever_approaches_the_full_space_with_handles) { // once
    double tip[5] = {0};
    for (int k = 0; k < 5; k++) {
        const int along[5] = {2, 4, 8, 8, 0}, across = k == 3 ? 2 : k == 4 ? 0 : 1;
        const bar_def def = {.cells = {16, 2, 2},
                             .cell = 0.05,
                             .handles = {along[k], across, across},
                             .anchored = true,
                             .quadratic = k == 2,
                             .vertex_each = k == 4};
        bar b;
        sn_elastic_body_def body = sn_elastic_body_def_default();
        body.young = (sn_real)2e6, body.poisson = (sn_real)0.25, body.damping = 8, body.anderson_window = 5;
        REQUIRE(open_bar(&b, &def, NULL, &body, 0.02));
        for (int i = 0; i < 150; i++) REQUIRE(step(&b, down, 6, NULL));
        sn_elastic_body_vertices(b.body, b.x, NULL);
        const int last = b.asset.vertex_count - 1;
        tip[k] = (double)(b.asset.rest[last].y - b.x[last].y);
        for (int v = 0; v < b.asset.vertex_count; v++)
            if (b.asset.anchored[v]) CHECK_NEAR(sn_length(sn_sub(b.x[v], b.asset.rest[v])), 0, 1e-6);
        close_bar(&b);
    }
    for (int k = 0; k < 4; k++) CHECK(tip[k] < tip[k + 1] * 1.002); // a smaller space is stiffer
    CHECK_NEAR(tip[2] / tip[4], 1, 0.1);
    CHECK_NEAR(tip[3] / tip[4], 1, 0.01);
    // w L^4 / 8 E I: linear tetrahedra, two across, are stiffer than a rod, by about two
    const double rod = 1000 * 0.01 * 9.81 * pow(0.8, 4) / (8 * 2e6 * pow(0.1, 4) / 12);
    CHECK(tip[4] > 0.4 * rod && tip[4] < rod);
}

TEST(every_iteration_makes_the_energy_less) {
    bar b;
    sn_elastic_body_def def = sn_elastic_body_def_default();
    def.anderson_window = 1; // (measures it; a memory of one is taken back below)
    REQUIRE(open_bar(&b, &small, NULL, &def, 0.02));
    stir(&b, 6);
    sn_elastic_body_predict(b.body, down, NULL, NULL);
    double last = 1e30;
    for (int i = 0; i < 25; i++) {
        b.body->history_count = 0; // plain iterations
        sn_elastic_body_solve(b.body, 1, NULL);
        CHECK(b.body->last_energy <= last * (1 + 1e-5));
        last = b.body->last_energy;
    }
    close_bar(&b);
}

TEST(acceleration_gets_there_sooner) {
    double left[2];
    for (int k = 0; k < 2; k++) {
        bar b;
        sn_elastic_body_def def = sn_elastic_body_def_default();
        def.anderson_window = k ? 5 : 0;
        REQUIRE(open_bar(&b, &small, NULL, &def, 0.02));
        stir(&b, 1);
        sn_elastic_body_predict(b.body, down, NULL, NULL);
        sn_elastic_body_solve(b.body, 12, NULL);
        left[k] = (double)sn_elastic_body_solve(b.body, 1, NULL);
        CHECK(sn_elastic_body_finish(b.body));
        close_bar(&b);
    }
    CHECK(left[1] < 0.3 * left[0]);
}

static uint64_t run_with(int lanes, int workers, double size, bool *there) {
    bar b;
    sn_elastic_body_def def = sn_elastic_body_def_default();
    def.anderson_window = 3, def.ghost = (sn_real)0.5;
    const bar_def big = {.cells = {16, 12, 10}, .cell = 0.1, .handles = {4, 3, 2}, .quadratic = true, .anchored = true};
    *there = sn_elastic_kernels_for(lanes) != NULL;
    if (!*there) return 0;
    if (!open_bar(&b, &big, &(sn_elastic_space_def){.lanes = lanes}, &def, 0.02)) return 0;
    sn_pool *pool = NULL;
    if (workers > 0) CHECK(sn_pool_create(&b.memory, NULL, workers, &pool) == SN_OK);
    stir(&b, size); // much: some tetrahedra are inside out
    sn_vec3 moved[64] = {{0}};
    moved[3] = sn_v3((sn_real)0.01, 0, 0);
    const sn_elastic_pin push = {.vertex = b.asset.vertex_count - 1, .target = {1, 1, 1}, .weight = 1};
    for (int i = 0; i < 3; i++) {
        sn_elastic_body_predict(b.body, down, NULL, pool);
        CHECK(sn_elastic_body_pin(b.body, &push, 1) == SN_OK);
        sn_elastic_body_solve(b.body, 2, pool);
        sn_elastic_body_move_spheres(b.body, moved, false, pool);
        sn_elastic_body_solve(b.body, 2, pool);
        CHECK(sn_elastic_body_finish(b.body));
    }
    const uint64_t hash = sn_elastic_body_hash(b.body, 0);
    sn_pool_destroy(&b.memory, pool);
    close_bar(&b);
    return hash;
}

TEST(same_bits_for_every_lane_width) {
    bool there;
    for (int k = 0; k < 2; k++) {
        const uint64_t one = run_with(sn_elastic_kernels_for(1) ? 1 : 0, 0, k ? 15 : 1, &there);
        for (int lanes = 4; lanes <= 16; lanes *= 2) {
            const uint64_t wide = run_with(lanes, 0, k ? 15 : 1, &there);
            if (there) CHECK(wide == one);
        }
    }
}

TEST(same_bits_for_any_number_of_workers) {
    bool there;
    const uint64_t alone = run_with(0, 0, 1, &there);
    for (int workers = 1; workers <= 3; workers++) CHECK(run_with(0, workers, 1, &there) == alone);
}

TEST(goes_on_from_a_restored_state_with_the_same_bits) {
    bar b, c;
    sn_elastic_body_def def = sn_elastic_body_def_default();
    REQUIRE(open_bar(&b, &small, NULL, &def, 0.01));
    REQUIRE(open_bar(&c, &small, NULL, &def, 0.01));
    stir(&b, 1);
    for (int i = 0; i < 5; i++) step(&b, down, 3, NULL);
    sn_elastic_body_restore(c.body, b.body->q, b.body->rate);
    for (int i = 0; i < 5; i++) step(&b, down, 3, NULL), step(&c, down, 3, NULL);
    CHECK(sn_elastic_body_hash(b.body, 1) == sn_elastic_body_hash(c.body, 1));
    close_bar(&b), close_bar(&c);
}

TEST(warmed_step_allocates_nothing) {
    bar b;
    sn_elastic_body_def def = sn_elastic_body_def_default();
    def.anderson_window = 4, def.ghost = 1;
    REQUIRE(open_bar(&b, &small, NULL, &def, 0.01));
    const sn_elastic_pin push = {.vertex = 0, .target = {0, 1, 0}, .weight = (sn_real)0.5};
    sn_vec3 moved[4] = {{1, 0, 0}};
    for (int i = 0; i < 3; i++) {
        const uint64_t before = b.memory.allocations;
        CHECK(sn_elastic_body_set_step(b.body, (sn_real)0.01) == SN_OK);
        sn_elastic_body_predict(b.body, down, NULL, NULL);
        CHECK(sn_elastic_body_pin(b.body, &push, 1) == SN_OK);
        sn_elastic_body_solve(b.body, 2, NULL);
        sn_elastic_body_move_spheres(b.body, moved, true, NULL);
        sn_elastic_body_solve(b.body, 2, NULL);
        sn_elastic_body_finish(b.body);
        if (i > 0) CHECK_INT(b.memory.allocations - before, 0);
        const size_t live = b.memory.used_bytes; // a reader has work arrays of its own, and frees them
        CHECK(sn_elastic_body_vertices(b.body, b.x, NULL));
        CHECK_INT(b.memory.used_bytes, live);
    }
    close_bar(&b);
}

TEST(bodies_of_one_material_share_a_factor) {
    bar b;
    sn_elastic_body *other;
    sn_elastic_body_def def = sn_elastic_body_def_default();
    REQUIRE(open_bar(&b, &small, NULL, &def, 0.01));
    REQUIRE(sn_elastic_body_create(&b.memory, b.space, &def, &other) == SN_OK);
    CHECK(sn_elastic_body_set_step(other, (sn_real)0.01) == SN_OK);
    CHECK(other->factor == b.body->factor);
    CHECK(sn_elastic_body_set_step(other, (sn_real)0.02) == SN_OK);
    CHECK(other->factor != b.body->factor);
    CHECK_INT(sn_elastic_body_set_step(other, 0), SN_ERR_RANGE);
    CHECK_INT(sn_elastic_body_set_step(other, (sn_real)NAN), SN_ERR_RANGE);
    sn_elastic_body_destroy(other);
    CHECK(b.space->factors == b.body->factor && !b.body->factor->next);
    def.poisson = (sn_real)0.5;
    CHECK_INT(sn_elastic_body_create(&b.memory, b.space, &def, &other), SN_ERR_RANGE);
    close_bar(&b);
}

// What contacts do to spheres: an impulse changes momentum by itself, a shift by nothing.
TEST(applying_contacts_moves_the_sphere_by_its_impulse) {
    for (int shift = 0; shift < 2; shift++) {
        bar b;
        sn_elastic_body_def def = sn_elastic_body_def_default();
        REQUIRE(open_bar(&b, &small, NULL, &def, 0.01));
        sn_vec3 before[4], after[4], start[4], moved[4] = {{0}};
        sn_real radius[4], yield[4];
        sn_elastic_body_sphere_inverse_masses(b.body, yield);
        double mass = 0;
        for (int i = 0; i < 4; i++) mass += 1 / (double)yield[i]; // handles' own spheres: all of the body's mass
        CHECK_NEAR(mass, 1000 * b.space->volume, 1e-4 * 1000 * b.space->volume);
        sn_elastic_body_predict(b.body, nowhere, NULL, NULL);
        sn_elastic_body_solve(b.body, 1, NULL);
        sn_elastic_body_spheres(b.body, before, NULL, radius);
        for (int i = 0; i < 4; i++) CHECK_NEAR(radius[i], b.asset.radius[i], 1e-5);
        moved[1] = sn_v3(0, (sn_real)0.02, 0);
        sn_elastic_body_move_spheres(b.body, moved, shift, NULL);
        sn_elastic_body_spheres(b.body, after, start, NULL);
        CHECK_NEAR(after[1].y - before[1].y, 0.02, 1e-6);
        CHECK_NEAR(after[0].y - before[0].y, 0, 1e-6);
        CHECK_NEAR(start[1].y - before[1].y, shift ? 0.02 : 0, 1e-6);
        sn_elastic_body_solve(b.body, 3, NULL);
        sn_elastic_body_finish(b.body);
        sn_energy e;
        sn_momentum p;
        measure(&b, &e, &p);
        const double impulse = 0.02 / (double)yield[1] / 0.01;
        CHECK_NEAR(p.linear[1], shift ? 0 : impulse, 1e-4 * impulse);
        CHECK_NEAR(p.linear[0], 0, 1e-4 * impulse);
        close_bar(&b);
    }
}

// A push on the surface by planes: what is below the floor is lifted, what is above is not held.
TEST(contact_impulses_hold_the_surface_above_a_floor) {
    bar b;
    sn_elastic_body_def def = sn_elastic_body_def_default();
    def.ghost = 1, def.damping = 3;
    REQUIRE(open_bar(&b, &small, NULL, &def, 0.01));
    sn_elastic_pin push[256], none = {.vertex = -1};
    int count = 0;
    for (int v = 0; v < b.asset.vertex_count; v++)
        if (b.asset.rest[v].y == 0) push[count++] = (sn_elastic_pin){v, {0, (sn_real)-0.05, 0}, {0, 1, 0}, 1};
    CHECK_INT(sn_elastic_body_pin(b.body, &none, 1), SN_ERR_RANGE);
    for (int i = 0; i < 120; i++) {
        sn_elastic_body_predict(b.body, down, NULL, NULL);
        REQUIRE(sn_elastic_body_pin(b.body, push, count) == SN_OK);
        sn_elastic_body_solve(b.body, 4, NULL);
        REQUIRE(sn_elastic_body_finish(b.body));
    }
    sn_elastic_body_vertices(b.body, b.x, NULL);
    sn_energy e;
    sn_momentum p;
    measure(&b, &e, &p);
    CHECK(fabs(p.linear[1]) < 0.1 * 1000 * b.space->volume); // it lies there
    for (int v = 0; v < b.asset.vertex_count; v++) CHECK(b.x[v].y > (sn_real)-0.08);
    for (int i = 0; i < 5; i++) step(&b, sn_v3(0, 20, 0), 4, NULL); // and is not glued to it
    sn_elastic_body_vertices(b.body, b.x, NULL);
    CHECK(b.x[0].y > (sn_real)-0.06);
    close_bar(&b);
}

TEST(ghosts_change_the_iterations_but_not_the_answer) {
    sn_vec3 end[2];
    for (int k = 0; k < 2; k++) {
        bar b;
        sn_elastic_body_def def = sn_elastic_body_def_default();
        def.ghost = k, def.anderson_window = 5;
        REQUIRE(open_bar(&b, &small, NULL, &def, 0.01));
        stir(&b, (sn_real)0.5);
        for (int i = 0; i < 5; i++) step(&b, down, 60, NULL);
        sn_elastic_body_vertices(b.body, b.x, NULL);
        end[k] = b.x[b.asset.vertex_count - 1];
        close_bar(&b);
    }
    CHECK_NEAR(sn_length(sn_sub(end[0], end[1])), 0, 1e-4);
}

TEST(samples_represent_all_tetrahedra) {
    bar b, c;
    sn_elastic_body_def def = sn_elastic_body_def_default();
    REQUIRE(open_bar(&b, &small, &(sn_elastic_space_def){.samples = 60}, &def, 0.01));
    CHECK_INT(b.space->tet_count, 60);
    double volume = 0;
    for (int row = 0; row < b.space->tet_row_count; row++)
        for (int lane = 0; lane < SN_ELASTIC_ROW; lane++)
            volume +=
                (double)b.space->tet_gradient[(size_t)(row * SN_ELASTIC_GRADIENT + 9) * SN_ELASTIC_ROW + (size_t)lane];
    CHECK_NEAR(volume, b.space->volume, 1e-5 * volume);
    REQUIRE(open_bar(&c, &small, &(sn_elastic_space_def){.samples = 1 << 20}, &def, 0.01));
    CHECK_INT(c.space->tet_count, c.asset.tet_count);
    for (int i = 0; i < 5; i++) CHECK(step(&b, down, 3, NULL) && step(&c, down, 3, NULL));
    // a list of them all, with their volumes, is the same body
    bar d;
    int *list = calloc((size_t)c.asset.tet_count, sizeof *list);
    double *volumes = calloc((size_t)c.asset.tet_count, sizeof *volumes);
    for (int i = 0; i < c.asset.tet_count; i++) list[i] = c.asset.tet_count - 1 - i, volumes[i] = 1e-3 / 6;
    const sn_elastic_space_def all = {.samples = c.asset.tet_count, .sample = list, .sample_volume = volumes};
    REQUIRE(open_bar(&d, &small, &all, &def, 0.01));
    for (int i = 0; i < 5; i++) CHECK(step(&d, down, 3, NULL));
    for (int i = 0; i < 3 * d.space->columns; i++) CHECK_NEAR(d.body->q[i], c.body->q[i], 1e-6);
    list[3] = -1;
    sn_elastic_space *none;
    CHECK_INT(sn_elastic_space_create(&d.memory, &d.asset, &all, &none), SN_ERR_RANGE);
    free(list), free(volumes);
    close_bar(&b), close_bar(&c), close_bar(&d);
}

TEST(anchors_carry_the_body_along) {
    const bar_def def = {.cells = {6, 2, 2}, .cell = 0.1, .handles = {3, 1, 1}, .anchored = true};
    bar b;
    sn_elastic_body_def body = sn_elastic_body_def_default();
    body.young = (sn_real)1e6, body.anderson_window = 5, body.damping = 3;
    REQUIRE(open_bar(&b, &def, NULL, &body, 0.01));
    const sn_quat turn = sn_q_normalize((sn_quat){0, (sn_real)0.2, 0, 1});
    for (int i = 0; i < 150; i++) {
        sn_elastic_body_move_anchors(b.body, turn, sn_v3((sn_real)0.1, 0, 0));
        REQUIRE(step(&b, nowhere, 6, NULL));
    }
    sn_elastic_body_vertices(b.body, b.x, NULL);
    for (int v = 0; v < b.asset.vertex_count; v++) {
        const sn_vec3 to = sn_add(sn_q_rotate(turn, b.asset.rest[v]), sn_v3((sn_real)0.1, 0, 0));
        if (!CHECK_NEAR(sn_length(sn_sub(b.x[v], to)), 0, b.asset.anchored[v] ? 1e-6 : 0.02)) break;
    }
    close_bar(&b);
}

TEST(what_is_not_finite_is_put_back) {
    bar b;
    sn_elastic_body_def def = sn_elastic_body_def_default();
    REQUIRE(open_bar(&b, &small, NULL, &def, 0.01));
    step(&b, down, 2, NULL);
    const sn_real was = b.body->q[0];
    sn_elastic_body_predict(b.body, sn_v3(0, (sn_real)NAN, 0), NULL, NULL);
    sn_elastic_body_solve(b.body, 2, NULL);
    CHECK(!sn_elastic_body_finish(b.body));
    CHECK(b.body->q[0] == was && sn_elastic_body_is_valid(b.body));
    CHECK(step(&b, down, 2, NULL));
    close_bar(&b);
}
