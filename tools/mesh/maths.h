// Functions of libm that no two libms round alike, from ours (base/math/trig.h) and from operations that IEEE 754 defines to
// the last bit: what is made from a file or a formula is the same everywhere. Within about two units in the last place.
// Pictures may use libm's (test/rooms.sh).
#ifndef SN_MESH_MATHS_H
#define SN_MESH_MATHS_H

#include "base/math/trig.h"
#include <math.h>

static inline double own_sin(double x) {
    double sine, cosine;
    sn_sincos_double(x, &sine, &cosine);
    return sine;
}

static inline double own_cos(double x) {
    double sine, cosine;
    sn_sincos_double(x, &sine, &cosine);
    return cosine;
}

static inline double own_tan(double x) {
    double sine, cosine;
    sn_sincos_double(x, &sine, &cosine);
    return sine / cosine;
}

static inline double own_atan2(double y, double x) {
    return sn_atan2_double(y, x);
}

// NaN outside of [-1, 1].
static inline double own_acos(double x) {
    return sn_atan2_double(sqrt((1 - x) * (1 + x)), x);
}

static inline double own_exp(double x) {
    return sn_exp_double(x);
}

double own_log(double x);
double own_cbrt(double x);
double own_pow(double x, double y); // x >= 0, or y a whole number

// Squares must be in range.
static inline double own_hypot(double x, double y) {
    return sqrt(x * x + y * y);
}

#endif
