// Isosurface stuffing (Labelle and Shewchuk 2007), with the winding number as the inside test.
//
// The lattice is body-centred cubic: points A at the corners of cubes and B at their centres. All its tetrahedra have
// the same shape: a long edge A-A (1), a long edge B-B across it (1), and four short edges A-B (sqrt(3)/2). Each edge
// A-A is surrounded by four B, so it has four tetrahedra:
//
//          B ------- B        1. Find the points that are inside. Cubes far from the surface are tested once.
//          | \     / |        2. Find where edges from inside to outside are cut by the surface.
//          |   A-A   |        3. Warp: a point with a cut closer than ALPHA of the edge's length moves there and is on
//          | /     \ |           the surface (0); its edges are no longer cut.
//          B ------- B        4. Cut every tetrahedron with a point inside by the stencil for its signs + 0 -.
//                             5. Move the vertices of the worst tetrahedra a little (tet_improve.c).
//
// Since neither warped points nor cuts come close to other points, no tetrahedron is flat: with random cuts, angles
// before the last step were between 9 and 162 degrees. (The paper proves a bound for its own choice of diagonals, which
// differs slightly from ours.) Stencils with two and three + have faces with four corners: a b on the inside and cuts
// on a-d and b-d. Two tetrahedra share such a face, so its diagonal is chosen from the face alone: if one of the cut
// edges is long, to the cut of the long edge; if both are short, the shorter diagonal. Two of a prism's three diagonals
// then always share a corner, as required.
#include "tets/tet_lattice.h"
#include "base/tasks.h"
#include "mesh/array.h"
#include "mesh/clock.h"
#include "tets/tet_improve.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALPHA_LONG  0.24999 // for long and short edges; the paper's values, which maximise the least angle
#define ALPHA_SHORT 0.41189

enum {
    LONG_DIRECTIONS = 3, // long edges: +x +y +z
    FORWARD = 7,         // and the four short ones upwards (+z)
    DIRECTIONS = 14,     // and the opposite directions
    BLOCK = 8,           // cubes along the side of a task's block
};

typedef struct {
    const sn_mesh_query *query;
    const sn_winding *winding;
    bool closed; // the winding number is an integer off the surface
    double origin[3], h;
    int n[3];                    // cubes
    int64_t row, layer;          // index offsets to the next y and z
    int64_t step[2][DIRECTIONS]; // from A and from B to their neighbours
    uint8_t *inside;             // of each point
    size_t point_count;
    // Active points are those inside and their neighbours; they get consecutive indices: a bit for each point, and the
    // count before each 64.
    uint64_t *bits;
    int *before;
    int active_count;
    int64_t *point; // lattice point of each active index
    double (*position)[3];
    signed char *sign;
    double *cut;     // of each active index and forward direction: position along the edge, 0 to 1; < 0: none
    int *cut_vertex; // the vertex at the cut, -1: none yet
    int *vertex;     // of each active index, -1: none yet
    sn_tet_mesh out;
    int vertex_capacity, tet_capacity;
    int *evaluated, *overlapping, *cuts, *uncertain; // counts of each block, and of each chunk of points
    bool failed;
} lattice;

// ---- the lattice
// A point has the index 2 ((k ny + j) nx + i) + s, with s = 0 for A and 1 for B.

static void set_steps(lattice *l) {
    l->row = 2 * (int64_t)l->n[0], l->layer = l->row * l->n[1];
    const int64_t along[3] = {2, l->row, l->layer};
    for (int s = 0; s < 2; s++) {
        for (int d = 0; d < LONG_DIRECTIONS; d++) l->step[s][d] = along[d], l->step[s][FORWARD + d] = -along[d];
        for (int d = 0; d < 4; d++) { // bit 0: +x, bit 1: +y; +z, or -z for the opposites
            const int x = d & 1, y = d >> 1 & 1;
            const int64_t other = s ? -1 : 1, back = s ? 0 : -1; // A's neighbours have lower cube indices, B's higher
            l->step[s][LONG_DIRECTIONS + d] = other + 2 * (x + back) + l->row * (y + back) + l->layer * (1 + back);
            l->step[s][FORWARD + LONG_DIRECTIONS + d] =
                other + 2 * (!x + back) + l->row * (!y + back) + l->layer * back;
        }
    }
}

static void point_at(const lattice *l, int64_t point, double out[3]) {
    const int64_t cube = point / 2;
    const double half = point & 1 ? 0.5 : 0;
    const int64_t i = cube % l->n[0], j = cube / l->n[0] % l->n[1], k = cube / l->n[0] / l->n[1];
    out[0] = l->origin[0] + l->h * ((double)i + half);
    out[1] = l->origin[1] + l->h * ((double)j + half);
    out[2] = l->origin[2] + l->h * ((double)k + half);
}

static bool is_active(const lattice *l, int64_t point) {
    return l->bits[point >> 6] >> (point & 63) & 1;
}

static int active_index(const lattice *l, int64_t point) {
    const uint64_t below = l->bits[point >> 6] & ((UINT64_C(1) << (point & 63)) - 1);
    return l->before[point >> 6] + __builtin_popcountll(below);
}

// A surface is closed when every edge is traversed equally often in both directions. Each edge contributes a random
// number, with a sign, and the sum must cancel.
static uint64_t mix64(uint64_t x) {
    x ^= x >> 31, x *= UINT64_C(0x7fb5d329728ea185);
    x ^= x >> 27, x *= UINT64_C(0x81dadef4bc2dd44d);
    return x ^ x >> 33;
}

static bool is_closed(const sn_mesh *mesh) {
    uint64_t sum = 0;
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            const int a = mesh->triangle[t][k], b = mesh->triangle[t][(k + 1) % 3];
            if (a == b) continue;
            const uint64_t key = mix64((uint64_t)(uint32_t)(a < b ? a : b) << 32 | (uint32_t)(a < b ? b : a));
            sum += a < b ? key : -key;
        }
    return sum == 0;
}

// ---- 1. inside

// Classifies the points of a box of cubes. If the surface does not reach a ball around it, one evaluation is enough:
// the winding number is then constant. Near holes it varies without a surface, but slowly: it is harmonic, so by
// Harnack's inequality a value within 1/12 of 0 or 1 at the centre of an empty ball stays on the same side of 1/2 in
// its inner half.
static void set_inside(const lattice *l, const int low[3], const int high[3], int *evaluated, int *overlapping) {
    int size = 0;
    double middle[3], radius = 0;
    for (int k = 0; k < 3; k++) {
        const int side = high[k] - low[k];
        if (side > size) size = side;
        middle[k] = l->origin[k] + l->h * (low[k] + 0.5 * (side - 0.5));
        radius += 0.25 * (side - 0.5) * (side - 0.5);
    }
    radius = l->h * sqrt(radius) * (l->closed ? 1.0001 : 2);
    sn_mesh_hit hit;
    const bool same = !sn_mesh_query_closest_point(l->query, middle, radius, &hit);
    if (size == 1 || same) {
        const double w = same ? sn_winding_evaluate(l->winding, middle) : 0;
        if (same) ++*evaluated;
        const bool sure = same && (l->closed || fabs(w - 0.5) > 0.42);
        for (int k = low[2]; k < high[2] && (sure || size == 1); k++)
            for (int j = low[1]; j < high[1]; j++)
                for (int i = low[0]; i < high[0]; i++)
                    for (int s = 0; s < 2; s++) {
                        const int64_t point = 2 * i + l->row * j + l->layer * k + s;
                        double p[3], here = w;
                        if (!sure) point_at(l, point, p), here = sn_winding_evaluate(l->winding, p), ++*evaluated;
                        l->inside[point] = here > 0.5;
                        if (here > 1.5) *overlapping += (int)(fmin(here, 1000) - 0.5);
                    }
        if (sure || size == 1) return;
    }
    for (int part = 0; part < 8; part++) {
        int from[3], to[3];
        bool empty = false;
        for (int k = 0; k < 3; k++) {
            const int middle_cube = (low[k] + high[k]) / 2;
            from[k] = part >> k & 1 ? middle_cube : low[k], to[k] = part >> k & 1 ? high[k] : middle_cube;
            empty = empty || from[k] >= to[k];
        }
        if (!empty) set_inside(l, from, to, evaluated, overlapping);
    }
}

static void count_blocks(const lattice *l, int out[3]) {
    for (int k = 0; k < 3; k++) out[k] = (l->n[k] + BLOCK - 1) / BLOCK;
}

static void inside_block(void *context, int index, int worker) {
    const lattice *l = context;
    int blocks[3], low[3], high[3];
    (void)worker;
    count_blocks(l, blocks);
    const int at[3] = {index % blocks[0], index / blocks[0] % blocks[1], index / blocks[0] / blocks[1]};
    for (int k = 0; k < 3; k++) {
        low[k] = at[k] * BLOCK, high[k] = low[k] + BLOCK;
        if (high[k] > l->n[k]) high[k] = l->n[k];
    }
    l->evaluated[index] = l->overlapping[index] = 0;
    set_inside(l, low, high, &l->evaluated[index], &l->overlapping[index]);
}

// Points at the boundary of the lattice are always outside, so that every inside point has all its neighbours. (Open
// surfaces may wind around points beyond their box.)
static void clear_boundary(const lattice *l) {
    for (int k = 0; k < l->n[2]; k++)
        for (int j = 0; j < l->n[1]; j++) {
            uint8_t *row = l->inside + l->row * j + l->layer * k;
            if (j == 0 || j == l->n[1] - 1 || k == 0 || k == l->n[2] - 1) memset(row, 0, (size_t)l->row);
            row[0] = row[1] = row[l->row - 2] = row[l->row - 1] = 0;
        }
}

// Collects the active points.
static bool collect_active(lattice *l) {
    const size_t words = l->point_count / 64 + 1;
    l->bits = calloc(words, sizeof *l->bits);
    l->before = malloc(words * sizeof *l->before);
    if (!l->bits || !l->before) return false;
    for (size_t p = 0; p < l->point_count; p++) {
        if (!l->inside[p]) continue;
        l->bits[p >> 6] |= UINT64_C(1) << (p & 63);
        for (int d = 0; d < DIRECTIONS; d++) {
            const size_t q = (size_t)((int64_t)p + l->step[p & 1][d]);
            l->bits[q >> 6] |= UINT64_C(1) << (q & 63);
        }
    }
    for (size_t w = 0; w < words; w++)
        l->before[w] = l->active_count, l->active_count += __builtin_popcountll(l->bits[w]);
    const size_t active_count = (size_t)l->active_count + 1;
    l->point = malloc(active_count * sizeof *l->point);
    l->position = malloc(active_count * sizeof *l->position);
    l->sign = malloc(active_count * sizeof *l->sign);
    l->cut = malloc(active_count * FORWARD * sizeof *l->cut);
    l->cut_vertex = malloc(active_count * FORWARD * sizeof *l->cut_vertex);
    l->vertex = malloc(active_count * sizeof *l->vertex);
    if (!l->point || !l->position || !l->sign || !l->cut || !l->cut_vertex || !l->vertex) return false;
    int index = 0;
    for (size_t w = 0; w < words; w++)
        for (uint64_t left = l->bits[w]; left; left &= left - 1)
            l->point[index++] = (int64_t)(64 * w) + __builtin_ctzll(left);
    return true;
}

// ---- 2. cuts

// The position of the surface between the inside point p and the outside point q, 0 to 1. If a single triangle lies
// between them, its hit; else the winding number's crossing of 1/2, by bisection.
static double find_cut(const lattice *l, const double p[3], const double q[3], int *uncertain) {
    double there[3], back[3], length = 0;
    for (int k = 0; k < 3; k++) there[k] = q[k] - p[k], back[k] = -there[k], length += there[k] * there[k];
    length = sqrt(length);
    sn_mesh_hit first, last;
    if (sn_mesh_query_cast_ray(l->query, p, there, length, &first) &&
        sn_mesh_query_cast_ray(l->query, q, back, length, &last) &&
        fabs(first.distance + last.distance - length) < 1e-6 * length)
        return first.distance / length;
    ++*uncertain;
    double low = 0, high = 1;
    for (int i = 0; i < 9; i++) {
        const double t = 0.5 * (low + high);
        const double at[3] = {p[0] + t * there[0], p[1] + t * there[1], p[2] + t * there[2]};
        if (sn_winding_evaluate(l->winding, at) > 0.5)
            low = t;
        else
            high = t;
    }
    return 0.5 * (low + high);
}

enum { CHUNK = 256 };

static void cut_chunk(void *context, int index, int worker) {
    const lattice *l = context;
    const int end = (index + 1) * CHUNK < l->active_count ? (index + 1) * CHUNK : l->active_count;
    (void)worker;
    l->cuts[index] = l->uncertain[index] = 0;
    for (int a = index * CHUNK; a < end; a++) {
        const int64_t p = l->point[a];
        point_at(l, p, l->position[a]);
        l->sign[a] = l->inside[p] ? 1 : -1;
        l->vertex[a] = -1;
        for (int d = 0; d < FORWARD; d++) {
            const int64_t q = p + l->step[p & 1][d];
            double *cut = &l->cut[FORWARD * (size_t)a + (size_t)d], to[3];
            l->cut_vertex[FORWARD * (size_t)a + (size_t)d] = -1;
            *cut = -1;
            // The outermost active points may have forward neighbours beyond the grid; those are not inside.
            if (q < 0 || q >= (int64_t)l->point_count || l->inside[p] == l->inside[q]) continue;
            point_at(l, q, to);
            *cut = l->inside[p] ? find_cut(l, l->position[a], to, &l->uncertain[index])
                                : 1 - find_cut(l, to, l->position[a], &l->uncertain[index]);
            l->cuts[index]++;
        }
    }
}

// ---- 3. warp

static void warp_points(lattice *l) {
    for (int a = 0; a < l->active_count; a++) {
        const int64_t p = l->point[a];
        double nearest = 1; // distance of the closest cut
        int towards = -1;
        double share = 0;
        for (int d = 0; d < DIRECTIONS; d++) {
            const int64_t q = p + l->step[p & 1][d];
            if (q < 0 || q >= (int64_t)l->point_count || l->inside[p] == l->inside[q]) continue;
            const int b = active_index(l, q);
            if (l->sign[b] == 0) continue;
            const double t = d < FORWARD ? l->cut[FORWARD * (size_t)a + (size_t)d]
                                         : 1 - l->cut[FORWARD * (size_t)b + (size_t)(d - FORWARD)];
            const bool is_long = d % FORWARD < LONG_DIRECTIONS;
            const double length = is_long ? 1 : 0.8660254037844386; // compare distances, not parameters
            if (t < (is_long ? ALPHA_LONG : ALPHA_SHORT) && t * length < nearest)
                nearest = t * length, towards = b, share = t;
        }
        if (towards < 0) continue;
        double to[3];
        point_at(l, l->point[towards], to);
        for (int k = 0; k < 3; k++) l->position[a][k] += share * (to[k] - l->position[a][k]);
        l->sign[a] = 0;
    }
}

// ---- 4. stencils

static int add_vertex(lattice *l, const double p[3]) {
    if (!ARRAY_RESERVE(l->out.position, l->vertex_capacity, l->out.vertex_count + 1)) {
        l->failed = true;
        return 0;
    }
    memcpy(l->out.position[l->out.vertex_count], p, sizeof *l->out.position);
    return l->out.vertex_count++;
}

// A lattice point of a tetrahedron: its active index and its point index.
typedef struct {
    int index;
    int64_t point;
} corner;

static int vertex_at(lattice *l, corner c) {
    int *v = &l->vertex[c.index];
    if (*v < 0) *v = add_vertex(l, l->position[c.index]);
    return *v;
}

static bool is_long(corner a, corner b) {
    return (a.point & 1) == (b.point & 1);
}

static int cut_at(lattice *l, corner a, corner b) {
    const int64_t step = b.point - a.point;
    int d = 0;
    while (d < FORWARD && l->step[a.point & 1][d] != step) d++;
    if (d == FORWARD) return cut_at(l, b, a); // the edge is stored at b
    const size_t edge = FORWARD * (size_t)a.index + (size_t)d;
    if (l->cut_vertex[edge] < 0) {
        double p[3];
        for (int k = 0; k < 3; k++)
            p[k] = l->position[a.index][k] + l->cut[edge] * (l->position[b.index][k] - l->position[a.index][k]);
        l->cut_vertex[edge] = add_vertex(l, p);
    }
    return l->cut_vertex[edge];
}

static void emit(lattice *l, int a, int b, int c, int d) {
    if (l->failed || !ARRAY_RESERVE(l->out.tet, l->tet_capacity, l->out.tet_count + 1)) {
        l->failed = true;
        return;
    }
    double(*p)[3] = l->out.position;
    const bool inverted = sn_tet_volume(p[a], p[b], p[c], p[d]) < 0;
    const int corners[4] = {a, b, inverted ? d : c, inverted ? c : d};
    memcpy(l->out.tet[l->out.tet_count++], corners, sizeof corners);
}

static double distance_squared(const lattice *l, int a, int b) {
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        const double d = l->out.position[a][k] - l->out.position[b][k];
        sum += d * d;
    }
    return sum;
}

// Of the face a b d with a and b inside and d outside: whether its diagonal goes from a to the cut of b-d, rather than
// from b to the cut of a-d.
static bool diagonal_from_a(lattice *l, corner a, corner b, corner d) {
    if (is_long(a, d)) return false;
    if (is_long(b, d)) return true;
    const int at_a = vertex_at(l, a), at_b = vertex_at(l, b), cut_a = cut_at(l, a, d), cut_b = cut_at(l, b, d);
    const double from_a = distance_squared(l, at_a, cut_b), from_b = distance_squared(l, at_b, cut_a);
    return from_a != from_b ? from_a < from_b : a.index < b.index;
}

// Splits the prism between the triangles t and u into three tetrahedra. Quad i, between corners i and i + 1, has its
// diagonal from t[i] to u[i + 1] if from_t[i], else from u[i] to t[i + 1].
static void emit_prism(lattice *l, const int t[3], const int u[3], const bool from_t[3]) {
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        if (!(from_t[i] && !from_t[k])) continue; // t[i] is connected to all of u
        emit(l, t[i], u[0], u[1], u[2]);
        if (from_t[j])
            emit(l, t[i], t[j], t[k], u[k]), emit(l, t[i], t[j], u[k], u[j]);
        else
            emit(l, t[i], t[j], t[k], u[j]), emit(l, t[i], t[k], u[k], u[j]);
        return;
    }
}

static bool first_diagonal_is_shorter(const lattice *l, int a, int b, int c, int d) {
    return distance_squared(l, a, c) <= distance_squared(l, b, d);
}

static void stencil(lattice *l, const corner c[4]) {
    corner plus[4], zero[4], minus[4];
    int pluses = 0, zeros = 0, minuses = 0;
    for (int k = 0; k < 4; k++) {
        const signed char sign = l->sign[c[k].index];
        if (sign > 0)
            plus[pluses++] = c[k];
        else if (sign < 0)
            minus[minuses++] = c[k];
        else
            zero[zeros++] = c[k];
    }
    if (pluses == 0) return;
    if (minuses == 0) {
        int v[4]; // in order: argument evaluation order would change the vertex order
        for (int k = 0; k < 4; k++) v[k] = vertex_at(l, c[k]);
        emit(l, v[0], v[1], v[2], v[3]);
    } else if (pluses == 1) {
        int v[3], n = 0;
        for (int k = 0; k < zeros; k++) v[n++] = vertex_at(l, zero[k]);
        for (int k = 0; k < minuses; k++) v[n++] = cut_at(l, plus[0], minus[k]);
        emit(l, vertex_at(l, plus[0]), v[0], v[1], v[2]);
    } else if (pluses == 2 && minuses == 1) {
        const int a = vertex_at(l, plus[0]), b = vertex_at(l, plus[1]), top = vertex_at(l, zero[0]),
                  ca = cut_at(l, plus[0], minus[0]), cb = cut_at(l, plus[1], minus[0]);
        if (diagonal_from_a(l, plus[0], plus[1], minus[0]))
            emit(l, top, a, b, cb), emit(l, top, a, cb, ca);
        else
            emit(l, top, a, b, ca), emit(l, top, b, cb, ca);
    } else if (pluses == 2) {
        int t[3], u[3];
        bool from_t[3];
        t[0] = vertex_at(l, plus[0]), u[0] = vertex_at(l, plus[1]);
        for (int k = 0; k < 2; k++) t[k + 1] = cut_at(l, plus[0], minus[k]), u[k + 1] = cut_at(l, plus[1], minus[k]);
        from_t[0] = diagonal_from_a(l, plus[0], plus[1], minus[0]);
        from_t[2] = !diagonal_from_a(l, plus[0], plus[1], minus[1]);
        // The third diagonal lies on the surface and belongs to this tetrahedron alone. The three must not form a
        // cycle.
        from_t[1] = from_t[0] == from_t[2] ? !from_t[0] : first_diagonal_is_shorter(l, t[1], u[1], u[2], t[2]);
        emit_prism(l, t, u, from_t);
    } else {
        int t[3], u[3];
        bool from_t[3];
        for (int k = 0; k < 3; k++) t[k] = vertex_at(l, plus[k]), u[k] = cut_at(l, plus[k], minus[0]);
        for (int k = 0; k < 3; k++) from_t[k] = diagonal_from_a(l, plus[k], plus[(k + 1) % 3], minus[0]);
        emit_prism(l, t, u, from_t);
    }
}

static void build_tets(lattice *l) {
    static const int ring[5][2] = {{-1, -1}, {0, -1}, {0, 0}, {-1, 0}, {-1, -1}}; // B around an edge A-A
    const int64_t along[3] = {2, l->row, l->layer};
    for (int a = 0; a < l->active_count && !l->failed; a++) {
        const int64_t p = l->point[a];
        if (p & 1) continue;
        for (int axis = 0; axis < 3; axis++) {
            const int64_t u = along[(axis + 1) % 3], v = along[(axis + 2) % 3], q = p + along[axis];
            if (q >= (int64_t)l->point_count || !is_active(l, q)) continue;
            corner c[4] = {{a, p}, {active_index(l, q), q}};
            for (int r = 0; r < 4; r++) {
                const int64_t b = p + 1 + ring[r][0] * u + ring[r][1] * v,
                              next = p + 1 + ring[r + 1][0] * u + ring[r + 1][1] * v;
                if (b < 0 || next < 0 || !is_active(l, b) || !is_active(l, next)) continue;
                if (!(l->inside[p] | l->inside[q] | l->inside[b] | l->inside[next])) continue;
                c[2] = (corner){active_index(l, b), b}, c[3] = (corner){active_index(l, next), next};
                stencil(l, c);
            }
        }
    }
}

// ---- fill

static bool set_grid(lattice *l, const sn_mesh *mesh, double spacing, tool_error *error) {
    float low[3], high[3];
    double points = 2;
    sn_mesh_box(mesh, low, high);
    l->h = spacing;
    for (int k = 0; k < 3; k++) {
        const double side = (double)high[k] - low[k], cubes = ceil(side / spacing) + 4;
        if (!(cubes < 1e9)) points = INFINITY;
        points *= cubes;
        l->n[k] = cubes < 1e9 ? (int)cubes : 0;
        // Irregular offsets, so that symmetry planes and box faces do not coincide with lattice planes.
        static const double shift[3] = {0.3819660, 0.2763932, 0.4472136};
        l->origin[k] = 0.5 * ((double)low[k] + high[k]) - spacing * (0.5 * (cubes - 1) - (shift[k] - 0.35));
    }
    if (!(points <= TET_LATTICE_MAX_POINTS))
        return tool_error_set(
            error,
            "a spacing of %.4g would need %.3g points of a lattice, of which there may be %.3g; give a "
            "larger spacing",
            spacing, points, TET_LATTICE_MAX_POINTS);
    l->point_count = (size_t)points;
    set_steps(l);
    return true;
}

static void free_lattice(lattice *l) {
    free(l->inside), free(l->bits), free(l->before), free(l->point), free(l->position), free(l->sign);
    free(l->cut), free(l->cut_vertex), free(l->vertex), free(l->evaluated), free(l->overlapping), free(l->cuts),
        free(l->uncertain);
    sn_tet_mesh_free(&l->out);
}

typedef struct {
    lattice *l;
    sn_iteration_fn *fn;
    int first;
} part_of_loop;

static void run_part(void *context, int index, int worker) {
    const part_of_loop *part = context;
    part->fn(part->l, part->first + index, worker);
}

// Runs a parallel loop in a few parts, reporting progress in between.
static void run(sn_pool *pool, int count, sn_iteration_fn *fn, lattice *l, const sn_tet_lattice_options *options,
                double from, double to) {
    enum { PARTS = 20 };
    for (int i = 0; i < PARTS; i++) {
        const int first = (int)((int64_t)count * i / PARTS), end = (int)((int64_t)count * (i + 1) / PARTS);
        part_of_loop part = {l, fn, first};
        sn_parallel_for(pool, end - first, 1, run_part, &part);
        if (options->progress) options->progress(options->context, from + (to - from) * (i + 1) / PARTS);
    }
}

static bool lattice_out_of_memory(tool_error *error) {
    tool_error_set(error, "out of memory; give a larger spacing");
    if (error) error->out_of_memory = true;
    return false;
}

static bool fill(lattice *l, sn_pool *pool, const sn_tet_lattice_options *options, sn_tet_lattice_report *report,
                 tool_error *error) {
    int blocks[3];
    const double start = tool_clock();
    count_blocks(l, blocks);
    const int block_count = blocks[0] * blocks[1] * blocks[2];
    l->inside = calloc(l->point_count, 1);
    l->evaluated = malloc((size_t)block_count * sizeof *l->evaluated);
    l->overlapping = malloc((size_t)block_count * sizeof *l->overlapping);
    if (!l->inside || !l->evaluated || !l->overlapping) return lattice_out_of_memory(error);
    run(pool, block_count, inside_block, l, options, 0, 0.4);
    clear_boundary(l);
    for (int i = 0; i < block_count; i++)
        report->evaluated += l->evaluated[i], report->overlap += 0.5 * l->h * l->h * l->h * l->overlapping[i];
    report->lattice_points = (double)l->point_count;
    double tets = 0;
    for (size_t i = 0; i < l->point_count; i++) tets += l->inside[i];
    tets *= 6;
    if (tets > TET_LATTICE_MAX_TETS)
        return tool_error_set(
            error,
            "a spacing of %.4g would make about %.3g tetrahedra, of which there may be %.3g; give a larger "
            "spacing",
            l->h, tets, TET_LATTICE_MAX_TETS);
    if (!collect_active(l)) return lattice_out_of_memory(error);
    report->inside_seconds = tool_clock() - start;
    const int chunks = (l->active_count + CHUNK - 1) / CHUNK;
    l->cuts = malloc(((size_t)chunks + 1) * sizeof *l->cuts);
    l->uncertain = malloc(((size_t)chunks + 1) * sizeof *l->uncertain);
    if (!l->cuts || !l->uncertain) return lattice_out_of_memory(error);
    run(pool, chunks, cut_chunk, l, options, 0.4, 0.8);
    for (int i = 0; i < chunks; i++) report->cut_edges += l->cuts[i], report->uncertain += l->uncertain[i];
    report->cut_seconds = tool_clock() - start - report->inside_seconds;
    warp_points(l);
    build_tets(l);
    report->tet_seconds = tool_clock() - start - report->inside_seconds - report->cut_seconds;
    if (l->failed) return lattice_out_of_memory(error);
    report->moved = sn_tet_improve(&l->out, l->query, 0.2, 10);
    report->improve_seconds = tool_clock() - start - report->inside_seconds - report->cut_seconds - report->tet_seconds;
    if (report->moved < 0) return lattice_out_of_memory(error);
    if (options->progress) options->progress(options->context, 1);
    if (l->out.tet_count == 0)
        return tool_error_set(error,
                              "the surface has no inside at a spacing of %.4g; use a smaller spacing, or close "
                              "the surface",
                              l->h);
    return true;
}

bool sn_tet_lattice(const sn_mesh *mesh, const sn_mesh_query *query, const sn_winding *winding,
                    const sn_tet_lattice_options *options, sn_tet_mesh *out, sn_tet_lattice_report *report,
                    tool_error *error) {
    sn_tet_lattice_report unused;
    lattice l = {.query = query, .winding = winding};
    sn_memory memory;
    sn_pool *pool = NULL;
    if (!report) report = &unused;
    *out = (sn_tet_mesh){0};
    *report = (sn_tet_lattice_report){0};
    if (!(options->spacing > 0) || !isfinite(options->spacing))
        return tool_error_set(error, "the spacing of the lattice must be a positive number");
    if (!set_grid(&l, mesh, options->spacing, error)) return false;
    l.closed = is_closed(mesh);
    sn_memory_init(&memory, NULL);
    const int threads = options->threads < 1 ? 1 : options->threads > 64 ? 64 : options->threads;
    const bool good = sn_pool_create(&memory, NULL, threads, &pool) == SN_OK ? fill(&l, pool, options, report, error)
                                                                             : lattice_out_of_memory(error);
    sn_pool_destroy(&memory, pool);
    if (good) *out = l.out, l.out = (sn_tet_mesh){0};
    free_lattice(&l);
    return good;
}
