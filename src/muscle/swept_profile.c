// How thick a muscle is along its length (Roussellet et al. 2018, section 5.2 and appendix B, with what is wrong there
// put right: K has a square root, and Phi is divided by the square root of F):
//
//     phi(alpha, beta; s) = s^(alpha-1) (1-s)^(beta-1) / sqrt(B(2 alpha - 1, 2 beta - 1))
//     Phi = [(1-a) phi_0 + a phi_1] / sqrt(F),     F = (1-a)^2 + a^2 + 2 a (1-a) K
//     K = B(alpha_0 + alpha_1 - 1, beta_0 + beta_1 - 1) / sqrt(B(2 alpha_0 - 1, 2 beta_0 - 1)
//                                                              B(2 alpha_1 - 1, 2 beta_1 - 1))
//
// All are integers, so B is a ratio of factorials, and the same number everywhere.
#include "muscle/swept.h"

double sn_swept_beta(int x, int y) {
    // (x-1)! (y-1)! / (x+y-1)!, factor by factor, so that nothing gets large
    double b = 1.0 / (x + y - 1);
    for (int i = 1; i < x; ++i) b *= (double)i / (double)(y - 1 + i);
    return b;
}

static bool good(sn_swept_shape shape) {
    return shape.alpha >= SN_SWEPT_LEAST_SHAPE && shape.alpha <= SN_SWEPT_MOST_SHAPE &&
           shape.beta >= SN_SWEPT_LEAST_SHAPE && shape.beta <= SN_SWEPT_MOST_SHAPE && shape.eccentricity >= 0 &&
           shape.eccentricity <= SN_SWEPT_MOST_ECCENTRICITY;
}

static double norm2(sn_swept_shape shape) {
    return sn_swept_beta(2 * shape.alpha - 1, 2 * shape.beta - 1);
}

bool sn_swept_profile_make(sn_swept_shape rest, sn_swept_shape active, sn_swept_profile *out) {
    *out = (sn_swept_profile){0};
    if (!good(rest) || !good(active)) return false;
    const double a = norm2(rest), b = norm2(active);
    *out = (sn_swept_profile){.rest = rest, .active = active};
    out->scale[0] = 1 / __builtin_sqrt(a);
    out->scale[1] = 1 / __builtin_sqrt(b);
    out->overlap =
        sn_swept_beta(rest.alpha + active.alpha - 1, rest.beta + active.beta - 1) * (out->scale[0] * out->scale[1]);
    return true;
}

sn_swept_profile sn_swept_profile_default(void) {
    sn_swept_profile profile;
    sn_swept_profile_make((sn_swept_shape){3, 3, 0}, (sn_swept_shape){4, 7, 0}, &profile);
    return profile;
}

// s^(alpha-1) (1-s)^(beta-1) and its slope.
static double bump(sn_swept_shape shape, double s, double *slope) {
    double rest = 1; // of both, one factor each less
    for (int i = 2; i < shape.alpha; ++i) rest *= s;
    for (int i = 2; i < shape.beta; ++i) rest *= 1 - s;
    *slope = rest * ((shape.alpha - 1) * (1 - s) - (shape.beta - 1) * s);
    return rest * s * (1 - s);
}

sn_swept_mix sn_swept_mix_of(const sn_swept_profile *profile, sn_real activation) {
    const double a = (double)sn_clamp(activation, 0, 1);
    const double f = (1 - a) * (1 - a) + a * a + 2 * a * (1 - a) * profile->overlap, k = 1 / __builtin_sqrt(f);
    return (sn_swept_mix){k * (1 - a) * profile->scale[0], k * a * profile->scale[1]};
}

sn_real sn_swept_mixed(const sn_swept_profile *profile, sn_swept_mix mix, sn_real s, sn_real *slope) {
    const double at = (double)sn_clamp(s, 0, 1);
    double slope0, slope1;
    const double b0 = bump(profile->rest, at, &slope0), b1 = bump(profile->active, at, &slope1);
    if (slope) *slope = (sn_real)(mix.rest * slope0 + mix.active * slope1);
    return (sn_real)(mix.rest * b0 + mix.active * b1);
}

sn_real sn_swept_phi(const sn_swept_profile *profile, sn_real activation, sn_real s, sn_real *slope) {
    return sn_swept_mixed(profile, sn_swept_mix_of(profile, activation), s, slope);
}
