// With L the wanted length, in each round
//   - edges longer than 4/3 L are split in the middle,
//   - edges shorter than 4/5 L are collapsed, unless that makes one longer than 4/3 L or turns a triangle over,
//   - edges are flipped where that brings vertices nearer to six neighbours (four on rims),
//   - vertices move to the middle of their neighbours along the surface, and back onto the old one.
// After a few rounds triangles are nearly equilateral: between the two bounds neither splitting nor collapsing makes an
// edge better.
//
// Creases: vertices on one slide along it only, by splitting and collapsing its edges, so they stay on the old crease
// exactly; vertices where creases meet or end stay where they are.
#include "mesh/resample.h"
#include "base/math/double3.h"
#include "mesh/closest_point.h"
#include "mesh/half_edge.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sn_resample_options sn_resample_default(double edge) {
    return (sn_resample_options){.edge = edge, .crease = 40, .rounds = 8, .most_triangles = 20000000};
}

static double square_between(const double a[3], const double b[3]) {
    const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    return d3_dot(d, d);
}

static double square_length(const edge_mesh *mesh, int h) {
    return square_between(mesh->position[edge_start(mesh, h)], mesh->position[edge_end(mesh, h)]);
}

static bool is_gone(const edge_mesh *mesh, int h) {
    return mesh->triangle[h / 3][0] < 0;
}

// Squared.
static double longest_edge(const edge_mesh *mesh, int t) {
    return fmax(square_length(mesh, 3 * t), fmax(square_length(mesh, 3 * t + 1), square_length(mesh, 3 * t + 2)));
}

static void mark_creases(edge_mesh *mesh, double degrees) {
    const double bent = cos(degrees * 3.14159265358979323846 / 180);
    for (int h = 0; h < 3 * mesh->triangle_count; h++) {
        const int o = mesh->twin[h];
        if (o < h) continue; // on a rim, or seen already
        double m[3], n[3];
        edge_normal(mesh, h / 3, -1, NULL, m);
        edge_normal(mesh, o / 3, -1, NULL, n);
        // Flat triangles have no direction, and say nothing.
        const double size = sqrt(d3_dot(m, m) * d3_dot(n, n));
        const double long_m = longest_edge(mesh, h / 3), long_n = longest_edge(mesh, o / 3);
        const bool plain = d3_dot(m, m) > 1e-3 * long_m * long_m && d3_dot(n, n) > 1e-3 * long_n * long_n;
        mesh->crease[h] = mesh->crease[o] = plain && d3_dot(m, n) < bent * size;
    }
}

// --- the four steps --------------------------------------------------------------------------------------------------

// An edge is split only when it is the longest of both its triangles: splitting others makes needles, and those more
// needles. Edges between places where sheets meet are left alone, since the other sheets have the same edge, and with
// them what they are the longest of.
static bool may_split(const edge_mesh *mesh, int h, double square) {
    if (is_gone(mesh, h)) return false;
    const double length = square_length(mesh, h);
    const int o = mesh->twin[h];
    if (!(length > square) || (mesh->fixed[edge_start(mesh, h)] && mesh->fixed[edge_end(mesh, h)])) return false;
    if (square_length(mesh, edge_next(h)) > length || square_length(mesh, edge_back(h)) > length) return false;
    return o < 0 || (square_length(mesh, edge_next(o)) <= length && square_length(mesh, edge_back(o)) <= length);
}

// False: no memory, or too many.
static bool split_long(edge_mesh *mesh, double square, int most) {
    for (int before = -1; before != mesh->live;) {
        before = mesh->live;
        for (int h = 0; h < 3 * mesh->triangle_count; h++) {
            if (!may_split(mesh, h, square)) continue;
            if (mesh->live > most || edge_split(mesh, h) < 0) return false;
        }
    }
    return true;
}

// What may happen to a vertex: it moves freely, along a crease, or not at all.
typedef enum { FREE, ALONG, STUCK } freedom;

// Whether the crease through v, which has two edges there, bends sharply.
static bool is_corner(const edge_mesh *mesh, int v) {
    double way[2][3];
    int found = 0, last = -1;
    for (int h = mesh->first[v]; h >= 0 && found < 2; h = edge_turn(mesh, v, h)) {
        last = h;
        if (!mesh->crease[h] && mesh->twin[h] >= 0) continue;
        for (int k = 0; k < 3; k++) way[found][k] = mesh->position[edge_end(mesh, h)][k] - mesh->position[v][k];
        found++;
    }
    if (found == 1) // the rim's other edge
        for (int k = 0; k < 3; k++)
            way[1][k] = mesh->position[edge_start(mesh, edge_back(last))][k] - mesh->position[v][k];
    return d3_dot(way[0], way[1]) > -0.8 * sqrt(d3_dot(way[0], way[0]) * d3_dot(way[1], way[1])); // 37 degrees
}

static freedom freedom_of(const edge_mesh *mesh, int v) {
    if (mesh->fixed[v]) return STUCK;
    const int creases = edge_creases(mesh, v);
    return creases == 0 ? FREE : creases == 2 && !is_corner(mesh, v) ? ALONG : STUCK;
}

// Whether no edge of v becomes longer than allowed when v is at 'place'.
static bool edges_stay_short(const edge_mesh *mesh, int v, const double place[3], double square) {
    int last = -1;
    for (int h = mesh->first[v]; h >= 0; h = edge_turn(mesh, v, h)) {
        if (square_between(place, mesh->position[edge_end(mesh, h)]) > square) return false;
        last = h;
    }
    return last < 0 || square_between(place, mesh->position[edge_start(mesh, edge_back(last))]) <= square;
}

// Collapses h if it may be: the end goes into the start.
static bool try_collapse(edge_mesh *mesh, int h, double long_square) {
    const int a = edge_start(mesh, h), b = edge_end(mesh, h);
    const freedom of_a = freedom_of(mesh, a), of_b = freedom_of(mesh, b);
    double place[3];
    if (of_b == STUCK) return false;
    if (of_b == ALONG && !(mesh->crease[h] || mesh->twin[h] < 0)) return false; // it would leave its crease
    for (int k = 0; k < 3; k++)
        place[k] = of_a == FREE ? 0.5 * (mesh->position[a][k] + mesh->position[b][k]) : mesh->position[a][k];
    if (of_a == FREE && of_b != FREE) return false; // the other way round is tried too
    if (edge_valence(mesh, a) > EDGE_CROWD || edge_valence(mesh, b) > EDGE_CROWD) return false;
    if (!edges_stay_short(mesh, a, place, long_square) || !edges_stay_short(mesh, b, place, long_square)) return false;
    if (!edge_may_move(mesh, a, place, b) || !edge_may_move(mesh, b, place, a)) return false;
    if (!edge_can_collapse(mesh, h)) return false;
    memcpy(mesh->position[a], place, sizeof place);
    edge_collapse(mesh, h);
    return true;
}

static void collapse_short(edge_mesh *mesh, double short_square, double long_square) {
    for (int h = 0; h < 3 * mesh->triangle_count; h++) {
        if (is_gone(mesh, h) || mesh->live <= 4 || square_length(mesh, h) >= short_square) continue;
        const int o = mesh->twin[h];
        if (try_collapse(mesh, h, long_square)) continue;
        if (o >= 0) try_collapse(mesh, o, long_square);
    }
}

static int off_by(const edge_mesh *mesh, int v, int more) {
    const int wanted = edge_on_rim(mesh, v) ? 3 : 6; // triangles
    const int is = edge_valence(mesh, v) + more - wanted;
    return is * is;
}

// Whether the two triangles that a flip makes face the way of the two there are.
static bool flip_lies_well(const edge_mesh *mesh, int h) {
    const int o = mesh->twin[h];
    const int a = edge_start(mesh, h), b = edge_end(mesh, h), c = edge_end(mesh, edge_next(h)),
              d = edge_end(mesh, edge_next(o));
    double old[2][3], made[2][3], sum[3], scale = 0;
    edge_normal(mesh, h / 3, -1, NULL, old[0]);
    edge_normal(mesh, o / 3, -1, NULL, old[1]);
    edge_normal(mesh, h / 3, b, mesh->position[d], made[0]); // (a, d, c)
    edge_normal(mesh, o / 3, a, mesh->position[c], made[1]); // (b, c, d)
    for (int k = 0; k < 3; k++) sum[k] = old[0][k] + old[1][k];
    scale = sqrt(d3_dot(sum, sum));
    for (int i = 0; i < 2; i++) {
        const double size = sqrt(d3_dot(made[i], made[i]));
        if (!(d3_dot(made[i], sum) > 0.5 * size * scale) || size < 0.1 * scale) return false;
    }
    return true;
}

static void flip_edges(edge_mesh *mesh) {
    for (int h = 0; h < 3 * mesh->triangle_count; h++) {
        const int o = mesh->twin[h];
        if (is_gone(mesh, h) || o < h) continue;
        const int a = edge_start(mesh, h), b = edge_end(mesh, h), c = edge_end(mesh, edge_next(h)),
                  d = edge_end(mesh, edge_next(o));
        const int before = off_by(mesh, a, 0) + off_by(mesh, b, 0) + off_by(mesh, c, 0) + off_by(mesh, d, 0);
        const int after = off_by(mesh, a, -1) + off_by(mesh, b, -1) + off_by(mesh, c, 1) + off_by(mesh, d, 1);
        if (after < before && edge_can_flip(mesh, h) && flip_lies_well(mesh, h)) edge_flip(mesh, h);
    }
}

static void smooth(edge_mesh *mesh, const sn_near *old, double slack) {
    for (int v = 0; v < mesh->vertex_count; v++) {
        if (mesh->first[v] < 0 || freedom_of(mesh, v) != FREE || edge_valence(mesh, v) > EDGE_CROWD) continue;
        double middle[3] = {0}, normal[3] = {0}, count = 0, n[3], place[3];
        for (int h = mesh->first[v]; h >= 0; h = edge_turn(mesh, v, h)) {
            edge_normal(mesh, h / 3, -1, NULL, n);
            for (int k = 0; k < 3; k++) middle[k] += mesh->position[edge_end(mesh, h)][k], normal[k] += n[k];
            count++;
        }
        double off = 0;
        const double size = d3_dot(normal, normal);
        for (int k = 0; k < 3; k++) {
            middle[k] /= count;
            off += size > 0 ? (mesh->position[v][k] - middle[k]) * normal[k] / size : 0;
        }
        for (int k = 0; k < 3; k++) place[k] = middle[k] + off * normal[k];
        sn_near_hit hit;
        for (int tries = 0; tries < 3; tries++) { // all of the way, half of it, or just back onto the surface
            // The vertex is about on the surface, so the nearest point is no farther than that.
            const double far = 1.01 * sqrt(square_between(place, mesh->position[v])) + slack;
            if (sn_near_point(old, place, far, &hit) && edge_may_move(mesh, v, hit.point, -1)) {
                memcpy(mesh->position[v], hit.point, sizeof hit.point);
                break;
            }
            for (int k = 0; k < 3; k++)
                place[k] = tries == 0 ? 0.5 * (place[k] + mesh->position[v][k]) : mesh->position[v][k];
        }
    }
}

// --- all of it -------------------------------------------------------------------------------------------------------

static double area_of(const edge_mesh *mesh) {
    double sum = 0, n[3];
    for (int t = 0; t < mesh->triangle_count; t++) {
        edge_normal(mesh, t, -1, NULL, n);
        sum += 0.5 * sqrt(d3_dot(n, n));
    }
    return sum;
}

static bool no_memory(char why[256]) {
    snprintf(why, 256, "out of memory");
    return false;
}

static bool work(edge_mesh *mesh, const sn_near *old, const sn_resample_options *options, char why[256]) {
    // Equilateral triangles have sqrt(3)/4 L^2. Needles are cut into many at first.
    const double expected = area_of(mesh) / (0.433 * options->edge * options->edge) + mesh->live;
    if (!(expected < options->most_triangles)) {
        snprintf(why, 256, "edges of %.4g would make about %.3g triangles, more than %d; make them longer",
                 options->edge, expected, options->most_triangles);
        return false;
    }
    const double square = options->edge * options->edge, long_square = 16.0 / 9 * square, short_square = 0.64 * square;
    const int most = options->most_triangles < 500000000 ? 2 * options->most_triangles : 1000000000;
    mark_creases(mesh, options->crease);
    for (int round = 0; round < options->rounds; round++) {
        // Coarsening starts by collapsing, so that nothing is split that goes anyway.
        if (!split_long(mesh, long_square, most)) return no_memory(why);
        collapse_short(mesh, short_square, long_square);
        flip_edges(mesh);
        smooth(mesh, old, options->edge);
    }
    return true;
}

bool sn_resample(const sn_mesh *mesh, const sn_resample_options *options, sn_mesh *out, char why[256]) {
    edge_mesh edges = {0};
    sn_near *old = NULL;
    *out = (sn_mesh){0};
    if (!(options->edge > 0) || !isfinite(options->edge)) {
        snprintf(why, 256, "the length of edges must be greater than 0, is %g", options->edge);
        return false;
    }
    bool good = (old = sn_near_make(mesh)) && edge_mesh_make(mesh, &edges);
    if (!good) no_memory(why);
    good = good && work(&edges, old, options, why);
    if (good && !(edge_mesh_write(&edges, out) && (!mesh->normal || sn_mesh_make_normals(out)))) good = no_memory(why);
    if (good)
        memcpy(out->name, mesh->name, sizeof out->name);
    else
        sn_mesh_free(out);
    edge_mesh_free(&edges);
    sn_near_free(old);
    return good;
}
