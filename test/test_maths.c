// The tools' logarithm, roots, powers and angles: near libm's, right at the ends of their domains, and the same bits with every
// compiler and on every platform.
// links: tools
// compilers: all
#include "mesh/maths.h"
#include "test.h"
#include <float.h>
#include <stdint.h>
#include <string.h>

// Numbers that look random, the same each time: uniform in [0, 1].
static double random_number(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) / 9007199254740992.0;
}

static double ulps(double found, double right) {
    return found == right ? 0 : fabs(found - right) / (fabs(right) * DBL_EPSILON);
}

static uint64_t mixed(uint64_t hash, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
}

TEST(functions_are_near_those_of_libm_and_the_same_everywhere) {
    uint64_t state = 7, hash = 1;
    for (int i = 0; i < 20000; i++) {
        const double part = random_number(&state), size = 600 * (random_number(&state) - 0.5), x = exp(size);
        CHECK(ulps(own_log(x), log(x)) <= 2);
        CHECK(ulps(own_cbrt(x), cbrt(x)) <= 3);
        CHECK(ulps(own_pow(part, 2.4), pow(part, 2.4)) <= 4 + 4 * fabs(2.4 * log(part)));
        CHECK(fabs(own_acos(2 * part - 1) - acos(2 * part - 1)) <= 2 * DBL_EPSILON);
        CHECK(ulps(own_tan(1.5 * part), tan(1.5 * part)) <= 4);
        CHECK(ulps(own_hypot(part, size), hypot(part, size)) <= 2);
        // The arguments come from libm's exp here, so the bits are of others.
        const double y = 1000 * part;
        const double values[] = {own_log(y),    own_cbrt(y),    own_pow(y, -1.3),   own_acos(2 * part - 1),
                                 own_tan(y),    own_sin(y),     own_cos(-y),        own_hypot(y, part),
                                 own_pow(y, 3), own_exp(-part), own_atan2(part, -y)};
        for (size_t k = 0; k < sizeof values / sizeof *values; k++) hash = mixed(hash, values[k]);
    }
    CHECK_INT((int64_t)hash, INT64_C(5084632445806921984));
}

TEST(special_values_are_those_of_libm) {
    CHECK(own_log(1) == 0 && own_log(0) == -HUGE_VAL && isnan(own_log(-1)) && isnan(own_log(NAN)));
    CHECK(own_log(HUGE_VAL) == HUGE_VAL && isnan(own_log(-HUGE_VAL)));
    CHECK(own_cbrt(0) == 0 && own_cbrt(27) == 3 && own_cbrt(-8) == -2 && own_cbrt(HUGE_VAL) == HUGE_VAL);
    CHECK(own_pow(2, 10) == 1024 && own_pow(-2, 3) == -8 && own_pow(2, -2) == 0.25 && own_pow(5, 0) == 1);
    CHECK(own_pow(0, 1.5) == 0 && own_acos(1) == 0 && isnan(own_acos(1.5)));
    CHECK(fabs(own_acos(-1) - 3.14159265358979323846) <= DBL_EPSILON && own_tan(0) == 0);
}
