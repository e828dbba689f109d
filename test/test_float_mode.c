// The engine computes with denormals and without traps whatever mode the caller is in, and leaves that mode as it was.
// compilers: all
#include "base/float_mode.h"
#include "base/tasks.h"
#include "test.h"

static void keeps_denormals(void *context, int index, int worker) {
    (void)worker;
    volatile float tiny = 1e-38f, half = 0.5f, zero = 0;
    volatile float quarter = tiny * half * half; // denormal
    volatile float infinite = half / zero;
    ((int *)context)[index] = quarter > 0 && infinite > 1e38f;
}

TEST(loops_run_in_our_mode) {
#if defined(__SSE2__)
    unsigned ours = __builtin_ia32_stmxcsr();
    unsigned flushing = (ours | 0x8040) & ~0x200u; // denormals are zero, and a division by zero traps
    sn_memory memory;
    sn_memory_init(&memory, NULL);
    for (int workers = 1; workers <= 3; workers++) {
        sn_pool *pool;
        REQUIRE(sn_pool_create(&memory, NULL, workers, &pool) == SN_OK);
        int good[100] = {0};
        __builtin_ia32_ldmxcsr(flushing);
        sn_parallel_for(pool, 100, 1, keeps_denormals, good);
        unsigned after = __builtin_ia32_stmxcsr();
        __builtin_ia32_ldmxcsr(ours);
        for (int i = 0; i < 100; i++) CHECK_INT(good[i], 1);
        CHECK_INT(after, flushing);
        sn_pool_destroy(&memory, pool);
    }
#endif
}
