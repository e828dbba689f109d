// Files that are complete or absent: written under a temporary name and renamed when complete.
#ifndef SN_FORMATS_ATOMIC_FILE_H
#define SN_FORMATS_ATOMIC_FILE_H

#include "mesh/error.h"
#include <stdio.h>

typedef struct {
    FILE *out;           // write here; errors may be ignored until commit
    char *name, *beside; // the final name, and the temporary one
    tool_error error;    // after a failure; has the file's name
} atomic_file;

// Starts a file. An existing file of that name stays until the commit. False: nothing was created; see file->error.
bool atomic_file_open(atomic_file *file, const char *name);

// Renames the file to its final name. False: nothing is left behind; see file->error.
bool atomic_file_commit(atomic_file *file);

// Deletes the temporary file. Safe after a failed open and after a commit.
void atomic_file_abort(atomic_file *file);

// All of this at once. `write` writes `what`; it may ignore errors of the stream and sets `error` for its own. False:
// nothing is left behind.
typedef bool atomic_file_writer(FILE *out, const void *what, tool_error *error);
bool atomic_file_write(const char *name, atomic_file_writer *write, const void *what, tool_error *error);

typedef struct {
    const void *bytes;
    size_t size;
} atomic_file_bytes;
atomic_file_writer atomic_file_write_bytes; // `what` is an atomic_file_bytes

#endif
