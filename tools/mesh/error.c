// The error type of the tools: see error.h.
#include "mesh/error.h"
#include <stdarg.h>
#include <stdio.h>

bool tool_error_set(tool_error *error, const char *format, ...) {
    if (!error) return false;
    tool_error made = {.out_of_memory = false}; // the arguments may point into the error
    va_list list;
    va_start(list, format);
    vsnprintf(made.text, sizeof made.text, format, list);
    va_end(list);
    *error = made;
    return false;
}

bool tool_error_out_of_memory(tool_error *error) {
    tool_error_set(error, "out of memory");
    if (error) error->out_of_memory = true;
    return false;
}
