// Which bodies of a scene pressed on which others during a run: for the report.
#ifndef SN_APP_CONTACT_REPORT_H
#define SN_APP_CONTACT_REPORT_H

#include "sinew/sinew.h"
#include <stdint.h>

// Two bodies of the scene file, a before b there, or two copies of one.
typedef struct {
    uint64_t label_a, label_b; // of the copies that touched first
    int64_t steps;             // in how many
    int64_t last_step;         //
    double force;              // the hardest in one place, N
} touched_pair;

typedef struct {
    touched_pair *pairs;
    int count, capacity;
    sn_contact *contacts; // of a step
    int contact_capacity;
} touched_list;

// Takes the contacts of the step that was just done; without memory for them it takes none.
void touched_step(touched_list *list, const sn_world *world);
void touched_free(touched_list *list);

#endif
