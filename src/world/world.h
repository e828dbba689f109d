// The world's insides, for the files of this folder.
#ifndef SN_WORLD_WORLD_H
#define SN_WORLD_WORLD_H

#include "base/host.h"
#include "base/math/vec.h"
#include "base/solve.h"
#include "world/divergence.h"
#include "world/lumped.h"

// The check of energy: energy_check.c.
typedef struct {
    bool on;
    sn_work_balance balance;
    sn_energy energy; // after the last step
    double start, low, reference, scale;
    double max, rise, climb;
    double rise_time;
    uint64_t rise_label;
    sn_energy *now, *before; // by body: its energy after the last step, and where that started
    int capacity;
    int bodies; // that the scale counts
} sn_energy_check;

struct sn_world {
    sn_memory memory;
    sn_log log;
    sn_pool *pool;
    atomic_flag pool_is_lent; // to a reader
    int lanes;
    void *systems[SN_KIND_CAPACITY];       // by row of sn_kinds
    void *couplings[SN_COUPLING_CAPACITY]; // by row of sn_couplings
    int first_body[SN_KIND_CAPACITY];      // bodies are numbered kind after kind, by slot
    int numbered_bodies;
    sn_vec3 gravity;
    sn_solver solver;
    int iterations;
    bool never_sleep;
    double time;
    uint64_t steps;
    sn_profile profile;
    bool stepping;
    void *user;
    sn_status refused;   // why the running step cannot happen; SN_OK: it can
    sn_arena arena;      // of the step
    unsigned char *kept; // what the step changes, as it was before: rollback.c
    size_t kept_size, kept_capacity;
    sn_energy_check energy_check;
    sn_divergence divergence;
    // ---- the common solve of a substep (solve.c)
    sn_solve solve;
    sn_lumped lumped;
    bool solve_is_open;
    sn_arena solve_arena;
    double *rz, *rz_first, *converged, *rounding, *rz_now, *rz_previous, *low, *high, *base_slope, *before, *after,
        *bound,
        *start;           // by island
    int32_t *island_size; // bodies
    sn_real *kept_energy;
    bool *was_iterating, *is_large;
    sn_solve_motion *island_motion;
    double *rigid_mass; // by island: of its rigid bodies
};

// Checks a definition; logs a line for every bad field.
sn_status sn_world_check(const sn_world_def *def);

// energy_check.c: before the first substep, after couplings began; after the last one: 'measure' may run out of memory, 'end' is
// true if energy rose without work.
void sn_energy_check_begin(sn_world *world);
void sn_energy_check_measure(sn_world *world);
bool sn_energy_check_end(sn_world *world);
void sn_energy_check_free(sn_world *world);

// sleep.c: after the last substep, puts islands to sleep that have been still for a while.
void sn_sleep_update(sn_world *world, sn_real dt);

#endif
