// Implicit Euler: v' = v + h/m f(x + h v', v'), x' = x + h v', with f taken to first order at the start of the step:
//
//     (M - h D - h^2 K) dv = h f + h^2 K v,    v' = v + dv
//
// K = df/dx is the tangent stiffness matrix and D = df/dv. A spring adds to the rows of its ends
//
//     K_ii = K_jj = -k ((1 - l0/l) I + (l0/l) r r^T),    K_ij = K_ji = -K_ii,    D the same with c r r^T.
//
// (The lecture's last line of this derivation has a plus before r r^T where its own step before gives the minus.)
//
// A pressed spring (l < l0) pushes across itself, and enough of them make the matrix indefinite; the safeguard takes 0
// for 1 - l0/l there. Either way a step is of first order; the matrix with the safeguard is positive definite always,
// so the step exists for every h.
//
// That is one step of Newton's method, from the start of the step, for the least of |v' - w|^2_M / 2 + U(x + h v')
// (and what dampers and drag take), with w = v. Whatever moves points afterwards, contacts and constraints, leaves its
// mark: it moves x, and v and w by that over h, for it stands for an impulse. A further step from there,
//
//     (M - h D - h^2 K) dv = M (w - v) + h f,    v' = v + dv,    x' = x + h dv,
//
// answers with the springs' forces, and w keeps the sum of the impulses.
//
// Conjugate gradients solve it, preconditioned with the inverses of the 3 x 3 diagonal blocks, and for larger bodies
// with a second level (coarse.h). Sums are made of chunks of fixed size in their order.
#ifndef SN_KINDS_SPRING_SPRING_IMPLICIT_H
#define SN_KINDS_SPRING_SPRING_IMPLICIT_H

#include "kinds/spring/spring_body.h"

typedef struct {
    sn_real tolerance; // of the residual in the norm of the inverse diagonal blocks, relative to that of dv = 0
    int iterations;    // at most
    bool exact;        // no safeguard, unless the solver meets a direction of negative energy
} sn_spring_solver;

// 1e-3, 200, false.
sn_spring_solver sn_spring_solver_default(void);

typedef struct {
    int iterations;  // of conjugate gradients
    bool converged;  // the tolerance was met
    bool guarded;    // the exact tangent was not positive definite, and the safeguard was used
    double residual; // relative, as in tolerance
} sn_spring_solved;

// One step; the pool may be null. Held points go on with their velocity.
sn_spring_solved sn_spring_implicit_step(sn_spring_body *body, sn_real h, const sn_spring_solver *solver,
                                         sn_pool *pool);

// A further step of Newton's method within the same step, from where the points are now; 'wish' is w above (quads).
// Does nothing if the residual is within the tolerance already, measured like that of the step before.
sn_spring_solved sn_spring_implicit_again(sn_spring_body *body, sn_real h, const sn_real *target,
                                          const sn_spring_solver *solver, sn_pool *pool);

// y = -K u for the present positions (quads), to look at the tangent from outside.
void sn_spring_stiffness(sn_spring_body *body, bool exact, const sn_real *u, sn_real *y, sn_pool *pool);

#endif
