// Each corner of a triangle at i, with other corners j and k, adds half-edges ij and ik and their weights from this
// side; equal half-edges are summed. Mean value coordinates (Floater 2003) of i are (tan(a/2) + tan(a'/2)) / |ij|,
// where a and a' are the angles on both sides of the edge after projecting the ring onto the tangent plane.
#include "bake/implicit_rings.h"
#include "base/math/double3.h"
#include "mesh/maths.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int from, to, sides;
    double cotangent, mean_value;
} side;

static int compare(const void *a, const void *b) {
    const side *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    if (x->to != y->to) return x->to < y->to ? -1 : 1;
    // A total order: sums must not depend on how qsort orders equal elements.
    if (x->cotangent != y->cotangent) return x->cotangent < y->cotangent ? -1 : 1;
    return (x->mean_value > y->mean_value) - (x->mean_value < y->mean_value);
}

static void add_normals(const double (*points)[3], const int t[3], double (*normal)[3]) {
    for (int k = 0; k < 3; k++) {
        double a[3], b[3], n[3];
        d3_sub(points[t[(k + 1) % 3]], points[t[k]], a);
        d3_sub(points[t[(k + 2) % 3]], points[t[k]], b);
        d3_cross(a, b, n);
        const double length = sqrt(d3_dot(n, n));
        if (!(length > 0)) continue;
        const double angle = own_atan2(length, d3_dot(a, b));
        for (int c = 0; c < 3; c++) normal[t[k]][c] += angle * n[c] / length;
    }
}

// The two half-edges of a corner. A negative mean value marks a folded ring.
static void add_corner(const double (*points)[3], const double n[3], int i, int j, int k, side out[2]) {
    double a[3], b[3], c[3], across[3];
    d3_sub(points[j], points[i], a);
    d3_sub(points[k], points[i], b);
    d3_sub(points[k], points[j], c);
    d3_cross(a, b, across);
    const double longest = fmax(d3_dot(a, a), fmax(d3_dot(b, b), d3_dot(c, c)));
    const double area2 = fmax(sqrt(d3_dot(across, across)), 2e-3 * longest); // bounds the weights of needle triangles
    // Edge ij is opposite k, edge ik opposite j.
    const double at_k = area2 > 0 ? d3_dot(b, c) / area2 : 0, at_j = area2 > 0 ? -d3_dot(a, c) / area2 : 0;
    double flat_a[3], flat_b[3];
    for (int x = 0; x < 3; x++) flat_a[x] = a[x] - d3_dot(a, n) * n[x], flat_b[x] = b[x] - d3_dot(b, n) * n[x];
    d3_cross(flat_a, flat_b, across);
    const double la = sqrt(d3_dot(flat_a, flat_a)), lb = sqrt(d3_dot(flat_b, flat_b));
    const double s = d3_dot(across, n), angle = own_atan2(s, d3_dot(flat_a, flat_b));
    const double t = angle > 0 && angle < 3.1 && la > 0 && lb > 0 ? own_tan(angle / 2) : -1;
    out[0] = (side){i, j, 1, 0.5 * at_k, t < 0 ? -INFINITY : t / la};
    out[1] = (side){i, k, 1, 0.5 * at_j, t < 0 ? -INFINITY : t / lb};
}

// Sums equal half-edges in place; returns how many remain.
static int merge(side *sides, int count) {
    int merged = 0;
    for (int i = 0; i < count; i++) {
        if (merged > 0 && sides[merged - 1].from == sides[i].from && sides[merged - 1].to == sides[i].to) {
            sides[merged - 1].sides += sides[i].sides;
            sides[merged - 1].cotangent += sides[i].cotangent;
            sides[merged - 1].mean_value += sides[i].mean_value;
        } else
            sides[merged++] = sides[i];
    }
    return merged;
}

static void fill(const side *sides, int count, int vertices, sn_rings *out) {
    int at = 0;
    for (int v = 0; v < vertices; v++) {
        double sum = 0;
        bool closed = true;
        out->first[v] = at;
        for (; at < count && sides[at].from == v; at++) {
            out->other[at] = sides[at].to;
            out->cotangent[at] = fmin(fmax(sides[at].cotangent, 1e-3), 100);
            out->mean_value[at] = sides[at].mean_value;
            sum += sides[at].mean_value;
            closed = closed && sides[at].sides == 2;
        }
        for (int k = out->first[v]; k < at; k++)
            out->mean_value[k] = closed && sum > 0 && isfinite(sum) ? out->mean_value[k] / sum : 0;
    }
    out->first[vertices] = at;
}

bool sn_rings_make(const double (*points)[3], int count, const int (*triangles)[3], int triangle_count, sn_rings *out) {
    *out = (sn_rings){0};
    const size_t n = (size_t)count, max_entries = 6 * (size_t)triangle_count;
    side *sides = malloc((max_entries + 1) * sizeof *sides);
    out->normal = calloc(n + 1, sizeof *out->normal);
    out->first = malloc((n + 1) * sizeof *out->first);
    out->other = malloc((max_entries + 1) * sizeof *out->other);
    out->cotangent = malloc((max_entries + 1) * sizeof *out->cotangent);
    out->mean_value = malloc((max_entries + 1) * sizeof *out->mean_value);
    if (!sides || !out->normal || !out->first || !out->other || !out->cotangent || !out->mean_value) {
        free(sides);
        sn_rings_free(out);
        return false;
    }
    for (int t = 0; t < triangle_count; t++) add_normals(points, triangles[t], out->normal);
    for (size_t v = 0; v < n; v++) {
        const double length = sqrt(d3_dot(out->normal[v], out->normal[v]));
        for (int k = 0; k < 3 && length > 0; k++) out->normal[v][k] /= length;
    }
    int side_count = 0;
    for (int t = 0; t < triangle_count; t++) {
        const int *c = triangles[t];
        if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) continue;
        for (int k = 0; k < 3; ++k, side_count += 2)
            add_corner(points, out->normal[c[k]], c[k], c[(k + 1) % 3], c[(k + 2) % 3], sides + side_count);
    }
    qsort(sides, (size_t)side_count, sizeof *sides, compare);
    fill(sides, merge(sides, side_count), count, out);
    free(sides);
    return true;
}

void sn_rings_free(sn_rings *rings) {
    free(rings->first);
    free(rings->other);
    free(rings->cotangent);
    free(rings->mean_value);
    free(rings->normal);
    *rings = (sn_rings){0};
}
