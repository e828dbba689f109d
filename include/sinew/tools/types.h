// What the headers of libsinew-tools share: the text of an error, and progress.
//
// A call that can fail returns a status and takes a `sn_error *` as its last argument, which may be null. On failure it
// has written one sentence there that says what is wrong and, where it helps, what to do; output pointers are then null.
// Besides the statuses of libsinew (types.h) the tools return SN_ERR_FILE.
#ifndef SINEW_TOOLS_TYPES_H
#define SINEW_TOOLS_TYPES_H

#include "../types.h"

// Why a call failed. Written on failure only.
typedef struct {
    char text[640]; // starts in lower case or with a file's name; no full stop
} sn_error;

// Receives the progress of a long call: from 0 to 1, and what is done now.
typedef void sn_progress_fn(void *user, double fraction, const char *stage);

#endif
