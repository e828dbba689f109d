// sinew viperize: turns a muscle's surface into a bundle of rods.
#include "bake/viperize.h"
#include "command.h"
#include "formats/atomic_file.h"
#include "formats/mesh_pose.h"
#include "formats/quote.h"
#include "mesh/option_parsing.h"
#include "mesh_files.h"
#include "messages.h"
#include "options.h"
#include "progress.h"
#include "render/picture.h"
#include "system/system.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *input, *output, *end[2], *name, *view, *picture; // end: source, sink
    picture_size size;
    double scale;
    int rods, slices, threads;
    bool planes, quiet;
} viper_request;

typedef struct {
    sn_mesh found;
    unsigned char *painted;
    sn_viper_options options;
    sn_viper viper;
    sn_viper_report report;
    progress bar;
    bool painted_by_colour, painted_by_group;
    const char *unit;
    double scale; // metres per unit of the file
    double read_seconds, write_seconds;
} viper_job;

static const char *const end_name[2] = {"source", "sink"};

// --- parsing the ends ---

static int read_end(const viper_request *request, int which, sn_viper_end *end) {
    const char *text = request->end[which];
    char quoted[QUOTE_SIZE];
    double values[4];
    *end = (sn_viper_end){VIPER_END_AUTO, {0}, 0, {0}, 0};
    if (!text || strcmp(text, "auto") == 0) return EXIT_DONE;
    if (strcmp(text, "painted") == 0 || strncmp(text, "group:", 6) == 0) {
        end->kind = VIPER_END_PAINTED;
        return EXIT_DONE;
    }
    if (strncmp(text, "plane:", 6) == 0) {
        end->kind = VIPER_END_PLANE;
        if (parse_plane(text + 6, end->normal, &end->offset)) return EXIT_DONE;
    } else {
        const int count = parse_numbers(text, values, 4);
        end->kind = VIPER_END_BALL;
        memcpy(end->point, values, sizeof end->point);
        end->radius = count == 4 ? values[3] : 0;
        if (count == 3 || (count == 4 && values[3] > 0)) return EXIT_DONE;
    }
    return fail(EXIT_BAD_INPUT,
                "--%s %s is none of \"x,y,z\", \"x,y,z,radius\", \"plane:y>0.1\", \"plane:nx,ny,nz,offset\", "
                "\"group:NAME\", \"painted\", \"auto\"",
                end_name[which], quote(text, quoted));
}

// --- input ---

// Vertices of the named groups, or of groups called source and sink.
static int paint_groups(const viper_request *request, viper_job *job, const mesh_file *file) {
    int first = 0, found[2] = {0, 0};
    for (int i = 0; i < file->mesh_count; i++) {
        const sn_mesh *mesh = &file->mesh[i].mesh;
        for (int end = 0; end < 2; end++) {
            const char *text = request->end[end], *wanted = end_name[end];
            if (text && strncmp(text, "group:", 6) == 0) wanted = text + 6;
            if (strcmp(mesh->name, wanted) != 0) continue;
            found[end]++;
            for (int v = 0; v < mesh->vertex_count; v++) job->painted[first + v] |= end ? VIPER_SINK : VIPER_SOURCE;
        }
        first += mesh->vertex_count;
    }
    for (int end = 0; end < 2; end++) {
        char quoted[QUOTE_SIZE];
        if (found[end] || !request->end[end] || strncmp(request->end[end], "group:", 6) != 0) continue;
        fprintf(stderr, "%s: error: no such group %s; the groups are", request->input,
                quote(request->end[end] + 6, quoted));
        for (int i = 0; i < file->mesh_count && i < 12; i++)
            fprintf(stderr, "%s %s", i ? "," : "", quote(file->mesh[i].mesh.name, quoted));
        fprintf(stderr, "\n");
        return EXIT_BAD_INPUT;
    }
    job->painted_by_group = found[0] || found[1];
    return EXIT_DONE;
}

// Red is the source, blue the sink. If most of a surface is red, that is its colour and not paint.
static void paint_colours(viper_job *job) {
    const sn_mesh *mesh = &job->found;
    int count[2] = {0, 0};
    if (!mesh->colour || job->painted_by_group) return;
    for (int pass = 0; pass < 2; pass++)
        for (int v = 0; v < mesh->vertex_count; v++) {
            const float *c = mesh->colour[v];
            const int end = c[0] > 0.5f && c[1] < 0.25f && c[2] < 0.25f   ? 0
                            : c[2] > 0.5f && c[0] < 0.25f && c[1] < 0.25f ? 1
                                                                          : -1;
            if (end < 0) continue;
            if (pass == 0)
                count[end]++;
            else if (count[end] <= mesh->vertex_count / 2)
                job->painted[v] |= end ? VIPER_SINK : VIPER_SOURCE, job->painted_by_colour = true;
        }
    for (int end = 0; end < 2; end++)
        if (count[end] > mesh->vertex_count / 2)
            warn("most of the surface is %s: treated as its colour, not as paint for the %s", end ? "blue" : "red",
                 end_name[end]);
}

static void choose_scale(const viper_request *request, viper_job *job, const mesh_file *file) {
    float low[3], high[3];
    double longest = 0;
    sn_mesh_box(&job->found, low, high);
    for (int k = 0; k < 3; k++) longest = fmax(longest, (double)high[k] - (double)low[k]);
    const mesh_unit guess =
        file->format == MESH_GLTF ? (mesh_unit){"metres", 1} : mesh_unit_guess(longest, file->format == MESH_STL);
    job->unit = guess.name;
    job->scale = request->scale > 0 ? request->scale : guess.metres;
}

static int read_surface(const viper_request *request, viper_job *job) {
    mesh_file file;
    const double start = clock_seconds();
    int code = read_mesh_file(request->input, &file);
    if (code != EXIT_DONE) return code;
    if (!mesh_merge_at_rest(&file, &job->found)) code = out_of_memory();
    if (code == EXIT_DONE) {
        job->painted = calloc((size_t)job->found.vertex_count + 1, 1);
        code = job->painted ? paint_groups(request, job, &file) : out_of_memory();
    }
    if (code == EXIT_DONE) {
        paint_colours(job);
        choose_scale(request, job, &file);
    }
    mesh_file_free(&file);
    job->read_seconds = clock_seconds() - start;
    return code;
}

// --- output ---

// The file name after the last slash; without its extension if 'bare'.
static void base_name(const char *file, bool bare, char out[64]) {
    snprintf(out, 64, "%s", system_file_name(file));
    char *dot = strrchr(out, '.');
    if (bare && dot && dot != out) *dot = '\0';
}

typedef struct {
    const viper_request *request;
    const viper_job *job;
} viper_rig;

static bool write_rig(FILE *out, const void *what, tool_error *error) {
    (void)error;
    const viper_rig *rig = what;
    char name[64], mesh[64];
    base_name(rig->request->input, false, mesh);
    base_name(rig->request->input, true, name);
    sn_viper_write(out, &rig->job->viper, rig->request->name ? rig->request->name : name, mesh);
    return true;
}

static bool write_picture(const viper_request *request, const view_model *view, tool_error *error) {
    const picture_size size = request->size;
    const render_settings settings = {.width = size.width,
                                      .height = size.height,
                                      .samples = 24,
                                      .threads = request->threads,
                                      .camera = picture_camera(view, size.width, size.height)};
    return picture_write_png(request->picture, view, &settings, error);
}

static int write_all(const viper_request *request, viper_job *job) {
    tool_error error;
    view_model view = {0};
    const double start = clock_seconds();
    const viper_rig rig = {request, job};
    bool good = !request->output || atomic_file_write(request->output, write_rig, &rig, &error);
    if (good && (request->view || request->picture)) {
        good = viper_picture_make(&job->viper, &view);
        if (!good) tool_error_out_of_memory(&error);
        good = good && (!request->view || picture_write_glb(request->view, &view, request->input, &error)) &&
               (!request->picture || write_picture(request, &view, &error));
        view_model_free(&view);
    }
    job->write_seconds = clock_seconds() - start;
    return good ? EXIT_DONE : fail(EXIT_RUN_FAILED, "%s", error.text);
}

// --- report ---

static void print_facts(const viper_request *request, const viper_job *job) {
    const sn_viper_report *r = &job->report;
    const sn_viper *v = &job->viper;
    const double volume = sn_viper_volume(v);
    double thin = v->radius[0], thick = v->radius[0];
    for (int k = 1; k < v->slices; k++) thin = fmin(thin, v->radius[k]), thick = fmax(thick, v->radius[k]);
    print_surface(&r->repair);
    if (request->scale > 0)
        printf("%-12s %.4g m, from --scale\n", "unit", job->scale);
    else
        printf("%-12s %s, guessed from the file's format and size; override with --scale\n", "unit", job->unit);
    if (r->planes)
        printf("%-12s planes along a straight axis\n", "slices by");
    else
        printf("%-12s the harmonic field on %d tetrahedra, spacing %.4g\n", "slices by", r->tets, r->spacing);
    printf("%-12s %s%s\n", "source", r->ends[0],
           strcmp(r->ends[0], "painted") != 0 ? ""
           : job->painted_by_group            ? " (a group)"
                                              : " (red)");
    printf("%-12s %s%s\n", "sink", r->ends[1],
           strcmp(r->ends[1], "painted") != 0 ? ""
           : job->painted_by_group            ? " (a group)"
                                              : " (blue)");
    printf("%-12s %d with %d points each; radii %.3g to %.3g m, length %.3g m\n", "rods", v->rods, v->slices, thin,
           thick, r->length * job->scale);
    printf("%-12s %d of %d points\n", "inside", r->inside, r->points);
    printf("%-12s %.6g m^3 of %.6g m^3; %.1f %% before radii were fitted\n", "volume", volume, v->volume,
           100 * r->coverage);
    printf("%-12s total length %.4g m, initially %.4g m; %d iterations\n", "matching", r->rod_length[1] * job->scale,
           r->rod_length[0] * job->scale, r->iterations);
    printf(
        "%-12s read %.2f s, repair %.2f s, fill %.2f s, field %.2f s, slices %.2f s, rods %.2f s, skin %.2f s, write "
        "%.2f s\n",
        "time", job->read_seconds, r->repair_seconds, r->fill_seconds, r->field_seconds, r->slice_seconds,
        r->rod_seconds, r->skin_seconds, job->write_seconds);
    const char *files[3] = {request->output, request->view, request->picture};
    print_written(files, 3);
}

static int make(const viper_request *request, viper_job *job) {
    tool_error error;
    job->options = sn_viper_options_default();
    for (int end = 0; end < 2; end++) {
        const int code = read_end(request, end, &job->options.end[end]);
        if (code != EXIT_DONE) return code;
    }
    int code = read_surface(request, job);
    if (code != EXIT_DONE) return code;
    job->options.rods = request->rods, job->options.slices = request->slices, job->options.threads = request->threads;
    job->options.planes = request->planes;
    job->options.painted = job->painted;
    job->options.progress = progress_show, job->options.context = &job->bar;
    progress_start(&job->bar, request->quiet);
    const bool good = sn_viperize(&job->found, &job->options, &job->viper, &job->report, &error);
    progress_end(&job->bar);
    for (int i = 0; i < job->report.warnings; i++) warn("%s", job->report.warning[i]);
    if (!good) return cannot_make(request->input, error.text);
    sn_viper_scale(&job->viper, job->scale);
    code = write_all(request, job);
    if (code == EXIT_DONE && !request->quiet) print_facts(request, job);
    return code;
}

static int check_request(const viper_request *request) {
    if (!request->output && !request->picture && !request->view)
        return fail(EXIT_BAD_INPUT, "missing output: use -o MUSCLE.rig.json, --view OUT.glb or --picture OUT.png");
    int code = check_ending(request->output, ".json");
    if (code == EXIT_DONE) code = check_ending(request->view, ".glb");
    if (code == EXIT_DONE) code = check_ending(request->picture, ".png");
    return code;
}

int command_viperize(int count, char **arguments) {
    const sn_viper_options usual = sn_viper_options_default();
    viper_request request = {
        .rods = usual.rods, .slices = usual.slices, .threads = processor_count(), .size = {960, 720}};
    const option options[] = {
        option_output(&request.output, "MUSCLE.rig.json", "the muscle, for scenes"),
        option_int("rods", &request.rods, "K", 1, VIPER_MAX_RODS, "number of rods, default 8"),
        option_int("slices", &request.slices, "M", 2, VIPER_MAX_SLICES, "points per rod, default 16"),
        option_text("source", &request.end[0], "WHERE",
                    "where fibres begin: x,y,z[,radius], plane:y>0.1, plane:nx,ny,nz,offset, group:NAME or painted"),
        option_text("sink", &request.end[1], "WHERE", "where fibres end, likewise"),
        option_number("scale", &request.scale, "S", 0, 1e6,
                      "metres per unit of the file, such as 0.001; default from the file's format and size"),
        option_text("name", &request.name, "NAME", "of the muscle; default the file's"),
        option_flag("planes", &request.planes,
                    "slice by planes along a straight axis, for surfaces that cannot be filled with tetrahedra"),
        option_text("view", &request.view, "OUT.glb", "write surface, rods and rod points side by side"),
        option_text("picture", &request.picture, "OUT.png", "the same as a picture"),
        option_size(&request.size, "of the picture, default 960x720"),
        option_threads(&request.threads),
        option_quiet(&request.quiet),
        {.name = NULL},
    };
    const command_usage usage = {
        "viperize",
        "MESH -o MUSCLE.rig.json [--rods K] [--slices M] [--source WHERE] [--sink WHERE]",
        "Turns a muscle's surface (.obj, .ply, .stl, .off, .glb, .gltf) into a bundle of rods with the same volume.\n"
        "Fibres run from source to sink: painted red and blue, groups of these names, or given by the options\n"
        "in the file's units; by default the two ends of the longest path through the muscle.",
        options,
        1,
        1};
    int argument_count, code;
    if (!options_parse(&usage, count, arguments, &request.input, &argument_count, &code)) return code;
    code = check_request(&request);
    if (code != EXIT_DONE) return code;
    viper_job *job = calloc(1, sizeof *job);
    if (!job) return out_of_memory();
    code = make(&request, job);
    sn_mesh_free(&job->found);
    sn_viper_free(&job->viper);
    free(job->painted);
    free(job);
    return code;
}
