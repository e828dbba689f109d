// The world: holds bodies, moves them in time, tells what the last step cost, hashes and saves itself.
#ifndef SINEW_WORLD_H
#define SINEW_WORLD_H

#include "types.h"

// Everything that moves together. Opaque; make as many as you like, they share nothing.
typedef struct sn_world sn_world;

// How rods are solved in each substep; other kinds have their own ways.
typedef enum {
    SN_SOLVER_DIRECT = 0, // Newton steps with an exact elimination along each rod: the default
    SN_SOLVER_XPBD = 1,   // Gauss-Seidel over the constraints with compliance, as in the VIPER paper
    SN_SOLVER_JACOBI = 2, // the same constraints in parallel, with masses split so that momentum is kept
} sn_solver;

// How a world is made. Start from sn_world_def_default().
typedef struct {
    sn_vec3 gravity;        // m/s^2; default (0, -9.81, 0)
    sn_solver solver;       // default SN_SOLVER_DIRECT
    int iterations;         // solver iterations per substep, 1 to 1000; default 1
    int worker_count;       // threads that step, the caller included, 1 to 64; default 1
    int lanes;              // SIMD lanes: 1, 4, 8 or 16; default 0 = the machine's best. Results do not depend on it
    sn_tasks tasks;         // default all null: the library's own threads
    sn_allocator allocator; // default all null: malloc and free
    sn_log_fn *log;         // default null: silent
    void *log_user;         // handed to log
    uint32_t init_mark;     // set by sn_world_def_default, always checked
} sn_world_def;

// The defaults named above.
SN_API sn_world_def sn_world_def_default(void);

// Makes a world. On failure *out is null.
SN_API sn_status sn_world_create(const sn_world_def *def, sn_world **out);

// Frees a world and everything in it. Null is fine. Does nothing while the world is stepping.
SN_API void sn_world_destroy(sn_world *world);

// Moves the world by dt seconds (1e-7 to 1) in 'substeps' equal parts (1 to 1000).
// SN_WARN_DIVERGED: done, but see sn_world_diverged.
SN_API sn_status sn_world_step(sn_world *world, sn_real dt, int substeps);

// Changes gravity, m/s^2, from the next step on.
SN_API sn_status sn_world_set_gravity(sn_world *world, sn_vec3 gravity);
SN_API sn_vec3 sn_world_gravity(const sn_world *world);

// Changes the solver and its iterations per substep from the next step on.
SN_API sn_status sn_world_set_solver(sn_world *world, sn_solver solver, int iterations);
SN_API sn_solver sn_world_solver(const sn_world *world);
SN_API int sn_world_iterations(const sn_world *world);

// Whether bodies that have come to rest on others fall asleep (the default) until something stirs them; false wakes all.
SN_API sn_status sn_world_set_sleeping(sn_world *world, bool allowed);
SN_API bool sn_world_sleeping(const sn_world *world);

// Simulated seconds since creation, and the number of steps done.
SN_API double sn_world_time(const sn_world *world);
SN_API uint64_t sn_world_step_count(const sn_world *world);

// The SIMD lanes and workers in use.
SN_API int sn_world_lanes(const sn_world *world);
SN_API int sn_world_workers(const sn_world *world);

// The SIMD lanes this machine would choose.
SN_API int sn_best_lanes(void);

// The number of unknowns that are solved for.
SN_API int64_t sn_world_dof_count(const sn_world *world);

// The name of the stage at an index of sn_profile.stage_ms, or null past the last.
SN_API const char *sn_profile_stage_name(int stage);

#define SN_STAGE_CAPACITY 16

// What the last sn_world_step cost, in milliseconds of wall time.
typedef struct {
    double step_ms;                     // the whole call
    double stage_ms[SN_STAGE_CAPACITY]; // each stage, summed over substeps; see sn_profile_stage_name
    int line_searches;                  // rods whose Newton step had to be shortened
    int diverged;                       // bodies put back to their last good state
    int pairs;                          // pairs that came near enough to be looked at
    int contacts;                       // contacts of the busiest substep
    int asleep;                         // bodies at rest that cost nothing until something stirs them
} sn_profile;

// The profile of the last step; all zero before the first.
SN_API sn_profile sn_world_profile(const sn_world *world);

// Energy of the whole world, in joules, as it stands now. Gravity's zero is at the origin.
typedef struct {
    double kinetic;   // of centres, frames and scales
    double elastic;   // of all potentials
    double potential; // of gravity
} sn_energy;

// The energy now.
SN_API sn_energy sn_world_energy(const sn_world *world);

// Linear momentum (kg m/s) and angular momentum about the origin (kg m^2/s) of everything that is not held.
typedef struct {
    double linear[3];
    double angular[3];
} sn_momentum;

// The momentum now.
SN_API sn_momentum sn_world_momentum(const sn_world *world);

// The labels (see sn_rod_def.label) of bodies that the last step put back because they became non-finite, or so large
// that their cubes are (farther than about 1e12 m in float). Writes at most 'capacity' and returns how many there were.
SN_API int sn_world_diverged(const sn_world *world, uint64_t *labels, int capacity);

// 64 bits over the state of every body, the same for any number of workers, lanes, compiler and platform.
SN_API uint64_t sn_world_hash(const sn_world *world);

// Writes the world into dst and returns the bytes it takes. With dst null or capacity too small nothing is written.
// The bytes are little-endian and portable between machines; not between float and double builds.
SN_API size_t sn_world_save(const sn_world *world, void *dst, size_t capacity);

// Makes a world out of saved bytes; hooks, workers and lanes come from 'def', all else from the bytes. Ids taken before the
// save name the same bodies. Continuing is bitwise the same as never having stopped. Damaged bytes: SN_ERR_FORMAT.
SN_API sn_status sn_world_restore(const sn_world_def *def, const void *bytes, size_t size, sn_world **out);

#endif
