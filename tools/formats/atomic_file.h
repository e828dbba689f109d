// Files that are complete or absent: written under a temporary name and renamed when complete.
#ifndef SN_FORMATS_ATOMIC_FILE_H
#define SN_FORMATS_ATOMIC_FILE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct {
    FILE *out;           // write here; errors may be ignored until commit
    char *name, *beside; // what it will be called, and what it is called until then
    char why[256];       // after a failure: what went wrong, with the file's name
} atomic_file;

// Starts a file. An existing one of the name stays until commit. False: nothing was made, file->why says why.
bool atomic_file_open(atomic_file *file, const char *name);

// Gives the file its name. False: nothing was left behind, file->why says why.
bool atomic_file_commit(atomic_file *file);

// Gives up; nothing is left behind. Safe after open failed and after commit.
void atomic_file_abort(atomic_file *file);

// All of this at once: 'write' writes 'what', and returns false when it cannot, with 'why' said; errors of the stream it
// may ignore. False: nothing was left behind, 'why' says why.
typedef bool atomic_file_writer(FILE *out, const void *what, char why[256]);
bool atomic_file_write(const char *name, atomic_file_writer *write, const void *what, char why[256]);

typedef struct {
    const void *bytes;
    size_t size;
} atomic_file_bytes;
atomic_file_writer atomic_file_write_bytes; // 'what' is atomic_file_bytes

#endif
