// sinew viperize: turns a muscle's surface, or all in a folder, into bundles of rods.
#include "bake/viperize.h"
#include "base/math/double3.h"
#include "base/union_find.h"
#include "command.h"
#include "formats/atomic_file.h"
#include "formats/mesh_pose.h"
#include "formats/quote.h"
#include "mesh/array.h"
#include "mesh/option_parsing.h"
#include "mesh_files.h"
#include "messages.h"
#include "options.h"
#include "progress.h"
#include "render/picture.h"
#include "system/system.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *input, *output, *end[2], *name, *view, *picture; // end: source, sink
    picture_size size;
    double scale;
    int rods, slices, threads;
    bool planes, pieces, quiet;
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

// Muscles are millimetres to half a metre long: what is longer than this has the wrong unit.
static const double longest_muscle = 1.5, shortest_muscle = 0.002; // metres

// The unit of a muscle, from the longest side of its box: one in which it is as long as muscles are.
static mesh_unit unit_of_muscle(double longest, mesh_format format) {
    if (format == MESH_GLTF) return (mesh_unit){"metres", 1};
    const mesh_unit usual = mesh_unit_guess(longest, format == MESH_STL);
    return longest * usual.metres > 0.8 ? (mesh_unit){"millimetres", 0.001} : usual;
}

static void question_scale(const viper_request *request, const viper_job *job, double longest) {
    const double metres = longest * job->scale;
    if (!(longest > 0) || (metres <= longest_muscle && metres >= shortest_muscle)) return;
    const double likely = longest >= 40 ? 0.001 : longest >= 1 ? 0.01 : 1;
    if (fabs(likely / job->scale - 1) < 1e-6)
        warn("%s: the muscle is %.3g m long: check its unit, --scale is the metres of one", request->input, metres);
    else
        warn("%s: the muscle would be %.3g m long: is its unit really %s? With --scale %g it is %.3g m", request->input,
             metres, request->scale > 0 ? "that of --scale" : job->unit, likely, longest * likely);
}

static void choose_scale(const viper_request *request, viper_job *job, const mesh_file *file) {
    float low[3], high[3];
    double longest = 0;
    sn_mesh_box(&job->found, low, high);
    for (int k = 0; k < 3; k++) longest = fmax(longest, (double)high[k] - (double)low[k]);
    const mesh_unit guess = unit_of_muscle(longest, file->format);
    job->unit = guess.name;
    job->scale = request->scale > 0 ? request->scale : guess.metres;
    question_scale(request, job, longest);
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

static void print_quality(const sn_viper_quality *q, double scale) {
    printf("%-12s mean %.2g mm, 95 %% within %.2g mm, largest %.2g mm; %.2f, %.2f and %.2f of the muscle's radius\n",
           "error", 1000 * scale * q->surface_mean, 1000 * scale * q->surface_95, 1000 * scale * q->surface_largest,
           q->surface_mean / q->radius, q->surface_95 / q->radius, q->surface_largest / q->radius);
    printf("%-12s %.1f %% of the surface's length; %.1f %% of the rods' length inside\n", "span", 100 * q->span,
           100 * q->contained);
    printf("%-12s up to %.0f degrees between segments; %d above %d\n", "bends", q->bend, q->sharp_bends,
           VIPER_SHARP_BEND);
}

static void print_facts(const viper_request *request, const viper_job *job) {
    const sn_viper_report *r = &job->report;
    const sn_viper *v = &job->viper;
    const double volume = sn_viper_volume(v);
    double thin = v->radius[0], thick = v->radius[0];
    for (int k = 1; k < v->rods * v->slices; k++) thin = fmin(thin, v->radius[k]), thick = fmax(thick, v->radius[k]);
    print_surface(&r->repair);
    if (request->scale > 0)
        printf("%-12s %.4g m, from --scale\n", "unit", job->scale);
    else
        printf("%-12s %s, guessed from the file's format and size; override with --scale\n", "unit", job->unit);
    if (r->planes)
        printf("%-12s planes along a straight axis\n", "slices by");
    else if (r->tets == 0)
        printf("%-12s the harmonic field on the surface\n", "slices by");
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
    if (r->heads[0] > 1 || r->heads[1] > 1)
        printf("%-12s %d at the source, %d at the sink\n", "heads", r->heads[0], r->heads[1]);
    printf("%-12s %d with %d points each; radii %.3g to %.3g m, length %.3g m\n", "rods", v->rods, v->slices, thin,
           thick, r->length * job->scale);
    printf("%-12s %d of %d points\n", "inside", r->inside, r->points);
    printf("%-12s %.6g m^3 of %.6g m^3; %.1f %% before radii were fitted\n", "volume", volume, v->volume,
           100 * r->coverage);
    print_quality(&r->quality, job->scale);
    printf("%-12s total length %.4g m, initially %.4g m; %d iterations\n", "matching", r->rod_length[1] * job->scale,
           r->rod_length[0] * job->scale, r->iterations);
    printf("%-12s read %.2f s, repair %.2f s, fill %.2f s, field %.2f s, slices %.2f s, rods %.2f s, skin %.2f s, "
           "quality %.2f s, write %.2f s\n",
           "time", job->read_seconds, r->repair_seconds, r->fill_seconds, r->field_seconds, r->slice_seconds,
           r->rod_seconds, r->skin_seconds, r->quality_seconds, job->write_seconds);
    const char *files[3] = {request->output, request->view, request->picture};
    print_written(files, 3);
}

// Converts what was read.
static int convert(const viper_request *request, viper_job *job) {
    tool_error error;
    job->options = sn_viper_options_default();
    for (int end = 0; end < 2; end++) {
        const int code = read_end(request, end, &job->options.end[end]);
        if (code != EXIT_DONE) return code;
    }
    job->options.rods = request->rods, job->options.slices = request->slices, job->options.threads = request->threads;
    job->options.planes = request->planes;
    job->options.painted = job->painted;
    job->options.progress = progress_show, job->options.context = &job->bar;
    progress_start(&job->bar, request->quiet);
    const bool good = sn_viperize(&job->found, &job->options, &job->viper, &job->report, &error);
    progress_end(&job->bar);
    for (int i = 0; i < job->report.warnings; i++) warn("%s: %s", request->input, job->report.warning[i]);
    if (!good) return cannot_make(request->input, error.text);
    sn_viper_scale(&job->viper, job->scale);
    const int code = write_all(request, job);
    if (code == EXIT_DONE && !request->quiet) print_facts(request, job);
    return code;
}

static int make(const viper_request *request, viper_job *job) {
    const int code = read_surface(request, job);
    return code == EXIT_DONE ? convert(request, job) : code;
}

// --- pieces ---

// A connected piece of the surface: its first vertex after welding, and its volume.
typedef struct {
    int root;
    double volume;
} surface_piece;

static int compare_pieces(const void *a, const void *b) {
    const surface_piece *x = a, *y = b;
    if (x->volume != y->volume) return x->volume > y->volume ? -1 : 1;
    return (x->root > y->root) - (x->root < y->root);
}

// The piece of each triangle of the surface, -1 for degenerate ones; the pieces, the largest first, without crumbs.
// Returns their number; -1: out of memory.
static int find_pieces(const sn_mesh *mesh, int *piece_of, surface_piece **out) {
    const mesh_repair_options options = {1e-6, false, 0};
    mesh_repair_report report;
    sn_mesh welded = {0};
    int *vertex_of = NULL, count = 0, kept = 0;
    double total = 0;
    *out = NULL;
    if (!mesh_repair(mesh, &options, &welded, &vertex_of, &report)) return -1;
    int *up = malloc(((size_t)welded.vertex_count + 1) * sizeof *up);
    double *volume = calloc((size_t)welded.vertex_count + 1, sizeof *volume);
    *out = malloc(((size_t)welded.vertex_count + 1) * sizeof **out);
    const bool good = up && volume && *out;
    for (int v = 0; v < welded.vertex_count && good; v++) up[v] = v;
    for (int pass = 0; pass < 2; pass++)
        for (int t = 0; t < mesh->triangle_count && good; t++) {
            double p[3][3], n[3];
            int v[3];
            for (int k = 0; k < 3; k++) {
                v[k] = vertex_of[mesh->triangle[t][k]];
                for (int c = 0; c < 3; c++) p[k][c] = (double)mesh->position[mesh->triangle[t][k]][c];
            }
            piece_of[t] = -1;
            if (v[0] < 0 || v[1] < 0 || v[2] < 0) continue;
            if (pass == 0) sn_union(up, v[0], v[1]), sn_union(up, v[0], v[2]);
            if (pass == 0) continue;
            piece_of[t] = sn_find_root(up, v[0]);
            d3_cross(p[1], p[2], n);
            volume[piece_of[t]] += d3_dot(p[0], n) / 6;
        }
    for (int v = 0; v < welded.vertex_count && good; v++)
        if (volume[v] != 0) (*out)[count++] = (surface_piece){v, fabs(volume[v])}, total += fabs(volume[v]);
    if (good) qsort(*out, (size_t)count, sizeof **out, compare_pieces);
    while (kept < count && (*out)[kept].volume > 0.01 * total) kept++;
    free(up), free(volume), free(vertex_of);
    sn_mesh_free(&welded);
    return good ? kept : -1;
}

// Each piece of a surface as a muscle of its own: NAME-1.rig.json is the largest.
static int make_pieces(const viper_request *whole, viper_job *job) {
    int code = read_surface(whole, job);
    if (code != EXIT_DONE) return code;
    const int all = job->found.triangle_count;
    int *piece_of = malloc(((size_t)all + 1) * sizeof *piece_of);
    int(*triangle)[3] = malloc(((size_t)all + 1) * sizeof *triangle);
    surface_piece *piece = NULL;
    const int pieces = piece_of && triangle ? find_pieces(&job->found, piece_of, &piece) : -1;
    code = pieces < 0 ? out_of_memory() : EXIT_DONE;
    if (pieces >= 0) memcpy(triangle, job->found.triangle, (size_t)all * sizeof *triangle);
    for (int i = 0; i < pieces && code == EXIT_DONE; i++) {
        char output[4096], name[96];
        viper_request request = *whole;
        job->found.triangle_count = 0;
        for (int t = 0; t < all; t++)
            if (piece_of[t] == piece[i].root)
                memcpy(job->found.triangle[job->found.triangle_count++], triangle[t], sizeof *triangle);
        snprintf(output, sizeof output, "%.*s-%d.rig.json", (int)(strstr(whole->output, ".rig.json") - whole->output),
                 whole->output, i + 1);
        base_name(whole->input, true, name);
        snprintf(name + strlen(name), sizeof name - strlen(name), "-%d", i + 1);
        request.output = output, request.name = name;
        code = convert(&request, job);
        sn_viper_free(&job->viper);
    }
    free(piece_of), free(triangle), free(piece);
    return code;
}

static void free_job(viper_job *job) {
    sn_mesh_free(&job->found);
    sn_viper_free(&job->viper);
    free(job->painted);
    free(job);
}

// --- folders ---

typedef struct {
    char **name;
    int count, capacity;
    bool failed; // out of memory
} name_list;

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void free_names(name_list *list) {
    for (int i = 0; i < list->count; i++) free(list->name[i]);
    free(list->name);
}

static void add_name(void *context, const char *name) {
    name_list *list = context;
    if (name[0] == '.' || !mesh_name_is_known(name) || list->failed) return;
    list->failed =
        !ARRAY_RESERVE(list->name, list->capacity, list->count + 1) || (list->name[list->count] = strdup(name)) == NULL;
    list->count += !list->failed;
}

// The surfaces of a folder, sorted.
static int list_surfaces(const char *folder, name_list *out) {
    system_list_folder(folder, add_name, out);
    if (out->failed) return out_of_memory();
    if (out->count == 0) return bad_file(folder, "has no surfaces");
    qsort(out->name, (size_t)out->count, sizeof *out->name, compare_names);
    return EXIT_DONE;
}

typedef struct {
    int good, close, spans, sharp, failed; // muscles
} folder_count;

static void print_row(const char *name, const viper_job *job, double seconds) {
    const sn_viper_quality *q = &job->report.quality;
    printf("%-44.44s %8d %6.2f %6.2f %7.1f %8.1f %6.0f %6.2f %8.2f%s\n", name, job->report.repair.triangles,
           q->surface_mean / q->radius, q->surface_95 / q->radius, 100 * q->span, 100 * q->contained, q->bend,
           q->volume, seconds,
           job->report.planes ? "  planes"
           : job->report.tets ? "  tetrahedra"
                              : "  surface");
}

static void count_row(folder_count *count, const sn_viper_quality *q) {
    count->good++;
    count->close += q->surface_95 < 0.5 * q->radius;
    count->spans += q->span > 0.95;
    count->sharp += q->sharp_bends > 0;
}

static int make_one_of_folder(const viper_request *folder, const char *name, folder_count *count) {
    char input[4096], output[4096];
    viper_request request = *folder;
    viper_job *job = calloc(1, sizeof *job);
    if (!job) return out_of_memory();
    const char *dot = strrchr(name, '.');
    snprintf(input, sizeof input, "%s/%s", folder->input, name);
    snprintf(output, sizeof output, "%s/%.*s.rig.json", folder->output ? folder->output : "", (int)(dot - name), name);
    request.input = input, request.output = folder->output ? output : NULL, request.quiet = true;
    const double start = clock_seconds();
    const int code = make(&request, job);
    if (code == EXIT_DONE) {
        print_row(name, job, clock_seconds() - start);
        count_row(count, &job->report.quality);
    } else
        count->failed++;
    fflush(stdout);
    free_job(job);
    return code;
}

// Every surface of a folder: a table of how good the rods are. Goes on after a surface that cannot be converted.
static int make_folder(const viper_request *request) {
    name_list list = {0};
    folder_count count = {0};
    progress bar;
    if (request->output && !system_make_folder(request->output))
        return fail(EXIT_RUN_FAILED, "%s: %s", request->output, strerror(errno));
    int code = list_surfaces(request->input, &list), worst = EXIT_DONE;
    progress_start(&bar, request->quiet);
    if (code == EXIT_DONE)
        printf("%-44s %8s %6s %6s %7s %8s %6s %6s %8s\n", "errors in radii of the muscle", "triangles", "mean", "95 %",
               "span %", "inside %", "bend", "volume", "seconds");
    for (int i = 0; i < list.count && code == EXIT_DONE; i++) {
        progress_end(&bar);
        const int one = make_one_of_folder(request, list.name[i], &count);
        if (one != EXIT_DONE) worst = one;
        progress_update(&bar, (i + 1.0) / list.count, list.name[i]);
    }
    progress_end(&bar);
    if (code == EXIT_DONE)
        printf(
            "%d muscles, %d failed: error below half a radius in %d, span over 95 %% in %d, bends over %d degrees in "
            "%d\n",
            count.good + count.failed, count.failed, count.close, count.spans, VIPER_SHARP_BEND, count.sharp);
    free_names(&list);
    return code == EXIT_DONE ? worst : code;
}

static int check_folder_request(const viper_request *request) {
    if (request->view || request->picture || request->name || request->pieces)
        return fail(EXIT_BAD_INPUT, "--view, --picture, --name and --pieces are for one surface, not for a folder");
    return EXIT_DONE;
}

static int check_request(const viper_request *request) {
    if (!request->output && !request->picture && !request->view)
        return fail(EXIT_BAD_INPUT, "missing output: use -o MUSCLE.rig.json, --view OUT.glb or --picture OUT.png");
    int code = check_ending(request->output, ".json");
    if (code == EXIT_DONE && request->pieces &&
        (!request->output || !ends_with(request->output, ".rig.json") || request->view || request->picture ||
         request->name))
        return fail(EXIT_BAD_INPUT, "--pieces needs -o NAME.rig.json, and neither --view, --picture nor --name");
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
        option_flag("pieces", &request.pieces,
                    "the surface has several muscles: each piece of it becomes NAME-1.rig.json and so on"),
        option_text("view", &request.view, "OUT.glb", "write surface, rods and rod points side by side"),
        option_text("picture", &request.picture, "OUT.png", "the same as a picture"),
        option_size(&request.size, "of the picture, default 960x720"),
        option_threads(&request.threads),
        option_quiet(&request.quiet),
        {.name = NULL},
    };
    const command_usage usage = {
        "viperize",
        "MESH|FOLDER -o MUSCLE.rig.json|FOLDER [--rods K] [--slices M] [--source WHERE] [--sink WHERE]",
        "Turns a muscle's surface (.obj, .ply, .stl, .off, .glb, .gltf) into a bundle of rods with the same volume.\n"
        "Fibres run from source to sink: painted red and blue, groups of these names, or given by the options\n"
        "in the file's units; by default the two ends of the longest path through the muscle.\n"
        "For a folder of surfaces, -o names a folder, and a table says how good the rods of each are.",
        options,
        1,
        1};
    int argument_count, code;
    if (!options_parse(&usage, count, arguments, &request.input, &argument_count, &code)) return code;
    if (system_is_folder(request.input)) {
        code = check_folder_request(&request);
        return code == EXIT_DONE ? make_folder(&request) : code;
    }
    code = check_request(&request);
    if (code != EXIT_DONE) return code;
    viper_job *job = calloc(1, sizeof *job);
    if (!job) return out_of_memory();
    code = request.pieces ? make_pieces(&request, job) : make(&request, job);
    free_job(job);
    return code;
}
