// Bakes a surface into an elastic body (section 4.1 of the paper):
//
//     surface -> repair -> tetrahedra (a cut lattice) -> sorted along a Morton curve
//                       -> medial mesh -> handles at its spheres
//     tetrahedra and handles -> local biharmonic weights -> quadratic handles where neighbours are few
//     surface, spheres -> embedded in the tetrahedra
//
// Weights vary over the distance between handles, not from tetrahedron to tetrahedron. With hundreds of vertices per
// handle they are computed on a coarser lattice and interpolated, which is much faster.
#include "bake/elastic_bake.h"
#include "bake/elastic_internal.h"
#include "base/hash.h"
#include "mesh/clock.h"
#include "mesh/maths.h"
#include "tets/tet_embed.h"
#include "tets/tet_lattice.h"
#include "tets/tet_spacing.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MIN_TETS = 20000, // unless the options give a number
    MAX_TETS = 500000,
    COARSE_VERTICES = 15000, // minimum number of vertices for computing weights, if the mesh has that many
    COARSE_PER_HANDLE = 100, // and minimum per handle
};
#define FLOOR 0.004 // smaller weights are dropped

elastic_bake_options elastic_bake_default(void) {
    return (elastic_bake_options){.spheres = 100, .max_weights = ELASTIC_MAX_WEIGHTS, .threads = 1};
}

typedef struct {
    const elastic_source *source;
    const elastic_bake_options *options;
    elastic_report *report;
    sn_mesh surface; // repaired, or the boundary of the given tetrahedra
    sn_mesh_query *query;
    sn_winding *winding;
    sn_tet_mesh mesh;
    sn_medial_mesh medial;
    unsigned char *anchored; // null: none
    elastic_handles handles;
    elastic_weight_list *raw; // of each vertex
    int *first, *handle;      // as in the asset
    double *weight;
    double from, to; // progress range of the current stage
    const char *stage;
    tool_error *error;
} job;

static bool fail_memory(job *j) {
    return tool_error_out_of_memory(j->error);
}

// --- progress --------------------------------------------------------------------------------------------------------

static void phase(job *j, double from, double to, const char *stage) {
    j->from = from, j->to = to, j->stage = stage;
    if (j->options->progress && from > 0) j->options->progress(j->options->context, from, stage);
}

static void progress(void *context, double done) {
    const job *j = context;
    if (j->options->progress) j->options->progress(j->options->context, j->from + (j->to - j->from) * done, j->stage);
}

// --- tetrahedra ------------------------------------------------------------------------------------------------------

// Repairs the surface, or takes the boundary of the given tetrahedra, and builds the queries on it.
static bool prepare_surface(job *j) {
    const mesh_repair_options repair = mesh_repair_options_default();
    const bool given = j->source->surface != NULL;
    bool good = given ? mesh_repair(j->source->surface, &repair, &j->surface, NULL, &j->report->repair)
                      : sn_tet_mesh_boundary(j->source->tets, &j->surface, NULL, NULL);
    if (!good) return fail_memory(j);
    if (j->surface.triangle_count == 0)
        return tool_error_set(j->error, given ? "all triangles of the surface are degenerate"
                                              : "the tetrahedra have no boundary");
    j->report->surface_volume = given && j->report->repair.closed ? j->report->repair.volume : 0;
    j->query = sn_mesh_query_build(&j->surface);
    j->winding = sn_winding_make(&j->surface);
    return j->query && j->winding ? true : fail_memory(j);
}

static double choose_spacing(job *j, sn_tet_thickness *measured) {
    const elastic_bake_options *o = j->options;
    sn_tet_thickness_measure(&j->surface, j->query, j->winding, measured);
    if (o->spacing > 0) return o->spacing;
    if (o->tets > 0) return sn_tet_spacing(measured, o->tets, o->tets, NULL);
    return sn_tet_spacing(measured, MIN_TETS, MAX_TETS, NULL);
}

static bool keep_largest(sn_tet_mesh *mesh, int *pieces, int *dropped, double *share) {
    int *part = malloc(((size_t)mesh->tet_count + 1) * sizeof *part);
    bool *keep = malloc((size_t)mesh->tet_count + 1), good = part && keep;
    *pieces = good ? sn_tet_mesh_components(mesh, part) : -1;
    good = good && *pieces >= 0;
    *dropped = 0, *share = 0;
    if (good && *pieces > 1) {
        const int before = mesh->tet_count;
        const double all = sn_tet_mesh_measure(mesh).volume;
        for (int t = 0; t < before; t++) keep[t] = part[t] == 0;
        good = sn_tet_mesh_keep(mesh, keep);
        *dropped = before - mesh->tet_count;
        if (good && all > 0) *share = 1 - sn_tet_mesh_measure(mesh).volume / all;
    }
    free(part), free(keep);
    return good;
}

static bool copy_tets(const sn_tet_mesh *from, sn_tet_mesh *to) {
    if (!sn_tet_mesh_alloc(to, from->vertex_count, from->tet_count)) return false;
    memcpy(to->position, from->position, (size_t)from->vertex_count * sizeof *to->position);
    memcpy(to->tet, from->tet, (size_t)from->tet_count * sizeof *to->tet);
    return true;
}

static bool make_tets(job *j) {
    elastic_report *r = j->report;
    const double start = tool_clock();
    if (j->source->tets) {
        if (!copy_tets(j->source->tets, &j->mesh)) return fail_memory(j);
    } else {
        sn_tet_thickness *measured = malloc(sizeof *measured);
        sn_tet_lattice_report lattice;
        if (!measured) return fail_memory(j);
        r->spacing = choose_spacing(j, measured);
        free(measured);
        if (!(r->spacing > 0))
            return tool_error_set(j->error, "the surface has no inside to fill: close it, or flip its triangles");
        const sn_tet_lattice_options lattice_options = {r->spacing, j->options->threads, progress, j};
        if (!sn_tet_lattice(&j->surface, j->query, j->winding, &lattice_options, &j->mesh, &lattice, j->error))
            return false;
    }
    if (!keep_largest(&j->mesh, &r->pieces, &r->dropped_tets, &r->dropped_share) || !elastic_sort_morton(&j->mesh))
        return fail_memory(j);
    if (!sn_tet_mesh_is_conforming(&j->mesh, j->error)) return false;
    const sn_tet_report measured = sn_tet_mesh_measure(&j->mesh);
    r->tets = j->mesh.tet_count, r->vertices = j->mesh.vertex_count;
    r->volume = measured.volume, r->min_quality = measured.min_quality;
    if (measured.inverted)
        return tool_error_set(j->error, "%d tetrahedra are degenerate or inverted", measured.inverted);
    r->seconds_tets = tool_clock() - start;
    return true;
}

static bool make_medial(job *j) {
    const double start = tool_clock();
    medial_options options = medial_options_default();
    options.spheres = j->options->spheres;
    options.threads = j->options->threads;
    if (j->source->medial) {
        if (!sn_medial_mesh_copy(j->source->medial, &j->medial)) return fail_memory(j);
    } else if (!sn_medial_make(&j->surface, &options, &j->medial, &j->report->medial, j->error))
        return false;
    j->report->spheres = j->medial.sphere_count;
    j->report->cones = j->medial.cone_count, j->report->slabs = j->medial.slab_count;
    j->report->seconds_medial = tool_clock() - start;
    return true;
}

// The medial spheres of round bodies are all near the centre and cannot represent the motion of the outer parts
// (section 7 of the paper adds some by hand). Adds spheres one at a time where the body is farthest from all others but
// not close to the surface, each as large as fits and connected to the nearest sphere.
static bool add_spheres(job *j) {
    const int n = j->mesh.vertex_count, before = j->medial.sphere_count, extra = j->options->extra;
    sn_medial_mesh more;
    if (extra <= 0) return true;
    double *distance = malloc(((size_t)n + 1) * sizeof *distance), *depth = malloc(((size_t)n + 1) * sizeof *depth);
    if (!distance || !depth ||
        !sn_medial_mesh_alloc(&more, before + extra, j->medial.cone_count + extra, j->medial.slab_count)) {
        free(distance), free(depth);
        return fail_memory(j);
    }
    memcpy(more.centre, j->medial.centre, (size_t)before * sizeof *more.centre);
    memcpy(more.radius, j->medial.radius, (size_t)before * sizeof *more.radius);
    if (j->medial.cone_count) memcpy(more.cone, j->medial.cone, (size_t)j->medial.cone_count * sizeof *more.cone);
    if (j->medial.slab_count) memcpy(more.slab, j->medial.slab, (size_t)j->medial.slab_count * sizeof *more.slab);
    more.sphere_count = before, more.cone_count = j->medial.cone_count;
    for (int v = 0; v < n; v++) {
        sn_mesh_hit hit;
        depth[v] = sn_mesh_query_closest_point(j->query, j->mesh.position[v], INFINITY, &hit) ? hit.distance : 0;
        if (sn_winding_evaluate(j->winding, j->mesh.position[v]) < 0.5 || (j->anchored && j->anchored[v])) depth[v] = 0;
        distance[v] = INFINITY;
    }
    for (int i = 0; i < before + extra; i++) { // distances to the existing spheres, then to the new ones
        if (i >= before) {
            int best = 0;
            for (int v = 1; v < n; v++)
                if (fmin(distance[v], 3 * depth[v]) > fmin(distance[best], 3 * depth[best])) best = v;
            if (!(fmin(distance[best], 3 * depth[best]) > 0)) break;
            int next = 0;
            double nearest = INFINITY;
            for (int s = 0; s < i; s++) {
                double d = 0;
                for (int k = 0; k < 3; k++)
                    d += (more.centre[s][k] - j->mesh.position[best][k]) *
                         (more.centre[s][k] - j->mesh.position[best][k]);
                if (d < nearest) nearest = d, next = s;
            }
            memcpy(more.centre[i], j->mesh.position[best], sizeof *more.centre);
            more.radius[i] = depth[best];
            more.cone[more.cone_count][0] = next, more.cone[more.cone_count++][1] = i;
            more.sphere_count = i + 1;
        }
        for (int v = 0; v < n; v++) {
            double d = 0;
            for (int k = 0; k < 3; k++)
                d += (more.centre[i][k] - j->mesh.position[v][k]) * (more.centre[i][k] - j->mesh.position[v][k]);
            distance[v] = fmin(distance[v], sqrt(d));
        }
    }
    free(distance), free(depth);
    sn_medial_mesh_free(&j->medial);
    j->medial = more;
    j->report->spheres = more.sphere_count, j->report->cones = more.cone_count;
    return true;
}

// --- anchors ---------------------------------------------------------------------------------------------------------

static unsigned char *find_anchored(const job *j, const sn_tet_mesh *mesh, int *count) {
    unsigned char *anchored = calloc((size_t)mesh->vertex_count + 1, 1);
    *count = 0;
    for (int v = 0; v < mesh->vertex_count && anchored; v++) {
        for (int i = 0; i < j->options->anchor_count && !anchored[v]; i++)
            anchored[v] = elastic_anchor_contains(&j->options->anchor[i], mesh->position[v]);
        *count += anchored[v];
    }
    return anchored;
}

static bool find_anchors(job *j) {
    if (j->options->anchor_count == 0) return true;
    j->anchored = find_anchored(j, &j->mesh, &j->report->anchored);
    if (!j->anchored) return fail_memory(j);
    if (j->report->anchored == 0) return tool_error_set(j->error, "no vertex of the body is inside the anchors");
    if (j->report->anchored == j->mesh.vertex_count)
        return tool_error_set(j->error, "the whole body is anchored: nothing could move");
    return true;
}

// --- weights ---------------------------------------------------------------------------------------------------------

static bool solve_weights(job *j, const sn_tet_mesh *mesh, elastic_weight_list *out) {
    const sn_weight_constraints holds = {j->handles.vertex, j->handles.handle, j->handles.hold_count, j->handles.count};
    elastic_weight_options options = {.threads = j->options->threads,
                                      .patch = j->options->patch,
                                      .rings = j->options->rings,
                                      .progress = progress,
                                      .context = j};
    // A coarse mesh is small enough for one factorization, which is more accurate than overlapping patches.
    if (!options.patch && j->report->coarse_tets) options.patch = mesh->vertex_count;
    const bool good = elastic_weights(mesh, &holds, &options, out, j->error);
    j->report->patches = options.patch_count;
    return good;
}

// Builds a lattice with about 'target' vertices in one piece. False, without an error: no lattice covers the whole
// body.
static bool make_coarse(job *j, double target, sn_tet_mesh *out) {
    double spacing = own_cbrt(12 * j->report->volume / (5.4 * target)); // 5.4 tetrahedra per vertex
    for (int tries = 0; tries < 3; ++tries, spacing *= 0.8) {
        const sn_tet_lattice_options options = {spacing, j->options->threads, NULL, NULL};
        sn_tet_lattice_report report;
        int pieces, dropped;
        double share;
        if (!sn_tet_lattice(&j->surface, j->query, j->winding, &options, out, &report, NULL)) return false;
        if (keep_largest(out, &pieces, &dropped, &share) && share < 1e-3 && elastic_sort_morton(out)) return true;
        sn_tet_mesh_free(out);
    }
    return false;
}

// Interpolates the weights of the coarse lattice at the vertices of the fine one.
static bool interpolate(job *j, const sn_tet_mesh *coarse, const elastic_weight_list *from) {
    const int n = j->mesh.vertex_count;
    float(*point)[3] = malloc(((size_t)n + 1) * sizeof *point);
    sn_tet_point *place = malloc(((size_t)n + 1) * sizeof *place);
    sn_tet_embed_report report;
    bool good = point && place;
    for (int v = 0; v < n && good; v++)
        for (int k = 0; k < 3; k++) point[v][k] = (float)j->mesh.position[v][k];
    good = good && sn_tet_embed(coarse, (const float(*)[3])point, n, place, &report);
    for (int v = 0; v < n && good; v++) {
        double part[4], sum = 0, weight[4 * ELASTIC_LIST_CAPACITY];
        int handle[4 * ELASTIC_LIST_CAPACITY], count = 0;
        for (int k = 0; k < 4; k++) sum += part[k] = fmax(place[v].weight[k], 0); // outside: use the nearest point
        for (int k = 0; k < 4; k++) {
            const elastic_weight_list *list = &from[coarse->tet[place[v].tet][k]];
            for (int i = 0; i < list->count; i++) {
                int at = 0;
                while (at < count && handle[at] != list->handle[i]) at++;
                if (at == count) handle[count] = list->handle[i], weight[count++] = 0;
                weight[at] += part[k] / sum * (double)list->weight[i];
            }
        }
        j->raw[v].count = 0;
        for (int i = 0; i < count; i++) elastic_weight_list_add(&j->raw[v], handle[i], weight[i]);
    }
    free(point), free(place);
    return good;
}

// Held vertices follow only their own handle; anchored vertices follow none.
static void apply_holds(job *j) {
    for (int i = 0; i < j->handles.hold_count; i++) {
        elastic_weight_list *list = &j->raw[j->handles.vertex[i]];
        list->count = 0;
        elastic_weight_list_add(list, j->handles.handle[i] < 0 ? j->handles.count : j->handles.handle[i], 1);
    }
}

static bool compute_coarse_weights(job *j, const sn_tet_mesh *coarse) {
    int count = 0;
    elastic_weight_list *raw = malloc(((size_t)coarse->vertex_count + 1) * sizeof *raw);
    unsigned char *anchored = j->anchored ? find_anchored(j, coarse, &count) : NULL;
    if (!raw || (j->anchored && !anchored)) {
        free(raw), free(anchored);
        return fail_memory(j);
    }
    bool good = elastic_handles_place(&j->medial, coarse, anchored, false, &j->handles);
    if (!good) fail_memory(j);
    j->report->coarse_tets = coarse->tet_count;
    good = good && solve_weights(j, coarse, raw);
    // Find the held vertices in the body's own mesh.
    if (good &&
        (!interpolate(j, coarse, raw) || !elastic_handles_place(&j->medial, &j->mesh, j->anchored, true, &j->handles)))
        good = fail_memory(j);
    free(raw), free(anchored);
    return good;
}

static bool compute_weights(job *j) {
    const double start = tool_clock();
    const int n = j->mesh.vertex_count;
    if (!elastic_handles_choose(&j->medial, j->source, j->options->handles, &j->handles)) return fail_memory(j);
    j->raw = calloc((size_t)n + 1, sizeof *j->raw);
    if (!j->raw) return fail_memory(j);
    const double target = j->options->coarse > 0 ? j->options->coarse
                                                 : fmax(COARSE_VERTICES, (double)COARSE_PER_HANDLE * j->handles.count);
    sn_tet_mesh coarse = {0};
    bool good, use = n > 1.4 * target && make_coarse(j, target, &coarse) && coarse.vertex_count < 0.8 * n;
    if (use && j->options->anchor_count) { // an anchor may lie between coarse vertices
        int count;
        unsigned char *anchored = find_anchored(j, &coarse, &count);
        use = anchored && count > 0;
        free(anchored);
    }
    if (use) {
        good = compute_coarse_weights(j, &coarse);
    } else {
        good = elastic_handles_place(&j->medial, &j->mesh, j->anchored, false, &j->handles);
        if (!good) fail_memory(j);
        if (good && j->handles.count == 0)
            good = tool_error_set(j->error, "no sphere of the medial mesh is in a part of the body that can move");
        good = good && solve_weights(j, &j->mesh, j->raw);
    }
    sn_tet_mesh_free(&coarse);
    if (good && j->handles.count == 0)
        good = tool_error_set(j->error, "no sphere of the medial mesh is in a part of the body that can move");
    if (good) apply_holds(j);
    j->report->seconds_weights = tool_clock() - start;
    return good;
}

// --- from lists to weights -------------------------------------------------------------------------------------------

static int nearest_handle(const job *j, int v, const bool *drop) {
    int best = -1;
    double nearest = INFINITY;
    for (int h = 0; h < j->handles.count; h++) {
        if (drop[h]) continue;
        double distance = 0;
        for (int k = 0; k < 3; k++) {
            const double d = j->mesh.position[v][k] - j->medial.centre[j->handles.sphere[h]][k];
            distance += d * d;
        }
        if (distance < nearest) nearest = distance, best = h;
    }
    return best;
}

static bool anchored_at(const job *j, int v) {
    return j->anchored && j->anchored[v];
}

// Computes the final weights of all vertices without the dropped handles.
static void finish_weights(job *j, const bool *drop) {
    int used = 0;
    j->first[0] = 0;
    for (int v = 0; v < j->mesh.vertex_count; v++) {
        double weight[ELASTIC_MAX_WEIGHTS];
        int handle[ELASTIC_MAX_WEIGHTS], count = 0;
        if (!anchored_at(j, v)) {
            count = elastic_weight_list_finish(&j->raw[v], j->handles.count, j->options->max_weights, FLOOR, drop,
                                               handle, weight);
            bool has_anchor = false;
            for (int i = 0; i < j->raw[v].count; i++)
                has_anchor = has_anchor || j->raw[v].handle[i] == j->handles.count;
            if (count == 0 && !has_anchor) count = 1, handle[0] = nearest_handle(j, v, drop), weight[0] = 1;
        }
        for (int i = 0; i < count; i++) j->handle[used] = handle[i], j->weight[used++] = weight[i];
        j->first[v + 1] = used;
    }
}

// Measures how much volume each handle moves and how many vertices it moves noticeably.
static void measure_handles(const job *j, double *volume, int *vertices) {
    memset(volume, 0, (size_t)j->handles.count * sizeof *volume);
    memset(vertices, 0, (size_t)j->handles.count * sizeof *vertices);
    for (int t = 0; t < j->mesh.tet_count; t++) {
        const int *c = j->mesh.tet[t];
        const double quarter = sn_tet_volume(j->mesh.position[c[0]], j->mesh.position[c[1]], j->mesh.position[c[2]],
                                             j->mesh.position[c[3]]) /
                               4;
        for (int k = 0; k < 4; k++)
            for (int i = j->first[c[k]]; i < j->first[c[k] + 1]; i++) volume[j->handle[i]] += quarter * j->weight[i];
    }
    for (int i = 0; i < j->first[j->mesh.vertex_count]; i++) vertices[j->handle[i]] += j->weight[i] > 0.1;
}

// Finds handles that move vertices near anchors. The body bends most there and has only these handles to do it: with
// affine handles alone a cactus is an eighth stiffer than it should be.
static void find_rooted(const job *j, bool *rooted) {
    for (int v = 0; v < j->mesh.vertex_count; v++) {
        double held = 1;
        for (int i = j->first[v]; i < j->first[v + 1]; i++) held -= (double)j->weight[i];
        for (int i = j->first[v]; i < j->first[v + 1] && held > 0.02; i++)
            rooted[j->handle[i]] = rooted[j->handle[i]] || (double)j->weight[i] > 0.1;
    }
}

enum { MIN_VERTICES = 12 }; // that a handle must move; with fewer its columns would be linearly dependent

// Drops handles that move almost nothing, computes the final weights, chooses the quadratic handles and renumbers the
// remaining ones.
static bool finish_handles(job *j, unsigned char *quadratic) {
    const int n = j->handles.count;
    double *volume = malloc(((size_t)n + 1) * sizeof *volume);
    int *vertices = malloc(((size_t)n + 1) * sizeof *vertices), *now = malloc(((size_t)n + 1) * sizeof *now);
    bool *drop = calloc((size_t)n + 1, sizeof *drop), *rooted = calloc((size_t)n + 1, sizeof *rooted);
    bool again = true, good = volume && vertices && now && drop && rooted;
    for (int pass = 0; pass < 4 && again && good; pass++) {
        again = false;
        finish_weights(j, drop);
        measure_handles(j, volume, vertices);
        int left = 0;
        for (int h = 0; h < n; h++) left += !drop[h];
        for (int h = 0; h < n && left > 1 && pass < 3; h++) {
            const bool weak = vertices[h] < MIN_VERTICES || volume[h] < 1e-4 * j->report->volume / n;
            if (drop[h] || !weak) continue;
            drop[h] = again = true;
            --left;
        }
    }
    int left = 0;
    if (good) find_rooted(j, rooted);
    for (int h = 0; h < n && good; h++) {
        now[h] = -1;
        if (drop[h]) continue;
        now[h] = left;
        const bool target =
            j->options->quadratic == ELASTIC_QUADRATIC_ALL ||
            (j->options->quadratic == ELASTIC_QUADRATIC_SPARSE && (j->handles.few_neighbours[h] || rooted[h]));
        // Section 4.1: handles that cover little volume stay affine.
        quadratic[left] = target && volume[h] >= 0.1 * j->report->volume / n && vertices[h] >= 3 * MIN_VERTICES;
        j->report->quadratic += quadratic[left];
        j->handles.sphere[left++] = j->handles.sphere[h];
    }
    for (int i = 0; good && i < j->first[j->mesh.vertex_count]; i++) j->handle[i] = now[j->handle[i]];
    if (good) {
        j->report->lost_handles = j->handles.lost + n - left;
        j->report->handles = j->handles.count = left;
        j->report->columns = 4 * left + 6 * j->report->quadratic;
        j->report->mean_weights = (double)j->first[j->mesh.vertex_count] / j->mesh.vertex_count;
    }
    free(volume), free(vertices), free(now), free(drop), free(rooted);
    return good ? true : fail_memory(j);
}

// --- the asset -------------------------------------------------------------------------------------------------------

static sn_vec3 vec(const double p[3]) {
    return (sn_vec3){(sn_real)p[0], (sn_real)p[1], (sn_real)p[2]};
}

static bool store_tets(job *j, sn_memory *m, sn_elastic_asset *a) {
    sn_mesh boundary = {0};
    int *vertex_of = NULL;
    if (!sn_tet_mesh_boundary(&j->mesh, &boundary, &vertex_of, NULL)) return fail_memory(j);
    const size_t n = (size_t)j->mesh.vertex_count;
    a->rest = sn_alloc(m, n, sizeof *a->rest);
    a->tets = sn_alloc(m, (size_t)j->mesh.tet_count, sizeof *a->tets);
    a->triangles = sn_alloc(m, (size_t)boundary.triangle_count, sizeof *a->triangles);
    a->anchored = j->anchored ? sn_alloc(m, n, sizeof *a->anchored) : NULL;
    a->vertex_count = j->mesh.vertex_count;
    a->tet_count = j->mesh.tet_count;
    a->triangle_count = boundary.triangle_count;
    const bool good = a->rest && a->tets && a->triangles && (!j->anchored || a->anchored);
    for (size_t v = 0; v < n && good; v++) a->rest[v] = vec(j->mesh.position[v]);
    if (good) memcpy(a->tets, j->mesh.tet, (size_t)a->tet_count * sizeof *a->tets);
    for (int i = 0; i < 3 * a->triangle_count && good; i++)
        a->triangles[i / 3][i % 3] = vertex_of[boundary.triangle[i / 3][i % 3]];
    if (good && j->anchored) memcpy(a->anchored, j->anchored, n);
    sn_mesh_free(&boundary);
    free(vertex_of);
    return good ? true : fail_memory(j);
}

static bool store_medial(job *j, sn_memory *m, sn_elastic_asset *a, const unsigned char *quadratic) {
    const sn_medial_mesh *from = &j->medial;
    const size_t spheres = (size_t)from->sphere_count, handles = (size_t)j->handles.count;
    a->centre = sn_alloc(m, spheres, sizeof *a->centre);
    a->radius = sn_alloc(m, spheres, sizeof *a->radius);
    a->cones = sn_alloc(m, (size_t)from->cone_count, sizeof *a->cones);
    a->slabs = sn_alloc(m, (size_t)from->slab_count, sizeof *a->slabs);
    a->handle_sphere = sn_alloc(m, handles, sizeof *a->handle_sphere);
    a->handle_quadratic = sn_alloc(m, handles, sizeof *a->handle_quadratic);
    a->sphere_count = from->sphere_count, a->cone_count = from->cone_count, a->slab_count = from->slab_count;
    a->handle_count = j->handles.count;
    if (!a->centre || !a->radius || !a->cones || !a->slabs || !a->handle_sphere || !a->handle_quadratic)
        return fail_memory(j);
    for (size_t i = 0; i < spheres; i++) a->centre[i] = vec(from->centre[i]), a->radius[i] = (sn_real)from->radius[i];
    if (from->cone_count) memcpy(a->cones, from->cone, (size_t)from->cone_count * sizeof *a->cones);
    if (from->slab_count) memcpy(a->slabs, from->slab, (size_t)from->slab_count * sizeof *a->slabs);
    memcpy(a->handle_sphere, j->handles.sphere, handles * sizeof *a->handle_sphere);
    memcpy(a->handle_quadratic, quadratic, handles);
    return true;
}

static bool store_weights(job *j, sn_memory *m, sn_elastic_asset *a) {
    const size_t n = (size_t)a->vertex_count, pairs = (size_t)j->first[n];
    a->first = sn_alloc(m, n + 1, sizeof *a->first);
    a->handle = a->first ? sn_alloc(m, pairs, sizeof *a->handle) : NULL;
    a->weight = a->first ? sn_alloc(m, pairs, sizeof *a->weight) : NULL;
    if (a->first) memcpy(a->first, j->first, (n + 1) * sizeof *a->first);
    if (!a->first || !a->handle || !a->weight) return fail_memory(j);
    if (pairs) memcpy(a->handle, j->handle, pairs * sizeof *a->handle);
    for (size_t i = 0; i < pairs; i++) a->weight[i] = (sn_real)j->weight[i];
    return true;
}

// Weights of a sphere that is not a handle: the largest weights of the tetrahedron around its centre.
static int sphere_weights(const job *j, const sn_tet_point *place, int handle[ELASTIC_MAX_WEIGHTS],
                          double weight[ELASTIC_MAX_WEIGHTS]) {
    elastic_weight_list list = {0};
    double part[4], sum = 0, all = 0, kept_sum = 0, gathered[4 * ELASTIC_MAX_WEIGHTS];
    int measured[4 * ELASTIC_MAX_WEIGHTS], count = 0;
    for (int k = 0; k < 4; k++) sum += part[k] = fmax(place->weight[k], 0);
    for (int k = 0; k < 4; k++) {
        const int v = j->mesh.tet[place->tet][k];
        for (int i = j->first[v]; i < j->first[v + 1]; i++) {
            int at = 0;
            while (at < count && measured[at] != j->handle[i]) at++;
            if (at == count) measured[count] = j->handle[i], gathered[count++] = 0;
            gathered[at] += part[k] / sum * j->weight[i];
            all += part[k] / sum * j->weight[i];
        }
    }
    for (int i = 0; i < count; i++) elastic_weight_list_add(&list, measured[i], gathered[i]);
    count = list.count < ELASTIC_MAX_WEIGHTS ? list.count : ELASTIC_MAX_WEIGHTS;
    for (int i = 0; i < count; i++) handle[i] = list.handle[i], kept_sum += weight[i] = (double)list.weight[i];
    for (int i = 0; i < count; i++) weight[i] *= all / kept_sum;
    return count;
}

static bool store_spheres(job *j, sn_memory *m, sn_elastic_asset *a) {
    const int n = a->sphere_count;
    float(*centre)[3] = malloc(((size_t)n + 1) * sizeof *centre);
    sn_tet_point *place = malloc(((size_t)n + 1) * sizeof *place);
    int *own = malloc(((size_t)n + 1) * sizeof *own), *handle = malloc(((size_t)n + 1) * 8 * sizeof *handle), used = 0;
    double *weight = malloc(((size_t)n + 1) * 8 * sizeof *weight);
    sn_tet_embed_report report;
    a->sphere_first = sn_alloc(m, (size_t)n + 1, sizeof *a->sphere_first);
    bool good = centre && place && own && handle && weight && a->sphere_first;
    for (int i = 0; i < n && good; i++) {
        own[i] = -1;
        for (int k = 0; k < 3; k++) centre[i][k] = (float)j->medial.centre[i][k];
    }
    for (int h = 0; h < a->handle_count && good; h++) own[a->handle_sphere[h]] = h;
    good = good && sn_tet_embed(&j->mesh, (const float(*)[3])centre, n, place, &report);
    for (int i = 0; i < n && good; i++) {
        int count = 1;
        if (own[i] >= 0)
            handle[used] = own[i], weight[used] = 1;
        else
            count = sphere_weights(j, &place[i], handle + used, weight + used);
        used += count;
        a->sphere_first[i + 1] = used;
    }
    if (good) {
        a->sphere_handle = sn_alloc(m, (size_t)used, sizeof *a->sphere_handle);
        a->sphere_weight = sn_alloc(m, (size_t)used, sizeof *a->sphere_weight);
        good = a->sphere_handle && a->sphere_weight;
    }
    for (int i = 0; i < used && good; i++) a->sphere_handle[i] = handle[i], a->sphere_weight[i] = (sn_real)weight[i];
    free(centre), free(place), free(own), free(handle), free(weight);
    return good ? true : fail_memory(j);
}

// Embeds the input surface in the tetrahedra. Degenerate triangles are not drawn.
static bool store_drawn(job *j, sn_memory *m, sn_elastic_asset *a) {
    const sn_mesh *mesh = j->source->surface;
    if (!mesh || mesh->vertex_count == 0) return true;
    const int n = mesh->vertex_count;
    sn_tet_point *place = malloc(((size_t)n + 1) * sizeof *place);
    sn_tet_embed_report report;
    int triangles = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *c = mesh->triangle[t];
        triangles += c[0] != c[1] && c[1] != c[2] && c[2] != c[0];
    }
    a->drawn_corner = sn_alloc(m, (size_t)n, sizeof *a->drawn_corner);
    a->drawn_weight = sn_alloc(m, (size_t)n, sizeof *a->drawn_weight);
    a->drawn_triangles = sn_alloc(m, (size_t)triangles, sizeof *a->drawn_triangles);
    a->drawn_count = n, a->drawn_triangle_count = triangles;
    const bool good = place && a->drawn_corner && a->drawn_weight && a->drawn_triangles &&
                      sn_tet_embed(&j->mesh, (const float(*)[3])mesh->position, n, place, &report);
    for (int i = 0; i < n && good; i++)
        for (int k = 0; k < 4; k++) {
            a->drawn_corner[i][k] = j->mesh.tet[place[i].tet][k];
            a->drawn_weight[i][k] = (sn_real)place[i].weight[k];
        }
    for (int t = 0, at = 0; t < mesh->triangle_count && good; t++) {
        const int *c = mesh->triangle[t];
        if (c[0] != c[1] && c[1] != c[2] && c[2] != c[0]) memcpy(a->drawn_triangles[at++], c, sizeof(int[3]));
    }
    if (good) j->report->outside = report.outside, j->report->farthest = report.farthest;
    free(place);
    return good ? true : fail_memory(j);
}

static bool store_asset(job *j, sn_memory *m, sn_elastic_asset *a) {
    const size_t n = (size_t)j->mesh.vertex_count;
    const double start = tool_clock();
    unsigned char *quadratic = calloc((size_t)j->handles.count + 1, 1);
    j->first = malloc((n + 1) * sizeof *j->first);
    j->handle = malloc((n + 1) * (size_t)j->options->max_weights * sizeof *j->handle);
    j->weight = malloc((n + 1) * (size_t)j->options->max_weights * sizeof *j->weight);
    bool good = quadratic && j->first && j->handle && j->weight;
    if (!good) fail_memory(j);
    good = good && finish_handles(j, quadratic) && store_tets(j, m, a) && store_medial(j, m, a, quadratic) &&
           store_weights(j, m, a) && store_spheres(j, m, a) && store_drawn(j, m, a);
    free(quadratic);
    char invalid[SN_ELASTIC_ERROR_SIZE];
    if (good && !sn_elastic_asset_check(a, invalid)) { // for example tetrahedra that are flat in single precision
        tool_error_set(j->error, "the baked body is invalid: %s", invalid);
        good = false;
    }
    j->report->seconds_other = tool_clock() - start;
    return good;
}

// --- bake ------------------------------------------------------------------------------------------------------------

static bool check_options(const elastic_source *source, const elastic_bake_options *o, tool_error *error) {
    if (!source->surface && !source->tets) return tool_error_set(error, "a surface or tetrahedra are required");
    if (!source->medial && (o->spheres < 1 || o->spheres > MEDIAL_MAX_SPHERES))
        return tool_error_set(error, "spheres must be 1 to %d, is %d", MEDIAL_MAX_SPHERES, o->spheres);
    if (o->extra < 0 || o->extra > MEDIAL_MAX_SPHERES)
        return tool_error_set(error, "extra spheres must be 0 to %d, is %d", MEDIAL_MAX_SPHERES, o->extra);
    if (source->handle && (!source->medial || source->handle_count < 1))
        return tool_error_set(error, "a list of handles needs a medial mesh and at least one handle");
    if (o->max_weights < 1 || o->max_weights > ELASTIC_MAX_WEIGHTS)
        return tool_error_set(error, "weights must be 1 to %d, is %d", ELASTIC_MAX_WEIGHTS, o->max_weights);
    if (o->threads < 1 || o->threads > 64) return tool_error_set(error, "threads must be 1 to 64, is %d", o->threads);
    if (o->anchor_count < 0 || o->anchor_count > ELASTIC_MAX_ANCHORS)
        return tool_error_set(error, "at most %d anchors are allowed, there are %d", ELASTIC_MAX_ANCHORS,
                              o->anchor_count);
    return true;
}

bool elastic_bake(sn_memory *memory, const elastic_source *source, const elastic_bake_options *options,
                  sn_elastic_asset *out, elastic_report *report, tool_error *error) {
    job j = {.source = source, .options = options, .report = report, .error = error};
    *out = (sn_elastic_asset){0};
    *report = (elastic_report){0};
    if (!check_options(source, options, error)) return false;
    phase(&j, 0, 0.15, "tetrahedra");
    bool good = prepare_surface(&j) && make_tets(&j) && find_anchors(&j);
    phase(&j, 0.15, 0.35, "medial mesh");
    good = good && make_medial(&j) && add_spheres(&j);
    phase(&j, 0.35, 0.95, "weights");
    good = good && compute_weights(&j);
    phase(&j, 0.95, 1, "surface");
    good = good && store_asset(&j, memory, out);
    if (!good) sn_elastic_asset_free(memory, out);
    sn_mesh_free(&j.surface);
    sn_mesh_query_free(j.query), sn_winding_free(j.winding);
    sn_tet_mesh_free(&j.mesh), sn_medial_mesh_free(&j.medial);
    elastic_handles_free(&j.handles);
    free(j.anchored), free(j.raw), free(j.first), free(j.handle), free(j.weight);
    return good;
}

// --- cache key -------------------------------------------------------------------------------------------------------

// Increment when the same options give a different result.
#define PAGE_VERSION 4

static uint64_t hash_array(uint64_t key, const void *bytes, size_t size) {
    key = sn_hash_u64(key, size);
    return size && bytes ? sn_hash_bytes(key, bytes, size) : key;
}

uint64_t elastic_bake_key(const elastic_source *source, const elastic_bake_options *o) {
    const double values[8] = {PAGE_VERSION, o->spheres,     o->handles, o->spacing,
                              o->tets,      o->max_weights, o->coarse,  (int)o->quadratic};
    uint64_t key = hash_array(0x73696e6577, values, sizeof values);
    key = sn_hash_u64(key, (uint64_t)o->patch);
    key = sn_hash_u64(key, (uint64_t)o->rings);
    key = sn_hash_u64(key, (uint64_t)o->extra);
    for (int i = 0; i < o->anchor_count; i++) {
        key = sn_hash_u64(key, (uint64_t)o->anchor[i].kind);
        key = hash_array(key, o->anchor[i].a, sizeof o->anchor[i].a);
        key = hash_array(key, o->anchor[i].b, sizeof o->anchor[i].b);
    }
    if (source->surface) {
        const sn_mesh *m = source->surface;
        key = hash_array(key, m->position, (size_t)m->vertex_count * sizeof *m->position);
        key = hash_array(key, m->triangle, (size_t)m->triangle_count * sizeof *m->triangle);
    }
    if (source->tets) {
        const sn_tet_mesh *m = source->tets;
        key = hash_array(key, m->position, (size_t)m->vertex_count * sizeof *m->position);
        key = hash_array(key, m->tet, (size_t)m->tet_count * sizeof *m->tet);
    }
    if (source->medial) {
        const sn_medial_mesh *m = source->medial;
        key = hash_array(key, m->centre, (size_t)m->sphere_count * sizeof *m->centre);
        key = hash_array(key, m->radius, (size_t)m->sphere_count * sizeof *m->radius);
        key = hash_array(key, m->cone, (size_t)m->cone_count * sizeof *m->cone);
        key = hash_array(key, m->slab, (size_t)m->slab_count * sizeof *m->slab);
        key = hash_array(key, source->handle, source->handle ? (size_t)source->handle_count * sizeof(int) : 0);
    }
    return key;
}
