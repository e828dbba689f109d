// The record of a run, for reports of bugs: the scene with every file that it names, what the command line changed, and
// the hash of the world after each simulated second. Whoever has the record can run the same again, on another machine,
// and hear whether it is the same, or in which second it parted.
//
// A record is text with a JSON object on each line: the first one has the inputs, and each of the others a hash:
//
//     {"record": 1, "sinew": "0.1.0", "compiler": "...", "threads": 2, "lanes": 8, "scene": "scenes/x.json",
//      "seconds": 0, "step": 0, "substeps": 0, "iterations": 0, "solver": "", "files": [{"name": "scenes/x.json", "text": "..."}]}
//     {"step": 60, "seconds": 1, "hash": "0123456789abcdef"}
//     {"end": "done"}
//
// Lines are written as the run goes on, so that a run that crashes leaves its record too. 0 and "" mean: as the scene
// says. Files that are not text are in base64. Elastic bodies are baked again, or come from the cache: their baked
// form, tens of megabytes, is not in the record.
#ifndef SN_CAPTURE_RUN_RECORD_H
#define SN_CAPTURE_RUN_RECORD_H

#include "formats/file_set.h"
#include <stdint.h>
#include <stdio.h>

#define RUN_RECORD_VERSION 1

// What the command line may change of a scene. 0, solver -1: as the scene says.
typedef struct {
    double seconds, step;
    int substeps, iterations, solver;
} run_changes;

typedef struct {
    int64_t step; // how many were done
    uint64_t hash;
} run_mark;

typedef struct {
    char *scene; // its name, one of 'files'
    run_changes changes;
    file_set files;
    run_mark *marks;
    int mark_count;
    bool ended; // the run came to its end, or was interrupted; else it crashed or was killed
} run_record;

// The solvers by name, in the order of sn_solver; ends with null.
extern const char *const run_solvers[];

// Writes the first line; one for a hash; the last one. False: out of memory. Other failures show at the stream.
bool run_record_write_inputs(FILE *out, const run_record *record, int threads, int lanes);
void run_record_write_mark(FILE *out, const run_mark *mark, double seconds);
void run_record_write_end(FILE *out, const char *how);

// Reads a record. A last line that is cut off is left out. False: 'why' says what is wrong and where; nothing has to be
// freed.
bool run_record_read(const char *file, run_record *out, char *why, size_t why_capacity);
bool run_record_parse(const char *text, size_t size, run_record *out, char *why, size_t why_capacity);

void run_record_free(run_record *record);

#endif
