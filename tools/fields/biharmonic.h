// Biharmonic weights: how much each handle of a body moves each of its vertices, smooth also across the handles.
//
// The plain form, for any mesh and any handles (docs/fields.md); bodies are baked by elastic_weights.h, which computes
// the same in patches.
#ifndef SN_FIELDS_BIHARMONIC_H
#define SN_FIELDS_BIHARMONIC_H

#include "mesh/error.h"
#include "tets/tet_mesh.h"

// What holds the weights: vertices and the handle of each. A handle has one vertex or several, its weight is 1 there
// and that of every other handle 0. Where the handle is -1 the vertex is anchored: all weights are 0.
typedef struct {
    const int *vertex, *handle;
    int count, handle_count;
} sn_weight_constraints;

typedef struct {
    bool clamp;     // to 0..1: weights as they are computed go a little beyond
    double prune;   // weights below this are 0, so that a vertex hangs on few handles; 0: none
    bool normalise; // what clamping and pruning changed is made up for: the sum at each vertex is what it was
} sn_biharmonic_options;

// Nothing is done to them: they interpolate, and add up to 1 wherever nothing is anchored.
sn_biharmonic_options sn_biharmonic_options_exact(void);
// Clamped, pruned at 0.01, normalised.
sn_biharmonic_options sn_biharmonic_options_pruned(void);

// weight[h * vertex_count + v] of each handle h at each vertex v. Every piece of the mesh needs a vertex that is held,
// in general position four of them for weights that are bent little; vertices without tetrahedra get 0. False: 'why'
// says why.
bool sn_biharmonic_weights(const sn_tet_mesh *mesh, const sn_weight_constraints *holds,
                           const sn_biharmonic_options *options, double *weight, tool_error *error);

#endif
