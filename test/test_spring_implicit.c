// Implicit Euler on mass-spring bodies: its matrix, its safeguard, stiff cloth, and lattices with known moduli.
#include "kinds/spring/spring_coarse.h"
#include "kinds/spring/spring_implicit.h"
#include "kinds/spring/spring_integrators.h"
#include "kinds/spring/spring_topology.h"
#include "kinds/spring/spring_volume.h"
#include "test.h"
#include <math.h>
#include <stdlib.h>

#define WIDE (sizeof(sn_real) == 8)

static sn_memory memory;

static sn_spring_body *make(const sn_spring_def *def) {
    const char *what = NULL;
    int which = 0;
    sn_spring_body *body = NULL;
    if (!CHECK_INT(sn_spring_body_create(&memory, def, &body, &what, &which), SN_OK)) CHECK_STRING(what, "");
    return body;
}

static uint32_t seed;
static sn_real random_unit(void) {
    seed = seed * 1664525u + 1013904223u;
    return (sn_real)((double)(seed >> 8) / 8388608.0 - 1);
}

// Eight points, every two joined, springs drawn and pressed alike; perhaps one tetrahedron that keeps its volume.
enum { KNOT = 8, KNOT_ROOM = 16 };
static sn_spring_body *knot(bool volume) {
    sn_memory_init(&memory, &(sn_allocator){0});
    sn_vec3 points[KNOT];
    sn_real masses[KNOT];
    sn_spring springs[KNOT * KNOT];
    int count = 0;
    seed = 3;
    for (int i = 0; i < KNOT; i++) points[i] = (sn_vec3){random_unit(), random_unit(), random_unit()}, masses[i] = 1;
    for (int i = 0; i < KNOT; i++)
        for (int j = i + 1; j < KNOT; j++)
            springs[count++] = (sn_spring){i, j, 2 + random_unit(), 1, (sn_real)0.8 + (sn_real)0.5 * random_unit()};
    const sn_vec3 corner[4] = {points[0], points[1], points[2], points[3]};
    const bool flip = sn_spring_tet_volume(corner) < 0;
    const int tet[1][4] = {{0, 1, flip ? 3 : 2, flip ? 2 : 3}};
    return make(&(sn_spring_def){.points = points,
                                 .masses = masses,
                                 .count = KNOT,
                                 .springs = springs,
                                 .spring_count = count,
                                 .tets = tet,
                                 .tet_count = volume,
                                 .bulk = 5});
}

TEST(stiffness_matrix_is_the_derivative_of_the_forces) {
    for (int volume = 0; volume < 2; volume++) {
        sn_spring_body *body = knot(volume);
        const double step = WIDE ? 1e-5 : 2e-3;
        double worst = 0, most = 0;
        for (int column = 0; column < 3 * KNOT; column++) {
            sn_real u[4 * KNOT_ROOM] = {0}, y[4 * KNOT_ROOM] = {0}, low[4 * KNOT_ROOM], high[4 * KNOT_ROOM];
            const int at = column / 3 * 4 + column % 3;
            u[at] = 1;
            sn_spring_stiffness(body, true, u, y, NULL);
            const sn_real here = body->x[at];
            body->x[at] = here + (sn_real)step;
            sn_spring_forces(body, body->x, body->v, high, NULL);
            body->x[at] = here - (sn_real)step;
            sn_spring_forces(body, body->x, body->v, low, NULL);
            body->x[at] = here;
            for (int i = 0; i < 4 * KNOT; i++) {
                const double slope = -((double)high[i] - (double)low[i]) / (2 * step);
                worst = fmax(worst, fabs(slope - (double)y[i]));
                most = fmax(most, fabs((double)y[i]));
            }
        }
        CHECK(worst < (WIDE ? 1e-6 : 1e-3) * most);
        CHECK(most > 1);
        sn_spring_body_destroy(body);
    }
}

TEST(safeguard_makes_every_direction_cost_energy) {
    sn_spring_body *body = knot(false);
    for (int i = 0; i < body->spring_count; i++) sn_spring_set(body, i, 1, 0, 5); // all pressed
    int negative = 0;
    for (int round = 0; round < 50; round++) {
        sn_real u[4 * KNOT_ROOM] = {0}, y[4 * KNOT_ROOM] = {0};
        for (int i = 0; i < 4 * KNOT; i++) u[i] = i % 4 == 3 ? 0 : random_unit();
        for (int exact = 0; exact < 2; exact++) {
            sn_spring_stiffness(body, exact, u, y, NULL);
            double energy = 0;
            for (int i = 0; i < 4 * KNOT; i++) energy += (double)u[i] * (double)y[i];
            if (exact)
                negative += energy < 0;
            else
                CHECK(energy >= 0);
        }
    }
    CHECK(negative > 10);
    // A step with the exact matrix finds that out and falls back.
    const sn_spring_solver exact = {.tolerance = (sn_real)1e-4, .iterations = 200, .exact = true};
    const sn_spring_solved solved = sn_spring_implicit_step(body, 3, &exact, NULL);
    CHECK(solved.guarded && solved.converged);
    CHECK(sn_spring_is_finite(body));
    sn_spring_body_destroy(body);
}

static sn_spring_body *hanging_cloth(int side, sn_real stiffness, sn_real mass) {
    sn_memory_init(&memory, &(sn_allocator){0});
    sn_spring_net net;
    sn_spring_net_init(&net, &memory.hook);
    const sn_spring_cloth plan = {.across = {1, 0, 0},
                                  .down = {0, 0, 1},
                                  .columns = side,
                                  .rows = side,
                                  .mass = mass,
                                  .structural = {stiffness, 0},
                                  .shear = {stiffness, 0},
                                  .bend = {stiffness / 10, 0}};
    CHECK_INT(sn_spring_net_cloth(&net, &plan), 0);
    net.masses[0] = net.masses[side - 1] = 0;
    const sn_spring_def def = sn_spring_net_def(&net);
    sn_spring_body *body = make(&def);
    body->gravity.y = (sn_real)-9.81;
    sn_spring_net_free(&net);
    return body;
}

static double energy_of(const sn_spring_body *body) {
    const sn_spring_totals a = sn_spring_measure(body, body->gravity);
    return a.kinetic + a.elastic + a.gravity;
}

TEST(stiff_cloth_is_stable_at_a_thirtieth) {
    // k h^2 / m = 1e4 at h = 1/30: explicit integrators would need h < 1/6000 here.
    enum { SIDE = 20 };
    const sn_real mass = (sn_real)0.1, h = (sn_real)(1.0 / 30), each = mass / ((SIDE - 1) * (SIDE - 1));
    sn_spring_body *body = hanging_cloth(SIDE, (sn_real)1e4 * each / (h * h), mass);
    CHECK(sn_spring_frequency2(body) * (double)(h * h) > 1e4);
    const sn_spring_solver solver = sn_spring_solver_default();
    for (int i = 0; i < 150; i++) {
        sn_spring_implicit_step(body, h, &solver, NULL);
        REQUIRE(energy_of(body) < 1); // J; a step that bends flat cloth stretches it a little, which is a lot at this k
    }
    CHECK_NEAR(energy_of(body), -0.49, 0.01); // m g / 2, at rest
    double longest = 0;
    for (int i = 0; i < body->spring_count; i++) {
        const sn_spring *s = &body->springs[i];
        const sn_vec3 d = sn_sub(sn_spring_point(body, s->b), sn_spring_point(body, s->a));
        longest = fmax(longest, (double)(sn_length(d) / s->rest));
    }
    CHECK(longest < 1.05);
    CHECK(sn_spring_point(body, SIDE * SIDE - 1).y < (sn_real)-0.8); // hangs
    sn_spring_body_destroy(body);
}

TEST(static_sag_does_not_depend_on_the_step) {
    for (int fine = 0; fine < 2; fine++) {
        sn_memory_init(&memory, &(sn_allocator){0});
        sn_spring_net net;
        sn_spring_net_init(&net, &memory.hook);
        CHECK_INT(
            sn_spring_net_chain(&net, &(sn_spring_chain){(sn_vec3){0, 0, 0}, (sn_vec3){0, -1, 0}, 2, 4, {100, 20}}), 0);
        net.masses[0] = 0; // 2 kg hang
        const sn_spring_def def = sn_spring_net_def(&net);
        sn_spring_body *body = make(&def);
        body->gravity.y = (sn_real)-9.81;
        const sn_spring_solver solver = sn_spring_solver_default();
        const int rate = fine ? 500 : 20;
        for (int i = 0; i < 5 * rate; i++) sn_spring_implicit_step(body, (sn_real)1 / rate, &solver, NULL);
        CHECK_NEAR(sn_spring_point(body, 1).y, -1 - 2 * 9.81 / 100, 1e-3);
        sn_spring_body_destroy(body);
        sn_spring_net_free(&net);
    }
}

TEST(body_at_rest_needs_no_iterations) {
    sn_spring_body *body = hanging_cloth(12, 100, (sn_real)0.1);
    body->drag = 3;
    const sn_spring_solver solver = sn_spring_solver_default();
    int last = 0;
    for (int i = 0; i < 600; i++) last = sn_spring_implicit_step(body, (sn_real)(1.0 / 30), &solver, NULL).iterations;
    CHECK(last <= 3);
    sn_spring_body_destroy(body);
}

TEST(free_fall_keeps_to_gravity) {
    sn_spring_body *body = knot(true);
    body->gravity.y = -10;
    const double before = sn_spring_measure(body, body->gravity).momentum[1];
    const sn_spring_solver rough = {.tolerance = (sn_real)0.1, .iterations = 2};
    for (int i = 0; i < 100; i++) sn_spring_implicit_step(body, (sn_real)0.01, &rough, NULL);
    CHECK_NEAR(sn_spring_measure(body, body->gravity).momentum[1] - before, -10 * KNOT, WIDE ? 1e-11 : 1e-3);
    sn_spring_body_destroy(body);
}

// Pulls along x with a uniform stress and lets it come to rest; every cell has given its springs their shares, so that
// the strain is uniform too. Loads sum to 0.
static void relax(sn_spring_body *body) {
    const sn_spring_solver solver = {.tolerance = WIDE ? (sn_real)1e-10 : (sn_real)1e-5, .iterations = 2000};
    for (int i = 0; i < 12; i++) sn_spring_implicit_step(body, 50, &solver, NULL);
}

static void add_share(sn_spring *springs, int *count, const sn_vec3 *points, int a, int b, sn_real stiffness) {
    for (int i = 0; i < *count; i++)
        if ((springs[i].a == a && springs[i].b == b) || (springs[i].a == b && springs[i].b == a)) {
            springs[i].stiffness += stiffness;
            return;
        }
    springs[(*count)++] = (sn_spring){a, b, stiffness, 0, sn_length(sn_sub(points[b], points[a]))};
}

TEST(triangular_lattice_has_its_modulus) {
    // E = 2 k / sqrt 3 (N/m, a sheet), nu = 1/3.
    enum { N = 7 };
    sn_memory_init(&memory, &(sn_allocator){0});
    sn_vec3 points[N * N];
    sn_real masses[N * N];
    sn_spring springs[3 * N * N];
    int count = 0;
    const double height = sqrt(3) / 2, k = 10, stress = WIDE ? 1e-5 : 1e-2;
    for (int r = 0; r < N; r++)
        for (int c = 0; c < N; c++) {
            points[r * N + c] = (sn_vec3){(sn_real)(c + 0.5 * r), (sn_real)(height * r), 0};
            masses[r * N + c] = (sn_real)1e-2;
        }
    for (int r = 0; r + 1 < N; r++)
        for (int c = 0; c + 1 < N; c++) {
            const int a = r * N + c, triangles[2][3] = {{a, a + 1, a + N}, {a + 1, a + N + 1, a + N}};
            for (int t = 0; t < 2; t++)
                for (int e = 0; e < 3; e++)
                    add_share(springs, &count, points, triangles[t][e], triangles[t][(e + 1) % 3], (sn_real)(k / 2));
        }
    sn_spring_body *body = make(&(sn_spring_def){
        .points = points, .masses = masses, .count = N * N, .springs = springs, .spring_count = count});
    for (int r = 0; r < N; r++) {
        const sn_real force = (sn_real)(stress * height * (r == 0 || r == N - 1 ? 0.5 : 1));
        body->load[4 * (r * N)] = -force;
        body->load[4 * (r * N + N - 1)] = force;
    }
    relax(body);
    const sn_vec3 low = sn_spring_point(body, 0), right = sn_spring_point(body, N - 1);
    const sn_vec3 up = sn_spring_point(body, (N - 1) * N);
    // Of the sheet, however it has turned.
    const double width = (double)sn_length(sn_sub(right, low)), along = width / (N - 1) - 1;
    const double area = (double)sn_length(sn_cross(sn_sub(right, low), sn_sub(up, low)));
    const double across = area / width / ((N - 1) * height) - 1;
    CHECK_NEAR(stress / along / (2 * k / sqrt(3)), 1, WIDE ? 1e-4 : 1e-2);
    CHECK_NEAR(-across / along, 1.0 / 3, WIDE ? 1e-4 : 1e-2);
    sn_spring_body_destroy(body);
}

TEST(cubic_lattice_with_diagonals_has_poissons_ratio_of_a_quarter) {
    // Springs k on edges and face diagonals: C11 = 3 k/a, C12 = C44 = k/a: isotropic, E = 5/2 k/a, nu = 1/4.
    enum { N = 4, ALL = N * N * N };
    sn_memory_init(&memory, &(sn_allocator){0});
    sn_vec3 points[ALL];
    sn_real masses[ALL];
    sn_spring *springs = calloc(9 * ALL, sizeof *springs);
    REQUIRE(springs != NULL);
    int count = 0;
    const double k = 10, stress = WIDE ? 1e-5 : 1e-2;
    for (int i = 0; i < ALL; i++) {
        points[i] = (sn_vec3){(sn_real)(i % N), (sn_real)(i / N % N), (sn_real)(i / (N * N))};
        masses[i] = (sn_real)1e-2;
    }
    for (int cell = 0; cell < (N - 1) * (N - 1) * (N - 1); cell++) {
        const int x = cell % (N - 1), y = cell / (N - 1) % (N - 1), z = cell / ((N - 1) * (N - 1));
        for (int i = 0; i < 8; i++)
            for (int j = i + 1; j < 8; j++) {
                const int apart = __builtin_popcount((unsigned)(i ^ j));
                if (apart > 2) continue;
                const int a = (x + (i & 1)) + N * (y + (i >> 1 & 1)) + N * N * (z + (i >> 2));
                const int b = (x + (j & 1)) + N * (y + (j >> 1 & 1)) + N * N * (z + (j >> 2));
                add_share(springs, &count, points, a, b, (sn_real)(apart == 1 ? k / 4 : k / 2));
            }
    }
    sn_spring_body *body = make(
        &(sn_spring_def){.points = points, .masses = masses, .count = ALL, .springs = springs, .spring_count = count});
    free(springs);
    for (int i = 0; i < ALL; i++) {
        if (i % N != 0 && i % N != N - 1) continue;
        const int y = i / N % N, z = i / (N * N);
        const double share = (y == 0 || y == N - 1 ? 0.5 : 1) * (z == 0 || z == N - 1 ? 0.5 : 1);
        body->load[4 * i] = (sn_real)(i % N == 0 ? -stress * share : stress * share);
    }
    relax(body);
    const sn_vec3 low = sn_spring_point(body, 0), high = sn_spring_point(body, ALL - 1);
    const double along = (double)(high.x - low.x) / (N - 1) - 1, across = (double)(high.y - low.y) / (N - 1) - 1;
    CHECK_NEAR(stress / along / (2.5 * k), 1, WIDE ? 1e-4 : 1e-2);
    CHECK_NEAR(-across / along, 0.25, WIDE ? 1e-4 : 1e-2);
    sn_spring_body_destroy(body);
}

// ---- the second level

// A cloth with some points held, or a bar of cubes with volume springs.
static sn_spring_body *coarse_body(bool solid) {
    static sn_vec3 points[4 * 4 * 40];
    static int tets[3 * 3 * 39 * 6][4];
    sn_spring_net net;
    sn_spring_net_init(&net, &memory.hook);
    if (solid) {
        static const int six[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                      {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
        int count = 0, tet = 0;
        for (int z = 0; z < 40; z++)
            for (int y = 0; y < 4; y++)
                for (int x = 0; x < 4; x++) points[count++] = (sn_vec3){(sn_real)x, (sn_real)y, (sn_real)z};
        for (int z = 0; z < 39; z++)
            for (int y = 0; y < 3; y++)
                for (int x = 0; x < 3; x++)
                    for (int t = 0; t < 6; t++, tet++)
                        for (int k = 0; k < 4; k++) {
                            const int c = six[t][k];
                            tets[tet][k] = ((z + (c >> 2)) * 4 + y + (c >> 1 & 1)) * 4 + x + (c & 1);
                        }
        const sn_spring_solid plan = {.points = points,
                                      .count = count,
                                      .tets = &tets[0][0],
                                      .tet_count = tet,
                                      .density = 1,
                                      .edge = {50, 1},
                                      .volumes = true};
        CHECK_INT(sn_spring_net_solid(&net, &plan), 0);
    } else {
        const sn_spring_cloth plan = {.across = {1, 0, 0},
                                      .down = {0, (sn_real)0.2, 1},
                                      .columns = 25,
                                      .rows = 23,
                                      .mass = 1,
                                      .structural = {100, 1},
                                      .shear = {30, 0},
                                      .bend = {10, 0}};
        CHECK_INT(sn_spring_net_cloth(&net, &plan), 0);
    }
    for (int i = 0; i < net.count; i += 97) net.masses[i] = 0;
    sn_spring_def def = sn_spring_net_def(&net);
    def.bulk = 20;
    sn_spring_body *body = NULL;
    CHECK_INT(sn_spring_body_create(&memory, &def, &body, NULL, NULL), SN_OK);
    for (int i = 0; i < body->count; i++) { // out of its rest shape
        const sn_vec3 x = sn_spring_point(body, i);
        const sn_real bend = (sn_real)(0.05 * sin(3 * (double)x.x + 2 * (double)x.z));
        sn_spring_put(body, i, (sn_vec3){x.x + bend, x.y - bend, x.z * (sn_real)1.02}, (sn_vec3){0, bend, 0});
    }
    sn_spring_net_free(&net);
    return body;
}

TEST(aggregates_hold_every_point_and_their_matrix_is_that_of_the_step) {
    for (int solid = 0; solid < 2; solid++) {
        sn_memory_init(&memory, &(sn_allocator){0});
        sn_spring_body *body = coarse_body(solid);
        const sn_spring_coarse *c = body->coarse;
        REQUIRE(c && c->count > 4);
        for (int i = 0; i < body->count; i++) CHECK(c->of[i] >= 0 && c->of[i] < c->count);
        for (int a = 0; a < c->count; a++) CHECK(c->first[a + 1] > c->first[a]);
        // r = (M - K) W y must be solved by y. The stiffness call leaves the tangent that the matrix is made of.
        const size_t padded = (size_t)body->padded;
        sn_real *u = calloc(4 * padded, sizeof *u), *r = calloc(4 * padded, sizeof *r),
                *y = calloc(4 * padded, sizeof *y);
        for (int i = 0; i < body->count; i++)
            for (int k = 0; k < 3; k++) {
                y[4 * (size_t)c->of[i] + (size_t)k] = (sn_real)sin(1 + 3.7 * c->of[i] + k);
                u[4 * (size_t)i + (size_t)k] = body->inverse[i] > 0 ? y[4 * (size_t)c->of[i] + (size_t)k] : 0;
            }
        sn_spring_stiffness(body, false, u, r, NULL);
        double product = 0;
        for (int i = 0; i < body->count; i++)
            for (size_t k = 4 * (size_t)i; k < 4 * (size_t)i + 3; k++) {
                r[k] += body->mass[i] * u[k];
                product += (double)u[k] * (double)r[k];
            }
        CHECK(sn_spring_coarse_factor(body, 1, NULL));
        CHECK_NEAR(sn_spring_coarse_solve(body, r, NULL) / product, 1, WIDE ? 1e-10 : 1e-4);
        for (int k = 0; k < 4 * c->count; k++) CHECK_NEAR(c->motion[k], y[k], WIDE ? 1e-9 : 2e-3);
        free(u), free(r), free(y);
        sn_spring_body_destroy(body);
        CHECK_INT(memory.used_bytes, 0);
    }
}

TEST(the_second_level_changes_the_number_of_iterations_and_not_the_step) {
    for (int solid = 0; solid < 2; solid++) {
        sn_memory_init(&memory, &(sn_allocator){0});
        sn_spring_body *bodies[2];
        int iterations[2] = {0, 0};
        const sn_spring_solver solver = {.tolerance = (sn_real)(WIDE ? 1e-9 : 1e-5), .iterations = 3000};
        for (int k = 0; k < 2; k++) {
            sn_spring_body *body = bodies[k] = coarse_body(solid);
            sn_spring_coarse *kept = body->coarse;
            body->gravity.y = -10;
            if (k == 1) body->coarse = NULL;
            for (int i = 0; i < 5; i++) {
                const sn_spring_solved solved = sn_spring_implicit_step(body, 1, &solver, NULL);
                CHECK(solved.converged);
                iterations[k] += solved.iterations;
            }
            body->coarse = kept;
        }
        CHECK(iterations[0] > 0 && 3 * iterations[0] < 2 * iterations[1]);
        for (int i = 0; i < bodies[0]->count; i++) {
            const sn_vec3 a = sn_spring_velocity(bodies[0], i), b = sn_spring_velocity(bodies[1], i);
            CHECK_NEAR(a.y, b.y, WIDE ? 1e-5 : 2e-2);
        }
        for (int k = 0; k < 2; k++) sn_spring_body_destroy(bodies[k]);
    }
}
