// Tasks: parallel loops. The threads are the user's (callbacks), our own, or only the caller. Iterations are claimed
// from an atomic counter, so the caller alone can finish any loop. Iterations must not depend on each other, so results
// never depend on the number of workers.
#ifndef SN_BASE_TASKS_H
#define SN_BASE_TASKS_H

#include "base/memory.h"

typedef struct sn_pool sn_pool;

// One iteration. 'worker' is in [0, worker_count); no two iterations with the same worker run at the same time, so it
// can index scratch memory.
typedef void sn_iteration_fn(void *context, int index, int worker);

// worker_count includes the caller. If all of hook is null: own threads (none where the platform has no threads).
sn_status sn_pool_create(sn_memory *memory, const sn_tasks *hook, int worker_count, sn_pool **out);
void sn_pool_destroy(sn_memory *memory, sn_pool *pool);
int sn_pool_workers(const sn_pool *pool);

// Runs fn(context, i, worker) for 0 <= i < count and returns when all are done. Claims 'grain' iterations at a time.
// Allocates nothing.
void sn_parallel_for(sn_pool *pool, int count, int grain, sn_iteration_fn *fn, void *context);

// Runs fn(context, i, pool) for 0 <= i < count: a few large tasks with loops of their own. Each may open loops in the
// pool it gets, and idle workers help with them. With the user's scheduler the tasks run one after the other with the
// whole pool, because it may not support tasks within tasks.
typedef void sn_each_fn(void *context, int index, sn_pool *pool);
void sn_parallel_each(sn_pool *pool, int count, sn_each_fn *fn, void *context);

#endif
