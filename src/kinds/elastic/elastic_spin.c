// How a free body turns, relative to its centre of mass.
//
// Implicit Euler turns bodies too little and slows them down: rates are differences of positions, along the chord of the arc that a point
// went, and forces act along where things are at the end of a step. A body that turns by w h in a step loses half of its energy in
// 1 / (w h)^2 steps. So rates at the end are rotated by half of the angle, to where things then are; the prediction x* goes along
// them rotated back, and is then rotated by what a rigid body would lack of w h.
//
// With u the rates at the start, p = (x* - x)/h those of the prediction and v = (x_new - x)/h, internal forces had no torque about x_new, so
// what acted on the body gave it sum m x_new x (v - p), and it should have the angular momentum
//
//     L = sum m x x u + sum m x_new x (v - p)
//
// A rotation of the rates, v += w x r, gives it what is missing. It gets no more than makes the energy of its rotation, 1/2 L.I^-1 L, what that was
// and the work of what acted on it; or than what implicit Euler takes at least, 1/2 u.Mu + 1/2 v.Mv - p.Mv (docs/contact.md). Sums over
// vertices are products with the reduced mass matrix.
#include "base/math/double3.h"
#include "base/math/trig.h"
#include "kinds/elastic/elastic_internal.h"
#include <math.h>
#include <string.h>

#define MIN_ANGLE 1e-4 // of a step, rad
#define MAX_ANGLE 1.5
#define MAX_SINE  0.99

void sn_elastic_rows(const sn_elastic_body *b, const sn_real *q, const double centre[3], double *out) {
    const sn_elastic_space *s = b->space;
    for (int k = 0; k < 3; k++) {
        double *to = out + (size_t)k * (size_t)s->columns;
        for (int c = 0; c < s->columns; c++) to[s->reduced.row_of_column[c]] = (double)q[k * s->columns + c];
        for (int j = 0; j < s->asset->handle_count; j++) to[s->reduced.row_of_column[s->column[j]]] -= centre[k];
    }
}

static double dot(const double *a, const double *b, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

// of[k][l] = a_k . b_l
static void products(const double *a, const double *b, int n, double of[3][3]) {
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) of[k][l] = dot(a + k * n, b + l * n, n);
}

// The sum of cross products.
static void cross_of(double p[3][3], double out[3]) {
    for (int k = 0; k < 3; k++) out[k] = p[(k + 1) % 3][(k + 2) % 3] - p[(k + 2) % 3][(k + 1) % 3];
}

static double trace(double p[3][3]) {
    return p[0][0] + p[1][1] + p[2][2];
}

// Solves the symmetric a x = b; false: singular.
static bool solve3(double a[3][3], const double b[3], double x[3]) {
    double c[3][3];
    for (int i = 0; i < 3; i++) d3_cross(a[(i + 1) % 3], a[(i + 2) % 3], c[i]);
    const double det = d3_dot(a[0], c[0]), size = trace(a);
    if (!(det > 1e-12 * size * size * size)) return false;
    for (int i = 0; i < 3; i++) x[i] = (c[0][i] * b[0] + c[1][i] * b[1] + c[2][i] * b[2]) / det;
    return true;
}

// Rows of a state less its mean, and their products with the mass matrix.
static void with_mass(const sn_elastic_body *b, const sn_real *q, double *rows, double *mass_rows) {
    const sn_elastic_space *s = b->space;
    double centre[3];
    for (int k = 0; k < 3; k++) centre[k] = sn_elastic_first_moment(b, q, k) / s->volume;
    sn_elastic_rows(b, q, centre, rows);
    for (int k = 0; k < 3; k++)
        sn_reduced_multiply(&s->reduced, s->reduced.mass, rows + k * s->columns, mass_rows + k * s->columns);
}

// The matrix of inertia from y.My.
static void inertia_of(double products[3][3], double out[3][3]) {
    const double sum = trace(products);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) out[i][k] = (i == k ? sum : 0) - products[i][k];
}

// The rotation about an axis of length 1.
static void rotation_about(const double axis[3], double angle, double out[3][3]) {
    sn_real sine, cosine, half, unused;
    sn_sincos((sn_real)angle, &sine, &cosine), sn_sincos((sn_real)(0.5 * angle), &half, &unused);
    const double less = 2 * (double)half * (double)half; // 1 - cosine
    for (int i = 0; i < 3; i++) {
        const int k = (i + 1) % 3, l = (i + 2) % 3;
        out[i][i] = 1 - less * (axis[k] * axis[k] + axis[l] * axis[l]);
        out[i][k] = less * axis[i] * axis[k] - (double)sine * axis[l];
        out[i][l] = less * axis[i] * axis[l] + (double)sine * axis[k];
    }
}

// Rotates vectors of three coordinates.
static void rotate_rows(double rotation[3][3], double *rows, int n) {
    for (int c = 0; c < n; c++) {
        const double v[3] = {rows[c], rows[n + c], rows[2 * n + c]};
        for (int k = 0; k < 3; k++) rows[k * n + c] = d3_dot(rotation[k], v);
    }
}

// Adds what rows have become beyond 'was' to columns.
static void add_change(const sn_elastic_body *b, const double *rows, const double *was, double scale, sn_real *to) {
    const sn_elastic_space *s = b->space;
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < s->columns; c++) {
            const int row = k * s->columns + s->reduced.row_of_column[c];
            to[k * s->columns + c] += (sn_real)(scale * (rows[row] - was[row]));
        }
}

void sn_elastic_rotate_prediction(sn_elastic_body *b) {
    const int n = b->space->columns;
    const size_t size = 3 * (size_t)n * sizeof(double);
    double *y = b->rows, *u = y + 3 * n, *my = u + 3 * n, *mu = my + 3 * n;
    double yy[3][3], yu[3][3], inertia[3][3], spin[3], w[3], rotation[3][3];
    with_mass(b, b->start, y, my), with_mass(b, b->rate, u, mu);
    products(y, my, n, yy), products(y, mu, n, yu);
    inertia_of(yy, inertia), cross_of(yu, spin);
    if (!solve3(inertia, spin, w)) return;
    const double speed = sqrt(d3_dot(w, w)), angle = speed * (double)b->h;
    if (!(angle > MIN_ANGLE && angle < MAX_ANGLE)) return;
    const double axis[3] = {w[0] / speed, w[1] / speed, w[2] / speed};
    sn_real sine, cosine;
    sn_sincos((sn_real)(0.5 * angle), &sine, &cosine);
    const double lacks =
        angle - (double)sn_atan2((sn_real)angle * cosine,
                                 1 + (sn_real)angle * sine); // of a point that goes along u rotated back
    double *was = mu;
    memcpy(was, u, size);
    rotation_about(axis, -0.5 * angle, rotation);
    rotate_rows(rotation, u, n);
    add_change(b, u, was, (double)b->h, b->q);
    for (int i = 0; i < 3 * n; i++) y[i] += (double)b->h * u[i];
    memcpy(was, y, size);
    rotation_about(axis, lacks, rotation);
    rotate_rows(rotation, y, n);
    add_change(b, y, was, 1, b->q);
}

// Turns the rates at the end, and their products with the mass, by half of the angle that the body has rotated by.
static void rotate_rates(const sn_elastic_body *b, double inertia[3][3], const double spin[3], double *v, double *mv) {
    double w[3], rotation[3][3];
    if (!solve3(inertia, spin, w)) return;
    const double speed = sqrt(d3_dot(w, w)), sine = fmin(speed * (double)b->h, MAX_SINE); // along the chord
    if (!(sine > MIN_ANGLE)) return;
    const double axis[3] = {w[0] / speed, w[1] / speed, w[2] / speed};
    rotation_about(axis, 0.5 * (double)sn_atan2((sn_real)sine, (sn_real)sqrt(1 - sine * sine)), rotation);
    rotate_rows(rotation, v, b->space->columns), rotate_rows(rotation, mv, b->space->columns);
}

// The largest share with curvature share^2 / 2 + slope share + constant <= 0; 0 if there is none.
static double largest_share(double curvature, double slope, double constant) {
    const double square = slope * slope - 2 * curvature * constant;
    return square > 0 && curvature > 0 ? fmax((sqrt(square) - slope) / curvature, 0) : 0;
}

void sn_elastic_conserve_spin(sn_elastic_body *b, const sn_real *before, sn_real *now) {
    const sn_elastic_space *s = b->space;
    const int n = s->columns;
    double *y = b->rows, *x = y + 3 * n, *u = x + 3 * n, *v = u + 3 * n, *p = v + 3 * n, *my = p + 3 * n;
    double *mu = my + 3 * n, *mv = mu + 3 * n, *mp = mv + 3 * n;
    const sn_real per_h = 1 / b->h;
    for (int i = 0; i < 3 * n; i++) b->shifted[i] = per_h * (b->predicted[i] - b->start[i]);
    double xu[3][3], xx[3][3], yp[3][3], yv[3][3], yy[3][3], vv[3][3], uu[3][3], pv[3][3];
    with_mass(b, b->start, x, my), products(x, my, n, xx);
    with_mass(b, b->q, y, my), products(y, my, n, yy);
    with_mass(b, before, u, mu), with_mass(b, now, v, mv), with_mass(b, b->shifted, p, mp);
    products(x, mu, n, xu), products(y, mp, n, yp), products(y, mv, n, yv);
    products(v, mv, n, vv), products(u, mu, n, uu), products(p, mv, n, pv);
    double had[3], predicted[3], missing[3], spin[3], given[3], inertia[3][3], inertia_before[3][3];
    double w[3], w_before[3], w_now[3], iw[3];
    cross_of(xu, had), cross_of(yp, predicted), cross_of(yv, spin);
    inertia_of(yy, inertia), inertia_of(xx, inertia_before);
    d3_sub(spin, predicted, given);
    double *was = my;
    memcpy(was, v, 3 * (size_t)n * sizeof *v);
    rotate_rates(b, inertia, spin, v, mv);
    add_change(b, v, was, 1, now);
    products(y, mv, n, yv), cross_of(yv, spin);
    for (int k = 0; k < 3; k++) missing[k] = had[k] + given[k] - spin[k];
    if (!solve3(inertia, missing, w) || !solve3(inertia_before, had, w_before) || !solve3(inertia, spin, w_now)) return;
    for (int k = 0; k < 3; k++) iw[k] = d3_dot(inertia[k], w);
    const double slope = d3_dot(w, spin), curvature = d3_dot(w, iw), taken = 0.5 * (trace(uu) + trace(vv)) - trace(pv);
    const double work = 0.5 * (d3_dot(given, w_before) + d3_dot(given, w_now));
    const double above = 0.5 * (d3_dot(spin, w_now) - d3_dot(had, w_before)) - work;
    const double share = fmin(
        fmax(largest_share(curvature, slope, -taken), largest_share(curvature, slope - 0.5 * d3_dot(given, w), above)),
        1);
    for (int c = 0; c < n; c++) {
        const int row = s->reduced.row_of_column[c];
        const double r[3] = {y[row], y[n + row], y[2 * n + row]};
        double more[3];
        d3_cross(w, r, more);
        for (int k = 0; k < 3; k++) now[k * n + c] += (sn_real)(share * more[k]);
    }
}
