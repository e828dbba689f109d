// Surface nets, a dual method: each grid cube that the surface intersects gets a vertex at the mean of its edge
// intersections, and each intersected edge a quad of the four cubes around it.
//
//     o---+---o        + outside   o inside        a cube with two sheets of the surface gets two vertices: cut edges
//     | x     |        x a vertex                  are connected face by face; on a face with four cuts each inside
//     +---+---+                                    corner is separate; each chain of edges is a sheet
//
// Then smoothing passes move each vertex to the mean of its neighbours and back onto the surface (Newton steps along
// the gradient), and quads are split along their shorter diagonal.
//
// Blocks of the grid farther from the surface than their size are skipped: the field is a distance, or less.
#include "zoo/isosurface.h"
#include "mesh/maths.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 8 };

typedef struct {
    const zoo_iso *iso;
    int size[3]; // grid points
    float *value;
    int (*cell_edge)[12]; // vertex at each edge of a cut cube, -1: not cut
    int cell_count, cell_capacity;
    int *table; // index of a cut cube in cell_edge
    double (*vertex)[3];
    int vertex_count, vertex_capacity;
    int (*quad)[4];
    int quad_count, quad_capacity;
    bool ok;
} net;

// Corner c of a cube is at (c & 1, c >> 1 & 1, c >> 2). Edges: four along each axis.
static const unsigned char edge_corner[12][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3},
                                                 {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
// Corners around each face.
static const unsigned char face_corner[6][4] = {{0, 2, 6, 4}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                                {2, 3, 7, 6}, {0, 1, 3, 2}, {4, 5, 7, 6}};

static bool grow(net *n, void *array, int *capacity, int needed, size_t size) {
    void *old, *larger;
    if (!n->ok || needed <= *capacity) return n->ok;
    const int new_capacity = needed + needed / 2 + 64;
    memcpy(&old, array, sizeof old);
    larger = realloc(old, (size_t)new_capacity * size);
    if (!larger) return n->ok = false;
    memcpy(array, &larger, sizeof larger);
    *capacity = new_capacity;
    return true;
}

static size_t index_of(const net *n, int x, int y, int z) {
    return ((size_t)z * (size_t)n->size[1] + (size_t)y) * (size_t)n->size[0] + (size_t)x;
}

static void map_point(const net *n, double x, double y, double z, double p[3]) {
    const double grid[3] = {n->iso->low[0] + x * n->iso->cell, n->iso->low[1] + y * n->iso->cell,
                            n->iso->low[2] + z * n->iso->cell};
    if (n->iso->map)
        n->iso->map(n->iso->context, grid, p);
    else
        memcpy(p, grid, sizeof grid);
}

static double field(const net *n, const double p[3]) {
    return n->iso->field(n->iso->context, p);
}

static int min_int(int a, int b) {
    return a < b ? a : b;
}

// Evaluates the field in one block.
static void fill_block(net *n, const int first[3]) {
    int last[3];
    double centre[3], corner[3], reach = 0, p[3];
    for (int k = 0; k < 3; k++) last[k] = min_int(first[k] + BLOCK, n->size[k] - 1);
    map_point(n, 0.5 * (first[0] + last[0]), 0.5 * (first[1] + last[1]), 0.5 * (first[2] + last[2]), centre);
    for (int c = 0; c < 8; c++) {
        map_point(n, c & 1 ? last[0] : first[0], c & 2 ? last[1] : first[1], c & 4 ? last[2] : first[2], corner);
        double d = own_hypot(own_hypot(corner[0] - centre[0], corner[1] - centre[1]), corner[2] - centre[2]);
        reach = d > reach ? d : reach;
    }
    const double at_centre = field(n, centre);
    const bool is_far = fabs(at_centre) > 1.2 * reach; // with a margin for a curved grid
    for (int z = first[2]; z <= last[2]; z++)
        for (int y = first[1]; y <= last[1]; y++)
            for (int x = first[0]; x <= last[0]; x++) {
                if (!is_far) map_point(n, x, y, z, p);
                n->value[index_of(n, x, y, z)] = (float)(is_far ? at_centre : field(n, p));
            }
}

static bool fill_values(net *n) {
    size_t total = 1;
    for (int k = 0; k < 3; k++) {
        double points = ceil((n->iso->high[k] - n->iso->low[k]) / n->iso->cell) + 1;
        if (!(points >= 2 && points <= 1 << 20)) return false;
        n->size[k] = (int)points;
        total *= (size_t)n->size[k];
        if (total > (size_t)1 << 28) return false;
    }
    n->value = malloc(total * sizeof *n->value);
    if (!n->value) return false;
    int first[3];
    for (first[2] = 0; first[2] < n->size[2]; first[2] += BLOCK)
        for (first[1] = 0; first[1] < n->size[1]; first[1] += BLOCK)
            for (first[0] = 0; first[0] < n->size[0]; first[0] += BLOCK) fill_block(n, first);
    return true;
}

static int root_of(int *chain, int e) {
    while (chain[e] != e) e = chain[e];
    return e;
}

static int edge_between(int a, int b) {
    for (int e = 0; e < 12; e++)
        if ((edge_corner[e][0] == a && edge_corner[e][1] == b) || (edge_corner[e][0] == b && edge_corner[e][1] == a))
            return e;
    return -1;
}

// Connects the cut edges of a cube into sheets: chain[e] leads to the sheet's first edge.
static void join_edges(const float value[8], int chain[12]) {
    for (int e = 0; e < 12; e++) chain[e] = e;
    for (int f = 0; f < 6; f++) {
        int cut[4], count = 0;
        for (int k = 0; k < 4; k++) {
            const int a = face_corner[f][k], b = face_corner[f][(k + 1) % 4];
            if ((value[a] < 0) != (value[b] < 0)) cut[count++] = edge_between(a, b);
        }
        if (count == 2) chain[root_of(chain, cut[0])] = root_of(chain, cut[1]);
        for (int k = 0; k < 4 && count == 4; k++) {
            const int a = face_corner[f][k];
            if (value[a] >= 0) continue;
            const int before = edge_between(face_corner[f][(k + 3) % 4], a),
                      after = edge_between(a, face_corner[f][(k + 1) % 4]);
            chain[root_of(chain, before)] = root_of(chain, after);
        }
    }
}

static void add_cube(net *n, int x, int y, int z) {
    float value[8];
    int inside = 0, chain[12];
    for (int c = 0; c < 8; c++) {
        value[c] = n->value[index_of(n, x + (c & 1), y + (c >> 1 & 1), z + (c >> 2))];
        inside += value[c] < 0;
    }
    if (inside == 0 || inside == 8) return;
    if (!grow(n, &n->cell_edge, &n->cell_capacity, n->cell_count + 1, sizeof *n->cell_edge)) return;
    int *edges = n->cell_edge[n->cell_count];
    join_edges(value, chain);
    for (int e = 0; e < 12; e++) edges[e] = -1;
    for (int first = 0; first < 12; first++) {
        double sum[3] = {0}, count = 0;
        for (int e = 0; e < 12; e++) {
            const int a = edge_corner[e][0], b = edge_corner[e][1];
            if ((value[a] < 0) == (value[b] < 0) || root_of(chain, e) != first) continue;
            const double t = (double)value[a] / ((double)value[a] - (double)value[b]);
            for (int k = 0; k < 3; k++) sum[k] += (a >> k & 1) + t * ((b >> k & 1) - (a >> k & 1));
            count++;
            edges[e] = n->vertex_count;
        }
        if (count == 0) continue;
        if (!grow(n, &n->vertex, &n->vertex_capacity, n->vertex_count + 1, sizeof *n->vertex)) return;
        map_point(n, x + sum[0] / count, y + sum[1] / count, z + sum[2] / count, n->vertex[n->vertex_count++]);
    }
    n->table[index_of(n, x, y, z)] = n->cell_count++;
}

// Adds the quad of a cut edge along 'axis' from point p; the cubes around it are in counter-clockwise order.
static void add_quad(net *n, int axis, const int p[3]) {
    int q[3] = {p[0], p[1], p[2]};
    q[axis]++;
    const bool from = n->value[index_of(n, p[0], p[1], p[2])] < 0, to = n->value[index_of(n, q[0], q[1], q[2])] < 0;
    if (from == to) return;
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    static const int around[4][2] = {{0, 0}, {-1, 0}, {-1, -1}, {0, -1}};
    int quad[4];
    for (int k = 0; k < 4; k++) {
        int cube[3] = {p[0], p[1], p[2]}, corner[2];
        cube[u] += around[k][0], cube[v] += around[k][1];
        if (cube[u] < 0 || cube[v] < 0 || cube[u] + 1 >= n->size[u] || cube[v] + 1 >= n->size[v]) {
            n->ok = false; // the surface leaves the grid
            return;
        }
        corner[0] = (around[k][0] ? 1 << u : 0) | (around[k][1] ? 1 << v : 0);
        corner[1] = corner[0] | 1 << axis;
        quad[from ? k : 3 - k] =
            n->cell_edge[n->table[index_of(n, cube[0], cube[1], cube[2])]][edge_between(corner[0], corner[1])];
    }
    if (!grow(n, &n->quad, &n->quad_capacity, n->quad_count + 1, sizeof *n->quad)) return;
    memcpy(n->quad[n->quad_count++], quad, sizeof quad);
}

static void build(net *n) {
    const size_t total = (size_t)n->size[0] * (size_t)n->size[1] * (size_t)n->size[2];
    n->table = malloc(total * sizeof *n->table);
    if (!n->table) {
        n->ok = false;
        return;
    }
    for (int z = 0; z + 1 < n->size[2]; z++)
        for (int y = 0; y + 1 < n->size[1]; y++)
            for (int x = 0; x + 1 < n->size[0] && n->ok; x++) add_cube(n, x, y, z);
    for (int axis = 0; axis < 3; axis++)
        for (int z = 0; z + (axis == 2) < n->size[2]; z++)
            for (int y = 0; y + (axis == 1) < n->size[1]; y++)
                for (int x = 0; x + (axis == 0) < n->size[0] && n->ok; x++) add_quad(n, axis, (int[3]){x, y, z});
}

// Value and gradient of the field.
static double slope(const net *n, const double p[3], double g[3]) {
    const double value_at = field(n, p), step = 1e-4 * n->iso->cell;
    for (int k = 0; k < 3; k++) {
        double q[3] = {p[0], p[1], p[2]};
        q[k] += step;
        g[k] = (field(n, q) - value_at) / step;
    }
    return value_at;
}

static void smooth(net *n) {
    double(*sum)[4] = malloc((size_t)n->vertex_count * sizeof *sum);
    if (!sum) {
        n->ok = false;
        return;
    }
    for (int pass = 0; pass < n->iso->smoothing_passes; pass++) {
        memset(sum, 0, (size_t)n->vertex_count * sizeof *sum);
        for (int q = 0; q < n->quad_count; q++)
            for (int k = 0; k < 4; k++) { // each edge belongs to two quads, once in each direction
                const int a = n->quad[q][k], b = n->quad[q][(k + 1) % 4];
                for (int i = 0; i < 3; i++) sum[a][i] += n->vertex[b][i];
                sum[a][3] += 1;
            }
        for (int v = 0; v < n->vertex_count; v++) {
            double g[3], move[3], *p = n->vertex[v];
            const double value_at = slope(n, p, g), g2 = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
            if (!(g2 > 1e-4)) continue;
            for (int i = 0; i < 3; i++) move[i] = 0.6 * (sum[v][i] / sum[v][3] - p[i]);
            const double normal_part = (move[0] * g[0] + move[1] * g[1] + move[2] * g[2] + value_at) / g2;
            for (int i = 0; i < 3; i++) p[i] += move[i] - normal_part * g[i];
        }
    }
    free(sum);
}

static double distance2(const net *n, int a, int b) {
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += (n->vertex[a][k] - n->vertex[b][k]) * (n->vertex[a][k] - n->vertex[b][k]);
    return sum;
}

static int compare_edges(const void *a, const void *b) {
    const unsigned long long x = *(const unsigned long long *)a, y = *(const unsigned long long *)b;
    return (x > y) - (x < y);
}

// Whether every edge is used once in each direction: the mesh is closed and no sheets share an edge.
static bool is_closed(const net *n) {
    const size_t count = 4 * (size_t)n->quad_count;
    unsigned long long *edges = malloc((count + 1) * sizeof *edges);
    bool ok = edges != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        const int *q = n->quad[i / 4];
        edges[i] = (unsigned long long)q[i % 4] << 32 | (unsigned)q[(i + 1) % 4];
    }
    if (ok) qsort(edges, count, sizeof *edges, compare_edges);
    for (size_t i = 0; ok && i < count; i++) {
        const unsigned long long back = edges[i] << 32 | edges[i] >> 32;
        ok = (i == 0 || edges[i] != edges[i - 1]) && bsearch(&back, edges, count, sizeof *edges, compare_edges);
    }
    free(edges);
    return ok;
}

static void write_mesh(const net *n, sn_mesh *out) {
    for (int v = 0; v < n->vertex_count; v++)
        for (int k = 0; k < 3; k++) out->position[v][k] = (float)n->vertex[v][k];
    for (int q = 0; q < n->quad_count; q++) {
        const int *c = n->quad[q], pass = distance2(n, c[1], c[3]) < distance2(n, c[0], c[2]);
        const int triangles[2][3] = {{c[pass], c[pass + 1], c[pass + 2]}, {c[pass], c[pass + 2], c[(pass + 3) % 4]}};
        memcpy(out->triangle[2 * q], triangles, sizeof triangles);
    }
}

bool zoo_isosurface(const zoo_iso *iso, sn_mesh *out) {
    net n = {.iso = iso, .ok = true};
    *out = (sn_mesh){0};
    n.ok = iso->cell > 0 && fill_values(&n);
    if (n.ok) build(&n);
    n.ok = n.ok && n.quad_count > 0 && is_closed(&n);
    if (n.ok) smooth(&n);
    if (n.ok) n.ok = sn_mesh_alloc(out, n.vertex_count, 2 * n.quad_count, 0);
    if (n.ok) write_mesh(&n, out);
    free(n.value);
    free(n.cell_edge);
    free(n.table);
    free(n.vertex);
    free(n.quad);
    return n.ok;
}
