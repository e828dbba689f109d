// Bundles: rods that together form a muscle. Point k of every rod belongs to cross-section k. A cross-section may translate,
// rotate, grow, and flatten: it gets wider as it gets thinner, so the rods move apart as they swell or are pressed. Rods of one bundle do not collide with each
// other; those of different bundles do. Modelled muscles usually overlap each other a little, and bones at their ends: see
// sn_world_shrink_overlaps. Where bones squeeze a muscle, compliant surfaces (compliance 3e-5 m/N) keep it from jittering.
#ifndef SINEW_BUNDLE_H
#define SINEW_BUNDLE_H

#include "contact.h"

// A bundle in a world. All zero means none.
typedef struct {
    uint32_t slot1, gen;
} sn_bundle;

// How cross-sections may deform.
typedef enum {
    SN_BUNDLE_SIMILAR = 0, // by a similarity: they translate, rotate and scale
    SN_BUNDLE_RIGID = 1,   // by a rigid motion, so muscles cannot bulge; for comparison
    SN_BUNDLE_SOFT =
        2, // by a similarity and a stretch in their plane that keeps their area: they flatten; a row of rods does not
} sn_bundle_kind;

// What activation does.
typedef enum {
    SN_ACTIVATE_LENGTH = 0, // shortens the rest length of the fibres
    SN_ACTIVATE_FORCE = 1,  // pulls, as Hill's muscle: the force depends on the fibres' length and speed
} sn_activate;

// The definition of a bundle. Start from sn_bundle_def_default(). Arrays are copied. The cross-sections at creation are their
// rest form.
typedef struct {
    const sn_body *rods; // all with the same number of points and the same parents of them
    int rod_count;       // 1 or more
    sn_bundle_kind kind; // default SN_BUNDLE_SOFT
    sn_real
        hertz; // of SN_BUNDLE_SOFT: frequency at which flattened cross-sections recover; default 0: by their rods' shear
    sn_activate activate; // default SN_ACTIVATE_LENGTH
    sn_real shortest;     // length of a free fibre at full activation over its rest length, 0.2 to 1; default 0.7
    // Of SN_ACTIVATE_FORCE. A fibre pulls with activation * stress * (its volume / its optimal length) * sn_length_tension(length /
    // optimal length) * sn_velocity_tension(shortening speed / max_speed); what it bears without activation is its material.
    sn_real stress;     // specific tension, Pa; default 3e5
    sn_real optimal;    // optimal length of the fibres over their rest length, 0.1 to 10; default 1
    sn_real max_speed;  // at which they shorten without load, optimal lengths per second; default 10; 0: any speed
    sn_real rise, fall; // times in which activation follows what is set, s; default 0.012 and 0.045; 0: at once
    // The rigid bodies that the rods' first and last points are attached to; null: none. You hold and move these end points
    // yourself. A substep starts by moving the points in between by a blend of the bodies' motions, which leaves less to solve.
    sn_body bone_first, bone_last;
    // The active part of the fibres, from 0 at the first to 1 at the last point; default all. It fades within a fifth of their length.
    sn_real from, to;
    uint64_t label;     // yours
    uint32_t init_mark; // set by sn_bundle_def_default, always checked
} sn_bundle_def;

// Returns the defaults named above.
SN_API sn_bundle_def sn_bundle_def_default(void);

// Creates a bundle. Errors in the definition: SN_ERR_DEF and a log line for every bad field; *out is then null. A rod belongs
// to at most one bundle. Destroying a rod destroys its bundle; the other rods stay.
SN_API sn_status sn_bundle_create(sn_world *world, const sn_bundle_def *def, sn_bundle *out);

// Destroys a bundle; its rods stay.
SN_API sn_status sn_bundle_destroy(sn_world *world, sn_bundle bundle);

// Returns whether the bundle exists.
SN_API bool sn_bundle_exists(const sn_world *world, sn_bundle bundle);

// The number of bundles, and the i-th in order of slots; null out of range.
SN_API int sn_world_bundle_count(const sn_world *world);
SN_API sn_bundle sn_world_bundle_at(const sn_world *world, int i);

// The label given at creation; 0 if the handle is stale.
SN_API uint64_t sn_bundle_label(const sn_world *world, sn_bundle bundle);

// The user pointer: null at first, not saved, never used by the engine.
SN_API void *sn_bundle_user(const sn_world *world, sn_bundle bundle);
SN_API sn_status sn_bundle_set_user(sn_world *world, sn_bundle bundle, void *user);

// The activation, 0 to 1; a change takes effect in the next step. Of SN_ACTIVATE_FORCE it is the excitation: the activation follows
// it within 'rise' and 'fall'.
SN_API sn_status sn_bundle_set_activation(sn_world *world, sn_bundle bundle, sn_real activation);
SN_API sn_real sn_bundle_activation(const sn_world *world, sn_bundle bundle);

// The active force-length curve of muscle: tension over maximum tension at a length over rest length. Approximates Zajac 1989
// by 1 - ((length - 1) / 0.5)^2, 0 below 0.5 and above 1.5.
SN_API sn_real sn_length_tension(sn_real length);

// The force-velocity curve: tension over that at rest, at a shortening speed over the largest. Hill's hyperbola (1 - v) / (1 + 4 v), 0
// above 1; fibres that are lengthened (speed below 0) bear up to 1.4.
SN_API sn_real sn_velocity_tension(sn_real speed);

// What a muscle does. Length and speed are means over the active parts of its fibres.
typedef struct {
    sn_real activation; // of SN_ACTIVATE_FORCE what has come of the excitation
    sn_real length;     // m
    sn_real speed;      // of shortening, m/s
    sn_real force,
        full_force; // of all fibres, N: now; and at full activation, optimal length, at rest. 0 without SN_ACTIVATE_FORCE
} sn_muscle_state;
SN_API sn_status sn_bundle_get_state(const sn_world *world, sn_bundle bundle, sn_muscle_state *out);

// A cross-section: how it has moved since creation, x -> centre + scale * rotation U (x - rest). U stretches by 'wide' along the
// first axis of 'axes', by 1 / wide along the second, and not along the third.
typedef struct {
    sn_vec3 rest;   // centre at creation, m
    sn_vec3 centre; // centre now, m
    sn_quat rotation;
    sn_real scale;
    sn_real wide; // 1 or more; 1: it has not flattened
    sn_quat axes; // to the axes of the stretch, at rest
} sn_section;

// Fits the cross-sections to the current state. Writes at most 'capacity' and returns how many there are; 0 if the handle is
// stale.
SN_API int sn_bundle_get_sections(const sn_world *world, sn_bundle bundle, sn_section *out, int capacity);

// The volume of all rods of the bundle, now and at rest, m^3.
SN_API double sn_bundle_volume(const sn_world *world, sn_bundle bundle);
SN_API double sn_bundle_rest_volume(const sn_world *world, sn_bundle bundle);

#endif
