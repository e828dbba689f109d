// Files that a run writes. The ending of a name chooses the format; each format is one line of a table.
#ifndef SN_APP_OUTPUT_H
#define SN_APP_OUTPUT_H

#include "scene/scene.h"
#include "sinew/sinew.h"
#include "view/recording.h"
#include <stdbool.h>

// What formats want to know beside the run itself.
typedef struct {
    const sn_scene *scene;      // its title and cameras
    double fps;                 // frames per simulated second
    int width, height, samples; // of pictures; 0: what suits a picture or a film
    int threads;                //
    const char *camera;         // name or number of one of the scene's; null: the first, or one that sees everything
    bool quiet;                 //
    bool (*stopped)(void);      // whether to give up drawing
} output_settings;

typedef struct run_output run_output;

// Starts a file. Null: 'why' says why, and *bad_input is true if the ending or a setting is wrong.
run_output *output_open(const char *name, const output_settings *settings, bool *bad_input, char why[256]);

// Whether it wants the run's recording when it is finished.
bool output_wants_recording(const run_output *output);

// Takes the world as it is at time t, one frame of the animation.
bool output_frame(run_output *output, const sn_world *world, double t, char why[256]);

// The file that is written beside an output, NAME.rest.obj beside NAME.pc2, for the caller to free. Null: none.
char *output_beside(const char *name);

// Puts the file in place, with the world as it is at the end and what was recorded. Frees the output, also when it
// fails.
bool output_finish(run_output *output, const sn_world *world, const recording *take, char why[256]);

// Leaves nothing behind. Null is fine.
void output_abort(run_output *output);

#endif
