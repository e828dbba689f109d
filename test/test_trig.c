// Trigonometry against libm, which in double is right to about a unit in the last place. In float the result must be all but
// the nearest number; in double (test_trig_double.c includes this file) within a unit or two.
// compilers: all
#include "base/math/trig.h"
#include "test.h"
#include <float.h>
#include <stdint.h>

#ifdef SN_DOUBLE
#define SMALLEST    2.3e-308
#define GOLDEN_BITS INT64_C(5290635738417268930)
#else
#define SMALLEST    1.2e-38
#define GOLDEN_BITS INT64_C(-4542909267209998527)
#endif

// The error of 'found' in units of the last place of 'right'.
static double ulps(sn_real found, double right) {
    if ((double)found == right || (found != found && right != right)) return 0;
    double size = fabs(right) > SMALLEST ? fabs(right) : SMALLEST;
    return fabs((double)found - right) / (size * (double)SN_REAL_EPSILON);
}

// Numbers that look random, the same each time: uniform in [-1, 1].
static double random_number(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(int64_t)*state / 9223372036854775808.0;
}

static double worst; // over a test's arguments

static void compare(const char *what, double x, double y, sn_real found, double right, double tolerance) {
    double error = ulps(found, right);
    if (error > worst) worst = error;
    if (error <= tolerance) return;
    CHECK(!what);
    CHECK_NEAR(x, y, 0);
    CHECK_NEAR(found, right, 0);
}

static void compare_sincos(sn_real x) {
    sn_real s, c;
    sn_sincos(x, &s, &c);
    compare("sin", (double)x, 0, s, sin((double)x), 2);
    compare("cos", (double)x, 0, c, cos((double)x), 2);
}

TEST(sine_and_cosine) {
    uint64_t seed = 1;
    worst = 0;
    for (int i = 0; i < 200000; i++) {
        double u = random_number(&seed);
        compare_sincos((sn_real)(u * 4));
        compare_sincos((sn_real)(u * 100));
        compare_sincos((sn_real)(u * 1e4));
        compare_sincos((sn_real)(u * 9.9e5));
        compare_sincos((sn_real)exp(u * 30 - 30));
    }
    // Around multiples of pi/4, where a result is near 0 or the quadrant changes.
    for (int k = -4000; k <= 4000; k++) {
        for (int j = -3; j <= 3; j++)
            compare_sincos((sn_real)(k * 0.78539816339744830962 * (1 + j * (double)SN_REAL_EPSILON)));
    }
    CHECK(worst > 0); // it has measured something
}

TEST(sine_and_cosine_of_everything_are_bounded) {
    uint64_t seed = 2;
    for (int i = 0; i < 100000; i++) {
        double u = random_number(&seed);
        sn_real x = (sn_real)(u * exp(80 * fabs(random_number(&seed)))), s, c;
        sn_sincos(x, &s, &c);
        CHECK_NEAR(s * s + c * c, 1, 4 * SN_REAL_EPSILON);
    }
    sn_real s, c;
    sn_sincos(0, &s, &c);
    CHECK(s == 0 && c == 1);
    sn_sincos((sn_real)NAN, &s, &c);
    CHECK(s != s && c != c);
    sn_sincos((sn_real)-INFINITY, &s, &c);
    CHECK(s != s && c != c);
}

static void compare_atan2(sn_real y, sn_real x) {
    compare("atan2", (double)y, (double)x, sn_atan2(y, x), atan2((double)y, (double)x), 2);
}

TEST(arctangent) {
    uint64_t seed = 3;
    worst = 0;
    for (int i = 0; i < 300000; i++) {
        double y = random_number(&seed), x = random_number(&seed);
        compare_atan2((sn_real)y, (sn_real)x);
        compare_atan2((sn_real)(y * exp(40 * random_number(&seed))), (sn_real)(x * exp(40 * random_number(&seed))));
    }
    // Around the places where the reduction switches.
    for (int k = 0; k <= 32; k++) {
        for (int j = -3; j <= 3; j++) {
            sn_real y = (sn_real)(k / 16.0 * (1 + j * (double)SN_REAL_EPSILON));
            compare_atan2(y, 1);
            compare_atan2(-y, 1);
            compare_atan2(y, -1);
            compare_atan2(-y, -1);
        }
    }
    CHECK(worst > 0);
}

TEST(arctangent_at_the_edges) {
#ifdef SN_DOUBLE
    sn_real largest = DBL_MAX, tiny = DBL_TRUE_MIN;
#else
    sn_real largest = FLT_MAX, tiny = FLT_TRUE_MIN;
#endif
    sn_real values[] = {0, -(sn_real)0, 1, -1, largest, -largest, tiny, -tiny, (sn_real)INFINITY, -(sn_real)INFINITY};
    const int count = sizeof values / sizeof *values;
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < count; k++) {
            compare_atan2(values[i], values[k]);
            double right = atan2((double)values[i], (double)values[k]);
            CHECK(!signbit(sn_atan2(values[i], values[k])) == !signbit(right));
        }
    }
    CHECK(isnan(sn_atan2((sn_real)NAN, 1)));
    CHECK(isnan(sn_atan2(1, (sn_real)NAN)));
}

static void compare_exp(sn_real x) {
    double right = exp((double)x);
    if (isinf((sn_real)right)) right = INFINITY;
    compare("exp", (double)x, 0, sn_exp(x), right, 1.01);
}

TEST(exponential) {
    uint64_t seed = 4;
    worst = 0;
#ifdef SN_DOUBLE
    const double range = 708;
#else
    const double range = 87;
#endif
    for (int i = 0; i < 300000; i++) {
        double u = random_number(&seed);
        compare_exp((sn_real)u);
        compare_exp((sn_real)(u * 20));
        compare_exp((sn_real)(u * range));
        compare_exp((sn_real)(u * 1000));
    }
    CHECK(worst > 0);
    CHECK(sn_exp(0) == 1);
    CHECK(sn_exp((sn_real)1e30) == (sn_real)INFINITY);
    CHECK(sn_exp((sn_real)INFINITY) == (sn_real)INFINITY);
    CHECK(sn_exp((sn_real)-1e30) == 0);
    CHECK(sn_exp((sn_real)-INFINITY) == 0);
    CHECK(isnan(sn_exp((sn_real)NAN)));
}

// The bits themselves, which no compiler, flag or machine may change.
TEST(same_bits_everywhere) {
    uint64_t seed = 5, hash = 0;
    for (int i = 0; i < 10000; i++) {
        sn_real x = (sn_real)(random_number(&seed) * 50), y = (sn_real)random_number(&seed), s, c;
        sn_sincos(x, &s, &c);
        sn_real results[4] = {s, c, sn_atan2(y, x), sn_exp(x)};
        for (int k = 0; k < 4; k++) {
            sn_real_bits bits;
            memcpy(&bits, &results[k], sizeof bits);
            hash = hash * UINT64_C(1099511628211) + (uint64_t)bits;
        }
    }
    CHECK_INT(hash, GOLDEN_BITS);
}
