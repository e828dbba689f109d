// Bodies that gain energy from nowhere: divergence.c.
#ifndef SN_WORLD_DIVERGENCE_H
#define SN_WORLD_DIVERGENCE_H

#include "base/kind.h"

// By body, where there are arrays.
typedef struct {
    int capacity;
    sn_real *speed_before, *speed; // normalised
    bool *is_suspect, *is_pressed, *is_frozen;
    int *up; // islands
    double *before, *gain, *scale, *mass, *reach;
    uint64_t *labels; // of those that the last step froze
    int frozen;
    bool is_judging; // the running step is taken again to be judged
} sn_divergence;

// Room for all bodies of the running step; false: out of memory.
bool sn_divergence_reserve(sn_world *world);
void sn_divergence_free(sn_world *world);

// Before a step's first stage, and after its last: whether a body came to move as if it had diverged.
void sn_divergence_begin(sn_world *world);
bool sn_divergence_suspects(sn_world *world);

// The same step is taken again, now knowing the work done on the world. 'measure' comes before it; 'judge', after it, is true if an
// island has more energy than it can have. Then 'freeze' is called before it is taken a third time, 'thaw' after that.
void sn_divergence_measure(sn_world *world);
void sn_divergence_join(sn_world *world); // after each substep
bool sn_divergence_judge(sn_world *world, double work, sn_real h);
void sn_divergence_freeze(sn_world *world);
void sn_divergence_thaw(sn_world *world);

#endif
