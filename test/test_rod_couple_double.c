// Rods in the common solve (rod_couple_kernel.c), in double precision: the residual against differences of the energy, and the
// factored matrix against the second differences at rest, for chains, trees, loops and every term of the energy.
#include "kinds/rod/rod_body.h"
#include "known.h"
#include <stdio.h>
#include <stdlib.h>

enum { MOST_BLOCKS = 12, MOST = 7 * MOST_BLOCKS, ROWS_A_BLOCK = 2, SLOTS = MOST_BLOCKS };

static uint32_t random_state = 1;
static double noise(void) { // -1 to 1
    random_state = random_state * 1664525u + 1013904223u;
    return (double)(random_state >> 8) / 8388608.0 - 1;
}

// ---- rods of all forms

typedef enum { CHAIN, CLAMPED, TREE, LOOP, LOOP_WITH_TAIL, SCALE_BEND, SCALE_BEND_LOOP, VOLUME_BEND, FORMS } form;
static const char *const form_names[FORMS] = {"chain",
                                              "clamped",
                                              "tree",
                                              "loop",
                                              "loop with a tail",
                                              "scale bending",
                                              "loop with scale bending",
                                              "volume in bending"};

static sn_world *rod_of(form f, sn_body *rod) {
    static const int tree[] = {-1, 0, 1, 2, 1, 4, 5, 4, 7}, tail[] = {5, 0, 1, 2, 3, 4, 2, 6, 7};
    const bool loop = f == LOOP || f == LOOP_WITH_TAIL || f == SCALE_BEND_LOOP;
    sn_vec3 points[MOST_BLOCKS];
    sn_rod_def def = sn_rod_def_default();
    def.point_count = f == TREE || f == LOOP_WITH_TAIL ? 9 : 6;
    def.parents = f == TREE ? tree : f == LOOP_WITH_TAIL ? tail : NULL;
    def.closed = f == LOOP || f == SCALE_BEND_LOOP;
    for (int i = 0; i < def.point_count; i++) {
        const double t = 2 * PI * i / 6;
        if (loop && i < 6)
            points[i] = vec(0.3 * cos(t), 0.3 * sin(t), 0.02 * noise());
        else if (def.parents && i > 0)
            points[i] = vec((double)points[def.parents[i]].x + 0.1, (double)points[def.parents[i]].y + 0.05 * noise(),
                            (double)points[def.parents[i]].z + 0.1 * noise());
        else
            points[i] = vec(0.1 * i, 0.02 * noise(), 0.02 * noise());
    }
    def.points = points, def.radius = (sn_real)0.03, def.clamp_first = f == CLAMPED;
    def.material = (sn_material){.density = 1000, .young = 2e5, .shear = 9e4, .transverse = 2e5, .volume = 4e5};
    def.material.volume_in_bend = f == VOLUME_BEND;
    def.material.scale_bend = f == SCALE_BEND || f == SCALE_BEND_LOOP ? 500 : 0;
    sn_world *world = world_with(0);
    *rod = add_rod(world, &def);
    return world;
}

// ---- the rod alone in a common solve

typedef struct {
    sn_world *world;
    sn_rod_system *system;
    const sn_rod_body *body;
    sn_packet *packet;
    sn_stage stage;
    sn_solve solve;
    int blocks;
    bool coupled, iterating, joined;
    int32_t shift, island, row_first[SLOTS + 2];
    sn_stiffness_row rows[ROWS_A_BLOCK * SLOTS];
    sn_real force[4 * SLOTS], force_spin[SLOTS], step[4 * SLOTS], step_spin[SLOTS];
    sn_real alpha, beta, share, rz, rz_old, pmp, pr, energy, noise, displacement;
} coupled_rod;

static void run(coupled_rod *c, sn_couple_op op) {
    CHECK(sn_rod_kind.couple(c->system, &c->stage, &c->solve, 0, 0, (int)op));
}

static coupled_rod *begin(form f) {
    coupled_rod *c = calloc(1, sizeof *c);
    sn_body rod;
    int colliding;
    c->world = rod_of(f, &rod);
    c->system = sn_rods(c->world);
    c->body = sn_rod_find(c->system, rod);
    c->packet = sn_rod_packet_of(c->system, c->body);
    c->blocks = c->body->blocks;
    c->stage =
        (sn_stage){.h = (sn_real)0.01, .iterations = 1, .solves = 1, .substeps = 1, .pool = sn_world_pool(c->world)};
    c->coupled = c->iterating = c->joined = true, c->share = 1; // joined: the solve starts at x
    c->solve = (sn_solve){.world = c->world,
                          .bodies = 1,
                          .coupled = &c->coupled,
                          .island = &c->island,
                          .iterating = &c->iterating,
                          .joined = &c->joined};
    c->solve.shift = &c->shift, c->solve.row_first = c->row_first, c->solve.rows = c->rows;
    c->solve.force = c->force, c->solve.force_spin = c->force_spin;
    c->solve.step = c->step, c->solve.step_spin = c->step_spin;
    c->solve.alpha = &c->alpha, c->solve.beta = &c->beta, c->solve.share = &c->share, c->solve.rz = &c->rz;
    c->solve.rz_old = &c->rz_old, c->solve.pmp = &c->pmp, c->solve.pr = &c->pr, c->solve.energy = &c->energy;
    c->solve.noise = &c->noise, c->solve.displacement = &c->displacement;
    sn_rod_kind.count_nodes(c->system, &colliding);
    sn_rod_kind.begin(c->system);
    sn_rod_kind.predict(c->system, &c->stage);
    return c;
}

static void end(coupled_rod *c) {
    sn_world_destroy(c->world);
    free(c);
}

static sn_real *state_at(coupled_rod *c, sn_real *array, int block, int row) {
    return sn_rod_at(c->system, c->body, array, X_ROWS, block, row);
}
static sn_real *vector_at(coupled_rod *c, sn_real *array, int unknown) {
    return sn_rod_at(c->system, c->body, array, 7, unknown / 7, unknown % 7);
}

static bool is_held(coupled_rod *c, int unknown) {
    sn_real params[P_ROWS];
    sn_rod_block_params(c->body, unknown / 7, params);
    const int k = unknown % 7;
    return params[k < 3 ? P_MASS : k == 3 ? P_MASS_S : P_INERTIA_T] > SN_IS_HELD;
}

// Away from rest; the prediction has other centres and scales. (Inertia of rotation is measured at rest only: its change with
// the scale is left out of the residual.)
static void disturb(coupled_rod *c) {
    for (int i = 0; i < c->blocks; i++) {
        double q[4], t[4], size = 0;
        for (int k = 0; k < 4; k++) {
            if (is_held(c, 7 * i + k)) continue;
            *state_at(c, c->packet->x, i, k) += (sn_real)(0.005 * noise());
            *state_at(c, c->packet->xh, i, k) += (sn_real)(0.005 * noise());
        }
        for (int k = 0; k < 4; k++) {
            q[k] = (double)*state_at(c, c->packet->x, i, X_QX + k) + (is_held(c, 7 * i + 4) ? 0 : 0.05 * noise());
            t[k] = q[k], size += q[k] * q[k];
        }
        for (int k = 0; k < 4; k++) {
            *state_at(c, c->packet->x, i, X_QX + k) = (sn_real)(t[k] / sqrt(size));
            *state_at(c, c->packet->xh, i, X_QX + k) = (sn_real)(t[k] / sqrt(size));
        }
    }
}

// Energy where the unknowns have moved by d.
static double energy_at(coupled_rod *c, const double *d) {
    for (int k = 0; k < 7 * c->blocks; k++) *vector_at(c, c->packet->coupled.d, k) = (sn_real)d[k];
    run(c, SN_COUPLE_MOVE);
    return (double)c->energy;
}

// ---- tests

TEST(the_residual_is_the_gradient_of_the_energy) {
    for (form f = 0; f < FORMS; f++) {
        coupled_rod *c = begin(f);
        disturb(c);
        run(c, SN_COUPLE_BEGIN);
        run(c, SN_COUPLE_LINEARISE);
        double r[MOST], d[MOST] = {0}, scale = 0;
        for (int k = 0; k < 7 * c->blocks; k++) {
            r[k] = (double)*vector_at(c, c->packet->coupled.r, k);
            if (!is_held(c, k)) scale = fmax(scale, fabs(r[k]));
        }
        const double h = 1e-6;
        double worst = 0;
        int at = 0;
        for (int k = 0; k < 7 * c->blocks; k++) {
            if (is_held(c, k)) continue;
            d[k] = h;
            const double up = energy_at(c, d);
            d[k] = -h;
            const double down = energy_at(c, d);
            d[k] = 0;
            const double off = fabs((down - up) / (2 * h) - r[k]);
            if (off > worst) worst = off, at = k;
        }
        if (!CHECK(worst < 1e-6 * scale))
            printf("%s: unknown %d is off by %g of %g\n", form_names[f], at, worst, scale);
        end(c);
    }
}

// Second differences of the energy at rest, with the stiffness rows of couplings.
static void hessian(coupled_rod *c, double a[MOST][MOST]) {
    const int n = 7 * c->blocks;
    double d[MOST] = {0};
    const double h = 1e-5;
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) {
            a[i][j] = a[j][i] = 0;
            if (is_held(c, i) || is_held(c, j)) continue;
            double sum = 0;
            for (int s = 0; s < 4; s++) {
                const double si = s & 1 ? -h : h, sj = s & 2 ? -h : h;
                d[i] += si, d[j] += sj;
                sum += (s == 0 || s == 3 ? 1 : -1) * energy_at(c, d);
                d[i] = d[j] = 0;
            }
            a[i][j] = a[j][i] = sum / (4 * h * h);
        }
}

static void add_rows(coupled_rod *c, double a[MOST][MOST]) {
    for (int i = 0; i < c->blocks; i++)
        for (int r = c->row_first[i]; r < c->row_first[i + 1]; r++) {
            const sn_stiffness_row *row = &c->rows[r];
            const int parent = c->packet->topology->parent[i];
            const double x = (double)*state_at(c, c->packet->x, i, X_QX),
                         y = (double)*state_at(c, c->packet->x, i, X_QY),
                         z = (double)*state_at(c, c->packet->x, i, X_QZ),
                         w = (double)*state_at(c, c->packet->x, i, X_QW);
            const double axis[3] = {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)};
            double j[MOST] = {0};
            for (int k = 0; k < 4; k++) j[7 * i + k] = (double)row->b[k], j[7 * parent + k] += (double)row->a[k];
            for (int k = 0; k < 3; k++) j[7 * i + 4 + k] = (double)row->spin * axis[k];
            for (int k = 0; k < 7 * c->blocks; k++)
                for (int m = 0; m < 7 * c->blocks; m++)
                    if (!is_held(c, k) && !is_held(c, m)) a[k][m] += (double)row->k * j[k] * j[m];
        }
}

static void put_rows(coupled_rod *c) {
    int at = 0;
    for (int i = 0; i < c->blocks; i++) {
        c->row_first[i] = at;
        if (c->packet->topology->parent[i] < 0) continue;
        for (int r = 0; r < ROWS_A_BLOCK; r++) {
            sn_stiffness_row *row = &c->rows[at++];
            *row = (sn_stiffness_row){.k = (sn_real)(1e4 * (2 + noise())), .spin = (sn_real)(0.03 * noise())};
            for (int k = 0; k < 4; k++) row->a[k] = (sn_real)noise(), row->b[k] = (sn_real)noise();
        }
    }
    c->row_first[c->blocks] = c->row_first[c->blocks + 1] = at;
}

// z = M^-1 r, for r that is random but 0 where something is held.
static void precondition(coupled_rod *c, double *r, double *z) {
    for (int k = 0; k < 7 * c->blocks; k++) {
        r[k] = is_held(c, k) ? 0 : noise();
        *vector_at(c, c->packet->coupled.r, k) = (sn_real)r[k];
    }
    run(c, SN_COUPLE_PRECONDITION);
    for (int k = 0; k < 7 * c->blocks; k++) z[k] = (double)*vector_at(c, c->packet->coupled.z, k);
}

TEST(the_factored_matrix_is_that_of_the_energy) {
    static double a[MOST][MOST];
    for (form f = 0; f < FORMS; f++)
        for (int with_rows = 0; with_rows < 2; with_rows++) {
            coupled_rod *c = begin(f);
            if (with_rows) put_rows(c);
            run(c, SN_COUPLE_BEGIN);
            run(c, SN_COUPLE_LINEARISE);
            hessian(c, a);
            add_rows(c, a);
            const bool dominated = f == SCALE_BEND || f == SCALE_BEND_LOOP;
            for (int round = 0; round < 5; round++) {
                double r[MOST], z[MOST], worst = 0, less = 0, full = 0;
                precondition(c, r, z);
                for (int i = 0; i < 7 * c->blocks; i++) {
                    double sum = 0, size = fabs(r[i]);
                    for (int j = 0; j < 7 * c->blocks; j++) sum += a[i][j] * z[j], size += fabs(a[i][j] * z[j]);
                    if (!is_held(c, i) && size > 0) worst = fmax(worst, fabs(sum - r[i]) / size);
                    less += z[i] * sum, full += z[i] * r[i];
                }
                if (dominated) { // the matrix has a diagonal instead, which is never softer
                    CHECK(full >= less * (1 - 1e-6));
                } else if (!CHECK(worst < 1e-5))
                    printf("%s, %s: off by %g\n", form_names[f], with_rows ? "with rows" : "alone", worst);
            }
            end(c);
        }
}

// In any state M is symmetric and positive: x^T M^-1 y = y^T M^-1 x, and columns of node forces are those of M^-1.
TEST(the_inverse_is_symmetric_and_positive) {
    for (form f = 0; f < FORMS; f++) {
        coupled_rod *c = begin(f);
        disturb(c);
        put_rows(c);
        run(c, SN_COUPLE_BEGIN);
        run(c, SN_COUPLE_LINEARISE);
        for (int round = 0; round < 5; round++) {
            double r[2][MOST], z[2][MOST], xy = 0, yx = 0, xx = 0, yy = 0;
            for (int k = 0; k < 2; k++) precondition(c, r[k], z[k]);
            for (int k = 0; k < 7 * c->blocks; k++) {
                xy += r[0][k] * z[1][k], yx += r[1][k] * z[0][k];
                xx += r[0][k] * z[0][k], yy += r[1][k] * z[1][k];
            }
            CHECK(xx > 0 && yy > 0);
            CHECK_NEAR(xy, yx, 1e-9 * sqrt(xx * yy));
        }
        // node forces: five numbers a node
        double f1[5 * SLOTS], f2[5 * SLOTS], first = 0, second = 0;
        for (int k = 0; k < 5 * c->blocks; k++) f1[k] = noise(), f2[k] = noise();
        for (int pass = 0; pass < 2; pass++) {
            const double *from = pass ? f2 : f1, *with = pass ? f1 : f2;
            for (int k = 0; k < 5 * c->blocks; k++)
                *(k % 5 < 4 ? &c->force[4 * (k / 5) + k % 5] : &c->force_spin[k / 5]) = (sn_real)from[k];
            run(c, SN_COUPLE_COLUMN);
            for (int k = 0; k < 5 * c->blocks; k++)
                *(pass ? &second : &first) +=
                    with[k] * (double)(k % 5 < 4 ? c->step[4 * (k / 5) + k % 5] : c->step_spin[k / 5]);
        }
        CHECK_NEAR(first, second, 1e-9 * fabs(first));
        end(c);
    }
}

// Conjugate gradients see the products they ask for: after a whole step along z nothing of the residual is left.
TEST(a_step_along_the_direction_takes_the_residual_away) {
    for (form f = 0; f < FORMS; f++) {
        coupled_rod *c = begin(f);
        disturb(c);
        run(c, SN_COUPLE_BEGIN);
        run(c, SN_COUPLE_LINEARISE);
        run(c, SN_COUPLE_PRECONDITION);
        run(c, SN_COUPLE_PRODUCTS);
        c->beta = 0, c->alpha = 1;
        run(c, SN_COUPLE_DIRECTION);
        CHECK(c->rz > 0);
        CHECK_NEAR(c->pmp, c->rz, 1e-12 * fabs((double)c->rz));
        CHECK_NEAR(c->pr, c->rz, 1e-12 * fabs((double)c->rz));
        run(c, SN_COUPLE_ADVANCE);
        double left = 0, before = 0;
        for (int k = 0; k < 7 * c->blocks; k++) {
            left = fmax(left, fabs((double)*vector_at(c, c->packet->coupled.r, k)));
            before = fmax(before, fabs((double)*vector_at(c, c->packet->coupled.r_old, k)));
        }
        CHECK(left <= 1e-12 * before);
        end(c);
    }
}
