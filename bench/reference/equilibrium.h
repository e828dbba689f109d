// The static equilibrium of an anchored elastic body under gravity, in three spaces. It measures the error of a bake:
// what the subspace of the handles costs, and what reducing the local step as well would cost (the paper's figs. 6
// and 11).
//
//     full space      every vertex is free: Newton's method with a sparse factor. The reference.
//     reduced         the body as the world simulates it: vertices follow handles, all tetrahedra are evaluated.
//     hyper-reduced   vertices follow the same handles; projections are computed for a few tetrahedra only and blended
//                     for all others (hyper-reduced projective dynamics, Brandt et al. 2018)
//
// All three minimise the same energy, the projective energy minus the work of gravity; the last only approximately.
#ifndef SN_REFERENCE_EQUILIBRIUM_H
#define SN_REFERENCE_EQUILIBRIUM_H

#include "kinds/elastic/elastic_asset.h"
#include "mesh/error.h"

typedef struct {
    double young, poisson, density; // Pa, -, kg/m^3
    double gravity[3];              // m/s^2
} equilibrium_load;

typedef struct {
    int iterations;
    double residual; // full space: remaining force / weight; others: last change / first change
    double energy;   // elastic energy minus the work of gravity since rest, over all tetrahedra, J
} equilibrium_result;

// 'x' holds three numbers per vertex: the initial guess on entry and the equilibrium on return. The asset must have
// passed its check and be anchored. False: the error is set.
bool equilibrium_full_space(const sn_elastic_asset *asset, const equilibrium_load *load, double *x,
                            equilibrium_result *result, tool_error *error);

// Starts from the rest shape; 'x' is output only.
bool equilibrium_reduced(sn_memory *memory, const sn_elastic_asset *asset, const equilibrium_load *load, double *x,
                         equilibrium_result *result, tool_error *error);

// Starts from the rest shape; 'x' is output only. 'samples': number of tetrahedra whose projections are computed, at
// least the number of handles plus one.
bool equilibrium_hyper_reduced(const sn_elastic_asset *asset, const equilibrium_load *load, int samples, double *x,
                               equilibrium_result *result, tool_error *error);

#endif
