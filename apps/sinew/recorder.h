// `sinew run --record` and `--replay`: writes a recording (capture/recording.h) during the run, or compares the run with
// one.
#ifndef SN_APP_RECORDER_H
#define SN_APP_RECORDER_H

#include "capture/recording.h"
#include "formats/file_text.h"
#include "sinew/sinew.h"

typedef struct {
    recording record;
    file_source files;        // where the run reads its files
    FILE *out;                // the recording that is written
    const char *name;         // of it; the caller's
    bool replaying;           // or the run is compared with it
    int next;                 // of its marks
    int64_t second;           // of the last mark
    int64_t first_difference; // the first step with a different hash; 0: none
} run_recorder;

// For --record: files that are read through `files` from now on belong to the recording.
void recorder_listen(run_recorder *recorder);

// Call it once the scene is built: writes the inputs.
bool recorder_start(run_recorder *recorder, const char *file, const char *scene, const run_overrides *changes,
                    const sn_world *world, tool_error *error);

// For --replay: reads the recording. From now on, `files` are those of the recording.
bool recorder_replay(run_recorder *recorder, const char *file, tool_error *error);

// Call it after each step, with the number of steps, the simulated time, and whether it was the last step.
void recorder_step(run_recorder *recorder, const sn_world *world, int64_t steps, double t, bool last);

// Call it at the end; `how` goes to the last line. False: the run differs from the recording, or the recording cannot be
// written. `message` says so; after a success it is a line for the user, or empty.
bool recorder_finish(run_recorder *recorder, const char *how, tool_error *message);

void recorder_free(run_recorder *recorder);

#endif
