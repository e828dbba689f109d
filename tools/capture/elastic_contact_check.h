// Checks how deep the surfaces of elastic bodies get into things during a run: after each step, every surface vertex is measured against all
// other bodies, against the surfaces of other elastic bodies, and against its own body's (medial/elastic_collide.h).
// `sinew run --check-contact` prints it.
//
// What is anchored is left out, and what lay in something at the start counts from there.
#ifndef SN_CAPTURE_ELASTIC_CONTACT_CHECK_H
#define SN_CAPTURE_ELASTIC_CONTACT_CHECK_H

#include "sinew/sinew.h"
#include <stdio.h>

typedef struct elastic_contact_check elastic_contact_check;

// Null: out of memory.
elastic_contact_check *elastic_contact_check_new(void);
void elastic_contact_check_free(elastic_contact_check *watch);

// Measures all elastic bodies of the world; the first time at the start. False: out of memory.
bool elastic_contact_check_update(elastic_contact_check *watch, sn_world *world);

// In what a vertex is.
typedef enum {
    ELASTIC_IN_OTHERS,  // bodies of other kinds
    ELASTIC_IN_ELASTIC, // other elastic bodies
    ELASTIC_IN_ITSELF,
    ELASTIC_IN_COUNT,
} elastic_in;

// Bodies of one model, over all updates. Depths are of the deepest vertex, over the body's size (the longest side of its box at rest).
typedef struct {
    int bodies, vertices;
    double size; // m
    double depth[ELASTIC_IN_COUNT], time[ELASTIC_IN_COUNT], end[ELASTIC_IN_COUNT];
} elastic_contact_total;

// The totals of the i-th model, in the order of their first update; false past the last.
bool elastic_contact_check_read(const elastic_contact_check *watch, int model, elastic_contact_total *out);

// The largest of all depths.
double elastic_contact_check_depth(const elastic_contact_check *watch);

// Prints a line per model.
void elastic_contact_check_print(const elastic_contact_check *watch, FILE *out);

#endif
