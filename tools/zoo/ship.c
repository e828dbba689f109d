// The ship: a paddle steamer. Its hull, seen from above, is the intersection of two circles and narrows towards the
// keel. It has a cabin, a wheelhouse, two funnels, and on each side a hub with eight paddles.
//
//            ||  ||
//         ___||__||_[]_
//      __|_____________|____
//     \        \|/          /
//      \_______-*-_________/
//              /|'
#include "mesh/maths.h"
#include "zoo/distance_fields.h"

static const double pi = 3.14159265358979323846;

// Signed distance to the intersection of two circles that meet at x = -+half, 'beam' wide in the middle.
static double lens_distance(double x, double z, double half, double beam) {
    // The circles' centres are at z = -+offset, their radius is offset + beam / 2.
    const double b = 0.5 * beam, offset = (half * half - b * b) / (2 * b), radius = offset + b;
    x = fabs(x), z = fabs(z);
    // Nearest to the tip, or to the arc of the circle with its centre on the other side.
    if (x * offset < half * (z + offset)) return own_hypot(x, z + offset) - radius;
    return own_hypot(x - half, z);
}

static double hull_distance(const double p[3]) {
    const double deck = 0.42, height = 0.5 * deck;
    const double rise = 0.10 * p[0] * p[0]; // bow and stern rise
    const double narrow = 0.55 * (deck - zoo_clamp(p[1] - rise, 0, deck)) / deck;
    const double blunt = 0.05; // radius of stem and stern
    const double flat =
        lens_distance(p[0], p[2], 1.0 - blunt - 0.60 * narrow, 0.66 - 2 * blunt - 0.44 * narrow) - blunt;
    return zoo_corner_distance(flat, fabs(p[1] - height - rise) - height, 0.05) / 1.4;
}

// A wheel of paddles: eight boxes around an axle along z.
static double wheel_distance(double x, double y, double z, double out[2]) {
    const double middle = 0.455, reach = 0.30;
    const double side = fabs(z), azimuth = own_atan2(y, x), part = pi / 4;
    const double angle = azimuth - part * floor(azimuth / part + 0.5), rho = own_hypot(x, y);
    const double at[3] = {rho * own_cos(angle) - 0.5 * reach, rho * own_sin(angle), side - middle};
    const zoo_pill axle = {{0, 0, 0.2}, 0.055, {0, 0, middle + 0.075}, 0.055};
    out[0] = zoo_box_distance(at, (double[3]){0.5 * reach, 0.036, 0.095}, 0.030);
    out[1] = zoo_pill_distance(&axle, (double[3]){x, y, side});
    return fmin(out[0], out[1]);
}

double zoo_ship_field(const void *context, const double p[3]) {
    (void)context;
    static const zoo_pill funnels[2] = {{{-0.22, 0.55, 0}, 0.062, {-0.22, 0.98, 0}, 0.070},
                                        {{0.06, 0.55, 0}, 0.062, {0.06, 0.98, 0}, 0.070}};
    double d[7];
    d[0] = hull_distance(p);
    d[1] = zoo_box_distance((double[3]){p[0] + 0.10, p[1] - 0.50, p[2]}, (double[3]){0.46, 0.12, 0.19}, 0.04);
    d[2] = zoo_box_distance((double[3]){p[0] - 0.24, p[1] - 0.66, p[2]}, (double[3]){0.09, 0.13, 0.14}, 0.04);
    for (int i = 0; i < 2; i++) d[3 + i] = zoo_pill_distance(&funnels[i], p);
    wheel_distance(p[0] + 0.08, p[1] - 0.30, p[2], &d[5]);
    return zoo_smooth_union(d, 7, 0.008);
}
