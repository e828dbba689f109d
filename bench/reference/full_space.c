// See full_space.h. Anchored vertices have infinite mass: their rows and columns are left out.
#include "reference/full_space.h"
#include "kinds/elastic/elastic_project.h"
#include <string.h>

static bool held(const sn_elastic_full *f, int vertex) {
    return f->asset->anchored && f->asset->anchored[vertex];
}

static void shape_of(sn_elastic_full *f, int tet) {
    const sn_elastic_asset *a = f->asset;
    double e[3][3], six = 0, *g = f->gradient[tet];
    const sn_vec3 o = a->rest[a->tets[tet][0]];
    for (int k = 0; k < 3; k++) {
        const sn_vec3 p = a->rest[a->tets[tet][k + 1]];
        e[k][0] = (double)p.x - (double)o.x, e[k][1] = (double)p.y - (double)o.y, e[k][2] = (double)p.z - (double)o.z;
    }
    for (int k = 0; k < 3; k++)
        for (int m = 0; m < 3; m++) {
            const double *u = e[(k + 1) % 3], *v = e[(k + 2) % 3];
            g[3 * k + m] = u[(m + 1) % 3] * v[(m + 2) % 3] - u[(m + 2) % 3] * v[(m + 1) % 3];
        }
    for (int m = 0; m < 3; m++) six += e[0][m] * g[m];
    for (int k = 0; k < 9; k++) g[k] /= six;
    f->volume[tet] = six / 6;
    for (int k = 0; k < 4; k++) f->mass[a->tets[tet][k]] += f->density * six / 24;
}

enum { VECTORS = 10 };

static void list(sn_elastic_full *f, double **all[VECTORS]) {
    double **const each[VECTORS] = {&f->x,      &f->v, &f->target, &f->force, &f->diagonal,
                                    &f->change, &f->r, &f->p,      &f->ap,    &f->mass};
    memcpy(all, each, sizeof each);
}

sn_status sn_elastic_full_create(sn_memory *memory, const sn_elastic_asset *a, double young, double poisson,
                                 double density, sn_elastic_full **out) {
    *out = NULL;
    if (!(young > 0) || !(poisson >= 0) || !(poisson < 0.5) || !(density > 0)) return SN_ERR_RANGE;
    sn_elastic_full *f = sn_alloc(memory, 1, sizeof *f);
    if (!f) return SN_ERR_MEMORY;
    f->memory = memory, f->asset = a, f->density = density;
    f->shear = young / (1 + poisson), f->bulk = 3 * young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    double **all[VECTORS];
    list(f, all);
    f->volume = sn_alloc(memory, (size_t)a->tet_count, sizeof *f->volume);
    f->gradient = sn_alloc(memory, (size_t)a->tet_count, sizeof *f->gradient);
    bool good = f->volume && f->gradient;
    for (int i = 0; i < VECTORS; i++)
        good = (*all[i] = sn_alloc(memory, 3 * (size_t)a->vertex_count, sizeof **all[i])) && good;
    if (!good) {
        sn_elastic_full_destroy(f);
        return SN_ERR_MEMORY;
    }
    for (int t = 0; t < a->tet_count; t++) shape_of(f, t);
    for (int v = 0; v < a->vertex_count; v++)
        f->x[3 * v] = (double)a->rest[v].x, f->x[3 * v + 1] = (double)a->rest[v].y,
                 f->x[3 * v + 2] = (double)a->rest[v].z;
    *out = f;
    return SN_OK;
}

void sn_elastic_full_destroy(sn_elastic_full *f) {
    if (!f) return;
    double **all[VECTORS];
    list(f, all);
    for (int i = 0; i < VECTORS; i++) sn_free(f->memory, *all[i], 3 * (size_t)f->asset->vertex_count, sizeof **all[i]);
    sn_free(f->memory, f->volume, (size_t)f->asset->tet_count, sizeof *f->volume);
    sn_free(f->memory, f->gradient, (size_t)f->asset->tet_count, sizeof *f->gradient);
    sn_free(f->memory, f, 1, sizeof *f);
}

double sn_elastic_full_energy(const sn_elastic_full *f, const double *x, double *gradient) {
    const sn_elastic_asset *a = f->asset;
    double energy = 0;
    if (gradient) memset(gradient, 0, 3 * (size_t)a->vertex_count * sizeof *gradient);
    for (int t = 0; t < a->tet_count; t++) {
        const int *corner = a->tets[t];
        const double *g = f->gradient[t];
        double m[9] = {0}, r[9], d[9];
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 9; i++)
                m[i] += (x[3 * corner[k + 1] + i / 3] - x[3 * corner[0] + i / 3]) * g[3 * k + i % 3];
        sn_elastic_project(m, r, d);
        for (int i = 0; i < 9; i++) {
            const double iteration = m[i] - r[i], press = m[i] - d[i];
            energy += 0.5 * f->volume[t] * (f->shear * iteration * iteration + f->bulk * press * press);
            m[i] = f->volume[t] * (f->shear * iteration + f->bulk * press);
        }
        for (int k = 0; gradient && k < 3; k++)
            for (int i = 0; i < 3; i++) {
                const double force = m[3 * i] * g[3 * k] + m[3 * i + 1] * g[3 * k + 1] + m[3 * i + 2] * g[3 * k + 2];
                gradient[3 * corner[k + 1] + i] += force, gradient[3 * corner[0] + i] -= force;
            }
    }
    return energy;
}

// out = (M/h^2 + (2 mu + 3 lambda) sum V grad grad^T) p
static void multiply(const sn_elastic_full *f, double inertia, const double *p, double *out) {
    const sn_elastic_asset *a = f->asset;
    for (int i = 0; i < 3 * a->vertex_count; i++) out[i] = inertia * f->mass[i / 3] * p[i];
    for (int t = 0; t < a->tet_count; t++) {
        const int *corner = a->tets[t];
        const double *g = f->gradient[t], k = f->volume[t] * (f->shear + f->bulk);
        double m[9] = {0};
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < 9; i++)
                m[i] += (p[3 * corner[c + 1] + i / 3] - p[3 * corner[0] + i / 3]) * g[3 * c + i % 3];
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < 3; i++) {
                const double force =
                    k * (m[3 * i] * g[3 * c] + m[3 * i + 1] * g[3 * c + 1] + m[3 * i + 2] * g[3 * c + 2]);
                out[3 * corner[c + 1] + i] += force, out[3 * corner[0] + i] -= force;
            }
    }
    for (int v = 0; v < a->vertex_count; v++)
        if (held(f, v)) out[3 * v] = out[3 * v + 1] = out[3 * v + 2] = 0;
}

static void find_diagonal(sn_elastic_full *f, double inertia) {
    const sn_elastic_asset *a = f->asset;
    for (int v = 0; v < a->vertex_count; v++) f->diagonal[v] = inertia * f->mass[v];
    for (int t = 0; t < a->tet_count; t++) {
        const double *g = f->gradient[t], k = f->volume[t] * (f->shear + f->bulk);
        double o[3] = {0};
        for (int c = 0; c < 3; c++) {
            f->diagonal[a->tets[t][c + 1]] +=
                k * (g[3 * c] * g[3 * c] + g[3 * c + 1] * g[3 * c + 1] + g[3 * c + 2] * g[3 * c + 2]);
            for (int m = 0; m < 3; m++) o[m] += g[3 * c + m];
        }
        f->diagonal[a->tets[t][0]] += k * (o[0] * o[0] + o[1] * o[1] + o[2] * o[2]);
    }
}

static double dot(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

// change = A^-1 r by conjugate gradients with a diagonal preconditioner.
static void conjugate(sn_elastic_full *f, double inertia, double tolerance) {
    const int n = 3 * f->asset->vertex_count;
    double *z = f->force; // not used any more
    memset(f->change, 0, (size_t)n * sizeof *f->change);
    for (int i = 0; i < n; i++) f->p[i] = z[i] = f->r[i] / f->diagonal[i / 3];
    double rz = dot(f->r, z, n);
    const double stop = tolerance * tolerance * rz;
    for (int k = 0; k < 10 * n && rz > stop && rz > 0; k++) {
        multiply(f, inertia, f->p, f->ap);
        const double step = rz / dot(f->p, f->ap, n);
        for (int i = 0; i < n; i++) {
            f->change[i] += step * f->p[i], f->r[i] -= step * f->ap[i];
            z[i] = f->r[i] / f->diagonal[i / 3];
        }
        const double next = dot(f->r, z, n);
        for (int i = 0; i < n; i++) f->p[i] = z[i] + next / rz * f->p[i];
        rz = next;
    }
}

void sn_elastic_full_step(sn_elastic_full *f, double h, const double gravity[3], int iterations, double tolerance) {
    const int n = 3 * f->asset->vertex_count;
    const double inertia = 1 / (h * h);
    double *start = f->v; // holds the start position until velocities are computed
    for (int i = 0; i < n; i++) {
        const bool stays = held(f, i / 3);
        f->target[i] = f->x[i] + (stays ? 0 : h * f->v[i] + h * h * gravity[i % 3]);
        start[i] = f->x[i];
        f->x[i] = f->target[i];
    }
    find_diagonal(f, inertia);
    for (int k = 0; k < iterations; k++) {
        sn_elastic_full_energy(f, f->x, f->force);
        for (int i = 0; i < n; i++)
            f->r[i] = held(f, i / 3) ? 0 : -f->force[i] - inertia * f->mass[i / 3] * (f->x[i] - f->target[i]);
        conjugate(f, inertia, tolerance);
        for (int i = 0; i < n; i++) f->x[i] += f->change[i];
    }
    for (int i = 0; i < n; i++) f->v[i] = (f->x[i] - start[i]) / h;
}
