// Bundles of rods: sinew/bundle.h says what they do, bundle.c has the maths.
#ifndef SN_COUPLINGS_BUNDLE_BUNDLE_H
#define SN_COUPLINGS_BUNDLE_BUNDLE_H

#include "base/coupling.h"
#include "couplings/bundle/bundle_solve.h"
#include "couplings/bundle/similarity.h"
#include "kinds/rod/rod_body.h"
#include "sinew/bundle.h"

// The motion of a bone in a substep: x -> to + rotation (x - from).
typedef struct {
    sn_vec3 from, to;
    sn_quat rotation;
} sn_bone_motion;

// How a segment of a fibre pulls in the running substep, times its length: force + stiffness (x - stretch).
typedef struct {
    double force, stiffness; // J
    double stretch;          // at the start
} sn_fibre_pull;

typedef struct {
    bool alive;
    uint32_t gen;
    int next_free;
    void *user;
    sn_bundle_def def; // def.rods is the bundle's own copy
    int sections;
    sn_real activation; // that is set: of fibres that pull the excitation, which 'active' follows
    sn_real active;     //
    // One per rod of each section, section after section:
    sn_vec3 *rest; // position of the point at rest
    sn_quat *back; // inverse rest frame of the segment that ends there; w = 0: there is no segment
    sn_similarity_point *points;
    sn_fibre_pull *pull;   // of the running substep, of fibres that pull
    sn_vec3 *moved;        // how far the last solve moved each point towards its goal, m
    sn_section_pose *fits; // of each section
    sn_section_plane *planes;
    double (*across)[2];    // the stretch of each section, which rods alone do not tell
    sn_real *along;         // of each section: position along the fibres, 0 at the first, 1 at the last
    sn_bone_motion last[2]; // of the bones in the previous substep
    sn_rod_body **rods;     // of the running step; null: destroyed
    bool awake, flattens;
    sn_bundle_system system; // in the common solve
} sn_bundle_body;

typedef struct {
    int bundle, section;
} sn_bundle_place;

typedef struct {
    sn_world *world;
    sn_memory *memory;
    const sn_log *log;
    sn_bundle_body *items;
    int count, capacity, free_item; // free_item: first of the free list; -1: none
    int alive;
    sn_bundle_place *places; // all sections, for the workers
    int place_count, place_capacity;
    // ---- the running stage, for the workers
    const sn_rod_system *system;
    bool is_solved; // in the common solve
} sn_bundles;

// A state of the rods.
typedef enum {
    SN_FIT_NOW,
    SN_FIT_COUPLED, // in the common solve
    SN_FIT_TRIAL,   // the state that it tries
    SN_FIT_START,   // at the start of the substep, but with what is held where it is driven
} sn_bundle_fit_to;

extern const sn_coupling_ops sn_bundle_coupling;
sn_bundles *sn_world_bundles(const sn_world *world);
sn_bundle_body *sn_bundle_find(const sn_world *world, sn_bundle id); // null if stale
// Work arrays for fits outside a step, so that readers change nothing in the bundle.
typedef struct {
    sn_rod_body **rods;          // rod_count
    sn_similarity_point *points; // rod_count * sections
    sn_section_pose *fits;       // sections
    int rod_count, sections;
} sn_bundle_work;
bool sn_bundle_work_create(sn_memory *memory, const sn_bundle_body *bundle, sn_bundle_work *out);
void sn_bundle_work_free(sn_memory *memory, sn_bundle_work *work);

// Fits all sections to the rods' current state, into work->fits.
void sn_bundle_fit_all(const sn_world *world, const sn_bundle_body *bundle, const sn_bundle_work *work);
// The same, and writes at most 'capacity' sections; returns how many there are. Null 'work', within a step: uses the
// bundle's own arrays.
int sn_bundle_sections(const sn_world *world, const sn_bundle_body *bundle, const sn_bundle_work *work, sn_section *out,
                       int capacity);

void sn_bundles_init(sn_bundles *bundles, sn_memory *memory);
void sn_bundles_free(sn_bundles *bundles);

// Logs a line for every bad number of a definition; returns their count.
int sn_bundle_errors(const sn_log *log, const sn_bundle_def *def);
// Creates a bundle from a checked definition; returns its index, -1: no memory.
int sn_bundle_add(sn_bundles *bundles, sn_rod_system *system, const sn_bundle_def *def);
void sn_bundle_remove(sn_bundles *bundles, sn_rod_system *system, int number);

// Removes bundles that have lost a rod.
void sn_bundles_drop(sn_bundles *bundles, sn_rod_system *system);

// Sets the fibres' rest stretch from the activation.
void sn_bundle_activate(sn_bundle_body *bundle, sn_rod_system *system);

// How active the segment is that ends at a point, 0 to 1.
sn_real sn_bundle_activity(const sn_bundle_body *bundle, int point);

// Before the first substep: wakes the rods of a bundle together.
void sn_bundles_begin(sn_bundles *bundles, sn_rod_system *system);

// bundle_pull.c: before a substep fibres pull, after it they let go; null 'balance': nobody asks for their work.
void sn_bundles_pull(sn_bundles *bundles, sn_rod_system *system, sn_real h);
void sn_bundles_let_go(sn_bundles *bundles, sn_rod_system *system, sn_work_balance *balance);
void sn_bundle_let_go(const sn_bundle_body *bundle, sn_rod_system *system);
bool sn_bundle_muscle_state(const sn_bundle_body *bundle, const sn_rod_system *system, sn_muscle_state *out);

// After prediction: moves the fibres' starting point along with the bones.
void sn_bundle_drive(sn_bundle_body *bundle, const sn_rod_system *system, sn_real h, const sn_bone_motion motion[2]);
// After the rods were solved: moves sections onto their fits.
void sn_bundles_solve(sn_bundles *bundles, sn_rod_system *system, const sn_stage *stage);

// Fits a section to a state of the rods; call sn_bundle_find_rods first.
bool sn_bundle_find_rods(sn_bundle_body *bundle, const sn_rod_system *system);
void sn_bundle_fit(const sn_bundle_body *bundle, const sn_rod_system *system, int section, sn_bundle_fit_to to);
// The section that each section's segments come from; -1: the root of the rods.
int sn_bundle_section_before(const sn_bundle_body *bundle, int rod, int section);

// bundle_volume.c: between a section and the one before; all 0 where there is none.
typedef struct {
    double stiffness, stretch, scale, strain; // W, D, S, S^2 D - 1
} sn_volume_strain;
sn_volume_strain sn_bundle_volume_strain(const sn_bundle_body *bundle, const sn_rod_system *system, int section,
                                         sn_bundle_fit_to to);
// The stretch of the segment that ends at a block, and its direction.
double sn_bundle_fibre_stretch(const sn_rod_system *system, const sn_rod_body *rod, int block, sn_bundle_fit_to to,
                               double along[3]);
double sn_bundle_volume_energy(const sn_bundle_body *bundle, const sn_rod_system *system, sn_bundle_fit_to to,
                               double *stiffness);

// A section's resistance to its stretch across, J: E = 1/2 K (a^2 + b^2). Of one rod's part; rod -1: all of it.
double sn_bundle_across_stiffness(const sn_bundle_body *bundle, const sn_rod_system *system, int section, int rod);
// What a rod has of its bundle's energy: of volume and of the sections' stretch, J.
double sn_bundles_energy_share(void *bundles, int slot);

// bundle_solve.c: what rods ask of bundles in the common solve.
void sn_bundles_couple(void *bundles, const sn_stage *stage, const sn_solve *solve, int first_body, sn_couple_op op);
void sn_bundles_prepare(void *bundles, const sn_stage *stage, const sn_solve *solve, sn_couple_op op);
// After a substep: work of held points that move their sections; energy in what ties these.
void sn_bundles_balance(const sn_bundles *bundles, sn_work_balance *balance);

// What a step changes: the bones' last motion, and how active fibres are that pull.
void sn_bundles_visit_state(sn_bundles *bundles, sn_rod_system *system, sn_stream *stream);
void sn_bundles_save(sn_bundles *bundles, sn_rod_system *system, sn_stream *stream);

#endif
