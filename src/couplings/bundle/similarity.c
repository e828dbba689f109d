// VIPER's eqs. 33 to 36, in the metric of inertia. With means weighted by mass,
//
//     mu = sum m_i c_i / M,     mu' = sum m_i c'_i / M            (' is at rest)
//     A  = sum m_i (c_i - mu)(c'_i - mu')^T + sum w_i R_i R'_i^T  (eq. 34)
//     R* = the rotation nearest to A
//     s* = (sum m_i (c_i - mu).R*(c'_i - mu') + sum k_i s_i s'_i) / (sum m_i |c'_i - mu'|^2 + sum k_i s'_i^2)    (eq. 35)
//     c* = mu                                                     (eq. 36, as a map about mu')
//
// The paper's means are not weighted and its matrices mix lengths with pure numbers: then moving points to T* T'_i
// changes momentum. Here w_i is half of a frame's moment of inertia (|R - R*|^2 is twice the square of the small angle
// between them) and k_i the inertia of a scale, so the fit minimises the kinetic energy of the moves, and at the
// minimum linear, angular and radial momentum do not change.
//
// R* maximizes the sum of entries of R times A, which is q^T N q in R's quaternion q with a symmetric 4 x 4 matrix N
// (Horn 1987): its eigenvector of the largest eigenvalue, found by Jacobi rotations. That is exact, always a rotation,
// never a reflection, and needs no initial guess: Mueller et al.'s iteration, which the paper uses, depends on one.
#include "couplings/bundle/similarity.h"
#include "base/math/jacobi.h"
#include <math.h>
#include <string.h>

void sn_rotate_double(const double q[4], const double v[3], double out[3]) {
    const double t[3] = {2 * (q[1] * v[2] - q[2] * v[1]), 2 * (q[2] * v[0] - q[0] * v[2]),
                         2 * (q[0] * v[1] - q[1] * v[0])};
    const double r[3] = {v[0] + q[3] * t[0] + (q[1] * t[2] - q[2] * t[1]),
                         v[1] + q[3] * t[1] + (q[2] * t[0] - q[0] * t[2]),
                         v[2] + q[3] * t[2] + (q[0] * t[1] - q[1] * t[0])};
    memcpy(out, r, sizeof r);
}

void sn_nearest_rotation(const double m[3][3], double out[4]) {
    // Rows and columns in the order x y z w.
    double n[4][4] = {
        {m[0][0] - m[1][1] - m[2][2], m[0][1] + m[1][0], m[2][0] + m[0][2], m[2][1] - m[1][2]},
        {m[0][1] + m[1][0], m[1][1] - m[0][0] - m[2][2], m[1][2] + m[2][1], m[0][2] - m[2][0]},
        {m[2][0] + m[0][2], m[1][2] + m[2][1], m[2][2] - m[0][0] - m[1][1], m[1][0] - m[0][1]},
        {m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1], m[0][0] + m[1][1] + m[2][2]},
    };
    double v[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}, size = 0;
    for (int i = 0; i < 16; i++) size += n[i / 4][i % 4] * n[i / 4][i % 4];
    for (int sweep = 0; sweep < 12; sweep++) { // converges quadratically; six are usually enough
        double off = 0;
        for (int p = 0; p < 4; p++)
            for (int q = p + 1; q < 4; q++) off += n[p][q] * n[p][q];
        if (!(off > 1e-32 * size)) break;
        for (int p = 0; p < 4; p++)
            for (int q = p + 1; q < 4; q++) sn_jacobi_rotate(4, *n, *v, p, q);
    }
    int best = 3; // of equals, as when all is zero, the identity
    for (int i = 2; i >= 0; --i)
        if (n[i][i] > n[best][best]) best = i;
    const double sign = v[3][best] < 0 ? -1 : 1;
    double square = 0;
    for (int k = 0; k < 4; k++) out[k] = sign * v[k][best], square += out[k] * out[k];
    if (!(square > 0.5)) out[0] = out[1] = out[2] = 0, out[3] = 1; // numbers too large: the identity
}

// Adds k times the matrix of a quaternion.
static void add_rotation(double m[3][3], double k, const double q[4]) {
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double r[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                            {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                            {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    for (int i = 0; i < 9; i++) m[i / 3][i % 3] += k * r[i / 3][i % 3];
}

#define MAX_SCALE 1e30

sn_similarity sn_similarity_fit(const sn_similarity_point *points, int count, bool rigid) {
    sn_similarity fit = {.rotation = {0, 0, 0, 1}, .scale = 1};
    double mass = 0, a[3][3] = {{0}};
    for (int i = 0; i < count; i++) {
        mass += points[i].weight;
        for (int k = 0; k < 3; k++) {
            fit.rest[k] += points[i].weight * points[i].rest[k];
            fit.centre[k] += points[i].weight * points[i].now[k];
        }
    }
    for (int k = 0; k < 3; k++) fit.rest[k] /= mass, fit.centre[k] /= mass;
    for (int i = 0; i < count; i++) {
        const sn_similarity_point *p = &points[i];
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) a[r][c] += p->weight * (p->now[r] - fit.centre[r]) * (p->rest[c] - fit.rest[c]);
        add_rotation(a, p->rotation_weight, p->rotation);
    }
    sn_nearest_rotation((const double(*)[3])a, fit.rotation);
    if (rigid) return fit;
    double up = 0, down = 0;
    for (int i = 0; i < count; i++) {
        const sn_similarity_point *p = &points[i];
        double from[3], to[3];
        for (int k = 0; k < 3; k++) from[k] = p->rest[k] - fit.rest[k];
        sn_rotate_double(fit.rotation, from, to);
        for (int k = 0; k < 3; k++) {
            up += p->weight * (p->now[k] - fit.centre[k]) * to[k];
            down += p->weight * from[k] * from[k];
        }
        up += p->scale_weight * p->scale;
        down += p->scale_weight;
    }
    if (!(down > 0)) return fit;
    const double scale = up / down; // limited, so that it fits single precision
    fit.scale = scale > MAX_SCALE ? MAX_SCALE : scale < -MAX_SCALE ? -MAX_SCALE : scale == scale ? scale : 1;
    return fit;
}
