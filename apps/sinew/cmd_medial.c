// sinew medial: a surface to its medial mesh.
#include "command.h"
#include "io/atomic_file.h"
#include "io/medial_file.h"
#include "io/mesh_file.h"
#include "io/mesh_pose.h"
#include "io/quote.h"
#include "mesh_input.h"
#include "options.h"
#include "prepare/medial.h"
#include "progress.h"
#include "render/medial_view.h"
#include "render/still.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    const char *input, *output, *view, *picture;
    medial_options options;
    int source, up, width, height, threads;
    bool quiet;
} medial_order;

static int fail(int code, const char *why) {
    fprintf(stderr, "sinew medial: %s\n", why);
    return code;
}

// --- out ---

static bool write_mesh(const char *name, const sn_medial_mesh *mesh, char why[256]) {
    atomic_file out;
    bool good = atomic_file_open(&out, name);
    if (good) {
        medial_file_write(out.out, mesh); // errors come back at the commit
        good = atomic_file_commit(&out);
    }
    if (!good) snprintf(why, 256, "%s", out.why);
    atomic_file_abort(&out);
    return good;
}

static bool write_picture(const medial_order *order, const recording *view, char why[256]) {
    const render_settings settings = {.width = order->width,
                                      .height = order->height,
                                      .samples = 32,
                                      .threads = order->threads,
                                      .camera = medial_view_camera(view, order->width, order->height)};
    return still_write_picture(order->picture, view, &settings, why);
}

static int write_all(const medial_order *order, const sn_mesh *surface, const sn_medial_mesh *mesh) {
    char why[256];
    recording view = {0};
    if (!write_mesh(order->output, mesh, why)) return fail(EXIT_RUN_FAILED, why);
    if (!order->view && !order->picture) return EXIT_DONE;
    if (!medial_view_make(surface, mesh, order->up == 1, &view)) return fail(EXIT_RUN_FAILED, "out of memory");
    const bool good = (!order->view || still_write_glb(order->view, &view, order->input, why)) &&
                      (!order->picture || write_picture(order, &view, why));
    recording_free(&view);
    return good ? EXIT_DONE : fail(EXIT_RUN_FAILED, why);
}

// --- words ---

static const char *plural(int count) {
    return count == 1 ? "" : "s";
}

static void print_report(const medial_order *order, const sn_medial_mesh *mesh, const medial_report *r, double read,
                         double write) {
    printf("%-12s %d vertices, %d triangles, the largest side %.5g\n", "surface", r->care.vertices, r->care.triangles,
           r->largest_side);
    if (r->lattice)
        printf("%-12s %d triangles around a lattice of cells of %.2f %%, since %s\n", "axis from", r->surface_triangles,
               100 * r->cell, r->why_lattice);
    printf("%-12s %d spheres, %d cones, %d slabs", "raw axis", r->raw_spheres, r->raw_cones, r->raw_slabs);
    if (r->bridges) printf("; %d bridge%s between %d pieces", r->bridges, plural(r->bridges), r->pieces - r->crumbs);
    printf("\n%-12s %d sphere%s, %d cone%s, %d slab%s", order->output, mesh->sphere_count, plural(mesh->sphere_count),
           mesh->cone_count, plural(mesh->cone_count), mesh->slab_count, plural(mesh->slab_count));
    if (r->added) printf("; %d added where the simplification went too far", r->added);
    if (r->bodies > 1) printf("; in %d bodies", r->bodies);
    printf("\n%-12s mean %.3f %%, at most %.2f %% of the largest side\n", "to the mesh", 100 * r->surface_mean,
           100 * r->surface_most);
    printf("%-12s mean %.3f %%, at most %.2f %%\n", "and back", 100 * r->mesh_mean, 100 * r->mesh_most);
    printf("%-12s mean %.3f %%, at most %.2f %%\n", "two-sided", 100 * medial_two_sided(r),
           100 * (r->surface_most > r->mesh_most ? r->surface_most : r->mesh_most));
    if (!order->options.open)
        printf("%-12s every vertex; %d were outside before, by %.2f %% at most\n", "encloses", r->outside,
               100 * r->outside_most);
    printf("%-12s reading %.2f s, care %.2f, lattice %.2f, Delaunay %.2f, inside %.2f, axis %.2f, simplifying %.2f, "
           "fitting %.2f, measuring %.2f, writing %.2f\n",
           "time", read, r->seconds_care, r->seconds_lattice, r->seconds_delaunay, r->seconds_inside, r->seconds_build,
           r->seconds_simplify, r->seconds_fit, r->seconds_measure, write);
}

// --- the command ---

static bool ends_with(const char *name, const char *ending) {
    const size_t length = strlen(name), tail = strlen(ending);
    return length > tail && strcmp(name + length - tail, ending) == 0;
}

static int check_ending(const char *name, const char *which, const char *ending) {
    char quoted[QUOTE_SIZE];
    if (!name || ends_with(name, ending)) return EXIT_DONE;
    fprintf(stderr, "sinew medial: %s writes %s files, and the ending of %s is another\n", which, ending,
            quote(name, quoted));
    return EXIT_BAD_INPUT;
}

static int check(medial_order *order, const char *size) {
    char quoted[QUOTE_SIZE], rest;
    if (!order->output) {
        fprintf(stderr, "sinew medial: where to? Say -o OUT.ma for %s\n", quote(order->input, quoted));
        return EXIT_BAD_INPUT;
    }
    if (check_ending(order->output, "-o", ".ma") || check_ending(order->view, "--view", ".glb") ||
        check_ending(order->picture, "--picture", ".png"))
        return EXIT_BAD_INPUT;
    if (order->options.spheres > 0 && order->options.error > 0)
        return fail(EXIT_BAD_INPUT, "say either --spheres or --error: the one follows from the other");
    if (size && (sscanf(size, "%dx%d%c", &order->width, &order->height, &rest) != 2 || order->width < 16 ||
                 order->height < 16 || order->width > 8192 || order->height > 8192)) {
        fprintf(stderr, "sinew medial: --size is WIDTHxHEIGHT with 16 to 8192 each, not %s\n", quote(size, quoted));
        return EXIT_BAD_INPUT;
    }
    return EXIT_DONE;
}

static int make(medial_order *order) {
    sn_mesh surface = {0};
    sn_medial_mesh mesh = {0};
    medial_report report;
    char why[256];
    const double start = clock_seconds();
    int code = read_whole_mesh("medial", order->input, &surface);
    const double read = clock_seconds() - start;
    if (code == EXIT_DONE && !sn_medial_make(&surface, &order->options, &mesh, &report, why)) {
        const bool memory = strcmp(why, "out of memory") == 0;
        if (memory)
            fprintf(stderr, "sinew medial: %s\n", why);
        else
            fprintf(stderr, "%s: error: %s\n", order->input, why);
        code = memory ? EXIT_RUN_FAILED : EXIT_BAD_INPUT;
    }
    const double made = clock_seconds();
    if (code == EXIT_DONE) code = write_all(order, &surface, &mesh);
    if (code == EXIT_DONE && !order->quiet) print_report(order, &mesh, &report, read, clock_seconds() - made);
    sn_mesh_free(&surface);
    sn_medial_mesh_free(&mesh);
    return code;
}

int command_medial(int count, char **arguments) {
    static const char *const sources[] = {"auto", "direct", "lattice", NULL}; // as medial_source
    static const char *const ups[] = {"y", "z", NULL};
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const char *size = NULL;
    double error = 0, cell = 0;
    medial_order order = {.options = medial_options_default(), .width = 960, .height = 320};
    order.options.spheres = 0;
    order.threads = processors > 64 ? 64 : processors < 1 ? 1 : (int)processors;
    const option options[] = {
        {.name = "output",
         .letter = 'o',
         .type = OPTION_TEXT,
         .out = &order.output,
         .value = "OUT.ma",
         .help = "the file to write"},
        {.name = "spheres",
         .type = OPTION_INT,
         .out = &order.options.spheres,
         .value = "N",
         .help = "at most so many; default 100",
         .min = 1,
         .max = MEDIAL_MOST_SPHERES},
        {.name = "error",
         .type = OPTION_NUMBER,
         .out = &error,
         .value = "E",
         .help = "instead: as few as have a mean two-sided error of E percent of the largest side",
         .min = 0,
         .max = 100},
        {.name = "from",
         .type = OPTION_CHOICE,
         .out = &order.source,
         .value = "WHAT",
         .help = "direct: from the surface's own vertices; lattice: from those of tetrahedra that fill it; auto "
                 "(default): direct if it is clean and fine enough",
         .choices = sources},
        {.name = "cell",
         .type = OPTION_NUMBER,
         .out = &cell,
         .value = "C",
         .help = "edge of the lattice's cells, percent of the largest side; default by what is thin",
         .min = 0,
         .max = 25},
        {.name = "open",
         .type = OPTION_FLAG,
         .out = &order.options.open,
         .help = "fit as well as can be, without enclosing every vertex"},
        {.name = "view",
         .type = OPTION_TEXT,
         .out = &order.view,
         .value = "FILE.glb",
         .help = "also the surface, the primitives and their axis side by side"},
        {.name = "picture",
         .type = OPTION_TEXT,
         .out = &order.picture,
         .value = "FILE.png",
         .help = "the same as a picture"},
        {.name = "size", .type = OPTION_TEXT, .out = &size, .value = "WxH", .help = "of the picture, default 960x320"},
        {.name = "up",
         .type = OPTION_CHOICE,
         .out = &order.up,
         .value = "AXIS",
         .help = "y or z: what is up in the file, for --view and --picture; default y",
         .choices = ups},
        {.name = "threads",
         .type = OPTION_INT,
         .out = &order.threads,
         .value = "N",
         .help = "default all processors; the result does not depend on it",
         .min = 1,
         .max = 64},
        {.name = "quiet", .type = OPTION_FLAG, .out = &order.quiet, .help = "say nothing but errors"},
        {.name = NULL},
    };
    const command_usage usage = {"medial",
                                 "MESH -o OUT.ma [--spheres N | --error E]",
                                 "Makes the medial mesh of a surface (.obj, .ply, .stl, .off, .glb, .gltf): few "
                                 "spheres, and the cones and slabs\n"
                                 "between them, that enclose it tightly. Says how many there are, how far both are "
                                 "from each other, and how long\n"
                                 "each step took.",
                                 options,
                                 1,
                                 1};
    int words;
    options_result parsed = options_parse(&usage, count, arguments, &order.input, &words);
    if (parsed != OPTIONS_GO_ON) return parsed == OPTIONS_HELPED ? EXIT_DONE : EXIT_BAD_INPUT;
    order.options.error = error / 100;
    order.options.cell = cell / 100;
    order.options.source = (medial_source)order.source;
    order.options.threads = order.threads;
    const int code = check(&order, size);
    return code == EXIT_DONE ? make(&order) : code;
}
