// Projective dynamics in the full space: the same energy and the same local step as a body's, with every vertex free.
// The reference that subspaces are compared with (the paper's ground truth, fig. 6): plain, in double, and slow.
#ifndef SN_REFERENCE_FULL_SPACE_H
#define SN_REFERENCE_FULL_SPACE_H

#include "kinds/elastic/elastic_asset.h"

typedef struct {
    sn_memory *memory;
    const sn_elastic_asset *asset;
    double shear, bulk, density; // 2 mu, 3 lambda (Pa), kg/m^3
    double *x, *v;               // 3 of each vertex
    double *volume;              // by tetrahedron
    double (*gradient)[9];       // by tetrahedron: of the shape functions of corners 1 to 3
    double *mass;                // by vertex
    double *target, *force, *diagonal, *change, *r, *p, *ap;
} sn_elastic_full;

// At rest where the asset is. The asset must have passed its check and live as long.
sn_status sn_elastic_full_create(sn_memory *memory, const sn_elastic_asset *asset, double young, double poisson,
                                 double density, sn_elastic_full **out);
void sn_elastic_full_destroy(sn_elastic_full *full);

// One step of implicit Euler: iterations of local and global, each global step by conjugate gradients up to this part
// of its right side.
void sn_elastic_full_step(sn_elastic_full *full, double h, const double gravity[3], int iterations, double tolerance);

// The energy of all tetrahedra at x (3 of each vertex), and its gradient if that is not null.
double sn_elastic_full_energy(const sn_elastic_full *full, const double *x, double *gradient);

#endif
