// The widths of lanes that a build has and this machine can run.
#ifndef SN_TEST_LANE_WIDTHS_H
#define SN_TEST_LANE_WIDTHS_H

#include "sinew/sinew.h"

// The lane widths of this machine and build, into out; returns how many.
static inline int lane_widths(int out[4]) {
    static const int all[4] = {1, 4, 8, 16};
    int count = 0;
    for (int i = 0; i < 4; i++) {
        sn_world_def def = sn_world_def_default();
        sn_world *world = NULL;
        def.lanes = all[i];
        if (sn_world_create(&def, &world) == SN_OK) out[count++] = all[i];
        sn_world_destroy(world);
    }
    return count;
}

#endif
