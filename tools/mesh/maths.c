// See maths.h.
//
//     log(2^k m) = k ln 2 + 2 atanh(f),  f = (m - 1) / (m + 1),  1/sqrt 2 <= m < sqrt 2, so |f| < 0.172
//     atanh(f) = f + f^3/3 + f^5/5 + ...
#include "mesh/maths.h"
#include <stdbool.h>
#include <stdlib.h>

double own_log(double x) {
    if (!(x > 0)) return x == 0 ? -HUGE_VAL : NAN;
    if (!(x - x == 0)) return x;
    int k;
    double m = frexp(x, &k); // in [1/2, 1); exact
    if (m < 0.70710678118654752) m *= 2, k--;
    const double f = (m - 1) / (m + 1), z = f * f;
    double p = 1.0 / 21;
    for (int i = 19; i >= 3; i -= 2) p = p * z + 1.0 / i;
    const double ln2_1 = 0x1.62e42feep-1, ln2_2 = 0x1.a39ef35793c76p-33; // k times the first part is exact
    return k * ln2_1 + (2 * f + (2 * f * z * p + k * ln2_2));
}

double own_cbrt(double x) {
    const double size = fabs(x);
    if (!(size > 0) || !(size - size == 0)) return x;
    double y = own_exp(own_log(size) / 3);
    y -= (y - size / (y * y)) / 3; // a step of Newton's
    return x < 0 ? -y : y;
}

double own_pow(double x, double y) {
    enum { BY_PRODUCTS = 16 };
    if (fabs(y) > BY_PRODUCTS || y != floor(y)) return x == 0 && y > 0 ? 0 : own_exp(y * own_log(x));
    double product = 1;
    for (int i = abs((int)y); i > 0; i--) product *= x;
    return y < 0 ? 1 / product : product;
}
