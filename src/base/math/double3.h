// Vectors of three doubles, for meshes and for computations that need more precision than sn_real.
#ifndef SN_BASE_MATH_DOUBLE3_H
#define SN_BASE_MATH_DOUBLE3_H

static inline double d3_dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void d3_sub(const double a[3], const double b[3], double out[3]) {
    for (int k = 0; k < 3; k++) out[k] = a[k] - b[k];
}

// 'out' may be a or b.
static inline void d3_cross(const double a[3], const double b[3], double out[3]) {
    const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    out[0] = x, out[1] = y, out[2] = z;
}

#endif
