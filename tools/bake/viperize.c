// Turns a muscle's surface into rods in six stages: repair (mesh_repair.h), tetrahedra (tet_lattice.h), a harmonic
// field from source to sink, its level surfaces at equal distances (slices.h), points in these connected to rods
// (viperize_rods.c), and weights of the skin on the slices (viperize_skin.c).
//
// If the body is too thin for tetrahedra, slices are planes across a straight axis, clipped by the winding number.
#include "bake/viperize.h"
#include "bake/viperize_internal.h"
#include "fields/harmonic.h"
#include "mesh/clock.h"
#include "mesh/maths.h"
#include "tets/tet_spacing.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// Enough tetrahedra for slices. Thin tendons may have more, to stay connected.
enum { MIN_TETS = 12000, MAX_TETS = 120000, MAX_REFINED_TETS = 400000 };
// The first and last slice lie slightly inside, where the level surface is not yet the end itself.
static const double end_margin = 0.01;

bool viper_fail_memory(viper_job *job) {
    job->is_final = true;
    return tool_error_out_of_memory(job->error);
}

bool viper_fail(viper_job *job, const char *format, ...) {
    char text[TOOL_ERROR_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    job->is_final = true;
    return tool_error_set(job->error, "%s", text);
}

void viper_warn(viper_job *job, const char *format, ...) {
    va_list arguments;
    if (job->report->warnings == VIPER_WARNINGS) return;
    va_start(arguments, format);
    vsnprintf(job->report->warning[job->report->warnings++], sizeof *job->report->warning, format, arguments);
    va_end(arguments);
}

void viper_report_progress(const viper_job *job, double fraction, const char *stage) {
    if (job->options->progress) job->options->progress(job->options->context, fraction, stage);
}

sn_viper_options sn_viper_options_default(void) {
    return (sn_viper_options){.rods = 8, .slices = 16, .threads = 1};
}

// --- repair ---

static bool prepare_surface(viper_job *job, const sn_mesh *input) {
    const mesh_repair_options repair = mesh_repair_options_default();
    mesh_repair_report *r = &job->report->repair;
    int *vertex_of = NULL;
    for (int v = 0; v < input->vertex_count; v++)
        for (int k = 0; k < 3; k++)
            if (!isfinite(input->position[v][k])) return viper_fail(job, "vertex %d is not finite", v);
    if (!mesh_repair(input, &repair, &job->surface, &vertex_of, r)) return viper_fail_memory(job);
    if (job->options->painted) {
        job->painted = calloc((size_t)job->surface.vertex_count + 1, 1);
        for (int v = 0; v < input->vertex_count && job->painted; v++)
            if (vertex_of[v] >= 0) job->painted[vertex_of[v]] |= job->options->painted[v];
    }
    free(vertex_of);
    if (job->options->painted && !job->painted) return viper_fail_memory(job);
    if (job->surface.triangle_count == 0) return viper_fail(job, "all triangles are degenerate");
    job->query = sn_mesh_query_build(&job->surface);
    job->winding = sn_winding_make(&job->surface);
    if (!job->query || !job->winding || !sn_mesh_make_normals(&job->surface)) return viper_fail_memory(job);
    if (r->holes)
        viper_warn(job,
                   "the surface has %d hole%s, the longest with a perimeter of %.3g: treated as closed; close "
                   "them if the ends are wrong",
                   r->holes, r->holes == 1 ? "" : "s", r->longest_hole);
    if (r->filled) viper_warn(job, "%d small hole%s closed", r->filled, r->filled == 1 ? " was" : "s were");
    if (r->flipped) viper_warn(job, "%d triangles faced the wrong way and were flipped", r->flipped);
    if (r->non_manifold_edges)
        viper_warn(job, "%d edges belong to three or more triangles: treated as inner walls and ignored",
                   r->non_manifold_edges);
    if (r->inconsistent_edges)
        viper_warn(job, "%d edges have triangles that face opposite ways: inside and outside are uncertain there",
                   r->inconsistent_edges);
    if (r->triangles < 100)
        viper_warn(job, "the surface has only %d triangles: the rods will follow its corners", r->triangles);
    return true;
}

// --- tetrahedra ---

typedef struct {
    viper_job *job;
} fill_context;

static void report_fill(void *context, double done) {
    viper_report_progress(((fill_context *)context)->job, 0.4 * done, "filling");
}

// Keeps the largest piece; 'share' becomes its fraction of the volume. False: no memory.
static bool keep_largest(viper_job *job, double *share) {
    const int before = job->tets.tet_count;
    int *part = malloc(((size_t)before + 1) * sizeof *part);
    bool *keep = malloc((size_t)before + 1), good = part && keep;
    *share = 1;
    job->report->pieces = good ? sn_tet_mesh_components(&job->tets, part) : -1;
    good = good && job->report->pieces >= 0;
    if (good && job->report->pieces > 1) {
        const double all = sn_tet_mesh_measure(&job->tets).volume;
        for (int t = 0; t < before; t++) keep[t] = part[t] == 0;
        good = sn_tet_mesh_keep(&job->tets, keep);
        if (good) *share = sn_tet_mesh_measure(&job->tets).volume / all;
    }
    free(part), free(keep);
    return good;
}

// Fills the surface with tetrahedra, with a finer spacing if it breaks into pieces. False: the error is set; planes may
// still work unless it is final.
static bool fill(viper_job *job, const sn_tet_thickness *input, double *volume) {
    sn_viper_report *r = job->report;
    sn_tet_lattice_report lattice = {0};
    fill_context context = {job};
    double share = 1, filled = 0,
           filled_share = 1; // volume fraction of the largest piece; filled fraction of the inside
    if (!(input->volume > 0)) return viper_fail(job, "the surface has no inside: close it, or flip its triangles");
    r->spacing = sn_tet_spacing(input, MIN_TETS, MAX_TETS, NULL);
    for (int attempt = 0; attempt < 4; attempt++) {
        const sn_tet_lattice_options options = {r->spacing, job->options->threads, report_fill, &context};
        sn_tet_mesh_free(&job->tets);
        if (!sn_tet_lattice(&job->surface, job->query, job->winding, &options, &job->tets, &lattice, job->error))
            return job->error->out_of_memory ? viper_fail_memory(job) : false;
        const int tets = job->tets.tet_count;
        filled = sn_tet_mesh_measure(&job->tets).volume;
        if (r->repair.closed && r->repair.volume > lattice.overlap)
            filled_share = filled / (r->repair.volume - lattice.overlap);
        if (!keep_largest(job, &share)) return viper_fail_memory(job);
        // Pieces of one surface are thin parts that broke; several surfaces are several bodies at any spacing. If half
        // of the volume is lost, the body is thin everywhere and would need far too many tetrahedra.
        const double finer = 0.65;
        if ((share > 0.995 && filled_share > 0.95) || filled_share < 0.6 || r->repair.components > 1) break;
        if (tets / own_pow(finer, 3) > MAX_REFINED_TETS) break;
        if (attempt < 3) r->spacing *= finer;
    }
    r->tets = job->tets.tet_count;
    *volume = r->repair.closed && r->repair.volume > 0 ? r->repair.volume - lattice.overlap : filled;
    if (!(*volume > 0)) *volume = filled;
    if (share < 0.97) *volume *= share;
    if (lattice.overlap > 1e-3 * filled)
        viper_warn(job, "the surface overlaps itself: a volume of %.3g is enclosed more than once and counted once",
                   lattice.overlap);
    if (share < 0.7 && r->repair.components > 1)
        return viper_fail(
            job,
            "the body is in %d pieces and the largest has only %.0f %% of the volume; convert one muscle at a time",
            r->pieces, 100 * share);
    if (share < 0.7 || filled_share < 0.85) { // too thin for tetrahedra
        return tool_error_set(job->error, "tetrahedra with a spacing of %.3g cover only %.0f %% of it in one piece",
                              r->spacing, 100 * share * filled_share);
    }
    if (r->pieces > 1 && share < 0.9999)
        viper_warn(job, "the body is in %d pieces: the largest was used and %.2g %% of the volume left out", r->pieces,
                   100 * (1 - share));
    return true;
}

// --- slices along the field ---

static bool find_field(viper_job *job) {
    int *end[2] = {NULL, NULL}, count[2] = {0, 0};
    viper_report_progress(job, 0.45, "finding the ends");
    bool good = viper_find_ends(job, end, count);
    job->field = good ? malloc(((size_t)job->tets.vertex_count + 1) * sizeof *job->field) : NULL;
    if (good && !job->field) good = viper_fail_memory(job);
    viper_report_progress(job, 0.5, "harmonic field");
    good = good && sn_harmonic_between(&job->tets, end[0], count[0], end[1], count[1], job->field, job->error);
    free(end[0]), free(end[1]);
    if (good && !sn_level_profile_make(&job->tets, job->field, &job->profile)) return viper_fail_memory(job);
    return good;
}

static int samples_for(int rods) {
    const int each = rods > 64 ? 24 : 60;
    return rods * each < 900 ? 900 : rods * each;
}

static bool cut_levels(viper_job *job, int slices) {
    const double length = job->profile.length[job->profile.count - 1];
    double below = 0;
    job->report->length = length;
    job->first = end_margin * length;
    job->step = (1 - 2 * end_margin) * length / (slices - 1);
    if (!(length > 0)) return viper_fail(job, "there is no space for fibres between source and sink");
    for (int k = 0; k < slices; k++) {
        const double at = job->first + k * job->step, level = sn_level_profile_level(&job->profile, at);
        const double above = sn_level_profile_volume(
            &job->profile, sn_level_profile_level(&job->profile, at + (k + 1 < slices ? 0.5 : 0) * job->step));
        if (k == 0) below = sn_level_profile_volume(&job->profile, level);
        job->slice_volume[k] = above - below;
        below = above;
        if (!sn_slice_level(&job->tets, job->field, level, samples_for(job->options->rods), &job->slice[k]))
            return viper_fail_memory(job);
        if (job->slice[k].count == 0) return viper_fail(job, "slice %d of %d has no area; use fewer slices", k, slices);
        viper_report_progress(job, 0.6 + 0.1 * k / slices, "slices");
    }
    return true;
}

// --- slices along a straight axis ---

// The direction in which the surface is longest: that of the largest variance of its triangles.
static void longest_direction(const sn_mesh *mesh, double middle[3], double out[3]) {
    double spread[3][3] = {{0}}, total = 0, size = 0;
    memset(middle, 0, 3 * sizeof *middle);
    for (int pass = 0; pass < 2; pass++)
        for (int t = 0; t < mesh->triangle_count; t++) {
            const float *a = mesh->position[mesh->triangle[t][0]], *b = mesh->position[mesh->triangle[t][1]],
                        *c = mesh->position[mesh->triangle[t][2]];
            double n2 = 0, m[3];
            for (int i = 0; i < 3; i++) {
                const int j = (i + 1) % 3, k = (i + 2) % 3;
                const double n =
                    (double)(b[j] - a[j]) * (double)(c[k] - a[k]) - (double)(b[k] - a[k]) * (double)(c[j] - a[j]);
                n2 += n * n;
                m[i] = ((double)a[i] + (double)b[i] + (double)c[i]) / 3;
            }
            const double area = 0.5 * sqrt(n2);
            if (pass == 0) total += area;
            for (int i = 0; i < 3; i++) {
                if (pass == 0) middle[i] += area * m[i];
                for (int j = 0; j < 3 && pass == 1; j++)
                    spread[i][j] += area * (m[i] - middle[i] / total) * (m[j] - middle[j] / total);
            }
        }
    for (int k = 0; k < 3; k++) middle[k] /= total > 0 ? total : 1;
    out[0] = 0.5, out[1] = 1,
    out[2] = 0.25; // power iteration, from a direction unlikely to be orthogonal to the result
    for (int iteration = 0; iteration < 200; iteration++) {
        double next[3];
        size = 0;
        for (int i = 0; i < 3; i++) {
            next[i] = spread[i][0] * out[0] + spread[i][1] * out[1] + spread[i][2] * out[2];
            size += next[i] * next[i];
        }
        for (int i = 0; i < 3 && size > 0; i++) out[i] = next[i] / sqrt(size);
    }
}

static bool cut_planes(viper_job *job, int slices, double *volume) {
    double middle[3], end[2][3], low = INFINITY, high = -INFINITY, size = 0;
    const bool named[2] = {viper_end_centre(job, 0, end[0]), viper_end_centre(job, 1, end[1])};
    longest_direction(&job->surface, middle, job->axis);
    if (named[0] && named[1])
        for (int k = 0; k < 3; k++) job->axis[k] = end[1][k] - end[0][k];
    else { // the source is on top, or at smaller x, or where the user put it
        int axis_index = 0;
        for (int k = 1; k < 3; k++)
            if (fabs(job->axis[k]) > fabs(job->axis[axis_index])) axis_index = k;
        double sign = (axis_index == 0) == (job->axis[axis_index] > 0) ? 1 : -1;
        for (int which = 0; which < 2; which++) {
            double offset = 0;
            for (int k = 0; k < 3 && named[which]; k++) offset += job->axis[k] * (end[which][k] - middle[k]);
            if (offset != 0) sign = (offset > 0) == (which == 1) ? 1 : -1;
        }
        for (int k = 0; k < 3; k++) job->axis[k] *= sign;
    }
    for (int k = 0; k < 3; k++) size += job->axis[k] * job->axis[k];
    if (!(size > 0)) return viper_fail(job, "source and sink coincide; they must be two ends of the muscle");
    for (int k = 0; k < 3; k++) job->axis[k] /= sqrt(size);
    for (int v = 0; v < job->surface.vertex_count; v++) {
        double at = 0;
        for (int k = 0; k < 3; k++) at += job->axis[k] * (double)job->surface.position[v][k];
        low = fmin(low, at), high = fmax(high, at);
    }
    for (int which = 0; which < 2; which++) {
        snprintf(job->report->ends[which], sizeof *job->report->ends, "the end of the surface along a straight axis");
        if (!named[0] || !named[1]) continue;
        double at = 0;
        for (int k = 0; k < 3; k++) at += job->axis[k] * end[which][k];
        if (which == 0 && at > low && at < high) low = at;
        if (which == 1 && at < high && at > low) high = at;
        snprintf(job->report->ends[which], sizeof *job->report->ends, "the plane through the centre of the given end");
    }
    job->report->length = high - low;
    job->first = low + 2 * end_margin * (high - low);
    job->step = (1 - 4 * end_margin) * (high - low) / (slices - 1);
    *volume = 0;
    for (int k = 0; k < slices; k++) {
        double point[3], at = 0;
        for (int i = 0; i < 3; i++) at += job->axis[i] * middle[i];
        for (int i = 0; i < 3; i++) point[i] = middle[i] + job->axis[i] * (job->first + k * job->step - at);
        if (!sn_slice_plane(&job->surface, job->winding, point, job->axis, samples_for(job->options->rods),
                            &job->slice[k]))
            return viper_fail_memory(job);
        if (job->slice[k].count == 0)
            return viper_fail(job,
                              "slice %d of %d along the axis is empty: close the holes of the surface, or "
                              "flip its triangles",
                              k, slices);
        job->slice_volume[k] = job->slice[k].area * job->step * (k == 0 || k + 1 == slices ? 0.5 : 1);
        *volume += job->slice_volume[k];
        viper_report_progress(job, 0.2 + 0.5 * k / slices, "slices");
    }
    if (job->report->repair.closed && job->report->repair.components == 1 && job->report->repair.volume > 0)
        *volume = job->report->repair.volume;
    return true;
}

// --- viperize ---

static bool check_options(const sn_viper_options *options, tool_error *error) {
    if (options->rods < 1 || options->rods > VIPER_MAX_RODS)
        return tool_error_set(error, "%d rods; 1 to %d are allowed", options->rods, VIPER_MAX_RODS);
    if (options->slices < 2 || options->slices > VIPER_MAX_SLICES)
        return tool_error_set(error, "%d slices; 2 to %d are allowed", options->slices, VIPER_MAX_SLICES);
    return true;
}

// Slices by level surfaces. False: the error is set; planes may still work.
static bool slice_by_field(viper_job *job, sn_viper *out) {
    sn_tet_thickness *input = malloc(sizeof *input);
    double start = tool_clock();
    bool good = input != NULL || viper_fail_memory(job);
    if (good) sn_tet_thickness_measure(&job->surface, job->query, job->winding, input);
    good = good && fill(job, input, &out->volume);
    free(input);
    job->report->fill_seconds = tool_clock() - start;
    start = tool_clock();
    good = good && find_field(job);
    job->report->field_seconds = tool_clock() - start;
    start = tool_clock();
    good = good && cut_levels(job, out->slices);
    job->report->slice_seconds = tool_clock() - start;
    return good;
}

static void free_slices(viper_job *job, int slices) {
    for (int k = 0; k < slices; k++) sn_slice_free(&job->slice[k]);
}

static bool slice_by_planes(viper_job *job, sn_viper *out) {
    const double start = tool_clock();
    free_slices(job, out->slices);
    job->report->planes = true;
    const bool good = cut_planes(job, out->slices, &out->volume);
    job->report->slice_seconds = tool_clock() - start;
    return good;
}

static bool build_slices(viper_job *job, sn_viper *out) {
    if (job->options->planes) return slice_by_planes(job, out);
    if (slice_by_field(job, out)) return true;
    if (job->is_final) return false;
    const tool_error first = *job->error;
    if (!slice_by_planes(job, out)) return false;
    viper_warn(job, "no field could be computed (%.120s): slices are planes along a straight axis", first.text);
    return true;
}

static void check_result(viper_job *job) {
    const sn_viper_report *r = job->report;
    if (r->inside < 0.99 * r->points)
        viper_warn(job, "%d of %d rod points are outside the surface", r->points - r->inside, r->points);
    if (r->coverage < 0.9 || r->coverage > 1.1)
        viper_warn(job, "the slices cover %.0f %% of the volume; the radii were scaled to cover all of it",
                   100 * r->coverage);
}

bool sn_viperize(const sn_mesh *surface, const sn_viper_options *options, sn_viper *out, sn_viper_report *report,
                 tool_error *error) {
    viper_job job = {.options = options, .report = report, .error = error};
    *out = (sn_viper){.rods = options->rods, .slices = options->slices};
    *report = (sn_viper_report){0};
    if (!check_options(options, error)) return false;
    const size_t rods = (size_t)options->rods, slices = (size_t)options->slices;
    double start = tool_clock();
    out->point = malloc(rods * slices * sizeof *out->point);
    out->radius = calloc(slices, sizeof *out->radius);
    job.slice = calloc(slices, sizeof *job.slice), job.slice_volume = calloc(slices, sizeof *job.slice_volume);
    bool good = (out->point && out->radius && job.slice && job.slice_volume) || viper_fail_memory(&job);
    good = good && prepare_surface(&job, surface);
    report->repair_seconds = tool_clock() - start;
    good = good && build_slices(&job, out);
    start = tool_clock();
    good = good && viper_place_rods(&job, out);
    report->rod_seconds = tool_clock() - start;
    start = tool_clock();
    viper_report_progress(&job, 0.95, "skin");
    good = good && viper_bind_skin(&job, out);
    report->skin_seconds = tool_clock() - start;
    if (good) {
        check_result(&job);
        out->skin = job.surface;
        job.surface = (sn_mesh){0};
    } else
        sn_viper_free(out);
    for (int k = 0; k < options->slices && job.slice; k++) sn_slice_free(&job.slice[k]);
    free(job.slice), free(job.slice_volume), free(job.field), free(job.painted);
    sn_level_profile_free(&job.profile);
    sn_tet_mesh_free(&job.tets);
    sn_mesh_query_free(job.query);
    sn_winding_free(job.winding);
    sn_mesh_free(&job.surface);
    return good;
}

void sn_viper_free(sn_viper *viper) {
    free(viper->point), free(viper->radius), free(viper->level), free(viper->section), free(viper->weight);
    sn_mesh_free(&viper->skin);
    *viper = (sn_viper){0};
}

double sn_viper_volume(const sn_viper *viper) {
    double volume = 0;
    for (int i = 0; i < viper->rods; i++)
        for (int k = 0; k + 1 < viper->slices; k++) {
            const double *a = viper->point[(long long)i * viper->slices + k], *b = a + 3;
            const double r = 0.5 * (viper->radius[k] + viper->radius[k + 1]);
            const double l2 =
                (b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]) + (b[2] - a[2]) * (b[2] - a[2]);
            volume += 3.14159265358979323846 * r * r * sqrt(l2);
        }
    return volume;
}

void sn_viper_scale(sn_viper *viper, double factor) {
    for (int i = 0; i < viper->rods * viper->slices; i++)
        for (int k = 0; k < 3; k++) viper->point[i][k] *= factor;
    for (int k = 0; k < viper->slices; k++) viper->radius[k] *= factor;
    for (int k = 0; k < 3; k++) viper->source[k] *= factor, viper->sink[k] *= factor;
    for (int v = 0; v < viper->skin.vertex_count; v++)
        for (int k = 0; k < 3; k++) viper->skin.position[v][k] = (float)((double)viper->skin.position[v][k] * factor);
    viper->volume *= factor * factor * factor;
}
