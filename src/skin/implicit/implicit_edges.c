// Builds edges with weights. Every corner of a triangle at i with the other corners j and k contributes to the edges ij
// and ik; the contributions to an edge are summed. Mean value coordinates (Floater 2003) of i are (tan(a/2) +
// tan(a'/2)) / |ij|, with the angles a, a' next to the edge in the ring projected onto the tangent plane; for two
// vectors tan(a/2) = |x × y| / (|x||y| + x . y), so no trigonometry is needed.
#include "skin/implicit/implicit_edges.h"
#include "base/hash.h"

void sn_implicit_edges_free(sn_implicit_edges *e) {
    if (!e->memory) return;
    sn_free(e->memory, e->welded, e->vertices, sizeof *e->welded);
    sn_free(e->memory, e->vertex, e->vertices, sizeof *e->vertex);
    sn_free(e->memory, e->triangles, e->given, sizeof *e->triangles);
    sn_free(e->memory, e->first, e->vertices + 1, sizeof *e->first);
    sn_free(e->memory, e->other, e->edges, sizeof *e->other);
    sn_free(e->memory, e->cotangents, e->edges, sizeof *e->cotangents);
    sn_free(e->memory, e->mean_values, e->edges, sizeof *e->mean_values);
    *e = (sn_implicit_edges){0};
}

// ---- welding

static bool same(sn_vec3 a, sn_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool weld(const sn_vec3 *vertices, int count, sn_implicit_edges *out) {
    size_t size = 16;
    while (size < 2 * (size_t)count) size *= 2;
    int *table = sn_alloc(out->memory, size, sizeof *table); // of welded vertices, from 1
    if (!table) return false;
    for (int v = 0; v < count; v++) {
        size_t at = (size_t)sn_hash_reals(0, &vertices[v].x, 3) & (size - 1);
        while (table[at] && !same(vertices[out->vertex[table[at] - 1]], vertices[v])) at = (at + 1) & (size - 1);
        if (!table[at]) {
            out->vertex[out->count] = v;
            table[at] = ++out->count;
        }
        out->welded[v] = table[at] - 1;
    }
    sn_free(out->memory, table, size, sizeof *table);
    return true;
}

// ---- edges

typedef struct {
    int from, to, sides;
    double cotangent, round; // round below 0: the ring is folded
} side;

typedef struct {
    double x, y, z;
} vec;

static vec separation(sn_vec3 a, sn_vec3 b) {
    return (vec){(double)a.x - (double)b.x, (double)a.y - (double)b.y, (double)a.z - (double)b.z};
}
static double dot(vec a, vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static vec cross(vec a, vec b) {
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static vec flat(vec a, vec n) {
    const double k = dot(a, n);
    return (vec){a.x - k * n.x, a.y - k * n.y, a.z - k * n.z};
}
static double larger(double a, double b) {
    return a > b ? a : b;
}

// Adds the contributions of a corner.
static void add_corner(vec a, vec b, vec n, int i, int j, int k, side out[2]) {
    const vec c = {b.x - a.x, b.y - a.y, b.z - a.z}, across = cross(a, b);
    const double longest = larger(dot(a, a), larger(dot(b, b), dot(c, c)));
    const double area2 = larger(__builtin_sqrt(dot(across, across)), 2e-3 * longest); // bounds the weights of needles
    // The edge ij is opposite k, ik opposite j.
    const double at_k = area2 > 0 ? dot(b, c) / area2 : 0, at_j = area2 > 0 ? -dot(a, c) / area2 : 0;
    const vec x = flat(a, n), y = flat(b, n);
    const double lx = __builtin_sqrt(dot(x, x)), ly = __builtin_sqrt(dot(y, y));
    const double s = dot(cross(x, y), n), beside = lx * ly + dot(x, y);
    const bool open = s > 0 && lx > 0 && ly > 0 && s < 40 * beside;
    out[0] = (side){i, j, 1, 0.5 * at_k, open ? s / beside / lx : -1e300};
    out[1] = (side){i, k, 1, 0.5 * at_j, open ? s / beside / ly : -1e300};
}

// Sorts edges by start, then by end (stable counting sort, least significant key first).
static void sort(side *sides, side *scratch, int count, int vertices, int *starts) {
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i <= vertices; i++) starts[i] = 0;
        for (int i = 0; i < count; i++) ++starts[(pass ? sides[i].from : sides[i].to) + 1];
        for (int i = 0; i < vertices; i++) starts[i + 1] += starts[i];
        for (int i = 0; i < count; i++) scratch[starts[pass ? sides[i].from : sides[i].to]++] = sides[i];
        side *swap = sides;
        sides = scratch, scratch = swap;
    }
}

static void keep(const side *sides, int count, sn_implicit_edges *out) {
    int at = 0, i = 0;
    for (int v = 0; v < out->count; v++) {
        double sum = 0;
        bool round = true;
        out->first[v] = at;
        while (i < count && sides[i].from == v) {
            side all = sides[i++];
            for (; i < count && sides[i].from == v && sides[i].to == all.to; i++) {
                all.sides += 1;
                all.cotangent += sides[i].cotangent;
                all.round += sides[i].round;
            }
            const double c = all.cotangent;
            out->other[at] = all.to;
            out->cotangents[at] = (sn_real)(c < 1e-3 ? 1e-3 : c > 100 ? 100 : c);
            out->mean_values[at++] = (sn_real)(all.round < 0 ? 0 : all.round);
            sum += all.round;
            round = round && all.sides == 2 && all.round > 0;
        }
        for (int k = out->first[v]; k < at; k++)
            out->mean_values[k] = round && sum > 0 && sum < 1e30 ? (sn_real)((double)out->mean_values[k] / sum) : 0;
    }
    out->first[out->count] = at;
}

// Area-weighted normals of welded vertices: only their tangent planes are needed.
static void add_normals(const sn_vec3 *vertices, const sn_implicit_edges *e, vec *normals) {
    for (int t = 0; t < e->triangle_count; t++) {
        const int *c = e->triangles[t];
        const sn_vec3 p = vertices[e->vertex[c[0]]];
        const vec n = cross(separation(vertices[e->vertex[c[1]]], p), separation(vertices[e->vertex[c[2]]], p));
        for (int k = 0; k < 3; k++) normals[c[k]].x += n.x, normals[c[k]].y += n.y, normals[c[k]].z += n.z;
    }
    for (int v = 0; v < e->count; v++) {
        const double length = __builtin_sqrt(dot(normals[v], normals[v])), by = length > 0 ? 1 / length : 0;
        normals[v] = (vec){by * normals[v].x, by * normals[v].y, by * normals[v].z};
    }
}

static bool find_edges(const sn_vec3 *vertices, sn_implicit_edges *e) {
    const size_t max_count = e->edges, welded_count = (size_t)e->count;
    side *sides = sn_alloc(e->memory, max_count, sizeof *sides),
         *scratch = sn_alloc(e->memory, max_count, sizeof *scratch);
    int *starts = sn_alloc(e->memory, welded_count + 1, sizeof *starts);
    vec *normals = sn_alloc(e->memory, welded_count, sizeof *normals);
    const bool good = sides && scratch && starts && normals;
    if (good) {
        int count = 0;
        add_normals(vertices, e, normals);
        for (int t = 0; t < e->triangle_count; t++)
            for (int k = 0; k < 3; ++k, count += 2) {
                const int i = e->triangles[t][k], j = e->triangles[t][(k + 1) % 3], l = e->triangles[t][(k + 2) % 3];
                const sn_vec3 p = vertices[e->vertex[i]];
                add_corner(separation(vertices[e->vertex[j]], p), separation(vertices[e->vertex[l]], p), normals[i], i,
                           j, l, sides + count);
            }
        sort(sides, scratch, count, e->count, starts);
        keep(sides, count, e);
    }
    sn_free(e->memory, sides, max_count, sizeof *sides);
    sn_free(e->memory, scratch, max_count, sizeof *scratch);
    sn_free(e->memory, starts, welded_count + 1, sizeof *starts);
    sn_free(e->memory, normals, welded_count, sizeof *normals);
    return good;
}

bool sn_implicit_edges_make(sn_memory *memory, const sn_vec3 *vertices, int count, const int (*triangles)[3],
                            int triangle_count, sn_implicit_edges *out) {
    const size_t n = (size_t)count, m = (size_t)triangle_count;
    *out = (sn_implicit_edges){.memory = memory, .vertices = n, .given = m, .edges = 6 * m};
    out->welded = sn_alloc(memory, n, sizeof *out->welded);
    out->vertex = sn_alloc(memory, n, sizeof *out->vertex);
    out->triangles = sn_alloc(memory, m, sizeof *out->triangles);
    out->first = sn_alloc(memory, n + 1, sizeof *out->first);
    out->other = sn_alloc(memory, out->edges, sizeof *out->other);
    out->cotangents = sn_alloc(memory, out->edges, sizeof *out->cotangents);
    out->mean_values = sn_alloc(memory, out->edges, sizeof *out->mean_values);
    bool good = out->welded && out->vertex && out->triangles && out->first && out->other && out->cotangents &&
                out->mean_values && weld(vertices, count, out);
    for (int t = 0; good && t < triangle_count; t++) {
        int *to = out->triangles[out->triangle_count];
        for (int k = 0; k < 3; k++) to[k] = out->welded[triangles[t][k]];
        out->triangle_count += to[0] != to[1] && to[1] != to[2] && to[2] != to[0];
    }
    good = good && find_edges(vertices, out);
    if (!good) sn_implicit_edges_free(out);
    return good;
}
