// What the npm package's module has besides the public functions of libsinew: memory for arguments, the library's log, and what
// libc would import from WASI. The module imports env.now, seconds of any clock, and env.log.
#include "sinew/sinew.h"
#include <stdlib.h>
#include <time.h>
#include <wasi/api.h>

#define EXPORT(name) __attribute__((export_name(#name))) name
#define IMPORT(name) __attribute__((import_module("env"), import_name(#name)))

IMPORT(now) double host_now(void);
IMPORT(log) void host_log(int level, int code, const char *field, const char *text);

void *EXPORT(module_allocate)(size_t size);
void *EXPORT(module_allocate)(size_t size) {
    return aligned_alloc(16, (size + 15) / 16 * 16);
}

void EXPORT(module_release)(void *block);
void EXPORT(module_release)(void *block) {
    free(block);
}

static void report(void *user, sn_log_level level, sn_status code, const char *field, const char *text) {
    (void)user;
    host_log((int)level, (int)code, field, text);
}

// For the field 'log' of definitions.
sn_log_fn *EXPORT(module_log)(void);
sn_log_fn *EXPORT(module_log)(void) {
    return report;
}

int clock_gettime(clockid_t clock, struct timespec *out) {
    (void)clock;
    const double seconds = host_now();
    out->tv_sec = (time_t)seconds;
    out->tv_nsec = (long)((seconds - (double)out->tv_sec) * 1e9);
    return 0;
}

// There are no files, but libc's printf may write to stderr.
__wasi_errno_t __wasi_fd_close(__wasi_fd_t fd) {
    (void)fd;
    return __WASI_ERRNO_BADF;
}
__wasi_errno_t __wasi_fd_seek(__wasi_fd_t fd, __wasi_filedelta_t by, __wasi_whence_t from, __wasi_filesize_t *at) {
    (void)fd, (void)by, (void)from, (void)at;
    return __WASI_ERRNO_BADF;
}
__wasi_errno_t __wasi_fd_write(__wasi_fd_t fd, const __wasi_ciovec_t *parts, size_t count, __wasi_size_t *written) {
    (void)fd, (void)parts, (void)count, (void)written;
    return __WASI_ERRNO_BADF;
}
