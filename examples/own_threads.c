// Sinew on the threads of your program: hooks hand its pieces of work to a pool that you have already. Here the pool is
// as small as one can be, a thread for every piece; the answer is the same as on one thread, bit by bit.
#include <pthread.h>
#include <sinew/sinew.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    pthread_t thread;
    sn_task_fn *fn;
    void *task;
} piece;

static atomic_int pieces; // that ran on a thread of ours

static void *run(void *what) {
    piece *p = what;
    p->fn(p->task);
    return NULL;
}

// Starts a piece somewhere and returns a name for it; null says that it was done at once.
static void *enqueue(void *user, sn_task_fn *fn, void *task) {
    (void)user;
    piece *p = malloc(sizeof *p);
    if (p) {
        *p = (piece){.fn = fn, .task = task};
        if (pthread_create(&p->thread, NULL, run, p) == 0) {
            atomic_fetch_add(&pieces, 1);
            return p;
        }
        free(p);
    }
    fn(task);
    return NULL;
}

// Waits for a piece.
static void finish(void *user, void *handle) {
    (void)user;
    piece *p = handle;
    pthread_join(p->thread, NULL);
    free(p);
}

// Sixteen rods fall on a plane and on each other; the hash of the world after half a second.
static uint64_t fall(const sn_world_def *world_def) {
    sn_world *world;
    if (sn_world_create(world_def, &world) != SN_OK) return 0;
    sn_rigid_def ground = sn_rigid_def_default();
    sn_body plane;
    sn_rigid_create(world, &ground, &plane);
    for (int k = 0; k < 16; k++) {
        sn_vec3 points[8];
        for (int i = 0; i < 8; i++) {
            sn_real along = (sn_real)0.03 * (sn_real)i, up = (sn_real)0.05 + (sn_real)0.05 * (sn_real)k;
            points[i] = k % 2 ? (sn_vec3){along, up, 0} : (sn_vec3){(sn_real)0.1, up, along - (sn_real)0.1};
        }
        sn_rod_def def = sn_rod_def_default();
        def.points = points, def.point_count = 8, def.radius = (sn_real)0.015;
        sn_body rod;
        if (sn_rod_create(world, &def, &rod) != SN_OK) return 0;
    }
    for (int frame = 0; frame < 30; frame++) sn_world_step(world, (sn_real)(1.0 / 60), 2);
    uint64_t hash = sn_world_hash(world);
    sn_world_destroy(world);
    return hash;
}

int main(void) {
    sn_world_def alone = sn_world_def_default(), shared = alone;
    shared.worker_count = 4;
    shared.tasks = (sn_tasks){enqueue, finish, NULL};
    uint64_t one = fall(&alone), four = fall(&shared);
    printf("one thread %016llx, four %016llx\n", (unsigned long long)one, (unsigned long long)four);
    return one != 0 && one == four && atomic_load(&pieces) > 0 ? 0 : 1;
}
