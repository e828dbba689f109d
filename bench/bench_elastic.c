// Elastic bodies: the cost of an iteration and of a frame of a large body.
//
// A plain bar with the size of the paper's ship: about 482,000 tetrahedra, 842 columns (its 2,526 unknowns), eight
// handles per vertex. It starts with a twist and swings freely without contacts. A frame is a step of 1/60 s with six
// iterations, accelerated by the last five (elastic_accelerate.h), plus reading all vertices.
//
// The local step has a limit: its operations at the rate of independent multiplications and additions of eight lanes
// (`sinew bench` measures that first), or its bytes at memory bandwidth, whichever takes longer. elastic.local.times is
// the ratio of the measured time to that limit.
//
//     operations of a tetrahedron (elastic/tet_kernel.c)                bytes
//     F, its cofactors and determinant         63 + 27 + 5              corners              8
//     R: initial guess, and three steps        28 + 3 x 60 + 18         inverse edges       36
//     D: initial guess, and two steps          36 + 2 x 90              volume               4
//     forces, their sums                       47 + 54 + 12
#include "bench.h"
#include "kinds/elastic/elastic_internal.h"
#include "kinds/elastic/elastic_kernels.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { HX = 8, HY = 4, HZ = 4, HANDLES = HX * HY * HZ, QUADRATIC = 55, ITERATIONS = 6 };
static const double cell = 0.01; // m

typedef struct {
    sn_memory memory;
    sn_elastic_asset asset;
    sn_elastic_space *space;
    sn_elastic_body *body;
    sn_vec3 *vertices;
    int cells[3];
} model;

static bool make_arrays(model *m) {
    sn_elastic_asset *a = &m->asset;
    const int *n = m->cells;
    a->vertex_count = (n[0] + 1) * (n[1] + 1) * (n[2] + 1), a->tet_count = 6 * n[0] * n[1] * n[2];
    a->sphere_count = a->handle_count = HANDLES;
    const size_t vertices = (size_t)a->vertex_count;
    a->rest = sn_alloc(&m->memory, vertices, sizeof *a->rest);
    a->tets = sn_alloc(&m->memory, (size_t)a->tet_count, sizeof *a->tets);
    a->centre = sn_alloc(&m->memory, HANDLES, sizeof *a->centre);
    a->radius = sn_alloc(&m->memory, HANDLES, sizeof *a->radius);
    a->handle_sphere = sn_alloc(&m->memory, HANDLES, sizeof *a->handle_sphere);
    a->handle_quadratic = sn_alloc(&m->memory, HANDLES, 1);
    a->first = sn_alloc(&m->memory, vertices + 1, sizeof *a->first);
    a->handle = sn_alloc(&m->memory, 8 * vertices, sizeof *a->handle);
    a->weight = sn_alloc(&m->memory, 8 * vertices, sizeof *a->weight);
    a->sphere_first = sn_alloc(&m->memory, HANDLES + 1, sizeof *a->sphere_first);
    a->sphere_handle = sn_alloc(&m->memory, HANDLES, sizeof *a->sphere_handle);
    a->sphere_weight = sn_alloc(&m->memory, HANDLES, sizeof *a->sphere_weight);
    m->vertices = sn_alloc(&m->memory, vertices, sizeof *m->vertices);
    return a->rest && a->tets && a->centre && a->radius && a->handle_sphere && a->handle_quadratic && a->first &&
           a->handle && a->weight && a->sphere_first && a->sphere_handle && a->sphere_weight && m->vertices;
}

// Trilinear weights between the eight handles around a point.
static void weigh(model *m, int vertex) {
    sn_elastic_asset *a = &m->asset;
    const int handles[3] = {HX, HY, HZ};
    const double x[3] = {(double)a->rest[vertex].x, (double)a->rest[vertex].y, (double)a->rest[vertex].z};
    int low[3];
    double part[3];
    for (int k = 0; k < 3; k++) {
        const double at = x[k] / (m->cells[k] * cell) * handles[k] - 0.5;
        low[k] = at < 0 ? 0 : at >= handles[k] - 1 ? handles[k] - 2 : (int)at;
        part[k] = fmin(fmax(at - low[k], 0), 1);
    }
    a->first[vertex + 1] = 8 * (vertex + 1);
    for (int c = 0; c < 8; c++) {
        const int at[3] = {low[0] + c % 2, low[1] + c / 2 % 2, low[2] + c / 4};
        double w = 1;
        for (int k = 0; k < 3; k++) w *= at[k] > low[k] ? part[k] : 1 - part[k];
        a->handle[8 * vertex + c] = (at[2] * HY + at[1]) * HX + at[0];
        a->weight[8 * vertex + c] = (sn_real)w;
    }
}

static void fill(model *m) {
    // The six paths from a corner of a cube to the opposite one; the last three are left-handed.
    static const int paths[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    sn_elastic_asset *a = &m->asset;
    const int nx = m->cells[0] + 1, ny = m->cells[1] + 1;
    for (int j = 0; j < HANDLES; j++) {
        const int at[3] = {j % HX, j / HX % HY, j / HX / HY}, handles[3] = {HX, HY, HZ};
        double c[3];
        for (int k = 0; k < 3; k++) c[k] = m->cells[k] * cell * (at[k] + 0.5) / handles[k];
        a->centre[j] = sn_v3((sn_real)c[0], (sn_real)c[1], (sn_real)c[2]);
        a->radius[j] = (sn_real)cell, a->handle_sphere[j] = j,
        a->handle_quadratic[j] = j * QUADRATIC % HANDLES < QUADRATIC;
        a->sphere_first[j + 1] = j + 1, a->sphere_handle[j] = j, a->sphere_weight[j] = 1;
    }
    for (int v = 0; v < a->vertex_count; v++) {
        const int x = v % nx, y = v / nx % ny, z = v / nx / ny;
        a->rest[v] = sn_v3((sn_real)(cell * x), (sn_real)(cell * y), (sn_real)(cell * z));
        weigh(m, v);
    }
    for (int t = 0; t < a->tet_count; t++) {
        const int cube = t / 6, *path = paths[t % 6];
        int at[3] = {cube % m->cells[0], cube / m->cells[0] % m->cells[1], cube / m->cells[0] / m->cells[1]}, corner[4];
        for (int k = 0; k < 4; k++) {
            corner[k] = (at[2] * ny + at[1]) * nx + at[0];
            if (k < 3) ++at[path[k]];
        }
        const bool odd = t % 6 >= 3;
        a->tets[t][0] = corner[0], a->tets[t][1] = corner[1];
        a->tets[t][2] = corner[odd ? 3 : 2], a->tets[t][3] = corner[odd ? 2 : 3];
    }
}

// Spins about the bar's axis, faster along it.
static void twist(model *m) {
    const sn_elastic_space *s = m->space;
    const sn_real middle[2] = {(sn_real)(0.5 * cell * m->cells[1]), (sn_real)(0.5 * cell * m->cells[2])};
    for (int j = 0; j < HANDLES; j++) {
        const sn_vec3 c = m->asset.centre[j];
        const sn_real w = 30 * (c.x - (sn_real)(0.5 * cell * m->cells[0]));
        sn_real *y = m->body->rate + s->columns + s->column[j], *z = y + s->columns;
        y[0] = -w * (c.z - middle[1]), y[3] = -w;
        z[0] = w * (c.y - middle[0]), z[2] = w;
    }
}

static void close_model(model *m) {
    sn_free(&m->memory, m->vertices, (size_t)m->asset.vertex_count, sizeof *m->vertices);
    sn_elastic_body_destroy(m->body);
    sn_elastic_space_destroy(m->space);
    sn_elastic_asset_free(&m->memory, &m->asset);
}

static sn_status open_model(model *m, bool quick) {
    *m = (model){.cells = {quick ? 16 : 78, quick ? 8 : 32, quick ? 8 : 32}};
    sn_memory_init(&m->memory, &(sn_allocator){0});
    if (!make_arrays(m)) return SN_ERR_MEMORY;
    fill(m);
    sn_elastic_body_def def = sn_elastic_body_def_default();
    def.anderson_window = 5;
    sn_status status = sn_elastic_space_create(&m->memory, &m->asset, NULL, &m->space);
    if (status == SN_OK) status = sn_elastic_body_create(&m->memory, m->space, &def, &m->body);
    if (status == SN_OK) status = sn_elastic_body_set_step(m->body, (sn_real)(1.0 / 60));
    if (status == SN_OK) twist(m);
    return status;
}

// Best of a few frames: other load on the machine only adds time.
static void measure_frames(bench *b, model *m, int threads) {
    char frame_name[48], iteration_name[48];
    snprintf(frame_name, sizeof frame_name, "elastic.frame.t%d", threads);
    snprintf(iteration_name, sizeof iteration_name, "elastic.iteration.t%d", threads);
    if (!bench_wanted(b, frame_name) && !bench_wanted(b, iteration_name)) return;
    sn_pool *pool = NULL;
    if (sn_pool_create(&m->memory, NULL, threads, &pool) != SN_OK) {
        b->failed = true;
        return;
    }
    double frame = 1e30, iteration = 1e30;
    for (int i = 0; i < (b->quick ? 2 : 8); i++) {
        const double start = bench_clock();
        sn_elastic_body_predict(m->body, sn_v3(0, (sn_real)-9.81, 0), NULL, pool);
        const double solve = bench_clock();
        sn_elastic_body_solve(m->body, ITERATIONS, pool);
        iteration = fmin(iteration, (bench_clock() - solve) / ITERATIONS);
        sn_elastic_body_finish(m->body);
        sn_elastic_body_vertices(m->body, m->vertices, pool);
        frame = fmin(frame, bench_clock() - start);
    }
    sn_pool_destroy(&m->memory, pool);
    if (bench_wanted(b, iteration_name)) bench_add(b, iteration_name, 1e3 * iteration, "ms", "lower");
    if (bench_wanted(b, frame_name)) bench_add(b, frame_name, 1e3 * frame, "ms", "lower");
}

enum { LOCAL_OPERATIONS = 650, LOCAL_BYTES = 48 };

static void measure_parts(bench *b, model *m) {
    if (!bench_wanted(b, "elastic.local.t1") && !bench_wanted(b, "elastic.local.times.t1") &&
        !bench_wanted(b, "elastic.substitute.t1"))
        return;
    double local = 1e30, substitute = 1e30;
    sn_elastic_body_predict(m->body, sn_v3(0, (sn_real)-9.81, 0), NULL, NULL); // initialise all buffers
    sn_elastic_body_solve(m->body, 1, NULL);
    sn_elastic_body_finish(m->body);
    for (int i = 0; i < (b->quick ? 1 : 12); i++) {
        double start = bench_clock();
        sn_elastic_local_all(m->body, false, NULL);
        local = fmin(local, bench_clock() - start);
        start = bench_clock();
        sn_elastic_substitute(m->body);
        substitute = fmin(substitute, bench_clock() - start);
    }
    if (bench_wanted(b, "elastic.local.t1"))
        bench_add(b, "elastic.local.t1", 1e9 * local / m->space->tet_count, "ns/tetrahedron", "lower");
    const double arithmetic = LOCAL_OPERATIONS / b->machine.muladd_gflop_s[0];
    const double limit = fmax(arithmetic, LOCAL_BYTES / b->machine.triad_gb_s[0]);
    if (bench_wanted(b, "elastic.local.times.t1") && b->machine.muladd_gflop_s[0] > 0)
        bench_add(b, "elastic.local.times.t1", 1e9 * local / m->space->tet_count / limit, "of the limit", "lower");
    if (bench_wanted(b, "elastic.substitute.t1"))
        bench_add(b, "elastic.substitute.t1", 1e3 * substitute, "ms", "lower");
}

static bool any_wanted(const bench *b) {
    char name[2][48];
    snprintf(name[0], sizeof name[0], "elastic.frame.t%d", b->threads);
    snprintf(name[1], sizeof name[1], "elastic.iteration.t%d", b->threads);
    return bench_wanted(b, "elastic.frame.t1") || bench_wanted(b, "elastic.iteration.t1") || bench_wanted(b, name[0]) ||
           bench_wanted(b, name[1]) || bench_wanted(b, "elastic.local.t1") ||
           bench_wanted(b, "elastic.local.times.t1") || bench_wanted(b, "elastic.substitute.t1");
}

void bench_elastic(bench *b) {
    if (!any_wanted(b)) return;
    model m;
    const sn_status status = open_model(&m, b->quick);
    if (status == SN_OK) {
        measure_frames(b, &m, 1);
        if (b->threads > 1) measure_frames(b, &m, b->threads);
        measure_parts(b, &m);
    } else {
        fprintf(stderr, "sinew bench: elastic: %s\n", sn_status_name(status));
        b->failed = true;
    }
    close_model(&m);
}
