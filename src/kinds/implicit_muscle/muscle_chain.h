// The axis of an implicit muscle as a chain of masses under tension, with its ends held: what makes a muscle jiggle.
#ifndef SN_KINDS_IMPLICIT_MUSCLE_MUSCLE_CHAIN_H
#define SN_KINDS_IMPLICIT_MUSCLE_MUSCLE_CHAIN_H

#include "base/math/vec.h"
#include "base/memory.h"

typedef struct {
    int points;
    sn_real *mass;  // of each point; those of the ends do not count
    sn_real *rest;  // l0 of each segment
    sn_real *stiff; // of each segment, over that of a segment of the belly: 1, or more in tendons
    sn_real mode;   // 1/kg: the chain's lowest mode swings with w^2 = mode * (stiffness across a segment of the belly)
    sn_real slack;  // rest length of the belly's segments over that at rest: below 1, so that it is under tension
    double *work;   // of the solver
} sn_swept_chain;

// A chain for an axis of so many points.
sn_status sn_swept_chain_init(sn_swept_chain *chain, sn_memory *memory, int points);
void sn_swept_chain_free(sn_swept_chain *chain, sn_memory *memory);

// Masses that go with the thickness at each point and add up to 'mass'; rest lengths 'slack' of the axis' segments in
// the belly, and all of it in the tendons, which are the part 'tendon' of the length at either end.
void sn_swept_chain_make(sn_swept_chain *chain, const sn_vec3 *axis, const sn_real *thickness, sn_real mass,
                         sn_real slack, sn_real tendon);

// How a step of h seconds is solved so that the lowest mode swings 'hertz' times a second and dies down as exp(-c t /
// 2): the stiffness of the belly's segments, N/m, and what the velocity is multiplied by.
typedef struct {
    sn_real stiffness;
    sn_real keep;
} sn_swept_tune;

sn_swept_tune sn_swept_chain_tune(const sn_swept_chain *chain, sn_real hertz, sn_real c, sn_real h);

// One Newton step of the implicit step from where p is: 'aim' are the places the points would fly to, the ends of p are
// where they are held.
void sn_swept_chain_solve(const sn_swept_chain *chain, sn_real stiffness, sn_real h, const sn_vec3 *aim, sn_vec3 *p);

// Energy of the springs, J.
double sn_swept_chain_energy(const sn_swept_chain *chain, sn_real stiffness, const sn_vec3 *p);

#endif
