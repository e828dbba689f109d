// How a cross-section flattens. Besides place C, rotation R and size s it has a stretch U in its plane (u, v at rest), which leaves its
// area as it is:
//
//     x -> C + s R U (x - mu')        U = | c + a    b   |        c = sqrt(1 + a^2 + b^2)
//                                         |   b    c - a |
//
// det U = c^2 - a^2 - b^2 = 1 for any a and b, and U is positive: it cannot fold. Its principal stretches are c + e and c - e, with
// e = sqrt(a^2 + b^2): one is the inverse of the other. Area is s^2 alone, which volume ties to length (bundle_volume.c), so that
// what is pressed thinner gets wider by as much. Across the plane U = 1.
//
// A section of the volume V with the shear modulus G resists as neo-Hookean tissue does, G / 2 (tr U^2 - 2), which in a and b is exactly
// quadratic, because tr U^2 = 2 c^2 + 2 e^2 = 2 + 4 e^2:
//
//     E = 2 G V (a^2 + b^2)
//
// Rates: dU/da = a / c + | 1  0 |      dU/db = b / c + | 0  1 |      inverse: U^-1 = | c - a   -b   |
//                        | 0 -1 |                      | 1  0 |                      |  -b    c + a |
#include "couplings/bundle/section.h"
#include "couplings/bundle/similarity.h"
#include <math.h>
#include <string.h>

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1], out[1] = a[2] * b[0] - a[0] * b[2], out[2] = a[0] * b[1] - a[1] * b[0];
}

sn_section_plane sn_section_plane_across(const double normal[3], const double middle[3]) {
    sn_section_plane plane = {.middle = {middle[0], middle[1], middle[2]}};
    const double length = sqrt(dot(normal, normal));
    if (!(length > 0)) return plane;
    const double n[3] = {normal[0] / length, normal[1] / length, normal[2] / length};
    int minor = 0; // the axis that is farthest from the normal
    for (int k = 1; k < 3; k++)
        if (fabs(n[k]) < fabs(n[minor])) minor = k;
    const double away[3] = {minor == 0, minor == 1, minor == 2};
    cross(n, away, plane.u);
    const double size = sqrt(dot(plane.u, plane.u));
    for (int k = 0; k < 3; k++) plane.u[k] /= size;
    cross(n, plane.u, plane.v);
    return plane;
}

// x + (m - 1) of its part in the plane, for a symmetric m: uu, uv, vv.
static void apply(const sn_section_plane *plane, const double m[3], double whole, const double x[3], double out[3]) {
    const double p = dot(plane->u, x), q = dot(plane->v, x);
    const double u = (m[0] - whole) * p + m[1] * q, v = m[1] * p + (m[2] - whole) * q;
    for (int k = 0; k < 3; k++) out[k] = whole * x[k] + u * plane->u[k] + v * plane->v[k];
}

static double middle_of(const double across[2]) {
    return sqrt(1 + across[0] * across[0] + across[1] * across[1]);
}

void sn_section_stretch(const sn_section_plane *plane, const double across[2], const double x[3], double out[3]) {
    const double c = middle_of(across);
    apply(plane, (const double[3]){c + across[0], across[1], c - across[0]}, 1, x, out);
}

void sn_section_unstretch(const sn_section_plane *plane, const double across[2], const double x[3], double out[3]) {
    sn_section_stretch(plane, (const double[2]){-across[0], -across[1]}, x, out);
}

void sn_section_stretch_rates(const sn_section_plane *plane, const double across[2], const double x[3],
                              double out[2][3]) {
    const double c = middle_of(across), more[2] = {across[0] / c, across[1] / c};
    apply(plane, (const double[3]){more[0] + 1, 0, more[0] - 1}, 0, x, out[0]);
    apply(plane, (const double[3]){more[1], 1, more[1]}, 0, x, out[1]);
}

void sn_section_lever(const sn_section_pose *pose, const sn_section_plane *plane, const double x[3], double out[3]) {
    double from[3];
    for (int k = 0; k < 3; k++) from[k] = x[k] - pose->rest[k];
    if (pose->across[0] != 0 || pose->across[1] != 0) {
        const double whole[3] = {from[0], from[1], from[2]};
        sn_section_stretch(plane, pose->across, whole, from);
    }
    for (int k = 0; k < 3; k++) from[k] *= pose->scale;
    sn_rotate_double(pose->rotation, from, out);
}

// The first axis is at half the angle of (a, b) from u.
void sn_section_axes(const sn_section_plane *plane, const double across[2], double axes[4], double stretch[2]) {
    const double e = sqrt(across[0] * across[0] + across[1] * across[1]), c = sqrt(1 + e * e);
    const double cosine2 = e > 0 ? across[0] / e : 1, cosine = sqrt(fmax(0.5 * (1 + cosine2), 0)),
                 sine = (across[1] < 0 ? -1 : 1) * sqrt(fmax(0.5 * (1 - cosine2), 0));
    stretch[0] = c + e, stretch[1] = 1 / (c + e);
    double x[3], y[3], z[3];
    for (int k = 0; k < 3; k++) x[k] = cosine * plane->u[k] + sine * plane->v[k];
    for (int k = 0; k < 3; k++) y[k] = cosine * plane->v[k] - sine * plane->u[k];
    cross(x, y, z);
    if (!(dot(z, z) > 0.5)) { // no plane
        memcpy(axes, (const double[4]){0, 0, 0, 1}, 4 * sizeof *axes);
        return;
    }
    const double m[3][3] = {{x[0], y[0], z[0]}, {x[1], y[1], z[1]}, {x[2], y[2], z[2]}};
    sn_nearest_rotation(m, axes);
}

// ---- rotations

static double dot4(const double a[4], const double b[4]) {
    return dot(a, b) + a[3] * b[3];
}

// p q, w last.
void sn_section_multiply(const double p[4], const double q[4], double out[4]) {
    double v[3];
    cross(p, q, v);
    for (int k = 0; k < 3; k++) out[k] = p[3] * q[k] + q[3] * p[k] + v[k];
    out[3] = p[3] * q[3] - dot(p, q);
}

void sn_section_make_unit(double q[4]) {
    const double length = sqrt(dot4(q, q));
    for (int k = 0; k < 4; k++) q[k] = length > 0 ? q[k] / length : k == 3;
}

// The mean of a section's rotation and that of the one before; returns the length of their sum.
double sn_section_mean_rotation(const double own[4], const double before[4], double out[4]) {
    const double sign = dot4(own, before) < 0 ? -1 : 1;
    for (int k = 0; k < 4; k++) out[k] = own[k] + sign * before[k];
    const double length = sqrt(dot4(out, out));
    sn_section_make_unit(out);
    return length;
}

// The same, and its rotation as the two rotate.
void sn_section_mean_rates(const double own[4], const double before[4], double mean[4], double own_rate[3][3],
                           double before_rate[3][3]) {
    const double length = sn_section_mean_rotation(own, before, mean),
                 back[4] = {-mean[0], -mean[1], -mean[2], mean[3]};
    for (int side = 0; side < 2; side++) {
        const double sign = side && dot4(own, before) < 0 ? -1 : 1;
        double a[4];
        sn_section_multiply(side ? before : own, back, a);
        for (int r = 0; r < 4; r++) a[r] *= sign / length;
        const double rate[3][3] = {{a[3], a[2], -a[1]}, {-a[2], a[3], a[0]}, {a[1], -a[0], a[3]}};
        memcpy(side ? before_rate : own_rate, rate, sizeof rate);
    }
}
