// The octopus, in metres at size 1, seen from the front and from above:
//
//              5                 tip of the mantle
//              4                 mantle
//              0                 crown       0-1-2-3-0: the head, a loop
//            1   3               cheeks
//              2                 hub         arms start here, all around
//     ---o---o-+-o---o---        arms, tapering, lying on the ground
//
// Radii range from 0.11 at the arms' tips to 0.45 in the mantle, lengths from 0.4 to 0.6, as in the paper's figures.
#include "zoo/octopus.h"
#include "mesh/maths.h"
#include <math.h>

enum { HEAD = 6 };

zoo_octopus zoo_octopus_default(void) {
    return (zoo_octopus){1, 8, 4};
}

int zoo_octopus_points(const zoo_octopus *octopus) {
    return HEAD + octopus->arms * octopus->arm_segments;
}

void zoo_octopus_fill(const zoo_octopus *octopus, double (*points)[3], double *radii, int *parents) {
    static const struct {
        double x, y, z, radius;
        int parent;
    } head[HEAD] = {
        {0, 1.32, 0, 0.40, 3},    {-0.36, 0.92, 0, 0.38, 0}, {0, 0.50, 0, 0.36, 1},
        {0.36, 0.92, 0, 0.38, 2}, {0, 1.80, -0.22, 0.45, 0}, {0, 2.20, -0.46, 0.32, 4},
    };
    const double size = octopus->size, reach = 1.8, root = 0.19, tip = 0.11, full_circle = 2 * 3.14159265358979323846;
    for (int i = 0; i < HEAD; i++) {
        points[i][0] = size * head[i].x, points[i][1] = size * head[i].y, points[i][2] = size * head[i].z;
        radii[i] = size * head[i].radius;
        parents[i] = head[i].parent;
    }
    int n = HEAD;
    for (int arm = 0; arm < octopus->arms; arm++) {
        double angle = full_circle * (arm + 0.5) / octopus->arms;
        for (int k = 1; k <= octopus->arm_segments; k++, n++) {
            double t = (double)k / octopus->arm_segments, radius = root + (tip - root) * t;
            double out = 0.12 + reach * t, lift = 0.06 * t * t; // tips curl up slightly
            points[n][0] = size * out * own_cos(angle);
            points[n][1] = size * (radius + lift);
            points[n][2] = size * out * own_sin(angle);
            radii[n] = size * radius;
            parents[n] = k == 1 ? 2 : n - 1;
        }
    }
}
