// Fits a chain of pills to points. The balls start along the principal axis of the points, as thick as the mean
// distance from it, and then minimise the squared distances from the points to the nearest pill (Levenberg-Marquardt).
// It is the sphere-mesh of Thiery et al. 2013 with the simplest connectivity, a chain. Centres stay in the bounding box
// of the points: for a cloud unlike a pill, the best pill may be a long spike.
//
// Distance from x to a pill with ends a and b, length l and D = rb - ra: with s along the axis and h the distance from
// it, the nearest ball is at t = clamp((s + h D / sqrt(l^2 - D^2)) / l, 0, 1), and the distance is |x - c(t)| - r(t).
// If |D| >= l one ball contains the other.
#include "bake/bone_fit.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_POINTS     1500 // more add no information
#define UNKNOWNS       (4 * (BONE_MAX_PILLS + 1))
#define MAX_ITERATIONS 60

double bone_distance(const double x[3], const bone_ball *a, const bone_ball *b) {
    double d[3], y[3], l2 = 0, s = 0, y2 = 0;
    const double radius_change = b->radius - a->radius;
    for (int k = 0; k < 3; k++) {
        d[k] = b->centre[k] - a->centre[k], y[k] = x[k] - a->centre[k];
        l2 += d[k] * d[k], s += y[k] * d[k], y2 += y[k] * y[k];
    }
    double t = radius_change > 0;
    if (l2 > radius_change * radius_change) {
        const double l = sqrt(l2), along = s / l, off = sqrt(fmax(y2 - along * along, 0));
        t = fmin(fmax((along + off * radius_change / sqrt(l2 - radius_change * radius_change)) / l, 0), 1);
    }
    double to = 0;
    for (int k = 0; k < 3; k++) to += (y[k] - t * d[k]) * (y[k] - t * d[k]);
    return sqrt(to) - (a->radius + t * radius_change);
}

static double distance_to_chain(const double x[3], const bone_ball *balls, int pills) {
    double distance = bone_distance(x, &balls[0], &balls[1]);
    for (int i = 1; i < pills; i++) distance = fmin(distance, bone_distance(x, &balls[i], &balls[i + 1]));
    return distance;
}

// --- initial guess ---

// The direction of largest variance: repeated squaring of the covariance matrix makes its columns converge to it.
static void find_principal_axis(const double (*points)[3], int count, int stride, const double mean[3], double out[3]) {
    double m[3][3] = {{0}};
    for (int i = 0; i < count; i += stride)
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) m[r][c] += (points[i][r] - mean[r]) * (points[i][c] - mean[c]);
    for (int square = 0; square < 12; square++) {
        double largest = 0, product[3][3];
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) largest = fmax(largest, fabs(m[r][c]));
        if (!(largest > 0)) break;
        for (int r = 0; r < 9; r++) m[r / 3][r % 3] /= largest;
        for (int r = 0; r < 9; r++) {
            product[r / 3][r % 3] = 0;
            for (int k = 0; k < 3; k++) product[r / 3][r % 3] += m[r / 3][k] * m[k][r % 3];
        }
        memcpy(m, product, sizeof m);
    }
    int best = 0; // the longest column
    double length[3];
    for (int c = 0; c < 3; c++) {
        length[c] = sqrt(m[0][c] * m[0][c] + m[1][c] * m[1][c] + m[2][c] * m[2][c]);
        if (length[c] > length[best]) best = c;
    }
    for (int k = 0; k < 3; k++) out[k] = length[best] > 0 ? m[k][best] / length[best] : k == 0;
}

static bool initialise(const double (*points)[3], int count, int stride, int pills, bone_ball *balls, double *size) {
    double mean[3] = {0}, axis[3], low = 1e300, high = -1e300;
    int used = 0;
    for (int i = 0; i < count; i += stride, used++)
        for (int k = 0; k < 3; k++) mean[k] += points[i][k];
    for (int k = 0; k < 3; k++) mean[k] /= used;
    find_principal_axis(points, count, stride, mean, axis);
    for (int i = 0; i < count; i += stride) {
        double s = 0;
        for (int k = 0; k < 3; k++) s += (points[i][k] - mean[k]) * axis[k];
        low = fmin(low, s), high = fmax(high, s);
    }
    *size = high - low;
    if (!(*size > 0 && *size < 1e12)) return false;
    for (int j = 0; j <= pills; j++) {
        const double at = low + *size * j / pills, reach = *size / (2 * pills);
        double sum = 0, centre[3] = {0};
        int near_count = 0;
        for (int i = 0; i < count; i += stride) {
            double s = 0, d2 = 0;
            for (int k = 0; k < 3; k++) {
                const double d = points[i][k] - mean[k];
                s += d * axis[k], d2 += d * d;
            }
            if (fabs(s - at) > reach) continue;
            near_count++;
            sum += sqrt(fmax(d2 - s * s, 0));
            for (int k = 0; k < 3; k++) centre[k] += points[i][k] - mean[k] - s * axis[k];
        }
        const double radius = near_count ? fmax(sum / near_count, 0.01 * *size) : 0.1 * *size;
        const double inset = j == 0 ? fmin(radius, reach) : j == pills ? -fmin(radius, reach) : 0;
        balls[j].radius = radius;
        for (int k = 0; k < 3; k++)
            balls[j].centre[k] = mean[k] + (at + inset) * axis[k] + (near_count ? centre[k] / near_count : 0);
    }
    return true;
}

// --- minimisation ---

typedef struct {
    const double (*points)[3];
    int count, stride, pills;
    double size;
    double low[3], high[3]; // bounding box of the points; ball centres stay in it
} fit;

static double squared_error(const fit *f, const bone_ball *balls) {
    double sum = 0;
    for (int i = 0; i < f->count; i += f->stride) {
        const double d = distance_to_chain(f->points[i], balls, f->pills);
        sum += d * d;
    }
    return sum;
}

// Gauss-Newton matrix and gradient, with derivatives by finite differences.
static void normal_equations(const fit *f, const bone_ball *balls, double h[UNKNOWNS][UNKNOWNS], double g[UNKNOWNS]) {
    const int n = 4 * (f->pills + 1);
    const double step = 1e-6 * f->size;
    memset(h, 0, sizeof(double) * UNKNOWNS * UNKNOWNS);
    memset(g, 0, sizeof(double) * UNKNOWNS);
    for (int i = 0; i < f->count; i += f->stride) {
        const double at = distance_to_chain(f->points[i], balls, f->pills);
        double slope[UNKNOWNS];
        for (int k = 0; k < n; k++) {
            bone_ball changed[BONE_MAX_PILLS + 1];
            memcpy(changed, balls, sizeof *balls * (size_t)(f->pills + 1));
            if (k % 4 < 3)
                changed[k / 4].centre[k % 4] += step;
            else
                changed[k / 4].radius += step;
            slope[k] = (distance_to_chain(f->points[i], changed, f->pills) - at) / step;
        }
        for (int r = 0; r < n; r++) {
            g[r] += slope[r] * at;
            for (int c = 0; c <= r; c++) h[r][c] += slope[r] * slope[c];
        }
    }
}

// Solves (h + damping I) x = -g by Cholesky's method. False: not positive definite.
static bool solve(const double h[UNKNOWNS][UNKNOWNS], const double g[UNKNOWNS], int n, double damping,
                  double x[UNKNOWNS]) {
    double l[UNKNOWNS][UNKNOWNS];
    for (int r = 0; r < n; r++) {
        for (int c = 0; c <= r; c++) {
            double sum = h[r][c] + (r == c ? damping : 0);
            for (int k = 0; k < c; k++) sum -= l[r][k] * l[c][k];
            if (r == c && !(sum > 0)) return false;
            l[r][c] = r == c ? sqrt(sum) : sum / l[c][c];
        }
    }
    for (int r = 0; r < n; r++) {
        x[r] = -g[r];
        for (int k = 0; k < r; k++) x[r] -= l[r][k] * x[k];
        x[r] /= l[r][r];
    }
    for (int r = n - 1; r >= 0; r--) {
        for (int k = r + 1; k < n; k++) x[r] -= l[k][r] * x[k];
        x[r] /= l[r][r];
    }
    return true;
}

static void minimise(const fit *f, bone_ball *balls) {
    double h[UNKNOWNS][UNKNOWNS], g[UNKNOWNS], x[UNKNOWNS], current = squared_error(f, balls);
    const int n = 4 * (f->pills + 1);
    double damping = 1e-2 * (f->count / f->stride + 1);
    for (int iteration = 0; iteration < MAX_ITERATIONS && current > 0; iteration++) {
        normal_equations(f, balls, (double(*)[UNKNOWNS])h, g);
        bool better = false;
        for (int attempt = 0; attempt < 8 && !better; attempt++) {
            bone_ball next[BONE_MAX_PILLS + 1];
            memcpy(next, balls, sizeof *balls * (size_t)(f->pills + 1));
            if (solve((const double(*)[UNKNOWNS])h, g, n, damping, x)) {
                for (int k = 0; k < n; k++) {
                    double *centre = next[k / 4].centre;
                    if (k % 4 < 3)
                        centre[k % 4] = fmin(fmax(centre[k % 4] + x[k], f->low[k % 4]), f->high[k % 4]);
                    else
                        next[k / 4].radius = fmax(next[k / 4].radius + x[k], 1e-3 * f->size);
                }
                const double trial = squared_error(f, next);
                if (trial < current) {
                    better = true;
                    if (current - trial < 1e-9 * current) iteration = MAX_ITERATIONS;
                    current = trial;
                    memcpy(balls, next, sizeof *balls * (size_t)(f->pills + 1));
                }
            }
            damping *= better ? 0.2 : 5;
        }
        if (!better) break;
    }
}

bool bone_fit(const double (*points)[3], int count, int pills, bone_ball *balls, double *error) {
    if (count < 4 || pills < 1 || pills > BONE_MAX_PILLS) return false;
    fit f = {.points = points, .count = count, .stride = 1 + (count - 1) / MAX_POINTS, .pills = pills};
    if (!initialise(points, count, f.stride, pills, balls, &f.size)) return false;
    for (int k = 0; k < 3; k++) {
        f.low[k] = f.high[k] = points[0][k];
        for (int i = 0; i < count; i++)
            f.low[k] = fmin(f.low[k], points[i][k]), f.high[k] = fmax(f.high[k], points[i][k]);
    }
    minimise(&f, balls);
    if (error) {
        const int used = (count + f.stride - 1) / f.stride;
        *error = sqrt(squared_error(&f, balls) / used);
    }
    return true;
}
