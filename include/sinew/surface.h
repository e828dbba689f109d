// Surfaces: how bodies and shapes meet when they touch.
#ifndef SINEW_SURFACE_H
#define SINEW_SURFACE_H

#include "types.h"

// How a surface meets others. Of two surfaces the friction is the geometric mean, the restitution the larger, the
// compliance the sum. They touch if each one's group is in the other's mask.
typedef struct {
    sn_real friction_static;  // sticks up to this share of the normal force; default 0.5
    sn_real friction_dynamic; // slides with this share; default 0.4, at most friction_static
    sn_real restitution;      // part of the impact speed that is given back, 0 to 1; default 0
    sn_real compliance;       // how far it yields, m/N; default 0
    uint32_t group;           // bits; default 1
    uint32_t mask;            // bits; default all
} sn_surface;

// The defaults named above.
SN_API sn_surface sn_surface_default(void);

#endif
