// The cactus: a trunk and three arms with ribs. An arm lies in a plane with the trunk's axis: it leaves horizontally,
// bends through a quarter circle and continues upward.
//
//          |   |  |            in the plane: u outward, w upward; q: across the plane
//      |   |   | _|            the closest point on the path and the angle around the path there determine the rib:
//      |_  |   |/              r(angle) = r (1 + depth cos(ribs * angle)), fading out towards the poles
//        \_|   |
//          |   |
//
// Ribs make the field steeper than a distance, by up to sqrt(1 + (ribs depth)^2); it is divided by that.
#include "mesh/maths.h"
#include "zoo/distance_fields.h"

static const double pi = 3.14159265358979323846;

typedef struct {
    double azimuth;     // of its plane about y, degrees
    double start;       // height where it leaves the trunk
    double reach, bend; // horizontal reach, and radius of the quarter circle
    double top;         // height of its end
    double radius;
} arm;

static const arm arms[] = {
    {20, 0.52, 0.37, 0.17, 1.02, 0.092},
    {160, 0.74, 0.34, 0.15, 1.20, 0.083},
    {275, 0.40, 0.34, 0.15, 0.74, 0.078},
};
enum { ARMS = sizeof arms / sizeof *arms };

static const double depth = 0.09;
static const double steep = 1.5; // of the ribs: sqrt(1 + (12 * 0.09)^2) = 1.47

// Distance to a ribbed path: 'over' and 'across' are the offsets orthogonal to it, 'beyond' the distance past its end.
static double ribbed(double over, double across, double beyond, double radius, int ribs) {
    const double rho = own_hypot(over, across), fade = fmin(1, rho / radius);
    const double rib = depth * fade * fade * (3 - 2 * fade) * own_cos(ribs * own_atan2(across, over));
    return (own_hypot(rho, beyond) - radius * (1 + rib)) / steep;
}

static double arm_distance(const arm *a, const double p[3]) {
    const double c = own_cos(a->azimuth * pi / 180), s = own_sin(a->azimuth * pi / 180);
    const double u = c * p[0] + s * p[2], q = c * p[2] - s * p[0], w = p[1];
    const double corner_u = a->reach - a->bend, corner_w = a->start + a->bend; // centre of the quarter circle
    if (u <= corner_u && w <= corner_w)                                        // horizontal part
        return ribbed(w - a->start, q, u < 0 ? -u : 0, a->radius, 10);
    if (w >= corner_w && u >= 0.5 * corner_u) // upward part
        return ribbed(a->reach - u, q, w > a->top ? w - a->top : 0, a->radius, 10);
    if (u <= corner_u) return ribbed(w - a->start, q, u < 0 ? -u : 0, a->radius, 10);
    return ribbed(a->bend - own_hypot(u - corner_u, w - corner_w), q, 0, a->radius, 10);
}

double zoo_cactus_field(const void *context, const double p[3]) {
    (void)context;
    double d[ARMS + 1];
    const double height = 1.30, low = 0.02;
    // The trunk is thickest in the middle.
    const double radius = 0.150 + 0.020 * own_cos(2.2 * (zoo_clamp(p[1], low, height) - 0.65));
    d[ARMS] = ribbed(p[0], p[2], p[1] > height ? p[1] - height : p[1] < low ? p[1] - low : 0, radius, 12);
    for (int i = 0; i < ARMS; i++) d[i] = arm_distance(&arms[i], p);
    const double all = zoo_smooth_union(d, ARMS + 1, 0.012);
    // Cut flat at the ground.
    return zoo_corner_distance(all, -p[1], 0.02);
}
