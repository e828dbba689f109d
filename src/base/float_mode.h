// The processor's floating-point mode: round to nearest, keep denormals, mask exceptions. Games often flush denormals
// to zero, and some programs trap on division by zero; either would change our results or stop us. Every thread that
// runs the engine enters this mode and afterwards restores the caller's. It costs a few nanoseconds.
#ifndef SN_BASE_FLOAT_MODE_H
#define SN_BASE_FLOAT_MODE_H

#include <stdint.h>

typedef uint64_t sn_float_mode;

#if defined(__SSE2__)
static inline sn_float_mode sn_float_mode_enter(void) {
    uint32_t before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(0x1F80); // mask all exceptions
    return before;
}
static inline void sn_float_mode_leave(sn_float_mode before) {
    __builtin_ia32_ldmxcsr((uint32_t)before);
}
#elif defined(__aarch64__)
static inline sn_float_mode sn_float_mode_enter(void) {
    uint64_t before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before)::"memory");
    __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)0) : "memory");
    return before;
}
static inline void sn_float_mode_leave(sn_float_mode before) {
    __asm__ volatile("msr fpcr, %0" ::"r"(before) : "memory");
}
#else // WebAssembly has only this mode
static inline sn_float_mode sn_float_mode_enter(void) {
    return 0;
}
static inline void sn_float_mode_leave(sn_float_mode before) {
    (void)before;
}
#endif

#endif
