// Bodies that have no matrix of their own in the common solve: see lumped.c.
#ifndef SN_WORLD_LUMPED_H
#define SN_WORLD_LUMPED_H

#include "base/solve.h"

typedef struct {
    sn_real *r, *r_old, *z, *p, *mp, *d; // five numbers a slot
    sn_real *impulse;                    // of the iterations before, as a force: what bodies have already been given
    sn_real *moved, *spin;               // what kinds apply: quads a slot, and rotations
    sn_real *inverse;                    // of M: lower triangle of 4 x 4, and of the spin
} sn_lumped;

// Arrays for 'slots' nodes; false: no memory.
bool sn_lumped_reserve(sn_lumped *lumped, sn_arena *arena, int slots);
// One operation for the lumped bodies of a row of the table of kinds.
void sn_lumped_couple(sn_lumped *lumped, const sn_stage *stage, sn_solve *solve, int row, sn_couple_op op);

#endif
