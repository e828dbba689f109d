// The number type: what rounding leaves.
// compilers: all
#include "base/math/real.h"
#include "test.h"

typedef struct {
    sn_real c[4], left[4];
} rounded;

// As kinds use it: several coordinates at once, which compilers vectorise.
__attribute__((noinline)) static void round_all(const double *x, double scale, rounded *out) {
    for (int k = 0; k < 4; k++) out->c[k] = sn_round(scale * x[k], &out->left[k]);
}

TEST(rounding_leaves_what_is_left) {
    const double x[4] = {1.1, -2.2, 3.3e5, 1e-9}, scale = 1.0000001;
    rounded r;
    round_all(x, scale, &r);
    for (int k = 0; k < 4; k++) {
        const double exact = scale * x[k];
        CHECK(r.c[k] == (sn_real)exact);
        CHECK_NEAR((double)r.c[k] + (double)r.left[k], exact, 1e-14 * fabs(exact));
    }
}
