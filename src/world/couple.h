// The world's side of contact: shows bodies to the contact room, runs its stages within a step.
#ifndef SN_WORLD_COUPLE_H
#define SN_WORLD_COUPLE_H

#include "world/world.h"

// Finds pairs for the step. False: nothing can touch, and the other calls need not be made.
bool sn_touching_begin(sn_world *world, sn_real dt, sn_real h);
void sn_touching_meet(sn_world *world, const sn_stage *stage);  // contacts of the substep, after the prediction
void sn_touching_solve(sn_world *world, const sn_stage *stage); // after each iteration of the bodies
void sn_touching_close(sn_world *world);                        // at the end of the substep
void sn_touching_end(sn_world *world, sn_real dt, bool touching);

#endif
