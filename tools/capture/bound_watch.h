// Bounds of elastic bodies, watched while a world runs: after each step, every surface vertex of every body is held
// against the bounds that follow from the body's handles (elastic/bound.h). `sinew run --check-bounds` prints it.
#ifndef SN_CAPTURE_BOUND_WATCH_H
#define SN_CAPTURE_BOUND_WATCH_H

#include "sinew/sinew.h"
#include <stdio.h>

typedef struct bound_watch bound_watch;

// Null: out of memory.
bound_watch *bound_watch_new(void);
void bound_watch_free(bound_watch *watch);

// All elastic bodies as they are now. False: out of memory.
bool bound_watch_look(bound_watch *watch, const sn_world *world);

// Bodies of one model, over all looks. Errors: how much larger than it need be a primitive's bound is, the mean over
// primitives and looks, as a part of the body's size (the largest side of its box at rest).
typedef struct {
    int bodies, primitives, looks;
    int64_t vertices;        // held against a bound
    int64_t missed;          // of them, outside
    double worst;            // how far the worst is outside, over the size; 0: none is
    double deformation;      // error
    double deformation_most; // of the worst body in the worst step
    double displacement;     // error of displacement bounding
} bound_watch_total;

// The model's totals, by the order in which models were met; false past the last.
bool bound_watch_read(const bound_watch *watch, int model, bound_watch_total *out);

// How many vertices were outside, of all models.
int64_t bound_watch_missed(const bound_watch *watch);

// A line for each model.
void bound_watch_print(const bound_watch *watch, FILE *out);

#endif
