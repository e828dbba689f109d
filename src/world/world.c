// The world: creation, settings, measurements.
#include "world/world.h"
#include "base/simd/lanes.h"
#include "world/rollback.h"

#define WORLD_MARK 0x51AE0001u

sn_world_def sn_world_def_default(void) {
    return (sn_world_def){
        .gravity = {0, (sn_real)-9.81, 0},
        .solver = SN_SOLVER_DIRECT,
        .iterations = 1,
        .worker_count = 1,
        .max_pairs = 1 << 20,
        .init_mark = WORLD_MARK,
    };
}

static bool is_solver(sn_solver solver) {
    return (int)solver >= SN_SOLVER_DIRECT && (int)solver <= SN_SOLVER_JACOBI;
}

static int bad_fields(const sn_world_def *def, const sn_log *log) {
    int errors = 0;
    if (!sn_finite3(def->gravity)) errors += sn_def_error(log, "gravity", "must be finite numbers");
    if (!is_solver(def->solver))
        errors += sn_def_error(log, "solver", "must be one of sn_solver, is %d", (int)def->solver);
    if (def->iterations < 1 || def->iterations > 1000)
        errors += sn_def_error(log, "iterations", "must be from 1 to 1000, is %d", def->iterations);
    if (def->worker_count < 1 || def->worker_count > 64)
        errors += sn_def_error(log, "worker_count", "must be from 1 to 64, is %d", def->worker_count);
    if (def->max_pairs < 1) errors += sn_def_error(log, "max_pairs", "must be 1 or more, is %d", def->max_pairs);
    errors += sn_def_lanes_error(log, def->lanes);
    if ((def->tasks.enqueue == NULL) != (def->tasks.finish == NULL))
        errors += sn_def_error(log, "tasks", "enqueue and finish must both be set or both be null");
    errors += sn_def_allocator_error(log, &def->allocator);
    return errors;
}

sn_status sn_world_check(const sn_world_def *def) {
    if (!def) return SN_ERR_RANGE;
    if (def->init_mark != WORLD_MARK) return SN_ERR_DEF; // not initialised: even its log may be garbage
    sn_log log = {def->log, def->log_user};
    return bad_fields(def, &log) ? SN_ERR_DEF : SN_OK;
}

sn_status sn_world_create(const sn_world_def *def, sn_world **out) {
    if (!out) return SN_ERR_RANGE;
    *out = NULL;
    sn_status status = sn_world_check(def);
    if (status != SN_OK) return status;
    sn_memory memory;
    sn_memory_init(&memory, &def->allocator);
    sn_world *world = sn_alloc(&memory, 1, sizeof *world);
    if (!world) return SN_ERR_MEMORY;
    world->memory = memory;
    atomic_flag_clear(&world->pool_is_lent);
    world->log = (sn_log){def->log, def->log_user};
    world->gravity = def->gravity;
    world->solver = def->solver;
    world->iterations = def->iterations;
    world->lanes = def->lanes ? def->lanes : sn_best_lanes_here();
    sn_arena_init(&world->arena, &world->memory);
    sn_arena_init(&world->solve_arena, &world->memory);
    status = sn_pool_create(&world->memory, &def->tasks, def->worker_count, &world->pool);
    sn_kind_setup setup = {&world->memory, &world->log, world->lanes, def->worker_count, def->max_pairs};
    for (int k = 0; k < sn_kind_count && status == SN_OK; k++) status = sn_kinds[k]->create(&setup, &world->systems[k]);
    for (int i = 0; i < sn_coupling_count && status == SN_OK; i++)
        status = sn_couplings[i]->create(&setup, world, &world->couplings[i]);
    if (status != SN_OK) {
        sn_world_destroy(world);
        return status;
    }
    *out = world;
    return SN_OK;
}

void sn_world_destroy(sn_world *world) {
    if (!world || world->stepping) return;
    for (int i = sn_coupling_count - 1; i >= 0; i--)
        if (world->couplings[i]) sn_couplings[i]->destroy(world->couplings[i]);
    for (int k = 0; k < sn_kind_count; k++)
        if (world->systems[k]) sn_kinds[k]->destroy(world->systems[k]);
    sn_energy_check_free(world);
    sn_divergence_free(world);
    sn_rollback_free(world);
    sn_arena_free(&world->arena);
    sn_arena_free(&world->solve_arena);
    sn_pool_destroy(&world->memory, world->pool);
    sn_memory memory = world->memory; // the world's own block is freed last, through a copy of its hook
    sn_free(&memory, world, 1, sizeof *world);
}

sn_status sn_world_set_gravity(sn_world *world, sn_vec3 gravity) {
    if (!world || !sn_finite3(gravity)) return SN_ERR_RANGE;
    if (world->stepping) return SN_ERR_BUSY;
    world->gravity = gravity;
    sn_world_wake_all(world);
    return SN_OK;
}

sn_status sn_world_set_solver(sn_world *world, sn_solver solver, int iterations) {
    if (!world || !is_solver(solver) || iterations < 1 || iterations > 1000) return SN_ERR_RANGE;
    if (world->stepping) return SN_ERR_BUSY;
    world->solver = solver;
    world->iterations = iterations;
    return SN_OK;
}

sn_status sn_world_set_sleeping(sn_world *world, bool allowed) {
    if (!world) return SN_ERR_RANGE;
    if (world->stepping) return SN_ERR_BUSY;
    world->never_sleep = !allowed;
    if (!allowed) sn_world_wake_all(world);
    return SN_OK;
}

sn_vec3 sn_world_gravity(const sn_world *world) {
    return world ? world->gravity : sn_v3(0, 0, 0);
}

sn_solver sn_world_solver(const sn_world *world) {
    return world ? world->solver : SN_SOLVER_DIRECT;
}

int sn_world_iterations(const sn_world *world) {
    return world ? world->iterations : 0;
}

bool sn_world_sleeping(const sn_world *world) {
    return world && !world->never_sleep;
}

void *sn_world_user(const sn_world *world) {
    return world ? world->user : NULL;
}

sn_status sn_world_set_user(sn_world *world, void *user) {
    const sn_status status = sn_world_check_edit(world);
    if (status == SN_OK) world->user = user;
    return status;
}

double sn_world_time(const sn_world *world) {
    return world ? world->time : 0;
}

uint64_t sn_world_step_count(const sn_world *world) {
    return world ? world->steps : 0;
}

int sn_world_lanes(const sn_world *world) {
    return world ? world->lanes : 0;
}

int sn_world_workers(const sn_world *world) {
    return world ? sn_pool_workers(world->pool) : 0;
}

int sn_best_lanes(void) {
    return sn_best_lanes_here();
}

sn_profile sn_world_profile(const sn_world *world) {
    return world ? world->profile : (sn_profile){0};
}

static sn_totals measure(const sn_world *world) {
    sn_totals totals = {0};
    sn_world_begin_read(world);
    for (int k = 0; world && k < sn_kind_count; k++) sn_kinds[k]->measure(world->systems[k], world->gravity, &totals);
    sn_world_end_read(world);
    return totals;
}

int64_t sn_world_dof_count(const sn_world *world) {
    int64_t count = 0;
    for (int k = 0; world && k < sn_kind_count; k++) count += sn_kinds[k]->dofs(world->systems[k]);
    return count;
}

sn_energy sn_world_energy(const sn_world *world) {
    return measure(world).energy;
}

sn_momentum sn_world_momentum(const sn_world *world) {
    return measure(world).momentum;
}

int sn_world_diverged(const sn_world *world, uint64_t *labels, int capacity) {
    int count = 0;
    for (int k = 0; world && k < sn_kind_count; k++) {
        int left = labels && capacity > count ? capacity - count : 0;
        count += sn_kinds[k]->diverged(world->systems[k], left ? labels + count : NULL, left);
    }
    for (int i = 0; world && i < world->divergence.frozen; i++, count++)
        if (labels && count < capacity) labels[count] = world->divergence.labels[i];
    return count;
}
