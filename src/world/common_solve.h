// The common solve, for step.c: see common_solve.c.
#ifndef SN_WORLD_COMMON_SOLVE_H
#define SN_WORLD_COMMON_SOLVE_H

#include "world/world.h"

// Whether the bodies of a row of the table of kinds bring their own matrix.
bool sn_world_kind_couples(const sn_world *world, int row);
// After the narrow phase: finds who takes part, before kinds solve the others.
sn_status sn_solve_begin(sn_world *world, sn_stage *stage);
void sn_solve_run(sn_world *world, sn_stage *stage);

#endif
