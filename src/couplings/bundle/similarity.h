// The similarity that best fits weighted points at rest, with frames and scales, to their current state.
#ifndef SN_COUPLINGS_BUNDLE_SIMILARITY_H
#define SN_COUPLINGS_BUNDLE_SIMILARITY_H

#include "sinew/types.h"
#include <stdbool.h>

// x -> centre + scale rotation (x - rest).
typedef struct {
    double rest[3];     // mean of the points at rest
    double centre[3];   // mean of the points now
    double rotation[4]; // unit quaternion, w last
    double scale;
} sn_similarity;

// One point. Weights are inertias: of the position, kg; of the frame (half its moment of inertia) and of the scale,
// kg m^2.
typedef struct {
    double rest[3], now[3];
    double weight;
    double rotation[4]; // from the frame at rest to the frame now
    double rotation_weight;
    double scale; // now, over the scale at rest
    double scale_weight;
} sn_similarity_point;

// The similarity, or with 'rigid' the rigid motion, with the smallest weighted sum of squares. Needs at least one
// point.
sn_similarity sn_similarity_fit(const sn_similarity_point *points, int count, bool rigid);

// The quaternion of the rotation R that maximises the sum of R's entries times m's.
void sn_nearest_rotation(const double m[3][3], double out[4]);

// Rotates a vector by a quaternion.
void sn_rotate_double(const double rotation[4], const double v[3], double out[3]);

#endif
