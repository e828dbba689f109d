// Linux, macOS and their like. See platform.h.
#define _POSIX_C_SOURCE 200809L
#include "base/platform.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
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

_Static_assert(sizeof(pthread_mutex_t) <= sizeof(sn_mutex) && _Alignof(pthread_mutex_t) <= 8, "a mutex must fit");
_Static_assert(sizeof(pthread_cond_t) <= sizeof(sn_condition) && _Alignof(pthread_cond_t) <= 8, "a condition must fit");
_Static_assert(sizeof(pthread_t) <= sizeof(void *), "a thread must fit");

static pthread_mutex_t *mutex_of(sn_mutex *mutex) {
    return (void *)mutex->storage;
}

static pthread_cond_t *condition_of(sn_condition *condition) {
    return (void *)condition->storage;
}

void sn_mutex_init(sn_mutex *mutex) {
    pthread_mutex_init(mutex_of(mutex), NULL);
}

void sn_mutex_destroy(sn_mutex *mutex) {
    pthread_mutex_destroy(mutex_of(mutex));
}

void sn_mutex_lock(sn_mutex *mutex) {
    pthread_mutex_lock(mutex_of(mutex));
}

void sn_mutex_unlock(sn_mutex *mutex) {
    pthread_mutex_unlock(mutex_of(mutex));
}

void sn_condition_init(sn_condition *condition) {
    pthread_cond_init(condition_of(condition), NULL);
}

void sn_condition_destroy(sn_condition *condition) {
    pthread_cond_destroy(condition_of(condition));
}

void sn_condition_wait(sn_condition *condition, sn_mutex *mutex) {
    pthread_cond_wait(condition_of(condition), mutex_of(mutex));
}

void sn_condition_signal(sn_condition *condition) {
    pthread_cond_signal(condition_of(condition));
}

void sn_condition_broadcast(sn_condition *condition) {
    pthread_cond_broadcast(condition_of(condition));
}

static void *thread_main(void *argument) {
    sn_thread *thread = argument;
    thread->run(thread->context);
    return NULL;
}

bool sn_thread_start(sn_thread *thread, void (*run)(void *context), void *context) {
    thread->run = run, thread->context = context;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t made;
    const bool good = pthread_create(&made, NULL, thread_main, thread) == 0;
    if (good) memcpy(&thread->handle, &made, sizeof made);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return good;
}

void sn_thread_join(sn_thread *thread) {
    pthread_t started;
    memcpy(&started, &thread->handle, sizeof started);
    pthread_join(started, NULL);
}
