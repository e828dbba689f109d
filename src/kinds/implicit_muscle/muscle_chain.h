// The axis of an implicit muscle as a chain of masses under tension with its ends held: it makes the muscle jiggle.
#ifndef SN_KINDS_IMPLICIT_MUSCLE_MUSCLE_CHAIN_H
#define SN_KINDS_IMPLICIT_MUSCLE_MUSCLE_CHAIN_H

#include "base/math/vec.h"
#include "base/memory.h"

typedef struct {
    int points;
    sn_real *mass;  // per point; those of the ends are ignored
    sn_real *rest;  // l0 per segment
    sn_real *stiff; // per segment, relative to a segment of the belly: 1, or more in tendons
    sn_real mode;   // 1/kg: the lowest mode oscillates with w^2 = mode * (transverse stiffness of a belly segment)
    sn_real slack;  // rest length of a belly segment divided by its initial length; below 1: the belly is under tension
    double *work;   // of the solver
} sn_muscle_chain;

sn_status sn_muscle_chain_init(sn_muscle_chain *chain, sn_memory *memory, int points);
void sn_muscle_chain_free(sn_muscle_chain *chain, sn_memory *memory);

// Sets masses proportional to the thickness at each point that add up to `mass`, and rest lengths: `slack` times the
// length of the axis' segments in the belly, the full length in the tendons. Each tendon is the fraction `tendon` of
// the axis.
void sn_muscle_chain_build(sn_muscle_chain *chain, const sn_vec3 *axis, const sn_real *thickness, sn_real mass,
                           sn_real slack, sn_real tendon);

// Parameters for a step of h seconds with which the lowest mode oscillates at `hertz` and decays as exp(-c t / 2).
typedef struct {
    sn_real stiffness;      // of the belly's segments, N/m
    sn_real velocity_scale; // velocities are multiplied by this
} sn_muscle_tuning;

sn_muscle_tuning sn_muscle_chain_tune(const sn_muscle_chain *chain, sn_real hertz, sn_real c, sn_real h);

// One Newton step of implicit Euler from p. `predicted` are the inertial predictions; the ends of p are held.
void sn_muscle_chain_solve(const sn_muscle_chain *chain, sn_real stiffness, sn_real h, const sn_vec3 *predicted,
                           sn_vec3 *p);

// Energy of the springs, J.
double sn_muscle_chain_energy(const sn_muscle_chain *chain, sn_real stiffness, const sn_vec3 *p);

#endif
