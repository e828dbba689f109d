// links: tools
// Equilibrium of elastic bodies under gravity: the subspace of the handles against the full space, and against reducing
// the local step as well.
#include "bake/elastic_bake.h"
#include "elastic_asset_util.h"
#include "reference/equilibrium.h"
#include "test.h"
#include "zoo/surfaces.h"
#include <stdlib.h>

enum { FULL, REDUCED, HYPER, REST, SHAPES };

typedef struct {
    double *x[SHAPES];
    equilibrium_result result[3];
} shapes;

static double max_distance(const sn_elastic_asset *a, const double *x, const double *y) {
    double largest = 0;
    for (int v = 0; v < a->vertex_count; v++)
        largest =
            fmax(largest, hypot(hypot(x[3 * v] - y[3 * v], x[3 * v + 1] - y[3 * v + 1]), x[3 * v + 2] - y[3 * v + 2]));
    return largest;
}

static bool solve_all(sn_memory *memory, const sn_elastic_asset *a, const equilibrium_load *weight, int samples,
                      shapes *out) {
    tool_error error = {0};
    const size_t size = 3 * (size_t)a->vertex_count * sizeof(double);
    for (int i = 0; i < SHAPES; i++) out->x[i] = malloc(size);
    for (int v = 0; v < a->vertex_count; v++)
        out->x[REST][3 * v] = (double)a->rest[v].x, out->x[REST][3 * v + 1] = (double)a->rest[v].y,
                         out->x[REST][3 * v + 2] = (double)a->rest[v].z;
    const bool good = CHECK(equilibrium_reduced(memory, a, weight, out->x[REDUCED], &out->result[REDUCED], &error));
    memcpy(out->x[FULL], out->x[REDUCED], size);
    return good && CHECK(equilibrium_full_space(a, weight, out->x[FULL], &out->result[FULL], &error)) &&
           (samples == 0 ||
            CHECK(equilibrium_hyper_reduced(a, weight, samples, out->x[HYPER], &out->result[HYPER], &error)));
}

static void let_go(shapes *s) {
    for (int i = 0; i < SHAPES; i++) free(s->x[i]);
}

// With a handle at each vertex the subspace is the full space: both converge to the same equilibrium.
TEST(a_handle_at_each_vertex_is_the_full_space) {
    const bar_def def = {.cells = {8, 2, 2}, .cell = 0.1, .anchored = true, .vertex_each = true};
    const equilibrium_load weight = {5e5, 0.35, 1000, {0, -9.81, 0}};
    sn_memory memory;
    sn_elastic_asset asset;
    shapes s;
    sn_memory_init(&memory, NULL);
    bar_make(&memory, &def, &asset);
    REQUIRE(solve_all(&memory, &asset, &weight, 0, &s));
    CHECK(s.result[FULL].residual < 1e-6);
    const double moved = max_distance(&asset, s.x[FULL], s.x[REST]);
    CHECK(moved > 0.03);
    CHECK_NEAR(max_distance(&asset, s.x[FULL], s.x[REDUCED]), 0, 0.01 * moved);
    CHECK_NEAR(s.result[REDUCED].energy, s.result[FULL].energy, 1e-3 * fabs(s.result[FULL].energy));
    let_go(&s);
    sn_elastic_asset_free(&memory, &asset);
}

TEST(bodies_without_equilibrium_are_refused) {
    const bar_def def = {.cells = {2, 1, 1}, .cell = 0.1, .handles = {1, 1, 1}};
    const equilibrium_load weight = {5e5, 0.35, 1000, {0, -9.81, 0}};
    sn_memory memory;
    sn_elastic_asset asset;
    equilibrium_result result;
    tool_error error = {0};
    sn_memory_init(&memory, NULL);
    bar_make(&memory, &def, &asset);
    double *x = calloc(3 * (size_t)asset.vertex_count, sizeof *x);
    CHECK(!equilibrium_full_space(&asset, &weight, x, &result, &error) && strstr(error.text, "anchored"));
    CHECK(!equilibrium_hyper_reduced(&asset, &weight, 1, x, &result, &error) && strstr(error.text, "samples"));
    free(x);
    sn_elastic_asset_free(&memory, &asset);
}

// A cactus that bends far: with some dozens of handles the result is within 2 % of its size of the full space, on the
// stiff side; with the local step reduced as well it is much stiffer.
TEST(handles_come_within_two_percent_and_samples_do_not) { // once
    sn_mesh surface;
    REQUIRE(zoo_surface(ZOO_CACTUS, 4000, &surface));
    elastic_bake_options options = elastic_bake_default();
    options.spheres = 90, options.tets = 2500, options.threads = 2;
    options.anchor_count = elastic_anchor_parse("plane:y<0.05", &options.anchor[0]);
    sn_memory memory;
    sn_elastic_asset asset;
    elastic_report report;
    tool_error error = {0};
    sn_memory_init(&memory, NULL);
    REQUIRE(elastic_bake(&memory, &(elastic_source){.surface = &surface}, &options, &asset, &report, &error));
    CHECK(asset.handle_count > 30 && asset.handle_count < 90);
    const equilibrium_load weight = {6e5, 0.4, 300, {4, -9.81, 0}};
    shapes s;
    REQUIRE(solve_all(&memory, &asset, &weight, 12 * (asset.handle_count + 1), &s));
    const double size = 1.79, moved = max_distance(&asset, s.x[FULL], s.x[REST]);
    const double reduced = max_distance(&asset, s.x[FULL], s.x[REDUCED]),
                 hyper = max_distance(&asset, s.x[FULL], s.x[HYPER]);
    CHECK(moved > 0.08 * size);
    CHECK(reduced < 0.02 * size);
    CHECK(hyper > 2 * reduced);
    CHECK(max_distance(&asset, s.x[REDUCED], s.x[REST]) < 1.001 * moved);
    CHECK(max_distance(&asset, s.x[HYPER], s.x[REST]) < 0.85 * moved);
    // A smaller space has more energy; sampling the tetrahedra costs more accuracy than the subspace does.
    CHECK(s.result[FULL].energy <= s.result[REDUCED].energy + 1e-9 &&
          s.result[REDUCED].energy < s.result[HYPER].energy);
    CHECK(s.result[HYPER].energy - s.result[FULL].energy > 2 * (s.result[REDUCED].energy - s.result[FULL].energy));
    let_go(&s);
    sn_mesh_free(&surface);
    sn_elastic_asset_free(&memory, &asset);
}
