// Bodies that gain energy from nowhere: divergence.c.
#ifndef SN_WORLD_DIVERGENCE_H
#define SN_WORLD_DIVERGENCE_H

#include "base/kind.h"

// By body, where there are arrays.
typedef struct {
    int capacity;
    sn_real *speed_before, *speed, *still; // normalised; still: 0
    bool *is_suspect, *is_pressed, *is_frozen;
    int *up;             // islands
    double *size_before; // m
    double *before, *gain, *scale, *mass, *swelling;
    uint64_t *labels; // of those that the last step froze
    int frozen;
    bool is_said, is_judging; // the running step is taken again to be judged
} sn_divergence;

// Room for all bodies of the running step; false: out of memory.
bool sn_divergence_reserve(sn_world *world);
void sn_divergence_free(sn_world *world);

// Before a step's first stage, and after its last: whether a body came to move as if it had diverged.
void sn_divergence_begin(sn_world *world);
bool sn_divergence_suspects(sn_world *world);

// The same step is taken again, now knowing the work done on the world. 'measure' and 'freeze' come before it, 'join' after each
// substep; 'judge', after it, is true if islands have more energy than they can have. Then the next round is without them; the
// last one without all. 'thaw' comes in the end.
enum { SN_DIVERGENCE_ROUNDS = 4 };
void sn_divergence_measure(sn_world *world);
void sn_divergence_freeze(sn_world *world, bool all);
void sn_divergence_join(sn_world *world);
bool sn_divergence_judge(sn_world *world, const sn_work_balance *balance, const sn_stage *stage);
void sn_divergence_thaw(sn_world *world);

#endif
