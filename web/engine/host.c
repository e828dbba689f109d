// What the engine's module leaves out of libc.
#include <stdarg.h>
#include <stdio.h>

// The library formats log lines with these; nobody reads them here, and libc's own are a large part of the module.
int vsnprintf(char *restrict out, size_t size, const char *restrict format, va_list list) {
    (void)format, (void)list;
    if (size) out[0] = 0;
    return 0;
}
int snprintf(char *restrict out, size_t size, const char *restrict format, ...) {
    (void)format;
    if (size) out[0] = 0;
    return 0;
}
