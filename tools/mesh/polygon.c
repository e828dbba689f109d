// Polygons in space to triangles, in two ways.
//
// Ear clipping: a convex corner whose triangle contains no other corner is an ear and can be cut off, which leaves a
// polygon with one corner less. The test is done in the plane of the polygon's area vector, so slightly bent faces
// work too. Of several ears the one with the shortest cut is taken; for a quad that is the shorter diagonal.
//
// Minimal area: with corners 0 .. n - 1, let area(i, j) be the least area of triangles over the corners i to j and the
// chord from j back to i. Then
//     area(i, i + 1) = 0,   area(i, j) = min over k between i and j of area(i, k) + area(k, j) + triangle(i, k, j),
// and the minimising k give the triangles, starting with the chord 0, n - 1. This evaluates n^3 / 6 triangles.
#include "mesh/polygon.h"
#include <math.h>
#include <stdlib.h>

// --- ear clipping ---

// The area vector: the sum of cross products around the polygon (Newell).
static void area_vector(const float (*corner)[3], int count, double out[3]) {
    out[0] = out[1] = out[2] = 0;
    for (int i = 0; i < count; i++) {
        const float *a = corner[i], *b = corner[(i + 1) % count];
        out[0] += ((double)a[1] - b[1]) * ((double)a[2] + b[2]);
        out[1] += ((double)a[2] - b[2]) * ((double)a[0] + b[0]);
        out[2] += ((double)a[0] - b[0]) * ((double)a[1] + b[1]);
    }
}

// Twice the signed area of a triangle in the plane.
static double signed_area(const double a[2], const double b[2], const double c[2]) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static bool contains(const double a[2], const double b[2], const double c[2], const double p[2]) {
    return signed_area(a, b, p) >= 0 && signed_area(b, c, p) >= 0 && signed_area(c, a, p) >= 0;
}

static bool same(const double a[2], const double b[2]) {
    return a[0] == b[0] && a[1] == b[1];
}

// Whether corner left[k] of the remaining polygon is an ear.
static bool is_ear(const double (*flat)[2], const int *left, int count, int k) {
    const double *a = flat[left[(k + count - 1) % count]], *b = flat[left[k]], *c = flat[left[(k + 1) % count]];
    if (!(signed_area(a, b, c) > 0)) return false;
    for (int i = 0; i < count; i++) {
        const double *p = flat[left[i]];
        if (!same(p, a) && !same(p, b) && !same(p, c) && contains(a, b, c, p)) return false;
    }
    return true;
}

static void fan(int count, int (*out)[3]) {
    for (int i = 0; i < count - 2; i++) out[i][0] = 0, out[i][1] = i + 1, out[i][2] = i + 2;
}

void polygon_triangulate(const float (*corner)[3], int count, int (*out)[3]) {
    double n[3], flat[POLYGON_MAX_EARS][2];
    int left[POLYGON_MAX_EARS];
    if (count <= 3 || count > POLYGON_MAX_EARS) {
        fan(count, out);
        return;
    }
    area_vector(corner, count, n);
    int drop = fabs(n[0]) > fabs(n[1]) ? 0 : 1; // project along the largest component
    if (fabs(n[2]) > fabs(n[drop])) drop = 2;
    const int u = (drop + 1) % 3, v = (drop + 2) % 3;
    for (int i = 0; i < count; i++) {
        flat[i][0] = corner[i][u];
        flat[i][1] = n[drop] < 0 ? -(double)corner[i][v] : corner[i][v];
        left[i] = i;
    }
    int written = 0;
    for (int left_count = count; left_count > 3; --left_count) {
        int best = -1;
        double shortest = INFINITY;
        for (int k = 0; k < left_count; k++) {
            const float *a = corner[left[(k + left_count - 1) % left_count]], *c = corner[left[(k + 1) % left_count]];
            double square = 0;
            for (int i = 0; i < 3; i++) square += ((double)a[i] - c[i]) * ((double)a[i] - c[i]);
            if (square < shortest && is_ear((const double(*)[2])flat, left, left_count, k)) best = k, shortest = square;
        }
        if (best < 0) {
            fan(count, out);
            return;
        }
        out[written][0] = left[(best + left_count - 1) % left_count];
        out[written][1] = left[best];
        out[written++][2] = left[(best + 1) % left_count];
        for (int i = best; i + 1 < left_count; i++) left[i] = left[i + 1];
    }
    for (int k = 0; k < 3; k++) out[written][k] = left[k];
}

// --- minimal area ---

static double area_of(const float a[3], const float b[3], const float c[3]) {
    double e[2][3];
    for (int k = 0; k < 3; k++) e[0][k] = (double)b[k] - a[k], e[1][k] = (double)c[k] - a[k];
    const double x = e[0][1] * e[1][2] - e[0][2] * e[1][1], y = e[0][2] * e[1][0] - e[0][0] * e[1][2],
                 z = e[0][0] * e[1][1] - e[0][1] * e[1][0];
    return 0.5 * sqrt(x * x + y * y + z * z);
}

// Writes the triangles over the corners i to j.
static int emit(const int *choice, int n, int i, int j, int (*out)[3], int written) {
    if (j - i < 2) return written;
    const int k = choice[i * n + j];
    out[written][0] = i, out[written][1] = k, out[written++][2] = j;
    written = emit(choice, n, i, k, out, written);
    return emit(choice, n, k, j, out, written);
}

bool polygon_fill(const float (*corner)[3], int count, int (*out)[3]) {
    const size_t n = (size_t)count;
    double *area = malloc(n * n * sizeof *area);
    int *choice = malloc(n * n * sizeof *choice);
    const bool good = area && choice;
    for (size_t i = 0; i + 1 < n && good; i++) area[i * n + i + 1] = 0;
    for (size_t width = 2; width < n && good; width++)
        for (size_t i = 0; i + width < n; i++) {
            const size_t j = i + width;
            double best = INFINITY;
            choice[i * n + j] = (int)i + 1;
            for (size_t k = i + 1; k < j; k++) {
                const double others = area[i * n + k] + area[k * n + j];
                if (others >= best) continue;
                const double sum = others + area_of(corner[i], corner[k], corner[j]);
                if (sum < best) best = sum, choice[i * n + j] = (int)k;
            }
            area[i * n + j] = best;
        }
    if (good) emit(choice, count, 0, count - 1, out, 0);
    free(area), free(choice);
    return good;
}
