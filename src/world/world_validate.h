// The invariants of a world, asserted after each step in builds with SN_VALIDATE.
#ifndef SN_WORLD_WORLD_VALIDATE_H
#define SN_WORLD_WORLD_VALIDATE_H

#include "world/world.h"

// Asserts the invariants of slots, kinds and couplings.
void sn_world_validate(const sn_world *world);

// Asserts that sleeping bodies do not move: sums over the points of bodies asleep before a step are compared after it.
// The sums are allocated with malloc, so that the world's allocation counts stay the same. Null: no memory.
double *sn_validate_sleepers(const sn_world *world);
void sn_validate_slept(const sn_world *world, double *sums);

#endif
