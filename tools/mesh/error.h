// The error type of the tools. A function that can fail for several reasons takes a `tool_error *` as its last
// argument. On failure it writes one sentence into it, what is wrong and, where it helps, what to do, and returns
// false:
//
//     bool f(..., tool_error *error) {
//         if (n > max) return tool_error_set(error, "%d rods, at most %d are allowed", n, max);
//         if (!(list = malloc(size))) return tool_error_out_of_memory(error);
//
// The sentence starts in lower case and has no full stop, so that a caller can put a file name or a command before it.
// It is written on failure only: callers need not initialise the error, and read it only after false. A null error is
// accepted. Functions that can fail only for lack of memory return a plain bool (or null) and say so in their header.
#ifndef SN_MESH_ERROR_H
#define SN_MESH_ERROR_H

#include <stdbool.h>

enum { TOOL_ERROR_SIZE = 640 };

typedef struct {
    char text[TOOL_ERROR_SIZE];
    bool out_of_memory; // not a fault of the input
} tool_error;

// Formats like printf into the error. Always returns false.
__attribute__((format(printf, 2, 3))) bool tool_error_set(tool_error *error, const char *format, ...);

// Sets "out of memory". Always returns false.
bool tool_error_out_of_memory(tool_error *error);

#endif
