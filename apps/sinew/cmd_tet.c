// sinew tet: fills a surface with tetrahedra.
#include "command.h"
#include "formats/quote.h"
#include "formats/tet_embed_file.h"
#include "formats/tet_file.h"
#include "mesh/mesh_repair.h"
#include "mesh_files.h"
#include "messages.h"
#include "options.h"
#include "progress.h"
#include "render/picture.h"
#include "tets/tet_embed.h"
#include "tets/tet_lattice.h"
#include "tets/tet_spacing.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *input;
    text_list outputs;
    const char *surface, *cut;
    double spacing, ratio;
    int tets, threads;
    bool keep_all, quiet;
} tet_request;

// The data between input and output.
typedef struct {
    sn_mesh input, surface; // as read, and repaired
    mesh_repair_report repair;
    sn_mesh_query *query;
    sn_winding *winding;
    sn_tet_thickness thickness;
    double spacing;
    char how[160];   // how the spacing was chosen
    bool may_refine; // the size is not given
    sn_tet_mesh mesh;
    sn_tet_lattice_report lattice;
    sn_tet_report quality;
    int pieces, dropped_tets;
    double dropped_share; // of the volume
    sn_tet_point *embedding;
    sn_tet_embed_report embed;
    double read_seconds, spacing_seconds, check_seconds, write_seconds;
} tet_job;

// Default number of tetrahedra: enough for a smooth surface, few enough to be fast.
enum { MIN_TETS = 20000, MAX_TETS = 500000 };

// --- input ---

static int read_surface(const tet_request *request, tet_job *job) {
    const double start = clock_seconds();
    const mesh_repair_options options = mesh_repair_options_default();
    const int code = read_merged_mesh(request->input, &job->input);
    if (code != EXIT_DONE) return code;
    if (!mesh_repair(&job->input, &options, &job->surface, NULL, &job->repair)) return out_of_memory();
    if (job->surface.triangle_count == 0) return bad_file(request->input, "it has no triangle with area");
    job->read_seconds = clock_seconds() - start;
    return EXIT_DONE;
}

static void warn_of_surface(const tet_job *job) {
    const mesh_repair_report *r = &job->repair;
    if (r->holes)
        warn("the surface has %d hole%s, the longest %.4g around: the inside is uncertain there; close them if it "
             "matters",
             r->holes, plural(r->holes), r->longest_hole);
    if (r->non_manifold_edges)
        warn("%d edges are shared by three or more triangles: solids are in contact there, or there are inner walls",
             r->non_manifold_edges);
    if (r->inconsistent_edges)
        warn("%d edges have inconsistently oriented triangles: the inside is uncertain there", r->inconsistent_edges);
    if (r->duplicate) warn("%d duplicate or back-to-back triangles were dropped", r->duplicate);
    if (r->degenerate + r->zero_area_triangles)
        warn("%d triangles have no area and are ignored", r->degenerate + r->zero_area_triangles);
    if (r->flipped) warn("%d triangles faced the wrong way and were flipped", r->flipped);
}

// --- the spacing ---

static int choose_spacing(const tet_request *request, tet_job *job) {
    const double start = clock_seconds();
    sn_tet_spacing_reason reason = TET_SPACING_THIN;
    job->query = sn_mesh_query_build(&job->surface);
    job->winding = sn_winding_make(&job->surface);
    if (!job->query || !job->winding) return out_of_memory();
    sn_tet_thickness_measure(&job->surface, job->query, job->winding, &job->thickness);
    const sn_tet_thickness *found = &job->thickness;
    if (!(found->volume > 0) && !(request->spacing > 0) && !(request->ratio > 0))
        return fail(EXIT_BAD_INPUT, "the surface has no inside to fill: close it, or flip its "
                                    "triangles");
    if (request->spacing > 0) {
        job->spacing = request->spacing;
        snprintf(job->how, sizeof job->how, "as given");
    } else if (request->ratio > 0) {
        job->spacing = request->ratio * found->diagonal;
        snprintf(job->how, sizeof job->how, "%.4g of the box's diagonal, as given", request->ratio);
    } else if (request->tets > 0) {
        job->spacing = sn_tet_spacing(found, request->tets, request->tets, &reason);
        snprintf(job->how, sizeof job->how, "for about %d tetrahedra, as given", request->tets);
    } else {
        job->spacing = sn_tet_spacing(found, MIN_TETS, MAX_TETS, &reason);
        job->may_refine = true;
        if (reason == TET_SPACING_THIN)
            snprintf(job->how, sizeof job->how, "half of the thickness of the thinnest 5 %%");
        else if (reason == TET_SPACING_FEW)
            snprintf(job->how, sizeof job->how, "for about %d tetrahedra, since the body is thick enough", MIN_TETS);
        else
            snprintf(job->how, sizeof job->how, "for about %d tetrahedra, although thin parts need more", MAX_TETS);
    }
    job->spacing_seconds = clock_seconds() - start;
    return EXIT_DONE;
}

static void warn_of_thin_parts(const tet_job *job) {
    const double share = sn_tet_thickness_share(&job->thickness, job->spacing);
    if (share <= 0.01) return;
    const double holds = 0.5 * job->thickness.thickness[job->thickness.count / 100];
    char hint[64] = "";
    if (12 * job->thickness.volume / (holds * holds * holds) < TET_LATTICE_MAX_TETS)
        snprintf(hint, sizeof hint, "; --spacing %.3g would keep it", holds);
    warn("%.0f %% of the surface is thinner than the spacing, and may break into pieces or vanish%s", 100 * share,
         hint);
}

// --- the tetrahedra ---

static void show_progress(void *context, double done) {
    progress_update(context, done, "filling");
}

static bool keep_largest(tet_job *job, bool keep_all) {
    int *part = malloc(((size_t)job->mesh.tet_count + 1) * sizeof *part);
    bool *keep = malloc((size_t)job->mesh.tet_count + 1);
    bool good = part && keep;
    job->pieces = good ? sn_tet_mesh_components(&job->mesh, part) : -1;
    good = good && job->pieces >= 0;
    if (good && job->pieces > 1 && !keep_all) {
        const int before = job->mesh.tet_count;
        for (int t = 0; t < before; t++) keep[t] = part[t] == 0;
        good = sn_tet_mesh_keep(&job->mesh, keep);
        job->dropped_tets = before - job->mesh.tet_count;
        if (good) job->dropped_share = 1 - sn_tet_mesh_measure(&job->mesh).volume / job->quality.volume;
    }
    free(part);
    free(keep);
    return good;
}

// The volume inside the surface. Its own volume counts overlaps twice. 0: unknown.
static double target_volume(const tet_job *job) {
    return job->repair.closed && job->repair.volume > 0 ? job->repair.volume - job->lattice.overlap : 0;
}

static double volume_error(const tet_job *job) {
    return target_volume(job) > 0 ? job->quality.volume / target_volume(job) - 1 : 0;
}

// Refines the spacing if the error of the volume, which is proportional to its square, is too large.
static bool refine(tet_job *job) {
    const double off = fabs(volume_error(job)), finer = job->spacing * sqrt(0.015 / (off > 0 ? off : 1));
    const double tets = job->mesh.tet_count * pow(job->spacing / finer, 3);
    if (!job->may_refine || off < 0.02 || off > 0.15 || tets > MAX_TETS) return false;
    const size_t length = strlen(job->how);
    job->spacing = finer;
    job->may_refine = false;
    snprintf(job->how + length, sizeof job->how - length, "; refined to keep the volume");
    return true;
}

static int fill(const tet_request *request, tet_job *job) {
    tool_error error;
    bool good;
    do {
        progress bar;
        progress_start(&bar, request->quiet);
        const sn_tet_lattice_options options = {job->spacing, request->threads, show_progress, &bar};
        sn_tet_mesh_free(&job->mesh);
        good = sn_tet_lattice(&job->surface, job->query, job->winding, &options, &job->mesh, &job->lattice, &error);
        progress_end(&bar);
        if (good) job->quality = sn_tet_mesh_measure(&job->mesh);
    } while (good && refine(job));
    if (!good) return fail(error.out_of_memory ? EXIT_RUN_FAILED : EXIT_BAD_INPUT, "%s", error.text);
    const double start = clock_seconds();
    if (!keep_largest(job, request->keep_all)) return out_of_memory();
    if (job->dropped_tets) job->quality = sn_tet_mesh_measure(&job->mesh);
    if (!sn_tet_mesh_is_conforming(&job->mesh, &error)) return fail(EXIT_RUN_FAILED, "%s", error.text);
    job->embedding = malloc(((size_t)job->input.vertex_count + 1) * sizeof *job->embedding);
    if (!job->embedding || !sn_tet_embed(&job->mesh, (const float(*)[3])job->input.position, job->input.vertex_count,
                                         job->embedding, &job->embed))
        return out_of_memory();
    job->check_seconds = clock_seconds() - start;
    return EXIT_DONE;
}

static void warn_of_tets(const tet_job *job) {
    const sn_tet_report *q = &job->quality;
    if (job->dropped_tets)
        warn("the solid broke into %d pieces that share no face; the largest was kept, and %.3g %% of the volume "
             "dropped (--keep-all keeps everything)",
             job->pieces, 100 * job->dropped_share);
    else if (job->pieces > 1)
        warn("the solid is in %d pieces that share no face", job->pieces);
    if (job->lattice.overlap > 1e-3 * q->volume)
        warn("the surface overlaps itself: a volume of %.3g is inside more than once, and filled once",
             job->lattice.overlap);
    if (q->inverted) warn("%d tetrahedra have no volume", q->inverted);
    if (q->min_quality < 0.15 || q->min_angle < 10 || q->max_angle > 160)
        warn(
            "some tetrahedra are bad (quality %.3g, angles %.1f to %.1f degrees): the surface has more detail than the "
            "spacing; a smaller one helps",
            q->min_quality, q->min_angle, q->max_angle);
    if (fabs(volume_error(job)) > 0.02)
        warn("the volume differs by %.1f %%; a smaller spacing follows the surface better", 100 * volume_error(job));
}

// --- output ---

static int write_all(const tet_request *request, tet_job *job) {
    tool_error error;
    const double start = clock_seconds();
    for (int i = 0; i < request->outputs.count; i++)
        if (!tet_write(request->outputs.items[i], &job->mesh, &error)) return fail(EXIT_RUN_FAILED, "%s", error.text);
    if (request->surface &&
        !tet_embed_write(request->surface, job->embedding, job->input.vertex_count, job->mesh.tet_count, &error))
        return fail(EXIT_RUN_FAILED, "%s", error.text);
    if (request->cut && !tet_picture_write(request->cut, &job->mesh, 800, 600, request->threads, &error))
        return fail(EXIT_RUN_FAILED, "%s", error.text);
    job->write_seconds = clock_seconds() - start;
    return EXIT_DONE;
}

static void print_facts(const tet_request *request, const tet_job *job) {
    const sn_tet_report *q = &job->quality;
    const sn_tet_lattice_report *l = &job->lattice;
    print_surface(&job->repair);
    printf("%-12s %.5g: %s\n", "spacing", job->spacing, job->how);
    printf("%-12s %d vertices, %d tetrahedra, %d piece%s%s\n", "tetrahedra", job->mesh.vertex_count,
           job->mesh.tet_count, job->pieces, plural(job->pieces), job->dropped_tets ? "; the largest is kept" : "");
    printf("%-12s worst %.3f, mean %.3f (1: regular)\n", "quality", q->min_quality, q->mean_quality);
    printf("%-12s %.1f to %.1f degrees between faces\n", "angles", q->min_angle, q->max_angle);
    printf("%-12s %.6g", "volume", q->volume);
    if (target_volume(job) > 0)
        printf(", %+.2f %% against the surface's %.6g", 100 * volume_error(job), target_volume(job));
    printf("\n");
    printf("%-12s %d of %d vertices of the surface are outside the tetrahedra, by at most %.3g\n", "embedding",
           job->embed.outside, job->input.vertex_count, job->embed.farthest);
    printf("%-12s read %.2f s, spacing %.2f s, inside %.2f s, cuts %.2f s, tetrahedra %.2f s, smoothing %.2f s, check "
           "%.2f "
           "s, write %.2f s\n",
           "time", job->read_seconds, job->spacing_seconds, l->inside_seconds, l->cut_seconds, l->tet_seconds,
           l->improve_seconds, job->check_seconds, job->write_seconds);
    const char *files[TEXT_LIST_MAX + 2] = {[TEXT_LIST_MAX] = request->surface, request->cut};
    memcpy(files, request->outputs.items, sizeof request->outputs.items); // null after the last
    print_written(files, TEXT_LIST_MAX + 2);
}

static int make(const tet_request *request, tet_job *job) {
    int code = read_surface(request, job);
    if (code == EXIT_DONE) code = choose_spacing(request, job);
    if (code != EXIT_DONE) return code;
    warn_of_surface(job);
    warn_of_thin_parts(job);
    code = fill(request, job);
    if (code != EXIT_DONE) return code;
    warn_of_tets(job);
    code = write_all(request, job);
    if (code == EXIT_DONE && !request->quiet) print_facts(request, job);
    return code;
}

static int check_request(const tet_request *request) {
    char quoted[QUOTE_SIZE];
    if (request->outputs.count == 0 && !request->cut)
        return fail(EXIT_BAD_INPUT, "missing output: use -o OUT.msh, .mesh, .node, .vtk, or --cut OUT.png");
    for (int i = 0; i < request->outputs.count; i++) {
        if (tet_name_is_known(request->outputs.items[i])) continue;
        return fail(EXIT_BAD_INPUT, "the ending of %s is none of .msh, .mesh, .node, .ele, .vtk",
                    quote(request->outputs.items[i], quoted));
    }
    if (check_ending(request->cut, ".png") != EXIT_DONE) return EXIT_BAD_INPUT;
    if ((request->spacing > 0) + (request->ratio > 0) + (request->tets > 0) > 1)
        return fail(EXIT_BAD_INPUT, "--spacing, --size-ratio and --tets exclude each other");
    return EXIT_DONE;
}

int command_tet(int count, char **arguments) {
    tet_request request = {.threads = processor_count()};
    const option options[] = {
        option_outputs(&request.outputs, "OUT", "a file to write; its extension selects the format. May be repeated"),
        option_number("spacing", &request.spacing, "H", 0, 1e30,
                      "side of the lattice's cubes, in the surface's units; default: by its thickness"),
        option_number("size-ratio", &request.ratio, "R", 0, 1,
                      "the same as a fraction of the box's diagonal, such as 0.02"),
        option_int("tets", &request.tets, "N", 10, 20000000, "approximate number of tetrahedra"),
        option_flag("keep-all", &request.keep_all, "keep all pieces, not only the largest"),
        option_text("surface", &request.surface, "FILE",
                    "write the embedding of the surface's vertices in the tetrahedra"),
        option_text("cut", &request.cut, "FILE.png", "write a picture of the tetrahedra, cut open"),
        option_threads(&request.threads),
        option_quiet(&request.quiet),
        {.name = NULL},
    };
    const command_usage usage = {
        "tet",
        "MESH -o OUT [--spacing H | --size-ratio R | --tets N]",
        "Fills a surface (.obj, .ply, .stl, .off, .glb, .gltf) with tetrahedra of good shape: .msh (Gmsh), .mesh "
        "(Medit),\n"
        ".node and .ele (TetGen), .vtk. The surface may have holes, intersect itself or be in pieces: the inside is\n"
        "defined by the winding number.",
        options,
        1,
        1};
    int arguments_used, code;
    if (!options_parse(&usage, count, arguments, &request.input, &arguments_used, &code)) return code;
    code = check_request(&request);
    if (code != EXIT_DONE) return code;
    tet_job *job = calloc(1, sizeof *job);
    if (!job) return out_of_memory();
    code = make(&request, job);
    sn_mesh_free(&job->input);
    sn_mesh_free(&job->surface);
    sn_mesh_query_free(job->query);
    sn_winding_free(job->winding);
    sn_tet_mesh_free(&job->mesh);
    free(job->embedding);
    free(job);
    return code;
}
