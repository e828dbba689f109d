// Fits pills to a cloud of points, such as the surface of a bone or a limb.
#ifndef SN_BAKE_BONE_FIT_H
#define SN_BAKE_BONE_FIT_H

#include <stdbool.h>

#define BONE_MAX_PILLS 8

// Pill i of a chain connects ball i and ball i + 1.
typedef struct {
    double centre[3], radius;
} bone_ball;

// Fits a chain of 'pills' pills (1 to BONE_MAX_PILLS) to the surface that the points lie on: pills + 1 balls. 'error'
// (may be null) is the RMS distance from the points to the pills. False: fewer than 4 points, all points coincide, or
// no memory.
bool bone_fit(const double (*points)[3], int count, int pills, bone_ball *balls, double *error);

// Signed distance from a point to the surface of a pill, negative inside.
double bone_distance(const double x[3], const bone_ball *a, const bone_ball *b);

#endif
