// Surfaces: friction, restitution, compliance and collision filters of bodies.
#ifndef SINEW_SURFACE_H
#define SINEW_SURFACE_H

#include "types.h"

// The contact properties of a body. A contact of two surfaces has the geometric mean of their frictions, the larger
// restitution and resistances and the sum of their compliances. They collide if each one's group is in the other's mask.
typedef struct {
    sn_real friction_static;  // coefficient of static friction; default 0.5
    sn_real friction_dynamic; // coefficient of dynamic friction, at most friction_static; default 0.4
    sn_real restitution;      // rebound speed over impact speed, 0 to 1; default 0
    sn_real compliance;       // depth per force, m/N; default 0
    // Between rigid bodies: the torque (N m) that it takes to roll, and to turn about the normal, over the normal force (N), m; default 0.
    // A wheel on a road rolls against 1 % of its radius.
    sn_real rolling, torsion;
    uint32_t group; // bits; default 1
    uint32_t mask;  // bits; default all
} sn_surface;

// Returns the defaults named above.
SN_API sn_surface sn_surface_default(void);

#endif
