// The arc family (Gourmel et al. 2013). A point (f1, f2) with M = max and m = min is on the lines of its level when
// m <= k(M); the value is then M. Else it is on the arc of the level C for which
//
//     (f1 - k)^2 + (f2 - k)^2 = (C - k)^2,   k = k(C),
//
// and with (c, s) the direction from (k, k) to it: dC/df1 = c / (1 + k'(c + s - 1)), dC/df2 = s / (...).
//
//     f2 |        |            t = 1: k = C, no arc: the union
//        |        |            t = 0: k = 0, a quarter of a circle about the origin
//      C |____    |
//        |    \   |
//      k |     o  \|
//        |________|_____ f1
//                 k  C
//
// The clean union opens by the radius r(C) = C - k: r = 0.9 * 2 C (1/2 - C) below 1/2 and (C - 1/2)(1 - C) above. At
// the level 1/2 there is no arc, so the surface is that of the union; elsewhere the gradient is continuous, so muscles
// that are united twice leave no creases in the field around them.
//
// The detail operator keeps the outer part of a muscle, without the singularity at its axis and the reversed gradient
// on its inner side: outside of the muscle (D <= 1/2) it is an arc; inside, D saturates, and the rest changes over to
// h(F), an increasing function of the bone's field alone.
#include "skin/implicit/implicit_operators.h"
#include <math.h>

static double smooth_step(double x) {
    if (x <= 0) return 0;
    if (x >= 1) return 1;
    return x * x * x * (x * (6 * x - 15) + 10);
}

static double smooth_step_slope(double x) {
    if (x <= 0 || x >= 1) return 0;
    return 30 * x * x * (1 - x) * (1 - x);
}

// A smooth maximum of two numbers: rounded where they are within `width` of each other.
static double smooth_max(double a, double b, double width, double *by_b) {
    const double e = fmax(0, 1 - fabs(a - b) / width);
    *by_b = b > a ? 1 - e / 2 : e / 2;
    return fmax(a, b) + width / 4 * e * e;
}

static sn_mixed larger(double f1, double f2) {
    return f1 >= f2 ? (sn_mixed){f1, 1, 0} : (sn_mixed){f2, 0, 1};
}

static sn_mixed on_arc(double f1, double f2, double value, double k, double slope) {
    const double x = f1 - k, y = f2 - k, length = sqrt(x * x + y * y);
    if (!(length > 0)) return larger(f1, f2);
    const double c = x / length, s = y / length, sigma = 1 + slope * (c + s - 1);
    return (sn_mixed){value, c / sigma, s / sigma};
}

sn_mixed sn_arc(double f1, double f2, double t) {
    const double max = fmax(f1, f2), min = fmin(f1, f2);
    const double upper_b = (0.7 - 0.5 * t) / 0.2, upper_a = 0.5 * t - 0.5 * upper_b;
    const double corner = max <= 0.5 ? t * max : (max <= 0.7 ? upper_a + upper_b * max : max);
    if (min <= corner) return larger(f1, f2);
    const double h = 0.5 * t, r = 0.5 - h;
    const bool low = max <= 0.5 && (f1 <= h || f2 <= h || (f1 - h) * (f1 - h) + (f2 - h) * (f2 - h) <= r * r);
    const double a = low ? 0 : upper_a, b = low ? t : upper_b, x = f1 - a, y = f2 - a;
    const double A = b * b + 2 * b - 1, B = a * (1 - b) - b * (x + y), Q = x * x + y * y - a * a;
    const double value = Q / (-B + sqrt(fmax(0, B * B - A * Q)));
    return on_arc(f1, f2, value, a + b * value, b);
}

// k(C) and its slope, for the two families without closed form.
typedef double corner_fn(double level, double t, double *slope);

static double smooth_corner(double level, double t, double *slope) {
    const double x = (level - 0.5) / 0.2, s = smooth_step(x);
    *slope = t + (1 - t) * (s + level * smooth_step_slope(x) / 0.2);
    return level * (t + (1 - t) * s);
}

static double clean_corner(double level, double t, double *slope) {
    (void)t;
    if (level <= 0.5) {
        *slope = 0.1 + 3.6 * level;
        return level * (0.1 + 1.8 * level);
    }
    *slope = 2 * level - 0.5;
    return level * (level - 0.5) + 0.5;
}

// Newton's method, with bisection of the bracket [low, high], f(low) > 0 > f(high), for steps that leave it.
static double arc_error(corner_fn *corner, double f1, double f2, double t, double level, double *slope) {
    double by;
    const double k = corner(level, t, &by), x = f1 - k, y = f2 - k, r = level - k;
    *slope = -2 * by * (x + y) - 2 * r * (1 - by);
    return x * x + y * y - r * r;
}

static sn_mixed solved(corner_fn *corner, double f1, double f2, double t) {
    const double max = fmax(f1, f2), min = fmin(f1, f2);
    double slope;
    if (min <= corner(max, t, &slope)) return larger(f1, f2);
    // The levels whose arcs can contain the point: from M to the one centred at m. A looser bracket has spurious roots.
    double low = max, high = 1;
    for (double from = max; high - from > 1e-15;) {
        const double middle = 0.5 * (from + high);
        if (corner(middle, t, &slope) < min)
            from = middle;
        else
            high = middle;
        if (middle == from && middle == high) break;
    }
    double level = 0.5 * (low + high);
    for (int i = 0; i < 100 && high - low > 1e-15; i++) {
        const double error = arc_error(corner, f1, f2, t, level, &slope);
        if (error == 0) break;
        if (error > 0)
            low = level;
        else
            high = level;
        const double next = level - error / slope;
        if (next > low && next < high && fabs(next - level) < 1e-15) break;
        level = next > low && next < high ? next : 0.5 * (low + high);
    }
    const double k = corner(level, t, &slope);
    return on_arc(f1, f2, level, k, slope);
}

sn_mixed sn_arc_smooth(double f1, double f2, double t) {
    return solved(smooth_corner, f1, f2, t);
}

sn_mixed sn_clean_union(double f1, double f2) {
    return solved(clean_corner, f1, f2, 0);
}

sn_mixed sn_detail(double bone, double muscle) {
    const double openness = 0.3;
    if (muscle <= 0.5) return sn_arc_smooth(bone, muscle, openness);
    double by_line;
    const double h = smooth_max(bone, 0.6 + 0.12 * bone, 0.12, &by_line), h_slope = 1 - by_line + 0.12 * by_line;
    const double u = (muscle - 0.5) / 0.25;
    if (u >= 1) return (sn_mixed){h, h_slope, 0};
    const double bent = 0.5 + 0.25 * (u - u * u + u * u * u / 3), over = smooth_step(u);
    const sn_mixed b = sn_arc_smooth(bone, bent, openness);
    return (sn_mixed){(1 - over) * b.value + over * h, (1 - over) * b.by_first + over * h_slope,
                      (1 - over) * b.by_second * (1 - u) * (1 - u) + smooth_step_slope(u) * (h - b.value) / 0.25};
}

double sn_opening(int kind, double cosine) {
    // Control points: (cosine, y); t = tan(y pi/4), here by a polynomial with its value and slope at 1.
    double y = 1;
    if (kind == 1) // elbow
        y = cosine < 0.7 ? 1 - 0.57 * smooth_step((cosine - 0.2) / 0.5)
                         : 0.43 + 0.57 * smooth_step((cosine - 0.7) / 0.5);
    else if (kind == 2) // finger
        y = cosine < 0.2 ? 1 - 0.7 * smooth_step((cosine + 1) / 1.2) : 0.3 + 0.7 * smooth_step((cosine - 0.2) / 0.55);
    return y * (0.785398 + y * y * (0.1438055 + 0.0707965 * y * y));
}

void sn_fill_table(sn_real *table, sn_mixed (*mix)(double, double)) {
    for (int j = 0; j < SN_TABLE_SIDE; j++)
        for (int i = 0; i < SN_TABLE_SIDE; i++) {
            const sn_mixed m = mix((double)i / (SN_TABLE_SIDE - 1), (double)j / (SN_TABLE_SIDE - 1));
            sn_real *to = table + ((size_t)j * SN_TABLE_SIDE + (size_t)i) * 4;
            to[0] = (sn_real)m.value, to[1] = (sn_real)m.by_first, to[2] = (sn_real)m.by_second, to[3] = 0;
        }
}
