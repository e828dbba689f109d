// The thickness of a muscle along its axis (Roussellet et al. 2018, section 5.2 and appendix B, with two corrections: K
// has a square root, and Phi is divided by the square root of F):
//
//     phi(alpha, beta; s) = s^(alpha-1) (1-s)^(beta-1) / sqrt(B(2 alpha - 1, 2 beta - 1))
//     Phi = [(1-a) phi_0 + a phi_1] / sqrt(F),     F = (1-a)^2 + a^2 + 2 a (1-a) K
//     K = B(alpha_0 + alpha_1 - 1, beta_0 + beta_1 - 1) / sqrt(B(2 alpha_0 - 1, 2 beta_0 - 1)
//                                                              B(2 alpha_1 - 1, 2 beta_1 - 1))
//
// For integer alpha and beta, B is a ratio of factorials and bitwise the same on every platform. Exponents in between
// interpolate bilinearly between the (up to four) neighbours, phi' = sum c_ij phi(alpha + i, beta + j), i and j 0 or 1:
// s^(alpha-1) (1-s)^(beta-1) (c_00 + c_10 s + c_01 (1-s) + c_11 s (1-s)). So profiles change continuously, and
// integrals of products are sums of Bs.
#include "kinds/implicit_muscle/muscle_spindle.h"

double sn_muscle_beta_function(int x, int y) {
    // (x-1)! (y-1)! / (x+y-1)!, factor by factor to avoid large numbers
    double b = 1.0 / (x + y - 1);
    for (int i = 1; i < x; i++) b *= (double)i / (double)(y - 1 + i);
    return b;
}

static bool is_valid(sn_implicit_muscle_profile spindle) {
    return spindle.alpha >= SN_MUSCLE_MIN_EXPONENT && spindle.alpha <= SN_MUSCLE_MAX_EXPONENT &&
           spindle.beta >= SN_MUSCLE_MIN_EXPONENT && spindle.beta <= SN_MUSCLE_MAX_EXPONENT &&
           spindle.eccentricity >= 0 && spindle.eccentricity <= SN_MUSCLE_MAX_ECCENTRICITY;
}

// The integers below, and the weights of the neighbours.
static sn_muscle_bump bump_of(sn_implicit_muscle_profile spindle) {
    sn_muscle_bump bump = {.alpha = (int)spindle.alpha, .beta = (int)spindle.beta, .c = {{1, 0}, {0, 0}}};
    const double u = (double)spindle.alpha - bump.alpha, v = (double)spindle.beta - bump.beta;
    bump.whole = u == 0 && v == 0;
    for (int i = 0; i < 2 && !bump.whole; i++)
        for (int j = 0; j < 2; j++) {
            const double weight = (i ? u : 1 - u) * (j ? v : 1 - v);
            const double norm2 = sn_muscle_beta_function(2 * (bump.alpha + i) - 1, 2 * (bump.beta + j) - 1);
            bump.c[i][j] = weight > 0 ? weight / __builtin_sqrt(norm2) : 0;
        }
    return bump;
}

// The integral of the product of two bumps.
static double product(const sn_muscle_bump *p, const sn_muscle_bump *q) {
    double sum = 0;
    for (int k = 0; k < 16; k++) {
        const int i = k & 1, j = k >> 1 & 1, m = k >> 2 & 1, n = k >> 3 & 1;
        const double weight = p->c[i][j] * q->c[m][n];
        if (weight > 0)
            sum += weight * sn_muscle_beta_function(p->alpha + i + q->alpha + m - 1, p->beta + j + q->beta + n - 1);
    }
    return sum;
}

bool sn_muscle_profile_init(sn_implicit_muscle_profile rest, sn_implicit_muscle_profile active,
                            sn_muscle_profile *out) {
    *out = (sn_muscle_profile){0};
    if (!is_valid(rest) || !is_valid(active)) return false;
    *out = (sn_muscle_profile){.rest = rest, .active = active, .bump = {bump_of(rest), bump_of(active)}};
    for (int k = 0; k < 2; k++) out->scale[k] = 1 / __builtin_sqrt(product(&out->bump[k], &out->bump[k]));
    out->overlap = product(&out->bump[0], &out->bump[1]) * (out->scale[0] * out->scale[1]);
    return true;
}

sn_muscle_profile sn_muscle_profile_default(void) {
    sn_muscle_profile profile;
    sn_muscle_profile_init((sn_implicit_muscle_profile){3, 3, 0}, (sn_implicit_muscle_profile){4, 7, 0}, &profile);
    return profile;
}

// A bump and its slope.
static double bump_at(const sn_muscle_bump *bump, double s, double *slope) {
    double rest = 1; // both powers without their last factor
    for (int i = 2; i < bump->alpha; i++) rest *= s;
    for (int i = 2; i < bump->beta; i++) rest *= 1 - s;
    *slope = rest * ((bump->alpha - 1) * (1 - s) - (bump->beta - 1) * s);
    const double value = rest * s * (1 - s);
    if (bump->whole) return value;
    const double mix = bump->c[0][0] + bump->c[1][0] * s + bump->c[0][1] * (1 - s) + bump->c[1][1] * s * (1 - s);
    *slope = *slope * mix + value * (bump->c[1][0] - bump->c[0][1] + bump->c[1][1] * (1 - 2 * s));
    return value * mix;
}

sn_muscle_profile_mix sn_muscle_profile_get_mix(const sn_muscle_profile *profile, sn_real activation) {
    const double a = (double)sn_clamp(activation, 0, 1);
    const double f = (1 - a) * (1 - a) + a * a + 2 * a * (1 - a) * profile->overlap, k = 1 / __builtin_sqrt(f);
    return (sn_muscle_profile_mix){k * (1 - a) * profile->scale[0], k * a * profile->scale[1]};
}

sn_real sn_muscle_profile_eval_mix(const sn_muscle_profile *profile, sn_muscle_profile_mix mix, sn_real s,
                                   sn_real *slope) {
    const double at = (double)sn_clamp(s, 0, 1);
    double slope0, slope1;
    const double b0 = bump_at(&profile->bump[0], at, &slope0), b1 = bump_at(&profile->bump[1], at, &slope1);
    if (slope) *slope = (sn_real)(mix.rest * slope0 + mix.active * slope1);
    return (sn_real)(mix.rest * b0 + mix.active * b1);
}

sn_real sn_muscle_profile_eval(const sn_muscle_profile *profile, sn_real activation, sn_real s, sn_real *slope) {
    return sn_muscle_profile_eval_mix(profile, sn_muscle_profile_get_mix(profile, activation), s, slope);
}
