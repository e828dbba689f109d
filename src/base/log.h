// Log: lines for the user's callback, and names of status codes.
#ifndef SN_BASE_LOG_H
#define SN_BASE_LOG_H

#include "sinew/types.h"

typedef struct {
    sn_log_fn *fn; // null: silent
    void *user;
} sn_log;

// Formats like printf (at most 511 characters) and calls the callback. 'field' may be "". Pass numbers as double: "%g".
__attribute__((format(printf, 5, 6))) void sn_log_line(const sn_log *log, sn_log_level level, sn_status code,
                                                       const char *field, const char *format, ...);

// Logs a bad field of a definition; returns 1, so that callers can count errors.
__attribute__((format(printf, 3, 4))) int sn_def_error(const sn_log *log, const char *field, const char *format, ...);
// Logs a bad init_mark; 'maker' is the function that sets it.
sn_status sn_def_unmarked(const sn_log *log, const char *maker);

#endif
