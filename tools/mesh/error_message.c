// See why.h.
#include "mesh/error_message.h"
#include <stdarg.h>
#include <stdio.h>

bool why_not(char why[256], const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(why, 256, format, list);
    va_end(list);
    return false;
}
