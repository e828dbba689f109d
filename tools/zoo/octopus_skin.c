// The octopus's skin: a surface slightly outside its pills.
//
// Each arm is the union of its pills; the pills of the head count individually. All of these are joined by a smooth
// minimum of distances,
//     d = -k log sum exp(-d_i / k),
// which rounds the corners between arms. The grid is stretched with the distance from the axis, g = x (1 + stretch
// rho), so that thin arms get as many triangles around them as the thick head.
#include "mesh/maths.h"
#include "zoo/isosurface.h"
#include "zoo/octopus.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 6, MAX_ARMS = 16 };

typedef struct {
    const zoo_octopus *octopus;
    double (*points)[3];
    double *radii;
    int *parents, count;
    double smooth, offset, stretch;
} octopus_form;

// Distance to the pill between two points (see src/geometry/pill.c), in double precision.
static double pill(const octopus_form *s, const double p[3], int i, int j) {
    const double *a = s->points[i], *b = s->points[j], ra = s->radii[i], change = s->radii[j] - ra;
    double l2 = 0, along = 0, from2 = 0;
    for (int k = 0; k < 3; k++) {
        const double axis = b[k] - a[k], from = p[k] - a[k];
        l2 += axis * axis, along += axis * from, from2 += from * from;
    }
    if (change * change >= l2) return change > 0 ? sqrt(from2 - 2 * along + l2) - s->radii[j] : sqrt(from2) - ra;
    const double rho2 = from2 - along * along / l2;
    double t = along / l2 + sqrt(rho2 > 0 ? rho2 : 0) * change / sqrt(l2 * (l2 - change * change));
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    const double d2 = from2 - 2 * t * along + t * t * l2;
    return sqrt(d2 > 0 ? d2 : 0) - ra - t * change;
}

static double distance(const void *context, const double p[3]) {
    const octopus_form *s = context;
    double d[HEAD + MAX_ARMS], nearest = 1e30, sum = 0;
    int count = 0;
    for (int i = 0; i < HEAD; i++) d[count++] = pill(s, p, i, s->parents[i]);
    for (int arm = 0; arm < s->octopus->arms; arm++) {
        const int first = HEAD + arm * s->octopus->arm_segments;
        d[count] = 1e30;
        for (int i = first; i < first + s->octopus->arm_segments; i++)
            d[count] = fmin(d[count], pill(s, p, i, s->parents[i]));
        count++;
    }
    for (int i = 0; i < count; i++) nearest = fmin(nearest, d[i]);
    for (int i = 0; i < count; i++)
        if (d[i] < nearest + 20 * s->smooth) sum += own_exp((nearest - d[i]) / s->smooth);
    return nearest - s->smooth * own_log(sum) - s->offset;
}

static void map_point(const void *context, const double grid[3], double p[3]) {
    const octopus_form *s = context;
    const double rho = own_hypot(grid[0], grid[2]), scaled = s->stretch * rho;
    // rho_grid = rho (1 + stretch rho), solved for rho
    const double factor = scaled > 1e-9 ? (sqrt(1 + 4 * scaled) - 1) / (2 * scaled) : 1;
    for (int k = 0; k < 3; k++) p[k] = factor * grid[k];
}

static double between(double x, double low, double high) {
    const double t = (x - low) / (high - low);
    return t < 0 ? 0 : t > 1 ? 1 : t;
}

// Texture coordinates without a seam; the left side mirrors the right. v: from the tip of the mantle (0) down the head
// (0.4) and along the arms (1). u: around; on the head from back to front, on arms from top to underside.
static void build_uv(const octopus_form *s, sn_mesh *mesh) {
    for (int v = 0; v < mesh->vertex_count; v++) {
        const double size = s->octopus->size;
        const double x = mesh->position[v][0] / size, y = mesh->position[v][1] / size, z = mesh->position[v][2] / size;
        const double up = mesh->normal[v][1], rho = own_hypot(x, z), arm = between(rho, 0.45, 0.75);
        const double head = fabs(own_atan2(x, z)) / 3.14159265358979323846;
        const double over = own_acos(up < -1 ? -1 : up > 1 ? 1 : up) / 3.14159265358979323846;
        mesh->uv[v][0] = (float)(head + arm * (over - head));
        mesh->uv[v][1] = (float)(0.4 * (1 - between(y, 0.3, 2.6)) + 0.6 * between(rho, 0.45, 2.05));
    }
}

static bool build_form(octopus_form *s, const zoo_octopus *octopus) {
    s->octopus = octopus;
    s->count = zoo_octopus_points(octopus);
    s->points = malloc((size_t)s->count * sizeof *s->points);
    s->radii = malloc((size_t)s->count * sizeof *s->radii);
    s->parents = malloc((size_t)s->count * sizeof *s->parents);
    s->smooth = 0.05 * octopus->size;
    s->offset = 0.01 * octopus->size;
    s->stretch = 0.45 / octopus->size;
    if (!s->points || !s->radii || !s->parents) return false;
    zoo_octopus_fill(octopus, s->points, s->radii, s->parents);
    return true;
}

static void find_box(const octopus_form *s, zoo_iso *iso) {
    for (int k = 0; k < 3; k++) iso->low[k] = 1e30, iso->high[k] = -1e30;
    for (int i = 0; i < s->count; i++) {
        const double *p = s->points[i], margin = s->radii[i] + 3 * s->smooth + s->offset;
        const double factor = 1 + s->stretch * (own_hypot(p[0], p[2]) + margin);
        for (int k = 0; k < 3; k++) {
            iso->low[k] = fmin(iso->low[k], factor * (p[k] - margin));
            iso->high[k] = fmax(iso->high[k], factor * (p[k] + margin));
        }
    }
}

typedef struct {
    int vertex, pill;
    double t; // along the pill
} vertex_position;

static int compare_positions(const void *a, const void *b) {
    const vertex_position *x = a, *y = b;
    if (x->pill != y->pill) return x->pill < y->pill ? -1 : 1;
    if (x->t != y->t) return x->t < y->t ? -1 : 1;
    return x->vertex - y->vertex;
}

// Renumbers vertices along their nearest pills, so that vertices that move together are close in memory.
static bool renumber(const octopus_form *s, sn_mesh *mesh) {
    const size_t count = (size_t)mesh->vertex_count;
    vertex_position *positions = malloc(count * sizeof *positions);
    float(*moved)[3] = malloc(count * sizeof *moved);
    int *new_index = malloc(count * sizeof *new_index);
    const bool good = positions && moved && new_index;
    for (int v = 0; good && v < mesh->vertex_count; v++) {
        const double p[3] = {mesh->position[v][0], mesh->position[v][1], mesh->position[v][2]};
        double nearest = 1e30, l2 = 0;
        positions[v] = (vertex_position){v, 0, 0};
        for (int i = 0; i < s->count; i++) {
            const double d = pill(s, p, i, s->parents[i]);
            if (d < nearest) nearest = d, positions[v].pill = i;
        }
        const double *a = s->points[s->parents[positions[v].pill]], *b = s->points[positions[v].pill];
        for (int k = 0; k < 3; k++)
            positions[v].t += (p[k] - a[k]) * (b[k] - a[k]), l2 += (b[k] - a[k]) * (b[k] - a[k]);
        positions[v].t /= l2;
    }
    if (good) {
        qsort(positions, count, sizeof *positions, compare_positions);
        for (int v = 0; v < mesh->vertex_count; v++) {
            memcpy(moved[v], mesh->position[positions[v].vertex], sizeof *moved);
            new_index[positions[v].vertex] = v;
        }
        memcpy(mesh->position, moved, count * sizeof *moved);
        for (int t = 0; t < mesh->triangle_count; t++)
            for (int k = 0; k < 3; k++) mesh->triangle[t][k] = new_index[mesh->triangle[t][k]];
    }
    free(positions);
    free(moved);
    free(new_index);
    return good;
}

bool zoo_octopus_skin(const zoo_octopus *octopus, sn_mesh *out) {
    octopus_form s = {0};
    bool good = build_form(&s, octopus);
    *out = (sn_mesh){0};
    if (good) {
        zoo_iso iso = {distance, map_point, &s, {0}, {0}, 0.1075 * octopus->size, 8};
        find_box(&s, &iso);
        good = zoo_isosurface(&iso, out);
        // Sheets of the surface too close for the grid are separated by a finer one.
        for (int finer = 0; finer < 3 && !good; finer++) {
            iso.cell *= 0.85;
            good = zoo_isosurface(&iso, out);
        }
    }
    if (good) good = renumber(&s, out) && sn_mesh_make_normals(out);
    if (good) good = (out->uv = calloc((size_t)out->vertex_count, sizeof *out->uv)) != NULL;
    if (good) {
        build_uv(&s, out);
        strcpy(out->name, "octopus");
    } else
        sn_mesh_free(out);
    free(s.points);
    free(s.radii);
    free(s.parents);
    return good;
}
