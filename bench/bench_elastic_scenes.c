// Elastic bodies of the zoo that collide: the paper's scenes (its tables 2 and 3), on as many threads as asked.
//
//     elastic.cacti         a creature falls through eight rooted cacti
//     elastic.ship          a ship of half a million tetrahedra slides over rods
//     elastic.marshmallows  four marshmallows fly into three cacti
//     elastic.puffer        six balls with 642 strings each fall on one another
//     elastic.materials     five creatures of five laws tumble down stairs
//
// They are as in scenes/cacti.json and so on. Bodies are baked first, which takes seconds unless they were kept
// (SINEW_CACHE). Figures are medians over the frames after the first contact: whole frames, and of them what is solved
// (iterations of all bodies, predictions and rates), what finds contacts, and what solves them. The parts of an
// iteration, local and global, are timed by themselves on the bodies as they lie at the end, the best of a few.
#include "bench.h"
#include "kinds/elastic/elastic_internal.h"
#include "kinds/elastic/elastic_system.h"
#include "scene/elastic_cache.h"
#include "sinew/sinew.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define R(x) ((sn_real)(x))

typedef struct bench_stage {
    elastic_cache *cache;
    sn_world *world;
    sn_elastic_model *models[4];
    int model_count;
    double prepare_s; // subspaces
    int substeps;
    double poisson;
    bool good;
} stage;

// 'tets' and 'spheres': 0 for the zoo's own.
static sn_elastic_model *model_with(stage *s, const char *name, double scale, int tets, int spheres) {
    tool_error error;
    elastic_origin origin;
    elastic_report report;
    const elastic_bake_options options = {.threads = 2, .tets = tets, .spheres = spheres};
    const sn_elastic_asset *asset = elastic_cache_zoo(s->cache, name, &options, &origin, &report, &error);
    if (!asset) {
        fprintf(stderr, "bench: %s cannot be baked: %s\n", name, error.text);
        s->good = false;
        return NULL;
    }
    sn_elastic_asset sized = *asset;
    sized.rest = malloc((size_t)asset->vertex_count * sizeof *sized.rest);
    sized.centre = malloc((size_t)asset->sphere_count * sizeof *sized.centre);
    sized.radius = malloc((size_t)asset->sphere_count * sizeof *sized.radius);
    sn_elastic_model *model = NULL;
    if (sized.rest && sized.centre && sized.radius) {
        for (int i = 0; i < asset->vertex_count; i++)
            sized.rest[i] =
                (sn_vec3){R(scale) * asset->rest[i].x, R(scale) * asset->rest[i].y, R(scale) * asset->rest[i].z};
        for (int i = 0; i < asset->sphere_count; i++) {
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

static sn_elastic_model *model_of(stage *s, const char *name, double scale) {
    return model_with(s, name, scale, 0, 0);
}

static void put(stage *s, sn_elastic_model *model, sn_vec3 at, double young, double density, int iterations,
                sn_vec3 velocity) {
    sn_elastic_def def = sn_elastic_def_default();
    def.model = model, def.position = at, def.velocity = velocity;
    def.young = R(young), def.density = R(density), def.iterations = iterations, def.poisson = R(s->poisson);
    sn_body id;
    const double start = bench_clock();
    s->good = model && sn_elastic_create(s->world, &def, &id) == SN_OK && s->good;
    s->prepare_s += bench_clock() - start;
}

static const sn_vec3 still = {0, 0, 0};

static void cacti(stage *s) {
    put(s, model_of(s, "creature", 1), (sn_vec3){0, R(2.4), 0}, 6e4, 1000, 5, still);
    sn_elastic_model *cactus = model_of(s, "cactus-light", 1);
    for (int i = 0; i < 8; i++)
        put(s, cactus, (sn_vec3){R(0.85 * (i % 4 - 1.5)), 0, R(0.95 * (i / 4 - 0.5))}, 2e6, 300, 4, still);
}

static void ship(stage *s) {
    put(s, model_of(s, "ship", 1), (sn_vec3){R(-0.6), 1, 0}, 2e5, 600, 4, (sn_vec3){R(1.2), 0, 0});
    for (int i = 0; i < 12; i++) {
        sn_vec3 points[19];
        for (int k = 0; k < 19; k++) points[k] = (sn_vec3){R(0.3 * (i - 5.5)), R(0.06), R(0.1 * (k - 9))};
        sn_rod_def def = sn_rod_def_default();
        def.points = points, def.point_count = 19, def.radius = R(0.06);
        def.material = sn_material_make(R(1e7), R(0.3), 900);
        sn_body rod;
        s->good = sn_rod_create(s->world, &def, &rod) == SN_OK && s->good;
    }
}

static void puffers(stage *s) {
    static const double at[6][3] = {{-0.45, 0.02, 0.22}, {0.45, 0.07, 0.25}, {0.02, 0.12, -0.57},
                                    {-0.15, 0.82, 0.05}, {0.5, 1.32, -0.1},  {-0.3, 1.77, 0.1}};
    s->substeps = 4, s->poisson = 0.3;
    sn_elastic_model *ball = model_of(s, "puffer", 0.5);
    for (int i = 0; i < 6; i++) put(s, ball, (sn_vec3){R(at[i][0]), R(at[i][1]), R(at[i][2])}, 1.5e5, 300, 1, still);
}

static void marshmallows(stage *s) {
    sn_elastic_model *cactus = model_of(s, "cactus-light", 1), *soft = model_of(s, "marshmallow", 0.3);
    for (int i = 0; i < 3; i++) put(s, cactus, (sn_vec3){R(0.4 + 0.9 * (i - 1)), 0, 0}, 2e6, 300, 4, still);
    for (int i = 0; i < 4; i++) {
        const double side = i < 2 ? -1 : 1, far = i % 2;
        put(s, soft, (sn_vec3){R(0.4 + side * (2.4 + 0.6 * far)), R(1.1 + 0.4 * far), R(0.1 * (1 - 2 * far))}, 2.5e4,
            300, 6, (sn_vec3){R(-5 * side), R(1.5), 0});
    }
}

static void materials(stage *s) {
    sn_elastic_model *creature = model_with(s, "creature", 1, 30000, 60);
    for (int i = 0; i < 5; i++) {
        sn_elastic_def def = sn_elastic_def_default();
        def.model = creature, def.position = (sn_vec3){R(-0.5), R(3.1), R(1.4 * (i - 2))};
        def.rotation = (sn_quat){0, R(0.70710678), 0, R(0.70710678)};
        def.velocity = (sn_vec3){R(2.4), 0, 0}, def.spin = (sn_vec3){0, 0, -4};
        def.young = R(5e4), def.law = (sn_elastic_law)(SN_LAW_COROTATIONAL + i);
        sn_body id;
        const double start = bench_clock();
        s->good = creature && sn_elastic_create(s->world, &def, &id) == SN_OK && s->good;
        s->prepare_s += bench_clock() - start;
    }
    for (int i = 0; i < 6; i++) {
        const double top = 0.4 * (6 - i), from = i ? 0.6 * (i - 1) : -2, to = 0.6 * i;
        sn_rigid_def step = sn_rigid_def_default();
        step.geometry = SN_GEOMETRY_BOX;
        step.half = (sn_vec3){R(0.5 * (to - from)), R(0.5 * top), R(3.8)};
        step.position = (sn_vec3){R(0.5 * (from + to)), R(0.5 * top), 0};
        sn_body id;
        s->good = sn_rigid_create(s->world, &step, &id) == SN_OK && s->good;
    }
}

// What a scene costs, ms: a row of the table.
typedef struct {
    const char *name;
    int bodies, handles, unknowns;
    int64_t tets;
    double prepare_s;                         // subspaces, and the first step's factors
    double local, global;                     // of one iteration of every body
    double frame, simulate, detect, response; // of a frame
} scene_cost;

static double stage_of(const sn_profile *profile, const char *name) {
    for (int i = 0; sn_profile_stage_name(i); i++)
        if (strcmp(sn_profile_stage_name(i), name) == 0) return profile->stage_ms[i];
    return 0;
}

static void count_bodies(const sn_world *world, scene_cost *cost) {
    cost->bodies = sn_world_kind_count(world, SN_KIND_ELASTIC);
    for (int i = 0; i < cost->bodies; i++) {
        const sn_elastic_item *item =
            sn_elastic_find(sn_world_elastics(world), sn_world_kind_at(world, SN_KIND_ELASTIC, i));
        cost->tets += item->use->space->tet_count;
        cost->handles += item->use->space->asset->handle_count;
        cost->unknowns += 3 * item->use->space->columns;
    }
}

static void time_parts(const sn_world *world, bool quick, scene_cost *cost) {
    cost->local = cost->global = HUGE_VAL;
    for (int round = 0; round < (quick ? 1 : 8); round++) {
        double local = 0, global = 0;
        for (int i = 0; i < sn_world_kind_count(world, SN_KIND_ELASTIC); i++) {
            sn_elastic_item *item =
                sn_elastic_find(sn_world_elastics(world), sn_world_kind_at(world, SN_KIND_ELASTIC, i));
            double start = bench_clock();
            sn_elastic_local_all(item->body, true, sn_world_pool(world));
            local += bench_clock() - start;
            start = bench_clock();
            sn_elastic_substitute(item->body);
            global += bench_clock() - start;
        }
        cost->local = fmin(cost->local, 1e3 * local), cost->global = fmin(cost->global, 1e3 * global);
    }
}

enum { FRAMES = 96 };

static void add_part(bench *b, const char *name, const char *part, double ms) {
    char full[48];
    snprintf(full, sizeof full, "elastic.%s.%s.t%d", name, part, b->threads);
    if (bench_wanted(b, full)) bench_add(b, full, ms, "ms", "lower");
}

static bool scene_wanted(const bench *b, const char *name) {
    static const char *const parts[] = {"", ".frame", ".simulate", ".local", ".global", ".detect", ".response"};
    char full[48];
    bool wanted = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(full, sizeof full, "elastic.%s%s.t%d", name, parts[i], b->threads);
        wanted = wanted || bench_wanted(b, full);
    }
    return wanted;
}

static bool run_frames(bench *b, stage *s, int from, int to, scene_cost *cost) {
    double frame[FRAMES], simulate[FRAMES], detect[FRAMES], response[FRAMES], first = 0;
    if (b->quick) from = 1, to = 3;
    for (int i = 0; i < to; i++) {
        const double start = bench_clock();
        const sn_status status = sn_world_step(s->world, R(1.0 / 60), s->substeps);
        const double ms = 1e3 * (bench_clock() - start);
        if (status != SN_OK && status != SN_WARN_DIVERGED) return false;
        if (i == 0) first = ms;
        if (i < from) continue;
        const sn_profile p = sn_world_profile(s->world);
        frame[i - from] = ms;
        simulate[i - from] = stage_of(&p, "predict") + stage_of(&p, "solve") + stage_of(&p, "finish");
        detect[i - from] = stage_of(&p, "pairs") + stage_of(&p, "meet");
        response[i - from] = stage_of(&p, "contact");
    }
    cost->frame = bench_median(frame, to - from), cost->simulate = bench_median(simulate, to - from);
    cost->detect = bench_median(detect, to - from), cost->response = bench_median(response, to - from);
    cost->prepare_s = s->prepare_s + 1e-3 * fmax(first - cost->frame, 0);
    return true;
}

// A world on the ground.
static void open_world(stage *s, int threads, int iterations, void (*make)(stage *)) {
    sn_world_def def = sn_world_def_default();
    def.worker_count = threads, def.iterations = iterations;
    s->prepare_s = 0, s->substeps = 1, s->poisson = 0.4;
    s->good = sn_world_create(&def, &s->world) == SN_OK;
    sn_rigid_def ground = sn_rigid_def_default();
    sn_body plane;
    s->good = s->good && sn_rigid_create(s->world, &ground, &plane) == SN_OK;
    if (s->good) make(s);
}

static void close_world(stage *s) {
    sn_world_destroy(s->world);
    s->world = NULL;
    while (s->model_count > 0) sn_elastic_model_destroy(s->models[--s->model_count]);
}

bench_stage *bench_stage_cacti(int threads) {
    bench_stage *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->cache = elastic_cache_new(getenv("SINEW_CACHE"));
    if (s->cache) open_world(s, threads, 2, cacti);
    if (s->cache && s->good) return s;
    bench_stage_free(s);
    return NULL;
}

sn_world *bench_stage_world(bench_stage *s) {
    return s->world;
}

void bench_stage_free(bench_stage *s) {
    if (!s) return;
    close_world(s);
    elastic_cache_free(s->cache);
    free(s);
}

// False: it was not wanted, or failed.
static bool measure(bench *b, stage *s, const char *name, void (*make)(stage *), int iterations, int from, int to,
                    scene_cost *cost) {
    *cost = (scene_cost){.name = name};
    if (!scene_wanted(b, name)) return false;
    open_world(s, b->threads, iterations, make);
    if (s->good) {
        count_bodies(s->world, cost);
        s->good = run_frames(b, s, from, to, cost);
    }
    if (s->good) {
        char full[48];
        time_parts(s->world, b->quick, cost);
        snprintf(full, sizeof full, "elastic.%s.t%d", name, b->threads);
        if (bench_wanted(b, full)) bench_add(b, full, 1e3 / cost->frame, "frames/s", "higher");
        add_part(b, name, "simulate", cost->simulate);
        add_part(b, name, "local", cost->local);
        add_part(b, name, "global", cost->global);
        add_part(b, name, "detect", cost->detect);
        add_part(b, name, "response", cost->response);
    } else {
        b->failed = true;
    }
    close_world(s);
    return s->good;
}

// Beside the paper's figures for a Titan RTX (its tables 2 and 3; marshmallows and puffer balls are its Fig. 18).
static void print_table(const scene_cost *costs, int count) {
    static const struct {
        const char *name;
        int tets, unknowns; // thousands; of the largest body where there are several kinds
        double local, global, simulate, culling, detect, frames;
    } paper[] = {{"cacti", 921, 13380, 1.1, 1.8, 34.5, 9.6, 4.4, 18.6},
                 {"ship", 482, 2526, 0.56, 0.38, 42.7, 13.8, 4.7, 16.0},
                 {"marshmallows", 0, 0, 1.7, 1.9, 39.6, 14.5, 3.7, 16.4},
                 {"puffer", 3663, 92664, 3.7, 14.8, 76.5, 16.7, 5.6, 11.3}};
    printf("\n  %-13s %6s %9s %7s %8s %9s %7s %7s %9s %8s %9s %7s\n", "ms", "bodies", "tets", "handles", "unknowns",
           "prepare s", "local", "global", "simulate", "detect", "response", "fps");
    for (int i = 0; i < count; i++) {
        const scene_cost *c = &costs[i];
        printf("  %-13s %6d %9lld %7d %8d %9.2f %7.2f %7.2f %9.1f %8.1f %9.1f %7.1f\n", c->name, c->bodies,
               (long long)c->tets, c->handles, c->unknowns, c->prepare_s, c->local, c->global, c->simulate, c->detect,
               c->response, 1e3 / c->frame);
        for (size_t k = 0; k < sizeof paper / sizeof *paper; k++) {
            if (strcmp(paper[k].name, c->name) != 0) continue;
            char tets[16] = "", unknowns[16] = "";
            if (paper[k].tets) snprintf(tets, sizeof tets, "%dk", paper[k].tets);
            if (paper[k].unknowns) snprintf(unknowns, sizeof unknowns, "%d", paper[k].unknowns);
            printf("  %-13s %6s %9s %7s %8s %9s %7.2f %7.2f %9.1f %8.1f %9s %7.1f\n", "  the paper", "", tets, "",
                   unknowns, "", paper[k].local, paper[k].global, paper[k].simulate, paper[k].culling + paper[k].detect,
                   "", paper[k].frames);
        }
    }
    printf("\n");
}

void bench_elastic_scenes(bench *b) {
    if (b->quick && b->wanted_count == 0) return; // baking takes longer than a smoke test should
    stage s = {.cache = elastic_cache_new(getenv("SINEW_CACHE"))};
    if (!s.cache) {
        b->failed = true;
        return;
    }
    scene_cost costs[5];
    int count = 0;
    count += measure(b, &s, "cacti", cacti, 2, 30, 120, &costs[count]);
    count += measure(b, &s, "ship", ship, 2, 20, 80, &costs[count]);
    count += measure(b, &s, "marshmallows", marshmallows, 2, 24, 84, &costs[count]);
    count += measure(b, &s, "puffer", puffers, 1, 10, 100, &costs[count]);
    count += measure(b, &s, "materials", materials, 2, 20, 80, &costs[count]);
    if (b->announce && count > 0) print_table(costs, count);
    elastic_cache_free(s.cache);
}
