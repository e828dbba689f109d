// A split, a flip and a collapse of half-edge h, from a to b, with c and d the opposite corners:
//
//          c                  c                   c                     c
//        /   \              / | \               / | \                   |
//       a--h--b   split -> a--m--b     flip -> a  |  b     collapse ->  a
//        \   /              \ | /               \ | /                   |
//          d                  d                   d                     d
//
// A collapse is allowed when a and b have no common neighbours but c and d (else the surface would become
// non-manifold), when c and d keep three triangles, and when no boundary loop vanishes.
#include "mesh/half_edge.h"
#include "base/math/double3.h"
#include "mesh/array.h"
#include "mesh/mesh_repair_internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- building and writing --------------------------------------------------------------------------------------------

void half_edge_mesh_free(half_edge_mesh *mesh) {
    free(mesh->position), free(mesh->first), free(mesh->origin), free(mesh->fixed), free(mesh->mark);
    free(mesh->triangle), free(mesh->twin), free(mesh->crease);
    *mesh = (half_edge_mesh){0};
}

static bool reserve_vertices(half_edge_mesh *mesh, int needed) {
    if (needed <= mesh->vertex_capacity) return true;
    const int capacity = needed + needed / 2 + 16;
    const size_t count = (size_t)capacity;
    if (!array_resize(&mesh->position, count, sizeof *mesh->position) ||
        !array_resize(&mesh->first, count, sizeof *mesh->first) ||
        !array_resize(&mesh->origin, count, sizeof *mesh->origin) ||
        !array_resize(&mesh->fixed, count, sizeof *mesh->fixed) ||
        !array_resize(&mesh->mark, count, sizeof *mesh->mark))
        return false;
    for (int v = mesh->vertex_capacity; v < capacity; v++) mesh->mark[v] = 0;
    mesh->vertex_capacity = capacity;
    return true;
}

static bool reserve_triangles(half_edge_mesh *mesh, int needed) {
    if (needed <= mesh->triangle_capacity) return true;
    const int capacity = needed + needed / 2 + 16;
    const size_t count = (size_t)capacity;
    if (!array_resize(&mesh->triangle, count, sizeof *mesh->triangle) ||
        !array_resize(&mesh->twin, 3 * count, sizeof *mesh->twin) ||
        !array_resize(&mesh->crease, 3 * count, sizeof *mesh->crease))
        return false;
    mesh->triangle_capacity = capacity;
    return true;
}

// Joins the corners of triangles that are adjacent around a vertex: each set is a fan.
static void join_fans(half_edge_mesh *mesh, int *fan) {
    for (int h = 0; h < 3 * mesh->triangle_count; h++) fan[h] = h;
    for (int h = 0; h < 3 * mesh->triangle_count; h++)
        if (mesh->twin[h] > h) {
            sn_union(fan, h, half_edge_next(mesh->twin[h]));
            sn_union(fan, half_edge_next(h), mesh->twin[h]);
        }
}

// Gives every fan its own vertex; the first fan of each vertex keeps the index.
static bool cut_open(half_edge_mesh *mesh, const sn_mesh *from, const unsigned char *non_manifold_vertex) {
    const int corners = 3 * mesh->triangle_count;
    int *fan = malloc(((size_t)corners + 1) * sizeof *fan), *vertex = malloc(((size_t)corners + 1) * sizeof *vertex);
    bool good = fan && vertex && reserve_vertices(mesh, from->vertex_count + 1);
    if (good) {
        mesh->vertex_count = from->vertex_count;
        for (int v = 0; v < from->vertex_count; v++) {
            for (int k = 0; k < 3; k++) mesh->position[v][k] = from->position[v][k];
            mesh->first[v] = -1, mesh->origin[v] = v, mesh->fixed[v] = non_manifold_vertex[v];
        }
        join_fans(mesh, fan);
    }
    for (int h = 0; h < corners && good; h++) {
        if (sn_find_root(fan, h) != h) continue; // roots come before the rest of their set
        int v = from->triangle[h / 3][h % 3];
        if (mesh->first[v] >= 0) { // another fan has it
            good = reserve_vertices(mesh, mesh->vertex_count + 1);
            if (!good) break;
            const int one = mesh->vertex_count++;
            memcpy(mesh->position[one], mesh->position[v], sizeof *mesh->position);
            mesh->origin[one] = v;
            mesh->fixed[v] = mesh->fixed[one] = 1;
            mesh->first[one] = -1;
            v = one;
        }
        vertex[h] = v;
        mesh->first[v] = h;
    }
    for (int h = 0; h < corners && good; h++) {
        const int v = vertex[sn_find_root(fan, h)];
        mesh->triangle[h / 3][h % 3] = v;
        // At a boundary the half-edge without a twin is the first counter-clockwise.
        if (mesh->twin[h] < 0) mesh->first[v] = h;
    }
    free(fan), free(vertex);
    return good;
}

// Copies the triangles with three different corners in range.
static bool keep_valid(const sn_mesh *mesh, sn_mesh *out) {
    *out = (sn_mesh){.position = mesh->position, .vertex_count = mesh->vertex_count};
    out->triangle = malloc(((size_t)mesh->triangle_count + 1) * sizeof *out->triangle);
    for (int t = 0; t < mesh->triangle_count && out->triangle; t++) {
        const int *c = mesh->triangle[t];
        bool valid = c[0] != c[1] && c[1] != c[2] && c[2] != c[0];
        for (int k = 0; k < 3; k++) valid = valid && c[k] >= 0 && c[k] < mesh->vertex_count;
        if (valid) memcpy(out->triangle[out->triangle_count++], c, sizeof *out->triangle);
    }
    return out->triangle != NULL;
}

bool half_edge_mesh_build(const sn_mesh *mesh, half_edge_mesh *out) {
    int non_manifold;
    sn_mesh valid;
    *out = (half_edge_mesh){0};
    if (!keep_valid(mesh, &valid)) return false;
    int *twin = find_half_edge_twins(&valid, &non_manifold);
    unsigned char *non_manifold_vertex = calloc((size_t)valid.vertex_count + 1, 1);
    bool good = twin && non_manifold_vertex && reserve_triangles(out, valid.triangle_count + 1);
    if (good) {
        out->triangle_count = out->remaining_count = valid.triangle_count;
        memcpy(out->triangle, valid.triangle, (size_t)valid.triangle_count * sizeof *valid.triangle);
        memset(out->crease, 0, 3 * (size_t)valid.triangle_count);
        for (int h = 0; h < 3 * valid.triangle_count; h++) {
            const int a = mesh_edge_start(&valid, h), b = mesh_edge_end(&valid, h);
            const bool inconsistent = twin[h] >= 0 && mesh_edge_start(&valid, twin[h]) == a;
            out->twin[h] = twin[h] >= 0 && !inconsistent ? twin[h] : -1;
            if (twin[h] == EDGE_NON_MANIFOLD || inconsistent) non_manifold_vertex[a] = non_manifold_vertex[b] = 1;
        }
        good = cut_open(out, &valid, non_manifold_vertex);
    }
    free(twin), free(non_manifold_vertex), free(valid.triangle);
    if (!good) half_edge_mesh_free(out);
    return good;
}

bool half_edge_mesh_write(const half_edge_mesh *mesh, sn_mesh *out) {
    int *index = malloc(((size_t)mesh->vertex_count + 1) * sizeof *index), vertices = 0, triangles = 0;
    if (!index) return false;
    for (int v = 0; v < mesh->vertex_count; v++) index[v] = -1;
    for (int v = 0; v < mesh->vertex_count; v++) {
        if (mesh->first[v] < 0) continue;
        // Merge fixed vertices with the same origin again.
        const int same = mesh->fixed[v] && mesh->origin[v] >= 0 ? mesh->origin[v] : v;
        if (index[same] < 0) index[same] = vertices++;
        index[v] = index[same];
    }
    const bool good = sn_mesh_alloc(out, vertices, mesh->remaining_count, 0);
    for (int v = 0; v < mesh->vertex_count && good; v++)
        for (int k = 0; k < 3 && mesh->first[v] >= 0; k++) out->position[index[v]][k] = (float)mesh->position[v][k];
    for (int t = 0; t < mesh->triangle_count && good; t++) {
        if (mesh->triangle[t][0] < 0) continue;
        for (int k = 0; k < 3; k++) out->triangle[triangles][k] = index[mesh->triangle[t][k]];
        triangles++;
    }
    free(index);
    return good;
}

// --- queries ---------------------------------------------------------------------------------------------------------

int half_edge_valence(const half_edge_mesh *mesh, int v) {
    int count = 0;
    for (int h = mesh->first[v]; h >= 0 && count <= HALF_EDGE_MAX_VALENCE; h = half_edge_next_around(mesh, v, h))
        count++;
    return count;
}

bool half_edge_on_boundary(const half_edge_mesh *mesh, int v) {
    return mesh->twin[mesh->first[v]] < 0; // a boundary half-edge is always the first
}

int half_edge_count_creases(const half_edge_mesh *mesh, int v) {
    int count = 0, steps = 0, last = -1;
    for (int h = mesh->first[v]; h >= 0 && steps <= HALF_EDGE_MAX_VALENCE;
         h = half_edge_next_around(mesh, v, h), ++steps) {
        count += mesh->crease[h] || mesh->twin[h] < 0;
        last = h;
    }
    // the other boundary edge ends here
    return count + (last >= 0 && mesh->twin[half_edge_prev(last)] < 0);
}

// The corners of a triangle, with vertex v moved to 'target'.
static void corners_of(const half_edge_mesh *mesh, int triangle, int v, const double target[3], const double *out[3]) {
    for (int k = 0; k < 3; k++) {
        const int corner = mesh->triangle[triangle][k];
        out[k] = corner == v ? target : mesh->position[corner];
    }
}

void half_edge_area_vector(const half_edge_mesh *mesh, int triangle, int v, const double target[3], double out[3]) {
    const double *p[3];
    double e[2][3];
    corners_of(mesh, triangle, v, target, p);
    for (int k = 0; k < 3; k++) e[0][k] = p[1][k] - p[0][k], e[1][k] = p[2][k] - p[0][k];
    d3_cross(e[0], e[1], out);
}

// 1 for an equilateral triangle, 0 for a flat one.
static double quality_of(const half_edge_mesh *mesh, int triangle, int v, const double target[3], double doubled_area) {
    const double *p[3];
    double sum = 0;
    corners_of(mesh, triangle, v, target, p);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) sum += (p[i][k] - p[(i + 1) % 3][k]) * (p[i][k] - p[(i + 1) % 3][k]);
    return sum > 0 ? 3.4641016151377544 * doubled_area / sum : 0;
}

bool half_edge_can_move(const half_edge_mesh *mesh, int v, const double target[3], int without) {
    int steps = 0;
    for (int h = mesh->first[v]; h >= 0; h = half_edge_next_around(mesh, v, h)) {
        const int t = h / 3, *c = mesh->triangle[t];
        double before[3], after[3];
        if (++steps > HALF_EDGE_MAX_VALENCE) return false;
        if (without >= 0 && (c[0] == without || c[1] == without || c[2] == without)) continue;
        half_edge_area_vector(mesh, t, -1, NULL, before);
        half_edge_area_vector(mesh, t, v, target, after);
        const double b = sqrt(d3_dot(before, before)), a = sqrt(d3_dot(after, after));
        const double was = quality_of(mesh, t, -1, NULL, b), is = quality_of(mesh, t, v, target, a);
        if (was > 1e-6 && d3_dot(before, after) < 0.25 * a * b) return false;
        if (is < 0.05 && !(is > was)) return false;
    }
    return true;
}

// --- operations ------------------------------------------------------------------------------------------------------

static void pair(half_edge_mesh *mesh, int h, int o) {
    if (h >= 0) mesh->twin[h] = o;
    if (o >= 0) mesh->twin[o] = h;
}

// Splits triangle (a, b, c) of half-edge h into (a, m, c) and (m, b, c). Returns the second.
static int split_side(half_edge_mesh *mesh, int h, int m) {
    const int t = mesh->triangle_count++, n = half_edge_next(h), outer = mesh->twin[n];
    const int b = half_edge_end(mesh, h), c = half_edge_end(mesh, n);
    mesh->triangle[t][0] = m, mesh->triangle[t][1] = b, mesh->triangle[t][2] = c;
    mesh->crease[3 * t] = mesh->crease[h], mesh->crease[3 * t + 1] = mesh->crease[n], mesh->crease[3 * t + 2] = 0;
    mesh->crease[n] = 0;
    mesh->twin[3 * t] = mesh->twin[3 * t + 1] = -1;
    pair(mesh, 3 * t + 1, outer);
    pair(mesh, 3 * t + 2, n);
    if (mesh->first[b] == n) mesh->first[b] = 3 * t + 1;
    mesh->triangle[h / 3][(h + 1) % 3] = m;
    mesh->remaining_count++;
    return t;
}

int half_edge_split(half_edge_mesh *mesh, int h) {
    if (!reserve_vertices(mesh, mesh->vertex_count + 1) || !reserve_triangles(mesh, mesh->triangle_count + 2))
        return -1;
    const int a = half_edge_start(mesh, h), b = half_edge_end(mesh, h), o = mesh->twin[h], m = mesh->vertex_count++;
    for (int k = 0; k < 3; k++) mesh->position[m][k] = 0.5 * (mesh->position[a][k] + mesh->position[b][k]);
    mesh->origin[m] = -1, mesh->fixed[m] = 0;
    const int one = split_side(mesh, h, m);
    mesh->first[m] = 3 * one;
    if (o < 0) {
        mesh->twin[h] = -1;
        return m;
    }
    const int two = split_side(mesh, o, m);
    pair(mesh, h, 3 * two);
    pair(mesh, o, 3 * one);
    return m;
}

// Whether a triangle's third corner keeps enough triangles when this one is deleted.
static bool corner_can_lose(const half_edge_mesh *mesh, int h) {
    const int n = half_edge_next(h), p = half_edge_prev(h), c = half_edge_start(mesh, p);
    if (mesh->twin[n] < 0 && mesh->twin[p] < 0) return false; // it has no other triangle
    const int count = half_edge_valence(mesh, c);
    return half_edge_on_boundary(mesh, c) ? count > 1 : count > 3;
}

bool half_edge_can_collapse(half_edge_mesh *mesh, int h) {
    const int a = half_edge_start(mesh, h), b = half_edge_end(mesh, h), o = mesh->twin[h];
    const int c = half_edge_end(mesh, half_edge_next(h)), d = o < 0 ? -1 : half_edge_end(mesh, half_edge_next(o));
    if (o >= 0 && half_edge_on_boundary(mesh, a) && half_edge_on_boundary(mesh, b)) return false;
    if (!corner_can_lose(mesh, h) || (o >= 0 && !corner_can_lose(mesh, o))) return false;
    if (c == d) return false;
    const int now = ++mesh->mark_value;
    int steps = 0, last = -1;
    for (int i = mesh->first[a]; i >= 0; i = half_edge_next_around(mesh, a, i)) {
        mesh->mark[half_edge_end(mesh, i)] = now;
        last = i;
        if (++steps > HALF_EDGE_MAX_VALENCE) return false;
    }
    mesh->mark[half_edge_start(mesh, half_edge_prev(last))] = now; // only needed at a boundary
    mesh->mark[c] = 0;
    if (d >= 0) mesh->mark[d] = 0;
    for (int i = mesh->first[b]; i >= 0; i = half_edge_next_around(mesh, b, i)) {
        const int x = half_edge_end(mesh, i);
        last = i;
        if ((x != a && mesh->mark[x] == now) || ++steps > 2 * HALF_EDGE_MAX_VALENCE) return false;
    }
    const int x = half_edge_start(mesh, half_edge_prev(last));
    return x == a || mesh->mark[x] != now;
}

// Deletes the triangle of h: its other two edges become one.
static void remove_side(half_edge_mesh *mesh, int h) {
    const int n = half_edge_next(h), p = half_edge_prev(h), c = half_edge_start(mesh, p), tn = mesh->twin[n],
              tp = mesh->twin[p];
    const unsigned char crease = mesh->crease[n] | mesh->crease[p];
    if (mesh->first[c] == p) mesh->first[c] = tn;
    if (tn >= 0) mesh->twin[tn] = tp, mesh->crease[tn] = crease;
    if (tp >= 0) mesh->twin[tp] = tn, mesh->crease[tp] = crease;
    mesh->triangle[h / 3][0] = -1;
    --mesh->remaining_count;
}

void half_edge_collapse(half_edge_mesh *mesh, int h) {
    const int a = half_edge_start(mesh, h), b = half_edge_end(mesh, h), o = mesh->twin[h];
    int any = -1;
    // Give b's triangles to a. half_edge_next_around uses only twins and first[b], so corners may change in this loop.
    for (int i = mesh->first[b]; i >= 0;) {
        const int next = half_edge_next_around(mesh, b, i);
        mesh->triangle[i / 3][i % 3] = a;
        if (i / 3 != h / 3 && (o < 0 || i / 3 != o / 3)) any = i;
        i = next;
    }
    for (int i = mesh->first[a]; i >= 0 && any < 0; i = half_edge_next_around(mesh, a, i))
        if (i / 3 != h / 3 && (o < 0 || i / 3 != o / 3)) any = i;
    remove_side(mesh, h);
    if (o >= 0) remove_side(mesh, o);
    mesh->first[b] = -1;
    // Walk back to the boundary, or once around.
    mesh->first[a] = any;
    for (int i = any, before; i >= 0; i = before) {
        before = mesh->twin[i] < 0 ? -1 : half_edge_next(mesh->twin[i]);
        if (before < 0) mesh->first[a] = i;
        if (before == any) break;
    }
}

bool half_edge_can_flip(const half_edge_mesh *mesh, int h) {
    const int o = mesh->twin[h];
    if (o < 0 || mesh->crease[h]) return false;
    const int a = half_edge_start(mesh, h), b = half_edge_end(mesh, h), c = half_edge_end(mesh, half_edge_next(h)),
              d = half_edge_end(mesh, half_edge_next(o));
    if (c == d) return false;
    const int min_a = half_edge_on_boundary(mesh, a) ? 1 : 3, min_b = half_edge_on_boundary(mesh, b) ? 1 : 3;
    if (half_edge_valence(mesh, a) <= min_a || half_edge_valence(mesh, b) <= min_b) return false;
    int steps = 0, last = -1;
    for (int i = mesh->first[c]; i >= 0; i = half_edge_next_around(mesh, c, i)) {
        last = i;
        if (half_edge_end(mesh, i) == d || ++steps > HALF_EDGE_MAX_VALENCE) return false;
    }
    return half_edge_start(mesh, half_edge_prev(last)) != d;
}

void half_edge_flip(half_edge_mesh *mesh, int h) {
    const int o = mesh->twin[h], n = half_edge_next(h), p = half_edge_prev(h), m = half_edge_next(o),
              q = half_edge_prev(o);
    const int a = half_edge_start(mesh, h), b = half_edge_end(mesh, h), c = half_edge_start(mesh, p),
              d = half_edge_start(mesh, q);
    const int tn = mesh->twin[n], tp = mesh->twin[p], tm = mesh->twin[m], tq = mesh->twin[q];
    const unsigned char cn = mesh->crease[n], cp = mesh->crease[p], cm = mesh->crease[m], cq = mesh->crease[q];
    const int one = h / 3, two = o / 3;
    const int first_a = mesh->first[a], first_b = mesh->first[b], first_c = mesh->first[c], first_d = mesh->first[d];
    mesh->triangle[one][0] = a, mesh->triangle[one][1] = d, mesh->triangle[one][2] = c;
    mesh->triangle[two][0] = b, mesh->triangle[two][1] = c, mesh->triangle[two][2] = d;
    pair(mesh, 3 * one, tm), pair(mesh, 3 * one + 1, 3 * two + 1), pair(mesh, 3 * one + 2, tp);
    pair(mesh, 3 * two, tn), pair(mesh, 3 * two + 2, tq);
    mesh->crease[3 * one] = cm, mesh->crease[3 * one + 1] = 0, mesh->crease[3 * one + 2] = cp;
    mesh->crease[3 * two] = cn, mesh->crease[3 * two + 1] = 0, mesh->crease[3 * two + 2] = cq;
    if (first_a == h || first_a == m) mesh->first[a] = 3 * one;
    if (first_b == n || first_b == o) mesh->first[b] = 3 * two;
    if (first_c == p) mesh->first[c] = 3 * one + 2;
    if (first_d == q) mesh->first[d] = 3 * two + 2;
}
