// A recording of a run, for bug reports: the scene with every file that it names, the overrides of the command line, and
// the hash of the world after each simulated second. With it the same run can be repeated on another machine, and compared
// second by second.
//
// A recording is text with a JSON object on each line: the first one has the inputs, and each of the others a hash:
//
//     {"record": 1, "sinew": "0.1.0", "compiler": "...", "threads": 2, "lanes": 8, "scene": "scenes/x.json",
//      "seconds": 0, "step": 0, "substeps": 0, "iterations": 0, "solver": "", "files": [{"name": "scenes/x.json", "text": "..."}]}
//     {"step": 60, "seconds": 1, "hash": "0123456789abcdef"}
//     {"end": "done"}
//
// Lines are written during the run, so a run that crashes leaves a recording too. 0 and "" mean: no override. Files that
// are not text are in base64. Elastic bodies are baked again, or come from the cache: their baked form, tens of
// megabytes, is not in the recording.
#ifndef SN_CAPTURE_RECORDING_H
#define SN_CAPTURE_RECORDING_H

#include "formats/file_set.h"
#include "mesh/error.h"
#include <stdint.h>
#include <stdio.h>

#define RECORDING_VERSION 1

// Values of the scene that the command line overrides. 0, solver -1: not overridden.
typedef struct {
    double seconds, step;
    int substeps, iterations, solver;
} run_overrides;

typedef struct {
    int64_t step; // number of steps done
    uint64_t hash;
} recording_mark;

typedef struct {
    char *scene; // its name, one of `files`
    run_overrides changes;
    file_set files;
    recording_mark *marks;
    int mark_count;
    bool ended; // finished or interrupted; else the run crashed or was killed
} recording;

// Names of the solvers, in the order of sn_solver; ends with null.
extern const char *const run_solvers[];

// Write the first line, the line of a hash, and the last line. False: out of memory. Errors of `out` are left to its
// owner.
bool recording_write_inputs(FILE *out, const recording *record, int threads, int lanes);
void recording_write_mark(FILE *out, const recording_mark *mark, double seconds);
void recording_write_end(FILE *out, const char *how);

// Reads a recording. An incomplete last line is ignored. False: the error says where; there is nothing
// to free.
bool recording_read(const char *file, recording *out, tool_error *error);
bool recording_parse(const char *text, size_t size, recording *out, tool_error *error);

void recording_free(recording *record);

#endif
