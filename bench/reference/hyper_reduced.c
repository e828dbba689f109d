// Hyper-reduced projective dynamics (Brandt, Eisemann and Hildebrandt 2018), in equilibrium: see equilibrium.h.
//
// Vertices are x = a X + Û q as in elastic_asset.h, so a tetrahedron has F = B + sum_c q_c a_c^T, with the constant
// part B of what does not move and the gradients a_c of Û's columns c. The target of F in projective dynamics, P = 2 mu
// R + 3 lambda D of each tetrahedron, is blended from a few matrices P_k,
//
//     P_t = sum_k f_k(t) P_k,
//
// where the f_k are the handles' weights at the tetrahedron's centroid, and the weight of what does not move. The P_k
// are fitted by least squares to the projections at the samples. Only sums over the other tetrahedra are needed,
// computed once:
//
//     K = sum V a_c . a_d,      b = sum V B a_c,      G_k = sum V f_k a_c
//     (2 mu + 3 lambda) (K q + b) = sum_k P_k G_k + weight,
//
// so the cost of an iteration does not depend on the number of tetrahedra. With Anderson acceleration some hundreds of
// iterations suffice.
#include "kinds/elastic/elastic_anderson.h"
#include "kinds/elastic/elastic_project.h"
#include "kinds/elastic/subspace.h"
#include "reference/equilibrium.h"
#include "reference/full_space.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIX 0.02

enum { MEMORY = 8, MAX_ITERATIONS = 3000, MAX_COLUMNS = 4 * 16 * SN_ELASTIC_QUADRATIC };

// Columns of a tetrahedron and their gradients.
typedef struct {
    int count;
    int column[MAX_COLUMNS];
    double gradient[MAX_COLUMNS][3];
    double constant[9], volume;
    int blend_count; // f_k
    int blend[64];
    double coefficient[64];
} element;

typedef struct {
    const sn_elastic_asset *asset;
    int *first; // first column of each handle, plus one
    int columns, blends;
    double stiff;         // 2 mu + 3 lambda
    double shear, bulk;   // 2 mu, 3 lambda
    double *k, *factor;   // columns x columns
    double *fixed;        // 3 x columns: weight - stiff b; later K^-1 times it
    double *sums;         // by k, coordinate, column; later K^-1 times them
    double *fit, *result; // blends x blends, factored; by k: D
    int sample_count;
    element *sample;
    double *projections; // by k: 9 numbers
} hyper;

// Values of a handle's columns at a rest position; returns their number.
static int columns_at(const sn_elastic_asset *a, int handle, const double at[3], double value[SN_ELASTIC_QUADRATIC]) {
    const int columns = sn_elastic_columns(a, handle);
    double centre[3], d[3];
    sn_to_doubles(sn_elastic_handle_centre(a, handle), centre);
    for (int k = 0; k < 3; k++) d[k] = at[k] - centre[k];
    sn_elastic_monomials(d, columns, value);
    return columns;
}

// The constant part of a vertex, 1 - sum of weights, and a factor for the weights such that rounding leaves none.
static double constant_weight(const sn_elastic_asset *a, int vertex, double *scale) {
    double sum = 0;
    for (int i = a->first[vertex]; i < a->first[vertex + 1]; i++) sum += (double)a->weight[i];
    *scale = sum > 1 - 1e-4 && sum > 0 ? 1 / sum : 1;
    return 1 - *scale * sum;
}

static void add_blend(element *e, int k, double coefficient) {
    int i = 0;
    while (i < e->blend_count && e->blend[i] != k) i++;
    if (i == 64) return;
    if (i == e->blend_count) e->blend[e->blend_count] = k, e->coefficient[e->blend_count++] = 0;
    e->coefficient[i] += coefficient;
}

static void build_element(const hyper *h, const sn_elastic_full *full, int tet, element *e) {
    const sn_elastic_asset *a = h->asset;
    const double *g = full->gradient[tet];
    e->count = e->blend_count = 0, e->volume = full->volume[tet];
    memset(e->constant, 0, sizeof e->constant);
    for (int c = 0; c < 4; c++) {
        const int v = a->tets[tet][c];
        double grad[3], at[3], scale;
        for (int m = 0; m < 3; m++) grad[m] = c ? g[3 * (c - 1) + m] : -g[m] - g[3 + m] - g[6 + m];
        const double constant_part = constant_weight(a, v, &scale);
        sn_to_doubles(a->rest[v], at);
        for (int i = 0; i < 9; i++) e->constant[i] += constant_part * at[i / 3] * grad[i % 3];
        if (constant_part > 1e-9) add_blend(e, h->blends - 1, 0.25 * constant_part);
        for (int i = a->first[v]; i < a->first[v + 1]; i++) {
            const int handle = a->handle[i], columns = sn_elastic_columns(a, handle);
            const double load = scale * (double)a->weight[i];
            double centre[3], d[3], value[SN_ELASTIC_QUADRATIC];
            sn_to_doubles(sn_elastic_handle_centre(a, handle), centre);
            for (int m = 0; m < 3; m++) d[m] = at[m] - centre[m];
            sn_elastic_monomials(d, columns, value);
            add_blend(e, handle, 0.25 * load);
            int first_slot = 0; // the columns of a handle are contiguous
            while (first_slot < e->count && e->column[first_slot] != h->first[handle]) first_slot++;
            if (first_slot == e->count) {
                if (e->count + columns > MAX_COLUMNS) continue;
                for (int m = 0; m < columns; m++, e->count++) {
                    e->column[e->count] = h->first[handle] + m;
                    memset(e->gradient[e->count], 0, sizeof e->gradient[0]);
                }
            }
            for (int m = 0; m < columns; m++)
                for (int k = 0; k < 3; k++) e->gradient[first_slot + m][k] += load * value[m] * grad[k];
        }
    }
}

// Sums over all tetrahedra.
static void sum_tets(hyper *h, const sn_elastic_full *full, const equilibrium_load *load, element *e) {
    const sn_elastic_asset *a = h->asset;
    const int n = h->columns;
    for (int t = 0; t < a->tet_count; t++) {
        build_element(h, full, t, e);
        for (int i = 0; i < e->count; i++) {
            const double *p = e->gradient[i];
            const int c = e->column[i];
            for (int m = 0; m < e->count; m++) {
                const double *q = e->gradient[m];
                h->k[(size_t)c * (size_t)n + (size_t)e->column[m]] +=
                    e->volume * (p[0] * q[0] + p[1] * q[1] + p[2] * q[2]);
            }
            for (int k = 0; k < 3; k++) {
                const double *b = e->constant + 3 * k;
                h->fixed[k * n + c] -= h->stiff * e->volume * (b[0] * p[0] + b[1] * p[1] + b[2] * p[2]);
            }
            for (int m = 0; m < e->blend_count; m++) {
                double *to = h->sums + 3 * (size_t)e->blend[m] * (size_t)n + c;
                for (int k = 0; k < 3; k++) to[k * n] += e->volume * e->coefficient[m] * p[k];
            }
        }
    }
    for (int v = 0; v < a->vertex_count; v++) {
        double at[3], scale;
        constant_weight(a, v, &scale);
        sn_to_doubles(a->rest[v], at);
        for (int i = a->first[v]; i < a->first[v + 1]; i++) {
            const int handle = a->handle[i];
            double value[SN_ELASTIC_QUADRATIC];
            const int columns = columns_at(a, handle, at, value);
            for (int m = 0; m < columns; m++)
                for (int k = 0; k < 3; k++)
                    h->fixed[k * n + h->first[handle] + m] +=
                        full->mass[v] * load->gravity[k] * scale * (double)a->weight[i] * value[m];
        }
    }
}

// Chooses equally many samples where each blended matrix has the largest coefficient, evenly spread over these
// tetrahedra.
static void choose_samples(hyper *h, const sn_elastic_full *full, int samples, element *e, int *dominant,
                           int *in_cell) {
    const sn_elastic_asset *a = h->asset;
    for (int t = 0; t < a->tet_count; t++) {
        build_element(h, full, t, e);
        int best = 0;
        for (int i = 1; i < e->blend_count; i++)
            if (e->coefficient[i] > e->coefficient[best]) best = i;
        dominant[t] = e->blend_count ? e->blend[best] : h->blends - 1;
        ++in_cell[dominant[t]];
    }
    const int each = samples / h->blends > 1 ? samples / h->blends : 1;
    for (int k = 0; k < h->blends; k++) {
        const int wanted = in_cell[k] < each ? in_cell[k] : each;
        int seen = 0, chosen = 0;
        for (int t = 0; t < a->tet_count && chosen < wanted; t++) {
            if (dominant[t] != k) continue;
            if ((int64_t)seen++ * wanted / in_cell[k] < chosen) continue;
            element *s = &h->sample[h->sample_count++];
            build_element(h, full, t, s);
            s->volume = 1.0 / wanted; // its weight in the fit
            chosen++;
        }
    }
}

// L L^T in place, row by row. Dependent rows keep their own diagonal.
static void factorize(double *l, int n) {
    for (int i = 0; i < n; i++) {
        double *row = l + (size_t)i * (size_t)n;
        const double before = row[i];
        for (int j = 0; j <= i; j++) {
            const double *other = l + (size_t)j * (size_t)n;
            double sum = row[j];
            for (int k = 0; k < j; k++) sum -= row[k] * other[k];
            if (j < i)
                row[j] = sum / other[j];
            else
                row[i] = sqrt(sum > 1e-10 * before ? sum : before > 0 ? before : 1);
        }
    }
}

// Solves for x with 'width' numbers per row.
static void substitute(const double *l, int n, double *x, int width) {
    for (int i = 0; i < n; i++) {
        const double *row = l + (size_t)i * (size_t)n;
        for (int k = 0; k < i; k++)
            for (int m = 0; m < width; m++) x[i * width + m] -= row[k] * x[k * width + m];
        for (int m = 0; m < width; m++) x[i * width + m] /= row[i];
    }
    for (int i = n - 1; i >= 0; --i) {
        const double *row = l + (size_t)i * (size_t)n;
        for (int m = 0; m < width; m++) x[i * width + m] /= row[i];
        for (int k = 0; k < i; k++)
            for (int m = 0; m < width; m++) x[k * width + m] -= row[k] * x[i * width + m];
    }
}

// Plain least squares, (sum w f f^T) P = sum w f P_s, is ill-conditioned for matrices that few samples distinguish. It
// is regularised towards the mean of the samples around: MIX times the diagonal D = sum w f is added on the left, and
// the same fraction on the right. Constant functions stay exact because the f sum to 1.
static void build_fit(hyper *h) {
    const size_t n = (size_t)h->blends;
    for (int s = 0; s < h->sample_count; s++) {
        const element *e = &h->sample[s];
        for (int i = 0; i < e->blend_count; i++)
            for (int k = 0; k < e->blend_count; k++)
                h->fit[(size_t)e->blend[i] * n + (size_t)e->blend[k]] +=
                    e->volume * e->coefficient[i] * e->coefficient[k];
        for (int i = 0; i < e->blend_count; i++) h->result[e->blend[i]] += e->volume * e->coefficient[i];
    }
    for (size_t i = 0; i < n; i++) h->fit[i * n + i] += MIX * h->result[i] + 1e-30;
    factorize(h->fit, h->blends);
}

// The local step at the samples, and the fitted matrices.
static void find_blended(hyper *h, const double *q) {
    const int n = h->columns;
    memset(h->projections, 0, 9 * (size_t)h->blends * sizeof *h->projections);
    for (int s = 0; s < h->sample_count; s++) {
        const element *e = &h->sample[s];
        double f[9], r[9], d[9];
        memcpy(f, e->constant, sizeof f);
        for (int i = 0; i < e->count; i++)
            for (int k = 0; k < 9; k++) f[k] += q[k / 3 * n + e->column[i]] * e->gradient[i][k % 3];
        sn_elastic_project(f, r, d);
        for (int i = 0; i < e->blend_count; i++)
            for (int k = 0; k < 9; k++)
                h->projections[9 * e->blend[i] + k] +=
                    e->volume * e->coefficient[i] * (1 + MIX) * (h->shear * r[k] + h->bulk * d[k]);
    }
    substitute(h->fit, h->blends, h->projections, 9);
}

// One fixed-point iteration.
static void iterate(hyper *h, const double *q, double *next) {
    const int n = h->columns;
    find_blended(h, q);
    memcpy(next, h->fixed, 3 * (size_t)n * sizeof *next);
    for (int b = 0; b < h->blends; b++)
        for (int k = 0; k < 3; k++) {
            const double *p = h->projections + 9 * b + 3 * k, *g = h->sums + 3 * (size_t)b * (size_t)n;
            for (int c = 0; c < n; c++) next[k * n + c] += p[0] * g[c] + p[1] * g[n + c] + p[2] * g[2 * n + c];
        }
}

// Multiplies the sums by K's inverse, once for all iterations.
static void solve_all(hyper *h) {
    const int n = h->columns;
    for (int i = 0; i < 3 * n; i++) h->fixed[i] /= h->stiff;
    for (size_t i = 0; i < 3 * (size_t)n * (size_t)h->blends; i++) h->sums[i] /= h->stiff;
    for (int k = 0; k < 3; k++) substitute(h->factor, n, h->fixed + k * n, 1);
    for (int b = 0; b < 3 * h->blends; b++) substitute(h->factor, n, h->sums + (size_t)b * (size_t)n, 1);
}

// Inner product in the norm of K's diagonal.
static double product(const hyper *h, const double *a, const double *b) {
    const int n = h->columns;
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += h->k[(size_t)i * (size_t)(n + 1)] * (a[i] * b[i] + a[n + i] * b[n + i] + a[2 * n + i] * b[2 * n + i]);
    return sum;
}

// Iterates to equilibrium. 'scratch' holds (2 MEMORY + 4) x 3 columns.
static void iterate_to_equilibrium(hyper *h, double *q, double *scratch, equilibrium_result *result) {
    const size_t count = 3 * (size_t)h->columns;
    double *g = scratch, *f = g + count, *last = f + count;
    double *dg[MEMORY], *df[MEMORY], smallest = 0, first = 0;
    for (int i = 0; i < MEMORY; i++) dg[i] = last + (size_t)(2 * i + 2) * count, df[i] = dg[i] + count;
    int past = 0;
    while (result->iterations < MAX_ITERATIONS) {
        iterate(h, q, g);
        for (size_t i = 0; i < count; i++) f[i] = g[i] - q[i];
        const double size = product(h, f, f);
        if (result->iterations++ == 0) first = smallest = size;
        result->residual = first > 0 ? sqrt(size / first) : 0;
        if (!(result->residual > 1e-5)) return;
        if (size > 4 * smallest) past = 0; // diverging: a few plain steps
        smallest = fmin(smallest, size);
        if (past > 0) {
            const int slot = (past - 1) % MEMORY;
            for (size_t i = 0; i < count; i++) dg[slot][i] = g[i] - last[i], df[slot][i] = f[i] - last[count + i];
        }
        memcpy(last, g, 2 * count * sizeof *g); // and f
        memcpy(q, g, count * sizeof *q);
        const int n = past < MEMORY ? past : MEMORY;
        past++;
        double m[MEMORY][MEMORY], t[MEMORY];
        for (int i = 0; i < n; i++) {
            const int a = (past - 2 - i) % MEMORY;
            t[i] = product(h, df[a], f);
            for (int j = 0; j <= i; j++) m[i][j] = product(h, df[a], df[(past - 2 - j) % MEMORY]);
        }
        sn_anderson_solve(MEMORY, &m[0][0], t, n, 1e-10);
        for (int i = 0; i < n; i++)
            for (size_t c = 0; c < count; c++) q[c] -= t[i] * dg[(past - 2 - i) % MEMORY][c];
    }
}

static void first_slot(const hyper *h, const double *q, double *x) {
    const sn_elastic_asset *a = h->asset;
    const int n = h->columns;
    for (int v = 0; v < a->vertex_count; v++) {
        double at[3], scale;
        const double constant_part = constant_weight(a, v, &scale);
        sn_to_doubles(a->rest[v], at);
        for (int k = 0; k < 3; k++) x[3 * v + k] = constant_part * at[k];
        for (int i = a->first[v]; i < a->first[v + 1]; i++) {
            const int handle = a->handle[i];
            double value[SN_ELASTIC_QUADRATIC];
            const int columns = columns_at(a, handle, at, value);
            for (int m = 0; m < columns; m++)
                for (int k = 0; k < 3; k++)
                    x[3 * v + k] += scale * (double)a->weight[i] * value[m] * q[k * n + h->first[handle] + m];
        }
    }
}

bool equilibrium_hyper_reduced(const sn_elastic_asset *a, const equilibrium_load *load, int samples, double *x,
                               equilibrium_result *result, tool_error *error) {
    hyper h = {.asset = a, .blends = a->handle_count + 1};
    *result = (equilibrium_result){0};
    if (samples < h.blends || samples > a->tet_count)
        return tool_error_set(error, "samples must be from %d (handles + 1) to %d (tetrahedra)", h.blends,
                              a->tet_count);
    sn_memory memory;
    sn_memory_init(&memory, NULL);
    sn_elastic_full *full = NULL;
    h.first = malloc(((size_t)a->handle_count + 1) * sizeof *h.first);
    for (int i = 0; h.first && i < a->handle_count; i++) {
        h.first[i] = h.columns;
        h.columns += sn_elastic_columns(a, i);
    }
    h.shear = load->young / (1 + load->poisson);
    h.bulk = 3 * load->young * load->poisson / ((1 + load->poisson) * (1 - 2 * load->poisson));
    h.stiff = h.shear + h.bulk;
    const size_t n = (size_t)h.columns, blends = (size_t)h.blends;
    element *one = malloc(sizeof *one);
    int *dominant = malloc((size_t)a->tet_count * sizeof *dominant), *in_cell = calloc(blends, sizeof *in_cell);
    double *q = calloc(3 * n, sizeof *q), *scratch = malloc((2 * MEMORY + 4) * 3 * n * sizeof *scratch);
    h.k = calloc(n * n, sizeof *h.k), h.factor = malloc(n * n * sizeof *h.factor);
    h.fixed = calloc(3 * n, sizeof *h.fixed), h.sums = calloc(3 * n * blends, sizeof *h.sums);
    h.fit = calloc(blends * blends, sizeof *h.fit), h.result = calloc(blends, sizeof *h.result),
    h.projections = malloc(9 * blends * sizeof *h.projections);
    h.sample = malloc((size_t)samples * sizeof *h.sample);
    const bool created = h.first && one && dominant && in_cell && q && scratch && h.k && h.factor && h.fixed &&
                         h.sums && h.fit && h.result && h.projections && h.sample &&
                         sn_elastic_full_create(&memory, a, load->young, load->poisson, load->density, &full) == SN_OK;
    if (created) {
        sum_tets(&h, full, load, one);
        choose_samples(&h, full, samples, one, dominant, in_cell);
        build_fit(&h);
        memcpy(h.factor, h.k, n * n * sizeof *h.k);
        factorize(h.factor, h.columns);
        solve_all(&h);
        for (int i = 0; i < a->handle_count; i++) {
            double c[3];
            sn_to_doubles(sn_elastic_handle_centre(a, i), c);
            for (int k = 0; k < 3; k++) q[k * h.columns + h.first[i]] = c[k], q[k * h.columns + h.first[i] + 1 + k] = 1;
        }
        iterate_to_equilibrium(&h, q, scratch, result);
        first_slot(&h, q, x);
        result->energy = sn_elastic_full_energy(full, x, NULL);
        for (int i = 0; i < 3 * a->vertex_count; i++) {
            const double rest[3] = {(double)a->rest[i / 3].x, (double)a->rest[i / 3].y, (double)a->rest[i / 3].z};
            result->energy -= full->mass[i / 3] * load->gravity[i % 3] * (x[i] - rest[i % 3]);
        }
    } else
        tool_error_set(error, "out of memory, or a material parameter is out of range");
    free(h.first), free(one), free(dominant), free(in_cell), free(q), free(scratch), free(h.k), free(h.factor);
    free(h.fixed), free(h.sums), free(h.fit), free(h.result), free(h.projections), free(h.sample);
    sn_elastic_full_destroy(full);
    return created;
}
