// See lanes.h. On other machines than x86-64 the compiler splits wide vectors into native ones, so all widths run.
#include "base/simd/lanes.h"
#include "base/math/real.h"

static bool machine_has(int lanes) {
#if defined(__x86_64__)
    if (lanes == 8) return __builtin_cpu_supports("avx2");
    if (lanes == 16) return __builtin_cpu_supports("avx512f");
#endif
    return lanes == 1 || lanes == 4 || lanes == 8 || lanes == 16;
}

bool sn_lanes_here(int lanes) {
#define BUILT(w) || lanes == w
    return (false SN_EACH_WIDTH(BUILT)) && machine_has(lanes);
}

// How many numbers a register holds. Elsewhere than on x86-64 four: NEON and WebAssembly have no wider ones, and what is split
// into several takes more instructions (docs/performance.md).
static int register_lanes(void) {
#if defined(__x86_64__)
    const int lanes = machine_has(16) ? 16 : machine_has(8) ? 8 : 4;
    return sizeof(sn_real) == 8 && lanes > 4 ? lanes / 2 : lanes;
#else
    return 4;
#endif
}

int sn_best_lanes_here(void) {
    static const int widths[] = {1, 4, 8, 16};
    const int fits = register_lanes();
    int best = 1;
    for (int i = 0; i < 4; i++) // the widest that fits, or the narrowest that there is
        if (sn_lanes_here(widths[i]) && (widths[i] <= fits || !sn_lanes_here(best))) best = widths[i];
    return best;
}

int sn_def_lanes_error(const sn_log *log, int lanes) {
    if (lanes == 0 || sn_lanes_here(lanes)) return 0;
    return sn_def_error(log, "lanes", "must be 0, or 1, 4, 8 or 16 where the machine has them (here up to %d), is %d",
                        sn_best_lanes_here(), lanes);
}
