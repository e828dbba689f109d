// The fields of zoo/surfaces.h, each in a file of its own, and the puffer ball, which is built by hand.
#ifndef SN_ZOO_SURFACE_KINDS_H
#define SN_ZOO_SURFACE_KINDS_H

#include "mesh/mesh.h"

// Negative inside; never more than the distance. The context is not used.
double zoo_creature_field(const void *context, const double p[3]);
double zoo_cactus_field(const void *context, const double p[3]);
double zoo_ship_field(const void *context, const double p[3]);

bool zoo_puffer(int triangles, sn_mesh *out);

#endif
