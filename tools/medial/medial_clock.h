// Seconds of a clock that never goes back, to say what each phase took.
#ifndef SN_MEDIAL_MEDIAL_CLOCK_H
#define SN_MEDIAL_MEDIAL_CLOCK_H

#include <time.h>

static inline double medial_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
