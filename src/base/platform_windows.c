// Windows. See platform.h.
#define WIN32_LEAN_AND_MEAN
#include "base/platform.h"
#include <malloc.h>
#include <process.h>
#include <stdint.h>
#include <windows.h>

void *sn_platform_allocate(size_t size, size_t alignment) {
    return _aligned_malloc(size, alignment);
}

void sn_platform_release(void *block) {
    _aligned_free(block);
}

double sn_platform_seconds(void) {
    LARGE_INTEGER now, rate;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&rate);
    return (double)now.QuadPart / (double)rate.QuadPart;
}

_Static_assert(sizeof(SRWLOCK) <= sizeof(sn_mutex), "a mutex must fit");
_Static_assert(sizeof(CONDITION_VARIABLE) <= sizeof(sn_condition), "a condition must fit");

static SRWLOCK *mutex_of(sn_mutex *mutex) {
    return (void *)mutex->storage;
}

static CONDITION_VARIABLE *condition_of(sn_condition *condition) {
    return (void *)condition->storage;
}

void sn_mutex_init(sn_mutex *mutex) {
    InitializeSRWLock(mutex_of(mutex));
}

void sn_mutex_destroy(sn_mutex *mutex) {
    (void)mutex;
}

void sn_mutex_lock(sn_mutex *mutex) {
    AcquireSRWLockExclusive(mutex_of(mutex));
}

void sn_mutex_unlock(sn_mutex *mutex) {
    ReleaseSRWLockExclusive(mutex_of(mutex));
}

void sn_condition_init(sn_condition *condition) {
    InitializeConditionVariable(condition_of(condition));
}

void sn_condition_destroy(sn_condition *condition) {
    (void)condition;
}

void sn_condition_wait(sn_condition *condition, sn_mutex *mutex) {
    SleepConditionVariableSRW(condition_of(condition), mutex_of(mutex), INFINITE, 0);
}

void sn_condition_signal(sn_condition *condition) {
    WakeConditionVariable(condition_of(condition));
}

void sn_condition_broadcast(sn_condition *condition) {
    WakeAllConditionVariable(condition_of(condition));
}

static unsigned __stdcall thread_main(void *argument) {
    sn_thread *thread = argument;
    thread->run(thread->context);
    return 0;
}

bool sn_thread_start(sn_thread *thread, void (*run)(void *context), void *context) {
    thread->run = run, thread->context = context;
    thread->handle = (void *)_beginthreadex(NULL, 0, thread_main, thread, 0, NULL);
    return thread->handle != NULL;
}

void sn_thread_join(sn_thread *thread) {
    WaitForSingleObject(thread->handle, INFINITE);
    CloseHandle(thread->handle);
}
