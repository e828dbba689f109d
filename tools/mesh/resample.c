// Isotropic remeshing. With L the target length, each iteration
//   - splits edges longer than 4/3 L at their midpoint,
//   - collapses edges shorter than 4/5 L, unless that makes one longer than 4/3 L or flips a triangle,
//   - flips edges where that brings valences closer to six (four at boundaries),
//   - moves vertices to the mean of their neighbours along the surface, and projects them onto the old surface.
// After a few iterations triangles are nearly equilateral: between the two bounds neither a split nor a collapse
// improves an edge.
//
// Vertices on a crease move along it only, by splitting and collapsing its edges, so they stay exactly on the old
// crease. Vertices where creases meet or end are fixed.
#include "mesh/resample.h"
#include "base/math/double3.h"
#include "mesh/half_edge.h"
#include "mesh/maths.h"
#include "mesh/mesh_query.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sn_resample_options sn_resample_options_default(double edge) {
    return (sn_resample_options){.edge = edge, .crease = 40, .iterations = 8, .max_triangles = 20000000};
}

static double square_between(const double a[3], const double b[3]) {
    const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    return d3_dot(d, d);
}

static double square_length(const half_edge_mesh *mesh, int h) {
    return square_between(mesh->position[half_edge_start(mesh, h)], mesh->position[half_edge_end(mesh, h)]);
}

static bool is_gone(const half_edge_mesh *mesh, int h) {
    return mesh->triangle[h / 3][0] < 0;
}

// The squared length of the longest edge.
static double longest_edge(const half_edge_mesh *mesh, int t) {
    return fmax(square_length(mesh, 3 * t), fmax(square_length(mesh, 3 * t + 1), square_length(mesh, 3 * t + 2)));
}

static void mark_creases(half_edge_mesh *mesh, double degrees) {
    const double bent = own_cos(degrees * 3.14159265358979323846 / 180);
    for (int h = 0; h < 3 * mesh->triangle_count; h++) {
        const int o = mesh->twin[h];
        if (o < h) continue; // boundary, or visited
        double m[3], n[3];
        half_edge_area_vector(mesh, h / 3, -1, NULL, m);
        half_edge_area_vector(mesh, o / 3, -1, NULL, n);
        // Degenerate triangles have no direction.
        const double size = sqrt(d3_dot(m, m) * d3_dot(n, n));
        const double long_m = longest_edge(mesh, h / 3), long_n = longest_edge(mesh, o / 3);
        const bool plain = d3_dot(m, m) > 1e-3 * long_m * long_m && d3_dot(n, n) > 1e-3 * long_n * long_n;
        mesh->crease[h] = mesh->crease[o] = plain && d3_dot(m, n) < bent * size;
    }
}

// --- the four steps --------------------------------------------------------------------------------------------------

// Splits an edge only if it is the longest of both its triangles: splitting others makes needles, which make more
// needles. Edges between fixed vertices are never split, since other sheets share them.
static bool can_split(const half_edge_mesh *mesh, int h, double square) {
    if (is_gone(mesh, h)) return false;
    const double length = square_length(mesh, h);
    const int o = mesh->twin[h];
    if (!(length > square) || (mesh->fixed[half_edge_start(mesh, h)] && mesh->fixed[half_edge_end(mesh, h)]))
        return false;
    if (square_length(mesh, half_edge_next(h)) > length || square_length(mesh, half_edge_prev(h)) > length)
        return false;
    return o < 0 ||
           (square_length(mesh, half_edge_next(o)) <= length && square_length(mesh, half_edge_prev(o)) <= length);
}

// False: out of memory, or too many triangles.
static bool split_long(half_edge_mesh *mesh, double square, int max_triangles) {
    for (int before = -1; before != mesh->remaining_count;) {
        before = mesh->remaining_count;
        for (int h = 0; h < 3 * mesh->triangle_count; h++) {
            if (!can_split(mesh, h, square)) continue;
            if (mesh->remaining_count > max_triangles || half_edge_split(mesh, h) < 0) return false;
        }
    }
    return true;
}

// A vertex is free, slides along a crease, or is fixed.
typedef enum { FREE, ALONG, FIXED } freedom;

// Whether the crease through v, which has two edges there, bends sharply.
static bool is_corner(const half_edge_mesh *mesh, int v) {
    double direction[2][3];
    int found = 0, last = -1;
    for (int h = mesh->first[v]; h >= 0 && found < 2; h = half_edge_next_around(mesh, v, h)) {
        last = h;
        if (!mesh->crease[h] && mesh->twin[h] >= 0) continue;
        for (int k = 0; k < 3; k++)
            direction[found][k] = mesh->position[half_edge_end(mesh, h)][k] - mesh->position[v][k];
        found++;
    }
    if (found == 1) // the other boundary edge
        for (int k = 0; k < 3; k++)
            direction[1][k] = mesh->position[half_edge_start(mesh, half_edge_prev(last))][k] - mesh->position[v][k];
    return d3_dot(direction[0], direction[1]) >
           -0.8 * sqrt(d3_dot(direction[0], direction[0]) * d3_dot(direction[1], direction[1])); // 37 degrees
}

static freedom get_freedom(const half_edge_mesh *mesh, int v) {
    if (mesh->fixed[v]) return FIXED;
    const int creases = half_edge_count_creases(mesh, v);
    return creases == 0 ? FREE : creases == 2 && !is_corner(mesh, v) ? ALONG : FIXED;
}

// Whether all edges of v stay short enough when v moves to 'target'.
static bool edges_stay_short(const half_edge_mesh *mesh, int v, const double target[3], double square) {
    int last = -1;
    for (int h = mesh->first[v]; h >= 0; h = half_edge_next_around(mesh, v, h)) {
        if (square_between(target, mesh->position[half_edge_end(mesh, h)]) > square) return false;
        last = h;
    }
    return last < 0 || square_between(target, mesh->position[half_edge_start(mesh, half_edge_prev(last))]) <= square;
}

// Collapses h if possible: merges the end into the start.
static bool try_collapse(half_edge_mesh *mesh, int h, double long_square) {
    const int a = half_edge_start(mesh, h), b = half_edge_end(mesh, h);
    const freedom of_a = get_freedom(mesh, a), of_b = get_freedom(mesh, b);
    double target[3];
    if (of_b == FIXED) return false;
    if (of_b == ALONG && !(mesh->crease[h] || mesh->twin[h] < 0)) return false; // it would leave its crease
    for (int k = 0; k < 3; k++)
        target[k] = of_a == FREE ? 0.5 * (mesh->position[a][k] + mesh->position[b][k]) : mesh->position[a][k];
    if (of_a == FREE && of_b != FREE) return false; // the twin is tried too
    if (half_edge_valence(mesh, a) > HALF_EDGE_MAX_VALENCE || half_edge_valence(mesh, b) > HALF_EDGE_MAX_VALENCE)
        return false;
    if (!edges_stay_short(mesh, a, target, long_square) || !edges_stay_short(mesh, b, target, long_square))
        return false;
    if (!half_edge_can_move(mesh, a, target, b) || !half_edge_can_move(mesh, b, target, a)) return false;
    if (!half_edge_can_collapse(mesh, h)) return false;
    memcpy(mesh->position[a], target, sizeof target);
    half_edge_collapse(mesh, h);
    return true;
}

static void collapse_short(half_edge_mesh *mesh, double short_square, double long_square) {
    for (int h = 0; h < 3 * mesh->triangle_count; h++) {
        if (is_gone(mesh, h) || mesh->remaining_count <= 4 || square_length(mesh, h) >= short_square) continue;
        const int o = mesh->twin[h];
        if (try_collapse(mesh, h, long_square)) continue;
        if (o >= 0) try_collapse(mesh, o, long_square);
    }
}

static int valence_error(const half_edge_mesh *mesh, int v, int more) {
    const int wanted = half_edge_on_boundary(mesh, v) ? 3 : 6; // triangles
    const int is = half_edge_valence(mesh, v) + more - wanted;
    return is * is;
}

// Whether the two triangles after the flip face the same way as before.
static bool flip_keeps_facing(const half_edge_mesh *mesh, int h) {
    const int o = mesh->twin[h];
    const int a = half_edge_start(mesh, h), b = half_edge_end(mesh, h), c = half_edge_end(mesh, half_edge_next(h)),
              d = half_edge_end(mesh, half_edge_next(o));
    double old[2][3], flipped[2][3], sum[3], scale = 0;
    half_edge_area_vector(mesh, h / 3, -1, NULL, old[0]);
    half_edge_area_vector(mesh, o / 3, -1, NULL, old[1]);
    half_edge_area_vector(mesh, h / 3, b, mesh->position[d], flipped[0]); // (a, d, c)
    half_edge_area_vector(mesh, o / 3, a, mesh->position[c], flipped[1]); // (b, c, d)
    for (int k = 0; k < 3; k++) sum[k] = old[0][k] + old[1][k];
    scale = sqrt(d3_dot(sum, sum));
    for (int i = 0; i < 2; i++) {
        const double size = sqrt(d3_dot(flipped[i], flipped[i]));
        if (!(d3_dot(flipped[i], sum) > 0.5 * size * scale) || size < 0.1 * scale) return false;
    }
    return true;
}

static void flip_edges(half_edge_mesh *mesh) {
    for (int h = 0; h < 3 * mesh->triangle_count; h++) {
        const int o = mesh->twin[h];
        if (is_gone(mesh, h) || o < h) continue;
        const int a = half_edge_start(mesh, h), b = half_edge_end(mesh, h), c = half_edge_end(mesh, half_edge_next(h)),
                  d = half_edge_end(mesh, half_edge_next(o));
        const int before = valence_error(mesh, a, 0) + valence_error(mesh, b, 0) + valence_error(mesh, c, 0) +
                           valence_error(mesh, d, 0);
        const int after = valence_error(mesh, a, -1) + valence_error(mesh, b, -1) + valence_error(mesh, c, 1) +
                          valence_error(mesh, d, 1);
        if (after < before && half_edge_can_flip(mesh, h) && flip_keeps_facing(mesh, h)) half_edge_flip(mesh, h);
    }
}

static void smooth(half_edge_mesh *mesh, const sn_mesh_query *old, double slack) {
    for (int v = 0; v < mesh->vertex_count; v++) {
        if (mesh->first[v] < 0 || get_freedom(mesh, v) != FREE || half_edge_valence(mesh, v) > HALF_EDGE_MAX_VALENCE)
            continue;
        double middle[3] = {0}, normal[3] = {0}, count = 0, n[3], target[3];
        for (int h = mesh->first[v]; h >= 0; h = half_edge_next_around(mesh, v, h)) {
            half_edge_area_vector(mesh, h / 3, -1, NULL, n);
            for (int k = 0; k < 3; k++) middle[k] += mesh->position[half_edge_end(mesh, h)][k], normal[k] += n[k];
            count++;
        }
        double off = 0;
        const double size = d3_dot(normal, normal);
        for (int k = 0; k < 3; k++) {
            middle[k] /= count;
            off += size > 0 ? (mesh->position[v][k] - middle[k]) * normal[k] / size : 0;
        }
        for (int k = 0; k < 3; k++) target[k] = middle[k] + off * normal[k];
        sn_mesh_hit hit;
        for (int attempt = 0; attempt < 3; attempt++) { // the full move, half of it, or only the projection
            // The vertex is close to the surface, so the closest point is not farther than this.
            const double far = 1.01 * sqrt(square_between(target, mesh->position[v])) + slack;
            if (sn_mesh_query_closest_point(old, target, far, &hit) && half_edge_can_move(mesh, v, hit.point, -1)) {
                memcpy(mesh->position[v], hit.point, sizeof hit.point);
                break;
            }
            for (int k = 0; k < 3; k++)
                target[k] = attempt == 0 ? 0.5 * (target[k] + mesh->position[v][k]) : mesh->position[v][k];
        }
    }
}

// --- resample --------------------------------------------------------------------------------------------------------

static double area_of(const half_edge_mesh *mesh) {
    double sum = 0, n[3];
    for (int t = 0; t < mesh->triangle_count; t++) {
        half_edge_area_vector(mesh, t, -1, NULL, n);
        sum += 0.5 * sqrt(d3_dot(n, n));
    }
    return sum;
}

static bool work(half_edge_mesh *mesh, const sn_mesh_query *old, const sn_resample_options *options,
                 tool_error *error) {
    // An equilateral triangle has the area sqrt(3)/4 L^2. Needles are split into many at first.
    const double expected = area_of(mesh) / (0.433 * options->edge * options->edge) + mesh->remaining_count;
    if (!(expected < options->max_triangles))
        return tool_error_set(error, "edges of %.4g would make about %.3g triangles, more than %d; make them longer",
                              options->edge, expected, options->max_triangles);
    const double square = options->edge * options->edge, long_square = 16.0 / 9 * square, short_square = 0.64 * square;
    const int max_triangles = options->max_triangles < 500000000 ? 2 * options->max_triangles : 1000000000;
    mark_creases(mesh, options->crease);
    for (int iteration = 0; iteration < options->iterations; iteration++) {
        if (!split_long(mesh, long_square, max_triangles)) return tool_error_out_of_memory(error);
        collapse_short(mesh, short_square, long_square);
        flip_edges(mesh);
        smooth(mesh, old, options->edge);
    }
    return true;
}

bool sn_resample(const sn_mesh *mesh, const sn_resample_options *options, sn_mesh *out, tool_error *error) {
    half_edge_mesh edges = {0};
    sn_mesh_query *old = NULL;
    *out = (sn_mesh){0};
    if (!(options->edge > 0) || !isfinite(options->edge))
        return tool_error_set(error, "the length of edges must be greater than 0, is %g", options->edge);
    bool good = (old = sn_mesh_query_build(mesh)) && half_edge_mesh_build(mesh, &edges);
    if (!good) tool_error_out_of_memory(error);
    good = good && work(&edges, old, options, error);
    if (good && !(half_edge_mesh_write(&edges, out) && (!mesh->normal || sn_mesh_make_normals(out))))
        good = tool_error_out_of_memory(error);
    if (good)
        memcpy(out->name, mesh->name, sizeof out->name);
    else
        sn_mesh_free(out);
    half_edge_mesh_free(&edges);
    sn_mesh_query_free(old);
    return good;
}
