// Checks the medial bounds of elastic bodies during a run: after each step, every surface vertex of every body is
// compared with the bounds that follow from the body's handles (kinds/elastic). `sinew run --check-bounds` prints it.
#ifndef SN_CAPTURE_ELASTIC_BOUND_CHECK_H
#define SN_CAPTURE_ELASTIC_BOUND_CHECK_H

#include "sinew/sinew.h"
#include <stdio.h>

typedef struct elastic_bound_check elastic_bound_check;

// Null: out of memory.
elastic_bound_check *elastic_bound_check_new(void);
void elastic_bound_check_free(elastic_bound_check *watch);

// Checks all elastic bodies of the world. False: out of memory.
bool elastic_bound_check_update(elastic_bound_check *watch, const sn_world *world);

// Bodies of one model, over all updates. An error is the excess of a primitive's bound: the mean over primitives and
// updates, divided by the body's size (the largest side of its box at rest).
typedef struct {
    int bodies, primitives, updates;
    int64_t vertices;       // compared with a bound
    int64_t missed;         // of them, outside their bound
    double worst;           // distance of the worst from its bound, over the size; 0: none is outside
    double deformation;     // error
    double deformation_max; // of the worst body in the worst step
    double displacement;    // error of displacement bounding
} elastic_bound_check_total;

// The totals of the i-th model, in the order of their first update; false past the last.
bool elastic_bound_check_read(const elastic_bound_check *watch, int model, elastic_bound_check_total *out);

// Number of vertices outside their bound, of all models.
int64_t elastic_bound_check_missed(const elastic_bound_check *watch);

// Prints a line per model.
void elastic_bound_check_print(const elastic_bound_check *watch, FILE *out);

#endif
