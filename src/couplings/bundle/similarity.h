// The similarity that moves a set of weighted points, with frames and scales at them, nearest to where they are.
#ifndef SN_COUPLINGS_BUNDLE_SIMILARITY_H
#define SN_COUPLINGS_BUNDLE_SIMILARITY_H

#include "sinew/types.h"
#include <stdbool.h>

// x -> centre + scale turn (x - rest).
typedef struct {
    double rest[3];     // mean of the points at rest
    double centre[3];   // mean of the points now
    double rotation[4]; // unit quaternion, w last
    double scale;
} sn_similarity;

// One point. Weights are inertias: of the place, kg; of the frame (half its moment of inertia) and of the scale, kg
// m^2.
typedef struct {
    double rest[3], now[3];
    double weight;
    double rotation[4]; // from the frame at rest to the frame now
    double rotation_weight;
    double scale; // now, over that at rest
    double scale_weight;
} sn_similarity_point;

// Of all similarities, or (rigid) of those of scale 1, the one with the least sum of weighted squares. Needs a point.
sn_similarity sn_similarity_fit(const sn_similarity_point *points, int count, bool rigid);

// The quaternion of the rotation R that makes the sum of R's entries times m's the largest.
void sn_nearest_rotation(const double m[3][3], double out[4]);

// Turns a vector.
void sn_rotate_double(const double rotation[4], const double v[3], double out[3]);

#endif
