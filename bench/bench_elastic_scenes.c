// Elastic bodies of the zoo that collide: frames a second of the paper's scenes (its table 2), on as many threads as asked.
//
//     elastic.cacti     a creature falls through eight rooted cacti
//     elastic.ship      a ship of half a million tetrahedra slides over rods
//     elastic.puffer    six balls with 642 strings each fall on one another
//
// They are as in scenes/cacti.json, ship.json and puffer-balls.json. Bodies are baked first, which takes seconds; the median is of
// the frames after the first contact.
#include "bench.h"
#include "io/elastic_cache.h"
#include "sinew/sinew.h"
#include <stdio.h>
#include <stdlib.h>

#define R(x) ((sn_real)(x))

typedef struct {
    elastic_cache *cache;
    sn_world *world;
    sn_elastic_model *models[4];
    int model_count;
    bool good;
} stage;

static sn_elastic_model *model_of(stage *s, const char *name, double scale) {
    char why[256];
    elastic_origin origin;
    elastic_report report;
    const elastic_bake_options options = {.threads = 2};
    const sn_elastic_asset *asset = elastic_cache_zoo(s->cache, name, &options, &origin, &report, why);
    if (!asset) {
        fprintf(stderr, "bench: %s cannot be baked: %s\n", name, why);
        s->good = false;
        return NULL;
    }
    sn_elastic_asset sized = *asset;
    sized.rest = malloc((size_t)asset->vertex_count * sizeof *sized.rest);
    sized.centre = malloc((size_t)asset->sphere_count * sizeof *sized.centre);
    sized.radius = malloc((size_t)asset->sphere_count * sizeof *sized.radius);
    sn_elastic_model *model = NULL;
    if (sized.rest && sized.centre && sized.radius) {
        for (int i = 0; i < asset->vertex_count; ++i)
            sized.rest[i] =
                (sn_vec3){R(scale) * asset->rest[i].x, R(scale) * asset->rest[i].y, R(scale) * asset->rest[i].z};
        for (int i = 0; i < asset->sphere_count; ++i) {
            const sn_vec3 c = asset->centre[i];
            sized.centre[i] = (sn_vec3){R(scale) * c.x, R(scale) * c.y, R(scale) * c.z};
            sized.radius[i] = R(scale) * asset->radius[i];
        }
        sn_elastic_model_def def = sn_elastic_model_def_default();
        def.asset = &sized;
        s->good = sn_elastic_model_create(&def, &model) == SN_OK && s->good;
    }
    free(sized.rest);
    free(sized.centre);
    free(sized.radius);
    if (model) s->models[s->model_count++] = model;
    return model;
}

static void put(stage *s, sn_elastic_model *model, sn_vec3 at, double young, double density, int iterations,
                sn_vec3 velocity) {
    sn_elastic_def def = sn_elastic_def_default();
    def.model = model, def.position = at, def.velocity = velocity;
    def.young = R(young), def.density = R(density), def.iterations = iterations;
    sn_elastic id;
    s->good = model && sn_elastic_create(s->world, &def, &id) == SN_OK && s->good;
}

static const sn_vec3 still = {0, 0, 0};

static void cacti(stage *s) {
    put(s, model_of(s, "creature", 1), (sn_vec3){0, R(2.4), 0}, 6e4, 1000, 5, still);
    sn_elastic_model *cactus = model_of(s, "cactus-light", 1);
    for (int i = 0; i < 8; ++i)
        put(s, cactus, (sn_vec3){R(0.85 * (i % 4 - 1.5)), 0, R(0.95 * (i / 4 - 0.5))}, 2e6, 300, 4, still);
}

static void ship(stage *s) {
    put(s, model_of(s, "ship", 1), (sn_vec3){R(-0.6), 1, 0}, 2e5, 600, 4, (sn_vec3){R(1.2), 0, 0});
    for (int i = 0; i < 12; ++i) {
        sn_vec3 points[19];
        for (int k = 0; k < 19; ++k) points[k] = (sn_vec3){R(0.3 * (i - 5.5)), R(0.06), R(0.1 * (k - 9))};
        sn_rod_def def = sn_rod_def_default();
        def.points = points, def.point_count = 19, def.radius = R(0.06);
        def.material = sn_material_make(R(1e7), R(0.3), 900);
        sn_rod rod;
        s->good = sn_rod_create(s->world, &def, &rod) == SN_OK && s->good;
    }
}

static void puffers(stage *s) {
    sn_elastic_model *ball = model_of(s, "puffer", 0.5);
    for (int i = 0; i < 6; ++i)
        put(s, ball, (sn_vec3){R(1.15 * (i % 2)), R(0.9 + 1.2 * (i / 2)), 0}, 1.5e5, 900, 3, still);
}

static void measure(bench *b, stage *s, const char *name, void (*make)(stage *), int iterations, int from, int to) {
    char full[48];
    snprintf(full, sizeof full, "elastic.%s.t%d", name, b->threads);
    if (!bench_wanted(b, full)) return;
    sn_world_def def = sn_world_def_default();
    def.worker_count = b->threads, def.iterations = iterations;
    s->good = sn_world_create(&def, &s->world) == SN_OK;
    sn_shape_def ground = sn_shape_def_default();
    sn_shape plane;
    s->good = s->good && sn_shape_create(s->world, &ground, &plane) == SN_OK;
    if (s->good) make(s);
    double ms[256];
    if (b->quick) from = 1, to = 3;
    for (int i = 0; i < to && s->good; ++i) {
        const double start = bench_clock();
        sn_world_step(s->world, R(1.0 / 60), 1);
        if (i >= from) ms[i - from] = 1e3 * (bench_clock() - start);
    }
    if (s->good)
        bench_add(b, full, 1e3 / bench_median(ms, to - from), "frames/s", "higher");
    else
        b->failed = true;
    sn_world_destroy(s->world);
    s->world = NULL;
    while (s->model_count > 0) sn_elastic_model_destroy(s->models[--s->model_count]);
}

void bench_elastic_scenes(bench *b) {
    if (b->quick && b->wanted_count == 0) return; // baking takes longer than a smoke test should
    stage s = {.cache = elastic_cache_new(getenv("SINEW_CACHE"))};
    if (!s.cache) {
        b->failed = true;
        return;
    }
    measure(b, &s, "cacti", cacti, 2, 30, 120);
    measure(b, &s, "ship", ship, 2, 20, 80);
    measure(b, &s, "puffer", puffers, 1, 20, 80);
    elastic_cache_free(s.cache);
}
