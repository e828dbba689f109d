// Parallel loops. See tasks.h.
//
// The pool that opens a loop describes it once. The iterations are cut into chunks, and every helper claims chunks from
// one 64-bit word, 'state':
//
//     high 32 bits: the round, odd while a loop is open, even between loops
//     low 32 bits:  the first unclaimed chunk, and one past the last, sixteen bits each
//
// The caller claims from the front and helpers from the back. A step is a sequence of loops over much the same data, so
// each worker mostly gets data that is in its cache already; only the chunks in the middle move between workers.
//
// A claim is a compare-and-swap of the whole word. It succeeds only if the round is still the one that was read, so a
// helper that is late, even by several loops, claims nothing and accesses nothing. The caller never waits for helpers
// to arrive or leave, only for chunks that were claimed. The round is closed before the description changes.
//
// sn_parallel_each opens a loop whose iterations have loops of their own. Each worker opens those in its own pool, one
// of 'inner', and sets a bit of 'opened' to tell the others. Workers that run out of outer iterations help with inner
// loops.
//
// After a loop our own threads spin for a while before they sleep, because a step is a sequence of short loops. To
// sleep, a thread announces it and then checks again; to wake, a thread makes its change and then checks for sleepers.
// All of this is sequentially consistent, so at least one of the two sees the other.
#include "base/tasks.h"
#include "base/float_mode.h"
#include "base/platform.h"
#include <stdatomic.h>

enum {
    WORKERS_MAX = 64,
    CHUNKS_MAX = 65535,
    SPINS_PER_CLOCK = 64, // checks between two readings of the clock
};

static const double SPIN_SECONDS = 200e-6;

typedef struct team team;

typedef struct {
    team *team;
    int worker;
    sn_thread thread;
} helper;

// A pool opens loops, one at a time. The description of the loop is atomic only because helpers may read it while the
// caller changes it.
struct sn_pool {
    team *team;
    int worker; // number of the worker that opens loops here
    _Atomic(sn_iteration_fn *) fn;
    _Atomic(void *) context;
    atomic_int count, grain, chunks;

    _Alignas(SN_ALIGNMENT) _Atomic(uint64_t) state;
    _Alignas(SN_ALIGNMENT) atomic_int finished; // chunks that are done
    atomic_int joined;                          // tasks of the user's scheduler that got a worker number
};

struct team {
    sn_tasks hook; // enqueue null: own threads
    int workers;
    sn_pool outer;              // the pool that users of tasks.h get; the caller is worker 0
    sn_pool inner[WORKERS_MAX]; // the pool of each worker inside an iteration of sn_parallel_each

    _Alignas(SN_ALIGNMENT) _Atomic(uint64_t) opened; // one bit per inner pool with an open loop
    _Alignas(SN_ALIGNMENT) sn_mutex mutex;
    sn_condition loop_opened, loop_finished;
    atomic_int sleepers; // helpers that wait on loop_opened
    atomic_int callers;  // callers that wait on loop_finished
    atomic_bool quit;
    helper helpers[WORKERS_MAX];
};
_Static_assert(WORKERS_MAX <= 64, "one bit per worker");

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

static void run(sn_iteration_fn *fn, void *context, int begin, int end, int worker) {
    sn_float_mode before = sn_float_mode_enter(); // a thread of the user's scheduler may be in any mode
    for (int i = begin; i < end; i++) fn(context, i, worker);
    sn_float_mode_leave(before);
}

static void tell_callers(team *t);

// Claims and runs chunks of the open loop until none is left.
static void help(sn_pool *pool, int worker) {
    uint64_t state = atomic_load_explicit(&pool->state, memory_order_acquire);
    while (is_open(state)) {
        int first = first_of(state), end_chunk = end_of(state);
        if (first >= end_chunk) return;
        int chunk = worker == pool->worker ? first++ : --end_chunk;
        if (!atomic_compare_exchange_weak_explicit(&pool->state, &state, state_of(round_of(state), first, end_chunk),
                                                   memory_order_acq_rel, memory_order_acquire)) {
            continue; // 'state' now has the current value
        }
        int chunks = atomic_load_explicit(&pool->chunks, memory_order_relaxed);

        // The chunk is ours: until it is finished, the description of the loop stays.
        sn_iteration_fn *fn = atomic_load_explicit(&pool->fn, memory_order_relaxed);
        void *context = atomic_load_explicit(&pool->context, memory_order_relaxed);
        int count = atomic_load_explicit(&pool->count, memory_order_relaxed);
        int grain = atomic_load_explicit(&pool->grain, memory_order_relaxed);
        int begin = chunk * grain;
        int end = count - begin < grain ? count : begin + grain;
        run(fn, context, begin, end, worker);
        if (atomic_fetch_add(&pool->finished, 1) + 1 == chunks) tell_callers(pool->team);
        state = atomic_load_explicit(&pool->state, memory_order_acquire);
    }
}

// Calls 'ready' until it returns true, for at most SPIN_SECONDS; returns whether it did.
static bool spin(bool (*ready)(const void *of), const void *of) {
    double start = 0;
    for (int clocks = 0;; clocks++) {
        for (int i = 0; i < SPINS_PER_CLOCK; i++) {
            if (ready(of)) return true;
            sn_spin_pause();
        }
        const double now = sn_platform_seconds();
        if (clocks == 0) start = now;
        if (now - start > SPIN_SECONDS) return false;
    }
}

static bool has_chunks(const sn_pool *pool) {
    const uint64_t state = atomic_load(&pool->state);
    return is_open(state) && first_of(state) < end_of(state);
}

// The next inner pool with unclaimed chunks, from number 'from' on; -1: none.
static int inner_with_chunks(const team *t, int from) {
    uint64_t opened = atomic_load(&t->opened);
    for (int i = from; i < WORKERS_MAX && opened >> i; i++)
        if (opened >> i & 1 && has_chunks(&t->inner[i])) return i;
    return -1;
}

static void help_inner(team *t, int worker) {
    for (int i = -1; (i = inner_with_chunks(t, i + 1)) >= 0;) help(&t->inner[i], worker);
}

// Whether a helper has something to do.
static bool is_wanted(const void *of) {
    const team *t = of;
    return has_chunks(&t->outer) || inner_with_chunks(t, 0) >= 0 || atomic_load(&t->quit);
}

static bool is_finished(const sn_pool *pool) {
    return atomic_load(&pool->finished) >= atomic_load_explicit(&pool->chunks, memory_order_relaxed);
}

// Whether a caller can stop waiting: its loop is done, or there is an inner loop to help with. The caller of an inner
// loop is inside an iteration and must not begin another.
static bool goes_on(const void *of) {
    const sn_pool *pool = of;
    return is_finished(pool) || (pool == &pool->team->outer && inner_with_chunks(pool->team, 0) >= 0);
}

static void wait_all_finished(sn_pool *pool) {
    team *t = pool->team;
    while (!is_finished(pool)) {
        if (!spin(goes_on, pool)) {
            sn_mutex_lock(&t->mutex);
            atomic_fetch_add(&t->callers, 1);
            while (!goes_on(pool)) sn_condition_wait(&t->loop_finished, &t->mutex);
            atomic_fetch_sub(&t->callers, 1);
            sn_mutex_unlock(&t->mutex);
        }
        if (pool == &t->outer) help_inner(t, pool->worker);
    }
}

static void tell_callers(team *t) {
    if (atomic_load(&t->callers) == 0) return;
    sn_mutex_lock(&t->mutex);
    sn_condition_broadcast(&t->loop_finished);
    sn_mutex_unlock(&t->mutex);
}

static void wake_helpers(team *t, int wanted) {
    int sleepers = atomic_load(&t->sleepers);
    if (sleepers == 0) return;
    if (wanted > sleepers) wanted = sleepers;
    sn_mutex_lock(&t->mutex);
    for (int i = 0; i < wanted; i++) sn_condition_signal(&t->loop_opened);
    sn_mutex_unlock(&t->mutex);
}

// A task for the user's scheduler. All tasks of a loop are equal; each gets the next worker number.
static void user_task(void *argument) {
    sn_pool *pool = argument;
    int worker = 1 + atomic_fetch_add(&pool->joined, 1);
    if (worker >= pool->team->workers) return; // the scheduler ran a task twice
    help(pool, worker);
}

void sn_parallel_for(sn_pool *pool, int count, int grain, sn_iteration_fn *fn, void *context) {
    if (count <= 0) return;
    if (grain < 1) grain = 1;
    if ((count - 1) / grain + 1 > CHUNKS_MAX) grain = (count - 1) / CHUNKS_MAX + 1;
    int chunks = (count - 1) / grain + 1;

    team *t = pool->team;
    if (t->workers == 1 || chunks == 1) {
        run(fn, context, 0, count, pool->worker);
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
    const bool inner = pool != &t->outer;
    if (inner) atomic_fetch_or(&t->opened, (uint64_t)1 << pool->worker);

    int helpers = t->workers < chunks ? t->workers - 1 : chunks - 1;
    if (t->hook.enqueue) {
        void *handles[WORKERS_MAX];
        for (int i = 0; i < helpers; i++) handles[i] = t->hook.enqueue(t->hook.user, user_task, pool);
        help(pool, pool->worker);
        for (int i = 0; i < helpers; i++) {
            if (handles[i]) t->hook.finish(t->hook.user, handles[i]);
        }
    } else {
        wake_helpers(t, helpers);
        if (inner) tell_callers(t); // the caller of the outer loop may help
        help(pool, pool->worker);
    }
    wait_all_finished(pool);

    if (inner) atomic_fetch_and(&t->opened, ~((uint64_t)1 << pool->worker));
    atomic_store(&pool->state, state_of(round + 1, 0, 0)); // closes it
}

typedef struct {
    team *team;
    sn_each_fn *fn;
    void *context;
} each;

static void run_each(void *context, int index, int worker) {
    const each *e = context;
    e->fn(e->context, index, &e->team->inner[worker]);
}

void sn_parallel_each(sn_pool *pool, int count, sn_each_fn *fn, void *context) {
    team *t = pool->team;
    if (t->workers == 1 || t->hook.enqueue || pool != &t->outer) {
        for (int i = 0; i < count; i++) fn(context, i, pool);
        return;
    }
    each e = {t, fn, context};
    sn_parallel_for(pool, count, 1, run_each, &e);
}

static void helper_main(void *argument) {
    helper *self = argument;
    team *t = self->team;
    for (;;) {
        if (!spin(is_wanted, t)) {
            sn_mutex_lock(&t->mutex);
            atomic_fetch_add(&t->sleepers, 1);
            while (!is_wanted(t)) sn_condition_wait(&t->loop_opened, &t->mutex);
            atomic_fetch_sub(&t->sleepers, 1);
            sn_mutex_unlock(&t->mutex);
        }
        if (atomic_load(&t->quit)) return;
        help(&t->outer, self->worker);
        help_inner(t, self->worker);
    }
}

// Starts up to 'wanted' helpers and returns how many started. Fewer is not an error: the caller alone can do the work,
// and sn_pool_workers returns the number.
static int start_helpers(team *t, int wanted) {
    int started = 0;
    while (started < wanted) {
        helper *next = &t->helpers[started];
        *next = (helper){.team = t, .worker = started + 1};
        if (!sn_thread_start(&next->thread, helper_main, next)) break;
        started++;
    }
    return started;
}

sn_status sn_pool_create(sn_memory *memory, const sn_tasks *hook, int worker_count, sn_pool **out) {
    *out = NULL;
    if (worker_count < 1 || worker_count > WORKERS_MAX) return SN_ERR_RANGE;
    team *t = sn_alloc(memory, 1, sizeof *t);
    if (!t) return SN_ERR_MEMORY;
    if (hook && hook->enqueue && hook->finish) t->hook = *hook;
    t->outer.team = t;
    for (int i = 0; i < WORKERS_MAX; i++) t->inner[i].team = t, t->inner[i].worker = i;
    t->workers = t->hook.enqueue ? worker_count : 1;
    sn_mutex_init(&t->mutex);
    sn_condition_init(&t->loop_opened);
    sn_condition_init(&t->loop_finished);
    if (!t->hook.enqueue) t->workers = 1 + start_helpers(t, worker_count - 1);
    *out = &t->outer;
    return SN_OK;
}

void sn_pool_destroy(sn_memory *memory, sn_pool *pool) {
    if (!pool) return;
    team *t = pool->team;
    if (!t->hook.enqueue) {
        atomic_store(&t->quit, true);
        sn_mutex_lock(&t->mutex);
        sn_condition_broadcast(&t->loop_opened);
        sn_mutex_unlock(&t->mutex);
        for (int i = 0; i + 1 < t->workers; i++) sn_thread_join(&t->helpers[i].thread);
    }
    sn_condition_destroy(&t->loop_finished);
    sn_condition_destroy(&t->loop_opened);
    sn_mutex_destroy(&t->mutex);
    sn_free(memory, t, 1, sizeof *t);
}

int sn_pool_workers(const sn_pool *pool) {
    return pool->team->workers;
}
