// Bundles of rods: see bundle.c, and sinew/bundle.h for what they are to users.
#ifndef SN_COUPLINGS_BUNDLE_BUNDLE_H
#define SN_COUPLINGS_BUNDLE_BUNDLE_H

#include "base/coupling.h"
#include "couplings/bundle/similarity.h"
#include "kinds/rod/rod_body.h"
#include "sinew/bundle.h"

// How a bone goes through a substep: x -> to + turn (x - from).
typedef struct {
    sn_vec3 from, to;
    sn_quat rotation;
} sn_bone_motion;

typedef struct {
    bool alive;
    uint32_t gen;
    int next_free;
    sn_bundle_def def; // def.rods is its own
    int sections;
    sn_real activation;
    // One for each rod of each section, section after section:
    sn_vec3 *rest; // where the point was
    sn_quat *back; // of the segment that ends there: the inverse of its frame then; w = 0: there is no segment
    sn_similarity_point *points;
    sn_vec3 *moved;         // how far each point was moved onto its goal by the last turn, m
    sn_similarity *fits;    // of each section
    sn_real *along;         // of each section: 0 at the first, 1 at the last, by length
    sn_bone_motion last[2]; // of the bones in the substep before
    sn_rod_body **rods;     // of the running step; null: gone
    bool awake;
} sn_bundle_body;

typedef struct {
    int bundle, section;
} sn_bundle_place;

typedef struct {
    sn_world *world;
    sn_memory *memory;
    const sn_log *log;
    sn_bundle_body *items;
    int count, capacity, free_item; // free_item: -1, or the first of a list
    int alive;
    sn_bundle_place *places; // of all sections, for the workers
    int place_count, place_capacity;
    // the running stage, for the workers
    const sn_rod_system *system;
    sn_real h;
} sn_bundles;

extern const sn_coupling_ops sn_bundle_coupling;
sn_bundles *sn_world_bundles(const sn_world *world);
sn_bundle_body *sn_bundle_find(const sn_world *world, sn_bundle id); // null if stale
// Work arrays for fits outside of a step, so that readers change nothing in the bundle.
typedef struct {
    sn_rod_body **rods;          // rod_count
    sn_similarity_point *points; // rod_count * sections
    sn_similarity *fits;         // sections
    int rod_count, sections;
} sn_bundle_work;
bool sn_bundle_work_create(sn_memory *memory, const sn_bundle_body *bundle, sn_bundle_work *out);
void sn_bundle_work_free(sn_memory *memory, sn_bundle_work *work);

// Fits all sections to where the rods are now, into work->fits.
void sn_bundle_fit_all(const sn_world *world, const sn_bundle_body *bundle, const sn_bundle_work *work);
// The same, and writes at most 'capacity' of them; returns their number. Within a step 'work' may be null: the bundle's own.
int sn_bundle_sections(const sn_world *world, const sn_bundle_body *bundle, const sn_bundle_work *work, sn_section *out,
                       int capacity);

void sn_bundles_init(sn_bundles *bundles, sn_memory *memory);
void sn_bundles_free(sn_bundles *bundles);

// Says a line for every bad number of a definition; how many there are.
int sn_bundle_errors(const sn_log *log, const sn_bundle_def *def);
// Makes one of a definition that was checked. Its number, or -1 without memory.
int sn_bundle_add(sn_bundles *bundles, sn_rod_system *system, const sn_bundle_def *def);
void sn_bundle_remove(sn_bundles *bundles, sn_rod_system *system, int number);

// Removes those that have lost a rod.
void sn_bundles_drop(sn_bundles *bundles, sn_rod_system *system);

// Tells the fibres how long to be.
void sn_bundle_activate(sn_bundle_body *bundle, sn_rod_system *system);

// Before the first substep; before each substep, where fibres pull; after rods were solved.
void sn_bundles_begin(sn_bundles *bundles, sn_rod_system *system);
void sn_bundles_pull(sn_bundles *bundles, sn_rod_system *system);
// After prediction: starts the fibres where the bones take them.
void sn_bundle_drive(sn_bundle_body *bundle, const sn_rod_system *system, sn_real h, const sn_bone_motion motion[2]);
void sn_bundles_solve(sn_bundles *bundles, sn_rod_system *system, const sn_stage *stage);

// Fits a section to the rods as they are; rods must have been found by sn_bundle_find_rods.
bool sn_bundle_find_rods(sn_bundle_body *bundle, const sn_rod_system *system);
void sn_bundle_fit(const sn_bundle_body *bundle, const sn_rod_system *system, int section);

void sn_bundles_save(sn_bundles *bundles, sn_rod_system *system, sn_stream *stream);

#endif
