// A bundle in the common solve: see bundle_solve.c.
#ifndef SN_COUPLINGS_BUNDLE_BUNDLE_SOLVE_H
#define SN_COUPLINGS_BUNDLE_BUNDLE_SOLVE_H

#include "base/math/skyline.h"
#include "couplings/bundle/section.h"
#include "kinds/rod/rod_body.h"

enum { SN_SECTION_DOFS = 9 }; // centre, scale, rotation vector, stretch across

// A fibre's point in a section, and its segment towards the section before.
typedef struct {
    double lever[3];     // from the section's centre to the point, as the section has it
    double across[2][3]; // how it changes with the stretch across
    double axis[3];      // of the segment
    bool held_centre, held_scale, held_frame;
} sn_bundle_fibre;

// The segments between a section and the one before: their frames turn by own w + before w_before.
typedef struct {
    double mean[4]; // rotation of the frames
    double own[3][3], before[3][3];
} sn_bundle_segment;

// What ties a section to what is held: stiffness of each held thing, the same for a whole substep.
typedef struct {
    double centre, scale, frame; // N/m, J, J
    double uneven;               // J; against rotations to and fro, of the section before and its neighbours
} sn_section_hold;

typedef struct {
    int sections, rods;
    int *before; // by section: the section at the other end of its segments; -1: the root of the rods
    int *first;
    size_t *start, entries;
    sn_skyline matrix; // of the sections' unknowns
    sn_section_pose *now, *trial;
    double *r, *r_old, *z, *p, *mp, *d; // SN_SECTION_DOFS a section
    sn_bundle_fibre *fibres;            // by section and rod
    sn_bundle_segment *segments;
    sn_section_hold *holds;
    double *across;  // by section: resistance to the stretch across, J
    bool coupled;    // in the running substep
    bool in_contact; // something is near, there
    int body;        // of its first rod
    // Of the trial state: energy in what ties it to held things, and in volume; the latter's stiffness.
    double held, volume_stiffness;
} sn_bundle_system;

bool sn_bundle_system_create(sn_memory *memory, sn_bundle_system *system, int sections, int rods, const int *before);
void sn_bundle_system_free(sn_memory *memory, sn_bundle_system *system);

#endif
