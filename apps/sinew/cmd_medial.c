// sinew medial: computes the medial mesh of a surface.
#include "command.h"
#include "formats/atomic_file.h"
#include "formats/medial_file.h"
#include "medial/medial.h"
#include "mesh_files.h"
#include "messages.h"
#include "options.h"
#include "progress.h"
#include "render/picture.h"
#include <stdio.h>

typedef struct {
    const char *input, *output, *view, *picture;
    medial_options options;
    picture_size size;
    int source, up;
    bool quiet;
} medial_request;

// --- output ---

static bool write_mesh(FILE *out, const void *mesh, tool_error *error) {
    (void)error;
    medial_file_write(out, mesh);
    return true;
}

static bool write_picture(const medial_request *request, const view_model *view, tool_error *error) {
    const picture_size size = request->size;
    const render_settings settings = {.width = size.width,
                                      .height = size.height,
                                      .samples = 32,
                                      .threads = request->options.threads,
                                      .camera = picture_camera(view, size.width, size.height)};
    return picture_write_png(request->picture, view, &settings, error);
}

static int write_all(const medial_request *request, const sn_mesh *surface, const sn_medial_mesh *mesh) {
    tool_error error;
    view_model view = {0};
    if (!atomic_file_write(request->output, write_mesh, mesh, &error)) return fail(EXIT_RUN_FAILED, "%s", error.text);
    if (!request->view && !request->picture) return EXIT_DONE;
    if (!medial_picture_make(surface, mesh, request->up == 1, &view)) return out_of_memory();
    const bool good = (!request->view || picture_write_glb(request->view, &view, request->input, &error)) &&
                      (!request->picture || write_picture(request, &view, &error));
    view_model_free(&view);
    return good ? EXIT_DONE : fail(EXIT_RUN_FAILED, "%s", error.text);
}

// --- report ---

static void print_report(const medial_request *request, const sn_medial_mesh *mesh, const medial_report *r, double read,
                         double write) {
    printf("%-12s %d vertices, %d triangles, the largest side %.5g\n", "surface", r->repair.vertices,
           r->repair.triangles, r->largest_side);
    if (r->lattice)
        printf("%-12s %d triangles around a lattice of cells of %.2f %%, since %s\n", "axis from", r->surface_triangles,
               100 * r->cell, r->lattice_reason);
    printf("%-12s %d spheres, %d cones, %d slabs", "raw axis", r->raw_spheres, r->raw_cones, r->raw_slabs);
    if (r->bridges) printf("; %d bridge%s between %d pieces", r->bridges, plural(r->bridges), r->pieces - r->crumbs);
    printf("\n%-12s %d sphere%s, %d cone%s, %d slab%s", request->output, mesh->sphere_count, plural(mesh->sphere_count),
           mesh->cone_count, plural(mesh->cone_count), mesh->slab_count, plural(mesh->slab_count));
    if (r->added) printf("; %d added after the simplification", r->added);
    if (r->bodies > 1) printf("; in %d bodies", r->bodies);
    printf("\n%-12s mean %.3f %%, at most %.2f %% of the largest side\n", "to the mesh", 100 * r->surface_mean,
           100 * r->surface_max);
    printf("%-12s mean %.3f %%, at most %.2f %%\n", "and back", 100 * r->mesh_mean, 100 * r->mesh_max);
    printf("%-12s mean %.3f %%, at most %.2f %%\n", "two-sided", 100 * medial_two_sided_error(r),
           100 * (r->surface_max > r->mesh_max ? r->surface_max : r->mesh_max));
    if (!request->options.open)
        printf("%-12s every vertex; %d were outside before, by at most %.2f %%\n", "encloses", r->outside,
               100 * r->outside_max);
    printf("%-12s reading %.2f s, repair %.2f, lattice %.2f, Delaunay %.2f, inside %.2f, axis %.2f, simplifying %.2f, "
           "fitting %.2f, measuring %.2f, writing %.2f\n",
           "time", read, r->seconds_repair, r->seconds_lattice, r->seconds_delaunay, r->seconds_inside,
           r->seconds_build, r->seconds_simplify, r->seconds_fit, r->seconds_measure, write);
}

// --- the command ---

static int check(const medial_request *request) {
    if (!request->output) return fail(EXIT_BAD_INPUT, "missing output: use -o OUT.ma");
    if (check_ending(request->output, ".ma") || check_ending(request->view, ".glb") ||
        check_ending(request->picture, ".png"))
        return EXIT_BAD_INPUT;
    if (request->options.spheres > 0 && request->options.error > 0)
        return fail(EXIT_BAD_INPUT, "--spheres and --error exclude each other");
    return EXIT_DONE;
}

static int make(medial_request *request) {
    sn_mesh surface = {0};
    sn_medial_mesh mesh = {0};
    medial_report report;
    tool_error error;
    const double start = clock_seconds();
    int code = read_merged_mesh(request->input, &surface);
    const double read = clock_seconds() - start;
    if (code == EXIT_DONE && !sn_medial_make(&surface, &request->options, &mesh, &report, &error))
        code = cannot_make(request->input, error.text);
    const double finished = clock_seconds();
    if (code == EXIT_DONE) code = write_all(request, &surface, &mesh);
    if (code == EXIT_DONE && !request->quiet) print_report(request, &mesh, &report, read, clock_seconds() - finished);
    sn_mesh_free(&surface);
    sn_medial_mesh_free(&mesh);
    return code;
}

int command_medial(int count, char **arguments) {
    static const char *const sources[] = {"auto", "direct", "lattice", NULL}; // as medial_source
    static const char *const ups[] = {"y", "z", NULL};
    double error = 0, cell = 0;
    medial_request request = {.options = medial_options_default(), .size = {960, 320}};
    request.options.spheres = 0;
    request.options.threads = processor_count();
    const option options[] = {
        option_output(&request.output, "OUT.ma", "the file to write"),
        option_int("spheres", &request.options.spheres, "N", 1, MEDIAL_MAX_SPHERES,
                   "max number of spheres; default 100"),
        option_number("error", &error, "E", 0, 100,
                      "instead: the fewest spheres with a mean two-sided error of E percent of the largest side"),
        option_choice(
            "from", &request.source, "WHAT", sources,
            "source of the axis. direct: the surface's vertices; lattice: those of tetrahedra that fill it; auto "
            "(default): direct if the surface is clean and fine enough"),
        option_number("cell", &cell, "C", 0, 25,
                      "side of the lattice's cells, percent of the largest side; default: by the thickness"),
        option_flag("open", &request.options.open, "best fit, without enclosing every vertex"),
        option_text("view", &request.view, "FILE.glb", "write the surface, the primitives and the axis side by side"),
        option_text("picture", &request.picture, "FILE.png", "the same as a picture"),
        option_size(&request.size, "of the picture, default 960x320"),
        option_choice("up", &request.up, "AXIS", ups,
                      "y or z: up axis of the file, for --view and --picture; default y"),
        option_threads(&request.options.threads),
        option_quiet(&request.quiet),
        {.name = NULL},
    };
    const command_usage usage = {"medial",
                                 "MESH -o OUT.ma [--spheres N | --error E]",
                                 "Computes the medial mesh of a surface (.obj, .ply, .stl, .off, .glb, .gltf): few "
                                 "spheres, and the cones and slabs\n"
                                 "between them, that enclose it tightly. Prints their number, the two-sided error, "
                                 "and the time of each step.",
                                 options,
                                 1,
                                 1};
    int arguments_used, code;
    if (!options_parse(&usage, count, arguments, &request.input, &arguments_used, &code)) return code;
    request.options.error = error / 100;
    request.options.cell = cell / 100;
    request.options.source = (medial_source)request.source;
    code = check(&request);
    return code == EXIT_DONE ? make(&request) : code;
}
