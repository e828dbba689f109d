// The pairs of bodies of a scene that were in contact during a run, for the report.
#ifndef SN_APP_CONTACT_REPORT_H
#define SN_APP_CONTACT_REPORT_H

#include "sinew/sinew.h"
#include <stdint.h>

// Two bodies of the scene file, a before b there, or two copies of one.
typedef struct {
    uint64_t label_a, label_b; // of the copies that were first in contact
    int64_t steps;             // with a contact
    int64_t last_step;         //
    double force;              // largest force of one contact, N
} contact_pair;

typedef struct {
    contact_pair *pairs;
    int count, capacity;
    sn_contact *contacts; // of a step
    int contact_capacity;
} contact_report;

// Adds the contacts of the last step; none if out of memory.
void contact_report_add(contact_report *list, const sn_world *world);
void contact_report_free(contact_report *list);

#endif
