// Resampling: the same surface in triangles of one size.
#ifndef SN_MESH_RESAMPLE_H
#define SN_MESH_RESAMPLE_H

#include "mesh/error.h"
#include "mesh/mesh.h"

typedef struct {
    double edge;       // the length that edges are to have
    double crease;     // edges bent by more than this stay sharp, degrees; 180: none
    int iterations;    // of splitting, collapsing, flipping and smoothing
    int max_triangles; // more are refused
} sn_resample_options;

// 40 degrees, 8 rounds, 20 million triangles; the edge must be given.
sn_resample_options sn_resample_options_default(double edge);

// Makes a resampled copy: positions and triangles, and normals if the mesh has them. Vertices lie on the old surface,
// rims and creases stay, and so does what hangs together. The mesh should be cared for (mesh_repair.h) so that neighbours
// share vertices. False: 'why' says error, and out is empty.
bool sn_resample(const sn_mesh *mesh, const sn_resample_options *options, sn_mesh *out, tool_error *error);

#endif
