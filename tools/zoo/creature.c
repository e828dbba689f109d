// The creature: a friendly four-legged animal, a smooth union of pills.
//
//            ears
//             ||
//            (head)=nose         pills taper from radius to radius; the right side mirrors the left in z
//    tail    //
//      |    neck
//       (hips)===(belly)===(chest)
//        | |               | |
//      hind legs         fore legs
#include "zoo/distance_fields.h"

// On the symmetry plane, z = 0.
static const zoo_pill spine[] = {
    {{-0.29, 0.54, 0}, 0.170, {-0.02, 0.52, 0}, 0.190}, // hips to belly
    {{-0.02, 0.52, 0}, 0.190, {0.25, 0.56, 0}, 0.180},  // belly to chest
    {{0.30, 0.60, 0}, 0.130, {0.46, 0.80, 0}, 0.105},   // neck
    {{0.47, 0.86, 0}, 0.150, {0.53, 0.86, 0}, 0.140},   // head
    {{0.57, 0.82, 0}, 0.100, {0.71, 0.79, 0}, 0.072},   // nose
    {{-0.40, 0.58, 0}, 0.075, {-0.56, 0.62, 0}, 0.055}, // tail, in three
    {{-0.56, 0.62, 0}, 0.055, {-0.68, 0.73, 0}, 0.046}, {{-0.68, 0.73, 0}, 0.046, {-0.73, 0.87, 0}, 0.054},
};

// Left side, z > 0; the right side is mirrored.
static const zoo_pill side[] = {
    {{0.445, 0.95, 0.095}, 0.056, {0.405, 1.09, 0.150}, 0.034}, // ear
    {{0.26, 0.48, 0.105}, 0.110, {0.245, 0.27, 0.130}, 0.078},  // fore leg: upper, lower, foot
    {{0.245, 0.27, 0.130}, 0.078, {0.262, 0.085, 0.130}, 0.064},
    {{0.270, 0.066, 0.130}, 0.068, {0.330, 0.056, 0.130}, 0.058},
    {{-0.31, 0.49, 0.105}, 0.125, {-0.245, 0.29, 0.135}, 0.086}, // hind leg: thigh, shank, foot
    {{-0.245, 0.29, 0.135}, 0.086, {-0.320, 0.10, 0.135}, 0.064},
    {{-0.320, 0.066, 0.135}, 0.068, {-0.255, 0.056, 0.135}, 0.058},
};

enum { SPINE = sizeof spine / sizeof *spine, SIDE = sizeof side / sizeof *side };

double zoo_creature_field(const void *context, const double p[3]) {
    (void)context;
    double d[SPINE + 2 * SIDE];
    const double mirrored[3] = {p[0], p[1], -p[2]};
    for (int i = 0; i < SPINE; i++) d[i] = zoo_pill_distance(&spine[i], p);
    for (int i = 0; i < SIDE; i++) {
        d[SPINE + i] = zoo_pill_distance(&side[i], p);
        d[SPINE + SIDE + i] = zoo_pill_distance(&side[i], mirrored);
    }
    return zoo_smooth_union(d, SPINE + 2 * SIDE, 0.016);
}
