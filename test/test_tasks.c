// Tasks: every iteration runs exactly once, with a worker's number that no other running iteration has, on our own
// threads and on a scheduler of the user's, whatever that does.
// compilers: all
#include "base/tasks.h"
#include "test.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum { COUNT = 5000, WORKERS_MAX = 64 };

typedef struct {
    atomic_int runs[COUNT];
    atomic_int busy[WORKERS_MAX]; // 1 while an iteration with this number runs
    atomic_int clashes, out_of_range;
    int workers;
    int plain[COUNT]; // written without a lock: the caller must see it after the loop
} loop_state;

static void iteration(void *context, int index, int worker) {
    loop_state *state = context;
    if (worker < 0 || worker >= state->workers) {
        atomic_fetch_add(&state->out_of_range, 1);
        return;
    }
    if (atomic_exchange(&state->busy[worker], 1) != 0) atomic_fetch_add(&state->clashes, 1);
    atomic_fetch_add(&state->runs[index], 1);
    state->plain[index] = index + 1;
    atomic_store(&state->busy[worker], 0);
}

static void check_loop(sn_pool *pool, int count, int grain) {
    loop_state *state = calloc(1, sizeof *state);
    state->workers = sn_pool_workers(pool);
    sn_parallel_for(pool, count, grain, iteration, state);
    for (int i = 0; i < COUNT; i++) {
        CHECK_INT(atomic_load(&state->runs[i]), i < count ? 1 : 0);
        CHECK_INT(state->plain[i], i < count ? i + 1 : 0);
    }
    CHECK_INT(atomic_load(&state->clashes), 0);
    CHECK_INT(atomic_load(&state->out_of_range), 0);
    free(state);
}

static void check_loops(sn_pool *pool) {
    static const int counts[] = {0, 1, 2, 3, 7, 64, 1000, COUNT}, grains[] = {-1, 1, 3, 16, 4999, COUNT, 1 << 30};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        for (size_t k = 0; k < sizeof grains / sizeof *grains; k++) check_loop(pool, counts[i], grains[k]);
    }
}

static void check_pool(const sn_tasks *hook, int workers) {
    sn_memory memory;
    sn_memory_init(&memory, NULL);
    sn_pool *pool;
    REQUIRE(sn_pool_create(&memory, hook, workers, &pool) == SN_OK);
    CHECK_INT(sn_pool_workers(pool), workers);
    check_loops(pool);
    sn_pool_destroy(&memory, pool);
    CHECK_INT(memory.used_bytes, 0);
}

TEST(own_threads_run_each_iteration_once) {
    check_pool(NULL, 1);
    check_pool(NULL, 2);
    check_pool(NULL, 4);
    check_pool(&(sn_tasks){0}, 3);
}

// Many short loops in a row, some after a pause in which the helpers fall asleep.
TEST(short_loops_in_a_row) {
    sn_memory memory;
    sn_memory_init(&memory, NULL);
    sn_pool *pool;
    REQUIRE(sn_pool_create(&memory, NULL, 4, &pool) == SN_OK);
    uint64_t allocations = memory.allocations;
    loop_state *state = calloc(1, sizeof *state);
    state->workers = 4;
    const int rounds = 20000;
    for (int i = 0; i < rounds; i++) {
        sn_parallel_for(pool, 8, 1, iteration, state);
        if (i % 1000 == 0) nanosleep(&(struct timespec){.tv_nsec = 300000}, NULL);
    }
    for (int i = 0; i < 8; i++) CHECK_INT(atomic_load(&state->runs[i]), rounds);
    CHECK_INT(atomic_load(&state->clashes), 0);
    CHECK_INT(memory.allocations, allocations);
    free(state);
    sn_pool_destroy(&memory, pool);
}

static void slow_iteration(void *context, int index, int worker) {
    (void)worker;
    if (index % 4 == 3) nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    ((int *)context)[index] += 1;
}

// The caller is done long before a helper is, and has to sleep.
TEST(caller_waits_for_slow_helpers) {
    sn_memory memory;
    sn_memory_init(&memory, NULL);
    sn_pool *pool;
    REQUIRE(sn_pool_create(&memory, NULL, 4, &pool) == SN_OK);
    int runs[16] = {0};
    for (int i = 0; i < 20; i++) sn_parallel_for(pool, 16, 1, slow_iteration, runs);
    for (int i = 0; i < 16; i++) CHECK_INT(runs[i], 20);
    sn_pool_destroy(&memory, pool);
}

TEST(pools_come_and_go) {
    sn_memory memory;
    sn_memory_init(&memory, NULL);
    for (int i = 0; i < 50; i++) {
        sn_pool *pool;
        REQUIRE(sn_pool_create(&memory, NULL, 1 + i % 5, &pool) == SN_OK);
        if (i % 3 == 0) check_loop(pool, 100, 1);
        sn_pool_destroy(&memory, pool);
    }
    sn_pool_destroy(&memory, NULL);
    CHECK_INT(memory.used_bytes, 0);
}

static void *no_memory(void *user, size_t size, size_t alignment) {
    (void)user, (void)size, (void)alignment;
    return NULL;
}
static void no_release(void *user, void *block, size_t size, size_t alignment) {
    (void)user, (void)block, (void)size, (void)alignment;
}

TEST(create_refuses_bad_counts_and_reports_lack_of_memory) {
    sn_memory memory;
    sn_memory_init(&memory, NULL);
    sn_pool *pool = (sn_pool *)&memory;
    CHECK_INT(sn_pool_create(&memory, NULL, 0, &pool), SN_ERR_RANGE);
    CHECK(pool == NULL);
    CHECK_INT(sn_pool_create(&memory, NULL, 65, &pool), SN_ERR_RANGE);
    sn_memory_init(&memory, &(sn_allocator){no_memory, no_release, NULL});
    CHECK_INT(sn_pool_create(&memory, NULL, 2, &pool), SN_ERR_MEMORY);
    CHECK(pool == NULL);
}

// --- schedulers of the user's ---

static void *enqueue_inline(void *user, sn_task_fn *fn, void *task) {
    ++*(int *)user;
    fn(task);
    return NULL;
}

static void finish_nothing(void *user, void *handle) {
    (void)user, (void)handle;
    CHECK(false); // there never was a handle
}

TEST(user_tasks_that_run_at_once) {
    int enqueued = 0;
    check_pool(&(sn_tasks){enqueue_inline, finish_nothing, &enqueued}, 4);
    CHECK(enqueued > 0);
    enqueued = 0;
    check_pool(&(sn_tasks){enqueue_inline, finish_nothing, &enqueued}, 1);
    CHECK_INT(enqueued, 0);
}

// A thread for each task.
typedef struct {
    pthread_t thread;
    sn_task_fn *fn;
    void *task;
} thread_task;

static void *thread_main(void *argument) {
    thread_task *job = argument;
    job->fn(job->task);
    return NULL;
}

static void *enqueue_thread(void *user, sn_task_fn *fn, void *task) {
    (void)user;
    thread_task *job = malloc(sizeof *job);
    *job = (thread_task){.fn = fn, .task = task};
    pthread_create(&job->thread, NULL, thread_main, job);
    return job;
}

static void finish_thread(void *user, void *handle) {
    (void)user;
    thread_task *job = handle;
    pthread_join(job->thread, NULL);
    free(job);
}

TEST(user_tasks_on_threads) {
    check_pool(&(sn_tasks){enqueue_thread, finish_thread, NULL}, 2);
    check_pool(&(sn_tasks){enqueue_thread, finish_thread, NULL}, 4);
}

// Runs a task only when it is waited for, as a scheduler without free threads does; every third one at once.
typedef struct {
    int waiting, total;
    sn_task_fn *fn[WORKERS_MAX];
    void *task[WORKERS_MAX];
} lazy_scheduler;

static void *enqueue_lazily(void *user, sn_task_fn *fn, void *task) {
    lazy_scheduler *lazy = user;
    if (++lazy->total % 3 == 0) {
        fn(task);
        return NULL;
    }
    for (int i = 0; i < WORKERS_MAX; i++) {
        if (lazy->fn[i]) continue;
        lazy->fn[i] = fn;
        lazy->task[i] = task;
        lazy->waiting++;
        return &lazy->fn[i];
    }
    return NULL;
}

static void finish_lazily(void *user, void *handle) {
    lazy_scheduler *lazy = user;
    sn_task_fn **slot = handle;
    (*slot)(lazy->task[slot - lazy->fn]);
    *slot = NULL;
    --lazy->waiting;
}

TEST(user_tasks_that_run_when_waited_for) {
    lazy_scheduler lazy = {0};
    check_pool(&(sn_tasks){enqueue_lazily, finish_lazily, &lazy}, 8);
    CHECK_INT(lazy.waiting, 0);
    CHECK(lazy.total > 0);
}

// ---- things with loops of their own

enum { THINGS = 5, ROUNDS = 40 };

typedef struct {
    loop_state loops[THINGS];
    atomic_int others; // iterations of a thing's loop that ran on another worker than its own
    bool pause;
} each_state;

typedef struct {
    each_state *state;
    loop_state *loop;
    pthread_t own;
} thing_loop;

static void nested(void *context, int index, int worker) {
    const thing_loop *l = context;
    if (!pthread_equal(l->own, pthread_self())) atomic_fetch_add(&l->state->others, 1);
    if (l->state->pause && index % 50 == 0) nanosleep(&(struct timespec){0, 100000}, NULL);
    iteration(l->loop, index, worker);
}

static void thing(void *context, int index, sn_pool *pool) {
    each_state *state = context;
    thing_loop l = {state, &state->loops[index], pthread_self()};
    for (int round = 0; round < ROUNDS; round++) sn_parallel_for(pool, 100 * index + round, 1 + round % 3, nested, &l);
}

static void check_each(const sn_tasks *hook, int workers, bool pause) {
    sn_memory memory;
    sn_memory_init(&memory, NULL);
    sn_pool *pool;
    REQUIRE(sn_pool_create(&memory, hook, workers, &pool) == SN_OK);
    const uint64_t allocations = memory.allocations;
    each_state *state = calloc(1, sizeof *state);
    state->pause = pause;
    for (int i = 0; i < THINGS; i++) state->loops[i].workers = workers;
    for (int again = 0; again < 3; again++) {
        sn_parallel_each(pool, THINGS, thing, state);
        check_loop(pool, 1000, 3); // loops of the pool itself go on between
    }
    for (int i = 0; i < THINGS; i++) {
        int wrong = 0;
        for (int k = 0; k < COUNT; k++) {
            int runs = 0;
            for (int round = 0; round < ROUNDS; round++) runs += k < 100 * i + round;
            wrong += atomic_load(&state->loops[i].runs[k]) != 3 * runs;
        }
        CHECK_INT(wrong, 0);
        CHECK_INT(atomic_load(&state->loops[i].clashes), 0);
        CHECK_INT(atomic_load(&state->loops[i].out_of_range), 0);
    }
    if (pause && workers > 1 && !hook) CHECK(atomic_load(&state->others) > 0);
    free(state);
    CHECK_INT(memory.allocations, allocations);
    sn_pool_destroy(&memory, pool);
}

TEST(things_with_loops_of_their_own_run_side_by_side_and_are_helped) {
    check_each(NULL, 1, false);
    check_each(NULL, 2, false);
    check_each(NULL, 5, false);
    check_each(NULL, 2, true);
    check_each(NULL, 3, true);
    check_each(&(sn_tasks){enqueue_thread, finish_thread, NULL}, 3, false);
}
