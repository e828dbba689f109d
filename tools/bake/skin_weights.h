// Skin weights: which handles (points of rods) move a vertex of a mesh, and how much.
#ifndef SN_BAKE_SKIN_WEIGHTS_H
#define SN_BAKE_SKIN_WEIGHTS_H

#include "mesh/error.h"
#include "mesh/mesh.h"

// The rods in the mesh's rest pose. Several rods are concatenated, with parent indices into the whole list.
typedef struct {
    const double (*points)[3];
    const double *radii;
    const int *parents; // the point that each is connected to by a pill, -1: none
    int count;
} sn_weight_rods;

typedef struct {
    double sharpness; // softens the weight of near pills: distance as a fraction of the mean radius; default 0.1
    double fairing;   // smoothing length as a fraction of the mean pill length; default 0.25
    double drop;      // weights below this fraction of a vertex's largest are dropped; default 0.01
} sn_weight_options;

sn_weight_options sn_weight_options_default(void);

// Fills mesh->joint and mesh->weight (allocated if missing): at most four points per vertex in descending order of
// weight; weights sum to 1; unused entries are point 0 with weight 0. The mesh may have texture seams, several parts,
// degenerate triangles and isolated vertices. False: 'error' is set and the mesh is unchanged.
bool sn_skin_weights(sn_mesh *mesh, const sn_weight_rods *rods, const sn_weight_options *options, tool_error *error);

#endif
