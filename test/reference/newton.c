// A step minimises
//
//     E(q) = 1/(2 h^2) (q - q~).M (q - q~) - (w + load).q + sum over tetrahedra of V Psi(F(q)),    q~ = q_t + h rate
//
// with M = rho Û^T diag(v) Û for each coordinate, and the weight w = rho g sum v Û. Newton's direction solves H d =
// -grad E with H = M/h^2 + sum V dF/dq.(d2Psi/dF2, made definite).dF/dq by matrix-free conjugate gradients: from q to
// the corners of the tetrahedra, their dF, its stress, and back. The preconditioner is the matrix of a material whose
// tangent is k times the unit matrix, k = 2 mu + lambda,
//
//     P = M/h^2 + k Û^T (sum V grad grad^T) Û,
//
// the same for each coordinate, dense, and factored when h changes. Then the step is halved until E decreases enough
// (Armijo). Everything is in double precision.
#include "reference/newton.h"
#include "base/math/trig.h"
#include "kinds/elastic/subspace.h"
#include <string.h>

// Positions of the vertices that tetrahedra use: x_i = base_i + sum of value times q's columns.
typedef struct {
    int count;
    int *vertex; // of the asset
    int *first;  // plus one at the end
    int *column;
    double *value;
    double (*base)[3];
} rows;

typedef struct {
    int corner[4]; // rows
    double inverse[9], volume;
} tet;

struct sn_elastic_newton {
    sn_memory *memory;
    const sn_elastic_asset *asset;
    sn_elastic_newton_def def;
    int columns;
    int *column; // the first of each handle
    rows rows;
    size_t entries;
    int tet_count;
    tet *tets;
    double *tangent; // 81 of each
    double *mass;    // columns x columns, including rho
    double *moment;  // by column: rho sum v Û
    double *stiff;   // k Û^T (...) Û
    double *factor;  // of P, lower triangle
    double factored; // its time step, 0: none
    double (*x)[3], (*force)[3];
    double *q, *aim, *gradient, *direction, *residual, *scaled, *search, *product; // 3 x columns each
};

sn_elastic_newton_def sn_elastic_newton_def_default(void) {
    sn_elastic_newton_def def = {.density = 1000, .iterations = 10, .inner = 60, .tolerance = 1e-8};
    sn_hyper_init(SN_LAW_NEO_HOOKEAN, 1e5, 0.4, 0, &def.material);
    return def;
}

// --- the subspace ----------------------------------------------------------------------------------------------------

// Columns of a vertex and their values; returns their number. The weight that does not move is returned too. Weights
// that sum to 1 up to rounding are normalised.
static int vertex_row(const sn_elastic_asset *a, const int *column, int vertex, int *out_column, double *value,
                      double *stay) {
    double at[3], centre[3], d[3], all[SN_ELASTIC_QUADRATIC], sum = 0;
    int count = 0;
    sn_to_doubles(a->rest[vertex], at);
    for (int i = a->first[vertex]; i < a->first[vertex + 1]; i++) sum += (double)a->weight[i];
    const double scale = sum > 1 - 1e-4 && sum > 0 ? 1 / sum : 1;
    *stay = 1 - scale * sum;
    for (int i = a->first[vertex]; i < a->first[vertex + 1]; i++) {
        const int handle = a->handle[i], columns = sn_elastic_columns(a, handle);
        sn_to_doubles(sn_elastic_handle_centre(a, handle), centre);
        for (int k = 0; k < 3; k++) d[k] = at[k] - centre[k];
        sn_elastic_monomials(d, SN_ELASTIC_QUADRATIC, all);
        for (int c = 0; c < columns; c++) {
            if (out_column) out_column[count] = column[handle] + c;
            if (value) value[count] = scale * (double)a->weight[i] * all[c];
            count++;
        }
    }
    return count;
}

static void *allocate(sn_memory *memory, size_t count, size_t size, bool *good) {
    void *block = sn_alloc(memory, count, size);
    *good = *good && block;
    return block;
}

static size_t square(int n) {
    return (size_t)n * (size_t)n;
}

void sn_elastic_newton_destroy(sn_elastic_newton *n) {
    if (!n) return;
    sn_memory *m = n->memory;
    const size_t r = (size_t)n->rows.count, all = 3 * (size_t)n->columns;
    sn_free(m, n->column, (size_t)n->asset->handle_count + 1, sizeof *n->column);
    sn_free(m, n->rows.vertex, r, sizeof *n->rows.vertex);
    sn_free(m, n->rows.first, r + 1, sizeof *n->rows.first);
    sn_free(m, n->rows.base, r, sizeof *n->rows.base);
    sn_free(m, n->rows.column, n->entries, sizeof *n->rows.column);
    sn_free(m, n->rows.value, n->entries, sizeof *n->rows.value);
    sn_free(m, n->tets, (size_t)n->tet_count, sizeof *n->tets);
    sn_free(m, n->tangent, 81 * (size_t)n->tet_count, sizeof *n->tangent);
    sn_free(m, n->x, r, sizeof *n->x);
    sn_free(m, n->force, r, sizeof *n->force);
    sn_free(m, n->mass, square(n->columns), sizeof *n->mass);
    sn_free(m, n->stiff, square(n->columns), sizeof *n->stiff);
    sn_free(m, n->factor, square(n->columns), sizeof *n->factor);
    sn_free(m, n->moment, (size_t)n->columns, sizeof *n->moment);
    double *vectors[8] = {n->q, n->aim, n->gradient, n->direction, n->residual, n->scaled, n->search, n->product};
    for (int i = 0; i < 8; i++) sn_free(m, vectors[i], all, sizeof(double));
    sn_free(m, n, 1, sizeof *n);
}

// Inverse edge matrix and volume. False: degenerate.
static bool shape_of(const sn_elastic_asset *a, const int corner[4], double inverse[9], double *volume) {
    double o[3], p[3], e[9]; // edges are columns
    sn_to_doubles(a->rest[corner[0]], o);
    for (int c = 0; c < 3; c++) {
        sn_to_doubles(a->rest[corner[c + 1]], p);
        for (int k = 0; k < 3; k++) e[3 * k + c] = p[k] - o[k];
    }
    const double cof[9] = {e[4] * e[8] - e[5] * e[7], e[2] * e[7] - e[1] * e[8], e[1] * e[5] - e[2] * e[4],
                           e[5] * e[6] - e[3] * e[8], e[0] * e[8] - e[2] * e[6], e[2] * e[3] - e[0] * e[5],
                           e[3] * e[7] - e[4] * e[6], e[1] * e[6] - e[0] * e[7], e[0] * e[4] - e[1] * e[3]};
    const double det = e[0] * cof[0] + e[1] * cof[3] + e[2] * cof[6];
    if (!(det > 0)) return false;
    for (int i = 0; i < 9; i++) inverse[i] = cof[i] / det;
    *volume = det / 6;
    return true;
}

// Selects the tetrahedra and the vertices they use.
static sn_status fill_tets(sn_elastic_newton *n, const sn_elastic_cubature *cubature, int *vertex_index) {
    const sn_elastic_asset *a = n->asset;
    bool good = true;
    n->tet_count = cubature ? cubature->count : a->tet_count;
    n->tets = allocate(n->memory, (size_t)n->tet_count, sizeof *n->tets, &good);
    n->tangent = allocate(n->memory, 81 * (size_t)n->tet_count, sizeof *n->tangent, &good);
    if (!good) return SN_ERR_MEMORY;
    int used = 0;
    for (int v = 0; v < a->vertex_count; v++) vertex_index[v] = -1;
    for (int t = 0; t < n->tet_count; t++) {
        const int which = cubature ? cubature->tet[t] : t;
        if (which < 0 || which >= a->tet_count) return SN_ERR_RANGE;
        if (!shape_of(a, a->tets[which], n->tets[t].inverse, &n->tets[t].volume)) return SN_ERR_RANGE;
        if (cubature) n->tets[t].volume = cubature->volume[t];
        for (int k = 0; k < 4; k++) {
            const int v = a->tets[which][k];
            if (vertex_index[v] < 0) vertex_index[v] = used++;
            n->tets[t].corner[k] = vertex_index[v];
        }
    }
    rows *r = &n->rows;
    r->count = used;
    r->vertex = allocate(n->memory, (size_t)used, sizeof *r->vertex, &good);
    r->first = allocate(n->memory, (size_t)used + 1, sizeof *r->first, &good);
    r->base = allocate(n->memory, (size_t)used, sizeof *r->base, &good);
    n->x = allocate(n->memory, (size_t)used, sizeof *n->x, &good);
    n->force = allocate(n->memory, (size_t)used, sizeof *n->force, &good);
    if (!good) return SN_ERR_MEMORY;
    for (int v = 0; v < a->vertex_count; v++)
        if (vertex_index[v] >= 0) r->vertex[vertex_index[v]] = v;
    for (int i = 0; i < used; i++) {
        double stay, at[3];
        r->first[i + 1] = r->first[i] + vertex_row(a, n->column, r->vertex[i], NULL, NULL, &stay);
        sn_to_doubles(a->rest[r->vertex[i]], at);
        for (int k = 0; k < 3; k++) r->base[i][k] = stay * at[k];
    }
    n->entries = (size_t)r->first[used];
    r->column = allocate(n->memory, n->entries, sizeof *r->column, &good);
    r->value = allocate(n->memory, n->entries, sizeof *r->value, &good);
    if (!good) return SN_ERR_MEMORY;
    for (int i = 0; i < used; i++) {
        double stay;
        vertex_row(a, n->column, r->vertex[i], r->column + r->first[i], r->value + r->first[i], &stay);
    }
    return SN_OK;
}

enum { MAX_ROW = 1024 }; // columns at a vertex: a hundred quadratic handles

// The mass is summed over all vertices; the stiffness only over the tetrahedra in use, or all of them would have to be
// visited for P.
static sn_status fill_matrices(sn_elastic_newton *n, double *share) {
    const sn_elastic_asset *a = n->asset;
    const size_t width = (size_t)n->columns;
    bool good = true;
    n->mass = allocate(n->memory, square(n->columns), sizeof *n->mass, &good);
    n->stiff = allocate(n->memory, square(n->columns), sizeof *n->stiff, &good);
    n->factor = allocate(n->memory, square(n->columns), sizeof *n->factor, &good);
    n->moment = allocate(n->memory, width, sizeof *n->moment, &good);
    if (!good) return SN_ERR_MEMORY;
    for (int t = 0; t < a->tet_count; t++) {
        double inverse[9], volume;
        if (!shape_of(a, a->tets[t], inverse, &volume)) return SN_ERR_RANGE;
        for (int k = 0; k < 4; k++) share[a->tets[t][k]] += volume / 4;
    }
    for (int v = 0; v < a->vertex_count; v++) {
        int column[MAX_ROW];
        double value[MAX_ROW], stay;
        if (vertex_row(a, n->column, v, NULL, NULL, &stay) > MAX_ROW) return SN_ERR_RANGE;
        const int count = vertex_row(a, n->column, v, column, value, &stay);
        const double mass = n->def.density * share[v];
        for (int i = 0; i < count; i++) {
            n->moment[column[i]] += mass * value[i];
            for (int j = 0; j < count; j++)
                n->mass[(size_t)column[i] * width + (size_t)column[j]] += mass * value[i] * value[j];
        }
    }
    const double k = 2 * n->def.material.mu + n->def.material.lambda;
    for (int t = 0; t < n->tet_count; t++) {
        const tet *at = &n->tets[t];
        double grad[4][3] = {{0}};
        for (int c = 0; c < 3; c++)
            for (int d = 0; d < 3; d++) grad[c + 1][d] = at->inverse[3 * c + d], grad[0][d] -= grad[c + 1][d];
        for (int p = 0; p < 4; p++)
            for (int q = 0; q < 4; q++) {
                const double g =
                    k * at->volume * (grad[p][0] * grad[q][0] + grad[p][1] * grad[q][1] + grad[p][2] * grad[q][2]);
                const rows *r = &n->rows;
                for (int i = r->first[at->corner[p]]; i < r->first[at->corner[p] + 1]; i++)
                    for (int j = r->first[at->corner[q]]; j < r->first[at->corner[q] + 1]; j++)
                        n->stiff[(size_t)r->column[i] * width + (size_t)r->column[j]] += g * r->value[i] * r->value[j];
            }
    }
    return SN_OK;
}

static bool positive(double x) {
    return x > 0 && x < 1e30;
}

sn_status sn_elastic_newton_create(sn_memory *memory, const sn_elastic_asset *asset,
                                   const sn_elastic_cubature *cubature, const sn_elastic_newton_def *def,
                                   sn_elastic_newton **out) {
    *out = NULL;
    if (!positive(def->density) || !(def->damping >= 0 && def->damping < 1e30) || def->iterations < 1 ||
        def->inner < 1 || !(def->tolerance >= 0) || (cubature && cubature->count < 1) || !positive(def->material.mu))
        return SN_ERR_RANGE;
    sn_elastic_newton *n = sn_alloc(memory, 1, sizeof *n);
    if (!n) return SN_ERR_MEMORY;
    *n = (sn_elastic_newton){.memory = memory, .asset = asset, .def = *def};
    const size_t vertices = (size_t)asset->vertex_count;
    bool good = true;
    n->column = allocate(memory, (size_t)asset->handle_count + 1, sizeof *n->column, &good);
    int *vertex_index = allocate(memory, vertices, sizeof *vertex_index, &good);
    double *share = allocate(memory, vertices, sizeof *share, &good);
    sn_status status = good ? SN_OK : SN_ERR_MEMORY;
    for (int h = 0; h < asset->handle_count && good; h++)
        n->column[h + 1] = n->column[h] + sn_elastic_columns(asset, h);
    if (good && n->column[asset->handle_count] > SN_ELASTIC_NEWTON_MAX_COLUMNS)
        status = SN_ERR_RANGE;
    else if (good)
        n->columns = n->column[asset->handle_count];
    if (status == SN_OK) status = fill_tets(n, cubature, vertex_index);
    if (status == SN_OK) status = fill_matrices(n, share);
    if (status == SN_OK) {
        double **vectors[8] = {&n->q,        &n->aim,    &n->gradient, &n->direction,
                               &n->residual, &n->scaled, &n->search,   &n->product};
        for (int i = 0; i < 8; i++) *vectors[i] = allocate(memory, 3 * (size_t)n->columns, sizeof(double), &good);
        if (!good) status = SN_ERR_MEMORY;
    }
    sn_free(memory, vertex_index, vertices, sizeof *vertex_index);
    sn_free(memory, share, vertices, sizeof *share);
    if (status == SN_OK)
        *out = n;
    else
        sn_elastic_newton_destroy(n);
    return status;
}

// --- energy and derivatives ------------------------------------------------------------------------------------------

// x = base + Û q, or without the base for a difference.
static void lift(const sn_elastic_newton *n, const double *q, bool change, double (*x)[3]) {
    const rows *r = &n->rows;
    const double *a = q, *b = q + n->columns, *c = q + 2 * (size_t)n->columns;
    for (int i = 0; i < r->count; i++) {
        double sum[3] = {0};
        for (int e = r->first[i]; e < r->first[i + 1]; e++) {
            const double v = r->value[e];
            const int at = r->column[e];
            sum[0] += v * a[at], sum[1] += v * b[at], sum[2] += v * c[at];
        }
        for (int k = 0; k < 3; k++) x[i][k] = sum[k] + (change ? 0 : r->base[i][k]);
    }
}

// out += Û^T force.
static void lower(const sn_elastic_newton *n, double (*const force)[3], double *out) {
    const rows *r = &n->rows;
    const size_t width = (size_t)n->columns;
    for (int i = 0; i < r->count; i++)
        for (int e = r->first[i]; e < r->first[i + 1]; e++)
            for (int k = 0; k < 3; k++) out[(size_t)k * width + (size_t)r->column[e]] += r->value[e] * force[i][k];
}

static void gradient_of(const tet *t, double (*const x)[3], double f[9]) {
    double e[9];
    const double *o = x[t->corner[0]];
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++) e[3 * k + c] = x[t->corner[c + 1]][k] - o[k];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            f[3 * i + j] =
                e[3 * i] * t->inverse[j] + e[3 * i + 1] * t->inverse[3 + j] + e[3 * i + 2] * t->inverse[6 + j];
}

// Adds V P grad of each corner.
static void add_forces(const tet *t, const double p[9], double (*force)[3]) {
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++) {
            double sum = 0;
            for (int d = 0; d < 3; d++) sum += p[3 * k + d] * t->inverse[3 * c + d];
            force[t->corner[c + 1]][k] += t->volume * sum;
            force[t->corner[0]][k] -= t->volume * sum;
        }
}

// Elastic energy at q; adds its gradient (may be null) and stores tangents if requested.
static double elastic(sn_elastic_newton *n, const double *q, double *gradient, bool tangents) {
    double energy = 0;
    lift(n, q, false, n->x);
    memset(n->force, 0, (size_t)n->rows.count * sizeof *n->force);
    for (int i = 0; i < n->tet_count; i++) {
        const tet *t = &n->tets[i];
        double f[9], p[9], own;
        gradient_of(t, n->x, f);
        if (tangents)
            sn_hyper_tangent(&n->def.material, f, true, n->tangent + 81 * (size_t)i, p, &own);
        else
            own = sn_hyper_energy(&n->def.material, f);
        energy += t->volume * own;
        if (!gradient) continue;
        if (!tangents) sn_hyper_stress(&n->def.material, f, p);
        add_forces(t, p, n->force);
    }
    if (gradient) lower(n, n->force, gradient);
    return energy;
}

// y = M x for each coordinate.
static void times_mass(const sn_elastic_newton *n, const double *x, double *y) {
    const size_t width = (size_t)n->columns;
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < width; i++) {
            const double *row = n->mass + i * width, *from = x + k * width;
            double sum = 0;
            for (size_t j = 0; j < width; j++) sum += row[j] * from[j];
            y[k * width + i] = sum;
        }
}

// y = H x with the stored tangents.
static void times_tangent(sn_elastic_newton *n, const double *x, double h, double *y) {
    times_mass(n, x, y);
    for (int i = 0; i < 3 * n->columns; i++) y[i] /= h * h;
    lift(n, x, true, n->x);
    memset(n->force, 0, (size_t)n->rows.count * sizeof *n->force);
    for (int i = 0; i < n->tet_count; i++) {
        const double *tangent = n->tangent + 81 * (size_t)i;
        double f[9], p[9];
        gradient_of(&n->tets[i], n->x, f);
        for (int a = 0; a < 9; a++) {
            p[a] = 0;
            for (int b = 0; b < 9; b++) p[a] += tangent[9 * a + b] * f[b];
        }
        add_forces(&n->tets[i], p, n->force);
    }
    lower(n, n->force, y);
}

// --- the preconditioner ----------------------------------------------------------------------------------------------

// Dependent columns (a handle with few vertices) keep their own diagonal.
static void factor(sn_elastic_newton *n, double h) {
    const size_t width = (size_t)n->columns;
    double *l = n->factor;
    if (n->factored == h) return;
    for (size_t i = 0; i < width * width; i++) l[i] = n->mass[i] / (h * h) + n->stiff[i];
    for (size_t i = 0; i < width; i++) {
        const double before = l[i * width + i];
        for (size_t j = 0; j <= i; j++) {
            double sum = l[i * width + j];
            const double *a = l + i * width, *b = l + j * width;
            for (size_t k = 0; k < j; k++) sum -= a[k] * b[k];
            if (j < i)
                l[i * width + j] = sum / b[j];
            else
                l[i * width + i] = __builtin_sqrt(sum > 1e-10 * before ? sum : before > 0 ? before : 1);
        }
    }
    n->factored = h;
}

static void precondition(const sn_elastic_newton *n, const double *from, double *to) {
    const size_t width = (size_t)n->columns;
    const double *l = n->factor;
    for (size_t k = 0; k < 3; k++) {
        double *x = to + k * width;
        memcpy(x, from + k * width, width * sizeof *x);
        for (size_t i = 0; i < width; i++) {
            double sum = x[i];
            for (size_t j = 0; j < i; j++) sum -= l[i * width + j] * x[j];
            x[i] = sum / l[i * width + i];
        }
        for (size_t i = width; i-- > 0;) {
            x[i] /= l[i * width + i];
            for (size_t j = 0; j < i; j++) x[j] -= l[i * width + j] * x[i];
        }
    }
}

static double dot(const double *a, const double *b, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

// direction = -H^-1 gradient, approximately: to 1e-3 of the residual in P's norm. Returns the number of iterations.
static int find_direction(sn_elastic_newton *n, double h) {
    const int all = 3 * n->columns;
    memset(n->direction, 0, (size_t)all * sizeof(double));
    for (int i = 0; i < all; i++) n->residual[i] = -n->gradient[i];
    precondition(n, n->residual, n->scaled);
    memcpy(n->search, n->scaled, (size_t)all * sizeof(double));
    double size = dot(n->residual, n->scaled, all);
    const double enough = 1e-6 * size;
    int used = 0;
    while (used < n->def.inner && size > enough) {
        times_tangent(n, n->search, h, n->product);
        const double curve = dot(n->search, n->product, all);
        if (!(curve > 0)) break;
        const double step = size / curve;
        for (int i = 0; i < all; i++) n->direction[i] += step * n->search[i], n->residual[i] -= step * n->product[i];
        used++;
        precondition(n, n->residual, n->scaled);
        const double next = dot(n->residual, n->scaled, all);
        for (int i = 0; i < all; i++) n->search[i] = n->scaled[i] + next / size * n->search[i];
        size = next;
    }
    return used;
}

// --- a step ----------------------------------------------------------------------------------------------------------

// Evaluates E; its gradient if not null, with tangents. 'linear' is w + load.
static double objective(sn_elastic_newton *n, const double *q, const double *linear, double h, double *gradient,
                        double *elastic_energy) {
    const int all = 3 * n->columns;
    double *deviation = n->scaled, *moved = n->product;
    for (int i = 0; i < all; i++) deviation[i] = q[i] - n->aim[i];
    times_mass(n, deviation, moved);
    double energy = 0.5 / (h * h) * dot(deviation, moved, all);
    for (int i = 0; i < all; i++) energy -= linear[i] * deviation[i]; // relative to the target, against cancellation
    if (gradient)
        for (int i = 0; i < all; i++) gradient[i] = moved[i] / (h * h) - linear[i];
    *elastic_energy = elastic(n, q, gradient, gradient != NULL);
    return energy + *elastic_energy;
}

static bool all_finite(const sn_real *values, int count) {
    for (int i = 0; i < count; i++)
        if (!sn_finite(values[i])) return false;
    return true;
}

sn_status sn_elastic_newton_step(sn_elastic_newton *n, sn_real *q, sn_real *rate, sn_real step, sn_vec3 gravity,
                                 const sn_real *load, sn_elastic_newton_report *report) {
    const int all = 3 * n->columns;
    const double h = (double)step, g[3] = {(double)gravity.x, (double)gravity.y, (double)gravity.z};
    sn_elastic_newton_report own;
    if (!report) report = &own;
    *report = (sn_elastic_newton_report){0};
    if (!(h > 0) || !all_finite(&step, 1) || !all_finite(q, all) || !all_finite(rate, all) || !sn_finite3(gravity) ||
        (load && !all_finite(load, all)))
        return SN_ERR_RANGE;
    factor(n, h);
    double *linear = n->residual; // unused between solves; filled before each use
    for (int i = 0; i < all; i++) n->aim[i] = (double)q[i] + h * (double)rate[i], n->q[i] = n->aim[i];
    double promised = 0, elastic_energy = 0;
    for (int round = 0; round < n->def.iterations; round++) {
        for (int i = 0; i < all; i++)
            linear[i] = n->moment[i % n->columns] * g[i / n->columns] + (load ? (double)load[i] : 0);
        const double energy = objective(n, n->q, linear, h, n->gradient, &elastic_energy);
        report->inner += find_direction(n, h);
        for (int i = 0; i < all; i++)
            linear[i] = n->moment[i % n->columns] * g[i / n->columns] + (load ? (double)load[i] : 0);
        const double slope = dot(n->gradient, n->direction, all);
        if (round == 0) promised = -slope;
        if (!(-slope > n->def.tolerance * promised)) {
            report->converged = true;
            break;
        }
        double length = 1;
        bool found = false;
        for (int halvings = 0; halvings < 20 && !found; ++halvings, length *= found ? 1 : 0.5) {
            for (int i = 0; i < all; i++) n->search[i] = n->q[i] + length * n->direction[i];
            double there;
            found = objective(n, n->search, linear, h, NULL, &there) <= energy + 1e-4 * length * slope;
        }
        report->iterations++;
        if (!found) { // the remaining decrease is below rounding
            report->converged = true;
            break;
        }
        memcpy(n->q, n->search, (size_t)all * sizeof(double));
    }
    report->energy = elastic(n, n->q, NULL, false);
    for (int i = 0; i < all; i++)
        if (!(n->q[i] - n->q[i] == 0)) return SN_ERR_RANGE;
    const sn_real fade = n->def.damping > 0 ? sn_exp((sn_real)(-n->def.damping * h)) : 1;
    for (int i = 0; i < all; i++) {
        rate[i] = fade * (sn_real)((n->q[i] - (double)q[i]) / h);
        q[i] = (sn_real)n->q[i];
    }
    return SN_OK;
}

// --- reading ---------------------------------------------------------------------------------------------------------

int sn_elastic_newton_columns(const sn_elastic_newton *n) {
    return n->columns;
}

void sn_elastic_newton_rest(const sn_elastic_newton *n, sn_real *q) {
    memset(q, 0, 3 * (size_t)n->columns * sizeof *q);
    for (int h = 0; h < n->asset->handle_count; h++) {
        const sn_vec3 c = sn_elastic_handle_centre(n->asset, h);
        const sn_real at[3] = {c.x, c.y, c.z};
        for (int k = 0; k < 3; k++) {
            sn_real *own = q + (size_t)k * (size_t)n->columns + n->column[h];
            own[0] = at[k], own[1 + k] = 1;
        }
    }
}

void sn_elastic_newton_push(const sn_elastic_newton *n, int vertex, sn_vec3 force, sn_real *load) {
    int column[MAX_ROW];
    double value[MAX_ROW], stay;
    if (vertex < 0 || vertex >= n->asset->vertex_count) return;
    const int count = vertex_row(n->asset, n->column, vertex, column, value, &stay);
    const sn_real f[3] = {force.x, force.y, force.z};
    for (int i = 0; i < 3 * count; i++)
        load[(i / count) * n->columns + column[i % count]] += (sn_real)value[i % count] * f[i / count];
}

double sn_elastic_newton_energy(sn_elastic_newton *n, const sn_real *q, double *gradient) {
    for (int i = 0; i < 3 * n->columns; i++) n->q[i] = (double)q[i];
    if (gradient) memset(gradient, 0, 3 * (size_t)n->columns * sizeof *gradient);
    return elastic(n, n->q, gradient, false);
}

sn_vec3 sn_elastic_newton_vertex(const sn_elastic_newton *n, const sn_real *q, int vertex) {
    int column[MAX_ROW];
    double value[MAX_ROW], stay, at[3];
    const int count = vertex_row(n->asset, n->column, vertex, column, value, &stay);
    sn_to_doubles(n->asset->rest[vertex], at);
    for (int k = 0; k < 3; k++) {
        at[k] *= stay;
        for (int i = 0; i < count; i++) at[k] += value[i] * (double)q[k * n->columns + column[i]];
    }
    return (sn_vec3){(sn_real)at[0], (sn_real)at[1], (sn_real)at[2]};
}
