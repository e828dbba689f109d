// Explicit integrators, for a step h of a body whose acceleration is a(x, v) = f / m:
//
//     explicit Euler      x += h v,  v += h a(x, v)               order 1; gains energy always
//     symplectic Euler    v += h a(x, v),  x += h v               order 1; keeps it in bounds for w h < 2
//     Runge-Kutta 2       the midpoint's v and a                  order 2; gains a little always
//     Runge-Kutta 4       the classical weights 1 2 2 1           order 4; stable for w h < 2.828
//     Verlet              x' = 2 x - x_b + h^2 a                  order 2; stable for w h < 2
//     time-corrected      x' = x + h/h_b (x - x_b) + a h (h + h_b)/2       order 2 also when h varies
//
// x_b is where the body was a step before, h_b how long that step was; w is the highest frequency, for one spring
// between a mass m and a held point sqrt(k/m).
#ifndef SN_KINDS_SPRING_SPRING_INTEGRATORS_H
#define SN_KINDS_SPRING_SPRING_INTEGRATORS_H

#include "kinds/spring/spring_body.h"

// One step of an explicit integrator (implicit Euler is in implicit.h, and does nothing here); the pool may be null.
// Held points go on with their velocity. Verlet starts from the velocities when it has not run before, and leaves
// velocities of second order behind, which its dampers use.
void sn_spring_step(sn_spring_body *body, sn_spring_integrator integrator, sn_real h, sn_pool *pool);

// A bound from above on the square of the highest frequency of the springs (Gershgorin), 1/s^2: h < 2 / sqrt of it is
// stable for Verlet and symplectic Euler without dampers and volumes.
double sn_spring_frequency2(const sn_spring_body *body);

#endif
