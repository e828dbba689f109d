// Vectors of doubles, whatever sn_real is: differences of floats are exact in them, so signs and feet computed from
// them are as accurate as the floats.
#ifndef SN_GEOMETRY_SLAB_POINT_H
#define SN_GEOMETRY_SLAB_POINT_H

#include "base/math/vec.h"

typedef struct {
    double x, y, z;
} sn_point;

// v relative to 'origin'.
static inline sn_point sn_point_of(sn_vec3 v, sn_vec3 origin) {
    return (sn_point){(double)v.x - (double)origin.x, (double)v.y - (double)origin.y, (double)v.z - (double)origin.z};
}
static inline sn_vec3 sn_vec3_of(sn_point p) {
    return (sn_vec3){(sn_real)p.x, (sn_real)p.y, (sn_real)p.z};
}
static inline sn_point sn_point_sub(sn_point a, sn_point b) {
    return (sn_point){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline sn_point sn_point_mul(double k, sn_point a) {
    return (sn_point){k * a.x, k * a.y, k * a.z};
}
static inline sn_point sn_point_mul_add(sn_point a, double k, sn_point b) { // a + k b
    return (sn_point){a.x + k * b.x, a.y + k * b.y, a.z + k * b.z};
}
static inline double sn_point_dot(sn_point a, sn_point b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline sn_point sn_point_cross(sn_point a, sn_point b) {
    return (sn_point){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

#endif
