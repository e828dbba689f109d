// Levels of a harmonic field crowd where a body is thin, so equally spaced levels make poor cross-sections. The mean
// distance between two levels, over the surface between them, is
//
//     dl/du = (mean of 1/|grad u|) = (dV/du) / A,
//
// where the area A of the level surface is the derivative of the integral of |grad u| (the coarea formula). Both
// derivatives are sums over tetrahedra: the part of a tetrahedron below a level is a piecewise cubic polynomial of the
// level.
#include "bake/slices.h"
#include "base/math/double3.h"
#include "base/math/jacobi.h"
#include "mesh/maths.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- level profile ---

static int compare_doubles(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Density of a tetrahedron's volume over the levels between its two middle corners: a quadratic.
static double density_between(const double v[4], double u) {
    const double ac = v[2] - v[0], ad = v[3] - v[0], bc = v[2] - v[1], bd = v[3] - v[1];
    return 3 / ad * ((u - v[0]) * (v[2] - u) / (ac * bc) + (v[3] - u) * (u - v[1]) / (bd * bc));
}

// Fraction of a tetrahedron where the field is below u; v are the sorted corner values.
static double part_below(const double v[4], double u) {
    if (u <= v[0]) return 0;
    if (u >= v[3]) return 1;
    const double ad = v[3] - v[0];
    if (u < v[1]) return own_pow(u - v[0], 3) / ((v[1] - v[0]) * (v[2] - v[0]) * ad);
    if (u >= v[2]) return 1 - own_pow(v[3] - u, 3) / (ad * (v[3] - v[1]) * (v[3] - v[2]));
    const double first = (v[1] - v[0]) * (v[1] - v[0]) / ((v[2] - v[0]) * ad), middle = 0.5 * (v[1] + u);
    return first +
           (u - v[1]) / 6 *
               (density_between(v, v[1]) + 4 * density_between(v, middle) + density_between(v, u)); // Simpson's rule
}

static double gradient_size(const sn_tet_mesh *mesh, int tet, const double *field, double volume) {
    // sum of each value times its opposite face's inward normal, over three times the volume
    double g[3] = {0};
    for (int k = 0; k < 4; k++) {
        static const int face[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}};
        const int *corner = mesh->tet[tet];
        const double *a = mesh->position[corner[face[k][0]]], *b = mesh->position[corner[face[k][1]]],
                     *c = mesh->position[corner[face[k][2]]];
        const double value = field[corner[k]];
        for (int i = 0; i < 3; i++) {
            const int j = (i + 1) % 3, l = (i + 2) % 3;
            g[i] += value * ((b[j] - a[j]) * (c[l] - a[l]) - (b[l] - a[l]) * (c[j] - a[j]));
        }
    }
    return sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) / (6 * volume);
}

// The same for a triangle: the part of its area below u, and the field's gradient.
static double area_below(const double v[3], double u) {
    if (u <= v[0]) return 0;
    if (u >= v[2]) return 1;
    if (u < v[1]) return (u - v[0]) * (u - v[0]) / ((v[1] - v[0]) * (v[2] - v[0]));
    return 1 - (v[2] - u) * (v[2] - u) / ((v[2] - v[0]) * (v[2] - v[1]));
}

static double gradient_on_triangle(const sn_mesh *mesh, int triangle, const double *field) {
    const int *c = mesh->triangle[triangle];
    double e[2][3], d[2] = {field[c[1]] - field[c[0]], field[c[2]] - field[c[0]]};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 2; i++) e[i][k] = (double)mesh->position[c[i + 1]][k] - (double)mesh->position[c[0]][k];
    const double aa = d3_dot(e[0], e[0]), ab = d3_dot(e[0], e[1]), bb = d3_dot(e[1], e[1]), det = aa * bb - ab * ab;
    const double square = (bb * d[0] * d[0] - 2 * ab * d[0] * d[1] + aa * d[1] * d[1]) / det;
    return det > 0 && square > 0 ? sqrt(square) : 0;
}

enum { PROFILE_STEPS = 400 };

// Chooses levels with about equally many vertices between them, so that thick parts get many steps too.
static int choose_levels(const double *field, int count_all, double *sorted, double *level) {
    const int n = count_all;
    int count = 0;
    memcpy(sorted, field, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, compare_doubles);
    for (int i = 0; i <= PROFILE_STEPS; i++) {
        const double value = sorted[(long long)i * (n - 1) / PROFILE_STEPS];
        if (count == 0 || value > level[count - 1] + 1e-12 * (sorted[n - 1] - sorted[0])) level[count++] = value;
    }
    return count;
}

// Adds a simplex with 3 or 4 corners, of this size (area or volume) and gradient.
static void add_simplex(sn_level_profile *profile, double *area, double v[4], int corners, double size, double slope) {
    int low = 0, high = profile->count - 1; // the step that contains its smallest value
    double before = 0;
    qsort(v, (size_t)corners, sizeof *v, compare_doubles);
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        *(profile->level[middle] <= v[0] ? &low : &high) = middle;
    }
    if (!(v[corners - 1] > v[0])) { // inside an end, where the field is constant
        profile->volume[low] += size;
        return;
    }
    for (int i = low + 1; i < profile->count && before < 1; i++) {
        const double now = corners == 3 ? area_below(v, profile->level[i]) : part_below(v, profile->level[i]);
        profile->volume[i] += (now - before) * size;
        area[i] += (now - before) * size * slope;
        before = now;
    }
}

// Of tetrahedra, or of a surface.
static bool make_profile(const sn_tet_mesh *tets, const sn_mesh *surface, const double *field, sn_level_profile *out) {
    const size_t size = PROFILE_STEPS + 1;
    const int vertices = tets ? tets->vertex_count : surface->vertex_count;
    *out =
        (sn_level_profile){calloc(size, sizeof(double)), calloc(size, sizeof(double)), calloc(size, sizeof(double)), 0};
    double *sorted = malloc(((size_t)vertices + 1) * sizeof *sorted), *area = calloc(size, sizeof *area);
    bool good = vertices > 0 && out->level && out->length && out->volume && sorted && area;
    if (good) out->count = choose_levels(field, vertices, sorted, out->level);
    good = good && out->count >= 2;
    for (int t = 0; good && t < (tets ? tets->tet_count : surface->triangle_count); t++) {
        const int *c = tets ? tets->tet[t] : surface->triangle[t];
        double v[4] = {field[c[0]], field[c[1]], field[c[2]], tets ? field[c[3]] : 0};
        const double part =
            tets ? sn_tet_volume(tets->position[c[0]], tets->position[c[1]], tets->position[c[2]], tets->position[c[3]])
                 : sn_mesh_triangle_area(surface, t);
        if (!(part > 0)) continue;
        add_simplex(out, area, v, tets ? 4 : 3, part,
                    tets ? gradient_size(tets, t, field, part) : gradient_on_triangle(surface, t, field));
    }
    for (int i = 1; i < out->count && good; i++) {
        out->length[i] = out->length[i - 1];
        if (area[i] > 0) out->length[i] += out->volume[i] * (out->level[i] - out->level[i - 1]) / area[i];
        out->volume[i] += out->volume[i - 1];
    }
    free(sorted), free(area);
    if (!good) sn_level_profile_free(out);
    return good;
}

bool sn_level_profile_make(const sn_tet_mesh *mesh, const double *field, sn_level_profile *out) {
    return make_profile(mesh, NULL, field, out);
}

bool sn_level_profile_make_surface(const sn_mesh *mesh, const double *field, sn_level_profile *out) {
    return make_profile(NULL, mesh, field, out);
}

void sn_level_profile_free(sn_level_profile *profile) {
    free(profile->level), free(profile->length), free(profile->volume);
    *profile = (sn_level_profile){0};
}

// Linear interpolation of y at x; x is ascending.
static double interpolate(const double *x, const double *y, int count, double at) {
    if (!(at > x[0])) return y[0];
    if (at >= x[count - 1]) return y[count - 1];
    int low = 0, high = count - 1;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        *(x[middle] <= at ? &low : &high) = middle;
    }
    const double width = x[high] - x[low];
    return width > 0 ? y[low] + (y[high] - y[low]) * (at - x[low]) / width : y[low];
}

double sn_level_profile_length(const sn_level_profile *profile, double level) {
    return interpolate(profile->level, profile->length, profile->count, level);
}

double sn_level_profile_volume(const sn_level_profile *profile, double level) {
    return interpolate(profile->level, profile->volume, profile->count, level);
}

double sn_level_profile_level(const sn_level_profile *profile, double length) {
    return interpolate(profile->length, profile->level, profile->count, length);
}

// --- slices ---

typedef struct {
    double (*corner)[3][3];
    int count, capacity;
} triangle_list;

static bool add_triangle(triangle_list *list, const double a[3], const double b[3], const double c[3]) {
    if (list->count == list->capacity) {
        const int capacity = 2 * list->capacity + 64;
        void *larger = realloc(list->corner, (size_t)capacity * sizeof *list->corner);
        if (!larger) return false;
        list->corner = larger;
        list->capacity = capacity;
    }
    memcpy(list->corner[list->count][0], a, sizeof list->corner[0][0]);
    memcpy(list->corner[list->count][1], b, sizeof list->corner[0][0]);
    memcpy(list->corner[list->count++][2], c, sizeof list->corner[0][0]);
    return true;
}

static double triangle_area(double corner[3][3]) {
    double n2 = 0;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const double n = (corner[1][j] - corner[0][j]) * (corner[2][k] - corner[0][k]) -
                         (corner[1][k] - corner[0][k]) * (corner[2][j] - corner[0][j]);
        n2 += n * n;
    }
    return 0.5 * sqrt(n2);
}

// Subdivides triangles into n^2 so that none is much larger than 'area'.
static bool subdivide(const triangle_list *coarse, double area, triangle_list *fine) {
    for (int t = 0; t < coarse->count; t++) {
        const int n = (int)fmin(64, fmax(1, ceil(sqrt(triangle_area(coarse->corner[t]) / area))));
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n - i; j++)
                for (int up = 0; up < (j < n - i - 1 ? 2 : 1); up++) {
                    const int at[2][3][2] = {{{i, j}, {i + 1, j}, {i, j + 1}},
                                             {{i + 1, j}, {i + 1, j + 1}, {i, j + 1}}};
                    double p[3][3];
                    for (int c = 0; c < 3; c++)
                        for (int k = 0; k < 3; k++)
                            p[c][k] = coarse->corner[t][0][k] +
                                      (coarse->corner[t][1][k] - coarse->corner[t][0][k]) * at[up][c][0] / n +
                                      (coarse->corner[t][2][k] - coarse->corner[t][0][k]) * at[up][c][1] / n;
                    if (!add_triangle(fine, p[0], p[1], p[2])) return false;
                }
    }
    return true;
}

// Computes area, centroid and covariance of the samples.
static void measure_moments(sn_slice *slice) {
    for (int s = 0; s < slice->count; s++) {
        slice->area += slice->weight[s];
        for (int k = 0; k < 3; k++) slice->centroid[k] += slice->weight[s] * slice->sample[s][k];
    }
    if (!(slice->area > 0)) return;
    for (int k = 0; k < 3; k++) slice->centroid[k] /= slice->area;
    for (int s = 0; s < slice->count; s++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                slice->covariance[i][j] += slice->weight[s] / slice->area * (slice->sample[s][i] - slice->centroid[i]) *
                                           (slice->sample[s][j] - slice->centroid[j]);
}

// Builds a slice from triangles, subdivided into enough samples.
static bool build_slice(triangle_list *coarse, int samples, sn_slice *out) {
    triangle_list fine = {0};
    double area = 0;
    for (int t = 0; t < coarse->count; t++) area += triangle_area(coarse->corner[t]);
    bool good = !(area > 0) || subdivide(coarse, area / samples, &fine);
    const size_t size = (size_t)fine.count + 1;
    out->sample = malloc(size * sizeof *out->sample);
    out->weight = malloc(size * sizeof *out->weight);
    good = good && out->sample && out->weight && sn_mesh_alloc(&out->mesh, 3 * fine.count, fine.count, 0);
    for (int t = 0; t < fine.count && good; t++) {
        out->weight[t] = triangle_area(fine.corner[t]);
        for (int c = 0; c < 3; c++) {
            out->mesh.triangle[t][c] = 3 * t + c;
            for (int k = 0; k < 3; k++) out->mesh.position[3 * t + c][k] = (float)fine.corner[t][c][k];
        }
        for (int k = 0; k < 3; k++)
            out->sample[t][k] = (fine.corner[t][0][k] + fine.corner[t][1][k] + fine.corner[t][2][k]) / 3;
    }
    if (good) {
        out->count = fine.count;
        measure_moments(out);
        good = (out->query = sn_mesh_query_build(&out->mesh)) != NULL;
    }
    free(coarse->corner), free(fine.corner);
    if (!good) sn_slice_free(out);
    return good;
}

// Intersects one tetrahedron with the level: one or two triangles.
static bool cut_tet(const sn_tet_mesh *mesh, int tet, const double *field, double level, triangle_list *list) {
    int below[4], above[4], b = 0, a = 0, count = 0;
    double p[4][3];
    for (int k = 0; k < 4; k++) {
        const int v = mesh->tet[tet][k];
        if (field[v] < level)
            below[b++] = v;
        else
            above[a++] = v;
    }
    if (a == 0 || b == 0) return true;
    static const int around[4][2] = {{0, 0}, {0, 1}, {1, 1}, {1, 0}}; // cyclic order of the four cut edges
    for (int i = 0; i < (a == 2 ? 4 : 3); i++, count++) {
        const int from = below[a == 2   ? around[i][0]
                               : b == 1 ? 0
                                        : i],
                  to = above[a == 2   ? around[i][1]
                             : b == 1 ? i
                                      : 0];
        const double t = (level - field[from]) / (field[to] - field[from]);
        for (int k = 0; k < 3; k++)
            p[i][k] = mesh->position[from][k] + t * (mesh->position[to][k] - mesh->position[from][k]);
    }
    return add_triangle(list, p[0], p[1], p[2]) && (count < 4 || add_triangle(list, p[0], p[2], p[3]));
}

bool sn_slice_level(const sn_tet_mesh *mesh, const double *field, double level, int samples, sn_slice *out) {
    return sn_slice_level_part(mesh, field, level, NULL, 0, samples, out);
}

bool sn_slice_level_part(const sn_tet_mesh *mesh, const double *field, double level, const int *part_of_tet, int part,
                         int samples, sn_slice *out) {
    triangle_list list = {0};
    *out = (sn_slice){0};
    for (int t = 0; t < mesh->tet_count; t++)
        if ((!part_of_tet || part_of_tet[t] == part) && !cut_tet(mesh, t, field, level, &list)) {
            free(list.corner);
            return false;
        }
    return build_slice(&list, samples, out);
}

// Two orthonormal directions in a plane.
static void plane_axes(const double normal[3], double axis[2][3]) {
    double size = 0;
    int smallest = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(normal[k]) < fabs(normal[smallest])) smallest = k;
    for (int k = 0; k < 3; k++) axis[0][k] = (k == smallest) - normal[smallest] * normal[k];
    for (int k = 0; k < 3; k++) size += axis[0][k] * axis[0][k];
    for (int k = 0; k < 3; k++) axis[0][k] /= sqrt(size);
    for (int k = 0; k < 3; k++)
        axis[1][k] = normal[(k + 1) % 3] * axis[0][(k + 2) % 3] - normal[(k + 2) % 3] * axis[0][(k + 1) % 3];
}

// Bounding box, in the plane, of its intersection with the mesh. False: no intersection.
static bool plane_box(const sn_mesh *mesh, const double point[3], const double normal[3], double axis[2][3],
                      double low[2], double high[2]) {
    low[0] = low[1] = INFINITY, high[0] = high[1] = -INFINITY;
    for (int t = 0; t < mesh->triangle_count; t++) {
        double d[3][3], above[3];
        for (int c = 0; c < 3; c++) {
            above[c] = 0;
            for (int k = 0; k < 3; k++) {
                d[c][k] = (double)mesh->position[mesh->triangle[t][c]][k] - point[k];
                above[c] += normal[k] * d[c][k];
            }
        }
        for (int c = 0; c < 3; c++) {
            const int e = (c + 1) % 3;
            if ((above[c] < 0) == (above[e] < 0)) continue;
            const double part = above[c] / (above[c] - above[e]);
            for (int i = 0; i < 2; i++) {
                double at = 0;
                for (int k = 0; k < 3; k++) at += axis[i][k] * (d[c][k] + part * (d[e][k] - d[c][k]));
                low[i] = fmin(low[i], at), high[i] = fmax(high[i], at);
            }
        }
    }
    return high[0] > low[0] && high[1] > low[1];
}

// Grid squares whose centres are inside the surface; refines the grid until there are enough.
bool sn_slice_plane(const sn_mesh *mesh, const sn_winding *winding, const double point[3], const double normal[3],
                    int samples, sn_slice *out) {
    triangle_list list = {0};
    double axis[2][3], low[2], high[2];
    bool good = true;
    *out = (sn_slice){0};
    plane_axes(normal, axis);
    const bool intersects = plane_box(mesh, point, normal, axis, low, high);
    for (int finer = 1; finer <= 4 && good && intersects && list.count < samples / 4; finer *= 2) {
        const double width = high[0] - low[0], height = high[1] - low[1];
        const double cell = fmax(sqrt(width * height / samples) / finer, fmax(width, height) / 1000);
        const int cells[2] = {(int)ceil(width / cell), (int)ceil(height / cell)};
        list.count = 0;
        for (int i = 0; i < cells[0] && good; i++)
            for (int j = 0; j < cells[1] && good; j++) {
                static const double corner[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0.5, 0.5}};
                double p[5][3]; // corners and centre
                for (int c = 0; c < 5; c++)
                    for (int k = 0; k < 3; k++)
                        p[c][k] = point[k] + axis[0][k] * (low[0] + width / cells[0] * (i + corner[c][0])) +
                                  axis[1][k] * (low[1] + height / cells[1] * (j + corner[c][1]));
                if (!(sn_winding_evaluate(winding, p[4]) > 0.5)) continue;
                good = add_triangle(&list, p[0], p[1], p[2]) && add_triangle(&list, p[0], p[2], p[3]);
            }
    }
    if (good) return build_slice(&list, samples, out);
    free(list.corner);
    return false;
}

// A closed curve in the coordinates of its plane, and its height above that.
typedef struct {
    double point[3], axis[2][3], normal[3];
    double (*flat)[3];
    int count;
    double low[2], high[2], area;
} flat_curve;

static bool flatten(const double (*curve)[3], int count, flat_curve *out) {
    double area[3] = {0}, size = 0;
    *out = (flat_curve){.count = count, .low = {INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY}};
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            const double *a = curve[i], *b = curve[(i + 1) % count];
            const int l = (k + 1) % 3, m = (k + 2) % 3;
            out->point[k] += a[k] / count;
            area[k] +=
                0.5 * ((a[l] - curve[0][l]) * (b[m] - curve[0][m]) - (a[m] - curve[0][m]) * (b[l] - curve[0][l]));
        }
    for (int k = 0; k < 3; k++) size += area[k] * area[k];
    if (!(size > 0)) return true; // no area
    out->area = sqrt(size);
    out->flat = malloc((size_t)count * sizeof *out->flat);
    if (!out->flat) return false;
    for (int k = 0; k < 3; k++) out->normal[k] = area[k] / out->area;
    plane_axes(out->normal, out->axis);
    for (int i = 0; i < count; i++) {
        double d[3];
        d3_sub(curve[i], out->point, d);
        for (int k = 0; k < 2; k++) {
            out->flat[i][k] = d3_dot(d, out->axis[k]);
            out->low[k] = fmin(out->low[k], out->flat[i][k]), out->high[k] = fmax(out->high[k], out->flat[i][k]);
        }
        out->flat[i][2] = d3_dot(d, out->normal);
    }
    return true;
}

static bool encloses(const flat_curve *curve, double x, double y) {
    bool inside = false;
    for (int i = 0, j = curve->count - 1; i < curve->count; j = i++) {
        const double *a = curve->flat[i], *b = curve->flat[j];
        if ((a[1] > y) != (b[1] > y) && x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0])) inside = !inside;
    }
    return inside;
}

// The point of the plane at (x, y), raised to the mean height of the curve, weighted by the inverse square of distances.
static void raise(const flat_curve *curve, double x, double y, double out[3]) {
    double height = 0, total = 0;
    for (int i = 0; i < curve->count; i += 1 + curve->count / 96) {
        const double *p = curve->flat[i];
        const double weight = 1 / ((p[0] - x) * (p[0] - x) + (p[1] - y) * (p[1] - y) + 1e-12 * curve->area);
        height += weight * p[2], total += weight;
    }
    for (int k = 0; k < 3; k++)
        out[k] = curve->point[k] + x * curve->axis[0][k] + y * curve->axis[1][k] + height / total * curve->normal[k];
}

bool sn_slice_polygon(const double (*points)[3], int count, int samples, sn_slice *out) {
    triangle_list list = {0};
    flat_curve curve;
    *out = (sn_slice){0};
    bool good = flatten(points, count, &curve);
    const double cell = good && curve.flat ? sqrt(curve.area / samples) : 1;
    int cells[2] = {0, 0};
    for (int k = 0; k < 2 && good && curve.flat; k++)
        cells[k] = (int)fmin(2000, ceil((curve.high[k] - curve.low[k]) / cell));
    for (int i = 0; i < cells[0] && good; i++)
        for (int j = 0; j < cells[1] && good; j++) {
            static const double corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
            double p[4][3];
            const double width = (curve.high[0] - curve.low[0]) / cells[0],
                         depth = (curve.high[1] - curve.low[1]) / cells[1];
            if (!encloses(&curve, curve.low[0] + (i + 0.5) * width, curve.low[1] + (j + 0.5) * depth)) continue;
            for (int c = 0; c < 4; c++)
                raise(&curve, curve.low[0] + (i + corner[c][0]) * width, curve.low[1] + (j + corner[c][1]) * depth,
                      p[c]);
            good = add_triangle(&list, p[0], p[1], p[2]) && add_triangle(&list, p[0], p[2], p[3]);
        }
    free(curve.flat);
    if (good) return build_slice(&list, samples, out);
    free(list.corner);
    return false;
}

void sn_slice_free(sn_slice *slice) {
    sn_mesh_free(&slice->mesh);
    sn_mesh_query_free(slice->query);
    free(slice->sample), free(slice->weight);
    *slice = (sn_slice){0};
}

void sn_slice_nearest(const sn_slice *slice, const double p[3], double out[3]) {
    sn_mesh_hit hit;
    const bool found = sn_mesh_query_closest_point(slice->query, p, INFINITY, &hit);
    memcpy(out, found ? hit.point : p, 3 * sizeof *out);
}

// --- maps between slices ---

// Power of a symmetric matrix by its eigendecomposition (Jacobi rotations); eigenvalues are clamped from below.
static void matrix_power(double m[3][3], double power, double smallest, double out[3][3]) {
    double a[3][3], v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    memcpy(a, m, sizeof a);
    for (int sweep = 0; sweep < 12; sweep++)
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++) sn_jacobi_rotate(3, *a, *v, p, q);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            out[i][j] = 0;
            for (int k = 0; k < 3; k++) out[i][j] += v[i][k] * v[j][k] * own_pow(fmax(a[k][k], smallest), power);
        }
}

static void multiply(double a[3][3], double b[3][3], double out[3][3]) {
    double product[3][3] = {{0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) product[i][j] += a[i][k] * b[k][j];
    memcpy(out, product, sizeof product);
}

// S -> T with minimal motion: S^-1/2 (S^1/2 T S^1/2)^1/2 S^-1/2 (optimal transport between two normal distributions).
// Slices are flat, so their covariances get a small thickness.
sn_slice_map sn_slice_transport(const sn_slice *from, const sn_slice *to) {
    sn_slice_map out;
    double s[3][3], t[3][3], root[3][3], back[3][3], inner[3][3];
    memcpy(s, from->covariance, sizeof s), memcpy(t, to->covariance, sizeof t);
    memcpy(out.from, from->centroid, sizeof out.from), memcpy(out.to, to->centroid, sizeof out.to);
    const double size_from = s[0][0] + s[1][1] + s[2][2], size_to = t[0][0] + t[1][1] + t[2][2];
    for (int k = 0; k < 3; k++) s[k][k] += 0.003 * size_from, t[k][k] += 0.003 * size_to;
    if (!(size_from > 0) || !(size_to > 0)) {
        memset(out.map, 0, sizeof out.map);
        return out;
    }
    matrix_power(s, 0.5, 1e-9 * size_from, root);
    matrix_power(s, -0.5, 1e-9 * size_from, back);
    multiply(root, t, inner), multiply(inner, root, inner);
    for (int i = 0; i < 3; i++) // symmetrise against rounding
        for (int j = 0; j < i; j++) inner[i][j] = inner[j][i] = 0.5 * (inner[i][j] + inner[j][i]);
    matrix_power(inner, 0.5, 0, inner);
    multiply(back, inner, out.map), multiply(out.map, back, out.map);
    return out;
}

void sn_slice_map_apply(const sn_slice_map *map, const double p[3], double out[3]) {
    const double d[3] = {p[0] - map->from[0], p[1] - map->from[1], p[2] - map->from[2]};
    for (int i = 0; i < 3; i++)
        out[i] = map->to[i] + map->map[i][0] * d[0] + map->map[i][1] * d[1] + map->map[i][2] * d[2];
}
