// Biharmonic weights: how much each handle of a body moves each of its vertices, smooth also across the handles.
//
// The plain form, for any mesh and any handles (docs/fields.md). Baking uses elastic_weights.h, which computes the same
// in patches.
#ifndef SN_FIELDS_BIHARMONIC_H
#define SN_FIELDS_BIHARMONIC_H

#include "mesh/error.h"
#include "tets/tet_mesh.h"

// Constraints: vertices and the handle of each. A handle has one vertex or more; its weight is 1 there, and that of
// every other handle 0. At a vertex with the handle -1 (an anchor) all weights are 0.
typedef struct {
    const int *vertex, *handle;
    int count, handle_count;
} sn_weight_constraints;

typedef struct {
    bool clamp;     // to 0..1: the raw weights overshoot a little
    double prune;   // weights below this become 0, so that each vertex has few handles; 0: off
    bool normalise; // rescale so that clamping and pruning do not change the sum at a vertex
} sn_biharmonic_options;

// Raw weights: they interpolate, and add up to 1 wherever nothing is anchored.
sn_biharmonic_options sn_biharmonic_options_exact(void);
// Clamped, pruned at 0.01, normalised.
sn_biharmonic_options sn_biharmonic_options_pruned(void);

// Computes weight[h * vertex_count + v] of each handle h at each vertex v. Every component of the mesh needs a
// constrained vertex, and four in general position for weights without strong bending. Vertices without tetrahedra get
// 0.
bool sn_biharmonic_weights(const sn_tet_mesh *mesh, const sn_weight_constraints *constraints,
                           const sn_biharmonic_options *options, double *weight, tool_error *error);

#endif
