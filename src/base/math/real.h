// The engine's number type and what depends on it. The same source builds in float (the product) and, with SN_DOUBLE,
// in double (the reference that tests compare with).
#ifndef SN_BASE_MATH_REAL_H
#define SN_BASE_MATH_REAL_H

#include "sinew/types.h"
#include <math.h>

#ifdef SN_DOUBLE
#define SN_REAL_EPSILON 2.2204460492503131e-16
typedef int64_t sn_real_bits; // an integer of the same size, for masks
static inline sn_real sn_sqrt(sn_real x) {
    return __builtin_sqrt(x);
}
static inline sn_real sn_abs(sn_real x) {
    return __builtin_fabs(x);
}
#else
#define SN_REAL_EPSILON 1.1920929e-7f
typedef int32_t sn_real_bits;
static inline sn_real sn_sqrt(sn_real x) {
    return __builtin_sqrtf(x);
}
static inline sn_real sn_abs(sn_real x) {
    return __builtin_fabsf(x);
}
#endif

#define SN_PI ((sn_real)3.14159265358979323846)

static inline sn_real sn_min(sn_real a, sn_real b) {
    return a < b ? a : b;
}
static inline sn_real sn_max(sn_real a, sn_real b) {
    return a > b ? a : b;
}
static inline sn_real sn_clamp(sn_real x, sn_real lo, sn_real hi) {
    return x < lo ? lo : (x > hi ? hi : x);
}

// False for NaN.
static inline bool sn_between(sn_real x, sn_real low, sn_real high) {
    return x >= low && x <= high;
}

// The sn_real nearest to x, and what is left of x. Without the volatile gcc 12 vectorises the two conversions into none, and nothing is
// left.
static inline sn_real sn_round(double x, sn_real *left) {
    const volatile sn_real nearest = (sn_real)x;
    *left = (sn_real)(x - (double)nearest);
    return nearest;
}

// False for NaN and infinities; no flag we use optimises it away.
static inline bool sn_finite(sn_real x) {
    return x - x == 0;
}

#endif
