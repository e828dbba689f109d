// Log lines for the user's callback, names of status codes, and the version. The library never prints.
#include "base/log.h"
#include <stdarg.h>
#include <stdio.h>

static void hand_on(const sn_log *log, sn_log_level level, sn_status code, const char *field, const char *format,
                    va_list arguments) {
    if (!log || !log->fn) return;
    char text[512];
    int length = vsnprintf(text, sizeof text, format, arguments);
    if (length < 0) text[0] = 0;
    log->fn(log->user, level, code, field ? field : "", text);
}

void sn_log_line(const sn_log *log, sn_log_level level, sn_status code, const char *field, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    hand_on(log, level, code, field, format, arguments);
    va_end(arguments);
}

int sn_def_error(const sn_log *log, const char *field, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    hand_on(log, SN_LOG_ERROR, SN_ERR_DEF, field, format, arguments);
    va_end(arguments);
    return 1;
}

sn_status sn_def_unmarked(const sn_log *log, const char *maker) {
    sn_def_error(log, "init_mark", "the definition was not made by %s", maker);
    return SN_ERR_DEF;
}

const char *sn_status_name(sn_status status) {
    switch (status) {
    case SN_OK:
        return "ok";
    case SN_ERR_DEF:
        return "bad definition";
    case SN_ERR_RANGE:
        return "out of range";
    case SN_ERR_STALE_ID:
        return "stale id";
    case SN_ERR_BUSY:
        return "world is busy";
    case SN_ERR_MEMORY:
        return "out of memory";
    case SN_ERR_KIND:
        return "another kind of body";
    case SN_ERR_FORMAT:
        return "bad format";
    case SN_WARN_DIVERGED:
        return "diverged";
    case SN_WARN_ENERGY:
        return "energy rose without work";
    case SN_ERR_PAIRS:
        return "too many pairs";
    case SN_ERR_FILE:
        return "file error";
    }
    return "unknown status";
}

int sn_version(void) {
    return SN_VERSION_MAJOR * 10000 + SN_VERSION_MINOR * 100 + SN_VERSION_PATCH;
}
