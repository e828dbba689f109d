// `sinew run --record` and `--replay`: a record (io/run_record.h) that is written while the run goes on, or compared with it.
#ifndef SN_APP_RECORDER_H
#define SN_APP_RECORDER_H

#include "capture/run_record.h"
#include "sinew/sinew.h"

typedef struct {
    run_record record;
    FILE *out;      // the record being written
    bool replaying; // or it is compared with
    int next;       // of its marks
    int64_t second; // that the next mark is due at
    int64_t parted; // the first step at which a hash was another; 0: none was
} run_tape;

// For --record: from here on, the files that are read belong to the record.
void tape_listen(run_tape *tape);

// Then, once the scene is built: puts the inputs into the file. False: 'why' says why.
bool tape_record(run_tape *tape, const char *file, const char *scene, const run_changes *changes, const sn_world *world,
                 char why[256]);

// For --replay: reads the file; from here on, files are read from the record. False: 'why' says why.
bool tape_replay(run_tape *tape, const char *file, char why[256]);

// After each step, with how many were done, the time that was simulated, and whether it was the last one.
void tape_step(run_tape *tape, const sn_world *world, int64_t steps, double t, bool last);

// At the end. False: the run was another than the record's, or the record could not be written; 'why' says so. 'how' is
// the word on the last line. Otherwise 'why' has what to tell the user.
bool tape_finish(run_tape *tape, const char *how, char why[256]);

void tape_free(run_tape *tape);

#endif
