// One step of the world: the list of its stages. It knows kinds and couplings only through their tables.
//
//     begin                kinds and couplings read prescribed motion
//     broad phase          couplings find what may interact during the step
//     per substep
//         predict          forces; inertial prediction; better starting points
//         narrow phase     couplings measure what interacts
//         solve, couple    each kind, then each coupling; 'solves' times
//         velocities
//     sleep, end
//
// A step in which a body came to have energy from nowhere is taken again without it: divergence.c.
//
// A step happens or says why not. An allocation that fails anywhere is noted in the world's memory (base/memory.h); no stage runs
// after it, and the world is put back to where it was (rollback.c).
#include "base/float_mode.h"
#include "base/platform.h"
#include "world/common_solve.h"
#include "world/rollback.h"
#include "world/world.h"
#include "world/world_validate.h"

enum {
    STAGE_BEGIN,
    STAGE_BROAD_PHASE,
    STAGE_PREDICT,
    STAGE_NARROW_PHASE,
    STAGE_SOLVE,
    STAGE_COUPLE,
    STAGE_VELOCITIES,
    STAGE_END,
    STAGE_COUNT
};
static const char *const stage_names[STAGE_COUNT] = {"begin", "broad_phase", "predict",    "narrow_phase",
                                                     "solve", "couple",      "velocities", "end"};
_Static_assert((int)STAGE_COUNT <= SN_STAGE_CAPACITY, "sn_profile must hold every stage");

const char *sn_profile_stage_name(int stage) {
    return stage >= 0 && stage < STAGE_COUNT ? stage_names[stage] : NULL;
}

enum { MAX_SUBSTEPS = 16 }; // that are chosen

static double now_ms(void) {
    return 1e3 * sn_platform_seconds();
}

// Adds the time since *since to a stage.
static void charge(sn_world *world, int stage, double *since) {
    double now = now_ms();
    world->profile.stage_ms[stage] += now - *since;
    *since = now;
}

// The time since *since is that of the check of energy.
static void leave_out(sn_world *world, double *since) {
    double now = now_ms();
    world->profile.energy_check_ms += now - *since;
    *since = now;
}

// Kinds do not depend on each other, so they are solved in parallel: a small kind does not leave workers idle.
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

static bool failed(const sn_world *world) {
    return sn_memory_failed(&world->memory) || world->refused != SN_OK;
}

// Calls an operation of every kind, or of every coupling that has it; of none after one failed.
#define EACH_KIND(operation, ...)                                                                                      \
    for (int k_ = 0; k_ < sn_kind_count && !failed(world); k_++)                                                       \
    sn_kinds[k_]->operation(world->systems[k_], ##__VA_ARGS__)
#define EACH_COUPLING(operation, ...)                                                                                  \
    for (int c_ = 0; c_ < sn_coupling_count && !failed(world); c_++)                                                   \
        if (sn_couplings[c_]->operation) sn_couplings[c_]->operation(world->couplings[c_], ##__VA_ARGS__)

static bool any_coupling_is_active(const sn_world *world) {
    bool active = false;
    for (int i = 0; i < sn_coupling_count; i++)
        active = active || (sn_couplings[i]->is_active && sn_couplings[i]->is_active(world->couplings[i]));
    return active;
}

static void step_substep(sn_world *world, sn_stage *stage, double *t) {
    if (stage->balance) stage->balance->stored = 0;
    EACH_COUPLING(load, stage);
    EACH_KIND(predict, stage);
    EACH_COUPLING(guess, stage);
    charge(world, STAGE_PREDICT, t);
    EACH_COUPLING(measure, stage);
    charge(world, STAGE_NARROW_PHASE, t);
    if (failed(world) || sn_solve_begin(world, stage) != SN_OK || failed(world)) return;
    const bool coupled = any_coupling_is_active(world);
    for (int i = 0; i < stage->solves; i++) {
        stage->resumed = i > 0;
        stage->last = !coupled && i == stage->solves - 1;
        sn_parallel_each(world->pool, sn_kind_count, solve_kind, &(solving){world, stage});
        charge(world, STAGE_SOLVE, t);
        EACH_COUPLING(solve, stage);
        charge(world, STAGE_COUPLE, t);
    }
    if (!failed(world)) sn_solve_run(world, stage);
    charge(world, STAGE_COUPLE, t);
    EACH_KIND(finish, stage);
    EACH_COUPLING(finish, stage);
    sn_divergence_join(world);
    for (int k = 0; stage->balance && k < sn_kind_count; k++)
        if (sn_kinds[k]->work) stage->balance->work += sn_kinds[k]->work(world->systems[k], stage);
    charge(world, STAGE_VELOCITIES, t);
}

// As many substeps as the fastest approach needs, and as the last step's solves showed to be needed.
static int choose_substeps(sn_world *world, sn_real dt) {
    int count = 1;
    for (int c = 0; c < sn_coupling_count; c++) {
        const int wanted = sn_couplings[c]->substeps ? sn_couplings[c]->substeps(world->couplings[c], dt) : 1;
        count = wanted > count ? wanted : count;
    }
    return count < MAX_SUBSTEPS ? count : MAX_SUBSTEPS;
}

// Everything that may run out of memory.
static void run_stages(sn_world *world, sn_stage *stage, sn_real dt, double *t) {
    EACH_COUPLING(begin);
    charge(world, STAGE_BEGIN, t);
    if (!failed(world)) sn_energy_check_begin(world);
    leave_out(world, t);
    EACH_KIND(begin);
    charge(world, STAGE_BEGIN, t);
    EACH_COUPLING(find, dt, stage->h);
    if (stage->substeps == 0 && !failed(world)) {
        stage->substeps = choose_substeps(world, dt);
        stage->h = dt / (sn_real)stage->substeps;
    }
    world->profile.substeps = stage->substeps;
    charge(world, STAGE_BROAD_PHASE, t);
    for (; stage->substep < stage->substeps && !failed(world); stage->substep++) {
        if (stage->substep > 0) EACH_COUPLING(find_again, stage->h);
        charge(world, STAGE_BROAD_PHASE, t);
        if (!failed(world)) step_substep(world, stage, t);
    }
    EACH_KIND(end, &world->profile);
    if (!failed(world)) sn_sleep_update(world, dt);
    charge(world, STAGE_END, t);
    if (!failed(world)) sn_energy_check_measure(world);
    leave_out(world, t);
}

// Back to where the step started, from where it is taken again.
static void put_back(sn_world *world) {
    const double energy_check_ms = world->profile.energy_check_ms;
    sn_rollback_restore(world);
    sn_rollback_keep(world); // it has the room already
    sn_world_number_bodies(world);
    world->profile = (sn_profile){.energy_check_ms = energy_check_ms};
}

// Bodies that came to move as if they had diverged are judged by their energies, and put back: divergence.c. What they moved
// without them is judged again, until all is well; in the end everything stays.
static void judge_divergence(sn_world *world, const sn_stage *first, sn_real dt, double *t) {
    for (int round = 0; round <= SN_DIVERGENCE_ROUNDS; round++) {
        sn_work_balance balance = {0};
        sn_stage stage = *first;
        stage.balance = &balance;
        put_back(world);
        sn_divergence_measure(world);
        sn_divergence_freeze(world, round == SN_DIVERGENCE_ROUNDS);
        run_stages(world, &stage, dt, t);
        if (failed(world)) return;
        const bool well = !sn_divergence_suspects(world) || !sn_divergence_judge(world, &balance, &stage);
        if (first->balance) first->balance->work += balance.work, first->balance->stored = balance.stored;
        if (well) break;
    }
    sn_divergence_thaw(world);
}

// Why the step did not happen.
static sn_status report_failure(const sn_world *world) {
    if (world->refused != SN_OK) return world->refused; // whoever refused it has logged why
    sn_log_line(&world->log, SN_LOG_ERROR, SN_ERR_MEMORY, "", "out of memory: the step did not happen");
    return SN_ERR_MEMORY;
}

static sn_status step(sn_world *world, sn_real dt, int substeps) {
    sn_memory_clear_failure(&world->memory);
    world->refused = SN_OK;
    const double start = now_ms();
    double t = start;
    if (!sn_rollback_keep(world)) return report_failure(world);
    world->profile = (sn_profile){0};
    // The direct solver alternates with the couplings; the others iterate inside one solve.
    const bool direct = world->solver == SN_SOLVER_DIRECT;
    const sn_stage stage = {.h = dt / (sn_real)(substeps > 0 ? substeps : 1),
                            .gravity = world->gravity,
                            .solver = world->solver,
                            .iterations = direct ? 1 : world->iterations,
                            .solves = direct ? world->iterations : 1,
                            .substeps = substeps,
                            .pool = world->pool,
                            .balance = world->energy_check.on ? &world->energy_check.balance : NULL};
    sn_world_number_bodies(world);
    if (!sn_divergence_reserve(world)) return report_failure(world);
    sn_divergence_begin(world);
#ifdef SN_VALIDATE
    double *sleepers = sn_validate_sleepers(world);
#endif
    sn_stage running = stage;
    run_stages(world, &running, dt, &t);
    if (!failed(world) && sn_divergence_suspects(world)) judge_divergence(world, &stage, dt, &t);
    const bool done = !failed(world);
    if (done) { // nothing below allocates
        EACH_COUPLING(end, &world->profile);
        world->time += (double)dt;
        world->steps++;
        charge(world, STAGE_END, &t);
    } else {
        sn_rollback_restore(world);
    }
#ifdef SN_VALIDATE
    sn_validate_slept(world, sleepers);
    if (done) sn_world_validate(world);
#endif
    if (!done) world->divergence.frozen = 0;
    if (!done) return report_failure(world);
    const bool rose = sn_energy_check_end(world);
    leave_out(world, &t);
    world->profile.step_ms = t - start - world->profile.energy_check_ms;
    if (world->profile.diverged) return SN_WARN_DIVERGED;
    return rose ? SN_WARN_ENERGY : SN_OK;
}

sn_status sn_world_step(sn_world *world, sn_real dt, int substeps) {
    if (!world || !(dt >= (sn_real)1e-7 && dt <= 1) || substeps < 0 || substeps > 1000) return SN_ERR_RANGE;
    if (world->stepping) return SN_ERR_BUSY;
    world->stepping = true;
    const sn_float_mode callers = sn_float_mode_enter();
    const sn_status status = step(world, dt, substeps);
    sn_float_mode_leave(callers);
    world->stepping = false;
    return status;
}
