// What bodies are made of: nets of points and springs, for chains, cloth, surfaces with shells, and volumes (described
// in sinew/spring.h). Makers add to a net, so one body may have several parts; sn_spring_net_def turns it into a
// definition of a body.
#ifndef SN_KINDS_SPRING_SPRING_TOPOLOGY_H
#define SN_KINDS_SPRING_SPRING_TOPOLOGY_H

#include "kinds/spring/spring_body.h"

// Empty; the allocator may be null. Freed by sn_spring_net_free.
void sn_spring_net_init(sn_spring_net *net, const sn_allocator *allocator);
// The definition of a body made of it, valid as long as the net is not changed.
sn_spring_def sn_spring_net_def(const sn_spring_net *net);

// One point, one spring (its rest length is the distance), one triangle. -1, false: no memory.
int sn_spring_net_point(sn_spring_net *net, sn_vec3 point, sn_real mass);
bool sn_spring_net_spring(sn_spring_net *net, int a, int b, sn_spring_params params);
bool sn_spring_net_triangle(sn_spring_net *net, int a, int b, int c);

// All makers return the number of their first point, -1: no memory (they fail in no other way: arguments
// are the caller's to check). Points are in the order given. A stiffness and damping of 0 leaves those springs out.
int sn_spring_net_chain(sn_spring_net *net, const sn_spring_chain *chain);
int sn_spring_net_cloth(sn_spring_net *net, const sn_spring_cloth *cloth);
int sn_spring_net_surface(sn_spring_net *net, const sn_spring_surface *surface);
int sn_spring_net_solid(sn_spring_net *net, const sn_spring_solid *solid);

#endif
