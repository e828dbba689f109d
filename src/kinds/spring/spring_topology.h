// Nets of points and springs: chains, cloth, surfaces with shells, and volumes (described in sinew/spring.h). Makers
// add to a net, so one body may have several parts; sn_spring_net_def converts it to the definition of a body.
#ifndef SN_KINDS_SPRING_SPRING_TOPOLOGY_H
#define SN_KINDS_SPRING_SPRING_TOPOLOGY_H

#include "kinds/spring/spring_body.h"

// An empty net; the allocator may be null. Free with sn_spring_net_free.
void sn_spring_net_init(sn_spring_net *net, const sn_allocator *allocator);
// The definition of a body with this net, valid until the net changes.
sn_spring_def sn_spring_net_def(const sn_spring_net *net);

// Adds one point, one spring (its rest length is the distance), one triangle. -1, false: out of memory.
int sn_spring_net_point(sn_spring_net *net, sn_vec3 point, sn_real mass);
bool sn_spring_net_spring(sn_spring_net *net, int a, int b, sn_spring_params params);
bool sn_spring_net_triangle(sn_spring_net *net, int a, int b, int c);

// All makers return the index of their first point, or -1: out of memory, the only error (the caller checks arguments).
// Points keep the given order. Springs with stiffness and damping 0 are left out.
int sn_spring_net_chain(sn_spring_net *net, const sn_spring_chain *chain);
int sn_spring_net_cloth(sn_spring_net *net, const sn_spring_cloth *cloth);
int sn_spring_net_surface(sn_spring_net *net, const sn_spring_surface *surface);
int sn_spring_net_solid(sn_spring_net *net, const sn_spring_solid *solid);

#endif
