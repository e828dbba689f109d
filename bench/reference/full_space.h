// Projective dynamics in the full space: the same energy and the same local step as an elastic body, with every vertex
// free. The reference for subspaces (the paper's ground truth, fig. 6): simple, in double precision, and slow.
#ifndef SN_REFERENCE_FULL_SPACE_H
#define SN_REFERENCE_FULL_SPACE_H

#include "kinds/elastic/elastic_asset.h"

typedef struct {
    sn_memory *memory;
    const sn_elastic_asset *asset;
    double shear, bulk, density; // 2 mu, 3 lambda (Pa), kg/m^3
    double *x, *v;               // 3 per vertex
    double *volume;              // by tetrahedron
    double (*gradient)[9];       // by tetrahedron: gradients of the shape functions of corners 1 to 3
    double *mass;                // by vertex
    double *target, *force, *diagonal, *change, *r, *p, *ap;
} sn_elastic_full;

// Starts at rest in the asset's shape. The asset must have passed its check and outlive it.
sn_status sn_elastic_full_create(sn_memory *memory, const sn_elastic_asset *asset, double young, double poisson,
                                 double density, sn_elastic_full **out);
void sn_elastic_full_destroy(sn_elastic_full *full);

// One implicit Euler step: alternating local and global steps, each global step by conjugate gradients to a relative
// residual of 'tolerance'.
void sn_elastic_full_step(sn_elastic_full *full, double h, const double gravity[3], int iterations, double tolerance);

// Energy of all tetrahedra at x (3 per vertex), and its gradient if not null.
double sn_elastic_full_energy(const sn_elastic_full *full, const double *x, double *gradient);

#endif
