// Sine, cosine, arctangent and exponential from additions, multiplications and divisions only, which IEEE 754 defines
// to the last bit. All work is in double; the float build rounds once at the end, so its results are nearly always the
// nearest float.
//
// Each function reduces its argument to a small interval, where a dozen terms of the Taylor series reach the last bit.
// The rounding error of the reduction is kept as a second, small number.
#include "base/math/trig.h"
#include <float.h>
#include <string.h>

#if FLT_EVAL_METHOD != 0
#error "intermediate results would have a wider type and differ from other machines; on i386 use -msse2 -mfpmath=sse"
#endif

// a - b rounded, and its rounding error (exact for any a and b).
static double difference(double a, double b, double *lost) {
    double d = a - b;
    double b_used = a - d;
    double a_used = d + b_used;
    *lost = (a - a_used) - (b - b_used);
    return d;
}

static int64_t nearest_integer(double x) {
    return (int64_t)(x + (x < 0 ? -0.5 : 0.5));
}

// x = k pi/2 + r with |r| <= pi/4. pi/2 is split in three parts, the first two of 33 bits, so that k times them is
// exact for k up to 2^20. Then sin and cos of r + lost from their series, swapped and negated by the quadrant k mod 4.
void sn_sincos_double(double x, double *sine, double *cosine) {
    const double half_pi_1 = 0x1.921fb544p+0, half_pi_2 = 0x1.0b4611a6p-34, half_pi_3 = 0x1.3198a2e037073p-69;
    const double two_over_pi = 0x1.45f306dc9c883p-1, two_pi = 0x1.921fb54442d18p+2;

    if (!(x - x == 0)) { // NaN or infinite
        *sine = *cosine = x - x;
        return;
    }
    // A huge angle has lost its fraction of a revolution already; the result only has to be bounded and the same
    // everywhere. fmod is exact by definition, so it is equal in every libm.
    if (x > 1e6 || x < -1e6) x = fmod(x, two_pi);

    int64_t k = nearest_integer(x * two_over_pi);
    double lost;
    double r = difference(x - (double)k * half_pi_1, (double)k * half_pi_2, &lost);
    lost -= (double)k * half_pi_3;

    double z = r * r;
    double s = -1.0 / 355687428096000 * z + 1.0 / 1307674368000; // 1/17!, 1/15!
    s = -s * z + 1.0 / 6227020800;                               // 1/13!
    s = -s * z + 1.0 / 39916800;
    s = -s * z + 1.0 / 362880;
    s = -s * z + 1.0 / 5040;
    s = -s * z + 1.0 / 120;
    s = -s * z + 1.0 / 6;
    double sin_r = r + (lost * (1 - 0.5 * z) - r * z * s);

    double c = -1.0 / 20922789888000 * z + 1.0 / 87178291200; // 1/16!, 1/14!
    c = -c * z + 1.0 / 479001600;                             // 1/12!
    c = -c * z + 1.0 / 3628800;
    c = -c * z + 1.0 / 40320;
    c = -c * z + 1.0 / 720;
    c = -c * z + 1.0 / 24;
    double half_z = 0.5 * z, head = 1 - half_z; // 1 - z/2 loses bits of z/2; the small terms restore them
    double cos_r = head + (((1 - head) - half_z) + (z * z * c - r * lost));

    switch (k & 3) {
    case 0:
        *sine = sin_r, *cosine = cos_r;
        break;
    case 1:
        *sine = cos_r, *cosine = -sin_r;
        break;
    case 2:
        *sine = -sin_r, *cosine = -cos_r;
        break;
    default:
        *sine = -cos_r, *cosine = sin_r;
        break;
    }
}

static bool negative(double x) { // also for -0
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63;
}

// With n <= d the two magnitudes and c the multiple of 1/4 nearest to n/d:
//   atan(n/d) = atan(c) + atan(z),  z = (n - c d) / (d + c n),  |z| <= 1/8,
// then the quadrant. The tables have atan(c) in double and the remainder.
double sn_atan2_double(double y, double x) {
    static const double atan_c[5] = {0, 0x1.f5b75f92c80ddp-3, 0x1.dac670561bb4fp-2, 0x1.4978fa3269ee1p-1,
                                     0x1.921fb54442d18p-1};
    static const double atan_c_rest[5] = {0, 0x1.8ab6e3cf7afbdp-57, 0x1.a2b7f222f65e2p-56, 0x1.2419a87f2a458p-56,
                                          0x1.1a62633145c07p-55};
    const double half_pi = 0x1.921fb54442d18p+0, half_pi_rest = 0x1.1a62633145c07p-54;

    if (x != x || y != y) return x + y;
    double ax = negative(x) ? -x : x, ay = negative(y) ? -y : y;
    bool steep = ay > ax;
    double n = steep ? ax : ay, d = steep ? ay : ax;
    if (n > DBL_MAX) n = d = 1;                      // both infinite: 45 degrees
    if (d > 0x1p+1000) n *= 0x1p-100, d *= 0x1p-100; // keeps d + c n finite
    if (d < 0x1p-900) n *= 0x1p+100, d *= 0x1p+100;  // keeps it from being denormal

    double ratio = d > 0 ? n / d : 0;
    int i = (int)(4 * ratio + 0.5);
    double c = 0.25 * i;
    double z = i == 0 ? ratio : (n - c * d) / (d + c * n);
    double z2 = z * z;
    double p = 1.0 / 17;
    p = 1.0 / 15 - p * z2;
    p = 1.0 / 13 - p * z2;
    p = 1.0 / 11 - p * z2;
    p = 1.0 / 9 - p * z2;
    p = 1.0 / 7 - p * z2;
    p = 1.0 / 5 - p * z2;
    p = 1.0 / 3 - p * z2;
    double rest = atan_c_rest[i] - z * z2 * p; // the angle is atan_c[i] + z + rest

    double angle;
    if (steep && negative(x)) {
        angle = (half_pi + atan_c[i]) + (z + (rest + half_pi_rest));
    } else if (steep) {
        angle = (half_pi - atan_c[i]) - (z + (rest - half_pi_rest));
    } else if (negative(x)) {
        angle = (2 * half_pi - atan_c[i]) - (z + (rest - 2 * half_pi_rest));
    } else {
        angle = atan_c[i] + (z + rest);
    }
    return negative(y) ? -angle : angle;
}

static double power_of_two(int64_t k) { // -1022 <= k <= 1023
    uint64_t bits = (uint64_t)(k + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// x = k ln 2 + r, |r| <= 0.347; exp(x) = 2^k exp(r). ln 2 is split so that k times its first part is exact.
double sn_exp_double(double x) {
    const double ln2_1 = 0x1.62e42feep-1, ln2_2 = 0x1.a39ef35793c76p-33, one_over_ln2 = 0x1.71547652b82fep+0;

    if (x != x) return x;
    if (x > 710) return HUGE_VAL;
    if (x < -746) return 0;

    int64_t k = nearest_integer(x * one_over_ln2);
    double lost;
    double r = difference(x - (double)k * ln2_1, (double)k * ln2_2, &lost);
    double p = 1.0 / 6227020800; // 1/13!
    p = p * r + 1.0 / 479001600;
    p = p * r + 1.0 / 39916800;
    p = p * r + 1.0 / 3628800;
    p = p * r + 1.0 / 362880;
    p = p * r + 1.0 / 40320;
    p = p * r + 1.0 / 5040;
    p = p * r + 1.0 / 720;
    p = p * r + 1.0 / 120;
    p = p * r + 1.0 / 24;
    p = p * r + 1.0 / 6;
    p = p * r + 1.0 / 2;
    double e = 1 + (r + (r * r * p + lost));
    // In two halves: 2^k alone may be out of range when the result is not.
    return e * power_of_two(k / 2) * power_of_two(k - k / 2);
}

void sn_sincos(sn_real x, sn_real *sine, sn_real *cosine) {
    double s, c;
    sn_sincos_double((double)x, &s, &c);
    *sine = (sn_real)s;
    *cosine = (sn_real)c;
}

sn_real sn_atan2(sn_real y, sn_real x) {
    return (sn_real)sn_atan2_double((double)y, (double)x);
}

sn_real sn_exp(sn_real x) {
    return (sn_real)sn_exp_double((double)x);
}
