// A loop shared by several threads. See tasks.h.
//
// The loop in flight is described once, in the pool. Its iterations are cut into chunks, and whoever wants to help claims
// chunks from one 64-bit word, 'state':
//
//     high 32 bits: the round, odd while a loop is open, even between loops
//     low 32 bits:  the first and the last chunk that is not claimed yet, sixteen bits each (last + 1)
//
// The caller claims from the front and helpers from the back. A step is a row of loops over much the same data, so each worker
// mostly meets what it already has in its cache; only around the middle chunks change hands.
//
// A claim is a compare-and-swap of the whole word. It succeeds only if the round is still the one that was read, so a
// helper that comes late, even several loops late, claims nothing and touches nothing; the caller never waits for helpers
// to arrive or to leave, only for the chunks that were claimed. The round is closed before the description changes.
//
// Our own threads look at 'state' for a while after a loop, because a step is a row of short loops, then sleep.
// Sleeping follows one pattern: the one who sleeps announces it and then looks again, the one who changes something
// changes it and then looks for sleepers, all with sequentially consistent atomics, so at least one sees the other.
#include "base/tasks.h"
#include "base/float_mode.h"
#include <stdatomic.h>

#if defined(__wasm__)
#define SN_HAVE_THREADS 0
#else
#define SN_HAVE_THREADS 1
#include <pthread.h>
#include <signal.h>
#include <time.h>
#endif

enum {
    WORKERS_MAX = 64,
    CHUNKS_MOST = 65535,
    SPIN_NANOSECONDS = 200000,
    SPINS_PER_CLOCK = 64, // looks between two readings of the clock
};

#if SN_HAVE_THREADS
typedef struct {
    sn_pool *pool;
    int worker;
    pthread_t thread;
} helper;
#endif

struct sn_pool {
    sn_tasks hook; // enqueue null: own threads
    int workers;

    // The loop in flight. Atomic only because helpers and the caller may look at the same time.
    _Atomic(sn_iteration_fn *) fn;
    _Atomic(void *) context;
    atomic_int count, grain, chunks;

    _Alignas(SN_ALIGNMENT) _Atomic(uint64_t) state;
    _Alignas(SN_ALIGNMENT) atomic_int finished; // chunks that have been run
    atomic_int joined;                          // tasks of the user's scheduler that have taken a worker's number

#if SN_HAVE_THREADS
    _Alignas(SN_ALIGNMENT) pthread_mutex_t mutex;
    pthread_cond_t loop_opened, loop_finished;
    atomic_int sleepers;       // helpers that wait for loop_opened
    atomic_bool caller_sleeps; // the caller waits for loop_finished
    atomic_bool quit;
    helper helpers[WORKERS_MAX];
#endif
};

static uint32_t round_of(uint64_t state) {
    return (uint32_t)(state >> 32);
}

static bool is_open(uint64_t state) {
    return round_of(state) % 2 == 1;
}

static int first_of(uint64_t state) {
    return (int)(state >> 16 & 0xffff);
}

static int end_of(uint64_t state) {
    return (int)(state & 0xffff);
}

static uint64_t state_of(uint32_t round, int first, int end) {
    return (uint64_t)round << 32 | (uint64_t)first << 16 | (uint64_t)end;
}

#if SN_HAVE_THREADS
static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// Calls 'ready' until it is true, for SPIN_NANOSECONDS at most; tells whether it became true.
static bool spin(bool (*ready)(sn_pool *pool, uint32_t value), sn_pool *pool, uint32_t value) {
    struct timespec start = {0}, now;
    for (int clocks = 0;; ++clocks) {
        for (int i = 0; i < SPINS_PER_CLOCK; ++i) {
            if (ready(pool, value)) return true;
            relax();
        }
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (clocks == 0) start = now;
        int64_t passed = (int64_t)(now.tv_sec - start.tv_sec) * 1000000000 + (now.tv_nsec - start.tv_nsec);
        if (passed > SPIN_NANOSECONDS) return false;
    }
}

static bool all_finished(sn_pool *pool, uint32_t chunks) {
    return atomic_load(&pool->finished) >= (int)chunks;
}

static bool newer_loop(sn_pool *pool, uint32_t seen_round) {
    uint64_t state = atomic_load(&pool->state);
    return (is_open(state) && round_of(state) != seen_round) || atomic_load(&pool->quit);
}

static void wait_all_finished(sn_pool *pool, int chunks) {
    if (spin(all_finished, pool, (uint32_t)chunks)) return;
    pthread_mutex_lock(&pool->mutex);
    atomic_store(&pool->caller_sleeps, true);
    while (!all_finished(pool, (uint32_t)chunks)) pthread_cond_wait(&pool->loop_finished, &pool->mutex);
    atomic_store(&pool->caller_sleeps, false);
    pthread_mutex_unlock(&pool->mutex);
}

static void tell_caller(sn_pool *pool) {
    if (!atomic_load(&pool->caller_sleeps)) return;
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_signal(&pool->loop_finished);
    pthread_mutex_unlock(&pool->mutex);
}

static void wake_helpers(sn_pool *pool, int wanted) {
    int sleepers = atomic_load(&pool->sleepers);
    if (sleepers == 0) return;
    if (wanted > sleepers) wanted = sleepers;
    pthread_mutex_lock(&pool->mutex);
    for (int i = 0; i < wanted; ++i) pthread_cond_signal(&pool->loop_opened);
    pthread_mutex_unlock(&pool->mutex);
}
#else
// Without threads a user's scheduler has run every task by the time its finish returns.
static void wait_all_finished(sn_pool *pool, int chunks) {
    (void)pool, (void)chunks;
}
static void tell_caller(sn_pool *pool) {
    (void)pool;
}
#endif

static void run(sn_iteration_fn *fn, void *context, int begin, int end, int worker) {
    sn_float_mode before = sn_float_mode_enter(); // a thread of the user's may be in any mode
    for (int i = begin; i < end; ++i) fn(context, i, worker);
    sn_float_mode_leave(before);
}

// Claims and runs chunks of the open loop until none is left.
static void help(sn_pool *pool, int worker) {
    uint64_t state = atomic_load_explicit(&pool->state, memory_order_acquire);
    while (is_open(state)) {
        int first = first_of(state), end_chunk = end_of(state);
        if (first >= end_chunk) return;
        int chunk = worker == 0 ? first++ : --end_chunk;
        if (!atomic_compare_exchange_weak_explicit(&pool->state, &state, state_of(round_of(state), first, end_chunk),
                                                   memory_order_acq_rel, memory_order_acquire)) {
            continue; // 'state' now holds what is there
        }
        int chunks = atomic_load_explicit(&pool->chunks, memory_order_relaxed);

        // The chunk is ours, and until it is finished the description of the loop stays.
        sn_iteration_fn *fn = atomic_load_explicit(&pool->fn, memory_order_relaxed);
        void *context = atomic_load_explicit(&pool->context, memory_order_relaxed);
        int count = atomic_load_explicit(&pool->count, memory_order_relaxed);
        int grain = atomic_load_explicit(&pool->grain, memory_order_relaxed);
        int begin = chunk * grain;
        int end = count - begin < grain ? count : begin + grain;
        run(fn, context, begin, end, worker);
        if (atomic_fetch_add(&pool->finished, 1) + 1 == chunks) tell_caller(pool);
        state = atomic_load_explicit(&pool->state, memory_order_acquire);
    }
}

// What the user's scheduler runs. All tasks of a loop are alike; each takes the next worker's number.
static void user_task(void *argument) {
    sn_pool *pool = argument;
    int worker = 1 + atomic_fetch_add(&pool->joined, 1);
    if (worker >= pool->workers) return; // the scheduler ran a task twice
    help(pool, worker);
}

void sn_parallel_for(sn_pool *pool, int count, int grain, sn_iteration_fn *fn, void *context) {
    if (count <= 0) return;
    if (grain < 1) grain = 1;
    if ((count - 1) / grain + 1 > CHUNKS_MOST) grain = (count - 1) / CHUNKS_MOST + 1;
    int chunks = (count - 1) / grain + 1;

    if (pool->workers == 1 || chunks == 1) {
        run(fn, context, 0, count, 0);
        return;
    }

    atomic_store_explicit(&pool->fn, fn, memory_order_relaxed);
    atomic_store_explicit(&pool->context, context, memory_order_relaxed);
    atomic_store_explicit(&pool->count, count, memory_order_relaxed);
    atomic_store_explicit(&pool->grain, grain, memory_order_relaxed);
    atomic_store_explicit(&pool->chunks, chunks, memory_order_relaxed);
    atomic_store_explicit(&pool->finished, 0, memory_order_relaxed);
    atomic_store_explicit(&pool->joined, 0, memory_order_relaxed);
    uint32_t round = round_of(atomic_load_explicit(&pool->state, memory_order_relaxed)) + 1;
    atomic_store(&pool->state, state_of(round, 0, chunks)); // opens the loop

    int helpers = pool->workers < chunks ? pool->workers - 1 : chunks - 1;
    if (pool->hook.enqueue) {
        void *handles[WORKERS_MAX];
        for (int i = 0; i < helpers; ++i) handles[i] = pool->hook.enqueue(pool->hook.user, user_task, pool);
        help(pool, 0);
        for (int i = 0; i < helpers; ++i) {
            if (handles[i]) pool->hook.finish(pool->hook.user, handles[i]);
        }
    } else {
#if SN_HAVE_THREADS
        wake_helpers(pool, helpers);
#endif
        help(pool, 0);
    }
    wait_all_finished(pool, chunks);

    atomic_store(&pool->state, state_of(round + 1, 0, 0)); // closes it
}

#if SN_HAVE_THREADS
static void *helper_main(void *argument) {
    helper *self = argument;
    sn_pool *pool = self->pool;
    uint32_t seen_round = 0;
    for (;;) {
        if (!spin(newer_loop, pool, seen_round)) {
            pthread_mutex_lock(&pool->mutex);
            atomic_fetch_add(&pool->sleepers, 1);
            while (!newer_loop(pool, seen_round)) pthread_cond_wait(&pool->loop_opened, &pool->mutex);
            atomic_fetch_sub(&pool->sleepers, 1);
            pthread_mutex_unlock(&pool->mutex);
        }
        if (atomic_load(&pool->quit)) return NULL;
        uint64_t state = atomic_load(&pool->state);
        if (is_open(state)) seen_round = round_of(state);
        help(pool, self->worker);
    }
}

// Starts up to 'wanted' helpers and returns how many there are. Fewer is no failure: the caller alone can do the work,
// and sn_pool_workers tells.
static int start_helpers(sn_pool *pool, int wanted) {
    sigset_t all, before; // signals belong to the program's own threads
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int started = 0;
    while (started < wanted) {
        helper *next = &pool->helpers[started];
        *next = (helper){.pool = pool, .worker = started + 1};
        if (pthread_create(&next->thread, NULL, helper_main, next) != 0) break;
        ++started;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}
#endif

sn_status sn_pool_create(sn_memory *memory, const sn_tasks *hook, int worker_count, sn_pool **out) {
    *out = NULL;
    if (worker_count < 1 || worker_count > WORKERS_MAX) return SN_ERR_RANGE;
    sn_pool *pool = sn_alloc(memory, 1, sizeof *pool);
    if (!pool) return SN_ERR_MEMORY;
    if (hook && hook->enqueue && hook->finish) pool->hook = *hook;
    pool->workers = pool->hook.enqueue ? worker_count : 1;
#if SN_HAVE_THREADS
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->loop_opened, NULL);
    pthread_cond_init(&pool->loop_finished, NULL);
    if (!pool->hook.enqueue) pool->workers = 1 + start_helpers(pool, worker_count - 1);
#endif
    *out = pool;
    return SN_OK;
}

void sn_pool_destroy(sn_memory *memory, sn_pool *pool) {
    if (!pool) return;
#if SN_HAVE_THREADS
    if (!pool->hook.enqueue) {
        atomic_store(&pool->quit, true);
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_broadcast(&pool->loop_opened);
        pthread_mutex_unlock(&pool->mutex);
        for (int i = 0; i + 1 < pool->workers; ++i) pthread_join(pool->helpers[i].thread, NULL);
    }
    pthread_cond_destroy(&pool->loop_finished);
    pthread_cond_destroy(&pool->loop_opened);
    pthread_mutex_destroy(&pool->mutex);
#endif
    sn_free(memory, pool, 1, sizeof *pool);
}

int sn_pool_workers(const sn_pool *pool) {
    return pool->workers;
}
