// Hyperelastic materials: energy, stress and tangent of a deformation gradient F, in double precision, for every
// material model of sinew/elastic.h. All agree for small strains.
#ifndef SN_KINDS_ELASTIC_ELASTIC_MATERIALS_H
#define SN_KINDS_ELASTIC_ELASTIC_MATERIALS_H

#include "base/math/real.h"
#include "sinew/elastic.h"

// The constants of a material; see sn_hyper_init.
typedef struct {
    sn_elastic_law model;
    double mu, lambda;    // Lamé parameters, Pa
    double c10, c01;      // Mooney-Rivlin
    double series[5];     // Arruda-Boyce: f(I1) = sum series[i] I1^(i+1)
    double slope, spring; // factors of J - 1 and of (J - 1)^2 / 2
} sn_hyper;

// Young's modulus (Pa) and Poisson's ratio, -1 < ratio < 0.5 (projective: from 0), for small strains. `parameter`:
// Mooney-Rivlin: c10 / (c10 + c01), 0 to 1 (default 0.8); Arruda-Boyce: the locking stretch, above 1 (default 3);
// others ignore it; 0: the default. False: a number is out of range.
bool sn_hyper_init(sn_elastic_law model, double young, double poisson, double parameter, sn_hyper *out);

// Four models are polynomials of Green's strain E = (F^T F - 1)/2 and of J = det F, in one formula (material_kernel.c):
//
//     W = strain (tr E - (J - 1)) + cross I2(E) + sum over n = 2 .. 5 of power[n - 2] (tr E)^n + volume/2 (J - 1)^2,
//
// I2(E) = ((tr E)^2 - |E|^2) / 2. False: another model.
typedef struct {
    double strain, cross, power[4], volume;
} sn_hyper_series;

bool sn_hyper_get_series(const sn_hyper *m, sn_hyper_series *out);

// Energy density (J/m^3) of F, stored by rows. Finite for every finite F; 0 for rotations.
double sn_hyper_energy(const sn_hyper *m, const double f[9]);

// The first Piola-Kirchhoff stress dPsi/dF, by rows.
void sn_hyper_stress(const sn_hyper *m, const double f[9], double stress[9]);

// The tangent d2Psi/dF2, a symmetric matrix of 9 x 9 in the order of F's rows. `definite` sets its negative
// eigenvalues to 0: the closest positive semidefinite matrix. Also returns energy and stress (may be null).
void sn_hyper_tangent(const sn_hyper *m, const double f[9], bool definite, double tangent[81], double stress[9],
                      double *energy);

// F = U diag(s) V^T with rotations U and V (by rows) and |s[0]| >= |s[1]| >= |s[2]|; s[2] is negative if F is
// inverted.
void sn_hyper_svd(const double f[9], double u[9], double s[3], double v[9]);

#endif
