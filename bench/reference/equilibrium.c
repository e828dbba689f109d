// Equilibrium in the full space and in the subspace. With the gradients g_k of a tetrahedron's shape functions (rows of
// its inverse edge matrix), F = sum_k (x_k - x_0) g_k; the tangent of its energy is that of the material law
// (elastic_materials.h, made definite) between the corners' gradients. Newton steps are halved until the energy
// decreases.
#include "reference/equilibrium.h"
#include "fields/sparse.h"
#include "kinds/elastic/elastic_body.h"
#include "kinds/elastic/elastic_materials.h"
#include "mesh/error.h"
#include "reference/full_space.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool check_input(const sn_elastic_asset *a, const equilibrium_load *load, tool_error *error) {
    bool any = false;
    for (int v = 0; a->anchored && v < a->vertex_count; v++) any = any || a->anchored[v];
    if (!any) return tool_error_set(error, "the body is not anchored: it would fall forever");
    if (!(load->young > 0) || !(load->poisson >= 0 && load->poisson < 0.4999) || !(load->density > 0))
        return tool_error_set(error, "young and density must be positive, poisson from 0 to 0.4999");
    return true;
}

// --- full space ---

typedef struct {
    sn_elastic_full *full; // its energy and masses
    const equilibrium_load *load;
    sn_hyper material;
    int *unknown; // of each vertex, -1: anchored or in no tetrahedron
    int unknown_count;
    sn_sparse_entry *entry;
    double *gradient, *step, *trial; // 3 per vertex; step: 3 per unknown vertex
} job;

// Elastic energy minus the work of gravity, and its gradient if not null.
static double energy_at(const job *j, const double *x, double *gradient) {
    const sn_elastic_full *f = j->full;
    const sn_elastic_asset *a = f->asset;
    double energy = sn_elastic_full_energy(f, x, gradient);
    for (int v = 0; v < a->vertex_count; v++) {
        const double rest[3] = {(double)a->rest[v].x, (double)a->rest[v].y, (double)a->rest[v].z};
        for (int k = 0; k < 3; k++) {
            const double force = f->mass[v] * j->load->gravity[k];
            energy -= force * (x[3 * v + k] - rest[k]);
            if (gradient) gradient[3 * v + k] -= force;
        }
    }
    return energy;
}

static double force_residual(const job *j) {
    double residual = 0, all = 0;
    for (int v = 0; v < j->full->asset->vertex_count; v++) {
        if (j->unknown[v] < 0) continue;
        for (int k = 0; k < 3; k++) {
            const double force = j->full->mass[v] * j->load->gravity[k];
            residual += j->gradient[3 * v + k] * j->gradient[3 * v + k], all += force * force;
        }
    }
    return all > 0 ? sqrt(residual / all) : 0;
}

// Assembles the lower triangle of the tangent; returns the number of entries.
static size_t assemble(const job *j, const double *x, bool definite) {
    const sn_elastic_full *f = j->full;
    size_t count = 0;
    for (int t = 0; t < f->asset->tet_count; t++) {
        const int *corner = f->asset->tets[t];
        double m[9] = {0}, tangent[81], g[4][3];
        for (int k = 0; k < 3; k++) {
            for (int i = 0; i < 9; i++)
                m[i] += (x[3 * corner[k + 1] + i / 3] - x[3 * corner[0] + i / 3]) * f->gradient[t][3 * k + i % 3];
            for (int i = 0; i < 3; i++) g[k + 1][i] = f->gradient[t][3 * k + i];
        }
        for (int i = 0; i < 3; i++) g[0][i] = -g[1][i] - g[2][i] - g[3][i];
        sn_hyper_tangent(&j->material, m, definite, tangent, NULL, NULL);
        for (int c = 0; c < 4; c++)
            for (int d = 0; d < 4; d++) {
                const int p = j->unknown[corner[c]], q = j->unknown[corner[d]];
                if (p < 0 || q < 0 || p < q) continue;
                for (int i = 0; i < 3; i++)
                    for (int k = 0; k < 3; k++) {
                        if (p == q && i < k) continue;
                        double sum = 0;
                        for (int u = 0; u < 3; u++)
                            for (int v = 0; v < 3; v++) sum += g[c][u] * tangent[9 * (3 * i + u) + 3 * k + v] * g[d][v];
                        j->entry[count++] = (sn_sparse_entry){3 * p + i, 3 * q + k, f->volume[t] * sum};
                    }
            }
    }
    return count;
}

// One Newton step. 1: done, 0: no further progress, -1: no memory. Near the solution the exact tangent converges best.
// Elsewhere it may be indefinite and is made definite; if rounding still breaks the factorization, its diagonal is
// increased.
static int newton_step(const job *j, double *x, double energy, bool near_solution) {
    const int vertices = j->full->asset->vertex_count, rows = 3 * j->unknown_count;
    sn_sparse_factor *factor = NULL;
    size_t count = 0;
    double shift = 1e-8 * j->material.mu * cbrt(j->full->volume[0]);
    for (int attempt = near_solution ? 0 : 1; attempt < 8 && !factor; ++attempt, shift *= attempt > 2 ? 10 : 1) {
        bool singular = false;
        if (attempt < 2) count = assemble(j, x, attempt > 0);
        size_t all = count;
        for (int i = 0; attempt > 1 && i < rows; i++) j->entry[all++] = (sn_sparse_entry){i, i, shift};
        factor = sn_sparse_factorize(rows, j->entry, all, &singular);
        if (!factor && !singular) return -1;
    }
    if (!factor) return 0;
    double slope = 0;
    for (int v = 0; v < vertices; v++)
        for (int k = 0; k < 3 && j->unknown[v] >= 0; k++) j->step[3 * j->unknown[v] + k] = -j->gradient[3 * v + k];
    const bool solved = sn_sparse_solve(factor, j->step, 1);
    sn_sparse_free(factor);
    if (!solved) return -1;
    for (int v = 0; v < vertices; v++)
        for (int k = 0; k < 3 && j->unknown[v] >= 0; k++)
            slope += j->gradient[3 * v + k] * j->step[3 * j->unknown[v] + k];
    double length = 1;
    for (int halvings = 0; halvings < 30; ++halvings, length *= 0.5) {
        for (int v = 0; v < vertices; v++)
            for (int k = 0; k < 3; k++)
                j->trial[3 * v + k] = x[3 * v + k] + (j->unknown[v] < 0 ? 0 : length * j->step[3 * j->unknown[v] + k]);
        if (energy_at(j, j->trial, NULL) <= energy + 1e-4 * length * slope) {
            memcpy(x, j->trial, 3 * (size_t)vertices * sizeof *x);
            return 1;
        }
    }
    return 0;
}

bool equilibrium_full_space(const sn_elastic_asset *a, const equilibrium_load *load, double *x,
                            equilibrium_result *result, tool_error *error) {
    if (!check_input(a, load, error)) return false;
    sn_memory memory;
    sn_memory_init(&memory, NULL);
    job j = {.load = load};
    const size_t vertices = (size_t)a->vertex_count;
    bool ok = sn_hyper_init(SN_LAW_PROJECTIVE, load->young, load->poisson, 0, &j.material) &&
              sn_elastic_full_create(&memory, a, load->young, load->poisson, load->density, &j.full) == SN_OK;
    j.unknown = malloc(vertices * sizeof *j.unknown);
    // 12 x 12 entries per tetrahedron, on and below the diagonal; plus one per unknown
    j.entry = malloc((78 * (size_t)a->tet_count + 3 * vertices) * sizeof *j.entry);
    double **vectors[3] = {&j.gradient, &j.step, &j.trial};
    for (int i = 0; i < 3; i++) ok = (*vectors[i] = malloc(3 * vertices * sizeof(double))) && ok;
    ok = ok && j.unknown && j.entry;
    *result = (equilibrium_result){0};
    for (int v = 0; ok && v < a->vertex_count; v++)
        j.unknown[v] = a->anchored[v] || !(j.full->mass[v] > 0) ? -1 : j.unknown_count++;
    for (int i = 0; ok && i < 200; i++) {
        result->energy = energy_at(&j, x, j.gradient);
        result->residual = force_residual(&j);
        if (result->residual < 1e-7) break;
        const int step = newton_step(&j, x, result->energy, result->residual < 0.1);
        if (step < 0) ok = false;
        if (step <= 0) break;
        result->iterations++;
    }
    free(j.unknown), free(j.entry), free(j.gradient), free(j.step), free(j.trial);
    sn_elastic_full_destroy(j.full);
    return ok || tool_error_out_of_memory(error);
}

// --- subspace ---

// Steps without velocity, each minimising the energy plus |x - x_previous|^2_M / 2h^2: they converge to the minimum of
// the energy. Longer steps would take fewer, but more iterations each.
bool equilibrium_reduced(sn_memory *memory, const sn_elastic_asset *a, const equilibrium_load *load, double *x,
                         equilibrium_result *result, tool_error *error) {
    enum { STEPS = 200, ITERATIONS = 80 };
    const double h = 0.3; // s
    if (!check_input(a, load, error)) return false;
    sn_elastic_space *space = NULL;
    sn_elastic_body *body = NULL;
    sn_elastic_full *full = NULL;
    sn_elastic_body_def def = sn_elastic_body_def_default();
    def.young = (sn_real)load->young, def.poisson = (sn_real)load->poisson, def.density = (sn_real)load->density;
    def.anderson_window = SN_ANDERSON_MAX;
    const sn_vec3 gravity = {(sn_real)load->gravity[0], (sn_real)load->gravity[1], (sn_real)load->gravity[2]};
    sn_vec3 *now = malloc((size_t)a->vertex_count * sizeof *now);
    *result = (equilibrium_result){0};
    bool ok = now && sn_elastic_space_create(memory, a, &(sn_elastic_space_def){0}, &space) == SN_OK &&
              sn_elastic_body_create(memory, space, &def, &body) == SN_OK &&
              sn_elastic_body_set_step(body, (sn_real)h) == SN_OK &&
              sn_elastic_full_create(memory, a, load->young, load->poisson, load->density, &full) == SN_OK;
    const size_t state = ok ? 3 * (size_t)space->columns : 0;
    double moved = 1, largest = 0;
    for (int i = 0; ok && i < STEPS && moved > 1e-4 * largest; i++) {
        sn_elastic_body_predict(body, gravity, NULL, NULL);
        sn_elastic_body_solve(body, ITERATIONS, NULL);
        ok = sn_elastic_body_finish(body);
        moved = 0;
        for (int j = 0; j < a->handle_count; j++) // translations of the handles
            for (int k = 0; k < 3; k++)
                moved = fmax(moved, fabs((double)body->rate[k * space->columns + space->column[j]]) * h);
        largest = fmax(largest, moved);
        memset(body->rate, 0, state * sizeof *body->rate);
        result->iterations += ITERATIONS;
    }
    result->residual = largest > 0 ? moved / largest : 0;
    if (ok) {
        sn_elastic_body_vertices(body, now, NULL);
        for (int v = 0; v < a->vertex_count; v++)
            x[3 * v] = (double)now[v].x, x[3 * v + 1] = (double)now[v].y, x[3 * v + 2] = (double)now[v].z;
        result->energy = energy_at(&(job){.full = full, .load = load}, x, NULL);
    }
    free(now);
    sn_elastic_full_destroy(full);
    sn_elastic_body_destroy(body);
    sn_elastic_space_destroy(space);
    return ok || tool_error_set(error, "out of memory, or the body has become non-finite");
}
