// sinew mesh: repairs a mesh, and smooths, resamples or decimates it.
#include "base/union_find.h"
#include "command.h"
#include "fields/smooth.h"
#include "mesh/decimate.h"
#include "mesh/mesh_repair.h"
#include "mesh/polygon.h"
#include "mesh/resample.h"
#include "mesh/self_intersection.h"
#include "mesh_files.h"
#include "messages.h"
#include "options.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *input, *output;
    double weld, smooth, edge; // 0: off
    int fill, triangles;
    bool largest, quiet;
} mesh_request;

static void replace(sn_mesh *mesh, sn_mesh *by) {
    sn_mesh_free(mesh);
    *mesh = *by;
    *by = (sn_mesh){0};
}

// Keeps the triangles of the piece (connected over vertices) with the largest area.
static bool keep_largest(sn_mesh *mesh, int *dropped) {
    int *part = malloc(((size_t)mesh->vertex_count + 1) * sizeof *part);
    double *area = calloc((size_t)mesh->vertex_count + 1, sizeof *area);
    const bool good = part && area;
    int best = 0, kept = 0;
    *dropped = 0;
    for (int v = 0; v < mesh->vertex_count && good; v++) part[v] = v;
    for (int t = 0; t < mesh->triangle_count && good; t++) {
        for (int k = 1; k < 3; k++) sn_union(part, mesh->triangle[t][0], mesh->triangle[t][k]);
    }
    for (int t = 0; t < mesh->triangle_count && good; t++)
        area[sn_find_root(part, mesh->triangle[t][0])] += sn_mesh_triangle_area(mesh, t);
    for (int v = 0; v < mesh->vertex_count && good; v++) {
        *dropped += area[v] > 0;
        if (area[v] > area[best]) best = v;
    }
    for (int t = 0; t < mesh->triangle_count && good; t++)
        if (sn_find_root(part, mesh->triangle[t][0]) == best)
            memmove(mesh->triangle[kept++], mesh->triangle[t], sizeof *mesh->triangle);
    if (good) mesh->triangle_count = kept, *dropped -= *dropped > 0;
    free(part), free(area);
    return good;
}

// Repairs the mesh in place. The report describes the result.
static bool repair(sn_mesh *mesh, const mesh_repair_options *options, mesh_repair_report *report) {
    sn_mesh repaired;
    if (!mesh_repair(mesh, options, &repaired, NULL, report)) return false;
    replace(mesh, &repaired);
    return true;
}

static int process(const mesh_request *request, sn_mesh *mesh, mesh_repair_report *report) {
    mesh_repair_options options = mesh_repair_options_default();
    const double size = sn_mesh_diagonal(mesh);
    sn_mesh result;
    if (request->weld > 0 && size > 0) options.weld = request->weld / size;
    if (request->fill >= 0) options.fill_edges = request->fill;
    if (!repair(mesh, &options, report)) return out_of_memory();
    if (!request->quiet) print_repair("", report);
    if (request->largest) {
        int dropped;
        if (!keep_largest(mesh, &dropped) || !repair(mesh, &options, report)) return out_of_memory();
        if (!request->quiet && dropped) printf("  %d smaller piece%s dropped\n", dropped, plural(dropped));
    }
    if (request->smooth > 0) {
        if (!sn_smooth_positions(mesh, request->smooth)) return out_of_memory();
        if (!request->quiet) printf("  smoothed over %.4g\n", request->smooth);
    }
    if (request->edge > 0) {
        tool_error error;
        const sn_resample_options resample = sn_resample_options_default(request->edge);
        if (!sn_resample(mesh, &resample, &result, &error)) return fail(EXIT_RUN_FAILED, "%s", error.text);
        replace(mesh, &result);
        if (!request->quiet)
            printf("  resampled to edges of %.4g: %d triangles\n", request->edge, mesh->triangle_count);
    }
    if (request->triangles > 0 && mesh->triangle_count > request->triangles) {
        const sn_decimate_options decimate = {request->triangles, 0};
        if (!sn_decimate(mesh, &decimate, &result)) return out_of_memory();
        replace(mesh, &result);
        if (!request->quiet) printf("  decimated to %d triangles\n", mesh->triangle_count);
    } else if (request->triangles > 0 && !request->quiet)
        printf("  has no more than %d triangles; --edge makes more\n", request->triangles);
    options.weld = 0, options.fill_edges = 0, options.orient = false;
    return repair(mesh, &options, report) ? EXIT_DONE : out_of_memory();
}

static void print_result(const mesh_request *request, const sn_mesh *mesh, const mesh_repair_report *report) {
    tool_error error;
    sn_self_intersections crossing;
    printf("%s: %d vertices, %d triangles, %d piece%s\n", request->output, mesh->vertex_count, mesh->triangle_count,
           report->components, plural(report->components));
    if (mesh_is_solid(report, &error))
        printf("  closed, volume %.6g\n", report->volume);
    else
        printf("  not a solid: %s\n", error.text);
    if (sn_self_intersection_find(mesh, &crossing, NULL) && crossing.pairs)
        printf("  intersects itself: %s%lld pair%s of triangles\n", crossing.complete ? "" : "more than ",
               crossing.pairs, crossing.pairs == 1 ? "" : "s");
}

int command_mesh(int count, char **arguments) {
    mesh_request request = {.fill = -1};
    const option options[] = {
        option_output(&request.output, "OUT.obj", "the file to write"),
        option_number("weld", &request.weld, "D", 0, 1e30,
                      "weld vertices closer than this, in the mesh's units; default a millionth of its diagonal"),
        option_int("fill", &request.fill, "N", 0, POLYGON_MAX, "fill holes of up to N edges; default 8, 0: none"),
        option_flag("largest", &request.largest, "keep the largest piece only"),
        option_number("smooth", &request.smooth, "L", 0, 1e30,
                      "remove detail finer than about this length; a closed surface keeps its volume"),
        option_number("edge", &request.edge, "L", 0, 1e30, "resample to triangles with edges of about this length"),
        option_int("triangles", &request.triangles, "N", 4, 1e9,
                   "decimate to about this many triangles, with the least change of the surface"),
        option_quiet(&request.quiet),
        {.name = NULL},
    };
    const command_usage usage = {
        "mesh",
        "IN -o OUT.obj [--weld D] [--fill N] [--largest] [--smooth L] [--edge L] [--triangles N]",
        "Repairs a mesh (.obj, .ply, .stl, .off, .glb, .gltf): welds vertices, drops degenerate and duplicate "
        "triangles,\n"
        "orients triangles outward and fills small holes. Then smooths, resamples and decimates it, in this order.\n"
        "'sinew info' reports what is wrong with a mesh, and which option helps.",
        options,
        1,
        1};
    int arguments_used, code;
    if (!options_parse(&usage, count, arguments, &request.input, &arguments_used, &code)) return code;
    if (!request.output) return fail(EXIT_BAD_INPUT, "missing output: use -o OUT.obj");
    if (check_ending(request.output, ".obj") != EXIT_DONE) return EXIT_BAD_INPUT;
    sn_mesh mesh = {0};
    mesh_repair_report report;
    code = read_merged_mesh(request.input, &mesh);
    if (code != EXIT_DONE) return code;
    if (!request.quiet)
        printf("%s: %d vertices, %d triangles\n", request.input, mesh.vertex_count, mesh.triangle_count);
    code = process(&request, &mesh, &report);
    if (code == EXIT_DONE) code = write_obj(request.output, &mesh);
    if (code == EXIT_DONE && !request.quiet) print_result(&request, &mesh, &report);
    sn_mesh_free(&mesh);
    return code;
}
