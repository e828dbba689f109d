// Files that are complete or absent: written without a name or under a temporary one, and named when complete.
#ifndef SN_FORMATS_ATOMIC_FILE_H
#define SN_FORMATS_ATOMIC_FILE_H

#include "mesh/error.h"
#include <stdio.h>

typedef struct {
    FILE *out;                    // write here; errors may be ignored until commit
    char *name;                   // as given
    char *target;                 // what is written: where a link points to
    char *beside;                 // the temporary name, if there is one
    bool is_special;              // not a regular file: written directly
    struct atomic_stream *stream; // under `out`
    tool_error error;             // after a failure; has the file's name
} atomic_file;

// Starts a file. An existing file of that name stays until the commit. False: nothing was created; see file->error.
bool atomic_file_open(atomic_file *file, const char *name);

// Gives the file its final name. False: nothing is left behind; see file->error.
bool atomic_file_commit(atomic_file *file);

// The first error of writing, as errno has it; 0: none so far. What is in the stream's buffer has not been written yet.
int atomic_file_failure(const atomic_file *file);

// A path under which this process and its children can open the file until then.
void atomic_file_path(const atomic_file *file, char *out, size_t capacity);

// Deletes the temporary file. Safe after a failed open and after a commit.
void atomic_file_abort(atomic_file *file);

// Removes temporary files and folders (PATH.tmp-XXXXXX) that a killed process left: those that nobody has locked.
void atomic_file_remove_stale(const char *path);

// All of this at once. `write` writes `what`; it may ignore errors of the stream and sets `error` for its own, to
// which the file's name is added. False:
// nothing is left behind.
typedef bool atomic_file_writer(FILE *out, const void *what, tool_error *error);
bool atomic_file_write(const char *name, atomic_file_writer *write, const void *what, tool_error *error);

typedef struct {
    const void *bytes;
    size_t size;
} atomic_file_bytes;
atomic_file_writer atomic_file_write_bytes; // `what` is an atomic_file_bytes

#endif
