// The immutable data of elastic bodies: plain arrays, baked once and shared by many bodies.
//
// Tetrahedra have the material. The medial mesh inside consists of spheres connected by cones and slabs; some of its
// spheres are handles, which have the degrees of freedom. A point X of the body at rest maps to
//
//     x = a X + sum_j w_j(X) T_j(X - c_j),      a = 1 - sum_j w_j(X)                                   (eqs. 1 to 3)
//
// where c_j is the centre of handle j's sphere at rest and T_j an affine map (4 columns: 1, x, y, z) or a quadratic one
// (10 columns: also x^2, y^2, z^2, xy, yz, zx). Weights add up to 1, so a body can move rigidly. Near anchors they add
// up to less; the remainder a is the weight of the anchors.
//
// The unknowns are positions, not displacements: at rest T_j(d) = c_j + d.
#ifndef SN_KINDS_ELASTIC_ELASTIC_ASSET_H
#define SN_KINDS_ELASTIC_ELASTIC_ASSET_H

#include "base/math/vec.h"
#include "base/memory.h"
#include "sinew/elastic.h"

enum {
    SN_ELASTIC_AFFINE = 4,       // columns of a handle
    SN_ELASTIC_QUADRATIC = 10,   //
    SN_ELASTIC_ERROR_SIZE = 160, // of an error message
    SN_ELASTIC_MAX_WEIGHT = 10,  // size of a weight: more are not blends of maps, and their squares are inverse masses
};

// The arrays are declared in sinew/elastic.h. Internally each is allocated by sn_alloc from the memory that frees the
// asset, with exactly the count documented there (a count of 0: null or an empty block).

// The number of columns of a handle's map.
static inline int sn_elastic_columns(const sn_elastic_asset *asset, int handle) {
    return asset->handle_quadratic[handle] ? SN_ELASTIC_QUADRATIC : SN_ELASTIC_AFFINE;
}

// The centre of a handle at rest.
static inline sn_vec3 sn_elastic_handle_centre(const sn_elastic_asset *asset, int handle) {
    return asset->centre[asset->handle_sphere[handle]];
}

// The divisor that normalises weights. A sum of almost 1 (the tolerance of the check) stands for 1: divide by the sum.
// A smaller sum belongs to anchored points: divide by 1.
static inline double sn_elastic_weight_divisor(const sn_real *weight, int count) {
    double sum = 0;
    for (int k = 0; k < count; k++) sum += (double)weight[k];
    return sum > 1 - 2e-4 ? sum : 1;
}

// Whether the asset is valid. False: `error` describes the first violation with its field and index.
bool sn_elastic_asset_check(const sn_elastic_asset *asset, char error[SN_ELASTIC_ERROR_SIZE]);

// Frees every array and clears the asset.
void sn_elastic_asset_free(sn_memory *memory, sn_elastic_asset *asset);

#endif
