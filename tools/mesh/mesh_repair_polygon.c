// Ears: a corner where the polygon turns left and whose triangle holds no other corner can be cut off. What remains is
// a polygon with one corner less. The plane is that of the polygon's own area vector, so slightly bent faces are cut
// well too; of a convex polygon, or a quad, the ear with the shortest cut is taken, which folds a bent quad the nice
// way.
#include "mesh/mesh_repair_polygon.h"
#include <math.h>

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
static double turn(const double a[2], const double b[2], const double c[2]) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static bool holds(const double a[2], const double b[2], const double c[2], const double p[2]) {
    return turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0;
}

static bool same(const double a[2], const double b[2]) {
    return a[0] == b[0] && a[1] == b[1];
}

// Whether the corner at place k of what is left is an ear.
static bool is_ear(const double (*flat)[2], const int *left, int count, int k) {
    const double *a = flat[left[(k + count - 1) % count]], *b = flat[left[k]], *c = flat[left[(k + 1) % count]];
    if (!(turn(a, b, c) > 0)) return false;
    for (int i = 0; i < count; i++) {
        const double *p = flat[left[i]];
        if (!same(p, a) && !same(p, b) && !same(p, c) && holds(a, b, c, p)) return false;
    }
    return true;
}

static void fan(int count, int (*out)[3]) {
    for (int i = 0; i < count - 2; i++) out[i][0] = 0, out[i][1] = i + 1, out[i][2] = i + 2;
}

void polygon_cut(const float (*corner)[3], int count, int (*out)[3]) {
    double n[3], flat[POLYGON_CAREFUL][2];
    int left[POLYGON_CAREFUL];
    if (count <= 3 || count > POLYGON_CAREFUL) {
        fan(count, out);
        return;
    }
    area_vector(corner, count, n);
    int drop = fabs(n[0]) > fabs(n[1]) ? 0 : 1; // the axis along which the polygon is seen largest
    if (fabs(n[2]) > fabs(n[drop])) drop = 2;
    const int u = (drop + 1) % 3, v = (drop + 2) % 3;
    for (int i = 0; i < count; i++) {
        flat[i][0] = corner[i][u];
        flat[i][1] = n[drop] < 0 ? -(double)corner[i][v] : corner[i][v];
        left[i] = i;
    }
    int made = 0;
    for (int rest = count; rest > 3; --rest) {
        int best = -1;
        double shortest = INFINITY;
        for (int k = 0; k < rest; k++) {
            const float *a = corner[left[(k + rest - 1) % rest]], *c = corner[left[(k + 1) % rest]];
            double square = 0;
            for (int i = 0; i < 3; i++) square += ((double)a[i] - c[i]) * ((double)a[i] - c[i]);
            if (square < shortest && is_ear((const double(*)[2])flat, left, rest, k)) best = k, shortest = square;
        }
        if (best < 0) {
            fan(count, out);
            return;
        }
        out[made][0] = left[(best + rest - 1) % rest];
        out[made][1] = left[best];
        out[made++][2] = left[(best + 1) % rest];
        for (int i = best; i + 1 < rest; i++) left[i] = left[i + 1];
    }
    for (int k = 0; k < 3; k++) out[made][k] = left[k];
}
