// Files in memory, found by name: those that a run has read and that its recording stores (capture/recording.h).
#ifndef SN_FORMATS_FILE_SET_H
#define SN_FORMATS_FILE_SET_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    char *name;
    char *bytes; // a NUL follows them
    size_t size;
} held_file;

typedef struct {
    held_file *items;
    int count;
    bool incomplete; // a file did not fit into memory
} file_set;

// Adds a copy of a file, unless the set has one of that name. False: out of memory.
bool file_set_add(file_set *set, const char *name, const char *bytes, size_t size);

// The file of a name, or null.
const held_file *file_set_find(const file_set *set, const char *name);

void file_set_free(file_set *set);

#endif
