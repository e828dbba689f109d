// Hyperelastic materials other than the one that projective dynamics solves: energy, stress and tangent of a
// deformation gradient F, in double precision. All five agree for small strains.
#ifndef SN_ELASTIC_MATERIALS_H
#define SN_ELASTIC_MATERIALS_H

#include "base/real.h"

typedef enum {
    SN_HYPER_COROTATIONAL,
    SN_HYPER_STVK,
    SN_HYPER_NEO_HOOKEAN,
    SN_HYPER_MOONEY_RIVLIN,
    SN_HYPER_ARRUDA_BOYCE,
    SN_HYPER_KINDS
} sn_hyper_kind;

// "corotational", "stvk", "neo-hookean", "mooney-rivlin", "arruda-boyce".
const char *sn_hyper_name(sn_hyper_kind kind);

// A material ready to be evaluated; see sn_hyper_make.
typedef struct {
    sn_hyper_kind kind;
    double mu, lambda;    // Lame's, Pa
    double c10, c01;      // Mooney-Rivlin
    double series[5];     // Arruda-Boyce: f(I1) = sum series[i] I1^(i+1)
    double slope, spring; // factors of J - 1 and of (J - 1)^2 / 2
} sn_hyper;

// Young's modulus (Pa) and Poisson's ratio, -1 < ratio < 0.5, for small strains. 'shape' is what the kind has besides:
// of Mooney-Rivlin the part of c10 in c10 + c01, 0 to 1 (usual: 0.8); of Arruda-Boyce the stretch at which chains lock,
// more than 1 (usual: 3); others ignore it; 0: the usual. False: a number out of range.
bool sn_hyper_make(sn_hyper_kind kind, double young, double poisson, double shape, sn_hyper *out);

// Energy density (J/m^3) of F, by rows. Finite for every finite F; 0 for rotations.
double sn_hyper_energy(const sn_hyper *m, const double f[9]);

// The first Piola-Kirchhoff stress dPsi/dF, by rows.
void sn_hyper_stress(const sn_hyper *m, const double f[9], double stress[9]);

// The tangent d2Psi/dF2, a symmetric matrix of 9 x 9 in the order of F's rows. With 'definite' its negative eigenvalues
// are 0: the nearest positive semidefinite one. Energy and stress come along (may be null).
void sn_hyper_tangent(const sn_hyper *m, const double f[9], bool definite, double tangent[81], double stress[9],
                      double *energy);

// F = U diag(s) V^T with rotations U and V (by rows) and |s[0]| >= |s[1]| >= |s[2]|; s[2] is negative when F turns
// inside out.
void sn_hyper_svd(const double f[9], double u[9], double s[3], double v[9]);

#endif
