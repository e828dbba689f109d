// One step of the world, whole: the list of its stages.
#define _POSIX_C_SOURCE 200809L
#include "base/float_mode.h"
#include "world/couple.h"
#include <time.h>

enum {
    STAGE_BEGIN,
    STAGE_PAIRS,
    STAGE_PREDICT,
    STAGE_MEET,
    STAGE_SOLVE,
    STAGE_CONTACT,
    STAGE_FINISH,
    STAGE_END,
    STAGE_COUNT
};
static const char *const stage_names[STAGE_COUNT] = {"begin", "pairs",   "predict", "meet",
                                                     "solve", "contact", "finish",  "end"};
_Static_assert((int)STAGE_COUNT <= SN_STAGE_CAPACITY, "sn_profile has room for every stage");

const char *sn_profile_stage_name(int stage) {
    return stage >= 0 && stage < STAGE_COUNT ? stage_names[stage] : NULL;
}

static double now_ms(void) {
    struct timespec t;
    if (clock_gettime(CLOCK_MONOTONIC, &t) != 0) return 0;
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

// Charges the time since *since to a stage.
static void charge(sn_world *world, int stage, double *since) {
    double now = now_ms();
    world->profile.stage_ms[stage] += now - *since;
    *since = now;
}

// Kinds know nothing of each other, so they are solved side by side: a small kind does not leave the other workers idle.
typedef struct {
    sn_world *world;
    const sn_stage *stage;
} solving;

static void solve_kind(void *context, int kind, sn_pool *pool) {
    const solving *s = context;
    sn_stage stage = *s->stage;
    stage.pool = pool;
    sn_kinds[kind]->solve(s->world->systems[kind], &stage);
}

sn_status sn_world_step(sn_world *world, sn_real dt, int substeps) {
    if (!world || !(dt >= (sn_real)1e-7 && dt <= 1) || substeps < 1 || substeps > 1000) return SN_ERR_RANGE;
    if (world->stepping) return SN_ERR_BUSY;
    world->stepping = true;
    world->profile = (sn_profile){0};
    sn_float_mode callers = sn_float_mode_enter();
    double start = now_ms(), t = start;
    // The direct solver takes turns with contacts; the others have their own iterations inside.
    const bool direct = world->solver == SN_SOLVER_DIRECT;
    const int turns = direct ? world->iterations : 1;
    sn_stage stage = {.h = dt / (sn_real)substeps,
                      .gravity = world->gravity,
                      .solver = world->solver,
                      .iterations = direct ? 1 : world->iterations,
                      .turns = turns,
                      .substeps = substeps,
                      .pool = world->pool};

    sn_bundles_begin(&world->bundles, sn_rods(world));
    for (int k = 0; k < KIND_COUNT; k++) sn_kinds[k]->begin(world->systems[k]);
    charge(world, STAGE_BEGIN, &t);
    const bool touching = sn_touching_begin(world, dt, stage.h);
    charge(world, STAGE_PAIRS, &t);
    for (; stage.substep < substeps; stage.substep++) {
        sn_bundles_pull(&world->bundles, sn_rods(world));
        for (int k = 0; k < KIND_COUNT; k++) sn_kinds[k]->predict(world->systems[k], &stage);
        if (world->bundles.alive) sn_world_lead_bundles(world, &stage);
        charge(world, STAGE_PREDICT, &t);
        if (touching) sn_touching_meet(world, &stage);
        charge(world, STAGE_MEET, &t);
        for (int turn = 0; turn < turns; turn++) {
            stage.resumed = turn > 0;
            stage.last = !touching && !world->bundles.alive && turn == turns - 1;
            sn_parallel_each(world->pool, KIND_COUNT, solve_kind, &(solving){world, &stage});
            if (world->bundles.alive) sn_bundles_solve(&world->bundles, sn_rods(world), &stage);
            charge(world, STAGE_SOLVE, &t);
            if (touching) sn_touching_solve(world, &stage);
            charge(world, STAGE_CONTACT, &t);
        }
        for (int k = 0; k < KIND_COUNT; k++) sn_kinds[k]->finish(world->systems[k], &stage);
        if (stage.substep + 1 == substeps) sn_world_lead_muscles(world); // rods that diverged were put back first
        if (touching) sn_touching_close(world);
        charge(world, STAGE_FINISH, &t);
    }
    for (int k = 0; k < KIND_COUNT; k++) sn_kinds[k]->end(world->systems[k], &world->profile);
    sn_touching_end(world, dt, touching);
    charge(world, STAGE_END, &t);

    world->time += (double)dt;
    world->steps++;
    world->profile.step_ms = t - start;
    world->stepping = false;
    sn_float_mode_leave(callers);
    return world->profile.diverged ? SN_WARN_DIVERGED : SN_OK;
}
