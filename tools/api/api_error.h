// Turns the errors of the tools into a status and an sn_error.
#ifndef SN_API_API_ERROR_H
#define SN_API_API_ERROR_H

#include "mesh/error.h"
#include "sinew/tools/types.h"

// Formats like printf into the error, which may be null. Returns the status.
__attribute__((format(printf, 3, 4))) sn_status api_fail(sn_error *error, sn_status status, const char *format, ...);

// SN_ERR_MEMORY.
sn_status api_out_of_memory(sn_error *error);

// The status of a tool's failure: SN_ERR_MEMORY, or the one given.
sn_status api_tool_error(sn_error *error, sn_status status, const tool_error *from);

// A failure to read a file: SN_ERR_FILE if it cannot be opened, else SN_ERR_FORMAT. `text` has the file's name.
sn_status api_read_error(sn_error *error, const char *path, const char *text);

// SN_ERR_DEF for a definition without its mark.
sn_status api_unmarked(sn_error *error, const char *maker);

#endif
