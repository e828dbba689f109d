// What an elastic body is made of: plain arrays, baked once, shared by many bodies, never changed by a step.
//
// Tetrahedra carry the material. A medial mesh (spheres, joined by cones and slabs) lies within; some of its spheres
// are handles, with the degrees of freedom. A point X of the body at rest goes to
//
//     x = a X + sum_j w_j(X) T_j(X - c_j),      a = 1 - sum_j w_j(X)                                   (eqs. 1 to 3)
//
// where c_j is the centre of handle j's sphere at rest and T_j an affine map (4 columns: 1, x, y, z) or a quadratic one
// (10 columns: and x^2, y^2, z^2, xy, yz, zx). Weights add up to 1, so that a body can move rigidly; only where
// something is anchored do they add up to less: a is what is left, the share of the place that does not move.
//
// Positions stand for themselves, not displacements: at rest T_j(d) = c_j + d.
#ifndef SN_KINDS_ELASTIC_ELASTIC_ASSET_H
#define SN_KINDS_ELASTIC_ELASTIC_ASSET_H

#include "base/math/vec.h"
#include "base/memory.h"
#include "sinew/elastic.h"

enum {
    SN_ELASTIC_AFFINE = 4,     // columns of a handle
    SN_ELASTIC_QUADRATIC = 10, //
    SN_ELASTIC_WHY = 160,      // room for what is wrong
};

// The arrays themselves are in sinew/elastic.h. Here every one comes from sn_alloc of the memory that the asset is freed
// with, with exactly the count that is named there (a count of 0: null or an empty block).

// Columns of a handle's map.
static inline int sn_elastic_columns(const sn_elastic_asset *asset, int handle) {
    return asset->handle_quadratic[handle] ? SN_ELASTIC_QUADRATIC : SN_ELASTIC_AFFINE;
}

// A handle's centre at rest.
static inline sn_vec3 sn_elastic_handle_centre(const sn_elastic_asset *asset, int handle) {
    return asset->centre[asset->handle_sphere[handle]];
}

// Weights that add up to nearly 1 are meant to (the check lets so much pass), and are divided by their sum; where they
// add up to less, something is anchored, and they are divided by 1.
static inline double sn_elastic_whole(const sn_real *weight, int count) {
    double sum = 0;
    for (int k = 0; k < count; k++) sum += (double)weight[k];
    return sum > 1 - 2e-4 ? sum : 1;
}

// Whether everything above holds. False: 'why' says what does not, with the field and the index.
bool sn_elastic_asset_check(const sn_elastic_asset *asset, char why[SN_ELASTIC_WHY]);

// Gives back every array and empties the asset.
void sn_elastic_asset_free(sn_memory *memory, sn_elastic_asset *asset);

#endif
