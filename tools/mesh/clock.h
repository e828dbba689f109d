// Seconds of a monotonic clock, to time phases.
#ifndef SN_MESH_CLOCK_H
#define SN_MESH_CLOCK_H

#include <time.h>

static inline double tool_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
