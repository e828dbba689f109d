// Where an anchored elastic body comes to rest under its weight, in three spaces: what the subspace of its handles costs,
// and what it would cost to reduce the local step as well (the paper's figs. 6 and 11).
//
//     full     every vertex is free: Newton's method with a sparse factor. The reference.
//     reduced  the body as the world has it: vertices follow handles, every tetrahedron has its say.
//     hyper    vertices follow the same handles; projections are found for a few tetrahedra only, and those of all others
//              are blended from them (hyper-reduced projective dynamics, Brandt et al. 2018)
//
// All three make the same energy least, the projective one less the work of gravity; the last only approximately.
#ifndef SN_BAKE_ELASTIC_SETTLE_H
#define SN_BAKE_ELASTIC_SETTLE_H

#include "kinds/elastic/elastic_asset.h"

typedef struct {
    double young, poisson, density; // Pa, -, kg/m^3
    double gravity[3];              // m/s^2
} elastic_weight;

typedef struct {
    int iterations;
    double left;   // full: the force that is left, as a part of the weight; others: the last change, of the first
    double energy; // elastic less the work of gravity since rest, J; of all tetrahedra
} elastic_settled;

// 'x': three numbers a vertex, where it begins and where it comes to rest. The asset must have passed its check and be
// anchored. False: 'why' says why.
bool elastic_settle_full(const sn_elastic_asset *asset, const elastic_weight *weight, double *x, elastic_settled *told,
                         char why[256]);

// From rest.
bool elastic_settle_reduced(sn_memory *memory, const sn_elastic_asset *asset, const elastic_weight *weight, double *x,
                            elastic_settled *told, char why[256]);

// From rest. 'samples': tetrahedra whose projections are found, at least as many as there are handles.
bool elastic_settle_hyper(const sn_elastic_asset *asset, const elastic_weight *weight, int samples, double *x,
                          elastic_settled *told, char why[256]);

#endif
