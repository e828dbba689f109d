// Mass, centre and inertia of solids, exactly.
//
// A pill is a solid of revolution: the caps of its two balls and the frustum of the cone that touches both. With its radius s(z) at z
// along the axis
//
//     m = int pi s^2 dz      m z_c = int pi s^2 z dz      I_along = int pi s^4 / 2 dz      I_across = int pi (s^4 / 4 + s^2 z^2) dz
//
// where s^2 is a polynomial of degree two on each of the three parts, so that all integrands are of degree four or less, and Gauss's
// rule of three points is exact.
//
// What closed triangles hold is the sum of the tetrahedra o a b c of each with a point o; those of triangles that face o count
// negative. With o at the origin, V = a . (b x c) / 6 and s = a + b + c,
//
//     m = V        m c = V s / 4        integral of x x^T = V / 20 (a a^T + b b^T + c c^T + s s^T)
#include "base/math/double3.h"
#include "kinds/rigid/rigid.h"
#include <math.h>

#define PI 3.14159265358979323846

// Integrals of s^2, s^2 z, s^2 z^2, s^4 over a part on which s^2 = a + b z + c z^2.
static void add_part(double from, double to, const double square[3], double sum[4]) {
    static const double at[3] = {-0.77459666924148337704, 0, 0.77459666924148337704};
    static const double weight[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
    if (!(to > from)) return;
    for (int k = 0; k < 3; k++) {
        const double z = 0.5 * (from + to) + 0.5 * (to - from) * at[k], w = 0.5 * (to - from) * weight[k];
        const double s2 = square[0] + z * (square[1] + z * square[2]);
        sum[0] += w * s2, sum[1] += w * s2 * z, sum[2] += w * s2 * z * z, sum[3] += w * s2 * s2;
    }
}

static void identity_times(double k, double out[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out[i][j] = i == j ? k : 0;
}

static sn_rigid_mass ball(const double centre[3], double r) {
    sn_rigid_mass m = {.mass = 4 * PI / 3 * r * r * r};
    for (int k = 0; k < 3; k++) m.centre[k] = centre[k];
    identity_times(0.4 * m.mass * r * r, m.inertia);
    return m;
}

static sn_rigid_mass pill(const sn_collider *c) {
    const double a[3] = {(double)c->ends[0].x, (double)c->ends[0].y, (double)c->ends[0].z};
    const double b[3] = {(double)c->ends[1].x, (double)c->ends[1].y, (double)c->ends[1].z};
    const double ra = (double)c->radii[0], rb = (double)c->radii[1];
    double axis[3], length2 = 0;
    for (int k = 0; k < 3; k++) axis[k] = b[k] - a[k], length2 += axis[k] * axis[k];
    const double length = sqrt(length2);
    if (!(length > fabs(ra - rb))) return ra >= rb ? ball(a, ra) : ball(b, rb); // one ball contains the other
    for (int k = 0; k < 3; k++) axis[k] /= length;
    // The cone touches the balls where the normal is inclined by this sine.
    const double sine = (ra - rb) / length, cosine = sqrt(1 - sine * sine);
    const double za = ra * sine, zb = length + rb * sine, sa = ra * cosine, slope = (rb * cosine - sa) / (zb - za);
    const double base = sa - slope * za;
    double sum[4] = {0};
    add_part(-ra, za, (const double[3]){ra * ra, 0, -1}, sum);
    add_part(za, zb, (const double[3]){base * base, 2 * base * slope, slope * slope}, sum);
    add_part(zb, length + rb, (const double[3]){rb * rb - length2, 2 * length, -1}, sum);
    sn_rigid_mass m = {.mass = PI * sum[0]};
    const double centre = sum[1] / sum[0], along = PI * sum[3] / 2;
    const double across = PI * (sum[3] / 4 + sum[2]) - m.mass * centre * centre;
    for (int i = 0; i < 3; i++) {
        m.centre[i] = a[i] + centre * axis[i];
        for (int j = 0; j < 3; j++) m.inertia[i][j] = (i == j ? across : 0) + (along - across) * (axis[i] * axis[j]);
    }
    return m;
}

static sn_rigid_mass box(const sn_collider *c) {
    const double half[3] = {(double)c->half.x, (double)c->half.y, (double)c->half.z};
    sn_rigid_mass m = {.mass = 8 * half[0] * half[1] * half[2]};
    for (int k = 0; k < 3; k++) {
        const double y = half[(k + 1) % 3], z = half[(k + 2) % 3];
        m.inertia[k][k] = m.mass / 3 * (y * y + z * z);
    }
    return m;
}

// ---- closed triangles, and sums

void sn_rigid_mass_triangle(sn_rigid_mass_sum *sum, const sn_vec3 corner[3]) {
    double v[4][3], normal[3];
    for (int k = 0; k < 3; k++) {
        v[k][0] = (double)corner[k].x - (double)sum->origin.x;
        v[k][1] = (double)corner[k].y - (double)sum->origin.y;
        v[k][2] = (double)corner[k].z - (double)sum->origin.z;
    }
    for (int x = 0; x < 3; x++) v[3][x] = v[0][x] + v[1][x] + v[2][x];
    d3_cross(v[1], v[2], normal);
    const double volume = d3_dot(v[0], normal) / 6;
    sum->mass += volume;
    for (int i = 0; i < 3; i++) {
        sum->first[i] += volume / 4 * v[3][i];
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++) sum->second[i][j] += volume / 20 * v[k][i] * v[k][j];
    }
}

sn_rigid_mass sn_rigid_mass_end(const sn_rigid_mass_sum *sum) {
    const double sign = sum->mass < 0 ? -1 : 1;
    const double o[3] = {(double)sum->origin.x, (double)sum->origin.y, (double)sum->origin.z};
    sn_rigid_mass m = {.mass = sign * sum->mass};
    double second[3][3], c[3];
    if (!(m.mass > 0)) return m;
    for (int i = 0; i < 3; i++) c[i] = sum->first[i] / sum->mass, m.centre[i] = o[i] + c[i];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) second[i][j] = sign * sum->second[i][j] - m.mass * (c[i] * c[j]);
    const double trace = second[0][0] + second[1][1] + second[2][2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) m.inertia[i][j] = m.inertia[j][i] = (i == j ? trace : 0) - second[i][j];
    return m;
}

void sn_rigid_mass_add(sn_rigid_mass *to, const sn_rigid_mass *more, double density) {
    const double mass = density * more->mass, sum = to->mass + mass, between = to->mass * mass / sum;
    double d[3];
    d3_sub(more->centre, to->centre, d);
    const double d2 = d3_dot(d, d);
    for (int i = 0; i < 3; i++) {
        to->centre[i] += mass / sum * d[i];
        for (int j = 0; j < 3; j++)
            to->inertia[i][j] += density * more->inertia[i][j] + between * ((i == j ? d2 : 0) - d[i] * d[j]);
    }
    to->mass = sum;
}

sn_rigid_mass sn_rigid_mass_of(const sn_collider *geometry) {
    static const double origin[3] = {0, 0, 0};
    if (geometry->kind == SN_GEOMETRY_SPHERE) return ball(origin, (double)geometry->radii[0]);
    if (geometry->kind == SN_GEOMETRY_PILL) return pill(geometry);
    return box(geometry);
}

void sn_rigid_invert(double m[3][3], double out[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            const int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            out[i][j] = m[a][c] * m[b][d] - m[a][d] * m[b][c];
        }
    const double inverse = 1 / (m[0][0] * out[0][0] + m[0][1] * out[0][1] + m[0][2] * out[0][2]);
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) out[j][i] = out[i][j] = inverse * out[i][j];
}

bool sn_rigid_is_mass(const sn_rigid_mass *mass) {
    const double(*m)[3] = (const double(*)[3])mass->inertia;
    const double minor = m[0][0] * m[1][1] - m[0][1] * m[0][1], trace = m[0][0] + m[1][1] + m[2][2];
    const double det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[1][2]) -
                       m[0][1] * (m[0][1] * m[2][2] - m[1][2] * m[0][2]) +
                       m[0][2] * (m[0][1] * m[1][2] - m[1][1] * m[0][2]);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < i; k++)
            if (m[i][k] != m[k][i]) return false;
    return mass->mass > 0 && m[0][0] > 0 && minor > 0 && det > 0 && sn_finite((sn_real)mass->mass) &&
           sn_finite((sn_real)trace);
}
