// sinew elastic: a surface to an elastic body, baked.
#include "command.h"
#include "elastic_compare.h"
#include "io/elastic_file.h"
#include "io/medial_file.h"
#include "io/quote.h"
#include "io/tet_file.h"
#include "mesh_input.h"
#include "options.h"
#include "prepare/elastic_bake.h"
#include "progress.h"
#include "zoo/elastic_bodies.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    const char *input, *output, *medial;
    text_list anchors;
    elastic_bake_options options;
    int quadratic;
    compare_order compare; // its picture null: not asked for
    double lean;           // degrees
    bool zoo, quiet;
} elastic_order;

// What the body is made of, as it was read.
typedef struct {
    zoo_elastic parts;
    elastic_source source;
    double read_seconds, write_seconds;
} elastic_job;

static int fail(int code, const char *why) {
    fprintf(stderr, "sinew elastic: %s\n", why);
    return code;
}

static void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void warn(const char *format, ...) {
    va_list words;
    va_start(words, format);
    fprintf(stderr, "sinew elastic: warning: ");
    vfprintf(stderr, format, words);
    fprintf(stderr, "\n");
    va_end(words);
}

// --- in ---

// What was not asked for is as the zoo has it.
static int read_zoo(elastic_order *order, elastic_job *job) {
    char quoted[QUOTE_SIZE];
    const int kind = zoo_elastic_find(order->input);
    if (kind < 0) {
        const char *names[ZOO_ELASTIC_KINDS + 1] = {0};
        for (int i = 0; i < ZOO_ELASTIC_KINDS; ++i) names[i] = zoo_elastic_name((zoo_elastic_kind)i);
        const char *near = suggest(order->input, names);
        fprintf(stderr, "sinew elastic: the zoo has no body %s", quote(order->input, quoted));
        if (near) fprintf(stderr, "; did you mean \"%s\"?", near);
        fprintf(stderr, "\n");
        return EXIT_BAD_INPUT;
    }
    const elastic_bake_options own = zoo_elastic_options((zoo_elastic_kind)kind);
    elastic_bake_options *o = &order->options;
    if (o->spheres == 0) o->spheres = own.spheres, o->extra = o->extra > 0 ? o->extra : own.extra;
    if (o->tets == 0 && !(o->spacing > 0)) o->tets = own.tets;
    if (order->quadratic < 0) o->quadratic = own.quadratic;
    o->patch = own.patch, o->rings = own.rings;
    if (order->anchors.count == 0) {
        o->anchor_count = own.anchor_count;
        memcpy(o->anchor, own.anchor, sizeof o->anchor);
    }
    return zoo_elastic_make((zoo_elastic_kind)kind, &job->parts) ? EXIT_DONE : fail(EXIT_RUN_FAILED, "out of memory");
}

static int read_tets(const char *name, sn_tet_mesh *out) {
    char why[MESH_WHY_SIZE];
    tet_file file;
    if (!tet_read(name, &file, why)) {
        fprintf(stderr, "%s\n", why);
        return EXIT_BAD_INPUT;
    }
    *out = file.mesh;
    file.mesh = (sn_tet_mesh){0};
    tet_file_free(&file);
    if (out->tet_count > 0) return EXIT_DONE;
    fprintf(stderr, "%s: error: there are no tetrahedra in it\n", name);
    return EXIT_BAD_INPUT;
}

static int read_all(elastic_order *order, elastic_job *job) {
    char why[MESH_WHY_SIZE];
    const double start = clock_seconds();
    int code;
    if (order->zoo)
        code = read_zoo(order, job);
    else if (tet_name_is_known(order->input))
        code = read_tets(order->input, &job->parts.tets);
    else
        code = read_whole_mesh("elastic", order->input, &job->parts.surface);
    if (code == EXIT_DONE && order->medial && !medial_file_read(order->medial, &job->parts.medial, why)) {
        fprintf(stderr, "%s\n", why);
        code = EXIT_BAD_INPUT;
    }
    if (order->options.spheres == 0) order->options.spheres = elastic_bake_default().spheres;
    job->source = zoo_elastic_source(&job->parts);
    if (job->parts.surface.vertex_count == 0) job->source.surface = NULL;
    job->read_seconds = clock_seconds() - start;
    return code;
}

// --- words ---

static const char *plural(int count) {
    return count == 1 ? "" : "s";
}

static void show_progress(void *context, double done, const char *words) {
    progress_update(context, done, words);
}

static void print_warnings(const elastic_report *r) {
    if (r->dropped_tets)
        warn("the solid came out in %d pieces that share no face; the largest was kept, and %.3g %% of the volume "
             "dropped",
             r->pieces, 100 * r->dropped_share);
    if (r->care.holes)
        warn("the surface has %d hole%s: what is inside is not certain there", r->care.holes, plural(r->care.holes));
    if (r->surface_volume > 0 && fabs(r->volume / r->surface_volume - 1) > 0.05)
        warn("the volume is off by %.1f %%; a smaller --spacing follows the surface better",
             100 * (r->volume / r->surface_volume - 1));
    if (r->lost_handles)
        warn("%d sphere%s no handle%s: too close to others, anchored, or with too little to move", r->lost_handles,
             r->lost_handles == 1 ? " is" : "s are", plural(r->lost_handles));
}

static void print_report(const elastic_order *order, const elastic_job *job, const elastic_report *r) {
    if (job->source.surface)
        printf("%-12s %d vertices, %d triangles, %s\n", "surface", r->care.vertices, r->care.triangles,
               r->care.closed ? "closed" : "open");
    printf("%-12s %d vertices, %d tetrahedra", "tetrahedra", r->vertices, r->tets);
    if (r->spacing > 0) printf(", spacing %.5g", r->spacing);
    printf(", worst quality %.3f\n%-12s %.6g", r->worst_quality, "volume", r->volume);
    if (r->surface_volume > 0)
        printf(", %+.2f %% against the surface's %.6g", 100 * (r->volume / r->surface_volume - 1), r->surface_volume);
    printf("\n%-12s %d sphere%s, %d cone%s, %d slab%s\n", "medial mesh", r->spheres, plural(r->spheres), r->cones,
           plural(r->cones), r->slabs, plural(r->slabs));
    printf("%-12s %d, of these %d quadratic: %d unknowns\n", "handles", r->handles, r->quadratic, 3 * r->columns);
    printf("%-12s %.2f for each vertex", "weights", r->mean_weights);
    if (r->coarse_tets) printf(", found with %d tetrahedra", r->coarse_tets);
    if (r->patches > 1) printf(", in %d patches", r->patches);
    printf("\n");
    if (r->anchored) printf("%-12s %d vertices\n", "anchored", r->anchored);
    if (job->source.surface)
        printf("%-12s %d of %d vertices of the surface are outside of the tetrahedra, by %.3g at most\n", "embedding",
               r->outside, job->source.surface->vertex_count, r->farthest);
    printf("%-12s reading %.2f s, tetrahedra %.2f, medial mesh %.2f, weights %.2f, the rest %.2f, writing %.2f\n",
           "time", job->read_seconds, r->seconds_tets, r->seconds_medial, r->seconds_weights, r->seconds_rest,
           job->write_seconds);
    printf("%-12s %s\n", "written", order->output);
}

// --- the command ---

static int make(elastic_order *order, elastic_job *job) {
    char why[MESH_WHY_SIZE];
    int code = read_all(order, job);
    if (code != EXIT_DONE) return code;
    sn_memory memory;
    sn_elastic_asset asset;
    elastic_report report;
    progress bar;
    sn_memory_init(&memory, NULL);
    progress_start(&bar, order->quiet);
    order->options.progress = show_progress;
    order->options.context = &bar;
    const bool baked = elastic_bake(&memory, &job->source, &order->options, &asset, &report, why);
    progress_end(&bar);
    if (!baked) {
        if (strncmp(why, "out of memory", 13) == 0) return fail(EXIT_RUN_FAILED, why);
        fprintf(stderr, "%s: error: %s\n", order->input, why);
        return EXIT_BAD_INPUT;
    }
    print_warnings(&report);
    const double start = clock_seconds();
    if (!elastic_file_write(order->output, &asset, why)) code = fail(EXIT_RUN_FAILED, why);
    job->write_seconds = clock_seconds() - start;
    if (code == EXIT_DONE && !order->quiet) print_report(order, job, &report);
    if (code == EXIT_DONE && order->compare.picture) code = elastic_compare(&asset, &order->compare);
    sn_elastic_asset_free(&memory, &asset);
    return code;
}

static int check(elastic_order *order) {
    char quoted[QUOTE_SIZE];
    if (!order->output) {
        fprintf(stderr, "sinew elastic: where to? Say -o OUT.elastic for %s\n", quote(order->input, quoted));
        return EXIT_BAD_INPUT;
    }
    if (!elastic_name_is_known(order->output)) {
        fprintf(stderr, "sinew elastic: -o writes .elastic files, and the ending of %s is another\n",
                quote(order->output, quoted));
        return EXIT_BAD_INPUT;
    }
    if (order->options.spacing > 0 && order->options.tets > 0)
        return fail(EXIT_BAD_INPUT, "say either --spacing or --tets: the one follows from the other");
    if (order->medial && order->options.spheres > 0)
        return fail(EXIT_BAD_INPUT, "say either --medial or --spheres: a medial mesh that is given has its spheres");
    for (int i = 0; i < order->anchors.count; ++i) {
        if (elastic_anchor_parse(order->anchors.items[i], &order->options.anchor[i])) continue;
        fprintf(stderr,
                "sinew elastic: --anchor %s is none of \"plane:y<0.1\", \"plane:nx,ny,nz,offset\", \"x,y,z,radius\", "
                "\"box:x,y,z,x,y,z\"\n",
                quote(order->anchors.items[i], quoted));
        return EXIT_BAD_INPUT;
    }
    order->options.anchor_count = order->anchors.count;
    const char *picture = order->compare.picture, *ending = picture ? strrchr(picture, '.') : NULL;
    if (picture && (!ending || strcmp(ending, ".png") != 0)) {
        fprintf(stderr, "sinew elastic: --compare writes .png files, and the ending of %s is another\n",
                quote(picture, quoted));
        return EXIT_BAD_INPUT;
    }
    const double turn = order->lean * 3.14159265358979323846 / 180;
    order->compare.weight.gravity[0] = 9.81 * sin(turn), order->compare.weight.gravity[1] = -9.81 * cos(turn);
    order->compare.threads = order->options.threads, order->compare.quiet = order->quiet;
    return EXIT_DONE;
}

int command_elastic(int count, char **arguments) {
    static const char *const quadratics[] = {"sparse", "none", "all", NULL}; // as elastic_quadratic
    _Static_assert((int)ELASTIC_MOST_ANCHORS >= (int)TEXT_LIST_MOST, "every --anchor has its place");
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    elastic_order order = {.options = elastic_bake_default(),
                           .quadratic = -1,
                           .compare.weight = {.young = 1e5, .poisson = 0.4, .density = 1000}};
    order.options.threads = processors > 64 ? 64 : processors < 1 ? 1 : (int)processors;
    order.options.spheres = 0;
    const option options[] = {
        {.name = "output",
         .letter = 'o',
         .type = OPTION_TEXT,
         .out = &order.output,
         .value = "OUT.elastic",
         .help = "the file to write"},
        {.name = "spheres",
         .type = OPTION_INT,
         .out = &order.options.spheres,
         .value = "N",
         .help = "of the medial mesh, at most; default 100",
         .min = 1,
         .max = MEDIAL_MOST_SPHERES},
        {.name = "extra",
         .type = OPTION_INT,
         .out = &order.options.extra,
         .value = "N",
         .help = "add so many spheres where the body is far from all others, for round bodies; default 0",
         .min = 0,
         .max = MEDIAL_MOST_SPHERES},
        {.name = "handles",
         .type = OPTION_INT,
         .out = &order.options.handles,
         .value = "N",
         .help = "at most so many spheres are handles, far from each other; default all",
         .min = 1,
         .max = MEDIAL_MOST_SPHERES},
        {.name = "spacing",
         .type = OPTION_NUMBER,
         .out = &order.options.spacing,
         .value = "L",
         .help = "edge of the lattice's cubes, in the surface's units; default by its thickness",
         .min = 0,
         .max = 1e30},
        {.name = "tets",
         .type = OPTION_INT,
         .out = &order.options.tets,
         .value = "N",
         .help = "about how many tetrahedra to make",
         .min = 10,
         .max = 20000000},
        {.name = "quadratic",
         .type = OPTION_CHOICE,
         .out = &order.quadratic,
         .value = "WHICH",
         .help = "handles: sparse (default): those with few neighbours or at anchors that move enough; none; all that "
                 "move enough",
         .choices = quadratics},
        {.name = "anchor",
         .type = OPTION_TEXTS,
         .out = &order.anchors,
         .value = "WHERE",
         .help = "what stays where it is: plane:y<0.1, plane:nx,ny,nz,offset, x,y,z,radius or box:x,y,z,x,y,z. May be "
                 "given several times"},
        {.name = "medial",
         .type = OPTION_TEXT,
         .out = &order.medial,
         .value = "FILE.ma",
         .help = "take this medial mesh instead of making one"},
        {.name = "weights",
         .type = OPTION_INT,
         .out = &order.options.most,
         .value = "N",
         .help = "handles that may move a vertex, 1 to 8; default 8",
         .min = 1,
         .max = 8},
        {.name = "compare",
         .type = OPTION_TEXT,
         .out = &order.compare.picture,
         .value = "FILE.png",
         .help = "lets the body, which must be anchored, come to rest under its weight in the full space, its own, and "
                 "hyper-reduced; says how far apart that is, and draws the three"},
        {.name = "young",
         .type = OPTION_NUMBER,
         .out = &order.compare.weight.young,
         .value = "E",
         .help = "for --compare: Young's modulus, default 1e5 Pa",
         .min = 1,
         .max = 1e12},
        {.name = "poisson",
         .type = OPTION_NUMBER,
         .out = &order.compare.weight.poisson,
         .value = "NU",
         .help = "Poisson's ratio, default 0.4",
         .min = 0,
         .max = 0.49},
        {.name = "density",
         .type = OPTION_NUMBER,
         .out = &order.compare.weight.density,
         .value = "D",
         .help = "default 1000 kg/m^3",
         .min = 1e-3,
         .max = 1e6},
        {.name = "lean",
         .type = OPTION_NUMBER,
         .out = &order.lean,
         .value = "DEGREES",
         .help = "by which gravity leans to +x, default 0",
         .min = -180,
         .max = 180},
        {.name = "zoo", .type = OPTION_FLAG, .out = &order.zoo, .help = "MESH is the name of a body of the zoo"},
        {.name = "threads",
         .type = OPTION_INT,
         .out = &order.options.threads,
         .value = "N",
         .help = "default all processors; the result does not depend on it",
         .min = 1,
         .max = 64},
        {.name = "quiet", .type = OPTION_FLAG, .out = &order.quiet, .help = "say nothing but errors and warnings"},
        {.name = NULL},
    };
    const command_usage usage = {
        "elastic",
        "MESH -o OUT.elastic [--spheres N] [--spacing L | --tets N] [--anchor WHERE]...",
        "Bakes an elastic body of a surface (.obj, .ply, .stl, .off, .glb, .gltf) or of tetrahedra (.msh, .mesh, "
        ".node,\n"
        ".vtk): tetrahedra, a medial mesh, handles at its spheres, and how much each moves every vertex. With --zoo,\n"
        "MESH is one of creature, cactus, cactus-light, ship, puffer, marshmallow, torus, block.",
        options,
        1,
        1};
    int words;
    options_result parsed = options_parse(&usage, count, arguments, &order.input, &words);
    if (parsed != OPTIONS_GO_ON) return parsed == OPTIONS_HELPED ? EXIT_DONE : EXIT_BAD_INPUT;
    if (order.quadratic >= 0) order.options.quadratic = (elastic_quadratic)order.quadratic;
    int code = check(&order);
    if (code != EXIT_DONE) return code;
    elastic_job job = {0};
    code = make(&order, &job);
    zoo_elastic_free(&job.parts);
    return code;
}
