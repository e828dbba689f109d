// What libc would import from WASI, implemented here, so that a module imports only what host.h says: the engine's and the npm
// package's.
#include "host.h"
#include <time.h>
#include <wasi/api.h>

// The library times its stages with this.
int clock_gettime(clockid_t clock, struct timespec *out) {
    (void)clock;
    double seconds = host_now();
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
