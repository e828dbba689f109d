// From a surface to its medial mesh:
//
//     repair      fix what is clearly wrong with the mesh
//     lattice     replace a dirty or coarse mesh by the boundary of the tetrahedra that fill it
//     axis        Delaunay, and the inner part of its dual                              medial_voronoi.c
//     simplify    collapse edges                                                        medial_simplify.c
//     cover       add spheres where that went too far                                   medial_cover.c
//     fit         least squares over all spheres                                        medial_fit.c
//     enclose     enlarge radii until every vertex of the file is inside                medial_enclose.c
//     measure     the two-sided error                                                   medial_error.c
//
// All of this happens in a box of diagonal 1 around the origin; the result is scaled back in the end.
#include "medial/medial.h"
#include "base/union_find.h"
#include "medial/medial_internal.h"
#include "medial/medial_simplify.h"
#include "medial/medial_voronoi.h"
#include "mesh/clock.h"
#include "tets/tet_lattice.h"
#include "tets/tet_spacing.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double enclose_margin = 1e-6; // the mesh must still enclose after rounding in files
static const double flat_triangle = 0.002;

enum {
    DIRECT_MAX_VERTICES = 120000,  // larger surfaces take too long and too much memory
    LATTICE_MAX_VERTICES = 400000, // on the lattice's boundary
    LATTICE_MIN_TETS = 60000,      // defaults
    LATTICE_MAX_TETS = 300000,
    LATTICE_MAX_CELLS = 40000000, // in the box
    MAX_SPHERES_FOR_ERROR = 3000, // when a target error is given
};

medial_options medial_options_default(void) {
    return (medial_options){.spheres = 100};
}

double medial_two_sided_error(const medial_report *report) {
    return fmax(report->surface_mean, report->mesh_mean);
}

typedef struct {
    const medial_options *options;
    medial_report *report;
    tool_error *error;
    sn_mesh mesh;                     // repaired, in the unit box
    sn_mesh lattice;                  // its boundary, or empty
    double middle[3], diagonal, side; // of the file's box; side: the largest over the diagonal
    double reach;                     // samples farther outside than this get spheres of their own
    double (*vertex)[3];              // all vertices of triangles, in the unit box: to be enclosed
    int vertex_count;
    bool clean; // closed, and does not intersect itself
    sn_winding *winding;
    sn_mesh_query *query;
    medial_samples samples, few; // of the surface: for measuring, and for fitting
    sn_medial_mesh axis;
    medial_simplifier *simplifier;
} work;

static bool no_memory(work *w) {
    return tool_error_out_of_memory(w->error);
}

// ---- the surface

static bool prepare_surface(work *w, const sn_mesh *surface) {
    const mesh_repair_options repair = mesh_repair_options_default();
    for (int v = 0; v < surface->vertex_count; v++)
        for (int k = 0; k < 3; k++)
            if (!isfinite(surface->position[v][k]))
                return tool_error_set(w->error, "vertex %d is not finite; repair the file it comes from", v);
    sn_mesh bare = {.position = surface->position, .triangle = surface->triangle};
    bare.vertex_count = surface->vertex_count, bare.triangle_count = surface->triangle_count;
    if (!mesh_repair(&bare, &repair, &w->mesh, NULL, &w->report->repair)) return no_memory(w);
    if (w->mesh.triangle_count == 0)
        return tool_error_set(w->error, "it has no triangles with area; a medial mesh needs a closed surface");
    float low[3], high[3];
    double d2 = 0, side = 0;
    sn_mesh_box(&w->mesh, low, high);
    for (int k = 0; k < 3; k++) {
        const double length = (double)high[k] - (double)low[k];
        w->middle[k] = 0.5 * ((double)high[k] + (double)low[k]);
        d2 += length * length;
        side = fmax(side, length);
    }
    w->diagonal = sqrt(d2);
    if (!(w->diagonal > 1e-30) || !(w->diagonal < 1e30))
        return tool_error_set(w->error, "it is %g long; scale it to between 1e-30 and 1e30", side);
    w->side = side / w->diagonal;
    w->reach = 0.01 * w->side;
    w->report->largest_side = side;
    w->vertex = malloc(((size_t)w->mesh.vertex_count + 1) * sizeof *w->vertex);
    if (!w->vertex) return no_memory(w);
    w->vertex_count = w->mesh.vertex_count;
    for (int v = 0; v < w->mesh.vertex_count; v++)
        for (int k = 0; k < 3; k++) {
            w->vertex[v][k] = ((double)w->mesh.position[v][k] - w->middle[k]) / w->diagonal;
            w->mesh.position[v][k] = (float)w->vertex[v][k];
        }
    w->winding = sn_winding_make(&w->mesh);
    w->query = sn_mesh_query_build(&w->mesh);
    return w->winding && w->query ? true : no_memory(w);
}

// ---- the lattice

// The area-weighted mean of the triangles' longest edges.
static double mean_edge(const sn_mesh *mesh) {
    double sum = 0, total = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        double e[3][3], longest = 0;
        for (int i = 0; i < 3; i++) {
            const float *a = mesh->position[mesh->triangle[t][i]], *b = mesh->position[mesh->triangle[t][(i + 1) % 3]];
            double l2 = 0;
            for (int k = 0; k < 3; k++) e[i][k] = (double)b[k] - (double)a[k], l2 += e[i][k] * e[i][k];
            longest = fmax(longest, sqrt(l2));
        }
        const double x = e[0][1] * e[1][2] - e[0][2] * e[1][1], y = e[0][2] * e[1][0] - e[0][0] * e[1][2];
        const double z = e[0][0] * e[1][1] - e[0][1] * e[1][0], area = sqrt(x * x + y * y + z * z);
        sum += area * longest;
        total += area;
    }
    return total > 0 ? sum / total : 0;
}

// The share of triangles that do not have outside in front and inside behind.
static double crossing_share(const work *w) {
    const sn_mesh *m = &w->mesh;
    const int step = m->triangle_count / 1500 + 1;
    int crossing = 0, tested = 0;
    for (int t = 0; t < m->triangle_count; t += step) {
        double p[3][3], u[3], v[3], n[3], length = 0, side[2][3];
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) p[i][k] = (double)m->position[m->triangle[t][i]][k];
        for (int k = 0; k < 3; k++) u[k] = p[1][k] - p[0][k], v[k] = p[2][k] - p[0][k];
        for (int k = 0; k < 3; k++) n[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
        for (int k = 0; k < 3; k++) length += n[k] * n[k];
        length = sqrt(length);
        if (!(length > 1e-12)) continue;
        for (int k = 0; k < 3; k++) {
            const double middle = (p[0][k] + p[1][k] + p[2][k]) / 3;
            side[0][k] = middle + 1e-4 * n[k] / length, side[1][k] = middle - 1e-4 * n[k] / length;
        }
        crossing += sn_winding_evaluate(w->winding, side[0]) > 0.5 || sn_winding_evaluate(w->winding, side[1]) < 0.5;
        tested++;
    }
    return tested ? (double)crossing / tested : 0;
}

// Whether the surface itself cannot be used; 'reason' says why.
static bool needs_lattice(const work *w, const sn_tet_thickness *thickness, char reason[160]) {
    const mesh_repair_report *repair = &w->report->repair;
    const double thin = thickness->count ? thickness->thickness[thickness->count / 4] : 0;
    if (!mesh_is_solid(repair, NULL)) {
        if (repair->holes)
            snprintf(reason, 160, "the surface has %d hole%s", repair->holes, repair->holes == 1 ? "" : "s");
        else if (repair->non_manifold_edges)
            snprintf(reason, 160, "the surface has %d edges of three triangles or more", repair->non_manifold_edges);
        else
            snprintf(reason, 160, "the surface is not that of a solid");
    } else if (w->mesh.vertex_count > DIRECT_MAX_VERTICES) {
        snprintf(reason, 160, "it has more than %d vertices", DIRECT_MAX_VERTICES);
    } else if (mean_edge(&w->mesh) > 0.5 * thin) {
        snprintf(reason, 160, "its triangles are large beside its thickness");
    } else if (crossing_share(w) > 0.02) {
        snprintf(reason, 160, "parts of it cross each other");
    } else {
        return false;
    }
    return true;
}

static bool build_lattice(work *w) {
    medial_report *r = w->report;
    const double start = tool_clock();
    sn_tet_thickness *thickness = malloc(sizeof *thickness);
    if (!thickness) return no_memory(w);
    sn_tet_thickness_measure(&w->mesh, w->query, w->winding, thickness);
    const bool needed = needs_lattice(w, thickness, r->lattice_reason);
    w->clean = w->report->repair.closed && crossing_share(w) == 0;
    r->lattice = w->options->source == MEDIAL_LATTICE || (w->options->source == MEDIAL_AUTO && needed);
    if (r->lattice && !needed) snprintf(r->lattice_reason, sizeof r->lattice_reason, "--from lattice was given");
    double spacing = w->options->cell * w->side;
    if (!(spacing > 0)) spacing = sn_tet_spacing(thickness, LATTICE_MIN_TETS, LATTICE_MAX_TETS, NULL);
    free(thickness);
    if (!r->lattice) return true;
    if (!(spacing > 0))
        return tool_error_set(w->error,
                              "nothing is inside of it; a medial mesh needs a surface that encloses something");
    const sn_tet_lattice_options options = {.spacing = spacing,
                                            .threads = w->options->threads > 0 ? w->options->threads : 1};
    sn_tet_lattice_report report;
    sn_tet_mesh tets = {0};
    float low[3], high[3];
    sn_mesh_box(&w->mesh, low, high);
    double cells = 1;
    for (int k = 0; k < 3; k++) cells *= ((double)high[k] - (double)low[k]) / spacing + 1;
    if (cells > LATTICE_MAX_CELLS)
        return tool_error_set(w->error,
                              "cells of %.3g %% of the largest side are too small for it; use a larger --cell",
                              100 * spacing / w->side);
    bool good = sn_tet_lattice(&w->mesh, w->query, w->winding, &options, &tets, &report, w->error);
    if (!good && !w->error->out_of_memory) // its message is in other units
        tool_error_set(
            w->error,
            "nothing is inside that cells of %.3g %% of the largest side can see; use a smaller --cell, or close the "
            "surface",
            100 * spacing / w->side);
    if (good && !sn_tet_mesh_boundary(&tets, &w->lattice, NULL, NULL)) good = no_memory(w);
    sn_tet_mesh_free(&tets);
    if (good && w->lattice.vertex_count > LATTICE_MAX_VERTICES)
        good = tool_error_set(w->error, "the lattice has %d vertices on its surface, more than %d; use a larger --cell",
                              w->lattice.vertex_count, LATTICE_MAX_VERTICES);
    r->cell = spacing / w->side;
    r->seconds_lattice = tool_clock() - start;
    return good;
}

// ---- the medial mesh

// Covers, prunes, fits, encloses and measures a simplified mesh. False: out of memory.
static bool finish(work *w, sn_medial_mesh *mesh, int max_spheres) {
    medial_report *r = w->report;
    medial_distances d;
    const double start = tool_clock(), out = 0.015 * w->side;
    const int rounds = max_spheres <= 400 ? 6 : max_spheres <= 1000 ? 4 : 2;
    r->simplified = mesh->sphere_count;
    r->outside = 0;
    r->outside_max = 0;
    bool good = medial_cover(mesh, &w->axis, &w->samples, w->winding, w->reach, max_spheres, &r->added);
    for (int pass = 0; pass < 2 && good; pass++)
        good =
            medial_prune(mesh, w->winding, w->query, flat_triangle, out) && medial_fit(mesh, &w->few, rounds >> pass);
    if (good && !w->options->open)
        good = medial_enclose(mesh, (const double(*)[3])w->vertex, w->vertex_count, enclose_margin, &r->outside,
                              &r->outside_max);
    const double fitted = tool_clock();
    good = good && medial_measure(mesh, &w->samples, w->query, w->samples.count, &d);
    if (!good) return no_memory(w);
    r->outside_max /= w->side;
    r->surface_mean = d.surface_mean / w->side, r->surface_max = d.surface_max / w->side;
    r->mesh_mean = d.mesh_mean / w->side, r->mesh_max = d.mesh_max / w->side;
    r->seconds_fit += fitted - start;
    r->seconds_measure += tool_clock() - fitted;
    return true;
}

// Makes a mesh with at most this many spheres, fewer than in the call before. A trial run counts how many spheres
// covering adds; the simplification then leaves that many for it.
static bool make_with_spheres(work *w, int spheres, sn_medial_mesh *out) {
    const double start = tool_clock();
    int added = 0;
    bool good = medial_simplifier_run(w->simplifier, spheres) >= 0 && medial_simplifier_get_mesh(w->simplifier, out);
    good = good && medial_cover(out, &w->axis, &w->samples, w->winding, w->reach, spheres + spheres / 8, &added);
    sn_medial_mesh_free(out);
    good = good && medial_simplifier_run(w->simplifier, spheres - added) >= 0;
    good = good && medial_simplifier_get_mesh(w->simplifier, out);
    w->report->seconds_simplify += tool_clock() - start;
    return good ? finish(w, out, spheres) : no_memory(w);
}

// Replaces 'best' by 'other' if that is better. Frees the worse one.
static void keep_better(work *w, sn_medial_mesh *best, const medial_report *best_report, sn_medial_mesh *other) {
    const bool better = medial_two_sided_error(w->report) < medial_two_sided_error(best_report);
    const medial_report now = *w->report;
    sn_medial_mesh_free(better ? best : other);
    if (better) {
        *best = *other;
        return;
    }
    *w->report = *best_report;
    w->report->seconds_simplify = now.seconds_simplify, w->report->seconds_fit = now.seconds_fit;
    w->report->seconds_measure = now.seconds_measure;
}

// More spheres are not always better where a surface has more detail than spheres can follow, so fewer are tried too: a
// larger limit never gives a worse result.
static bool make_up_to_spheres(work *w, int spheres, sn_medial_mesh *out) {
    if (!make_with_spheres(w, spheres, out)) return false;
    for (int half = spheres / 2; half >= 4; half /= 2) {
        const medial_report before = *w->report;
        sn_medial_mesh other = {0};
        if (!make_with_spheres(w, half, &other)) {
            sn_medial_mesh_free(&other);
            return false;
        }
        const double error = medial_two_sided_error(w->report);
        keep_better(w, out, &before, &other);
        if (error > 1.3 * medial_two_sided_error(w->report)) break; // much worse: fewer still will not be better
    }
    return true;
}

// Finds the smallest mesh that is good enough: meshes of many sizes are stored during the simplification, then searched
// by bisection.
static bool make_within_error(work *w, double error, sn_medial_mesh *out) {
    enum { SIZES = 24 };
    sn_medial_mesh kept[SIZES] = {{0}};
    int sizes = 0;
    bool good = true;
    double size = w->axis.sphere_count < MAX_SPHERES_FOR_ERROR ? w->axis.sphere_count : MAX_SPHERES_FOR_ERROR;
    const double start = tool_clock();
    for (; sizes < SIZES && size >= 2 && good; size *= 0.72, ++sizes)
        good = medial_simplifier_run(w->simplifier, (int)size) >= 0 &&
               medial_simplifier_get_mesh(w->simplifier, &kept[sizes]);
    w->report->seconds_simplify += tool_clock() - start;
    int low = 0, high = sizes; // kept[low - 1] is good enough
    medial_report best_report = *w->report;
    while (good && low < high) {
        const int middle = (low + high) / 2;
        sn_medial_mesh trial = {0};
        good = sn_medial_mesh_copy(&kept[middle], &trial) &&
               finish(w, &trial, trial.sphere_count + trial.sphere_count / 8);
        const bool enough = good && medial_two_sided_error(w->report) <= error;
        if (enough) {
            sn_medial_mesh_free(out);
            *out = trial;
            best_report = *w->report;
            low = middle + 1;
        } else {
            sn_medial_mesh_free(&trial);
            high = middle;
        }
    }
    for (int i = 0; i < sizes; i++) sn_medial_mesh_free(&kept[i]);
    if (!good) return no_memory(w);
    if (out->sphere_count == 0)
        return tool_error_set(
            w->error,
            "%d spheres are not enough for a mean error of %.3g %% of the largest side (they give %.3g "
            "%%); ask for a larger error, or for spheres",
            MAX_SPHERES_FOR_ERROR, 100 * error, 100 * medial_two_sided_error(w->report));
    const medial_report last = *w->report;
    *w->report = best_report;
    w->report->seconds_fit = last.seconds_fit, w->report->seconds_measure = last.seconds_measure;
    return true;
}

// For each lattice vertex a representative lattice vertex of the connected piece of the file's surface that it is on:
// thin parts that the lattice broke still belong together. Null: out of memory.
static int *find_lattice_pieces(const work *w) {
    const sn_mesh *m = &w->mesh;
    int *parent = malloc(((size_t)m->vertex_count + 1) * sizeof *parent);
    int *first = malloc(((size_t)m->vertex_count + 1) * sizeof *first);
    int *piece = malloc(((size_t)w->lattice.vertex_count + 1) * sizeof *piece);
    for (int i = 0; i < m->vertex_count && parent && first; i++) parent[i] = i, first[i] = -1;
    for (int t = 0; t < m->triangle_count && parent; t++)
        for (int k = 1; k < 3; k++) sn_union(parent, m->triangle[t][0], m->triangle[t][k]);
    for (int i = 0; i < w->lattice.vertex_count && parent && first && piece; i++) {
        sn_mesh_hit hit;
        double p[3];
        for (int k = 0; k < 3; k++) p[k] = (double)w->lattice.position[i][k];
        piece[i] = i;
        if (!sn_mesh_query_closest_point(w->query, p, INFINITY, &hit)) continue;
        const int root = sn_find_root(parent, m->triangle[hit.triangle][0]);
        if (first[root] < 0) first[root] = i;
        piece[i] = first[root];
    }
    free(parent);
    free(first);
    return piece;
}

static bool build_axis(work *w) {
    medial_report *r = w->report;
    medial_voronoi_report voronoi;
    const bool lattice = w->lattice.triangle_count > 0;
    medial_voronoi_input in = {.surface = lattice ? &w->lattice : &w->mesh, .winding = w->winding};
    sn_mesh_query *boundary = lattice ? sn_mesh_query_build(&w->lattice) : NULL;
    int *piece = lattice ? find_lattice_pieces(w) : NULL;
    bool good = !lattice || (boundary && piece) ? true : no_memory(w);
    in.piece = piece;
    in.closed = lattice ? boundary : w->clean ? w->query : NULL;
    r->surface_vertices = in.surface->vertex_count, r->surface_triangles = in.surface->triangle_count;
    good = good && medial_voronoi(&in, &w->axis, &voronoi, w->error);
    sn_mesh_query_free(boundary);
    free(piece);
    if (!good) return false;
    r->tets = voronoi.tets, r->pieces = voronoi.pieces, r->bridges = voronoi.bridges, r->crumbs = voronoi.crumbs;
    r->seconds_delaunay = voronoi.delaunay, r->seconds_inside = voronoi.inside, r->seconds_build = voronoi.build;
    r->raw_spheres = w->axis.sphere_count, r->raw_cones = w->axis.cone_count, r->raw_slabs = w->axis.slab_count;
    const double start = tool_clock();
    w->simplifier = medial_simplifier_create(&w->axis, w->winding);
    r->seconds_simplify = tool_clock() - start;
    return w->simplifier ? true : no_memory(w);
}

bool sn_medial_make(const sn_mesh *surface, const medial_options *options, sn_medial_mesh *out, medial_report *report,
                    tool_error *error) {
    tool_error unused;
    *out = (sn_medial_mesh){0};
    *report = (medial_report){0};
    if (!error) error = &unused;
    work w = {.options = options, .report = report, .error = error};
    const double start = tool_clock();
    bool good = prepare_surface(&w, surface);
    report->seconds_repair = tool_clock() - start;
    const int wanted = options->spheres > 0 ? options->spheres : options->error > 0 ? 400 : 100;
    const int samples = wanted < 400 ? 12000 : wanted < 1200 ? 30 * wanted : 36000;
    const int few = wanted < 400 ? 8000 : samples;
    if (good && !(medial_samples_make(&w.mesh, samples, &w.samples) && medial_samples_make(&w.mesh, few, &w.few)))
        good = no_memory(&w);
    good = good && build_lattice(&w) && build_axis(&w);
    if (good)
        good = options->spheres > 0 || !(options->error > 0) ? make_up_to_spheres(&w, wanted, out)
                                                             : make_within_error(&w, options->error, out);
    for (int i = 0; i < out->sphere_count && good; i++) {
        for (int k = 0; k < 3; k++) out->centre[i][k] = w.middle[k] + w.diagonal * out->centre[i][k];
        out->radius[i] *= w.diagonal;
    }
    if (good) report->bodies = sn_medial_mesh_components(out, NULL);
    if (!good) sn_medial_mesh_free(out);
    medial_simplifier_free(w.simplifier);
    sn_medial_mesh_free(&w.axis);
    medial_samples_free(&w.samples);
    medial_samples_free(&w.few);
    sn_winding_free(w.winding);
    sn_mesh_query_free(w.query);
    sn_mesh_free(&w.mesh);
    sn_mesh_free(&w.lattice);
    free(w.vertex);
    return good;
}
