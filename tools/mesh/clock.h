// Seconds of a monotonic clock, to time phases.
#ifndef SN_MESH_CLOCK_H
#define SN_MESH_CLOCK_H

#include "base/platform.h"

static inline double tool_clock(void) {
    return sn_platform_seconds();
}

#endif
