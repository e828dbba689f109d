// Files that a run writes. The ending of a name chooses the format; each format is one line of a table.
#ifndef SN_APP_OUTPUT_H
#define SN_APP_OUTPUT_H

#include "sinew/sinew.h"
#include <stdbool.h>

typedef struct run_output run_output;

// Starts a file. Null: 'why' says why, and *bad_name is true if the ending is unknown.
run_output *output_open(const char *name, bool *bad_name, char why[256]);

// Takes the world as it is at time t, one frame of the animation.
bool output_frame(run_output *output, const sn_world *world, double t, char why[256]);

// Puts the file in place, with the world as it is at the end. Frees the output, also when it fails.
bool output_finish(run_output *output, const sn_world *world, char why[256]);

// Leaves nothing behind. Null is fine.
void output_abort(run_output *output);

#endif
