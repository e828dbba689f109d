// Explicit integrators, for a step h of a body whose acceleration is a(x, v) = f / m:
//
//     explicit Euler      x += h v,  v += h a(x, v)               order 1; always gains energy
//     symplectic Euler    v += h a(x, v),  x += h v               order 1; bounded energy for w h < 2
//     Runge-Kutta 2       v and a at the midpoint                 order 2; always gains a little energy
//     Runge-Kutta 4       the classical weights 1 2 2 1           order 4; stable for w h < 2.828
//     Verlet              x' = 2 x - x_b + h^2 a                  order 2; stable for w h < 2
//     time-corrected      x' = x + h/h_b (x - x_b) + a h (h + h_b)/2       order 2 also for varying h
//
// x_b is the position one step before, h_b the length of that step; w is the highest frequency, sqrt(k/m) for one
// spring between a mass m and a held point.
#ifndef SN_KINDS_SPRING_SPRING_INTEGRATORS_H
#define SN_KINDS_SPRING_SPRING_INTEGRATORS_H

#include "kinds/spring/spring_body.h"

// One step of an explicit integrator (implicit Euler is in spring_implicit.h, and does nothing here); the pool may be
// null. Held points keep their velocity. Verlet starts from the velocities the first time, and computes velocities of
// second order, which dampers use.
void sn_spring_step(sn_spring_body *body, sn_spring_integrator integrator, sn_real h, sn_pool *pool);

// An upper bound of the squared highest frequency of the springs (Gershgorin), 1/s^2: Verlet and symplectic Euler
// without dampers and volumes are stable for h < 2 / sqrt of it.
double sn_spring_frequency2(const sn_spring_body *body);

#endif
