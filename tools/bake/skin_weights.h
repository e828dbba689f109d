// Skin weights: which handles (points of rods) a vertex of a mesh hangs on, and how much.
#ifndef SN_BAKE_SKIN_WEIGHTS_H
#define SN_BAKE_SKIN_WEIGHTS_H

#include "mesh/error.h"
#include "mesh/mesh.h"

// The rods, as they lie in the mesh. Several rods are one after the other, with parents counted on.
typedef struct {
    const double (*points)[3];
    const double *radii;
    const int *parents; // the point that each is joined to by a pill, -1: none
    int count;
} sn_weight_rods;

typedef struct {
    double sharpness; // distances below this part of the mean radius count as touching; default 0.1
    double fairing;   // length over which weights are smoothed, over the mean length of pills; default 0.25
    double drop;      // weights below this part of a vertex's largest are dropped; default 0.01
} sn_weight_options;

sn_weight_options sn_weight_options_default(void);

// Fills mesh->joint and mesh->weight (made if missing): at most four points for each vertex, the heaviest first,
// weights add up to 1; what is not used is point 0 with weight 0. The mesh may have texture seams, several parts,
// triangles without area and vertices without triangles. False: 'why' says why, and the mesh is as it was.
bool sn_skin_weights(sn_mesh *mesh, const sn_weight_rods *rods, const sn_weight_options *options, tool_error *error);

#endif
