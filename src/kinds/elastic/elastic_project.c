// The singular value decomposition for both: V by Jacobi rotations of F^T F, then U's columns from F V, the third
// as the cross product of the first two, so that U V^T is a rotation whatever the sign of det F and also when s2 = 0.
//
// The closest d to s with d0 d1 d2 = 1. With a multiplier t, d_i - s_i = t / d_i (for d1 d2 = 1 / d0), so that
//
//     d_i = (s_i + sqrt(s_i^2 + 4 t)) / 2,     t = d2 (d2 - s2):
//
// the product is a function of d2 alone. It grows without limit for d2 > max(s2, 0) and is below 1 at the lower end if
// s0 s1 s2 < 1; otherwise it is 0 at d2 = 0 and s0 s1 s2 >= 1 at d2 = s2, and grows in the upper half. Newton's method
// finds where it is 1, within a bracket; where the product may also decrease, bisection does.
#include "kinds/elastic/elastic_project.h"
#include "base/math/double3.h"
#include "base/math/jacobi.h"
#include <math.h>
#include <string.h>

// Eigenvectors of F^T F as rows of `out`, by descending eigenvalues; right-handed.
static void right_vectors(const double f[9], double out[3][3]) {
    double a[3][3], v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, size = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            a[i][j] = f[i] * f[j] + f[3 + i] * f[3 + j] + f[6 + i] * f[6 + j];
            size += a[i][j] * a[i][j];
        }
    for (int sweep = 0; sweep < 12; sweep++) {
        const double off = a[0][1] * a[0][1] + a[0][2] * a[0][2] + a[1][2] * a[1][2];
        if (!(off > 1e-32 * size)) break;
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++) sn_jacobi_rotate(3, *a, *v, p, q);
    }
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2 - i; j++)
            if (a[order[j + 1]][order[j + 1]] > a[order[j]][order[j]]) {
                const int swap = order[j];
                order[j] = order[j + 1], order[j + 1] = swap;
            }
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++) out[i][k] = v[k][order[i]];
    for (int k = 0; k < 3; k++)
        out[2][k] = out[0][(k + 1) % 3] * out[1][(k + 2) % 3] - out[0][(k + 2) % 3] * out[1][(k + 1) % 3];
}

static void times(const double f[9], const double v[3], double out[3]) {
    for (int i = 0; i < 3; i++) out[i] = d3_dot(f + 3 * i, v);
}

// Left vectors that are orthogonal whatever the rank of F.
static void left_vectors(const double f[9], const double v[3][3], double u[3][3], double s[3]) {
    times(f, v[0], u[0]);
    s[0] = sqrt(d3_dot(u[0], u[0]));
    for (int k = 0; k < 3; k++) u[0][k] = s[0] > 0 ? u[0][k] / s[0] : v[0][k];
    times(f, v[1], u[1]);
    const double along = d3_dot(u[0], u[1]);
    for (int k = 0; k < 3; k++) u[1][k] -= along * u[0][k];
    double length = sqrt(d3_dot(u[1], u[1]));
    s[1] = length;
    if (!(length > 1e-12 * s[0])) { // rank below 2: an axis, or v's, made orthogonal to the first
        int axis = 0;
        for (int k = 1; k < 3; k++)
            if (fabs(u[0][k]) < fabs(u[0][axis])) axis = k;
        for (int k = 0; k < 3; k++) u[1][k] = (k == axis) - u[0][axis] * u[0][k];
        if (!(s[0] > 0)) memcpy(u[1], v[1], sizeof u[1]);
        length = sqrt(d3_dot(u[1], u[1]));
    }
    for (int k = 0; k < 3; k++) u[1][k] /= length;
    for (int k = 0; k < 3; k++) u[2][k] = u[0][(k + 1) % 3] * u[1][(k + 2) % 3] - u[0][(k + 2) % 3] * u[1][(k + 1) % 3];
    double last[3];
    times(f, v[2], last);
    s[2] = d3_dot(last, u[2]);
}

static double root(double s, double t) {
    const double under = s * s + 4 * t;
    return 0.5 * (s + sqrt(under > 0 ? under : 0));
}

static double product_at(const double s[3], double d2) {
    const double t = d2 * (d2 - s[2]);
    return d2 * root(s[0], t) * root(s[1], t);
}

void sn_elastic_unit_volume(const double s[3], double d[3]) {
    bool monotonic = true; // the product only grows within the bracket
    double low, high;
    if (s[0] * s[1] * s[2] < 1) {
        low = s[2] > 0 ? s[2] : 0, high = low + 1; // there t >= 1, so every d is at least 1 or grows like high
        while (product_at(s, high) < 1 && high < 1e18) high *= 2;
    } else {
        const double half = 0.5 * s[2]; // t decreases up to here, then grows
        monotonic = product_at(s, half) < 1;
        low = monotonic ? half : 0, high = monotonic ? s[2] : half;
    }
    double at = 0.5 * (low + high);
    for (int k = 0; k < 60; k++) {
        const double t = at * (at - s[2]), d0 = root(s[0], t), d1 = root(s[1], t), product = at * d0 * d1;
        if (product < 1)
            low = at;
        else
            high = at;
        // dd_i / dt = 1 / (2 d_i - s_i); a step out of the bracket becomes a bisection
        const double slope = (2 * at - s[2]) * (1 / (d0 * (2 * d0 - s[0])) + 1 / (d1 * (2 * d1 - s[1])));
        const double next = at - (1 - 1 / product) / (1 / at + slope), before = at;
        at = monotonic && next > low && next < high ? next : 0.5 * (low + high);
        if (fabs(at - before) <= 1e-15 * at) break;
    }
    d[2] = at;
    const double t = d[2] * (d[2] - s[2]);
    d[0] = root(s[0], t), d[1] = root(s[1], t);
}

void sn_elastic_project(const double f[9], double rotation[9], double volume[9]) {
    double v[3][3], u[3][3], s[3], d[3], size = 0;
    for (int k = 0; k < 9; k++) size += f[k] * f[k];
    if (!(size < 1e60)) {
        for (int k = 0; k < 9; k++) rotation[k] = volume[k] = k % 4 == 0;
        return;
    }
    right_vectors(f, v);
    left_vectors(f, (const double(*)[3])v, u, s);
    sn_elastic_unit_volume(s, d);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            rotation[3 * i + j] = u[0][i] * v[0][j] + u[1][i] * v[1][j] + u[2][i] * v[2][j];
            volume[3 * i + j] = d[0] * u[0][i] * v[0][j] + d[1] * u[1][i] * v[1][j] + d[2] * u[2][i] * v[2][j];
        }
}
