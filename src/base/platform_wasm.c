// WebAssembly: one thread, so nothing ever waits. A scheduler of the user's runs each task before its finish returns. See
// platform.h.
#include "base/platform.h"
#include <stdlib.h>
#include <time.h>

void *sn_platform_allocate(size_t size, size_t alignment) {
    return aligned_alloc(alignment, size);
}

void sn_platform_release(void *block) {
    free(block);
}

double sn_platform_seconds(void) {
    struct timespec t;
    if (clock_gettime(CLOCK_MONOTONIC, &t) != 0) return 0;
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void sn_mutex_init(sn_mutex *mutex) {
    (void)mutex;
}

void sn_mutex_destroy(sn_mutex *mutex) {
    (void)mutex;
}

void sn_mutex_lock(sn_mutex *mutex) {
    (void)mutex;
}

void sn_mutex_unlock(sn_mutex *mutex) {
    (void)mutex;
}

void sn_condition_init(sn_condition *condition) {
    (void)condition;
}

void sn_condition_destroy(sn_condition *condition) {
    (void)condition;
}

void sn_condition_wait(sn_condition *condition, sn_mutex *mutex) {
    (void)condition, (void)mutex;
}

void sn_condition_signal(sn_condition *condition) {
    (void)condition;
}

void sn_condition_broadcast(sn_condition *condition) {
    (void)condition;
}

bool sn_thread_start(sn_thread *thread, void (*run)(void *context), void *context) {
    (void)thread, (void)run, (void)context;
    return false;
}

void sn_thread_join(sn_thread *thread) {
    (void)thread;
}
