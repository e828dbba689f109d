// sinew elastic: bakes a surface into an elastic body.
#include "bake/elastic_bake.h"
#include "command.h"
#include "elastic_asset_commands.h"
#include "formats/elastic_file.h"
#include "formats/medial_file.h"
#include "formats/quote.h"
#include "formats/tet_file.h"
#include "mesh_files.h"
#include "messages.h"
#include "options.h"
#include "progress.h"
#include "zoo/elastic_bodies.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *input, *output, *medial;
    text_list anchors;
    elastic_bake_options options;
    int quadratic;
    compare_request compare; // its picture is null if not requested
    double tilt;             // degrees
    bool zoo, quiet;
} elastic_request;

// The input.
typedef struct {
    zoo_elastic parts;
    elastic_source source;
    double read_seconds, write_seconds;
} elastic_job;

// --- input ---

// Options not given on the command line come from the zoo.
static int read_zoo(elastic_request *request, elastic_job *job) {
    const int kind = zoo_elastic_find(request->input);
    if (kind < 0) {
        const char *names[ZOO_ELASTIC_KINDS + 1] = {0};
        for (int i = 0; i < ZOO_ELASTIC_KINDS; i++) names[i] = zoo_elastic_name((zoo_elastic_kind)i);
        return unknown_name("body in the zoo called", request->input, names);
    }
    const elastic_bake_options own = zoo_elastic_options((zoo_elastic_kind)kind);
    elastic_bake_options *o = &request->options;
    if (o->spheres == 0) o->spheres = own.spheres, o->extra = o->extra > 0 ? o->extra : own.extra;
    if (o->tets == 0 && !(o->spacing > 0)) o->tets = own.tets;
    if (request->quadratic < 0) o->quadratic = own.quadratic;
    o->patch = own.patch, o->rings = own.rings;
    if (request->anchors.count == 0) {
        o->anchor_count = own.anchor_count;
        memcpy(o->anchor, own.anchor, sizeof o->anchor);
    }
    return zoo_elastic_make((zoo_elastic_kind)kind, &job->parts) ? EXIT_DONE : out_of_memory();
}

static int read_tets(const char *name, sn_tet_mesh *out) {
    tool_error error;
    tet_file file;
    if (!tet_read(name, &disk_files, &file, &error)) return bad_input(error.text);
    *out = file.mesh;
    file.mesh = (sn_tet_mesh){0};
    tet_file_free(&file);
    return out->tet_count > 0 ? EXIT_DONE : bad_file(name, "it contains no tetrahedra");
}

static int read_all(elastic_request *request, elastic_job *job) {
    tool_error error;
    const double start = clock_seconds();
    int code;
    if (request->zoo)
        code = read_zoo(request, job);
    else if (tet_name_is_known(request->input))
        code = read_tets(request->input, &job->parts.tets);
    else
        code = read_merged_mesh(request->input, &job->parts.surface);
    if (code == EXIT_DONE && request->medial &&
        !medial_file_read(request->medial, &disk_files, &job->parts.medial, &error))
        code = bad_input(error.text);
    if (request->options.spheres == 0) request->options.spheres = elastic_bake_default().spheres;
    job->source = zoo_elastic_source(&job->parts);
    if (job->parts.surface.vertex_count == 0) job->source.surface = NULL;
    job->read_seconds = clock_seconds() - start;
    return code;
}

// --- report ---

static void print_warnings(const elastic_report *r) {
    if (r->dropped_tets)
        warn("the solid has %d pieces that share no face; the largest was kept and %.3g %% of the volume "
             "dropped",
             r->pieces, 100 * r->dropped_share);
    if (r->repair.holes)
        warn("the surface has %d hole%s: inside and outside are uncertain there", r->repair.holes,
             plural(r->repair.holes));
    if (r->surface_volume > 0 && fabs(r->volume / r->surface_volume - 1) > 0.05)
        warn("the volume differs by %.1f %%; use a smaller --spacing to follow the surface better",
             100 * (r->volume / r->surface_volume - 1));
    if (r->lost_handles)
        warn("%d sphere%s not used as handle%s: too close to others, anchored, or moving too little", r->lost_handles,
             r->lost_handles == 1 ? " is" : "s are", plural(r->lost_handles));
}

static void print_report(const elastic_request *request, const elastic_job *job, const elastic_report *r) {
    if (job->source.surface) print_surface(&r->repair);
    printf("%-12s %d vertices, %d tetrahedra", "tetrahedra", r->vertices, r->tets);
    if (r->spacing > 0) printf(", spacing %.5g", r->spacing);
    printf(", worst quality %.3f\n%-12s %.6g", r->min_quality, "volume", r->volume);
    if (r->surface_volume > 0)
        printf(", %+.2f %% relative to the surface (%.6g)", 100 * (r->volume / r->surface_volume - 1),
               r->surface_volume);
    printf("\n%-12s %d sphere%s, %d cone%s, %d slab%s\n", "medial mesh", r->spheres, plural(r->spheres), r->cones,
           plural(r->cones), r->slabs, plural(r->slabs));
    printf("%-12s %d, %d of them quadratic: %d unknowns\n", "handles", r->handles, r->quadratic, 3 * r->columns);
    printf("%-12s %.2f per vertex", "weights", r->mean_weights);
    if (r->coarse_tets) printf(", computed on %d tetrahedra", r->coarse_tets);
    if (r->patches > 1) printf(", in %d patches", r->patches);
    printf("\n");
    if (r->anchored) printf("%-12s %d vertices\n", "anchored", r->anchored);
    if (job->source.surface)
        printf("%-12s %d of %d surface vertices are outside the tetrahedra, by at most %.3g\n", "embedding", r->outside,
               job->source.surface->vertex_count, r->farthest);
    printf("%-12s reading %.2f s, tetrahedra %.2f, medial mesh %.2f, weights %.2f, other %.2f, writing %.2f\n", "time",
           job->read_seconds, r->seconds_tets, r->seconds_medial, r->seconds_weights, r->seconds_other,
           job->write_seconds);
    print_written(&request->output, 1);
}

// --- the command ---

static int bake(elastic_request *request, elastic_job *job) {
    tool_error error;
    int code = read_all(request, job);
    if (code != EXIT_DONE) return code;
    sn_memory memory;
    sn_elastic_asset asset;
    elastic_report report;
    progress bar;
    sn_memory_init(&memory, NULL);
    progress_start(&bar, request->quiet);
    request->options.progress = progress_show;
    request->options.context = &bar;
    const bool baked = elastic_bake(&memory, &job->source, &request->options, &asset, &report, &error);
    progress_end(&bar);
    if (!baked) return cannot_make(request->input, error.text);
    print_warnings(&report);
    const double start = clock_seconds();
    if (!elastic_file_write(request->output, &asset, &error)) code = fail(EXIT_RUN_FAILED, "%s", error.text);
    job->write_seconds = clock_seconds() - start;
    if (code == EXIT_DONE && !request->quiet) print_report(request, job, &report);
    if (code == EXIT_DONE && request->compare.picture) code = elastic_compare(&asset, &request->compare);
    sn_elastic_asset_free(&memory, &asset);
    return code;
}

static int check(elastic_request *request) {
    char quoted[QUOTE_SIZE];
    if (!request->output) return fail(EXIT_BAD_INPUT, "missing output: use -o OUT.elastic");
    if (check_ending(request->output, ".elastic") || check_ending(request->compare.picture, ".png"))
        return EXIT_BAD_INPUT;
    if (request->options.spacing > 0 && request->options.tets > 0)
        return fail(EXIT_BAD_INPUT, "--spacing and --tets exclude each other");
    if (request->medial && request->options.spheres > 0)
        return fail(EXIT_BAD_INPUT, "--medial and --spheres exclude each other");
    for (int i = 0; i < request->anchors.count; i++) {
        if (elastic_anchor_parse(request->anchors.items[i], &request->options.anchor[i])) continue;
        return fail(EXIT_BAD_INPUT,
                    "--anchor %s is none of \"plane:y<0.1\", \"plane:nx,ny,nz,offset\", \"x,y,z,radius\", "
                    "\"box:x,y,z,x,y,z\"",
                    quote(request->anchors.items[i], quoted));
    }
    request->options.anchor_count = request->anchors.count;
    const double angle = request->tilt * 3.14159265358979323846 / 180;
    request->compare.load.gravity[0] = 9.81 * sin(angle), request->compare.load.gravity[1] = -9.81 * cos(angle);
    request->compare.threads = request->options.threads, request->compare.quiet = request->quiet;
    return EXIT_DONE;
}

int command_elastic(int count, char **arguments) {
    static const char *const quadratics[] = {"sparse", "none", "all", NULL}; // in the order of elastic_quadratic
    _Static_assert((int)ELASTIC_MAX_ANCHORS >= (int)TEXT_LIST_MAX, "every --anchor must fit");
    elastic_request request = {.options = elastic_bake_default(),
                               .quadratic = -1,
                               .compare.load = {.young = 1e5, .poisson = 0.4, .density = 1000}};
    request.options.threads = processor_count();
    request.options.spheres = 0;
    const option options[] = {
        option_output(&request.output, "OUT.elastic", "the file to write"),
        option_int("spheres", &request.options.spheres, "N", 1, MEDIAL_MAX_SPHERES,
                   "maximum number of medial spheres, default 100"),
        option_int("extra", &request.options.extra, "N", 0, MEDIAL_MAX_SPHERES,
                   "spheres to add where the body is far from all others, for round bodies; default 0"),
        option_int("handles", &request.options.handles, "N", 1, MEDIAL_MAX_SPHERES,
                   "maximum number of spheres used as handles, far from each other; default all"),
        option_number("spacing", &request.options.spacing, "L", 0, 1e30,
                      "edge of the lattice's cubes, in the surface's units; default from its thickness"),
        option_int("tets", &request.options.tets, "N", 10, 20000000, "approximate number of tetrahedra"),
        option_choice("quadratic", &request.quadratic, "WHICH", quadratics,
                      "quadratic handles: sparse (default: those with few neighbours or near anchors), none or all"),
        option_texts("anchor", &request.anchors, "WHERE",
                     "fixed region: plane:y<0.1, plane:nx,ny,nz,offset, x,y,z,radius or box:x,y,z,x,y,z. May "
                     "be given several times"),
        option_text("medial", &request.medial, "FILE.ma", "use this medial mesh instead of computing one"),
        option_int("weights", &request.options.max_weights, "N", 1, 8,
                   "maximum number of handles per vertex, 1 to 8; default 8"),
        option_text("compare", &request.compare.picture, "FILE.png",
                    "compare the equilibrium of the anchored body under gravity in the full space, in the subspace "
                    "and hyper-reduced; print the differences and draw the three"),
        option_number("young", &request.compare.load.young, "E", 1, 1e12,
                      "for --compare: Young's modulus, default 1e5 Pa"),
        option_number("poisson", &request.compare.load.poisson, "NU", 0, 0.49, "Poisson's ratio, default 0.4"),
        option_number("density", &request.compare.load.density, "D", 1e-3, 1e6, "default 1000 kg/m^3"),
        option_number("tilt", &request.tilt, "DEGREES", -180, 180, "tilt of gravity towards +x, default 0"),
        option_flag("zoo", &request.zoo, "MESH is the name of a body in the zoo"),
        option_threads(&request.options.threads),
        option_quiet(&request.quiet),
        {.name = NULL},
    };
    const command_usage usage = {
        "elastic",
        "MESH -o OUT.elastic [--spheres N] [--spacing L | --tets N] [--anchor WHERE]...",
        "Bakes an elastic body from a surface (.obj, .ply, .stl, .off, .glb, .gltf) or tetrahedra (.msh, .mesh, "
        ".node,\n"
        ".vtk): tetrahedra, a medial mesh, handles at its spheres and their weights at the vertices. With --zoo,\n"
        "MESH is one of creature, cactus, cactus-light, ship, puffer, marshmallow, torus, block.",
        options,
        1,
        1};
    int arguments_used, code;
    if (!options_parse(&usage, count, arguments, &request.input, &arguments_used, &code)) return code;
    if (request.quadratic >= 0) request.options.quadratic = (elastic_quadratic)request.quadratic;
    code = check(&request);
    if (code != EXIT_DONE) return code;
    elastic_job job = {0};
    code = bake(&request, &job);
    zoo_elastic_free(&job.parts);
    return code;
}
