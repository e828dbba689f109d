// Turns a muscle's surface into rods in six stages: repair (mesh_repair.h), a body for a field (viperize_body.c), a
// harmonic field from source to sink, its levels at equal distances (viperize_slices.c), points in these connected to rods
// (viperize_rods.c), and weights of the skin on the slices (viperize_skin.c).
//
// The body is the surface itself if its ends are to be found and it is closed: a surface is connected along tendons and
// sheets of any thinness. Else it is filled with tetrahedra (tet_lattice.h), in which fibres run inside. If the muscle is
// too thin for these too, slices are planes across a straight axis, clipped by the winding number. Of surface and
// tetrahedra the better result is kept (viperize_quality.c).
#include "bake/viperize.h"
#include "bake/viperize_internal.h"
#include "base/math/double3.h"
#include "base/union_find.h"
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
            "the body is in %d pieces and the largest has only %.0f %% of the volume; convert one muscle at a time, "
            "or each piece by itself (--pieces)",
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

static bool find_field(viper_job *job, const sn_mesh *main) {
    viper_report_progress(job, 0.45, "finding the ends");
    if (!viper_find_ends(job)) return false;
    job->field = malloc(((size_t)job->body.vertex_count + 1) * sizeof *job->field);
    if (!job->field) return viper_fail_memory(job);
    viper_report_progress(job, 0.5, "harmonic field");
    if (!main) {
        if (!sn_harmonic_between(&job->tets, job->end[0], job->end_count[0], job->end[1], job->end_count[1], job->field,
                                 job->error))
            return false;
        return sn_level_profile_make(&job->tets, job->field, &job->profile) || viper_fail_memory(job);
    }
    const int count = job->end_count[0] + job->end_count[1];
    int *vertex = malloc(((size_t)count + 1) * sizeof *vertex);
    double *value = malloc(((size_t)count + 1) * sizeof *value);
    bool good = (vertex && value) || viper_fail_memory(job);
    for (int i = 0; i < count && good; i++) {
        const bool sink = i >= job->end_count[0];
        vertex[i] = sink ? job->end[1][i - job->end_count[0]] : job->end[0][i], value[i] = sink;
    }
    const sn_dirichlet_values given = {vertex, value, count};
    good = good && sn_harmonic_surface(main, &given, job->field, job->error);
    for (int v = 0; v < main->vertex_count && good; v++) job->field[v] = fmin(fmax(job->field[v], 0), 1);
    good = good && (sn_level_profile_make_surface(main, job->field, &job->profile) || viper_fail_memory(job));
    free(vertex), free(value);
    return good;
}

static int samples_for(int rods) {
    const int each = rods > 64 ? 24 : 60;
    return rods * each < 900 ? 900 : rods * each;
}

// Slices at equal distances, counted from the tips of the ends: the first and the last lie where their caps begin, and
// viperize_rods.c moves their points on to the tips.
static bool cut_levels(viper_job *job, int slices) {
    const double length = job->profile.length[job->profile.count - 1], margin = end_margin * length,
                 whole = job->cap[0] + length + job->cap[1];
    job->report->length = whole;
    if (!(length > 0)) return viper_fail(job, "there is no space for fibres between source and sink");
    for (int k = 0; k < slices; k++) {
        const double even = whole * k / (slices - 1) - job->cap[0], low = margin * (1 + k / (double)slices),
                     high = length - margin * (2 - (k + 1) / (double)slices);
        job->at[k] = fmin(fmax(even, low), high);
    }
    return viper_cut_parts(job);
}

// --- slices along a straight axis ---

void viper_longest_direction(const sn_mesh *mesh, double middle[3], double out[3]) {
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
    viper_longest_direction(&job->surface, middle, job->axis);
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
    const double step = (1 - 4 * end_margin) * (high - low) / (slices - 1);
    *volume = 0;
    for (int k = 0; k < slices; k++) {
        double point[3], at = 0;
        for (int i = 0; i < 3; i++) at += job->axis[i] * middle[i];
        job->at[k] = low + 2 * end_margin * (high - low) + k * step;
        for (int i = 0; i < 3; i++) point[i] = middle[i] + job->axis[i] * (job->at[k] - at);
        sn_slice slice;
        if (!sn_slice_plane(&job->surface, job->winding, point, job->axis, samples_for(job->options->rods), &slice))
            return viper_fail_memory(job);
        const double around = slice.area * step * (k == 0 || k + 1 == slices ? 0.5 : 1);
        if (!viper_slice_of_one(&job->slice[k], job->options->rods, &slice, around)) {
            sn_slice_free(&slice);
            return viper_fail_memory(job);
        }
        if (slice.count == 0)
            return viper_fail(job,
                              "slice %d of %d along the axis is empty: close the holes of the surface, or "
                              "flip its triangles",
                              k, slices);
        *volume += around;
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

// Forgets what an attempt to slice the muscle left behind.
static void clear_slices(viper_job *job) {
    viper_free_slices(job);
    viper_body_free(&job->body);
    sn_level_profile_free(&job->profile);
    free(job->field);
    job->field = NULL;
}

// Slices by levels of a field on tetrahedra. False: the error is set; planes may still work.
static bool slice_by_tets(viper_job *job, sn_viper *out) {
    sn_tet_thickness *input = malloc(sizeof *input);
    double start = tool_clock();
    bool good = input != NULL || viper_fail_memory(job);
    clear_slices(job);
    if (good) sn_tet_thickness_measure(&job->surface, job->query, job->winding, input);
    good = good && fill(job, input, &out->volume);
    free(input);
    good = good && (viper_body_of_tets(&job->tets, job->report->spacing, &job->body) || viper_fail_memory(job));
    job->report->fill_seconds += tool_clock() - start;
    start = tool_clock();
    good = good && find_field(job, NULL);
    job->report->field_seconds += tool_clock() - start;
    start = tool_clock();
    good = good && cut_levels(job, out->slices);
    job->report->slice_seconds += tool_clock() - start;
    return good;
}

static bool slice_by_planes(viper_job *job, sn_viper *out) {
    const double start = tool_clock();
    clear_slices(job);
    job->report->planes = true;
    const bool good = cut_planes(job, out->slices, &out->volume);
    job->report->slice_seconds += tool_clock() - start;
    return good;
}

// The surface's largest piece, with all vertices, and its volume. False: it is no solid, or more than one.
static bool main_piece(const viper_job *job, sn_mesh *out, double *volume) {
    const sn_mesh *all = &job->surface;
    const size_t vertices = (size_t)all->vertex_count + 1;
    int *up = malloc(vertices * sizeof *up), best = 0;
    double *part = calloc(vertices, sizeof *part), total = 0;
    bool good =
        up && part && job->report->repair.closed && sn_mesh_alloc(out, all->vertex_count, all->triangle_count, 0);
    for (int v = 0; v < all->vertex_count && good; v++) up[v] = v;
    for (int t = 0; t < all->triangle_count && good; t++)
        for (int k = 1; k < 3; k++) sn_union(up, all->triangle[t][0], all->triangle[t][k]);
    for (int t = 0; t < all->triangle_count && good; t++) {
        double a[3], b[3], c[3], n[3];
        for (int k = 0; k < 3; k++) {
            a[k] = (double)all->position[all->triangle[t][0]][k], b[k] = (double)all->position[all->triangle[t][1]][k];
            c[k] = (double)all->position[all->triangle[t][2]][k];
        }
        d3_cross(b, c, n);
        part[sn_find_root(up, all->triangle[t][0])] += d3_dot(a, n) / 6;
    }
    for (int v = 0; v < all->vertex_count && good; v++) {
        total += fmax(part[v], 0);
        if (part[v] > part[best]) best = v;
    }
    good = good && part[best] > 0.97 * total;
    if (good) {
        memcpy(out->position, all->position, (size_t)all->vertex_count * sizeof *out->position);
        out->triangle_count = 0;
        for (int t = 0; t < all->triangle_count; t++)
            if (sn_find_root(up, all->triangle[t][0]) == best)
                memcpy(out->triangle[out->triangle_count++], all->triangle[t], sizeof *out->triangle);
        *volume = part[best];
    }
    free(up), free(part);
    return good;
}

// Slices by levels of a field on the surface. False: it does not work; tetrahedra may.
static bool slice_by_surface(viper_job *job, const sn_mesh *piece, sn_viper *out, double volume) {
    double start = tool_clock();
    clear_slices(job);
    bool good = viper_body_of_surface(piece, &job->body) || viper_fail_memory(job);
    out->volume = volume;
    good = good && find_field(job, piece);
    job->report->field_seconds += tool_clock() - start;
    start = tool_clock();
    good = good && cut_levels(job, out->slices);
    job->report->slice_seconds += tool_clock() - start;
    return good;
}

// From slices to a muscle with its skin, measured.
static bool finish(viper_job *job, sn_viper *out) {
    double start = tool_clock();
    bool good = viper_place_rods(job, out);
    job->report->rod_seconds += tool_clock() - start;
    start = tool_clock();
    viper_report_progress(job, 0.95, "skin");
    good = good && viper_bind_skin(job, out);
    job->report->skin_seconds += tool_clock() - start;
    if (!good) return false;
    start = tool_clock();
    out->skin = job->surface; // lent to measure
    good = sn_viper_measure(out, &job->report->quality) || viper_fail_memory(job);
    out->skin = (sn_mesh){0};
    job->report->quality_seconds += tool_clock() - start;
    return good;
}

static bool make_by_tets(viper_job *job, sn_viper *out) {
    if (job->options->planes) return slice_by_planes(job, out) && finish(job, out);
    if (slice_by_tets(job, out)) return finish(job, out);
    if (job->is_final) return false;
    const tool_error first = *job->error;
    if (!slice_by_planes(job, out)) return false;
    viper_warn(job, "no field could be computed (%.120s): slices are planes along a straight axis", first.text);
    return finish(job, out);
}

// The greater, the worse: 1 is as poor as rods may be.
static double badness(const sn_viper_quality *q) {
    return q->surface_95 / (0.5 * q->radius) + q->bend / VIPER_SHARP_BEND + (1 - q->span) / 0.05 +
           (1 - q->contained) / 0.05;
}

static bool is_poor(const sn_viper_quality *q) {
    return q->surface_95 > 0.4 * q->radius || q->sharp_bends || q->span < 0.95 || q->contained < 0.95;
}

static bool wants_surface(const viper_job *job) {
    bool painted = false;
    for (int v = 0; v < job->surface.vertex_count && job->painted; v++) painted = painted || job->painted[v];
    return !job->options->planes && !painted && job->options->end[0].kind == VIPER_END_AUTO &&
           job->options->end[1].kind == VIPER_END_AUTO;
}

static bool alloc_points(sn_viper *viper) {
    const size_t count = (size_t)viper->rods * (size_t)viper->slices;
    viper->point = malloc(count * sizeof *viper->point);
    viper->radius = calloc(count, sizeof *viper->radius);
    return viper->point && viper->radius;
}

// By the surface, by tetrahedra, or the better of both.
static bool make_best(viper_job *job, sn_viper *out) {
    sn_mesh piece = {0};
    double volume = 0;
    bool made = wants_surface(job) && main_piece(job, &piece, &volume) && slice_by_surface(job, &piece, out, volume) &&
                finish(job, out);
    sn_mesh_free(&piece);
    if (made && !is_poor(&job->report->quality)) return true;
    if (job->error->out_of_memory) return false;
    job->is_final = false;
    if (!made) {
        free(out->level), free(out->section), free(out->weight);
        out->level = NULL, out->section = NULL, out->weight = NULL;
        return make_by_tets(job, out);
    }
    // Tetrahedra might be better. What they say of the surface is kept, but not that they fail.
    const sn_viper_report first = *job->report;
    const tool_error error = *job->error;
    sn_viper other = {.rods = out->rods, .slices = out->slices};
    if (!alloc_points(&other)) {
        sn_viper_free(&other);
        return viper_fail_memory(job);
    }
    if (make_by_tets(job, &other) && !job->report->planes && badness(&job->report->quality) < badness(&first.quality)) {
        sn_viper_free(out);
        *out = other;
        return true;
    }
    sn_viper_free(&other);
    if (job->error->out_of_memory) return false;
    *job->report = first, *job->error = error;
    return true;
}

static void check_result(viper_job *job, const sn_viper *viper) {
    const sn_viper_report *r = job->report;
    if (r->inside < 0.99 * r->points)
        viper_warn(job, "%d of %d rod points are outside the surface", r->points - r->inside, r->points);
    if (r->coverage < 0.9 || r->coverage > 1.1)
        viper_warn(job, "the slices cover %.0f %% of the volume; the radii were scaled to cover all of it",
                   100 * r->coverage);
    viper_warn_of_quality(job, viper);
}

bool sn_viperize(const sn_mesh *surface, const sn_viper_options *options, sn_viper *out, sn_viper_report *report,
                 tool_error *error) {
    viper_job job = {.options = options, .report = report, .error = error};
    *out = (sn_viper){.rods = options->rods, .slices = options->slices};
    *report = (sn_viper_report){0};
    *error = (tool_error){0};
    if (!check_options(options, error)) return false;
    const double start = tool_clock();
    job.slice = calloc((size_t)options->slices, sizeof *job.slice);
    job.at = calloc((size_t)options->slices, sizeof *job.at);
    bool good = (alloc_points(out) && job.slice && job.at) || viper_fail_memory(&job);
    good = good && prepare_surface(&job, surface);
    report->repair_seconds = tool_clock() - start;
    good = good && make_best(&job, out);
    if (good) {
        check_result(&job, out);
        out->skin = job.surface;
        job.surface = (sn_mesh){0};
    } else
        sn_viper_free(out);
    clear_slices(&job);
    free(job.slice), free(job.at), free(job.painted), free(job.end[0]), free(job.end[1]);
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
            const double *radius = viper->radius + (long long)i * viper->slices + k, r = 0.5 * (radius[0] + radius[1]);
            const double l2 =
                (b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]) + (b[2] - a[2]) * (b[2] - a[2]);
            volume += 3.14159265358979323846 * r * r * sqrt(l2);
        }
    return volume;
}

void sn_viper_scale(sn_viper *viper, double factor) {
    for (int i = 0; i < viper->rods * viper->slices; i++)
        for (int k = 0; k < 3; k++) viper->point[i][k] *= factor;
    for (int i = 0; i < viper->rods * viper->slices; i++) viper->radius[i] *= factor;
    for (int k = 0; k < 3; k++) viper->source[k] *= factor, viper->sink[k] *= factor;
    for (int v = 0; v < viper->skin.vertex_count; v++)
        for (int k = 0; k < 3; k++) viper->skin.position[v][k] = (float)((double)viper->skin.position[v][k] * factor);
    viper->volume *= factor * factor * factor;
}
