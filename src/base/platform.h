// What the library asks of the operating system: memory, a clock, threads. platform_posix.c, platform_windows.c and
// platform_wasm.c implement it, each for one family of systems; the build takes one of them, and nothing else in the library
// depends on the system.
#ifndef SN_BASE_PLATFORM_H
#define SN_BASE_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>

// A block of 'size' bytes, a multiple of 'alignment', which is a power of two; null: there is no memory.
void *sn_platform_allocate(size_t size, size_t alignment);
void sn_platform_release(void *block);

// Seconds of a clock that is never set back.
double sn_platform_seconds(void);

// Storage for what the system keeps of each. A mutex and a condition must be initialised and not be moved.
typedef struct {
    _Alignas(8) unsigned char storage[64];
} sn_mutex;
typedef struct {
    _Alignas(8) unsigned char storage[64];
} sn_condition;
typedef struct {
    void *handle;
    void (*run)(void *context);
    void *context;
} sn_thread;

void sn_mutex_init(sn_mutex *mutex);
void sn_mutex_destroy(sn_mutex *mutex);
void sn_mutex_lock(sn_mutex *mutex);
void sn_mutex_unlock(sn_mutex *mutex);

void sn_condition_init(sn_condition *condition);
void sn_condition_destroy(sn_condition *condition);
void sn_condition_wait(sn_condition *condition, sn_mutex *mutex);
void sn_condition_signal(sn_condition *condition);
void sn_condition_broadcast(sn_condition *condition);

// Runs run(context) on a thread of its own, to which the system sends none of the program's signals. The thread's memory must
// stay until it is joined. False: the system has no threads, or no more.
bool sn_thread_start(sn_thread *thread, void (*run)(void *context), void *context);
void sn_thread_join(sn_thread *thread);

// Tells the processor that the thread waits for a change of memory.
static inline void sn_spin_pause(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
