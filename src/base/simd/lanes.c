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

int sn_best_lanes_here(void) {
    // 16 double lanes take two AVX-512 registers, 8 two AVX2 ones: half the width then.
    static const int wide_first[] = {16, 8, 4, 1};
    for (int i = sizeof(sn_real) == 8 ? 1 : 0; i < 4; i++)
        if (sn_lanes_here(wide_first[i])) return wide_first[i];
    return 1;
}

int sn_def_lanes_error(const sn_log *log, int lanes) {
    if (lanes == 0 || sn_lanes_here(lanes)) return 0;
    return sn_def_error(log, "lanes", "must be 0, or 1, 4, 8 or 16 where the machine has them (here up to %d), is %d",
                        sn_best_lanes_here(), lanes);
}
