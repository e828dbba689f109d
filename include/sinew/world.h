// The world: owns bodies, joints and bundles, and steps them. Its profile, energy, hash and saved state.
#ifndef SINEW_WORLD_H
#define SINEW_WORLD_H

#include "types.h"

// A simulation. Worlds share nothing with each other. Between steps several threads may call functions that take a const
// world at the same time; all other functions need the world to themselves.
typedef struct sn_world sn_world;

// The solver of rods. Other kinds have their own solvers.
typedef enum {
    SN_SOLVER_DIRECT = 0, // Newton's method with an exact factorisation along each rod
    SN_SOLVER_XPBD = 1,   // Gauss-Seidel over compliant constraints, as in the VIPER paper
    SN_SOLVER_JACOBI = 2, // the same constraints in parallel, with split masses, which conserves momentum
} sn_solver;

// The definition of a world. Start from sn_world_def_default().
typedef struct {
    sn_vec3 gravity;        // m/s^2; default (0, -9.81, 0)
    sn_solver solver;       // default SN_SOLVER_DIRECT
    int iterations;         // solver iterations per substep, 1 to 1000; default 1
    int worker_count;       // threads, including the caller's, 1 to 64; default 1
    int lanes;              // SIMD lanes: 1, 4, 8 or 16; default 0 = the machine's best. Results do not depend on it
    int max_pairs;          // that may touch in a step, 1 or more; default 1048576. See sn_world_set_max_pairs
    sn_tasks tasks;         // default all null: the library's own threads
    sn_allocator allocator; // default all null: malloc and free
    sn_log_fn *log;         // default null: silent
    void *log_user;         // passed to log
    uint32_t init_mark;     // set by sn_world_def_default, always checked
} sn_world_def;

// Returns the defaults named above.
SN_API sn_world_def sn_world_def_default(void);

// Creates a world. On failure *out is null.
SN_API sn_status sn_world_create(const sn_world_def *def, sn_world **out);

// Destroys a world and everything in it; null is ignored. Does nothing while the world is stepping.
SN_API void sn_world_destroy(sn_world *world);

// Advances the world by dt seconds (1e-7 to 1) in 'substeps' equal parts (1 to 1000; 0: as many as fast approaches need).
//
// A step happens or not at all. An error leaves the world as it was, bit by bit; the next step goes on as if this one had not
// been called. SN_ERR_MEMORY: an allocation failed, and the log has a line. SN_ERR_PAIRS: more pairs may touch than
// sn_world_set_max_pairs allows, and the log says how many. SN_WARN_DIVERGED: the step is done, but bodies were
// reset; see sn_world_diverged. SN_WARN_ENERGY: it is done, but energy rose without work from outside; only if that is checked,
// see sn_world_set_energy_check.
SN_API sn_status sn_world_step(sn_world *world, sn_real dt, int substeps);

// Gravity, m/s^2; a change takes effect in the next step.
SN_API sn_status sn_world_set_gravity(sn_world *world, sn_vec3 gravity);
SN_API sn_vec3 sn_world_gravity(const sn_world *world);

// The solver and its iterations per substep; a change takes effect in the next step.
SN_API sn_status sn_world_set_solver(sn_world *world, sn_solver solver, int iterations);
SN_API sn_solver sn_world_solver(const sn_world *world);
SN_API int sn_world_iterations(const sn_world *world);

// Whether bodies at rest fall asleep until something wakes them; default true. Setting false wakes all.
SN_API sn_status sn_world_set_sleeping(sn_world *world, bool allowed);
SN_API bool sn_world_sleeping(const sn_world *world);

// The user pointer of the world: null at first, not saved, never used by the engine.
SN_API void *sn_world_user(const sn_world *world);
SN_API sn_status sn_world_set_user(sn_world *world, void *user);

// Simulated time since creation, s, and the number of steps.
SN_API double sn_world_time(const sn_world *world);
SN_API uint64_t sn_world_step_count(const sn_world *world);

// The SIMD lanes and workers in use.
SN_API int sn_world_lanes(const sn_world *world);
SN_API int sn_world_workers(const sn_world *world);

// The SIMD lanes that a world on this machine uses by default.
SN_API int sn_best_lanes(void);

// The number of degrees of freedom.
SN_API int64_t sn_world_dof_count(const sn_world *world);

// The name of the stage at an index of sn_profile.stage_ms, or null past the last.
SN_API const char *sn_profile_stage_name(int stage);

#define SN_STAGE_CAPACITY 16

// The cost of the last sn_world_step; wall time in milliseconds.
typedef struct {
    double step_ms;                     // the whole call, but for the check of energy
    double stage_ms[SN_STAGE_CAPACITY]; // each stage, summed over substeps; see sn_profile_stage_name
    int line_searches;                  // rods whose Newton step had to be shortened
    int diverged;                       // bodies reset to their last valid state
    int pairs;                          // pairs of the broad phase
    int contacts;                       // contacts in the substep that had the most
    int asleep;                         // sleeping bodies
    int substeps;                       // substeps of the step
    double energy_check_ms;             // both evaluations of energy, see sn_world_set_energy_check
} sn_profile;

// The profile of the last step; all zero before the first.
SN_API sn_profile sn_world_profile(const sn_world *world);

// Energy, J. Gravity's potential is zero at the origin.
typedef struct {
    double kinetic;   // of points, frames and scales
    double elastic;   // of all elastic potentials
    double potential; // of gravity
} sn_energy;

// The energy of all bodies.
SN_API sn_energy sn_world_energy(const sn_world *world);

// Whether steps keep a balance of energy and return SN_WARN_ENERGY where it rises without work; default false. It costs an
// evaluation of all energies before and after each step, so it is for tests and tools. Setting true starts a new balance. The
// balance is not saved with a world.
SN_API sn_status sn_world_set_energy_check(sn_world *world, bool on);
SN_API bool sn_world_energy_check(const sn_world *world);

// The balance of energy since the check was set, J. Without work from outside the sum
//
//     total = kinetic + elastic + potential + contact
//
// never rises: friction, damping, impacts and implicit steps take from it. A step in which total - work is above an earlier value
// by more than a thousandth of 'scale' returns SN_WARN_ENERGY; the first also logs the body that gained most.
//
// Work is done by loads and wind; by what is held and moved: points, frames, radii, anchors, kinematic rigid bodies, targets of
// joints; by activation; and by calls that change bodies between steps, create or destroy them or change gravity: the energy that
// they bring. It is taken with the forces at the end of each substep, which for convex energies is no less than what it adds. Forces
// of contacts and joints are those that the solver came to: on bodies that are not rods they are good to some per cent. Without any
// of these it is exactly 0.
typedef struct {
    double kinetic, elastic, potential; // now, as in sn_energy
    double contact;                     // stored in contacts and joints that yield, after the last step
    double work;                        // done on the world since the balance began
    double start;                       // total when it began
    double max;                         // largest total
    double rise;                        // largest total - work - start; 0: it never rose above the start
    double climb;                       // largest total - work above an earlier value
    double
        scale; // what energies are compared with: the largest kinetic energy (less the climb), loss of total - work, and
               // work so far; at least the weight of all bodies times their size
    double rise_time;    // simulated time of the first step that returned SN_WARN_ENERGY, s; negative: none
    uint64_t rise_label; // label of the body that gained most in that step
} sn_energy_balance;

// The balance; all zero but for rise_time = -1 if energy is not checked.
SN_API sn_energy_balance sn_world_energy_balance(const sn_world *world);

// Linear momentum (kg m/s) and angular momentum about the origin (kg m^2/s) of everything that is not held.
typedef struct {
    double linear[3];
    double angular[3];
} sn_momentum;

// The momentum of all bodies.
SN_API sn_momentum sn_world_momentum(const sn_world *world);

// The labels (see sn_rod_def.label) of bodies that diverged in the last step and were put back to where it started, at rest: their
// state became non-finite, or they came to move far faster with much more energy than they, and what they press on or are joined
// to, had before or were given. Writes at most 'capacity' labels and returns how many there were.
SN_API int sn_world_diverged(const sn_world *world, uint64_t *labels, int capacity);

// A 64-bit hash of the state of every body: the same for any number of workers, lanes, compiler and platform.
SN_API uint64_t sn_world_hash(const sn_world *world);

// Saves the world into dst and returns its size in bytes. Writes nothing if dst is null or capacity is too small. The bytes
// are little-endian and portable between machines, but not between float and double builds.
SN_API size_t sn_world_save(const sn_world *world, void *dst, size_t capacity);

// Creates a world from saved bytes; hooks, workers and lanes come from 'def', everything else from the bytes. Handles of the
// saved world stay valid in the restored one. The restored world continues bitwise like the saved one. SN_ERR_FORMAT: the
// bytes are damaged.
SN_API sn_status sn_world_restore(const sn_world_def *def, const void *bytes, size_t size, sn_world **out);

#endif
