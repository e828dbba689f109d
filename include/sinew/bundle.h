// Bundles: rods that together are a muscle. Point k of each rod lies in cross-section k; each cross-section keeps its
// shape up to its place, its turn and its size, so the rods move apart as they swell. Rods of a bundle do not touch
// each other; those of different bundles do. Muscles as they are modelled lie in each other a little, and in bones with
// their ends: see sn_world_shrink_overlaps. Where bones close on them, surfaces that yield (compliance, 3e-5 m/N) keep
// them calm.
#ifndef SINEW_BUNDLE_H
#define SINEW_BUNDLE_H

#include "contact.h"

// A bundle in a world. All zero names none.
typedef struct {
    uint32_t slot1, gen;
} sn_bundle;

// What the cross-sections keep.
typedef enum {
    SN_BUNDLE_SIMILAR = 0, // their shape: they may grow and shrink
    SN_BUNDLE_RIGID = 1,   // their size too, which keeps muscles from bulging: to compare with
} sn_bundle_kind;

// How activation works.
typedef enum {
    SN_ACTIVATE_LENGTH = 0, // fibres have a shorter rest length
    SN_ACTIVATE_FORCE = 1,  // fibres pull, as hard as their length allows: see sn_length_tension
} sn_activate;

// How a bundle is made. Start from sn_bundle_def_default(). Arrays are copied. Cross-sections keep the shape that they
// have when the bundle is made.
typedef struct {
    const sn_body *rods; // all with the same number of points; chains or not, point k goes with point k
    int rod_count;       // 1 or more
    sn_bundle_kind kind; // default SN_BUNDLE_SIMILAR
    sn_real hertz;       // how often a second a cross-section out of shape swings; default 0 = it is never out of shape
    sn_activate activate; // default SN_ACTIVATE_LENGTH
    sn_real shortest;     // a free fibre at full activation, over its length at rest, 0.2 to 1; default 0.7
    sn_real stress;       // with SN_ACTIVATE_FORCE: pull at full activation and best length, Pa; default 3e5
    // The bones that the rods' first and last points ride on; null: none. You hold and move these points yourself; a
    // substep starts with those between moved along by a blend of the bones' motions, so that less is left to solve.
    sn_body bone_first, bone_last;
    sn_real from, to;   // what part of the fibres is active, 0 their first and 1 their last point; default all
    uint64_t label;     // yours
    uint32_t init_mark; // set by sn_bundle_def_default, always checked
} sn_bundle_def;

// The defaults named above.
SN_API sn_bundle_def sn_bundle_def_default(void);

// Makes a bundle. Mistakes: SN_ERR_DEF and a log line for every bad field; the id is then null. A rod is in one bundle
// at most. A bundle one of whose rods is destroyed is destroyed with it; the other rods stay.
SN_API sn_status sn_bundle_create(sn_world *world, const sn_bundle_def *def, sn_bundle *out);

// Takes the bundle apart; its rods stay.
SN_API sn_status sn_bundle_destroy(sn_world *world, sn_bundle bundle);

// Whether the id names a living bundle.
SN_API bool sn_bundle_exists(const sn_world *world, sn_bundle bundle);

// The id of the i-th living bundle in order of slots, 0 <= i < sn_world_bundle_count; null outside.
SN_API int sn_world_bundle_count(const sn_world *world);
SN_API sn_bundle sn_world_bundle_at(const sn_world *world, int i);

// The label given at creation, 0 if the id is stale.
SN_API uint64_t sn_bundle_label(const sn_world *world, sn_bundle bundle);

// How much it is activated, 0 to 1, from the next step on.
SN_API sn_status sn_bundle_set_activation(sn_world *world, sn_bundle bundle, sn_real activation);
SN_API sn_real sn_bundle_activation(const sn_world *world, sn_bundle bundle);

// How hard a muscle pulls at a length (over that at rest), over how hard it pulls at its best: a bell around 1 that is
// 0 below 0.5 and above 1.5 (Zajac 1989's curve, as 1 - ((length - 1) / 0.5)^2).
SN_API sn_real sn_length_tension(sn_real length);

// A cross-section: where its similarity takes the shape it had when the bundle was made.
typedef struct {
    sn_vec3 rest;     // middle when the bundle was made, m
    sn_vec3 centre;   // middle now, m
    sn_quat rotation; // since then
    sn_real scale;
} sn_section;

// The cross-sections as they are now, fitted afresh. Writes at most 'capacity' and returns how many there are; 0 if the
// id is stale.
SN_API int sn_bundle_get_sections(const sn_world *world, sn_bundle bundle, sn_section *out, int capacity);

// Volume of all its rods, now and at rest, m^3.
SN_API double sn_bundle_volume(const sn_world *world, sn_bundle bundle);
SN_API double sn_bundle_rest_volume(const sn_world *world, sn_bundle bundle);

#endif
