// Checks the medial bounds of elastic bodies during a run: after each step, every surface vertex of every body is
// compared with the bounds that follow from the body's handles (kinds/elastic). `sinew run --check-bounds` prints it.
#ifndef SN_CAPTURE_BOUND_WATCH_H
#define SN_CAPTURE_BOUND_WATCH_H

#include "sinew/sinew.h"
#include <stdio.h>

typedef struct bound_watch bound_watch;

// Null: out of memory.
bound_watch *bound_watch_new(void);
void bound_watch_free(bound_watch *watch);

// Checks all elastic bodies of the world. False: out of memory.
bool bound_watch_update(bound_watch *watch, const sn_world *world);

// Bodies of one model, over all updates. An error is by how much a primitive's bound is larger than necessary: the mean
// over primitives and updates, divided by the body's size (the largest side of its box at rest).
typedef struct {
    int bodies, primitives, updates;
    int64_t vertices;       // compared with a bound
    int64_t missed;         // of them, outside their bound
    double worst;           // distance of the worst from its bound, over the size; 0: none is outside
    double deformation;     // error
    double deformation_max; // of the worst body in the worst step
    double displacement;    // error of displacement bounding
} bound_watch_total;

// The totals of the i-th model, in the order of their first update; false past the last.
bool bound_watch_read(const bound_watch *watch, int model, bound_watch_total *out);

// Number of vertices outside their bound, of all models.
int64_t bound_watch_missed(const bound_watch *watch);

// Prints a line per model.
void bound_watch_print(const bound_watch *watch, FILE *out);

#endif
