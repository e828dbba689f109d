// Damages meshes; damage.h describes the kinds of damage. Each kind adds to, removes from or changes two growable
// lists: positions and triangles.
#include "zoo/damage.h"
#include "mesh/maths.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    float (*position)[3];
    int vertex_count, vertex_capacity;
    int (*triangle)[3];
    int triangle_count, triangle_capacity;
    double size; // diagonal of the bounding box
    uint64_t random;
    bool ok;
} mesh_list;

static uint64_t next_random(mesh_list *l) { // splitmix64
    uint64_t z = l->random += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static double random_unit(mesh_list *l) { // 0 to 1
    return (double)(next_random(l) >> 11) * 0x1p-53;
}

static int random_index(mesh_list *l, int count) {
    return (int)(next_random(l) % (uint64_t)count);
}

static int add_vertex(mesh_list *l, double x, double y, double z) {
    if (l->vertex_count == l->vertex_capacity) {
        const int capacity = 2 * l->vertex_capacity + 64;
        void *larger = realloc(l->position, (size_t)capacity * sizeof *l->position);
        if (!larger) {
            l->ok = false;
            return 0;
        }
        l->position = larger, l->vertex_capacity = capacity;
    }
    float *p = l->position[l->vertex_count];
    p[0] = (float)x, p[1] = (float)y, p[2] = (float)z;
    return l->vertex_count++;
}

static void add_triangle(mesh_list *l, int a, int b, int c) {
    if (l->triangle_count == l->triangle_capacity) {
        const int capacity = 2 * l->triangle_capacity + 64;
        void *larger = realloc(l->triangle, (size_t)capacity * sizeof *l->triangle);
        if (!larger) {
            l->ok = false;
            return;
        }
        l->triangle = larger, l->triangle_capacity = capacity;
    }
    int *t = l->triangle[l->triangle_count++];
    t[0] = a, t[1] = b, t[2] = c;
}

static void centroid(const mesh_list *l, int t, double out[3]) {
    for (int k = 0; k < 3; k++) {
        out[k] = 0;
        for (int i = 0; i < 3; i++) out[k] += (double)l->position[l->triangle[t][i]][k] / 3;
    }
}

// Unit normal; (0, 1, 0) for a degenerate triangle.
static void normal(const mesh_list *l, int t, double n[3]) {
    double e[2][3], length = 0;
    const int *c = l->triangle[t];
    for (int k = 0; k < 3; k++) {
        e[0][k] = (double)l->position[c[1]][k] - l->position[c[0]][k];
        e[1][k] = (double)l->position[c[2]][k] - l->position[c[0]][k];
    }
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        n[k] = e[0][i] * e[1][j] - e[0][j] * e[1][i];
        length += n[k] * n[k];
    }
    length = sqrt(length);
    for (int k = 0; k < 3; k++) n[k] = length > 0 ? n[k] / length : k == 1;
}

static void make_holes(mesh_list *l) {
    for (int hole = 0; hole < 6; hole++) {
        double centre[3], at[3];
        centroid(l, random_index(l, l->triangle_count), centre);
        const double reach = (0.02 + 0.04 * random_unit(l)) * l->size;
        int left = 0;
        for (int t = 0; t < l->triangle_count; t++) {
            centroid(l, t, at);
            const double d2 = (at[0] - centre[0]) * (at[0] - centre[0]) + (at[1] - centre[1]) * (at[1] - centre[1]) +
                              (at[2] - centre[2]) * (at[2] - centre[2]);
            if (d2 >= reach * reach || (left == 0 && t == l->triangle_count - 1))
                memmove(l->triangle[left++], l->triangle[t], sizeof *l->triangle);
        }
        l->triangle_count = left;
    }
}

static void flip(mesh_list *l) {
    for (int t = 0; t < l->triangle_count; t++) {
        if (random_index(l, 5)) continue;
        const int first = l->triangle[t][1];
        l->triangle[t][1] = l->triangle[t][2], l->triangle[t][2] = first;
    }
}

// A sphere from an octahedron whose faces are divided into n^2; coincident vertices are shared.
static void add_ball(mesh_list *l, const double centre[3], double radius, int n) {
    const int first = l->vertex_count, side = 2 * n + 1;
    int *grid = malloc((size_t)side * (size_t)side * 2 * sizeof *grid);
    if (!grid) {
        l->ok = false;
        return;
    }
    // The upper half over the square |x| + |z| <= n, and the lower half, which shares the square's boundary.
    for (int x = -n; x <= n; x++)
        for (int z = -n; z <= n; z++)
            for (int half = 0; half < 2; half++) {
                const int y = n - abs(x) - abs(z), at = ((x + n) * side + z + n) * 2 + half;
                if (y < 0 || (y == 0 && half)) {
                    grid[at] = y < 0 ? -1 : grid[at - 1];
                    continue;
                }
                const double s = radius / sqrt((double)(x * x + y * y + z * z)), up = half ? -y : y;
                grid[at] = add_vertex(l, centre[0] + s * x, centre[1] + s * up, centre[2] + s * z);
            }
    for (int x = -n; x < n; x++)
        for (int z = -n; z < n; z++)
            for (int half = 0; half < 2; half++) {
                const int at = ((x + n) * side + z + n) * 2 + half;
                const int v[4] = {grid[at], grid[at + 2], grid[at + 2 * side + 2], grid[at + 2 * side]};
                // The diagonal runs around the sphere in each quadrant, so that both triangles lie in one face.
                const bool other = (x >= 0) == (z >= 0);
                const int corner[2][3] = {{other ? v[0] : v[1], other ? v[1] : v[2], other ? v[3] : v[0]},
                                          {other ? v[1] : v[2], other ? v[2] : v[3], other ? v[3] : v[0]}};
                for (int i = 0; i < 2; i++) {
                    const int *c = corner[i];
                    if (c[0] < first || c[1] < first || c[2] < first) continue;
                    add_triangle(l, c[0], half ? c[2] : c[1], half ? c[1] : c[2]);
                }
            }
    free(grid);
}

// Spheres that intersect the surface, and vertices pulled through the body to the other side.
static void cross(mesh_list *l) {
    const int vertices = l->vertex_count;
    double mean[3] = {0};
    for (int v = 0; v < vertices; v++)
        for (int k = 0; k < 3; k++) mean[k] += (double)l->position[v][k] / vertices;
    for (int i = 0; i < 3; i++) {
        const float *p = l->position[random_index(l, vertices)];
        const double centre[3] = {p[0], p[1], p[2]};
        add_ball(l, centre, (0.05 + 0.05 * random_unit(l)) * l->size, 6);
    }
    for (int i = 0; i < 3; i++) {
        float *p = l->position[random_index(l, vertices)];
        for (int k = 0; k < 3; k++) p[k] = (float)(2 * mean[k] - (double)p[k]);
    }
}

static void add_islands(mesh_list *l) {
    const int vertices = l->vertex_count;
    for (int i = 0; i < 40; i++) {
        const float *p = l->position[random_index(l, vertices)];
        double centre[3];
        for (int k = 0; k < 3; k++) centre[k] = (double)p[k] + 0.2 * l->size * (random_unit(l) - 0.5);
        add_ball(l, centre, 0.004 * l->size * (1 + random_unit(l)), 1);
    }
}

// Inserts a vertex next to the midpoint of an edge, so one of the three new triangles is a sliver. A closed mesh stays
// closed.
static void add_slivers(mesh_list *l) {
    const int triangles = l->triangle_count;
    for (int i = 0; i < triangles / 10 + 1; i++) {
        const int t = random_index(l, triangles), a = l->triangle[t][0], b = l->triangle[t][1], c = l->triangle[t][2];
        const double offset = own_pow(10, -2 - 3 * random_unit(l));
        double p[3];
        for (int k = 0; k < 3; k++)
            p[k] = (0.5 - 0.5 * offset) * ((double)l->position[a][k] + (double)l->position[b][k]) +
                   offset * (double)l->position[c][k];
        const int v = add_vertex(l, p[0], p[1], p[2]);
        l->triangle[t][2] = v;
        add_triangle(l, b, c, v);
        add_triangle(l, c, a, v);
    }
}

static void duplicate(mesh_list *l) {
    const int triangles = l->triangle_count;
    for (int i = 0; i < triangles / 20 + 1; i++) {
        const int *t = l->triangle[random_index(l, triangles)];
        const int a = t[0], b = t[1], c = t[2];
        add_triangle(l, b, c, a);
    }
    for (int i = 0; i < 3 * l->triangle_count && l->ok; i++) {
        const float *p = l->position[l->triangle[i / 3][i % 3]];
        const double x = p[0], y = p[1], z = p[2];
        l->triangle[i / 3][i % 3] = add_vertex(l, x, y, z);
    }
}

static void add_fins_and_walls(mesh_list *l) {
    const int triangles = l->triangle_count;
    for (int i = 0; i < 30; i++) {
        const int t = random_index(l, triangles), a = l->triangle[t][0], b = l->triangle[t][1];
        double m[3], n[3];
        centroid(l, t, m);
        normal(l, t, n);
        const double out = 0.03 * l->size;
        const int v = add_vertex(l, m[0] + out * n[0], m[1] + out * n[1], m[2] + out * n[2]);
        add_triangle(l, a, b, v);
    }
    for (int i = 0; i < 5; i++) {
        const int s = random_index(l, triangles), t = random_index(l, triangles);
        if (l->triangle[s][0] != l->triangle[t][0] && l->triangle[s][1] != l->triangle[t][0])
            add_triangle(l, l->triangle[s][0], l->triangle[s][1], l->triangle[t][0]);
    }
}

static const struct {
    const char *name;
    void (*apply)(mesh_list *l);
} kinds[ZOO_DAMAGE_KINDS] = {
    [ZOO_HOLES] = {"holes", make_holes},
    [ZOO_FLIPPED] = {"flipped", flip},
    [ZOO_CROSSING] = {"crossing", cross},
    [ZOO_ISLANDS] = {"islands", add_islands},
    [ZOO_SLIVERS] = {"slivers", add_slivers},
    [ZOO_DUPLICATES] = {"duplicates", duplicate},
    [ZOO_CROWDED] = {"crowded", add_fins_and_walls},
    [ZOO_EVERYTHING] = {"everything", NULL},
};

const char *zoo_damage_name(zoo_damage_kind kind) {
    return kinds[kind].name;
}

bool zoo_damage(sn_mesh *mesh, zoo_damage_kind kind, uint64_t seed) {
    if (mesh->triangle_count < 16) return false;
    float low[3], high[3];
    double square = 0;
    sn_mesh_box(mesh, low, high);
    for (int k = 0; k < 3; k++) square += ((double)high[k] - low[k]) * ((double)high[k] - low[k]);
    mesh_list l = {.size = sqrt(square), .random = seed, .ok = true};
    for (int v = 0; v < mesh->vertex_count && l.ok; v++)
        add_vertex(&l, mesh->position[v][0], mesh->position[v][1], mesh->position[v][2]);
    for (int t = 0; t < mesh->triangle_count && l.ok; t++)
        add_triangle(&l, mesh->triangle[t][0], mesh->triangle[t][1], mesh->triangle[t][2]);
    if (l.ok && kind != ZOO_EVERYTHING) kinds[kind].apply(&l);
    // Duplicate vertices last: the other kinds need shared vertices.
    static const zoo_damage_kind order[] = {ZOO_CROSSING, ZOO_SLIVERS, ZOO_CROWDED,   ZOO_HOLES,
                                            ZOO_FLIPPED,  ZOO_ISLANDS, ZOO_DUPLICATES};
    for (size_t i = 0; i < sizeof order / sizeof *order && kind == ZOO_EVERYTHING && l.ok; i++)
        kinds[order[i]].apply(&l);
    if (!l.ok) {
        free(l.position), free(l.triangle);
        return false;
    }
    char name[sizeof mesh->name];
    memcpy(name, mesh->name, sizeof name);
    sn_mesh_free(mesh);
    *mesh = (sn_mesh){.position = l.position,
                      .vertex_count = l.vertex_count,
                      .triangle = l.triangle,
                      .triangle_count = l.triangle_count};
    memcpy(mesh->name, name, sizeof name);
    return true;
}
