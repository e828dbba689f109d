// Signed distance fields of simple bodies, negative inside, for zoo_isosurface. A field may be less than the distance,
// never more. Bodies are joined by a smooth minimum, d = -k log sum exp(-d_i / k), which rounds the corner between
// them.
#ifndef SN_ZOO_DISTANCE_FIELDS_H
#define SN_ZOO_DISTANCE_FIELDS_H

#include "mesh/maths.h"
#include <math.h>

typedef struct {
    double a[3], ra, b[3], rb;
} zoo_pill;

static inline double zoo_clamp(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

// Distance to a pill (see src/geometry/pill.c).
static inline double zoo_pill_distance(const zoo_pill *pill, const double p[3]) {
    const double change = pill->rb - pill->ra;
    double l2 = 0, along = 0, from2 = 0;
    for (int k = 0; k < 3; k++) {
        const double axis = pill->b[k] - pill->a[k], from = p[k] - pill->a[k];
        l2 += axis * axis, along += axis * from, from2 += from * from;
    }
    if (change * change >= l2)
        return change > 0 ? sqrt(fmax(0, from2 - 2 * along + l2)) - pill->rb : sqrt(from2) - pill->ra;
    const double rho2 = fmax(0, from2 - along * along / l2);
    const double t = zoo_clamp(along / l2 + sqrt(rho2) * change / sqrt(l2 * (l2 - change * change)), 0, 1);
    return sqrt(fmax(0, from2 - 2 * t * along + t * t * l2)) - pill->ra - t * change;
}

// Distance to a box with rounded edges: half its sides, and the radius of the rounding.
static inline double zoo_box_distance(const double p[3], const double half[3], double round) {
    double outside = 0, inside = -1e30;
    for (int k = 0; k < 3; k++) {
        const double q = fabs(p[k]) - half[k] + round;
        outside += q > 0 ? q * q : 0;
        inside = fmax(inside, q);
    }
    return sqrt(outside) + fmin(inside, 0) - round;
}

// Distance to the intersection of two half-spaces with orthogonal walls at distances u and v, with a rounded edge.
static inline double zoo_corner_distance(double u, double v, double round) {
    const double a = u + round, b = v + round;
    return own_hypot(fmax(a, 0), fmax(b, 0)) + fmin(fmax(a, b), 0) - round;
}

static inline double zoo_smooth_union(const double *d, int count, double smooth) {
    double nearest = 1e30, sum = 0;
    for (int i = 0; i < count; i++) nearest = fmin(nearest, d[i]);
    for (int i = 0; i < count; i++)
        if (d[i] < nearest + 20 * smooth) sum += own_exp((nearest - d[i]) / smooth);
    return nearest - smooth * own_log(sum);
}

// Whole bodies of zoo/surfaces.h, each in its own file. The context is not used.
double zoo_creature_field(const void *context, const double p[3]);
double zoo_cactus_field(const void *context, const double p[3]);
double zoo_ship_field(const void *context, const double p[3]);

#endif
