// The invariants of a world, asserted after each step of a build with SN_VALIDATE.
#ifndef SN_WORLD_WORLD_VALIDATE_H
#define SN_WORLD_WORLD_VALIDATE_H

#include "world/world.h"

// Asserts the invariants of slots, kinds and couplings.
void sn_world_validate(const sn_world *world);

// Whether sleeping bodies stay where they are: sums over the points of those asleep before a step, compared after it. The sums
// are memory of libc, so that counts of a world's allocations stay the same. Null: no memory.
double *sn_validate_sleepers(const sn_world *world);
void sn_validate_slept(const sn_world *world, double *sums);

#endif
