// Implicit Euler: v' = v + h/m f(x + h v', v'), x' = x + h v', with f linearised at the start of the step:
//
//     (M - h D - h^2 K) dv = h f + h^2 K v,    v' = v + dv
//
// K = df/dx is the tangent stiffness matrix and D = df/dv. A spring adds to the rows of its ends
//
//     K_ii = K_jj = -k ((1 - l0/l) I + (l0/l) r r^T),    K_ij = K_ji = -K_ii,    D the same with c r r^T.
//
// (The last line of this derivation in the lecture has a plus before r r^T; the line before it gives the minus.)
//
// A compressed spring (l < l0) is unstable across its axis, and enough of them make the matrix indefinite. The
// safeguard uses 0 for 1 - l0/l there. Either way the step is of first order; with the safeguard the matrix is always
// positive definite, so the step exists for every h.
//
// This is one Newton step, from the start of the step, for the minimum of |v' - w|^2_M / 2 + U(x + h v') (and the terms
// of dampers and drag), with w = v. Whatever moves points afterwards, contacts and constraints, counts as an impulse:
// it changes x, and v and w by that over h. A further Newton step from there,
//
//     (M - h D - h^2 K) dv = M (w - v) + h f,    v' = v + dv,    x' = x + h dv,
//
// adds the reaction of the springs, and w keeps the sum of the impulses.
//
// Conjugate gradients solve the system, preconditioned with the inverse 3 x 3 diagonal blocks, and for larger bodies
// with a second level (spring_coarse.h). Sums are over chunks of fixed size in a fixed order.
#ifndef SN_KINDS_SPRING_SPRING_IMPLICIT_H
#define SN_KINDS_SPRING_SPRING_IMPLICIT_H

#include "kinds/spring/spring_body.h"

typedef struct {
    sn_real tolerance; // of the residual in the norm of the inverse diagonal blocks, relative to that of dv = 0
    int iterations;    // max
    bool exact;        // no safeguard, unless the solver finds negative curvature
} sn_spring_solver;

// 1e-3, 200, false.
sn_spring_solver sn_spring_solver_default(void);

typedef struct {
    int iterations;  // of conjugate gradients
    bool converged;  // the tolerance was reached
    bool guarded;    // the exact tangent was not positive definite, so the safeguard was used
    double residual; // relative, as in tolerance
} sn_spring_solved;

// One step; the pool may be null. Held points keep their velocity.
sn_spring_solved sn_spring_implicit_step(sn_spring_body *body, sn_real h, const sn_spring_solver *solver,
                                         sn_pool *pool);

// A further Newton step within the same step, from the current positions; 'target' is w above (quads). Does nothing if
// the residual is within the tolerance already, measured as in the step before.
sn_spring_solved sn_spring_implicit_again(sn_spring_body *body, sn_real h, const sn_real *target,
                                          const sn_spring_solver *solver, sn_pool *pool);

// y = -K u at the current positions (quads), for tests.
void sn_spring_stiffness(sn_spring_body *body, bool exact, const sn_real *u, sn_real *y, sn_pool *pool);

#endif
