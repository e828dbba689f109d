// Aggregates and their matrix. See spring_coarse.h.
//
// The matrix is stored by rows, each from its first nonzero column to the diagonal (skyline): the factor fits in the
// same place. Aggregates are numbered as they are grown, each next to previous ones, so rows are short.
#include "kinds/spring/spring_coarse.h"
#include "kinds/spring/spring_volume.h"
#include <string.h>

enum { MIN_POINTS = 64, MIN_AGGREGATE = 12 };

// ---- aggregates

typedef struct {
    int *first, *list; // neighbours of each point, in the order of the springs
} graph;

static bool make_graph(const sn_spring_body *body, graph *g) {
    const int ends = 2 * body->spring_count;
    g->first = sn_alloc(body->memory, (size_t)body->count + 1, sizeof *g->first);
    g->list = sn_alloc(body->memory, (size_t)ends, sizeof *g->list);
    if (!g->first || !g->list) return false;
    for (int k = 0; k < ends; k++) ++g->first[k % 2 ? body->springs[k / 2].b : body->springs[k / 2].a];
    for (int i = 0, sum = 0; i <= body->count; i++) g->first[i] = sum += g->first[i]; // ends,
    for (int k = ends - 1; k >= 0; --k) {                                             // then starts
        const sn_spring *s = &body->springs[k / 2];
        g->list[--g->first[k % 2 ? s->b : s->a]] = k % 2 ? s->a : s->b;
    }
    return true;
}
// More and smaller aggregates need fewer iterations, but each iteration and the factorization take longer: on cloth of
// 10,000 points, aggregates of 100, 70 and 50 points need 56, 50 and 43 iterations.
static int aggregate_size(int points) {
    int size = MIN_AGGREGATE;
    while (2 * (size + 1) * (size + 1) <= points && size < 4096) size++;
    return size;
}

// Grows an aggregate around a point: 'grown' gets its points; returns their number.
static int grow(const graph *g, int32_t *of, int seed, int number, int size, int *grown) {
    int from = 0, to = 0;
    of[grown[to++] = seed] = number;
    while (from < to && to < size) {
        const int i = grown[from++];
        for (int k = g->first[i]; k < g->first[i + 1] && to < size; k++)
            if (of[g->list[k]] < 0) of[grown[to++] = g->list[k]] = number;
    }
    return to;
}

// Adds a leftover point to the first aggregate it has a spring to. False: it has none.
static bool join_another(const graph *g, int32_t *of, const int *grown, int count) {
    const int number = of[grown[0]];
    for (int n = 0; n < count; n++)
        for (int k = g->first[grown[n]]; k < g->first[grown[n] + 1]; k++) {
            const int other = of[g->list[k]];
            if (other < 0 || other == number) continue;
            for (int i = 0; i < count; i++) of[grown[i]] = other;
            return true;
        }
    return false;
}

// Grows one after the other, each at the border of previous ones: the border is a queue of points to start from.
static int gather(const sn_spring_body *body, const graph *g, int32_t *of, int *rim, bool *queued, int *grown) {
    const int size = aggregate_size(body->count);
    int count = 0, from = 0, to = 0;
    for (int i = 0; i < body->count; i++) of[i] = -1;
    for (int root = 0; root < body->count; root++) {
        if (of[root] >= 0) continue;
        if (!queued[root]) queued[rim[to++] = root] = true;
        while (from < to) {
            const int seed = rim[from++];
            if (of[seed] >= 0) continue;
            const int points = grow(g, of, seed, count, size, grown);
            for (int n = 0; n < points; n++)
                for (int k = g->first[grown[n]]; k < g->first[grown[n] + 1]; k++)
                    if (of[g->list[k]] < 0 && !queued[g->list[k]]) queued[rim[to++] = g->list[k]] = true;
            if (points >= size / 4 || !join_another(g, of, grown, points)) count++;
        }
    }
    return count;
}

static bool list_points(sn_spring_coarse *c) {
    c->first = sn_alloc(c->memory, (size_t)c->count + 1, sizeof *c->first);
    c->list = sn_alloc(c->memory, (size_t)c->points, sizeof *c->list);
    if (!c->first || !c->list) return false;
    for (int i = 0; i < c->points; i++) ++c->first[c->of[i]];
    for (int a = 0, sum = 0; a <= c->count; a++) c->first[a] = sum += c->first[a];
    for (int i = c->points - 1; i >= 0; --i) c->list[--c->first[c->of[i]]] = i;
    return true;
}

// ---- the sparsity of the matrix

static bool list_cross(sn_spring_coarse *c, const sn_spring_body *body) {
    c->cross_first = sn_alloc(c->memory, (size_t)c->count + 1, sizeof *c->cross_first);
    if (!c->cross_first) return false;
    for (int s = 0; s < body->spring_count; s++) {
        const int a = c->of[body->springs[s].a], b = c->of[body->springs[s].b];
        if (a != b) ++c->cross_first[a], ++c->cross_first[b];
    }
    for (int a = 0, sum = 0; a <= c->count; a++) c->cross_first[a] = sum += c->cross_first[a];
    c->cross_count = c->cross_first[c->count];
    c->cross = sn_alloc(c->memory, 2 * (size_t)c->cross_count, sizeof *c->cross);
    if (!c->cross) return false;
    for (int s = body->spring_count - 1; s >= 0; --s) {
        const int ends[2] = {body->springs[s].a, body->springs[s].b};
        for (int k = 1; k >= 0 && c->of[ends[0]] != c->of[ends[1]]; --k) {
            int *at = &c->cross[2 * --c->cross_first[c->of[ends[k]]]];
            at[0] = body->rows.entry[2 * s + k], at[1] = ends[k];
        }
    }
    return true;
}

// Extends the rows of aggregate a to the columns of b.
static void reach(int *low, int a, int b) {
    const int later = a > b ? a : b, earlier = a > b ? b : a;
    if (earlier < low[later]) low[later] = earlier;
}

static bool interpolation(sn_spring_coarse *c, const sn_spring_body *body) {
    const size_t rows = 3 * (size_t)c->count;
    int *low = sn_alloc(c->memory, (size_t)c->count, sizeof *low);
    c->low = sn_alloc(c->memory, rows, sizeof *c->low);
    c->at = sn_alloc(c->memory, rows, sizeof *c->at);
    c->right = sn_alloc(c->memory, rows, sizeof *c->right);
    c->motion = sn_alloc(c->memory, (size_t)c->count + 1, 4 * sizeof *c->motion);
    bool good = low && c->low && c->at && c->right && c->motion;
    if (good) {
        for (int a = 0; a < c->count; a++) low[a] = a;
        for (int s = 0; s < body->spring_count; s++) reach(low, c->of[body->springs[s].a], c->of[body->springs[s].b]);
        for (int t = 0; t < body->volumes.count; t++)
            for (int k = 0; k < 4; k++)
                for (int n = 0; n < k; n++)
                    reach(low, c->of[body->volumes.corner[t][k]], c->of[body->volumes.corner[t][n]]);
        size_t size = 0;
        for (size_t r = 0; r < rows; r++) {
            c->low[r] = 3 * low[r / 3];
            c->at[r] = size - (size_t)c->low[r]; // may wrap: valid once a column is added
            size += r + 1 - (size_t)c->low[r];
        }
        c->size = size;
        good = (c->matrix = sn_alloc(c->memory, size, sizeof *c->matrix)) != NULL;
    }
    sn_free(c->memory, low, (size_t)c->count, sizeof *low);
    return good;
}

bool sn_spring_coarse_create(const sn_spring_body *body, sn_spring_coarse **out) {
    *out = NULL;
    if (body->count < MIN_POINTS || body->spring_count == 0) return true;
    sn_memory *memory = body->memory;
    const size_t n = (size_t)body->count;
    sn_spring_coarse *c = sn_alloc(memory, 1, sizeof *c);
    if (!c) return false;
    c->memory = memory;
    c->points = body->count;
    c->of = sn_alloc(memory, (size_t)body->padded, sizeof *c->of);
    graph g = {0};
    int *rim = sn_alloc(memory, n, sizeof *rim), *grown = sn_alloc(memory, n, sizeof *grown);
    bool *queued = sn_alloc(memory, n, sizeof *queued);
    bool good = c->of && rim && grown && queued && make_graph(body, &g);
    if (good) {
        c->count = gather(body, &g, c->of, rim, queued, grown);
        for (int i = body->count; i < body->padded; i++) c->of[i] = c->count;
        good = list_points(c) && list_cross(c, body) && interpolation(c, body);
    }
    sn_free(memory, g.first, n + 1, sizeof *g.first);
    sn_free(memory, g.list, 2 * (size_t)body->spring_count, sizeof *g.list);
    sn_free(memory, rim, n, sizeof *rim);
    sn_free(memory, grown, n, sizeof *grown);
    sn_free(memory, queued, n, sizeof *queued);
    if (!good) {
        sn_spring_coarse_destroy(c);
        return false;
    }
    *out = c;
    return true;
}

void sn_spring_coarse_destroy(sn_spring_coarse *c) {
    if (!c) return;
    const size_t count = (size_t)c->count, rows = 3 * count;
    const size_t padded = ((size_t)c->points + SN_SPRING_ROW - 1) / SN_SPRING_ROW * SN_SPRING_ROW;
    sn_free(c->memory, c->of, padded, sizeof *c->of);
    sn_free(c->memory, c->first, count + 1, sizeof *c->first);
    sn_free(c->memory, c->list, (size_t)c->points, sizeof *c->list);
    sn_free(c->memory, c->cross_first, count + 1, sizeof *c->cross_first);
    sn_free(c->memory, c->cross, 2 * (size_t)c->cross_count, sizeof *c->cross);
    sn_free(c->memory, c->low, rows, sizeof *c->low);
    sn_free(c->memory, c->at, rows, sizeof *c->at);
    sn_free(c->memory, c->matrix, c->size, sizeof *c->matrix);
    sn_free(c->memory, c->right, rows, sizeof *c->right);
    sn_free(c->memory, c->motion, count + 1, 4 * sizeof *c->motion);
    sn_free(c->memory, c, 1, sizeof *c);
}

// ---- the matrix

static double *element(const sn_spring_coarse *c, int row, int column) {
    return &c->matrix[c->at[row] + (size_t)column];
}

// Adds factor * (a I + s s^T) to the block of aggregates a >= b; only the lower half of a diagonal block.
static void add_block(const sn_spring_coarse *c, int a, int b, double factor, double across, const double s[3]) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < (a == b ? i + 1 : 3); k++)
            *element(c, 3 * a + i, 3 * b + k) += factor * ((i == k ? across : 0) + s[i] * s[k]);
}

typedef struct {
    sn_spring_body *body;
    sn_real h;
    const sn_real *r;
} job;

static void add_entry(const job *j, int aggregate, int entry, bool is_other) {
    const sn_spring_body *body = j->body;
    const sn_real *t = body->tangent + ((size_t)(entry / SN_SPRING_ROW) * 4 * SN_SPRING_ROW + entry % SN_SPRING_ROW);
    const double s[3] = {(double)t[SN_SPRING_ROW], (double)t[2 * SN_SPRING_ROW], (double)t[3 * SN_SPRING_ROW]};
    const int other = body->rows.other[entry], there = body->coarse->of[other];
    add_block(body->coarse, aggregate, aggregate, 1, (double)t[0], s);
    if (is_other && there < aggregate && body->inverse[other] > 0)
        add_block(body->coarse, aggregate, there, -1, (double)t[0], s);
}

// The rows of one aggregate. Springs within it do not resist its motion, except those to held points.
static void rows_task(void *context, int a, int worker) {
    const job *j = context;
    const sn_spring_body *body = j->body;
    const sn_spring_coarse *c = body->coarse;
    (void)worker;
    for (int i = 0; i < 3; i++)
        memset(element(c, 3 * a + i, c->low[3 * a]), 0, (size_t)(3 * a + i + 1 - c->low[3 * a]) * sizeof(double));
    double mass = 0;
    for (int k = c->first[a]; k < c->first[a + 1]; k++) {
        const int i = c->list[k], group = i / SN_SPRING_ROW;
        mass += (double)body->mass[i];
        if (body->inverse[i] > 0) continue;
        for (int slot = body->rows.first[group]; slot < body->rows.first[group + 1]; slot++) {
            const int entry = slot * SN_SPRING_ROW + i % SN_SPRING_ROW, other = body->rows.other[entry];
            if (c->of[other] == a && body->inverse[other] > 0) add_entry(j, a, entry, false);
        }
    }
    mass *= 1 + (double)(j->h * body->drag);
    for (int i = 0; i < 3; i++) *element(c, 3 * a + i, 3 * a + i) += mass > 0 ? mass : 1; // all held: never used
    for (int k = c->cross_first[a]; k < c->cross_first[a + 1]; k++)
        if (body->inverse[c->cross[2 * k + 1]] > 0) add_entry(j, a, c->cross[2 * k], true);
}

// Volume springs: h^2 bulk/V0 g g^T, with the derivatives at an aggregate's corners summed.
static void add_volumes(const job *j) {
    const sn_spring_body *body = j->body;
    const sn_spring_volumes *volumes = &body->volumes;
    const sn_spring_coarse *c = body->coarse;
    for (int t = 0; t < volumes->count; t++) {
        int aggregate[4], count = 0;
        double g[4][3];
        for (int k = 0; k < 4; k++) {
            const int i = volumes->corner[t][k];
            if (!(body->inverse[i] > 0)) continue;
            int n = 0;
            while (n < count && aggregate[n] != c->of[i]) n++;
            if (n == count) aggregate[count++] = c->of[i], g[n][0] = g[n][1] = g[n][2] = 0;
            for (int r = 0; r < 3; r++) g[n][r] += (double)volumes->slope[4 * (4 * (size_t)t + (size_t)k) + (size_t)r];
        }
        const double stiff = (double)j->h * (double)j->h * (double)volumes->bulk / (double)volumes->rest[t];
        for (int m = 0; m < count; m++)
            for (int n = 0; n < count; n++) {
                if (aggregate[n] > aggregate[m]) continue;
                for (int i = 0; i < 3; i++)
                    for (int k = 0; k < (m == n ? i + 1 : 3); k++)
                        *element(c, 3 * aggregate[m] + i, 3 * aggregate[n] + k) += stiff * g[m][i] * g[n][k];
            }
    }
}

// Four sums at a time, for the processor's units, in a fixed order.
static double dot(const double *a, const double *b, int count) {
    double sum[4] = {0, 0, 0, 0};
    int k = 0;
    for (; k + 4 <= count; k += 4)
        for (int n = 0; n < 4; n++) sum[n] += a[k + n] * b[k + n];
    for (; k < count; k++) sum[0] += a[k] * b[k];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// L L^T in place; the diagonal becomes its inverse.
static bool factor(const sn_spring_coarse *c) {
    for (int i = 0; i < 3 * c->count; i++) {
        double *row = element(c, i, 0);
        for (int j = c->low[i]; j < i; j++) {
            const int from = c->low[i] > c->low[j] ? c->low[i] : c->low[j];
            const double *other = element(c, j, 0);
            row[j] = (row[j] - dot(row + from, other + from, j - from)) * other[j];
        }
        const double left = row[i] - dot(row + c->low[i], row + c->low[i], i - c->low[i]);
        if (!(left > 1e-12 * row[i])) return false;
        row[i] = 1 / sqrt(left);
    }
    return true;
}

bool sn_spring_coarse_factor(sn_spring_body *body, sn_real h, sn_pool *pool) {
    job j = {body, h, NULL};
    sn_spring_run_count(pool, body->coarse->count, rows_task, &j);
    if (sn_spring_has_volumes(body)) add_volumes(&j);
    return factor(body->coarse);
}

// ---- solving

enum { PER_TASK = 8 };

static void sum_task(void *context, int index, int worker) {
    const job *j = context;
    const sn_spring_coarse *c = j->body->coarse;
    (void)worker;
    for (int a = index * PER_TASK; a < (index + 1) * PER_TASK && a < c->count; a++) {
        double sum[3] = {0, 0, 0};
        for (int k = c->first[a]; k < c->first[a + 1]; k++) {
            const sn_real *r = j->r + 4 * (size_t)c->list[k];
            if (!(j->body->inverse[c->list[k]] > 0)) continue;
            sum[0] += (double)r[0], sum[1] += (double)r[1], sum[2] += (double)r[2];
        }
        for (int k = 0; k < 3; k++) c->right[3 * a + k] = sum[k];
    }
}

double sn_spring_coarse_solve(sn_spring_body *body, const sn_real *r, sn_pool *pool) {
    const sn_spring_coarse *c = body->coarse;
    job j = {body, 0, r};
    sn_spring_run_count(pool, (c->count + PER_TASK - 1) / PER_TASK, sum_task, &j);
    const int rows = 3 * c->count;
    double *y = c->right, product = 0;
    for (int i = 0; i < rows; i++) {
        const double *row = element(c, i, 0);
        y[i] = (y[i] - dot(row + c->low[i], y + c->low[i], i - c->low[i])) * row[i];
        product += y[i] * y[i]; // (L^-1 R).(L^-1 R) is R.(L L^T)^-1 R
    }
    for (int i = rows - 1; i >= 0; --i) {
        const double *row = element(c, i, 0);
        const double x = y[i] * row[i];
        y[i] = x;
        for (int k = c->low[i]; k < i; k++) y[k] -= row[k] * x;
    }
    for (int i = 0; i < rows; i++) c->motion[4 * (size_t)(i / 3) + (size_t)(i % 3)] = (sn_real)y[i];
    return product;
}
